"""Which variants of a puzzle there are: the product of the values that are given for its parameters."""

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
from solvers.options import whole

MOST = 1_000_000
"""So many variants take hours if each takes some milliseconds."""

Row = dict[str, Any]
"""A run's JSON object, with a sentence under ``refused`` if the variant was refused."""

TRUTH = {"yes": True, "no": False}


def values_of(parameter: Parameter, texts: Iterable[str]) -> list[Any]:
    """The values that texts name: values, ranges of whole numbers such as 3..8, and files with several.

    A file has a value on each line, or drawings (# and .) divided by empty lines. A value that is named twice counts
    once.

    Raises `InputError` for what is no value of the parameter.

    >>> values_of(Parameter("size", int, (), 5, ""), ["3..5", "9"])
    [3, 4, 5, 9]
    >>> values_of(Parameter("size", int, (), 5, ""), ["5", "4..5"])
    [5, 4]
    """
    values: list[Any] = []
    for text in texts:
        if parameter.kind is not bool and os.path.isfile(text):
            values += [value for line in in_file(text) for value in _values(parameter, line, f"{text}: ")]
        else:
            values += _values(parameter, text, "")
    return list(dict.fromkeys(values))


def in_file(path: str) -> list[str]:
    """The values in a file; `InputError` if it holds none."""
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
    ends = re.fullmatch(r"(-?[0-9]{1,9})\.\.(-?[0-9]{1,9})", text)
    if ends and parameter.kind is int:
        first, last = map(int, ends.groups())
        if last < first or last - first >= MOST:
            raise InputError(f"{where}the range {text} is empty or too long; write the smaller number first")
        return range(first, last + 1)
    return [_value(parameter, text, where)]


def _value(parameter: Parameter, text: str, where: str) -> Any:
    kind, value = parameter.kind, text
    try:
        converted: Any = TRUTH[text] if kind is bool else whole(text) if kind is int else kind(value)
    except KeyError:
        raise InputError(f"{where}{parameter.option} takes yes or no, not {text!r}") from None
    except ValueError as error:
        raise InputError(f"{where}{parameter.option}: {error}") from None
    if parameter.choices and converted not in parameter.choices:
        raise InputError(f"{where}{parameter.option} takes {', '.join(map(str, parameter.choices))}, not {text!r}")
    return converted


def variants(declaration: Declaration, chosen: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """The arguments of each variant, in the order of the product; parameters that are not chosen have their defaults.

    Raises `InputError` if there are none or too many, or a value is missing that has to be given.
    """
    lists = {}
    for parameter in declaration.parameters:
        if parameter.required and parameter.name not in chosen:
            raise InputError(f"{declaration.name}: give a value for {parameter.option}")
        lists[parameter.name] = list(chosen.get(parameter.name, [parameter.default]))
    return of_lists(declaration.name, lists)


def of_lists(name: str, lists: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """The same from the values of every parameter."""
    count = prod(map(len, lists.values()))
    if not 0 < count <= MOST:
        raise InputError(f"{name}: that makes {count} variants; name at least one and at most {MOST}")
    return [dict(zip(lists, values, strict=True)) for values in product(*lists.values())]
