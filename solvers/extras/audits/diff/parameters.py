"""The parameters of a reference: which of them a submission receives, and sizes that both of them take."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from solvers.base.errors import InputError
from solvers.extras.audits.reading.source import Source, integers_of
from solvers.files.catalogue import Declaration
from solvers.files.load import read_text

SIZES = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*(-?\d+)\s*(?:\.\.\s*(-?\d+)\s*)?")
"""A text such as "n=4..8", or "n=4"."""

NO_SIZE = "so that its size cannot be chosen"
"""How a refusal ends if a model has no parameter of a name."""

MOST_SIZES = 1000
"""The most sizes with which one model is compared."""


def sizes_of(text: str) -> list[str]:
    """Return the sizes that a text such as "n=4..8" names, each as "n=4".

    Raises `InputError` for a text of another form, and for more than `MOST_SIZES` sizes or none.

    >>> sizes_of("n=4..6"), sizes_of("n=4")
    (['n=4', 'n=5', 'n=6'], ['n=4'])
    """
    match = SIZES.fullmatch(text)
    if match is None:
        raise InputError(f"{text!r} names no sizes; write them as in n=4..8")
    first, last = int(match[2]), int(match[3] or match[2])
    if not 0 < last - first + 1 <= MOST_SIZES:
        raise InputError(f"{text!r} names no size, or more than {MOST_SIZES}; write them as in n=4..8")
    return [f"{match[1]}={value}" for value in range(first, last + 1)]


def resize(declaration: Declaration, arguments: Mapping[str, Any], size: str) -> dict[str, Any]:
    """Return the parameters of a model with another size.

    The size is a parameter of the model or, in MiniZinc, an assignment under "define". arguments: the parameters as
    they are. size: such as "n=4". Raises `InputError` if the model has no such size, or
    if its file cannot be read.
    """
    name, _, value = size.partition("=")
    if name in {parameter.name for parameter in declaration.parameters}:
        return {**arguments, name: int(value)}
    if _is_in_minizinc(declaration) and _has_parameter(declaration, name):
        return {**arguments, "define": [*_other_assignments(arguments.get("define", ()), {name}), size]}
    raise InputError(f"{declaration.name} has no parameter {name}, {NO_SIZE}")


def common_parameters(arguments: Mapping[str, Any], given: Collection[str], other: Declaration) -> dict[str, Any]:
    """Return those of the reference's parameters that a submission has too, with their values, by name.

    A MiniZinc model has no parameter list but "define": it gets "n=8" for each integer n of the reference that its text
    leaves open or, if a user gave n, has. Values that MiniZinc's reference defines go to the parameters of a program.

    arguments: the reference's parameters by name. given: the names of those that a user gave. other: the submission.
    Raises `InputError` if its file cannot be read.
    """
    names_of_other = {parameter.name for parameter in other.parameters}
    result = {name: value for name, value in arguments.items() if name in names_of_other - {"define"}}
    defined = list(arguments.get("define", ()))
    if not _is_in_minizinc(other):
        return result | {name: value for name, value in integers_of(defined).items() if name in names_of_other}
    integers = {name: value for name, value in arguments.items() if type(value) is int}
    names_passed = [name for name in integers if _has_parameter(other, name, is_open=name not in given)]
    defined_there = [
        definition for definition in defined if _has_parameter(other, definition.partition("=")[0].strip())
    ]
    new_definitions = [f"{name}={integers[name]}" for name in names_passed]
    return {**result, "define": [*_other_assignments(defined_there, names_passed), *new_definitions]}


def _is_in_minizinc(declaration: Declaration) -> bool:
    """Tell whether a model is one in MiniZinc."""
    return "define" in {parameter.name for parameter in declaration.parameters}


def _has_parameter(declaration: Declaration, name: str, is_open: bool = False) -> bool:
    """Tell whether the text of a MiniZinc model declares a parameter, by an item such as ``int: n`` or ``int: n = 3``.

    is_open: whether it has to be one without a value, in its own item or in another one. Variables, and the arguments
    of functions, are no parameters.
    """
    items = [[token.text for token in item] for item in Source(read_text(Path(declaration.name))).items]
    for words in items:
        colon = words.index(":") if ":" in words else 0
        is_declared = colon and words[colon + 1 : colon + 2] == [name]
        if is_declared and {"var", "(", "constraint"}.isdisjoint(words[:colon]):
            has_value = len(words) > colon + 2 or any(other[:2] == [name, "="] for other in items)
            return not (is_open and has_value)
    return False


def _other_assignments(defined: Collection[str], names: Collection[str]) -> list[str]:
    """Return the assignments such as n=8 of other names."""
    return [definition for definition in defined if definition.partition("=")[0].strip() not in names]
