"""An order of a cover's items for a frontier count: few items are partly decided at a time.

Items that share many options are close to each other. From this follows a sparse graph in which the items of every
option are connected; on a board its edges join the cells that share a side, though nothing here knows of cells. The
candidates sort the items by their distances in this graph from one of its outermost items, and by sums and differences
of two such distances; on a rectangle, the sum of the distances from both ends of a short side determines the column.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

OUTERMOST_ITEMS = 8
"""The number of items from which distances are measured."""

SPAN_COST = 0.01
"""Where two orders are alike, the one with short options is better, as its states may take fewer words."""

REFINED_ORDERS = 3
"""The number of orders that are refined."""

MAX_ORDERING_STEPS = 200_000_000
"""The largest product of candidates and what it takes to judge one, in steps; about a second."""

Matrix = NDArray[np.float64]


class Incidence:
    """The relation between a cover's items and options, as arrays.

    Items that need not be covered come last.
    """

    def __init__(self, covers: Sequence[Sequence[int]], items: int, optional: int) -> None:
        """Make the arrays.

        ``matrix`` has a row for each item, a column for each option, and 1 where an option covers an item. ``option``
        and ``item`` are parallel, with an entry for each item of each option, option by option; ``_item`` is the same
        without optional items, and ``_begin`` has where each option begins in it. covers: the items that each option
        covers. items, optional: the numbers of items that must and that may be covered; the latter are numbered behind
        the former.
        """
        self.items = items
        self.optional = optional
        self.options = len(covers)
        self.option = np.repeat(np.arange(len(covers)), [len(row) for row in covers])
        self.item = np.array([item for row in covers for item in row], dtype=np.int64)
        self.matrix = np.zeros((items + optional, len(covers)), dtype=np.float32)
        self.matrix[self.item, self.option] = 1
        mandatory = self.item < items
        self._item = self.item[mandatory]
        self._begin = np.searchsorted(self.option[mandatory], np.arange(len(covers)))

    def likeness(self) -> Matrix:
        """Return, as a matrix, the likeness of each two items: their Jaccard index; 0 on the diagonal.

        That is the number of options that cover both, divided by the number of those that cover at least one.
        """
        both = (self.matrix @ self.matrix.T).astype(float)  # how many options cover both of two items
        option_counts = np.diag(both)
        at_least_one = option_counts[:, None] + option_counts[None, :] - both
        likeness: Matrix = np.divide(both, at_least_one, out=np.zeros_like(both), where=at_least_one > 0)
        np.fill_diagonal(likeness, 0)
        return likeness

    def widths(self, position: NDArray[np.int64]) -> Matrix:
        """Return, for each place of an order, the entropy in bits of the items that are partly decided there.

        An option is decided at the first of its items. An item of whose options a share q is decided contributes the
        entropy of q: -q log q - (1 - q) log (1 - q). position: the place of each item that has to be covered.
        """
        if not self.items:
            return np.zeros(0)
        first = np.minimum.reduceat(position[self._item], self._begin)  # for each option, the first of its places
        # A table with a row for each item and a column for each place: how many of its options are decided there.
        flat_index = self.item * self.items + first[self.option]
        decided = np.bincount(flat_index, minlength=(self.items + self.optional) * self.items)
        share = decided.reshape(-1, self.items).cumsum(axis=1) / self.matrix.sum(axis=1)[:, None]
        share = share[(share > 0).any(axis=1)].clip(1e-300, 1)  # drops items without options; no logarithm of 0
        entropy = -share * np.log2(share) - (1 - share) * np.log2((1 - share).clip(1e-300, 1))
        widths: Matrix = entropy.sum(axis=0)
        return widths

    def cost(self, order: Sequence[int], near: int) -> float:
        """Return an estimate of the binary logarithm of the number of states that a count along this order has.

        It is the logarithm of the sum of 2**width over all places, plus a small cost for the widest span of an option
        over near positions, because a state has a bit for each of these. order: the items that have to be covered.
        near: how many of them, from the start, are near items.
        """
        position = np.argsort(order)
        widths = self.widths(position)
        place = position[self._item]  # of each item of each option
        last = np.maximum.reduceat(np.where(place < near, place, -1), self._begin)
        first = np.minimum.reduceat(place, self._begin)
        span = (last - first).max()
        widest = widths.max()  # subtracted before 2**width, which may be too large for a float
        return float(widest + np.log2(np.exp2(widths - widest).sum()) + SPAN_COST * span)


def links(incidence: Incidence, likeness: Matrix, chosen: NDArray[np.bool_]) -> set[tuple[int, int]]:
    """Return a small set of pairs of chosen items that connects the chosen items of each option.

    The pairs are the edges of a maximum spanning tree of each option (R. Prim, Bell System Technical Journal 36, 1957),
    without those that are not needed. incidence: the items and options of the cover. likeness: the likeness of each
    pair of items. chosen: for each item, True if it is chosen.
    """
    pairs: set[tuple[int, int]] = set()
    is_chosen = chosen[incidence.item]
    items = incidence.item[is_chosen]
    options = incidence.option[is_chosen]
    size = np.bincount(options, minlength=incidence.options)  # for each option, the number of its chosen items
    for count in set(size.tolist()) - {0, 1}:  # options of equal size are rows of one array
        rows = items[np.isin(options, np.flatnonzero(size == count))].reshape(-1, count)
        for start in range(0, len(rows), 1000):  # in parts, which limits the memory
            pairs |= _tree_edges(rows[start : start + 1000], likeness)
    return _without_detours(pairs, items, options, likeness)


def _without_detours(
    pairs: set[tuple[int, int]], items: NDArray[np.int64], options: NDArray[np.int64], likeness: Matrix
) -> set[tuple[int, int]]:
    """Drop pairs without which every option remains connected, the least alike first; return the others.

    Only a pair that is a side of a triangle of pairs is tried, as otherwise no short way replaces it. items, options:
    the items and the options that cover them, as two parallel arrays. likeness: the likeness of each pair of items.
    """
    adjacent: dict[int, set[int]] = {}
    for a, b in pairs:
        adjacent.setdefault(a, set()).add(b)
        adjacent.setdefault(b, set()).add(a)
    option_items: dict[int, set[int]] = {}
    item_options: dict[int, set[int]] = {}
    for item, option in zip(items.tolist(), options.tolist(), strict=True):
        option_items.setdefault(option, set()).add(item)
        item_options.setdefault(item, set()).add(option)

    def are_connected(members: set[int]) -> bool:
        """Tell whether the edges among these items connect all of them, by a search breadth-first."""
        new = {next(iter(members))}
        unreached = members - new
        while new:
            new = set().union(*(adjacent[item] for item in new)) & unreached
            unreached -= new
        return not unreached

    for a, b in sorted(pairs, key=lambda pair: (likeness[pair], pair)):
        if adjacent[a] & adjacent[b]:
            adjacent[a].remove(b)
            adjacent[b].remove(a)
            if not all(are_connected(option_items[option]) for option in item_options[a] & item_options[b]):
                adjacent[a].add(b)
                adjacent[b].add(a)
    return {(a, b) for a in adjacent for b in adjacent[a] if a < b}


def _tree_edges(rows: NDArray[np.int64], likeness: Matrix) -> set[tuple[int, int]]:
    """Return the edges of maximum spanning trees by likeness, one for each row of items.

    Prim's algorithm runs for all rows at once; all have the same length. Each tree begins with the item in column 0,
    and then takes in the item that is most like one inside. ``weight`` and ``parent`` have, for each item outside its
    tree, the greatest likeness to an item inside, and the column of that item.
    """
    every_row = np.arange(len(rows))
    weight = likeness[rows[:, :1], rows]
    parent = np.zeros(rows.shape, dtype=np.int64)
    weight[:, 0] = -1
    is_inside = np.zeros(rows.shape, dtype=bool)
    is_inside[:, 0] = True
    pairs: set[tuple[int, int]] = set()
    for _ in range(rows.shape[1] - 1):
        nearest = np.where(is_inside, -1, weight).argmax(axis=1)  # the column of the item that each tree takes in
        is_inside[every_row, nearest] = True
        new_items = rows[every_row, nearest]
        ends = np.sort(np.stack([rows[every_row, parent[every_row, nearest]], new_items], axis=1), axis=1)
        pairs |= set(map(tuple, np.unique(ends, axis=0).tolist()))
        likeness_to_new = likeness[new_items[:, None], rows]
        is_closer = (likeness_to_new > weight) & ~is_inside
        weight = np.where(is_closer, likeness_to_new, weight)
        parent = np.where(is_closer, nearest[:, None], parent)
    return pairs


def item_order(incidence: Incidence) -> tuple[list[int], int]:
    """Return (the items that have to be covered, in the best order found; the number of near ones among them).

    The others, the far ones, come last. They share few options with any other item, like a piece that can lie anywhere
    on a board, and have no influence on the order of the near ones. Two sets of far items are tried, the empty one and
    one by likeness, and the order with the least cost is best. incidence: the items and options of the cover.
    """
    if not incidence.items:
        return [], 0
    likeness = incidence.likeness()
    searches = []
    for far in _far_sets(likeness.max(axis=1, initial=0)):
        near = np.ones(len(likeness), dtype=bool)
        near[far] = False
        searches.append(_OrderSearch(incidence, likeness, near))
    best = min(searches, key=lambda search: search.ranked[0].cost)
    best.break_ties()
    return best.ranked[0].order, int(best.near[: incidence.items].sum())


def _far_sets(closest: Matrix) -> list[list[int]]:
    """Return candidates for the set of far items: none, and the items below the widest gap in likeness.

    The likenesses are sorted; the widest gap is the greatest difference of two neighbours. closest: for each item, its
    likeness to the item most like it.
    """
    items = np.argsort(closest, kind="stable")  # the least likeness first
    gaps = np.diff(closest[items])
    if not len(gaps) or not gaps.max() > 0:
        return [[]]
    return [[], sorted(items[: int(np.argmax(gaps)) + 1].tolist())]


class _Candidate(NamedTuple):
    """An order of the items, its estimated cost, and the numbers of the keys by which it is sorted."""

    cost: float
    order: list[int]
    keys: tuple[int, ...]


class _OrderSearch:
    """A search for a good order of the items.

    They are sorted by each key; more keys then break the ties of the best orders.
    """

    def __init__(self, incidence: Incidence, likeness: Matrix, near: NDArray[np.bool_]) -> None:
        """Try the orders by one key.

        A key is a number for each item, made of distances in the graph that `links` returns, in which the items of each
        option are connected. An order is judged by its estimated cost. ``_left`` is the number of orders that may still
        be judged. incidence: the items and options of the cover. likeness: the likeness of each pair of items. near:
        for each item, True if it is near; far items come last in every order.
        """
        self.near = near
        self._incidence = incidence
        self._keys = _sorting_keys(len(near), links(incidence, likeness, near), near)[:, : incidence.items]
        self._left = MAX_ORDERING_STEPS // (10 * (len(incidence.item) + incidence.items * len(near)))
        self.ranked = [self._judge(())]
        """What was tried, the best first."""
        self._try([(n,) for n in range(len(self._keys))])

    def break_ties(self) -> None:
        """Refine the best orders found: sort items that are equal by one more key, then by another one."""
        for _ in range(2):
            orders = self.ranked[:REFINED_ORDERS]
            self._try([(*best.keys, n) for best in orders for n in range(len(self._keys))])

    def _try(self, candidates: Sequence[tuple[int, ...]]) -> None:
        """Judge orders while the allowed work lasts, and add them to `ranked`.

        candidates: tuples of the numbers of keys by which to sort.
        """
        self.ranked += map(self._judge, candidates[: max(self._left, 0)])
        self.ranked.sort()  # by cost
        self._left -= len(candidates)

    def _judge(self, keys: tuple[int, ...]) -> _Candidate:
        """Sort the items by keys and return the order with its cost.

        keys: the numbers of the keys, the most significant one first.
        """
        is_far = ~self.near[: self._incidence.items]
        # `lexsort` takes the most significant key last: first of all, far items come behind near ones.
        order = [int(item) for item in np.lexsort((*(self._keys[number] for number in reversed(keys)), is_far))]
        return _Candidate(self._incidence.cost(order, len(order) - int(is_far.sum())), order, keys)


def _sorting_keys(count: int, edges: set[tuple[int, int]], near: NDArray[np.bool_]) -> Matrix:
    """Return the keys by which items can be sorted, a row for each key and a column for each item.

    A key is a distance in the graph from one outer item, or the sum or difference of two. Items of one component stay
    together: each component is shifted by a number that is greater than all distances. There is no key without near
    items or edges. count: the number of items. edges: the edges of the graph. near: for each item, True if it is near.
    """
    adjacent = np.zeros((count, count), dtype=bool)
    for a, b in edges:
        adjacent[a, b] = adjacent[b, a] = True
    far_away = count + 1.0  # the distance of items in other components

    def distances(start: int) -> Matrix:
        """Return the distance of each item from one item in the graph, by a search breadth-first.

        An item that is not reached has the distance ``far_away``.
        """
        distance = np.full(count, far_away)
        reached = np.zeros(count, dtype=bool)
        reached[start] = True
        new, steps = reached.copy(), 0
        while new.any():
            distance[new] = steps
            new = adjacent[new].any(axis=0) & ~reached
            reached |= new
            steps += 1
        return distance

    component = np.full(count, -1)  # of each item, named by its least item; -1: none yet
    for item in range(count):
        if component[item] < 0:
            component[distances(item) < far_away] = item
    members = np.flatnonzero(near)
    if not len(members) or not edges:
        return np.zeros((0, count))
    # An item of the largest component, then the item farthest from it; each further one is farthest from all before.
    start = int(members[np.argmax(np.bincount(component[members])[component[members]])])
    inside = np.flatnonzero(component == component[start])
    start = int(inside[np.argmax(distances(start)[inside])])
    keys = [distances(start)]
    while len(keys) < min(OUTERMOST_ITEMS, len(inside)):
        nearest = np.min(keys, axis=0)  # the distance of each item from the nearest of the items so far
        keys.append(distances(int(inside[np.argmax(nearest[inside])])))
    for first, other in combinations([*keys], 2):
        keys += [first + other, first - other]
    # A key is less than 2 * far_away away from 0, so that components do not overlap.
    return np.array([key + component * (4 * far_away) for key in keys])
