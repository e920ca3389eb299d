"""Refutations of exact covers, written by the search itself: a tenth as long as those that a SAT solver finds.

The lowering translates an item into a tree: the options in groups of four, each group under a commander, commanders in
groups again. The numbers of its clauses are looked up by their literals.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from itertools import accumulate
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.base.errors import CheckError, Stopped
from solvers.cnf.gates import PAIRWISE
from solvers.cnf.lower import Lowering
from solvers.extras.evidence import refutation_kernel as lemmas
from solvers.extras.evidence.refutation_kernel import (
    ANSWER,
    DEPTH,
    DONE,
    FULL,
    MAX_UNUSED_LEMMAS,
    NEXT_ID,
    NO_ROUND,
    RETURNED,
    SOLUTION,
    UNEXPLAINED,
    ExclusionTable,
    Ints,
    ProofLevels,
    Trees,
)
from solvers.model.compiled import kernel_of
from solvers.model.cover_levels import Matrix
from solvers.model.cover_search import MAX_PAIR_WORDS, as_words
from solvers.model.exact_cover import ExactCover

MAX_EXCLUSION_ENTRIES = 100_000_000
"""The largest product of options and nodes; the tables of exclusions take seven bytes for each entry."""

BYTES_PER_WRITE = 1 << 22
"""The number of bytes after which the search yields its text."""


class _Planter:
    """Builds the trees of all items.

    A tree is the structure of the clauses that say that an item has at most one option. Nodes are options and
    commanders (see `Formula.at_most_one`); positions are places of nodes in trees. The lists have an entry for each
    position, group or item, as in `Trees`.
    """

    def __init__(self, cover: ExactCover, lowering: Lowering, clauses: Sequence[Sequence[int]]) -> None:
        """Build the trees of a cover.

        lowering: its translation into clauses. clauses: the clauses of the formula, in which numbers of clauses are
        looked up. The lists from `node` to `root` become the arrays of these names in `Trees`; `_plant` extends them. A
        slack option is the negation of a variable.
        """
        # Of a clause that occurs twice, the first counts.
        self.numbers = {frozenset(clause): number for number, clause in reversed(list(enumerate(clauses, 1)))}
        self._formula = lowering.formula
        # For each option, its items. Options are sorted by their items, so that those of an item are close together.
        covers: list[list[int]] = [[] for _ in range(cover.options)]
        for item, options in enumerate(cover.items):
            for option in options:
                covers[option].append(item)
        order = sorted(range(cover.options), key=lambda option: covers[option][::-1])
        self.place = {option: place for place, option in enumerate(order)}
        self.literal = [
            -lowering.boolean(cover.slack[option]) if option in cover.slack else lowering.boolean(option)
            for option in order
        ]
        self.covers = [covers[option] for option in order]
        self.options = len(order)
        self.node: list[int] = []
        self.tree: list[int] = []
        self.parent: list[int] = []
        self.group: list[int] = []
        self.below: list[int] = []
        self.up: list[int] = []
        self.down: list[int] = []
        self.apart: list[list[int]] = []
        self.groups: list[list[int]] = []
        self.clause: list[int] = []
        self.root: list[int] = []
        self._commanders: dict[int, int] = {}
        for tree, options in enumerate(cover.items):
            if any(option in cover.slack for option in options):  # a variable and its negation, which need no clause
                self.root.append(-1)
                self.clause.append(0)
            else:
                self.root.append(self._plant(tree, options))
                # At least one position of the root group is true: the clause that the item is covered.
                self.clause.append(self.numbers[frozenset(map(self._literal, self.groups[-1]))])
        for tree, options in enumerate(cover.optional, len(cover.items)):
            self._plant(tree, options)

    def _plant(self, tree: int, options: Sequence[int]) -> int:
        """Add the tree of an item over its options, level by level as the lowering does; return its root group.

        As long as a level has more than `PAIRWISE` + 1 positions, each `PAIRWISE` of them get a commander on the next
        level; a single one that is left over goes up as it is. tree: the number of the item. options: as the cover
        numbers them.
        """
        level = [self._new_position(tree, self.place[option]) for option in options]
        while len(level) > PAIRWISE + 1:
            level = [
                self._command(tree, level[start : start + PAIRWISE]) if start + 1 < len(level) else level[start]
                for start in range(0, len(level), PAIRWISE)
            ]
        return self._new_group(level)

    def _command(self, tree: int, children: Sequence[int]) -> int:
        """Add a commander over some positions of a tree; return the commander's position.

        The commander's literal is true iff one of the children is. A commander with the same children may be in several
        trees: then it is one node. tree: the number of the item.
        """
        literals = list(map(self._literal, children))
        literal = self._formula.disjunction(literals)
        if literal not in self._commanders:
            self._commanders[literal] = len(self.literal)
            self.literal.append(literal)
        position = self._new_position(tree, self._commanders[literal])
        self.below[position] = self._new_group(children)
        self.down[position] = self.numbers[frozenset((-literal, *literals))]
        for child in children:
            self.parent[child] = position
            self.up[child] = self.numbers[frozenset((literal, -self._literal(child)))]
        return position

    def _new_position(self, tree: int, node: int) -> int:
        """Add a position of a node to a tree, without neighbours (-1) and clauses (0) so far; return its number.

        Each list gets one more entry. tree: the number of the item.
        """
        self.node.append(node)
        self.tree.append(tree)
        for column in (self.parent, self.group, self.below):
            column.append(-1)
        for column in (self.up, self.down):
            column.append(0)
        self.apart.append([0] * (PAIRWISE + 1))
        return len(self.node) - 1

    def _new_group(self, members: Sequence[int]) -> int:
        """Make a group of positions of which at most one is true; return its number.

        For each two members, the clause that not both are true is looked up: entry ``apart[member][place]`` is for the
        member of the group at that place.
        """
        for member in members:
            self.group[member] = len(self.groups)
            for place, other in enumerate(members):
                if member != other:
                    # The clause that the two are not both true.
                    self.apart[member][place] = self.numbers[frozenset((-self._literal(member), -self._literal(other)))]
        self.groups.append(list(members))
        return len(self.groups) - 1

    def _literal(self, position: int) -> int:
        """Return the formula's literal of the node that is at a position of a tree."""
        return self.literal[self.node[position]]


class _Known:
    """The tables that are known before the search: numbers of clauses, trees, and exclusions of options."""

    def __init__(self, cover: ExactCover, lowering: Lowering, clauses: Sequence[Sequence[int]], stop: Event) -> None:
        """Build the tables; find exclusions in rounds until there are no more.

        Two options exclude each other in round 0 if they share an item or are an exclusion of the cover, in a later
        round if choosing both leaves an item without options, by exclusions of earlier rounds. An option that excludes
        itself cannot be chosen. A commander is excluded once all its children are.

        lowering: the cover's translation into clauses. clauses: the clauses of the formula. Raises `Stopped` once
        ``stop`` is set.
        """
        planter = _Planter(cover, lowering, clauses)
        options, nodes = planter.options, len(planter.literal)
        self.numbers, self.literal = planter.numbers, planter.literal
        self.trees = _trees(planter, len(clauses))
        together = np.ones((options, options), dtype=np.uint8)
        np.fill_diagonal(together, 0)
        for item in [*cover.items, *cover.optional, *cover.exclusions]:
            places = [planter.place[option] for option in item]
            together[np.ix_(places, places)] = 0
        # For each option, the options that can be chosen together with it: the complement of the exclusions.
        self.matrix = _matrix(planter, as_words(together))
        rounds = np.full((options, nodes), NO_ROUND, dtype=np.uint8)
        rounds[:, :options][together == 0] = 0
        np.fill_diagonal(rounds, NO_ROUND)
        lemma = np.zeros((options, nodes), dtype=np.int32)
        for pair in cover.exclusions:
            first, second = map(planter.place.__getitem__, pair)
            clause = frozenset((-self.literal[first], -self.literal[second]))
            lemma[first, second] = lemma[second, first] = self.numbers[clause]
        why = np.zeros((options, options), dtype=np.int16)
        self.exclusions = ExclusionTable(rounds, why, lemma, np.zeros(self.matrix.keep.shape[1], dtype=np.uint64))
        exclude, _ = kernel()
        if self.matrix.keep.size * len(cover.items) <= MAX_PAIR_WORDS:
            # `exclude` removes what it finds from the copy, and returns how many it has found.
            for number in range(1, NO_ROUND):
                if stop.is_set():
                    raise Stopped
                new_keep = self.matrix.keep.copy()
                if not exclude(self.matrix, new_keep, self.exclusions, number):
                    break
                self.matrix = self.matrix._replace(keep=new_keep)
        rounds_alone = np.diagonal(rounds)
        self.exclusions.alive[:] = as_words((rounds_alone == NO_ROUND).astype(np.uint8)[None])[0]
        for node in range(options, nodes):
            position = planter.node.index(node)
            # A commander has the same children wherever it is.
            children = [planter.node[member] for member in planter.groups[planter.below[position]]]
            round_of_node = np.zeros(options, dtype=np.uint8)
            for child in children:
                child_round = rounds[:, child]
                if child < options:
                    child_round = np.minimum(child_round, rounds_alone[child])
                round_of_node = np.maximum(round_of_node, child_round)
            rounds[:, node] = round_of_node


def _ints(values: Any) -> Ints:
    """Return numbers as an array of int32."""
    return np.array(values, dtype=np.int32)


def _matrix(planter: _Planter, keep: NDArray[np.uint64]) -> Matrix:
    """Return the matrix of items and options for the search.

    planter: has the trees of the items. keep: for each option, a row of bits: the options that can be chosen together
    with it. The span of an item is the range of 64-bit words that have its options.
    """
    incidence = np.zeros((len(planter.clause), planter.options), dtype=np.uint8)
    for option, items in enumerate(planter.covers):
        incidence[items, option] = 1
    first = incidence.argmax(axis=1) // 64
    last = (planter.options - 1 - incidence[:, ::-1].argmax(axis=1)) // 64
    none = np.zeros((0, keep.shape[1]), dtype=np.uint64)  # `is_refutable` lets no items pass that are counted
    span = _ints(np.stack([first, last + 1], axis=1))
    return Matrix(as_words(incidence), span, keep, counted=none, bounds=np.zeros((0, 2), dtype=np.int64))


def _trees(planter: _Planter, given: int) -> Trees:
    """Return the planter's lists as arrays; given: the number of clauses of the formula.

    Lists of lists become one array with all entries, and one that says where each list begins.
    """

    def ends(lists: Sequence[Sequence[int]]) -> Ints:
        """Return where each list begins if all are joined, and the end."""
        return _ints([*accumulate(map(len, lists), initial=0)])

    places: list[list[int]] = [[] for _ in planter.literal]
    for position, node in enumerate(planter.node):
        places[node].append(position)
    return Trees(
        given=given,
        literal=_ints(planter.literal),
        first_place=ends(places),
        places=_ints([position for of_node in places for position in of_node]),
        clause=_ints(planter.clause),
        root=_ints(planter.root),
        node=_ints(planter.node),
        tree=_ints(planter.tree),
        parent=_ints(planter.parent),
        group=_ints(planter.group),
        below=_ints(planter.below),
        up=_ints(planter.up),
        down=_ints(planter.down),
        apart=_ints(planter.apart).reshape(-1, PAIRWISE + 1),  # also where there is no position
        first_member=ends(planter.groups),
        members=_ints([position for group in planter.groups for position in group]),
    )


def is_refutable(cover: ExactCover, key: Collection[int]) -> bool:
    """Tell whether `refute_cover` can refute this cover; key: the variables of the puzzle's key.

    All variables have to be in the key, none may be fixed beforehand, no item may be counted or read from several
    clauses, and the tables must not be too large (about one commander for each three options is expected).
    """
    commanders = sum(map(len, [*cover.items, *cover.optional])) // (PAIRWISE - 1)
    is_small = cover.options * (cover.options + commanders) <= MAX_EXCLUSION_ENTRIES
    is_key = set(key) == set(range(cover.variables))
    return (
        is_small
        and is_key
        and bool(cover.items)
        and not (cover.fixed or cover.counts or cover.contradictory or cover.joins_clauses)
    )


def refute_cover(
    cover: ExactCover, lowering: Lowering, clauses: Sequence[Sequence[int]], stop: Event
) -> Iterator[bytes]:
    """Yield the text of an LRAT refutation of the clauses of a cover, part by part.

    The compiled search stops whenever it has written enough or meets a solution. There, the clause that excludes the
    solution is the reason to turn back: it becomes the answer of the node, which needs the whole path. lowering: the
    cover's translation. clauses: the clauses of the translation, and clauses that exclude all solutions.

    Raises `CheckError` if there is another solution, `Stopped` once ``stop`` is set.
    """
    known = _Known(cover, lowering, clauses, stop)
    levels = _first_level(known, max(map(len, cover.items)))
    counters = levels.counters
    text = np.zeros(2 * BYTES_PER_WRITE, dtype=np.uint8)
    _, search = kernel()
    reason = FULL
    while reason != DONE:
        if stop.is_set():
            raise Stopped
        reason, text, end = search(known.matrix, known.trees, known.exclusions, levels, text, BYTES_PER_WRITE)
        yield text[:end].tobytes()
        if reason == UNEXPLAINED:
            raise CheckError("the search for exact covers cannot say why it turned back")
        if reason == SOLUTION:
            depth = int(counters[DEPTH])
            exclusion = frozenset(-known.literal[option] for option in levels.path[:depth])
            if exclusion not in known.numbers:
                raise CheckError("the formula that excludes all solutions found so far still has a solution")
            counters[ANSWER] = known.numbers[exclusion]
            counters[RETURNED] = 1
            levels.used[-1, :depth] = 1
            counters[DEPTH] = depth - 1


def _first_level(known: _Known, widest: int) -> ProofLevels:
    """Return the state of a search before its first node, with room for as many levels as there are items, and one.

    known: the tables of the search. widest: the most options that an item has.
    """
    items, words = known.matrix.rows.shape
    level_count = items + 1
    available, branches, untried = (np.zeros((level_count, words), dtype=np.uint64) for _ in range(3))
    available[0] = known.exclusions.alive
    levels = ProofLevels(
        available=available,
        branches=branches,
        untried=untried,
        item=np.zeros(level_count, dtype=np.int64),
        open_items=np.zeros((level_count, items), dtype=np.int32),
        open_count=np.zeros(level_count, dtype=np.int64),
        path=np.zeros(level_count, dtype=np.int64),
        used=np.zeros((level_count + 1, level_count), dtype=np.uint8),
        refuting=np.zeros((level_count, widest), dtype=np.int64),
        refuting_count=np.zeros(level_count, dtype=np.int64),
        garbage=np.zeros(MAX_UNUSED_LEMMAS + (level_count + 1) * widest, dtype=np.int64),
        counters=np.zeros(5, dtype=np.int64),
    )
    levels.open_items[0] = range(items)
    levels.open_count[0] = items
    levels.counters[NEXT_ID] = known.trees.given + 1
    return levels


@cache
def kernel() -> tuple[Callable[..., int], Callable[..., Any]]:
    """Return the compiled functions (exclude, search).

    They are compiled at the first use after installing.
    """
    return kernel_of(lemmas.compile_kernel)
