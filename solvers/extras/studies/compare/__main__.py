"""The command compare: puzzles by several methods, each run in a process of its own, side by side."""

import argparse
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product, takewhile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from models.puzzle import Puzzle
from solvers.base.backend_rows import backends_to_compare
from solvers.base.endings import BAD_INPUT, DONE, INCOMPLETE, NO, SHOULD_NEVER_HAPPEN
from solvers.base.errors import InputError
from solvers.base.options import count
from solvers.extras.studies.compare.side_by_side import ALL_RUNS, Comparison
from solvers.extras.studies.compare.trials import Trial, disagreements, method_names, try_out, words_for
from solvers.extras.studies.survey.tables import TableOutputs
from solvers.extras.studies.survey.variants import READERS
from solvers.files.catalogue import Declaration
from solvers.files.solutions import literals_from_json
from solvers.outputs.paths import inputs
from solvers.show import draw
from solvers.show.plain import first_words, number_with_unit
from solvers.show.report import Report
from solvers.terminal.arguments import PuzzleParser, argparse_reader, arguments_of
from solvers.terminal.command import EndedEarly, StopEvent, complain, run_in_thread, run_within_limit
from solvers.terminal.progress import ProgressLine

EPILOG = """PUZZLE is as for solvers.run; several may be named, one behind the other. LIST is
values separated by commas, or a range of numbers such as 1..5; all combinations
are run. Runs with several seeds, or with --repeat, make one row: the medians,
the spread from the least to the greatest time and, with --time-limit, PAR-2:
the mean time, where a run that is not complete counts as twice the limit.
Exit code 1: runs of a puzzle contradict each other; 3: one of them ran out of
time; 4: with --same, puzzles have different numbers of solutions in all.

examples:
  python -m solvers compare pentomino --board 3x20
  python -m solvers compare magic --kind ring --backends cp-sat,sat --seeds 1..5
  python -m solvers compare queens --backends cp,sat --symmetry none,declared
  python -m solvers compare queens --backends cp-sat --breaking lex-leader,generators,none
  python -m solvers compare plain.mzn redundant.mzn --same --backends cp,fzn:gecode"""

MOST_MISSING_NAMED = 3
"""The most runs that a message names."""


class ComparedPuzzle(NamedTuple):
    """A puzzle of the comparison, with the words of a command line that name it."""

    name: str
    """The puzzle as the user named it."""
    declaration: Declaration
    arguments: Mapping[str, Any]
    words: Sequence[str]
    """Those of each run, without the options that vary."""


class Planned(NamedTuple):
    """A run that is to be made."""

    question: ComparedPuzzle
    backend: str
    symmetry: str
    breaking: str
    jobs: int | None
    seed: int
    number: int
    """The number of the repetition, from 0."""

    @property
    def case(self) -> tuple[Any, ...]:
        """The run without its repetitions, of which there are no more once one is not complete."""
        return (self.question.name, *self[1:6])

    @property
    def question_and_backend(self) -> tuple[str, str, str]:
        """The puzzle and the backend, which may refuse it, with its way to break symmetry."""
        return self.question.name, self.backend, self.breaking

    @property
    def words(self) -> list[str]:
        """The words of its command line, without its backend."""
        jobs = [] if self.jobs is None else [f"--jobs={self.jobs}"]
        return [
            *self.question.words,
            f"--symmetry={self.symmetry}",
            f"--breaking={self.breaking}",
            f"--seed={self.seed}",
            *jobs,
        ]


def main(words: list[str]) -> int:
    """Run the command ``compare``, which runs puzzles by several methods; return the exit code.

    words: its command line, without the command's own name: first the names of puzzles, then options, which are read
    once for each puzzle. Raises `InputError` for options that are wrong.
    """
    unnamed = "name a puzzle, such as pentomino; python -m solvers.run --list shows all of them"
    names = [*takewhile(lambda word: not word.startswith("-"), words)]
    option_words = words[len(names) :]
    compared_puzzles = list[ComparedPuzzle]()
    for name in [[name] for name in dict.fromkeys(names)] or [[]]:  # without a name, the parser complains
        options = parser()
        declaration, chosen = options.parse_puzzle([*name, *option_words], unnamed)
        arguments = arguments_of(declaration, chosen)
        # The words of a command line for this puzzle, without the options that vary.
        run_words = words_for(declaration.parameters, arguments, options.run_values(chosen))
        compared_puzzles.append(ComparedPuzzle(chosen.puzzle, declaration, arguments, [chosen.puzzle, *run_words]))
    return _run(compared_puzzles, chosen)


def parser() -> PuzzleParser:
    """Return the parser of the command line, with the options that all puzzles share.

    An option that varies has the destination "all NAME"; its value is a list, or None. `PuzzleParser.offer` adds
    options that several commands share, by name.
    """
    description = "Run puzzles by several methods in turn; compare times, effort and solutions."
    parser = PuzzleParser("python -m solvers compare", description, EPILOG)
    run = parser.add_argument_group("the comparison")

    def add_axis(option: str, name: str, meaning: str, *more: str) -> None:
        run.add_argument(option, *more, dest=f"all {name}", type=READERS[name], metavar="LIST", help=meaning)

    add_axis("--backends", "backend", f"backends (default: {', '.join(backends_to_compare())})")
    add_axis("--symmetry", "symmetry", "kinds of symmetries: declared (default), found, none")
    add_axis("--breaking", "breaking", "ways to break symmetry: auto (default), cases, lex-leader, generators, none")
    add_axis("--jobs", "jobs", "numbers of processors (default: all)")
    add_axis("--seeds", "seed", "seeds of the solvers (default: 0)", "--seed")
    run.add_argument(
        "--repeat",
        type=argparse_reader(count),
        default=1,
        metavar="K",
        help="run each K times, show medians (default: 1)",
    )
    run.add_argument("--same", action="store_true", help="the puzzles model one problem: exit code 4 if counts differ")
    parser.offer("given time_limit cubes", run)
    output = parser.add_argument_group("output")
    TableOutputs.add_options(output, "all that runs report, and medians", "solutions over time", ("time", *ALL_RUNS))
    return parser


def _plan_runs(questions: Sequence[ComparedPuzzle], chosen: argparse.Namespace) -> Iterator[Planned]:
    """Yield all runs of the comparison, round by round; chosen: the values of all options.

    A round is a repetition, with the number from 0. The values of options that vary are under "all NAME"; None stands
    for the default.
    """
    values = vars(chosen)
    for number, seed, question, backend, symmetry, breaking, jobs in product(
        range(chosen.repeat),
        values["all seed"] or [0],
        questions,
        values["all backend"] or backends_to_compare(),
        values["all symmetry"] or ["declared"],
        values["all breaking"] or ["auto"],
        values["all jobs"] or [None],
    ):
        yield Planned(question, backend, symmetry, breaking, jobs, seed, number)


def _run(questions: Sequence[ComparedPuzzle], chosen: argparse.Namespace) -> int:
    """Run the comparison, print and write its results, and return the exit code.

    A backend that refuses a puzzle is left out; that is an error only if the user has named backends. questions: the
    puzzles. chosen: the values of all options. Raises `InputError` if no backend takes a puzzle, or an option is wrong.
    `complain` writes a sentence to stderr and returns the exit code that it is given. The greatest code counts, as
    incomplete (3) is above bad input (2) and done (0); only a contradiction between backends replaces it, by 1.
    """
    stop = StopEvent()
    is_named = bool(vars(chosen)["all backend"])
    # The files that the puzzles read, by their kind; they must not be written.
    reads: dict[str, Sequence[str]] = {}
    for question in questions:
        for kind, paths in inputs(question.declaration.name, question.arguments, chosen.given, drawing=None).items():
            reads[kind] = [*reads.get(kind, ()), *paths]
    tables = TableOutputs(chosen, reads)
    puzzles = {question.name: _declare_puzzle(question, chosen.time_limit) for question in questions}
    planned = [*_plan_runs(questions, chosen)]
    with TemporaryDirectory() as folder:
        trials, missing = _try_out_all(planned, chosen, Path(folder), stop)
        # A refusal is the sentence of a backend that does not take the puzzle.
        left_out = {trial.name: trial.complaint for trial in trials if trial.is_refusal}
        trials = [trial for trial in trials if not trial.is_refusal]
        if left_out and not trials:
            raise InputError(next(iter(left_out.values())))
        comparison = Comparison(trials, chosen.time_limit)
        for row in comparison.rows:
            if stop.ending and not row["complete"]:
                row["stopped_by"] = stop.ending.words
        print(tables.text(comparison.as_json, comparison.as_csv, lambda: str(comparison)), end="", flush=True)
        code = complain(f"ended by {stop.ending.words}{missing}", stop.ending.code) if stop.ending else DONE
        for name, reason in left_out.items():
            code = max(code, complain(f"{name} is left out: {reason}", BAD_INPUT if is_named else DONE))
        plot = partial(comparison.plot, chosen.plot_kind) if any(row["solutions"] for row in comparison.rows) else None
        if chosen.plot is not None and plot is None:
            complain("no backend found a solution, so nothing is plotted", code)
        code = max(code, tables.write(comparison.as_csv, plot))
        code = _report_contradictions(trials, puzzles, code, chosen.json)
        if chosen.same and code == DONE and comparison.has_other_totals:
            sentence_on_totals = comparison.agreement.splitlines()[-1]
            code = complain(sentence_on_totals, NO)
        return code


def _declare_puzzle(question: ComparedPuzzle, time_limit: float | None) -> Puzzle | None:
    """Return the puzzle, which draws solutions; None if that was ended, so that nothing is tried.

    The declaration goes on in a thread until a signal or the time limit ends it.
    """
    declare = partial(question.declaration.declare, **question.arguments)
    try:
        puzzle: Puzzle = run_in_thread(lambda stop: run_within_limit(time_limit, stop, declare))
        return puzzle
    except EndedEarly:
        return None


def _try_out_all(
    planned: Sequence[Planned], chosen: argparse.Namespace, folder: Path, stop: threading.Event
) -> tuple[list[Trial], str]:
    """Make the planned runs; return them, and the end of a sentence that names those that are missing, or "".

    Once a run of a case is not complete, it is not repeated; once a backend refuses a puzzle, no further run is made of
    both. folder: for files of solutions. stop: ends the current run, and later runs are left out. chosen: the parsed
    options.
    """
    line = ProgressLine(chosen.quiet)
    trials: list[Trial] = []
    runs_done: list[Planned] = []
    incomplete_cases = set[tuple[Any, ...]]()
    refused_pairs = set[tuple[str, str, str]]()
    for place, run in enumerate(planned, 1):
        if stop.is_set() or run.case in incomplete_cases or run.question_and_backend in refused_pairs:
            continue
        began = time.monotonic()

        def watch(
            solutions: int, title: str = f"{run.backend} ({place} of {len(planned)})", began: float = began
        ) -> None:
            """Show how many solutions a run has found, and its seconds."""
            seconds = time.monotonic() - began
            line.show_progress(
                lambda: f"{title}: {number_with_unit(solutions, 'solutions')} up to symmetry, {seconds:.0f} s"
            )

        declaration, arguments = run.question.declaration, run.question.arguments
        blank = Report(declaration.name, arguments, symmetry=run.symmetry, breaking=run.breaking, seed=run.seed)
        trial = try_out(blank, run.words, run.backend, folder / f"{place}.jsonl", stop, watch)
        trials.append(replace(trial, puzzle=run.question.name, asked_jobs=run.jobs))
        runs_done.append(run)
        if not trial.is_complete:
            incomplete_cases.add(run.case)
        if trial.is_refusal:
            refused_pairs.add(run.question_and_backend)
    line.clear()
    names = method_names(trials, trials, as_asked=True)
    trials = [replace(trial, label=name) for trial, name in zip(trials, names, strict=True)]
    runs_left = [
        run
        for run in planned
        if run not in runs_done and run.case not in incomplete_cases and run.question_and_backend not in refused_pairs
    ]
    if not runs_left:
        return trials, ""
    names_of_runs = [
        f"{run.question.name} on {run.backend} (symmetry {run.symmetry}, seed {run.seed})" for run in runs_left
    ]
    sentence = f"{len(runs_left)} of {number_with_unit(len(planned), 'runs')} missing"
    return trials, f"; {sentence}: {first_words(names_of_runs, MOST_MISSING_NAMED)}"


def _report_contradictions(
    trials: Sequence[Trial], puzzles: Mapping[str, Puzzle | None], code: int, quiet: bool
) -> int:
    """Report the runs that failed or that contradict each other, with a solution as an example; return the exit code.

    trials: all runs. puzzles: draw the solution, by their names; None if one could not be declared. code: the exit code
    so far. quiet: draw no solution. `complain` writes a sentence to stderr and returns the exit code that it is given.
    """
    incomplete_runs = list(
        dict.fromkeys((trial.name, trial.row["stopped_by"]) for trial in trials if not trial.is_complete)
    )
    if code in (DONE, INCOMPLETE):
        for name, ending in incomplete_runs:
            code = complain(f"{name}: ended by {ending}; its counts are lower bounds", INCOMPLETE)
    for trial in trials:
        if trial.complaint:
            code = complain(f"{trial.name}: {trial.complaint}", SHOULD_NEVER_HAPPEN)
    for disagreement in disagreements(trials):
        code = complain(disagreement.sentence, SHOULD_NEVER_HAPPEN)
        puzzle = puzzles.get(disagreement.puzzle)
        if disagreement.line and puzzle and not quiet:
            zeros = dict.fromkeys(puzzle.key, 0) if puzzle.draw else {}  # lines without zeros are a list of literals
            print(draw.solution(puzzle, zeros | dict(literals_from_json(disagreement.line, puzzle.key))))
    return code
