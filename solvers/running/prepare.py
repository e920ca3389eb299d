"""From a puzzle to a search: number the key, close the group, break symmetry."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from models.puzzle import Puzzle
from solvers.backends.cover import Cover, asked_cover, is_cover
from solvers.backends.registry import backend_kind
from solvers.counting.count import Asked, Counting, has_symmetries
from solvers.counting.formula import LISTABLE, FormulaCounting, is_installed, predicted
from solvers.cubes.cube import Cube
from solvers.cubes.fixing import Cases
from solvers.cubes.search import Search, fingerprint
from solvers.deadline import Deadline
from solvers.errors import InputError
from solvers.running.question import Question
from solvers.running.stated import stated
from solvers.running.verify import Verifier
from solvers.show.printable import printable
from solvers.symmetry import conjugacy
from solvers.symmetry.automorphisms import proved
from solvers.symmetry.breaking import Broken, by_cases, by_constraints, unbroken
from solvers.symmetry.large_group import LargeGroup

if TYPE_CHECKING:
    from solvers.options import Options

MOST_LITERALS = 1_000_000


@dataclass(frozen=True)
class Prepared:
    """A question, and the search that is to answer it."""

    question: Question
    search: Search | Counting | FormulaCounting
    broken: Broken
    """What the search is held to."""

    is_proved: bool = True
    """Whether the symmetries were proved; if not, they are believed."""

    cases: Cases | None = None
    """What the search was held to, under a group that is too large to list."""


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
    identity = {
        "puzzle": printable(puzzle.name),
        "parameters": json.dumps(dict(puzzle.parameters), default=str),
        "given": json.dumps(given.words),
        "solutions": "all" if options.all else f"up to symmetry, {options.symmetry}",
    }
    is_proved = (
        options.symmetry == "found" or not group.is_listed or (not options.all and proved(model, group, deadline))
    )
    counting = _counting(question, options, identity, is_proved, stop) if options.count_only else None
    if counting:
        return Prepared(question, counting, unbroken(model))

    if isinstance(group, LargeGroup):
        group.serve(deadline, 1 if options.executor else options.jobs)
    if options.all:
        broken = unbroken(model)
    elif isinstance(group, LargeGroup):
        cases = Cases(model, group, deadline)
        held, selectors = cases.added_to(model)
        identity["search"] = "visits each orbit once or more"
        search = Search(held, key, options, identity, stop, determined=selectors)
        return Prepared(question, search, unbroken(held), cases=cases)
    elif group.order > 1 and is_cover(model, key.variables):
        broken = by_cases(model, group, options.cubes if options.cubes != 1 else None)
    else:
        broken = by_constraints(model, group)
    identity["search"] = "visits every solution" if broken.is_whole else "visits one of each orbit"
    if len(broken.cases) > 1:
        identity["search"] += f", by {len(broken.cases)} cases"
    search = Search(broken.model, key, options, identity, stop, [Cube(*case) for case in broken.cases])
    return Prepared(question, search, broken, is_proved)


def _counting(
    question: Question, options: Options, identity: dict[str, str], is_proved: bool, stop: threading.Event
) -> Counting | FormulaCounting | None:
    """What counts without listing, as it is asked for or where it fits; None where solutions are to be listed.

    Raises `InputError` where the method that is asked for does not do.
    """
    puzzle, model, key, group = question.puzzle, question.model, question.key, question.group
    method = options.method
    if method == "listing" or options.limit is not None or (method is None and puzzle.feature):
        return None
    kind, _ = backend_kind(options.backend, model)
    if not group.is_listed and not conjugacy.command():
        if method is None:
            return None
        raise InputError(f"{puzzle.name}: the method {method} takes GAP for so many symmetries; choose listing")
    if method == "frontier" or (method is None and kind is Cover):
        cover = asked_cover(model, key.variables, options.solver_parameters)
        if has_symmetries(cover, group):
            asked = Asked(options.marginals, options.sample or 0, options.seed)
            identity["search"] = f"counts layer by layer, {'keeps all' if asked.looks_back else 'keeps the last'}"
            of = fingerprint(model, key, identity) if options.store else {}
            return Counting(cover, group, stop, options.jobs, options.memory, asked, options.store, of)
        if method == "frontier":
            raise InputError(f"{puzzle.name}: the cover itself lacks the symmetries of its solutions; list them")
        return None
    is_proved = is_proved or proved(model, group, Deadline(stop))
    others = options.marginals or options.sample or options.store or options.solver_parameters
    if method == "counter":
        if others:
            raise InputError("the method counter tells the number of solutions and nothing else; choose listing")
        if not is_proved:
            raise InputError(f"{puzzle.name}: the method counter takes symmetries that are proved; choose none")
        return FormulaCounting(model, group, stop)
    if others or not is_proved or options.backend != "auto" or not is_installed():
        return None
    try:
        is_long = predicted(model, key.variables, options.seed, stop) > LISTABLE
    except InputError:  # it has no lowering
        return None
    return FormulaCounting(model, group, stop) if is_long else None
