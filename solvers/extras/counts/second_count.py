"""A second count by another way, which confirms the first one or contradicts it."""

from __future__ import annotations

import threading
from collections.abc import Callable

from solvers.base.backend_rows import AS_COVER, BACKENDS, CLAUSES, available_backends
from solvers.base.deadline import Deadline
from solvers.base.endings import Ending
from solvers.base.errors import CheckError, InputError, Stopped
from solvers.base.options import Options, available_processors
from solvers.extras.counts.counting.formula import FormulaCounting
from solvers.running.question import Question
from solvers.running.runner import Run
from solvers.show.evidence import COUNTED_BY, PROBABLE, READ_BY, SecondCount, common_parts, kind_of, rests_on
from solvers.show.plain import number_with_unit


def second_ways() -> list[str]:
    """Return the ways to count, each to be tried in its turn: those first that share least or take least time.

    They are the count by layers ("frontier"), the backends that read the constraints, the counters of formulas, and
    last the backends that read the model as the count by layers does. ``shares`` of a backend says which of our code it
    rests on, ``trial`` for how many seconds it searches before a space is split.
    """
    names = sorted(available_backends(), key=lambda name: (CLAUSES in BACKENDS[name].shares, BACKENDS[name].trial))
    as_cover = [name for name in names if AS_COVER in BACKENDS[name].shares]
    return ["frontier", *(name for name in names if name not in as_cover), "d4", PROBABLE, *as_cover]


FIRST_SECONDS, FACTOR = 5.0, 3
"""The least number of seconds for each way in the first round, and the factor by which each later round is longer."""

METHOD = {"frontier": "frontier", "d4": "counter"}
"""The methods of the ways that list no solutions; the others are backends, that list."""

MAX_LISTED_AGAIN = 20_000
"""Solutions per second; a way that lists is tried only if it could list at this rate."""

LONGEST_LISTING = 60.0
"""Seconds; a longer listing is not begun, unless the first count or the time limit is long, too."""

MAX_UNBROKEN_SECONDS = 20.0
"""The second run breaks no symmetry if the first one's seconds, times the order of the group, are fewer."""


class SecondWay:
    """A second count of a puzzle by another way, which confirms a run that is complete."""

    def __init__(self, question: Question, first: Run, options: Options, another: Callable[[Options], Run]) -> None:
        """Note which ways the first run has used.

        question: the question of the run. first: the run to confirm. options: the options of that run. another: makes a
        run of the same puzzle with other options. ``resumed`` of a report has the backends of earlier runs that the
        first run resumed.
        """
        self._question = question
        self._first = first
        self._options = options
        self._another = another
        backends = (first.report.backend, *first.report.resumed)
        self._used_ways = {kind_of(backend, first.report.method) for backend in backends}

    def confirm(self, stop: threading.Event) -> SecondCount | None:
        """Count by each other way in turn, with more and more time, until one ends.

        Ways that list solutions are left out where the first count is too large for them. The result is None if no
        other way can count. If some were left out, the run is ended as unconfirmed then.

        The rounds go on until a way ends, no way is left, or the event is set, as at the run's time limit. Raises
        `CheckError` if the counts differ, `Stopped` once the event is set.
        """
        report = self._first.report
        ways_without_list = {*METHOD, PROBABLE}
        # The counter whose count is probable is asked only if D4, which counts the same formula for certain, was first.
        has_counted_by_d4 = "d4" in self._used_ways
        ways = [way for way in second_ways() if way not in self._used_ways and (way != PROBABLE or has_counted_by_d4)]
        spent = report.seconds["all"] or 0
        limit = self._options.time_limit
        listing_seconds = max(LONGEST_LISTING, FACTOR * spent) if limit is None else limit - spent
        is_too_long = report.solutions > MAX_LISTED_AGAIN * listing_seconds
        left_out = [way for way in ways if is_too_long and way not in ways_without_list]
        ways = [way for way in ways if way not in left_out]
        seconds = max(FIRST_SECONDS, spent)
        while ways:
            is_listable = report.solutions < MAX_LISTED_AGAIN * seconds
            for way in [way for way in ways if is_listable or way in ways_without_list]:
                try:
                    second = self._by_ganak(seconds, stop) if way == PROBABLE else self._by_run(way, seconds, stop)
                except InputError:  # it does not take this model, or is not installed
                    ways.remove(way)
                    continue
                if stop.is_set():
                    raise Stopped
                if second:
                    return second
            seconds *= FACTOR
        if left_out:
            self._first.stop(
                Ending.UNCONFIRMED,
                f"{Ending.UNCONFIRMED.words} in time (to list {number_with_unit(report.solutions, 'solutions')} again "
                f"takes more than {listing_seconds:.0f} s; a longer --time-limit allows it)",
            )
        return None

    def _by_run(self, way: str, seconds: float, stop: threading.Event) -> SecondCount | None:
        """Count by a run on another backend or by another method.

        The result is None if the run does not end within ``seconds`` seconds, or if ``stop`` is set before its end.

        way: one of `second_ways`. Raises `CheckError` if the counts or the listed solutions differ, `InputError` if the
        backend does not take the model or is not installed.
        """
        first = self._first
        options = self._second_options(way, seconds)
        run = self._another(options)
        for _ in run:
            if stop.is_set():
                run.stop(Ending.CLOSED)  # the run then ends by itself, with its report
        report = run.report
        if not report.complete or report.stopped_by:
            return None
        by = report.searched_by
        if options.unbroken:
            by += ", without breaking symmetry"
        self._compare(by, (report.solutions, report.total), report.objective)
        both_list = report.method == first.report.method == "listing" and not options.count_only
        if both_list and run.in_order() != first.in_order():
            raise CheckError(
                f"{self._question.puzzle.name}: {first.report.searched_by} and {by} list different solutions"
            )
        return SecondCount(by, common_parts(first.report.rests_on, report.rests_on), probable=False)

    def _by_ganak(self, seconds: float, stop: threading.Event) -> SecondCount | None:
        """Count by Ganak, which confirms D4 if there are too many solutions to list.

        The result is None if Ganak does not end within ``seconds`` seconds.

        Raises `CheckError` if the counts differ. stop: ends the work when set.
        """
        deadline = Deadline(stop, seconds=seconds)
        counting = FormulaCounting(self._question.model, self._question.group, deadline, PROBABLE)
        try:
            tally = counting.run(lambda _: None)  # the numbers of solutions, and the best value
        except Stopped:
            return None
        by = COUNTED_BY[PROBABLE]
        self._compare(by, (tally.solutions, tally.total), tally.objective)
        is_symmetric = self._question.group.order > 1
        # What the count rests on, in words, such as how the model was read.
        parts = rests_on(READ_BY[PROBABLE], has_symmetries=is_symmetric, breaks_symmetry=False, is_cut=False)
        return SecondCount(by, common_parts(self._first.report.rests_on, parts), probable=True)

    def _second_options(self, way: str, seconds: float) -> Options:
        """Return the options of a second run that counts in this way for at most ``seconds`` seconds.

        A way that lists is a backend; it breaks no symmetry if the first run did and the list is short enough. Other
        ways only count, by a method. way: one of `second_ways`.
        """
        options = self._options
        report = self._first.report
        group = self._question.group
        lists = way not in METHOD
        is_short = (report.seconds["all"] or 0) * group.order < MAX_UNBROKEN_SECONDS
        is_unbroken = lists and not options.unbroken and group.order > 1 and is_short
        return Options(
            backend=way if lists else "auto",
            method=METHOD.get(way, "listing"),
            count_only=not lists or options.count_only,
            unbroken=is_unbroken,
            symmetry=options.symmetry,
            given=options.given,
            memory=options.memory,
            jobs=min(options.jobs, available_processors()),
            seed=options.seed,
            time_limit=seconds,
        )

    def _compare(self, by: str, counts: tuple[int, int], objective: object) -> None:
        """Raise `CheckError` if the second count differs from the first.

        by: the name of the second way. counts: (solutions up to symmetry, solutions in all). objective: the best value.
        """
        report = self._first.report
        first_counts = report.solutions, report.total
        if (first_counts, report.objective) != (counts, objective):
            first_clause = _count_clause(report.searched_by, first_counts, report.objective)
            raise CheckError(
                f"{report.puzzle}: two counts differ: {first_clause}, but {_count_clause(by, counts, objective)}"
            )


def _count_clause(by: str, counts: tuple[int, int], objective: object) -> str:
    """Return the clause that says what one way has counted, up to symmetry and in all.

    by: the name of the way. counts: (solutions up to symmetry, solutions in all). objective: the best value, or None.
    """
    solutions, total = counts
    best = "" if objective is None else f" of the value {objective}"
    return f"{by} says {number_with_unit(solutions, 'solutions')} up to symmetry, {total} in all{best}"
