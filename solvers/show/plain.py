"""Values as JSON has them."""

from typing import Any

from models.puzzle import Label


def plain_label(label: Label) -> Any:
    """What stands for a label, or a part of one, that JSON has no form for."""
    return list(label) if isinstance(label, (set, frozenset)) else str(label)


def plain(value: Any) -> object:
    """A parameter's value as JSON has it."""
    if isinstance(value, (list, tuple)):
        return " ".join(map(str, value))
    return value if isinstance(value, (str, int, float, type(None))) else str(value)
