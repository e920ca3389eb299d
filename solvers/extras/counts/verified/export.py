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

    Raises `NoCoverError` if it has any other rule.
    """
    proto = model.proto
    if proto.has_objective() or proto.has_floating_point_objective() or len(proto.assumptions):
        raise NoCoverError("the model has an objective or assumptions, so it is not an exact cover")
    items = []
    for index, variable in enumerate(proto.variables):
        domain = list(variable.domain)
        if domain not in ([0, 1], [0, 0], [1, 1]):
            raise NoCoverError(
                f"the variable {variable.name or index} is not a Boolean, so the model is not an exact cover"
            )
        items.append(BoundedItem(domain[0], domain[-1], (index,)))
    for number, constraint in enumerate(proto.constraints):
        rules = list(_rules(constraint))
        if any(rule is None for rule in rules):
            raise NoCoverError(f"constraint {number} counts no Boolean variables, so the model is not an exact cover")
        items += [rule for rule in rules if rule]
    return [item for item in dict.fromkeys(items) if item.low > 0 or item.high < len(item.options)]


def _rules(constraint: Any) -> Iterable[BoundedItem | None]:
    """Yield the rules of a constraint on the number of true variables.

    It yields None if the constraint says anything else.
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
            allowed = [  # numbers of true variables; they have to be an interval
                n
                for n in range(len(linear.vars) + 1)
                if any(low <= coefficient * n <= high for low, high in _pairs(list(linear.domain)))
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

    It is `IMPOSSIBLE` if no number is. Otherwise it is None if a literal is negated or occurs twice.
    """
    options = tuple(sorted(literals))
    low, high = bounds[0], min(bounds[1], len(options))
    if low > high:
        return IMPOSSIBLE
    is_plain = len(set(options)) == len(options) and all(option >= 0 for option in options)
    return BoundedItem(low, high, options) if is_plain else None


def _item_of_clause(literals: Sequence[int]) -> BoundedItem | None:
    """Return the item that says the same as a clause.

    The result is None if some literals are positive and some negative.
    """
    distinct = sorted(set(literals))
    if all(literal >= 0 for literal in distinct):
        return BoundedItem(1, len(distinct), tuple(distinct))
    options = tuple(sorted(-literal - 1 for literal in distinct))
    return BoundedItem(0, len(options) - 1, options) if all(option >= 0 for option in options) else None


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

    Each variable is an option. images: all elements of a group of symmetries but the identity. If one of them maps a
    variable to a negation, the negation is an option, too. Raises `NoCoverError` if the model has a rule that does not
    bound the number of true Booleans.
    """
    items = _with_negations(items_of(model), list(images))
    never = {option for item in items if not item.high for option in item.options}
    items = [item._replace(options=tuple(o for o in item.options if o not in never)) for item in items]
    if any(item.low > len(item.options) for item in items):
        items = [IMPOSSIBLE]
    items = [item for item in items if item.low or item.high < len(item.options)]
    # An option that no item is left for gets one, as each line of an option needs an item; so does the whole text.
    alone = set(range(len(model.proto.variables))) - never - {option for item in items for option in item.options}
    items += [BoundedItem(0, 1, (option,)) for option in sorted(alone)] or ([] if items else [BoundedItem(0, 1, ())])
    items = list(dict.fromkeys(items))
    order, near, links = _order(items)
    items = [items[n] for n in order]
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
    exchanged = {literal for image in images for literal, carried in image.items() if carried < 0 <= literal}
    both = [BoundedItem(1, 1, (-variable - 1, variable)) for variable in sorted(exchanged)]
    known_items, added = {*items}, dict.fromkeys(both)
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
    and goes through the items in this order. In it, of items that the same cycles cover there is one, with cycles left
    out that cover an item too often. Options and items are numbered as in the cover. Raises
    `InputError` if the image of an option is not an option. The counter itself checks that items are mapped to items.
    """
    place_of = {literal: place for place, literal in enumerate(cover.literals)}
    if any(image[literal] not in place_of for literal in cover.literals):
        raise InputError("a symmetry does not carry the rules of the model to rules")
    carried = [place_of[image[literal]] for literal in cover.literals]
    cycle_of: dict[int, int] = {}  # a cycle is named by its first literal
    for literal in cover.literals:
        after = literal
        while after not in cycle_of:
            cycle_of[after] = literal
            after = image[after]
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
    return carried, [places[n] for n in order]


def _order(items: Sequence[BoundedItem]) -> tuple[list[int], int, list[tuple[int, int]]]:
    """Return (an order of the items, number of near items, pairs of places of neighbours).

    They are explained at `OrderedCover`. Items that exactly one option covers come first, in the order of the count by
    layers. The counter checks whether it can use these hints, so they need not be right.
    """
    import numpy as np

    from solvers.extras.counts.counting.item_order import Incidence, item_order, links

    exact = [n for n, item in enumerate(items) if (item.low, item.high) == (1, 1)]
    others = [n for n, item in enumerate(items) if (item.low, item.high) != (1, 1)]
    covers: dict[int, list[int]] = {}
    for place, n in enumerate(exact):
        for option in dict.fromkeys(items[n].options):
            covers.setdefault(option, []).append(place)
    if not all(items[n].options for n in exact):
        return [*exact, *others], 0, []
    incidence = Incidence(list(covers.values()), len(exact), 0)
    order, near = item_order(incidence)
    place_of = {item: place for place, item in enumerate(order)}
    chosen = np.zeros(len(exact), dtype=bool)
    chosen[order[:near]] = True
    pairs = sorted(
        (min(place_of[a], place_of[b]), max(place_of[a], place_of[b]))
        for a, b in links(incidence, incidence.likeness(), chosen)
    )
    return [*(exact[n] for n in order), *others], near, pairs


def knuth_text(cover: OrderedCover, names: Sequence[str], images: Iterable[Image] = ()) -> str:
    """Return the cover as text in Knuth's format.

    Lines that begin with a bar are comments with symmetries and hints. names: the names of the model's variables, for
    comments. images: the symmetries. Raises `InputError` if the image of an option is not an option.
    """
    lines = [" ".join(_item(place, item) for place, item in enumerate(cover.items))]
    lines += [f"| near {cover.near}", *(f"| link {a} {b}" for a, b in cover.links)]
    symmetries = {tuple(carried): order for carried, order in (symmetry_of(cover, image) for image in images)}
    for carried, order in symmetries.items():
        if carried != tuple(range(len(cover.options))):  # that it moves nothing the counter knows
            lines += [" ".join(map(str, ["| symmetry", *carried])), " ".join(map(str, ["| order", *order]))]
    for literal, option in zip(cover.literals, cover.options, strict=True):
        option_name = names[literal] if literal >= 0 else f"not {names[-literal - 1]}"
        lines += [f"| option {option_name}".replace("\n", " "), " ".join(f"i{n}" for n in option)]
    return "\n".join(lines) + "\n"


def _item(place: int, item: BoundedItem) -> str:
    """Return the text of an item with its place and bounds."""
    low, high = item[:2]
    return f"i{place}" if (low, high) == (1, 1) else f"{low}:{high}|i{place}"
