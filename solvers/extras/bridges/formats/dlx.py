"""Reads exact covers with colours and multiplicities, in the format of Knuth's DLX programs.

D. Knuth, The Art of Computer Programming 4B, 7.2.2.1; the format is that of his programs dlx1, dlx2 and dlx3.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

from models.puzzle import FileReading, Puzzle
from solvers.extras.bridges.evaluators.formulas import dlx_violation
from solvers.files.load import MAX_MODEL_VARIABLES, read_text
from solvers.show.printable import quotation

MAX_COLOUR_EXCLUSIONS = 5_000_000
"""The most pairs of options that are kept apart by their colours; each takes some 100 bytes."""


class Option(NamedTuple):
    """An option: the items that it covers, and the colours that it gives to secondary items.

    An item without a colour has "".
    """

    line: int
    items: dict[str, str]


def dlx(path: str) -> Puzzle:
    """An exact cover, with secondary items, colours and multiplicities, as Knuth's DLX programs read it.

    Every primary item is covered by exactly one of the options chosen, one that is written u:v|item by at least u and
    at most v, one that is written v|item by exactly v. A secondary one is covered by at most one, or by several that
    give it the same colour. Each option makes a difference between solutions, also two with the same items. Options
    without a primary item are never chosen, so they are left out. path: the file.

    Raises ValueError, which names the line, if the file is not in this format, and `InputError` if it cannot be read.
    """
    from ortools.sat.python.cp_model import CpModel

    text = read_text(Path(path))
    lines = _lines(text)
    primary, secondary = _items(*next(lines, (1, [])))
    all_options = [_option(*line, primary, secondary) for line in islice(lines, MAX_MODEL_VARIABLES + 1)]
    if max(len(all_options), len(primary) + len(secondary)) > MAX_MODEL_VARIABLES:
        raise ValueError(f"it has more than {MAX_MODEL_VARIABLES} items or options")
    options = [option for option in all_options if not primary.keys().isdisjoint(option.items)]
    model = CpModel()
    variable_by_label = {label: model.new_bool_var(str(label)) for label in _labels(options)}
    variables = list(variable_by_label.values())
    options_of_item: dict[str, list[int]] = {item: [] for item in (*primary, *secondary)}
    for number, option in enumerate(options):
        for item in option.items:
            options_of_item[item].append(number)
    for item, (low, high) in primary.items():
        covered_by = [variables[number] for number in options_of_item[item]]
        if (low, high) == (1, 1):
            model.add_exactly_one(covered_by)
        elif covered_by:
            model.add_linear_constraint(sum(covered_by), low, high)
        elif low:  # no option covers it, so there is no solution
            model.add_exactly_one([])
    _add_secondary_items(model, [_compatible(item, options_of_item[item], options) for item in secondary], variables)
    # It reads the text by itself, and says what the chosen options, as numbers of lines, violate.
    violation = dlx_violation(text)
    line_numbers = [option.line for option in options]
    # The first variables are those of the options; those of colours, which may follow, are left out.
    file = FileReading(
        ["our reader of Knuth's format"],
        lambda values: violation([line for line, is_chosen in zip(line_numbers, values, strict=False) if is_chosen]),
    )
    return Puzzle(path, {}, model, variable_by_label, file=file)


def _add_secondary_items(model: Any, groups_of_items: Iterable[Sequence[Sequence[int]]], variables: Any) -> None:
    """Require of each secondary item that all options chosen for it are in one group.

    Options of one group give the item the same colour. If each group is a single option, at most one of them is chosen;
    otherwise an option excludes all of later groups. groups_of_items: for each item, the groups, as numbers of options.
    variables: that of each option. Raises ValueError if there are too many pairs of options of different groups.
    """
    exclusions = 0
    for groups in groups_of_items:
        if all(len(group) == 1 for group in groups):
            model.add_at_most_one(variables[number] for (number,) in groups)
            continue
        for number, group in enumerate(groups[:-1]):
            excluded = [~variables[option] for option in chain(*groups[number + 1 :])]
            exclusions += len(group) * len(excluded)
            if exclusions > MAX_COLOUR_EXCLUSIONS:
                raise ValueError(f"its colours keep more than {MAX_COLOUR_EXCLUSIONS} pairs of options apart")
            for excluding in group:  # one constraint for many pairs is faster than one for each
                model.add_bool_and(excluded).only_enforce_if(variables[excluding])


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield (number, words) for each line that is not blank and does not begin with a bar."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("|"):
            yield number, line.split()


Bounds = tuple[int, int]
"""The least and the greatest number of options that cover an item."""


def _items(number: int, words: list[str]) -> tuple[dict[str, Bounds], dict[str, None]]:
    """Parse the first line; return (the primary items with their bounds, the secondary items), in their order.

    number: the number of the line. words: its content: primary items such as a or 1:2|a, a bar, and secondary items.
    Raises ValueError, which names the line, if the line is not understood.
    """
    if not words:
        raise ValueError("it names no items; is this an exact cover in Knuth's format?")
    bar = words.index("|") if "|" in words else len(words)
    bounded = [_parse_item(number, word) for word in words[:bar]]
    secondary = words[bar + 1 :]
    primary = [item for item, _ in bounded]
    for item in (*primary, *secondary):
        if ":" in item or "|" in item:
            raise ValueError(f"line {number}: {quotation(item)} is not an item; names hold no colon and no bar")
    twice = [item for item, times in Counter([*primary, *secondary]).items() if times > 1]
    if twice:
        raise ValueError(f"line {number} names the item {quotation(twice[0])} twice")
    if not primary:
        raise ValueError(f"line {number} names no primary item, so there is nothing to cover")
    return dict(bounded), dict.fromkeys(secondary)


def _parse_item(number: int, word: str) -> tuple[str, Bounds]:
    """Parse a primary item; return (its name, its bounds), where no written bounds mean (1, 1).

    number: the number of the line. word: such as item, 2|item or 1:3|item. Raises ValueError, which names the line, if
    no number of options is within the bounds.
    """
    match = re.fullmatch(r"(?:([0-9]{1,9}):)?([0-9]{1,9})\|(.+)", word)
    if not match:
        return word, (1, 1)
    low, high = int(match[1] or match[2]), int(match[2])
    if low > high or not high:
        raise ValueError(
            f"line {number}: {quotation(word)} lets no option cover the item; write the smaller number first"
        )
    return match[3], (low, high)


def _option(number: int, words: list[str], primary: dict[str, Bounds], secondary: dict[str, None]) -> Option:
    """Parse the line of an option; return it with its items, each with its colour, "" if it has none.

    number: the number of the line. words: the items, with colours as item:colour. primary, secondary: all items by
    name. Raises ValueError, which names the line, for items that are unknown, repeated or ill coloured.
    """
    items: dict[str, str] = {}
    for word in words:
        item, colon, colour = word.partition(":")
        if item not in primary and item not in secondary:
            raise ValueError(f"line {number} covers {quotation(item)}, which is none of the items")
        if item in items:
            raise ValueError(f"line {number} covers {quotation(item)} twice")
        if colon and item in primary:
            raise ValueError(f"line {number} gives the primary item {quotation(item)} a colour")
        if (colon and not colour) or ":" in colour:
            raise ValueError(f"line {number}: {quotation(word)} is not an item with its colour")
        items[item] = colour
    return Option(number, items)


def _labels(options: list[Option]) -> list[str | tuple[str, int]]:
    """Return a label for each option: its text, such as "a b c:1".

    If several options have the same text, the label is (text, number of the line).
    """
    texts = [
        " ".join(f"{item}:{colour}" if colour else item for item, colour in option.items.items()) for option in options
    ]
    count_by_text = Counter(texts)
    return [
        (text, option.line) if count_by_text[text] > 1 else text for text, option in zip(texts, options, strict=True)
    ]


def _compatible(item: str, numbers: list[int], options: list[Option]) -> list[list[int]]:
    """Group the options that cover a secondary item by the colour that they give it.

    Options of one group may be chosen together; an option that gives no colour is a group by itself. numbers: those of
    the options that cover the item. options: all options, by number. Returns the numbers in each group.
    """
    numbers_by_colour: dict[str, list[int]] = {}
    groups_of_one = []
    for number in numbers:
        if colour := options[number].items[item]:
            numbers_by_colour.setdefault(colour, []).append(number)
        else:
            groups_of_one.append([number])
    return [*numbers_by_colour.values(), *groups_of_one]
