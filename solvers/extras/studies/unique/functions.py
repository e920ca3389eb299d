"""Puzzles judged one after another, or in several processes; and the function of the library."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import wait
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any

from models import SIZED
from models.puzzle import Puzzle
from solvers.base.deadline import thread_pool
from solvers.base.errors import Stopped
from solvers.extras.shared.tuning import EXTRAS_TUNING
from solvers.extras.studies.survey.pool import ChunkPool
from solvers.extras.studies.unique.judge import Judge, LinesAsked, PuzzleVerdict
from solvers.extras.studies.unique.lines import PuzzleLine
from solvers.extras.studies.unique.linked import BY_LINKS, LinkJudge, SizedJudge, TextJudge
from solvers.extras.studies.unique.record import Record
from solvers.files.catalogue import Declaration, find, in_collection
from solvers.show.plain import number_with_unit
from solvers.terminal.calls import Named, path_of, question
from solvers.terminal.progress import below_cell

OF_LINES = "puzzle"
"""The name of the parameter that takes a puzzle as a text, of the puzzles that have one."""

DIED = "the process that judged it died; perhaps memory did not suffice"
"""The error of a puzzle that ended a process."""


def unique(
    puzzle: Named,
    texts: Iterable[str],
    /,
    *,
    parameter: str | None = None,
    jobs: int = 1,
    time_limit: float | None = None,
    grade: bool = False,
    **parameters: Any,
) -> list[PuzzleVerdict]:
    """Tell of each of many puzzles whether it has no solution, one, or more.

    Images count as other solutions.

    Parameters
    ----------
    puzzle
        As for `solve`.
    texts
        The puzzles: each is the content of the puzzle's cells in any of the usual forms, such as 81 characters for a
        sudoku, or a value of ``parameter``.
    parameter
        The parameter whose values the texts are, "" for none. By default it is the one called puzzle, if there is
        one.
    jobs
        The number of processes, for a puzzle of the collection or of a file.
    time_limit
        Seconds for each puzzle.
    grade
        Whether verdicts on puzzles with one solution have their ``grade``, such as ``grade.level`` from 1 to 4.
    **parameters
        The values of other parameters of the puzzle.

    Returns
    -------
    list of PuzzleVerdict
        A verdict for each text: ``solutions`` is "0", "1" or "2+", or empty where ``error`` says why; ``found`` has the
        first two solutions.

    Raises
    ------
    InputError
        If the puzzle cannot be used in this way.

    Examples
    --------
    >>> from solvers import unique
    >>> texts = ["1...|..2.|.3..|...4", "1234|....|....|....", "11.............."]
    >>> [verdict.solutions for verdict in unique("sudoku", texts)]
    ['1', '2+', '0']
    """
    # The name of the puzzle, its parameters, and the function that declares it.
    name, values, declare = question(puzzle, parameters)
    # The name or path by which other processes find the puzzle; None if there is none.
    source = path_of(puzzle) or (in_collection(puzzle) if callable(puzzle) or isinstance(puzzle, Puzzle) else None)
    if isinstance(puzzle, Puzzle) and source:
        values = dict(puzzle.parameters)
    if parameter is None:
        parameter = parameter_of(find(source)) if source else ""
    asked = LinesAsked({key: value for key, value in values.items() if key != parameter}, parameter, time_limit, grade)
    lines = [PuzzleLine(number, text) for number, text in enumerate(texts, 1)]
    judged = verdicts(source or name, None if source else declare, asked, lines, jobs, threading.Event())
    verdicts_found: list[PuzzleVerdict] = []
    with below_cell() as bar:
        for verdict in judged:
            if verdict:
                verdicts_found.append(verdict[1])
            bar.show_progress(
                lambda: f"{name}: {len(verdicts_found)} of {number_with_unit(len(lines), 'puzzles')}",
                lambda: len(verdicts_found) / len(lines),
            )
    return verdicts_found


def parameter_of(declaration: Declaration) -> str:
    """Return the name of the parameter that takes a puzzle as a text; empty if there is none.

    It is empty for the puzzles of `SIZED` too: of a size, one is made ready, and the texts are the contents of cells.
    """
    has_parameter = any(parameter.name == OF_LINES for parameter in declaration.parameters)
    return OF_LINES if has_parameter and declaration.name not in SIZED else ""


def verdicts(
    name: str,
    declare: Callable[..., Puzzle] | None,
    asked: LinesAsked,
    lines: Sequence[PuzzleLine],
    jobs: int,
    stop: threading.Event,
    record: Record | None = None,
) -> Iterator[tuple[PuzzleLine, PuzzleVerdict] | None]:
    """Yield (line, verdict) in the order of the lines, and None now and then.

    name: the name or path of the puzzle, or `BY_LINKS`. declare: declares it if it is not known by its name; then all
    is done in this process. asked: what is asked of each line. jobs: the number of processes. stop: ends the work when
    set. record: keeps the verdicts, and has those of earlier runs.

    Raises `InputError` if the puzzle cannot be used in this way, `StoreError` if the record cannot be written. A
    verdict without an error is recorded.
    """
    verdict_of_line = {line.number: verdict for line in lines if record and (verdict := record.verdict(line.text))}
    open_lines = [line for line in lines if line.number not in verdict_of_line]
    new_verdicts: Iterator[tuple[PuzzleLine, PuzzleVerdict] | None] = iter(())
    if open_lines:
        judge = _judge_of(name, declare, asked, stop)
        new_verdicts = _judge_lines(judge, name, asked, open_lines, 1 if declare else jobs, stop)
    for line in lines:
        while line.number not in verdict_of_line:
            try:
                answer = next(new_verdicts)
            except StopIteration:  # the work was stopped
                return
            if answer is None:
                yield None
                continue
            answered_line, verdict = answer
            verdict_of_line[answered_line.number] = verdict
            if record and not verdict.error:
                record.add(answered_line.text, verdict)
        yield line, verdict_of_line.pop(line.number)


def _judge_lines(
    judge: TextJudge, name: str, asked: LinesAsked, lines: Sequence[PuzzleLine], jobs: int, stop: threading.Event
) -> Iterator[tuple[PuzzleLine, PuzzleVerdict] | None]:
    """Yield (line, verdict) for each line, in any order, until ``stop`` is set, and None now and then.

    For a short time the lines are judged one by one in this process, by ``judge``. The lines that are left then are
    judged in as many processes as there are jobs, which make judges of ``name`` and ``asked``; see `verdicts`.
    """
    began = time.perf_counter()
    # Another thread judges, because in the main thread PySAT's solvers have their own way with Ctrl-C.
    with thread_pool(1) as thread:
        for place, line in enumerate(lines):
            if stop.is_set():
                return
            if jobs > 1 and time.perf_counter() - began > EXTRAS_TUNING.judging_alone_seconds:
                yield from ChunkPool(partial(_judge_chunk, name, asked), lines[place:], jobs, stop, _give_up).rows()
                return
            judging = thread.submit(judge.judge, line.text)
            while not wait([judging], timeout=0.1).done:
                yield None
            with suppress(Stopped):
                yield line, judging.result()


def _judge_chunk(name: str, asked: LinesAsked, chunk: Sequence[PuzzleLine]) -> list[PuzzleVerdict]:
    """Judge some lines in another process, which makes the puzzle ready once; name: the name or path of the puzzle."""
    judge = _judge(name, json.dumps([asked.arguments, asked.parameter, asked.time_limit, asked.has_grades]))
    return [judge.judge(line.text) for line in chunk]


@lru_cache(1)
def _judge(name: str, asked: str) -> TextJudge:
    """Return the judge for a puzzle and for what is asked, as JSON."""
    return _judge_of(name, None, LinesAsked(*json.loads(asked)), threading.Event())


def _judge_of(name: str, declare: Callable[..., Puzzle] | None, asked: LinesAsked, stop: threading.Event) -> TextJudge:
    """Return the judge for lines of a puzzle, or for links; the parameters are those of `verdicts`."""
    if name == BY_LINKS:
        return LinkJudge(name, asked, stop, named=None)
    if name in SIZED and not asked.parameter:
        return LinkJudge(name, asked, stop, SizedJudge(name, asked, stop))
    return LinkJudge(name, asked, stop, Judge(declare or find(name).declare, asked, stop))


def _give_up(line: PuzzleLine) -> PuzzleVerdict:
    """Return the verdict on a line that ended the processes which judged it."""
    return PuzzleVerdict("", error=DIED)
