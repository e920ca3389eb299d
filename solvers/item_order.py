"""An order of a cover's items in which few of them are half decided at a time: what a frontier count goes along.

Items that share many options lie close to each other. From that a sparse graph is read off in which every option is
connected; on a board its edges join the cells that share a side, though nothing here knows of cells. The candidates
sort the items by distances in that graph from its outermost ones, by sums and differences of two such distances, and
by eigenvectors of its Laplacian (M. Fiedler, Czechoslovak Mathematical Journal 25, 1975).
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

OUTERMOST = 10
"""How many items distances are taken from."""

EIGENVECTORS = 4

MOST_WORK = 400_000_000
"""The largest product of candidates and what it takes to judge one, in steps; about a second."""

Matrix = NDArray[np.float64]


class Incidence:
    """Which options cover which items; items that need not be covered come behind those that have to be."""

    def __init__(self, covers: Sequence[Sequence[int]], items: int, optional: int) -> None:
        self.items = items
        self.optional = optional
        self.options = len(covers)
        self.option = np.repeat(np.arange(len(covers)), [len(row) for row in covers])
        self.item = np.array([item for row in covers for item in row], dtype=np.int64)
        self.matrix = np.zeros((items + optional, len(covers)), dtype=np.float32)
        self.matrix[self.item, self.option] = 1
        mandatory = [[item for item in row if item < items] for row in covers]
        longest = max(map(len, mandatory), default=0)
        self._rows = np.array([row + [items] * (longest - len(row)) for row in mandatory], dtype=np.int64)
        self._rows = self._rows.reshape(len(covers), longest)

    def likeness(self) -> Matrix:
        """Of each two items, how many options cover both, as a share of those that cover one or the other."""
        both = (self.matrix @ self.matrix.T).astype(float)
        each = np.diag(both)
        either = each[:, None] + each[None, :] - both
        shares = np.divide(both, either, out=np.zeros_like(both), where=either > 0)
        np.fill_diagonal(shares, 0)
        result: Matrix = shares
        return result

    def widths(self, position: NDArray[np.int64]) -> Matrix:
        """How many bits of the items are undecided behind each place of an order, for options that are all alike.

        position: the place of each item that has to be covered. An option is decided at the first of its items; an
        item of whose options a share q is decided counts as the entropy of q.
        """
        if not self.items:
            return np.zeros(0)
        first = np.append(position, self.items)[self._rows].min(axis=1, initial=self.items)
        cells = self.item * self.items + first[self.option]
        decided = np.bincount(cells, minlength=(self.items + self.optional) * self.items)
        share = decided.reshape(-1, self.items).cumsum(axis=1) / self.matrix.sum(axis=1)[:, None]
        share = share[(share > 0).any(axis=1)].clip(1e-300, 1)
        entropy = -share * np.log2(share) - (1 - share) * np.log2((1 - share).clip(1e-300, 1))
        widths: Matrix = entropy.sum(axis=0)
        return widths

    def cost(self, order: Sequence[int]) -> float:
        """The binary logarithm of the number of states that go with the widths."""
        widths = self.widths(np.argsort(order))
        return float(widths.max() + np.log2(np.exp2(widths - widths.max()).sum()))


def links(incidence: Incidence, likeness: Matrix, chosen: NDArray[np.bool_]) -> set[tuple[int, int]]:
    """Pairs of chosen items, as few as seem needed, by which the chosen items of each option hang together.

    The edges of a maximum spanning tree of each option (R. Prim, Bell System Technical Journal 36, 1957).
    """
    pairs: set[tuple[int, int]] = set()
    keep = chosen[incidence.item]
    items, options = incidence.item[keep], incidence.option[keep]
    size = np.bincount(options, minlength=incidence.options)
    for count in set(size.tolist()) - {0, 1}:
        rows = items[np.isin(options, np.flatnonzero(size == count))].reshape(-1, count)
        for start in range(0, len(rows), 1000):
            pairs |= _tree_edges(rows[start : start + 1000], likeness)
    return _without_detours(pairs, items, options, likeness)


def _without_detours(
    pairs: set[tuple[int, int]], items: NDArray[np.int64], options: NDArray[np.int64], likeness: Matrix
) -> set[tuple[int, int]]:
    """The pairs without those that no option needs, given the others; the least alike are the first to go."""
    adjacent: dict[int, set[int]] = {}
    for a, b in pairs:
        adjacent.setdefault(a, set()).add(b)
        adjacent.setdefault(b, set()).add(a)
    option_items: dict[int, set[int]] = {}
    item_options: dict[int, set[int]] = {}
    for item, option in zip(items.tolist(), options.tolist(), strict=True):
        option_items.setdefault(option, set()).add(item)
        item_options.setdefault(item, set()).add(option)

    def hangs_together(members: set[int]) -> bool:
        new = {next(iter(members))}
        left = members - new
        while new:
            new = set().union(*(adjacent[item] for item in new)) & left
            left -= new
        return not left

    for a, b in sorted(pairs, key=lambda pair: (likeness[pair], pair)):
        if adjacent[a] & adjacent[b]:
            adjacent[a].remove(b)
            adjacent[b].remove(a)
            if not all(hangs_together(option_items[o]) for o in item_options[a] & item_options[b]):
                adjacent[a].add(b)
                adjacent[b].add(a)
    return {(a, b) for a in adjacent for b in adjacent[a] if a < b}


def _tree_edges(rows: NDArray[np.int64], likeness: Matrix) -> set[tuple[int, int]]:
    number = np.arange(len(rows))
    weight = likeness[rows[:, :1], rows]
    parent = np.zeros(rows.shape, dtype=np.int64)
    weight[:, 0] = -1
    inside = np.zeros(rows.shape, dtype=bool)
    inside[:, 0] = True
    pairs: set[tuple[int, int]] = set()
    for _ in range(rows.shape[1] - 1):
        nearest = np.where(inside, -1, weight).argmax(axis=1)
        inside[number, nearest] = True
        ends = np.sort(np.stack([rows[number, parent[number, nearest]], rows[number, nearest]], axis=1), axis=1)
        pairs |= set(map(tuple, np.unique(ends, axis=0).tolist()))
        closer = likeness[rows[number, nearest][:, None], rows]
        better = (closer > weight) & ~inside
        weight = np.where(better, closer, weight)
        parent = np.where(better, nearest[:, None], parent)
    return pairs


def item_order(incidence: Incidence) -> tuple[list[int], int]:
    """The items that have to be covered in the best order that was found, and how many of them are near.

    The others, the far ones, come last. They share few options with any other item, like a piece that can lie
    anywhere on a board, so that the order of what is near is not theirs to say.
    """
    if not incidence.items:
        return [], 0
    likeness = incidence.likeness()
    best = []
    for far in _far_sets(likeness.max(axis=1, initial=0)[: incidence.items]):
        near = np.ones(len(likeness), dtype=bool)
        near[far] = False
        cost, order = _best_order(incidence, likeness, near)
        best.append((cost, order, incidence.items - len(far)))
    _, order, near_items = min(best)
    return order, near_items


def _far_sets(closest: Matrix) -> list[list[int]]:
    """None, and the items that come before the widest gap in how alike an item is to the one most like it."""
    rank = np.argsort(closest, kind="stable")
    gaps = np.diff(closest[rank])
    if not len(gaps) or not gaps.max() > 0:
        return [[]]
    return [[], sorted(rank[: int(np.argmax(gaps)) + 1].tolist())]


def _best_order(incidence: Incidence, likeness: Matrix, near: NDArray[np.bool_]) -> tuple[float, list[int]]:
    """The best of the orders by one key of the items, and by the best of these with ties broken by more keys."""
    keys = _keys(len(near), links(incidence, likeness, near), near)[:, : incidence.items]
    last = (~near)[: incidence.items]
    steps = 10 * (len(incidence.item) + incidence.items * len(near))

    def judged(chosen: tuple[int, ...]) -> tuple[float, list[int], tuple[int, ...]]:
        order = [int(item) for item in np.lexsort((*(keys[n] for n in reversed(chosen)), last))]
        return incidence.cost(order), order, chosen

    ranked = [judged(())]
    level: list[tuple[int, ...]] = [(n,) for n in range(len(keys))]
    for _ in range(3):
        ranked += map(judged, level[: max(MOST_WORK // steps - len(ranked), 0)])
        ranked.sort()
        known = {chosen for _, _, chosen in ranked}
        level = [(*chosen, n) for _, _, chosen in ranked[:3] for n in range(len(keys))]
        level = [chosen for chosen in level if len(set(chosen)) == len(chosen) and chosen not in known]
    cost, order, _ = ranked[0]
    return cost, order


def _keys(count: int, edges: set[tuple[int, int]], near: NDArray[np.bool_]) -> Matrix:
    """By what the items could be sorted, one row for each way; component by component of the graph."""
    adjacent = np.zeros((count, count), dtype=bool)
    for a, b in edges:
        adjacent[a, b] = adjacent[b, a] = True
    component = _components(adjacent)
    far_away = count + 1.0

    def distances(start: int) -> Matrix:
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

    keys: list[Matrix] = []
    members = np.flatnonzero(near)
    if len(members) and edges:
        start = int(members[np.argmax(np.bincount(component[members])[component[members]])])
        inside = np.flatnonzero(component == component[start])
        start = int(inside[np.argmax(distances(start)[inside])])
        found = [distances(start)]
        while len(found) < min(OUTERMOST, len(inside)):
            nearest = np.min(found, axis=0)
            found.append(distances(int(inside[np.argmax(nearest[inside])])))
        keys += found
        for one, other in combinations(found, 2):
            keys += [one + other, one - other]
        laplacian = np.diag(adjacent.sum(axis=1).astype(float)) - adjacent
        _, vectors = np.linalg.eigh(laplacian[np.ix_(inside, inside)])
        for vector in vectors.T[1 : 1 + EIGENVECTORS]:
            key = np.zeros(count)
            key[inside] = np.round(vector * np.sign(vector[np.argmax(np.abs(vector) > 1e-6)]), 6)
            keys.append(key)
    spread = [key + component * (4 * far_away) for key in keys]
    return np.array(spread) if spread else np.zeros((0, count))


def _components(adjacent: NDArray[np.bool_]) -> NDArray[np.int64]:
    component = np.full(len(adjacent), -1)
    for start in range(len(adjacent)):
        new = np.zeros(len(adjacent), dtype=bool)
        new[start] = component[start] < 0
        while new.any():
            component[new] = start
            new = adjacent[new].any(axis=0) & (component < 0)
    return component
