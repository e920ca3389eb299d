"""Values as JSON has them, and numbers of things in words."""

from typing import Any

from models.puzzle import Label


def plain_label(label: Label) -> Any:
    """What stands for a label, or a part of one, that JSON has no form for."""
    return list(label) if isinstance(label, (set, frozenset)) else str(label)


def counted(number: int, units: str) -> str:
    """A number of things; the units are named as for many.

    >>> counted(1, "symmetries"), counted(2, "clauses"), counted(1, "variables"), counted(1, "shown")
    ('1 symmetry', '2 clauses', '1 variable', '1 shown')
    """
    if number != 1:
        return f"{number} {units}"
    return f"1 {units[:-3]}y" if units.endswith("ies") else f"1 {units.removesuffix('s')}"


def plain(value: Any) -> object:
    """A parameter's value as JSON has it."""
    if isinstance(value, (list, tuple)):
        return " ".join(map(str, value))
    return value if isinstance(value, (str, int, float, type(None))) else str(value)
