"""The exact-cover backend: fewest-options branching with unit propagation on bitsets, in compiled code.

Items are the constraints that exactly one (or at most one) of some variables be true, options are those variables. The
search picks the open item with the fewest options left, tries each of them, and takes an item's only option at once.

The stages are, in this order: `exact_cover` reads the model's items and options; `CoverTables` holds them as bitsets;
`first_level` is the state before the first node; `kernel` searches some nodes at a time; and `leaves` yields the nodes
where the search turned back: solutions, and nodes with so few options left that another backend takes over.

Before the search, every two options that together leave some item without any are made to exclude each other, again and
again while that finds many. On the 6x10 pentominoes it takes 0.3 s and leaves 213 k nodes of 806 k. A search of few
nodes, as a first pass over it tells, goes without that, and is over then.

References
----------
S. Golomb, L. Baumert, "Backtrack programming", Journal of the ACM 12 (1965), doi:10.1145/321296.321300 (to branch
where the choices are fewest)

D. Knuth, "The Art of Computer Programming", volume 4B, section 7.2.2.1, 2022
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from enum import IntEnum
from fractions import Fraction
from functools import cache
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvers.base.errors import InputError, Stopped
from solvers.base.tuning import TUNING
from solvers.model.compiled import Native, Recipe, native
from solvers.model.cover_levels import DEPTH, NODES, Leaves, Levels, Matrix
from solvers.model.exact_cover import MAX_OPTIONS, ExactCover
from solvers.model.reading import negation

MAX_PAIR_WORDS = 500_000_000
"""The largest product of items and words of that table for which pairs are looked for; about a second, or,
again and again for a proof, some."""

MAX_REASONS = 8_000_000
"""The most pairs of options that are taken out with a reason each; so many reasons take 96 MB."""

NODES_PER_SLICE = 200_000
"""Nodes between two looks at whether to stop; about a tenth of a second."""

SOLUTIONS_PER_BATCH = 256
"""Solutions that are handed over at a time."""


MAX_KEPT_VALUES = 50_000_000
"""The most values, a byte each, that are kept of a search that may be short."""


class Outcome(IntEnum):
    """The reason why the search turned back at a leaf."""

    REFUTED = 0
    SOLUTION = 1
    CUBE = 2
    """At most ``small`` options were left, so that the rest of the branch becomes a cube."""


class Leaf(NamedTuple):
    """A leaf of the search tree."""

    cube: tuple[int, ...]
    """The options that were chosen, as literals of the model."""

    weight: Fraction
    """Its share of the space, by the branches on its path (D. Knuth, Mathematics of Computation 29, 1975)."""

    outcome: Outcome
    nodes: int = 0
    """The number of nodes that were searched since the last report; only leaves of weight 0 report it."""


def leaves(tables: CoverTables, stop: threading.Event, cube: Sequence[int] = (), small: int = -1) -> Iterator[Leaf]:
    """Yield the leaves of the search in a cube: solutions and smaller cubes.

    At most ``small`` options are left in a smaller cube. The search does not go on below a smaller cube. The solutions
    and the smaller cubes are disjoint; together they hold all solutions in the cube. With ``small`` of at least 0,
    refuted leaves are yielded too, and all weights add up to 1. After each slice of the search, a leaf of weight 0
    reports how many nodes it had.

    tables: the tables of the cover. cube: literals of the model that have to hold. Raises `Stopped` once the event is
    set.
    """
    levels = first_level(tables, cube)  # the state of the search
    if levels.counters[DEPTH] < 0:  # the cube's options exclude each other
        yield Leaf((), Fraction(1), Outcome.REFUTED)
    for leaves_found, nodes in _leaf_slices(tables, levels, stop, small):
        # A row is the kind, the number of chosen options, and their places; widths are the number of nodes above, and
        # the number of branches of each.
        for row, widths in zip(leaves_found.rows.tolist(), leaves_found.widths.tolist(), strict=True):
            chosen = tuple(tables.literals[place] for place in row[2 : row[1] + 2])
            yield Leaf(chosen, Fraction(1, prod(widths[1 : widths[0] + 1])), Outcome(row[0]))
        yield Leaf((), Fraction(0), Outcome.REFUTED, nodes)


class SearchedSlice(NamedTuple):
    """Some nodes of a search."""

    solutions: NDArray[np.int8]
    """The solutions at these nodes: the values of all variables, 0 and 1, in proto order, a row for each."""
    nodes: int
    """The number of nodes."""


def solutions(tables: CoverTables, stop: threading.Event, cube: Sequence[int] = ()) -> Iterator[SearchedSlice]:
    """Yield all solutions in a cube, some at a time, with the number of nodes that their search took.

    tables: the tables of the cover. cube: literals of the model that have to hold. Raises `Stopped` once the event is
    set.
    """
    for leaves_found, nodes in _leaf_slices(tables, first_level(tables, cube), stop, small=-1):
        yield SearchedSlice(tables.read(leaves_found.rows), nodes)


def _leaf_slices(
    tables: CoverTables, levels: Levels, stop: threading.Event, small: int
) -> Iterator[tuple[Leaves, int]]:
    """Yield (leaves, number of nodes) for some nodes at a time; the leaves' arrays are used again for the next ones.

    levels: the state of the search, which goes on until it ends. small: the search turns back where at most so many
    options are left; -1 for never. Raises `Stopped` once the event is set.
    """
    advance, _ = kernel()  # the compiled search
    room = _leaf_buffers(tables, SOLUTIONS_PER_BATCH)
    nodes_before = int(levels.counters[NODES])
    while levels.counters[DEPTH] >= 0:
        if stop.is_set():
            raise Stopped
        count = advance(tables.matrix, levels, room, NODES_PER_SLICE, small)
        nodes = int(levels.counters[NODES])
        yield Leaves(room.rows[:count], room.widths[:count]), nodes - nodes_before
        nodes_before = nodes


class CoverTables:
    """The tables that the search reads.

    They say which options cover each item, and which options can be chosen together. Options that are in no solution
    are left out. Options that cover the same items stand side by side, so that an item's options fill few words.
    """

    def __init__(self, cover: ExactCover, seed: int, are_paired: bool | None = None) -> None:
        """Make the tables of a cover; raise `InputError` if it has more than `MAX_OPTIONS` options.

        seed: shuffles the items, and so the order of the search; 0 keeps the order of the cover. are_paired: whether to
        look for pairs of options that together leave an item without options, and exclude them; None to try a short
        search first: if it ends within `Tuning.plain_nodes` nodes, its solutions are kept, and no pairs are looked for.
        """
        if cover.options > MAX_OPTIONS:
            raise InputError(
                f"the model has {cover.options} options, cover takes {MAX_OPTIONS}; choose another backend"
            )
        order = np.arange(len(cover.items))
        if seed:
            np.random.default_rng(seed).shuffle(order)
        items = [cover.items[n] for n in order.tolist()]
        covers: list[list[int]] = [[] for _ in range(cover.options)]  # for each option, the items that it covers
        for number, item in enumerate(items):
            for option in item:
                covers[option].append(number)
        dead = {option for option, chosen in cover.fixed.items() if not chosen}
        # In this order, the options that cover the same items stand side by side.
        options = sorted(set(range(cover.options)) - dead, key=lambda option: covers[option][::-1])

        self.variables = cover.variables
        self.slack = cover.slack
        self.contradictory = cover.contradictory
        self._counts = cover.counts
        self.forced = [option for option, chosen in cover.fixed.items() if chosen]
        self._set_tables(options, covers, len(items), are_together(cover, options))
        self._reasons = np.zeros((0, 3), np.int64)
        self.searched: SearchedSlice | None = None
        """The whole search, if it was over within `Tuning.plain_nodes` nodes; None if that was not tried."""
        if are_paired is None:
            self.searched = _search_within(self, TUNING.plain_nodes)
            are_paired = self.searched is None
        if are_paired and self.keep.size * len(items) <= MAX_PAIR_WORDS:
            reasons = _exclude_pairs(self.matrix)
            # Places of options and items become numbers of the cover: items are looked up behind all options.
            self._reasons = np.array([*options, *order])[reasons + np.array([0, 0, len(options)])]
            # The tables are made again, without options that by themselves leave an item without options.
            places = np.flatnonzero(~_is_dead_end(self.rows, self.keep, self.items))
            together = _bits(self.keep, len(options))[np.ix_(places, places)]
            self._set_tables([options[place] for place in places], covers, len(items), together)

    def _set_tables(self, options: list[int], covers: list[list[int]], items: int, together: NDArray[np.uint8]) -> None:
        """Set the tables for these options, in this order.

        Sets of options are rows of 64-bit words: the option at place p of ``options`` is bit p % 64 of word p // 64.
        covers: for each option of the model, the numbers of the items that it covers. items: the number of items.
        together: a matrix with a 1 for each two of the options that can be chosen together.
        """
        self.options = options
        """The options' numbers in the model, by place in the tables."""
        self.place = {option: place for place, option in enumerate(options)}
        self.literals = [-self.slack[option] - 1 if option in self.slack else option for option in options]
        self._literals = np.array(self.literals, np.int64)
        self._number = {literal: place for place, literal in enumerate(self.literals)}
        width = max((len(covers[option]) for option in options), default=0)
        self.items = np.full((len(options), width), -1, dtype=np.int32)  # a row for each option, filled up with -1
        incidence = np.zeros((items, len(options)), dtype=np.uint8)  # 1 where an item (row) has an option (column)
        for place, option in enumerate(options):
            self.items[place, : len(covers[option])] = covers[option]
            incidence[covers[option], place] = 1
        self.rows = as_words(incidence)
        self.keep = as_words(together)
        counted = np.zeros((len(self._counts), len(options)), dtype=np.uint8)
        for row, count in zip(counted, self._counts, strict=True):
            row[[self.place[option] for option in count.options if option in self.place]] = 1
        self.counted = as_words(counted)
        self.bounds = np.array([(count.low, count.high) for count in self._counts], dtype=np.int64).reshape(-1, 2)
        # For each item, the words from that with its first option up to that with its last one.
        first = (incidence.argmax(axis=1) if options else np.zeros(items, dtype=int)) // 64
        last = (len(options) - 1 - incidence[:, ::-1].argmax(axis=1) if options else first) // 64
        self.span = np.stack([first, last + incidence.any(axis=1)], axis=1).astype(np.int32)

    @property
    def matrix(self) -> Matrix:
        """The part of these tables that the compiled functions read."""
        return Matrix(self.rows, self.span, self.keep, self.counted, self.bounds)

    def take_claims(self) -> tuple[list[int], NDArray[np.bool_], NDArray[np.int64]]:
        """Return (options, together, reasons), by which other code can verify what these tables leave out.

        The tables forget the reasons, to save memory. options: the numbers of the options that are left. together: a
        matrix that says which two of them can be chosen together. reasons: a row (option, option, item) for each
        derived pair says that its options leave this item of the cover without any option, once the pairs of the rows
        before are taken out; numbers are the cover's.
        """
        reasons, self._reasons = self._reasons, np.zeros((0, 3), np.int64)
        return self.options, _bits(self.keep, len(self.options)).view(np.bool_), reasons

    def exclusions(self, cover: ExactCover) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return (stated, derived): the pairs of options that are not chosen together, as rows of two literals.

        A stated pair shares an item, or the cover says that its options exclude each other; the others were derived.
        cover: the cover of which these tables were made.
        """
        literals = np.array(self.literals, np.int64)
        stated_pairs = np.triu(are_together(cover, self.options) == 0, 1)
        derived = np.triu(_bits(self.keep, len(self.options)) == 0, 1) & ~stated_pairs
        return literals[np.argwhere(stated_pairs)], literals[np.argwhere(derived)]

    def dead_options(self, cover: ExactCover) -> list[int]:
        """Return the options that were found to be in no solution, as literals of the model.

        Options that the cover itself says not to be chosen are left out. The literal of a slack option is the negation
        of its variable. cover: the cover of which these tables were made.
        """
        alive_or_excluded = {*self.options, *(option for option, chosen in cover.fixed.items() if not chosen)}
        return [
            negation(cover.slack[option]) if option in cover.slack else option
            for option in range(cover.options)
            if option not in alive_or_excluded
        ]

    def values(self, chosen: Sequence[int]) -> NDArray[np.int8]:
        """Return the values of all variables where exactly these options are chosen.

        The values are 0 and 1, in proto order. chosen: the options, as literals of the model; a negative literal, that
        of a slack option, leaves its variable 0.
        """
        values = np.zeros(self.variables, dtype=np.int8)
        values[[literal for literal in chosen if literal >= 0]] = 1
        return values

    def read(self, leaves: NDArray[np.int32]) -> NDArray[np.int8]:
        """Return the values of all variables in several solutions, 0 and 1, in proto order, a row for each.

        leaves: a row for each solution: its kind, the number of chosen options, and their places (`Leaves.rows`).
        """
        values = np.zeros((len(leaves), self.variables), dtype=np.int8)
        places, lengths = leaves[:, 2:], leaves[:, 1]
        is_chosen = np.arange(places.shape[1]) < lengths[:, np.newaxis]
        row = np.repeat(np.arange(len(leaves)), lengths)
        chosen = self._literals[places[is_chosen]]
        is_variable = chosen >= 0
        values[row[is_variable], chosen[is_variable]] = 1
        return values

    def left(self, cube: Sequence[int]) -> int:
        """Return the number of options that can still be chosen in a cube, given by its literals."""
        return int(np.bitwise_count(first_level(self, cube).available[0]).sum())

    def options_excluded_by(self, cube: Sequence[int]) -> ExcludedOptions:
        """Return the options that the negative literals of a cube exclude.

        A negative literal -i - 1 excludes option i. But if the variable i has a slack option, the literal chooses that
        one, and excludes nothing here. An option that is not in the tables is excluded already.
        """
        places = [
            self.place[-literal - 1]
            for literal in cube
            if literal < 0 and literal not in self._number and -literal - 1 in self.place
        ]
        bits = np.zeros((1, len(self.options)), dtype=np.uint8)
        bits[0, places] = 1
        return ExcludedOptions(self, as_words(bits)[0])

    def still_open(self, chosen: Sequence[int]) -> NDArray[np.uint64]:
        """Return the options that can be chosen together with some chosen ones, as 64-bit words: a bit for each place.

        chosen: the options, as literals of the model.
        """
        places = [self._number[literal] for literal in chosen]
        # Of a counted item that has as many options as it may have, no other option can be chosen.
        full = self.counted[self._used(places) == self.bounds[:, 1]]
        words: NDArray[np.uint64] = np.bitwise_and.reduce(self.keep[places]) & ~np.bitwise_or.reduce(full)
        return words

    def _used(self, places: Sequence[int]) -> NDArray[np.int64]:
        """Return, for each counted item, how many of the options at these places cover it."""
        used: NDArray[np.int64] = _bits(self.counted, len(self.options))[:, places].sum(axis=1, dtype=np.int64)
        return used


class ExcludedOptions(NamedTuple):
    """The options that a cube excludes by its negative literals; none of them is a slack option."""

    tables: CoverTables
    """The tables whose options the bits of ``words`` represent."""
    words: NDArray[np.uint64]
    """A bit for each option: 1 if the cube excludes it."""

    def negative_literals(self, chosen: Sequence[int]) -> list[int]:
        """Return the negative literals of the excluded options, without those that the chosen options exclude anyway.

        The number of an option that is no slack option is the index of its variable, whose negation is -option - 1.
        chosen: the chosen options, as literals of the model.
        """
        if not self.words.any():
            return []
        words = self.words & self.tables.still_open(chosen)
        places = np.flatnonzero(_bits(words, len(self.tables.options))).tolist()
        return [-self.tables.options[place] - 1 for place in places]


def _bits(words: NDArray[np.uint64], count: int) -> NDArray[np.uint8]:
    """Return the bits of 64-bit words along the last axis, the lowest bit of a word first.

    count: how many bits there are.
    """
    return np.unpackbits(words.view(np.uint8), axis=-1, count=count, bitorder="little")


def are_together(cover: ExactCover, options: list[int]) -> NDArray[np.uint8]:
    """Return a matrix with a 1 for each two options that can be chosen together.

    Two options can be chosen together unless they cover a common item or exclude each other. Its rows and columns are
    in the order of ``options``, numbers of options; entries of an option with itself are 0. Options of the cover that
    are not among them are left out.
    """
    place = {option: place for place, option in enumerate(options)}
    together = np.ones((len(options), len(options)), dtype=np.uint8)
    np.fill_diagonal(together, 0)
    for item in [*cover.items, *cover.optional]:
        places = [place[option] for option in item if option in place]
        together[np.ix_(places, places)] = 0
    pairs = [(place[a], place[b]) for a, b in cover.exclusions if a in place and b in place]
    first, second = np.array(pairs, np.int64).reshape(-1, 2).T
    together[first, second] = together[second, first] = 0
    return together


def _search_within(tables: CoverTables, most: int) -> SearchedSlice | None:
    """Return all solutions if the whole search by these tables ends within ``most`` nodes; otherwise None.

    The result is also None if the solutions would take more than `MAX_KEPT_VALUES` bytes.
    """
    advance, _ = kernel()  # the compiled search
    levels, room = first_level(tables, ()), _leaf_buffers(tables, SOLUTIONS_PER_BATCH)  # its state; space for leaves
    batches = [np.zeros((0, tables.variables), np.int8)]
    kept_values, nodes = 0, 0
    while levels.counters[DEPTH] >= 0 and nodes < most and kept_values <= MAX_KEPT_VALUES:  # depth -1: at its end
        count = advance(tables.matrix, levels, room, most - nodes, -1)
        batches.append(tables.read(room.rows[:count]))
        kept_values += batches[-1].size
        nodes = int(levels.counters[NODES])
    return SearchedSlice(np.concatenate(batches), nodes) if levels.counters[DEPTH] < 0 else None


def _exclude_pairs(matrix: Matrix) -> NDArray[np.int32]:
    """Take pairs of options that leave an item without options out of ``matrix.keep``, round by round.

    A pair that is taken out may make further pairs leave an item without options. It ends when a round takes out less
    than a tenth as many pairs as the round before. On the 6x10 pentominoes that is after two rounds; six more would
    take four times as long and save 0.3 % of the nodes.

    Returns a row (option, option, item) for each pair, in the order in which they were taken out; options and items
    have their places in the matrix.
    """
    _, exclude_pairs = kernel()
    candidates = np.zeros_like(matrix.keep, shape=(1, matrix.keep.shape[1]))  # room for the compiled code
    pairs = int(np.bitwise_count(matrix.keep).sum()) // 2
    reasons = np.empty((min(pairs, MAX_REASONS), 3), np.int32)
    previous, removed = 0, 0
    in_round = exclude_pairs(matrix, candidates, reasons)
    while in_round * 10 > previous:
        removed += in_round
        previous, in_round = in_round, exclude_pairs(matrix, candidates, reasons[removed:])
    return reasons[: removed + in_round]


def _is_dead_end(rows: NDArray[np.uint64], keep: NDArray[np.uint64], items: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Tell, for each option, whether choosing it leaves some other item without options.

    Another item is one that the option does not cover. rows: for each item, the options that cover it; keep: for each
    option, those that can be chosen together with it; both as 64-bit words. items: the numbers of the items that each
    option covers, a row for each option.
    """
    is_dead_end = np.zeros(len(keep), dtype=bool)
    for number, options_of_item in enumerate(rows):
        has_compatible = (keep & options_of_item).any(axis=1)
        is_covering = (items == number).any(axis=1)
        is_dead_end |= ~has_compatible & ~is_covering
    return is_dead_end


def as_words(bits: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return each row of bits packed into 64-bit words; the first bit is the lowest."""
    padded = np.zeros((bits.shape[0], -(-bits.shape[1] // 64) * 64), dtype=np.uint8)
    padded[:, : bits.shape[1]] = bits
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)


def _leaf_buffers(tables: CoverTables, leaves: int) -> Leaves:
    """Return room for this number of leaves of a search by these tables."""
    items = len(tables.rows)
    return Leaves(np.zeros((leaves, items + 3), np.int32), np.zeros((leaves, items + 4), np.int32))


def first_level(tables: CoverTables, cube: Sequence[int]) -> Levels:
    """Return the state of a search before its first node: arrays with an entry for each level of the search tree.

    The options that the cube and the cover fix are chosen and excluded on level 0. The depth is -1, that is, the search
    is over, if a chosen option is excluded or the cover is contradictory. cube: literals of the model that have to
    hold: i chooses option i, -i - 1 excludes it.
    """
    # The option at place p is bit p & 63 of word p >> 6.
    items, words = tables.rows.shape
    count = items + 2  # of levels: each node but a leaf covers an item
    available = np.zeros((count, words), dtype=np.uint64)
    available[0] = as_words(np.ones((1, len(tables.options)), dtype=np.uint8))
    chosen = [literal for literal in dict.fromkeys([*tables.forced, *cube]) if literal >= 0]
    is_open = np.ones(items, dtype=bool)  # no chosen option covers the item
    used = np.zeros(len(tables.bounds), dtype=np.int64)  # for each counted item, how many chosen options cover it
    possible = not tables.contradictory
    for literal in cube:
        if literal < 0 and (place := tables.place.get(-literal - 1)) is not None:
            available[0, place >> 6] &= ~np.uint64(1 << (place & 63))
    for option in chosen:
        place = tables.place.get(option, -1)
        possible = possible and place >= 0 and bool(int(available[0, place >> 6]) >> (place & 63) & 1)
        if not possible:
            break
        available[0] &= tables.keep[place]
        is_open[tables.items[place][tables.items[place] >= 0]] = False
        if len(used):
            used += (tables.counted[:, place >> 6] >> np.uint64(place & 63)).astype(np.int64) & 1
            available[0] &= ~np.bitwise_or.reduce(tables.counted[used == tables.bounds[:, 1]])

    levels = Levels(
        available=available,
        branches=np.zeros_like(available),
        open_items=np.zeros((count, items), dtype=np.int32),
        open_count=np.zeros(count, dtype=np.int64),
        chosen=np.zeros(items + 1, dtype=np.int32),
        chosen_count=np.zeros(count, dtype=np.int64),
        width=np.zeros(count, dtype=np.int64),
        used=np.zeros((count, len(used)), dtype=np.int64),
        counters=np.array([0 if possible else -1, 1, 0], dtype=np.int64),
    )
    levels.used[0] = used
    levels.open_count[0] = is_open.sum()
    levels.open_items[0, : levels.open_count[0]] = np.flatnonzero(is_open)
    if possible:
        levels.chosen[: len(chosen)] = [tables.place[option] for option in chosen]
        levels.chosen_count[0] = len(chosen)
    return levels


@cache
def kernel() -> tuple[Native, Native]:
    """Return the compiled functions (advance, exclude_pairs) of `solvers.model.cover_kernel`.

    They are compiled at the first call after installing. `native` takes arguments as examples of the types.
    """
    words, numbers = np.zeros((1, 1), dtype=np.uint64), np.zeros((1, 1), dtype=np.int32)
    count, counts = np.zeros(1, dtype=np.int64), np.zeros((1, 1), dtype=np.int64)
    matrix = Matrix(words, numbers, words, words, counts)
    levels = Levels(words, words, numbers, count, numbers[0], count, count, counts, count)
    module = "solvers.model.cover_kernel"
    advance, exclude_pairs = native(
        Recipe(module, "advance", (matrix, levels, Leaves(numbers, numbers), 0, 0)),
        Recipe(module, "exclude_pairs", (matrix, words, numbers)),
    )
    return advance, exclude_pairs
