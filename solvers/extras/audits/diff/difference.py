"""Compares two models: have they the same labels, and on these the same solutions?"""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from models.puzzle import Label, Puzzle
from solvers.base.deadline import Deadline
from solvers.base.errors import InputError, Stopped
from solvers.base.options import Options
from solvers.extras.audits.diff.enumerations import (
    enumerations_of_file,
    no_names,
    recode,
    recode_key,
    rename_indices,
    split_maps,
    value_names,
)
from solvers.extras.audits.diff.verdicts import (
    DIFFERENT,
    NOT_SETTLED,
    OTHER_VARIABLES,
    SAME,
    SAME_UP_TO_SYMMETRY,
    Difference,
    Side,
    Values,
)
from solvers.extras.audits.reading.grids import as_grid, find_grids, propose_grids
from solvers.extras.audits.reading.labels import Grid, Matching, match, name_of
from solvers.extras.audits.reading.negation import one_violated
from solvers.extras.audits.reading.orbits import Lister, checksum_of, solution_text
from solvers.extras.audits.reading.redundant import Posed
from solvers.extras.bridges.minizinc.enumerations import Enumerations
from solvers.extras.questions.invent.rivals import with_best_value
from solvers.files.catalogue import blame_declaration
from solvers.running.runner import Run
from solvers.running.stated import model_and_variables, problem_statement
from solvers.symmetry.key import Encoded, Key
from solvers.terminal.calls import Named, options_of, question

FIRST_SECONDS = 2.0
"""Seconds for the first listing of each model, and for the first search for a violated rule."""

STEPS = 4
"""The steps of a round: a listing and a search for each model."""

LONGER = 4
"""Each further round of listings and searches takes so many times the seconds of the one before."""

MOST_SAMPLES = 500
"""The most solutions of a model, which the other one lacks, that are kept to find which rules they break."""

MOST_COMPARED = 1_000_000
"""The most solutions of a model that are listed to count those which the other one lacks."""


def diff(
    reference: Named,
    submission: Named,
    /,
    *,
    labels: Mapping[Any, Any] | None = None,
    on: Iterable[Any] = (),
    **options: Any,
) -> Difference:
    """Compare the solutions of two models.

    labels: for names of the submission's labels, or of arrays of labels, the names that the reference has for them.
    on: the reference's labels or arrays by which the solutions are compared; all labels of both models if left out.
    options: ``symmetry`` ("found" if left out, or "declared"), ``backend``, ``time_limit`` and ``jobs``, as for
    `solve`.

    Raises `InputError` for a name that no label has.

    >>> from ortools.sat.python.cp_model import CpModel
    >>> def ordered(strictly: bool) -> Puzzle:
    ...     model = CpModel()
    ...     x, y = (model.new_int_var(0, 3, name) for name in "xy")
    ...     _ = model.add(x < y if strictly else x <= y)
    ...     return Puzzle("strict" if strictly else "weak", {}, model, {"x": x, "y": y})
    >>> print(diff(ordered(True), ordered(False)))
    different, by 2 labels
    strict: 6 solutions
    weak: 10 solutions
    <BLANKLINE>
    4 solutions of weak that strict lacks, such as
      x=0, y=0
    """
    puzzles = []
    for model in (reference, submission):
        _, values, declare = question(model, {})  # its name, its parameters, the function that declares it
        puzzles.append(declare(**values))
    chosen = options_of({"symmetry": "found", "jobs": 1, **options})
    names = enumerations_of_file(reference), enumerations_of_file(submission)
    result = difference(puzzles[0], puzzles[1], labels or {}, on, chosen, threading.Event(), names)
    result.orbits = None  # nobody asks for them any more, and they hold both models
    return result


def difference(
    reference: Puzzle,
    submission: Puzzle,
    labels: Mapping[Any, Any],
    on: Iterable[Any],
    options: Options,
    stop: threading.Event,
    names: tuple[Enumerations, Enumerations] | None = None,
) -> Difference:
    """Compare the solutions of two declared models; `diff` does it for named ones.

    reference, submission: the models. labels, on: see `diff`; labels whose only possible counterpart has another name
    or other first indices are matched by themselves. names: the enumerations of both models, by which values and
    indices are matched. options: the options of the searches; the time limit is that of the whole comparison. When the
    event is set or time is over, the verdict is `NOT_SETTLED`. If one of the models has a label, or a named value, that
    the other lacks, it is `OTHER_VARIABLES`. Raises `InputError` for a name that no label has, or where the group of a
    model is too large, `MisfitError` for a mapping that does not fit the submission. stop: ends the work when set.

    Labels are matched first, then the values of matched labels, as a value may have other numbers in the submission;
    then the solutions are compared.
    """
    began = time.perf_counter()
    deadline = Deadline(stop, seconds=options.time_limit)
    options_without_limit = replace(options, time_limit=None)
    lister = Lister(lambda puzzle, chosen: Run(puzzle.name, {}, lambda: puzzle, chosen), options_without_limit)
    names = names or no_names()
    # The texts that the user maps name labels or values. A grid, Booleans for the values of an integer, is one integer.
    labels, value_map = split_maps(labels, names)
    grids = find_grids(reference, submission, labels)
    reference, submission = as_grid(reference, grids[0]), as_grid(submission, grids[1])
    matching, mapped, label_proposals = _match_labels(
        reference, submission, names, labels, value_map, [*on], any(grids)
    )
    # Match the values, and say what has no counterpart.
    integers = {ours: theirs for ours, theirs in matching.pairs.items() if not _is_of_grid(ours, theirs, grids)}
    recoding = recode(integers, (reference, submission), names, value_map)
    unmatched = ([*matching.missing, *recoding.missing], [*matching.extra, *recoding.extra])  # of each of the models
    sides = [
        Side(puzzle.name, checksum_of(puzzle), left_out=[*map(str, labels_and_values)])
        for puzzle, labels_and_values in zip((reference, submission), unmatched, strict=True)
    ]
    if sides[0].name == sides[1].name:
        sides[0].name, sides[1].name = "the reference", "the submission"
    proposals = [*dict.fromkeys([*label_proposals, *recoding.proposals])]
    result = Difference(NOT_SETTLED, sides[0], sides[1], len(matching.pairs), proposals=proposals)
    result.mapped = mapped
    result.ignored = [*map(str, matching.ignored)]
    result.pairs = matching.pairs
    result.grids = grids
    result.recoded = recoding.values
    result.names = value_names(integers, names)
    if any(unmatched):
        result.verdict = OTHER_VARIABLES
        result.seconds = time.perf_counter() - began
        return result
    # Compare the solutions.
    try:
        matched_reference = _with_pairs(reference, {label: label for label in matching.pairs}, deadline)
        matched_submission = _with_pairs(recode_key(submission, recoding.values), matching.pairs, deadline)
        _Comparison(result, matched_reference, matched_submission, reference, lister, deadline).settle()
    except Stopped:
        pass
    result.seconds = time.perf_counter() - began
    return result


def _match_labels(
    reference: Puzzle,
    submission: Puzzle,
    names: tuple[Enumerations, Enumerations],
    labels: Mapping[Any, Any],
    value_map: Mapping[str, str],
    wanted: Collection[Any],
    has_grids: bool,
) -> tuple[Matching, list[str], list[str]]:
    """Return (the labels of two models, matched; the texts for --map that were tried and kept; further proposals).

    If labels are missing, mappings that leave no other choice are tried; they are kept if all labels fit then.
    Proposals are texts for ``--map`` that would match more.

    names: the enumerations of both models, by which indices may be named. labels, value_map: what the reference calls
    labels and values of the submission, as the user maps them. wanted: the labels to which the comparison is limited;
    empty for all. has_grids: whether a mapping has given a grid, Booleans for the values of integers; no further one is
    proposed then.
    """
    by_names, index_proposals = rename_indices(reference, submission, names, labels, value_map)
    matching = match(reference, submission, labels, wanted, by_names)
    grid_proposals = propose_grids(reference, submission, matching) if matching.missing and not has_grids else []
    is_grid_likelier = grid_proposals and any(map(_is_renaming, matching.certain))
    if matching.missing and matching.certain and not is_grid_likelier:
        certain_map = {theirs: ours for ours, _, theirs in (text.partition("=") for text in matching.certain)}
        with suppress(InputError):
            all_labels = {**labels, **certain_map}
            by_their_names, their_index_proposals = rename_indices(reference, submission, names, all_labels, value_map)
            rematched = match(reference, submission, all_labels, wanted, by_their_names)
            if not rematched.missing and not rematched.extra:
                return rematched, matching.certain, [*rematched.proposals, *their_index_proposals]
    return matching, [], [*matching.proposals, *grid_proposals, *index_proposals]


def _is_renaming(text: str) -> bool:
    """Tell whether a mapping gives another name to an array, and not only other first indices or another case."""
    ours, theirs = (name_of(side).array.casefold() for side in text.split("="))
    return ours != theirs


def _is_of_grid(ours: Label, theirs: Label, grids: tuple[Grid, Grid]) -> bool:
    """Tell whether one of two labels is that of a Boolean that represents the value of an integer.

    ours, theirs: a label of the reference, and one of the submission. grids: for each of the two models, the labels of
    the Booleans of each such integer, by value.
    """
    labels_and_grids = zip((ours, theirs), grids, strict=True)
    return any(label in literals.values() for label, grid in labels_and_grids for literals in grid.values())


def _with_pairs(puzzle: Puzzle, pairs: Mapping[Label, Label], stop: Deadline) -> Puzzle:
    """Return a puzzle with the same solutions whose key is renamed and cut to ``pairs``.

    pairs: the puzzle's own label, by the reference's label. An objective is replaced by the constraint that it has its
    best value. Symmetries stay only if no label is left out. Raises `Stopped` if the time is over before the best value
    is known. Raises `InputError` if the puzzle is invalid.
    """
    model, variables = model_and_variables(puzzle)
    model_at_best = with_best_value(model, Key(model, variables), stop)
    key = {
        label: model_at_best.get_int_var_from_proto_index(variables[own_label]) for label, own_label in pairs.items()
    }
    symmetries = puzzle.symmetries if len(pairs) == len(puzzle.key) else ()
    return Puzzle(puzzle.name, {}, model_at_best, key, symmetries)


def _search_lacking(puzzle: Puzzle, other: Puzzle, lister: Lister, stop: Deadline) -> tuple[dict[Label, int], bool]:
    """Search for a solution of ``puzzle`` that ``other`` lacks.

    Returns (the solution by label, empty if none was found; whether it is certain that there is none). If the time is
    over before the end, that is not certain.

    If all variables of ``other`` are in its key and its constraints can be negated, one search for solutions of
    ``puzzle`` that violate a rule of ``other`` decides; otherwise the solutions of ``puzzle`` are listed and tried in
    ``other``. Both puzzles have the same labels. Raises `InputError` if a puzzle is invalid, or no backend takes it.
    lister: starts the listings. stop: ends the work when set.
    """
    model_of_other, variables_of_other = model_and_variables(other)
    _, variables = model_and_variables(puzzle)
    counterparts = {variables_of_other[label]: variables[label] for label in variables_of_other}  # proto indices
    violating_model = None
    if len(counterparts) == len(model_of_other.proto.variables) == len(variables_of_other):
        every_rule = range(len(model_of_other.proto.constraints))
        # A copy of the puzzle's model in which one rule of the other is violated; None if one cannot be negated.
        violating_model = one_violated(model_of_other, every_rule, puzzle.model, counterparts)
    violating = puzzle if violating_model is None else replace(puzzle, model=violating_model, symmetries=())
    # The search lists solutions of the last puzzle until one is no solution of the second.
    solution, is_none = Posed(puzzle, other, violating).find_removed_solution(lister, stop)
    return ({} if solution is None else {label: solution[label] for label in puzzle.key}), is_none


def _exemplify(
    side: Side, reference: Puzzle, solution: Mapping[Label, int], names: Mapping[Label, Mapping[int, str]]
) -> None:
    """Store in ``side`` an example: a solution that the other model lacks, as literals and as text.

    An empty solution is ignored. The text is the reference's drawing if that can show the solution, otherwise the
    literals. names: for labels whose values have names, the name of each value.
    """
    if not solution:
        return
    side.literals = [*solution.items()]
    side.samples = side.samples or [dict(solution)]
    value_names = {label: names.get(label, {}).get(value, value) for label, value in solution.items()}
    side.example = ", ".join(f"{label}={name}" for label, name in value_names.items())
    if reference.draw and len(solution) == len(reference.key):
        with suppress(Exception):  # a drawing need not bear what is not a solution
            side.example = solution_text(reference, solution)


class _Comparison:
    """The comparison of two models that have the same labels.

    The solutions of both are listed if that is quick, and compared as sets. Otherwise a search looks for a solution of
    one model that breaks a rule of the other. Both have little time at first, and then more in each round, because
    nobody can say beforehand which of them ends.
    """

    def __init__(
        self,
        result: Difference,
        reference: Puzzle,
        submission: Puzzle,
        drawn_reference: Puzzle,
        lister: Lister,
        stop: Deadline,
    ) -> None:
        """Begin a comparison.

        result: takes the verdict, the numbers and the examples. reference, submission: the models, with their keys cut
        to the common labels. drawn_reference: the reference with its whole key, which draws the examples. lister:
        starts the listings. stop: ends the work when set.
        """
        self._result = result
        self._drawn_reference = drawn_reference
        self._lister = lister
        self._stop = stop
        self._puzzles = (reference, submission)
        """The two models; the lists below have an entry for each of them, in this order."""
        self._sides = (result.reference, result.submission)
        """What the result says of each model."""
        self._listed: list[set[Values] | None] = [None, None]
        """All solutions of each model; None until they are listed."""
        self._is_listable = [True, True]
        """False for a model that has more than `MOST_COMPARED` solutions."""
        self._is_contained = [False, False]
        """Whether it is known of each model that the other one has all its solutions."""
        self._found_orbits: Mapping[Values, object] | None = None
        """The orbit of each solution of the reference; None until `_orbits` has computed them."""
        self._group_order = 1
        """The order of the reference's group, once the orbits are computed."""

    def settle(self) -> None:
        """Compare the models until there is a verdict, or the time is over.

        Raises `InputError` if a puzzle is invalid, if no backend takes it, or if the reference's group is too large.
        """
        seconds = FIRST_SECONDS
        while self._result.verdict == NOT_SETTLED and not self._stop.is_set():
            seconds = min(seconds, self._stop.left / STEPS)
            if self._list(seconds):
                break
            self._search(seconds)
            seconds *= LONGER
        if self._result.verdict == DIFFERENT:  # known by an example; the lists count the differences
            self._list(self._stop.left)
        self._compare()

    def _list(self, seconds: float) -> bool:
        """List the solutions of each model, for so many seconds each; return whether both are listed.

        A model that is listed, or has too many solutions, is not tried again. `blame_declaration` turns the error of a
        symmetry or a check that the model declares wrongly into `InputError` with the model's name.
        """
        for place, puzzle in enumerate(self._puzzles):
            if self._listed[place] is None and self._is_listable[place]:
                with blame_declaration(self._sides[place].name, is_own=True):
                    solutions, is_listable = _list_solutions(
                        puzzle, self._lister, Deadline(self._stop, seconds=seconds)
                    )
                self._listed[place], self._is_listable[place] = solutions, is_listable
        return None not in self._listed

    def _search(self, seconds: float) -> None:
        """Search in each model for a solution that the other one lacks, for so many seconds each.

        The verdict becomes `DIFFERENT` if there is one, and `SAME` if it is certain that each model has all solutions
        of the other. `blame_declaration`: as in `_list`.
        """
        for place in (0, 1):
            if not self._is_contained[place]:
                puzzle = self._puzzles[place]
                other = self._puzzles[1 - place]
                with blame_declaration(self._sides[place].name, is_own=True):
                    solution, self._is_contained[place] = _search_lacking(
                        puzzle, other, self._lister, Deadline(self._stop, seconds=seconds)
                    )
                if solution:
                    _exemplify(self._sides[place], self._drawn_reference, solution, self._result.names)
                    self._result.verdict = DIFFERENT
        if all(self._is_contained):
            self._result.verdict = SAME

    def _compare(self) -> None:
        """Compare the lists of solutions, if both are complete; store the numbers, the verdict and samples.

        If the submission has no solution that the reference lacks, and has solutions of the same orbits, the verdict
        becomes `SAME_UP_TO_SYMMETRY`. At most `MOST_SAMPLES` solutions that only one model has are kept, at equal
        distances in the sorted list.
        """
        for side, solutions in zip(self._sides, self._listed, strict=True):
            side.solutions = None if solutions is None else len(solutions)
        wanted, submitted = self._listed  # those of the reference and of the submission
        if wanted is None or submitted is None:
            return
        result = self._result
        result.listed = wanted, submitted
        for side, only_here in zip(self._sides, (wanted - submitted, submitted - wanted), strict=True):
            side.only = len(only_here)
            sampled = sorted(only_here)[:: max(1, len(only_here) // MOST_SAMPLES)][:MOST_SAMPLES]
            side.samples = [dict(zip(self._puzzles[0].key, values, strict=True)) for values in sampled]
            if only_here and not side.example:
                example = dict(zip(self._puzzles[0].key, min(only_here), strict=True))
                _exemplify(side, self._drawn_reference, example, result.names)
        result.verdict = DIFFERENT if wanted != submitted else SAME
        result.orbits = self._orbits
        orbits = self._orbits() if submitted and submitted < wanted else None
        if orbits and {*orbits.values()} == {orbits[values] for values in submitted}:
            result.verdict, result.symmetries = SAME_UP_TO_SYMMETRY, self._group_order

    def _orbits(self) -> Mapping[Values, object] | None:
        """Return the orbit of each solution of the reference under its symmetries, computed at the first call.

        An orbit is represented by its form, bytes that are the same for all its solutions. The result is None if the
        time was over before that was known. Raises `InputError` if the group is too large.
        """
        puzzle = self._puzzles[0]
        every_solution = [*(self._listed[0] or ())]
        if self._found_orbits is None:
            with suppress(Stopped):
                _, key, group, _ = problem_statement(puzzle, self._lister.options.symmetry, (), self._stop)
                group.serve(self._stop, 1)  # the event stops its work, for which it may use one process
                forms = [form for form, _ in group.orbits(_encode_all(key, puzzle, every_solution))]
                group.dismiss()
                self._found_orbits = dict(zip(every_solution, forms, strict=True))
                self._group_order = group.order
        return self._found_orbits


def _encode_all(key: Key, puzzle: Puzzle, solutions: Iterable[Values]) -> Iterator[Encoded]:
    """Yield each solution as the sorted numbers of its literals in ``key``; literals that a Boolean is 0 are left out.

    A solution is the values of ``puzzle``'s labels in their order.
    """
    place = {label: number for number, label in enumerate(puzzle.key)}
    for values in solutions:
        literals = [(position, values[place[label]]) for position, label in enumerate(key.labels)]
        listed = [(position, value) for position, value in literals if value or not key.is_boolean[position]]
        yield tuple(sorted(key.number(position, value) for position, value in listed))


def _list_solutions(puzzle: Puzzle, lister: Lister, stop: Deadline) -> tuple[set[Values] | None, bool]:
    """List all solutions, as values of the puzzle's labels in their order.

    Returns (the solutions, whether they can be listed). The solutions are None if there are more than `MOST_COMPARED`,
    which cannot be listed, or if the search did not end in time. lister: starts the listings. stop: ends the work when
    set.
    """
    solutions: set[Values] = set()
    listing = lister.list_all(puzzle, stop)
    for solution in listing:
        solutions.add(tuple(solution[label] for label in puzzle.key))
        if len(solutions) > MOST_COMPARED:
            listing.run.dismiss()  # ends the search
            return None, False
    return (solutions if listing.is_complete else None), True
