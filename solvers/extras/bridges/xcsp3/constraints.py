"""The constraints of XCSP3 in a CP-SAT model, by the tags of their elements.

Meaning: XCSP3-core 3.1. What is undefined, such as a division by 0 or an index outside a list, is not a solution.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, pairwise, product
from typing import Any, NamedTuple

from ortools.sat.python.cp_model import Domain

from solvers.extras.bridges.xcsp3.terms import COMPARED, FormWriter, LinearForm, Refused, negation, total

MAX_SETS_OF_STATES = 100_000
"""An automaton that becomes larger when it is made deterministic is refused."""

MAX_DECOMPOSED_TASKS = 60
"""A cumulative of more tasks is expressed with intervals."""


class Condition(NamedTuple):
    """A condition on a sum: a relation to another sum, or membership."""

    relation: str
    """A key of `COMPARED`, or "in" or "notin"."""

    right: LinearForm | Domain


class Arguments:
    """The elements of a constraint by tag, and its attributes, as the parser returns them; notes which are read."""

    def __init__(
        self, parts: Sequence[tuple[str, Any]], attributes: Mapping[str, str], terms: Callable[[Any], LinearForm]
    ) -> None:
        """Take the parts of a constraint: (tag, content). attributes: those of all its elements, by (tag, name).

        terms: makes a sum of what the parser returns for a variable, an integer or an expression.
        """
        self._parts: dict[str, list[Any]] = {}
        for tag, content in parts:
            self._parts.setdefault(tag, []).append(content)
        self._attributes, self._term = dict(attributes), terms
        self._unread_tags = {*self._parts}

    def unread(self) -> str:
        """Return what of the constraint was never read, in words; empty if all was."""
        return next(iter([*(f"<{tag}>" for tag in sorted(self._unread_tags)), *sorted(self._attributes)]), "")

    def has(self, tag: str) -> bool:
        """Tell whether there is an element with this tag."""
        return tag in self._parts

    def contents(self, tag: str) -> list[Any]:
        """Return the contents of all elements with a tag; raise `Refused` if there is none."""
        if tag not in self._parts:
            raise Refused(f"it has no <{tag}>")
        self._unread_tags.discard(tag)
        return self._parts[tag]

    def content(self, tag: str) -> Any:
        """Return the content of the one element with a tag; raise `Refused` if there are several or none."""
        contents = self.contents(tag)
        if len(contents) > 1:
            raise Refused(f"it has {len(contents)} elements <{tag}>")
        return contents[0]

    def sums(self, tag: str = "list") -> list[LinearForm]:
        """Return the one list with a tag as sums."""
        return self.sums_of_list(self.content(tag))

    def sums_of_list(self, content: Any) -> list[LinearForm]:
        """Return a list, or something that is alone, as sums; a range is each of its integers."""
        listed = content if isinstance(content, list) else [content]
        return [self._term(item) for part in listed for item in (part if isinstance(part, range) else [part])]

    def lists(self, tag: str = "list") -> list[list[LinearForm]]:
        """Return all lists with a tag as sums; raise `Refused` if their lengths differ."""
        return self.rectangle(map(self.sums_of_list, self.contents(tag)))

    def matrix(self, tag: str = "matrix") -> list[list[LinearForm]]:
        """Return a matrix of sums; raise `Refused` if its rows differ in length."""
        return self.rectangle(map(self.sums_of_list, self.content(tag)))

    def rectangle(self, rows: Iterable[list[LinearForm]]) -> list[list[LinearForm]]:
        """Return some rows as a list; raise `Refused` if they differ in length."""
        result = [*rows]
        if len({*map(len, result)}) != 1:
            raise Refused("it has lists of different lengths, or none")
        return result

    def sums_of_length(self, tag: str, length: int) -> list[LinearForm]:
        """Return the list with a tag, which has to have this length."""
        result = self.sums(tag)
        if len(result) != length:
            raise Refused(f"<{tag}> has length {len(result)} in place of {length}")
        return result

    def integers(self, tag: str) -> list[int]:
        """Return the list with a tag as integers; raise `Refused` for anything else."""
        return _integers(self.content(tag))

    def attribute(self, name: str, default: str = "", tag: str = "") -> str:
        """Return an attribute of the constraint or of its element with a tag, without blanks and in lower case."""
        return self._attributes.pop(f"{tag}@{name}", default).strip().lower()

    def start(self, name: str = "startIndex", tag: str = "list") -> int:
        """Return the first index of a list, or of the rows or columns of a matrix."""
        text = self.attribute(name, "0", tag)
        if not text.lstrip("-").isdigit():
            raise Refused(f"{name} is not an integer")
        return int(text)


def _integers(content: Any) -> list[int]:
    """Return a list of integers and ranges, as the parser returns it, as integers."""
    integers: list[int] = []
    for item in content if isinstance(content, list) else [content]:
        if not isinstance(item, (int, range)):
            raise Refused(f"{item} is not an integer")
        integers += [item] if isinstance(item, int) else item
    return integers


def relation(left: LinearForm, condition: Condition) -> tuple[LinearForm, Domain]:
    """Return a condition on a sum as (a sum, the domain in which that has to lie)."""
    if isinstance(condition.right, LinearForm):
        if condition.relation not in COMPARED:
            raise Refused(f"the condition {condition.relation} needs a set")
        return left - condition.right, COMPARED[condition.relation]
    if condition.relation not in ("in", "notin"):
        raise Refused(f"the condition {condition.relation} cannot have a set")
    return left, condition.right if condition.relation == "in" else condition.right.complement()


def _membership(to: FormWriter, whole: LinearForm, values: Sequence[int]) -> LinearForm:
    """Return the truth value of "the sum is one of the values"."""
    return to.truth_value(whole, Domain.from_values(values))


def _value_truths(to: FormWriter, row: Sequence[LinearForm], values: Sequence[int | None]) -> list[LinearForm]:
    """Return the truth values of "this sum has this value", for all but the values None."""
    return [to.equals(term, value) for term, value in zip(row, values, strict=True) if value is not None]


def _extension(to: FormWriter, given: Arguments) -> None:
    """Require that a tuple is, or is not, in a table; None in a row represents any value.

    No tuple is in an empty table: then the constraint is violated, or holds always.
    """
    row, is_positive = given.sums(), given.has("supports")
    table = given.content("supports" if is_positive else "conflicts") or []
    if table and not isinstance(table[0], list):
        table = [[value] for value in _integers(table)]
    if any(len(values) != len(row) for values in table):
        raise Refused(f"its table has rows of other lengths than {len(row)}")
    is_short = any(None in values for values in table)
    if not table:
        if is_positive:
            to.require_any([])
    elif len(row) == 1 and not is_short:
        domain = Domain.from_values([value for (value,) in table])
        to.require(row[0], domain if is_positive else domain.complement())
    elif not is_short:
        add = to.model.add_allowed_assignments if is_positive else to.model.add_forbidden_assignments
        to.add(add([to.affine(term) for term in row], table))
    elif is_positive:
        to.require_any([to.all_true(_value_truths(to, row, values)) for values in table])
    else:
        for values in table:
            to.require_any([negation(truth) for truth in _value_truths(to, row, values)])


def _automaton(
    to: FormWriter, word: Sequence[LinearForm], steps: Sequence[Any], start: str, final: Iterable[str]
) -> None:
    """Require that an automaton, which need not be deterministic, accepts a word.

    It is made deterministic, as CP-SAT requires: a set of states that a word may reach becomes one state.

    steps: (state, value, next state). start, final: the first state, and those in which a word is accepted.
    """
    successors: dict[str, dict[int, set[str]]] = {}
    for state, value, successor in steps:
        successors.setdefault(state, {}).setdefault(value, set()).add(successor)
    numbers, arcs, unread_sets = {frozenset([start]): 0}, [], [frozenset([start])]
    accepting = {*final}
    while unread_sets:
        states = unread_sets.pop()
        for value in {value for state in states for value in successors.get(state, ())}:
            next_states = frozenset(
                next_state for state in states for next_state in successors.get(state, {}).get(value, ())
            )
            if next_states not in numbers:
                numbers[next_states] = len(numbers)
                unread_sets.append(next_states)
            arcs.append((numbers[states], value, numbers[next_states]))
        if len(numbers) > MAX_SETS_OF_STATES:
            raise Refused(f"its automaton has more than {MAX_SETS_OF_STATES} sets of states")
    ends = [number for states, number in numbers.items() if states & accepting]
    if word and ends and arcs:
        to.add(to.model.add_automaton([to.affine(term) for term in word], 0, ends, arcs))
    elif word or start not in accepting:
        to.require_any([])


def _regular(to: FormWriter, given: Arguments) -> None:
    """Require that an automaton accepts a word."""
    _automaton(to, given.sums(), given.content("transitions"), given.content("start"), given.content("final"))


def _mdd(to: FormWriter, given: Arguments) -> None:
    """Require that a path leads from the root of a decision diagram to its end."""
    steps = given.content("transitions")
    sources, targets = {state for state, _, _ in steps}, {state for _, _, state in steps}
    if len(sources - targets) != 1:
        raise Refused("its diagram has not exactly one root")
    _automaton(to, given.sums(), steps, min(sources - targets), targets - sources)


def _all_different(to: FormWriter, given: Arguments) -> None:
    """Require that values, lists of values, or the rows and columns of a matrix differ."""
    excepted = given.content("except") if given.has("except") else []
    if given.has("matrix"):
        rows = given.matrix()
        for line in [*rows, *map(list, zip(*rows, strict=True))]:
            _differ(to, line, _integers(excepted))
        return
    lists = given.lists()
    if len(lists) == 1:
        _differ(to, lists[0], _integers(excepted))
        return
    excepted = [_integers(values) for values in excepted]
    if any(len(values) != len(lists[0]) for values in excepted):
        raise Refused("<except> has lists of another length")
    for list_a, list_b in combinations(lists, 2):
        differences = [negation(to.equals(a, b)) for a, b in zip(list_a, list_b, strict=True)]
        to.require_any([*differences, *(to.all_true(_value_truths(to, list_a, values)) for values in excepted)])


def _differ(to: FormWriter, row: Sequence[LinearForm], excepted: Sequence[int]) -> None:
    """Require that sums differ, except where they have excepted values."""
    if not excepted:
        to.add(to.model.add_all_different([to.affine(term) for term in row]))
        return
    for sum_a, sum_b in combinations(row, 2):
        to.require_any([negation(to.equals(sum_a, sum_b)), _membership(to, sum_a, excepted)])


def _all_equal(to: FormWriter, given: Arguments) -> None:
    """Require that sums without an excepted value are equal."""
    row, excepted = given.sums(), given.integers("except") if given.has("except") else []
    if not excepted:
        for sum_a, sum_b in pairwise(row):
            to.require(sum_a - sum_b, COMPARED["eq"])
        return
    for sum_a, sum_b in combinations(row, 2):
        to.require_any([to.equals(sum_a, sum_b), _membership(to, sum_a, excepted), _membership(to, sum_b, excepted)])


def _require_order(to: FormWriter, given: Arguments) -> None:
    """Require that sums are in order, with a distance between each two if there are lengths."""
    row, order = given.sums(), given.content("operator")
    lengths = given.sums_of_length("lengths", len(row) - 1) if given.has("lengths") else [LinearForm()] * (len(row) - 1)
    for (sum_a, sum_b), length in zip(pairwise(row), lengths, strict=True):
        to.require(sum_a + length - sum_b, COMPARED[order])


def _lex(to: FormWriter, given: Arguments) -> None:
    """Require that lists, or the rows and the columns of a matrix, are in lexicographic order."""
    order = given.content("operator")
    families = [given.matrix()] if given.has("matrix") else [given.lists()]
    if given.has("matrix"):
        families.append([*map(list, zip(*families[0], strict=True))])
    for lists in families:
        for list_a, list_b in pairwise(lists):
            less, greater = (list_a, list_b) if order in ("lt", "le") else (list_b, list_a)
            _precedes(to, less, greater, order in ("lt", "gt"))


def _precedes(to: FormWriter, left: Sequence[LinearForm], right: Sequence[LinearForm], is_strict: bool) -> None:
    """Require that the left list comes before the right one, of the same length, in lexicographic order.

    Equal lists are allowed unless is_strict.
    """
    equal_so_far = LinearForm({}, 1)
    for number, (a, b) in enumerate(zip(left, right, strict=True), 1):
        comparison = "lt" if is_strict and number == len(left) else "le"
        to.require_any([negation(equal_so_far), to.truth_value(a - b, COMPARED[comparison])])
        equal_so_far = to.all_true([equal_so_far, to.equals(a, b)])


def _precedence(to: FormWriter, given: Arguments) -> None:
    """Require that each value is preceded by the one before it in a list of values."""
    row = given.sums()
    if given.has("values"):
        values = given.integers("values")
    else:
        values = sorted({value for term in row for value in to.values(term)})
    for value_before, value in pairwise(values):
        for place, term_here in enumerate(row):
            to.require_any(
                [negation(to.equals(term_here, value)), *(to.equals(term, value_before) for term in row[:place])]
            )
    for value in values if given.attribute("covered", tag="values") == "true" else ():
        to.require_any([to.equals(term, value) for term in row])


def _scalar(to: FormWriter, row: Sequence[LinearForm], factors: Sequence[LinearForm]) -> LinearForm:
    """Return the sum of products of two lists."""
    return total(to.product(term, factor) for term, factor in zip(row, factors, strict=True))


def _sum(to: FormWriter, given: Arguments) -> None:
    """Require a condition on a sum of products."""
    row = given.sums()
    factors = given.sums_of_length("coeffs", len(row)) if given.has("coeffs") else [LinearForm({}, 1)] * len(row)
    to.require(*relation(_scalar(to, row, factors), given.content("condition")))


def _count(to: FormWriter, given: Arguments) -> None:
    """Require a condition on the number of sums that have one of some values, which may be variables."""
    row, values = given.sums(), given.sums("values")
    count = total(to.any_true([to.equals(term, value) for value in values]) for term in row)
    to.require(*relation(count, given.content("condition")))


def distinct(to: FormWriter, row: Sequence[LinearForm], excepted: Sequence[int] = ()) -> LinearForm:
    """Return the number of different values of some sums, without excepted ones."""
    values = {value for term in row for value in to.values(term)} - {*excepted}
    return total(to.any_true([to.equals(term, value) for term in row]) for value in sorted(values))


def _n_values(to: FormWriter, given: Arguments) -> None:
    """Require a condition on the number of different values."""
    count = distinct(to, given.sums(), given.integers("except") if given.has("except") else ())
    to.require(*relation(count, given.content("condition")))


def _cardinality(to: FormWriter, given: Arguments) -> None:
    """Require how often each of some values is taken."""
    row, values, occurs = given.sums(), given.sums("values"), given.content("occurs")
    occurs = occurs if isinstance(occurs, list) else [occurs]
    if len(occurs) != len(values):
        raise Refused(f"<occurs> has length {len(occurs)} in place of {len(values)}")
    for value, times in zip(values, occurs, strict=True):
        count = total(to.equals(term, value) for term in row)
        if isinstance(times, range):
            to.require(count, Domain(times.start, times.stop - 1))
        else:
            to.require(count - given.sums_of_list(times)[0], COMPARED["eq"])
    if given.attribute("closed", tag="values") == "true":
        for term in row:
            to.require_any([to.equals(term, value) for value in values])


def _extreme(is_greatest: bool) -> Callable[[FormWriter, Arguments], None]:
    """Return the function that requires a condition on the greatest or least sum."""

    def post(to: FormWriter, given: Arguments) -> None:
        """Require the condition."""
        choose = to.greatest if is_greatest else to.smallest
        to.require(*relation(choose(given.sums()), given.content("condition")))

    return post


def _place_of_extreme(is_greatest: bool) -> Callable[[FormWriter, Arguments], None]:
    """Return the function that requires a condition on the index of the greatest or least sum."""

    def post(to: FormWriter, given: Arguments) -> None:
        """Require that some place satisfies the condition, and has a sum that no other exceeds."""
        row, rank, start = given.sums(), given.attribute("rank", "any"), given.start()
        row = row if is_greatest else [-term for term in row]
        alternatives = []
        for place, candidate in enumerate(row):
            comparisons = []
            for number, other in enumerate(row):
                if number != place:
                    # The first or last of several greatest sums is greater than those before or after it.
                    is_strict = {"any": False, "first": number < place, "last": number > place}[rank]
                    comparisons.append(to.truth_value(other - candidate, COMPARED["lt" if is_strict else "le"]))
            condition_holds = to.truth_value(*relation(LinearForm({}, place + start), given.content("condition")))
            alternatives.append(to.all_true([condition_holds, *comparisons]))
        to.require_any(alternatives)

    return post


def _element(to: FormWriter, given: Arguments) -> None:
    """Require a condition on the entry of a list or a matrix at an index; without an index, on some entry.

    A matrix becomes a list, row by row. Without a condition, the entry equals a value.
    """
    if given.has("matrix"):
        rows, index = given.matrix(), given.sums("index")
        if len(index) != 2:
            raise Refused("a matrix needs two indices")
        row, column = (
            index_sum - given.start(name, "matrix")
            for index_sum, name in zip(index, ("startRowIndex", "startColIndex"), strict=True)
        )
        to.require(row, Domain(0, len(rows) - 1))
        to.require(column, Domain(0, len(rows[0]) - 1))
        entries = [entry for line in rows for entry in line]
        place: LinearForm | None = row * len(rows[0]) + column
    else:
        entries = given.sums()
        place = given.sums_of_length("index", 1)[0] - given.start() if given.has("index") else None
    if given.attribute("rank", "any", "index") != "any":
        raise Refused("its rank is not understood; any is")
    condition = (
        given.content("condition") if given.has("condition") else Condition("eq", given.sums_of_length("value", 1)[0])
    )
    if place is None:
        to.require_any([to.truth_value(*relation(entry, condition)) for entry in entries])
    else:
        to.require(*relation(to.element(place, entries), condition))


def _channel(to: FormWriter, given: Arguments) -> None:
    """Require that lists are inverse to each other, one is to itself, or a list is 1 at a value and else 0.

    The first list may be the shorter one: then each of its entries is the place of its index in the second list.
    """
    lists = [given.sums_of_list(content) for content in given.contents("list")]
    start = given.start()
    if given.has("value"):
        value = given.sums_of_length("value", 1)[0] - start
        to.require(value, Domain(0, len(lists[0]) - 1))
        for place, term in enumerate(lists[0]):
            to.require(term - to.equals(value, place), COMPARED["eq"])
        return
    if len(lists) > 2 or len(lists[0]) > len(lists[-1]):
        raise Refused("its first list is longer than its second, or it has more than two")
    direct, inverse = lists[0], lists[-1]
    first_index = given.start(tag="list 2") if len(lists) > 1 else start
    for place, term in enumerate(direct, start):
        to.require(term - first_index, Domain(0, len(inverse) - 1))
        for number, inverse_term in enumerate(inverse, first_index):
            to.require_any([negation(to.equals(term, number)), to.equals(inverse_term, place)])


def _no_overlap(to: FormWriter, given: Arguments) -> None:
    """Require that tasks, or boxes, do not overlap: of each two, one ends before the other begins along some axis.

    A task is a box of one dimension. One that has length 0 along an axis is ignored, unless ``zeroIgnored`` is false.
    """
    all_origins, all_lengths = (
        [given.sums_of_list(content) for content in given.contents(tag)[0]] for tag in ("origins", "lengths")
    )
    given.rectangle([*all_origins, *all_lengths])
    if len(all_origins) != len(all_lengths):
        raise Refused(f"<lengths> has length {len(all_lengths)} in place of {len(all_origins)}")
    may_ignore = given.attribute("zeroIgnored", "true") != "false"
    for (origins_a, lengths_a), (origins_b, lengths_b) in combinations(
        [*zip(all_origins, all_lengths, strict=True)], 2
    ):
        alternatives = [to.equals(length, 0) for length in (*lengths_a, *lengths_b) if may_ignore]
        for a, a_length, b, b_length in zip(origins_a, lengths_a, origins_b, lengths_b, strict=True):
            alternatives += [
                to.truth_value(a + a_length - b, COMPARED["le"]),
                to.truth_value(b + b_length - a, COMPARED["le"]),
            ]
        to.require_any(alternatives)


def _cumulative(to: FormWriter, given: Arguments) -> None:
    """Bound the sum of the heights of tasks that run at the same time.

    The sum is greatest where a task begins. CP-SAT's own constraint is used for many tasks; it takes no negative
    length.
    """
    origins = given.sums("origins")
    lengths, heights = given.sums_of_length("lengths", len(origins)), given.sums_of_length("heights", len(origins))
    condition = given.content("condition")
    if condition.relation not in ("lt", "le"):
        raise Refused(f"its condition {condition.relation} is not understood; lt and le are")
    if any(to.domain(height).min() < 0 for height in heights):
        raise Refused("a height may be negative")
    ends = [origin + length for origin, length in zip(origins, lengths, strict=True)]
    for end, required_end in (
        zip(ends, given.sums_of_length("ends", len(origins)), strict=True) if given.has("ends") else ()
    ):
        to.require(end - required_end, COMPARED["eq"])
    to.require(*relation(LinearForm(), condition))  # for the sum 0, where no task runs
    if len(origins) > MAX_DECOMPOSED_TASKS and all(to.domain(length).min() >= 0 for length in lengths):
        tasks = [
            to.model.new_interval_var(to.affine(origin), to.affine(length), to.affine(end), "")
            for origin, length, end in zip(origins, lengths, ends, strict=True)
        ]
        capacity = to.affine(condition.right + (-1 if condition.relation == "lt" else 0))
        to.add(to.model.add_cumulative(tasks, [to.affine(height) for height in heights], capacity))
        return
    for moment in origins:
        running = [
            to.all_true([to.truth_value(origin - moment, COMPARED["le"]), to.truth_value(end - moment, COMPARED["gt"])])
            for origin, end in zip(origins, ends, strict=True)
        ]
        to.require(*relation(_scalar(to, heights, running), condition))


def _bin_packing(to: FormWriter, given: Arguments) -> None:
    """Require a condition on the load of each bin.

    It is one condition for all bins that items are in, or one for each bin: then bins are numbered from ``start``, and
    each item is in one of them. The conditions may be given as ``limits``, at most, or ``loads``, exactly.
    """
    row, start = given.sums(), given.start()  # the bin of each item, and the number of the first bin
    sizes = given.sums_of_length("sizes", len(row))

    def load(number: int) -> LinearForm:
        """Return the sum of the sizes of the items in a bin."""
        return _scalar(to, sizes, [to.equals(term, number) for term in row])

    if given.has("condition"):
        condition = given.content("condition")
        for number in sorted({value for term in row for value in to.values(term)}):
            if to.truth_value(*relation(LinearForm(), condition)) == LinearForm({}, 1):  # an empty bin satisfies it
                to.require(*relation(load(number), condition))
                continue
            empty = to.all_true([negation(to.equals(term, number)) for term in row])
            to.require_any([empty, to.truth_value(*relation(load(number), condition))])
        return
    if given.has("conditions"):
        conditions = given.content("conditions")
    else:
        symbol = "le" if given.has("limits") else "eq"
        conditions = [Condition(symbol, term) for term in given.sums("limits" if symbol == "le" else "loads")]
    for term in row:
        to.require(term - start, Domain(0, len(conditions) - 1))
    for number, condition in enumerate(conditions, start):
        to.require(*relation(load(number), condition))


def _knapsack(to: FormWriter, given: Arguments) -> None:
    """Require a condition on the total weight, and one on the total profit, of the things in a knapsack.

    The list says how many there are of each kind of thing.
    """
    row, conditions = given.sums(), given.contents("condition")
    if len(conditions) != 2:
        raise Refused("it has not two elements <condition>")
    for tag, condition in zip(("weights", "profits"), conditions, strict=True):
        to.require(*relation(_scalar(to, row, given.sums_of_length(tag, len(row))), condition))


def _circuit(to: FormWriter, given: Arguments) -> None:
    """Require that successors form one circuit of two nodes or more; the others are their own successors."""
    row, start = given.sums(), given.start()
    nodes = range(len(row))
    for term in row:
        to.require(term - start, Domain(0, len(row) - 1))
    moves_on = [negation(to.equals(term, place + start)) for place, term in enumerate(row)]
    to.require_any(moves_on)
    if row:  # an arc from a node to itself takes it out of the circuit
        arcs = [(a, b, to.literal(to.equals(row[a], b + start))) for a, b in product(nodes, nodes)]
        to.add(to.model.add_circuit(arcs))
    if given.has("size"):
        to.require(total(moves_on) - given.sums_of_length("size", 1)[0], COMPARED["eq"])


def _instantiation(to: FormWriter, given: Arguments) -> None:
    """Require values; * represents any value."""
    row, values = given.sums(), given.content("values")
    if len(values) != len(row):
        raise Refused(f"<values> has length {len(values)} in place of {len(row)}")
    for term, value in zip(row, values, strict=True):
        if value != "*":
            to.require(term - given.sums_of_list(value)[0], COMPARED["eq"])


def _clause(to: FormWriter, given: Arguments) -> None:
    """Require that one of some literals is true."""
    to.require_any([to.truth_value(term, COMPARED["ne"]) for term in given.sums()])


CONSTRAINTS: Mapping[str, Callable[[FormWriter, Arguments], None]] = {
    "extension": _extension,
    "regular": _regular,
    "mdd": _mdd,
    "allDifferent": _all_different,
    "allEqual": _all_equal,
    "ordered": _require_order,
    "lex": _lex,
    "precedence": _precedence,
    "sum": _sum,
    "count": _count,
    "nValues": _n_values,
    "cardinality": _cardinality,
    "minimum": _extreme(False),
    "maximum": _extreme(True),
    "minimumArg": _place_of_extreme(False),
    "maximumArg": _place_of_extreme(True),
    "element": _element,
    "channel": _channel,
    "noOverlap": _no_overlap,
    "cumulative": _cumulative,
    "binPacking": _bin_packing,
    "knapsack": _knapsack,
    "circuit": _circuit,
    "instantiation": _instantiation,
    "clause": _clause,
}
"""The functions by the tag of the constraint; intension is apart."""
