"""Reads a drawing of pieces by cells: a search finds the solution that has the facts which the drawing shows."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from models.puzzle import Puzzle
from solvers.backends.protocol import Task
from solvers.backends.sat import Sat
from solvers.base.errors import InputError
from solvers.base.values import Values
from solvers.extras.questions.recognise.cells import Cell, CellReader
from solvers.files.given import check_agreement, require_facts
from solvers.model.writing import drop_objective
from solvers.symmetry.key import Encoded, Key

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

    from solvers.extras.questions.recognise.drawings import Reading

APART = "draw which cells belong together, or give each piece a letter of its own"
"""The advice for a drawing that does not show which cells form a piece."""


class ReadDrawing(NamedTuple):
    """A drawing, as it was understood."""

    solution: Encoded | None
    """The solution that is drawn, which need not have the best value; None if the drawing is not a solution."""

    flaw: str
    """A clause that says why it is not a solution; empty if it is one."""


def by_cells(
    path: Path, puzzle: Puzzle, key: Key, model: CpModel, stop: threading.Event, read_literals: Callable[[], Reading]
) -> ReadDrawing | None:
    """Return the solution that a drawing shows, or the reason why it shows no solution.

    The drawing may be read in several ways, by names or by shapes (`CellReader.in_file`). The first way that has a
    solution counts; if none has, the flaw of the first. The result is None if the file is not a drawing with names in
    cells. puzzle, key, model: those that the drawing is about. read_literals: reads the same file by comparing it with
    the drawings of single literals. path: the file with the drawing. stop: ends the work when set.

    Raises `InputError` if the drawing shows several solutions, or a part of one; `Stopped` once the event is set.
    """
    if not (puzzle.fills and puzzle.draw):
        return None
    reader = CellReader(puzzle, key)
    flaws = []
    for content in reader.in_file(path, read_literals):
        try:
            facts = reader.facts(content)
            check_agreement(facts, key, puzzle.name)  # raises if a label has two values
        except InputError as error:
            flaws.append(str(error))
            continue
        constrained = model.clone()
        require_facts(constrained, key, facts)
        solutions = _first_two(constrained, key, stop)
        if not solutions:
            if not content.is_by_shape:
                flaws.append("there is none with these names in these cells")
            continue
        names: dict[Cell, str] = {}  # the name of what the solution puts into each cell
        for label, value in key.decode(solutions[0]).items():
            if value or not key.is_boolean[key.position[label]]:
                name, cells = puzzle.fills(label, value)
                names |= dict.fromkeys(map(tuple, cells), name)
        if missing := len(names.keys() - content.drawn):
            raise InputError(f"{path} draws {len(names) - missing} of {len(names)} cells; draw the others, too")
        # A set of cells that is drawn as one piece may be several pieces in the solution: then it is not determined.
        if len(solutions) > 1 or any(len({names[cell] for cell in cells}) > 1 for cells, _ in content.pieces):
            advice = "write the names of the pieces" if content.is_by_shape else APART
            raise InputError(f"{path} shows several solutions; {advice}")
        return ReadDrawing(solutions[0], "")
    return ReadDrawing(solution=None, flaw=flaws[0]) if flaws else None


def _first_two(model: CpModel, key: Key, stop: threading.Event) -> list[Encoded]:
    """Return two solutions of a model, or all if there are fewer; its objective is ignored.

    key: numbers the literals. Raises `Stopped` once the event is set.
    """
    drop_objective(model.proto)
    solutions: list[Encoded] = []

    def add_solution(values: Values) -> None:
        """Add a solution, and end the search at the second one."""
        solutions.append(key.encode(values))
        if len(solutions) > 1:
            raise _SeveralError

    with suppress(_SeveralError):
        Sat(Task(model, key.variables, stop)).enumerate(add_solution)
    return solutions


class _SeveralError(Exception):
    """Raised to end a search at the second solution."""
