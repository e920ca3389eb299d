"""Models of OR-Tools, CPMpy and PySAT as puzzles, from the objects themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from models.puzzle import Puzzle
from solvers.extras.bridges.formats.saved_model import matching, puzzle_of_text
from solvers.terminal.calls import foreign_kind


def puzzle_of(model: Any, key: Any = ()) -> Puzzle:
    """Return a CpModel of OR-Tools, a Model of CPMpy or a CNF of PySAT as a puzzle; all variables are its key.

    The labels are names, or the numbers of variables for a CNF. key: names of variables, or patterns with * and ?, that
    make solutions different; for CPMpy also variables. Two solutions that agree on them are one.

    Raises ValueError if a pattern fits no variable, or if the model cannot be translated.

    >>> from pysat.formula import CNF
    >>> list(puzzle_of(CNF(from_clauses=[[1, 2], [-1, -3]])).key)
    [1, 2, 3]
    """
    kind = foreign_kind(model)
    if kind == "cpmpy":
        from solvers.extras.bridges.cpmpy.model import puzzle_of as puzzle_of_cpmpy

        return puzzle_of_cpmpy(model, key)
    patterns: Sequence[str] = [key] if isinstance(key, str) else list(key)
    parameters = {"key": tuple(patterns)} if patterns else {}
    if kind == "ortools":
        return puzzle_of_text(str(model.proto), "model", patterns, parameters)
    numbers = {str(number): number for number in range(1, model.nv + 1)}
    chosen = {name for pattern in patterns for name in matching(str(pattern), numbers)} or set(numbers)
    return Puzzle("model", parameters, model, {number: number for name, number in numbers.items() if name in chosen})
