"""The controls of a form: of a puzzle's parameters and of the options that matter.

What they hold is read back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from functools import partial
from itertools import product
from typing import Any

from models.boards import grid
from models.boards.grid import Cells
from models.boards.lattice import HEX, Lattice
from models.puzzle import Puzzle
from solvers.base.backend_rows import available_backends
from solvers.base.errors import InputError
from solvers.base.options import SYMMETRIES, WORDS, Options
from solvers.extras.pictures import svg
from solvers.files.catalogue import Parameter
from solvers.terminal.calls import option_value

SHOWN_OPTIONS = ("backend", "symmetry", "limit", "time_limit", "jobs", "count_only", "marginals", "sample")
"""The options that have a control."""

CHOICES: Mapping[str, Sequence[str]] = {"backend": ["auto", *available_backends()], "symmetry": SYMMETRIES}
"""The values that an option with choices can have."""

MAX_CLICKABLE_LENGTH = 40
"""The most rows or columns of a board that can be clicked on."""


@dataclass(frozen=True)
class Field:
    """A control of a parameter or an option."""

    name: str
    kind: str
    """choice, switch, region, several (values, a line each), number or text."""
    choices: Sequence[object]
    meaning: str
    default: object
    reader: Callable[[Any], Any]
    """The function that converts the control's content to a value, and raises `InputError`."""

    def read(self, content: Any) -> Any:
        """Return the value that the control's content ``content`` means; raise `InputError` if it is not allowed."""
        if content in (None, "") and self.default is None:
            return None
        if self.kind == "several":
            return [line for line in str(content or "").splitlines() if line.strip()]
        return self.reader(content)

    def as_json(self) -> dict[str, Any]:
        """Return the description of the control for the program in the browser."""
        return {name: value for name, value in vars(self).items() if name != "reader"}


def of_parameter(parameter: Parameter) -> Field:
    """Return the control of a puzzle's parameter; its kind (see `Field.kind`) follows from the parameter's type."""
    if parameter.repeated:
        kind = "several"
    elif parameter.choices:
        kind = "choice"
    elif parameter.is_region:
        kind = "region"
    elif parameter.kind is bool:
        kind = "switch"
    elif parameter.kind in (int, float):
        kind = "number"
    else:
        kind = "text"
    return Field(
        parameter.name, kind, parameter.choices, parameter.meaning, parameter.default, partial(_read, parameter)
    )


def _read(parameter: Parameter, value: Any) -> Any:
    """Return the value of a parameter.

    Raises `InputError`, with the parameter's name, if the value is not allowed.
    """
    try:
        return parameter.read(value)
    except InputError as error:
        raise InputError(f"{parameter.name}: {error}") from None


def of_option(name: str) -> Field:
    """Return the control of the option with this name, a field of `Options`."""
    option = next(field for field in fields(Options) if field.name == name)
    default = option.default_factory() if option.default_factory is not MISSING else option.default
    if name in CHOICES:
        kind = "choice"
    elif isinstance(default, bool):
        kind = "switch"
    else:
        kind = "number"
    return Field(name, kind, CHOICES.get(name, ()), WORDS[name].meaning, default, partial(option_value, name))


def control_value(field: Field, value: Any) -> Any:
    """Return what the control holds when it shows this value."""
    return "\n".join(map(str, value or ())) if field.kind == "several" else value


def region_cells(text: str, lattice: Lattice, declare: Callable[[], Puzzle]) -> Sequence[tuple[Any, ...]] | None:
    """Return the cells of a region and those around it; None if the region is unknown or too large.

    A cell is (row, column, SVG path, whether it belongs to the region). The cells of a solid are returned as (layer,
    row, column), as a solid is only shown. text: the region, as a drawing or a name. lattice: the kind of its grid.
    declare: returns the puzzle with this region; if the text is a name that only the puzzle knows, the cells are taken
    from it.
    """
    try:
        cells = grid.region(text, lattice=lattice)
    except ValueError:
        try:
            cells = _fillable_cells(declare())
        except ValueError:
            return None
    if not cells or len(cells) > MAX_CLICKABLE_LENGTH**2:
        return None
    if len(min(cells)) == 3:
        return sorted(cells)
    (top, left), (bottom, right) = (tuple(map(extreme, zip(*cells, strict=True))) for extreme in (min, max))
    # On a lattice of hexagons, neighbours in a row are two columns apart.
    column_width = 2 if lattice is HEX else 1
    if bottom - top >= MAX_CLICKABLE_LENGTH or right - left >= MAX_CLICKABLE_LENGTH * column_width:
        return None
    places = product(range(top - 1, bottom + 2), range(left - column_width, right + column_width + 1))
    parity = sum(min(cells)) % 2  # only every second place of a row is a hexagon
    nearby_cells = [cell for cell in places if lattice is not HEX or sum(cell) % 2 == parity]
    return [(*cell, svg.path([lattice.polygon(cell)]), cell in cells) for cell in nearby_cells]


def _fillable_cells(puzzle: Puzzle) -> Cells:
    """Return all cells that some literal of the puzzle fills.

    ``fills`` returns (name, cells) for a label and a value; each variable is asked for with one of its values other
    than 0.
    """
    if puzzle.fills is None:
        return frozenset()
    return frozenset(
        cell
        for label, variable in puzzle.key.items()
        for cell in puzzle.fills(label, 1 if isinstance(variable, int) else max(1, variable.proto.domain[0]))[1]
    )
