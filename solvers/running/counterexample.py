"""Looks for a solution that contradicts symmetries which were declared and could not be proved.

Where such a symmetry is wrong, breaking it may have removed a solution whose image is none, before anything saw it. So
solutions of the model in which nothing is broken are asked for, and all their images held against that model.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

from ortools.sat.python.cp_model import CpModel

from solvers.backends.protocol import Task
from solvers.backends.registry import choose, make_backend
from solvers.base.errors import CheckError, InputError, WrongSymmetryError
from solvers.base.options import Options
from solvers.base.values import Values
from solvers.cubes.branch import branches, choices_and_propagator
from solvers.cubes.cube import Cube
from solvers.cubes.search import Listener, Search
from solvers.model.writing import LEAST, drop_objective, model_at_sum
from solvers.running.question import Question
from solvers.running.verify import Verifier
from solvers.symmetry.key import Encoded, Key

MAX_CUBES_TRIED = 32
"""The most cubes of the unbroken model that are searched for a solution."""


def contradict_nothing_found(question: Question, options: Options, stop: threading.Event) -> None:
    """Check that the model has no solution, after a search with broken symmetry found none.

    If the unbroken model has a solution, its images are checked first: if one is no solution, a symmetry is wrong;
    otherwise the breaking has lost the solution. Raises `WrongSymmetryError` or `CheckError` in these cases; `Stopped`
    once the event is set. Raises `InputError` if the backend cannot search the model. question: the puzzle's model, key
    and group. options: the options of the run.
    """
    model = question.model.clone()
    drop_objective(model.proto)
    values = _some_solution(model, question, options, stop)
    if values is not None:
        _check_images(question, Verifier(question.model, question.key, stop), values, None)
        raise _lost(question, values)


def contradict(question: Question, options: Options, found: Values, best: int | None, stop: threading.Event) -> None:
    """Search the unbroken model for a solution that contradicts the search with broken symmetry.

    A contradiction is a solution with an image that is not a solution, or a solution that the search with broken
    symmetry has lost. One solution from each of several cubes is looked at first, then all solutions.

    question: the puzzle's model, key and group. options: the options of the run. found: the values of all variables in
    a solution that the search found. best: the best value of the objective, as the backend minimises it; None if the
    model has no objective.

    If it returns, all solutions were seen, and the symmetries map solutions to solutions.

    Raises `WrongSymmetryError` or `CheckError` if there is a contradiction, `Stopped` once the event is set,
    `InputError` if the backend cannot search the model.
    """
    # Solutions whose objective is at least as good as the best value, so that lost better ones are found, too.
    model = question.model.clone() if best is None else model_at_sum(question.model, best, LEAST)
    verifier = Verifier(question.model, question.key, stop)
    best_objective = verifier.evaluator.objective(found)
    seen: set[Encoded] = set()

    def check_solution(values: Values) -> None:
        """Raise an error if a solution, or an image of it, contradicts the search; skip those that were checked."""
        if question.key.encode(values) not in seen:
            objective = verifier.evaluator.objective(values)
            seen.update(_check_images(question, verifier, values, objective))
            if objective != best_objective:
                raise _lost(question, values)

    if best is not None:  # in what the key leaves open, too, where a solution with the same key may be better
        values = _some_solution(model_at_sum(question.model, best - 1, LEAST), question, options, stop)
        if values is not None:
            _check_images(question, verifier, values, verifier.evaluator.objective(values))
            raise _lost(question, values)
    cubes = _cubes_of_model(model, question.key, stop)
    task = Task(model, question.key.variables, stop, seed=options.seed, parameters=options.solver_parameters)
    backend = make_backend(options.backend, task)
    # The first solution of each cube, as solutions of one cube may be much alike.
    for cube in cubes:
        try:
            backend.enumerate(_raise_met, cube)
        except _Met as met:
            check_solution(met.values)
    backend.enumerate(check_solution)


class _Met(Exception):
    """Raised when a solution is found, to end a search that asks for one solution only."""

    def __init__(self, values: Values) -> None:
        """Store the values of all variables in the solution."""
        super().__init__()
        self.values = values


def _raise_met(values: Values) -> None:
    """Raise `_Met` with the values of a solution, which ends the search that found it."""
    raise _Met(values)


def _some_solution(model: CpModel, question: Question, options: Options, stop: threading.Event) -> Values | None:
    """Return the values of all variables in one solution of the model; None if it has no solution.

    The first solution that the search finds raises `_Met`, which ends it. Raises `Stopped` once the event is set.
    question, options: the question and options of the run.
    """
    choice = choose(options.backend, model, None, options.solver_parameters)
    try:
        search = Search(model, question.key, options, choice, {}, stop)
        search.run(Listener(lambda rows: _raise_met(rows[0])))
    except _Met as met:
        return met.values
    return None


def _cubes_of_model(model: CpModel, key: Key, stop: threading.Event) -> Sequence[Sequence[int]]:
    """Return cubes, each as a list of literals of the model, outside of which there is no solution.

    key: the variables to branch on; new Booleans for the values of integer ones are added to the model. Returns one
    cube without literals, the whole space, if the model cannot be lowered to CNF. Raises `Stopped` once the event is
    set.
    """
    try:
        among, propagation = choices_and_propagator(model, key.variables, stop)
    except InputError:  # by the lowering
        return [()]
    cubes = branches(propagation, among, MAX_CUBES_TRIED)
    return [cube.literals for cube in cubes if isinstance(cube, Cube)]


def _check_images(
    question: Question, verifier: Verifier, values: Values, best: int | float | None
) -> Sequence[Encoded]:
    """Check that all images of a solution are solutions; return the images.

    question: the puzzle's model, key and group. verifier: checks the images. values: the values of all variables in the
    solution. best: the objective value that each image must have; None if the value does not matter.

    Raises `WrongSymmetryError`, with the symmetries at fault, if some image violates a rule. Raises `CheckError` if no
    symmetry is at fault.
    """
    images = question.group.images(question.key.encode(values))
    flaws = dict(zip(images, verifier.flaws(images, best), strict=True))
    solutions = [image for image, flaw in flaws.items() if flaw is None]
    for image, flaw in flaws.items():
        # `blame` returns the names of symmetries that map some of the right images to this one.
        if flaw and (names := question.group.blame(solutions, image)):
            shown = dict(question.key.decode(image))
            raise WrongSymmetryError(names, f"carries solutions to {shown}, which violates {flaw}")
    return images


def _lost(question: Question, values: Values) -> CheckError:
    """Return the error that says that the search has lost a solution.

    It is for a solution all of whose images are solutions, so that the symmetries are not at fault. values: the values
    of all variables in the solution.
    """
    shown = dict(question.key.decode(question.key.encode(values)))
    if question.has_objective:
        return WrongSymmetryError(question.group.names, f"loses the solution {shown} when it is broken")
    return CheckError(f"breaking the symmetries loses the solution {shown}")
