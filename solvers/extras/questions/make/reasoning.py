"""The level of a puzzle: what a solver has to do, measured on the formula, and the same for all genres."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from solvers.extras.questions.make.formula import ClueFormula, KnownFacts

FORCED, ONE_AHEAD, TWO_AHEAD, SEARCH = 1, 2, 3, 4
"""The levels: by rules alone (unit propagation), by looking one step ahead (failed literals), by two, by search."""

MOST_NORMAL_LOOKS = 3
"""How many literals have to be ruled out one by one, at most, in a puzzle of the level normal."""

LEVELS: Mapping[str, tuple[int, int]] = {"easy": (FORCED, FORCED), "normal": (ONE_AHEAD, ONE_AHEAD), "hard": (2, 4)}
"""For each name the least and the greatest level; of the level in both, `MOST_NORMAL_LOOKS` divides the puzzles."""

MOST_LOOKS = 1_000
"""The most assignments that are propagated to decide whether two steps ahead suffice."""


class Reasoning(NamedTuple):
    """The way to the solution of a puzzle by growing effort."""

    level: int
    """1 to 4; see `FORCED` and the levels behind it."""
    looks: int = 0
    """The number of literals that have to be ruled out by looking ahead, one after another."""
    tightest: int = 0
    """The greatest number of literals that are tried before one of them is ruled out."""
    deep: int = 0
    """The number of literals, among those of ``looks``, that are ruled out by looking two steps ahead."""
    forced: int = 0
    """The number of literals that rules alone rule out, at the beginning and after each look."""
    left: int = 0
    """The number of literals that are left to search, or to time that was too short."""
    place: int = 0
    """The literal of the formula that is ruled out where it is tightest; 0 if none is."""
    at_once: int = 0
    """The number of literals that rules alone rule out at the beginning."""

    @property
    def name(self) -> str:
        """The name of the level: easy, normal or hard."""
        return "easy" if self.level == FORCED else "hard" if self._is_hard else "normal"

    @property
    def words(self) -> str:
        """The level in words."""
        looks = f"{self.looks} time{'s' * (self.looks != 1)}"
        words = ("forced", f"one step ahead, {looks}", f"two steps ahead, {looks}", "by search")
        return words[self.level - 1]

    @property
    def _is_hard(self) -> bool:
        """Tell whether the level is hard."""
        return self.level > ONE_AHEAD or self.looks > MOST_NORMAL_LOOKS

    def fits(self, wanted: str) -> bool:
        """Tell whether this is a level that a name or a number from 1 to 4 means."""
        return wanted in ("", self.name, str(self.level))

    def exceeds(self, wanted: str) -> bool:
        """Tell whether this is beyond a level that a name or a number means, so that fewer clues cannot lead to it."""
        names = [*LEVELS]
        if wanted.isdigit():
            return self.level > int(wanted)
        return bool(wanted) and names.index(self.name) > names.index(wanted)


def is_forced(formula: ClueFormula, clues: Sequence[int], solution: Mapping[Any, int]) -> bool:
    """Tell whether the solution follows by unit propagation from these literals of clues."""
    known = formula.consequences(clues)
    return known is None or all(-literal in known for literal in formula.wrong_literals(solution))


def reasoning(
    formula: ClueFormula,
    clues: Sequence[int],
    solution: Mapping[Any, int],
    note: Callable[[Reasoning], None] = lambda _: None,
    most: str = "",
) -> Reasoning:
    """Return how a puzzle with one solution is solved.

    A literal is wrong if it is false in the solution. A look assumes a wrong literal. If unit propagation derives a
    contradiction, the literal is ruled out, and what follows from its negation is added to the known facts. If this
    rules out no literal, looks two steps ahead are tried. The loop ends when all wrong literals are ruled out, or when
    no look rules one out.

    formula: the puzzle without its clues. solution: its solution, by label. clues: the literals of its clues. note:
    called with what is known so far. most: the name or number of a level, "" for none; where the puzzle is harder, the
    result says only that. Raises `Stopped` once the formula's event is set.
    """
    facts = formula.facts(clues)  # the literals that unit propagation derives from the clues, and then from looks
    wrong_literals = formula.wrong_literals(solution)
    wrong = _open(wrong_literals, facts)  # those that are not ruled out yet
    # The literals to look at, the number that were looked at since the last was ruled out, and what follows from them.
    waiting = [*wrong]
    tried = 0
    possible = set[int]()
    at_once = len(wrong_literals) - len(wrong)
    result = Reasoning(FORCED, forced=at_once, left=len(wrong), at_once=at_once)
    while wrong:
        note(result)
        level = max(result.level, ONE_AHEAD if waiting else TWO_AHEAD)  # the level if the next look rules out one
        # Wrong literals are left, so that one more look at least is certain, of this level or above.
        if most and (harder := result._replace(level=level, looks=result.looks + 1)).exceeds(most):
            return harder
        if waiting:
            literal = waiting.pop(0)
            tried += 1
            # What follows from a literal that contradicts nothing contradicts nothing either.
            if literal in possible:
                continue
            if (implied := facts.consequences([literal])) is not None:
                possible |= implied
                continue
        else:
            ruled_out = _literals_refuted_by_two(facts, wrong)
            if not ruled_out:
                return result._replace(level=SEARCH)
            (literal,) = ruled_out
            result = result._replace(deep=result.deep + 1)
        if tried > result.tightest:
            result = result._replace(tightest=tried, place=literal)
        tried = 0
        possible.clear()
        facts.learn(-literal)
        wrong = _open(wrong, facts)
        # The next to look at are those that still wait, then those that were looked at before: the new fact may matter
        # to both, and so no literal waits for ever.
        still_wrong = {*wrong}
        waiting = [*dict.fromkeys([*(other for other in waiting if other in still_wrong), *wrong])]
        looks = result.looks + 1
        result = result._replace(
            level=level, looks=looks, forced=len(wrong_literals) - len(wrong) - looks, left=len(wrong)
        )
    return result


def _open(literals: Sequence[int], facts: KnownFacts) -> list[int]:
    """Return the literals that are not known to be false."""
    return [literal for literal in literals if facts.is_consistent and -literal not in facts.known]


def _literals_refuted_by_two(facts: KnownFacts, wrong: Sequence[int]) -> list[int]:
    """Return a list of the first wrong literal that looking two steps ahead rules out; empty if there is none.

    After the literal is assumed, each other literal and its negation are assumed, too. If both lead to a contradiction,
    the literal is ruled out; if one does, the other follows from the literal. At most about `MOST_LOOKS` are tried. A
    pass over the other literals is repeated as long as it finds what follows.

    facts: the known facts; its ``consequences`` are what unit propagation derives from literals, None for a
    contradiction. wrong: the literals that are false in the solution.
    """
    looks = 0
    for literal in wrong:
        assumed = [literal]  # the literal, and what follows from it
        pass_finds_more = True
        while pass_finds_more and looks < MOST_LOOKS:
            pass_finds_more = False
            for other in _open_literals(wrong, facts.consequences(assumed)):
                refuted = [step for step in (other, -other) if facts.consequences([*assumed, step]) is None]
                looks += 2
                if len(refuted) == 2:
                    return [literal]
                assumed += [-step for step in refuted]
                pass_finds_more = pass_finds_more or bool(refuted)
            if facts.consequences(assumed) is None:
                return [literal]
    return []


def _open_literals(literals: Sequence[int], known: set[int] | None) -> list[int]:
    """Return the literals that are known neither to be true nor to be false; none if ``known`` is contradictory."""
    return [literal for literal in literals if known is not None and not known & {literal, -literal}]
