"""A second reading of XCSP3: it evaluates each constraint of a file on the values of the variables.

It shares nothing with the translation and its parser. An assignment with an undefined value, such as a division by 0,
is not a solution.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, groupby, pairwise, product
from math import prod
from typing import Any
from xml.etree import ElementTree

Values = Mapping[str, int]
"""The value of each variable by its name."""

RELATIONS: Mapping[str, Callable[[int, Any], bool]] = {
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "ge": lambda a, b: a >= b,
    "gt": lambda a, b: a > b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "in": lambda a, b: a in b,
    "notin": lambda a, b: a not in b,
}
SYMBOLS = {"<": "lt", "<=": "le", ">=": "ge", ">": "gt"}
PARAMETER = re.compile(r"%(\d+|\.\.\.)")
RANGE = re.compile(r"-?\d+\.\.-?\d+")


class Undefined(Exception):
    """Raised where an expression has no value."""


class Unread(Exception):
    """Raised for what this reading does not understand."""


def _pieces(text: str, separator: str = "") -> list[str]:
    """Split a text at a separator, or at white space if none is given, outside brackets.

    White space and empty pieces are left out: "x add(y, 2)" becomes ["x", "add(y,2)"].
    """
    pieces, depth = [""], 0
    for letter in text:
        depth += (letter in "({") - (letter in ")}")
        if depth == 0 and (letter == separator if separator else letter.isspace()):
            pieces.append("")
        elif not letter.isspace():
            pieces[-1] += letter
    return [piece for piece in pieces if piece]


def _rows(text: str) -> list[str]:
    """Return the contents of the outermost round brackets in a text: ["1,2", "3,4"] for "(1,2)(3,4)"."""
    contents, depth, start = [], 0, 0
    for place, letter in enumerate(text):
        if letter == "(":
            depth += 1
            start = place + 1 if depth == 1 else start
        elif letter == ")":
            depth -= 1
            if depth == 0:
                contents.append(text[start:place])
    return contents


@cache
def _expression(text: str) -> Any:
    """Return an expression such as add(x,3) as an integer, the name of a variable, or (operator, operands)."""
    name, bracket, arguments_text = text.partition("(")
    if bracket:
        argument_texts = _pieces(arguments_text.strip()[:-1], ",")
        return name.strip(), tuple(map(_expression, argument_texts))
    return int(text) if re.fullmatch(r"[-+]?\d+", text) else text


def _quotient(a: int, b: int) -> int:
    """Return a quotient rounded towards 0."""
    if not b:
        raise Undefined
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _power(a: int, b: int) -> int:
    """Return a power; it is undefined for negative exponents."""
    if b < 0:
        raise Undefined
    return int(a**b)


OPERATORS: Mapping[str, Callable[..., int]] = {
    "neg": lambda a: -a,
    "abs": abs,
    "sqr": lambda a: a * a,
    "add": lambda *a: sum(a),
    "sub": lambda a, b: a - b,
    "mul": lambda *a: prod(a),
    "div": _quotient,
    "mod": lambda a, b: a - b * _quotient(a, b),
    "pow": _power,
    "dist": lambda a, b: abs(a - b),
    "min": lambda *a: min(a),
    "max": lambda *a: max(a),
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "ge": lambda a, b: a >= b,
    "gt": lambda a, b: a > b,
    "ne": lambda a, b: a != b,
    "eq": lambda *a: len({*a}) == 1,
    "not": lambda a: not a,
    "and": lambda *a: all(a),
    "or": lambda *a: any(a),
    "xor": lambda *a: sum(map(bool, a)) % 2,
    "iff": lambda *a: len({*map(bool, a)}) == 1,
    "imp": lambda a, b: bool(not a or b),
    "if": lambda a, b, c: b if a else c,
}


def _value(expression: Any, values: Values) -> int:
    """Return the value of an expression: an integer, the name of a variable, or (operator, operands).

    values: the value of each variable by its name. The second operand of "in" and "notin" is ("set", members).
    """
    if isinstance(expression, int):
        return expression
    if isinstance(expression, str):
        return values[expression]
    name, operands = expression
    if name in ("in", "notin"):
        members = [_value(operand, values) for operand in operands[1][1]]
        return int((_value(operands[0], values) in members) == (name == "in"))
    return int(OPERATORS[name](*(_value(operand, values) for operand in operands)))


class Declarations:
    """The domains of the variables by name, and the shapes of arrays."""

    def __init__(self, root: ElementTree.Element) -> None:
        """Read the declarations of a file; root: its outermost element.

        An array x stands for variables x[0][0], x[0][1] and so on; its size is such as "[2][3]". All its variables have
        one domain, or each <domain> in it is that of the variables in its attribute ``for``, where "others" are those
        without a domain so far. An attribute ``as`` names the element whose content is taken instead. `_ranges` returns
        a text of integers and ranges such as 1..3 as ranges.
        """
        self.domains: dict[str, list[range]] = {}
        """The domain of each variable, as ranges."""
        self._shapes: dict[str, list[int]] = {}
        """The size of each array along each of its axes."""
        self._written: dict[str, list[str]] = {}
        """The words of each list that was written out before."""
        element_by_id = {element.get("id", ""): element for element in root.iter()}
        for element in root.findall("./variables/*"):
            content_element = element_by_id[element.attrib["as"]] if "as" in element.attrib else element
            name = element.attrib["id"]
            domain = _ranges(content_element.text or "")
            if element.tag == "var":
                self.domains[name] = domain
                continue
            self._shapes[name] = [*map(int, re.findall(r"\d+", element.attrib["size"]))]
            domain_elements = content_element.findall("domain")
            if not domain_elements:
                self.domains |= dict.fromkeys(self.expand_words(name + "[]" * len(self._shapes[name])), domain)
            for domain_element in domain_elements:
                has_reference = "as" in domain_element.attrib
                ranges_element = element_by_id[domain_element.attrib["as"]] if has_reference else domain_element
                ranges = _ranges(ranges_element.text or "")
                # With ``as``, ``for`` names the variables of the other array.
                variables = domain_element.attrib["for"].replace(content_element.attrib["id"] + "[", name + "[")
                if variables.strip() == "others":
                    every_variable = self.expand_words(name + "[]" * len(self._shapes[name]))
                    variables = " ".join(variable for variable in every_variable if variable not in self.domains)
                self.domains |= dict.fromkeys(self.expand_words(variables), ranges)

    def expand_words(self, text: str) -> list[str]:
        """Return the words of a list, with arrays, ranges and repetitions written out."""
        if text not in self._written:
            self._written[text] = [name for word in _pieces(text) for name in self._words_of_word(word)]
        return self._written[text]

    def arguments(self, text: str) -> list[str]:
        """Return the words of a list, in which ranges stay as they are."""
        return [
            name for word in _pieces(text) for name in ([word] if RANGE.fullmatch(word) else self._words_of_word(word))
        ]

    def _words_of_word(self, word: str) -> list[str]:
        """Return the words for which a word stands; a word that is none of these stands for itself.

        An array, such as x[][1..2], stands for its variables, where [] is all indices; a repetition such as 0x5 for "0"
        five times; a range such as 1..3 for its integers.
        """
        if word.endswith("]") and "(" not in word:
            name, _, indices = word[:-1].partition("[")
            indices_by_axis = [
                self._span(index_text, size)
                for index_text, size in zip(indices.split("]["), self._shapes[name], strict=True)
            ]
            suffixes = ("".join(f"[{index}]" for index in index_tuple) for index_tuple in product(*indices_by_axis))
            return [name + suffix for suffix in suffixes]
        if match := re.fullmatch(r"(-?\d+|\*)x(\d+)", word):
            return [match[1]] * int(match[2])
        if RANGE.fullmatch(word):
            return [str(number) for number in _ranges(word)[0]]
        return [word]

    def _span(self, index: str, size: int) -> range:
        """Return the places for which an index of an array stands; raise `Unread` if they are outside it."""
        span = _ranges(index)[0] if index else range(size)
        if not 0 <= span.start <= span.stop <= size:
            raise Unread
        return span

    def rows(self, text: str) -> list[list[str]]:
        """Return the words of each row of a matrix.

        It is written row by row in brackets, or as an array with two open indices, such as x[][] or y[3][][0..4]: those
        that stand for several places. The first open index numbers the rows: x[][] gives the rows x[0][0], x[0][1], ...
        and x[1][0], x[1][1], ... `_indices` returns the texts in the brackets of a name.
        """
        if text.startswith("("):
            return [[word for piece in _pieces(row, ",") for word in self.expand_words(piece)] for row in _rows(text)]
        row_axis = next(axis for axis, index_text in enumerate(_indices(text)) if not index_text.isdigit())
        row_major_names = self.expand_words(text)
        return [[*row] for _, row in groupby(row_major_names, lambda name: _indices(name)[row_axis])]


def _indices(name: str) -> list[str]:
    """Return the indices of an array's variable, or of a compact form of it."""
    return re.findall(r"\[([^\]]*)\]", name)


def _is_matrix(text: str) -> bool:
    """Tell whether a text is a matrix rather than a list."""
    if text.startswith("("):
        return True
    return len(text.split()) == 1 and len(re.findall(r"\[(?:\d+\.\.\d+)?\]", text)) == 2


def _ranges(text: str) -> list[range]:
    """Return a list of integers and ranges such as 1..3 as ranges."""
    pairs = [word.partition("..") for word in text.split()]
    return [range(int(low), int(high or low) + 1) for low, _, high in pairs]


class ConstraintElement:
    """The elements of a constraint, with the values that the variables have now."""

    def __init__(self, element: ElementTree.Element, names: Declarations, values: Values) -> None:
        """Take a constraint.

        element: the constraint in the file. names: the declarations, which write arrays out. values: the current value
        of each variable by name; the caller changes it between evaluations.
        """
        self.names, self.values = names, values
        self.attributes = {f"@{name}": text.strip() for name, text in element.attrib.items()}
        """The attributes, such as "@rank" of the constraint, and "list 1@startIndex" of its first part <list>."""
        self.parts: dict[str, list[str]] = {} if len(element) else {"list": [element.text or ""]}
        """The texts of its parts, by tag; one without parts is a list itself."""
        for part in element:
            texts = self.parts.setdefault(part.tag, [])
            texts.append((part.text or "").strip())
            part_name = f"{part.tag} {len(texts)}"
            self.attributes |= {f"{part_name}@{name}": text.strip() for name, text in part.attrib.items()}

    def list_words(self, tag: str, number: int = 0) -> list[str]:
        """Return the words of the list with a tag; number: which of several, from 0."""
        return self.names.expand_words(self.parts[tag][number])

    def list_values(self, tag: str = "list", number: int = 0) -> list[int]:
        """Return the values of the list with a tag; number: which of several, from 0."""
        return [_value(_expression(word), self.values) for word in self.list_words(tag, number)]

    def lists(self, tag: str = "list") -> list[list[int]]:
        """Return the values of all lists with a tag."""
        return [self.list_values(tag, number) for number in range(len(self.parts[tag]))]

    def matrix(self, tag: str = "matrix") -> list[list[int]]:
        """Return the values of a matrix."""
        rows = self.names.rows(self.parts[tag][0])
        return [[_value(_expression(word), self.values) for word in row] for row in rows]

    def optional(self, tag: str) -> list[int]:
        """Return the values of the list with a tag; none if there is no such list."""
        return self.list_values(tag) if tag in self.parts else []

    def satisfies_condition(self, number: int, condition: int = 0) -> bool:
        """Tell whether a number satisfies the condition; condition: which of several, from 0."""
        return self.satisfies(number, self.parts["condition"][condition])

    def satisfies(self, number: int, condition: str) -> bool:
        """Tell whether a number satisfies a condition: "(le,3)", "(le,x)", "(in,{1,3})" or "(in,1..5)".

        The brackets may be left out.
        """
        text = condition[1:-1] if condition.startswith("(") else condition
        relation_name, right = (text_part.strip() for text_part in text.split(",", 1))
        if right.startswith("{"):
            pieces = right.strip("{}").split(",")
            members = [int(word) for piece in pieces for word in self.names.expand_words(piece)]
            return RELATIONS[relation_name](number, members)
        if ".." in right:
            low, high = map(int, right.split(".."))
            return RELATIONS[relation_name](number, range(low, high + 1))
        return RELATIONS[relation_name](number, _value(_expression(right), self.values))

    def flag(self, name: str, default: str) -> bool:
        """Tell whether an attribute is true; default: its text if the constraint does not have it."""
        return self.attributes.get(name, default).lower() == "true"

    def start(self, name: str = "list 1@startIndex") -> int:
        """Return a first index, which is 0 unless the attribute of this name says otherwise."""
        return int(self.attributes.get(name, "0"))


def _entry(row: Sequence[Any], place: int) -> Any:
    """Return the entry of a list at a place; raise `Undefined` if there is none."""
    if not 0 <= place < len(row):
        raise Undefined
    return row[place]


def _same_length(*lists: Sequence[Any]) -> None:
    """Raise `Unread` if lists differ in length."""
    if len({*map(len, lists)}) > 1:
        raise Unread


@cache
def _table(text: str) -> list[tuple[int | None, ...]]:
    """Return the rows of a table such as "(1,2)(3,*)": tuples of integers, and None for *, which is any value.

    The rows of a table of one column may be written without brackets, and then a range is several rows.
    """
    rows = [_pieces(row, ",") for row in _rows(text)] if "(" in text else [[word] for word in text.split()]
    table_rows: list[tuple[int | None, ...]] = []
    for row in rows:
        if len(row) == 1 and ".." in row[0]:
            low, high = map(int, row[0].split(".."))
            table_rows += [(value,) for value in range(low, high + 1)]
        else:
            table_rows.append(tuple(None if word == "*" else int(word) for word in row))
    return table_rows


@cache
def _rows_without_star(text: str) -> frozenset[tuple[int | None, ...]] | None:
    """Return the rows of a table without *, to look up a row; None if some row has one."""
    rows = _table(text)
    return None if any(None in row for row in rows) else frozenset(rows)


def _fits(row: Sequence[int], wanted: Sequence[int | None]) -> bool:
    """Tell whether a row has the wanted values, of which None may be any."""
    _same_length(row, wanted)
    return all(value is None or value == number for number, value in zip(row, wanted, strict=True))


def _extension(constraint: ConstraintElement) -> bool:
    """Tell whether the values are a row of the table <supports>, or none of the table <conflicts>.

    A table without * is looked up as a set of rows; otherwise each row is compared. constraint: its
    ``list_values(tag)`` returns the values of the variables in the part <tag>, <list> if left out.
    """
    tag = "supports" if "supports" in constraint.parts else "conflicts"
    row = constraint.list_values()
    rows_without_star = _rows_without_star(constraint.parts[tag][0])
    if rows_without_star is not None:
        is_in_table = tuple(row) in rows_without_star
    else:
        is_in_table = any(_fits(row, table_row) for table_row in _table(constraint.parts[tag][0]))
    return is_in_table == (tag == "supports")


def _arcs(constraint: ConstraintElement) -> list[tuple[str, int, str]]:
    """Return the transitions of an automaton or a decision diagram as (state, value, next state)."""
    arcs = []
    for transition_text in _rows(constraint.parts["transitions"][0]):
        state, value, successor = _pieces(transition_text, ",")
        arcs.append((state, int(value), successor))
    return arcs


def _states_after(row: Sequence[int], arcs: Iterable[tuple[str, int, str]], states: set[str]) -> set[str]:
    """Return the states that an automaton may reach from some states by reading a row of values.

    arcs: its transitions, as (state, value, next state).
    """
    for value in row:
        states = {successor for state, letter, successor in arcs if state in states and letter == value}
    return states


def _regular(constraint: ConstraintElement) -> bool:
    """Tell whether an automaton, which need not be deterministic, accepts the row."""
    final = {*constraint.parts["final"][0].split()}
    return not final.isdisjoint(
        _states_after(constraint.list_values(), _arcs(constraint), {constraint.parts["start"][0]})
    )


def _mdd(constraint: ConstraintElement) -> bool:
    """Tell whether the row leads through a diagram from a state that no arc enters to one that none leaves."""
    arcs = _arcs(constraint)
    sources = {state for state, _, _ in arcs}
    targets = {state for _, _, state in arcs}
    last_states = _states_after(constraint.list_values(), arcs, sources - targets)
    return not (targets - sources).isdisjoint(last_states)


def _differ(row: Iterable[Any], excepted: Iterable[Any]) -> bool:
    """Tell whether values differ but for excepted ones."""
    remaining = [value for value in row if value not in excepted]
    return len({*remaining}) == len(remaining)


def _all_different(constraint: ConstraintElement) -> bool:
    """Tell whether values, lists, or the entries of each row and column of a matrix differ, but for excepted ones.

    ``matrix`` returns the rows of values, ``lists`` those of all parts <list>, ``optional`` those of a part that may be
    missing.
    """
    if "matrix" in constraint.parts:
        rows = constraint.matrix()
        columns = zip(*rows, strict=True)
        return all(_differ(line, constraint.optional("except")) for line in [*rows, *columns])
    lists = constraint.lists()
    if len(lists) == 1:
        return _differ(lists[0], constraint.optional("except"))
    _same_length(*lists)
    excepted_lists = _table(constraint.parts["except"][0]) if "except" in constraint.parts else ()
    return _differ(map(tuple, lists), excepted_lists)


def _all_equal(constraint: ConstraintElement) -> bool:
    """Tell whether values that are not excepted are equal."""
    return len({*constraint.list_values()} - {*constraint.optional("except")}) <= 1


def _order(constraint: ConstraintElement) -> Callable[[Any, Any], bool]:
    """Return the relation that orders lists."""
    text = constraint.parts["operator"][0]
    return RELATIONS[SYMBOLS.get(text, text)]


def _is_ordered(constraint: ConstraintElement) -> bool:
    """Tell whether values are in order, where each is greater by its length before it is compared with the next."""
    row, order = constraint.list_values(), _order(constraint)
    lengths = constraint.list_values("lengths") if "lengths" in constraint.parts else [0] * (len(row) - 1)
    return all(order(a + length, b) for (a, b), length in zip(pairwise(row), lengths, strict=True))


def _lex(constraint: ConstraintElement) -> bool:
    """Tell whether lists, or both the rows and the columns of a matrix, are in lexicographic order.

    ``_order`` is the relation of each list to the next, such as <=.
    """
    rows = constraint.matrix() if "matrix" in constraint.parts else constraint.lists()
    _same_length(*rows)
    columns = [*map(list, zip(*rows, strict=True))] if "matrix" in constraint.parts else []
    order = _order(constraint)
    return all(order(a, b) for lines in (rows, columns) for a, b in pairwise(lines))


def _sum(constraint: ConstraintElement) -> bool:
    """Tell whether the sum of values times coefficients satisfies the condition."""
    row = constraint.list_values()
    factors = constraint.list_values("coeffs") if "coeffs" in constraint.parts else [1] * len(row)
    return constraint.satisfies_condition(sum(a * b for a, b in zip(row, factors, strict=True)))


def _count(constraint: ConstraintElement) -> bool:
    """Tell whether the number of places with one of the values satisfies the condition."""
    values = constraint.list_values("values")
    return constraint.satisfies_condition(sum(value in values for value in constraint.list_values()))


def _n_values(constraint: ConstraintElement) -> bool:
    """Tell whether the number of different values that are not excepted satisfies the condition."""
    return constraint.satisfies_condition(len({*constraint.list_values()} - {*constraint.optional("except")}))


def _cardinality(constraint: ConstraintElement) -> bool:
    """Tell whether each value of <values> occurs as often as the entry of <occurs> at its place allows.

    An entry is a range of numbers, or an expression. If the attribute ``closed`` is true, no other value may occur.
    constraint: its ``list_values(tag)`` returns the values of the variables in the part <tag>, <list> if left out.
    """
    count_by_value = Counter(constraint.list_values())
    values = constraint.list_values("values")
    allowed_counts: list[Sequence[int]] = []
    for word in constraint.parts["occurs"][0].split():
        if RANGE.fullmatch(word):
            allowed_counts += _ranges(word)
        else:
            # A word may be an array: each of its variables is an entry.
            for expression_text in constraint.names.expand_words(word):
                allowed_counts.append([_value(_expression(expression_text), constraint.values)])
    if not all(count_by_value[value] in allowed for value, allowed in zip(values, allowed_counts, strict=True)):
        return False
    return not constraint.flag("values 1@closed", "false") or count_by_value.keys() <= {*values}


def _extreme(choose: Callable[[list[int]], int]) -> Callable[[ConstraintElement], bool]:
    """Return the check of a condition on the greatest or least value."""
    return lambda constraint: constraint.satisfies_condition(choose(constraint.list_values()))


def _place_of_extreme(choose: Callable[[list[int]], int]) -> Callable[[ConstraintElement], bool]:
    """Return the check of a condition on the index of the greatest or least value; choose: `max` or `min`."""

    def check(constraint: ConstraintElement) -> bool:
        """Tell whether some index of the extreme value satisfies the condition.

        If the attribute ``rank`` is "first" or "last", only the first or the last of these indices counts. constraint:
        its ``list_values(tag)`` returns the values of the variables in the part <tag>, <list> if left out. ``start``
        returns the first index.
        """
        row = constraint.list_values()
        start = constraint.start()
        rank = constraint.attributes.get("@rank", "any")
        places = [place + start for place, value in enumerate(row) if value == choose(row)]
        candidates = {"any": places, "first": places[:1], "last": places[-1:]}[rank]
        return any(map(constraint.satisfies_condition, candidates))

    return check


def _element(constraint: ConstraintElement) -> bool:
    """Tell whether the entry at <index>, or without an index any entry, satisfies <condition> or equals <value>.

    A matrix has two indices. ``start`` returns the first index; ``_entry`` raises `Undefined` for an index outside.
    constraint: its ``list_values(tag)`` returns the values of the variables in the part <tag>, <list> if left out.
    """
    if "matrix" in constraint.parts:
        rows = constraint.matrix()
        row, column = constraint.list_values("index")
        line = _entry(rows, row - constraint.start("matrix 1@startRowIndex"))
        entries = [_entry(line, column - constraint.start("matrix 1@startColIndex"))]
    elif "index" in constraint.parts:
        entries = [_entry(constraint.list_values(), constraint.list_values("index")[0] - constraint.start())]
    else:
        entries = constraint.list_values()
    if "condition" in constraint.parts:
        return any(map(constraint.satisfies_condition, entries))
    return any(entry == constraint.list_values("value")[0] for entry in entries)


def _channel(constraint: ConstraintElement) -> bool:
    """Tell whether two lists are inverse, a single list is to itself, or a list is 1 at <value> and 0 elsewhere.

    Lists are inverse if each entry j at an index i of the first has the entry i at the index j of the second. ``start``
    returns the first index of a list, ``_entry`` raises `Undefined` for an index outside.
    """
    lists, start = constraint.lists(), constraint.start()
    if "value" in constraint.parts:
        value = constraint.list_values("value")[0] - start
        _entry(lists[0], value)
        return all(number == (place == value) for place, number in enumerate(lists[0]))
    first_index = constraint.start("list 2@startIndex") if len(lists) > 1 else start
    return all(_entry(lists[-1], number - first_index) == place for place, number in enumerate(lists[0], start))


def _no_overlap(constraint: ConstraintElement) -> bool:
    """Tell whether each two tasks, or boxes, are apart along some axis.

    A box has an origin and a length along each axis; a task is a box of one dimension. A box of length 0 along an axis
    is ignored, unless the attribute ``zeroIgnored`` is false. constraint: its ``list_values(tag)`` returns the values
    of the variables in the part <tag>, <list> if left out.
    """
    tags = ("origins", "lengths")
    has_boxes = all(_is_matrix(constraint.parts[tag][0]) for tag in tags)
    origins_and_lengths = [
        constraint.matrix(tag) if has_boxes else [[value] for value in constraint.list_values(tag)] for tag in tags
    ]
    boxes = [*zip(*origins_and_lengths, strict=True)]  # (its origins, its lengths) for each box
    may_ignore = constraint.flag("@zeroIgnored", "true")
    for (origins_a, lengths_a), (origins_b, lengths_b) in combinations(boxes, 2):
        sides = [*zip(origins_a, lengths_a, origins_b, lengths_b, strict=True)]
        is_apart = any(a + length_a <= b or b + length_b <= a for a, length_a, b, length_b in sides)
        if not is_apart and not (may_ignore and 0 in [*lengths_a, *lengths_b]):
            return False
    return True


def _cumulative(constraint: ConstraintElement) -> bool:
    """Tell whether the sum of the heights of the tasks that run satisfies the condition at all times.

    constraint: its ``list_values(tag)`` returns the values of the variables in the part <tag>, <list> if left out.
    """
    origins, lengths, heights = (constraint.list_values(tag) for tag in ("origins", "lengths", "heights"))
    _same_length(origins, lengths, heights)
    ends = [origin + length for origin, length in zip(origins, lengths, strict=True)]
    if "ends" in constraint.parts and ends != constraint.list_values("ends"):
        return False
    tasks = [*zip(origins, ends, heights, strict=True)]
    # The sum changes only where a task begins or ends; the last moment is one before all tasks, when none runs.
    moments = {*origins, *ends, min([*origins, 0]) - 1}
    total_heights = (sum(height for begin, end, height in tasks if begin <= moment < end) for moment in moments)
    return all(map(constraint.satisfies_condition, total_heights))


def _bin_packing(constraint: ConstraintElement) -> bool:
    """Tell whether the load of each bin, the sum of the sizes of its items, is as required.

    The <list> has the bin of each item. <condition> is required of all bins with items. Otherwise there is a condition
    for each bin, numbered from ``startIndex``: <conditions>, <limits> (greatest loads) or <loads> (exact), and each
    item is in one of these bins. constraint: its ``list_values(tag)`` returns the values of the variables in the part
    <tag>, <list> if left out. ``start`` returns the first index.
    """
    bin_of_item, sizes = constraint.list_values(), constraint.list_values("sizes")
    loads: Counter[int] = Counter()
    for bin_number, size in zip(bin_of_item, sizes, strict=True):
        loads[bin_number] += size
    if "condition" in constraint.parts:
        return all(constraint.satisfies_condition(loads[bin_number]) for bin_number in {*bin_of_item})
    start = constraint.start()
    if "conditions" in constraint.parts:
        conditions = [f"({text})" for text in _rows(constraint.parts["conditions"][0])]
    else:
        tag = "limits" if "limits" in constraint.parts else "loads"
        relation = "le" if tag == "limits" else "eq"
        conditions = [f"({relation},{bound})" for bound in constraint.list_values(tag)]
    if not all(0 <= bin_number - start < len(conditions) for bin_number in bin_of_item):
        return False
    return all(
        constraint.satisfies(loads[bin_number], condition) for bin_number, condition in enumerate(conditions, start)
    )


def _knapsack(constraint: ConstraintElement) -> bool:
    """Tell whether the total weight and the total profit satisfy the two conditions."""
    row = constraint.list_values()
    factor_lists = [constraint.list_values(tag) for tag in ("weights", "profits")]
    amounts = [sum(a * b for a, b in zip(row, factors, strict=True)) for factors in factor_lists]
    return all(constraint.satisfies_condition(amount, number) for number, amount in enumerate(amounts))


def _circuit(constraint: ConstraintElement) -> bool:
    """Tell whether the successors form one circuit, outside which each node is its own successor.

    The <list> has the successor of each node, numbered from ``startIndex``. At least one node is in the circuit, and as
    many as <size> if there is one. constraint: its ``list_values(tag)`` returns the values of the variables in the part
    <tag>, <list> if left out. ``start`` returns the first index.
    """
    start = constraint.start()
    successors = [successor - start for successor in constraint.list_values()]
    if any(not 0 <= successor < len(successors) for successor in successors):
        return False
    moving_nodes = [node for node, successor in enumerate(successors) if node != successor]
    if not moving_nodes:
        return False
    tour = [moving_nodes[0]]
    node = successors[moving_nodes[0]]
    while node not in tour:
        tour.append(node)
        node = successors[node]
    size = constraint.list_values("size")[0] if "size" in constraint.parts else len(tour)
    return node == moving_nodes[0] and len(tour) == len(moving_nodes) == size


def _instantiation(constraint: ConstraintElement) -> bool:
    """Tell whether each variable has its value; * is any."""
    values = [None if word == "*" else int(word) for word in constraint.list_words("values")]
    return _fits(constraint.list_values(), values)


def _precedence(constraint: ConstraintElement) -> bool:
    """Tell whether wherever a value of a list of values occurs first, the value before it has occurred earlier.

    Without <values>, all values in the domains are taken, ascending. If the attribute ``covered`` is true, each value
    has to occur. constraint: its ``list_values(tag)`` returns the values of the variables in the part <tag>, <list> if
    left out.
    """
    row = constraint.list_values()
    domain_values = (
        value for name in constraint.list_words("list") for span in constraint.names.domains[name] for value in span
    )
    values = constraint.list_values("values") if "values" in constraint.parts else sorted({*domain_values})
    # A value that does not occur is taken as if it came behind the list.
    first_places = [row.index(value) if value in row else len(row) for value in values]
    is_covered = not constraint.flag("values 1@covered", "false") or {*values} <= {*row}
    return is_covered and all(a < b or b == len(row) for a, b in pairwise(first_places))


CHECKS: Mapping[str, Callable[[ConstraintElement], bool]] = {
    "intension": lambda constraint: bool(
        constraint.list_values("function" if "function" in constraint.parts else "list")[0]
    ),
    "extension": _extension,
    "regular": _regular,
    "mdd": _mdd,
    "allDifferent": _all_different,
    "allEqual": _all_equal,
    "ordered": _is_ordered,
    "lex": _lex,
    "precedence": _precedence,
    "sum": _sum,
    "count": _count,
    "nValues": _n_values,
    "cardinality": _cardinality,
    "minimum": _extreme(min),
    "maximum": _extreme(max),
    "minimumArg": _place_of_extreme(min),
    "maximumArg": _place_of_extreme(max),
    "element": _element,
    "channel": _channel,
    "noOverlap": _no_overlap,
    "cumulative": _cumulative,
    "binPacking": _bin_packing,
    "knapsack": _knapsack,
    "circuit": _circuit,
    "instantiation": _instantiation,
    "clause": lambda constraint: any(constraint.list_values()),
}
"""The checks by the tag of the constraint."""


UNREADABLE = (ArithmeticError, LookupError, StopIteration, TypeError, ValueError, Unread)
"""What is raised for a text that is not in the form that this reading expects."""


class SecondReading:
    """A file in XCSP3 that is evaluated. `unread` lists the tags of the constraints that are not understood."""

    def __init__(self, text: str, names: Collection[str]) -> None:
        """Read the text of a file. names: the variables that have a value in solutions; others keep their least value.

        Each constraint is stored with the function of `CHECKS` that evaluates it.
        """
        root = ElementTree.fromstring(text)
        element_by_id = {element.get("id", ""): element for element in root.iter()}
        for element in root.iter():
            if element.tag not in ("var", "array", "domain") and "as" in element.attrib:
                referenced = element_by_id[element.attrib["as"]]
                element.text, element[:] = referenced.text, [*referenced]
        self.unread: list[str] = []
        self._names, self._solved = Declarations(root), names
        self._values = {name: spans[0].start for name, spans in self._names.domains.items()}
        self._checks: list[tuple[Callable[[ConstraintElement], bool], ConstraintElement]] = []
        for element in root.findall("./constraints/*"):
            for constraint in self._concrete(element):
                self._add(constraint)

    def is_solution(self, solution: Values) -> bool:
        """Tell whether the values of a solution, by name, satisfy all constraints and are in the domains.

        A constraint without a value, such as a division by 0, is violated.
        """
        for name in self._solved:
            # The constraints evaluate the mapping ``_values``, which they share.
            self._values[name] = int(solution.get(name, 0))
            if not any(self._values[name] in span for span in self._names.domains[name]):
                return False
        try:
            return all(check(constraint) for check, constraint in self._checks)
        except (Undefined, *UNREADABLE):
            return False

    def _add(self, element: ElementTree.Element) -> None:
        """Add a constraint, or its tag to `unread` if it cannot be evaluated.

        It is evaluated once to find out, on the values that the variables have now; the result does not matter, nor
        whether it has one.
        """
        try:
            check = CHECKS[element.tag]
            constraint = ConstraintElement(element, self._names, self._values)
            check(constraint)
        except Undefined:
            pass
        except UNREADABLE:
            self.unread += [element.tag] * (element.tag not in self.unread)
            return
        self._checks.append((check, constraint))

    def _concrete(self, element: ElementTree.Element) -> Iterator[ElementTree.Element]:
        """Yield the constraints for which an element stands: a constraint, a block, a group or a slide.

        A group is a template with %0, %1 and so on in place of words, and rows of words, each of which makes a
        constraint. A slide makes one for each window of its lists; see `_windows`.
        """
        if element.tag == "block":
            for part in element:
                yield from self._concrete(part)
        elif element.tag == "group":
            for row in element[1:]:
                yield _fill_template(element[0], self._names.arguments(row.text or ""))
        elif element.tag == "slide":
            for words in self._windows(element):
                yield _fill_template(element[-1], words)
        else:
            yield element

    def _windows(self, slide: ElementTree.Element) -> Iterator[list[str]]:
        """Yield the words that each constraint of a slide gets.

        A constraint takes some words of each list (``collect``; of a single list, as many as it has parameters), which
        begin ``offset`` words behind those of the constraint before. Only a circular slide goes on at the first word.

        slide: lists of arguments, and last the constraint with %0, %1 and so on in place of its words.
        """
        *argument_lists, template = slide
        word_lists = [self._names.arguments(argument_list.text or "") for argument_list in argument_lists]
        template_text = "".join(template.itertext())
        parameter_count = 1 + max(int(number) for number in re.findall(r"%(\d+)", template_text))
        window_lengths = [
            int(argument_list.get("collect", "1")) if len(word_lists) > 1 else parameter_count
            for argument_list in argument_lists
        ]
        offsets = [int(argument_list.get("offset", "1")) for argument_list in argument_lists]
        is_circular = slide.get("circular", "false").strip() == "true"
        for window_number in range(len(word_lists[0])):
            begins = [window_number * offset for offset in offsets]
            # A circular slide has one constraint for each begin in its first list; the other lists go round with it.
            if is_circular and begins[0] >= len(word_lists[0]):
                return
            pieces = [*zip(word_lists, begins, window_lengths, strict=True)]  # (list, begin, length) for each list
            if not is_circular and any(begin + length > len(words) for words, begin, length in pieces):
                return
            yield [words[(begin + place) % len(words)] for words, begin, length in pieces for place in range(length)]


def _fill_template(template: ElementTree.Element, words: Sequence[str]) -> ElementTree.Element:
    """Return a copy of a template with words in place of its parameters.

    %0, %1 and so on are numbers of words; %... stands for all words behind the greatest number in the template.
    """
    numbers = re.findall(r"%(\d+)", "".join(template.itertext()))
    highest = max(map(int, numbers), default=-1)

    def word(match: re.Match[str]) -> str:
        """Return the word for a parameter such as %0; for %..., all words behind those of other parameters."""
        if match[1] == "...":
            return " ".join(words[highest + 1 :])
        return words[int(match[1])]

    result = ElementTree.Element(template.tag, template.attrib)
    result.text = PARAMETER.sub(word, template.text or "")
    for part in template:
        element = ElementTree.SubElement(result, part.tag, part.attrib)
        element.text = PARAMETER.sub(word, part.text or "")
    return result
