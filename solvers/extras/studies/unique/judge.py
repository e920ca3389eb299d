"""Tells whether puzzles that are given as texts have no solution, one, or more."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Literal, NamedTuple

from models.puzzle import Puzzle
from solvers.backends.cp_sat import CpSat
from solvers.backends.protocol import Task
from solvers.backends.sat import Sat
from solvers.base.deadline import Deadline
from solvers.base.errors import InputError, Stopped
from solvers.base.values import Values
from solvers.extras.questions.make.formula import ClueFormula
from solvers.extras.questions.make.reasoning import Reasoning, reasoning
from solvers.extras.questions.recognise.cells import CellReader
from solvers.files.given import Fact
from solvers.model.reading import has_objective
from solvers.running.stated import problem_statement
from solvers.show.plain import plain_label
from solvers.symmetry.key import Key

Answer = Literal["0", "1", "2+", ""]
"""The number of solutions of a puzzle; empty if it is not known."""

NOT_SETTLED = "not settled in time"
"""The error of a puzzle for which the time was too short."""


MOST_VALUES = 50_000
"""The most values of all variables for which a model becomes clauses; distances on 300 cells have more."""


class PuzzleVerdict(NamedTuple):
    """The number of solutions of one puzzle, as far as it is known."""

    solutions: Answer
    found: tuple[str, ...] = ()
    """The first two solutions, as texts."""
    seconds: float = 0.0
    """The time that it took."""
    error: str = ""
    """Why the puzzle could not be read, or not be settled; empty if it was."""
    reasoning: tuple[int, ...] = ()
    """The fields of `Reasoning`; empty if that was not asked for, if time was short, or if there is no one solution."""

    @property
    def grade(self) -> Reasoning | None:
        """The way to the solution, with its level; None if that is not known."""
        return Reasoning(*self.reasoning) if self.reasoning else None

    @property
    def is_unread(self) -> bool:
        """Tell whether the puzzle could not be read."""
        return bool(self.error) and self.error != NOT_SETTLED


@dataclass(frozen=True)
class LinesAsked:
    """The puzzle that is asked about, and what each text says of it."""

    arguments: Mapping[str, Any]
    """The values of the puzzle's parameters."""
    parameter: str = ""
    """The parameter whose value each text is; empty if each text is the content of the cells."""
    time_limit: float | None = None
    """Seconds for each puzzle; None for no limit."""
    has_grades: bool = False
    """Whether puzzles with one solution are graded."""


class WarmSolver:
    """A puzzle made ready once, of which solutions with given facts can be asked again and again."""

    def __init__(self, puzzle: Puzzle, stop: threading.Event, most_values: int = MOST_VALUES) -> None:
        """Translate the puzzle to clauses, unless its variables have more than ``most_values`` values.

        stop: ends the work when set. Raises `InputError` if it asks for a best value, or has no clauses.
        `problem_statement` returns the model without symmetry breaking, and its key. Clauses of wide domains are made
        only when they are needed.
        """
        model, self.key, _, _ = problem_statement(puzzle, "none", (), stop)
        if has_objective(model):
            raise InputError(f"{puzzle.name} asks for the best value; solve each of these puzzles by itself")
        self._task = Task(model, self.key.variables, stop)
        domains = [[*variable.domain] for variable in model.proto.variables]
        self._is_wide = sum(domain[-1] - domain[0] for domain in domains) > most_values
        self._literal = cache(self._new_literal)
        if not self._is_wide:
            _ = self._sat

    @cached_property
    def _sat(self) -> Sat:
        """The puzzle as clauses."""
        return Sat(self._task)

    def first_two(self, facts: Sequence[Fact] = ()) -> list[Values]:
        """Return the values of all variables in two solutions that have these facts; fewer if there are fewer.

        A fact says that one of its literals is true, or that none of those is true which it excludes. Raises `Stopped`
        once the event is set. A fact has numbers of literals of the key. Facts with one literal are assumptions; others
        are choices, of which one must be true.
        """
        if self._is_wide and not facts:  # without facts, the clauses of wide domains are not needed
            return self._two_by_cp_sat()
        assumed: list[int] = []
        choices: list[list[int]] = []
        for fact in facts:
            assumed += [-self._literal(number) for number in fact.excluded]
            literals = [self._literal(number) for number in fact.literals]
            if len(literals) == 1:
                assumed += literals
            elif literals:
                choices.append(literals)
        return self._sat.first(assumed, 2, choices)

    def grade(self, facts: Sequence[Fact], values: Values) -> Reasoning:
        """Return how the only solution with these facts is found; values: those of all variables in it.

        Raises `Stopped` once the event is set. Facts with one literal count as given. `ClueFormula` is the puzzle as
        clauses, and `reasoning` goes through it step by step. `Key.literal` returns (position in the key, value) for
        the number of a literal.
        """
        literals = [self.key.literal(number) for fact in facts if len(fact.literals) == 1 for number in fact.literals]
        given = [self._formula.literal(self.key.labels[position], value) for position, value in literals]
        return reasoning(self._formula, given, self.key.decode(self.key.encode(values)))

    @cached_property
    def _formula(self) -> ClueFormula:
        """The puzzle as clauses of which consequences are asked."""
        return ClueFormula(self._task.model, self.key, self._task.stop)

    def _two_by_cp_sat(self) -> list[Values]:
        """Return what `first_two` does without facts, by CP-SAT, which needs no clauses for the values of integers.

        `enumerate` calls a function with each solution, which ends the search by an exception.
        """
        solutions_found: list[Values] = []

        def add(values: Values) -> None:
            """Keep a solution; end the search if it is the second one."""
            solutions_found.append(values)
            if len(solutions_found) > 1:
                raise _SecondFoundError

        with suppress(_SecondFoundError):
            CpSat(self._task).enumerate(add)
        return solutions_found

    def _new_literal(self, number: int) -> int:
        """Return the literal of the formula for a literal of the key."""
        position, value = self.key.literal(number)
        return self._sat.literal(self.key.variables[position], value)


class _SecondFoundError(Exception):
    """Raised to end a search at the second solution."""


class Judge:
    """Tells of each text how many solutions the puzzle has that it gives."""

    def __init__(self, declare: Callable[..., Puzzle], asked: LinesAsked, stop: threading.Event) -> None:
        """Make the puzzle ready, if all texts are facts about the same puzzle.

        declare: returns the puzzle for values of its parameters. stop: ends the work when set. Raises `InputError` if
        the puzzle does not say what is in its cells, or as `WarmSolver` does. asked: what each text says. Without a
        parameter, all texts are contents of the cells of one puzzle: `CellReader` reads these as facts.
        """
        self._declare, self._asked = declare, asked
        self._deadline = Deadline(stop)
        self._stop = stop
        if not asked.parameter:
            puzzle = declare(**asked.arguments)
            self._solver = WarmSolver(puzzle, self._deadline)
            self._reader = CellReader(puzzle, self._solver.key)
            if self._reader.has_pieces:
                raise InputError(f"{puzzle.name} has things that lie in several cells; these cannot be given in a line")

    def judge(self, text: str) -> PuzzleVerdict:
        """Return the verdict on a puzzle; raise `Stopped` once the event of the constructor is set.

        A text that is no puzzle, and one that takes too long, have a verdict that says so, without an answer. text: the
        value of the parameter that was asked for, or else the content of all cells. A solver is a `WarmSolver`, which
        returns up to two solutions; the answer is their number.
        """
        began = time.perf_counter()
        self._deadline.begin(float("inf") if self._asked.time_limit is None else self._asked.time_limit)
        steps: Reasoning | None = None
        try:
            solver, facts = self._solver_of_parameter(text) if self._asked.parameter else self._solver_of_cells(text)
            values = solver.first_two(facts)
        except (InputError, ValueError) as error:
            return PuzzleVerdict("", (), time.perf_counter() - began, str(error))
        except Stopped:
            if self._stop.is_set():
                raise
            return PuzzleVerdict("", (), time.perf_counter() - began, NOT_SETTLED)
        if len(values) == 1 and self._asked.has_grades:
            with suppress(Stopped):  # then there is no grade
                steps = solver.grade(facts, values[0])
        # As links and files of answers have them: a list of literals, or the contents of the cells.
        solutions = [_literals(solver.key, row) if self._asked.parameter else self._line(row) for row in values]
        answers: tuple[Answer, ...] = ("0", "1", "2+")
        return PuzzleVerdict(
            answers[len(solutions)], tuple(solutions), time.perf_counter() - began, "", tuple(steps or ())
        )

    def _solver_of_cells(self, text: str) -> tuple[WarmSolver, Sequence[Fact]]:
        """Return the solver of all lines, and these contents of cells as facts."""
        facts = self._reader.contents(text)
        if facts is None:
            raise InputError("these are not the contents of the puzzle's cells")
        return self._solver, facts

    def _line(self, values: Values) -> str:
        """Return the contents of all cells in a solution: in one line or, if names are longer, with blanks between.

        values: those of all variables. `CellReader.covering` has, for each cell, the name of its content for each
        literal (label, value). `Key.encode` picks the literals of the key from the values, and `Key.decode` makes them
        a solution by label. A cell without content is a dot.
        """
        key, covering = self._solver.key, self._reader.covering
        solution = key.decode(key.encode(values))
        names = {}
        for cell, literals in covering.items():
            for (label, value), name in literals.items():
                if solution[label] == value:
                    names[cell] = name
        divider = "" if all(len(name) == 1 for name in self._reader.names) else " "
        return divider.join(names.get(cell, ".") for cell in sorted(covering))

    def _solver_of_parameter(self, text: str) -> tuple[WarmSolver, Sequence[Fact]]:
        """Return a solver of the puzzle of which a text is a parameter's value, and no facts."""
        puzzle = self._declare(**{**self._asked.arguments, self._asked.parameter: text})
        return WarmSolver(puzzle, self._deadline), ()


def _literals(key: Key, values: Values) -> str:
    """Return a solution as JSON, a list of [label, value]; Booleans that are 0 are left out.

    key: the key variables. values: those of all variables. `Key.encode` picks the literals of the key, and `Key.decode`
    makes them a solution by label.
    """
    solution = key.decode(key.encode(values))
    literals_in_words = [
        [label, value]
        for position, (label, value) in enumerate(solution.items())
        if value or not key.is_boolean[position]
    ]
    return json.dumps(literals_in_words, default=plain_label)
