"""Reasons: the smallest sets of rules and facts that force another fact.

A reason is smaller than another if it has fewer rules, or as many rules that speak of fewer cells, or the same rules
and fewer facts. Other rules, as many and of as many cells, may suffice with fewer facts.

A set of rules and facts is not a reason for a fact iff some assignment satisfies all of them, but not the fact. Every
reason contains a rule or fact that such an assignment breaks. So reasons are hitting sets of the sets of broken parts,
and the smallest hitting set that no such assignment satisfies is a smallest reason. (Assignments that break as few
parts as possible exclude the most.) PySAT's OptUx does this for one formula. Here it is done for many facts at once,
one of which is chosen; assignments found are used again in later steps; and the search can be stopped. Where that takes
too long, unit propagation finds a reason at once: first by a single rule, then by a rule and what others derive by
themselves, then by several, from which parts are left out while it still derives the fact.

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
from solvers.extras.questions.invent.hitting import hitting_sets
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

MAX_REDUCED = 3
"""The most of these reasons from which parts are left out, if each needs few steps."""

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
        """The literals of the last search, from which its contradiction is derived."""
        self._propagating: ClausePropagation | None = None
        """Propagates units over the clauses; it is made when it is asked for."""

    def literal(self, variable: int, value: int) -> int:
        """Return the literal of the formula that is true iff the variable of the model has this value."""
        return self._sat.literal(variable, value)

    def prefer(self, literals: Sequence[int]) -> None:
        """Let the solver try these literals as true first."""
        self._sat.oracle.prefer(literals)

    def true_literals(self, assumptions: Sequence[int]) -> set[int] | None:
        """Return the true literals of a solution that satisfies the assumptions; None if there is none."""
        self._assumed = assumptions
        values = self._sat.solve(assumptions)  # the value of the formula's variable v at place v - 1
        if values is None:
            return None
        return {variable if value else -variable for variable, value in enumerate(values.tolist(), 1)}

    def follows(self, parts: Iterable[int], target: int) -> bool:
        """Tell whether unit propagation shows that the parts imply the target.

        It does if from the parts and the negated target it derives a contradiction, or the target. The answer may be
        False though the target follows; True is always right.
        """
        is_consistent, implied = self.propagation([*parts, -target])
        return not is_consistent or target in implied

    def propagation(self, assumptions: Sequence[int]) -> tuple[bool, set[int]]:
        """Return (whether unit propagation meets no contradiction, the literals that it derives from these)."""
        if self._propagating is None:
            self._propagating = ClausePropagation(self._sat.lowering.formula.clauses)
        return self._propagating.derive(assumptions)

    def propagation_core(self, assumptions: Sequence[int]) -> set[int]:
        """Return some of these literals from which unit propagation derives a contradiction; it does from all."""
        assert self._propagating
        return {*self._propagating.core(assumptions)}

    def core(self) -> list[int]:
        """Return some of the assumptions of the last call of `true_literals` that contradict each other and the model.

        It may only be called if that call found no solution. `assumptions_for` returns the assumptions that the solver
        is asked, or None if it need not be asked, as they contradict each other or the literals that the clauses fix.
        """
        fixed = self._sat.oracle.fixed
        if assumptions_for(self._assumed, fixed) is not None:
            return self._sat.oracle.core()
        # The solver was not asked: one assumption is false by itself, or two are each other's negation.
        assumed = set(self._assumed)
        false = [literal for literal in assumed if -literal in fixed]
        return false[:1] or next([literal, -literal] for literal in assumed if -literal in assumed)


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
        """Give each rule a switch: a new Boolean that enforces its constraints.

        A fact that is not a single literal gets a Boolean, too, which is true iff the fact holds. rules: the rules of
        the puzzle. key: numbers the literals. model: the model without its objective and without the givens. facts: the
        givens, and the facts asked about. stop: ends the work when set.
        """
        self.rules = rules
        self._key, self._stop = key, stop
        switched_model = model.clone()
        switches = []
        for rule in self.rules:
            switch = switched_model.new_bool_var("")
            for place in rule.constraints:
                switched_model.proto.constraints[place].enforcement_literal.append(switch.index)
            switches.append(switch.index)
        # Literals of the model: an index of a variable, or a negative number for a negation.
        fact_literals = {
            fact: fact_of(switched_model, key, fact).index for fact in facts if len(fact.literals) != 1 or fact.excluded
        }
        self._deadline = Deadline(stop)
        self._cores = Cores(switched_model, self._deadline)
        self._rule = {self._cores.literal(switch, 1): rule for switch, rule in zip(switches, self.rules, strict=True)}
        """The rule that each switch literal of the formula enforces."""
        self._literal: dict[int, int] = {}
        """The literal of the formula for each number of a literal of the key."""
        for number in range(key.size):
            position, value = key.literal(number)
            self._literal[number] = self._cores.literal(key.variables[position], value)
        self._new_literal = {
            fact: self._cores.literal(variable_of(literal), literal >= 0) for fact, literal in fact_literals.items()
        }
        """The literal of the formula for each fact that is not a single literal of the key."""
        self._met: list[Met] = []
        """The solutions that searches met, which later searches use again."""

    def solution(self, facts: Iterable[Fact] = (), lacking: Fact | None = None) -> Encoded | None:
        """Return a solution in which these facts hold and ``lacking`` does not; None if there is none."""
        assumptions = [*self._rule, *map(self._literal_of_fact, facts)]
        if lacking:
            assumptions.append(-self._literal_of_fact(lacking))
        true = self._cores.true_literals(assumptions)
        return None if true is None else tuple(self._true_key_literals(true))

    def backbone(self, solution: Encoded, facts: Sequence[Fact]) -> list[Fact]:
        """Return the literals of a solution, as facts, that hold in all solutions with these facts.

        ``facts`` themselves are left out. A literal is in the result iff no solution lacks it; each solution found to
        lack one also rules out all other literals that it lacks. solution: one that has the facts.
        """
        given_literals = [fact.literals for fact in facts if len(fact.literals) == 1]
        candidates = set(solution).difference(*given_literals)
        backbone = []
        for number in sorted(candidates):
            if number not in candidates:
                continue
            fact = fact_of_literal(self._key, number)
            other_solution = self.solution(facts, fact)
            if other_solution is None:
                backbone.append(fact)
            else:
                candidates &= set(other_solution)
        return backbone

    def clues_among(self, facts: Iterable[Fact]) -> list[Fact]:
        """Return those of the facts that a rule about one cell or variable states, such as a clue of a sudoku."""
        stated = set[int]()
        for literal, rule in self._rule.items():
            if rule.width == 1:
                stated |= self._cores.propagation([literal])[1]
        return [fact for fact in facts if self._literal_of_fact(fact) in stated]

    def smallest(self, targets: Sequence[Fact], facts: Sequence[Fact], seconds: float = REASON_SECONDS) -> Reason:
        """Return the smallest reason for one of the targets, all of which follow from the facts.

        Smallest means the fewest rules, then the fewest cells in these, then the fewest facts that suffice with these
        rules. If finding it takes longer than ``seconds`` seconds, the reason is only minimal: it is derived by unit
        propagation or, if that derives no target, by cores. Even that is not certain if reducing it takes too long. The
        seconds are processor time of this thread, so that the answer does not depend on what else the machine does.
        """
        began = time.perf_counter()
        end = time.thread_time() + seconds
        fact_by_literal = {self._literal_of_fact(fact): fact for fact in facts}
        smallest = self._answer_in_time(seconds, partial(self._reason_by_hitting_sets, targets, fact_by_literal, end))
        is_smallest = is_minimal = smallest is not None
        if smallest is not None:
            target, parts = smallest
        elif derived := self._reason_by_propagation(targets, fact_by_literal):
            target = derived[0]
            parts, is_minimal = self._reduce_reason(*derived, time.thread_time() + REDUCING_SECONDS)
        else:
            end_of_reducing = end + max(REDUCING_SECONDS, 0.3 * seconds)
            target, parts, is_minimal = self._minimal_reason(targets, fact_by_literal, end_of_reducing)
        facts_in_reason = [fact for literal, fact in fact_by_literal.items() if literal in parts]
        return Reason(
            target,
            rules=self._rules_in(parts),
            facts=facts_in_reason,
            is_smallest=is_smallest,
            seconds=time.perf_counter() - began,
            is_minimal=is_minimal,
        )

    def _rules_in(self, parts: Collection[int]) -> list[Rule]:
        """Return the rules among parts, which are literals, in the order of the model."""
        return [rule for literal, rule in self._rule.items() if literal in parts]

    def _reason_by_propagation(
        self, targets: Sequence[Fact], fact_by_literal: dict[int, Fact]
    ) -> tuple[Fact, set[int]] | None:
        """Return (target, parts of a reason from which unit propagation derives it); None if it derives no target.

        From fewer of the parts, unit propagation does not derive the target. A reason of one rule is sought first, the
        rule with the fewest cells; then one by `_reason_by_consequences`; then, for some of the targets, a reason of
        several rules, of which the smallest counts. A part is a literal of the formula: a rule's switch, or a fact.
        targets: the facts, one of which is to be explained. fact_by_literal: the known fact for each literal that may
        be a part.
        """
        target_of_literal = {self._literal_of_fact(target): target for target in targets}
        narrowest_first = sorted(self._rule, key=lambda part: self._rule[part].width)
        rule_of_consequence: dict[int, int] = {}  # for each literal that follows from the facts by one rule, that rule
        for rule in narrowest_first:
            _, implied = self._cores.propagation([rule, *fact_by_literal])
            for literal in target_of_literal.keys() & implied:
                facts_needed = self._necessary_parts([rule], [*fact_by_literal], literal)
                return target_of_literal[literal], {rule, *facts_needed}
            rule_of_consequence |= dict.fromkeys(implied - rule_of_consequence.keys(), rule)
        if reason := self._reason_by_consequences(target_of_literal, fact_by_literal, rule_of_consequence):
            return reason
        all_parts = [*self._rule, *fact_by_literal]
        _, implied = self._cores.propagation(all_parts)
        derived = [literal for literal in target_of_literal if literal in implied]
        # A contradiction that assuming the opposite leads to counts as well.
        derived = derived or [literal for literal in target_of_literal if self._cores.follows(all_parts, literal)]
        best: tuple[Fact, set[int]] | None = None
        widest_first = sorted(self._rule, key=lambda part: -self._rule[part].width)
        for literal in derived[:MAX_DERIVED]:
            if self._stop.is_set():
                raise Stopped
            rules = self._necessary_parts([*fact_by_literal], widest_first, literal)
            parts = {*rules, *self._necessary_parts(rules, [*fact_by_literal], literal)}
            if best is None or self._size(parts) < self._size(best[1]):
                best = target_of_literal[literal], parts
        return best

    def _reason_by_consequences(
        self,
        target_of_literal: Mapping[int, Fact],
        fact_by_literal: Mapping[int, Fact],
        rule_of_consequence: Mapping[int, int],
    ) -> tuple[Fact, set[int]] | None:
        """Return (target, parts of a reason) where a rule derives a target from what other rules derive by themselves.

        So a person finds that a cell has one value left, or a value one cell. The smallest reason for some of the
        targets counts; the result is None if there is none.

        target_of_literal: the facts, one of which is to be explained. fact_by_literal: the known facts.
        rule_of_consequence: for each literal that follows from these by a rule alone, the rule.
        """
        found: list[tuple[int, list[int]]] = []  # (target, rules that suffice)
        for rule in self._rule:
            if self._stop.is_set():
                raise Stopped
            known = [rule, *fact_by_literal, *rule_of_consequence]
            _, implied = self._cores.propagation(known)
            for literal in target_of_literal.keys() & (implied - rule_of_consequence.keys()):
                core = self._cores.propagation_core([*known, -literal])
                rules_of_core = {rule_of_consequence[part] for part in core if part in rule_of_consequence}
                found.append((literal, sorted({rule, *rules_of_core}, key=lambda part: -self._rule[part].width)))
            if len(found) >= MAX_DERIVED:
                break
        reasons: list[tuple[Fact, set[int]]] = []
        for literal, rules_used in sorted(found, key=lambda reason: len(reason[1]))[:MAX_REDUCED]:
            rules = self._necessary_parts([*fact_by_literal], rules_used, literal)
            core = self._cores.propagation_core([*rules, *fact_by_literal, -literal])
            facts = self._necessary_parts(rules, [part for part in fact_by_literal if part in core], literal)
            reasons.append((target_of_literal[literal], {*rules, *facts}))
        return min(reasons, key=lambda reason: self._size(reason[1]), default=None)

    def _necessary_parts(self, always: Sequence[int], parts: Sequence[int], target: int) -> list[int]:
        """Return parts from which, with ``always``, unit propagation derives the target, but from no fewer of them.

        Blocks of parts are left out from the first on: all parts at once, then blocks of half the size, and so on to
        single parts. So few questions leave out many parts. always: parts that hold besides. target: a literal of the
        formula that unit propagation derives from all of these.
        """
        needed = [*parts]
        block_size = len(needed)
        while block_size:
            place = 0
            while place < len(needed):
                fewer = needed[:place] + needed[place + block_size :]
                if self._cores.follows([*always, *fewer], target):
                    needed = fewer
                else:
                    place += block_size
            block_size //= 2
        return needed

    def _reason_by_hitting_sets(
        self, targets: Sequence[Fact], fact_by_literal: dict[int, Fact], end: float
    ) -> tuple[Fact, set[int]] | None:
        """Return (target, parts of its smallest reason); None if the time ``end`` comes first.

        First the fewest rules are sought for any target, with all facts; then the fewest facts with these rules. Of up
        to `MAX_TIES` sets of rules of the least weight, the one that needs the fewest facts counts. targets: the facts,
        one of which is to be explained. fact_by_literal: the known fact for each literal that may be a part. end: by
        ``time.thread_time``.
        """
        # One rule more weighs more than the cells of all rules, so that the number of rules counts first.
        rule_weight = 1 + sum(rule.width for rule in self._rule.values())
        weights_of_rules = {part: rule_weight + rule.width for part, rule in self._rule.items()}
        weights_of_facts = dict.fromkeys(fact_by_literal, 1)
        reasons: list[tuple[Fact, set[int]]] = []
        for target, rules in islice(self._implying_sets(targets, weights_of_rules, {*fact_by_literal}, end), MAX_TIES):
            for _, facts in islice(self._implying_sets([target], weights_of_facts, rules, end), 1):
                reasons.append((target, rules | facts))
        return min(reasons, key=lambda reason: len(reason[1]), default=None)

    def _implying_sets(
        self, targets: Sequence[Fact], weights: Mapping[Any, int], always: set[int], end: float
    ) -> Iterator[tuple[Fact, set[int]]]:
        """Yield (target, parts): sets of parts of the least weight from which one of the targets follows.

        A part is a literal of the formula: a rule's switch, or a fact. Each hitting set has atoms for parts and one
        atom, ("target", place), for a target. If a solution satisfies the parts but not the target, it is extended to
        break as few parts as possible; those that it breaks must be hit from then on.

        targets: the facts, one of which is to be explained. weights: the weight of each part that may be used. always:
        parts that always hold. The search ends at the time ``end``, by ``time.thread_time``. Raises `Stopped` once the
        event is set.
        """
        from pysat.examples.hitman import Atom

        parts = [*weights]
        self._cores.prefer(parts)
        target_atoms = [("target", place) for place in range(len(targets))]
        at_most_one_target = [[Atom(one, False), Atom(other, False)] for one, other in combinations(target_atoms, 2)]
        earlier_sets = [to_hit for met in self._met if (to_hit := self._atoms_to_hit(met, targets, parts, always))]
        weight_of_atom: dict[Any, int] = {**weights, **dict.fromkeys(target_atoms, 1)}
        least = 0  # the weight of the sets that were yielded; 0 before the first
        with hitting_sets(
            self._deadline,
            bootstrap_with=[[*parts, *target_atoms], target_atoms, *earlier_sets],
            weights=weight_of_atom,
            subject_to=at_most_one_target,
        ) as hitman:
            while time.thread_time() < end:
                if self._stop.is_set():
                    raise Stopped
                hitting = hitman.get()
                weight = sum(weight_of_atom[atom] for atom in hitting or ())
                if hitting is None or 0 < least < weight:
                    return
                ((_, place),) = [atom for atom in hitting if isinstance(atom, tuple)]
                hitting_parts = {atom for atom in hitting if not isinstance(atom, tuple)}
                against = [*always, -self._literal_of_fact(targets[place])]
                true = self._cores.true_literals([*hitting_parts, *against])
                if true is None:  # the parts imply the target
                    yield targets[place], hitting_parts
                    least = weight
                    hitman.block(hitting)
                    continue
                # A solution has the parts, but not the target. One that breaks few further parts says most.
                obeyed = self._extend_consistent_set(hitting_parts | true.intersection(parts), parts, against)
                true = self._cores.true_literals([*obeyed, *against])
                assert true is not None
                facts = {*self._literal.values(), *self._new_literal.values()}
                met = Met(frozenset(true.intersection(self._rule)), frozenset(true & facts))
                self._met.append(met)
                hitman.hit(self._atoms_to_hit(met, targets, parts, always))

    def _extend_consistent_set(
        self, consistent: set[int], parts: Sequence[int], besides: Sequence[int] = (), seconds: float = ENDLESS
    ) -> set[int]:
        """Return a superset of parts that is consistent with ``besides``, and to which no single part can be added.

        Each part that is missing is tried; the solution that has it may have further parts, which are added as well.
        consistent: the set to begin with. parts: those that may be added. besides: literals that hold in any case.
        seconds: the time limit for each part; one that takes longer is not added. Raises `Stopped` once the event is
        set.
        """
        for part in parts:
            if part not in consistent:
                assumptions = [*consistent, part, *besides]
                true = self._answer_in_time(seconds, partial(self._cores.true_literals, assumptions))
                consistent = consistent | (true or set()).intersection(parts)
        return consistent

    def _answer_in_time(self, seconds: float, ask: Callable[[], Answer]) -> Answer | None:
        """Return what a function that asks the solver returns; None if it takes longer than the seconds.

        An earlier deadline that is in force still holds, and is restored. Raises `Stopped` once the event is set.
        """
        seconds_left = self._deadline.left
        self._deadline.begin(min(seconds_left, max(seconds, 0)))
        try:
            return ask()
        except Stopped:
            if self._stop.is_set():
                raise
            return None
        finally:
            self._deadline.begin(seconds_left)

    def contradictions(self, facts: Sequence[Fact], wanted: Wanted) -> Iterator[Contradictions]:
        """Yield minimal contradictory sets of rules and facts, as far as known, step by step; the last is complete.

        First one set is reduced until it is minimal. Then, if a smallest set is wanted, a smaller one is sought; if
        every set is wanted, the others. There must be no solution with the facts. wanted: which sets are asked for.
        Raises `Stopped` once the event is set.
        """
        fact_by_literal = {self._literal_of_fact(fact): fact for fact in facts}
        parts = [*self._rule, *fact_by_literal]  # literals of the formula: switches of rules, and facts
        self._cores.prefer(parts)

        def contradiction_of(core: set[int]) -> Contradiction:
            """Return the rules and facts of a set of parts."""
            facts_in_core = [fact for literal, fact in fact_by_literal.items() if literal in core]
            return Contradiction(rules=self._rules_in(core), facts=facts_in_core)

        first_core = self._core(parts)
        assert first_core is not None
        for core, untried in self._reductions(first_core):
            result = Contradictions([contradiction_of(core)], untried=untried, total=len(parts))
            yield result
        if wanted is Wanted.SMALLEST:
            for smallest, at_least in self._smallest_contradictions(core, parts):
                result = result._replace(sets=[contradiction_of(smallest)], at_least=at_least)
                yield result
        elif wanted is Wanted.EVERY:
            sets = [*result.sets]
            for minimal in self._other_minimal_sets(core, parts):
                insort(sets, contradiction_of(minimal), key=lambda contradiction: contradiction.size)
                result = result._replace(sets=sets)
                yield result
        yield result._replace(is_complete=True, is_smallest=wanted is not Wanted.ANY or result.sets[0].size <= 1)

    def _reductions(self, core: set[int]) -> Iterator[tuple[set[int], int]]:
        """Yield (contradictory set, number of its parts that may still be left out), ever smaller; the last is minimal.

        Each part is tried once, in ascending order; if the set without it is still contradictory, a core of that set
        takes its place. core: the set to begin with. Raises `Stopped` once the event is set.
        """
        yield core, len(core)
        for part in sorted(core):
            if part in core:
                core_without_it = self._core([*(core - {part})])  # None if the others are consistent
                core = core if core_without_it is None else core_without_it
                yield core, sum(other > part for other in core)

    def _other_minimal_sets(self, core: set[int], parts: Sequence[int]) -> Iterator[set[int]]:
        """Yield all minimal contradictory sets of parts but ``core``, each once, by the algorithm MARCO.

        The models of a formula, the map, are the sets of parts that are not settled yet. It has a variable for each
        part: true if the set contains the part. A clause settles many sets at once:

        - If a set is contradictory, so are its supersets. Of a minimal contradictory set some part must be left out.
        - If a set is consistent, so are its subsets. Some part outside of a maximal consistent set must be added.

        See M. Liffiton, A. Previti, A. Malik, J. Marques-Silva, "Fast, flexible MUS enumeration", Constraints 21
        (2016). core: a minimal contradictory set that is known. parts: all parts. Raises `Stopped` once the event is
        set.
        """
        variable = {part: place for place, part in enumerate(parts, 1)}
        unsettled = Oracle(DEFAULT, self._stop)  # a SAT solver with the map
        # The tautologies exclude no set: they make every variable known to the solver, so that each model values it.
        unsettled.add([place, -place] for place in variable.values())
        unsettled.prefer([*variable.values()])
        unsettled.add([[-variable[part] for part in core]])
        # If the empty set is contradictory, it is the only minimal contradictory set.
        while core and (model := unsettled.solve(())) is not None:
            seed = {part for part in parts if model[variable[part] - 1] > 0}
            if (contradictory := self._core([*seed])) is None:
                consistent = self._extend_consistent_set(seed, parts)
                unsettled.add([[variable[part] for part in parts if part not in consistent]])
            else:
                *_, (minimal, _) = self._reductions(contradictory)
                yield minimal
                unsettled.add([[-variable[part] for part in minimal]])

    def _smallest_contradictions(self, core: set[int], parts: Sequence[int]) -> Iterator[tuple[set[int], int]]:
        """Yield (contradictory set of parts, lower bound of the size of any), step by step; the last is a smallest one.

        Every contradictory set hits every correction set: parts outside a consistent set. So the size of a smallest
        hitting set of some of them is a lower bound, and if it is itself contradictory, it is a smallest one.

        core: a contradictory set of parts from which nothing can be left out. parts: all parts.
        """
        with hitting_sets(self._deadline) as hitman:
            hitting: set[int] = set()
            while len(hitting) < len(core):
                excluded = hitting  # as a correction set excludes these, the new ones are disjoint from each other
                while (correction := self._correction_set(excluded, parts)) is not None:
                    hitman.hit(correction)
                    excluded = excluded | {*correction}
                    yield core, len(hitting)
                if excluded == hitting:  # no correction set: the hitting set is contradictory, so it is a smallest one
                    core = hitting
                    break
                hitting = {*hitman.get()}
        yield core, len(core)

    def _core(self, parts: Sequence[int]) -> set[int] | None:
        """Return some of these parts that contradict each other; None if they are consistent."""
        return {*self._cores.core()} if self._cores.true_literals(parts) is None else None

    def _correction_set(self, excluded: set[int], parts: Sequence[int]) -> list[int] | None:
        """Return the parts outside a large consistent set of parts, one that contains all of ``excluded``.

        The result is None if ``excluded`` is contradictory. parts: all parts.
        """
        true = self._cores.true_literals([*excluded])
        if true is None:
            return None
        consistent = self._extend_consistent_set(excluded | true.intersection(parts), parts, seconds=GROWING_SECONDS)
        return [part for part in parts if part not in consistent]

    def _atoms_to_hit(
        self, met: Met, targets: Sequence[Fact], parts: Sequence[int], always: set[int]
    ) -> list[object] | None:
        """Return atoms such that each hitting set that is a reason for its target has at least one of them.

        An atom is a part, or ("target", place) for a target. The atoms are the parts that the solution ``met`` breaks,
        and the targets that hold in it. (A reason for a target that does not hold in it contains a broken part.) The
        result is None if the solution breaks a part that always holds: then it says nothing about reasons.

        targets: the facts, one of which is to be explained. parts: those that may be returned. always: the parts that
        always hold.
        """
        obeyed = met.rules | met.true
        if not obeyed >= always:
            return None
        broken: list[object] = [part for part in parts if part not in obeyed]
        return broken + [
            ("target", place) for place, target in enumerate(targets) if self._literal_of_fact(target) in met.true
        ]

    def _minimal_reason(
        self, targets: Sequence[Fact], fact_by_literal: dict[int, Fact], end: float
    ) -> tuple[Fact, set[int], bool]:
        """Return the smallest of one reason for each target, as (target, parts, whether no part can be left out).

        A reason is a core of the rules, the facts and the target's negation, from which parts are left out.

        fact_by_literal: the known fact for each literal that may be a part. At the time ``end``, by
        ``time.thread_time``, no further targets are tried, and nothing more is left out. Raises `Stopped` once the
        event is set.
        """
        best: tuple[Fact, set[int], bool] | None = None
        for target in targets:
            if best and time.thread_time() > end:
                break
            negated_target = -self._literal_of_fact(target)
            true = self._cores.true_literals([*self._rule, *fact_by_literal, negated_target])
            assert true is None  # all rules and facts imply the target
            needed, is_minimal = self._reduce_reason(target, set(self._cores.core()) - {negated_target}, end)
            if best is None or self._size(needed) < self._size(best[1]):
                best = target, needed, is_minimal
        assert best
        return best

    def _reduce_reason(self, target: Fact, parts: set[int], end: float) -> tuple[set[int], bool]:
        """Return (parts of a reason that still imply the target, whether it is known that none can be left out).

        A part is left out if the others with the negated target are contradictory; then only their core stays. A part
        for which this takes too long stays. parts: a reason for the target. After the time ``end``, by
        ``time.thread_time``, no part is left out. Raises `Stopped` once the event is set.
        """
        negated_target = -self._literal_of_fact(target)
        needed = {*parts}
        is_minimal = True
        for part in sorted(parts):
            if part not in needed:
                continue
            seconds = min(DROPPING_SECONDS, end - time.thread_time())
            is_needed = self._is_consistent([*(needed - {part}), negated_target], seconds)
            is_minimal = is_minimal and is_needed is not None
            if is_needed is False:
                needed = set(self._cores.core()) - {negated_target, part}
        return needed, is_minimal

    def _is_consistent(self, assumptions: Sequence[int], seconds: float) -> bool | None:
        """Tell whether a solution satisfies the assumptions; None if the seconds do not suffice to decide it.

        Raises `Stopped` once the event is set.
        """
        return self._answer_in_time(seconds, lambda: self._cores.true_literals(assumptions) is not None)

    def _size(self, parts: Collection[int]) -> tuple[int, int, int]:
        """Return (number of rules, number of cells or variables in these, number of facts) of a reason.

        parts: the literals that stand for its rules and facts.
        """
        rules = [self._rule[part] for part in parts if part in self._rule]
        return len(rules), sum(rule.width for rule in rules), len(parts) - len(rules)

    def _literal_of_fact(self, fact: Fact) -> int:
        """Return the literal of the formula that is true iff the fact holds."""
        if fact in self._new_literal:
            return self._new_literal[fact]
        return self._literal[fact.literals[0]]

    def _true_key_literals(self, true: set[int]) -> list[int]:
        """Return the numbers of the key's literals that are true; Boolean variables that are 0 are left out.

        true: the true literals of the formula.
        """
        key_literals = []
        for number, literal in self._literal.items():
            if literal in true:
                position, value = self._key.literal(number)
                if value or not self._key.is_boolean[position]:
                    key_literals.append(number)
        return key_literals
