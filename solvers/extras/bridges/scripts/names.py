"""Names for a model's variables: what the Python variables, lists and dictionaries are called that hold them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from types import FrameType
from typing import Any

MOST_LOOKED_AT = 200_000
"""The most values that are looked at; a program may hold large tables beside its model."""

MOST_NESTED = 5
"""The most brackets and dots in a name."""

Number = Callable[[Any], int | None]
"""Return the number of a variable of the model, None for any other value."""


def frames_of(folder: str, frame: FrameType | None) -> Iterator[FrameType]:
    """Yield the frames of the functions that are being called and whose source lies in a folder, the innermost first.

    frame: the innermost frame. Packages that are installed inside the folder are left out.
    """
    while frame is not None:
        file = os.path.realpath(frame.f_code.co_filename)
        if file.startswith(os.path.join(folder, "")) and "site-packages" not in file:
            yield frame
        frame = frame.f_back


def names_in(frames: Iterator[FrameType], number: Number) -> dict[int, str]:
    """Return a name for each variable that the functions hold, by the variable's number.

    A name such as seat['a'] or rows[0] is preferred to that of a single Python variable, which may be that of a loop,
    and an inner function's to an outer one's. Each name stands for one variable.

    frames: those of the functions, the innermost first. number: tells the variables of the model.
    """
    paths: dict[int, list[str]] = {}
    for frame in frames:
        for number_of, path in _in_namespace(frame.f_locals, number):
            paths.setdefault(number_of, []).append(path)
    names: dict[int, str] = {}
    taken: set[str] = set()
    for number_of, candidates in paths.items():
        for path in sorted(dict.fromkeys(candidates), key=lambda path: "[" not in path):
            if path not in taken:
                names[number_of] = path
                taken.add(path)
                break
    return names


def _in_namespace(namespace: Mapping[str, Any], number: Number) -> Iterator[tuple[int, str]]:
    """Yield (number, name) for the variables that the names of a function or module hold."""
    left = [MOST_LOOKED_AT]
    for name, value in list(namespace.items()):
        if not name.startswith("__"):
            yield from _in_value(value, "" if name == "self" else name, number, 0, left)


def _in_value(value: Any, path: str, number: Number, depth: int, left: list[int]) -> Iterator[tuple[int, str]]:
    """Yield (number, name) for the variables in a value.

    path: the value's name. depth: the brackets and dots in it. left: how many values may still be looked at.
    """
    left[0] -= 1
    if left[0] < 0 or depth > MOST_NESTED:
        return
    found = number(value)
    if found is not None:
        yield found, path
    elif isinstance(value, Mapping):
        for key, one in list(value.items()):
            shown = ", ".join(map(repr, key)) if isinstance(key, tuple) and key else repr(key)
            yield from _in_value(one, f"{path}[{shown}]", number, depth + 1, left)
    elif isinstance(value, (list, tuple)):
        for place, one in enumerate(value):
            yield from _in_value(one, f"{path}[{place}]", number, depth + 1, left)
    elif str(getattr(value, "dtype", "")) == "object" and hasattr(value, "ndim"):
        if value.ndim:
            for place in range(len(value)):
                yield from _in_value(value[place], f"{path}[{place}]", number, depth + 1, left)
    elif type(value).__module__ == "__main__" and hasattr(value, "__dict__"):
        for name, one in list(vars(value).items()):
            yield from _in_value(one, f"{path}.{name}" if path else name, number, depth + 1, left)
