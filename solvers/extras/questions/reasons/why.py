"""The reason for a fact that every solution has, with the fewest rules."""

from __future__ import annotations

from typing import Any

from solvers.base.deadline import ENDLESS
from solvers.base.endings import DONE, NO
from solvers.base.errors import InputError
from solvers.extras.questions.invent.ask import Answer, Asked, board_lines, card, cards, in_place
from solvers.extras.questions.reasons.reason import Reason, Wanted, reason_text, texts_of
from solvers.extras.questions.reasons.reasoner import Reasoner
from solvers.extras.questions.reasons.rules import decomposition, rules, without_overlaps
from solvers.extras.questions.recognise.cells import FactReader, words_of
from solvers.files.given import Fact
from solvers.show.printable import printable
from solvers.symmetry.key import Encoded

WHY_SECONDS = 5.0
"""Processor seconds for the smallest reason of one fact, unless it is asked for; then one is shown that is found at
once."""


class Why(Answer):
    """The reason for a fact, with the fewest rules; or a solution in which the fact does not hold."""

    def __init__(self, asked: Asked, fact: Fact, reason: Reason | None, other: Encoded | None) -> None:
        """Take the fact, and either its reason or a solution in which it does not hold.

        reason: None if such a solution exists. other: that solution, or None. asked: the prepared puzzle, with its
        givens.
        """
        self._asked = asked
        self.fact = fact
        self.reason = reason
        self.other = other
        self.code = NO if reason is None else DONE

    def as_json(self) -> dict[str, Any]:
        """Return the JSON value of the answer; the command prints it under the name of its option.

        solvers/REFERENCE.md lists its keys under `why FACT`.
        """
        if self.reason:
            return {"forced": True, **self.reason.as_json(), "without": None}
        assert self.other is not None
        without = list(self._asked.key.decode(self.other).items())  # [(label, value), ...], a solution without the fact
        return {"forced": False, "fact": self.fact.text, "rules": [], "facts": [], "smallest": None, "without": without}

    def __str__(self) -> str:
        """Return the answer as text: the reason, and a board on which it is marked; or a solution without the fact."""
        say = words_of(self._asked.puzzle, self._asked.key)  # puts a fact into words
        fact = printable(say(self.fact))
        if self.reason is None:
            assert self.other is not None
            return f"{self._not_so(fact)}\n{self._asked.solution_text(self.other)}"
        return "\n".join(
            [self._title(fact, self.reason), reason_text(self.reason, say), *self._board_lines(self.reason)]
        )

    def _board_lines(self, reason: Reason) -> list[str]:
        """Return the lines of the board with the givens and the fact, on which the reason is marked; none without."""
        asked = self._asked
        return board_lines(asked.puzzle, asked.key, asked.given, [self.fact], reason.facts, texts_of(reason.rules))

    def _title(self, fact: str, reason: Reason) -> str:
        """Return the sentence above the reason; fact: the fact in words."""
        kind = "A reason, of which something may be left out"
        if reason.is_minimal:
            kind = "A minimal reason, of which nothing can be left out"
        if reason.is_smallest:
            kind = "The reason with the fewest rules"
        return f"In every solution, {fact}. {kind}:"

    def _not_so(self, fact: str) -> str:
        """Return the sentence above a solution in which the fact does not hold; fact: the fact in words."""
        return f"It is not so in every solution that {fact}. Here is one in which it is not so:"

    def _repr_html_(self) -> str:
        """Return the answer with pictures, in HTML, which Jupyter shows.

        The picture has the facts of the reason, and more faintly the givens; the fact that follows is marked.
        """
        puzzle, key = self._asked.puzzle, self._asked.key
        say = words_of(puzzle, key)  # puts a fact into words
        fact = printable(say(self.fact))
        if self.reason is None:
            assert self.other is not None
            return cards(self._not_so(fact), [self._asked.picture(self.other)])
        rules = texts_of(self.reason.rules)
        picture = in_place(
            puzzle, key, self.reason.facts, other_facts=self._asked.given, marked=[self.fact], rules=rules
        )
        return cards(self._title(fact, self.reason), [card("", reason_text(self.reason, say, indent=""), picture)])


def make_reasoner(asked: Asked, *facts: Fact) -> Reasoner:
    """Return the object that finds reasons for a question, also for these facts.

    Its rules are those of the model without scheduling constraints (`decomposition`). In the model that it searches,
    pieces do not overlap, even if rules are left out (`without_overlaps`); constraints keep their places. Raise
    `InputError` if the model has no clauses. asked: the prepared puzzle, with its givens.
    """
    puzzle, key = asked.puzzle, asked.key
    try:
        lines = puzzle.file.lines() if puzzle.file else {}
        model = decomposition(asked.rules, lines)
        searched_model = without_overlaps(puzzle, key, model)
        return Reasoner(rules(puzzle, key, model, lines), key, searched_model, [*asked.given, *facts], asked.stop)
    except InputError as error:
        raise InputError(f"{puzzle.name}: reasons are found by a SAT solver, and {error}") from None


def reasoner(asked: Asked, *facts: Fact) -> tuple[Reasoner, Encoded]:
    """Return (object that finds reasons, also for these facts; some solution that has what is given).

    The solution need not have the facts. Raises `InputError` if there is no solution, or if the model has no clauses.
    asked: the prepared puzzle, with its givens.
    """
    result = make_reasoner(asked, *facts)
    solution = result.solution(asked.given)
    if solution is None:
        having = " that has what is given" if asked.given else ""
        raise InputError(
            f"{asked.puzzle.name} has no solution{having}; the command why without a fact, or why(puzzle), says why"
        )
    return result, solution


def why(asked: Asked, text: str, wanted: Wanted = Wanted.ANY) -> Why:
    """Return the reason for a fact that holds in every solution with the givens.

    If some solution lacks the fact, return such a solution. text: the fact as people write it. wanted: a smallest
    reason however long it takes, or any, which is a smallest one if that is found soon. Raises `InputError` for a fact
    that the puzzle lacks, or if there is no solution; `Stopped` once the event is set. asked: the prepared puzzle, with
    its givens.
    """
    fact = FactReader(asked.puzzle, asked.key).fact(text)
    finder, _ = reasoner(asked, fact)
    other = finder.solution(asked.given, lacking=fact)
    if other is not None:
        return Why(asked, fact, reason=None, other=other)
    reason = finder.smallest([fact], asked.given, seconds=WHY_SECONDS)
    if wanted is Wanted.SMALLEST and not reason.is_smallest:
        asked.note(Why(asked, fact, reason, other=None))  # it is shown if the search is ended early
        reason = finder.smallest([fact], asked.given, seconds=ENDLESS)
    return Why(asked, fact, reason, other=None)
