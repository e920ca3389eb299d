"""Evaluates assignments against a FlatZinc file, by code that shares nothing with the reader that makes the model.

Meaning of the constraints: MiniZinc handbook, FlatZinc builtins; of the global ones, the handbook's library reference.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import cache, partial
from itertools import combinations
from math import prod
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

EXACT_IN_INT64 = 2**62
"""Sums of integers below are exact in 64 bits."""

TOKENS = re.compile(r'-?\w+|::|\.\.|%[^\n]*|"(?:[^"\\\n]|\\.)*"|[^\s\w]')

COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    name: getattr(operator, name) for name in ("eq", "ne", "le", "lt", "ge", "gt")
}


class Identifier(str):
    """The name of a variable, an array or a parameter."""


Argument = Callable[[Sequence[Any]], Any]
"""Returns the value of an argument, given those of the file's variables and then its constants, by their places."""


class FlatConstraint(NamedTuple):
    """A constraint of the file, or the definition of a variable."""

    holds: Callable[..., bool]
    """Tells whether it holds for the values of its arguments."""

    columns_hold: Callable[..., Any] | None
    """Tells the same of many assignments at once, if there is such a function; each argument is an array."""

    arguments: Sequence[Argument]
    words: str
    """Its name in messages."""

    number: int | None = None
    """How many constraints stand before it in the file; None for a definition."""


class FlatFile:
    """The variables and the constraints of a FlatZinc file.

    >>> file = FlatFile("var 1..3: x; var 1..3: y; constraint int_lt(x, y); solve satisfy;")
    >>> file.violation({"x": 1, "y": 2}.__getitem__), file.violation({"x": 2, "y": 2}.__getitem__)
    ('', 'int_lt in line 1')
    """

    def __init__(self, text: str) -> None:
        """Read the file; raise ValueError if it holds something else than variables, parameters and constraints.

        A definition is a declaration with a value, such as var int: x = y. It becomes a constraint, and so does each
        constraint of the file; they are evaluated on a list of values, first those of all variables in the order of the
        file, then the constants.
        """
        # The words of the file, without comments.
        self._tokens: list[str] = [word for word in TOKENS.findall(text) if word[0] != "%"]
        self._text, self._place = text, 0
        self._atom, self._argument = cache(_atom), cache(self._new_argument)
        self._domains: dict[str, Container[int] | None] = {}
        self._defined: dict[str, Any] = {}
        self._stated: list[tuple[str, list[Any]]] = []
        while self._place < len(self._tokens):
            self._read_statement()
        self._places = {name: place for place, name in enumerate(self._domains)}
        self._constants: list[Any] = []
        defined_variables = ((name, self._defined[name]) for name in self._domains if name in self._defined)
        self._constraints: list[FlatConstraint] = []
        for name, value in defined_variables:
            sides = self._arguments([Identifier(name), value])
            self._constraints.append(FlatConstraint(operator.eq, operator.eq, sides, f"the definition of {name}"))
        for number, (name, stated_arguments) in enumerate(self._stated):
            holds, columns_hold = _predicates(name)
            arguments = self._arguments(stated_arguments)
            self._constraints.append(FlatConstraint(holds, columns_hold, arguments, name, number))

    def violation(self, value: Callable[[str], int]) -> str:
        """Return what an assignment violates, with its line; empty if it violates nothing.

        First the domain of each variable is tried, then each constraint. value: returns the value of a variable by its
        name; a Boolean is 0 or 1.
        """
        values: list[Any] = [value(name) for name in self._domains]
        for (name, domain), number in zip(self._domains.items(), values, strict=True):
            if domain is not None and number not in domain:
                return f"the domain of {name}"
        values += self._constants
        for holds, _, arguments, words, number in self._constraints:
            if not holds(*[argument(values) for argument in arguments]):
                return words if number is None else f"{words} in line {self._line(number)}"
        return ""

    def _line(self, number: int) -> int:
        """Return the line of a constraint of the file; number: how many constraints stand before it."""
        starts = [match.start() for match in TOKENS.finditer(self._text) if match[0] == "constraint"]
        return self._text.count("\n", 0, starts[number]) + 1

    def suspects(self, column: Callable[[str], NDArray[np.int64]], size: int) -> NDArray[np.bool_]:
        """Tell, for each of many assignments, whether it may violate something; see `violation`.

        One that violates something is always a suspect. A constraint is evaluated for all of them at once where
        `COLUMNWISE` has a function for it, else for one after another. All are suspects if numbers are so large that
        sums of products might not be exact. column: returns the values of a variable in all assignments, by its name.
        size: how many assignments there are.
        """
        numbers = np.array([column(name) for name in self._domains], np.int64).reshape(-1, size)
        integers = (abs(constant) for constant in self._constants if isinstance(constant, int))
        largest = max(*integers, int(abs(numbers).max(initial=1)), 1)
        # No sum has more terms than the file has words.
        if largest**2 * len(self._tokens) >= EXACT_IN_INT64:
            return np.ones(size, np.bool_)
        hold = np.ones(size, np.bool_)
        for values, domain in zip(numbers, self._domains.values(), strict=True):
            if isinstance(domain, range):
                hold &= (domain.start <= values) & (values < domain.stop)
            elif domain is not None:
                hold &= [number in domain for number in values.tolist()]
        columns = [*numbers, *self._constants]
        for constraint in self._constraints:
            if constraint.columns_hold is not None:
                hold &= constraint.columns_hold(*[argument(columns) for argument in constraint.arguments])
        others = [constraint for constraint in self._constraints if constraint.columns_hold is None]
        for place in np.flatnonzero(hold).tolist() if others else ():
            row = [*numbers[:, place].tolist(), *self._constants]
            hold[place] = all(holds(*[argument(row) for argument in arguments]) for holds, _, arguments, *_ in others)
        return ~hold

    def _arguments(self, expressions: Iterable[Any]) -> list[Argument]:
        """Return for each of some expressions the function that returns its value from the list of all values.

        Equal names, and equal constants, share one.
        """
        return [self._new_argument(each) if isinstance(each, list) else self._argument(each) for each in expressions]

    def _new_argument(self, expression: Any) -> Argument:
        """Return the function that returns the value of an expression from the list of all values.

        The value of a variable or constant is an entry of the list, that of an array a tuple of entries. `_resolve`
        replaces the name of a constant or of an array by what it stands for, ``_place_of`` returns the place of a
        variable or constant in the list.
        """
        expression = self._resolve(expression)
        if not isinstance(expression, list):
            return itemgetter(self._place_of(expression))
        places = [self._place_of(self._resolve(element)) for element in expression]
        return itemgetter(*places) if len(places) > 1 else partial(_selection, places)

    def _resolve(self, expression: Any) -> Any:
        """Return what the name of a constant or of an array stands for; other expressions as they are."""
        while isinstance(expression, Identifier) and expression not in self._domains:
            expression = self._defined[expression]
        return expression

    def _place_of(self, expression: Any) -> int:
        """Return the place of a variable among the values, or that of a constant, which is added to them."""
        if isinstance(expression, Identifier):
            return self._places[expression]
        self._constants.append(expression)
        return len(self._domains) + len(self._constants) - 1

    def _read_statement(self) -> None:
        """Read the next statement, and store the variable, definition or constraint.

        Predicates and the goal are passed over. An array of variables is a definition: a list of expressions by its
        name.
        """
        first_word = self._next_word()
        if first_word == "constraint":
            self._stated.append((self._next_word(), self._list("(", ")")))
        elif first_word not in ("predicate", "solve"):
            if first_word == "var" and self._peek() == "set":  # an array of them holds only what was declared before
                raise ValueError("set variables cannot be evaluated")
            is_variable, domain = self._type(first_word)
            self._expect(":")
            name = self._next_word()
            if is_variable:
                self._domains[name] = domain
            # What comes before the value are annotations.
            if "=" in self._tokens[self._place : self._tokens.index(";", self._place)]:
                self._place = self._tokens.index("=", self._place) + 1
                self._defined[name] = self._expression()
                self._expect(";")
                return
        self._place = self._tokens.index(";", self._place) + 1

    def _type(self, first: str) -> tuple[bool, Container[int] | None]:
        """Read a type; return (whether it is that of one variable, its values).

        The values are None for all integers, and for what is no variable: an array, whose index set is passed over, or
        a set. first: the word that was read already.
        """
        if first == "array":
            while self._next_word() != "of":
                pass
            self._type(self._next_word())
            return False, None
        is_variable = first == "var"
        word = self._next_word() if is_variable else first
        if word == "set":
            self._expect("of")
            self._type(self._next_word())
            return False, None
        if word in ("bool", "int"):
            return is_variable, range(2) if word == "bool" else None
        self._place -= 1  # the word begins a range or a set
        values: Container[int] = self._expression()
        return is_variable, values

    def _expression(self) -> Any:
        """Read an expression: an integer, a truth value as 0 or 1, a name, a set of integers or an array.

        A name is returned as an `Identifier`, a set as a range or frozenset, an array as a list.
        """
        word = self._peek()
        if word == "[":
            return self._list("[", "]")
        if word == "{":
            return frozenset(self._list("{", "}"))
        atom = self._atom(self._next_word())
        if self._peek() != "..":
            return atom
        self._next_word()
        return range(atom, self._atom(self._next_word()) + 1)

    def _list(self, opening: str, closing: str) -> list[Any]:
        """Read expressions with commas between them, from the word ``opening`` to ``closing``; return them."""
        self._expect(opening)
        # Most lists have words and commas in turn, nothing else.
        end = self._tokens.index(closing, self._place)
        if {*self._tokens[self._place + 1 : end : 2]} <= {","} and self._peek() not in "[{":
            words = self._tokens[self._place : end : 2]
            self._place = end + 1
            return list(map(self._atom, words))
        expressions = []
        while self._peek() != closing:
            expressions.append(self._expression())
            if self._peek() == ",":
                self._next_word()
        self._next_word()
        return expressions

    def _peek(self) -> str:
        """Return the next word; raise ValueError at the end."""
        if self._place >= len(self._tokens):
            raise ValueError("the file ends within a statement")
        return self._tokens[self._place]

    def _next_word(self) -> str:
        """Return the next word, and go on behind it."""
        word = self._peek()
        self._place += 1
        return word

    def _expect(self, word: str) -> None:
        """Read a word; raise ValueError if it is another one."""
        if (next_word := self._next_word()) != word:
            raise ValueError(f"{next_word!r} is where {word!r} should be")


def _atom(word: str) -> Any:
    """Return what a single word stands for: an integer, a truth value as 0 or 1, or a name as an `Identifier`."""
    if word in ("true", "false"):
        return int(word == "true")
    if not re.fullmatch(r"-?[0-9]\w*", word):
        return Identifier(word)
    return int(word, 0) if "x" in word or "o" in word else int(word)


def _base_and_form(name: str) -> tuple[str, str]:
    """Return the name of a constraint without its form, and the form: "reif", "imp" or ""."""
    base, _, form = name.rpartition("_")
    if form in ("reif", "imp") and base in HOLDS:
        return base, form
    return name, ""


@cache
def _predicates(name: str) -> tuple[Callable[..., bool], Callable[..., Any] | None]:
    """Return the functions that tell whether a constraint holds: for an assignment, and for many at once, or None.

    name: FlatZinc's. `HOLDS` and `COLUMNWISE` have the functions by the names of plain forms. Reified forms end with
    _reif or _imp: their last argument is a truth value, which has to equal, or to imply, that the constraint holds for
    the others. The constraints in `RESULTS` have a result as their last argument, like reified ones.
    """
    base, form = _base_and_form(name)
    holds = HOLDS[base]
    columns_hold = COLUMNWISE.get(base)
    if form or base in RESULTS:
        return _with_result(holds, form), columns_hold and _with_result(columns_hold, form)
    return holds, columns_hold


def _with_result(holds: Callable[..., Any], form: str) -> Callable[..., Any]:
    """Return the function that tells whether the last argument is, or only implies, that the others hold.

    form: "imp" if it only implies that.
    """
    if form == "imp":
        return lambda *arguments: (arguments[-1] == 0) | holds(*arguments[:-1])
    return lambda *arguments: holds(*arguments[:-1]) == (arguments[-1] != 0)


def _selection(places: Sequence[int], values: Sequence[Any]) -> tuple[Any, ...]:
    """Return the values at these places; `operator.itemgetter` returns no tuple for a single one."""
    return tuple([values[place] for place in places])


def _sum(coefficients: Sequence[int], numbers: Sequence[int]) -> int:
    """Return the sum of products; there are as many coefficients as numbers, or else ValueError is raised."""
    if len(coefficients) != len(numbers):
        raise ValueError(f"there are {len(coefficients)} coefficients for {len(numbers)} numbers")
    return sum(map(operator.mul, coefficients, numbers))


def _quotient(dividend: int, divisor: int) -> int:
    """Return the quotient, rounded towards 0."""
    return abs(dividend) // abs(divisor) * (1 if (dividend < 0) == (divisor < 0) else -1)


def _is_power(base: int, exponent: int, result: int) -> bool:
    """Tell whether a number is a power; a negative exponent gives the reciprocal, rounded towards 0."""
    if exponent >= 0:
        return prod([base] * exponent) == result
    return base != 0 and _quotient(1, prod([base] * -exponent)) == result


def _is_element(index: int, array: Sequence[int], result: int) -> bool:
    """Tell whether the element with this index, counted from 1, is the result."""
    return 1 <= index <= len(array) and array[index - 1] == result


def _is_row(numbers: Sequence[int], table: Sequence[int]) -> bool:
    """Tell whether numbers are a row of a table, whose rows are one behind the other."""
    width = len(numbers)
    if not width:
        return True
    wanted_row = [*numbers]
    return any([*table[begin : begin + width]] == wanted_row for begin in range(0, len(table), width))


def _is_accepted(word: Sequence[int], states: int, letters: int, steps: Sequence[Any], start: int, ends: Any) -> bool:
    """Tell whether an automaton accepts a word.

    states, letters: how many there are; both count from 1. steps: for each state the entries of all letters: the next
    state, 0 for none, or the set of next states. start, ends: the first state, and those that accept.
    """
    current_states = {start}
    for letter in word:
        if not 1 <= letter <= letters:
            return False
        targets = [steps[(state - 1) * letters + letter - 1] for state in current_states]
        target_sets = [[target] if isinstance(target, int) else target for target in targets]
        current_states = {state for target_set in target_sets for state in target_set if state}
    return any(state in ends for state in current_states)


def _is_tour(successors: Sequence[int], first: int, may_stay: bool) -> bool:
    """Tell whether successors form one tour through all nodes.

    successors: that of each node. first: the number of the first node. may_stay: whether nodes that follow themselves
    are left out of the tour; then there may also be no tour at all.
    """
    successor_of = {first + n: successor for n, successor in enumerate(successors)}
    if {*successor_of.values()} != {*successor_of}:
        return False
    tour_nodes = [node for node, successor in successor_of.items() if node != successor or not may_stay]
    if not tour_nodes:
        return True
    current, length = successor_of[tour_nodes[0]], 1
    while current != tour_nodes[0]:
        current, length = successor_of[current], length + 1
    return length == len(tour_nodes) and (length > 1 or may_stay)


def _are_inverse(direct: Sequence[int], first: int, inverse: Sequence[int], first_inverse: int) -> bool:
    """Tell whether two arrays are inverse to each other, with these first indices."""
    if len(direct) != len(inverse):
        return False
    inverse_image = dict(enumerate(inverse, first_inverse))
    return all(inverse_image.get(image) == n for n, image in enumerate(direct, first))


def _fits(starts: Sequence[int], durations: Sequence[int], demands: Sequence[int], capacity: int) -> bool:
    """Tell whether the demands of tasks that run at the same time never exceed the capacity.

    starts, durations, demands: those of each task. Their sum is greatest where some task starts. Tasks of duration 0
    never run.
    """
    tasks = [task for task in zip(starts, durations, demands, strict=True) if task[1] > 0]
    demands_at_starts = (
        sum(demand for start, duration, demand in tasks if start <= time < start + duration) for time, _, _ in tasks
    )
    return all(total_demand <= capacity for total_demand in demands_at_starts)


def _are_apart(*boxes: Sequence[tuple[int, int]]) -> bool:
    """Tell whether boxes, each given by (start, length) along each axis, do not overlap, and have no negative sides.

    Two boxes are apart if one ends before the other begins along some axis.
    """
    for box_a, box_b in combinations(boxes, 2):
        axes = zip(box_a, box_b, strict=True)
        if not any(a + length_a <= b or b + length_b <= a for (a, length_a), (b, length_b) in axes):
            return False
    return all(length >= 0 for box in boxes for _, length in box)


def _has_counts(numbers: Sequence[int], cover: Sequence[int], least: Sequence[int], most: Sequence[int]) -> bool:
    """Tell whether each value of the cover occurs at least and at most so often."""
    return all(low <= numbers.count(value) <= high for value, low, high in zip(cover, least, most, strict=True))


def _are_different(columns: Sequence[Any]) -> Any:
    """Tell, for each of many assignments, whether the numbers are all different; columns: each of them in all."""
    ordered = np.sort(np.array(np.broadcast_arrays(*columns)), axis=0)
    return (ordered[1:] != ordered[:-1]).all(axis=0)


HOLDS: Mapping[str, Callable[..., bool]] = {
    **{f"{kind}_{name}": compare for kind in ("int", "bool") for name, compare in COMPARISONS.items()},
    **{
        f"{kind}_lin_{name}": lambda c, x, right, compare=compare: compare(_sum(c, x), right)
        for kind in ("int", "bool")
        for name, compare in COMPARISONS.items()
    },
    "set_in": lambda number, values: number in values,
    "bool_clause": lambda positive, negative: sum(positive) + len(negative) > sum(negative),
    "bool2int": operator.eq,
    "bool_not": operator.ne,
    "bool_xor": lambda a, b, result=1: (a != b) == (result != 0),
    "bool_and": lambda a, b: a + b == 2,
    "bool_or": lambda a, b: a + b > 0,
    "array_bool_and": lambda literals: sum(literals) == len(literals),
    "array_bool_or": lambda literals: sum(literals) > 0,
    "array_bool_xor": lambda literals: sum(literals) % 2 == 1,
    "int_plus": lambda a, b, result: a + b == result,
    "int_minus": lambda a, b, result: a - b == result,
    "int_negate": lambda a, result: -a == result,
    "int_times": lambda a, b, result: a * b == result,
    "int_div": lambda a, b, result: b != 0 and _quotient(a, b) == result,
    "int_mod": lambda a, b, result: b != 0 and a - b * _quotient(a, b) == result,
    "int_pow": _is_power,
    "int_pow_fixed": _is_power,
    "int_abs": lambda a, result: abs(a) == result,
    "int_max": lambda a, b, result: max(a, b) == result,
    "int_min": lambda a, b, result: min(a, b) == result,
    "array_int_maximum": lambda result, numbers: bool(numbers) and max(numbers) == result,
    "array_int_minimum": lambda result, numbers: bool(numbers) and min(numbers) == result,
    **dict.fromkeys(
        ["array_int_element", "array_bool_element", "array_var_int_element", "array_var_bool_element"], _is_element
    ),
    "set_card": lambda values, number: len(values) == number,
    "fzn_all_different_int": lambda numbers: len({*numbers}) == len(numbers),
    "fzn_table_int": _is_row,
    "fzn_table_bool": _is_row,
    "fzn_regular": _is_accepted,
    "fzn_regular_nfa": _is_accepted,
    "kazoeru_circuit": lambda successors, first: _is_tour(successors, first, may_stay=False),
    "kazoeru_subcircuit": lambda successors, first: _is_tour(successors, first, may_stay=True),
    "kazoeru_inverse": _are_inverse,
    **dict.fromkeys(["fzn_lex_less_int", "fzn_lex_less_bool"], operator.lt),
    **dict.fromkeys(["fzn_lex_lesseq_int", "fzn_lex_lesseq_bool"], operator.le),
    "fzn_count_eq": lambda numbers, value, count: numbers.count(value) == count,
    "fzn_among": lambda count, numbers, values: sum(number in values for number in numbers) == count,
    "fzn_at_most_int": lambda most, numbers, value: numbers.count(value) <= most,
    "fzn_at_least_int": lambda least, numbers, value: numbers.count(value) >= least,
    "fzn_exactly_int": lambda count, numbers, value: numbers.count(value) == count,
    "fzn_global_cardinality": lambda numbers, cover, counts: _has_counts(numbers, cover, counts, counts),
    "fzn_global_cardinality_low_up": _has_counts,
    "fzn_cumulative": _fits,
    "kazoeru_disjunctive": lambda starts, lengths: _are_apart(*([one] for one in zip(starts, lengths, strict=True))),
    "kazoeru_diffn": lambda xs, ys, widths, heights: _are_apart(
        *zip(zip(xs, widths, strict=True), zip(ys, heights, strict=True), strict=True)
    ),
}
"""For each constraint, the function that says whether it holds."""

RESULTS = {name: HOLDS[name] for name in ("bool_and", "bool_or", "array_bool_and", "array_bool_or")}
"""The functions whose constraints say that their last argument is the result."""

COLUMNWISE: Mapping[str, Callable[..., Any]] = {
    **{
        name: holds
        for name, holds in HOLDS.items()
        if name.startswith(("bool", "array_bool_and", "array_bool_or", "array_bool_xor"))
    },
    **{f"int_{form}{name}": HOLDS[f"int_{form}{name}"] for form in ("", "lin_") for name in COMPARISONS},
    **{f"int_{name}": HOLDS[f"int_{name}"] for name in ("plus", "minus", "negate", "times", "abs")},
    "fzn_all_different_int": _are_different,
    "fzn_count_eq": lambda numbers, value, count: sum(number == value for number in numbers) == count,
}
"""The functions that also take arrays, with the values in many assignments, and return an array."""
