"""Compares two models: have they the same solutions, on the labels that both have?"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from models.puzzle import Label, Puzzle
from solvers.deadline import Deadline
from solvers.endings import DONE, INCOMPLETE, NO
from solvers.errors import InputError, Stopped
from solvers.extras.bridges.minizinc.syntax import INTRODUCED
from solvers.extras.questions.invent.ask import Answer
from solvers.extras.questions.invent.rivals import settled
from solvers.extras.studies.audit.negation import one_violated
from solvers.extras.studies.audit.orbits import Lister, checksum_of, shown
from solvers.extras.studies.audit.redundant import Posed
from solvers.options import Options
from solvers.running.runner import Run
from solvers.running.stated import modelled, stated
from solvers.show.plain import counted
from solvers.show.printable import printable
from solvers.show.versions import source_checksum, versions
from solvers.symmetry.key import Encoded, Key
from solvers.terminal.calls import Named, options_of, question

SAME, SAME_UP_TO_SYMMETRY, DIFFERENT, NOT_KNOWN = "same", "same up to symmetry", "different", "not known"
"""The verdicts on two models."""

MOST_COMPARED = 1_000_000
"""The most solutions of a model that are listed to count those which the other one lacks."""

Values = tuple[int, ...]
"""The values of the labels that both models have, in their order."""


@dataclass
class Side:
    """One of the two models."""

    name: str
    checksum: str
    """The checksum of the model and its key."""
    solutions: int | None = None
    """The number of its solutions, told apart by the labels that both models have; None if they were not counted."""
    only: int | None = None
    """The number of its solutions that the other model does not have."""
    example: str = ""
    """A solution that the other model does not have, as text."""
    literals: list[tuple[Any, int]] = field(default_factory=list)
    """The same solution as pairs of label and value."""
    left_out: list[str] = field(default_factory=list)
    """The labels that the other model does not have."""

    def as_json(self) -> dict[str, Any]:
        """Return this model's part of the JSON object that the command prints."""
        return {
            "name": self.name,
            "checksum": self.checksum,
            "solutions": self.solutions,
            "only": self.only,
            "example": self.literals,
            "left_out": self.left_out,
        }


@dataclass
class Difference(Answer):
    """The verdict on two models, with what only one of them has."""

    verdict: str
    reference: Side
    submission: Side
    labels: int
    """The number of labels on which the two models are compared."""
    symmetries: int | None = None
    """The number of symmetries of the reference if the solutions are the same only up to symmetry; otherwise None."""
    seconds: float = 0.0

    @property
    def code(self) -> int:  # type: ignore[override]
        """The command's exit code.

        The code is `NO` if the models differ, `INCOMPLETE` if that is not known, otherwise `DONE`.
        """
        return {DIFFERENT: NO, NOT_KNOWN: INCOMPLETE}.get(self.verdict, DONE)

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object that the command prints, as a dictionary."""
        return {
            "verdict": self.verdict,
            "reference": self.reference.as_json(),
            "submission": self.submission.as_json(),
            "labels": self.labels,
            "symmetries": self.symmetries,
            "seconds": self.seconds,
            "versions": versions(),
            "checksums": {"kazoeru": source_checksum()},
        }

    def __str__(self) -> str:
        """Return the verdict, the numbers of labels and solutions, and examples of differences, as text."""
        sides = (self.reference, self.submission)
        lines = [f"{self.verdict}, by {counted(self.labels, 'labels')}"]
        if self.symmetries is not None:
            lines[0] += (
                f": the {counted(self.symmetries, 'symmetries')} of {self.reference.name} account for all differences"
            )
        for side in sides:
            if side.left_out:
                some = ", ".join(side.left_out[:6]) + (", ..." if len(side.left_out) > 6 else "")
                lines.append(f"only {side.name} has these labels: {some}")
        for side in sides:
            if side.solutions is not None:
                lines.append(f"{side.name}: {counted(side.solutions, 'solutions')}")
        for side, other in (sides, sides[::-1]):
            if side.example:
                number = "at least 1 solution" if side.only is None else counted(side.only, "solutions")
                lines += ["", f"{number} of {side.name} that {other.name} lacks, such as"]
                lines += [f"  {line}" for line in side.example.splitlines()]
        return "\n".join(map(printable, lines))


def diff(
    reference: Named, submission: Named, /, *, labels: Mapping[Any, Any] | None = None, **options: Any
) -> Difference:
    """Compare the solutions of two models.

    labels: for names of the submission's labels, or of arrays of labels, the names that the reference has for them.
    options: ``symmetry`` ("found" if left out, or "declared"), ``backend``, ``time_limit`` and ``jobs``, as for
    `solve`.

    Raises `InputError` if they have no label in common.

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
        _, values, declare = question(model, {})
        puzzles.append(declare(**values))
    chosen = options_of({"symmetry": "found", "jobs": 1, **options})
    return difference(puzzles[0], puzzles[1], labels or {}, chosen, threading.Event())


def difference(
    reference: Puzzle, submission: Puzzle, labels: Mapping[Any, Any], options: Options, stop: threading.Event
) -> Difference:
    """Compare the solutions of two declared models; `diff` does it for named ones.

    labels: for names of the submission's labels or arrays, what the reference calls them. options: the options of the
    searches; the time limit is that of the whole comparison. When the event is set or time is over, the verdict is
    `NOT_KNOWN`. Raises `InputError` where the models have no label in common, or the group of a model is too large.
    stop: ends the work when set.
    """
    began = time.perf_counter()
    deadline = Deadline(stop)
    if options.time_limit is not None:
        deadline.begin(options.time_limit)
    plainly = replace(options, time_limit=None)
    lister = Lister(lambda puzzle, chosen: Run(puzzle.name, {}, lambda: puzzle, chosen), plainly)
    pairs = _pairs(reference, submission, labels)
    sides = [
        Side(
            reference.name,
            checksum_of(reference),
            left_out=[str(label) for label in reference.key if label not in pairs],
        ),
        Side(
            submission.name,
            checksum_of(submission),
            left_out=[str(label) for label in submission.key if label not in pairs.values()],
        ),
    ]
    if sides[0].name == sides[1].name:
        sides[0].name, sides[1].name = "the reference", "the submission"
    result = Difference(NOT_KNOWN, sides[0], sides[1], len(pairs))
    try:
        first = _plain(reference, {label: label for label in pairs}, deadline)
        second = _plain(submission, pairs, deadline)
        ways = [_search_lacking(first, second, lister, deadline), _search_lacking(second, first, lister, deadline)]
        for side, (values, _) in zip(sides, ways, strict=True):
            _exemplify(side, reference, values)
        if any(values for values, _ in ways):
            result.verdict = DIFFERENT
            _count(result, first, second, reference, lister, deadline)
        elif all(is_known for _, is_known in ways):
            result.verdict = SAME
    except Stopped:
        pass
    result.seconds = time.perf_counter() - began
    return result


def _pairs(reference: Puzzle, submission: Puzzle, labels: Mapping[Any, Any]) -> dict[Label, Label]:
    """Match the labels of two models.

    Returns the submission's label for each label of the reference that both have. labels: for names of the submission's
    labels or arrays, what the reference calls them. Raises `InputError` if one of these names does not occur, or if no
    label is in both models.
    """
    called = {str(old): str(new) for old, new in labels.items()}

    def name(label: Label) -> str:
        text = str(label)
        array, bracket, rest = text.partition("[")
        return called.get(text) or called.get(array, array) + bracket + rest

    known = {part for label in submission.key for part in (str(label), str(label).partition("[")[0])}
    if lacking := [old for old in called if old not in known]:
        raise InputError(f"{submission.name} has no label and no array called {lacking[0]}")
    own = {name(label): label for label in submission.key}
    own = {
        label: name for label, name in own.items() if not label.startswith(INTRODUCED)
    }  # of sets, by chance the same
    pairs = {label: own[str(label)] for label in reference.key if str(label) in own}
    if not pairs:
        some = [", ".join(list(map(str, puzzle.key))[:3]) or "none" for puzzle in (reference, submission)]
        raise InputError(
            f"{reference.name} and {submission.name} have no label in common: the first has {some[0]}, the second "
            f"{some[1]}; say with --map which are the same"
        )
    return pairs


def _plain(puzzle: Puzzle, pairs: Mapping[Label, Label], stop: Deadline) -> Puzzle:
    """Return a puzzle with the same solutions whose key is renamed and cut to ``pairs``.

    pairs: the puzzle's own label, by the reference's label. An objective is replaced by the constraint that it has its
    best value. Symmetries stay only if no label is left out. Raises `Stopped` if the time is over before the best value
    is known. Raises `InputError` if the puzzle is invalid.
    """
    model, variables = modelled(puzzle)
    best = settled(model, Key(model, variables), stop)
    key = {label: best.get_int_var_from_proto_index(variables[own]) for label, own in pairs.items()}
    return Puzzle(puzzle.name, {}, best, key, puzzle.symmetries if len(pairs) == len(puzzle.key) else ())


def _search_lacking(one: Puzzle, other: Puzzle, lister: Lister, stop: Deadline) -> tuple[dict[Label, int], bool]:
    """Search for a solution of ``one`` that ``other`` lacks.

    Returns (the solution by label, whether the answer is certain). The solution is empty if none was found; if the time
    is over before the end, this is not certain.

    If all variables of ``other`` are in its key and its constraints can be negated, one search for solutions of ``one``
    that violate a rule of ``other`` decides; otherwise the solutions of ``one`` are listed and tried in ``other``.
    Raises `InputError` if a puzzle is invalid, or no backend takes it. lister: starts the listings. stop: ends the work
    when set.
    """
    model, variables = modelled(other)
    _, own = modelled(one)
    images = {variables[label]: own[label] for label in variables}
    denied = None
    if len(images) == len(model.proto.variables) == len(variables):
        denied = one_violated(model, range(len(model.proto.constraints)), one.model, images)
    violating = one if denied is None else replace(one, model=denied, symmetries=())
    removed, is_known = Posed(one, other, violating).removed(lister, stop)
    return ({label: removed[label] for label in one.key} if removed is not None else {}), is_known


def _exemplify(side: Side, reference: Puzzle, solution: Mapping[Label, int]) -> None:
    """Store in ``side`` an example: a solution that the other model lacks, as literals and as text.

    An empty solution is ignored. The text is the reference's drawing if that can show the solution, otherwise the
    literals. Raises `InputError` if the reference draws something that cannot be shown.
    """
    if not solution:
        return
    side.literals = [*solution.items()]
    plainly = replace(reference, draw=None)
    try:
        side.example = shown(plainly if side.left_out else reference, solution)
    except Exception:  # a drawing need not bear what is not a solution
        side.example = shown(plainly, solution)


def _count(
    result: Difference, first: Puzzle, second: Puzzle, reference: Puzzle, lister: Lister, stop: Deadline
) -> None:
    """Count the solutions that only one of the models has, if both can be listed before the time is over.

    result: takes the numbers. first, second: the reference and the submission on their common labels. If the submission
    has no solution that the reference lacks, and has solutions of the same orbits, the verdict becomes
    `SAME_UP_TO_SYMMETRY`. Raises `InputError` if the group of the reference is too large. lister: starts the listings.
    stop: ends the work when set.
    """
    listed = [_list_solutions(puzzle, lister, stop) for puzzle in (first, second)]
    for side, own in zip((result.reference, result.submission), listed, strict=True):
        side.solutions = None if own is None else len(own)
    if listed[0] is None or listed[1] is None:
        return
    result.reference.only, result.submission.only = len(listed[0] - listed[1]), len(listed[1] - listed[0])
    if result.submission.only == 0 and listed[1]:
        _, key, group, _ = stated(first, lister.options.symmetry, (), stop)
        group.serve(stop, 1)
        orbits = [{form for form, _ in group.orbits(_encoded(key, first, some))} for some in listed if some]
        group.dismiss()
        if orbits[0] == orbits[1]:
            result.verdict, result.symmetries = SAME_UP_TO_SYMMETRY, group.order


def _encoded(key: Key, puzzle: Puzzle, solutions: Iterable[Values]) -> Iterator[Encoded]:
    """Yield each solution as literal numbers of ``key``.

    A solution is the values of ``puzzle``'s labels in their order.
    """
    place = {label: number for number, label in enumerate(puzzle.key)}
    for values in solutions:
        held = [(position, values[place[label]]) for position, label in enumerate(key.labels)]
        yield tuple(sorted(key.number(p, value) for p, value in held if value or not key.is_boolean[p]))


def _list_solutions(puzzle: Puzzle, lister: Lister, stop: Deadline) -> set[Values] | None:
    """List all solutions, as values of the puzzle's labels in their order.

    The result is None if there are more than `MOST_COMPARED` solutions, or if the search did not end in time. lister:
    starts the listings. stop: ends the work when set.
    """
    found: set[Values] = set()
    listing = lister.every(puzzle, stop)
    for solution in listing:
        found.add(tuple(solution[label] for label in puzzle.key))
        if len(found) > MOST_COMPARED:
            listing.run.dismiss()
            return None
    return found if listing.is_complete else None
