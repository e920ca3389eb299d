"""The variants of a puzzle: the product of the values that are given for its parameters.

Options of a run may vary like parameters, too: the backend, the symmetries, how they are broken, the jobs, the seed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from solvers.backends.registry import check_backend
from solvers.base.errors import InputError, errors_with_name
from solvers.base.options import WORDS, Options
from solvers.files.catalogue import Declaration, Parameter
from solvers.files.load import read_text
from solvers.terminal.arguments import argparse_reader

MAX_VARIANTS = 1_000_000
"""The most variants; this many take hours if each takes some milliseconds."""

PLACEHOLDER = re.compile(r"\{([A-Za-z]\w*)\}")
"""The place of a number in a text, such as {n} in {n}x{n}."""

WHOLE_FILE = "file:"
"""Begins a text that names a file which the puzzle itself reads, not a list of values."""

Row = dict[str, Any]
"""The report of a run as JSON object; that of a refused variant has the reason under ``refused``."""


def values_of(parameter: Parameter, texts: Iterable[str]) -> list[Any]:
    """Return the values of a parameter that texts name.

    A text is a value, a range such as 3..8, or a file with several values. A file has a value on each line, or drawings
    (# and .) divided by empty lines. ``file:PATH`` is a value: the path of a file that the puzzle itself reads. A value
    that is named twice counts once. A parameter that takes several texts takes them at once, with one value of each
    name: see `_combinations`. Raises `InputError` for what is not a value of the parameter.

    >>> values_of(Parameter("size", int, (), 5, ""), ["3..5", "9"])
    [3, 4, 5, 9]
    >>> values_of(Parameter("size", int, (), 5, ""), ["5", "4..5"])
    [5, 4]
    >>> values_of(Parameter("define", str, (), (), "", repeated=True), ["n=3..4", "m=7"])
    [['n=3', 'm=7'], ['n=4', 'm=7']]
    """
    values: list[Any] = []
    if parameter.repeated:
        return [parameter.read_all(chosen) for chosen in _combinations(parameter, texts)]
    for text in texts:
        if PLACEHOLDER.search(text):
            values.append(text)  # it is read once it is filled in
        elif is_list(parameter, text):
            values += [value for line in in_file(text) for value in _values_in_text(parameter, line, text)]
        else:
            values += _values_in_text(parameter, text, file="")
    return list(dict.fromkeys(values))


def is_list(parameter: Parameter, text: str) -> bool:
    """Tell whether a text names a file that is read as a list of values of the parameter."""
    return parameter.kind is not bool and not parameter.repeated and os.path.isfile(text)


def whole_file(text: str) -> str:
    """Return the path in a text such as file:own.pieces, any other text as it is.

    Raises `InputError` if there is no such file.
    """
    path = text.removeprefix(WHOLE_FILE)
    if path != text and not os.path.isfile(path):
        raise InputError(f"{text}: there is no file {path or repr(path)}; give the path of a file behind {WHOLE_FILE}")
    return path


def _combinations(parameter: Parameter, texts: Iterable[str]) -> list[list[str]]:
    """Return all combinations of the values that texts name, for a parameter that takes several texts.

    A text such as n=3..8 names the values n=3 to n=8, and --size=3..8 and 3..8 likewise. Texts that give the same name
    a value, such as n=3 and n=5, name several values. Any other text is in all combinations. Raises `InputError` if
    there are too many.
    """
    # By the name before =, or by the place of a text without one: the texts that are possible.
    texts_by_name: dict[object, list[str]] = {}
    for place, text in enumerate(map(whole_file, texts)):
        name, equals, value = text.rpartition("=")
        numbers = range_or_none(value, f"{parameter.option}: ")
        texts_named = [text] if numbers is None else [f"{name}{equals}{number}" for number in numbers]
        texts_by_name.setdefault(name if name.isidentifier() else place, []).extend(texts_named)
    return [
        list(combination)
        for combination in _product(parameter.option, [[*dict.fromkeys(value)] for value in texts_by_name.values()])
    ]


def in_file(path: str) -> list[str]:
    """Return the values in a file as texts; raise `InputError` if it holds none.

    path: the file. A drawing consists of #, * and dots; others are lines.
    """
    with errors_with_name(path):
        lines = [line.rstrip() for line in read_text(Path(path)).splitlines()]
    if not any(lines):
        raise InputError(f"{path} holds no value; write one on each line, or drawings divided by empty lines")
    if all(re.fullmatch(r"[#*. ]*", line) for line in lines):
        drawings = re.split(r"\n\n+", "\n".join(lines).strip("\n"))
        # A text without a line break would name a file.
        return [drawing if "\n" in drawing else f"{drawing}\n" for drawing in drawings]
    return [line.strip() for line in lines if line]


def _values_in_text(parameter: Parameter, text: str, file: str) -> Sequence[Any]:
    """Return the value, or the range of values, that a text names.

    file: the path of the file of which it is a line, for the message of the `InputError`; "" if it is none. A parameter
    of whole numbers takes a range such as 3..8.
    """
    prefix = f"{file}: " if file else ""
    numbers = range_or_none(text, prefix) if parameter.kind is int else None
    if numbers is not None:
        return numbers
    try:
        return [parameter.read(whole_file(text))]
    except InputError as error:
        advice = f"; {advice_to_hand_over(file)}" if file and parameter.kind is str else ""
        raise InputError(f"{prefix}{parameter.option}: {error}{advice}") from None


def advice_to_hand_over(file: str) -> str:
    """Return the advice for a file whose lines are no values; file: its path."""
    return f"write {WHOLE_FILE}{file} to hand over the file itself"


def placeholders(texts: Iterable[str], names: Iterable[str]) -> list[str]:
    """Return those names for which a text has a placeholder, such as n in {n}x{n}, in the order of the names."""
    inside = {name for text in texts for name in PLACEHOLDER.findall(text)}
    return [name for name in dict.fromkeys(names) if name in inside]


def placeholder_values(texts: Mapping[str, Iterable[Any]]) -> list[dict[str, Any]]:
    """Return all combinations of the values of placeholders, by their names.

    texts: for each name values, or ranges, whose ends may be names before it. Raises `InputError` for another name, or
    if there are no combinations, or too many.

    >>> placeholder_values({"n": ["1..2"], "k": ["1..n"]})
    [{'n': 1, 'k': 1}, {'n': 2, 'k': 1}, {'n': 2, 'k': 2}]
    """
    rows: list[dict[str, Any]] = [{}]
    for name, values in texts.items():
        rows = [{**row, name: value} for row in rows for text in values for value in _range_values(name, text, row)]
        if not 0 < len(rows) <= MAX_VARIANTS:
            raise InputError(f"{name}: that makes {len(rows)} variants; give at least one and at most {MAX_VARIANTS}")
    return rows


def _range_values(name: str, text: Any, row: Mapping[str, Any]) -> Sequence[Any]:
    """Return the values of a placeholder that a text names; row: the values of those before it.

    A range such as 1..n ends at a number or at an earlier name; it has no values if an end that is a name makes it
    empty. A text that is no range is one value. name: the placeholder.
    """
    match = re.fullmatch(r"([A-Za-z]\w*|-?[0-9]+)\.\.([A-Za-z]\w*|-?[0-9]+)", str(text))
    if not match:
        return [_number(str(text))]
    for limit in match.groups():
        if limit[0].isalpha() and not isinstance(row.get(limit), int):
            raise InputError(
                f"{name}: {text} ends at {limit}, which has no whole number yet; give --{limit} before --{name}"
            )
    first, last = (str(row.get(limit, limit)) for limit in match.groups())
    if (first, last) != match.groups() and int(first) > int(last):
        return []
    return range_or_none(f"{first}..{last}", f"{name}: ") or []


def fill_in(
    variant: Mapping[str, Any], values: Mapping[str, Any], parameters: Iterable[Parameter] = ()
) -> dict[str, Any]:
    """Return a variant with values in place of the placeholders in its texts; it keeps them, with braces, for columns.

    values: by name. parameters: those of the puzzle, by which a text is read once it is filled in. Raises `InputError`
    if a text has another placeholder beside them, or is no value of its parameter. A text with unknown placeholders
    only stays as it is.

    >>> fill_in({"board": "{n}x{n}", "holes": 0}, {"n": 3})
    {'board': '3x3', 'holes': 0, '{n}': 3}
    """
    readers = {parameter.name: parameter.read for parameter in parameters}

    def fill_text(name: str, text: Any) -> Any:
        """Return the value of a parameter with numbers in place of its placeholders."""
        if isinstance(text, (list, tuple)):
            return [fill_text("", part) for part in text]
        if not isinstance(text, str) or not PLACEHOLDER.search(text):
            return text
        names = PLACEHOLDER.findall(text)
        unknown_names = [name for name in names if name not in values]
        if 0 < len(unknown_names) < len(names):
            raise InputError(f"{text}: {{{unknown_names[0]}}} stands for numbers; give them with --{unknown_names[0]}")
        text_filled = PLACEHOLDER.sub(lambda match: str(values.get(match[1], match[0])), text)
        return readers[name](text_filled) if name in readers else text_filled

    values_for_columns = {f"{{{name}}}": value for name, value in values.items()}
    return {name: fill_text(name, value) for name, value in variant.items()} | values_for_columns


def range_or_none(text: str, where: str) -> range | None:
    """Return the whole numbers of a range such as 3..8; None if the text is no range.

    where: begins the message of the `InputError` for a range that is empty or too long.
    """
    match = re.fullmatch(r"(-?[0-9]{1,9})\.\.(-?[0-9]{1,9})", text)
    if not match:
        return None
    least, greatest = map(int, match.groups())
    if greatest < least or greatest - least >= MAX_VARIANTS:
        raise InputError(f"{where}the range {text} is empty or too long; write the smaller number first")
    return range(least, greatest + 1)


def variants(declaration: Declaration, chosen: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Return the parameters of each variant.

    The variants are all combinations of the chosen values, with defaults for the other parameters. Raises `InputError`
    if there are no variants or too many, or if a required value is missing. declaration: the puzzle. chosen: for
    parameters by name, their values.
    """
    lists = {}
    for parameter in declaration.parameters:
        if parameter.required and parameter.name not in chosen:
            raise InputError(f"{declaration.name}: give a value for {parameter.option}")
        lists[parameter.name] = list(chosen.get(parameter.name, [parameter.default]))
    return product_of(declaration.name, lists)


def product_of(name: str, lists: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Return the arguments of each variant, that is, every combination of the values.

    They are in the order of the product. name: the puzzle, for the error message. lists: the values of each parameter.

    Raises `InputError` if there are no combinations, or too many.
    """
    return [dict(zip(lists, values, strict=True)) for values in _product(name, lists.values())]


def _product(name: str, lists: Iterable[Sequence[Any]]) -> Iterable[tuple[Any, ...]]:
    """Return every combination of one value from each list.

    name: what the values are for, for the message of the `InputError` if there are no combinations, or too many.
    """
    lists = [*lists]
    count = prod(map(len, lists))
    if not 0 < count <= MAX_VARIANTS:
        raise InputError(f"{name}: that makes {count} variants; name at least one and at most {MAX_VARIANTS}")
    return product(*lists)


def columns(
    varied: Sequence[str],
    every: Sequence[Mapping[str, Any]],
    options: Iterable[str] = (),
    placed: Iterable[str] = (),
) -> tuple[list[str], list[dict[str, Any]]]:
    """Return the names and values by which variants are told apart: (names, values by name for each variant).

    A parameter that takes several texts is replaced by those texts that vary, such as n for n=3, n=4 and so on.

    varied: the parameters that vary. every: the parameters of each variant. options: those of a run that vary; a
    variant has -- before their names. placed: the placeholders; those come first that vary.

    >>> columns(["define"], [{"define": ["n=3", "m=7"]}, {"define": ["n=4", "m=7"]}])
    (['n'], [{'n': 3}, {'n': 4}])
    """
    # A placeholder that varies gets a column; if none does, all get one.
    placeholder_columns = {name: [variant[f"{{{name}}}"] for variant in every] for name in placed}
    values_by_column = {
        name: values for name, values in placeholder_columns.items() if len(set(values)) > 1
    } or placeholder_columns
    for parameter in varied:
        values = [variant[parameter] for variant in every]
        parts = _varying(parameter, values) if all(isinstance(value, (list, tuple)) for value in values) else {}
        for name, column_values in (parts or {parameter: values}).items():
            values_by_column[name if name not in values_by_column else f"{parameter} {name}"] = column_values
    values_by_column |= {option: [variant[f"--{option}"] for variant in every] for option in options}
    return [*values_by_column], [
        {name: values[place] for name, values in values_by_column.items()} for place in range(len(every))
    ]


def _varying(parameter: str, values: Sequence[Sequence[str]]) -> dict[str, list[Any]]:
    """Return the parts of a parameter's values that vary, by name, with their value in each variant.

    There are none if the values do not differ, or have different numbers of texts. parameter: its name. values: the
    texts of the parameter in each variant.

    A part NAME=VALUE is called NAME if all variants have this name. Another one is called by the option before it, such
    as --size, or else by the parameter and the part's place. For example ["n=3", "m=7"] and ["n=4", "m=7"] give {"n":
    [3, 4]}.
    """
    values_by_name: dict[str, list[Any]] = {}
    if len({len(value) for value in values}) > 1:
        return values_by_name
    # The texts at the place before, in each variant, of which one may be the option to which a value belongs.
    texts_before: Sequence[str] = ()
    for place, texts in enumerate(map(list, zip(*values, strict=True)), 1):
        if len(set(texts)) > 1:
            names = {text.rpartition("=")[0] for text in texts}
            name = names.pop() if len(names) == 1 else ""
            if name:
                texts = [text.rpartition("=")[2] for text in texts]
            else:
                option = texts_before[0] if len(set(texts_before)) == 1 else ""
                name = option if option.startswith("-") else f"{parameter} {place}"
            values_by_name[name.lstrip("-")] = [_number(text) for text in texts]
        texts_before = texts
    return values_by_name


def _number(text: str) -> int | str:
    """Return a text as a whole number, if it is one."""
    return int(text) if re.fullmatch(r"-?[0-9]{1,18}", text) else text


AXES = ("backend", "symmetry", "breaking", "jobs", "seed")
"""The options that may have several values, in the order of columns."""

METHOD = AXES[:-1]
"""Those that make a method; runs with other seeds are runs of the same method."""

PREFIX = "--"
"""The beginning of an option's name among the parameters of a variant, where no parameter has it."""


def read_values(name: str, text: str) -> list[Any]:
    """Return the values of an option that a text names, separated by commas; numbers may be a range such as 1..5.

    Raises `InputError` for what is no value of the option. `WORDS` says the kind of an option: None for texts, else the
    function that reads a number.

    >>> read_values("seed", "1..3,7"), read_values("symmetry", "none,declared")
    ([1, 2, 3, 7], ['none', 'declared'])
    """
    option_row = WORDS[name]
    values = list[Any]()
    for part in filter(None, map(str.strip, text.split(","))):
        numbers = range_or_none(part, "") if option_row.kind else None
        values += [option_row.kind(value) if option_row.kind else value for value in map(str, numbers or [part])]
    if not values:
        example = {"backend": "cp-sat,sat,cover"}.get(name, ",".join(option_row.choices[-2:]) or "1..5")
        raise InputError(f"no {name} is named; give some, such as {example}")
    check_values(name, values)
    return list(dict.fromkeys(values))


def check_values(name: str, values: Iterable[Any]) -> None:
    """Raise `InputError` unless all of these are values of the option ``name``."""
    for value in values:
        if name == "backend":
            check_backend(value)
        elif WORDS[name].choices and value not in WORDS[name].choices:
            raise InputError(f"there is no {name} {value!r}; choose {', '.join(WORDS[name].choices)}")


READERS = {name: argparse_reader(partial(read_values, name)) for name in AXES}
"""For each option, the reader of its values for argparse."""


def split_values(values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, list[Any]]]:
    """Return (options with one value, options with several) of a run.

    values: by option; those of `AXES` may be a list, a tuple or a range. Raises `InputError` for an empty one, or a
    wrong value in it. A list of one value is one value.
    """
    single = dict(values)
    several = dict[str, list[Any]]()
    for name in AXES:
        value = values.get(name)
        if isinstance(value, (list, tuple, range)):
            if not value:
                raise InputError(f"{name}: give at least one value")
            check_values(name, value)
            single.pop(name)
            if len(value) > 1:
                several[name] = list(dict.fromkeys(value))
            else:
                single[name] = value[0]
    return single, several


def vary(
    name: str, variants: Sequence[Mapping[str, Any]], several: Mapping[str, Sequence[Any]]
) -> list[dict[str, Any]]:
    """Return each variant with each combination of the options' values, which have `PREFIX` before their names.

    variants: the parameters of each. several: for each option that varies, its values. name: the puzzle, for the
    message of the `InputError` if there are too many.
    """
    if not several:
        return [dict(variant) for variant in variants]
    combined = product_of(
        name, {"variant": variants, **{PREFIX + option: values for option, values in several.items()}}
    )
    return [{**row.pop("variant"), **row} for row in combined]


def split_variant(variant: Mapping[str, Any], options: Options) -> tuple[dict[str, Any], Options]:
    """Return (parameters of the puzzle, options) of a variant that `vary` made; options: those that do not vary."""
    arguments = {name: value for name, value in variant.items() if not name.startswith((PREFIX, "{"))}
    chosen = {name.removeprefix(PREFIX): value for name, value in variant.items() if name.startswith(PREFIX)}
    return arguments, replace(options, **chosen) if chosen else options
