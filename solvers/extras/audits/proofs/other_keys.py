"""Symmetries of variables outside the key, by which a solution that seems lost may have a kept image.

A constraint may use variables that are not in the key. A symmetry of these may map a solution that seems lost to one
that is kept, although no permutation of the key's literals does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from models.puzzle import Label, Puzzle
from solvers.base.deadline import Deadline
from solvers.base.errors import InputError, Stopped
from solvers.extras.audits.reading.orbits import MOST_WHOLE, Lister, Orbits, Spoken, Whole, literal_numbers, whole_group
from solvers.running.stated import model_and_variables
from solvers.symmetry.key import Decoded, Encoded, Key


class Doubt(NamedTuple):
    """The reason why the whole group of the key does not decide whether solutions are lost."""

    labels: Sequence[str]
    """The variables by which solutions are told apart instead."""
    order: int | None
    """The order of their whole group, which explains the constraint; None if that group could not be found."""


def seek_symmetries(
    all_spoken: Collection[Spoken],
    orbits: Orbits,
    whole: Whole,
    kept_solutions: Sequence[Encoded],
    lister: Lister,
    stop: Deadline,
) -> Doubt | None:
    """Look for symmetries of other variables that help to map every solution to a kept one.

    The key's whole group is used together with them: orbits of both kinds are linked if they share a solution. The
    symmetries explain the lost solutions if a chain of links leads from a kept solution to each orbit of the whole
    group.

    all_spoken: for each set of marked constraints, a puzzle whose key also has the variables that they use, and the
    labels of these variables. orbits, whole: the solutions without marked constraints, and their whole group, whose
    ``orbit`` maps a solution to the number of its orbit. kept_solutions: the solutions with them. Two sets of variables
    are tried: the key's and the constraints' variables together, and the constraints' alone if these suffice; see
    `_keys`.

    Returns the variables, with the order of their group if it is known; None if the symmetries do not explain the lost
    solutions. The order is not known if the solutions cannot be listed, or their group not be computed: then it remains
    possible that these variables explain the loss. Raises `InputError` if a model is invalid, or no backend takes it.
    lister: starts the listings. stop: ends the work when set.
    """
    kept_orbits = {whole.orbit[solution] for solution in kept_solutions}
    # Pairs of an orbit of the key's whole group, a number, and one by other variables, (their names, a number).
    links: set[tuple[Hashable, Hashable]] = set()
    for spoken in all_spoken:
        doubt = Doubt([str(label) for label in spoken.labels], order=None)
        if spoken.puzzle is None or not {*orbits.key.labels} <= spoken.puzzle.key.keys():
            return doubt
        puzzle = orbits.puzzle_at_optimum(spoken.puzzle)
        solutions = _list_solutions(puzzle, orbits, lister, stop)
        if solutions is None:
            return doubt
        encoded = [orbits.encode_solution(solution) for solution in solutions]
        model, variables = model_and_variables(puzzle)
        is_in_key = {*spoken.labels} <= {*orbits.key.labels}
        for chosen in _keys(puzzle.key, spoken.labels, solutions, len(set(encoded)), is_in_key):
            key = Key(model, {label: variables[label] for label in chosen})
            recoded = [literal_numbers(key, solution) for solution in solutions]  # by the chosen variables
            try:
                group = whole_group(key, len(set(recoded)), dict.fromkeys(recoded), stop)
            except (InputError, Stopped):
                return doubt
            names = tuple(map(str, chosen))
            pairs = zip(encoded, recoded, strict=True)  # each solution by the audited model's key, and by this one
            links |= {(whole.orbit[solution], (names, group.orbit[other])) for solution, other in pairs}
            if {*whole.orbit.values()} <= _reachable_ends(links, kept_orbits):
                return Doubt(names, group.order)
    return None


def _list_solutions(puzzle: Puzzle, orbits: Orbits, lister: Lister, stop: Deadline) -> list[Decoded] | None:
    """Return all solutions of a puzzle.

    They are listed anew only if its key has labels that the audited model's key lacks; otherwise they are the images of
    the solutions in ``orbits``. The result is None if there are too many solutions, or if the search did not end in
    time. orbits: the orbits of the audited model's solutions.
    lister: starts the listings. stop: ends the work when set.
    """
    if orbits.group and puzzle.key.keys() <= {*orbits.puzzle.key}:
        images = chain.from_iterable(map(orbits.group.each_image, orbits.shown.values()))  # of one of each orbit
        return [orbits.key.decode(image) for image in images]
    solutions: list[Decoded] = []
    listing = lister.list_all(puzzle, stop)
    for solution in listing:
        solutions.append(solution)
        if len(solutions) * len(puzzle.key) > MOST_WHOLE:
            listing.run.dismiss()
            return None
    return solutions if listing.is_complete else None


def _keys(
    every_label: Collection[Label],
    labels: Collection[Label],
    solutions: Sequence[Decoded],
    number: int,
    is_in_key: bool,
) -> Iterator[Collection[Label]]:
    """Yield the label sets whose symmetries exchange solutions: ``every_label``, and then ``labels`` if that suffices.

    The second suffices if no two solutions agree on it, or if it has variables outside the audited model's key and each
    combination of its values occurs in equally many solutions. For one variable alone the latter says nothing: a
    Boolean may be true in half of the solutions by chance. solutions: all of them, by ``every_label``. number: how many
    there are by the audited model's key; nothing is known if that are fewer. is_in_key: whether that key has all of
    ``labels``.
    """
    yield every_label
    if len(labels) == len(every_label) or number < len(solutions):
        return
    times = Counter(tuple(solution[label] for label in labels) for solution in solutions)
    are_equally_frequent = len(labels) > 1 and not is_in_key and len(set(times.values())) == 1
    if len(times) == number or are_equally_frequent:
        yield labels


def _reachable_ends(links: Collection[tuple[Hashable, Hashable]], first: Collection[Hashable]) -> set[Hashable]:
    """Return ``first`` with all ends of links that are connected to one of them, by one link or several.

    links: pairs. Passes over all links are repeated until nothing new is reached.
    """
    reached, size_before = {*first}, -1
    while len(reached) > size_before:
        size_before = len(reached)
        for link in links:
            if not reached.isdisjoint(link):
                reached.update(link)
    return reached
