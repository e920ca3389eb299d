"""Integers told as Booleans, so that a model with a grid of Booleans is compared with one that has integers."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from itertools import product

from models.puzzle import Label, Puzzle
from solvers.base.errors import InputError
from solvers.extras.audits.reading.labels import Grid, Matching, Name, is_range, match, name_of
from solvers.model.reading import domain_of, size_of
from solvers.running.stated import model_and_variables, model_copy

MOST_LITERALS = 100_000
"""The most Booleans that represent the values of integers."""


def find_grids(reference: Puzzle, submission: Puzzle, labels: Mapping[object, object]) -> tuple[Grid, Grid]:
    """Return the grid of each model, by the arrays that are mapped to each other: its integers written as Booleans.

    A grid maps the label of an integer to the label of a Boolean for each of its values. An array has one if it has one
    index less than the other one, of Booleans: x[i]=v is the Boolean x[i,v], and the other array has the indices i, v.
    labels: what the reference calls each array of the submission; other mappings give no grid. Raises `InputError` if
    the values are too many, or if a puzzle is invalid.
    """
    grids: tuple[Grid, Grid] = {}, {}
    for old, new in labels.items():
        ours, theirs = _array(reference, name_of(new)), _array(submission, name_of(old))
        if _are_values(theirs, submission, ours):
            grids[0].update(_grid(reference, ours))
        elif _are_values(ours, reference, theirs):
            grids[1].update(_grid(submission, theirs))
    return grids


def _are_values(booleans: Mapping[Label, Name], puzzle: Puzzle, integers: Mapping[Label, Name]) -> bool:
    """Tell whether an array can represent the values of integers: it has Booleans only, and one index more.

    booleans, integers: the labels of the two arrays, with their names. puzzle: that of the Booleans.
    """
    index_counts = {len(name.indices) for name in integers.values()}
    boolean_index_counts = {len(name.indices) for name in booleans.values()}
    if not integers or {count + 1 for count in index_counts} != boolean_index_counts:
        return False
    model, variables = model_and_variables(puzzle)
    domains = (domain_of(model.proto.variables[variables[label]]) for label in booleans)
    return all(domain[0][0] >= 0 and domain[-1][1] <= 1 for domain in domains)


def _array(puzzle: Puzzle, name: Name) -> dict[Label, Name]:
    """Return the labels of a puzzle that belong to an array, with their names.

    name: that of the whole array, or a range such as x[0..]; for the name of a single label, the result is empty.
    """
    if name.indices and not is_range(name):
        return {}
    names = {label: name_of(label) for label in puzzle.key}  # the array and the indices of each label
    return {label: label_name for label, label_name in names.items() if label_name.array == name.array}


def _grid(puzzle: Puzzle, names: Mapping[Label, Name]) -> Grid:
    """Return the Booleans that encode the values of labels, such as {"x[1]": {0: "x[1,0]", 1: "x[1,1]"}}.

    names: the labels and their names. Raises `InputError` if there are too many values.
    """
    model, variables = model_and_variables(puzzle)
    domains = {label: domain_of(model.proto.variables[variables[label]]) for label in names}
    if sum(map(size_of, domains.values())) > MOST_LITERALS:
        raise InputError(f"{puzzle.name} has too many values to be told as Booleans, more than {MOST_LITERALS}")
    grid: Grid = {}
    for label, name in names.items():
        values = [value for low, high in domains[label] for value in range(low, high + 1)]
        grid[label] = {value: f"{name.array}[{','.join(map(str, (*name.indices, value)))}]" for value in values}
    return grid


def as_grid(puzzle: Puzzle, grid: Grid) -> Puzzle:
    """Return a puzzle with the same solutions whose key has Booleans in place of some integers.

    The puzzle is returned as it is if the grid is empty. Its symmetries, its check and its drawing are dropped. grid:
    maps the label of each such integer to the label of the Boolean for each of its values.
    """
    if not grid:
        return puzzle
    model, key = model_copy(puzzle)
    for label, literals in grid.items():
        integer = key.pop(label)
        for value, name in literals.items():
            key[name] = model.new_bool_var(str(name))
            model.add(integer == value).only_enforce_if(key[name])
            model.add(integer != value).only_enforce_if(~key[name])
    return Puzzle(puzzle.name, puzzle.parameters, model, key)


def propose_grids(reference: Puzzle, submission: Puzzle, matching: Matching) -> list[str]:
    """Return texts for ``--map`` that match an array of integers of one model with a grid of Booleans of the other.

    matching: the labels as they match without these texts. The list is empty if no array fits.
    """

    def arrays(labels: Collection[Label]) -> list[tuple[str, int]]:
        """Return (name, number of indices) of each array of these labels."""
        return sorted({(name.array, len(name.indices)) for name in map(name_of, labels)})

    for (ours, our_indices), (theirs, their_indices) in product(arrays(matching.missing), arrays(matching.extra)):
        if abs(our_indices - their_indices) == 1:  # the further index of the grid is the value in the other array
            with suppress(InputError):
                grids = find_grids(reference, submission, {theirs: ours})
                if not any(grids):
                    continue
                # With Booleans on both sides, are there proposals for the arrays, or do all labels fit by themselves?
                rematched = match(as_grid(reference, grids[0]), as_grid(submission, grids[1]), {}, ())
                if rematched.proposals or not rematched.missing:
                    return rematched.proposals or [f"{ours}={theirs}"]
    return []


def as_integers(solution: Mapping[Label, int], grid: Grid) -> tuple[dict[Label, int], Collection[Label]]:
    """Return (a solution with the integers of a grid in place of their Booleans, the Booleans of a flawed integer).

    An integer is flawed if none of its Booleans is true, or several; the second part is the labels of the Booleans of
    the first such integer, and empty if there is none. solution: the values of labels, among them all Booleans of the
    grid. grid: maps the label of each integer to the label of the Boolean for each of its values.
    """
    with_integers, flaw = dict(solution), list[Label]()
    for label, literals in grid.items():
        values = [value for value, name in literals.items() if with_integers.pop(name, 0)]
        if len(values) == 1:
            with_integers[label] = values[0]
        else:
            flaw = flaw or [*literals.values()]
    return with_integers, flaw
