"""The formula of a puzzle in which each clue can be left out, asked again and again by one SAT solver."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain, islice
from random import Random
from typing import TYPE_CHECKING, Any

from models.pencil.making import MadeClue
from models.puzzle import Label, Literal
from solvers.backends.sat import ClausePropagation
from solvers.base.errors import Stopped
from solvers.cnf.lower import lower
from solvers.symmetry.key import Key

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

SOLVER = "cadical195"
"""The solver of PySAT that searches and finds cores. Unit propagation for levels is done by another solver, that of
`ClausePropagation`: with the clauses that this one learns, puzzles would look easier than they are."""

MOST_CONFLICTS = 20_000
"""The most conflicts of one search; a search that needs more has no answer, so that no puzzle takes too long."""

Answer = dict[Label, int]
"""A solution, by label."""


class ClueFormula:
    """The rules of a puzzle as clauses, with a literal for each clue that is true only if the clue holds."""

    def __init__(
        self,
        model: CpModel,
        key: Key,
        stop: threading.Event,
        clues: Iterable[MadeClue] = (),
        lazy: Collection[str] = (),
        cuts: Callable[[Answer], Iterable[Sequence[Literal]]] | None = None,
        gives_up: bool = True,
    ) -> None:
        """Translate a puzzle.

        A clue that is a rule is the name of constraints; these get a switch, a Boolean that enforces them.

        model: the puzzle with all clues that are rules. key: its key. stop: ends the work when set. clues: those of the
        rules that may be left out. lazy: the names of constraints that get no clauses; unit propagation then derives
        less. cuts: returns, for a solution that breaks some of these, clauses that exclude it, as literals (label,
        value) of the key; none if it breaks none. gives_up: whether a search ends without an answer after
        `MOST_CONFLICTS`.

        Raises `InputError` if the model has no clauses, `Stopped` once the event is set.
        """
        self._key = key
        extended = model.clone()
        never = extended.new_constant(0).index  # a constraint that this enforces says nothing
        switches = {clue.rule: extended.new_bool_var(clue.rule).index for clue in clues if clue.rule}
        for constraint in extended.proto.constraints:
            if constraint.name in switches:
                constraint.enforcement_literal.append(switches[constraint.name])
            elif constraint.name in lazy:
                constraint.enforcement_literal.append(never)
        self._lowering = lower(extended, stop)
        self._stop = stop
        self._cuts = cuts
        self._gives_up = gives_up
        self._switches = {rule: self._lowering.boolean(index) for rule, index in switches.items()}
        """The formula's literal of the switch for the name of each rule."""
        domains = [_values_in_domain(extended.proto.variables[variable].domain) for variable in self._key.variables]
        self._literals = [
            {value: self._lowering.literal(variable, value) for value in values}
            for variable, values in zip(self._key.variables, domains, strict=True)
        ]
        """For each variable of the key, by position, the formula's literal for each value."""
        self._start = self._lowering.formula.variables + 1
        """A variable behind all others, which is always assumed; see `_propagator`."""
        self._variables = self._start
        """The greatest variable so far; `add_difference` adds variables."""

    @cached_property
    def _solver(self) -> Any:
        """The solver that searches."""
        from pysat.solvers import Solver

        return Solver(SOLVER, bootstrap_with=self._lowering.formula.clauses)

    def forget(self) -> None:
        """Forget the solver, whose answers depend on the questions before."""
        self.__dict__.pop("_solver", None)
        self._variables = self._start

    @cached_property
    def _propagator(self) -> ClausePropagation:
        """The solver that propagates.

        It does not report literals that follow without assumptions. So nothing may follow without any: each unit
        clause gets the negation of a new literal, `_start`, which `consequences` assumes.
        """
        clauses = self._lowering.formula.clauses
        return ClausePropagation([[*clause, -self._start] if len(clause) == 1 else clause for clause in clauses])

    def literal(self, label: Label, value: int) -> int:
        """Return the formula's literal for a literal of the key."""
        return self._literals[self._key.position[label]][value]

    def meaning(self, literal: int) -> tuple[int, int, bool]:
        """Return (position in the key, value, whether the variable has it) for a literal of the formula.

        A literal of the formula may stand for several values: of a Boolean, x = 1 and x != 0 are the same. The greatest
        of these values is returned.
        """
        return next(
            (position, value, literals[value] == literal)
            for position, literals in enumerate(self._literals)
            for value in sorted(literals, reverse=True)
            if literals[value] in (literal, -literal)
        )

    def assumption(self, clue: MadeClue) -> int:
        """Return the literal that makes a clue hold."""
        if clue.literal:
            return self.literal(*clue.literal)
        return self._switches[clue.rule]

    def wrong_literals(self, solution: Mapping[Any, int]) -> list[int]:
        """Return the formula's literals for the values that variables do not have in a solution, each once.

        Of a variable with two values, it is the negated literal of the value in the solution.
        """
        wrong: list[int] = []
        for literals, label in zip(self._literals, self._key.labels, strict=True):
            value = solution[label]
            if len(literals) == 2:
                wrong.append(-literals[value])
            else:
                wrong += [literal for other_value, literal in literals.items() if other_value != value]
        return list(dict.fromkeys(wrong))

    def add_difference(self, solution: Mapping[Any, int]) -> int:
        """Return a new literal, the last variable, that is true only in solutions other than this one.

        The clause that is added says: if it is true, some variable of the key has another value.
        """
        self._variables += 1
        differs = [-self._literals[position][solution[label]] for position, label in enumerate(self._key.labels)]
        self._solver.add_clause([-self._variables, *differs])
        return self._variables

    def solution(self, assumed: Sequence[int]) -> Answer | None:
        """Return a solution in which these literals hold; None if there is none, or if it is too hard to find.

        Raises `Stopped` once the event is set.
        """
        if self._search(assumed) is not True:
            return None
        return self._answer()

    def _answer(self) -> Answer:
        """Return the solution that was found last."""
        true = self._lowering.values(self._solver.get_model())
        return {
            label: int(true[variable]) for label, variable in zip(self._key.labels, self._key.variables, strict=True)
        }

    def core(self, assumed: Sequence[int]) -> set[int] | None:
        """Return some of these literals that contradict each other; None if they do not, or if that is not clear."""
        if self._search(assumed) is False:
            return {*(self._solver.get_core() or ())}
        return None

    def _search(self, assumed: Sequence[int]) -> bool | None:
        """Tell whether these literals can hold together; None if that takes too long.

        A solution that breaks constraints without clauses (``lazy``) is excluded by clauses, and the search goes on.
        The clauses stay, so that no such solution is met twice. Raises `Stopped` once the event is set.
        """
        while not self._stop.is_set():
            self._solver.conf_budget(MOST_CONFLICTS)
            answer: bool | None = self._solver.solve_limited(assumptions=[*assumed])
            if answer is None and not self._gives_up:  # it goes on with what it has learned
                continue
            clauses = [*self._cuts(self._answer())] if answer and self._cuts else []
            for clause in clauses:
                self._solver.add_clause([self.literal(label, value) for label, value in clause])
            if not clauses:
                return answer
        raise Stopped

    def consequences(self, assumed: Sequence[int]) -> set[int] | None:
        """Return the literals that follow from these by unit propagation; None if they contradict each other.

        Raises `Stopped` once the event is set.
        """
        if self._stop.is_set():
            raise Stopped
        is_consistent, implied = self._propagator.derive([self._start, *assumed])
        return implied if is_consistent else None

    def facts(self, assumed: Sequence[int]) -> KnownFacts:
        """Return the literals that unit propagation derives from these, to which more can be added."""
        return KnownFacts(self._clauses, self.consequences(assumed), self._stop)

    @cached_property
    def _clauses(self) -> ClauseArrays:
        """The clauses of the formula."""
        return ClauseArrays(self._lowering.formula.clauses, self._lowering.formula.variables)

    def random_solution(self, random: Random) -> Answer | None:
        """Return a solution at random; None if there is none, or if it is too hard to find.

        Variables of the key, in random order, get random values that unit propagation does not refute. As long as these
        contradict each other, or the search takes too long, the last one of a core is taken back.
        """
        positions = [*range(len(self._key.labels))]
        random.shuffle(positions)
        assumed: list[int] = []
        facts = self.facts([])  # `facts.known` has the literals that follow so far
        for position in positions:
            literals = [*self._literals[position].values()]
            for literal in random.sample(literals, len(literals)):
                if literal in facts.known:  # the variable has this value already
                    break
                if -literal not in facts.known and facts.consequences([literal]) is not None:
                    assumed.append(literal)
                    facts.learn(literal)
                    break
        while (solution := self.solution(assumed)) is None and assumed:
            core = self.core(assumed) or {assumed[-1]}
            assumed.remove(next(literal for literal in reversed(assumed) if literal in core))
        return solution


class ClauseArrays:
    """Clauses as arrays: the literals of all clauses one after the other, and where each clause begins."""

    def __init__(self, clauses: Sequence[Sequence[int]], variables: int) -> None:
        """Take clauses, none of which is empty, of literals v or -v for variable v from 1; variables: the greatest."""
        import numpy as np

        self._literals = np.fromiter(chain.from_iterable(clauses), np.int64)
        self._lengths = np.fromiter(map(len, clauses), np.int64)
        self._starts = self._lengths.cumsum() - self._lengths
        self._variables = variables

    def open_clauses(self, known: Collection[int]) -> list[list[int]]:
        """Return the clauses that are not satisfied yet, without their false literals.

        known: the literals that are true, with all that follows from them by unit propagation. So none of these clauses
        is empty.
        """
        import numpy as np

        is_true = np.zeros(2 * self._variables + 1, bool)  # literal k is at place k + variables
        is_true[[literal + self._variables for literal in known if abs(literal) <= self._variables]] = True
        # For each clause, whether some literal is true; for each literal of all clauses, whether it is false.
        is_satisfied = np.logical_or.reduceat(is_true[self._literals + self._variables], self._starts)
        is_false = is_true[self._variables - self._literals]
        is_kept = ~(is_false | is_satisfied.repeat(self._lengths))
        lengths = np.add.reduceat(is_kept, self._starts, dtype=np.int64)
        literals = iter(self._literals[is_kept].tolist())
        return [[*islice(literals, length)] for length in lengths[lengths > 0].tolist()]


class KnownFacts:
    """The literals that are known to be true; what follows from more is derived from the clauses that these leave."""

    def __init__(self, clauses: ClauseArrays, known: set[int] | None, stop: threading.Event) -> None:
        """Take what is known; None if that is contradictory.

        clauses: the formula. stop: ends the work when set.
        """
        self._clauses, self._stop = clauses, stop
        self.is_consistent = known is not None
        """Whether no contradiction is known."""
        self.known = known or set()
        """The literals that are known to be true."""

    @cached_property
    def _propagation(self) -> ClausePropagation:
        """The solver that propagates."""
        return ClausePropagation(self._clauses.open_clauses(self.known))

    def consequences(self, assumed: Sequence[int]) -> set[int] | None:
        """Return the further literals that follow from these by unit propagation; None if there is a contradiction.

        Those in `known` are left out. Raises `Stopped` once the event is set.
        """
        if self._stop.is_set():
            raise Stopped
        is_consistent, implied = self._propagation.derive(assumed)
        return implied if is_consistent else None

    def learn(self, literal: int) -> None:
        """Add a literal, and what follows from it by unit propagation, to `known`."""
        implied = self.consequences([literal])
        self.is_consistent = self.is_consistent and implied is not None
        self.known |= implied or {literal}
        self._propagation.add(literal)


def _values_in_domain(domain: Collection[int]) -> list[int]:
    """Return the values in a domain of a proto."""
    ends = [*domain]
    bounds = zip(ends[::2], ends[1::2], strict=True)
    return [value for low, high in bounds for value in range(low, high + 1)]
