"""The way from what is given to the solution, step by step, each with the reason of fewest rules."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from models.puzzle import Drawing
from solvers.base.endings import DONE, NO
from solvers.base.errors import Stopped
from solvers.extras.questions.invent.ask import Answer, Asked, card, cards, drawing_of_facts, in_place, with_marks
from solvers.extras.questions.invent.marks import LEGEND
from solvers.extras.questions.reasons.reason import Reason, amounts_of, reason_text, texts_of
from solvers.extras.questions.reasons.why import reasoner
from solvers.extras.questions.recognise.cells import words_of
from solvers.extras.shared.tuning import EXTRAS_TUNING
from solvers.files.given import Fact
from solvers.show import draw
from solvers.show.plain import number_with_unit
from solvers.show.printable import printable

STEP_SECONDS = 0.5
"""Processor seconds for the smallest reason of one step."""

MAX_FAILURES = 2
"""The number of steps for which no smallest reason is found in that time, after which none is sought any more."""

OF_PICTURES = "A thick border or line marks what follows. Its reason is shaded; of pieces, it is drawn strongly."
"""The sentence that explains the pictures."""


class Steps(Answer, Sequence[Reason]):
    """The steps from the givens to the solution, as reasons.

    The next fact is always the one whose reason has the fewest rules, and the fewest cells in these.
    """

    def __init__(self, asked: Asked, given: Sequence[Fact], open_facts: int, is_unique: bool) -> None:
        """Begin without steps.

        given: the facts that are known from the start. open_facts: the number of facts of a solution that do not hold
        in all solutions. is_unique: whether there is one solution up to symmetry. asked: the prepared puzzle, with its
        givens.
        """
        self.is_unique = is_unique
        self._asked = asked
        self.given = given
        self.steps = list[Reason]()
        self._texts: list[str] = []
        """The texts of the first steps, as many as were asked for."""
        self._has_marks = False
        """Whether a drawing in these texts has marks."""
        self._say = words_of(asked.puzzle, asked.key)
        """Returns a fact in words."""
        self.open_facts = open_facts
        self.is_complete = False

    @property
    def code(self) -> int:  # type: ignore[override]
        """The exit code: 4 if there is more than one solution up to symmetry, otherwise 0."""
        return DONE if self.is_unique else NO

    def __len__(self) -> int:
        """Return the number of steps."""
        return len(self.steps)

    def __getitem__(self, place: Any) -> Any:
        """Return the step with this index, or several for a slice."""
        return self.steps[place]

    def as_json(self) -> dict[str, Any]:
        """Return the JSON value of the answer; the command prints it under the name of its option.

        solvers/REFERENCE.md lists its keys under `explain`.
        """
        return {"unique": self.is_unique, "open": self.open_facts, "steps": [step.as_json() for step in self.steps]}

    @property
    def summary(self) -> str:
        """A sentence: the number of steps, and whether they lead to the only solution, perhaps up to symmetry.

        If they do not lead to a whole solution, it says how many of its facts are open, and what to do.
        """
        steps = number_with_unit(len(self.steps), "steps")
        facts = number_with_unit(self.open_facts, "facts")
        if not self.open_facts:
            return steps if self.is_unique else f"{steps}; there are several solutions, and others have further facts"
        if self.is_unique:
            differ = f"{facts} of it {'differs' if self.open_facts == 1 else 'differ'} in its images"
            return f"{steps}; there is one solution up to symmetry, and {differ}; add a --given to choose one of them"
        lacks = f"{facts} of one {'does' if self.open_facts == 1 else 'do'} not hold in all"
        return f"{steps}; there are several solutions, and {lacks}; add a --given, or repair givens"

    def drawings(self, first: int = 0) -> Iterator[tuple[Reason, Drawing | None]]:
        """Yield (step, drawing of all facts known after it); the drawing is None if they cannot be drawn.

        first: the index of the step to begin with. Raises `InputError` if the puzzle draws something that cannot be
        shown.
        """
        known = [*self.given, *(step.fact for step in self.steps[:first])]
        for step in self.steps[first:]:
            known.append(step.fact)
            yield step, drawing_of_facts(self._asked.puzzle, self._asked.key, known)

    @property
    def head(self) -> str:
        """The first line of the last step, which a progress line shows."""
        return self._title(len(self.steps), self.steps[-1]) if self.steps else self.summary

    @property
    def parts(self) -> Sequence[str]:
        """The steps so far as text, each with its reason and a drawing, on which the reason is marked."""
        for step, drawing in self.drawings(len(self._texts)):
            self._texts.append(self._step_text(step, drawing))
        return self._texts

    @property
    def rest(self) -> str:
        """The summary, and a legend if a drawing has marks."""
        return f"{self.summary}\n{LEGEND}" if self._has_marks else self.summary

    def __str__(self) -> str:
        """Return all steps as text, with reasons and drawings; a legend ends the text if a drawing has marks."""
        return "\n".join([*self.parts, self.rest])

    def _title(self, number: int, step: Reason) -> str:
        """Return the first line of a step; number: its number, from 1."""
        kind = "" if step.is_smallest else " (minimal)" if step.is_minimal else " (fewer may do)"
        return f"{number}. {printable(self._say(step.fact))}, by {amounts_of(step)}{kind}:"

    def _step_text(self, step: Reason, drawing: Drawing | None) -> str:
        """Return the next step as text; drawing: that of all facts known after it, None if there is none."""
        puzzle, key, say = self._asked.puzzle, self._asked.key, self._say
        lines = [self._title(len(self._texts) + 1, step), reason_text(step, say, indent="   ")]
        if drawing is not None:
            # The same drawing comes back if it cannot have marks.
            marked_drawing = with_marks(puzzle, key, drawing, [step.fact], step.facts, texts_of(step.rules), say)
            lines.append("\n".join(map(str.rstrip, draw.lines(marked_drawing))))
            self._has_marks = self._has_marks or marked_drawing is not drawing
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return all steps with pictures, in HTML, which Jupyter shows.

        A picture has the facts of the step's reason, and more faintly all that are known; the new fact is marked.
        """
        parts = list[str]()
        known_facts = [*self.given]
        puzzle, key = self._asked.puzzle, self._asked.key
        for number, step in enumerate(self.steps, 1):
            rules = texts_of(step.rules)
            picture = in_place(puzzle, key, step.facts, other_facts=known_facts, marked=[step.fact], rules=rules)
            parts.append(
                card(f"{number}. {printable(self._say(step.fact))}", reason_text(step, self._say, indent=""), picture)
            )
            known_facts.append(step.fact)
        return cards(f"{self.summary}. {OF_PICTURES}", parts)


def explain(asked: Asked, is_unique: Callable[[], bool]) -> Steps:
    """Return all steps from the givens to the solution.

    The steps explain the facts that hold in all solutions with the givens, each by the givens and the facts explained
    before; facts that a rule about one cell states are givens, too. asked: the prepared puzzle, with its givens.
    is_unique: says whether there is one solution up to symmetry; called unless all facts of a whole solution are
    explained. Raises `InputError` if there is no solution with the givens, `Stopped` once the time is over.
    """
    finder, solution = reasoner(asked)  # the object that finds reasons, and some solution with the givens
    unexplained = finder.backbone(solution, asked.given)
    given_literals = {fact.literals[0] for fact in asked.given if len(fact.literals) == 1}
    open_facts = len(set(solution) - given_literals) - len(unexplained)  # those that another solution lacks
    names_every_label = len(solution) == len(asked.key.labels)  # otherwise other solutions may have further facts
    # Clues that are rules of the puzzle, such as a sudoku's, are known from the start.
    stated = finder.clues_among(unexplained)
    unexplained = [fact for fact in unexplained if fact not in stated]
    known_facts = [*asked.given, *stated]
    steps = Steps(asked, [*known_facts], open_facts, (names_every_label and not open_facts) or is_unique())
    asked.note(steps)  # they are shown if the search is ended early
    end, failures = time.thread_time() + EXTRAS_TUNING.smallest_reason_seconds, 0
    while unexplained:  # each step explains one fact
        if asked.stop.is_set():
            raise Stopped
        seconds_left = end - time.thread_time() if failures < MAX_FAILURES else 0.0
        step = finder.smallest(unexplained, known_facts, max(0.0, min(STEP_SECONDS, seconds_left)))
        failures += not step.is_smallest
        steps.steps.append(step)
        known_facts.append(step.fact)
        unexplained = [fact for fact in unexplained if fact is not step.fact]
    steps.is_complete = True
    return steps
