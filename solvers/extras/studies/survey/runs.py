"""Solves variants one after another in each of some processes, or in this one."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, NamedTuple

from models import COLLECTION
from models.errors import NoSolutionError
from models.puzzle import Puzzle
from solvers.base.endings import Ending
from solvers.base.errors import CheckError, InputError, Stopped
from solvers.base.options import Options
from solvers.extras.questions.invent.posing import pose
from solvers.extras.questions.reasons.walk import walk_like_a_person
from solvers.extras.studies.survey.journal import Journal
from solvers.extras.studies.survey.pool import MAX_CHUNK_ITEMS, ChunkPool
from solvers.extras.studies.survey.variants import PREFIX, Row, split_variant
from solvers.files.catalogue import blame_declaration, find
from solvers.running.runner import Run
from solvers.show.report import Report

FAILED = "failed"
"""The key of a row at whose variant an error happened that never should."""

NO_SOLUTION = "no solution"
"""Why a variant without a solution has no grade."""


class NumberedVariant(NamedTuple):
    """A variant with its number in the survey."""

    number: int
    arguments: Mapping[str, Any]


def collect(
    found: dict[int, Row],
    name: str,
    declare: Callable[..., Puzzle] | None,
    every: Sequence[Mapping[str, Any]],
    options: Options,
    stop: threading.Event,
    tell: Callable[[], object] = lambda: None,
    grade: bool = False,
) -> None:
    """Add the rows of all variants that ``found`` lacks, by the variants' places.

    The store of the options keeps these rows, and rows that it has already are taken from it. A row that failed is not
    kept, so that the variant is tried again. tell: called a few times a second. every: the parameters of all variants.
    The other arguments are those of `rows`. Raises `InputError` if the store cannot be used, `StoreError` if it cannot
    be written, and what `rows` raises. found: the rows so far, by place. `Journal` is the file that keeps rows.
    """
    journal = Journal(options.store, name, options) if options.store is not None else None
    found.update(journal.rows_by_place(every, grade) if journal else {})
    missing_variants = [
        NumberedVariant(place, arguments) for place, arguments in enumerate(every) if place not in found
    ]
    unsaved_rows: list[tuple[Mapping[str, Any], Row]] = []
    try:
        jobs = 1 if any(f"{PREFIX}jobs" in arguments for arguments in every) else options.jobs
        # A row is (place, report), and None now and then, when there is time to write.
        for numbered_row in rows(
            name, declare, missing_variants, replace(options, store=None), jobs, stop, grade, tell
        ):
            if numbered_row is not None:
                place, row = numbered_row
                found[place] = row
                if FAILED not in row:
                    unsaved_rows.append((every[place], row))
            if journal and (numbered_row is None or len(unsaved_rows) >= MAX_CHUNK_ITEMS):
                journal.record(unsaved_rows)
                unsaved_rows = []
            tell()
        if journal:
            journal.record(unsaved_rows)
    finally:
        if journal:
            journal.close()


def rows(
    name: str,
    declare: Callable[..., Puzzle] | None,
    variants: Sequence[NumberedVariant],
    options: Options,
    jobs: int,
    stop: threading.Event,
    grade: bool = False,
    tell: Callable[[], object] = lambda: None,
) -> Iterator[tuple[int, Row] | None]:
    """Yield (number of the variant, row) as runs end, in any order, and None a few times a second.

    name: the name or path of the puzzle. declare: the function that declares the puzzle if it is not known by its name;
    then all runs are in this process. variants: those to run. Raises `InputError` if the puzzle cannot be loaded.
    options: the options of each run. jobs: the number of processes. stop: ends the runs early when set. grade: whether
    each row has the grade as well. tell: called a few times a second while a run in this process goes on. `ChunkPool`
    runs variants in processes; it yields (variant, row), and a row by ``give_up`` for a variant on which processes
    died.
    """
    options = replace(options, jobs=1, executor=None)
    if declare is not None or jobs == 1 or len(variants) < 2:
        declare = declare or _declare(name)
        for number, arguments in variants:
            if stop.is_set():
                return
            with suppress(Stopped):
                yield number, row_of(name, declare, arguments, options, stop, grade, tell)
    else:
        solve = partial(_solve_variants, name, options, grade)
        give_up = partial(_row_after_deaths, name, options)
        for solved in ChunkPool(solve, variants, jobs, stop, give_up).rows():
            yield solved and (solved[0].number, solved[1])  # None stays None


def _row_after_deaths(name: str, options: Options, variant: NumberedVariant) -> Row:
    """Return the row of a variant on which too many processes have died; name: of the puzzle."""
    reason = "the death of its process; perhaps memory did not suffice"
    arguments, options = split_variant(variant.arguments, options)
    row: Row = json.loads(Report(name, arguments, backend=options.backend, stopped_by=reason).as_json())
    return row


def _solve_variants(name: str, options: Options, grade: bool, chunk: Sequence[NumberedVariant]) -> list[Row]:
    """Solve variants in another process; return their rows.

    name: the puzzle's name or path. options: the options of each run. grade: whether each row has the grade as well.
    chunk: the variants.
    """
    declare = _declare(name)
    return [row_of(name, declare, variant.arguments, options, grade=grade) for variant in chunk]


def row_of(
    name: str,
    declare: Callable[..., Puzzle],
    arguments: Mapping[str, Any],
    options: Options,
    stop: threading.Event | None = None,
    grade: bool = False,
    tell: Callable[[], object] = lambda: None,
) -> Row:
    """Run a variant and return its report as a row; if it is refused, the row has the reason.

    name: the puzzle's name. declare: declares the puzzle for the arguments, values of its parameters by name, and of
    options that vary (`variants.AXES`); `split_variant` parts these. options: those of the run. stop: ends it when set.
    grade: whether the row has the grade as well. tell: called a few times a second.

    A refused variant has the reason under ``refused``; the row is complete if the reason is that there is no solution.
    If an error happens that never should, the row has it under ``refused`` and is marked as `FAILED`, and the other
    variants go on. Raises `Stopped` once the event is set.
    """
    arguments, options = split_variant(arguments, options)
    run = Run(name, arguments, declare, options)
    try:
        return _run_row(run, name, declare, arguments, options, stop, grade, tell)
    except (Stopped, MemoryError):
        raise
    except Exception as error:
        words = str(error) if isinstance(error, CheckError) else f"{type(error).__name__}: {error}"
        row: Row = json.loads(run.report.as_json())
        return {**row, "complete": False, "refused": f"this should never happen: {words}", FAILED: True}


def _run_row(
    run: Run,
    name: str,
    declare: Callable[..., Puzzle],
    arguments: Mapping[str, Any],
    options: Options,
    stop: threading.Event | None,
    grade: bool,
    tell: Callable[[], object],
) -> Row:
    """Go through the run of a variant and return its row; the arguments are those of `row_of`.

    A variant that the puzzle refuses has a row with the reason. It is complete if the puzzle refuses it because it has
    no solution. Raises `Stopped` once the event is set, and whatever happens that never should. `Run` prepares and
    searches; going through it yields events until it has ended, and its report has the result.
    """
    # The reason of a refusal, and whether the reason is that there is no solution.
    refused, has_no_solution = "", False
    try:
        with blame_declaration(name, name not in COLLECTION):
            for _ in run:
                tell()
                if stop and stop.is_set():
                    run.stop(Ending.CLOSED)
    except InputError as error:
        refused = str(error)
        has_no_solution = isinstance(error.__cause__, NoSolutionError)
    if stop and stop.is_set():
        raise Stopped
    row: Row = json.loads(run.report.as_json())
    if refused:
        return {**row, "refused": refused, "complete": has_no_solution}
    if grade:
        with blame_declaration(name, name not in COLLECTION):
            row["grade"] = _grade_of(declare, arguments, options, row, stop or threading.Event())
    return row


def _grade_of(
    declare: Callable[..., Puzzle],
    arguments: Mapping[str, Any],
    options: Options,
    row: Row,
    stop: threading.Event,
) -> dict[str, Any]:
    """Return the grade of a variant as JSON object: its ``walk``, or None and the reason under ``ungraded``.

    declare: declares the puzzle for the arguments, values of its parameters by name. options: those of its run; the
    grade has the rest of the time limit. row: the report of its run. Raises `Stopped` once ``stop`` is set.
    """
    if not row["solutions"]:
        return _missing_grade(NO_SOLUTION if row["complete"] else row["stopped_by"])
    seconds_left = None if options.time_limit is None else options.time_limit - (row["seconds"]["all"] or 0)
    if seconds_left is not None and seconds_left <= 0:
        return _missing_grade(Ending.TIME_LIMIT.words)
    try:
        # The question with its model, and the walk of a person to one of its solutions.
        asked = pose(declare(**arguments), options.given, "none", seconds_left, stop)
        return {"walk": walk_like_a_person(asked)._asdict()}
    except Stopped:
        if stop.is_set():
            raise
        return _missing_grade(Ending.TIME_LIMIT.words)
    except InputError as reason:
        return _missing_grade(str(reason))


def _missing_grade(reason: str) -> dict[str, Any]:
    """Return the grade of a variant that has none."""
    return {"walk": None, "ungraded": reason}


@lru_cache(1)
def _declare(name: str) -> Callable[..., Puzzle]:
    """Return the function that declares the puzzle of this name or path; the puzzle is loaded once.

    Raises `InputError` if there is no such puzzle.
    """
    return find(name).declare
