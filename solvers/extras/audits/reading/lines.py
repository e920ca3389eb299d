"""Symmetries that are written as a line of text, such as ``x[i] -> x[n+1-i]``.

A line says where the values of an array go. It becomes elements: maps from a variable and its value to the variable and
value that they become. `swap rows of x` has one element for each two neighbours, which generate all permutations.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from models.puzzle import Label
from solvers.base.errors import InputError
from solvers.symmetry.key import Key

ALLOWED = (
    "allowed are found, declared, and lines such as 'x[i] -> x[n+1-i]', 'x -> n+1-x', 'x[i] = v -> x[v] = i', "
    "'x -> y; y -> x', 'swap rows of x' (or columns, layers, indices, values, numbers) and 'transpose x'"
)

MOST_CHARACTERS_OF_A_LINE = 1000
"""The longest line that is read."""

AXES = {"rows": 0, "elements": 0, "columns": 1, "layers": 2}
"""The index that each word means, counted from 0."""

TOGETHER = ("indices", "numbers")
"""Words for the indices of all dimensions at once."""

OPERATORS: Mapping[type, Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}

BARE = "key"
"""The name of an array whose labels are numbers only."""

SWAP = re.compile(r"swap (\w+) of (\w+)")
TRANSPOSE = re.compile(r"(?:transpose|transposition of) (\w+)")
SIDE = re.compile(r"(\w+)\s*(?:\[([^\[\]]*)\])?\s*(?:=\s*(\S.*))?")

Indices = tuple[int, ...]


Moves = Callable[[Indices, int], tuple[Indices, int]]
"""Maps the indices of a variable and its value to those that they become."""


class Image(NamedTuple):
    """The image of an array."""

    array: str
    """The array to which it goes: itself, as a rule."""
    of: Moves


Element = Mapping[str, Image]
"""The image of each array that a symmetry moves."""


@dataclass
class Space:
    """The variables of a key as arrays, and the numbers that lines may name."""

    arrays: dict[str, dict[Indices, Label]]
    """The label of each variable, by its array and its indices."""
    bounds: dict[Label, tuple[int, int]]
    """The least and the greatest value of each variable: of its domain, or in the solutions if these are known."""
    numbers: dict[str, int]
    """The parameters of the model, and `best`, the best value of its objective."""

    def ends(self, array: str, axis: int) -> tuple[int, int]:
        """Return the least and the greatest index of an array in one of its dimensions."""
        indices_of_axis = [indices[axis] for indices in self.arrays[array]]
        return min(indices_of_axis), max(indices_of_axis)

    def values(self, array: str) -> tuple[int, int]:
        """Return the least and the greatest value of an array's variables."""
        lows, highs = zip(*(self.bounds[label] for label in self.arrays[array].values()), strict=True)
        return min(lows), max(highs)

    def size(self, array: str) -> int:
        """Return the number of dimensions of an array; 0 for a single variable."""
        return len(next(iter(self.arrays[array])))


def space_of(key: Key, numbers: Mapping[str, int]) -> Space:
    """Return the arrays of a key, and the bounds of its domains; numbers: the integers that lines may name.

    A label's text begins with the name of its array (`BARE` if it has none); all integers behind it are the indices.

    >>> from ortools.sat.python.cp_model import CpModel
    >>> model = CpModel()
    >>> labels = ["x[1]", "x[2]", "y", 0, (1, 2)]
    >>> space_of(Key(model, {label: model.new_int_var(0, 4, "") for label in labels}), {}).arrays
    {'x': {(1,): 'x[1]', (2,): 'x[2]'}, 'y': {(): 'y'}, 'key': {(0,): 0, (1, 2): (1, 2)}}
    """
    arrays: dict[str, dict[Indices, Label]] = {}
    for label in key.labels:
        name, indices_text = _split(str(label))
        indices = tuple(map(int, re.findall(r"-?\d+", indices_text)))
        arrays.setdefault(name, {})[indices] = label
    bounds = {label: (domain[0][0], domain[-1][1]) for label, domain in zip(key.labels, key.domains, strict=True)}
    return Space(arrays, bounds, dict(numbers))


def _split(label: str) -> tuple[str, str]:
    """Return (the name at the start of a label's text, or `BARE` if there is none; the text behind it)."""
    match = re.match(r"[\W_]*([A-Za-z]\w*)", label)
    if match:
        return match[1], label[match.end() :]
    return BARE, label


class Names(NamedTuple):
    """The names by which one side of a line calls the indices and the value of a variable."""

    indices: Sequence[str]
    value: str


def elements(line: str, space: Space) -> list[Element]:
    """Return the elements that generate the symmetries of a line.

    An element maps each array that moves to its image: an array, and a function from (indices, value) to the new
    indices and value. A swap of rows, values or the like has an element for each two neighbours; any other line has one
    element. Raises `InputError` if the line is none that is allowed, or names what there is not.

    >>> from ortools.sat.python.cp_model import CpModel
    >>> model = CpModel()
    >>> key = Key(model, {f"x[{n}]": model.new_int_var(1, 4, "") for n in range(1, 5)})
    >>> (turn,) = elements("x[i] = v -> x[v] = n + 1 - i", space_of(key, {"n": 4}))
    >>> turn["x"].of((1,), 3), len(elements("swap values of x", space_of(key, {})))
    (((3,), 4), 3)
    """
    words = " ".join(line.replace("→", "->").split())
    if len(words) > MOST_CHARACTERS_OF_A_LINE:
        raise InputError(f"a symmetry of {len(words)} characters is too long; {ALLOWED}")
    if match := SWAP.fullmatch(words):
        array = _array_name(match[2], space, line)
        return [{array: Image(array, swap)} for swap in _swaps(match[1], array, space, line)]
    if match := TRANSPOSE.fullmatch(words):
        if space.size(_array_name(match[1], space, line)) != 2:
            raise InputError(f"{line!r} needs a matrix, and {match[1]} has dimension {space.size(match[1])}; {ALLOWED}")
        words = f"{match[1]}[i,j] -> {match[1]}[j,i]"
    image_by_array: dict[str, Image] = {}
    for part in words.split(";"):
        array, image = _map(part.strip(), space, line)
        if array in image_by_array:
            raise InputError(f"{line!r} moves {array} twice; {ALLOWED}")
        image_by_array[array] = image
    if {image.array for image in image_by_array.values()} != image_by_array.keys():
        raise InputError(f"{line!r} needs a part for each array, such as 'x -> y; y -> x'")
    return [image_by_array]


def _array_name(array: str, space: Space, line: str) -> str:
    """Return the name of an array; raise `InputError` if the key has none of this name."""
    if array not in space.arrays:
        raise InputError(f"{line!r}: the key has no array {array}; it has {', '.join(space.arrays)}")
    return array


def _swaps(subject: str, array: str, space: Space, line: str) -> list[Moves]:
    """Return the exchanges of two neighbours, such as rows or values of an array.

    subject: what is swapped, such as "rows". "indices" are exchanged in all dimensions at once, and "numbers" as
    indices and as values. Raises `InputError` if the array has no such things, or if its dimensions have different
    indices. line: the whole line, for messages.
    """
    dimensions = range(space.size(array))
    if subject == "values":
        low, high = space.values(array)
        return [_exchange((), has_values=True, first=value, other=value + 1) for value in range(low, high)]
    axes = dimensions if subject in TOGETHER else [axis for axis in dimensions if AXES.get(subject) == axis]
    # The different index sets of these dimensions; there has to be just one.
    index_sets = {tuple(sorted({indices[axis] for indices in space.arrays[array]})) for axis in axes}
    if not index_sets:
        raise InputError(f"{line!r}: {array} has dimension {space.size(array)}, and no {subject}; {ALLOWED}")
    if len(index_sets) > 1:
        raise InputError(f"{line!r}: the indices of {array} differ by dimension; {ALLOWED}")
    (index_set,) = index_sets
    return [_exchange(axes, subject == "numbers", index, other) for index, other in pairwise(index_set)]


def _exchange(axes: Collection[int], has_values: bool, first: int, other: int) -> Moves:
    """Return the exchange of the numbers ``first`` and ``other``, as a function of the indices and value of a variable.

    They are exchanged as indices in the dimensions ``axes``, and as values if ``has_values``.
    """
    swapped = {first: other, other: first}

    def image(indices: Indices, value: int) -> tuple[Indices, int]:
        """Return the indices and the value that these become."""
        image_indices = tuple(
            swapped.get(index, index) if axis in axes else index for axis, index in enumerate(indices)
        )
        return image_indices, swapped.get(value, value) if has_values else value

    return image


def _map(part: str, space: Space, line: str) -> tuple[str, Image]:
    """Return the array that one part of a line moves, and its image.

    part: text such as "x[i] = v -> x[n+1-i] = v". space: the arrays of the key, and the parameters of the model. line:
    the whole line, for messages. Raises `InputError` if the part is none that is allowed. Besides the names on the left
    side, the right side may contain the parameters of the model and the ends of the array: least and most value, low
    and high of the variable's domain, first and last index (of that dimension; in a value, of the first).
    """
    left, arrow, right = part.partition("->")
    match = SIDE.fullmatch(left.strip())
    if not arrow or not match:
        raise InputError(f"{line!r} is no symmetry; {ALLOWED}")
    array = _array_name(match[1], space, line)
    dimensions = space.size(array)
    # The left side gives names: ``indices`` and ``value``. The right side gives the expressions of the image. Where the
    # line leaves out a name, it gets one that no line can contain, as it has a space.
    if match[2] is None and match[3] is None:  # x -> n+1-x, or x -> y
        indices = [f"index {n}" for n in range(dimensions)]
        value = array
        is_other = right.strip() in space.arrays
        target_array = right.strip() if is_other else array
        new_indices = [_name(index) for index in indices]
        new_value = expression(array if is_other else right, line)
    else:
        indices = [name.strip() for name in (match[2] or "").split(",") if name.strip()]
        value = match[3] or "value v"
        target = SIDE.fullmatch(right.strip())
        if not target or bool(target[3]) != bool(match[3]):
            raise InputError(f"{line!r}: the two sides are not alike; {ALLOWED}")
        target_array = _array_name(target[1], space, line)
        new_indices = [expression(index, line) for index in (target[2] or "").split(",") if index.strip()]
        new_value = expression(target[3], line) if target[3] else _name(value)
        if not len(indices) == len(new_indices) == dimensions:
            raise InputError(f"{line!r}: {array} has dimension {dimensions}; {ALLOWED}")
    fixed = space.numbers | dict(zip(("least", "most"), space.values(array), strict=True))
    ends = [dict(zip(("first", "last"), space.ends(array, axis), strict=True)) for axis in range(dimensions)]

    def image(indices_here: Indices, current: int) -> tuple[Indices, int]:
        """Return the indices and the value that these indices and this value become."""
        low, high = space.bounds[space.arrays[array][indices_here]]
        named = {**fixed, "low": low, "high": high, **dict(zip(indices, indices_here, strict=True)), value: current}
        moved = tuple(index({**named, **end}) for index, end in zip(new_indices, ends, strict=True))
        return moved, new_value({**(ends[0] if ends else {}), **named})

    # Try the image of each variable: all names have to be known, and the variable that it moves to has to exist. Where
    # it moves to depends on its value, as in an exchange of indices and values, its other values are not tried.
    low, _ = space.values(array)  # the one value that is tried
    for indices_here in space.arrays[array]:
        try:
            moved, _ = image(indices_here, low)
        except (KeyError, ZeroDivisionError) as error:
            missing = f"{error.args[0]} is no number that is known" if isinstance(error, KeyError) else "division by 0"
            named = ", ".join([*fixed, "first", "last", "low", "high"])
            raise InputError(f"{line!r}: {missing}; known are {named}") from None
        if moved not in space.arrays[target_array] and not _depends(new_indices, value):
            raise InputError(f"{line!r} moves {array}{[*indices_here]} to {target_array}{[*moved]}, which there is not")
    return array, Image(target_array, image)


Evaluated = Callable[[Mapping[str, int]], int]
"""An expression: its value, for the values of the names in it."""


_name: Callable[[str], Evaluated] = operator.itemgetter
"""Returns the expression that is a name."""


def _depends(expressions: Collection[Evaluated], name: str) -> bool:
    """Tell whether one of some expressions uses a name."""
    return any(name in getattr(evaluated, "names", ()) for evaluated in expressions)


class _Arithmetic:
    """An expression of integers and names with + - * div mod."""

    def __init__(self, tree: ast.expr, operators: Mapping[type, Callable[[int, int], int]]) -> None:
        """Store the syntax tree and what the operators do, by the classes of their nodes."""
        self._tree, self._operators = tree, operators
        self.names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}

    def __call__(self, named: Mapping[str, int]) -> int:
        """Return the value for these values of the names."""
        return self._value(self._tree, named)

    def _value(self, tree: ast.expr, named: Mapping[str, int]) -> int:
        """Return the value of a part of the expression; named: the values of the names."""
        match tree:
            case ast.Constant(value=int(value)):
                return value
            case ast.Name(id=name):
                return named[name]
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return -self._value(inner, named)
            case ast.BinOp(left=left, op=sign, right=right):
                return self._operators[type(sign)](self._value(left, named), self._value(right, named))
        raise TypeError(tree)


def expression(text: str, line: str, operators: Mapping[type, Callable[[int, int], int]] = OPERATORS) -> Evaluated:
    """Return an expression that is written in a line.

    The result is a function that returns the value for given values of the names. line: the line, for the message.
    operators: what + - * div mod do, by the class of Python's node; by default, div and mod round down. Only integers,
    names, brackets and these operators are read; nothing is run. Raises `InputError` for anything else.
    """
    python_text = re.sub(r"\bmod\b", "%", re.sub(r"\bdiv\b", "//", text.strip()))
    try:
        tree = ast.parse(python_text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise InputError(f"{line!r}: {text.strip()!r} is no sum; {ALLOWED}") from None
    for node in ast.walk(tree):
        is_allowed = isinstance(node, (ast.Name, ast.Load, ast.BinOp, ast.UnaryOp, ast.USub, *OPERATORS))
        if not is_allowed and not (isinstance(node, ast.Constant) and type(node.value) is int):
            raise InputError(f"{line!r}: {text.strip()!r} has more than numbers, names and + - * div mod; {ALLOWED}")
    return _Arithmetic(tree, operators)
