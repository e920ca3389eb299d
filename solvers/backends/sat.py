"""The backend of PySAT's solvers.

A lowered model is solved again and again, each time without the keys seen before.

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
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from functools import cache, partial
from itertools import islice
from typing import IO, TYPE_CHECKING, Any

from solvers.backends.protocol import Task, ignore
from solvers.base.backend_rows import CLAUSES, READING
from solvers.base.deadline import start_in_thread, wait_for
from solvers.base.errors import InputError, Stopped
from solvers.base.tuning import TUNING
from solvers.base.values import Values
from solvers.cnf.gates import TRUE
from solvers.cnf.lower import lower

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from ortools.sat.python.cp_model import CpModel
    from pysat.engines import Propagator

    from solvers.backends.implied import Exclusions
    from solvers.cnf.listing import Listing
    from solvers.cnf.lower import Lowering
    from solvers.model.exact_cover import ExactCover

SEE_LIST = "see python -m solvers.run --list-backends"
"""The end of messages about names of SAT solvers."""

DEFAULT = "cadical195"
"""The solver of PySAT that the backend `sat` uses if none is named."""

SOLVER_SLICE_SECONDS = 0.1
"""Seconds for which a solver that cannot be interrupted is let go on."""

MIN_SLICE_CONFLICTS = 10
"""The fewest conflicts of a slice, so that the solver does not spend all its time on restarting."""

UNSTOPPABLE = {"lucky": 0, "preprocesslight": 0}
"""What CaDiCaL does without counting conflicts, for seconds if the model is large.

CaDiCaL takes no notice of names that it does not know.
"""

CADICAL = ("cadical153", "cadical195", "cadical300")
"""The versions of CaDiCaL."""

PARTITIONS_TRIED = 20
"""The number of items from each of which a set of items that share no option is sought."""

LISTING = ("cadical195", "cadical300")
"""Solvers that a `Listing` can be connected to."""

OF_COVERS = {"bump": 0, "forcephase": 1, "inprocessing": 0, "reducetarget": 95}
"""What CaDiCaL is told where the model is an exact cover: to choose an option at each decision, never to leave one out,
of the variables in their order, the last first; not to simplify clauses in between, and to forget most of what it
learns. On 6x10 that halves the time."""

CLAUSES_PER_BATCH = 4096
"""The number of clauses that are turned from an array into lists at once."""

PARAMETERS: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(
        CADICAL,
        (
            "block bump bumpreason chrono chronoalways condition cover decompose deduplicate eagersubsume elim "
            "flush forcephase inprocessing instantiate lucky minimize phase probe reduce reduceint "
            "reducetarget rephase rephaseint restart restartint reverse score seed shrink shuffle stabilize "
            "stabilizeonly subsume target ternary transred vivify walk"
        ).split(),
    ),
    "ergo": ("ccmin-mode", "cla-decay", "min-learnts", "phase-saving", "restart-first", "restart-inc", "var-decay"),
    "glucose42": ("rnd-first-descent", "rnd-freq", "rnd-init-act", "rnd-pol", "rnd-seed"),
}
"""What a solver can be given: CaDiCaL's src/options.hpp, where 1.5.3, 1.9.5 and 3.0.0 agree; else pysat.solvers."""


def capabilities() -> dict[str, str]:
    """Return, for each solver that PySAT knows, why it is not offered.

    The text is empty if it is offered.
    """
    return {name: _flaw_of_solver(name) for name in _aliases_by_solver()}


def solver_name(name: str) -> str:
    """Return the name under which PySAT lists a SAT solver, such as "glucose42" for "g42" or "Glucose42".

    name: this name or one of PySAT's aliases of it, in any case. Raises `InputError` if there is no such solver, or if
    it is not offered because it has a flaw (`_flaw_of_solver`).
    """
    name_by_alias = {alias: listed for listed, aliases in _aliases_by_solver().items() for alias in (listed, *aliases)}
    if name.lower() not in name_by_alias:
        nearest = difflib.get_close_matches(name.lower(), name_by_alias, 1, cutoff=0.7)
        hint = f"did you mean {name_by_alias[nearest[0]]}? " if nearest else ""
        raise InputError(f"there is no SAT solver {name!r}; {hint}{SEE_LIST}")
    canonical: str = name_by_alias[name.lower()]
    if flaw := _flaw_of_solver(canonical):
        raise InputError(f"the SAT solver {canonical} {flaw}; choose another: {SEE_LIST}")
    return canonical


@cache
def _aliases_by_solver() -> Mapping[str, Sequence[str]]:
    """Return, for each solver that PySAT knows, all names by which PySAT takes it."""
    from pysat.solvers import SolverNames

    # `SolverNames` has an attribute for each solver: the tuple of its names.
    return {name: aliases for name, aliases in vars(SolverNames).items() if not name.startswith("_")}


@cache
def _flaw_of_solver(name: str) -> str:
    """Return the flaw of the solver with this name as the end of a sentence, such as "cannot be stopped".

    The result is empty if the solver has none: if it counts the solutions of a small formula correctly, with and
    without assumptions. The formula has 2 * 3 solutions in the variables 1 to 4. Variables 5 and 6 are in no clause.
    The clauses that exclude a solution found all have the literal -7, so that they hold only where 7 is assumed.
    """
    if name == "cryptosat" and importlib.util.find_spec("pycryptosat") is None:
        return "needs the package pycryptosat"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            oracle = Oracle(name, threading.Event())
            oracle.add([[1, 2], [-1, -2], [3, 4]])
            if oracle.solve([1, 2]) is not None:  # the clause [-1, -2] forbids that
                return "ignores assumptions"
            model = oracle.solve([1, 6])  # for each variable from 1 to 6, its true literal
            if model is None or [abs(literal) for literal in model] != [1, 2, 3, 4, 5, 6] or model[5] != 6:
                return "leaves variables out of its models"
            count = 0
            while count < 7 and (model := oracle.solve([7])) is not None:
                oracle.add([[-7, *(-literal for literal in model[:4])]])
                count += 1
            # Without 7, no solution is excluded.
            return "" if count == 6 and oracle.solve([-7]) is not None else "loses count"
        except (NotImplementedError, TypeError):  # TypeError: PySAT gives CryptoMiniSat no time limit as None
            return "cannot be stopped"


@cache
def can_list(name: str) -> bool:
    """Tell whether one search of a solver shows each solution of a small formula to a propagator once.

    The propagator is a `Listing`, which reports each solution that the solver shows and has the solver go on. That
    needs more of PySAT than other searches do, and PySAT's versions differ. name: the solver's name in PySAT.
    """
    import numpy as np

    from solvers.cnf.listing import Listing
    from solvers.cnf.propagation import ParallelPropagation

    clauses = [[1, 2], [-1, -2], [3, 4]]  # 2 times 3 solutions
    here = 5  # the variable that is assumed to be true, so that the clauses that exclude solutions hold
    stop = threading.Event()
    solutions: list[Values] = []
    try:
        oracle = Oracle(name, stop)
        # The solutions are told apart by the literals 1 to 4; a solution is reported as the truth values of these.
        listing = Listing(ParallelPropagation(clauses, 4), np.arange(1, 5), lambda true: true.T, stop)
        oracle.connect(listing, listing.observed)
        oracle.add(clauses)
        oracle.observe(here)
        listing.begin(here, (), solutions.append)
        is_left = oracle.has_model([here])
        listing.end()
    except (AttributeError, NotImplementedError, TypeError):
        return False
    return not is_left and len(solutions) == len({tuple(row) for row in solutions}) == 6  # all six, none twice


class Oracle:
    """A SAT solver that can be asked many times, and whose searches can be stopped.

    Literals are those of the formula: variable i is i, its negation -i, as in DIMACS.

    A solver that can be interrupted runs in a thread of its own, without Python's lock. Glucose notices an interrupt
    only at its next restart, so it is left running. CaDiCaL cannot be interrupted: it searches in slices of about
    `SOLVER_SLICE_SECONDS` seconds of the processor, measured in conflicts.
    """

    def __init__(self, name: str, stop: threading.Event, parameters: Mapping[str, int | float] | None = None) -> None:
        """Make the solver of this name, without clauses.

        stop: ends searches when set. parameters: numbers by name, or None for the solver's own. Raises `InputError` if
        the solver does not take one of these values.
        """
        from pysat.solvers import Solver

        self._solver = Solver(_aliases_by_solver()[name][0])
        self._stop = stop
        self._asking = threading.Lock()
        self._is_searching = False
        """Whether CaDiCaL may be searching, so that it must not be asked for its figures."""
        self._figures_so_far: Mapping[str, int] = {}
        self._read_figures()
        self.fixed: set[int] = set()
        """The literals that clauses of one literal make true in every model."""
        self._conflicts = MIN_SLICE_CONFLICTS
        """The number of conflicts of the next slice."""
        unstoppable = UNSTOPPABLE if name in CADICAL else {}
        for parameter, value in {**unstoppable, **(parameters or {})}.items():
            try:
                self._solver.configure({parameter: value})
            except (TypeError, OverflowError):
                raise InputError(f"sat:{name} does not take {value} for {parameter}") from None
        try:
            self._solver.clear_interrupt()
            self._search = self._search_until_interrupted
        except NotImplementedError:  # it cannot be interrupted
            self._search = self._search_in_slices

    def add(self, clauses: Iterable[Sequence[int]]) -> None:
        """Add clauses, as lists of DIMACS literals, to the solver.

        Raises `Stopped` once the event given to the constructor is set.
        """
        remaining = iter(clauses)
        while clauses_at_once := list(islice(remaining, 1024)):  # so many between two looks at the event
            if self._stop.is_set():
                raise Stopped
            self._solver.append_formula(clauses_at_once)
            self.fixed.update(clause[0] for clause in clauses_at_once if len(clause) == 1)

    def connect(self, propagator: Propagator, variables: Iterable[int]) -> None:
        """Connect a propagator to CaDiCaL, before the first search.

        CaDiCaL calls its methods during searches. variables: the variables whose values CaDiCaL shows to it.
        """
        self._solver.connect_propagator(propagator)
        for variable in variables:
            self.observe(variable)

    def observe(self, variable: int) -> None:
        """Show this variable to the connected propagator, too; the solver must not have used it before."""
        self._solver.observe(variable)

    def ignore(self, variable: int) -> None:
        """Show this variable to the connected propagator no longer."""
        self._solver.ignore(variable)

    def delete(self) -> None:
        """Free the solver's memory; it must not be used after that."""
        with self._asking:
            self._solver.delete()

    def trace(self, file: IO[bytes]) -> None:
        """Have CaDiCaL write its proof to a file that is open for reading and writing; call this before `add`.

        It calls PySAT's C module itself: with PySAT's own option, with_proof, CaDiCaL opens the proof before it gets
        its parameters, and so not in the format LRAT that they ask for. Raises `InputError` if this version of PySAT
        lacks the call.
        """
        import pysolvers

        if not hasattr(pysolvers, "cadical195_tracepr"):
            raise InputError("this version of python-sat writes no proofs; install one that pyproject.toml names")
        pysolvers.cadical195_tracepr(self._solver.solver.cadical, file)

    def solve(self, assumptions: Sequence[int]) -> Sequence[int] | None:
        """Return a model in which the assumptions, literals, are true; None if there is none.

        Entry i - 1 of the model is i or -i, the literal of variable i that is true.

        Raises `Stopped` once the event is set. After that, every call does so, as the solver may still be running.
        """
        return self._solver.get_model() if self.has_model(assumptions) else None

    def has_model(self, assumptions: Sequence[int], meanwhile: Callable[[], object] = lambda: None) -> bool:
        """Tell whether there is a model in which the assumptions, literals, are true.

        meanwhile: called now and then during the search.

        Raises `Stopped` once the event is set; after that, every call does so.
        """
        if self._stop.is_set():
            raise Stopped
        assumed = assumptions_for(assumptions, self.fixed)  # without repeats and literals that are fixed
        if assumed is None:  # they contradict each other or a fixed literal
            return False
        try:
            return self._search(assumed, meanwhile)
        finally:
            self._is_searching = False

    def core(self) -> list[int]:
        """Return assumptions of the last call, not necessarily all, that no model satisfies together.

        It may only be called if that call found no model. The list is empty if there is no model without assumptions
        either.
        """
        return list(self._solver.get_core() or ())

    def prefer(self, literals: Sequence[int]) -> None:
        """Set the values that the solver tries first: those that make these literals true."""
        self._solver.set_phases(literals)

    @property
    def statistics(self) -> Mapping[str, int]:
        """The numbers of conflicts, decisions, propagations and restarts so far, by name; any thread may ask.

        CaDiCaL ends the process if it is asked while it searches, so that its figures are those of the last slice then.
        """
        with self._asking:
            if not self._is_searching:
                self._read_figures()
            return self._figures_so_far

    def _read_figures(self) -> None:
        """Read the figures so far of the solver, if it has some: Kissat has none."""
        with suppress(NotImplementedError):
            self._figures_so_far = self._solver.accum_stats() or {}

    def _search_until_interrupted(self, assumptions: Sequence[int], meanwhile: Callable[[], object]) -> bool:
        """Search in a thread; return whether there is a model in which the assumptions, literals, are true.

        meanwhile: called every `SOLVER_SLICE_SECONDS`. Once the event is set, it interrupts the solver, does not wait
        for it, and raises `Stopped`.
        """
        answer: Future[bool] = start_in_thread(partial(self._solver.solve_limited, assumptions, expect_interrupt=True))
        while not self._stop.is_set():
            if wait([answer], SOLVER_SLICE_SECONDS).done:
                return answer.result()
            meanwhile()
        self._solver.interrupt()
        raise Stopped

    def _search_in_slices(self, assumptions: Sequence[int], meanwhile: Callable[[], object]) -> bool:
        """Search in slices of about `SOLVER_SLICE_SECONDS` each; return whether there is a model.

        A slice is a search that ends after a number of conflicts; the solver keeps what it has learned. assumptions:
        literals that are true in the model. meanwhile: called after each slice. Raises `Stopped` once the event is set.
        """
        with self._asking:
            self._is_searching = True
        while not self._stop.is_set():
            began = time.thread_time()
            self._solver.conf_budget(self._conflicts)
            answer: bool | None = self._solver.solve_limited(assumptions)  # None if the conflicts were used up
            if answer is not None:
                return answer
            self._read_figures()
            # The next slice has as many conflicts as should take the set time, but at most twice as many as this one.
            spent = max(time.thread_time() - began, 1e-6)  # processor time: the same on a busy machine
            conflicts = self._conflicts * min(2, SOLVER_SLICE_SECONDS / spent)
            self._conflicts = max(MIN_SLICE_CONFLICTS, int(conflicts))
            meanwhile()
        raise Stopped


def assumptions_for(literals: Sequence[int], fixed: Collection[int]) -> list[int] | None:
    """Return the literals to assume so that all of ``literals`` hold; None if they cannot all hold.

    fixed: the literals that are true in every model.

    No literal is repeated, and none that is fixed is included: Glucose and solvers made from it write beyond their
    arrays when they are given more assumptions than they have variables.
    """
    distinct = dict.fromkeys(literals)
    if any(-literal in distinct or -literal in fixed for literal in distinct):
        return None
    return [literal for literal in distinct if literal not in fixed]


class ByClauses(ABC):
    """A backend that asks a SAT solver for models of a lowered model, with literals that hold."""

    def __init__(self, lowering: Lowering, task: Task) -> None:
        """Begin without what is known of the best value; lowering: the formula of the task's model."""
        self.lowering = lowering
        self.stop = task.stop
        self.literal = cache(lowering.literal)
        self.held: list[int] = []
        """The literals of the formula that hold the objective to its best value."""

    @abstractmethod
    def solve(self, assumptions: Sequence[int]) -> NDArray[np.bool_] | None:
        """Return, for each variable of the formula, whether it is true in a model; None if there is no model.

        assumptions: literals of the formula that have to hold. Variables that the solver does not know are False.
        Raises `Stopped` once the event is set.
        """

    def optimum(self, improved: Callable[[Values], object] = ignore) -> int | None:
        """Return the least value of the objective, and hold the model to it; see `Backend.optimum`.

        It is None if there is no solution. improved: called with the values of all variables in each better solution.

        The objective is a `Binary` number of the formula: its bits are literals. They are decided one by one, the most
        significant first: a bit is 0 in the optimum iff there is a solution in which it is 0, and the bits before are
        as decided. The literals of the decided bits are kept in `held`, and so hold all later searches to the optimum.
        """

        def note_better(true: NDArray[np.bool_]) -> None:
            """Call ``improved`` with a better solution; true: for each variable of the formula, whether it is true."""
            improved(self.lowering.rows(true[:, None])[0])  # the values of the model's variables

        objective = self.lowering.objective
        assert objective is not None
        true = self.solve([])
        if true is None:
            return None
        note_better(true)
        for bit in reversed(objective.bits):
            if literal_truths(true, bit):  # else the best solution so far shows that it can be 0
                better = self.solve([*self.held, -bit])
                self.held.append(bit if better is None else -bit)
                if better is not None:
                    true = better
                    note_better(true)
            else:
                self.held.append(-bit)
        true_literals = [v if holds else -v for v, holds in enumerate(true.tolist(), 1)]
        return objective.value(true_literals)

    def extend(self, assignments: Sequence[Mapping[int, int]]) -> list[Values | None]:
        """Return, for each assignment, a solution that agrees with it, or None; see `Backend.extend`.

        assignments: the values of some variables in each, by proto index.
        """
        # The literals of the formula that say "variable has value".
        literals = ([self.literal(variable, value) for variable, value in fixed.items()] for fixed in assignments)
        models = map(self.solve, literals)
        return [None if true is None else self.lowering.rows(true[:, None])[0] for true in models]


class Sat(ByClauses):
    """The backend `sat`, a model lowered to CNF in a solver of PySAT.

    See `solvers.backends.protocol.Backend`. The seed, if it is not 0, shuffles the clauses.

    Raises `InputError` for what `lower` refuses, for a solver that is not offered and for parameters it does not have.
    """

    def __init__(self, task: Task) -> None:
        """Make the backend ready for a task; raise `InputError` for a model or a parameter that it does not take.

        If the model is an exact cover that implies exclusions (pairs of options that are not chosen together), each
        pair becomes a clause, in place of what the model's at-most-ones and exactly-ones say of pairs.
        """
        import numpy as np

        from solvers.backends.implied import exclusions

        model, stop, cover = task.model, task.stop, task.cover
        solver = solver_name(task.solver or DEFAULT)
        self.name = f"sat:{solver}"
        parameters = _parameter_numbers(solver, task.parameters)
        implied = exclusions(cover)  # None if the model is no such cover
        choices: list[list[int]] = []  # the literals of each exactly-one
        order: list[int] = []  # the variables in the order in which the formula numbers them
        if cover and implied:
            order = _rarest_last(cover)
            model, choices = _without_choices(model)
            parameters = {**(OF_COVERS if solver in CADICAL else {}), **parameters}  # those of the user come last
        self._new_oracle = partial(Oracle, solver, stop, parameters)
        self.oracle = self._new_oracle()
        lowering = None if implied else task.lowering  # that of the task says the at-most-ones, too
        super().__init__(lowering or lower(model, stop, order=order), task)
        self._formula = self.lowering.formula
        self._formula.choices += map(self.lowering.booleans, choices)
        self._pairs = self._exclusion_clauses(implied) if implied else np.zeros((0, 2), np.int64)
        """The clauses of two literals that say the exclusions."""
        self._projection = np.array(self.lowering.projection(task.key), np.int64)
        """Literals of the formula; which of them are true tells the solutions apart."""
        self.implied = implied.size if implied else {}
        self.rests_on = [READING, CLAUSES]
        self.size = {**self.lowering.size, "clauses": self.lowering.size["clauses"] + len(self._pairs)}
        self._seed, self._loaded = task.seed, 0  # how many clauses of the formula the solver has
        self._load()
        self._may_list, self._solver_name = solver in LISTING, solver
        self._first: list[NDArray[np.bool_]] = []
        """Which literals of the key are true in each solution so far, until it is decided whether to list."""
        self._listing: Listing | None = None
        """What reports solutions during one search, once the solver is connected to it."""
        self._spent: Mapping[str, int] = {}
        """The figures of the solver that was replaced."""

    @property
    def can_go_on(self) -> bool:
        """True if its solver ends where it is told to stop, and does not run on; see `Backend.can_go_on`."""
        return self._solver_name in CADICAL

    @property
    def statistics(self) -> Mapping[str, int]:
        """The figures of all searches, by name, also of solvers that were replaced; see `Backend.statistics`."""
        return {unit: count + self._spent.get(unit, 0) for unit, count in self.oracle.statistics.items()}

    def _exclusion_clauses(self, implied: Exclusions) -> NDArray[np.int64]:
        """Return a clause for each pair of options that exclude each other, as an array of shape (pairs, 2).

        implied: the exclusions that the exact cover implies, in literals of the model. The options that it rules out
        are made false by clauses of the formula. At the end all these clauses are compared with ``implied``, by code
        that did not make them.
        """
        import numpy as np

        from solvers.checks.covers import check_excluding_clauses

        pairs, units = implied.pairs, [[-self.lowering.boolean(literal)] for literal in implied.ruled_out]
        for unit in units:
            self._formula.add(unit)
        variables = int(np.abs(pairs).max(initial=0)) + 1
        model_literals = np.flatnonzero(np.bincount(pairs.ravel() + variables)) - variables  # each once
        formula_literals = np.zeros(2 * variables, np.int64)  # literal l of the model is at the place l + variables
        formula_literals[model_literals + variables] = self.lowering.booleans(model_literals.tolist())
        clauses: NDArray[np.int64] = -formula_literals[pairs + variables]
        every_literal = {*implied.ruled_out, *model_literals.tolist()}
        numbers = {literal: self.lowering.boolean(literal) for literal in every_literal}  # the formula's literals
        check_excluding_clauses(clauses, numbers, pairs, implied.ruled_out)
        check_excluding_clauses(np.array(units, np.int64).reshape(-1, 1), numbers, pairs, implied.ruled_out)
        return clauses

    def _load(self) -> None:
        """Give the solver the clauses of the formula that it does not have yet, shuffled if there is a seed.

        A new solver gets the clauses of the exclusions, too, some thousands of rows of their array at a time.
        """
        if not self._loaded:
            starts = range(0, len(self._pairs), CLAUSES_PER_BATCH)
            self.oracle.add(
                clause for start in starts for clause in self._pairs[start : start + CLAUSES_PER_BATCH].tolist()
            )
        clauses = self._formula.clauses[self._loaded :]
        self.oracle.add(random.Random(self._seed).sample(clauses, len(clauses)) if self._seed else clauses)
        self._loaded += len(clauses)

    def enumerate(self, report: Callable[[Values], None], cube: Sequence[int] = ()) -> None:
        """Call ``report`` for each assignment of the key in the cube; see `Backend.enumerate`.

        report: called with the values of all variables. cube: literals that hold, in the proto's convention.

        The solver is asked for one solution after another; a clause excludes each one found. These clauses hold only
        while ``here``, a new variable of this call, is assumed to be true. After `Tuning.solutions_before_listing`
        solutions one search lists the others, if that is possible; not if exclusions of an exact cover are among the
        clauses and the solver had many conflicts so far.
        """
        here = self._formula.add_variable()
        assumed = [*self.held, *self.lowering.booleans(cube)]
        excluded: list[list[int]] = []  # the clauses that exclude the solutions found
        most = TUNING.solutions_before_listing
        try:
            while self._listing is None and (true := self.solve([here, *assumed])) is not None:
                holds = literal_truths(true, self._projection)
                clause = [-here, *(-self._projection[holds]).tolist()]  # another solution has other true literals
                self.oracle.add([clause])
                report(self.lowering.rows(true[:, None])[0])
                if self._may_list:
                    excluded.append(clause)
                    self._first.append(holds)
                    if len(self._first) == most:
                        self._may_list = False
                        conflicts = self.statistics["conflicts"]
                        if not self.implied or conflicts < TUNING.max_conflicts_before_listing:
                            wait_for(self.stop, partial(self._prepare_listing, excluded))
            if self._listing is not None:
                self._list_in_one_search(self._listing, here, assumed, report)
        finally:
            self.oracle.add([[-here]])  # from now on, the clauses that exclude solutions require nothing

    def first(self, assumed: Sequence[int], most: int, choices: Iterable[Sequence[int]] = ()) -> list[Values]:
        """Return the values of all variables in at most ``most`` solutions; if these are fewer, there are no others.

        assumed: literals of the formula that are true in them. choices: lists of literals of the formula; of each list
        at least one is true. Clauses that this call adds require nothing after it. Raises `Stopped` once the event is
        set.
        """
        here = self._formula.add_variable()  # the clauses of this call hold only while it is assumed to be true
        solutions: list[Values] = []
        try:
            self.oracle.add([-here, *choice] for choice in choices)
            while len(solutions) < most and (true := self.solve([here, *assumed])) is not None:
                solutions.append(self.lowering.rows(true[:, None])[0])
                true_literals = self._projection[literal_truths(true, self._projection)]
                self.oracle.add([[-here, *(-true_literals).tolist()]])  # excludes this solution
        finally:
            self.oracle.add([[-here]])
        return solutions

    def _prepare_listing(self, excluded: Iterable[Sequence[int]]) -> None:
        """Replace the solver by one that reports solutions during one search, if that is possible.

        It is possible if the solver can do that (`can_list`), and if, in the solutions found so far, the values of all
        variables follow by unit propagation from those of the key. excluded: the clauses that exclude the solutions
        found; the new solver gets them and those of the formula.
        """
        from solvers.cnf.listing import Listing
        from solvers.cnf.propagation import ParallelPropagation

        propagation = ParallelPropagation(self._formula.clauses, self._formula.variables)
        listing = Listing(propagation, self._projection, self.lowering.rows, self.stop)
        if can_list(self._solver_name) and listing.follows(self._first):
            self._spent = self.statistics  # of the old solver
            self.oracle.delete()
            self.oracle, self._loaded = self._new_oracle(), 0
            self._load()
            self.oracle.connect(listing, listing.observed)
            self.oracle.add(excluded)
            self._listing = listing
        self._first = []

    def _list_in_one_search(
        self, listing: Listing, here: int, assumed: Sequence[int], report: Callable[[Values], None]
    ) -> None:
        """List the remaining solutions in one search of CaDiCaL; call ``report`` with each.

        listing: the propagator that reports solutions to ``report`` during the search. here: the literal on which the
        clauses depend that exclude solutions; it is true in this search only. assumed: the literals that hold in the
        cube. Raises `Stopped` once the event is set.

        The search pauses where too many solutions have values that do not follow from the key by unit propagation.
        These solutions are completed by the solver, one by one, and then the search goes on.
        """
        self._load()
        self.oracle.observe(here)
        is_left = True
        try:
            while is_left:
                listing.begin(here, assumed, report)
                try:
                    is_left = self.oracle.has_model([here, *assumed], listing.report_solutions)
                finally:
                    # The clause that excludes the last solution, and the key's literals of the incomplete solutions.
                    clauses, incomplete = listing.end()
                assert listing.shown or not is_left  # or else the search would go on for ever
                self.oracle.add(clauses)
                for literals in incomplete:
                    true = self.solve([*assumed, *literals])
                    assert true is not None
                    report(self.lowering.rows(true[:, None])[0])
        finally:
            self.oracle.ignore(here)

    def solve(self, assumptions: Sequence[int]) -> NDArray[np.bool_] | None:
        """Return, for each variable of the formula, whether it is true in a model; None if there is no model.

        assumptions: literals of the formula that have to hold. Variables that the solver does not know are False.
        Raises `Stopped` once the event is set.
        """
        import numpy as np

        self._load()
        model = self.oracle.solve(assumptions)
        if model is None:
            return None
        true = np.zeros(max(self._formula.variables, len(model)), np.bool_)
        true[: len(model)] = np.fromiter(model, np.int64, len(model)) > 0
        return true


def _rarest_last(cover: ExactCover) -> list[int]:
    """Return the variables of a cover ordered by items, those of items with few options last.

    If some items share no option and together have all options, as the pieces on a board, only these items set the
    order. Such a set is sought greedily, from each of the `PARTITIONS_TRIED` items with most options.
    """
    items = sorted(cover.items, key=len, reverse=True)
    order = dict.fromkeys(range(cover.variables))  # a dictionary as an ordered set
    options = len(set().union(*items))
    for first in items[:PARTITIONS_TRIED]:
        disjoint_items, options_of_items = [first], set(first)
        for item in items:
            if options_of_items.isdisjoint(item):
                disjoint_items.append(item)
                options_of_items.update(item)
        if len(options_of_items) == options:
            items = sorted(disjoint_items, key=len, reverse=True)
            break
    for item in items:
        for option in item:
            if option < cover.variables:  # no slack option
                del order[option]  # so that it is put last
                order[option] = None
    return list(order)


def _without_choices(model: CpModel) -> tuple[CpModel, list[list[int]]]:
    """Return (model, choices): a copy without its at-most-ones, and the literals of each exactly-one.

    In the copy an exactly-one says only that at least one literal is true. That no two are true, the caller has to add
    as clauses for pairs. Constraints with enforcement literals stay as they are.
    """
    copy_of_model, choices = model.clone(), list[list[int]]()
    for constraint in copy_of_model.proto.constraints:
        if constraint.enforcement_literal:
            continue
        if constraint.has_exactly_one():
            choices.append(list(constraint.exactly_one.literals))
            constraint.clear_exactly_one()
            constraint.bool_or.literals.extend(choices[-1])
        elif constraint.has_at_most_one():
            constraint.clear_at_most_one()
    return copy_of_model, choices


def literal_truths(true: NDArray[np.bool_], literals: Any) -> Any:
    """Tell whether literals of the formula hold, one or an array of them.

    true: for each variable of the formula, from variable 1 on, whether it is true.
    """
    return true[abs(literals) - 1] == (literals > 0)


class ClausePropagation:
    """Unit propagation on clauses, by MiniSat."""

    def __init__(self, clauses: Sequence[Sequence[int]]) -> None:
        """Load the clauses."""
        from pysat.solvers import Solver

        self._solver = Solver("minisat22", bootstrap_with=clauses)

    def derive(self, assumptions: Sequence[int]) -> tuple[bool, set[int]]:
        """Return (whether there is no contradiction, the literals that follow from these by unit propagation)."""
        is_consistent, implied = self._solver.propagate([*dict.fromkeys(assumptions)])  # each literal once
        return bool(is_consistent), set(implied)

    def core(self, assumptions: Sequence[int]) -> list[int]:
        """Return some of these literals from which unit propagation derives a contradiction; it does from all."""
        is_consistent = self._solver.solve(assumptions=[*dict.fromkeys(assumptions)])
        assert not is_consistent
        return list(self._solver.get_core())

    def add(self, literal: int) -> None:
        """Add a clause of one literal. `derive` returns neither this literal nor what follows from it alone."""
        self._solver.add_clause([literal])


class Propagation:
    """Unit propagation on a lowered model, by MiniSat, as PySAT's CaDiCaL offers none.

    >>> from ortools.sat.python.cp_model import CpModel
    >>> model = CpModel()
    >>> a, b = model.new_bool_var("a"), model.new_bool_var("b")
    >>> _ = model.add_bool_or(~a, b)
    >>> sorted(Propagation(model, [a.index, b.index], threading.Event()).consequences((0,)))
    [0, 1]
    """

    def __init__(
        self, model: CpModel, key: Iterable[int], stop: threading.Event, lowering: Lowering | None = None
    ) -> None:
        """Lower a model to clauses, unless its ``lowering`` is given; raise `InputError` if it cannot be lowered.

        key: proto indices of Boolean variables, whose literals `consequences` returns. stop: ends the work when set.
        Raises `Stopped` once ``stop`` is set.
        """
        from pysat.solvers import Solver

        self._stop = stop
        self.lowering = lowering or lower(model, stop)
        self._key: dict[int, list[int]] = {}
        """For each literal of the formula that represents key literals, these, as references of the proto."""
        for variable in key:
            literal = self.lowering.boolean(variable)
            self._key.setdefault(literal, []).append(variable)
            self._key.setdefault(-literal, []).append(-variable - 1)
        self._literals = frozenset(self._key)
        formula = self.lowering.formula
        # PySAT does not return literals that follow without any assumption. So each unit clause [x] becomes "x if
        # ``_always``", and `_always` is assumed in every call.
        self._always = formula.variables + 1
        clauses = ([-self._always, *clause] if len(clause) == 1 else clause for clause in formula.clauses)
        self._solver = Solver("minisat22", bootstrap_with=clauses)

    def consequences(self, literals: Sequence[int]) -> set[int] | None:
        """Return the key's literals that follow from these by unit propagation, these included.

        All are literals in the proto's convention: i, or -i - 1 for the negation of variable i. The result is None if
        propagation finds a contradiction. Raises `Stopped` once the event is set.
        """
        assumed = self._assumptions(literals)
        if assumed is None:
            return None
        consistent, implied = self._solver.propagate([self._always, *assumed])
        if not consistent:
            return None
        literals_of_key = self._literals.intersection([*assumed, *implied])  # of thousands a few, as a rule
        return {reference for literal in literals_of_key for reference in self._key[literal]}

    def is_impossible(self, literals: Sequence[int], conflicts: int) -> bool:
        """Tell whether a search with so many conflicts shows that no solution has all these literals of the key.

        literals: in the proto's convention. False only says that the search did not show it. Raises `Stopped` once the
        event is set.
        """
        assumed = self._assumptions(literals)
        if assumed is None:
            return True
        self._solver.conf_budget(conflicts)
        return self._solver.solve_limited([self._always, *assumed]) is False  # None if the conflicts were used up

    def _assumptions(self, literals: Sequence[int]) -> Sequence[int] | None:
        """Return the formula's literals for these; None if they contradict each other.

        Raises `Stopped` once the event is set.
        """
        if self._stop.is_set():
            raise Stopped
        return assumptions_for(self.lowering.booleans(literals), {TRUE})


def _parameter_numbers(solver: str, parameters: Mapping[str, str]) -> dict[str, int | float]:
    """Return the parameters of a SAT solver, texts by name, as numbers by name; whole numbers become integers.

    Raises `InputError` if the solver has no such parameter, or if a text is not a number.
    """
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
