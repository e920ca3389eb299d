"""Records what a program does with solvers of PySAT: clauses, bounds, parities and propagators.

The sets of method names below hold every public method of PySAT's solver classes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, NoReturn, Protocol


class ProgramRun(Protocol):
    """A program's run up to the call that was asked for; `solvers.extras.bridges.scripts.reach` has it."""

    folder: Path

    def hook(self, solve: Callable[..., Any], write: Callable[..., str]) -> Callable[..., Any]:
        """Return a function in place of one that solves; see there."""

    def refuse(self, sentence: str) -> NoReturn:
        """End the process, with a sentence that follows the line of the program which is being run."""

    def namespaces(self) -> list[Mapping[str, Any]]:
        """Return the names of the program's functions that are being called, the innermost first."""


TOOLS = "pysat.examples."
"""The package of tools, such as RC2, that ask a solver of PySAT other questions than for a model of its clauses."""

SOLVING = frozenset(["solve", "solve_limited", "enum_models"])
"""The methods that ask for models."""

RECORDED = frozenset(
    "new add_clause append_formula add_atmost add_xor_clause connect_propagator disconnect_propagator".split()
)
"""The methods that change the models, all of which are read; the first and the third call the others."""

REFUSED = frozenset(["ignore", "reset_observed"])
"""The methods after which the models depend on what a propagator still sees."""

HARMLESS = frozenset(
    """
    accum_stats activate_atmost apply_jw attach_vpool clear_interrupt conf_budget configure dec_budget delete
    disable_propagator enable_propagator flip_bits get_activities get_core get_model get_proof get_status interrupt
    is_decision nof_clauses nof_vars observe process prop_budget propagate propagator_active restore set_activities
    set_phases set_rnd_first_descent set_rnd_freq set_rnd_init_act set_rnd_pol set_rnd_seed start_mode supports_atmost
    sync_vars sync_vpool time time_accum time_budget
    """.split()
)
"""The methods that guide the search or report on it; a propagator that is disabled still checks each model."""


def solver_classes(module: ModuleType) -> Iterator[type]:
    """Yield the classes of solvers in PySAT's module of solvers, without the one that only passes calls on."""
    for kind in vars(module).values():
        if isinstance(kind, type) and hasattr(kind, "enum_models") and kind.__name__ != "Solver":
            yield kind


def record_engine(engine: Any) -> None:
    """Replace methods of PySAT's class of propagators for bounds and parities, so that its constraints are recorded.

    The recorded constraints, as the program has given them, are a list in the attribute ``_given`` of each propagator.
    engine: the class.
    """
    make, add = engine.__init__, engine.add_constraint

    @wraps(make)
    def make_and_record(this: Any, bootstrap_with: Sequence[Any] = (), *more_arguments: Any, **named: Any) -> None:
        """Make a propagator, and record the constraints that it begins with."""
        this._given = [*bootstrap_with]
        make(this, bootstrap_with, *more_arguments, **named)

    @wraps(add)
    def add_and_record(this: Any, constraint: Any) -> Any:
        """Record a constraint, and add it."""
        this._given.append(constraint)
        return add(this, constraint)

    engine.__init__, engine.add_constraint = make_and_record, add_and_record


def _record_list(this: Any, name: str) -> list[Any]:
    """Return the list of that name in which a solver records; it begins empty."""
    return vars(this).setdefault(f"_noted_{name}", [])  # type: ignore[no-any-return]


def _note_clause(add: Callable[..., Any]) -> Callable[..., Any]:
    """Return the method in place of add_clause, which also records the clause in a list of the solver.

    add: the method of the solver class. `_record_list` returns the list of a solver by its name.
    """

    @wraps(add)
    def record(this: Any, clause: Sequence[int], *more_arguments: Any, **named: Any) -> Any:
        """Record a clause, and add it."""
        _record_list(this, "clauses").append([int(literal) for literal in clause])
        return add(this, clause, *more_arguments, **named)

    return record


def _note_at_most(add: Callable[..., Any]) -> Callable[..., Any]:
    """Return the method in place of add_atmost, which also records [literals, bound] or [literals, bound, weights].

    add: the method of the solver class. `_record_list` returns the list of a solver by its name.
    """

    @wraps(add)
    def record(this: Any, lits: Any, k: int, weights: Sequence[int] = (), *more_arguments: Any, **named: Any) -> Any:
        """Record a bound, and add it."""
        constraint = [[*map(int, lits)], int(k), *([[*map(int, weights)]] if weights else [])]
        _record_list(this, "at_most").append(constraint)
        return add(this, lits, k, weights, *more_arguments, **named)

    return record


def _note_parity(add: Callable[..., Any]) -> Callable[..., Any]:
    """Return the method in place of add_xor_clause, which also records [literals, parity] in a list of the solver.

    add: the method of the solver class. It comes first, as solvers without parities raise an exception.
    """

    @wraps(add)
    def record(this: Any, lits: Any, value: Any = True, *more_arguments: Any, **named: Any) -> Any:
        """Add a parity, and record it."""
        result = add(this, lits, value, *more_arguments, **named)
        _record_list(this, "parities").append([[*map(int, lits)], int(value)])
        return result

    return record


def _forget_propagator(disconnect: Callable[..., Any]) -> Callable[..., Any]:
    """Return the method in place of disconnect_propagator, which also removes the record of the propagator.

    disconnect: the method of the solver class.
    """

    @wraps(disconnect)
    def record(this: Any, *more_arguments: Any, **named: Any) -> Any:
        """Forget the propagator, and disconnect it."""
        vars(this).pop("_propagator", None)
        return disconnect(this, *more_arguments, **named)

    return record


def record_solver(reach: ProgramRun, solver: Any) -> None:
    """Replace methods of a class of solvers of PySAT: those that add record what they add, those that solve write it.

    What is added is recorded in lists that are attributes of each solver: clauses, at_most and parities. A propagator
    is recorded itself. Methods that would make the model unknown end the process.

    reach: the run of the program, which ends when the model has been written. solver: the class.
    """

    def note_propagator(connect: Callable[..., Any]) -> Callable[..., Any]:
        """Return the method in place of connect_propagator, which records a BooleanEngine and refuses others.

        A BooleanEngine has bounds and parities, which `record_engine` records. connect: the method of the solver class.
        """

        @wraps(connect)
        def record(this: Any, propagator: Any, *more_arguments: Any, **named: Any) -> Any:
            """Record a propagator, and connect it."""
            from pysat.engines import BooleanEngine

            if type(propagator) is not BooleanEngine:
                kind = type(propagator).__name__
                reach.refuse(f"nobody but {kind} knows what this propagator forbids; write it as clauses")
            this._propagator = propagator
            return connect(this, propagator, *more_arguments, **named)

        return record

    def refuse(this: Any, *_: Any, **__: Any) -> NoReturn:
        """End the process: the model cannot be read."""
        reach.refuse("a propagator that sees some of its variables only allows more models; leave this call out")

    def write(this: Any, assumptions: Sequence[int] = (), *_: Any, **__: Any) -> str:
        """Write what a solver has recorded, with its assumptions as clauses; return the kind of the model.

        A tool of PySAT that calls the solver asks another question, so that the process ends. this: the solver.
        """
        if tool := _tool(sys._getframe(1)):  # the calls around this one
            reach.refuse(f"{tool} asks a solver of PySAT something else than for a model of its clauses")
        at_most = [*_record_list(this, "at_most")]
        parities = [*_record_list(this, "parities")]
        if engine := vars(this).get("_propagator"):
            _read_engine(reach, engine, at_most, parities)
        clauses = [*_record_list(this, "clauses"), *([literal] for literal in assumptions)]
        return write_clauses(reach, clauses, at_most, parities)

    # For each method, what makes the function in its place from it. The class may lack some of the methods.
    recorders: dict[str, Callable[[Callable[..., Any]], Callable[..., Any]]] = {
        "add_clause": _note_clause,
        "add_atmost": _note_at_most,
        "add_xor_clause": _note_parity,
        "connect_propagator": note_propagator,
        "disconnect_propagator": _forget_propagator,
        **dict.fromkeys(REFUSED, lambda _: refuse),
        **dict.fromkeys(SOLVING, lambda solve: reach.hook(solve, write)),
    }
    for name, recorder in recorders.items():
        if name in vars(solver):
            setattr(solver, name, recorder(vars(solver)[name]))


def _read_engine(reach: ProgramRun, engine: Any, at_most: list[Any], parities: list[Any]) -> None:
    """Add the constraints of a propagator to the bounds and the parities of a solver.

    A bound has whole weights of at least 0, as PySAT asks; with others, or if the propagator observes nothing, the
    process ends. It is rounded down, as sums are whole numbers. Weights are a list, or given by literal.

    reach: ends the process. engine: the propagator, with its constraints as (kind, (literals, bound or parity, perhaps
    weights)). at_most, parities: take the bounds, as [literals, bound] or [literals, bound, weights], and the parities,
    as [literals, value].
    """
    if engine.solver is None:
        reach.refuse("the propagator observes no variables, so that it checks nothing; call setup_observe")
    for kind, (literals, bound, *weights) in engine._given:
        if kind == "parity":
            parities.append([[*map(int, literals)], int(bound)])
            continue
        given_weights = weights[0] if weights else []
        weight_list = (
            [given_weights[literal] for literal in literals] if isinstance(given_weights, dict) else [*given_weights]
        )
        if any(weight != int(weight) or weight < 0 for weight in weight_list):
            reach.refuse("a bound of the propagator has weights that are no whole numbers from 0 on")
        terms = [[*map(int, literals)], int(bound // 1)]
        if weight_list:
            terms.append([*map(int, weight_list)])
        at_most.append(terms)


def _tool(frame: FrameType | None) -> str:
    """Return the module of the tool of PySAT that calls a solver; "" if the program itself does.

    frame: the innermost frame of the calls, from which each leads to the one around it.
    """
    while frame is not None:
        name = str(frame.f_globals.get("__name__"))
        if name.startswith(TOOLS):
            return name
        frame = frame.f_back
    return ""


def write_clauses(reach: ProgramRun, clauses: list[list[int]], at_most: list[Any], parities: list[Any]) -> str:
    """Write clauses with the names that pools of PySAT give to their variables; return their kind.

    A pool, PySAT's IDPool, maps a variable's number to the program's own object; pools are found among the variables of
    the functions that are being called. clauses: lists of literals. at_most: constraints as a CNFPlus of PySAT has
    them, each with literals, a bound and perhaps weights. parities: each with literals and the parity, 0 or 1, of the
    number of those that are true.
    """
    pools = [
        value
        for namespace in reach.namespaces()
        for value in namespace.values()
        if hasattr(value, "id2obj") and hasattr(value, "obj2id")
    ]
    names = {number: str(object_named) for pool in pools for number, object_named in pool.id2obj.items()}
    content = {"clauses": clauses, "at_most": at_most, "parities": parities, "names": names}
    (reach.folder / "clauses.json").write_text(json.dumps(content), encoding="utf-8")
    return "clauses"
