"""Colour refinement: most automorphisms of which a part is given follow from that part, without a search.

A vertex gets a new colour from its own and those of its neighbours, again and again, until all colours differ. An
automorphism maps each vertex to one of the same colour; so at most one is left then, and its edges are compared.
Colours are numbers of 64 bits: two that are equal by accident hide that one, which can only leave the question open.

References
----------
B. McKay, A. Piperno, "Practical graph isomorphism, II", Journal of Symbolic Computation 60 (2014),
doi:10.1016/j.jsc.2013.09.003
"""

from threading import Event

import numpy as np
from numpy.typing import NDArray

from solvers.base.errors import Stopped
from solvers.symmetry.bliss import relabel_edges

MAX_ROUNDS = 64
"""The most rounds; along a path, each round tells only the next vertices apart."""

Hashes = NDArray[np.uint64]
"""A colour for each vertex, or two of them: an array with a row for each colouring."""


def extend_automorphism(
    size: int, edges: NDArray[np.int64], source: NDArray[np.int64], target: NDArray[np.int64], stop: Event
) -> tuple[NDArray[np.int64] | None, bool]:
    """Return (mapping, is_settled): the automorphism that maps one colouring of a graph to another.

    size: the number of vertices. edges: pairs of vertices, an array with two columns. source, target: the colours of
    the vertices in both colourings. Both are refined until the colours of all vertices differ; then a vertex can only
    be mapped to that of its colour. mapping: the image of each vertex; its colour in ``target`` is that of the vertex
    in ``source``. It is None if there is no such automorphism. If ``is_settled`` is False, colours alone do not show
    whether there is one. Raises `Stopped` once the event is set.

    >>> path = np.array([[0, 1], [1, 2], [2, 3]])
    >>> extend_automorphism(4, path, np.array([1, 0, 0, 0]), np.array([0, 0, 0, 1]), Event())
    (array([3, 2, 1, 0]), True)
    >>> extend_automorphism(4, path, np.array([1, 0, 0, 0]), np.array([0, 0, 1, 0]), Event())
    (None, True)
    >>> extend_automorphism(4, path, np.zeros(4, int), np.zeros(4, int), Event())
    (None, False)
    """
    colours = _mix(np.array([source, target], dtype=np.uint64))
    number = 0
    for _ in range(MAX_ROUNDS):
        if stop.is_set():
            raise Stopped
        order = np.argsort(colours, axis=1)
        ordered = np.take_along_axis(colours, order, axis=1)
        if (ordered[0] != ordered[1]).any():  # the colourings do not have the same colours equally often
            return None, True
        previous_number, number = number, len(np.unique(ordered[0]))  # of different colours
        if number == size:
            mapping = np.empty(size, dtype=np.int64)  # each vertex to that of the same colour
            mapping[order[0]] = order[1]
            is_kept = np.array_equal(relabel_edges(edges, mapping), relabel_edges(edges, np.arange(size)))
            return (mapping if is_kept else None), True
        if number == previous_number:  # refinement tells no more vertices apart
            break
        colours = _refine_colours(colours, edges)
    return None, False


def _refine_colours(colours: Hashes, edges: NDArray[np.int64]) -> Hashes:
    """Return the next colours: of each vertex, a hash of its colour and the colours of its neighbours, in any order.

    colours: a row for each colouring. edges: pairs of vertices, an array with two columns.
    """
    neighbour_sums = np.zeros_like(colours)  # a sum does not depend on the order of the neighbours
    mixed_colours = _mix(colours)
    for here, neighbour in (edges.T, edges.T[::-1]):  # each edge in both directions
        for sums, mixed in zip(neighbour_sums, mixed_colours, strict=True):
            np.add.at(sums, here, mixed[neighbour])
    own_part = colours * np.uint64(3)  # a factor, so that the vertex's own colour counts unlike a neighbour's
    return _mix(own_part + neighbour_sums)


def _mix(numbers: Hashes) -> Hashes:
    """Return numbers that look random, each made from one; G. L. Steele et al., OOPSLA 2014 (SplitMix)."""
    mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
