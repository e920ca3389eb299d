"""From a puzzle to a search: number the key, close the group, break symmetry."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from models.puzzle import Label, Literal, Puzzle
from solvers.backends.cover import Cover, asked_cover
from solvers.backends.registry import backend_kind
from solvers.counting.count import Asked, Counting, has_symmetries
from solvers.cubes.conquer import Deadline
from solvers.cubes.search import Search, fingerprint
from solvers.errors import InputError
from solvers.files.given import given_literals, hold
from solvers.running.question import Question
from solvers.running.verify import Verifier
from solvers.symmetry.breaking import break_symmetry
from solvers.symmetry.groups import Group
from solvers.symmetry.key import Key

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel
    from pysat.formula import CNF

    from solvers.options import Options
    from solvers.running.identify import Drawn

MOST_LITERALS = 1_000_000


@dataclass(frozen=True)
class Prepared:
    """A question, and the search that is to answer it."""

    question: Question
    search: Search | Counting
    is_broken: bool = False
    """Whether the search meets one solution of each orbit."""

    drawn: Drawn | None = None
    """What is to be recognised."""


class Stated(NamedTuple):
    """What is asked."""

    model: CpModel
    """Holds what is given."""

    key: Key
    group: Group
    """Keeps what is given."""

    given: Mapping[Label, int]


def stated(puzzle: Puzzle, symmetry: str, given: Iterable[str | Literal], stop: threading.Event) -> Stated:
    """The puzzle's model, its key and the group of its symmetries; see `Options` for symmetry and given.

    Raises `InputError` if OR-Tools does not accept the model, the group is too large, or there is no such literal as is
    given; `Stopped` once ``stop`` is set.
    """
    from ortools.sat.python.cp_model import CpModel

    if isinstance(puzzle.model, CpModel):
        model, variables = puzzle.model, puzzle.key
    else:
        model, variables = _lifted(puzzle.model, puzzle.key)
    if invalid := model.validate():
        raise InputError(f"{puzzle.name}: OR-Tools does not accept the model: {invalid.splitlines()[0]}")
    key = Key(model, variables)
    if symmetry not in ("declared", "found", "none"):
        raise InputError(f"there are no symmetries called {symmetry!r}; choose declared, found or none")
    literals = given_literals(given, key, puzzle)
    held = hold(model, key, literals) if literals else model
    if symmetry == "found":
        from solvers.symmetry.automorphisms import found

        return Stated(held, key, Group(key, found(held, key, stop)), literals)
    group = Group(key, puzzle.symmetries if symmetry == "declared" else ())
    numbers = [key.number(key.position[label], value) for label, value in literals.items()]
    return Stated(held, key, group.keeping(numbers), literals)


def prepare(puzzle: Puzzle, options: Options, stop: threading.Event) -> Prepared:
    """Make a puzzle ready; raises `InputError` for what cannot be done, `WrongSymmetryError` for a false symmetry."""
    model, key, group, given = stated(puzzle, options.symmetry, options.given, stop)
    has_objective = model.proto.has_objective() or model.proto.has_floating_point_objective()
    deadline = Deadline(stop)
    if options.time_limit is not None:
        deadline.begin(options.time_limit)
    verifier = Verifier(model, key, deadline, 1 if options.executor else options.jobs)
    question = Question(puzzle, model, key, group, has_objective, verifier, given)
    if options.marginals and key.size > MOST_LITERALS:
        raise InputError(
            f"{puzzle.name} has {key.size} literals, more than the {MOST_LITERALS} that marginals are told of"
        )
    drawn = None
    if options.which is not None:
        from solvers.running.identify import understood

        drawn = understood(options.which, question, stop)
    identity = {
        "puzzle": puzzle.name,
        "parameters": json.dumps(dict(puzzle.parameters), default=str),
        "given": json.dumps([f"{label}={value}" for label, value in given.items()]),
        "solutions": "all" if options.all else f"up to symmetry, {options.symmetry}",
    }
    kind, _ = backend_kind(options.backend, model)
    if options.count_only and options.limit is None and kind is Cover and not puzzle.feature:
        cover = asked_cover(model, key.variables, options.solver_parameters)
        if has_symmetries(cover, group):
            asked = Asked(options.marginals, options.sample or 0, options.seed)
            identity["search"] = f"counts layer by layer, {'keeps all' if asked.looks_back else 'keeps the last'}"
            of = fingerprint(model, key, identity) if options.store else {}
            counting = Counting(cover, group, stop, options.jobs, options.memory, asked, options.store, of)
            return Prepared(question, counting)

    def made(is_broken: bool) -> Search:
        visits = {"search": "visits one of each orbit" if is_broken else "visits every solution"}
        searched = break_symmetry(model, group) if is_broken else model
        return Search(searched, key, options, {**identity, **visits}, stop)

    try:
        is_broken = not options.all
        search = made(is_broken)
    except InputError:
        if options.all or group.order == 1:
            raise
        search, is_broken = made(False), False
    return Prepared(question, search, is_broken, drawn)


def _lifted(formula: CNF, key: Mapping[Label, Any]) -> tuple[CpModel, dict[Label, int]]:
    from solvers.cnf.lift import lift

    for number in key.values():
        if not 1 <= number <= formula.nv:
            raise InputError(f"the key names variable {number}, but the formula has 1 to {formula.nv}")
    return lift(formula), {label: number - 1 for label, number in key.items()}
