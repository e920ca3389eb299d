"""Predict a search before it is begun: random probes of its tree.

A probe goes down the tree and takes one of a node's d children at random; each node on its way stands for as many nodes
as the product of the d above it. The average over probes is unbiased: D. Knuth, "Estimating the efficiency of
backtrack programs", Mathematics of Computation 29 (1975).

A few probes may carry most of the weight, so that most averages are too low, and their spread does not tell by how
much. A lower bound holds for any distribution: by Markov's inequality, an average exceeds c times the truth
with probability 1/c at most, and all of t averages do with c to the power of -t (C. Gomes, J. Hoffmann, A. Sabharwal,
B. Selman, "From sampling to model counting", IJCAI 2007).

References
----------
D. Knuth, "Estimating the efficiency of backtrack programs", Mathematics of Computation 29 (1975),
doi:10.1090/S0025-5718-1975-0373371-6
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from tabulate import tabulate

from models import COLLECTION
from models.puzzle import Puzzle
from solvers.backends.cover import as_cover, cover_of_key
from solvers.base.deadline import start_in_thread
from solvers.base.endings import DONE, Ending
from solvers.base.errors import NoCoverError, Stopped
from solvers.base.options import Options
from solvers.extras.counts.sampled_cubes import SampleEstimate, Spread, estimate_by_cubes
from solvers.extras.shared.tuning import EXTRAS_TUNING
from solvers.files.catalogue import blame_declaration
from solvers.model.cover_search import CoverTables, first_level, kernel, leaves
from solvers.running.stated import problem_statement
from solvers.symmetry.breaking import for_search, unbroken
from solvers.symmetry.groups import Group
from solvers.symmetry.key import Key
from solvers.terminal.arguments import PuzzleParser, arguments_of
from solvers.terminal.calls import Named, is_own, options_of, question
from solvers.terminal.command import EndedEarly, complain, run_in_thread

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

    from solvers.running.question import Question
    from solvers.running.runner import Run

SAMPLING_SECONDS, SAMPLING_SHARE = 20.0, 0.7
"""The seconds in which cubes of a model that is no exact cover are searched, and their share of a time limit."""

PROBING_SECONDS = 5.0
"""The seconds after which no further probe is made, once there are enough, unless another limit is given."""

SEARCH_SHARE = 0.1
"""The time of the search that is run to measure the time of a node, as a share of the time of the probes."""


SAMPLE_SECONDS, SAMPLE_SOLUTIONS = 1.0, 200
"""The seconds, and the solutions, after which the run ends that measures the time of the checks."""


@dataclass(frozen=True)
class Estimate:
    """The predicted size and time of a search."""

    probes: int
    nodes: Spread
    solutions: Spread
    """The number of solutions that the search visits."""
    seconds: float
    """The time on the backend `cover` and one processor, from the speed at the beginning of a search.

    The checks of the solutions belong to it.
    """

    def __str__(self) -> str:
        """Return the estimate as a table in text."""
        solutions = f"{self.solutions}" if self.solutions.mean else "not known: no probe met one"
        rows = [
            ("nodes", f"{self.nodes}"),
            ("solutions visited", solutions),
            ("seconds on cover, one job", f"about {self.seconds:,.2g}, with the checks"),
            ("random probes", f"{self.probes}"),
        ]
        table = tabulate(rows, tablefmt="plain", disable_numparse=True)
        return f"{table}\nThe truth may be far above: probes can miss rare parts of the tree that hold most of it."


def estimate(
    tables: CoverTables,
    seed: int,
    stop: threading.Event,
    cases: Sequence[Sequence[int]] = ((),),
    patience: float = PROBING_SECONDS,
) -> Estimate:
    """Predict the search of an exact cover.

    Nodes and solutions are means over random probes; the time is the number of nodes times the time of a node, which a
    short search measures. tables: the tables of the cover. seed: the seed of the random probes. cases: the parts that
    are searched, each a list of literals that are true in it. patience: seconds for the probes, of which a least number
    is made in any case. Raises `Stopped` once the event is set.
    """
    rng = random.Random(seed)
    began = time.perf_counter()
    probes: list[tuple[float, float]] = []
    least, most = EXTRAS_TUNING.min_cover_probes, EXTRAS_TUNING.max_cover_probes
    while len(probes) < most and (len(probes) < least or time.perf_counter() - began < patience):
        if stop.is_set():
            raise Stopped
        probes.append(_probe(tables, rng, cases))  # (nodes, solutions)
    # Of each the mean, its error and a lower bound.
    nodes, solutions = (Spread.from_values(list(values)) for values in zip(*probes, strict=True))
    seconds_of_a_node = _seconds_of_a_node(tables, stop, cases, SEARCH_SHARE * patience)
    return Estimate(len(probes), nodes, solutions, nodes.mean * seconds_of_a_node)


def _probe(tables: CoverTables, rng: random.Random, cases: Sequence[Sequence[int]]) -> tuple[float, float]:
    """Return Knuth's estimates (nodes, solutions) from one random descent into a random case.

    The descent branches on an item with the fewest options, and takes one at random. The product of the numbers of
    options, and of cases, is the weight of a node: the inverse of its probability. So the sum of the weights is an
    unbiased estimate of the number of nodes, and the weight of a solution at the end, of the number of solutions.

    tables: the cover's items and options as bit sets, 64 options in a word: ``rows`` has the options of each item,
    ``keep`` the options that each option leaves available, ``items`` the items of each option, ``counted`` the options
    of each counted item, whose ``bounds`` are (least, most). cases: the parts that are searched, each a list of
    literals that are true in it. rng: the random numbers. Each pass of the loop covers an item more, so that it ends.
    """
    levels = first_level(tables, cases[rng.randrange(len(cases))])
    if levels.counters[0] < 0:  # the case contradicts itself
        return 0.0, 0.0
    # At the root: the options that can be chosen, the items to cover, and how often each counted item is covered.
    available = levels.available[0]
    open_items = levels.open_items[0, : levels.open_count[0]]
    used = levels.used[0]
    nodes = weight = float(len(cases))
    while True:
        # An item that is counted is covered too rarely even if all options that are left are chosen.
        if (used + np.bitwise_count(tables.counted & available).sum(axis=1) < tables.bounds[:, 0]).any():
            return nodes, 0.0
        if not len(open_items):
            return nodes, weight
        options_of_items = tables.rows[open_items] & available
        counts = np.bitwise_count(options_of_items).sum(axis=1)
        fewest = int(counts.min())
        if fewest == 0:
            return nodes, 0.0
        options = np.flatnonzero(np.unpackbits(options_of_items[counts.argmin()].view(np.uint8), bitorder="little"))
        option = int(options[rng.randrange(fewest)])
        if fewest > 1:
            weight *= fewest
            nodes += weight
        # Bit ``option`` of each counted item: 1 if the option covers it.
        used = used + ((tables.counted[:, option >> 6] >> np.uint64(option & 63)).astype(np.int64) & 1)
        # The options of items that are covered as often as they may be.
        full = np.bitwise_or.reduce(tables.counted[used == tables.bounds[:, 1]])
        available = available & tables.keep[option] & ~full
        open_items = np.setdiff1d(open_items, tables.items[option])


def _seconds_of_a_node(
    tables: CoverTables, stop: threading.Event, cases: Sequence[Sequence[int]], patience: float
) -> float:
    """Return the mean seconds per node of a search of the cases that lasts about ``patience`` seconds.

    The search, which `leaves` begins, works in slices; the last leaf of a slice has the number of its nodes, other
    leaves have 0. cases: the parts that are searched, each a list of literals that are true in it. Raises `Stopped`
    once the event is set.
    """
    kernel()  # compiles it before the time is taken
    began, nodes = time.perf_counter(), 0
    for leaf in chain.from_iterable(leaves(tables, stop, case) for case in cases):
        nodes += leaf.nodes
        if leaf.nodes and time.perf_counter() - began > patience:
            break
    return (time.perf_counter() - began) / max(nodes, 1)


def main(words: list[str]) -> int:
    """Run the command ``estimate``, which predicts a search; return the exit code.

    words: its command line, without the command's own name. If the time limit comes first, a complaint is printed, and
    the code is that of the limit. If a puzzle that is not in the collection declares a wrong symmetry, the error names
    the puzzle (`blame_declaration`). Raises `InputError` for options that are wrong, or what cannot be predicted.
    """
    name = "python -m solvers estimate"
    parser = PuzzleParser(name, "Predict the solutions and the time of a listing.", f"example: {name} pentomino")
    parser.offer("given symmetry backend seed time_limit", parser.add_argument_group("the search"))
    declaration, chosen = parser.parse_puzzle(words, "name a puzzle, such as pentomino")
    options = parser.run_options(chosen)
    arguments = arguments_of(declaration, chosen)

    def declare_and_predict(stop: threading.Event) -> Estimate | SampleEstimate:
        """Declare the puzzle and return the prediction of its search."""
        return _estimate_of(declaration.declare(**arguments), options, stop)

    with blame_declaration(declaration.name, declaration.name not in COLLECTION):
        try:
            print(run_in_thread(declare_and_predict, options.time_limit))
        except EndedEarly as ended:
            return complain(f"there is no estimate: ended by {ended}", ended.code)
    return DONE


def predict(puzzle: Named, /, **arguments: Any) -> Estimate | SampleEstimate:
    """Predict the search of a puzzle: an exact cover by random probes of its tree, others by a sample of cubes.

    Parameters
    ----------
    puzzle
        As for `solve`.
    **arguments
        ``given``, ``symmetry``, ``seed``, ``backend`` and ``time_limit`` as for `solve`.

    Returns
    -------
    Estimate or SampleEstimate
        The predicted solutions and seconds, with lower bounds, and for a cover the nodes. `print` shows a table.

    Raises
    ------
    InputError
        If the model has an objective, too few cubes end in the time, or an argument is wrong.
    """
    name, values, declare = question(puzzle, {})
    with blame_declaration(name, is_own(puzzle)):
        return _estimate_of(declare(**values), options_of(arguments), threading.Event())


def _estimate_of(puzzle: Puzzle, options: Options, stop: threading.Event) -> Estimate | SampleEstimate:
    """Return the prediction of a puzzle's search: by probes for an exact cover, otherwise by a sample of cubes.

    For a cover, the time of the checks of the solutions is added. Raises `InputError` if it cannot be predicted,
    `Stopped` once the event is set. Raises `WrongSymmetryError` if a declared symmetry is wrong. options: the options
    of the run.
    """
    model, key, group, _ = problem_statement(puzzle, options.symmetry, options.given, stop)
    try:
        prediction = predict_listing(model, key, group, options, stop, PROBING_SECONDS)
    except NoCoverError:
        seconds = SAMPLING_SECONDS if options.time_limit is None else SAMPLING_SHARE * options.time_limit
        return estimate_by_cubes(puzzle, model, key, group, options, stop, seconds)
    checks = prediction.solutions.mean * _seconds_of_a_check(puzzle, options, stop)
    return replace(prediction, seconds=prediction.seconds + checks)


def _seconds_of_a_check(puzzle: Puzzle, options: Options, stop: threading.Event) -> float:
    """Return the seconds that a listing takes for each solution that it visits, with its checks; 0 if it finds few.

    A short run is measured, from its first solution to its end; with fewer than two solutions there is nothing to
    measure. Raises `Stopped` once the event is set. options: the options of the run.
    """
    from solvers.running.runner import Run

    short = replace(options, backend="cover", limit=SAMPLE_SOLUTIONS, time_limit=SAMPLE_SECONDS, jobs=1)
    run = Run(puzzle.name, {}, lambda: puzzle, short)
    for _ in run:
        if stop.is_set():
            run.stop(Ending.CLOSED)
            raise Stopped
    seconds = run.report.seconds
    visited = run.report.found or 0
    if visited < 2 or seconds["all"] is None or seconds["first"] is None:
        return 0.0
    return (seconds["all"] - seconds["first"]) / visited


def predict_listing(
    model: CpModel, key: Key, group: Group, options: Options, stop: threading.Event, patience: float
) -> Estimate:
    """Predict the search for the solutions of a model, symmetry breaking included.

    patience: seconds for the probes. Raises `NoCoverError` if the model is not an exact cover in its key variables, and
    `Stopped` once the event is set. group: the symmetries. options: the options of the run. Raises `InputError` if the
    tables would be too large.
    """
    cover = cover_of_key(model, key.variables)
    # A model in which symmetry is broken, and the cases, (literals, weight), into which the search is split.
    broken = unbroken(model) if options.unbroken else for_search(model, group, is_cover=True, stop=stop)
    added = range(len(model.proto.variables), len(broken.model.proto.variables))  # variables of the symmetry breaking
    searched_cover = as_cover(broken.model, [*key.variables, *added])
    if searched_cover is None:  # without symmetry breaking, the prediction is that every solution is visited
        searched_cover, broken = cover, unbroken(model)
    tables = CoverTables(searched_cover, options.seed)
    return estimate(tables, options.seed, stop, [literals for literals, _ in broken.cases], patience)


LONG_SECONDS, LONG_SOLUTIONS = 20.0, 20_000
"""The seconds and the solutions found after which a listing is called long, if its number of solutions cannot
be predicted.
"""

MUCH_LEFT_SECONDS = 600.0
"""A listing that is predicted to end sooner is not called long."""

VAGUE = 0.5
"""The standard error, as a share of the mean, from which a prediction is not used."""

UNITS = (("years", 31_557_600.0), ("days", 86_400.0), ("hours", 3600.0), ("minutes", 60.0))


class LongListing:
    """Warns of a listing once random probes predict that it will take long."""

    def __init__(self, run: Run) -> None:
        """Prepare to watch a run.

        run: the listing, whose report is read.
        """
        self._run = run
        self._predicted: Future[Estimate] | None = None

    def sentence(self, seconds: float) -> str:
        """Return a sentence on the time that the listing will take; empty while it is not known, or if it is short.

        The predicted solutions and the solutions per second so far give the time. If the prediction is vague, the
        sentence only says what was found, and only after `LONG_SECONDS` and `LONG_SOLUTIONS`.

        seconds: the time since the run began. The first call starts the prediction in another thread.
        """
        report, question = self._run.report, self._run.question
        is_short = (report.seconds["left"] or MUCH_LEFT_SECONDS) < MUCH_LEFT_SECONDS
        if not question or report.method != "listing" or report.complete or is_short:
            return ""
        solutions = self._solution_prediction(question)
        if solutions is None or not report.found:
            return ""
        rate = report.found / seconds
        counts_too = "" if self._run.options.count_only else "; --count-only counts without a list"
        met_so_far = f"{report.puzzle}: {report.found:,} solutions met so far, {rate:,.0f} a second"
        if solutions.error >= VAGUE * solutions.mean:
            is_early = seconds < LONG_SECONDS or report.found < LONG_SOLUTIONS
            return "" if is_early else f"{met_so_far}, and how many there are is not known{counts_too}"
        if solutions.mean < rate * MUCH_LEFT_SECONDS:
            return ""
        # Two significant digits, and the largest unit of which there are at least two.
        about, least = (f"{float(f'{number:.2g}'):,.0f}" for number in (solutions.mean, solutions.low))
        whole_seconds = solutions.mean / rate
        unit, length = next((unit for unit in UNITS if whole_seconds >= 2 * unit[1]), UNITS[-1])
        time_left = f"{whole_seconds / length:,.0f} {unit}"
        return (
            f"{met_so_far}; random probes predict about {about}, at least {least}; {about} take {time_left}{counts_too}"
        )

    def _solution_prediction(self, question: Question) -> Spread | None:
        """Return how many solutions random probes predict; None while that is not known, 0 if they have failed.

        The first call starts the prediction in another thread. It fails, for example, if the model is no exact cover. A
        mean and an error of 0 make the prediction too vague to be used.
        """
        if not self._predicted:
            arguments = question.model, question.key, question.group, self._run.options
            stop, seconds = threading.Event(), EXTRAS_TUNING.listing_prediction_seconds
            self._predicted = start_in_thread(lambda: predict_listing(*arguments, stop, seconds))
        if not self._predicted.done():
            return None
        return Spread(0, 0) if self._predicted.exception() else self._predicted.result().solutions
