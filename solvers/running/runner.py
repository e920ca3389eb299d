"""Build, break symmetry, search, check, count: one run of one puzzle on one backend."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import wait
from functools import partial
from typing import Any

import numpy as np
import ortools.sat.python.cp_model  # noqa: F401  every model needs it; to load it is no part of the time of a run

from models.puzzle import Puzzle
from solvers.base.deadline import Deadline, replace_stop_event, set_stop_event, start_in_thread
from solvers.base.endings import DONE, Ending
from solvers.base.errors import Stopped
from solvers.base.options import Options
from solvers.base.plugs import SECOND_WAYS, function, load
from solvers.base.tuning import TUNING
from solvers.cubes.cube import Found, Rows
from solvers.cubes.processes import peak_memory
from solvers.cubes.search import Engine, Search
from solvers.running.collect import Collector
from solvers.running.facts import RunFacts, declaration_facts
from solvers.running.plug import LiteralCounts, Tally
from solvers.running.prepare import Prepared
from solvers.running.question import Question
from solvers.running.searching import GivenUp, Message, SearchSignal, SearchThread, most_at_once
from solvers.show.evidence import SecondCount
from solvers.show.report import Report
from solvers.symmetry.key import Decoded, Encoded

GATHERING_SECONDS = 0.05
"""Seconds for which solutions are gathered before they are checked; not for the first one."""


class Run:
    """One run: iterate over it for the solutions up to symmetry, each as soon as it is found.

    Its stages are to declare and prepare, to search (both in a thread of their own, so that `stop` is heeded whatever a
    solver does), to check and count meanwhile, and to conclude. Each orbit is shown by its least image. Every
    solution, and every image of one, is checked before it is shown.

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
        options: those of the run. begin: called with the question (the puzzle, its key and its group) before the
        search.
        """
        empty_report = Report(
            name,
            arguments,
            backend=options.backend,
            symmetry=options.symmetry,
            breaking=options.breaking,
            by=options.by or "",
            seed=options.seed,
            solver_parameters=dict(options.solver_parameters),
            limits={"limit": options.limit, "time_limit": options.time_limit, "memory": options.memory},
        )
        # It collects what each step establishes, and makes the report of that.
        self._facts = RunFacts(empty_report, options)
        self.options = options
        self.collector: Collector | None = None
        """What checks and counts the solutions; None until the search is prepared."""
        self.marginals: LiteralCounts | None = None
        """The number of solutions in which each literal is true, if that was asked for and all solutions were
        counted."""
        self.samples: list[Decoded] = []
        """The solutions that were drawn at random."""
        self.is_heard = True
        """Whether who iterates over the run wants each solution, and not only the report."""
        self._stop = self._facts.request
        self.thread = SearchThread(partial(declare, **arguments), options, begin, self._stop)
        self._start_time = time.perf_counter()
        self._spent_outside = 0.0
        """Seconds for which the caller held a solution before it asked for the next one."""
        self._stopped_at = float("inf")
        """The time at which the run was told to end; infinite before that."""
        self._has_ended = self._is_searched = False
        """Whether the search has ended, and whether it has covered the whole space."""

    @property
    def ending(self) -> Ending | None:
        """The cause that ended it early; None if nothing did."""
        return self._facts.ending

    @property
    def report(self) -> Report:
        """The report of the run so far; it is made anew each time, and does not change."""
        return self._facts.report()

    def add_facts(self, **fields: Any) -> None:
        """Have the report say what was established after the search; fields: those of `Report`."""
        self._facts.further |= fields

    def add_seconds(self, **seconds: float) -> None:
        """Have the report say how long something took after the search; seconds: by the names of `Report.seconds`."""
        self._facts.seconds |= seconds

    @property
    def question(self) -> Question | None:
        """The question of the run; None until it is prepared."""
        return self.collector.question if self.collector else None

    @property
    def advice(self) -> str:
        """The advice for a count that does not end, a clause; empty if there is none."""
        return self._facts.counter.advice if self._facts.counter else ""

    def in_order(self, most: int | None = None) -> list[Encoded]:
        """Return the least image of each orbit found so far, in key order.

        The list is empty before the search begins. most: how many to return, the first ones; None for all.
        """
        return self.collector.in_order(most) if self.collector else []

    def stop(self, ending: Ending, detail: str = "") -> None:
        """Tell the run to end early.

        ending: why; only the first reason given counts. detail: words for the report in place of the ending's own.
        """
        self._stop.end(ending, detail)
        self._stopped_at = min(self._stopped_at, time.perf_counter())

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
        """Yield each new solution, and None a few times a second while no solution comes.

        The search runs in its thread meanwhile. At the end the counts are checked, and processes of the run are ended.
        """
        try:
            self.thread.start()
            yield from self._check_what_is_found()
            self._end_search()
            if self._facts.is_complete and self.collector:
                yield from self._conclude(self.collector)
            self._add_answers()
        finally:
            self.dismiss()

    def _check_what_is_found(self) -> Iterator[Decoded | None]:
        """Yield each new solution and, a few times a second, None, until the search has ended.

        The search ends by itself, by an error, by the time limit, or once the collector is full.
        """
        seconds = self._facts.seconds
        while not self._has_ended:
            if self._is_overdue():
                break
            batch = self._receive()
            if batch is None:
                yield None
            elif self.collector:
                seconds.setdefault("first", self.seconds - self._spent_outside)
                try:
                    yield from self._check_and_count(self.collector, batch)
                except Stopped:  # what is left was found, but neither checked nor counted
                    self._is_overdue()  # says that it was the time limit, if that is why
                    self._is_searched = False
                    break
                except MemoryError:
                    self._is_searched = False
                    self.stop(Ending.NO_MEMORY)
                    break
                if self.collector.is_full:
                    self._has_ended, self._is_searched = True, False
                    self.stop(self._full_ending)
            seconds["all"] = self.seconds - self._spent_outside

    def _check_and_count(self, collector: Collector, found: Rows) -> Iterator[Decoded | None]:
        """Check and count solutions; yield each that is new, and None in between.

        collector: checks and counts them. found: the values of all variables in each solution. The time in which the
        caller holds a solution is noted. Raises `Stopped` once the run has to be left.
        """
        limit = self.options.time_limit
        time_left = None if limit is None else limit - self.seconds + TUNING.grace_seconds
        deadline = Deadline(self._stop, seconds=time_left)
        # `next` returns ``end`` once all are checked.
        checking, end = collector.add(found, self.is_heard), object()
        while True:
            with replace_stop_event(deadline):  # to count a solution under a property may take long
                solution = next(checking, end)
            if solution is end:
                return
            if isinstance(solution, Decoded):
                yielded_at = time.perf_counter()
                yield solution
                self._spent_outside += time.perf_counter() - yielded_at
            if self._is_overdue():
                raise Stopped

    @property
    def _full_ending(self) -> Ending:
        """The ending of a run that has found as many solutions as were asked for."""
        if self.options.unique_apart:
            return Ending.SECOND_APART
        return Ending.SECOND_SOLUTION if self.options.unique else Ending.LIMIT

    def _end_search(self) -> None:
        """Take note of how the search has ended: whether it is complete, its time and its memory."""
        facts = self._facts
        facts.seconds["all"] = self.seconds - self._spent_outside  # also of a batch that was not checked to its end
        facts.is_complete, facts.is_over = self._is_searched, True
        if self.collector and self.collector.is_full:
            facts.full = self._full_ending
        facts.memory["main"] = peak_memory()
        if not self.collector:
            return
        # Solutions that were found and not yet checked count, too, as lower bounds.
        if self.options.count_only and not facts.is_complete:
            self.collector.raise_counts_to_found()
        if most := self.collector.question.verifier.memory:
            facts.memory["worker"] = max(most, facts.account.worker_memory)

    def _conclude(self, collector: Collector) -> Iterator[None]:
        """Do what needs all solutions: check the counts, draw samples, count again; yield None meanwhile.

        collector: has all solutions. If the time ends meanwhile, the counts stay complete, and the run ends for that
        reason.
        """
        facts = self._facts
        late, words = self._stop.forget()  # the search is over: an earlier request must not end what follows
        collector.finish(facts.is_proved)
        facts.is_proved = facts.is_proved or collector.broken.is_whole
        try:
            self._set_marginals_and_samples(collector)
            # Its keys are the names of the options that ask for a second count.
            for asked in SECOND_WAYS:
                if getattr(self.options, asked):
                    yield from self._count_again(asked, collector.question)
        except Stopped:
            self._stop.set_reason(late or Ending.TIME_LIMIT, words)  # where nothing else has said why
        except MemoryError:
            self.stop(Ending.NO_MEMORY)

    def _add_answers(self) -> None:
        """Add to the report the answers to ``--which``, ``--unique`` and ``--unique-apart``, which need the counts.

        An incomplete run answers about uniqueness only where it has found several solutions, or several ways apart.
        Whether one solution alone comes apart is not known (None) while some are undecided.
        """
        report, recognition = self.report, self.thread.recognition
        if recognition and self.collector:
            self.add_facts(which=recognition.answer(self.collector.in_order(), report))
        if self.options.unique and (report.complete or report.solutions > 1):
            self.add_facts(unique=report.solutions == 1)
        if self.options.unique_apart and report.apart is not None and (report.complete or report.apart > 1):
            is_known = report.apart > 1 or not report.undecided
            self.add_facts(unique_apart=report.apart == 1 if is_known else None)

    def _count_again(self, asked: str, question: Question) -> Iterator[None]:
        """Have the second way of counting that an option asks for confirm the counts; yield None meanwhile.

        asked: the name of the option, a key of `SECOND_WAYS`. question: the question of this run. The result goes into
        the report. If the second way cannot confirm the counts, the run is stopped as unconfirmed.

        Raises what the second way raises, such as `CheckError` if it contradicts the counts.
        """
        start = time.perf_counter()

        def new_run(options: Options) -> Run:
            puzzle = question.puzzle
            return Run(puzzle.name, puzzle.parameters, lambda **_: puzzle, options)

        def confirm_count() -> SecondCount | None:
            set_stop_event(self._stop)
            second_way = load(SECOND_WAYS[asked], f"--{asked}")(question, self, self.options, new_run)
            second_count: SecondCount | None = second_way.confirm(self._stop)
            return second_count

        future = start_in_thread(confirm_count)
        while not (future.done() or self._is_overdue()):
            wait([future], timeout=0.1)
            yield None
        if future.done() and not isinstance(future.exception(), Stopped):
            self.add_facts(counted_again=future.result())
            self.add_seconds(verify=time.perf_counter() - start)
            if not future.result():
                self.stop(Ending.UNCONFIRMED)

    def work_on(self, work: Callable[[threading.Event], object]) -> float:
        """Do further long work after the search, within the same time limit; return how many seconds it took.

        work: called in a thread of its own, with the event that tells it to stop, which a timer sets at the time limit.

        Raises what the work raises.
        """
        began, limit = time.perf_counter(), self.options.time_limit
        if limit is not None:
            timer = threading.Timer(limit - self.seconds, self.stop, [Ending.TIME_LIMIT])
            timer.daemon = True
            timer.start()

        def work_heeding_stop() -> None:
            set_stop_event(self._stop)
            work(self._stop)

        # In the main thread PySAT's solvers have their own way with Ctrl-C.
        start_in_thread(work_heeding_stop).result()
        return time.perf_counter() - began

    def _is_overdue(self) -> bool:
        """Tell whether the run has to be left now: it was told to stop, and its time for that is over.

        Passing the time limit tells the run to stop. After that it has `Tuning.grace_seconds`, or no time if the search
        has not begun. The time counts from the limit or the signal, however long the puzzle's own code kept the run
        from seeing it.
        """
        limit = self.options.time_limit
        if limit is not None and self.seconds > limit:
            self._stopped_at = min(self._stopped_at, self._start_time + limit)
            self.stop(Ending.TIME_LIMIT)
        grace = TUNING.grace_seconds if self.collector else 0
        return time.perf_counter() > self._stopped_at + grace

    @property
    def seconds(self) -> float:
        """The seconds since the run was made."""
        return time.perf_counter() - self._start_time

    def is_late(self) -> bool:
        """Tell whether what follows the search has to be left: no time is left for it.

        The time limit has passed, or the run was ended early for a reason that leaves no time. Time in which the caller
        held a solution does not count.
        """
        limit = self.options.time_limit
        return self.was_cut_short or (limit is not None and self.seconds - self._spent_outside > limit)

    def note_late_output(self) -> None:
        """Have the run end by its time limit, as that has cut short what is written after the search.

        Nothing changes if the run was ended early.
        """
        self._facts.is_output_late = not self.was_cut_short

    def _receive(self) -> Rows | None:
        """Handle the messages of the searching thread.

        Returns the solutions among them, about as many as are checked at once, as one array; None if no solution comes
        within a tenth of a second. Raises the exception that the thread sent.
        """
        messages, began = self.thread.messages, time.perf_counter()
        # Solutions that come one by one are gathered, since many are checked nearly as fast as one.
        gathering = GATHERING_SECONDS if "first" in self._facts.seconds else 0.0
        batches: list[Rows] = []
        number, seconds_to_wait = 0, 0.1
        try:
            while not self._has_ended and number < self._wanted:
                message = messages.get(timeout=seconds_to_wait) if seconds_to_wait > 0 else messages.get_nowait()
                if isinstance(message, np.ndarray):
                    batches.append(message)
                    number += len(message)
                else:
                    self._take_message(message)
                # After the first batch, wait only until the time for gathering is over.
                seconds_to_wait = began + gathering - time.perf_counter() if batches else 0.0
        except queue.Empty:
            pass
        return np.concatenate(batches) if batches else None

    def _take_message(self, message: Message) -> None:
        """Take note of a message of the searching thread; raise the exception that it sent.

        message: the prepared question, the chosen backend, the figures of a searched part, the result of a count
        without listing, or a signal that the symmetries are proved or that the search has ended.
        """
        facts = self._facts
        if isinstance(message, Prepared):
            self._make_collector(message)
        elif isinstance(message, Engine):
            facts.engine = message
        elif isinstance(message, Found):
            facts.account.add(message, self.seconds - self._spent_outside)
        elif isinstance(message, Tally):
            facts.tally = message
        elif isinstance(message, BaseException):
            raise message
        elif message is SearchSignal.PROVED:
            facts.is_proved = True
        elif isinstance(message, GivenUp):
            self.stop(message.ending, message.words)
            self._has_ended = True
        else:
            facts.is_answered = message is SearchSignal.ANSWERED
            self._has_ended, self._is_searched = True, message is SearchSignal.SEARCHED

    @property
    def _wanted(self) -> int:
        """The number of solutions that are taken from the queue at once."""
        return most_at_once(self.question) if self.question else TUNING.solutions_per_check

    def _make_collector(self, prepared: Prepared) -> None:
        """Make the collector for the prepared question, and note what is known of the run before the search.

        A run that asks whether there is just one solution is full at the second.
        """
        options, facts = self.options, self._facts
        facts.prepared, facts.is_proved = prepared, prepared.is_proved
        is_listing = facts.method == "listing"
        collector = Collector(
            prepared.question,
            every=options.unbroken and is_listing,
            broken=prepared.broken,
            limit=2 if options.unique else options.limit,
            # Samples are drawn from the solutions, so these have to be kept.
            keep=not options.count_only or (options.sample is not None and is_listing),
            marginals=options.marginals,
            most_apart=2 if options.unique_apart else None,
            seed=options.seed,
            searched_by=lambda: self.report.backend,
        )
        facts.stated = declaration_facts(prepared)
        facts.engine = prepared.search.engine if isinstance(prepared.search, Search) else None
        facts.collected = lambda: collector.collected
        facts.seconds["build"] = self.seconds
        self.collector = collector

    def _set_marginals_and_samples(self, collector: Collector) -> None:
        """Set the marginals and draw the samples, if the options ask for them.

        All solutions have to be counted before, by the collector or by a count without listing. Raises `Stopped` if the
        time ends before all samples were drawn, `CheckError` if a sample violates a rule.
        """
        options, tally = self.options, self._facts.tally
        if options.marginals:
            # A count without listing (the tally) has counted them itself, unless it listed the solutions after all.
            counts = collector.marginals() if tally is None or tally.listed else tally.marginals
            if counts is not None:
                self._set_marginals(collector.question, counts)
        forms_of_samples: dict[Encoded, tuple[Decoded, list[Any]]] = {}  # a sample drawn again shares its objects
        samples: list[tuple[Decoded, list[Any]]] = []
        for sample in self._sample_all(collector):
            if self._is_overdue():
                raise Stopped
            if sample is not None:
                if sample not in forms_of_samples:
                    decoded = collector.question.key.decode(sample)
                    forms_of_samples[sample] = decoded, list(decoded.items())
                samples.append(forms_of_samples[sample])
        self.samples = [decoded for decoded, _ in samples]
        self.add_facts(samples=[items for _, items in samples])

    def _sample_all(self, collector: Collector) -> Iterator[Encoded | None]:
        """Yield the samples that the options ask for, drawn uniformly from all solutions; None in between.

        Where solutions are listed, the collector draws them. A count without listing has drawn them already; the
        collector checks them.
        """
        if self._facts.method == "listing":
            yield from collector.sample(self.options.sample or 0, self.options.seed, self.options.distinct)
        else:
            drawn = self._facts.tally.samples if self._facts.tally else ()
            yield from collector.check(drawn)
            yield from drawn

    def _set_marginals(self, question: Question, counts: Sequence[int]) -> None:
        """Set the marginals of the run, and their summary in the report: how many literals all solutions have, or none.

        question: that of the run. counts: for each literal number, the number of solutions that hold it; see
        `Collector.marginals`.
        """
        marginals: LiteralCounts = function("marginals", "marginals")(
            question.puzzle, question.key, counts, self.report.total
        )
        self.marginals = marginals
        summary = {
            "literals": len(marginals),
            "in_all": len(marginals.in_all),
            "in_none": len(marginals.in_none),
        }
        self.add_facts(marginals=summary)
