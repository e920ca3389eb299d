"""Values as JSON has them, and numbers of things in words."""

from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from math import ceil, floor
from typing import Any

from models.errors import number_with_unit as number_with_unit
from models.puzzle import Label

TIME_UNITS = (("years", 31_557_600), ("days", 86_400), ("h", 3600), ("min", 60), ("s", 1))
"""The units of times in words, with their seconds, the greatest first."""


def plain_label(label: Label) -> Any:
    """Return a form for JSON of a label, or a part of a label, that JSON cannot express.

    A set becomes a list and anything else text.
    """
    return list(label) if isinstance(label, (set, frozenset)) else str(label)


def in_json(value: Any) -> Any:
    """Return a value as it comes back from JSON: lists for tuples and sets, texts for what JSON cannot express.

    >>> in_json({"a": [(1, "b")], "c": {3}, "d": 2**70, "e": complex(1)})
    {'a': [[1, 'b']], 'c': [3], 'd': 1180591620717411303424, 'e': '(1+0j)'}
    """
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, Mapping):
        return {str(name): in_json(part) for name, part in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [in_json(part) for part in value]
    return in_json(plain_label(value))


IMAGES_COUNT_ONCE = "A solution and its turned or mirrored images count once."
IMAGES_COUNT_EACH = "A solution and its turned or mirrored images count each."
"""The sentences that say whether images under symmetries count once or each; all places use the same words."""


def amounts(numbers: Mapping[str, int], none: str = "") -> str:
    """Return numbers of things in one line; ``none`` if there are no things.

    numbers: the number by the plural of its unit.

    >>> amounts({"variables": 12, "clauses": 1}), amounts({}, "none told")
    ('12 variables, 1 clause', 'none told')
    """
    return ", ".join(number_with_unit(number, units) for units, number in numbers.items()) or none


def time_span(low: float, high: float) -> str:
    """Return a range of seconds in words, each end in the greatest unit that it has twice.

    If the lower end is at least one of the upper end's unit, both have this unit.

    >>> time_span(8.2, 14.6), time_span(100, 290), time_span(7000, 7200), time_span(3, 3), time_span(16, 175)
    ('8 to 15 s', '1 to 5 min', '1 to 2 h', '3 s', '16 s to 3 min')
    """
    # For each end, the greatest unit that fits into it twice, with its seconds.
    (low_unit, low_length), (high_unit, high_length) = (
        next((fitting for fitting in TIME_UNITS if end >= 2 * fitting[1]), TIME_UNITS[-1]) for end in (low, high)
    )
    high_number = ceil(high / high_length)
    if low < high_length and low_unit != high_unit:
        return f"{floor(low / low_length):,} {low_unit} to {high_number:,} {high_unit}"
    low_number = floor(low / high_length)
    return (
        f"{high_number} {high_unit}" if low_number == high_number else f"{low_number:,} to {high_number:,} {high_unit}"
    )


def first_words(words: Sequence[str], most: int, between: str = ", ") -> str:
    """Return so many words at most, and how many more there are.

    >>> first_words(["a", "b", "c", "d"], 2), first_words(["a", "b"], 2, "; ")
    ('a, b and 2 more', 'a; b')
    """
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return between.join(words[:most]) + more


def csv_text(rows: Iterable[Iterable[object]], line_end: str = "\n") -> str:
    """Return rows as CSV."""
    import csv  # which few runs need

    text = StringIO(newline="")
    csv.writer(text, lineterminator=line_end).writerows(rows)
    return text.getvalue()


def json_value(value: Any) -> object:
    """Return a parameter's value as JSON has it.

    Sequences become words with blanks between, other types text.
    """
    if isinstance(value, (list, tuple)):
        return " ".join(map(str, value))
    return value if isinstance(value, (str, int, float, type(None))) else str(value)
