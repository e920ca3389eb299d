"""Counts the solutions of any model without listing them.

Its formula is given to a projected model counter.
"""

from __future__ import annotations

import random
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from solvers.backends.protocol import Propagator
from solvers.checks.evaluate import Evaluator
from solvers.cnf.gates import TRUE
from solvers.cnf.lower import Lowering, lower
from solvers.cubes.branch import propagated_choices
from solvers.errors import CheckError, InputError
from solvers.extras.counting import formula_counters
from solvers.extras.formats.export import held_to_best
from solvers.extras.large_groups import conjugacy
from solvers.extras.programs import printed
from solvers.extras.tuning import EXTRAS_TUNING
from solvers.model.reading import has_objective, negated
from solvers.model.scheduling import without_scheduling
from solvers.model.writing import drop_objective
from solvers.running.plug import Tally
from solvers.running.question import Request
from solvers.symmetry.groups import Group, Permutation

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

WALKS_PER_PREDICTION, MAX_WALKING_SECONDS = 50, 2.0
"""The walks down the tree that a prediction takes, and the most seconds for them."""


PACKAGES = {"d4": ("py_d4", "d4Solver"), "ganak": ("pyganak", "pyganak")}
"""The module and the package of each counter."""


def is_installed(counter: str = "d4") -> bool:
    """Tell whether the package of a counter, "d4" or "ganak", is installed."""
    return find_spec(PACKAGES[counter][0]) is not None


def by_formula(request: Request) -> FormulaCounting | None:
    """Return a count of the request's formula.

    The result is None if the request cannot be counted in this way, or if listing the solutions takes less time. Raises
    `InputError` if the user named the method and the request cannot be counted in this way. Raises `Stopped` once the
    event is set.
    """
    question, options = request.question, request.options
    if not conjugacy.are_known(question.group):
        request.refused("needs GAP for so many symmetries; choose listing")
        return None
    if options.marginals or options.sample or options.by or options.store or options.solver_parameters:
        request.refused("gives only the number of solutions; choose listing")
        return None
    if options.method is None and (options.backend != "auto" or not is_installed()):
        return None
    if not request.is_proved():
        request.refused("works only with proved symmetries; choose --symmetry none")
        return None
    if options.method is None:
        try:
            expected = predicted(question.model, question.key.variables, options.seed, request.stop)
            if expected <= EXTRAS_TUNING.max_listed_solutions:
                return None
        except InputError:  # it has no lowering
            return None
    return FormulaCounting(question.model, question.group, request.stop)


class FormulaCounting:
    """A count of a model's solutions by a program that counts those of its formula.

    Solutions up to symmetry are counted by Burnside's lemma: for an element of each conjugacy class of the group, the
    formula is restricted to the solutions that the element leaves unchanged. The group has to be one of the model.
    """

    method = "counter"
    store = None
    jobs = 1

    def __init__(self, model: CpModel, group: Group, stop: threading.Event, counter: str = "d4") -> None:
        """Prepare the count; nothing is counted yet.

        group: the symmetries under which solutions count once. stop: ends the count when set. counter: "d4" or "ganak".
        Raises `InputError` if the counter is not installed.
        """
        if not is_installed(counter):
            raise InputError("counting a formula needs D4: pip install '.[count]', or choose --method listing")
        self._model = model
        self._counter = counter
        self._group = group
        self._stop = stop
        self.name = f"{counter} {version(PACKAGES[counter][1])}"
        self.size = {"variables": len(model.proto.variables), "constraints": len(model.proto.constraints)}

    def heed(self, stop: threading.Event) -> None:
        """Let this event stop the count, in place of the one given to the constructor."""
        self._stop = stop

    def run(self, tell: Callable[[Tally], None]) -> Tally:
        """Count the solutions, all and up to symmetry, and return the result.

        tell: called after each element that was counted. Raises `Stopped` once the event is set, `InputError` for a
        model that has no formula, `CheckError` if the counts make no whole number of orbits.
        """
        group, key = self._group, self._group.key
        model, objective = self._held()
        without_scheduling(model)
        lowering = lower(model, self._stop)
        shown = sorted({abs(literal) for literal in lowering.projection(key.variables)} - {TRUE}) or [TRUE]
        of_number = _literals(lowering, group) if group.order > 1 else []
        clauses = list(lowering.formula.clauses)
        variables = lowering.formula.variables
        statistics = {"variables": variables, "clauses": len(clauses), "counts": 0}
        total, unchanged = -1, 0
        for element, size in conjugacy.classes(group, self._stop):
            held = clauses + list(_equalities(of_number, element))
            fixed = _counted(self._counter, (variables, held, shown), self._stop) if objective is not None else 0
            total = fixed if total < 0 else total
            unchanged += fixed * size
            statistics["counts"] += 1
            tell(Tally(statistics, {}, 0, 0))
        solutions, rest = divmod(unchanged, group.order)
        if rest:
            raise CheckError(f"the solutions that the {group.order} symmetries leave unchanged make no whole orbits")
        return Tally(statistics, {}, solutions, total, objective=objective if has_objective(self._model) else None)

    def _held(self) -> tuple[CpModel, Any]:
        """Return (a copy of the model, its best value).

        An objective is replaced by the constraint that it has that value. The value is 0 without an objective, and None
        if there is no solution. Raises `InputError` if the best value cannot be searched for, `Stopped` once the event
        is set.
        """
        if not has_objective(self._model):
            return self._model.clone(), 0
        last: list[Any] = []
        model = held_to_best(self._model, self._group.key.variables, self._stop, improved=last.append)
        return model, Evaluator(self._model).objective(last[-1]) if last else None


def _literals(lowering: Lowering, group: Group) -> list[int]:
    """Return, for each literal of the key by its number, the literal of the formula that means the same."""
    key = group.key
    spoken = map(key.literal, range(key.size))
    return [lowering.literal(key.variables[position], value) for position, value in spoken]


def _equalities(literals: Sequence[int], element: Permutation) -> Iterator[list[int]]:
    """Yield clauses that restrict the formula to solutions that a symmetry leaves unchanged.

    element: the symmetry, as a permutation of the key's literals by number. literals: the literal of the formula for
    each literal of the key.
    """
    for number, image in enumerate(element[: len(literals)].tolist()):
        here, there = literals[number], literals[image]
        if here != there:
            yield [-here, there]
            yield [here, -there]


def _counted(counter: str, formula: tuple[int, Sequence[Sequence[int]], Sequence[int]], stop: threading.Event) -> int:
    """Run a counter in a process of its own, which can be ended, and return its count.

    formula: (the number of variables, the clauses, the variables onto which the count is projected). Raises
    `InputError` if the counter breaks down, `Stopped` once the event is set.
    """
    variables, clauses, shown = formula
    if not all(clauses):  # which D4 refuses to read
        return 0
    lines = [f"p cnf {variables} {len(clauses)}", f"c p show {' '.join(map(str, shown))} 0"]
    lines += [f"{' '.join(map(str, clause))} 0" for clause in clauses]
    words = [sys.executable, "-P", formula_counters.__file__, counter]
    failure = f"{counter} failed, perhaps for lack of memory; choose --method listing"
    return int(printed(words, "\n".join([*lines, ""]), stop, failure))


def predicted(model: CpModel, key: Sequence[int], seed: int, stop: threading.Event) -> float:
    """Estimate the number of solutions by random walks down a search tree.

    key: proto indices. seed: the seed of the random numbers. D. E. Knuth, "Estimating the efficiency of backtrack
    programs", Mathematics of Computation 29 (1975). Raises `InputError` for a model that cannot be lowered, `Stopped`
    once the event is set.
    """
    augmented = model.clone()
    drop_objective(augmented.proto)
    without_scheduling(augmented)
    among, propagation = propagated_choices(augmented, key, stop)
    rng = random.Random(seed)
    ends = time.perf_counter() + MAX_WALKING_SECONDS
    found: list[float] = []
    while len(found) < WALKS_PER_PREDICTION and time.perf_counter() < ends:
        found.append(_walked(propagation, among, rng))
    return sum(found) / len(found)


def _walked(propagation: Propagator, among: Sequence[Sequence[int]], rng: random.Random) -> float:
    """Walk once at random down the search tree.

    Return the product of the numbers of branches, 0 if the walk ends in a conflict.

    among: choices, each a set of literals exactly one of which is true. propagation: gives the literals that some
    imply. rng: the random numbers.
    """
    literals: tuple[int, ...] = ()
    implied = propagation.implied(literals)
    leaves = 1.0
    while implied is not None:
        decided = implied
        still_open = [
            [literal for literal in choice if negated(literal) not in decided]
            for choice in among
            if decided.isdisjoint(choice)
        ]
        if not still_open:
            return leaves
        options = [
            (literal, after)
            for literal in min(still_open, key=len)
            if (after := propagation.implied((*literals, literal))) is not None
        ]
        if not options:
            break
        leaves *= len(options)
        literal, implied = rng.choice(options)
        literals = (*literals, literal)
    return 0.0
