"""The controls of a form: of a puzzle's parameters and of the options that matter; what they hold is read back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields
from typing import Any

from models.puzzle import Puzzle
from solvers.backends.registry import BACKENDS
from solvers.errors import InputError
from solvers.files.catalogue import Declaration, Parameter
from solvers.options import SYMMETRIES, Options, words_of

SHOWN_OPTIONS = ("backend", "symmetry", "limit", "time_limit", "jobs", "count_only", "marginals", "sample")
"""The options that have a control."""

CHOICES: Mapping[str, Sequence[str]] = {"backend": ["auto", *BACKENDS], "symmetry": SYMMETRIES}
"""What can be chosen of options."""

MOST_CLICKED = 40
"""A board of more rows or columns than this is too large to be clicked on."""


@dataclass(frozen=True)
class Field:
    """A control."""

    name: str
    kind: str
    """choice, switch, region, several (values, a line each), number or text."""
    choices: Sequence[object]
    meaning: str
    default: object

    def read(self, held: Any) -> Any:
        """The value of what it holds; `InputError` if that is none."""
        if held in (None, "") and self.default is None:
            return None
        if self.kind == "several":
            return [line for line in str(held or "").splitlines() if line.strip()]
        if self.kind != "number":
            return held
        try:
            return int(str(held)) if re.fullmatch(r"\s*[-+]?\d+\s*", str(held)) else float(str(held))
        except ValueError:
            raise InputError(f"{self.name} takes a number, not {held!r}") from None

    def as_json(self) -> dict[str, Any]:
        """What the form is made of."""
        return asdict(self)


def of_parameter(parameter: Parameter) -> Field:
    """The control of a puzzle's parameter."""
    kind = "number" if parameter.kind in (int, float) else "switch" if parameter.kind is bool else "text"
    if parameter.is_region:
        kind = "region"
    if parameter.choices:
        kind = "choice"
    if parameter.repeated:
        kind = "several"
    return Field(parameter.name, kind, parameter.choices, parameter.meaning, parameter.default)


def of_option(name: str) -> Field:
    """The control of an option."""
    option = next(field for field in fields(Options) if field.name == name)
    default = option.default_factory() if option.default_factory is not MISSING else option.default
    kind = "choice" if name in CHOICES else "switch" if isinstance(default, bool) else "number"
    return Field(name, kind, CHOICES.get(name, ()), words_of(name).meaning, default)


def held(field: Field, value: Any) -> Any:
    """What the control of a value holds."""
    return "\n".join(map(str, value or ())) if field.kind == "several" else value


def region_rows(text: str, declaration: Declaration, declare: Callable[[], Puzzle]) -> list[str] | None:
    """The cells of a region, a row of # and . each; None where they are not in a plane, or there are too many.

    declare: the puzzle with this region, which tells the cells of one that is only named.
    """
    cells: Iterable[tuple[int, ...]]
    if "\n" in text:
        rows = [row for row in text.splitlines() if row.strip()]
        cells = {(r, c) for r, row in enumerate(rows) for c, mark in enumerate(row) if mark == "#"}
        if re.search(r"\n\s*\n\s*\S", text.strip("\n")):
            return None
    elif sides := re.fullmatch(r"(\d{1,3})x(\d{1,3})", text):
        cells = {(r, c) for r in range(int(sides[1])) for c in range(int(sides[2]))}
    else:
        try:
            cells = _filled(declare())
        except ValueError:
            return None
    if not cells or any(len(cell) != 2 for cell in cells):
        return None
    top, left = (min(cell[axis] for cell in cells) for axis in (0, 1))
    bottom, right = (max(cell[axis] for cell in cells) for axis in (0, 1))
    if bottom - top >= MOST_CLICKED or right - left >= MOST_CLICKED:
        return None
    return ["".join(".#"[(r, c) in cells] for c in range(left, right + 1)) for r in range(top, bottom + 1)]


def _filled(puzzle: Puzzle) -> set[tuple[int, ...]]:
    """All cells on which something may lie."""
    if puzzle.fills is None:
        return set()
    return {
        cell
        for label, variable in puzzle.key.items()
        for cell in puzzle.fills(label, 1 if isinstance(variable, int) else max(1, variable.proto.domain[0]))[1]
    }
