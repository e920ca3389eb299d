"""A run of a command from its begin to its exit code: progress, outputs, and what is missing at the end."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from solvers.base.endings import DONE, NO, Ending
from solvers.base.errors import BudgetError, InputError
from solvers.base.plugs import FUNCTIONS, function
from solvers.outputs.output import EndedRun, Output
from solvers.outputs.selection import PropertyCondition, select
from solvers.running.runner import Run
from solvers.show.printable import printable
from solvers.show.report import Report
from solvers.terminal.command import complain, heed_signals
from solvers.terminal.progress import ProgressLine

STOPPED_OUTPUT_SECONDS = 0.4
"""Seconds in which a run that was told to stop writes its files, and prints."""

LONG_LISTING_SECONDS = 10.0
"""Seconds after which the time of a listing is predicted; earlier, this would slow down short ones."""


class OutputTime:
    """The time for work after a search that was told to stop; calling it says whether that is over."""

    def __init__(self, run: Run, seconds: float) -> None:
        """Take the run, and the seconds that the work has once the run is late."""
        self._run, self._seconds, self._ends = run, seconds, float("inf")
        self.was_over = False
        """Whether somebody was told that the time is over, and so has left something out."""

    def __call__(self) -> bool:
        """Tell whether the time is over."""
        if self._ends == float("inf") and self._run.is_late():
            self._ends = time.perf_counter() + self._seconds
        self.was_over = self.was_over or time.perf_counter() > self._ends
        return self.was_over

    def note_overrun(self) -> None:
        """Have the run tell that its time limit has cut something short, if so it was."""
        if self.was_over:
            self._run.note_late_output()


class CommandRun:
    """A run of a command: it is searched with a line of progress, and its outputs are written."""

    def __init__(
        self,
        run: Run,
        outputs: Sequence[Output],
        quiet: bool,
        conditions: Callable[[], Sequence[PropertyCondition]] = tuple,
    ) -> None:
        """Take a run that has not begun.

        outputs: begun with the run's question; they are given each solution. quiet: show no progress. conditions:
        returns, once the run is prepared, those of the solutions that the outputs are to have.
        """
        self.run = run
        self.listed: EndedRun = run
        """The solutions that the outputs are to have: all of the run, or those that fulfil the conditions."""
        self._conditions = conditions
        self._outputs, self._quiet = outputs, quiet
        self.flaw: InputError | None = None
        """Why something that the puzzle draws cannot be shown, though the numbers can."""
        self.missing: list[str] = []
        """Sentences on what is missing from the outputs."""

    def search(self) -> None:
        """Search to the end, with a line of progress, and finish the outputs."""
        heed_signals(self.run.stop)
        self._pass_solutions()
        try:
            self._finish()
        except InputError as error:
            self.flaw = error

    def _pass_solutions(self) -> None:
        """Search to the end, with a line of progress; pass each solution to the outputs.

        If an output cannot be written, the run ends with that as its cause. After some seconds, the time of a long
        listing is predicted on stderr.
        """
        run = self.run
        # ``is_told``: whether the prediction of a long listing was printed, or is not to be printed at all.
        began, is_told = time.perf_counter(), self._quiet or "long listing" not in FUNCTIONS
        predictor: Any = None
        progress = ProgressLine(self._quiet)
        # Without outputs no solution is asked for, and they are counted many at a time.
        run.is_heard = bool(self._outputs)
        path: object = ""
        try:
            for solution in run:
                progress.show(run)
                if not is_told and (seconds := time.perf_counter() - began) > LONG_LISTING_SECONDS:
                    # It predicts the time of the listing, and says what is quicker; an empty sentence means not yet.
                    predictor = predictor or function("long listing", "a prediction")(run)
                    if sentence := predictor.sentence(seconds):
                        is_told = True
                        progress.clear()
                        print(f"kazoeru: {printable(sentence)}", file=sys.stderr, flush=True)
                if solution is None:
                    continue
                for output in self._outputs:
                    path = output.path
                    output.add(solution)
        except OSError as error:
            run.stop(Ending.WRITING, _writing_error_in_words(error, path))
        finally:
            progress.clear()

    def _finish(self) -> None:
        """Finish the outputs after the search, and note for each what is missing from it.

        If an output cannot be written, the run ends with that as its cause, and nothing is raised. Raises `InputError`
        if something that the puzzle draws cannot be shown.
        """
        run = self.run
        began = time.perf_counter()
        if conditions := self._conditions():
            is_over = OutputTime(run, STOPPED_OUTPUT_SECONDS)
            self.listed = selection = select(run, conditions, is_over)
            is_over.note_overrun()
            run.add_facts(selected=selection.selected)
            for condition in conditions:
                # A value that no solution has may be misspelt.
                condition.refuse_unknown(run.report)
        for output in self._outputs:
            is_over = OutputTime(run, STOPPED_OUTPUT_SECONDS / len(self._outputs))
            try:
                sentence = output.finish(self.listed, is_over)
            except OSError as error:
                run.stop(Ending.WRITING, _writing_error_in_words(error, output.path))
                sentence = output.absence
            except BudgetError as error:
                run.stop(Ending.BUDGET, str(error))
                sentence = output.absence
            except MemoryError:
                run.stop(Ending.NO_MEMORY)
                sentence = output.absence
            is_over.note_overrun()
            if sentence:
                self.missing.append(sentence)
        run.add_seconds(output=time.perf_counter() - began - (run.report.seconds["certify"] or 0))

    def close(self, is_no: bool, lacks: Iterable[str] = ()) -> int:
        """Complain about what is missing, and return the exit code.

        A run that ended early complains in one line, with its cause. is_no: whether the answer to a question is no.
        lacks: further sentences on what is missing if the run was ended early. Raises `InputError` if the puzzle's
        drawing cannot be shown.
        """
        if self.flaw:
            raise self.flaw
        report = self.run.report
        code = self.run.ending.code if self.run.ending else DONE
        if code == DONE:
            for sentence in self.missing:
                complain(f"{report.puzzle}: {sentence}", DONE)
            return NO if is_no else DONE
        # An ended run may be complete, if only its outputs were cut short.
        reservations = [] if report.complete else ["the counts are lower bounds", *self._outlook(report)]
        bound = "".join(f"; {sentence}" for sentence in (*reservations, *lacks, *self.missing))
        return complain(f"{report.puzzle}: ended by {report.stopped_by} after {self.run.seconds:.1f} s{bound}", code)

    def _outlook(self, report: Report) -> list[str]:
        """Return sentences on the share of the work that is done, the time left, and how to go on."""
        sentences = [f"searched: {report.outlook}"] if report.outlook else []
        return sentences + (["the same command goes on"] if self.run.options.store is not None else [])


def _writing_error_in_words(error: OSError, path: object) -> str:
    """Return the words for an error in writing, with the file and the cause.

    path: used if the error names no file.
    """
    return f"{Ending.WRITING.words} {error.filename or path}: {error.strerror or error}"
