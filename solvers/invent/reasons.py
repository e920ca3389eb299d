"""Reasons: the smallest sets of rules and facts that force another fact.

A set of rules and facts is no reason for a fact iff something goes with all of them in which the fact does not hold.
Whatever breaks as few rules and facts as possible there tells what every reason has to hold: one of those that are
broken. So reasons are hitting sets of these, and the smallest hitting set that nothing goes with is a smallest reason.
This is what PySAT's OptUx does for one formula; here it is done for many facts at once, of which one has to be chosen,
what was met stays of use for later steps, and it ends when it is told: E. Gamba, B. Bogaerts, T. Guns, "Efficiently
explaining CSPs with unsatisfiable subset optimization", Journal of Artificial Intelligence Research 78 (2023).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from models.puzzle import Puzzle
from solvers.backends.sat import Cores
from solvers.errors import Stopped
from solvers.invent.facts import Fact, fact_of_literal
from solvers.invent.rules import Rule, rules
from solvers.symmetry.key import Encoded, Key

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

SECONDS = 3.0
"""For the smallest reason; then a minimal one is told, from which nothing can be left out."""


class Reason(NamedTuple):
    """Why a fact holds."""

    fact: Fact
    rules: Sequence[Rule]
    facts: Sequence[Fact]
    is_smallest: bool
    """Whether it is proved that fewer rules and facts do not force it; else none of these can be left out."""
    seconds: float

    @property
    def size(self) -> int:
        """How many rules and facts it takes."""
        return len(self.rules) + len(self.facts)

    def as_json(self) -> dict[str, object]:
        """What is told of it."""
        return {
            "fact": self.fact.text,
            "rules": [rule.text for rule in self.rules],
            "facts": [fact.text for fact in self.facts],
            "smallest": self.is_smallest,
            "seconds": round(self.seconds, 3),
        }


class Met(NamedTuple):
    """Something that goes with as many rules as can be, and in which some fact does not hold."""

    rules: frozenset[int]
    """The rules that it keeps, by their literals."""
    true: frozenset[int]
    """The literals of the key that are true in it."""


class Reasoner:
    """Asks for reasons in one model.

    Raises `InputError` if the model has no lowering to clauses, `Stopped` once the event is set.
    """

    def __init__(self, puzzle: Puzzle, key: Key, model: CpModel, stop: threading.Event) -> None:
        """model: without an objective and without what is given."""
        self.rules = rules(puzzle, key, model)
        self._key, self._stop = key, stop
        held = model.clone()
        switches = []
        for rule in self.rules:
            switch = held.new_bool_var("")
            for place in rule.constraints:
                held.proto.constraints[place].enforcement_literal.append(switch.index)
            switches.append(switch.index)
        self._cores = Cores(held, stop)
        self._rule = {self._cores.literal(switch, 1): rule for switch, rule in zip(switches, self.rules, strict=True)}
        self._literal: dict[int, int] = {}
        for number in range(key.size):
            position, value = key.literal(number)
            self._literal[number] = self._cores.literal(key.variables[position], value)
        self._met: list[Met] = []

    def solution(self, facts: Iterable[Fact] = (), lacking: Fact | None = None) -> Encoded | None:
        """Some solution in which these facts hold, and another one does not; None if there is none."""
        true = self._cores.true([*self._rule, *map(self._of, facts), *(self._not(lacking) if lacking else ())])
        return None if true is None else tuple(self._told(true))

    def forced(self, solution: Encoded, facts: Sequence[Fact]) -> list[Fact]:
        """Which of a solution's literals hold in all solutions in which these facts do, the facts themselves aside."""
        left = set(solution) - {number for fact in facts for number in fact.literals}
        found: list[int] = []
        for number in sorted(left):
            if number not in left:
                continue
            fact = fact_of_literal(self._key, number)
            other = self.solution(facts, fact)
            if other is None:
                found.append(number)
            else:
                left &= set(other)
        return [fact_of_literal(self._key, number) for number in found]

    def smallest(self, targets: Sequence[Fact], facts: Sequence[Fact], seconds: float = SECONDS) -> Reason:
        """The smallest reason for one of the facts that follow from others; of these, the first in their order.

        Where that takes longer than so many seconds, one from which nothing can be left out.
        """
        began = time.perf_counter()
        of_fact = {self._of(fact): fact for fact in facts}
        found = self._by_hitting_sets(targets, of_fact, began + seconds)
        is_smallest = found is not None
        target, parts = found or self._minimal(targets, of_fact, began + 1.3 * seconds)
        return Reason(
            target,
            [self._rule[part] for part in self._rule if part in parts],
            [fact for literal, fact in of_fact.items() if literal in parts],
            is_smallest,
            time.perf_counter() - began,
        )

    def _by_hitting_sets(
        self, targets: Sequence[Fact], of_fact: dict[int, Fact], end: float
    ) -> tuple[Fact, set[int]] | None:
        from pysat.examples.hitman import Atom, Hitman

        parts = [*self._rule, *of_fact]
        self._cores.prefer(parts)
        chosen = [("target", place) for place in range(len(targets))]
        apart = [[Atom(one, False), Atom(other, False)] for one, other in combinations(chosen, 2)]
        known = [self._to_hit(met, targets, of_fact) for met in self._met]
        begun = [chosen, *(to_hit for to_hit in known if to_hit)]
        with Hitman(htype="sorted", bootstrap_with=[[*parts, *chosen], *begun], subject_to=apart) as hitman:
            while time.perf_counter() < end:
                if self._stop.is_set():
                    raise Stopped
                hitting = hitman.get()
                ((_, place),) = [one for one in hitting if isinstance(one, tuple)]
                kept = {one for one in hitting if not isinstance(one, tuple)}
                against = self._not(targets[place])
                true = self._cores.true([*kept, *against])
                if true is None:
                    return targets[place], kept
                kept = kept | true.intersection(parts)
                for part in parts:
                    if part not in kept and (more := self._cores.true([*kept, part, *against])) is not None:
                        true, kept = more, kept | more.intersection(parts)
                true = self._cores.true([*kept, *against])
                assert true is not None
                met = Met(frozenset(self._rule.keys() & kept), frozenset(true.intersection(self._literal.values())))
                self._met.append(met)
                hitman.hit(self._to_hit(met, targets, of_fact))
        return None

    def _to_hit(self, met: Met, targets: Sequence[Fact], of_fact: dict[int, Fact]) -> list[object]:
        """What a reason needs one of: a rule or a fact that is broken there; or it is for a fact that holds there."""
        broken: list[object] = [part for part in self._rule if part not in met.rules]
        broken += [part for part in of_fact if part not in met.true]
        return broken + [
            ("target", place)
            for place, target in enumerate(targets)
            if any(self._literal[number] in met.true for number in target.literals)
        ]

    def _minimal(self, targets: Sequence[Fact], of_fact: dict[int, Fact], end: float) -> tuple[Fact, set[int]]:
        """The smallest of one reason for each, from which nothing can be left out; of those that there is time for."""
        best: tuple[Fact, set[int]] | None = None
        for target in targets:
            if best and time.perf_counter() > end:
                break
            against = self._not(target)
            true = self._cores.true([*self._rule, *of_fact, *against])
            assert true is None
            needed = set(self._cores.core()) - {*against}
            for part in sorted(needed):
                if self._stop.is_set():
                    raise Stopped
                if part in needed and self._cores.true([*(needed - {part}), *against]) is None:
                    needed = set(self._cores.core()) - {*against, part}
            if best is None or len(needed) < len(best[1]):
                best = target, needed
        assert best
        return best

    def _of(self, fact: Fact) -> int:
        """The literal of the formula that a fact of a literal is."""
        (number,) = fact.literals
        return self._literal[number]

    def _not(self, fact: Fact) -> list[int]:
        return [-self._literal[number] for number in fact.literals]

    def _told(self, true: set[int]) -> list[int]:
        """The solution: the numbers of its literals, but those that say that a Boolean is 0."""
        numbers = (number for number, literal in self._literal.items() if literal in true)
        return [n for n in numbers if self._key.literal(n)[1] or not self._key.is_boolean[self._key.literal(n)[0]]]
