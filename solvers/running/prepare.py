"""The preparation of a search: number the key, close the group, break symmetry."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, replace

from models.puzzle import Puzzle
from solvers.backends.cover import as_cover
from solvers.backends.registry import choose
from solvers.base.deadline import Deadline
from solvers.base.errors import InputError
from solvers.base.options import Options
from solvers.base.plugs import COUNTERS, load
from solvers.cubes.cube import Cube
from solvers.cubes.search import Search
from solvers.model.reading import has_objective
from solvers.running.plug import Counter
from solvers.running.question import Question, Request, UsedPieces, property_of
from solvers.running.stated import problem_statement
from solvers.running.verify import Verifier
from solvers.show.printable import printable
from solvers.symmetry.automorphisms import are_generators_proved
from solvers.symmetry.breaking import Broken, by_way, for_search, unbroken
from solvers.symmetry.groups import MAX_GROUP_ELEMENTS

MAX_KEY_LITERALS = 1_000_000
"""The most literals of a key for which marginals are counted."""


@dataclass(frozen=True)
class Prepared:
    """A question, and the search or the counter that will answer it."""

    question: Question
    search: Search | Counter
    broken: Broken
    """The restrictions of the search that break symmetry."""

    is_proved: bool = True
    """True if the symmetries were proved; otherwise they are taken on trust."""

    @property
    def broken_by(self) -> dict[str, int]:
        """The numbers of cases and of constraints that break symmetry, by name.

        Numbers that are 0 are left out.
        """
        constraint_count = len(self.broken.model.proto.constraints) - len(self.question.model.proto.constraints)
        is_cut = any(literals for literals, _ in self.broken.cases)
        broken_by = {
            "symmetry cases": len(self.broken.cases) if is_cut else 0,
            "symmetry constraints": constraint_count,
        }
        return {kind: number for kind, number in broken_by.items() if number}


def prepare(puzzle: Puzzle, options: Options, stop: threading.Event) -> Prepared:
    """Return the question of a puzzle, with its search or counter, ready to run.

    The steps: state the question (model, key, group, givens), prove the symmetries if possible, choose the backend,
    take a counter if one fits, otherwise break symmetry as the options say and make the search. options: the options of
    the run; ``time_limit`` limits the preparation, too.

    Raises `InputError` if the puzzle or an option is invalid or not possible, `WrongSymmetryError` if a declared
    symmetry does not permute the literals, `Stopped` once ``stop`` is set.
    """
    # With ``by``, solutions are counted by the property of this name in place of the puzzle's own feature.
    puzzle = replace(puzzle, feature=property_of(puzzle, options.by)) if options.by is not None else puzzle
    model, key, group, given = problem_statement(puzzle, options.symmetry, options.given, stop)
    deadline = Deadline(stop, seconds=options.time_limit)
    verifier = Verifier(model, key, deadline, 1 if options.executor else options.jobs)
    question = Question(puzzle, model, key, group, has_objective(model), verifier, given)
    if options.marginals and key.size > MAX_KEY_LITERALS:
        raise InputError(
            f"{puzzle.name} has {key.size} literals, and marginals are given for at most {MAX_KEY_LITERALS}"
        )
    identity = {  # of the run, for its store
        "puzzle": printable(puzzle.name),
        "parameters": json.dumps(dict(puzzle.parameters), default=str),
        "given": json.dumps([fact.text for fact in given]),
        "solutions": "all" if options.unbroken else f"up to symmetry, {options.symmetry}",
    }
    is_proved = group.is_proved or (not options.unbroken and are_generators_proved(model, group, deadline))
    # The model as an exact cover; None if it is none. Further constraints would end that, cases do not.
    cover = as_cover(model, key.variables)
    stays_cover = options.breaking not in ("lex-leader", "generators")
    if options.backend == "cover" and not stays_cover:
        raise InputError(
            f"`--breaking {options.breaking}` adds constraints, so the model is no exact cover; choose another backend "
            "than cover, or `--breaking cases`"
        )
    choice = choose(options.backend, model, cover if stays_cover else None, options.solver_parameters)
    if options.count_only:
        request = Request(
            question,
            cover,
            choice,
            options,
            identity,
            lambda: is_proved or are_generators_proved(model, group, Deadline(stop)),
            stop,
        )
        if counter := counter_for(request):
            return Prepared(question, counter, unbroken(model))

    # The group may use several processes, which end at the deadline.
    group.serve(deadline, 1 if options.executor else options.jobs)
    is_cover = cover is not None
    broken = _model_to_search(question, options, is_cover=is_cover, stays_cover=choice.stays_cover, stop=deadline)
    if options.breaking != "auto" and not options.unbroken:
        identity["breaking"] = options.breaking
    identity["search"] = "visits every solution" if broken.is_whole else "visits one of each orbit"
    if len(broken.cases) > 1:
        identity["search"] += f", by {len(broken.cases)} cases"
    declared_variables = len(model.proto.variables)
    if cover and broken.never:
        # Options that symmetry breaking rules out (``never``) are left out of the cover.
        cover = cover.cover_without(broken.never)
    elif cover and broken.model is not model:  # the variables that were added follow from the key
        added = range(declared_variables, len(broken.model.proto.variables))
        cover = as_cover(broken.model, [*key.variables, *added])
    cases = [Cube(*case) for case in broken.cases]
    search = Search(broken.model, key, options, choice, identity, stop, cases, cover, declared_variables)
    return Prepared(question, search, broken, is_proved)


def _model_to_search(
    question: Question, options: Options, *, is_cover: bool, stays_cover: bool, stop: threading.Event
) -> Broken:
    """Return the model to search, with its symmetry broken as the options say.

    is_cover: whether the model is an exact cover. stays_cover: whether the backend needs it to stay one. Raises
    `InputError` if the way that the options name does not fit, `Stopped` once the event is set.
    """
    model, group = question.model, question.group
    # To break the symmetries of a large group takes long, and the first solution stands for its orbit anyway.
    is_for_one_solution = options.limit == 1 and group.order > MAX_GROUP_ELEMENTS and not options.store
    most_cases = options.cubes if options.cubes != 1 else None
    if options.unbroken or (is_for_one_solution and options.breaking == "auto"):
        return unbroken(model)
    if options.breaking != "auto":
        return by_way(options.breaking, model, group, most_cases)
    return for_search(model, group, is_cover=is_cover, stays_cover=stays_cover, most=most_cases, stop=stop)


def counter_for(request: Request) -> Counter | None:
    """Return the counter of the method that the options name.

    If they name no method, it is the counter of the first method that takes the question. Returns None if the solutions
    have to be listed: the options ask for that, or for a limit, or no counter fits. No counter breaks symmetry in a way
    that the options name, and none looks at a feature of solutions other than the pieces that they use; so such options
    make the default method a listing. request: the question, and what a counter has to know of the run.

    Raises `InputError` if the method that is asked for does not fit or is not installed.
    """
    options, question = request.options, request.question
    method, feature = options.method, question.puzzle.feature
    is_of_pieces = options.by is not None and isinstance(feature, UsedPieces)
    needs_list = options.breaking != "auto" or (feature and not is_of_pieces)
    if method == "listing" or options.limit is not None or (method is None and needs_list):
        return None
    if options.by is not None and not is_of_pieces:
        raise InputError(
            f"the method {method} lists no solutions, so it does not count by {options.by}; choose listing"
        )
    for name in COUNTERS if method is None else [method]:
        # A row of `COUNTERS` is the place of a function that returns its counter, or None if it does not take the
        # question.
        counter: Counter | None = load(COUNTERS[name], f"--method {name}")(request)
        if counter:
            return counter
    return None
