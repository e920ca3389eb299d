"""A process of its own that finds the automorphisms of a graph, as the library cannot be stopped while it searches.

Reads (how many vertices, edges, the colour of each vertex) from its standard input and writes generators of the group
that keeps the colours, each a list of the vertices' images. T. Junttila, P. Kaski, "Engineering an efficient canonical
labeling tool for large and sparse graphs", ALENEX 2007.
"""

import pickle
import sys

from igraph import Graph

if __name__ == "__main__":
    size, edges, colours = pickle.load(sys.stdin.buffer)
    pickle.dump(Graph(size, edges).automorphism_group(sh="fl", color=colours), sys.stdout.buffer)
