"""Names for a model's variables: what the Python variables, lists and dictionaries are called that hold them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from numbers import Integral
from pathlib import Path
from types import FrameType
from typing import Any

MOST_LOOKED_AT = 200_000
"""The most values that are looked at; a program may hold large tables beside its model."""

MOST_NESTED = 5
"""The most brackets and dots in a name."""

OWN_FOLDER = str(Path(__file__).resolve().parents[3])
"""The folder of our own code; a program may be beside it."""

Number = Callable[[Any], int | None]
"""Return the number of a variable of the model, None for any other value."""


def frames_of(folder: str, frame: FrameType | None) -> Iterator[FrameType]:
    """Yield the frames of the functions that are being called and whose source is in a folder, the innermost first.

    frame: the innermost frame. Packages that are installed inside the folder are left out.
    """
    while frame is not None:
        if _is_in(folder, frame.f_code.co_filename):
            yield frame
        frame = frame.f_back


def _is_in(folder: str, file: str | None) -> bool:
    """Tell whether a source file is in a folder and belongs neither to a package installed there nor to this one."""
    path = os.path.realpath(file or "")
    is_other = "site-packages" in path or path.startswith(os.path.join(OWN_FOLDER, ""))
    return path.startswith(os.path.join(folder, "")) and not is_other


def names_in(folder: str, namespaces: Iterable[Mapping[str, Any]], number: Number) -> dict[int, str]:
    """Return a name for each variable of a model, by the variable's number: what the program calls it.

    A name such as seat['a'] or rows[0] is preferred to that of a single Python variable, which may be that of a loop,
    one with fewer dots to one with more, and an inner function's to an outer one's. Each name represents one variable;
    a variable whose names are all in use gets none.

    folder: that of the program. namespaces: the names of its functions, with their values, the innermost first. number:
    returns the number of a variable of the model, None for any other value.
    """
    paths: dict[int, list[str]] = {}
    look = _Look(folder, number)
    for namespace in namespaces:
        for variable, path in look.in_namespace(namespace):
            paths.setdefault(variable, []).append(path)
    names: dict[int, str] = {}
    names_in_use: set[str] = set()
    for variable, candidates in paths.items():
        for path in sorted(dict.fromkeys(candidates), key=lambda path: ("[" not in path, path.count("."))):
            if path not in names_in_use:
                names[variable] = path
                names_in_use.add(path)
                break
    return names


class _Look:
    """Looks for variables in what a program holds."""

    def __init__(self, folder: str, number: Number) -> None:
        """Take the folder of the program, and the function that gives the variables of the model."""
        self._folder, self._number = folder, number
        self._left = 0

    def in_namespace(self, namespace: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
        """Yield (number, name) for the variables that the names of a function or module hold."""
        self._left = MOST_LOOKED_AT
        for name, value in list(namespace.items()):
            if not name.startswith("__"):
                yield from self._variables_in_value(value, "" if name == "self" else name, 0)

    def _variables_in_value(self, value: Any, path: str, depth: int) -> Iterator[tuple[int, str]]:
        """Yield (number, name) for the variables of the model in a value, at any depth up to a limit.

        path: the value's name. depth: the brackets and dots in it. The number of values that are looked at is limited,
        too.
        """
        self._left -= 1
        if self._left < 0 or depth > MOST_NESTED:
            return
        number = self._number(value)
        if number is not None:
            yield number, path
            return
        try:
            children = self._children(value, path)
        except Exception:  # a class of the program's, or of a package, may do anything when it is looked at
            return
        for child_name, child in children:
            yield from self._variables_in_value(child, child_name, depth + 1)

    def _children(self, value: Any, path: str) -> list[tuple[str, Any]]:
        """Return (name, value) for each part of a value that may hold variables; path: the value's name.

        A part is an entry of a dictionary, list or table, or an attribute, if the class is the program's own. The name
        is such as rows[0] or board.rows; path is "" for ``self``, whose attributes have no prefix.
        """
        if isinstance(value, Mapping) or _is_table(value):
            return [(f"{path}[{_key_text(key)}]", child) for key, child in value.items()]
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return [(f"{path}.{name}", child) for name, child in zip(value._fields, value, strict=True)]
        if isinstance(value, (list, tuple)) or _is_array(value):
            return [(f"{path}[{place}]", child) for place, child in enumerate(value)]
        if self._is_own(type(value)):
            slots = [name for name in getattr(type(value), "__slots__", ()) if hasattr(value, name)]
            attributes = {name: getattr(value, name) for name in slots} | getattr(value, "__dict__", {})
            return [(f"{path}.{name}" if path else name, child) for name, child in attributes.items()]
        return []

    def _is_own(self, kind: type) -> bool:
        """Tell whether a class is the program's, or that of a module beside it."""
        if kind.__module__ == "__main__":
            return True
        return _is_in(self._folder, getattr(sys.modules.get(kind.__module__), "__file__", None))


def _key_text(key: Any) -> str:
    """Return a key as it is between brackets.

    >>> _key_text((1, "a")), _key_text(True)
    ("1, 'a'", 'True')
    """
    if isinstance(key, tuple) and key:
        return ", ".join(map(_key_text, key))
    if isinstance(key, Enum):
        return f"{type(key).__name__}.{key.name}"
    if isinstance(key, Integral) and not isinstance(key, bool):
        return str(int(key))  # also a number of NumPy
    return repr(key)


def _is_table(value: Any) -> bool:
    """Tell whether a value is a Series or a DataFrame of pandas."""
    return type(value).__module__.partition(".")[0] == "pandas" and hasattr(value, "items") and hasattr(value, "iloc")


def _is_array(value: Any) -> bool:
    """Tell whether a value is an array of objects, such as one of NumPy, with at least one axis."""
    return str(getattr(value, "dtype", "")) == "object" and bool(getattr(value, "ndim", 0))
