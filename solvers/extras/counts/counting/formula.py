"""Counts the solutions of any model without listing them.

Its formula is given to a projected model counter.

References
----------
J.-M. Lagniez, P. Marquis, "An improved decision-DNNF compiler", IJCAI 2017, doi:10.24963/ijcai.2017/93 (D4)

S. Sharma, S. Roy, M. Soos, K. Meel, "GANAK: a scalable probabilistic exact model counter", IJCAI 2019,
doi:10.24963/ijcai.2019/163
"""

from __future__ import annotations

import random
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, NamedTuple

from ortools.sat.python.cp_model import CpModel

from solvers.backends.protocol import Propagator
from solvers.backends.registry import model_at_optimum
from solvers.base.deadline import Deadline
from solvers.base.errors import CheckError, InputError, Stopped
from solvers.checks.evaluate import Evaluator
from solvers.cnf.elimination import eliminate
from solvers.cnf.gates import TRUE
from solvers.cnf.lower import lower
from solvers.cubes.branch import choices_and_propagator
from solvers.extras.counts.counting import formula_counters
from solvers.extras.shared.large_groups import conjugacy
from solvers.extras.shared.programs import run_program
from solvers.extras.shared.tuning import EXTRAS_TUNING
from solvers.model.reading import has_objective, negation
from solvers.model.writing import drop_objective
from solvers.running.plug import Tally
from solvers.running.question import Request
from solvers.show.evidence import COUNTED_BY, PROBABLE
from solvers.symmetry.groups import Group, Permutation
from solvers.symmetry.key import Key

WALKS_PER_PREDICTION, MAX_WALKING_SECONDS = 50, 2.0
"""The walks down the tree that a prediction takes, and the most seconds for them."""

MAX_LOWERING_SECONDS = 2.0
"""The most seconds in which the clauses for a prediction are made."""


class FormulaCounter(NamedTuple):
    """A program that counts the solutions of a formula."""

    method: str
    """The method that it is, as ``--method`` takes it."""
    module: str
    package: str
    extra: str
    """The extra of this distribution that installs the package."""


FORMULA_COUNTERS = {
    "d4": FormulaCounter("counter", "py_d4", "d4Solver", "count"),
    "ganak": FormulaCounter("ganak", "pyganak", "pyganak", "confirm"),
}

GANAK_INSTEAD = "Ganak may be quicker, and is right with high probability: --method ganak"
"""The advice for a count by D4 that did not end."""


class Projected(NamedTuple):
    """A formula with as many solutions as a model, where those are told apart by the shown variables."""

    variables: int
    """Their number."""
    clauses: Sequence[Sequence[int]]
    shown: Sequence[int]
    literals: Sequence[int]
    """For each literal of the key, by its number, the literal of the formula that means the same; may be left out."""


def is_installed(counter: str = "d4") -> bool:
    """Tell whether the package of a counter, "d4" or "ganak", is installed."""
    return find_spec(FORMULA_COUNTERS[counter].module) is not None


def by_ganak(request: Request) -> FormulaCounting | None:
    """Return a count of the request's formula by Ganak, which is probably right; None unless the user named a method.

    Only a user who named Ganak comes here with a named method. Raises `InputError` if the request cannot be counted in
    this way. Raises `Stopped` once the event is set.
    """
    if request.options.method is None:
        return None
    return by_formula(request, PROBABLE)


def by_formula(request: Request, counter: str = "d4") -> FormulaCounting | None:
    """Return a count of the request's formula; counter: "d4" or "ganak".

    The result is None if the request cannot be counted in this way, or if listing the solutions takes less time. It
    cannot if it wants more than the numbers, or if its symmetries are not proved or are too many for Burnside's lemma.
    Raises `InputError` if the user named the method and the request cannot be counted in this way: ``refuse_method``
    raises it, and does nothing if the user named no method. Raises `Stopped` once the event is set.
    """
    question, options = request.question, request.options
    if not conjugacy.are_known(question.group):
        request.refuse_method("needs GAP for so many symmetries; choose listing")
        return None
    if options.marginals or options.sample or options.by or options.store or options.solver_parameters:
        request.refuse_method("gives only the number of solutions; choose listing")
        return None
    if options.method is None and (options.names_backend or not is_installed()):
        return None
    if not request.is_proved():
        request.refuse_method("works only with proved symmetries; choose `--symmetry none`")
        return None
    if options.method is None:
        try:
            expected = predict_solutions(question.model, question.key.variables, options.seed, request.stop)
            if expected <= EXTRAS_TUNING.max_listed_solutions:
                return None
        except InputError:  # it has no lowering, or a long one
            return None
    return FormulaCounting(question.model, question.group, request.stop, counter)


class FormulaCounting:
    """A count of a model's solutions by a program that counts those of its formula.

    Solutions up to symmetry are counted by Burnside's lemma: for an element of each conjugacy class of the group, the
    formula is restricted to the solutions that the element leaves unchanged. The group has to be one of the model.
    """

    store = None
    jobs = 1

    def __init__(self, model: CpModel, group: Group, stop: threading.Event, counter: str = "d4") -> None:
        """Prepare the count; nothing is counted yet.

        group: the symmetries under which solutions count once. stop: ends the count when set. counter: "d4" or "ganak"
        (`PROBABLE`). Raises `InputError` if the counter is not installed.
        """
        if not is_installed(counter):
            needed = f"{COUNTED_BY[counter]}: pip install '.[{FORMULA_COUNTERS[counter].extra}]'"
            raise InputError(f"counting a formula needs {needed}, or choose `--method listing`")
        self._model = model
        self._counter = counter
        self._group = group
        self._stop = stop
        self.name = f"{counter} {version(FORMULA_COUNTERS[counter].package)}"
        self.method = FORMULA_COUNTERS[counter].method
        self.advice = GANAK_INSTEAD if counter != PROBABLE and is_installed(PROBABLE) else ""
        self.size = {"variables": len(model.proto.variables), "constraints": len(model.proto.constraints)}

    def set_stop_event(self, stop: threading.Event) -> None:
        """Let this event stop the count, in place of the one given to the constructor."""
        self._stop = stop

    def run(self, tell: Callable[[Tally], None]) -> Tally:
        """Count the solutions, all and up to symmetry, and return the result.

        tell: called after each element that was counted. Raises `Stopped` once the event is set, `InputError` for a
        model that has no formula, `CheckError` if the counts make no whole number of orbits.
        """
        group = self._group
        formula, objective = _formula_and_best(self._model, group.key, group.order > 1, self._stop)
        statistics = {"variables": formula.variables, "clauses": len(formula.clauses), "counts": 0}
        total, unchanged = (
            -1,
            0,
        )  # the number of solutions; the sum, over all elements, of those that each leaves unchanged
        for element, size in conjugacy.classes(group, self._stop):  # an element, and the size of its class
            clauses = [*formula.clauses, *_equalities(formula.literals, element)]
            fixed = int(_answer(self._counter, formula._replace(clauses=clauses), self._stop) or 0)
            total = fixed if total < 0 else total  # the first element is the identity, which leaves all unchanged
            unchanged += fixed * size
            statistics["counts"] += 1
            tell(Tally(statistics, {}, 0, 0))
        solutions, remainder = divmod(unchanged, group.order)
        if remainder:
            raise CheckError(f"the solutions that the {group.order} symmetries leave unchanged make no whole orbits")
        return Tally(statistics, {}, solutions, total, objective=objective if has_objective(self._model) else None)


def _model_and_best(model: CpModel, key: Key, stop: threading.Event) -> tuple[CpModel, Any]:
    """Return (a copy of the model, its best value).

    In the copy, an objective is replaced by the constraint that it has that value. The value is 0 without an objective,
    and None if a model with one has no solution. Raises `InputError` if the best value cannot be searched for,
    `Stopped` once the event is set.
    """
    if not has_objective(model):
        return model.clone(), 0
    better_solutions: list[Any] = []  # each better than the one before
    model_of_best = model_at_optimum(model, key.variables, stop, improved=better_solutions.append)
    return model_of_best, Evaluator(model).objective(better_solutions[-1]) if better_solutions else None


def _formula_and_best(model: CpModel, key: Key, has_symmetries: bool, stop: threading.Event) -> tuple[Projected, Any]:
    """Return (the formula of a model, or of its best solutions; the best value as `_model_and_best` returns it).

    If the model has no best solution, the formula has the empty clause. Shown variables tell solutions apart; if there
    are none, the variable that is always true stands for them. has_symmetries: whether the formula's literals for those
    of the key are needed. Raises what `FormulaCounting.run` raises.
    """
    model, objective = _model_and_best(model, key, stop)
    lowering = lower(model, stop)  # the clauses, and the literal of each variable and value
    literals_of_key = map(key.literal, range(key.size if has_symmetries else 0))  # (position, value)
    literals = [lowering.literal(key.variables[position], value) for position, value in literals_of_key]
    shown_variables = sorted({abs(literal) for literal in lowering.projection(key.variables)} - {TRUE}) or [TRUE]
    formula = lowering.formula
    clauses: list[list[int]] = [[]] if objective is None else formula.clauses
    return Projected(formula.variables, clauses, shown_variables, literals), objective


def _equalities(literals: Sequence[int], element: Permutation) -> Iterator[list[int]]:
    """Yield clauses that restrict the formula to solutions that a symmetry leaves unchanged.

    They say that each literal is equal to its image. element: the symmetry, as a permutation of the key's literals by
    number. literals: the literal of the formula for each literal of the key; empty if the identity is the only element,
    which needs no clause.
    """
    for number, image_number in enumerate(element[: len(literals)].tolist()):
        literal, image = literals[number], literals[image_number]
        if literal != image:
            yield [-literal, image]
            yield [literal, -image]


def _answer(program: str, formula: Projected, stop: threading.Event) -> str:
    """Run a counter in a process of its own, which can be ended, and return its answer; "" if a clause is empty.

    The answer is the number of solutions as text. The process reads the formula in DIMACS format, with the shown
    variables in a comment. program: the argument of `formula_counters`, "d4" or "ganak". Raises `InputError` if it
    breaks down, `Stopped` once the event is set.
    """
    # Variables are eliminated for D4 only. Ganak does this itself, so that its count confirms our elimination, too.
    clauses = formula.clauses if program == "ganak" else eliminate(formula.clauses, formula.shown, stop)
    if not all(clauses):  # which D4 refuses to read
        return ""
    lines = [f"p cnf {formula.variables} {len(clauses)}", f"c p show {' '.join(map(str, formula.shown))} 0"]
    lines += [f"{' '.join(map(str, clause))} 0" for clause in clauses]
    words = [sys.executable, "-P", formula_counters.__file__, program]
    done = run_program(words, "\n".join([*lines, ""]), stop)
    if done.returncode:
        raise InputError(f"{program} failed, perhaps for lack of memory; choose `--method listing`")
    return done.stdout


def predict_solutions(model: CpModel, key: Sequence[int], seed: int, stop: threading.Event) -> float:
    """Estimate the number of solutions by random walks down a search tree, as the mean of the results of `_walk`.

    The model's objective is left out. key: proto indices. seed: the seed of the random numbers. D. E. Knuth,
    "Estimating the efficiency of backtrack programs", Mathematics of Computation 29 (1975). Raises `InputError` for a
    model that cannot be lowered, or not within `MAX_LOWERING_SECONDS`; `Stopped` once the event is set.
    """
    augmented = model.clone()
    drop_objective(augmented.proto)
    # Choices are sets of literals of which exactly one is true; the propagator returns what literals imply.
    deadline = Deadline(stop, seconds=MAX_LOWERING_SECONDS)
    try:
        choices, propagation = choices_and_propagator(augmented, key, deadline)
    except Stopped:
        if stop.is_set():
            raise
        raise InputError("the clauses of the model take too long to make") from None
    deadline.begin(float("inf"))  # for the walks
    rng = random.Random(seed)
    ends = time.perf_counter() + MAX_WALKING_SECONDS
    predictions: list[float] = []
    while len(predictions) < WALKS_PER_PREDICTION and time.perf_counter() < ends:
        predictions.append(_walk(propagation, choices, rng))
    return sum(predictions) / len(predictions)


def _walk(propagation: Propagator, choices: Sequence[Sequence[int]], rng: random.Random) -> float:
    """Walk once at random down a search tree, and return Knuth's estimate of the number of its solutions.

    It is the product of the numbers of branches on the way, which is the inverse of the probability to come to this
    leaf; 0 if the walk ends in a conflict. The tree branches on the choice with the fewest literals left, and only to
    literals that unit propagation does not refute.

    choices: sets of literals, exactly one of which is true in each. propagation: gives the literals that some imply,
    and None for a conflict. rng: the random numbers. Each pass closes a choice, so that the walk ends.
    """
    taken: tuple[int, ...] = ()
    implied = propagation.consequences(taken)
    leaves = 1.0
    while implied is not None:
        true_literals = implied
        open_choices = [
            [literal for literal in choice if negation(literal) not in true_literals]
            for choice in choices
            if true_literals.isdisjoint(choice)
        ]
        if not open_choices:
            return leaves
        # (literal, what it implies with those taken before), for each literal of the choice without a conflict.
        branches = [
            (literal, implied_there)
            for literal in min(open_choices, key=len)
            if (implied_there := propagation.consequences((*taken, literal))) is not None
        ]
        if not branches:
            break
        leaves *= len(branches)
        literal, implied = rng.choice(branches)
        taken = (*taken, literal)
    return 0.0
