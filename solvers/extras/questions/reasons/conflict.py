"""The reason why there is no solution: a counting argument, or minimal unsatisfiable subsets of rules and givens.

A minimal unsatisfiable subset (MUS) is a contradiction from which nothing can be left out.
"""

from __future__ import annotations

from typing import Any

from solvers.base.endings import DONE, INCOMPLETE, NO
from solvers.extras.questions.invent.ask import Answer, Asked, board_lines, card, cards, in_place
from solvers.extras.questions.reasons.by_counting import by_counting
from solvers.extras.questions.reasons.reason import (
    Contradiction,
    Contradictions,
    Wanted,
    groups_of,
    reason_text,
    texts_of,
)
from solvers.extras.questions.reasons.why import make_reasoner
from solvers.extras.questions.recognise.cells import has_pieces, words_of
from solvers.show.plain import number_with_unit
from solvers.symmetry.key import Encoded

MAX_GROUPS = 3
"""The most groups of rules that are told where the smallest contradiction was not found."""

MAX_BOARDS = 10
"""The most contradictions that are marked on a board, which takes some time to draw."""


class WhyNone(Answer):
    """The reason why a puzzle has no solution; or a solution, if it has one."""

    def __init__(self, asked: Asked, wanted: Wanted) -> None:
        """Begin the answer to a question; wanted: which contradictions are asked for."""
        self._asked, self._wanted = asked, wanted
        self.counting = ""
        """A counting argument in a sentence: of areas, of a colouring, of a cell on which nothing can lie."""
        self.known: Contradictions | None = None
        """The contradictions; None where there is a solution, or where the counting argument suffices."""
        self.solution: Encoded | None = None

    @property
    def code(self) -> int:  # type: ignore[override]
        """The exit code: 4 if there is a solution, 3 if what was asked for is not known to the end, otherwise 0."""
        if self.solution is not None:
            return NO
        return DONE if self.is_complete else INCOMPLETE

    @property
    def is_complete(self) -> bool:  # type: ignore[override]
        """The answer is complete if what was asked for is known to the end."""
        return self.known is None or self.known.is_complete

    @property
    def head(self) -> str:
        """The title of the contradictions, without a board, which may take long to draw."""
        return self._title(self.known) if self.known else super().head

    def as_json(self) -> dict[str, Any]:
        """Return the JSON value of the answer; the command prints it under the name of its option.

        solvers/REFERENCE.md lists its keys under `why`.
        """
        solution, known = self.solution, self.known
        literals = list(self._asked.key.decode(solution).items()) if solution is not None else None
        return {
            "solvable": solution is not None,
            "counting": self.counting or None,
            "sets": [contradiction.as_json() for contradiction in known.sets] if known else [],
            "minimal": not known.untried if known else None,
            "smallest": known.is_smallest if known else None,
            "every": known.is_complete and self._wanted is Wanted.EVERY if known else None,
            "solution": literals,
        }

    def __str__(self) -> str:
        """Return the answer as text: a solution, or the counting argument and the contradictions, as far as known."""
        if self.solution is not None:
            having = " with what is given" if self._asked.given else ""
            return f"There is a solution{having}:\n{self._asked.solution_text(self.solution)}"
        lines = [self.counting] if self.counting else []
        if self.known:
            lines += self._contradiction_lines(self.known)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return the answer with pictures, in HTML, which Jupyter shows.

        It is a solution; or the counting argument, above a picture of the givens or, if there are contradictions, above
        a card for each, with a picture for the first `MAX_BOARDS`.
        """
        puzzle = self._asked.puzzle
        key = self._asked.key
        given = self._asked.given
        if self.solution is not None:
            return cards("There is a solution:", [self._asked.picture(self.solution)])
        if not self.known:
            return cards(self.counting, [in_place(puzzle, key, given, other_facts=())])
        say, sets = words_of(puzzle, key), self.known.sets  # `say` puts a fact into words
        pictures = [*map(self._picture, sets[:MAX_BOARDS]), *[""] * len(sets[MAX_BOARDS:])]  # "": without a picture
        parts = []
        for place, (contradiction, picture) in enumerate(zip(sets, pictures, strict=True), 1):
            heading = f"{place}." if len(sets) > 1 else ""
            parts.append(card(heading, reason_text(contradiction, say, indent=""), picture))
        title = self._title(self.known)
        return cards(f"{self.counting} {title}" if self.counting else title, parts)

    def _picture(self, contradiction: Contradiction) -> str:
        """Return a picture of the givens on which a contradiction is marked, in HTML."""
        asked = self._asked
        rules = texts_of(contradiction.rules)
        return in_place(asked.puzzle, asked.key, contradiction.facts, asked.given, rules=rules)

    def _contradiction_lines(self, known: Contradictions) -> list[str]:
        """Return a title and the contradictions as lines of text, numbered if there are several.

        The first `MAX_BOARDS` of them have boards.
        """
        title, say = self._title(known), words_of(self._asked.puzzle, self._asked.key)  # `say` puts a fact into words
        if len(known.sets) == 1:
            return [title, reason_text(known.sets[0], say), *self._board_lines(known.sets[0])]
        lines = [title]
        for place, contradiction in enumerate(known.sets, 1):
            lines += [f"{place}.", reason_text(contradiction, say)]
            lines += self._board_lines(contradiction) if place <= MAX_BOARDS else []
        return lines

    def _board_lines(self, contradiction: Contradiction) -> list[str]:
        """Return the lines of the board with the givens, on which a contradiction is marked; none without a board."""
        asked = self._asked
        return board_lines(asked.puzzle, asked.key, asked.given, [], contradiction.facts, texts_of(contradiction.rules))

    def _title(self, known: Contradictions) -> str:
        """Return the sentence above the contradictions: how many, of what size, whether they are smallest.

        The first set is described. If not each of its members was tried to be left out (``untried``), it need not be
        minimal, and the title says that instead. A title of a search that goes on says what is open. known: the
        contradictions, as far as they are known.
        """
        first = known.sets[0]
        amounts = [number_with_unit(len(first.rules), "rules")] * bool(first.rules)
        amounts += [number_with_unit(len(first.facts), "givens")] * bool(first.facts)
        size = " and ".join(amounts) or "no rules at all"
        size += " (pieces never overlap)" if has_pieces(self._asked.puzzle, self._asked.key) else ""
        if known.untried:
            return f"A set of rules and givens that exclude each other, of {size}. {self._attempts_text(known)}:"
        if len(known.sets) > 1 or (known.is_complete and self._wanted is Wanted.EVERY):
            others = "there are no others" if known.is_complete else "there may be others"
            sets = "minimal contradictions (MUSes)" if len(known.sets) > 1 else "minimal contradiction (MUS)"
            return f"{len(known.sets)} {sets}, {'the first ' * (len(known.sets) > 1)}of {size}; {others}:"
        if known.is_smallest:
            return f"The smallest contradiction (MUS), of {size}:"
        least = f", of {known.at_least} or more," if known.at_least > 1 else ""
        open_questions = {
            Wanted.SMALLEST: f"; another one{least} may be smaller",
            Wanted.EVERY: "; there may be others",
        }
        sentence = f"A minimal contradiction (MUS), of {size}, of which nothing can be left out"
        return f"{sentence}{open_questions.get(self._wanted, '')}:"

    def _attempts_text(self, known: Contradictions) -> str:
        """Return what is not known yet of the first contradiction, and what to give or leave out before asking again.

        The advice is about the largest group of similar rules, or about givens if there are no rules.
        """
        first = known.sets[0]
        groups = groups_of(first.rules)  # in words, such as '2 like "row 1 = 5"', the largest first
        attempts = f"Of the {known.total} rules and givens, {first.size} are left"
        attempts += f"; whether {known.untried} of these are needed was not tried"
        if not groups:
            return f"{attempts}. Leave out what is given for sure, and ask again"
        kinds = f"The rules are {', '.join(groups[:MAX_GROUPS])}{' and others' * (len(groups) > MAX_GROUPS)}"
        advice = "Give first what the rules of the first group ask for, or leave these out of the model"
        return f"{attempts}. {kinds}. {advice}"


def why_none(asked: Asked, wanted: Wanted) -> WhyNone:
    """Return the reason why there is no solution with the givens, or a solution if there is one.

    wanted: which contradictions are asked for; none is sought for ANY if a counting argument suffices. Raises
    `InputError` if the model has no clauses, `Stopped` once the event is set. asked: the prepared puzzle, with its
    givens.
    """
    answer = WhyNone(asked, wanted)
    answer.counting = by_counting(asked)
    if answer.counting and wanted is Wanted.ANY:
        return answer
    reasoner = make_reasoner(asked)
    if not answer.counting:
        answer.solution = reasoner.solution(asked.given)
    if answer.solution is None:
        # Each result has more than the one before; it is shown if the search is ended early.
        for answer.known in reasoner.contradictions(asked.given, wanted):
            asked.note(answer)
    return answer
