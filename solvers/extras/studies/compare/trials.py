"""Runs of one puzzle, each a command in a process of its own, so that its time and memory are its own; what they say
is held side by side."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import file_digest
from pathlib import Path
from statistics import mean, median, median_low
from typing import Any, NamedTuple

from solvers.base.endings import BAD_INPUT
from solvers.base.options import WORDS, setting
from solvers.extras.shared.programs import end, start_tied
from solvers.files.catalogue import Parameter
from solvers.show.evidence import Completed
from solvers.show.plain import amounts
from solvers.show.report import Report

TRIAL_POLL_SECONDS = 0.05
"""Seconds between two looks at what a run has found."""

KILL_SECONDS = 1.2
"""Seconds that a run which was told to end has to report what it found; then it is killed."""

FACTS = ("solutions", "total", "symmetries", "objective", "features")
"""The facts that complete runs of a puzzle must agree on, besides the solutions."""


@dataclass(frozen=True)
class Trial:
    """The outcome of one run of a puzzle, which was a command in a process of its own."""

    backend: str
    """The name as the caller wrote it."""
    row: Mapping[str, Any]
    """The report of the run as JSON object."""
    file: Path
    """Its solutions up to symmetry, JSON lines; in order if it was not killed."""
    timeline: Sequence[tuple[float, int]]
    """(seconds since the process began, solutions up to symmetry so far), whenever the number had grown."""
    cpu: float = 0.0
    """Processor time in seconds, with start-up and workers; 0 if the system does not report it."""
    complaint: str = ""
    """One sentence that says what went wrong if the run gave no report; empty otherwise."""
    is_refusal: bool = False
    """True if the complaint says that the backend does not take this puzzle."""
    puzzle: str = ""
    """The puzzle as the user named it; runs of several puzzles are not held against each other."""
    digest: str = ""
    """A text that stands for the solutions of a run without a file; it is equal for equal ones."""
    label: str = ""
    """The name in messages; empty for the backend's name."""

    @property
    def method(self) -> tuple[Any, ...]:
        """The puzzle, and the options that make a method: `solvers.extras.studies.survey.variants.METHOD`."""
        return self.puzzle, self.backend, self.row.get("symmetry"), self.row.get("breaking"), self.asked_jobs

    asked_jobs: int | None = None
    """The number of processors that was asked for; that of the report is smaller where one is enough."""

    @property
    def name(self) -> str:
        """The name in messages."""
        return self.label or self.backend

    @property
    def is_complete(self) -> bool:
        """True if the whole space was searched."""
        return bool(self.row["complete"])

    @cached_property
    def fingerprint(self) -> str:
        """A text that is equal for two complete runs if and only if they found the same solutions and facts."""
        if self.digest:
            return self.digest
        facts = [self.row[fact] for fact in FACTS]
        with self.file.open("rb") as stream:
            return json.dumps(facts, sort_keys=True) + file_digest(stream, "sha256").hexdigest()

    def lines(self) -> set[str]:
        """Return the lines of the file of solutions, each a solution as JSON.

        An incomplete last line is left out.
        """
        if not self.file.is_file():
            return set()
        lines = self.file.read_text(encoding="utf-8").splitlines(keepends=True)
        return {line for line in lines if line.endswith("\n")}


TERMS = ("search", "model", "added constraints")
"""The headers of the three texts that `terms` returns."""


def terms(report: Mapping[str, Any]) -> list[str]:
    """Return three texts about a run.

    The texts give the statistics of the search, the size of the model, and the facts added to the rules. report: its
    report, as a JSON object.

    >>> terms({"statistics": {}, "model": {"items": 72}, "added_constraints": {}})
    ['not told', '72 items', 'nothing']
    """
    return [
        amounts(report["statistics"], "not told"),
        amounts(report["model"], "not told"),
        amounts(report["added_constraints"], "nothing"),
    ]


def words_for(
    parameters: Iterable[Parameter], arguments: Mapping[str, Any], options: Mapping[str, Any]
) -> Iterator[str]:
    """Yield the words of a command line that choose these options of a run and parameters of a puzzle.

    parameters: those of the puzzle. arguments: their values by name. options: the values of the options by name. A
    Boolean option is a word if it is true; a Boolean parameter is --name or --no-name. A setting (such as solver
    parameters) is a mapping, with a word NAME=VALUE for each entry; other options and parameters that take several
    values have a word for each.
    """
    for name, value in options.items():
        option_row = WORDS[name]  # the row of the option: its word, its kind, whether it takes several values
        option = option_row.option or f"--{name.replace('_', '-')}"
        values = value if option_row.repeated else [value]
        if option_row.kind is setting:
            values = [f"{key}={item_value}" for key, item_value in value.items()]
        yield from [option] * value if isinstance(value, bool) else [f"{option}={value}" for value in values]
    for parameter in parameters:
        value = arguments[parameter.name]
        if parameter.kind is bool:
            yield parameter.option if value else f"--no-{parameter.option[2:]}"
        else:
            values = value if parameter.repeated else [value]
            yield from (f"{parameter.option}={item}" for item in values or () if item is not None)


class _Timeline:
    """The number of solutions in a file to which a run appends a line for each, and when it grew."""

    def __init__(self, file: Path) -> None:
        """Begin with no solution, at this time; the file need not be there yet."""
        self._file, self._bytes_read = file, 0
        self._began = time.monotonic()
        self.solutions = 0
        """The number of solutions when the file was last read."""
        self.steps = [(0.0, 0)]
        """(seconds since the beginning, solutions so far), whenever there were more."""

    def update(self) -> None:
        """Read what was appended to the file since the last call."""
        with suppress(FileNotFoundError), self._file.open("rb") as stream:  # not there yet, or not any more
            stream.seek(self._bytes_read)
            appended = stream.read()
            self._bytes_read += len(appended)
            if lines := appended.count(b"\n"):  # each is a solution
                self.add_step(self.solutions + lines)

    def add_step(self, solutions: int) -> None:
        """Note that there are so many solutions now."""
        self.solutions = solutions
        self.steps.append((time.monotonic() - self._began, solutions))


def try_out(
    blank: Report, words: Sequence[str], backend: str, file: Path, stop: threading.Event, watch: Callable[[int], None]
) -> Trial:
    """Run ``python -m solvers.run`` with these words on a backend, and return the outcome when the run has ended.

    The run is ended soon after ``stop`` is set. file: gets the solutions; until the run has ended by itself they are in
    a file with the ending .part. watch: called again and again with the number of solutions so far. blank: the report
    to use if the run gives none, as it died or refused the puzzle. `start_tied` starts a process that ends with this
    one.
    """
    unfinished_file = Path(f"{file}.part")
    timeline, cpu_before = _Timeline(unfinished_file), _cpu_of_children()
    arguments = [*words, "--backend", backend, "--json", "--quiet", "--solutions", str(file)]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8"}
    with start_tied("solvers.run", arguments, **streams) as process:
        output, complaints = _wait_for_end(process, stop, timeline, watch)
    complaint = ""
    try:
        row = json.loads(output)
    except ValueError:
        row = _row_of_death(replace(blank, backend=backend), timeline.solutions, process.returncode)
        if process.returncode >= 0:  # it ended by itself, and its last line says why
            complaint = complaints.strip().rpartition("\n")[2].removeprefix("kazoeru: ")
    row["command"] = shlex.join(["python", "-m", "solvers.run", *words, "--backend", backend])
    timeline.add_step(row["solutions"])
    solutions_file = file if file.exists() else unfinished_file
    cpu = _cpu_of_children() - cpu_before
    return Trial(backend, row, solutions_file, timeline.steps, cpu, complaint, process.returncode == BAD_INPUT)


def _wait_for_end(
    process: subprocess.Popen[str], stop: threading.Event, timeline: _Timeline, watch: Callable[[int], None]
) -> tuple[str, str]:
    """Wait until a run has ended; return what it has written to (standard output, standard error).

    process: that of the run. Once the event is set it is told to end, and killed if it has not ended `KILL_SECONDS`
    later. Meanwhile the timeline is kept up to date, and ``watch`` is called again and again with the number of
    solutions so far.
    """
    kill_time = float("inf")  # when the process is killed; infinity as long as it was not told to end
    while True:
        try:
            return process.communicate(timeout=TRIAL_POLL_SECONDS)
        except subprocess.TimeoutExpired:
            now = time.monotonic()
        if stop.is_set() and kill_time == float("inf"):
            process.terminate()
            kill_time = now + KILL_SECONDS
        if now > kill_time:
            end(process)
        timeline.update()
        watch(timeline.solutions)


def _row_of_death(blank: Report, solutions: int, code: int) -> dict[str, Any]:
    """Return the report, as JSON object, of a run that ended without one.

    blank: the report without results. solutions: how many it had found. code: its exit code, or minus the number of the
    signal that ended it.
    """
    cause = f"signal {-code}" if code < 0 else f"exit code {code}"
    report = replace(blank, solutions=solutions, total=solutions, stopped_by=f"its death ({cause})")
    row: dict[str, Any] = json.loads(report.as_json())
    return row


def _cpu_of_children() -> float:
    """Return the processor seconds of all ended processes that this one started."""
    spent = os.times()
    return spent.children_user + spent.children_system


def method_names(
    trials: Sequence[Trial], of_all: Sequence[Trial], *, with_puzzle: bool = True, as_asked: bool = False
) -> list[str]:
    """Return the names of the methods of these runs, such as "cp with symmetry none": what differs among ``of_all``.

    A method is (puzzle, backend, symmetry, breaking, jobs); the backend is always named. with_puzzle: whether the
    puzzle belongs to the name. as_asked: name the backend as the user did, not in full.
    """
    puzzles, _, symmetries, breakings, jobs = ({trial.method[place] for trial in of_all} for place in range(5))
    names = []
    for trial in trials:
        name = trial.backend if as_asked else trial.row["backend"]
        if with_puzzle and len(puzzles) > 1:
            name = f"{trial.puzzle}: {name}"
        if len(symmetries) > 1:
            name += f" with symmetry {trial.row['symmetry']}"
        if len(breakings) > 1:
            name += f" with breaking {trial.row['breaking']}"
        if len(jobs) > 1:
            name += f" with {trial.asked_jobs} jobs"
        names.append(name)
    return names


def par_2(trials: Sequence[Trial], time_limit: float) -> float:
    """Return the mean seconds of some runs, where one that is not complete counts as twice the time limit."""
    return mean((trial.row["seconds"]["all"] or 0.0) if trial.is_complete else 2 * time_limit for trial in trials)


def summary(trials: Sequence[Trial], time_limit: float | None = None) -> dict[str, Any]:
    """Return the report of a method with the medians of its runs.

    trials: the runs, at least one. If none of them is complete, the first one's own report is returned, with the median
    of all seconds; if some are not, the report says so, and the times count as they are. "runs" says how many there
    were, with which seeds, how many are complete, the least and the greatest time of these, and the PAR-2 score if
    there is a time limit (see `par_2`).
    """
    complete = [trial for trial in trials if trial.is_complete]
    rows = [trial.row for trial in complete or trials[:1]]
    averages: dict[str, Callable[[Any], Any]] = {"seconds": median, "memory": median_low, "statistics": median_low}
    report = {
        **rows[0],
        **{field: _averages(average, [row[field] for row in rows]) for field, average in averages.items()},
    }
    if len(complete) < len(trials):
        first_incomplete = next(trial for trial in trials if not trial.is_complete)
        seconds = [trial.row["seconds"]["all"] for trial in trials]
        report |= {"complete": False, "stopped_by": first_incomplete.row["stopped_by"]}
        if None not in seconds:
            report["seconds"] = {**report["seconds"], "all": median(seconds)}
    complete_times = [trial.row["seconds"]["all"] for trial in complete]
    seeds = list(dict.fromkeys(trial.row["seed"] for trial in trials))
    spread = [min(complete_times), max(complete_times)] if complete_times else None
    par2 = None if time_limit is None else par_2(trials, time_limit)
    report["runs"] = {"all": len(trials), "complete": len(complete), "seeds": seeds, "spread": spread, "par2": par2}
    return report


def _averages(average: Callable[[Any], Any], accounts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return, for each entry of the dictionaries in ``accounts``, its average over all of them.

    average: computes that of a list. The result is None if one of the dictionaries has no value.
    """
    values_by_name = {name: [account.get(name) for account in accounts] for name in accounts[0]}
    return {name: None if None in values else average(values) for name, values in values_by_name.items()}


def agreeing(trials: Sequence[Trial]) -> list[Completed]:
    """Return the complete runs of a puzzle that give the most common answer.

    If the runs go by several kinds of symmetries, the answer is the number of solutions in all, as they do not list the
    same ones. trials: the runs of one puzzle. A `Completed` is the name of the run and what its count rests on.
    """
    complete = [trial for trial in trials if trial.is_complete]
    symmetries = {trial.row.get("symmetry") for trial in complete}

    def answer_of(trial: Trial) -> object:
        """Return what runs that agree have in common."""
        return trial.fingerprint if len(symmetries) == 1 else trial.row["total"]

    answer = _most_common(map(answer_of, complete))
    names = method_names(complete, trials, with_puzzle=False)
    return [
        Completed(name, trial.row["evidence"]["rests_on"])
        for name, trial in zip(names, complete, strict=True)
        if answer_of(trial) == answer
    ]


def _most_common(answers: Iterable[object]) -> object:
    """Return the most common of some answers; None if there are none."""
    return next((answer for answer, _ in Counter(answers).most_common(1)), None)


class Disagreement(NamedTuple):
    """A contradiction between two runs."""

    sentence: str
    line: str
    """The solution that only one of them has, as in its file; empty if they have the same."""
    puzzle: str = ""
    """The puzzle as the user named it."""


def disagreements(trials: Sequence[Trial]) -> Iterator[Disagreement]:
    """Yield each contradiction between runs of the same puzzle.

    Those by the same kind of symmetries have to find the same solutions, all of them the same number in all. A
    `Disagreement` is a sentence and, where they differ in a solution, this solution.
    """
    by_question: dict[tuple[Any, Any], list[Trial]] = {}
    for trial in trials:
        by_question.setdefault((trial.puzzle, trial.row.get("symmetry")), []).append(trial)
    references: dict[str, Trial] = {}
    for (puzzle, _), runs in by_question.items():
        yield from _disagreements_of_one(runs)
        complete = [trial for trial in runs if trial.is_complete]
        if complete:
            reference = references.setdefault(puzzle, complete[0])  # the first complete run of the puzzle
            if reference.row["total"] != complete[0].row["total"]:
                statements = (f"{trial.name} says total: {trial.row['total']}" for trial in (reference, complete[0]))
                yield Disagreement(", ".join(statements), "")


def _disagreements_of_one(trials: Sequence[Trial]) -> Iterator[Disagreement]:
    """Yield each contradiction between a run and the most common answer of the complete runs.

    A complete run contradicts the answer by other solutions or counts, an incomplete run by solutions that the answer
    lacks. trials: runs of one puzzle by the same kind of symmetries. A run's ``fingerprint`` is equal for runs with the
    same solutions and facts; its ``lines`` are its solutions as JSON.
    """
    complete = [trial for trial in trials if trial.is_complete]
    if not complete:
        return
    answer = _most_common(trial.fingerprint for trial in complete)
    reference = next(trial for trial in complete if trial.fingerprint == answer)
    expected = reference.lines()
    for trial in trials:  # only those that do not give the answer
        if trial.is_complete and trial.fingerprint == answer:
            continue
        solutions = trial.lines()
        missing = expected - solutions if trial.is_complete else set()
        # An incomplete run may lack solutions, but may have none of its own.
        for owner, other, lines in ((reference, trial, missing), (trial, reference, solutions - expected)):
            if lines:
                share = f"{len(lines)} of its {owner.row['solutions']} solutions"
                sentence = f"{owner.name} has {share} that {other.name} lacks, such as this one"
                yield Disagreement(sentence, min(lines), trial.puzzle)
        # The same solutions, but another fact such as the number in all.
        for fact in FACTS if trial.is_complete and solutions == expected else ():
            if reference.row[fact] != trial.row[fact]:
                statements = (f"{run.name} says {fact}: {run.row[fact]}" for run in (reference, trial))
                yield Disagreement(", ".join(statements), "")
