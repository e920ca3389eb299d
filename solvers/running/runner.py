"""Build, break symmetry, search, check, count: one run of one puzzle on one backend."""

from __future__ import annotations

import queue
import threading
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, wait
from contextlib import suppress
from dataclasses import replace
from enum import Enum, auto
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import ortools.sat.python.cp_model  # noqa: F401  every model needs it; to load it is no part of the time of a run

from models.puzzle import Puzzle
from solvers.cubes.cube import Found, Rows
from solvers.cubes.processes import peak_memory
from solvers.cubes.search import Engine, Search
from solvers.deadline import Deadline, heed, start_in_thread
from solvers.endings import DONE, ENDED_BY, Ending
from solvers.errors import (
    BudgetError,
    ExecutorError,
    InputError,
    Stopped,
    StoreError,
    WorkerDiedError,
)
from solvers.model.compiled import is_compiling
from solvers.options import Options
from solvers.plugs import SECOND_WAYS, function, load
from solvers.running.collect import Collector
from solvers.running.plug import LiteralCounts, Recognition, Tally
from solvers.running.prepare import Prepared, prepare
from solvers.running.question import Question
from solvers.running.stated import oddities
from solvers.show.evidence import READ_BY, SecondCount, kind_of, rests_on
from solvers.show.report import Report
from solvers.symmetry.key import Decoded, Encoded, checksum
from solvers.tuning import TUNING
from solvers.values import Values


class SearchSignal(Enum):
    """Messages without data that the searching thread sends to its run."""

    PROVED = auto()
    """The set of all solutions was seen to have the symmetries."""
    SEARCHED = auto()
    """The whole space was searched."""
    STOPPED = auto()
    """The search ended before the whole space was searched."""


class SearchOutcome(NamedTuple):
    """The outcome of a finished search, as far as the checks of symmetries need it."""

    first: Values | None = None
    """The values of the first solution that it found; None if it found none."""

    best: int | None = None
    """The least value of the proto objective's sum; None if there is no objective."""


Message = Prepared | Engine | Found | Tally | SearchSignal | BaseException | Rows
"""Everything that the thread that searches tells the run; solutions are told in batches."""


class MessageQueue(queue.Queue[Message]):
    """Messages on their way to the run; it is full once it holds so many solutions and other messages."""

    _held = 0
    """The number of solutions and of other messages in the queue."""

    def _qsize(self) -> int:
        """Return the number of solutions and of other messages, by which `queue.Queue` sees that it is full."""
        return self._held

    def _put(self, item: Message) -> None:
        """Add a message at the end; `queue.Queue` calls this while it holds its lock."""
        super()._put(item)
        self._held += len(item) if isinstance(item, np.ndarray) else 1

    def _get(self) -> Message:
        """Remove the first message and return it; `queue.Queue` calls this while it holds its lock."""
        item = super()._get()
        self._held -= len(item) if isinstance(item, np.ndarray) else 1
        return item


MAX_UNCHECKED_SOLUTIONS = 256
"""The most solutions by which a search may be ahead of their checks, if no other process checks.

Otherwise the search would be done long before the checks. These are faster once nothing else runs, so the forecast of
the remaining time would be wrong.
"""

UNPREPARED = ", before its code was compiled, which is done once"
"""The words for a run that is ended while it waits for that."""

MIN_CUBES_TO_FORECAST = 10
"""The number of cubes that have to be done before the remaining time is forecast."""


class Run:
    """One run: iterate over it for the solutions up to symmetry, each as soon as it is found.

    The report is updated meanwhile. Each orbit is shown by its least image. Every solution, and every image of one, is
    checked before it is shown. Declaring, preparing and searching happen in a thread of their own, so that `stop` is
    heeded whatever a solver does.

    Raises, while it is iterated over: what declaring the puzzle raises; `InputError` for what cannot be done;
    `CheckError` for what should never happen.
    """

    def __init__(
        self,
        name: str,
        arguments: Mapping[str, Any],
        declare: Callable[..., Puzzle],
        options: Options,
        begin: Callable[[Question], None] = lambda _: None,
    ) -> None:
        """Prepare a run, which begins once it is iterated over.

        name, arguments: the puzzle's name and its parameters. declare: ``declare(**arguments)`` returns the puzzle.
        options: those of the run. begin: called with the question before the search.
        """
        self.report = Report(name, arguments, backend=options.backend, symmetry=options.symmetry)
        self.ending: Ending | None = None
        """What ended it early; None if nothing did."""
        self.collector: Collector | None = None
        self._recognition: Recognition | None = None
        """The drawing of ``which``, once it was read."""
        self.marginals: LiteralCounts | None = None
        """The number of solutions in which each literal is true, if that was asked for and all solutions were
        counted."""
        self.samples: list[Decoded] = []
        """The solutions that were drawn at random."""
        self.thread = threading.Thread(target=self._work, daemon=True)
        self._declare, self._begin = partial(declare, **arguments), begin
        self.options = options
        self.is_heard = True
        """Whether who iterates over the run wants each solution, and not only the report."""
        self._stop = threading.Event()
        self._messages = MessageQueue(maxsize=4 * TUNING.solutions_per_check)
        self._start_time = time.perf_counter()
        self._spent_outside = 0.0
        self._searched = Fraction()  # the share of the space
        self._judged: list[tuple[float, float]] = []  # how many cubes were done at what time
        self._overdue_at = float("inf")
        self._ended = self._is_searched = False
        self._engine: Engine | None = None
        """The backend that searches, as far as this run was told; None before the search, and where none searches."""
        self._broken_by: Mapping[str, int] = {}
        self._drawn_by_count: Sequence[Encoded] = ()

    @property
    def question(self) -> Question | None:
        """The question of the run; None until it is prepared."""
        return self.collector.question if self.collector else None

    def in_order(self) -> list[Encoded]:
        """Return the least image of each orbit found so far, in key order.

        The list is empty before the search begins.
        """
        return self.collector.in_order() if self.collector else []

    def stop(self, ending: Ending, detail: str = "") -> None:
        """Tell the run to end early.

        ending: why; only the first reason given counts. detail: words for the report in place of the ending's own.
        """
        self._note(ending, detail)
        self._stop.set()

    def _note(self, ending: Ending, detail: str = "") -> None:
        """Set the reason why the run ends early, unless there is one already.

        detail: words for the report in place of the ending's own.
        """
        if self.ending is None:
            self.ending, self.report.stopped_by = ending, detail or ending.words
            if is_compiling():
                self.report.stopped_by += UNPREPARED

    @property
    def was_cut_short(self) -> bool:
        """Tell whether the run was ended early for a reason that leaves no time for further work.

        A time limit is such a reason.
        """
        return self.ending is not None and self.ending.code != DONE

    def dismiss(self) -> None:
        """End the processes that this run started for checks and for orbits."""
        if self.collector:
            self.collector.question.verifier.dismiss()
            self.collector.question.group.dismiss()

    def __iter__(self) -> Iterator[Decoded | None]:
        """Yield each new solution, and None a few times a second while no solution comes."""
        try:
            yield from self._found()
        finally:
            self.dismiss()

    def _found(self) -> Iterator[Decoded | None]:
        """Yield each new solution and, a few times a second, None; after the search, finish the report.

        Iterating over the run does this, and then ends the processes that were started.
        """
        report = self.report
        self.thread.start()
        while not self._ended:
            if self._is_overdue():
                break
            found = self._receive()
            if found is None:
                yield None
            elif self.collector:
                if report.seconds["first"] is None:
                    report.seconds["first"] = self._elapsed() - self._spent_outside
                try:
                    for solution in self.collector.add(found, self.is_heard):
                        if solution is not None:
                            left = time.perf_counter()
                            yield solution
                            self._spent_outside += time.perf_counter() - left
                        if self._is_overdue():
                            raise Stopped
                except Stopped:  # what is left was found, but neither checked nor counted
                    self._is_overdue()  # says that it was the time limit, if that is why
                    self._is_searched = False
                    break
                except MemoryError:
                    self._is_searched = False
                    self.stop(Ending.NO_MEMORY)
                    break
                if self.collector.is_full:
                    self._ended, self._is_searched = True, False
                    self.stop(Ending.SECOND_SOLUTION if self.options.unique else Ending.LIMIT)
            report.seconds["all"] = self._elapsed() - self._spent_outside
        report.seconds["all"] = self._elapsed() - self._spent_outside  # also of a batch that was not checked to its end
        report.complete = self._is_searched
        if self.collector and self.options.count_only and not report.complete:
            self.collector.count_what_was_met()
        report.sort_features()
        if report.complete:
            report.seconds["left"] = None
        self._tell_backend()
        report.memory["main"] = peak_memory()
        if self.collector and (most := self.collector.question.verifier.memory):
            report.memory["worker"] = max(most, report.memory.get("worker", 0))
        if report.complete and self.collector:
            late, words = self.ending, report.stopped_by
            self.ending, report.stopped_by = None, ""
            self.collector.finish()
            report.symmetry_proved = report.symmetry_proved or self.collector.broken.is_whole
            try:
                self._conclude(self.collector)
                for asked in SECOND_WAYS:
                    if getattr(self.options, asked):
                        yield from self._count_again(asked, self.collector.question)
            except Stopped:
                self._note(late or Ending.TIME_LIMIT, words)  # where nothing else has said why
            except MemoryError:
                self.stop(Ending.NO_MEMORY)
        if self._recognition and self.collector:
            report.which = self._recognition.answer(self.collector.in_order(), report)
        if self.options.unique and (report.complete or report.solutions > 1):
            report.unique = report.solutions == 1

    def _count_again(self, asked: str, question: Question) -> Iterator[None]:
        """Have the second way of counting that an option asks for confirm the counts; yield None meanwhile.

        asked: the name of the option, a key of `SECOND_WAYS`. question: the question of this run. The result goes into
        the report. If the second way cannot confirm the counts, the run is stopped as unconfirmed.

        Raises what the second way raises, such as `CheckError` if it contradicts the counts.
        """
        began = time.perf_counter()

        def another(options: Options) -> Run:
            puzzle = question.puzzle
            return Run(puzzle.name, puzzle.parameters, lambda **_: puzzle, options)

        def work() -> SecondCount | None:
            heed(self._stop)
            way = load(SECOND_WAYS[asked], f"--{asked}")(question, self, self.options, another)
            found: SecondCount | None = way.confirm(self._stop)
            return found

        done = start_in_thread(work)
        while not (done.done() or self._is_overdue()):
            wait([done], timeout=0.1)
            yield None
        if done.done() and not isinstance(done.exception(), Stopped):
            self.report.counted_again = done.result()
            self.report.seconds["verify"] = time.perf_counter() - began
            if not self.report.counted_again:
                self.stop(Ending.UNCONFIRMED)

    def work_on(self, work: Callable[[threading.Event], object]) -> float:
        """Do further long work after the search, within the same time limit; return how many seconds it took.

        work: called in a thread of its own, with the event that tells it to stop.

        Raises what the work raises.
        """
        began, limit = time.perf_counter(), self.options.time_limit
        if limit is not None:
            timer = threading.Timer(limit - self._elapsed(), self.stop, [Ending.TIME_LIMIT])
            timer.daemon = True
            timer.start()

        def work_heeding_stop() -> None:
            heed(self._stop)
            work(self._stop)

        # In the main thread PySAT's solvers have their own way with Ctrl-C.
        start_in_thread(work_heeding_stop).result()
        return time.perf_counter() - began

    def _is_overdue(self) -> bool:
        """Tell whether the run has to be left now: it was told to stop, and its time for that is over.

        Passing the time limit tells the run to stop. After that it has `Tuning.grace_seconds`, or no time if the search
        has not begun.
        """
        limit = self.options.time_limit
        if limit is not None and self._elapsed() > limit:
            self.stop(Ending.TIME_LIMIT)
        if self._stop.is_set():
            grace = TUNING.grace_seconds if self.collector else 0
            self._overdue_at = min(self._overdue_at, time.perf_counter() + grace)
        return time.perf_counter() > self._overdue_at

    def _elapsed(self) -> float:
        """Return the seconds since the run was made."""
        return time.perf_counter() - self._start_time

    def haste(self, seconds: float) -> Callable[[], bool]:
        """Return a function that tells whether work after the search has to end now.

        It returns True once ``seconds`` seconds have passed since the time limit or since the run was ended early.
        """
        ends = float("inf")

        def is_over() -> bool:
            nonlocal ends
            limit = self.options.time_limit
            is_late = limit is not None and self._elapsed() - self._spent_outside > limit
            if is_late or self.was_cut_short:
                ends = min(ends, time.perf_counter() + seconds)
            if time.perf_counter() <= ends:
                return False
            if not self.was_cut_short:
                self.ending, self.report.stopped_by = Ending.TIME_LIMIT, Ending.TIME_LIMIT.words
            return True

        return is_over

    def _work(self) -> None:
        """Declare, prepare and search, in the searching thread; messages and errors go through the queue."""
        heed(self._stop)
        try:
            prepared = prepare(self._declare(), self.options, self._stop)
            self._begin(prepared.question)
            self._send(prepared)
            if (path := self.options.which) is not None:
                self._recognition = function("recognise", "which")(path, prepared.question, self._stop)
                if not self._recognition.is_solution:
                    raise Stopped
            listed = self._search(prepared)
            if not (prepared.broken.is_whole or prepared.is_proved):
                self._contradict(prepared, listed)
            self._send(SearchSignal.SEARCHED)
        except (ExecutorError, BudgetError, StoreError, WorkerDiedError) as reason:
            self._give_up(ENDED_BY[type(reason)], str(reason))
        except BrokenExecutor:
            self._give_up(Ending.WORKER)
        except MemoryError:
            self._give_up(Ending.NO_MEMORY)
        except Stopped:
            self._send_last(SearchSignal.STOPPED)
        except BaseException as error:  # of whatever kind: the thread that waits has to hear of it
            self._send_last(error)

    def _search(self, prepared: Prepared) -> SearchOutcome:
        """Run the search or the counter, then close its store; return what was listed, nothing if a counter was run.

        Raises what the search raises, but only after
        closing the store, so that another process may open it. Raises `Stopped` if the run is stopped.
        """
        search, verifier = prepared.search, prepared.question.verifier
        ending, variables = "", len(prepared.question.model.proto.variables)
        first: Values | None = None

        def found(rows: Rows) -> None:
            nonlocal first
            if first is None:
                first = rows[0]
                _ = verifier.evaluator  # it may take long to build, in which the main thread could not be stopped
            rows = rows[:, :variables]  # without auxiliary ones
            most = min(_most_at_once(prepared.question), MAX_UNCHECKED_SOLUTIONS)
            for start in range(0, len(rows), most):
                self._send(rows[start : start + most])

        try:
            if not isinstance(search, Search):
                self._send(search.run(self._send))
                return SearchOutcome()
            optimum = search.run(found, self._send, self._send)
            return SearchOutcome(first, optimum.value)
        except Exception as reason:
            out_of_memory = isinstance(reason, MemoryError)
            ending = self.report.stopped_by or (Ending.NO_MEMORY.words if out_of_memory else str(reason))
            raise
        finally:
            if search.store:
                search.store.close(ending)

    def _contradict(self, prepared: Prepared, listed: SearchOutcome) -> None:
        """Look for a solution that contradicts symmetries which were broken but are not proved.

        prepared: the question and its search. listed: what the search has listed. If all solutions were seen and
        have the symmetries, a message tells the run that these are proved; if the time ends before that, there is no
        message.

        Raises `WrongSymmetryError` or `CheckError` if there is such a solution. Raises `Stopped` if the run is stopped,
        `InputError` if the backend cannot search the model.
        """
        from solvers.running.counterexample import contradict, contradict_nothing_found

        question, options = prepared.question, replace(self.options, store=None)
        if listed.first is None:
            contradict_nothing_found(question, options, self._stop)
            return self._send(SearchSignal.PROVED)
        patience = Deadline(self._stop)
        patience.begin(max(TUNING.min_counterexample_seconds, TUNING.counterexample_share * self._elapsed()))
        with suppress(Stopped, InputError):
            contradict(question, options, listed.first, listed.best, patience)
            self._send(SearchSignal.PROVED)

    def _give_up(self, ending: Ending, detail: str = "") -> None:
        """Stop the run for this reason, and tell the waiting thread that the search has ended.

        detail: words for the report in place of the ending's own.
        """
        self.stop(ending, detail)
        self._send_last(SearchSignal.STOPPED)

    def _send(self, message: Message) -> None:
        """Put a message into the queue; wait while it is full.

        Raises `Stopped` if the run is stopped meanwhile.
        """
        while True:
            try:
                return self._messages.put(message, timeout=0.1)
            except queue.Full:
                if self._stop.is_set():
                    raise Stopped from None

    def _send_last(self, message: Message) -> None:
        """Put a message into the queue, or drop it if the queue is full and the run was stopped."""
        with suppress(Stopped):
            self._send(message)

    def _receive(self) -> Rows | None:
        """Handle the messages of the searching thread.

        Returns the solutions among them, about as many as are checked at once; None if no solution comes within a tenth
        of a second. Raises the exception that the thread sent.
        """
        found: list[Rows] = []
        number = 0
        try:
            message = self._messages.get(timeout=0.1)
            while True:
                if isinstance(message, Prepared):
                    self._start(message)
                elif isinstance(message, Engine):
                    self._engine = message
                    self._tell_backend()
                elif message is SearchSignal.PROVED:
                    self.report.symmetry_proved = True
                elif isinstance(message, SearchSignal):
                    self._ended, self._is_searched = True, message is SearchSignal.SEARCHED
                elif isinstance(message, Found):
                    self._account(message)
                elif isinstance(message, Tally):
                    self._take_over(message)
                elif isinstance(message, BaseException):
                    raise message
                else:
                    found.append(message)
                    number += len(message)
                if self._ended or number >= self._wanted:
                    break
                message = self._messages.get_nowait()
        except queue.Empty:
            pass
        return np.concatenate(found) if found else None

    @property
    def _wanted(self) -> int:
        """The number of solutions that are taken from the queue at once."""
        return _most_at_once(self.question) if self.question else TUNING.solutions_per_check

    def _account(self, found: Found) -> None:
        """Add the figures of finished cubes to the report: progress, statistics, memory, time left."""
        report = self.report
        report.cubes += found.cubes
        report.jobs = self.options.jobs if report.cubes else 1
        self._searched += found.weight
        report.progress = min(1.0, float(self._searched))  # what was searched in one piece may be searched again
        self._judge(found)
        if found.resumed:
            report.resumed[found.resumed] = report.resumed.get(found.resumed, 0) + found.cubes
        if found.memory:
            report.memory["worker"] = max(report.memory.get("worker", 0), found.memory)
        spent = dict(found.statistics)
        report.cut += spent.pop("cut", 0)
        for unit, count in spent.items():
            report.statistics[unit] = report.statistics.get(unit, 0) + count
        self._tell_backend()

    def _judge(self, found: Found) -> None:
        """Estimate the seconds that are left, and write them into the report.

        found: the cubes that were just finished. Cubes are searched in random order, so the open ones are taken to need
        as long as the finished ones, with all checks. Only the later half of the time so far counts, because workers
        were started in the earlier half. Does nothing if it is not known how many cubes are open, or if too few are
        done.
        """
        if found.open is None:
            return
        now, done = self._elapsed() - self._spent_outside, self._judged[-1][1] if self._judged else 0
        self._judged.append((now, done + found.done))
        half = (self._judged[0][0] + now) / 2
        then, before = self._judged[max(bisect_left(self._judged, (half, 0)) - 1, 0)]
        if self._judged[-1][1] - before >= MIN_CUBES_TO_FORECAST:
            self.report.seconds["left"] = (now - then) * found.open / (self._judged[-1][1] - before)

    def _tell_backend(self) -> None:
        """Write into the report which backend searches, how large the model is, and what the count rests on.

        If `auto` has chosen the backend, the reason is written, too.
        """
        report, read_by = self.report, set[str]()
        if engine := self._engine:
            report.backend, report.chosen = engine.name, engine.why
            report.model = dict(engine.size)
            report.besides = {**self._broken_by, **engine.implied}
            read_by.update(engine.rests_on)
        for backend in report.resumed if engine else [report.backend]:
            read_by.update(READ_BY.get(kind_of(backend, report.method), ()))
        report.rests_on = rests_on(
            read_by,
            has_symmetries=(report.symmetries or 1) > 1,
            breaks_symmetry=report.method == "listing" and not self.options.unbroken,
            is_cut=report.cut > 0,
        )

    def _take_over(self, tally: Tally) -> None:
        """Write the state of a count without listing into the report; keep its marginals and samples."""
        report = self.report
        report.solutions, report.total = tally.solutions, tally.total
        if listed := tally.listed:
            report.method, report.backend, report.model = listed.method, listed.backend, listed.model
            report.met, report.checked, report.statistics = listed.met, listed.checked, {}
            report.chosen = "listing was quicker than counting without a list"
        if tally.objective is not None and self.question:
            best = self.question.puzzle.best
            report.objective, report.best = tally.objective, best(tally.objective) if best else ""
        report.statistics.update(tally.statistics)
        report.memory.update(tally.memory)
        if tally.resumed:
            report.resumed[report.backend] = tally.resumed
        if tally.marginals is not None and self.options.marginals:
            self._set_marginals(tally.marginals)
        report.features = dict(tally.features)
        self._tell_backend()
        self._drawn_by_count = tally.samples

    def _conclude(self, collector: Collector) -> None:
        """Set the marginals and the samples, if the options ask for them.

        All solutions have to be counted before. Raises `Stopped` if the time ends before all samples were drawn,
        `CheckError` if a sample violates a rule.
        """
        options = self.options
        if self.report.method == "listing" and options.marginals:
            self._set_marginals(collector.marginals())
        shown: dict[Encoded, tuple[Decoded, list[Any]]] = {}
        samples: list[tuple[Decoded, list[Any]]] = []
        for sample in self._drawn_from_all(collector):
            if self._is_overdue():
                raise Stopped
            if sample is not None:
                if sample not in shown:
                    decoded = collector.question.key.decode(sample)
                    shown[sample] = decoded, list(decoded.items())
                samples.append(shown[sample])
        self.samples = [decoded for decoded, _ in samples]
        self.report.samples = [literals for _, literals in samples]

    def _drawn_from_all(self, collector: Collector) -> Iterator[Encoded | None]:
        """Yield the samples that the options ask for, drawn uniformly from all solutions; None in between."""
        if self.report.method == "listing":
            yield from collector.sample(self.options.sample or 0, self.options.seed)
        else:
            yield from collector.check(self._drawn_by_count)
            yield from self._drawn_by_count

    def _set_marginals(self, counts: Sequence[int]) -> None:
        """Set the marginals of the run and their summary in the report.

        counts: for each literal number, the number of solutions that hold it; see `Collector.marginals`.
        """
        assert self.collector
        question = self.collector.question
        marginals: LiteralCounts = function("marginals", "marginals")(
            question.puzzle, question.key, counts, self.report.total
        )
        self.marginals = marginals
        self.report.marginals = {
            "literals": len(marginals),
            "in_all": len(marginals.in_all),
            "in_none": len(marginals.in_none),
        }

    def _start(self, prepared: Prepared) -> None:
        """Make the collector for the prepared question.

        What is known before the search is written into the report.
        """
        options, report = self.options, self.report
        search, key = prepared.search, prepared.question.key
        if isinstance(search, Search):
            self._engine = search.engine
        else:
            report.method, report.met = search.method, None
            report.backend, report.model = search.name, dict(search.size)
        if not prepared.question.verifier.may_be_shared:
            self._messages.maxsize = MAX_UNCHECKED_SOLUTIONS
        self.collector = Collector(
            prepared.question,
            report,
            every=options.unbroken and report.method == "listing",
            broken=prepared.broken,
            limit=2 if options.unique else options.limit,
            keep=not options.count_only or (options.sample is not None and report.method == "listing"),
            marginals=options.marginals,
            seed=options.seed,
        )
        self._broken_by = prepared.broken_by
        report.jobs = 1 if isinstance(search, Search) else search.jobs
        report.checksum = partial(checksum, prepared.question.model, prepared.question.key)
        report.note = prepared.question.puzzle.note
        report.by = options.by or ""
        report.warnings = [*prepared.question.puzzle.warnings, *oddities(prepared.question.model, key)]
        named = len(prepared.question.puzzle.named) or len(key.variables)
        every = len(prepared.question.model.proto.variables)
        report.variables = {"all": every, "key": len(key.variables), "named": named}
        report.given = [fact.text for fact in prepared.question.given]
        report.symmetries = prepared.question.group.order
        report.rigid = list(prepared.question.group.rigid)
        report.symmetry_proved = prepared.is_proved
        self._tell_backend()
        report.seconds["build"] = self._elapsed()


def _most_at_once(question: Question) -> int:
    """Return the most solutions that are checked in one batch.

    The number is such that they have about `Tuning.solutions_per_check` images. If other processes check, it is
    `Tuning.solutions_per_check` solutions, so that the processes always have work.
    """
    if question.verifier.is_shared:
        return TUNING.solutions_per_check
    return max(1, TUNING.solutions_per_check // question.group.most_images)
