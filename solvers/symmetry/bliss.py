"""A process of its own that answers questions on one graph, as the library cannot be stopped while it searches.

Reads from its standard input (how many vertices, edges), and then questions: the name of a function below and its
arguments. Writes each answer to its standard output. T. Junttila, P. Kaski, "Engineering an efficient canonical
labeling tool for large and sparse graphs", ALENEX 2007.
"""

import pickle
import sys
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

FORM_BYTES = 16
"""The number of bytes of a hash of a canonical form."""

HEURISTIC = "fl"
"""Bliss' name for its heuristic "split the first largest cell"."""

Colours = NDArray[np.int64] | Sequence[int]
"""The colour of each vertex."""


class Questions:
    """The questions that can be asked about a graph; colours list the colour of each vertex."""

    def __init__(self, size: int, edges: NDArray[np.int64] | Sequence[tuple[int, int]]) -> None:
        """Make a graph with ``size`` vertices; edges: pairs of their numbers, from 0."""
        from igraph import Graph

        self._edges = np.array(edges, dtype=np.int64).reshape(-1, 2)
        self._graph = Graph(size, self._edges)

    def generators(self, colours: Colours) -> list[list[int]]:
        """Return generators of the group of automorphisms that keep the colours.

        Each is a list of the images of the vertices.
        """
        return self._graph.automorphism_group(sh=HEURISTIC, color=_colour_list(colours))  # type: ignore[no-any-return]

    def order(self, colours: Colours) -> int:
        """Return the number of automorphisms that keep the colours."""
        return int(self._graph.count_automorphisms(sh=HEURISTIC, color=_colour_list(colours)))

    def mappings(self, colours: Colours, others: Sequence[Colours]) -> list[list[int] | None]:
        """Return, for each of the other colourings, an automorphism that maps it to ``colours``.

        An automorphism is the list of the images of the vertices. It maps each vertex to one whose colour in
        ``colours`` is the vertex's colour in the other colouring. The entry is None if there is no such automorphism.
        """
        target = _colour_list(colours)
        mappings_found: list[list[int] | None] = []
        for other in map(_colour_list, others):
            is_isomorphic, image = sorted(other) == sorted(target), None  # else bliss need not be asked
            if is_isomorphic:
                is_isomorphic, image, _ = self._graph.isomorphic_bliss(
                    self._graph, return_mapping_12=True, sh1=HEURISTIC, color1=other, color2=target
                )
            mappings_found.append(image if is_isomorphic else None)
        return mappings_found

    def forms(self, colourings: Sequence[Colours]) -> list[bytes]:
        """Return, for each colouring, a hash of the graph's canonical form.

        Two hashes are equal iff an automorphism maps one colouring to the other.
        """
        return [_hash_arrays(*self._canonical_form(colours)) for colours in colourings]

    def images(self, colours: Colours, colourings: Sequence[Colours]) -> list[tuple[list[int], int]]:
        """Return, for each colouring, (automorphism, order of a group).

        The automorphism keeps ``colours`` and maps the colouring to a fixed one of those that it can be mapped to. The
        group is that of the automorphisms that keep both ``colours`` and the colouring.
        """
        from igraph import Graph

        # Renumbered to its canonical form under the colouring, the graph is the same for all colourings that can be
        # mapped to each other. This renumbered graph has the same canonical form under ``colours`` as the graph itself.
        # So an automorphism goes from the graph to the renumbered one, on to this form, and from there back.
        vertex_of_form = np.argsort(self._labelling(self._graph, colours))  # the inverse of the labelling
        images_found = []
        for colouring in colourings:
            label = self._labelling(self._graph, colouring)
            renumbered = Graph(len(label), relabel_edges(self._edges, label))
            renumbered_colours = np.empty(len(label), dtype=np.int64)
            renumbered_colours[label] = colours
            number_in_form = self._labelling(renumbered, renumbered_colours)
            image = vertex_of_form[number_in_form[label]]
            images_found.append((image.tolist(), self.order(colouring)))
        return images_found

    def _canonical_form(self, colours: Colours) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return (edges, colours): the canonical form of the coloured graph."""
        label = self._labelling(self._graph, colours)
        coloured = np.empty(len(label), dtype=np.int64)
        coloured[label] = colours
        return relabel_edges(self._edges, label), coloured

    def _labelling(self, graph: Any, colours: Colours) -> NDArray[np.int64]:
        """Return, for each vertex of the graph, its number in the canonical form of the coloured graph."""
        # igraph returns the inverse: for each number in the form, the vertex.
        vertices = np.array(graph.canonical_permutation(sh=HEURISTIC, color=_colour_list(colours)), dtype=np.int64)
        return np.argsort(vertices)


def _colour_list(colours: Colours) -> list[int]:
    """Return the colours as a list of Python integers."""
    return colours.tolist() if isinstance(colours, np.ndarray) else list(colours)


def relabel_edges(edges: NDArray[np.int64], label: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the edges between renumbered vertices, in order, each with its lesser vertex first.

    label: the new number of each vertex.
    """
    moved = np.sort(label[edges], axis=1)
    return moved[np.lexsort((moved[:, 1], moved[:, 0]))]


def _hash_arrays(*arrays: NDArray[np.int64]) -> bytes:
    """Return a hash of arrays, of `FORM_BYTES` bytes."""
    digest = blake2b(digest_size=FORM_BYTES)
    for array in arrays:
        digest.update(array.astype("<i8").tobytes())
    return digest.digest()


def _serve() -> None:
    """Read the graph and then questions from standard input; write each answer.

    Returns at the end of the input.
    """
    questions = Questions(*pickle.load(sys.stdin.buffer))
    while True:
        try:
            name, arguments = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        pickle.dump(getattr(questions, name)(*arguments), sys.stdout.buffer)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    for drawing in ("matplotlib", "cairo", "cairocffi", "plotly"):
        sys.modules[drawing] = None  # type: ignore[assignment]  # igraph does without, and starts ten times as fast
    _serve()
