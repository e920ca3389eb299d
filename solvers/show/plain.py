"""Values as JSON has them, and numbers of things in words."""

from collections.abc import Mapping
from typing import Any

from models.puzzle import Label


def plain_label(label: Label) -> Any:
    """Return a text for a label, or a part of one, that JSON has no form for."""
    return list(label) if isinstance(label, (set, frozenset)) else str(label)


IMAGES_COUNT_ONCE = "A solution and its turned or mirrored images count once."
IMAGES_COUNT_EACH = "A solution and its turned or mirrored images count each."
"""How solutions that symmetries carry to each other are counted, in the same words wherever it is told."""


def counted(number: int, units: str) -> str:
    """A number of things; the units are named as for many.

    >>> counted(1, "symmetries"), counted(2, "clauses"), counted(1, "variables"), counted(1, "shown")
    ('1 symmetry', '2 clauses', '1 variable', '1 shown')
    """
    if number != 1:
        return f"{number} {units}"
    return f"1 {units[:-3]}y" if units.endswith("ies") else f"1 {units.removesuffix('s')}"


def amounts(numbers: Mapping[str, int], none: str = "") -> str:
    """Numbers of things in one line, or what is said where there are none.

    >>> amounts({"variables": 12, "clauses": 1}), amounts({}, "none told")
    ('12 variables, 1 clause', 'none told')
    """
    return ", ".join(counted(number, units) for units, number in numbers.items()) or none


def plain(value: Any) -> object:
    """A parameter's value as JSON has it."""
    if isinstance(value, (list, tuple)):
        return " ".join(map(str, value))
    return value if isinstance(value, (str, int, float, type(None))) else str(value)
