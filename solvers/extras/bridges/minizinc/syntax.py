"""The syntax of FlatZinc: a file's variables, constraints and goal, as they stand there.

Specification: MiniZinc handbook, FlatZinc and its grammar. A constant is an int or a bool, a set of integers `Ranges`,
an array a list; what is an annotation is a `Call`. Floats and set variables are refused by name: ValueError.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice, product
from typing import Any, NamedTuple

from solvers.show.printable import quotation

TOKEN = re.compile(
    r"""(?P<word>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<sign>::|\.\.|[][(){}:;,=])
    |(?P<float>-?[0-9]+\.[0-9]+(?:[eE][-+]?[0-9]+)?|-?[0-9]+[eE][-+]?[0-9]+)
    |(?P<hexadecimal>-?0x[0-9a-fA-F]+|-?0o[0-7]+)
    |(?P<integer>-?[0-9]+)
    |(?P<string>"(?:[^"\\\n]|\\.)*")
    |(?P<comment>%[^\n]*)
    |(?P<other>\S)""",
    re.VERBOSE,
)
TOKENS = re.compile(re.sub(r"\?P<\w+>", "?:", TOKEN.pattern), re.VERBOSE)
"""The same without groups, so that `re.findall` returns texts."""

END = "the end of the file"
"""What stands for a token behind the last one."""

SOLUTION, COMPLETE = "----------", "=========="
UNSATISFIABLE, UNKNOWN, ERROR = "=====UNSATISFIABLE=====", "=====UNKNOWN=====", "=====ERROR====="
"""The lines in which a solver says how it ended: MiniZinc handbook, FlatZinc output."""

LEAST, GREATEST = -(2**62), 2**62
"""Integers beyond are refused: so large ones are none of CP-SAT's."""

MAX_LITERAL_LENGTH = 1000
"""The most characters of an integer that is read at all."""

MAX_NESTING = 100
"""The most expressions that stand inside each other; only search annotations nest at all."""


@dataclass(frozen=True)
class Ranges:
    """A set of integers, as ascending intervals (first, last).

    No interval is empty, and there is a gap between any two.
    """

    intervals: tuple[tuple[int, int], ...]

    def __and__(self, other: Ranges) -> Ranges:
        """Return the intersection."""
        intersections = ((max(a, c), min(b, d)) for a, b in self.intervals for c, d in other.intervals)
        return Ranges(tuple(sorted((low, high) for low, high in intersections if low <= high)))

    def complement(self) -> Ranges:
        """Return the set of all other integers from `LEAST` to `GREATEST`."""
        ends = [LEAST - 1, *(end for interval in self.intervals for end in interval), GREATEST + 1]
        gaps = ((low + 1, high - 1) for low, high in zip(ends[::2], ends[1::2], strict=True))
        return Ranges(tuple((low, high) for low, high in gaps if low <= high))

    def __iter__(self) -> Iterator[int]:
        """Yield the integers, ascending."""
        for low, high in self.intervals:
            yield from range(low, high + 1)

    def __contains__(self, value: int) -> bool:
        """Tell whether an integer is in the set."""
        return any(low <= value <= high for low, high in self.intervals)

    @property
    def size(self) -> int:
        """The number of integers."""
        return sum(high - low + 1 for low, high in self.intervals)

    def __bool__(self) -> bool:
        """Tell whether the set is not empty."""
        return bool(self.intervals)

    @property
    def low(self) -> int:
        """The least integer of the set; IndexError is raised for the empty set."""
        return self.intervals[0][0]

    @property
    def high(self) -> int:
        """The greatest integer of the set; IndexError is raised for the empty set."""
        return self.intervals[-1][1]


def ranges_of(numbers: Sequence[int]) -> Ranges:
    """Return the set of these integers.

    >>> ranges_of([5, 1, 2]).intervals
    ((1, 2), (5, 5))
    """
    intervals: list[tuple[int, int]] = []
    for number in sorted(set(numbers)):
        if intervals and intervals[-1][1] == number - 1:
            intervals[-1] = intervals[-1][0], number
        else:
            intervals.append((number, number))
    return Ranges(tuple(intervals))


WHOLE = Ranges(((LEAST, GREATEST),))
BOOLEAN = Ranges(((0, 1),))
EMPTY_SET = Ranges(())

INTRODUCED = "X_INTRODUCED_"
"""The beginning of the names that MiniZinc itself gives to variables."""


@dataclass(eq=False)
class Variable:
    """A variable as it is declared."""

    name: str
    domain: Ranges
    is_boolean: bool
    annotations: Sequence[Call] = ()


class Call(NamedTuple):
    """An annotation, or a constraint: a name and its arguments."""

    name: str
    arguments: Sequence[Any] = ()
    place: int = 0
    """The number of tokens before it in the text."""
    label: str = ""
    """The name that its author gave to a constraint, as in ``constraint :: "name" ...``; empty for none."""


@dataclass(frozen=True)
class OutputItem:
    """An output: a variable, or an array of variables and constants with its index sets."""

    name: str
    elements: Sequence[Variable | int]
    is_boolean: bool
    indices: Sequence[tuple[int, int]] | None = None
    """The first and the last index in each dimension; None where it is not an array."""

    @cached_property
    def labels(self) -> list[str]:
        """The labels of the elements, such as x or x[1,2]."""
        if self.indices is None:
            return [self.name]
        indices = product(*(range(low, high + 1) for low, high in self.indices))
        return [f"{self.name}[{','.join(map(str, index))}]" for index in indices]


@dataclass
class FlatZinc:
    """The content of a FlatZinc file."""

    text: str
    variables: list[Variable] = field(default_factory=list)
    outputs: list[OutputItem] = field(default_factory=list)
    constraints: list[Call] = field(default_factory=list)
    search: Sequence[Call] = ()
    """The annotations of the goal."""
    goal: str = ""
    """satisfy, minimize or maximize."""
    objective: Variable | int = 0

    arrays: dict[str, list[Any]] = field(default_factory=dict)
    """The arrays with variables, by name."""

    def author_name(self, variable: Variable) -> str | None:
        """Return the author's name of a variable, such as x[1,2] for an element of an array.

        MiniZinc's own names begin with ``X_INTRODUCED_``. For such a variable, an output or an array of the author's
        that has it as an element gives the name; the result is None if there is none. An array that is no output is
        indexed from 1.
        """
        if not variable.name.startswith(INTRODUCED):
            return variable.name
        for item in self.outputs:
            for element, label in zip(item.elements, item.labels, strict=False):
                if element is variable:
                    return label
        for name, elements in self.arrays.items():
            for place, element in enumerate(elements, 1):
                if element is variable and not name.startswith(INTRODUCED):
                    return f"{name}[{place}]"
        return None

    def line(self, place: int) -> int:
        """Return the number of the line, from 1, of a token; place: how many tokens stand before it."""
        return self.text.count("\n", 0, self.offset(place)) + 1

    def offset(self, place: int) -> int:
        """Return the offset of a token in the text, or of its end; place: how many tokens stand before it."""
        starts = (match.start() for match in TOKENS.finditer(self.text) if match[0][0] != "%")
        return next(islice(starts, place, None), len(self.text))


def parse_flatzinc(text: str) -> FlatZinc:
    """Parse the text of a FlatZinc file; raise ValueError, with the line, if it is not understood.

    >>> flat = parse_flatzinc("var 1..3: x :: output_var; constraint int_le(2, x); solve satisfy;")
    >>> flat.variables[0].domain.intervals, flat.constraints[0].name, flat.outputs[0].name
    (((1, 3),), 'int_le', 'x')
    """
    return _Parser(text).parse()


class _Parser:
    """A recursive descent parser for FlatZinc, with one token of lookahead; a list of single tokens is read at once.

    A method for a part of the syntax begins at the first token of that part and moves behind its last token. It raises
    ValueError, with the line, for text that is not understood.
    """

    def __init__(self, text: str) -> None:
        """Read the tokens of the text; raise ValueError, with the line, if something in it is none.

        ``_token`` is the text of the current token, ``_place`` how many stand before it.
        """
        self._flat = FlatZinc(text)
        self._tokens: list[str] = [*(token for token in TOKENS.findall(text) if token[0] != "%"), END]
        self._kinds = {token: match.lastgroup for token in {*self._tokens} if (match := TOKEN.fullmatch(token))}
        """The kind of each token, the name of a group of `TOKEN`; the end has none."""
        # The values of parameters, variables and arrays, and of integers and truth values, by their tokens.
        self._named: dict[str, Any] = {"true": True, "false": False}
        self._place, self._token = 0, self._tokens[0]
        self._nesting = 0  # how many expressions are open
        if "other" in self._kinds.values():
            self._place = next(place for place, token in enumerate(self._tokens) if self._kinds.get(token) == "other")
            start = self._flat.offset(self._place)
            raise self._error(f"{quotation(text[start : start + 10].split()[0])} is not FlatZinc")

    @property
    def _kind(self) -> str | None:
        """The kind of the current token; None at the end."""
        return self._kinds.get(self._token)

    def _next_token(self) -> str:
        """Return the current token and read the next one."""
        token = self._token
        if token is not END:
            self._place += 1
            self._token = self._tokens[self._place]
        return token

    def _error(self, sentence: str) -> ValueError:
        """Return an exception whose message names the current line; sentence: the rest of the message."""
        return ValueError(f"line {self._flat.line(self._place)}: {sentence}")

    def _expect(self, *tokens: str) -> str:
        """Return the current token, which has to be one of these, and read the next one.

        Raises ValueError otherwise.
        """
        if self._token not in tokens:
            raise self._error(f"{quotation(self._token)} stands where {' or '.join(tokens)} was expected")
        return self._next_token()

    def _accept(self, token: str) -> bool:
        """Tell whether the current token is this one, and if so read the next one."""
        if self._token == token:
            self._next_token()
            return True
        return False

    def _word(self) -> str:
        """Return the current token and read the next one; raise ValueError if the former is not a name."""
        if self._kind != "word":
            raise self._error(f"{quotation(self._token)} stands where a name was expected")
        return self._next_token()

    def parse(self) -> FlatZinc:
        """Parse the whole file: its declarations, constraints and goal, each up to a semicolon.

        Declarations of predicates are passed over. Raises ValueError, with the line, for text that is not understood.
        """
        while self._token is not END:
            if self._token == "predicate":
                while self._token != ";" and self._token is not END:
                    self._next_token()
            elif self._token == "constraint":
                self._constraint()
            elif self._token == "solve":
                self._solve()
            else:
                self._declaration()
            self._expect(";")
        if not self._flat.goal:
            raise ValueError("it has no solve item; is this FlatZinc, and is it complete?")
        return self._flat

    def _constraint(self) -> None:
        """Parse a constraint item, such as constraint int_le(2, x) :: mzn_constraint_name("n"), and store it.

        Raises ValueError, with the line, for text that is not understood.
        """
        self._next_token()
        place, name = self._place, self._word()
        self._expect("(")
        arguments = self._parse_list(")")
        name_arguments = (call.arguments for call in self._annotations() if call.name == "mzn_constraint_name")
        # A text in quotes is parsed into a call, whose name is the text.
        label = next((text.name.strip('"') for text, *_ in name_arguments if isinstance(text, Call)), "")
        self._flat.constraints.append(Call(name, arguments, place, label))

    def _solve(self) -> None:
        """Parse a solve item and store its goal, objective and annotations.

        Raises ValueError, with the line, for text that is not understood.
        """
        self._next_token()
        self._flat.search = self._annotations()
        self._flat.goal = self._expect("satisfy", "minimize", "maximize")
        if self._flat.goal != "satisfy":
            objective = self._expression()
            if not isinstance(objective, (Variable, int)):
                raise self._error("the objective is not an integer")
            self._flat.objective = objective

    def _declaration(self) -> None:
        """Parse the declaration of a parameter, a variable or an array, and store its value under its name.

        An array is stored as the list of its elements. A variable with a value, as in var int: x = y, is stored with a
        constraint that the two are equal. Raises ValueError, with the line, for text that is not understood.
        """
        indices = None
        if self._accept("array"):
            self._expect("[")
            indices = self._expression()
            self._expect("]")
            self._expect("of")
        is_variable = self._accept("var")
        # An array without elements may be of sets or floats, which are refused elsewhere.
        if indices == EMPTY_SET:
            domain, is_boolean = self._any_type()
        else:
            domain, is_boolean = self._type(is_variable)
        self._expect(":")
        name = self._word()
        annotations = self._annotations()
        value = self._expression() if self._accept("=") else None
        if indices is None and is_variable:
            variable = Variable(name, domain, is_boolean, annotations)
            self._flat.variables.append(variable)
            if value is not None:
                equal = "bool_eq" if is_boolean else "int_eq"
                self._flat.constraints.append(Call(equal, [variable, value], self._place))
            value = variable
        if value is None:
            raise self._error(f"{name} has no value")
        if name in self._named:
            raise self._error(f"{name} is declared twice")
        self._named[name] = value
        if is_variable:
            self._output(name, value, is_boolean, annotations)
            if isinstance(value, list):
                self._flat.arrays[name] = value

    def _output(self, name: str, value: Any, is_boolean: bool, annotations: Sequence[Call]) -> None:
        """Store a declared variable or array as an output if its annotations say so.

        They are output_var, and output_array with the index sets, as in output_array([1..2, 1..3]). name: of the
        variable or array. value: the variable, or the elements of the array. is_boolean: whether its type is bool.
        """
        for annotation in annotations:
            if annotation.name == "output_var" and isinstance(value, Variable):
                self._flat.outputs.append(OutputItem(name, [value], is_boolean))
            elif annotation.name == "output_array" and isinstance(value, list):
                index_sets = annotation.arguments[0] if len(annotation.arguments) == 1 else None
                if not isinstance(index_sets, list) or not all(
                    isinstance(index_set, Ranges) for index_set in index_sets
                ):
                    raise self._error(f"output_array of {name} has to name its index sets, as in ([1..3])")
                # An empty index set goes from 1 to 0.
                ends = [(index_set.low, index_set.high) if index_set else (1, 0) for index_set in index_sets]
                self._flat.outputs.append(OutputItem(name, value, is_boolean, ends))

    def _type(self, is_variable: bool) -> tuple[Ranges, bool]:
        """Parse a type; return its values and whether it is Boolean.

        is_variable: "var" was before it. A constant set has the type "set of" its elements, and its values do not
        matter. Sets of variables and floats are refused. Raises ValueError, with the line, for text that is not
        understood.
        """
        if self._token == "set":
            self._next_token()
            self._expect("of")
            if is_variable:
                raise self._error("set variables are not supported in a .fzn file; give the .mzn file")
            self._type(is_variable=False)
            return WHOLE, False
        if self._token == "float" or self._kind == "float":
            raise self._error("floats are not understood, only integers, Booleans and constant sets")
        if self._accept("int"):
            return WHOLE, False
        if self._accept("bool"):
            return BOOLEAN, True
        domain = self._expression()
        if not isinstance(domain, Ranges):
            raise self._error("this is not a type")
        return domain, False

    def _any_type(self) -> tuple[Ranges, bool]:
        """Move behind the type of an array without elements, which may be one that is not understood elsewhere."""
        is_boolean = self._token == "bool"
        while self._token != ":" and self._token is not END:
            self._next_token()
        return WHOLE, is_boolean

    def _annotations(self) -> list[Call]:
        """Parse annotations and return those that are calls or names.

        Raises ValueError, with the line, for text that is not understood.
        """
        annotations = []
        while self._accept("::"):
            annotation = self._expression()
            if isinstance(annotation, Call):
                annotations.append(annotation)
        return annotations

    def _parse_list(self, end: str) -> list[Any]:
        """Parse expressions, separated by commas, up to the token ``end``, and return their values.

        Raises ValueError, with the line, for text that is not understood.
        """
        # Most lists have commas between single tokens whose values are known.
        with suppress(ValueError, KeyError):  # the list does not end, or a value is not known yet
            stop = self._tokens.index(end, self._place)
            if {*self._tokens[self._place + 1 : stop : 2]} <= {","}:
                values = [self._named[token] for token in self._tokens[self._place : stop : 2]]
                self._place = stop + 1
                self._token = self._tokens[stop + 1]
                return values
        listed = []
        while not self._accept(end):
            listed.append(self._expression())
            if not self._accept(","):
                self._expect(end)
                break
        return listed

    def _expression(self) -> Any:
        """Parse an expression and return its value: an int, a bool, `Ranges`, a list, a `Variable` or a `Call`.

        Raises ValueError, with the line, for text that is not understood or is nested too deeply.
        """
        self._nesting += 1
        if self._nesting > MAX_NESTING:
            raise self._error(f"more than {MAX_NESTING} expressions stand inside each other; this is nested too deeply")
        value = self._value()
        self._nesting -= 1
        return value

    def _value(self) -> Any:
        """Parse an expression and return its value.

        The value is an int, a bool, `Ranges`, a list, a `Variable`, or a `Call` for an annotation. Raises ValueError,
        with the line, for text that is not understood.
        """
        kind, token = self._kind, self._token
        if kind == "integer" or kind == "hexadecimal":
            return self._number()
        if kind == "word":
            self._next_token()
            return self._parse_named(token)
        if kind == "string":
            return Call(self._next_token())
        if kind == "float":
            raise self._error(f"floats such as {token} are not understood, only integers, Booleans and constant sets")
        if self._accept("["):
            return self._parse_list("]")
        if self._accept("{"):
            numbers = self._parse_list("}")
            if not all(isinstance(number, int) for number in numbers):
                raise self._error("only sets of integers are understood")
            return ranges_of(numbers)
        raise self._error(f"{quotation(token)} stands where a value was expected")

    def _number(self) -> int | Ranges:
        """Parse an integer or a range such as 1..3, of which only integers that solvers accept are kept.

        A range whose ends are in the wrong order is empty. Raises ValueError for a single integer beyond.
        """
        token, low = self._token, self._integer()
        if self._accept(".."):
            if self._kind not in ("integer", "hexadecimal"):
                raise self._error(f"{quotation(self._token)} stands where an integer was expected")
            high = self._integer()
            return Ranges(((max(low, LEAST), min(high, GREATEST)),) if low <= high else ())
        if not LEAST <= low <= GREATEST:
            raise self._error(f"{low} exceeds what solvers accept")
        self._named[token] = low
        return low

    def _integer(self) -> int:
        """Return the integer that the current token is, and read the next one.

        Raises ValueError if it has more digits than any number that solvers accept.
        """
        if len(self._token) > MAX_LITERAL_LENGTH:
            raise self._error(f"{quotation(self._token)} exceeds what solvers accept")
        base = 0 if self._kind == "hexadecimal" else 10
        return int(self._next_token(), base)

    def _parse_named(self, name: str) -> Any:
        """Parse the rest of an expression that begins with the name just read.

        Return its value: a call, a declared value, an element of an array, or the bare name as a call. Raises
        ValueError, with the line, for text that is not understood.
        """
        if self._accept("("):
            return Call(name, self._parse_list(")"))
        if name not in self._named:
            return Call(name)
        value = self._named[name]
        if self._token == "[" and isinstance(value, list):
            self._next_token()
            index = self._expression()
            self._expect("]")
            if not isinstance(index, int) or not 1 <= index <= len(value):
                raise self._error(f"{name} has no element {index}")
            return value[index - 1]
        return value
