"""Items and options, read from a model's own constraints and written in the format of Knuth's DLX programs.

It shares no code with what the solvers and the other counts read, so that its errors are its own. Every item is
written with bounds where they are not 1, so that options need no item that has to be covered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from solvers.base.errors import InputError, NoCoverError

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel


class BoundedItem(NamedTuple):
    """An item that at least ``low`` and at most ``high`` of the chosen options cover."""

    low: int
    high: int
    options: tuple[int, ...]
    """Literals of the model: i for the variable of this index, -i - 1 for its negation."""


IMPOSSIBLE = BoundedItem(1, 1, ())
"""An item that no choice can satisfy."""


def items_of(model: CpModel) -> list[BoundedItem]:
    """Return the rules of a model about Boolean variables as items.

    Each rule bounds how many of some literals, its options, are true. A fixed variable is an item, too; items that
    allow everything are left out. Raises `NoCoverError` if the model has any other rule.
    """
    proto = model.proto
    if proto.has_objective() or proto.has_floating_point_objective() or len(proto.assumptions):
        raise NoCoverError("the model has an objective or assumptions, so it is not an exact cover")
    items = []
    for index, variable in enumerate(proto.variables):
        domain = list(variable.domain)
        if domain not in ([0, 1], [0, 0], [1, 1]):  # the intervals 0..1, 0 and 1
            raise NoCoverError(
                f"the variable {variable.name or index} is not a Boolean, so the model is not an exact cover"
            )
        items.append(BoundedItem(domain[0], domain[-1], (index,)))
    for number, constraint in enumerate(proto.constraints):
        rules = list(_rules(constraint))
        if any(rule is None for rule in rules):
            raise NoCoverError(f"constraint {number} counts no Boolean variables, so the model is not an exact cover")
        items += [rule for rule in rules if rule]  # all of them, as none is None
    return [item for item in dict.fromkeys(items) if item.low > 0 or item.high < len(item.options)]


def _rules(constraint: Any) -> Iterable[BoundedItem | None]:
    """Yield the rules of a constraint on the number of true variables.

    It yields None if the constraint says anything else. Enforcement literals make a clause longer by their negations;
    other enforced constraints are not taken. A linear constraint is taken if all its coefficients are equal.
    """
    unless = [-literal - 1 for literal in constraint.enforcement_literal]
    if constraint.has_bool_or():
        yield _item_of_clause([*constraint.bool_or.literals, *unless])
    elif constraint.has_bool_and():
        for literal in constraint.bool_and.literals:
            yield _item_of_clause([literal, *unless])
    elif unless:
        yield None
    elif constraint.has_exactly_one():
        yield _item_of_count(constraint.exactly_one.literals, [1, 1])
    elif constraint.has_at_most_one():
        yield _item_of_count(constraint.at_most_one.literals, [0, 1])
    elif constraint.has_linear():
        linear = constraint.linear
        coefficients = set(linear.coeffs)
        if len(coefficients) == 1 and 0 not in coefficients:
            (coefficient,) = coefficients
            intervals = [*_pairs(list(linear.domain))]
            allowed = [  # numbers of true variables; they have to be an interval
                number
                for number in range(len(linear.vars) + 1)
                if any(low <= coefficient * number <= high for low, high in intervals)
            ]
            is_interval = not allowed or len(allowed) == allowed[-1] - allowed[0] + 1
            yield _item_of_count(linear.vars, [allowed[0], allowed[-1]] if allowed else [1, 0]) if is_interval else None
        else:
            yield None
    else:
        yield None


def _pairs(domain: Sequence[int]) -> Iterable[tuple[int, int]]:
    """Yield the intervals (low, high) of a proto's domain, which is the list low, high, low, high, ..."""
    return zip(domain[::2], domain[1::2], strict=True)


def _item_of_count(literals: Iterable[int], bounds: Sequence[int]) -> BoundedItem | None:
    """Return the item that says that the number of true literals is within the bounds (low, high).

    It is `IMPOSSIBLE` if no number is. Otherwise it is None if a literal is negated or occurs twice, which the callers
    do not take. literals: i for the variable of this index, -i - 1 for its negation.
    """
    options = tuple(sorted(literals))
    low, high = bounds[0], min(bounds[1], len(options))
    if low > high:
        return IMPOSSIBLE
    is_plain = len(set(options)) == len(options) and all(option >= 0 for option in options)
    return BoundedItem(low, high, options) if is_plain else None


def _item_of_clause(literals: Sequence[int]) -> BoundedItem | None:
    """Return the item that says the same as a clause.

    Of positive literals, at least one is true; of negated ones, at most all but one of the variables are true. The
    result is None if some literals are positive and some negative. literals: i for the variable of this index, -i - 1
    for its negation.
    """
    distinct = sorted(set(literals))
    if all(literal >= 0 for literal in distinct):
        return BoundedItem(1, len(distinct), tuple(distinct))
    options = tuple(sorted(-literal - 1 for literal in distinct))
    if all(option >= 0 for option in options):
        return BoundedItem(0, len(options) - 1, options)
    return None


class OrderedCover(NamedTuple):
    """Items and options in the order in which the counter goes through them."""

    items: list[BoundedItem]
    options: list[list[int]]
    """For each option, the indices in ``items`` of the items that it covers, ascending."""
    literals: list[int]
    """The literal that each option represents: i for a variable, -i - 1 for its negation."""
    near: int
    """The number of items that have neighbours, as cells have; these items come first."""
    links: list[tuple[int, int]]
    """The pairs of items that are neighbours."""


Image = Mapping[int, int]
"""A symmetry: the image of each literal of the model, i for a variable and -i - 1 for its negation."""


def cover_of(model: CpModel, images: Iterable[Image] = ()) -> OrderedCover:
    """Return the rules of a model as items, with the options, in the order of `OrderedCover`.

    Each variable is an option, unless an item allows none of its options: these are left out. images: all elements of a
    group of symmetries but the identity. If one of them maps a variable to a negation, the negation is an option, too.
    Raises `NoCoverError` if the model has a rule that does not
    bound the number of true Booleans.
    """
    items = _with_negations(items_of(model), list(images))
    never = {option for item in items if not item.high for option in item.options}
    items = [item._replace(options=tuple(option for option in item.options if option not in never)) for item in items]
    if any(item.low > len(item.options) for item in items):
        items = [IMPOSSIBLE]
    items = [item for item in items if item.low or item.high < len(item.options)]  # without those that allow everything
    # An option that no item is left for gets one, as each line of an option needs an item; so does the whole text.
    alone = set(range(len(model.proto.variables))) - never - {option for item in items for option in item.options}
    items += [BoundedItem(0, 1, (option,)) for option in sorted(alone)] or ([] if items else [BoundedItem(0, 1, ())])
    items = list(dict.fromkeys(items))
    order, near, links = _order(items)
    items = [items[number] for number in order]
    covers: dict[int, list[int]] = {}
    for place, item in enumerate(items):
        for option in item.options:
            covers.setdefault(option, []).append(place)
    options = sorted(covers, key=covers.__getitem__)
    return OrderedCover(items, [covers[option] for option in options], options, near, links)


def _with_negations(items: list[BoundedItem], images: Sequence[Image]) -> list[BoundedItem]:
    """Return the items, and those that have to be added because symmetries map variables to negations.

    Added is, for each such variable, the item that exactly one of it and its negation is chosen. With these, each item
    on variables says the same as an item on their negations. So for each item that a symmetry maps to negations, the
    image is added if an item that is there says the same. images: all elements of the group but the identity.
    """
    negated_variables = {variable for image in images for variable, target in image.items() if target < 0 <= variable}
    exactly_one = [BoundedItem(1, 1, (-variable - 1, variable)) for variable in sorted(negated_variables)]
    known_items, added = {*items}, dict.fromkeys(exactly_one)
    for image in images:
        for item in items:
            options = tuple(sorted(image[option] for option in item.options))
            size = len(options)
            # That low to high of the negations are true says that size - high to size - low of the variables are.
            negated = tuple(-option - 1 for option in reversed(options))
            if BoundedItem(size - item.high, size - item.low, negated) in known_items:
                added[item._replace(options=options)] = None
    return [*items, *added]


def symmetry_of(cover: OrderedCover, image: Image) -> tuple[list[int], list[int]]:
    """Return (the image of each option, an order of the items) for a symmetry of the model.

    The counter counts the solutions that the symmetry leaves unchanged as covers by its cycles, whole sets of options,
    and goes through the items in this order. Of items that the same cycles cover, the order has the first only; cycles
    that cover an item more often than it allows do not count. Options and items are numbered as in the cover. Raises
    `InputError` if the image of an option is not an option. The counter itself checks that items are mapped to items.
    """
    place_of = {literal: place for place, literal in enumerate(cover.literals)}
    if any(image[literal] not in place_of for literal in cover.literals):
        raise InputError("a symmetry does not carry the rules of the model to rules")
    option_images = [place_of[image[literal]] for literal in cover.literals]
    cycle_of: dict[int, int] = {}  # a cycle is named by its first literal
    for literal in cover.literals:
        after = literal
        while after not in cycle_of:
            cycle_of[after] = literal
            after = image[after]
    # For each item, how often each cycle covers it.
    times_covered = [Counter(cycle_of[option] for option in item.options) for item in cover.items]
    never = {
        cycle
        for item, times in zip(cover.items, times_covered, strict=True)
        for cycle, number in times.items()
        if number > item.high
    }
    first_place: dict[BoundedItem, int] = {}  # by items whose options are cycles
    for place, (item, times) in enumerate(zip(cover.items, times_covered, strict=True)):
        first_place.setdefault(item._replace(options=tuple(sorted(set(times) - never))), place)
    order, *_ = _order(list(first_place))
    places = list(first_place.values())
    return option_images, [places[number] for number in order]


def _order(items: Sequence[BoundedItem]) -> tuple[list[int], int, list[tuple[int, int]]]:
    """Return (an order of the items, number of near items, pairs of places of neighbours).

    Near items have neighbours, as cells of a board have. Items that exactly one option covers come first, in the order
    of the count by layers: its near items, then its far ones, which share few options with any other item. The pairs
    connect the near items of each option. There are none if an item has no option. The counter checks whether it can
    use these hints, so they need not be right.
    """
    import numpy as np

    from solvers.extras.counts.counting.item_order import Incidence, item_order, links

    exact = [number for number, item in enumerate(items) if (item.low, item.high) == (1, 1)]
    others = [number for number, item in enumerate(items) if (item.low, item.high) != (1, 1)]
    covers: dict[int, list[int]] = {}  # for each option, the places in ``exact`` of the items that it covers
    for place, number in enumerate(exact):
        for option in dict.fromkeys(items[number].options):
            covers.setdefault(option, []).append(place)
    if not all(items[number].options for number in exact):
        return [*exact, *others], 0, []
    incidence = Incidence(list(covers.values()), len(exact), optional=0)
    order, near = item_order(incidence)
    place_of = {item: place for place, item in enumerate(order)}
    chosen = np.zeros(len(exact), dtype=bool)
    chosen[order[:near]] = True
    links_of_items = links(incidence, incidence.likeness(), chosen)
    places_of_links = (sorted((place_of[a], place_of[b])) for a, b in links_of_items)
    pairs = sorted((first, last) for first, last in places_of_links)
    return [*(exact[place] for place in order), *others], near, pairs


def knuth_text(cover: OrderedCover, names: Sequence[str], images: Iterable[Image] = ()) -> str:
    """Return the cover as text in Knuth's format.

    The first line has all items, such as "i0 0:1|i1", where i1 is covered at most once; then each option has a line
    with its items. Lines that begin with a bar are comments with symmetries and hints. A symmetry that moves no option
    is left out. names: the names of the model's variables, for comments. images: the symmetries. Raises `InputError` if
    the image of an option is not an option.
    """
    lines = [" ".join(_item(place, item) for place, item in enumerate(cover.items))]
    lines += [f"| near {cover.near}", *(f"| link {a} {b}" for a, b in cover.links)]
    # By the images of the options, the order of the items; symmetries that permute the options alike count once.
    order_by_images: dict[tuple[int, ...], list[int]] = {}
    for image in images:
        option_images, order = symmetry_of(cover, image)
        order_by_images[tuple(option_images)] = order
    for option_images_kept, order in order_by_images.items():
        if option_images_kept != tuple(range(len(cover.options))):
            lines += [" ".join(map(str, ["| symmetry", *option_images_kept])), " ".join(map(str, ["| order", *order]))]
    for literal, items_covered in zip(cover.literals, cover.options, strict=True):
        option_name = names[literal] if literal >= 0 else f"not {names[-literal - 1]}"
        lines += [f"| option {option_name}".replace("\n", " "), " ".join(f"i{place}" for place in items_covered)]
    return "\n".join(lines) + "\n"


def _item(place: int, item: BoundedItem) -> str:
    """Return the text of an item with its place and bounds."""
    low, high = item[:2]
    if (low, high) == (1, 1):
        return f"i{place}"
    return f"{low}:{high}|i{place}"
