"""Counts the solutions of any model without listing them: its formula is given to a projected model counter, Ganak."""

from __future__ import annotations

import pickle
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from solvers.backends import ganak
from solvers.backends.cp_sat_flaws import add_linear, take_objective, without_scheduling
from solvers.backends.registry import backend_kind
from solvers.backends.sat import Propagation
from solvers.checks.evaluate import Evaluator
from solvers.cnf.gates import TRUE
from solvers.cnf.lower import Lowering, lower
from solvers.counting.burnside import classes
from solvers.counting.count import Tally
from solvers.cubes.branch import propagated_choices
from solvers.errors import CheckError, InputError, Stopped
from solvers.symmetry import conjugacy
from solvers.symmetry.groups import Group, Permutation

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

LISTABLE = 1_000_000
"""Where probes predict more solutions than these, to list them would take minutes, and they are counted."""

PROBES, PROBING_SECONDS = 50, 2.0
"""How many walks down the tree a prediction takes, and at most how long."""

POLL_SECONDS = 0.1
"""Between two looks at whether to stop."""


def is_installed() -> bool:
    """Whether Ganak's package is there."""
    return find_spec("pyganak") is not None


class FormulaCounting:
    """The question how many solutions a model has, for a program that counts those of its formula.

    Solutions up to symmetry are counted by Burnside's lemma: for an element of each conjugacy class of the group, the
    formula is held to what that element leaves as it is. The group has to be one of the model.
    """

    method = "counter"
    store = None

    def __init__(self, model: CpModel, group: Group, stop: threading.Event) -> None:
        """Raises `InputError` where Ganak is not installed."""
        if not is_installed():
            raise InputError("to count a formula takes Ganak: pip install '.[count]', or choose --method listing")
        self._model = model
        self._group = group
        self._stop = stop
        self.name = f"ganak {version('pyganak')}"
        self.size = {"variables": len(model.proto.variables), "constraints": len(model.proto.constraints)}

    def run(self, tell: Callable[[Tally], None]) -> Tally:
        """Count; raises `Stopped`, and `InputError` for a model that has no formula."""
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
        among = classes(group) if group.is_listed else conjugacy.classes(group, self._stop)
        for element, size in among:
            held = clauses + list(_equalities(of_number, element))
            fixed = _counted((variables, held, shown), self._stop) if objective is not None else 0
            total = fixed if total < 0 else total
            unchanged += fixed * size
            statistics["counts"] += 1
            tell(Tally(statistics, {}, 0, 0))
        solutions, rest = divmod(unchanged, group.order)
        if rest:
            raise CheckError(f"the solutions that the {group.order} symmetries leave unchanged make no whole orbits")
        return Tally(statistics, {}, solutions, total, objective=objective if self._asks_for_best else None)

    @property
    def _asks_for_best(self) -> bool:
        return self._model.proto.has_objective() or self._model.proto.has_floating_point_objective()

    def _held(self) -> tuple[CpModel, Any]:
        """The model, held to the best value if it asks for one, and that value; None if there is no solution."""
        model = self._model.clone()
        if not self._asks_for_best:
            return model, 0
        last: list[Any] = []
        kind, solver = backend_kind("auto", model)
        best = kind(model, self._group.key.variables, self._stop, solver=solver).optimum(last.append)
        total = take_objective(model.proto)
        if best is None:
            return model, None
        add_linear(model.proto, total, [best, best])
        return model, Evaluator(self._model).objective(last[-1])


def _literals(lowering: Lowering, group: Group) -> list[int]:
    """The literal of the formula that says what each literal of the key says."""
    key = group.key
    spoken = map(key.literal, range(key.size))
    return [lowering.literal(key.variables[position], value) for position, value in spoken]


def _equalities(literals: Sequence[int], element: Permutation) -> Iterator[list[int]]:
    """Clauses that hold a solution to be what the element makes of it."""
    for number, image in enumerate(element[: len(literals)].tolist()):
        here, there = literals[number], literals[image]
        if here != there:
            yield [-here, there]
            yield [here, -there]


def _counted(formula: tuple[int, Sequence[Sequence[int]], Sequence[int]], stop: threading.Event) -> int:
    """What Ganak counts, in a process that can be ended; `InputError` if it breaks down, `Stopped` once that is set."""
    process = subprocess.Popen(
        [sys.executable, "-P", Path(ganak.__file__)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C is for us alone
    )
    unsent: bytes | None = pickle.dumps(formula)
    while not stop.is_set():
        with suppress(subprocess.TimeoutExpired):
            answer, _ = process.communicate(unsent, timeout=POLL_SECONDS)
            if process.returncode:
                raise InputError("Ganak broke down, maybe for lack of memory; choose --method listing")
            return int(pickle.loads(answer))
        unsent = None  # what is left of it, further calls send
    process.kill()
    process.communicate()
    raise Stopped


def predicted(model: CpModel, key: Sequence[int], seed: int, stop: threading.Event) -> float:
    """How many solutions there are, roughly, by walks down a tree of branches that are each chosen by chance.

    D. E. Knuth, "Estimating the efficiency of backtrack programs", Mathematics of Computation 29 (1975). Raises
    `InputError` for a model that cannot be lowered.
    """
    augmented = model.clone()
    augmented.proto.clear_objective()
    augmented.proto.clear_floating_point_objective()
    without_scheduling(augmented)
    among, propagation = propagated_choices(augmented, key, stop)
    rng = random.Random(seed)
    ends = time.perf_counter() + PROBING_SECONDS
    found: list[float] = []
    while len(found) < PROBES and time.perf_counter() < ends:
        found.append(_walked(propagation, among, rng))
    return sum(found) / len(found)


def _walked(propagation: Propagation, among: Sequence[Sequence[int]], rng: random.Random) -> float:
    """The product of how many branches there are at each step of one walk; 0 where it comes to no end."""
    literals: tuple[int, ...] = ()
    implied = propagation.implied(literals)
    leaves = 1.0
    while implied is not None:
        decided = implied
        still_open = [
            [literal for literal in choice if -literal - 1 not in decided]
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
