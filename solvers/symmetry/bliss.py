"""A process of its own that finds the automorphisms of a graph, as the library cannot be stopped while it searches.

Reads (how many vertices, edges, the colour of each vertex, other colourings or None) from its standard input. Writes
generators of the group that keeps the colours, each a list of the vertices' images; or else for each of the other
colourings a permutation that carries each vertex to one which has in the first colouring the colour that the vertex has
in the other, None if there is none. T. Junttila, P. Kaski, "Engineering an efficient canonical labeling tool for large
and sparse graphs", ALENEX 2007.
"""

import pickle
import sys
from collections.abc import Sequence
from typing import Any


def automorphisms(
    size: int, edges: Sequence[tuple[int, int]], colours: Sequence[int], others: Sequence[Sequence[int]] | None = None
) -> list[Any]:
    """The generators, or the permutations that carry other colours to the colours."""
    from igraph import Graph

    graph = Graph(size, edges)
    if others is None:
        return graph.automorphism_group(sh="fl", color=colours)  # type: ignore[no-any-return]
    found: list[Any] = []
    for other in others:
        is_isomorphic, image = sorted(other) == sorted(colours), None
        if is_isomorphic:
            is_isomorphic, image, _ = graph.isomorphic_bliss(
                graph, return_mapping_12=True, sh1="fl", color1=other, color2=colours
            )
        found.append(image if is_isomorphic else None)
    return found


if __name__ == "__main__":
    for drawing in ("matplotlib", "cairo", "cairocffi", "plotly"):
        sys.modules[drawing] = None  # type: ignore[assignment]  # igraph does without, and starts ten times as fast
    pickle.dump(automorphisms(*pickle.load(sys.stdin.buffer)), sys.stdout.buffer)
