"""The layout of a state's bits: their meaning, the bits that an option needs clear, and those that it sets."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvers.extras.counts.counting.item_order import Incidence, item_order, links
from solvers.extras.counts.counting.reduced_cover import Instance

Words = NDArray[np.uint64]


class StateLayout:
    """An order of a cover's items, and the meaning of each bit of a state.

    Positions from 0 are the near items in their order, those from ``near`` on the far ones. In the layer of position t,
    the bits from ``fixed`` on represent the near items from t on, and are set where the item is covered. The fixed bits
    below represent, from bit 0 on, the far items; then flags, for optional items that are covered and for options that
    are excluded; then fields, which count how many options cover each item that is counted.
    """

    def __init__(self, problem: Instance) -> None:
        """Order the items of a reduced cover, and compute the bit sets of its options.

        The result is in `arrays`, for the kernel that counts: for each option the bits that it needs clear, and those
        that it sets; for each layer the bits that tell states apart, and those that have to be set; then what finds
        regions that no options fill (the edges of a graph of items, by their starts and lengths, and the sizes of
        regions that options can fill); for each option its units in the fields; for each field (shift, mask, greatest
        sum, last layer with an option that it counts); and for each layer and field the least sum that can still become
        enough. Bit sets are integers here, and words of 64 bits in `arrays`.
        """
        # The relation between items and options; the order has the near items first, then the far ones.
        incidence = Incidence(problem.covers, problem.mandatory, problem.optional)
        order, self.near = item_order(incidence)
        self.layers = len(order)
        position = {item: place for place, item in enumerate(order)}
        self.entropy = incidence.widths(np.argsort(order))
        """How many bits of the items are undecided behind each position, for options that are all alike."""

        positions_of = [sorted(position[item] for item in row if item in position) for row in problem.covers]
        self.options = sorted(range(len(positions_of)), key=lambda option: positions_of[option])
        """The options by the first of their positions; steps, and all that follows, name them by their place here."""

        positions = [positions_of[option] for option in self.options]
        first = [row[0] for row in positions]
        self.begin = np.searchsorted(first, range(self.layers + 1)).tolist()
        """Where the options of each position begin."""

        # The fixed bits, and how many others there are: an option reaches less than ``span`` near positions ahead.
        near_parts = [[place for place in row if place < self.near] for row in positions]
        span = max((row[-1] - row[0] + 1 for row in near_parts if row), default=1)
        far = self.layers - self.near
        flags = _flags(problem, self.options, first)
        bits = _share_bits(flags, span, self.near)  # for each flag its bit, from that behind the far items
        end_of_flags = far + max(bits, default=-1) + 1
        fields = _fields(problem, end_of_flags)
        self.fixed = max([end_of_flags, *(field.shift + field.width for field in fields)])
        weights = [[field.weights.get(option, 0) for field in fields] for option in self.options]
        # Pairs of positions that connect each option, and for each number whether options fill a region of this size.
        edges, sizes = _pockets(incidence, order, self.near, positions, weights, fields)
        offsets = sorted({b - a for a, b in edges})
        self.words = -(-(self.fixed + span + max(offsets, default=1)) // 64)  # rounded up

        def bit(place: int, t: int) -> int:
            """Return the bit of the item at a position, in the layer of position ``t``."""
            return 1 << (self.fixed + place - t if place < self.near else place - self.near)

        # For each option, the bits that it needs clear and sets; for each layer, those that matter and must be set.
        test = [sum(bit(place, row[0]) for place in row) for row in positions]
        put = list(test)
        live = [(1 << far) - 1] * self.layers + [0]
        must = [0] * (self.layers + 1)
        partly_decided = np.zeros(self.layers + 1, dtype=np.int64)
        for flag, shared in zip(flags, bits, strict=True):
            for option in flag.raised_by:
                put[option] |= 1 << (far + shared)
            for option in flag.barred:
                test[option] |= 1 << (far + shared)
            for t in range(flag.begin + 1, flag.end + 1):
                live[t] |= 1 << (far + shared)
            partly_decided[flag.begin + 1 : flag.end + 1] += 1
        counted_by_field = [
            [option for option, weights_of_option in enumerate(weights) if weights_of_option[number]]
            for number in range(len(fields))
        ]
        last = [first[counted[-1]] for counted in counted_by_field]  # the last layer with an option that a field counts
        for field, last_layer in zip(fields, last, strict=True):
            for t in range(1, last_layer + 1):
                live[t] |= field.bits
            partly_decided[1 : last_layer + 1] += field.width
        least = _least_sums(fields, weights, counted_by_field, positions, self.begin)
        for place, (earliest, latest) in enumerate(_reach(positions, self.layers)):
            # Some states cover an item as soon as its first option was tried. Behind its last one, all have to.
            partly_decided[earliest + 1 : place] += 1
            for t in range(latest + 1, min(place + 1, self.layers)):
                must[t] |= bit(place, t)
        self.width = int(partly_decided.max())
        """The most bits that tell states apart: items that are partly decided, flags and fields."""

        # The positions from which an edge of each length starts; then the same counted from each position on.
        starts = [sum(1 << a for a, b in edges if b - a == offset) for offset in offsets]
        edge_bits = [start >> t & (1 << 64 * self.words) - 1 for t in range(self.near) for start in starts]
        all_fixed = (1 << self.fixed) - 1
        all_far = (1 << far) - 1
        units = [  # for each option, its units in all fields, as one bit set
            sum(weight << field.shift for weight, field in zip(weights_of_option, fields, strict=True))
            for weights_of_option in weights
        ]
        field_rows = [(field.shift, field.mask, field.high, end) for field, end in zip(fields, last, strict=True)]
        self.arrays: tuple[NDArray[Any], ...] = (
            *(self.as_words(numbers) for numbers in (test, put, [*live, all_fixed, all_far], must, edge_bits)),
            np.array(offsets, dtype=np.int64),
            sizes,
            self.as_words(units),
            np.array(field_rows, dtype=np.int64).reshape(-1, 4),
            least,
        )

    def fingerprint(self) -> str:
        """Return a hash that two layouts share only if each state means the same in both."""
        numbers = [self.near, self.fixed, *self.begin, *self.options]
        arrays = np.array(numbers, dtype=np.int64), *self.arrays
        return sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()

    def as_words(self, numbers: Iterable[int]) -> Words:
        """Return bit sets as one array, each as `words` 64-bit words with the lowest first.

        numbers: the sets, as integers; in the array they follow each other.
        """
        raw = b"".join(number.to_bytes(8 * self.words, "little") for number in numbers)
        return np.frombuffer(raw, dtype="<u8").astype(np.uint64)


class CounterBits(NamedTuple):
    """The bits of a state that count how many units of a counted item the chosen options make up."""

    weights: Mapping[int, int]
    """For each option, by its number in the reduced cover, the units that it counts for."""
    low: int
    high: int
    """The least and the greatest sum that a solution may have."""
    shift: int
    """The position of the first bit."""
    width: int
    """The number of bits: enough to count one option more than is allowed."""

    @property
    def mask(self) -> int:
        """The mask of `width` bits, from bit 0."""
        return (1 << self.width) - 1

    @property
    def bits(self) -> int:
        """The mask of the field in its place in a state."""
        return self.mask << self.shift


def _fields(problem: Instance, shift: int) -> list[CounterBits]:
    """Return the bit field of each counted item, one behind the other.

    A counted item has to be covered by low to high units; each option counts for some units. problem: the reduced
    cover, which has (units by option, low, high) for each counted item. shift: the first bit of the first field.
    """
    fields = []
    for weights, low, high in problem.counts:
        most = min(high, sum(weights.values()))
        # A sum that is too large is noticed after it was written, so that there has to be room for it.
        width = (most + max(weights.values(), default=0)).bit_length()
        fields.append(CounterBits(weights, low, most, shift, width))
        shift += width
    return fields


def _least_sums(
    fields: Sequence[CounterBits],
    weights: Sequence[Sequence[int]],
    counted_by_field: Sequence[Sequence[int]],
    positions: Sequence[Sequence[int]],
    begin: Sequence[int],
) -> NDArray[np.int64]:
    """Return, as an array by layer and field, the least sum in a field that can still become enough.

    That is the least sum of a solution without what can still be added: no more units than all options from this layer
    on have, and than open items make room for. weights: for each option, its units in each field. counted_by_field: for
    each field, the options with units in it, ascending. positions: those that each option covers. begin: where the
    options of each layer begin, with the number of options at the end.
    """
    layers = len(begin) - 1
    least = np.zeros((layers + 1, len(fields)), dtype=np.int64)
    for number, (field, counted) in enumerate(zip(fields, counted_by_field, strict=True)):
        for t in range(layers + 1):
            later = counted[bisect_left(counted, begin[t]) :]  # the counted options from this layer on
            units_left = sum(weights[option][number] for option in later)
            items_per_unit = min((len(positions[option]) / weights[option][number] for option in later), default=1)
            room = int((layers - t) / items_per_unit)
            least[t, number] = field.low - min(units_left, room)
    return least


def _reach(positions: Sequence[Sequence[int]], layers: int) -> list[tuple[int, int]]:
    """Return, for each position, (first, last) layer in which an option that covers it can be chosen.

    An option is chosen in the layer of the first of its positions. positions: for each option, the positions that it
    covers, ascending. layers: the number of positions.
    """
    earliest = [layers] * layers
    latest = [-1] * layers
    for row in positions:
        for place in row:
            earliest[place] = min(earliest[place], row[0])
            latest[place] = max(latest[place], row[0])
    return list(zip(earliest, latest, strict=True))


class Flag(NamedTuple):
    """A bit of the states that some options set and that others need to be clear.

    Options are given by their places in `StateLayout.options`.
    """

    raised_by: Sequence[int]
    """The options that set it."""
    barred: Sequence[int]
    """The options that need it clear."""
    begin: int
    end: int
    """The flag may be set in the layers after position ``begin`` and up to position ``end``."""


def _flags(problem: Instance, options: Sequence[int], first: Sequence[int]) -> list[Flag]:
    """Return the flags of a state.

    There is one for each optional item, which the options that cover it set and need clear; and one for each group of
    options that exclude the same later options, which the group sets and the later options need clear. A flag is
    needed from the first option that sets it to the last one that needs it clear.

    problem: the reduced cover; its optional items are numbered behind the mandatory ones. options: option numbers by
    place, in the order of their first positions. first: the first position that the option at each place covers.
    """
    place = {option: number for number, option in enumerate(options)}
    places_covering: dict[int, list[int]] = {}  # for each optional item, the places of the options that cover it
    for number, option in enumerate(options):
        for item in problem.covers[option]:
            if item >= problem.mandatory:
                places_covering.setdefault(item, []).append(number)
    flags = [Flag(places, places, first[places[0]], first[places[-1]]) for _, places in sorted(places_covering.items())]
    excluded: dict[int, list[int]] = {}  # the later options, by the earlier one
    for pair in problem.exclusions:
        earlier, later = sorted(place[option] for option in pair)
        excluded.setdefault(earlier, []).append(later)
    sharing: dict[tuple[int, ...], list[int]] = {}  # the earlier options, by the later ones that all of them exclude
    for earlier, barred in sorted(excluded.items()):
        sharing.setdefault(tuple(sorted(barred)), []).append(earlier)
    return flags + [Flag(raising, barred, first[raising[0]], first[barred[-1]]) for barred, raising in sharing.items()]


def _share_bits(flags: Sequence[Flag], span: int, near: int) -> list[int]:
    """Return the bit of each flag, counted from that of the first; two flags share one if no state can need both.

    Flags in the order of their beginnings take the first bit that is free. A bit is free again ``span`` positions
    behind the end of its flag: until then, there can be states in which it is still set.

    span: how many positions a step can advance, unless it leaves the near positions. near: the number of near
    positions; a step may advance to the end from there, so that a bit that is set there is never free again.
    """
    bits = [0] * len(flags)
    free_from: list[float] = []  # for each bit, the position from which it is free
    for number in sorted(range(len(flags)), key=lambda number: flags[number].begin):
        flag = flags[number]
        free_bits = (bit for bit, position in enumerate(free_from) if position <= flag.begin)
        bit = bits[number] = next(free_bits, len(free_from))  # a new one if none is free
        reach = flag.end + span
        free_from[bit : bit + 1] = [reach if reach < near else inf]  # replaces the entry of the bit, or appends it
    return bits


def _pockets(
    incidence: Incidence,
    order: Sequence[int],
    near: int,
    positions: Sequence[Sequence[int]],
    counted: Sequence[Sequence[int]],
    fields: Sequence[CounterBits],
) -> tuple[list[tuple[int, int]], NDArray[np.uint8]]:
    """Return (edges, sizes), by which a state with a region that options cannot fill is recognised.

    A region is a set of open near positions that edges connect, and that no edge joins to other open ones. edges: pairs
    of near
    positions; every option is connected by them, so that it lies in one region. sizes: for each
    number, 1 if options can fill a region of as many positions, by `_region_sizes`. Both are empty if they can fill
    every number, as no state is recognised then.

    order: the items by position. near: the number of near positions. positions: those that each option covers. counted:
    the weights of each option in the fields. incidence: the items and options of the cover.
    """
    region_sizes = _region_sizes(near, positions, counted, fields)
    if region_sizes == (1 << near + 1) - 1:
        return [], np.zeros(0, dtype=np.uint8)
    chosen = np.zeros(incidence.items + incidence.optional, dtype=bool)
    chosen[list(order[:near])] = True
    place = {item: position for position, item in enumerate(order)}
    # Few pairs of items that connect the near items of each option, for which items with many common options are best.
    pairs = links(incidence, incidence.likeness(), chosen)
    places_of_pairs = (sorted((place[a], place[b])) for a, b in pairs)
    edges = sorted((first, last) for first, last in places_of_pairs)
    sizes = range(near + 1 if edges else 0)
    return edges, np.array([region_sizes >> size & 1 for size in sizes], dtype=np.uint8)


def _region_sizes(
    near: int,
    positions: Sequence[Sequence[int]],
    counted: Sequence[Sequence[int]],
    fields: Sequence[CounterBits],
) -> int:
    """Return the sizes of regions of near positions that options may fill, as bits: bit n for n positions.

    The size of a region has to be a sum of sizes of options: at most one for each far item, as many as a counted item
    allows, and any number of the others. The size of an option is its number of near positions: not 0 for those of
    which any number can be chosen, as all their positions are near. An option that covers several far items, or counts
    in several fields, is assigned to one of them; that may allow more sums, never fewer. The parameters are those of
    `_pockets`.
    """
    free: set[int] = set()  # the sizes of options of which any number can be chosen
    sizes_by_far_item: dict[int, set[int]] = {}
    sizes_by_field: dict[int, set[int]] = {}
    for row, weights in zip(positions, counted, strict=True):
        size = sum(place < near for place in row)
        if row[-1] >= near:
            sizes_by_far_item.setdefault(row[-1], set()).add(size)
        elif any(weights):
            first_field = next(number for number, weight in enumerate(weights) if weight)
            sizes_by_field.setdefault(first_field, set()).add(size)
        else:
            free.add(size)
    sums, all_sizes = 1, (1 << near + 1) - 1  # bit 0: the empty sum
    for size in sorted(free):
        for _ in range(near // size):
            sums = _with_one_more(sums, [size], all_sizes)
    for sizes in sizes_by_far_item.values():
        sums = _with_one_more(sums, sizes, all_sizes)
    for number, sizes in sizes_by_field.items():
        for _ in range(min(fields[number].high, near)):
            sums = _with_one_more(sums, sizes, all_sizes)
    return sums


def _with_one_more(sums: int, sizes: Iterable[int], all_sizes: int) -> int:
    """Return a set of sums with, for each sum, also this sum plus one of the sizes.

    sums: the set as bits: bit n for the sum n. all_sizes: the bits of all sums that matter; larger ones are dropped.
    """
    result = sums
    for size in sizes:
        result |= sums << size & all_sizes
    return result
