"""The backend of PySAT's solvers: a lowered model is solved again and again, each time without the keys seen before.

Where solutions are many, CaDiCaL lists them in one search.

PySAT is loaded where it is needed, as many a run needs none of it.
"""

from __future__ import annotations

import difflib
import importlib.util
import random
import threading
import time
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from functools import cache, partial
from itertools import islice
from types import MappingProxyType
from typing import IO, TYPE_CHECKING, Any

from solvers.backends.protocol import ignored
from solvers.cnf.gates import TRUE
from solvers.cnf.lower import lower
from solvers.deadline import wait_for
from solvers.errors import InputError, Stopped
from solvers.values import AtMost, Values

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from ortools.sat.python.cp_model import CpModel
    from pysat.engines import Propagator

    from solvers.cnf.listing import Listing
    from solvers.cover.search import Subcover

DEFAULT = "cadical195"

SLICE = 0.1
"""Seconds for which a solver that cannot be interrupted is let go on."""

LEAST_CONFLICTS = 10
"""For so many it is let go on in any case, lest all its time goes into starting again."""

UNSTOPPABLE = {"lucky": 0, "preprocesslight": 0}
"""What CaDiCaL does without counting conflicts, for seconds if the model is large.

CaDiCaL takes no notice of names that it does not know.
"""

CADICAL = ("cadical153", "cadical195", "cadical300")

LISTING = ("cadical195", "cadical300")
"""Solvers that a `Listing` can be connected to."""

FEW = 10
"""Solutions of a model after which they are listed. To list takes a new solver, and one that simplifies less: a model
with one solution may take it twice as long, one with thousands a third of the time."""

PARAMETERS: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(
        CADICAL,
        (
            *("block", "bump", "bumpreason", "chrono", "chronoalways", "condition", "cover", "decompose"),
            *("deduplicate", "eagersubsume", "elim", "flush", "forcephase", "inprocessing", "instantiate", "lucky"),
            *("minimize", "phase", "probe", "reduce", "reduceint", "reducetarget", "rephase", "rephaseint", "restart"),
            *("restartint", "reverse", "score", "seed", "shrink", "shuffle", "stabilize", "stabilizeonly", "subsume"),
            *("target", "ternary", "transred", "vivify", "walk"),
        ),
    ),
    "ergo": ("ccmin-mode", "cla-decay", "min-learnts", "phase-saving", "restart-first", "restart-inc", "var-decay"),
    "glucose42": ("rnd-first-descent", "rnd-freq", "rnd-init-act", "rnd-pol", "rnd-seed"),
}
"""What a solver can be given: CaDiCaL's src/options.hpp, where 1.5.3, 1.9.5 and 3.0.0 agree; else pysat.solvers."""


def capabilities() -> dict[str, str]:
    """Every solver that PySAT knows by its name, with the reason why it is not offered, empty where it is."""
    return {name: _flaw(name) for name in _aliases()}


def solver_names() -> list[str]:
    """The solvers that are offered."""
    return [name for name, flaw in capabilities().items() if not flaw]


def solver_name(name: str) -> str:
    """The name under which a solver is listed; PySAT has several for each. Raises `InputError` if it is not offered."""
    known = {alias: listed for listed, aliases in _aliases().items() for alias in (listed, *aliases)}
    if name.lower() not in known:
        nearest = difflib.get_close_matches(name.lower(), known, 1, cutoff=0.7)
        hint = f"did you mean {known[nearest[0]]}? (see --list-backends)" if nearest else "see --list-backends"
        raise InputError(f"there is no SAT solver {name!r}; {hint}")
    canonical: str = known[name.lower()]
    if flaw := _flaw(canonical):
        raise InputError(f"the SAT solver {canonical} {flaw}; choose another (see --list-backends)")
    return canonical


@cache
def _aliases() -> Mapping[str, Sequence[str]]:
    """Of each solver that PySAT knows, the names under which it does."""
    from pysat.solvers import SolverNames

    return {name: aliases for name, aliases in vars(SolverNames).items() if not name.startswith("_")}


@cache
def _flaw(name: str) -> str:
    """Why a solver will not do; empty if it counts a few solutions right, with and without assumptions."""
    if name == "cryptosat" and importlib.util.find_spec("pycryptosat") is None:
        return "needs the package pycryptosat"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            oracle = Oracle(name, threading.Event())
            oracle.add([[1, 2], [-1, -2], [3, 4]])
            if oracle.solve([1, 2]) is not None:
                return "ignores assumptions"
            model = oracle.solve([1, 6])
            if model is None or [abs(literal) for literal in model] != [1, 2, 3, 4, 5, 6] or model[5] != 6:
                return "leaves variables out of its models"
            count = 0
            while count < 7 and (model := oracle.solve([7])) is not None:
                oracle.add([[-7, *(-literal for literal in model[:4])]])
                count += 1
            return "" if count == 6 and oracle.solve([-7]) is not None else "loses count"
        except (NotImplementedError, TypeError):  # TypeError: PySAT gives CryptoMiniSat no time limit as None
            return "cannot be stopped"


class Oracle:
    """A solver that answers again and again, and whose searches can be stopped.

    Solvers that can be interrupted run in a thread of their own, without Python's lock: Glucose heeds an interrupt only
    at its next restart, and is left behind. The others, CaDiCaL, are let go on for so many conflicts as take about
    `SLICE` seconds.
    """

    def __init__(self, name: str, stop: threading.Event, parameters: Mapping[str, int | float] | None = None) -> None:
        from pysat.solvers import Solver

        self._solver = Solver(_aliases()[name][0])
        self._stop = stop
        self._fixed: set[int] = set()
        self._conflicts = LEAST_CONFLICTS
        unstoppable = UNSTOPPABLE if name in CADICAL else {}
        for parameter, value in {**unstoppable, **(parameters or {})}.items():
            try:
                self._solver.configure({parameter: value})
            except (TypeError, OverflowError):
                raise InputError(f"sat:{name} does not take {value} for {parameter}") from None
        try:
            self._solver.clear_interrupt()
            self._search = self._search_until_interrupted
        except NotImplementedError:
            self._search = self._search_in_slices

    def add(self, clauses: Iterable[Sequence[int]]) -> None:
        rest = iter(clauses)
        while some := list(islice(rest, 1024)):
            if self._stop.is_set():
                raise Stopped
            self._solver.append_formula(some)
            self._fixed.update(clause[0] for clause in some if len(clause) == 1)

    def connect(self, propagator: Propagator, variables: Iterable[int]) -> None:
        """Have CaDiCaL show it the solutions, as far as these variables are concerned; before the first search."""
        self._solver.connect_propagator(propagator)
        for variable in variables:
            self.observe(variable)

    def observe(self, variable: int) -> None:
        """Show this variable, too; it must be new."""
        self._solver.observe(variable)

    def ignore(self, variable: int) -> None:
        """Show it no longer."""
        self._solver.ignore(variable)

    def delete(self) -> None:
        """Free its memory; it is not to be used any more."""
        self._solver.delete()

    def trace(self, file: IO[bytes]) -> None:
        """Have CaDiCaL write its proof to a file that is open for reading and writing; to be called before `add`.

        PySAT's own option, with_proof, comes before any parameter, so that the proof would be none in LRAT.
        """
        import pysolvers

        pysolvers.cadical195_tracepr(self._solver.solver.cadical, file)

    def solve(self, assumptions: Sequence[int]) -> Sequence[int] | None:
        """A model in which the assumptions hold, the true literal of variable i at i - 1; None if there is none.

        Raises `Stopped`, and does so from then on: the solver may still be at it.
        """
        return self._solver.get_model() if self.has_model(assumptions) else None

    def has_model(self, assumptions: Sequence[int], meanwhile: Callable[[], object] = lambda: None) -> bool:
        """Whether the assumptions hold in a model; ``meanwhile`` is called now and then. Raises as `solve`."""
        if self._stop.is_set():
            raise Stopped
        assumed = _assumed(assumptions, self._fixed)
        return assumed is not None and self._search(assumed, meanwhile)

    def core(self) -> list[int]:
        """Some of the last assumptions that already leave no model, where there was none."""
        return list(self._solver.get_core() or ())

    def prefer(self, literals: Sequence[int]) -> None:
        """Make these true where nothing speaks against it."""
        self._solver.set_phases(literals)

    @property
    def statistics(self) -> Mapping[str, int]:
        """Conflicts, decisions, propagations and restarts so far."""
        counts: dict[str, int] = self._solver.accum_stats()
        return counts

    def _search_until_interrupted(self, assumptions: Sequence[int], meanwhile: Callable[[], object]) -> bool:
        answer: Future[bool] = Future()
        solver = self._solver

        def search() -> None:
            try:
                answer.set_result(solver.solve_limited(assumptions, expect_interrupt=True))
            except BaseException as error:
                answer.set_exception(error)

        threading.Thread(target=search, daemon=True).start()
        while not self._stop.is_set():
            try:
                return answer.result(timeout=SLICE)
            except TimeoutError:
                meanwhile()
        solver.interrupt()
        raise Stopped

    def _search_in_slices(self, assumptions: Sequence[int], meanwhile: Callable[[], object]) -> bool:
        while not self._stop.is_set():
            began = time.perf_counter()
            self._solver.conf_budget(self._conflicts)
            answer: bool | None = self._solver.solve_limited(assumptions)
            if answer is not None:
                return answer
            conflicts = self._conflicts * min(2, SLICE / (time.perf_counter() - began))
            self._conflicts = max(LEAST_CONFLICTS, int(conflicts))
            meanwhile()
        raise Stopped


def _assumed(literals: Sequence[int], fixed: Collection[int]) -> list[int] | None:
    """What is to be assumed for these literals to hold where some are fixed; None where they cannot.

    Each literal once and none that is fixed: Glucose, and what was made of it, writes beyond its arrays when it is
    given more assumptions than it has variables.
    """
    distinct = dict.fromkeys(literals)
    if any(-literal in distinct or -literal in fixed for literal in distinct):
        return None
    return [literal for literal in distinct if literal not in fixed]


class Sat:
    """A model lowered to CNF, in a solver of PySAT; see `backend.Backend`.

    The seed, if it is not 0, shuffles the clauses.

    Raises `InputError` for what `lower` refuses, for a solver that is not offered and for parameters it does not have.
    """

    def __init__(
        self,
        model: CpModel,
        key: Sequence[int],
        stop: threading.Event,
        *,
        solver: str = "",
        seed: int = 0,
        parameters: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        import numpy as np

        solver = solver_name(solver or DEFAULT)
        self.name = f"sat:{solver}"
        checked = _checked(solver, parameters)
        self._new_oracle = partial(Oracle, solver, stop, checked)
        self._oracle = self._new_oracle()
        self._lowering = lower(model, stop)
        self._formula = self._lowering.formula
        self._projection = np.array(self._lowering.projection(key), np.int64)
        self._literal = cache(self._lowering.literal)
        self._held: list[int] = []
        of_constant = 1  # the constant true and its clause are ours, not the model's
        clauses = len(self._formula.clauses)
        self.size = {"variables": self._formula.variables - of_constant, "clauses": clauses - of_constant}
        self._seed, self._loaded = seed, 0
        self._load()
        self._stop = stop
        self._may_list = solver in LISTING
        self._first: list[NDArray[np.bool_]] = []
        self._listing: Listing | None = None
        self._spent: Mapping[str, int] = {}

    @property
    def statistics(self) -> Mapping[str, int]:
        return {unit: count + self._spent.get(unit, 0) for unit, count in self._oracle.statistics.items()}

    def _load(self) -> None:
        """Give the solver what the formula has that is new."""
        clauses = self._formula.clauses[self._loaded :]
        self._oracle.add(random.Random(self._seed).sample(clauses, len(clauses)) if self._seed else clauses)
        self._loaded += len(clauses)

    def optimum(self, improved: Callable[[Values], object] = ignored) -> int | None:
        """See `backend.Backend`. The objective's bits are decided one by one, the most significant first."""
        objective = self._lowering.objective
        assert objective is not None
        true = self._solve([])
        if true is None:
            return None
        improved(self._lowering.rows(true[:, None])[0])
        for bit in reversed(objective.bits):
            if _holds(true, bit):
                better = self._solve([*self._held, -bit])
                self._held.append(bit if better is None else -bit)
                if better is not None:
                    true = better
                    improved(self._lowering.rows(true[:, None])[0])
            else:
                self._held.append(-bit)
        return objective.value([v if holds else -v for v, holds in enumerate(true.tolist(), 1)])

    def enumerate(self, found: Callable[[Values], None], cube: Sequence[int] = ()) -> None:
        """See `backend.Backend`. What was seen is excluded while a variable of this call is assumed to be true."""
        here = self._formula.new()
        assumed = [*self._held, *self._lowering.booleans(cube)]
        excluded: list[list[int]] = []
        try:
            while self._listing is None and (true := self._solve([here, *assumed])) is not None:
                holds = _holds(true, self._projection)
                clause = [-here, *(-self._projection[holds]).tolist()]
                self._oracle.add([clause])
                found(self._lowering.rows(true[:, None])[0])
                if self._may_list:
                    excluded.append(clause)
                    self._first.append(holds)
                    if len(self._first) == FEW:
                        self._may_list = False
                        wait_for(self._stop, partial(self._prepare_listing, excluded))
            if self._listing is not None:
                self._list(self._listing, here, assumed, found)
        finally:
            self._oracle.add([[-here]])

    def _prepare_listing(self, excluded: Iterable[Sequence[int]]) -> None:
        """If the values of all variables follow from the key's, go on with a new solver that lists.

        It is given these clauses, besides the formula's.
        """
        from solvers.cnf.listing import Listing
        from solvers.cnf.propagation import ParallelPropagation

        propagation = ParallelPropagation(self._formula.clauses, self._formula.variables)
        listing = Listing(propagation, self._projection, self._lowering.rows, self._stop)
        if listing.follows(self._first):
            self._spent = self.statistics
            self._oracle.delete()
            self._oracle, self._loaded = self._new_oracle(), 0
            self._load()
            self._oracle.connect(listing, listing.observed)
            self._oracle.add(excluded)
            self._listing = listing
        self._first = []

    def _list(self, listing: Listing, here: int, assumed: Sequence[int], found: Callable[[Values], None]) -> None:
        self._load()
        self._oracle.observe(here)
        is_left = True
        try:
            while is_left:
                listing.begin(here, assumed, found)
                try:
                    is_left = self._oracle.has_model([here, *assumed], listing.tell)
                finally:
                    clauses, incomplete = listing.end()
                assert listing.shown or not is_left
                self._oracle.add(clauses)
                for literals in incomplete:
                    true = self._solve([*assumed, *literals])
                    assert true is not None
                    found(self._lowering.rows(true[:, None])[0])
        finally:
            self._oracle.ignore(here)

    def extend(self, assignments: Sequence[Mapping[int, int]]) -> list[Values | None]:
        """See `backend.Backend`."""
        literals = ([self._literal(variable, value) for variable, value in fixed.items()] for fixed in assignments)
        solved = map(self._solve, literals)
        return [None if true is None else self._lowering.rows(true[:, None])[0] for true in solved]

    def _solve(self, assumptions: Sequence[int]) -> NDArray[np.bool_] | None:
        """Whether each variable is true in a model of the formula; those that the solver has not heard of are not."""
        import numpy as np

        self._load()
        model = self._oracle.solve(assumptions)
        if model is None:
            return None
        true = np.zeros(max(self._formula.variables, len(model)), np.bool_)
        true[: len(model)] = np.fromiter(model, np.int64, len(model)) > 0
        return true


def _holds(true: NDArray[np.bool_], literals: Any) -> Any:
    """Whether literals hold where variables are true."""
    return true[abs(literals) - 1] == (literals > 0)


class Cores:
    """Says which of some assumptions contradict a model. Assumptions are literals of its formula.

    >>> from ortools.sat.python.cp_model import CpModel
    >>> model = CpModel()
    >>> a, b, c = (model.new_bool_var(name) for name in "abc")
    >>> _ = model.add_bool_or(~a, b)
    >>> cores = Cores(model, threading.Event())
    >>> asked = [cores.literal(a.index, 1), cores.literal(b.index, 0), cores.literal(c.index, 1)]
    >>> cores.true(asked), sorted(cores.core()) == sorted(asked[:2])
    (None, True)
    """

    def __init__(self, model: CpModel, stop: threading.Event) -> None:
        self._sat = Sat(model, (), stop)
        self._assumed: Sequence[int] = ()

    def literal(self, variable: int, value: int) -> int:
        """True iff the variable of the model has the value."""
        return self._sat._literal(variable, value)

    def prefer(self, literals: Sequence[int]) -> None:
        """Make these true where nothing speaks against it."""
        self._sat._oracle.prefer(literals)

    def true(self, assumptions: Sequence[int]) -> set[int] | None:
        """The literals that are true in some model in which the assumptions hold; None if there is none."""
        self._assumed = assumptions
        true = self._sat._solve(assumptions)
        if true is None:
            return None
        return {number if holds else -number for number, holds in enumerate(true.tolist(), 1)}

    def core(self) -> list[int]:
        """Some of the last assumptions that contradict each other, where they do."""
        assumed = _assumed(self._assumed, self._sat._oracle._fixed)
        if assumed is None:  # one of them is false by itself, or two contradict each other
            fixed, distinct = self._sat._oracle._fixed, set(self._assumed)
            false = [literal for literal in distinct if -literal in fixed]
            return false[:1] or next([literal, -literal] for literal in distinct if -literal in distinct)
        return self._sat._oracle.core()


class Propagation:
    """Unit propagation on a lowered model, by MiniSat, as PySAT's CaDiCaL offers none.

    >>> from ortools.sat.python.cp_model import CpModel
    >>> model = CpModel()
    >>> a, b = model.new_bool_var("a"), model.new_bool_var("b")
    >>> _ = model.add_bool_or(~a, b)
    >>> sorted(Propagation(model, [a.index, b.index], threading.Event()).implied((0,)))
    [0, 1]
    """

    def __init__(self, model: CpModel, key: Iterable[int], stop: threading.Event) -> None:
        from pysat.solvers import Solver

        self._stop = stop
        self._lowering = lower(model, stop)
        self._key: dict[int, list[int]] = {}
        for variable in key:
            literal = self._lowering.boolean(variable)
            self._key.setdefault(literal, []).append(variable)
            self._key.setdefault(-literal, []).append(-variable - 1)
        self._literals = frozenset(self._key)
        formula = self._lowering.formula
        # PySAT leaves out what follows from nothing, so unit clauses hold under an assumption.
        self._always = formula.variables + 1
        clauses = ([-self._always, *clause] if len(clause) == 1 else clause for clause in formula.clauses)
        self._solver = Solver("minisat22", bootstrap_with=clauses)

    def implied(self, literals: Sequence[int]) -> set[int] | None:
        """The literals of the key that follow from these, themselves among them; None if they contradict each other."""
        if self._stop.is_set():
            raise Stopped
        assumed = _assumed(self._lowering.booleans(literals), {TRUE})
        if assumed is None:
            return None
        consistent, implied = self._solver.propagate([self._always, *assumed])
        if not consistent:
            return None
        of_key = self._literals.intersection([*assumed, *implied])  # of thousands a few, as a rule
        return {reference for literal in of_key for reference in self._key[literal]}


def enumerate_parts(
    parts: Iterable[Subcover],
    most: float,
    stop: threading.Event,
    *,
    solver: str,
    seed: int,
    parameters: Mapping[str, str],
) -> Iterator[tuple[list[list[int]], Mapping[str, int]]]:
    """Of each small exact cover its solutions, each the options chosen, and what the search took.

    Raises `Stopped` once the event is set or one of them has more solutions than so many.

    Straight in clauses, a new solver for each: for 25 options a model and its lowering take 1.6 ms, this takes 0.2.
    """
    from pysat.card import CardEnc, EncType

    name = solver_name(solver or DEFAULT)
    checked = _checked(name, parameters)
    for part in parts:
        oracle = Oracle(name, stop, checked)
        oracle.add([option + 1 for option in item] for item in part.items)
        oracle.add((~part.apart).tolist())
        options = top = len(part.literals)
        for counted, low, high in part.counts:
            literals = [option + 1 for option in counted]
            if low > len(literals):
                oracle.add([[1], [-1]])
                continue
            for encode, bound in ((CardEnc.atleast, low), (CardEnc.atmost, high)):
                encoded = encode(literals, bound, top_id=top, encoding=EncType.totalizer)
                oracle.add(encoded.clauses)
                top = max(top, encoded.nv)
        chosen = AtMost(most)
        while (model := oracle.solve([])) is not None:
            chosen.append([literal - 1 for literal in model if 0 < literal <= options])
            oracle.add([[-option - 1 for option in chosen[-1]]])
        yield chosen, oracle.statistics


def _checked(solver: str, parameters: Mapping[str, str]) -> dict[str, int | float]:
    checked: dict[str, int | float] = {}
    for name, value in parameters.items():
        if name not in (known := PARAMETERS.get(solver, ())):
            raise InputError(f"sat:{solver} has no parameter {name!r}; it has {', '.join(known) or 'none'}")
        try:
            number = float(value)
            checked[name] = int(number) if number == int(number) else number
        except (ValueError, OverflowError):
            raise InputError(f"sat:{solver} takes a number for {name}, not {value!r}") from None
    return checked
