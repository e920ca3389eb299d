"""The run of a result that was pickled: what it has found and how that is drawn, without the model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from models.puzzle import Drawing, Label, Puzzle
from models.puzzle import Solution as Values
from solvers.errors import InputError
from solvers.files.catalogue import find, in_collection
from solvers.options import Options
from solvers.outputs.output import EndedRun
from solvers.plugs import function
from solvers.running.plug import LiteralCounts
from solvers.running.question import Question
from solvers.show import draw
from solvers.symmetry.key import Decoded, Encoded

NOT_PICKLED = "this needs the model, which a pickled result lacks; solve the puzzle again"
"""The message for what a result that was pickled cannot do."""


class Drawings:
    """The drawings of some solutions; any other solution is drawn as a list of its literals."""

    def __init__(self, puzzle: Puzzle, solutions: Iterable[Values]) -> None:
        """Draw the solutions of a puzzle."""
        self._labels = [*puzzle.key]
        self._drawn = {frozenset(one.items()): draw.drawing(puzzle, one) for one in solutions}

    def __call__(self, solution: Values) -> Drawing:
        """Return the drawing of a solution."""
        drawn = self._drawn.get(frozenset(solution.items()))
        return drawn or draw.drawing(_undrawn("", {}, self._labels), solution)


class PickledRun:
    """A run that has ended, as `Result` and the outputs see it, which can be pickled.

    A puzzle of the collection is declared again when it is needed. Of another puzzle, which may be made of functions
    that pickle does not take, the drawings of the solutions are kept.
    """

    def __init__(self, run: EndedRun, question: Question, samples: Iterable[Decoded], jobs: int) -> None:
        """Take what a run has found.

        question: the question of the run. samples: the solutions that were drawn at random. jobs: the number of
        processes of the run. Raises `InputError` if the puzzle draws something that cannot be shown.
        """
        puzzle, self._key, self._group = question.puzzle, question.key, question.group
        self._encoded = run.in_order()
        self.samples = [dict(drawn) for drawn in samples]
        self.report = replace(run.report, checksum=_FixedText(run.report.checksum()))
        self.options = Options(jobs=jobs)
        self._of_collection = in_collection(puzzle) or ""
        self._named = puzzle.name, dict(puzzle.parameters), [*puzzle.key]
        self._draws: Callable[[Values], Drawing] | None = None
        if puzzle.draw and not self._of_collection:
            self._draws = Drawings(puzzle, [*map(self._key.decode, self._encoded), *samples])
        self._total = run.marginals.total if run.marginals is not None else 0
        self._counts: Mapping[Any, int] | None = dict(run.marginals) if run.marginals is not None else None

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled, without what is made again when it is asked for."""
        return {name: value for name, value in vars(self).items() if name not in ("question", "marginals")}

    @cached_property
    def question(self) -> Question:
        """The question of the run, without its model and its givens."""
        name, parameters, labels = self._named
        if self._of_collection:
            puzzle = find(self._of_collection).declare(**parameters)
        else:
            puzzle = replace(_undrawn(name, parameters, labels), draw=self._draws)
        unknown: Any = None
        return Question(puzzle, unknown, self._key, self._group, False, unknown, ())

    @cached_property
    def marginals(self) -> LiteralCounts | None:
        """The number of solutions in which each literal is true; None if that was not asked for."""
        if self._counts is None:
            return None
        literals = map(self._key.label_and_value, range(self._key.size))
        counts = [self._counts.get(literal, 0) for literal in literals]
        made: LiteralCounts = function("marginals", "marginals")(self.question.puzzle, self._key, counts, self._total)
        return made

    def in_order(self) -> list[Encoded]:
        """Return the solutions up to symmetry, as literal numbers; see `EndedRun.in_order`."""
        return self._encoded

    def add_facts(self, **fields: Any) -> None:
        """Have the report tell what was established later; fields: those of `Report`."""
        self.report = replace(self.report, **fields)

    def add_seconds(self, **seconds: float) -> None:
        """Have the report tell how long something took; seconds: by the names of `Report.seconds`."""
        self.add_facts(seconds={**self.report.seconds, **seconds})

    def work_on(self, work: Callable[..., object]) -> float:
        """Refuse further work, for which the model is needed, by an `InputError`."""
        raise InputError(f"{self.report.puzzle}: {NOT_PICKLED}")


@dataclass(frozen=True)
class _FixedText:
    """A function without arguments that returns a text."""

    text: str

    def __call__(self) -> str:
        """Return the text."""
        return self.text


def _undrawn(name: str, parameters: Mapping[str, object], labels: Iterable[Label]) -> Puzzle:
    """Return a puzzle of which only its name, its parameters and its labels are known."""
    unknown: Any = None
    return Puzzle(name, parameters, unknown, dict.fromkeys(labels, 0))
