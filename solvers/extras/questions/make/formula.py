"""The formula of a puzzle in which each clue can be left out, asked again and again by one SAT solver."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
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
"""The solver of PySAT that says which assumptions contradict each other. `ClausePropagation` has one that only
propagates: what the first learns would make puzzles look easier than they are."""

MOST_CONFLICTS = 20_000
"""The most conflicts of one search; a question that takes more is left open, so that no puzzle takes too long."""

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

        model: the puzzle with all clues that are rules. key: its key. stop: ends the work when set. clues: those of the
        rules that may be left out. lazy: the names of constraints without clauses. cuts: returns clauses for what
        contradicts only these. The consequences of such a formula are fewer than those of all constraints. gives_up:
        whether a question that takes more than `MOST_CONFLICTS` is left open.

        Raises `InputError` if the model has no clauses, `Stopped` once the event is set.
        """
        self._key = key
        held = model.clone()
        never = held.new_constant(0).index
        switches = {clue.rule: held.new_bool_var(clue.rule).index for clue in clues if clue.rule}
        for constraint in held.proto.constraints:
            if constraint.name in switches:
                constraint.enforcement_literal.append(switches[constraint.name])
            elif constraint.name in lazy:
                constraint.enforcement_literal.append(never)
        self._lowering, self._stop, self._cuts = lower(held, stop), stop, cuts
        self._gives_up = gives_up
        self._switches = {rule: self._lowering.boolean(index) for rule, index in switches.items()}
        domains = [_values(held.proto.variables[variable].domain) for variable in self._key.variables]
        self._literals = [
            {value: self._lowering.literal(variable, value) for value in values}
            for variable, values in zip(self._key.variables, domains, strict=True)
        ]
        self._variables = self._start = self._lowering.formula.variables + 1

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
        """The solver that propagates; what follows without any assumption is not reported, so that nothing does."""
        clauses = self._lowering.formula.clauses
        return ClausePropagation([[*clause, -self._start] if len(clause) == 1 else clause for clause in clauses])

    def literal(self, label: Label, value: int) -> int:
        """Return the formula's literal for a literal of the key."""
        return self._literals[self._key.position[label]][value]

    def meaning(self, literal: int) -> tuple[int, int, bool]:
        """Return (position, value, whether it has the value) for a literal of the formula that says so."""
        return next(
            (position, value, literals[value] == literal)
            for position, literals in enumerate(self._literals)
            for value in sorted(literals, reverse=True)
            if literals[value] in (literal, -literal)
        )

    def assumption(self, clue: MadeClue) -> int:
        """Return the literal that makes a clue hold."""
        return self.literal(*clue.literal) if clue.literal else self._switches[clue.rule]

    def wrong_literals(self, solution: Mapping[Any, int]) -> list[int]:
        """Return the literals of the key that are false in a solution."""
        wrong: dict[int, None] = {}
        for position, label in enumerate(self._key.labels):
            literals, value = self._literals[position], solution[label]
            wrong |= dict.fromkeys([-literals[value]] if len(literals) == 2 else self._other_literals(position, value))
        return list(wrong)

    def _other_literals(self, position: int, value: int) -> list[int]:
        """Return the literals that give a variable of the key, by its position, another value."""
        return [literal for other, literal in self._literals[position].items() if other != value]

    def add_difference(self, solution: Mapping[Any, int]) -> int:
        """Return a new literal that is true only in solutions other than this one."""
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
        return {*(self._solver.get_core() or ())} if self._search(assumed) is False else None

    def _search(self, assumed: Sequence[int]) -> bool | None:
        """Tell whether these literals can hold together; None if that takes too long."""
        while not self._stop.is_set():
            self._solver.conf_budget(MOST_CONFLICTS)
            found: bool | None = self._solver.solve_limited(assumptions=[*assumed])
            if found is None and not self._gives_up:
                continue
            clauses = [*self._cuts(self._answer())] if found and self._cuts else []
            for clause in clauses:
                self._solver.add_clause([self.literal(label, value) for label, value in clause])
            if not clauses:
                return found
        raise Stopped

    def consequences(self, assumed: Sequence[int]) -> set[int] | None:
        """Return what follows from these literals by unit propagation; None if they contradict each other.

        Raises `Stopped` once the event is set.
        """
        if self._stop.is_set():
            raise Stopped
        holds, implied = self._propagator.derive([self._start, *assumed])
        return implied if holds else None

    def random_solution(self, random: Random) -> Answer | None:
        """Return a solution at random; None if there is none, or if it is too hard to find.

        Cells in random order get random values, as far as propagation allows, and the solver takes back some of them
        if they do not go together.
        """
        places = [*range(len(self._key.labels))]
        random.shuffle(places)
        assumed: list[int] = []
        known = self.consequences([])
        for position in places:
            for literal in random.sample(values := [*self._literals[position].values()], len(values)):
                if known is None or literal in known:
                    break
                if -literal not in known and (more := self.consequences([*assumed, literal])) is not None:
                    assumed.append(literal)
                    known = more
                    break
        while (found := self.solution(assumed)) is None and assumed:
            core = self.core(assumed) or {assumed[-1]}
            assumed.remove(next(literal for literal in reversed(assumed) if literal in core))
        return found


def _values(domain: Collection[int]) -> list[int]:
    """Return the values in a domain of a proto."""
    ends = [*domain]
    return [value for low, high in zip(ends[::2], ends[1::2], strict=True) for value in range(low, high + 1)]
