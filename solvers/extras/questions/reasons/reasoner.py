"""Reasons: the smallest sets of rules and facts that force another fact.

A reason is smaller than another if it has fewer rules, or as many rules that speak of fewer cells, or the same rules
and fewer facts. Other rules, as many and of as many cells, may suffice with fewer facts.

A set of rules and facts is not a reason for a fact iff something goes with all of them in which the fact does not hold.
Whatever breaks as few rules and facts as possible there tells what every reason has to hold: one of those that are
broken. So reasons are hitting sets of these, and the smallest hitting set that nothing goes with is a smallest reason.
PySAT's OptUx does this for one formula; here it is done for many facts at once, one of which is chosen,
what was found stays of use for later steps, and it ends when it is told. Where that takes too long, unit propagation
finds a reason at once: first by a single rule, then by several, from which parts are left out while it still derives
the fact.

References
----------
E. Gamba, B. Bogaerts, T. Guns, "Efficiently explaining CSPs with unsatisfiable subset optimization", Journal of
Artificial Intelligence Research 78 (2023), doi:10.1613/jair.1.14260
"""

from __future__ import annotations

import threading
import time
from bisect import insort
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from solvers.backends.protocol import Task
from solvers.backends.sat import DEFAULT, ClausePropagation, Oracle, Sat, assumptions_for
from solvers.base.deadline import ENDLESS, Deadline
from solvers.base.errors import Stopped
from solvers.extras.questions.invent.rivals import fact_of
from solvers.extras.questions.reasons.reason import Contradiction, Contradictions, Reason, Rule, Wanted
from solvers.files.given import Fact, fact_of_literal
from solvers.model.reading import variable_of
from solvers.symmetry.key import Encoded, Key

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

Answer = TypeVar("Answer")

REASON_SECONDS = 3.0
"""The time limit for a smallest reason; after it, a minimal one is shown."""


REDUCING_SECONDS = 0.3
"""Processor seconds for which parts of a reason that was found quickly are left out one by one."""

DROPPING_SECONDS = 0.05
"""Seconds for the question whether one of these parts can be left out."""

MAX_DERIVED = 8
"""The most facts that unit propagation derives from several rules for which a reason is sought."""

MAX_TIES = 5
"""The most sets of rules of the same least size that are compared by the facts they need."""


GROWING_SECONDS = 0.1
"""The time limit for each part that is tried to be added to a consistent set."""


class Cores:
    """Finds out which of some assumptions contradict a model; assumptions are literals of its formula.

    >>> from ortools.sat.python.cp_model import CpModel
    >>> model = CpModel()
    >>> a, b, c = (model.new_bool_var(name) for name in "abc")
    >>> _ = model.add_bool_or(~a, b)
    >>> cores = Cores(model, threading.Event())
    >>> asked = [cores.literal(a.index, 1), cores.literal(b.index, 0), cores.literal(c.index, 1)]
    >>> cores.true_literals(asked), sorted(cores.core()) == sorted(asked[:2])
    (None, True)
    """

    def __init__(self, model: CpModel, stop: threading.Event) -> None:
        """Translate the model into clauses; searches raise `Stopped` once ``stop`` is set."""
        self._sat = Sat(Task(model, (), stop))
        self._assumed: Sequence[int] = ()
        self._propagating: ClausePropagation | None = None

    def literal(self, variable: int, value: int) -> int:
        """Return the literal of the formula that is true iff the variable of the model has this value."""
        return self._sat.literal(variable, value)

    def prefer(self, literals: Sequence[int]) -> None:
        """Let the solver try these literals as true first."""
        self._sat.oracle.prefer(literals)

    def true_literals(self, assumptions: Sequence[int]) -> set[int] | None:
        """Return the true literals of a solution that satisfies the assumptions; None if there is none."""
        self._assumed = assumptions
        true = self._sat.solve(assumptions)
        if true is None:
            return None
        return {number if holds else -number for number, holds in enumerate(true.tolist(), 1)}

    def follows(self, parts: Iterable[int], target: int) -> bool:
        """Tell whether unit propagation derives a literal from others, or a contradiction from these and its negation.

        It may overlook what follows, and never derives what does not.
        """
        is_consistent, implied = self.propagation([*parts, -target])
        return not is_consistent or target in implied

    def propagation(self, assumptions: Sequence[int]) -> tuple[bool, set[int]]:
        """Return (whether unit propagation meets no contradiction, the literals that it derives from these)."""
        if self._propagating is None:
            self._propagating = ClausePropagation(self._sat.lowering.formula.clauses)
        return self._propagating.derive(assumptions)

    def core(self) -> list[int]:
        """Return some of the assumptions of the last call of `true` that contradict each other.

        It may only be called if that call found no solution.
        """
        assumed = assumptions_for(self._assumed, self._sat.oracle.fixed)
        if assumed is None:  # one of them is false by itself, or two contradict each other
            fixed, distinct = self._sat.oracle.fixed, set(self._assumed)
            false = [literal for literal in distinct if -literal in fixed]
            return false[:1] or next([literal, -literal] for literal in distinct if -literal in distinct)
        return self._sat.oracle.core()


class Met(NamedTuple):
    """A solution that breaks as few rules as possible, and in which some fact does not hold."""

    rules: frozenset[int]
    """The literals of the rules that it obeys."""
    true: frozenset[int]
    """The literals of facts that are true in it."""


class Reasoner:
    """Finds reasons and contradictions in one model. Parts are literals that stand for rules and facts.

    Raises `InputError` if the model cannot be translated into clauses, `Stopped` once the event is set.
    """

    def __init__(
        self, rules: Sequence[Rule], key: Key, model: CpModel, facts: Sequence[Fact], stop: threading.Event
    ) -> None:
        """Give each rule a literal that enforces its constraints.

        rules: the rules of the puzzle. key: numbers the literals. model: the model without its objective and without
        the givens. facts: the givens, and the facts asked about. stop: ends the work when set.
        """
        self.rules = rules
        self._key, self._stop = key, stop
        held = model.clone()
        switches = []
        for rule in self.rules:
            switch = held.new_bool_var("")
            for place in rule.constraints:
                held.proto.constraints[place].enforcement_literal.append(switch.index)
            switches.append(switch.index)
        fact_in_model = {
            fact: fact_of(held, key, fact).index for fact in facts if len(fact.literals) != 1 or fact.excluded
        }
        self._patience = Deadline(stop)
        self._cores = Cores(held, self._patience)
        self._rule = {self._cores.literal(switch, 1): rule for switch, rule in zip(switches, self.rules, strict=True)}
        self._literal: dict[int, int] = {}
        for number in range(key.size):
            position, value = key.literal(number)
            self._literal[number] = self._cores.literal(key.variables[position], value)
        self._of_fact = {
            fact: self._cores.literal(variable_of(index), index >= 0) for fact, index in fact_in_model.items()
        }
        """The literals of the facts that are not literals of the key."""
        self._met: list[Met] = []

    def solution(self, facts: Iterable[Fact] = (), lacking: Fact | None = None) -> Encoded | None:
        """Return a solution in which these facts hold and ``lacking`` does not; None if there is none."""
        true = self._cores.true_literals(
            [*self._rule, *map(self._literal_of_fact, facts), *([-self._literal_of_fact(lacking)] if lacking else [])]
        )
        return None if true is None else tuple(self._true_key_literals(true))

    def backbone(self, solution: Encoded, facts: Sequence[Fact]) -> list[Fact]:
        """Return the literals of a solution, as facts, that hold in all solutions with these facts.

        ``facts`` themselves are left out.
        """
        left = set(solution).difference(*(fact.literals for fact in facts if len(fact.literals) == 1))
        numbers: list[int] = []
        for number in sorted(left):
            if number not in left:
                continue
            fact = fact_of_literal(self._key, number)
            other = self.solution(facts, fact)
            if other is None:
                numbers.append(number)
            else:
                left &= set(other)
        return [fact_of_literal(self._key, number) for number in numbers]

    def smallest(self, targets: Sequence[Fact], facts: Sequence[Fact], seconds: float = REASON_SECONDS) -> Reason:
        """Return the smallest reason for one of the targets, all of which follow from the facts.

        Smallest means the fewest rules, then the fewest cells in these, then the fewest facts that suffice with these
        rules. If finding it takes longer than ``seconds`` seconds of this thread's processor time, the reason is only
        minimal. So the answer does not depend on what else the machine does.
        """
        began, end = time.perf_counter(), time.thread_time() + seconds
        of_fact = {self._literal_of_fact(fact): fact for fact in facts}
        found = self._in_time(seconds, partial(self._by_hitting_sets, targets, of_fact, end))
        is_smallest = found is not None
        is_minimal = True
        if found is None and (derived := self._by_propagation(targets, of_fact)):
            parts, is_minimal = self._reduce_reason(*derived, time.thread_time() + REDUCING_SECONDS)
            found = derived[0], parts
        if found is None:
            target, parts, is_minimal = self._minimal(targets, of_fact, end + max(REDUCING_SECONDS, 0.3 * seconds))
            found = target, parts
        target, parts = found
        return Reason(
            target,
            [self._rule[part] for part in self._rule if part in parts],
            [fact for literal, fact in of_fact.items() if literal in parts],
            is_smallest,
            time.perf_counter() - began,
            is_minimal,
        )

    def _by_propagation(self, targets: Sequence[Fact], of_fact: dict[int, Fact]) -> tuple[Fact, set[int]] | None:
        """Return (target, parts of a reason that unit propagation follows); None if it derives none of the targets.

        Nothing can be left out of the parts, as far as unit propagation tells. A reason of one rule is sought first,
        of the fewest cells; then one of several.
        """
        of_target = {self._literal_of_fact(target): target for target in targets}
        for rule in sorted(self._rule, key=lambda part: self._rule[part].width):
            _, implied = self._cores.propagation([rule, *of_fact])
            for literal in of_target.keys() & implied:
                return of_target[literal], {rule, *self._necessary_parts([rule], [*of_fact], literal)}
        _, implied = self._cores.propagation([*self._rule, *of_fact])
        derived = [literal for literal in of_target if literal in implied]
        derived = derived or [literal for literal in of_target if self._cores.follows([*self._rule, *of_fact], literal)]
        best: tuple[Fact, set[int]] | None = None
        widest_first = sorted(self._rule, key=lambda part: -self._rule[part].width)
        for literal in derived[:MAX_DERIVED]:
            if self._stop.is_set():
                raise Stopped
            rules = self._necessary_parts([*of_fact], widest_first, literal)
            parts = {*rules, *self._necessary_parts(rules, [*of_fact], literal)}
            if best is None or self._size(parts) < self._size(best[1]):
                best = of_target[literal], parts
        return best

    def _necessary_parts(self, always: Sequence[int], parts: Sequence[int], target: int) -> list[int]:
        """Return parts, none of which can be left out, from which unit propagation derives a literal.

        always: what holds besides. parts: those that may be left out, from the first on.
        """
        needed = [*parts]
        several = len(needed)
        while several:
            place = 0
            while place < len(needed):
                fewer = needed[:place] + needed[place + several :]
                if self._cores.follows([*always, *fewer], target):
                    needed = fewer
                else:
                    place += several
            several //= 2
        return needed

    def _by_hitting_sets(
        self, targets: Sequence[Fact], of_fact: dict[int, Fact], end: float
    ) -> tuple[Fact, set[int]] | None:
        """Return (target, parts of its smallest reason); None if the time ``end`` comes first.

        First the fewest rules are sought for any target, with all facts; then the fewest facts with these rules.
        targets: the facts, one of which is to be explained. of_fact: the fact of each literal. end: by
        ``time.thread_time``.
        """
        most = 1 + sum(rule.width for rule in self._rule.values())
        weights = {part: most + rule.width for part, rule in self._rule.items()}
        reasons_found: list[tuple[Fact, set[int]]] = []
        for target, rules in islice(self._hitting(targets, weights, {*of_fact}, end), MAX_TIES):
            facts = next(self._hitting([target], dict.fromkeys(of_fact, 1), rules, end), None)
            reasons_found += [(target, rules | facts[1])] if facts else []
        return min(reasons_found, key=lambda one: len(one[1]), default=None)

    def _hitting(
        self, targets: Sequence[Fact], weights: Mapping[Any, int], always: set[int], end: float
    ) -> Iterator[tuple[Fact, set[int]]]:
        """Yield (target, parts): sets of parts of the least weight from which one of the targets follows.

        weights: the weight of each part that may be used. always: parts that always hold. The search ends at the time
        ``end``, by ``time.thread_time``. Raises `Stopped` once the event is set.
        """
        from pysat.examples.hitman import Atom, Hitman

        parts = [*weights]
        self._cores.prefer(parts)
        chosen = [("target", place) for place in range(len(targets))]
        apart = [[Atom(rule, False), Atom(other, False)] for rule, other in combinations(chosen, 2)]
        known = [to_hit for met in self._met if (to_hit := self._to_hit(met, targets, parts, always))]
        of_all: dict[Any, int] = {**weights, **dict.fromkeys(chosen, 1)}
        least = 0
        with Hitman(
            htype="sorted", bootstrap_with=[[*parts, *chosen], chosen, *known], weights=of_all, subject_to=apart
        ) as hitman:
            while time.thread_time() < end:
                if self._stop.is_set():
                    raise Stopped
                hitting = hitman.get()
                weight = sum(of_all[atom] for atom in hitting or ())
                if hitting is None or 0 < least < weight:
                    return
                ((_, place),) = [atom for atom in hitting if isinstance(atom, tuple)]
                kept_parts = {atom for atom in hitting if not isinstance(atom, tuple)}
                against = [*always, -self._literal_of_fact(targets[place])]
                true = self._cores.true_literals([*kept_parts, *against])
                if true is None:
                    yield targets[place], kept_parts
                    least = weight
                    hitman.block(hitting)
                    continue
                kept_parts = self._extend_consistent_set(kept_parts | true.intersection(parts), parts, against)
                true = self._cores.true_literals([*kept_parts, *against])
                assert true is not None
                facts = {*self._literal.values(), *self._of_fact.values()}
                met = Met(frozenset(true.intersection(self._rule)), frozenset(true & facts))
                self._met.append(met)
                hitman.hit(self._to_hit(met, targets, parts, always))

    def _extend_consistent_set(
        self, kept: set[int], parts: Sequence[int], besides: Sequence[int] = (), seconds: float = ENDLESS
    ) -> set[int]:
        """Return a set of parts, extended as long as it stays consistent together with ``besides``.

        kept: the set to begin with. parts: those that may be added. seconds: the time limit for each part. Raises
        `Stopped` once the event is set.
        """
        for part in parts:
            if part not in kept and (true := self._find_true_literals([*kept, part, *besides], seconds)) is not None:
                kept = kept | true.intersection(parts)
        return kept

    def _find_true_literals(self, assumptions: Sequence[int], seconds: float) -> set[int] | None:
        """Return the true literals of a solution with these assumptions.

        The result is None if there is no such solution, or if none is found within ``seconds`` seconds. Raises
        `Stopped` once the event is set.
        """
        return self._in_time(seconds, partial(self._cores.true_literals, assumptions))

    def _in_time(self, seconds: float, ask: Callable[[], Answer]) -> Answer | None:
        """Return what a function that asks the solver returns; None if it takes longer than the seconds.

        Raises `Stopped` once the event is set.
        """
        left = self._patience.left
        self._patience.begin(min(left, max(seconds, 0)))
        try:
            return ask()
        except Stopped:
            if self._stop.is_set():
                raise
            return None
        finally:
            self._patience.begin(left)

    def contradictions(self, facts: Sequence[Fact], wanted: Wanted) -> Iterator[Contradictions]:
        """Yield what is known of the contradictory sets of rules and facts, step by step; the last result is complete.

        wanted: which sets are asked for. There must be no solution with the facts. Raises `Stopped` once the event is
        set.
        """
        of_fact = {self._literal_of_fact(fact): fact for fact in facts}
        parts = [*self._rule, *of_fact]
        self._cores.prefer(parts)

        def contradiction_of(core: set[int]) -> Contradiction:
            return Contradiction(
                [self._rule[part] for part in self._rule if part in core],
                [fact for literal, fact in of_fact.items() if literal in core],
            )

        first = self._core(parts)
        assert first is not None
        for core, untried in self._reductions(first):
            known = Contradictions([contradiction_of(core)], untried=untried, total=len(parts))
            yield known
        if wanted is Wanted.SMALLEST:
            for smallest, at_least in self._hit(core, parts):
                known = known._replace(sets=[contradiction_of(smallest)], at_least=at_least)
                yield known
        elif wanted is Wanted.EVERY:
            sets = [*known.sets]
            for minimal in self._other_minimal_sets(core, parts):
                insort(sets, contradiction_of(minimal), key=lambda contradiction: contradiction.size)
                known = known._replace(sets=sets)
                yield known
        yield known._replace(is_complete=True, is_smallest=wanted is not Wanted.ANY or known.sets[0].size <= 1)

    def _reductions(self, core: set[int]) -> Iterator[tuple[set[int], int]]:
        """Yield (contradictory set, number of its parts that may still be left out), ever smaller; the last is minimal.

        core: the set to begin with. Raises `Stopped` once the event is set.
        """
        yield core, len(core)
        for part in sorted(core):
            if part in core:
                fewer = self._core([*(core - {part})])
                core = core if fewer is None else fewer
                yield core, sum(other > part for other in core)

    def _other_minimal_sets(self, core: set[int], parts: Sequence[int]) -> Iterator[set[int]]:
        """Yield all minimal contradictory sets of parts but ``core``, each once, by the algorithm MARCO.

        The models of a formula, the map, are the sets of parts that are not settled yet. It has a variable for each
        part: true if the set contains the part. A clause settles many sets at once:

        - If a set is contradictory, so are its supersets. Of a minimal contradictory set some part must be left out.
        - If a set is consistent, so are its subsets. Some part outside of a maximal consistent set must be added.

        See M. Liffiton, A. Previti, A. Malik, J. Marques-Silva, "Fast, flexible MUS enumeration", Constraints 21
        (2016). Raises `Stopped` once the event is set.
        """
        number = {part: place for place, part in enumerate(parts, 1)}
        unsettled = Oracle(DEFAULT, self._stop)
        # The tautologies exclude no set: they make every variable known to the solver, so that each model values it.
        unsettled.add([place, -place] for place in number.values())
        unsettled.prefer([*number.values()])
        unsettled.add([[-number[part] for part in core]])
        # If the empty set is contradictory, it is the only minimal contradictory set.
        while core and (chosen := unsettled.solve(())) is not None:
            seed = {part for part in parts if chosen[number[part] - 1] > 0}
            if (contradictory := self._core([*seed])) is None:
                consistent = self._extend_consistent_set(seed, parts)
                unsettled.add([[number[part] for part in parts if part not in consistent]])
            else:
                *_, (minimal, _) = self._reductions(contradictory)
                yield minimal
                unsettled.add([[-number[part] for part in minimal]])

    def _hit(self, core: set[int], parts: Sequence[int]) -> Iterator[tuple[set[int], int]]:
        """Yield (contradictory set of parts, lower bound of the size of any), step by step; the last is a smallest one.

        core: a contradictory set of parts from which nothing can be left out. parts: all parts.
        """
        from pysat.examples.hitman import Hitman

        with Hitman(htype="sorted") as hitman:
            hitting: set[int] = set()
            while len(hitting) < len(core):
                covered = hitting
                while (lacking := self._correction_set(covered, parts)) is not None:  # no two of which share a part
                    hitman.hit(lacking)
                    covered = covered | {*lacking}
                    yield core, len(hitting)
                if covered == hitting:
                    core = hitting
                    break
                hitting = {*hitman.get()}
        yield core, len(core)

    def _core(self, parts: Sequence[int]) -> set[int] | None:
        """Return some of these parts that contradict each other; None if they are consistent."""
        return {*self._cores.core()} if self._cores.true_literals(parts) is None else None

    def _correction_set(self, kept: set[int], parts: Sequence[int]) -> list[int] | None:
        """Return those of ``parts`` that are outside of some large consistent set that contains ``kept``.

        The result is None if ``kept`` is contradictory.
        """
        true = self._cores.true_literals([*kept])
        if true is None:
            return None
        kept = self._extend_consistent_set(kept | true.intersection(parts), parts, seconds=GROWING_SECONDS)
        return [part for part in parts if part not in kept]

    def _to_hit(self, met: Met, targets: Sequence[Fact], parts: Sequence[int], always: set[int]) -> list[object] | None:
        """Return parts of the model such that each reason needs at least one of them.

        They are the parts that a solution breaks in which some target does not hold. The result is None if that
        solution breaks a part that always holds.

        met: the solution. targets: the facts, one of which is to be explained. parts: those that may be returned.
        always: the parts that always hold.
        """
        obeyed = met.rules | met.true
        if not obeyed >= always:
            return None
        broken: list[object] = [part for part in parts if part not in obeyed]
        return broken + [
            ("target", place) for place, target in enumerate(targets) if self._literal_of_fact(target) in met.true
        ]

    def _minimal(self, targets: Sequence[Fact], of_fact: dict[int, Fact], end: float) -> tuple[Fact, set[int], bool]:
        """Find one reason for each target; return (target, parts, whether nothing can be left out) of the smallest.

        of_fact: the fact of each literal. At the time ``end``, by ``time.thread_time``, no further targets are tried,
        and nothing more is left out. Raises `Stopped` once the event is set.
        """
        best: tuple[Fact, set[int], bool] | None = None
        for target in targets:
            if best and time.thread_time() > end:
                break
            against = [-self._literal_of_fact(target)]
            true = self._cores.true_literals([*self._rule, *of_fact, *against])
            assert true is None
            needed, is_minimal = self._reduce_reason(target, set(self._cores.core()) - {*against}, end)
            if best is None or self._size(needed) < self._size(best[1]):
                best = target, needed, is_minimal
        assert best
        return best

    def _reduce_reason(self, target: Fact, parts: set[int], end: float) -> tuple[set[int], bool]:
        """Return (a reason within a reason, whether it is known that nothing can be left out).

        parts: those of a reason for the target. At the time ``end``, by ``time.thread_time``, the rest stays. Raises
        `Stopped` once the event is set.
        """
        against, needed, is_minimal = [-self._literal_of_fact(target)], {*parts}, True
        for part in sorted(parts):
            if part not in needed:
                continue
            is_needed = self._is_consistent(
                [*(needed - {part}), *against], min(DROPPING_SECONDS, end - time.thread_time())
            )
            is_minimal = is_minimal and is_needed is not None
            if is_needed is False:
                needed = set(self._cores.core()) - {*against, part}
        return needed, is_minimal

    def _is_consistent(self, assumptions: Sequence[int], seconds: float) -> bool | None:
        """Tell whether a solution satisfies the assumptions; None if that is not found out within the seconds.

        Raises `Stopped` once the event is set.
        """
        return self._in_time(seconds, lambda: self._cores.true_literals(assumptions) is not None)

    def _size(self, parts: Collection[int]) -> tuple[int, int, int]:
        """Return (number of rules, number of cells or variables in these, number of facts) of a reason.

        parts: the literals that stand for its rules and facts.
        """
        rules = [self._rule[part] for part in parts if part in self._rule]
        return len(rules), sum(rule.width for rule in rules), len(parts) - len(rules)

    def _literal_of_fact(self, fact: Fact) -> int:
        """Return the literal of the formula that is true iff the fact holds."""
        return self._of_fact[fact] if fact in self._of_fact else self._literal[fact.literals[0]]

    def _true_key_literals(self, true: set[int]) -> list[int]:
        """Return the numbers of the key's literals that are true; Boolean variables that are 0 are left out.

        true: the true literals of the formula.
        """
        numbers = (number for number, literal in self._literal.items() if literal in true)
        return [n for n in numbers if self._key.literal(n)[1] or not self._key.is_boolean[self._key.literal(n)[0]]]
