"""An exact cover as a count sees it: without fixed options, what they rule out, and items that others imply."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from solvers.model.exact_cover import ExactCover


class CountedItem(NamedTuple):
    """An item that has to be covered by a number of units between ``low`` and ``high``."""

    weights: Mapping[int, int]
    """For each option, the number of units that it counts for."""
    low: int
    high: int


@dataclass(frozen=True)
class Instance:
    """A reduced exact cover.

    It has options, the items that they cover, and pairs of options that exclude each other. The options of such a pair
    share no item.
    """

    covers: list[list[int]]
    """For each option, the items that it covers, ascending: the mandatory ones are numbered before the optional
    ones."""
    mandatory: int
    """The number of items that exactly one option has to cover."""
    optional: int
    """The number of items that at most one option may cover."""
    exclusions: list[tuple[int, int]]
    counts: list[CountedItem]
    members: list[tuple[int, ...]]
    """For each option, the options of the exact cover that it represents; they are chosen together."""
    chosen: tuple[int, ...]
    """Options of the exact cover that are chosen in every solution."""
    is_contradictory: bool = False


def instance(cover: ExactCover, image: Sequence[int] | None = None) -> Instance:
    """Return a reduced cover with as many solutions as a cover, or as those that a symmetry leaves unchanged.

    image: the symmetry, an automorphism of the cover, as the image of each option; None for all solutions. A solution
    that it leaves unchanged is made of whole cycles of options, so that each cycle becomes one option, unless two of
    its members exclude each other. (Without a symmetry, each option is a cycle by itself.)

    >>> square = ExactCover(4, items=[[0, 1], [1, 2], [2, 3], [3, 0]])  # the ways to match the corners of a square
    >>> instance(square).covers
    [[0, 1], [0, 2], [2, 3], [1, 3]]
    >>> instance(square, [2, 3, 0, 1]).members
    [(0, 2), (1, 3)]
    """
    excluded = _conflicting_options(cover)  # for each option, those that it excludes, as bits
    cycles = _cycles(cover.options, image)
    cycle_of = {option: number for number, cycle in enumerate(cycles) for option in cycle}

    # Numbers of cycles: those that can never be chosen, those that always are, and those that the latter exclude. A
    # cycle is excluded if its first option is, as the symmetry carries the exclusion on to all others.
    dead = {
        number
        for number, cycle in enumerate(cycles)
        if any(excluded[option] >> other & 1 for option in cycle for other in cycle)
    }
    dead |= {cycle_of[option] for option, is_chosen in cover.fixed.items() if not is_chosen}
    forced = {cycle_of[option] for option, is_chosen in cover.fixed.items() if is_chosen}
    chosen = {option for number in forced for option in cycles[number]}
    ruled_out = {
        number for number, cycle in enumerate(cycles) if any(excluded[option] >> cycle[0] & 1 for option in chosen)
    }
    contradictory = cover.contradictory or bool(forced & (dead | ruled_out))

    # The others are the new options, by their places in ``alive``. An item that a forced one covers is left out.
    alive = [number for number in range(len(cycles)) if number not in dead | ruled_out | forced]
    place = {number: place for place, number in enumerate(alive)}

    def new_options(old_options: Iterable[int]) -> frozenset[int]:
        """Return the new options that represent any of these options of the cover."""
        return frozenset(place[cycle_of[option]] for option in old_options if cycle_of[option] in place)

    # An item of the cover is the options that cover it.
    mandatory = {new_options(item) for item in cover.items if not chosen & set(item)}
    optional = {new_options(item) for item in cover.optional if not chosen & set(item)} - mandatory
    counts = _counts(cover, cycles, forced, place)
    misses_count = any(count.low > sum(count.weights.values()) or count.high < 0 for count in counts)
    if contradictory or misses_count or not all(mandatory):
        return Instance([], 0, 0, [], [], [], (), is_contradictory=True)
    items = sorted(mandatory, key=sorted)
    limits = [limit for limit in sorted(optional, key=sorted) if len(limit) > 1]  # one option alone is no limit
    limits = _without_implied(limits, items, len(alive))
    covers: list[list[int]] = [[] for _ in alive]
    for number, item in enumerate([*items, *limits]):
        for option in item:
            covers[option].append(number)
    pairs = {new_options(pair) for pair in cover.exclusions}
    exclusions = sorted(
        (min(pair), max(pair))
        for pair in pairs
        if len(pair) == 2 and set(covers[min(pair)]).isdisjoint(covers[max(pair)])  # an item that both cover says it
    )
    members = [cycles[number] for number in alive]
    return Instance(covers, len(items), len(limits), exclusions, counts, members, tuple(sorted(chosen)))


def _counts(
    cover: ExactCover, cycles: Sequence[Sequence[int]], forced: Iterable[int], place: Mapping[int, int]
) -> list[CountedItem]:
    """Return the counted items that can still be missed once some cycles of options are chosen.

    Of items with the same weights, one is returned, with the bounds that follow from all. The weight of a cycle is the
    number of its options that are counted. An item is left out whose bounds hold whatever is chosen.

    cover: a counted item of it is (options, low, high). cycles: the options of each; a cycle is chosen as a whole.
    forced: the numbers of the chosen cycles. place: the new number of each cycle that is left.
    """
    bounds_by_weights: dict[tuple[tuple[int, int], ...], tuple[int, int]] = {}
    for options, low, high in cover.counts:
        counted = set(options)
        weights = {number: len(counted.intersection(cycle)) for number, cycle in enumerate(cycles)}
        units_chosen = sum(weights[number] for number in forced)
        new_weights = tuple((place[number], weight) for number, weight in weights.items() if weight and number in place)
        if low > units_chosen or high - units_chosen < sum(weight for _, weight in new_weights):
            least, most = bounds_by_weights.get(new_weights, (0, cover.options))
            bounds_by_weights[new_weights] = max(low - units_chosen, least), min(high - units_chosen, most)
    return [CountedItem(dict(weights), low, high) for weights, (low, high) in bounds_by_weights.items()]


def _conflicting_options(cover: ExactCover) -> list[int]:
    """Return, for each option, the set of options that it excludes, as bits.

    Two options exclude each other if they cover an item together, or are a pair of the cover's exclusions.
    """
    excluded = [0] * cover.options
    for item in [*cover.items, *cover.optional, *cover.exclusions]:
        members = sum(1 << option for option in item)
        for option in item:
            excluded[option] |= members
    return [others & ~(1 << option) for option, others in enumerate(excluded)]


def _cycles(options: int, image: Sequence[int] | None) -> list[tuple[int, ...]]:
    """Return the cycles of a permutation of the options; each option alone if ``image`` is None.

    options: their number. image: the image of each option.
    """
    cycles, seen = [], set[int]()
    for option in range(options):
        if option not in seen:
            cycle = [option]
            while image and (after := image[cycle[-1]]) != option:
                cycle.append(after)
            seen.update(cycle)
            cycles.append(tuple(cycle))
    return cycles


def _without_implied(limits: list[frozenset[int]], items: list[frozenset[int]], options: int) -> list[frozenset[int]]:
    """Return the optional items that no other item implies.

    An item implies another if all options of the other cover it, too, and it is mandatory, or optional with more
    options. A product of matrices gives how many options each two items share. limits, items: the options that cover
    each optional and each mandatory item. options: the number of options.
    """
    every_set = [*items, *limits]
    matrix = np.zeros((len(every_set), options), dtype=np.float32)  # 1 where an option covers an item
    for number, members in enumerate(every_set):
        matrix[number, list(members)] = 1
    shared = matrix[len(items) :] @ matrix.T

    def is_implied(number: int) -> bool:
        """Tell whether another item implies the optional item of this number."""
        size = len(limits[number])
        may_imply = (other for other in range(len(every_set)) if other < len(items) or len(every_set[other]) > size)
        return any(shared[number, other] == size for other in may_imply)

    return [limit for number, limit in enumerate(limits) if not is_implied(number)]
