"""The reason why there is no solution: a counting argument, or minimal unsatisfiable subsets of rules and givens.

A minimal unsatisfiable subset (MUS) is a contradiction from which nothing can be left out.
"""

from __future__ import annotations

from typing import Any

from solvers.base.endings import DONE, NO
from solvers.extras.questions.invent.ask import Answer, Asked, board_lines, card, cards, in_place
from solvers.extras.questions.reasons.by_counting import by_counting
from solvers.extras.questions.reasons.reason import Contradiction, Contradictions, groups_of, reason_text, texts_of
from solvers.extras.questions.reasons.rules import has_pieces
from solvers.extras.questions.reasons.why import WHY_SECONDS, make_reasoner
from solvers.extras.questions.recognise.cells import words_of
from solvers.show.plain import number_with_unit
from solvers.symmetry.key import Encoded

MAX_GROUPS = 3
"""The most groups of rules that are told where the smallest contradiction was not found."""


class WhyNone(Answer):
    """The reason why a puzzle has no solution; or a solution, if it has one."""

    def __init__(self, asked: Asked, every: bool) -> None:
        """Begin the answer to a question; every: whether all smallest contradictions are asked for."""
        self._asked, self._every = asked, every
        self.counting = ""
        """A counting argument in a sentence: of areas, of a colouring, of a cell on which nothing can lie."""
        self.known: Contradictions | None = None
        """The smallest contradictions; None where there is a solution, or where the counting argument suffices."""
        self.solution: Encoded | None = None

    @property
    def code(self) -> int:  # type: ignore[override]
        """The exit code: 4 if there is a solution, otherwise 0."""
        return NO if self.solution is not None else DONE

    def as_json(self) -> dict[str, Any]:
        """Return the JSON value of the answer; the command prints it under the name of its option.

        solvers/REFERENCE.md lists its keys under `why`.
        """
        solution, known = self.solution, self.known
        return {
            "solvable": solution is not None,
            "counting": self.counting or None,
            "sets": [contradiction.as_json() for contradiction in known.sets] if known else [],
            "smallest": known.is_complete if known else None,
            "solution": list(self._asked.key.decode(solution).items()) if solution is not None else None,
        }

    def __str__(self) -> str:
        """Return the answer as text."""
        if self.solution is not None:
            having = " with what is given" if self._asked.given else ""
            return f"There is a solution{having}:\n{self._asked.solution_text(self.solution)}"
        lines = [self.counting] if self.counting else []
        if self.known:
            lines += self._contradictions(self.known)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return the answer with pictures, which Jupyter shows."""
        puzzle, key, given = self._asked.puzzle, self._asked.key, self._asked.given
        if self.solution is not None:
            return cards("There is a solution:", [self._asked.picture(self.solution)])
        head = [self.counting] * bool(self.counting)
        if not self.known:
            return cards("".join(head), [in_place(puzzle, key, given, ())])
        say, sets = words_of(puzzle, key), self.known.sets
        parts = [
            card(
                f"{place}." if len(sets) > 1 else "", reason_text(contradiction, say, ""), self._picture(contradiction)
            )
            for place, contradiction in enumerate(sets, 1)
        ]
        return cards(" ".join([*head, self._title(self.known)]), parts)

    def _picture(self, contradiction: Contradiction) -> str:
        """Return a picture of the givens on which a contradiction is marked, in HTML."""
        of = self._asked
        return in_place(of.puzzle, of.key, contradiction.facts, of.given, rules=texts_of(contradiction.rules))

    def _contradictions(self, known: Contradictions) -> list[str]:
        """Return the contradictions as lines of text."""
        head, say = self._title(known), words_of(self._asked.puzzle, self._asked.key)
        if len(known.sets) == 1:
            return [head, reason_text(known.sets[0], say), *self._board_lines(known.sets[0])]
        lines = [head]
        for place, contradiction in enumerate(known.sets, 1):
            lines += [f"{place}.", reason_text(contradiction, say), *self._board_lines(contradiction)]
        return lines

    def _board_lines(self, contradiction: Contradiction) -> list[str]:
        """Return the lines of the board with the givens, on which a contradiction is marked; none without a board."""
        of = self._asked
        return board_lines(of.puzzle, of.key, of.given, [], contradiction.facts, texts_of(contradiction.rules))

    def _title(self, known: Contradictions) -> str:
        """Return the sentence above the contradictions: how many, of what size, whether they are smallest."""
        first = known.sets[0]
        amounts = [number_with_unit(len(first.rules), "rules")] * bool(first.rules)
        amounts += [number_with_unit(len(first.facts), "givens")] * bool(first.facts)
        size = " and ".join(amounts) or "no rules at all"
        size += " (pieces never overlap)" if has_pieces(self._asked.puzzle, self._asked.key) else ""
        if not known.is_complete:
            kind = "set of rules and givens that exclude each other" if known.untried else "contradiction (MUS)"
            return f"A {kind}, of {size}. {self._attempts_text(known)}:"
        if self._every and len(known.sets) > 1:
            return f"There are {len(known.sets)} smallest contradictions (MUSes), each of {size}:"
        return f"The {'only ' * self._every}smallest contradiction (MUS), of {size}:"

    def _attempts_text(self, known: Contradictions) -> str:
        """Return what was tried when the time ended, and what to give or to leave out before asking again."""
        (first, *_), groups = known.sets, groups_of(known.sets[0].rules)
        tried = f"In {WHY_SECONDS:.0f} s, {first.size} of the {known.of} rules and givens were left"
        if known.untried:
            tried += f"; whether {known.untried} of these are needed was not tried"
        else:
            least = f", of {known.at_least} or more," if known.at_least > 1 else ""
            tried += f", none of which it can do without; another one{least} may be smaller"
        if not groups:
            return f"{tried}. Leave out what is given for sure, and ask again"
        most = f"The rules are {', '.join(groups[:MAX_GROUPS])}{' and others' * (len(groups) > MAX_GROUPS)}"
        return f"{tried}. {most}. Give first what the rules of the first group ask for, or leave these out of the model"


def why_none(asked: Asked, every: bool) -> WhyNone:
    """Return the reason why there is no solution with the givens, or a solution if there is one.

    every: find all of the smallest contradictions, even if a counting argument suffices. Raises `InputError` if the
    model has no clauses, `Stopped` once the event is set. asked: the prepared puzzle, with its givens.
    """
    answer = WhyNone(asked, every)
    answer.counting = by_counting(asked)
    if answer.counting and not every:
        return answer
    reasons = make_reasoner(asked)
    if not answer.counting:
        answer.solution = reasons.solution(asked.given)
    if answer.solution is None:
        for answer.known in reasons.contradictions(asked.given, every, WHY_SECONDS):
            asked.note(answer)
    return answer
