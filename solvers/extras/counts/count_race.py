"""Counts where nobody says how: without a list, and after a moment by a listing beside it.

A count by layers is beaten where a cover has few solutions and wide layers, which may even need more memory than there
is; the listing begins unless random probes predict too many solutions for it. A counter of formulas is beaten by what
symmetries make short: of the 14! permutations it learns nothing, and up to the model's own symmetries there is one.
Where a puzzle has symmetries itself, the listing is up to those. The first that ends has counted, and the
other is ended.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, wait
from contextlib import suppress
from dataclasses import replace

from solvers.base.deadline import start_in_thread
from solvers.base.endings import Ending
from solvers.base.errors import CheckError, NoCoverError, Stopped
from solvers.extras.counts.counting.count import Counting, count_by_layers
from solvers.extras.counts.counting.formula import FormulaCounting, by_formula
from solvers.extras.counts.estimate import predict_listing
from solvers.extras.shared.tuning import EXTRAS_TUNING
from solvers.running.plug import Tally
from solvers.running.question import Request
from solvers.running.runner import Run

RACE_POLL_SECONDS = 0.1
"""Seconds between two looks at which way has ended."""


def by_race(request: Request) -> FormulaCounting | CountRace | None:
    """Return a count of a request's formula: a race between a counter and a listing.

    If the user named the method, it is the counter alone. The result is None if the counter does not fit the request,
    or if listing alone takes less time. Raises `InputError` if the user named the method and it does not fit, `Stopped`
    if the run is told to end.
    """
    counting = by_formula(request)  # None where there is no race
    return counting if counting is None or request.options.method else CountRace(counting, request)


def by_layers_or_list(request: Request) -> Counting | CountRace | None:
    """Return a count of an exact cover by layers, which may race a listing.

    It is a race if the user named neither a method nor a memory limit, and asked for nothing but the counts; otherwise
    the counter by layers works alone. The result is None if that counter does not fit the request. Raises `InputError`
    if the user named the method and it does not fit.
    """
    counting, options = count_by_layers(request), request.options
    names_way = options.method or options.memory is not None
    asks_more = options.by or options.marginals or options.sample or options.store
    if counting is None or names_way or asks_more:
        return counting
    return CountRace(counting, request)


class CountRace:
    """A count of a model's solutions by two ways that race: a counter and a listing."""

    store = None

    def __init__(self, counting: FormulaCounting | Counting, request: Request) -> None:
        """Prepare the race.

        counting: the counter. request: the question that the counter and the listing answer.
        """
        self._counting, self._request = counting, request
        self.name = counting.name
        self.size = counting.size
        self.method = counting.method
        self.jobs = counting.jobs
        self.advice = counting.advice

    def run(self, tell: Callable[[Tally], None]) -> Tally:
        """Return the result of the way, counter or listing, that ends first; end the other one.

        Both run in threads of this process. The listing begins after a head start of the counter, or when that breaks
        down. tell: called with the counter's state. Raises `Stopped` if the request is stopped, and the counter's error
        if it contradicts itself or neither way can count. Raises `InputError` if the model has no formula, or no
        backend takes it.
        """
        stop, ends_both = self._request.stop, threading.Event()
        self._counting.set_stop_event(ends_both)
        counter = start_in_thread(lambda: self._counting.run(tell))
        listing, listing_begins = None, time.perf_counter() + EXTRAS_TUNING.head_start_seconds
        try:
            while not stop.is_set():
                running = [way for way in (counter, listing) if way and not way.done()]
                wait(running, RACE_POLL_SECONDS, FIRST_COMPLETED)
                # A contradiction is raised, not passed over.
                if counter.done() and (not counter.exception() or isinstance(counter.exception(), CheckError)):
                    return counter.result()
                if listing is None:  # it has not begun
                    if counter.done() or time.perf_counter() > listing_begins:
                        listing = start_in_thread(lambda: self._count_by_listing(ends_both))
                elif listing.done() and not listing.exception():
                    return listing.result()
                elif counter.done() and listing.done():
                    return counter.result()  # neither can count: raises the counter's error
        finally:
            ends_both.set()  # ends the way that is still at work
        raise Stopped

    def _count_by_listing(self, stop_event: threading.Event) -> Tally:
        """Count the solutions by a listing that does not keep them; stop_event: ends the listing when set.

        Random probes are made only if the counter works by layers, on an exact cover. Raises `Stopped` once
        ``stop_event`` is set, or if the probes predict too many solutions.
        """
        question, options = self._request.question, self._request.options
        if self.method == "frontier":
            with suppress(NoCoverError):
                seconds = EXTRAS_TUNING.listing_prediction_seconds
                predicted = predict_listing(question.model, question.key, question.group, options, stop_event, seconds)
                solutions_to_list = predicted.solutions
                if solutions_to_list.mean - solutions_to_list.error > EXTRAS_TUNING.max_listed_solutions:
                    raise Stopped
        # Where the question has no symmetries, those that are found make the list short; its total is the answer.
        uses_found = question.group.order == 1 and self.method == "counter"
        symmetry = "found" if uses_found else options.symmetry
        own_options = replace(
            options, method="listing", symmetry=symmetry, time_limit=None, verify=False, verified=False
        )
        puzzle = question.puzzle
        run = Run(puzzle.name, puzzle.parameters, lambda **_: puzzle, own_options)
        for _ in run:
            if stop_event.is_set():
                run.stop(Ending.CLOSED)
        report = run.report
        if not report.complete:
            raise Stopped
        solutions = report.total if uses_found else report.solutions
        return Tally(report.statistics, {}, solutions, report.total, objective=report.objective, listed=report)
