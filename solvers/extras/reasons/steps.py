"""The way from what is given to the solution, step by step, each with its smallest reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from models.puzzle import Drawing
from solvers.endings import DONE, NO
from solvers.errors import Stopped
from solvers.extras.invent.ask import Answer, Asked, card, cards, drawn, in_place
from solvers.extras.reasons.reason import Reason, amounts_of, told
from solvers.extras.reasons.rules import words_of
from solvers.extras.reasons.why import reasoner
from solvers.show import draw
from solvers.show.plain import counted
from solvers.show.printable import printable

LEGEND = "A thick border marks what follows; what is faint is known, but not needed."
"""The sentence that explains the pictures."""


class Steps(Answer, Sequence[Reason]):
    """The steps from the givens to the solution, as reasons.

    The next fact is always the one with the smallest reason.
    """

    def __init__(self, asked: Asked, open_facts: int) -> None:
        """Begin without steps.

        open_facts: the number of facts of a solution that do not hold in all solutions. asked: the prepared puzzle,
        with its givens.
        """
        self._asked, self.given, self.steps, self.open_facts = asked, asked.given, list[Reason](), open_facts
        self.is_complete = False

    @property
    def code(self) -> int:  # type: ignore[override]
        """The exit code: 4 if there is more than one solution, otherwise 0."""
        return NO if self.open_facts else DONE

    def __len__(self) -> int:
        """Return the number of steps."""
        return len(self.steps)

    def __getitem__(self, place: Any) -> Any:
        """Return the step with this index, or several for a slice."""
        return self.steps[place]

    def as_json(self) -> dict[str, Any]:
        """Return the JSON value of the answer; the command prints it under the name of its option.

        solvers/REFERENCE.md lists its keys under `--explain`.
        """
        return {"open": self.open_facts, "steps": [step.as_json() for step in self.steps]}

    @property
    def summary(self) -> str:
        """The number of steps in words, and whether they lead to the only solution."""
        steps, facts = counted(len(self.steps), "steps"), counted(self.open_facts, "facts")
        if not self.open_facts:
            return steps
        lacks = f"{facts} of one {'does' if self.open_facts == 1 else 'do'} not hold in all"
        return f"{steps}; there are several solutions, and {lacks}; add a --given, or ask --repair givens"

    def drawings(self) -> Iterator[tuple[Reason, Drawing | None]]:
        """Yield (step, drawing of all facts known after it); the drawing is None if they cannot be drawn.

        Raises `InputError` if the puzzle draws something that cannot be shown.
        """
        known = [*self.given]
        for step in self.steps:
            known.append(step.fact)
            yield step, drawn(self._asked.puzzle, self._asked.key, known)

    def __str__(self) -> str:
        """Return all steps as text, with reasons and drawings."""
        lines, say = list[str](), words_of(self._asked.puzzle, self._asked.key)
        for number, (step, drawing) in enumerate(self.drawings(), 1):
            kind = "" if step.is_smallest else " (minimal)"
            lines.append(f"{number}. {printable(say(step.fact))}, by {amounts_of(step)}{kind}:")
            lines.append(told(step, say, "   "))
            if drawing is not None:
                lines.append("\n".join(map(str.rstrip, draw.lines(drawing))))
        return "\n".join([*lines, self.summary])

    def _repr_html_(self) -> str:
        """Return all steps with pictures, which Jupyter shows."""
        parts, known, (puzzle, key) = list[str](), [*self.given], (self._asked.puzzle, self._asked.key)
        say = words_of(puzzle, key)
        for number, step in enumerate(self.steps, 1):
            picture = in_place(puzzle, key, step.facts, known, [step.fact])
            parts.append(card(f"{number}. {printable(say(step.fact))}", told(step, say, ""), picture))
            known.append(step.fact)
        return cards(f"{self.summary}. {LEGEND}", parts)


def explain(asked: Asked) -> Steps:
    """Return all steps from the givens to the solution.

    Raises `InputError` if there is no solution with the givens, `Stopped` once the time is over. asked: the prepared
    puzzle, with its givens.
    """
    reasons, solution = reasoner(asked)
    left = reasons.forced(solution, asked.given)
    given = {fact.literals[0] for fact in asked.given if len(fact.literals) == 1}
    steps = Steps(asked, len(set(solution) - given) - len(left))
    asked.note(steps)
    known = [*asked.given]
    while left:
        if asked.stop.is_set():
            raise Stopped
        step = reasons.smallest(left, known)
        steps.steps.append(step)
        known.append(step.fact)
        left = [fact for fact in left if fact is not step.fact]
    steps.is_complete = True
    return steps
