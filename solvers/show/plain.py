"""Values as JSON has them, and numbers of things in words."""

from collections.abc import Mapping
from typing import Any

from models.errors import number_with_unit as number_with_unit
from models.puzzle import Label


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


def json_value(value: Any) -> object:
    """Return a parameter's value as JSON has it.

    Sequences become words with blanks between, other types text.
    """
    if isinstance(value, (list, tuple)):
        return " ".join(map(str, value))
    return value if isinstance(value, (str, int, float, type(None))) else str(value)
