"""The constraints of XCSP3 in a CP-SAT model, by the tags of their elements.

Meaning: XCSP3-core 3.1. What is undefined, such as a division by 0 or an index outside a list, is not a solution.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, pairwise, product
from typing import Any, NamedTuple

from ortools.sat.python.cp_model import Domain

from solvers.extras.bridges.xcsp3.terms import DIFFERENCES, FormWriter, LinearForm, Refused, negation, total

MAX_SETS_OF_STATES = 100_000
"""An automaton that becomes larger when it is made deterministic is refused."""

MAX_DECOMPOSED_TASKS = 60
"""A cumulative of more tasks is expressed with intervals."""


class Condition(NamedTuple):
    """A condition on a linear sum: a relation to another sum, or membership in a set of integers."""

    relation: str
    """A key of `DIFFERENCES`, such as "le", or "in" or "notin"."""

    right: LinearForm | Domain


class Arguments:
    """The elements of a constraint by tag, and its attributes, as the parser returns them; notes which are read."""

    def __init__(
        self, parts: Sequence[tuple[str, Any]], attributes: Mapping[str, str], terms: Callable[[Any], LinearForm]
    ) -> None:
        """Take the parts of a constraint and its attributes.

        parts: (tag, content as the parser returns it) for each element in the constraint. attributes: text by
        "tag@name" for an attribute of such an element, or "@name" for one of the constraint itself. terms: makes a
        linear sum of what the parser returns for a variable, an integer or an expression.
        """
        self._parts: dict[str, list[Any]] = {}
        for tag, content in parts:
            self._parts.setdefault(tag, []).append(content)
        self._attributes, self._term = dict(attributes), terms
        self._unread_tags = {*self._parts}

    def unread(self) -> str:
        """Return what of the constraint was never read, in words; empty if all was."""
        if self._unread_tags:
            return f"<{min(self._unread_tags)}>"
        return min(self._attributes, default="")

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
        """Return the first index of a list, or of the rows or columns of a matrix: an attribute, 0 if left out.

        name: the attribute. tag: the element that has it.
        """
        text = self.attribute(name, "0", tag)
        if not text.lstrip("-").isdigit():
            raise Refused(f"{name} is not an integer")
        return int(text)


def _integers(content: Any) -> list[int]:
    """Return what the parser returns for a list of integers as integers.

    content: a list, or a single integer or range; a list may have ranges, too. Raises `Refused` for anything else.
    """
    integers: list[int] = []
    for part in content if isinstance(content, list) else [content]:
        if not isinstance(part, (int, range)):
            raise Refused(f"{part} is not an integer")
        integers += [part] if isinstance(part, int) else part
    return integers


def relation(left: LinearForm, condition: Condition) -> tuple[LinearForm, Domain]:
    """Return a condition on a linear sum as (a sum, the domain in which that sum has to lie).

    For example, left <= right becomes (left - right, the integers up to 0): `DIFFERENCES` has the domain of the
    difference for each relation. Raises `Refused` if a relation such as "le" has a set at its right, or "in" has none.
    """
    if isinstance(condition.right, LinearForm):
        if condition.relation not in DIFFERENCES:
            raise Refused(f"the condition {condition.relation} needs a set")
        return left - condition.right, DIFFERENCES[condition.relation]
    if condition.relation not in ("in", "notin"):
        raise Refused(f"the condition {condition.relation} cannot have a set")
    return left, condition.right if condition.relation == "in" else condition.right.complement()


def _membership(writer: FormWriter, form: LinearForm, values: Sequence[int]) -> LinearForm:
    """Return the truth value of "the sum is one of the values"."""
    return writer.truth_value(form, Domain.from_values(values))


def _value_truths(writer: FormWriter, forms: Sequence[LinearForm], values: Sequence[int | None]) -> list[LinearForm]:
    """Return the truth values (sums that are 0 or 1) of "this sum has this value", for all but the values None."""
    return [writer.equals(form, value) for form, value in zip(forms, values, strict=True) if value is not None]


def _extension(writer: FormWriter, arguments: Arguments) -> None:
    """Require that a tuple of sums is in a table (<supports>), or not in one (<conflicts>).

    The table is a list of rows, in which None represents any value; of a single column, it is a list of integers.
    writer: adds to the CP-SAT model; its truth values are sums that are 0 or 1. arguments: the XML element;
    ``sums(tag)`` returns the linear sums in its part <tag>, <list> if left out.
    """
    forms, is_positive = arguments.sums(), arguments.has("supports")
    table = arguments.content("supports" if is_positive else "conflicts") or []
    if table and not isinstance(table[0], list):
        table = [[value] for value in _integers(table)]
    if any(len(values) != len(forms) for values in table):
        raise Refused(f"its table has rows of other lengths than {len(forms)}")
    has_wildcards = any(None in values for values in table)
    if not table:  # no tuple is in it: <supports> allow none, <conflicts> forbid none
        if is_positive:
            writer.require_any([])  # an empty disjunction, which is false
    elif len(forms) == 1 and not has_wildcards:
        domain = Domain.from_values([value for (value,) in table])
        writer.require(forms[0], domain if is_positive else domain.complement())
    elif not has_wildcards:
        add = writer.model.add_allowed_assignments if is_positive else writer.model.add_forbidden_assignments
        writer.add(add([writer.affine(form) for form in forms], table))
    elif is_positive:
        writer.require_any([writer.all_true(_value_truths(writer, forms, values)) for values in table])
    else:
        for values in table:
            writer.require_any([negation(truth) for truth in _value_truths(writer, forms, values)])


def _automaton(
    writer: FormWriter, word: Sequence[LinearForm], steps: Sequence[Any], start: str, final: Iterable[str]
) -> None:
    """Require that an automaton, which need not be deterministic, accepts a word.

    It is made deterministic, as CP-SAT requires, by the subset construction: each set of states that some word reaches
    becomes one state of the new automaton, with a number; 0 is the set of the start.

    writer: adds to the CP-SAT model. word: the linear sums whose values are the letters. steps: (state, value, next
    state). start, final: the name of the first state, and of those in which a word is accepted.
    """
    successors: dict[str, dict[int, set[str]]] = {}
    for state, value, successor in steps:
        successors.setdefault(state, {}).setdefault(value, set()).add(successor)
    number_of_set = {frozenset([start]): 0}
    arcs = []
    pending_sets = [frozenset([start])]
    accepting = {*final}
    while pending_sets:
        state_set = pending_sets.pop()
        for value in {value for state in state_set for value in successors.get(state, ())}:
            next_set = frozenset(
                next_state for state in state_set for next_state in successors.get(state, {}).get(value, ())
            )
            if next_set not in number_of_set:
                number_of_set[next_set] = len(number_of_set)
                pending_sets.append(next_set)
            arcs.append((number_of_set[state_set], value, number_of_set[next_set]))
        if len(number_of_set) > MAX_SETS_OF_STATES:
            raise Refused(f"its automaton has more than {MAX_SETS_OF_STATES} sets of states")
    accepting_numbers = [number for state_set, number in number_of_set.items() if state_set & accepting]
    # CP-SAT refuses an automaton without letters, accepting states or arcs: the last branch decides these cases.
    if word and accepting_numbers and arcs:
        writer.add(writer.model.add_automaton([writer.affine(term) for term in word], 0, accepting_numbers, arcs))
    elif word or start not in accepting:
        writer.require_any([])  # false: no word is accepted


def _regular(writer: FormWriter, arguments: Arguments) -> None:
    """Require that an automaton accepts a word."""
    steps, start, final = (arguments.content(tag) for tag in ("transitions", "start", "final"))
    _automaton(writer, arguments.sums(), steps, start, final)


def _mdd(writer: FormWriter, arguments: Arguments) -> None:
    """Require that a path through a decision diagram, from its root to a terminal node, has the sums as its labels.

    The diagram is given as transitions (node, value, next node). It is taken as an automaton that starts at the root,
    the one node that no transition enters, and ends at the nodes that none leaves.

    writer: adds to the CP-SAT model. arguments: the XML element; ``sums(tag)`` returns the linear sums in its part
    <tag>, <list> if left out.
    """
    steps = arguments.content("transitions")
    sources = {state for state, _, _ in steps}
    targets = {state for _, _, state in steps}
    if len(sources - targets) != 1:
        raise Refused("its diagram has not exactly one root")
    _automaton(writer, arguments.sums(), steps, min(sources - targets), targets - sources)


def _all_different(writer: FormWriter, arguments: Arguments) -> None:
    """Require that values, lists of values, or the entries of each row and each column of a matrix differ.

    Values, or lists, in <except> may occur several times. writer: adds to the CP-SAT model; its truth values are sums
    that are 0 or 1. arguments: the XML element; ``sums(tag)`` returns the linear sums in its part <tag>, <list> if left
    out.
    """
    excepted = arguments.content("except") if arguments.has("except") else []
    if arguments.has("matrix"):
        rows = arguments.matrix()
        for line in [*rows, *map(list, zip(*rows, strict=True))]:
            _differ(writer, line, _integers(excepted))
        return
    lists = arguments.lists()
    if len(lists) == 1:
        _differ(writer, lists[0], _integers(excepted))
        return
    excepted = [_integers(values) for values in excepted]
    if any(len(values) != len(lists[0]) for values in excepted):
        raise Refused("<except> has lists of another length")
    for list_a, list_b in combinations(lists, 2):
        differences = [negation(writer.equals(a, b)) for a, b in zip(list_a, list_b, strict=True)]
        exceptions = [writer.all_true(_value_truths(writer, list_a, values)) for values in excepted]
        writer.require_any([*differences, *exceptions])


def _differ(writer: FormWriter, forms: Sequence[LinearForm], excepted: Sequence[int]) -> None:
    """Require that linear sums differ, except where they have excepted values."""
    if not excepted:
        writer.add(writer.model.add_all_different([writer.affine(form) for form in forms]))
        return
    for sum_a, sum_b in combinations(forms, 2):
        writer.require_any([negation(writer.equals(sum_a, sum_b)), _membership(writer, sum_a, excepted)])


def _all_equal(writer: FormWriter, arguments: Arguments) -> None:
    """Require that all sums whose value is not in <except> are equal.

    writer: adds to the CP-SAT model; its truth values are sums that are 0 or 1. arguments: the XML element;
    ``sums(tag)`` returns the linear sums in its part <tag>, <list> if left out. ``_membership`` is the truth value of
    "the sum is one of the values". `DIFFERENCES` has the domain of left minus right for each relation.
    """
    row = arguments.sums()
    excepted = arguments.integers("except") if arguments.has("except") else []
    if not excepted:
        for sum_a, sum_b in pairwise(row):
            writer.require(sum_a - sum_b, DIFFERENCES["eq"])
        return
    for sum_a, sum_b in combinations(row, 2):
        is_excepted = [_membership(writer, sum_ab, excepted) for sum_ab in (sum_a, sum_b)]
        writer.require_any([writer.equals(sum_a, sum_b), *is_excepted])


def _require_order(writer: FormWriter, arguments: Arguments) -> None:
    """Require that each sum is in the relation <operator> to the next one, such as "le".

    If there are <lengths>, each sum is greater by its length before it is compared: row[i] + lengths[i] <= row[i + 1].

    writer: adds to the CP-SAT model. arguments: the XML element; ``sums(tag)`` returns the linear sums in its part
    <tag>, <list> if left out; ``sums_of_length`` refuses another length. `DIFFERENCES` has the domain of left minus
    right for each relation.
    """
    row, order = arguments.sums(), arguments.content("operator")
    lengths = [LinearForm()] * (len(row) - 1)  # zeros
    if arguments.has("lengths"):
        lengths = arguments.sums_of_length("lengths", len(row) - 1)
    for (sum_a, sum_b), length in zip(pairwise(row), lengths, strict=True):
        writer.require(sum_a + length - sum_b, DIFFERENCES[order])


def _lex(writer: FormWriter, arguments: Arguments) -> None:
    """Require that lists, or both the rows and the columns of a matrix, are in lexicographic order.

    The element <operator> is the relation of each line to the next: lt, le, ge or gt. writer: adds to the CP-SAT model.
    arguments: the XML element; ``sums(tag)`` returns the linear sums in its part <tag>, <list> if left out.
    """
    order = arguments.content("operator")
    if arguments.has("matrix"):
        rows = arguments.matrix()
        ordered_families = [rows, [*map(list, zip(*rows, strict=True))]]
    else:
        ordered_families = [arguments.lists()]
    for lines in ordered_families:
        for line_a, line_b in pairwise(lines):
            less, greater = (line_a, line_b) if order in ("lt", "le") else (line_b, line_a)
            _precedes(writer, less, greater, order in ("lt", "gt"))


def _precedes(writer: FormWriter, left: Sequence[LinearForm], right: Sequence[LinearForm], is_strict: bool) -> None:
    """Require that the left list comes before the right one, of the same length, in lexicographic order.

    At each place, left <= right has to hold if the lists agree at all places before. Equal lists are allowed unless
    is_strict: then the last place needs left < right. writer: adds to the CP-SAT model; its truth values are sums that
    are 0 or 1. `DIFFERENCES` has the domain of left minus right for each relation.
    """
    equal_so_far = LinearForm({}, 1)
    for length_so_far, (a, b) in enumerate(zip(left, right, strict=True), 1):
        comparison = "lt" if is_strict and length_so_far == len(left) else "le"
        writer.require_any([negation(equal_so_far), writer.truth_value(a - b, DIFFERENCES[comparison])])
        equal_so_far = writer.all_true([equal_so_far, writer.equals(a, b)])


def _precedence(writer: FormWriter, arguments: Arguments) -> None:
    """Require that wherever a value occurs in a list, the value before it in <values> occurs at an earlier place.

    Without <values>, all values that the sums can take are taken, ascending. If the attribute ``covered`` of <values>
    is true, each value has to occur. writer: adds to the CP-SAT model; its truth values are sums that are 0 or 1.
    arguments: the XML element; ``sums(tag)`` returns the linear sums in its part <tag>, <list> if left out.
    """
    row = arguments.sums()
    if arguments.has("values"):
        values = arguments.integers("values")
    else:
        values = sorted({value for term in row for value in writer.values(term)})
    for value_before, value in pairwise(values):
        for place, term_here in enumerate(row):
            occurs_before = [writer.equals(term, value_before) for term in row[:place]]
            writer.require_any([negation(writer.equals(term_here, value)), *occurs_before])
    if arguments.attribute("covered", tag="values") == "true":
        for value in values:
            writer.require_any([writer.equals(term, value) for term in row])


def _scalar(writer: FormWriter, row: Sequence[LinearForm], factors: Sequence[LinearForm]) -> LinearForm:
    """Return the sum of products of two lists."""
    return total(writer.product(term, factor) for term, factor in zip(row, factors, strict=True))


def _sum(writer: FormWriter, arguments: Arguments) -> None:
    """Require a condition on a sum of products."""
    row = arguments.sums()
    factors = (
        arguments.sums_of_length("coeffs", len(row)) if arguments.has("coeffs") else [LinearForm({}, 1)] * len(row)
    )
    writer.require(*relation(_scalar(writer, row, factors), arguments.content("condition")))


def _count(writer: FormWriter, arguments: Arguments) -> None:
    """Require a condition on the number of sums that have one of some values, which may be variables."""
    row, values = arguments.sums(), arguments.sums("values")
    count = total(writer.any_true([writer.equals(term, value) for value in values]) for term in row)
    writer.require(*relation(count, arguments.content("condition")))


def distinct(writer: FormWriter, forms: Sequence[LinearForm], excepted: Sequence[int] = ()) -> LinearForm:
    """Return the number of different values of some sums, without excepted ones."""
    values = {value for form in forms for value in writer.values(form)} - {*excepted}
    occurrences = ([writer.equals(form, value) for form in forms] for value in sorted(values))
    return total(map(writer.any_true, occurrences))


def _n_values(writer: FormWriter, arguments: Arguments) -> None:
    """Require a condition on the number of different values."""
    count = distinct(writer, arguments.sums(), arguments.integers("except") if arguments.has("except") else ())
    writer.require(*relation(count, arguments.content("condition")))


def _cardinality(writer: FormWriter, arguments: Arguments) -> None:
    """Require of each value in <values> how often it occurs: the entry of <occurs> at the same place.

    An entry is a range of numbers, or what the parser returns for an integer or a variable. If the attribute ``closed``
    of <values> is true, no other value occurs. writer: adds to the CP-SAT model; its truth values are sums that are 0
    or 1. arguments: the XML element; ``sums(tag)`` returns the linear sums in its part <tag>, <list> if left out.
    `DIFFERENCES` has the domain of left minus right for each relation.
    """
    row = arguments.sums()
    values = arguments.sums("values")
    occurs = arguments.content("occurs")
    occurs = occurs if isinstance(occurs, list) else [occurs]  # the parser leaves a single entry without a list
    if len(occurs) != len(values):
        raise Refused(f"<occurs> has length {len(occurs)} in place of {len(values)}")
    for value, wanted_count in zip(values, occurs, strict=True):
        count = total(writer.equals(term, value) for term in row)
        if isinstance(wanted_count, range):
            writer.require(count, Domain(wanted_count.start, wanted_count.stop - 1))
        else:
            writer.require(count - arguments.sums_of_list(wanted_count)[0], DIFFERENCES["eq"])
    if arguments.attribute("closed", tag="values") == "true":
        for term in row:
            writer.require_any([writer.equals(term, value) for value in values])


def _extreme(is_greatest: bool) -> Callable[[FormWriter, Arguments], None]:
    """Return the function that requires a condition on the greatest of some sums, or on the least."""

    def post(writer: FormWriter, arguments: Arguments) -> None:
        """Require the condition."""
        choose = writer.greatest if is_greatest else writer.smallest
        writer.require(*relation(choose(arguments.sums()), arguments.content("condition")))

    return post


def _place_of_extreme(is_greatest: bool) -> Callable[[FormWriter, Arguments], None]:
    """Return the function that requires a condition on the index of the greatest of some sums, or of the least."""

    def post(writer: FormWriter, arguments: Arguments) -> None:
        """Require that some index satisfies the condition, and that no other sum exceeds the sum there.

        If the attribute ``rank`` is "first" or "last", the index is that of the first or last of several greatest sums;
        "any" allows each of them. writer: adds to the CP-SAT model; its truth values are sums that are 0 or 1.
        arguments: the XML element; ``sums(tag)`` returns the linear sums in its part <tag>, <list> if left out.
        `relation` returns a condition as (sum, domain in which it has to lie). `DIFFERENCES` has the domain of left
        minus right for each relation.
        """
        row = arguments.sums()
        rank = arguments.attribute("rank", "any")
        start = arguments.start()
        row = row if is_greatest else [-term for term in row]  # the least becomes the greatest
        place_truths = []
        for place, candidate in enumerate(row):
            comparisons = []
            for other_place, other in enumerate(row):
                if other_place != place:
                    # The first or last of several greatest sums is greater than those before or after it.
                    is_strict = {"any": False, "first": other_place < place, "last": other_place > place}[rank]
                    comparisons.append(writer.truth_value(other - candidate, DIFFERENCES["lt" if is_strict else "le"]))
            index = LinearForm({}, place + start)  # a constant
            condition_holds = writer.truth_value(*relation(index, arguments.content("condition")))
            place_truths.append(writer.all_true([condition_holds, *comparisons]))
        writer.require_any(place_truths)

    return post


def _element(writer: FormWriter, arguments: Arguments) -> None:
    """Require a condition on the entry of a list or a matrix at an index; without an index, on some entry.

    A matrix becomes a list, row by row, and its two indices the place row * width + column. Without <condition>, the
    entry equals <value>. writer: adds to the CP-SAT model; its truth values are sums that are 0 or 1. arguments: the
    XML element; ``sums(tag)`` returns the linear sums in its part <tag>, <list> if left out; ``start`` returns the
    first index. `relation` returns a condition as (sum, domain in which it has to lie).
    """
    if arguments.has("matrix"):
        rows, index = arguments.matrix(), arguments.sums("index")
        if len(index) != 2:
            raise Refused("a matrix needs two indices")
        row = index[0] - arguments.start("startRowIndex", "matrix")
        column = index[1] - arguments.start("startColIndex", "matrix")
        writer.require(row, Domain(0, len(rows) - 1))
        writer.require(column, Domain(0, len(rows[0]) - 1))
        entries = [entry for matrix_row in rows for entry in matrix_row]
        place: LinearForm | None = row * len(rows[0]) + column
    else:
        entries = arguments.sums()
        place = arguments.sums_of_length("index", 1)[0] - arguments.start() if arguments.has("index") else None
    if arguments.attribute("rank", "any", "index") != "any":
        raise Refused("its rank is not understood; any is")
    if arguments.has("condition"):
        condition = arguments.content("condition")
    else:
        condition = Condition("eq", arguments.sums_of_length("value", 1)[0])
    if place is None:
        writer.require_any([writer.truth_value(*relation(entry, condition)) for entry in entries])
    else:
        writer.require(*relation(writer.element(place, entries), condition))


def _channel(writer: FormWriter, arguments: Arguments) -> None:
    """Require one of three meanings, by what the element has.

    Two lists are inverse to each other: the entry i of the first is j if and only if the entry j of the second is i. A
    single list is inverse to itself. With <value>, the list is 1 at the index that is the value, and 0 elsewhere.

    The first list may be shorter than the second: then "only if" alone is required. writer: adds to the CP-SAT model;
    its truth values are sums that are 0 or 1. arguments: the XML element; ``sums(tag)`` returns the linear sums in its
    part <tag>, <list> if left out. `DIFFERENCES` has the domain of left minus right for each relation.
    """
    lists = [arguments.sums_of_list(content) for content in arguments.contents("list")]
    start = arguments.start()
    if arguments.has("value"):
        value = arguments.sums_of_length("value", 1)[0] - start
        writer.require(value, Domain(0, len(lists[0]) - 1))
        for place, term in enumerate(lists[0]):
            writer.require(term - writer.equals(value, place), DIFFERENCES["eq"])  # the truth value is 0 or 1
        return
    if len(lists) > 2 or len(lists[0]) > len(lists[-1]):
        raise Refused("its first list is longer than its second, or it has more than two")
    direct, inverse = lists[0], lists[-1]
    first_index = arguments.start(tag="list 2") if len(lists) > 1 else start
    for place, term in enumerate(direct, start):
        writer.require(term - first_index, Domain(0, len(inverse) - 1))
        for number, inverse_term in enumerate(inverse, first_index):
            writer.require_any([negation(writer.equals(term, number)), writer.equals(inverse_term, place)])


def _no_overlap(writer: FormWriter, arguments: Arguments) -> None:
    """Require that tasks, or boxes, do not overlap: of each two, one ends before the other begins along some axis.

    Each entry of <origins> and <lengths> is a list with a sum for each axis; a task is a box of one dimension. A box of
    length 0 along an axis is ignored, unless the attribute ``zeroIgnored`` is false.

    writer: adds to the CP-SAT model; its truth values are sums that are 0 or 1. arguments: the parts of the XML element
    by tag, and its attributes. `DIFFERENCES` has the domain of left minus right for each relation.
    """
    all_origins, all_lengths = (
        [arguments.sums_of_list(content) for content in arguments.contents(tag)[0]] for tag in ("origins", "lengths")
    )
    arguments.rectangle([*all_origins, *all_lengths])  # refuses boxes of different dimensions
    if len(all_origins) != len(all_lengths):
        raise Refused(f"<lengths> has length {len(all_lengths)} in place of {len(all_origins)}")
    may_ignore = arguments.attribute("zeroIgnored", "true") != "false"
    boxes = [*zip(all_origins, all_lengths, strict=True)]
    for (origins_a, lengths_a), (origins_b, lengths_b) in combinations(boxes, 2):
        alternatives = [writer.equals(length, 0) for length in (*lengths_a, *lengths_b) if may_ignore]
        for a, a_length, b, b_length in zip(origins_a, lengths_a, origins_b, lengths_b, strict=True):
            is_a_before = writer.truth_value(a + a_length - b, DIFFERENCES["le"])
            is_b_before = writer.truth_value(b + b_length - a, DIFFERENCES["le"])
            alternatives += [is_a_before, is_b_before]
        writer.require_any(alternatives)


def _cumulative(writer: FormWriter, arguments: Arguments) -> None:
    """Bound the sum of the heights of tasks that run at the same time.

    The sum is greatest where a task begins, so it is bounded there, by a truth value for each task and each beginning.
    For more than `MAX_DECOMPOSED_TASKS` tasks, CP-SAT's own constraint is used; it takes no negative length.

    writer: adds to the CP-SAT model; its truth values are sums that are 0 or 1. arguments: the XML element;
    ``sums(tag)`` returns the linear sums in its part <tag>, <list> if left out; ``sums_of_length`` refuses another
    length. `relation` returns a condition as (sum, domain in which it has to lie). `DIFFERENCES` has the domain of left
    minus right for each relation.
    """
    origins = arguments.sums("origins")
    lengths = arguments.sums_of_length("lengths", len(origins))
    heights = arguments.sums_of_length("heights", len(origins))
    condition = arguments.content("condition")
    if condition.relation not in ("lt", "le"):
        raise Refused(f"its condition {condition.relation} is not understood; lt and le are")
    if any(writer.domain(height).min() < 0 for height in heights):
        raise Refused("a height may be negative")
    ends = [origin + length for origin, length in zip(origins, lengths, strict=True)]
    if arguments.has("ends"):
        for end, required_end in zip(ends, arguments.sums_of_length("ends", len(origins)), strict=True):
            writer.require(end - required_end, DIFFERENCES["eq"])
    writer.require(*relation(LinearForm(), condition))  # for the sum 0, where no task runs
    if len(origins) > MAX_DECOMPOSED_TASKS and all(writer.domain(length).min() >= 0 for length in lengths):
        tasks = [
            writer.model.new_interval_var(writer.affine(origin), writer.affine(length), writer.affine(end), "")
            for origin, length, end in zip(origins, lengths, ends, strict=True)
        ]
        # An affine expression has one variable at most. The sum is below the capacity if the relation is lt.
        capacity = writer.affine(condition.right + (-1 if condition.relation == "lt" else 0))
        demands = [writer.affine(height) for height in heights]
        writer.add(writer.model.add_cumulative(tasks, demands, capacity))
        return
    for moment in origins:
        running = [
            # The task has begun by the moment, and ends behind it.
            writer.all_true(
                [
                    writer.truth_value(origin - moment, DIFFERENCES["le"]),
                    writer.truth_value(end - moment, DIFFERENCES["gt"]),
                ]
            )
            for origin, end in zip(origins, ends, strict=True)
        ]
        writer.require(*relation(_scalar(writer, heights, running), condition))


def _bin_packing(writer: FormWriter, arguments: Arguments) -> None:
    """Require a condition on the load of each bin: the sum of the sizes of the items in it.

    The <list> has the bin of each item. <condition> is one condition for all bins that items are in. Otherwise there is
    a condition for each bin, numbered from ``startIndex``, and each item is in one of these bins: <conditions>, or
    <limits>, which are greatest loads, or <loads>, which are exact.

    writer: adds to the CP-SAT model; its truth values are sums that are 0 or 1. arguments: the XML element;
    ``sums(tag)`` returns the linear sums in its part <tag>, <list> if left out. `relation` returns a condition as (sum,
    domain in which it has to lie).
    """
    row, start = arguments.sums(), arguments.start()  # the bin of each item, and the number of the first bin
    sizes = arguments.sums_of_length("sizes", len(row))

    def load(number: int) -> LinearForm:
        """Return the sum of the sizes of the items in a bin."""
        return _scalar(writer, sizes, [writer.equals(term, number) for term in row])

    if arguments.has("condition"):
        condition = arguments.content("condition")
        for number in sorted({value for term in row for value in writer.values(term)}):
            # If the load 0 satisfies the condition, so does an empty bin; otherwise a bin may be empty instead.
            if writer.truth_value(*relation(LinearForm(), condition)) == LinearForm({}, 1):
                writer.require(*relation(load(number), condition))
                continue
            empty = writer.all_true([negation(writer.equals(term, number)) for term in row])
            writer.require_any([empty, writer.truth_value(*relation(load(number), condition))])
        return
    if arguments.has("conditions"):
        conditions = arguments.content("conditions")
    else:
        symbol = "le" if arguments.has("limits") else "eq"
        conditions = [Condition(symbol, term) for term in arguments.sums("limits" if symbol == "le" else "loads")]
    for term in row:
        writer.require(term - start, Domain(0, len(conditions) - 1))
    for number, condition in enumerate(conditions, start):
        writer.require(*relation(load(number), condition))


def _knapsack(writer: FormWriter, arguments: Arguments) -> None:
    """Require a condition on the total weight, and one on the total profit, of the things in a knapsack.

    The <list> has the number of things of each kind. The first <condition> is on the weight, the second on the profit.
    writer: adds to the CP-SAT model. arguments: the XML element; ``sums(tag)`` returns the linear sums in its part
    <tag>, <list> if left out. `relation` returns a condition as (sum, domain in which it has to lie).
    """
    row, conditions = arguments.sums(), arguments.contents("condition")
    if len(conditions) != 2:
        raise Refused("it has not two elements <condition>")
    for tag, condition in zip(("weights", "profits"), conditions, strict=True):
        writer.require(*relation(_scalar(writer, row, arguments.sums_of_length(tag, len(row))), condition))


def _circuit(writer: FormWriter, arguments: Arguments) -> None:
    """Require that successors form one circuit of two nodes or more; nodes outside it are their own successors.

    The <list> has the successor of each node, numbered from ``startIndex``; <size>, if there, is the number of nodes in
    the circuit. writer: adds to the CP-SAT model; its truth values are sums that are 0 or 1. arguments: the XML
    element; ``sums(tag)`` returns the linear sums in its part <tag>, <list> if left out. `DIFFERENCES` has the domain
    of left minus right for each relation.
    """
    row, start = arguments.sums(), arguments.start()
    nodes = range(len(row))
    for term in row:
        writer.require(term - start, Domain(0, len(row) - 1))
    in_circuit = [negation(writer.equals(term, node + start)) for node, term in enumerate(row)]
    writer.require_any(in_circuit)
    if row:  # an arc from a node to itself takes it out of the circuit
        arcs = [(a, b, writer.literal(writer.equals(row[a], b + start))) for a, b in product(nodes, nodes)]
        writer.add(writer.model.add_circuit(arcs))
    if arguments.has("size"):
        writer.require(total(in_circuit) - arguments.sums_of_length("size", 1)[0], DIFFERENCES["eq"])


def _instantiation(writer: FormWriter, arguments: Arguments) -> None:
    """Require that each variable has the value in <values> at its place; * represents any value.

    writer: adds to the CP-SAT model. arguments: the XML element; ``sums(tag)`` returns the linear sums in its part
    <tag>, <list> if left out. `DIFFERENCES` has the domain of left minus right for each relation.
    """
    row, values = arguments.sums(), arguments.content("values")
    if len(values) != len(row):
        raise Refused(f"<values> has length {len(values)} in place of {len(row)}")
    for term, value in zip(row, values, strict=True):
        if value != "*":
            writer.require(term - arguments.sums_of_list(value)[0], DIFFERENCES["eq"])


def _clause(writer: FormWriter, arguments: Arguments) -> None:
    """Require that one of some literals is true."""
    writer.require_any([writer.truth_value(term, DIFFERENCES["ne"]) for term in arguments.sums()])


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
