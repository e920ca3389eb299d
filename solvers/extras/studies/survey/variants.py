"""The variants of a puzzle: the product of the values that are given for its parameters."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from solvers.errors import InputError
from solvers.files.catalogue import Declaration, Parameter
from solvers.files.load import read_text

MAX_VARIANTS = 1_000_000
"""The most variants; this many take hours if each takes some milliseconds."""

Row = dict[str, Any]
"""The report of a run as JSON object; that of a refused variant has the reason under ``refused``."""


def values_of(parameter: Parameter, texts: Iterable[str]) -> list[Any]:
    """Return the values of a parameter that texts name.

    A text is a value, a range such as 3..8, or a file with several values. A file has a value on each line, or drawings
    (# and .) divided by empty lines. A value that is named twice counts once. A parameter that takes several values
    takes all texts at once. Raises `InputError` for what is not a value of the parameter.

    >>> values_of(Parameter("size", int, (), 5, ""), ["3..5", "9"])
    [3, 4, 5, 9]
    >>> values_of(Parameter("size", int, (), 5, ""), ["5", "4..5"])
    [5, 4]
    """
    values: list[Any] = []
    if parameter.repeated:
        return [parameter.read_all(texts)]
    for text in texts:
        if parameter.kind is not bool and os.path.isfile(text):
            values += [value for line in in_file(text) for value in _values(parameter, line, f"{text}: ")]
        else:
            values += _values(parameter, text, "")
    return list(dict.fromkeys(values))


def in_file(path: str) -> list[str]:
    """Return the values in a file as texts; raise `InputError` if it holds none."""
    try:
        lines = [line.rstrip() for line in read_text(Path(path)).splitlines()]
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None
    if not any(lines):
        raise InputError(f"{path} holds no value; write one on each line, or drawings divided by empty lines")
    if all(re.fullmatch(r"[#. ]*", line) for line in lines):
        drawings = re.split(r"\n\n+", "\n".join(lines).strip("\n"))
        return [drawing if "\n" in drawing else f"{drawing}\n" for drawing in drawings]  # else it names a file
    return [line.strip() for line in lines if line]


def _values(parameter: Parameter, text: str, where: str) -> Sequence[Any]:
    """Return the value, or the range of values, that a text names.

    where: begins the message of the `InputError`.
    """
    ends = re.fullmatch(r"(-?[0-9]{1,9})\.\.(-?[0-9]{1,9})", text)
    if ends and parameter.kind is int:
        first, last = map(int, ends.groups())
        if last < first or last - first >= MAX_VARIANTS:
            raise InputError(f"{where}the range {text} is empty or too long; write the smaller number first")
        return range(first, last + 1)
    try:
        return [parameter.read(text)]
    except InputError as error:
        raise InputError(f"{where}{parameter.option}: {error}") from None


def variants(declaration: Declaration, chosen: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Return the parameters of each variant.

    The variants are all combinations of the chosen values, with defaults for the other parameters. Raises `InputError`
    if there are no variants or too many, or if a required value is missing. declaration: the puzzle.
    """
    lists = {}
    for parameter in declaration.parameters:
        if parameter.required and parameter.name not in chosen:
            raise InputError(f"{declaration.name}: give a value for {parameter.option}")
        lists[parameter.name] = list(chosen.get(parameter.name, [parameter.default]))
    return of_lists(declaration.name, lists)


def of_lists(name: str, lists: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Return the arguments of each variant, that is, every combination of the values.

    They are in the order of the product. name: the puzzle, for the error message. lists: the values of each parameter.

    Raises `InputError` if there are no combinations, or too many.
    """
    count = prod(map(len, lists.values()))
    if not 0 < count <= MAX_VARIANTS:
        raise InputError(f"{name}: that makes {count} variants; name at least one and at most {MAX_VARIANTS}")
    return [dict(zip(lists, values, strict=True)) for values in product(*lists.values())]
