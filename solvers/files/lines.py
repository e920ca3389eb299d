"""The lines of a Python file that add the constraints of its model."""

from __future__ import annotations

import linecache
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

ADDING = re.compile(r"add|new_.*interval", re.IGNORECASE)
"""The beginning of the names of methods that add constraints, also by their older names, such as AddElement."""

Lines = Mapping[int, tuple[int, str]]
"""The line that states each constraint of a model, and its text, by the constraint's place."""


@contextmanager
def note_lines(path: str) -> Iterator[Callable[[Any], Lines]]:
    """Note, while the block runs, which line of a Python file adds each constraint to a model of OR-Tools.

    The methods of CpModel that add constraints are wrapped meanwhile: the constraints that a call has added are noted
    with the line of the file at this path from which it came. Yields a function that returns the lines of a model's
    constraints, as far as they are known: a mapping from a constraint's place in the model to (line, text).
    """
    from ortools.sat.python.cp_model import CpModel

    # For each model, by its id: the model itself, which keeps the id in use, and its lines.
    file, noted = str(Path(path).absolute()), dict[int, tuple[Any, dict[int, tuple[int, str]]]]()

    def wrap_method(method: Callable[..., Any]) -> Callable[..., Any]:
        """Return the method, wrapped so that the constraints that a call adds are noted."""

        @wraps(method)
        def add(model: Any, *arguments: Any, **named: Any) -> Any:
            count_before = len(model.proto.constraints)
            result = method(model, *arguments, **named)
            if (line := _line_in(file)) is not None:
                _, lines = noted.setdefault(id(model), (model, {}))
                line_and_text = line, linecache.getline(file, line).strip()
                lines.update(dict.fromkeys(range(count_before, len(model.proto.constraints)), line_and_text))
            return result

        return add

    methods = {name: method for name, method in vars(CpModel).items() if ADDING.match(name)}
    for name, method in methods.items():
        setattr(CpModel, name, wrap_method(method))
    try:
        yield lambda model: noted.get(id(model), (model, {}))[1]
    finally:
        for name, method in methods.items():
            setattr(CpModel, name, method)


def _line_in(file: str) -> int | None:
    """Return the line of a file that is being run, in the innermost function of it; None if it is not run."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename != file:
        frame = frame.f_back  # type: ignore[assignment]
    return None if frame is None else frame.f_lineno
