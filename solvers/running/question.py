"""What a run is about, as its search and its checks see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from models.puzzle import Puzzle
from solvers.files.cells import Given
from solvers.running.verify import Verifier
from solvers.symmetry.groups import Group
from solvers.symmetry.key import Key

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel


@dataclass(frozen=True)
class Question:
    """A puzzle as the search and the checks see it."""

    puzzle: Puzzle
    model: CpModel
    key: Key
    group: Group
    has_objective: bool
    verifier: Verifier

    given: Given
    """What the model holds besides the puzzle's rules."""
