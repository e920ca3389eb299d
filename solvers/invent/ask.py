"""What is asked of a puzzle besides how many solutions it has: what is known then, and what every answer does."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from models.puzzle import Drawing, Frame, Label, Puzzle, Shape
from solvers.endings import DONE
from solvers.errors import InputError
from solvers.invent.facts import Fact, Facts, labelled
from solvers.invent.rivals import prepared
from solvers.show import draw
from solvers.show.printable import printable
from solvers.symmetry.groups import Group
from solvers.symmetry.key import Encoded, Key

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel


@dataclass(frozen=True)
class Asked:
    """A puzzle as those see it who ask about single solutions and facts."""

    puzzle: Puzzle
    model: CpModel
    """Holds what is given; without an objective, but only solutions that have the best value are left."""
    rules: CpModel
    """The same without what is given."""
    key: Key
    group: Group
    given: Mapping[Label, int]
    stop: threading.Event
    note: Callable[[Answer], None]
    """Is told of an answer in the making, so that what is known can be said if it takes too long."""

    def solution(self, literals: Mapping[Label, int]) -> Encoded | None:
        """Some solution in which these hold, if there is one."""
        fixed = {self.key.variables[self.key.position[label]]: value for label, value in literals.items()}
        (values,) = prepared(self.model, self.key.variables, self.stop).extend([fixed])
        return None if values is None else self.key.encode(values)

    def shown(self, solution: Encoded) -> str:
        """A solution as text."""
        return draw.solution(self.puzzle, self.key.decode(solution))


class Answer(ABC):
    """What was found out; shows itself as text, in Jupyter and as JSON."""

    code: int = DONE
    """The exit code of the command."""

    is_complete: bool = True

    @abstractmethod
    def as_json(self) -> Any:
        """What the JSON object has under the option's name."""

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def page(self, title: str) -> str:
        """A page of its own, as HTML."""
        return f'<!DOCTYPE html>\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n{self._repr_html_()}\n'


def pictured(puzzle: Puzzle, key: Key, facts: Sequence[Fact]) -> str:
    """What some facts tell of a solution, as text: a drawing where there is one."""
    if (drawing := drawn(puzzle, key, facts)) is None:
        return "\n".join(printable(fact.text) for fact in facts)
    return "\n".join(map(str.rstrip, draw.lines(drawing)))


def drawn(puzzle: Puzzle, key: Key, facts: Sequence[Fact]) -> Drawing | None:
    """The drawing of what some facts tell; None where the puzzle draws nothing, or whole solutions only."""
    if any(fact.cell for fact in facts):
        return on_board(puzzle, key, facts)
    if not puzzle.draw:
        return None
    try:
        return draw.drawing(puzzle, dict(labelled(key, fact.literals[0]) for fact in facts))
    except InputError:
        raise
    except Exception:  # its draw needs whole solutions
        return None


def on_board(puzzle: Puzzle, key: Key, facts: Sequence[Fact]) -> Drawing:
    """All cells of a puzzle, with what lies on those of which that is told."""
    written = dict.fromkeys((fact.cell for fact in Facts(puzzle, key, of_cells=True).listed), "")
    written |= {fact.cell: fact.name for fact in facts}
    layers: dict[tuple[int, ...], list[Shape]] = {}
    for cell, name in sorted(written.items()):
        row, column = cell[-2:]
        ring = [(column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1)]
        layers.setdefault(cell[:-2], []).append(Shape([ring], printable(name)))
    return [Frame(shapes, f"layer {layer[0] + 1}" if layer else "") for layer, shapes in layers.items()]
