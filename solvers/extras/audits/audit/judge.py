"""Judges what a model's marked constraints do: do symmetry breakings lose solutions, are redundant ones implied?"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from itertools import chain
from typing import Any

from models.puzzle import Puzzle
from solvers.base.deadline import Deadline, replace_stop_event
from solvers.base.errors import InputError, Stopped
from solvers.base.options import Options
from solvers.extras.audits.audit.verdict import (
    COMPLETE,
    LOSSY,
    MOST_GENERATORS,
    PARTIAL,
    UNEXPLAINED,
    UNKNOWN,
    Audit,
    Judgement,
    Under,
)
from solvers.extras.audits.proofs.known import Known, find_symmetries
from solvers.extras.audits.proofs.leaders import (
    FirstKept,
    Prover,
    Symmetries,
    symmetries_of,
    symmetries_without_list,
)
from solvers.extras.audits.proofs.other_data import OtherData, with_smaller_data
from solvers.extras.audits.proofs.other_keys import Doubt, seek_symmetries
from solvers.extras.audits.reading.lines import ALLOWED, elements, space_of
from solvers.extras.audits.reading.marks import MARKERS, Marked, read_marks
from solvers.extras.audits.reading.orbits import (
    Kept,
    Lister,
    Orbits,
    Whole,
    image_of,
    in_words,
    list_kept,
    orbits_of,
    solution_text,
    whole_group,
)
from solvers.extras.audits.reading.redundant import Implied, Posed, gains, judge_redundant
from solvers.files.solutions import as_json
from solvers.model.reading import has_objective
from solvers.running.runner import Run
from solvers.running.stated import model_and_variables
from solvers.symmetry.groups import Permutation
from solvers.symmetry.key import Encoded, Key
from solvers.terminal.calls import Named, options_of

SECONDS_OF_LISTS, SECONDS_OF_PROOFS = 10.0, 60.0
"""If there is no time limit: the seconds after which proofs without a list are looked for, and the time for these."""

SHARE_OF_DATA = 0.6
"""The part of the time limit for the data as they are, if there may be smaller ones."""

OF_AUDITS = ("backend", "symmetry", "time_limit", "jobs")
"""The options of a run that an audit takes."""


def audit(
    model: Named,
    parameters: Mapping[str, Any] | None = None,
    /,
    *,
    breaking: Sequence[Any] = (),
    redundant: Sequence[Any] = (),
    gain: bool = False,
    **options: Any,
) -> Audit:
    """Check the symmetry-breaking and redundant constraints of a model.

    model: as for `solve`. parameters: the parameters of the model, if it is a file. breaking, redundant: constraints
    that are marked besides those that a MiniZinc model marks itself: by name, and in Python also constraints and lists
    of constraints that are judged as one. gain: also run every backend with and without each redundant constraint.
    options: ``symmetry`` ("found" if left out, "declared", a line such as 'x[i] -> x[n+1-i]', or a list of these),
    ``backend``, ``time_limit`` and ``jobs`` (1 if left out), as for `solve`.

    Raises `InputError` if a symmetry is none that is allowed, if nothing is marked, if a name is that of no constraint,
    or if the time is over before the model is read.

    >>> from ortools.sat.python.cp_model import CpModel
    >>> from models.puzzle import Puzzle
    >>> model = CpModel()
    >>> x = {place: model.new_int_var(0, 2, f"x{place}") for place in range(3)}
    >>> _ = model.add_all_different(x.values())
    >>> first, second = model.add(x[0] < x[1]), model.add(x[0] < 0)
    >>> result = audit(Puzzle("order", {}, model, x), breaking=[first, second])
    >>> [judgement.verdict for judgement in result.breaking], result.breaking[0].average, result.verdict
    (['partial', 'lossy'], 3.0, 'lossy')
    """
    if unknown := options.keys() - {*OF_AUDITS}:
        raise InputError(f"audit has no option {min(unknown)}; it has {', '.join(OF_AUDITS)}")
    named = options.pop("symmetry", ())
    kind, lines_said = kind_and_lines([named] if isinstance(named, str) else named)
    chosen = options_of({"symmetry": kind, "jobs": 1, **options})
    marked = read_marks(model, parameters or {}, breaking, redundant)  # the model, with its marks in `marked.marks`
    try:
        return judge_marks(marked, chosen, gain, threading.Event(), said=lines_said)
    except Stopped:
        raise InputError(f"{marked.name}: the time limit was over before the model was read; allow more") from None


def kind_and_lines(named: Sequence[str]) -> tuple[str, list[str]]:
    """Return (the kind of symmetries, "found" or "declared"; the lines of text that state further symmetries).

    named: the kind and the lines in any order; "found" is the kind if none is named. Raises `InputError` if two kinds
    are named, or "none".

    >>> kind_and_lines(["x -> 9-x", "declared"])
    ('declared', ['x -> 9-x'])
    """
    kinds = {kind for kind in named if kind in ("found", "declared")}
    if len(kinds) > 1 or "none" in named:
        raise InputError(f"an audit needs one kind of symmetries; {ALLOWED}")
    return min(kinds, default="found"), [line for line in named if line not in kinds]


def judge_marks(
    marked: Marked,
    options: Options,
    gain: bool,
    stop: threading.Event,
    tell: Callable[[str], object] = lambda _: None,
    said: Sequence[str] = (),
    report: Callable[[Audit], object] = lambda _: None,
) -> Audit:
    """Judge a model's marked constraints.

    marked: the model with its marks. options: the options of the searches; the time limit is that of the whole audit.
    gain: also run every backend with and without each redundant constraint. stop: ends the audit early when set; open
    verdicts are then "not known". tell: called with the name of each step as it begins. said: the lines that say
    symmetries. report: called with the audit of the model as it is, before smaller ones are judged.

    The sizes of a model are its integer parameters. With sizes, a time limit and a symmetry breaking, the data as they
    are get only `SHARE_OF_DATA` of the time. If a verdict is still not known then, smaller sizes are judged, too.

    Raises `InputError` if no constraint is marked, or if a line is not allowed. Raises `CheckError` if a model
    with more constraints has more solutions, `Stopped` if the time is over before anything is known.
    """
    began, limit = time.perf_counter(), options.time_limit
    # Without a limit the search ends by itself; smaller data are judged by their symmetry breakings only.
    if limit is None or not marked.sizes or not marked.mark_places(breaking=True):
        return _judge_marks(marked, options, gain, stop, tell, said)
    result = _judge_marks(marked, replace(options, time_limit=limit * SHARE_OF_DATA), gain, stop, tell, said)
    report(result)
    if not result.is_firm:

        def judge(other: Marked, seconds: float) -> Audit:
            """Return the audit of the model with other data, after at most so many seconds."""
            return _judge_marks(
                other, replace(options, time_limit=seconds), gain=False, stop=stop, said=said, passes_idle=True
            )

        deadline = Deadline(stop, seconds=began + limit - time.perf_counter())
        with replace_stop_event(deadline):  # what reads and compiles the smaller models stops at the deadline
            result.smaller = with_smaller_data(marked, judge, tell, stop, began + limit)
        result.seconds = time.perf_counter() - began
    return result


def _judge_marks(
    marked: Marked,
    options: Options,
    gain: bool,
    stop: threading.Event,
    tell: Callable[[str], object] = lambda _: None,
    said: Sequence[str] = (),
    passes_idle: bool = False,
) -> Audit:
    """Judge a model's marked constraints with the data as they are; see `judge_marks` for the other arguments.

    passes_idle: judge nothing if there is at most one solution without the marked constraints.
    """
    # What reads and compiles the model stops at the time limit.
    with replace_stop_event(Deadline(stop, seconds=options.time_limit)):
        return _Judge(marked, options, gain, stop, tell, said).judge(passes_idle)


class _Judge:
    """The judge of a model's marked constraints, in a thread that heeds the time limit."""

    def __init__(
        self,
        marked: Marked,
        options: Options,
        gain: bool,
        stop: threading.Event,
        tell: Callable[[str], object],
        line_texts: Sequence[str],
    ) -> None:
        """Read the model without its marked constraints; the arguments are those of `judge_marks`.

        line_texts: the lines that state symmetries. Symmetry breakings are judged in groups, each a list of places in
        the list of marks: first each mark alone, then, if there are several, all together. Raises `InputError` if no
        constraint is marked or a line is none that is allowed, `Stopped` if the time is over before the model is read.
        """
        self._began, limit = time.perf_counter(), options.time_limit
        self._end = None if limit is None else self._began + limit
        self._marked = marked
        self._options = options
        self._gain = gain
        self._stop = stop
        self._tell = tell
        self._base = marked.puzzle(())  # read first, so that its errors come before the complaint about marks
        if not marked.marks:
            raise InputError(
                f"{marked.name}: no constraint is marked; name one with `--breaking` or `--redundant`. {MARKERS}."
            )
        _check_lines(line_texts, self._base, marked)
        self._line_texts = line_texts
        without_limit = replace(options, time_limit=None)  # deadlines limit each listing
        self._lister = Lister(lambda puzzle, chosen: Run(puzzle.name, {}, lambda: puzzle, chosen), without_limit)
        self._breaking = marked.mark_places(breaking=True)
        self._redundant = marked.mark_places(breaking=False)
        self._groups = [[place] for place in self._breaking]
        if len(self._breaking) > 1:
            self._groups.append(self._breaking)

    def judge(self, passes_idle: bool) -> Audit:
        """Return the verdicts on all marked constraints; those that are open when the time is over are "not known".

        passes_idle: judge nothing if there is at most one solution without the marked constraints.
        """
        self._list_orbits()
        orbits, marked = self._orbits, self._marked
        whole_model = partial(marked.puzzle, range(len(marked.marks)))  # declares the model with all marks
        result = Audit(marked.name, marked.parameters, self._options.symmetry, orbits, whole_model, generators=[])
        result.cut = marked.cut
        try:
            if passes_idle and orbits.is_complete and orbits.total < 2:
                return result
            if orbits.group:
                result.generators = [in_words(orbits.key, generator) for generator in orbits.group.generators]
            self._find_symmetries()
            result.lines = self._known.lines
            judgements = [self._judge_breaking(number, places) for number, places in enumerate(self._groups)]
            result.breaking = judgements[: len(self._breaking)]
            result.together = next(
                iter(judgements[len(self._breaking) :]), None
            )  # the last group, if there are several
            result.redundant = [self._judge_redundant(number) for number in range(len(self._redundant))]
        finally:
            if orbits.group:
                orbits.group.dismiss()  # ends its processes
        result.seconds = time.perf_counter() - self._began
        return result

    def _list_orbits(self) -> None:
        """List the solutions without the marked constraints, up to symmetry, as far as time allows.

        With a time limit, the listing gets half of the time. Without one, it is stopped after `SECONDS_OF_LISTS`; it
        starts again without a deadline unless every verdict is proved without a list. Nothing is listed if no symmetry
        breaking is marked.
        """
        limit = self._options.time_limit
        deadline = Deadline(self._stop)
        options = self._options
        if self._breaking:
            self._tell("solutions without the marked constraints")
            deadline.begin(limit / 2 if limit is not None else SECONDS_OF_LISTS)
            self._orbits = orbits_of(self._base, self._lister, deadline)
        else:
            self._orbits = Orbits(self._base, key=None)  # type: ignore[arg-type]  # nobody asks for solutions then
        self._proofs = _ProofsOnce(self._marked, self._base, self._orbits, options.symmetry, self._stop, self._end)
        can_continue = limit is None and not self._orbits.is_complete and not self._stop.is_set()
        if self._breaking and can_continue and not all(self._proofs()):  # a proof, or None, for each group
            deadline.begin(threading.TIMEOUT_MAX)
            self._orbits = orbits_of(self._base, self._lister, deadline)

    def _find_symmetries(self) -> None:
        """Find the symmetries under which the symmetry breakings are judged.

        ``_known`` becomes these symmetries: those of the model, those that lines state, and those seen in the solutions
        here and with other data. ``_whole`` becomes a function that returns the group of all permutations of literals
        that map the set of solutions to itself, and ``_proofs_of_lines`` one that returns proofs by the lines alone.
        """
        marked = self._marked
        options = self._options
        stop = self._stop
        orbits = self._orbits
        deadline = Deadline(stop, seconds=None if self._end is None else self._end - time.perf_counter())
        judge = partial(_judge_within_seconds, options=options, stop=stop)
        self._other_data = OtherData(marked, judge, self._lister, stop, self._began, self._end)
        self._known = find_symmetries(
            orbits, options.symmetry, self._line_texts, marked.integers, self._other_data.solutions, deadline
        )
        self._whole = cache(partial(_whole_group, orbits, self._known, deadline))
        self._proofs_of_lines = _ProofsOnce(
            marked, self._base, orbits, options.symmetry, stop, self._end, self._known.said
        )

    def _share(self, searches: int) -> Deadline:
        """Return a deadline after an equal share of the time that is left.

        searches: the number of searches that are still to be done, this one included.
        """
        if self._end is None:
            return Deadline(self._stop)
        share = (self._end - time.perf_counter()) / searches
        return Deadline(self._stop, seconds=max(0.1, share))

    def _judge_breaking(self, number: int, places: Sequence[int]) -> Judgement:
        """Judge symmetry breakings as one.

        They are judged first by the solutions that they keep, unless a proof without a list exists; if that gives no
        verdict, by a proof; if it leaves a loss unexplained, by a loss with other data. If lines state symmetries, the
        verdict under these alone is returned, which has the one under all symmetries as a part. number: the place in
        ``_groups``. places: the group's places in the list of marks.
        """
        orbits = self._orbits
        known = self._known
        options = self._options
        names = [self._marked.marks[place].name for place in places]
        self._tell(names[0] if len(names) == 1 else "all of them together")
        share = partial(self._share, 1 + len(self._groups) + len(self._redundant) - number)
        proof = None if orbits.is_complete else self._proofs()[number]
        # Until the kept solutions are listed, no orbit (`orbits.sizes` has one entry for each) is decided.
        kept_solutions = unseen = Kept(Counter(), is_complete=False, gone=[], unclear=len(orbits.sizes))
        if not self._stop.is_set() and not proof:
            with suppress(Stopped):
                kept_solutions = list_kept(self._marked.puzzle(places), orbits, self._lister, share())
        doubt = partial(_explain_by_other_keys, self._marked, places, orbits, self._lister, share)
        try:
            judgement = _judgement(names, kept_solutions, orbits, known, self._whole, doubt)
        except Stopped:  # no time to weigh the loss: as if no kept solution had been listed
            judgement = _judgement(names, unseen, orbits, known, self._whole, doubt)
        if judgement.verdict == UNKNOWN and (orbits.sizes or not orbits.is_complete):
            judgement = _verdict_by_proof(judgement, self._proofs()[number], options.symmetry, self._proofs.order)
        is_symmetric = judgement.orbits < orbits.total  # otherwise nothing is known that the constraint should break
        if judgement.verdict == UNEXPLAINED and judgement.explained_by_whole and is_symmetric:
            judgement = _loss_with_other_data(self._other_data, number) or judgement
        if known.said:
            return _judgement_of_said(judgement, kept_solutions, orbits, known.said, self._proofs_of_lines, number)
        return judgement

    def _judge_redundant(self, number: int) -> Implied:
        """Judge a redundant constraint: search for a solution of the rules that it removes.

        The verdict is not known if the time is over. With ``_gain``, each backend also searches the whole model with
        and without the constraint. number: that of the constraint among the redundant ones.
        """
        marked, place = self._marked, self._redundant[number]
        verdict = Implied(marked.marks[place].name, is_implied=None)
        self._tell(verdict.constraint)
        if self._stop.is_set():
            return verdict
        searches = (1 + self._gain) * (len(self._redundant) - number)  # still to be done, by which time is shared
        with suppress(Stopped):
            with_breakings = _pose(marked, self._breaking, place) if self._breaking else None
            verdict = judge_redundant(
                verdict.constraint, _pose(marked, (), place), with_breakings, self._lister, self._share(searches)
            )
            if self._gain:
                all_marks = {*range(len(marked.marks))}
                with_it = marked.puzzle(all_marks)
                without = marked.puzzle(all_marks - {place})
                verdict.gains = gains(with_it, without, self._lister, self._share(searches - 1))
        return verdict


def _judge_within_seconds(marked: Marked, seconds: float, options: Options, stop: threading.Event) -> Audit:
    """Judge a model with other data within some seconds; options, stop: as for `judge_marks`."""
    return _judge_marks(marked, replace(options, time_limit=seconds), gain=False, stop=stop)


def _loss_with_other_data(other_data: OtherData[Audit], number: int) -> Judgement | None:
    """Return the verdict on a mark with other data for which it is lossy; None if there are no such data.

    other_data: yields (text that says the data, audit of the model with these data), the audits until time is over.
    number: the number of the mark among the symmetry breakings; all together are numbered behind the last one.
    """
    for data_text, other_audit in other_data.audits():
        if len(other_audit.judged) > number and other_audit.judged[number].verdict == LOSSY:
            return replace(other_audit.judged[number], at=data_text)
    return None


def _pose(marked: Marked, kept_marks: Collection[int], place: int) -> Posed:
    """Prepare the search for solutions that a marked constraint removes.

    `Posed` has three models: without the constraint, with it, and with it violated. The last is replaced by the first
    if the constraint cannot be negated. marked: the model with its marks. place: the place of the constraint in the
    list of marks. kept_marks: the places of the marked constraints that all three models have.
    """
    rules = marked.puzzle(kept_marks)
    return Posed(rules, marked.puzzle([*kept_marks, place]), marked.violating(kept_marks, place) or rules)


def _explain_by_other_keys(
    marked: Marked,
    places: Sequence[int],
    orbits: Orbits,
    lister: Lister,
    share: Callable[[], Deadline],
    whole: Whole,
    kept_solutions: Sequence[Encoded],
) -> Doubt | None:
    """Return the doubt that symmetries of other variables explain the lost solutions; None if there is none.

    The other variables are those that the marks use, or that constraints tie to hidden ones of these. If there are none
    besides the key's, the key's whole group decides, and there is no doubt. marked: the model with its marks. places:
    those of the judged symmetry breakings in the list of marks. orbits: the orbits of the solutions without symmetry
    breakings. lister: lists solutions. share: returns a deadline for the search. whole: the whole group of the
    solutions. kept_solutions: the solutions that the symmetry breakings keep. Raises `InputError` if a model is
    invalid, or no backend takes it.
    """
    # The key is extended by the variables of each mark alone, and by those of all; None where it needs no extension.
    sets_of_places = [[place] for place in places] + ([places] if len(places) > 1 else [])
    with_used = map(marked.with_used_variables, sets_of_places)
    with_tied = map(marked.with_tied_variables, sets_of_places)
    with_other_keys = [puzzle for puzzle in (*with_used, *with_tied) if puzzle]
    return seek_symmetries(with_other_keys, orbits, whole, kept_solutions, lister, share()) if with_other_keys else None


def _check_lines(line_texts: Sequence[str], base: Puzzle, marked: Marked) -> None:
    """Raise `InputError` if a line says no symmetry, or one that is not allowed.

    The lines may name the integer parameters and, if the model has an objective, ``best``, whose value does not matter
    here. line_texts: the lines that say symmetries. base: the model without its marked constraints. marked: the model
    with its marks.
    """
    if line_texts:
        model, variables = model_and_variables(base)
        best = {"best": 0} if has_objective(model) else {}
        space = space_of(Key(model, variables), {**marked.integers, **best})
        for words in line_texts:
            elements(words, space)  # reads a line, and raises the error


class _ProofsOnce:
    """Proofs without a list of the solutions, looked for at the first call and remembered."""

    order = 1
    """The number of elements of the group by which the constraints are judged."""

    def __init__(
        self,
        marked: Marked,
        base: Puzzle,
        orbits: Orbits,
        symmetry: str,
        stop: threading.Event,
        end: float | None,
        known_lines: Known | None = None,
    ) -> None:
        """Store the model with its marks.

        base: the model without them. orbits: its orbits, as far as they are known. symmetry: found or declared. stop:
        ends the work when set. end: when the time of the audit is over, by `time.perf_counter`; None for no limit.
        known_lines: the symmetries that lines say, by which the constraints are judged; None to judge them by the
        symmetries of the model.
        """
        self._marked = marked
        self._base = base
        self._orbits = orbits
        self._symmetry = symmetry
        self._stop = stop
        self._end = end
        self._known_lines = known_lines
        self._remembered: list[FirstKept | None] | None = None
        """The result of the call, in which None is a mark without proof; None before the first call."""

    def __call__(self) -> Sequence[FirstKept | None]:
        """Return the proof for each symmetry breaking, and for all together behind them; None where there is none.

        The search for proofs gets half of the time that is left, or `SECONDS_OF_PROOFS` without a time limit.
        """
        if self._remembered is None:
            breaking = self._marked.mark_places(breaking=True)
            self._remembered = [None] * (len(breaking) + 1)
            seconds = SECONDS_OF_PROOFS if self._end is None else (self._end - time.perf_counter()) / 2
            deadline = Deadline(self._stop, seconds=max(0.1, seconds))
            symmetries = self._symmetries(deadline)
            if symmetries:
                self.order = symmetries.order
                self._remembered = Prover(self._marked, self._base, symmetries, deadline).proofs(breaking)
        return self._remembered

    def _symmetries(self, deadline: Deadline) -> Symmetries | None:
        """Return the symmetries by which the constraints are judged; None if they are not proved in time.

        They are those that the user claims, a line each, if there are lines; otherwise those of the model. Only lines
        that are proved without a list of the solutions have images.
        """
        if not self._known_lines:
            return symmetries_without_list(self._base, self._orbits.group, self._symmetry, deadline)
        if not self._known_lines.images or not self._known_lines.order:
            return None
        return symmetries_of(self._orbits.key, self._known_lines.images, self._known_lines.order)


def _whole_group(orbits: Orbits, known: Known, stop: threading.Event) -> Whole | None:
    """Return the whole group of the solutions.

    The result is None if not all solutions are known, if they are too many, or if the search was stopped. known:
    symmetries whose orbits are joined with those of the group. stop: ends the computation when set.
    """
    if not orbits.is_complete or not orbits.group:
        return None
    # All solutions: the images of one solution of each orbit.
    solutions = chain.from_iterable(map(orbits.group.each_image, orbits.shown.values()))
    try:
        whole = whole_group(orbits.key, orbits.total, solutions, stop)
    except (InputError, Stopped):
        return None
    # The orbits are joined by the known symmetries, which may be no permutations of literals.
    return replace(whole, orbit=known.parts.join_orbits(whole.orbit)) if known.parts else whole


def _judgement(
    names: list[str],
    kept_solutions: Kept,
    orbits: Orbits,
    known: Known,
    whole_of: Callable[[], Whole | None],
    doubt_of: Callable[[Whole, Sequence[Encoded]], Doubt | None],
) -> Judgement:
    """Make the verdict on symmetry breakings from the solutions that they keep.

    If no orbit is lost as a whole, the verdict is complete or partial. If one is, it is lossy, provided that no larger
    group, that of all solutions or one on other variables, maps a kept solution to the lost ones; otherwise the loss is
    unexplained.

    names: the names of the constraints. kept_solutions: the solutions that are left with these constraints; ``gone``
    has the lost orbits, ``unclear`` is the number of undecided ones. orbits: the orbits of the solutions without these
    constraints. known: the symmetries by which they are judged; its ``parts`` are the orbits under all of them. These
    may be fewer than ``orbits``, which are under the symmetries of the model alone. whole_of: returns the group of all
    solutions, or None if it is not computed. doubt_of: returns why that group does not decide; None if it does. Without
    any orbit, the verdict is unknown.
    """
    group = orbits.group
    is_complete = orbits.is_complete and kept_solutions.is_complete  # both lists of solutions
    result = Judgement(
        constraints=names,
        verdict=UNKNOWN,
        group=known.group,
        order=known.order,
        orbits=len(orbits.sizes),
        hit=len(kept_solutions.of_orbit),
        kept=kept_solutions.of_orbit.total(),
        is_complete=is_complete,
    )
    if not result.orbits:
        return result
    assert group
    lost = [orbits.shown[form] for form in kept_solutions.gone]  # one solution of each lost orbit
    if is_complete and known.parts:  # count the orbits under all known symmetries instead
        result.orbits, result.hit, lost = _orbit_counts(known.parts.orbit, kept_solutions.solutions)
    # No orbit is lost.
    if not lost:
        if orbits.is_complete and not kept_solutions.unclear:
            is_one_each = kept_solutions.is_complete and result.kept == result.orbits
            result.verdict = COMPLETE if is_one_each else PARTIAL
        if is_complete and known.group != "declared" and (whole := whole_of()):
            result.under_whole = _verdict_under_group(whole, kept_solutions.solutions, result.orbits)
        result.orbits -= kept_solutions.unclear
        result.breaks = (
            _symmetries_broken(orbits, kept_solutions.solutions, group.generators, known) if is_complete else []
        )
        return result
    # Some orbit is lost: is there a larger group that maps a kept solution to the lost one?
    generators = list(group.generators)
    if known.group in ("declared", "said", "joined"):  # the author means this group, and no larger one
        result.verdict = LOSSY
    elif is_complete and (whole := whole_of()):
        orbits_of_whole, hit, lost_by_whole = _orbit_counts(whole.orbit, kept_solutions.solutions)
        if lost_by_whole and kept_solutions.solutions and (doubt := doubt_of(whole, kept_solutions.solutions)):
            result.verdict, result.explained_by_whole = UNEXPLAINED, doubt.order
            result.explained_on = list(doubt.labels)
        elif lost_by_whole:
            result.verdict = LOSSY
            result.group = "whole"
            result.order = whole.order
            result.orbits = orbits_of_whole
            result.hit = hit
            generators = list(whole.generators)
            lost = lost_by_whole
        else:
            result.verdict, result.explained_by_whole = UNEXPLAINED, whole.order
    else:  # if nothing is kept, no group can explain the loss
        result.verdict = UNEXPLAINED if kept_solutions.solutions or not kept_solutions.is_complete else LOSSY
    solution = orbits.key.decode(lost[0])
    result.lost = solution_text(orbits.puzzle, solution)
    result.lost_literals = as_json(solution)
    result.breaks = _symmetries_broken(orbits, kept_solutions.solutions, generators, known) if is_complete else []
    return result


def _judgement_of_said(
    joined: Judgement, kept_solutions: Kept, orbits: Orbits, known_lines: Known, proofs: _ProofsOnce, number: int
) -> Judgement:
    """Make the verdict under the symmetries that a person said, alone.

    joined: the verdict under these and those found. kept_solutions: the solutions that are left with the constraints.
    orbits: those of the solutions without them. known_lines: the symmetries. proofs: returns proofs by these that need
    no list. number: that of the group of marks among the proofs.

    All figures of ``joined`` that depend on its group are cleared first. A loss under more symmetries is one under
    fewer, too, as the orbits are parts of the larger ones; nothing else follows from the other verdict.
    """
    result = replace(
        joined, verdict=UNKNOWN, group="said", order=known_lines.order, orbits=0, hit=0, lost="", breaks=[]
    )
    result = replace(result, lost_literals="", explained_by_whole=None, under_whole=None, explained_on=[], at="")
    result.with_found, result.proof = joined, None
    if known_lines.parts:  # the orbits of all solutions under the lines; None if the solutions could not be listed
        result.orbits, result.hit, lost = _orbit_counts(known_lines.parts.orbit, kept_solutions.solutions)
        if not lost:
            is_one_each = kept_solutions.is_complete and result.kept == result.orbits
            result.verdict = COMPLETE if is_one_each else PARTIAL
        elif kept_solutions.is_complete:
            result.verdict = LOSSY
            solution = orbits.key.decode(lost[0])
            result.lost = solution_text(orbits.puzzle, solution)
            result.lost_literals = as_json(solution)
        result.breaks = known_lines.violations(kept_solutions.solutions) if kept_solutions.is_complete else []
    if result.verdict == UNKNOWN and joined.verdict == LOSSY and all(line.is_symmetry for line in known_lines.lines):
        return joined  # a loss under these alone, too
    if result.verdict == UNKNOWN and not known_lines.parts:
        return _verdict_by_proof(result, proofs()[number], "said", proofs.order)
    return result


def _verdict_by_proof(judgement: Judgement, proof: FirstKept | None, group: str, order: int) -> Judgement:
    """Return the judgement with the verdict that a proof gives; unchanged without a proof.

    A proof says that each orbit keeps its first solution. ``keeps_one`` says whether it keeps no other; it may be None,
    for not known, and the verdict is partial then. proof: the proof, if there is one. group: found, declared or said.
    order: the number of elements of the group.
    """
    if not proof:
        return judgement
    is_one_each = proof.keeps_one is True
    verdict = COMPLETE if is_one_each else PARTIAL
    return replace(judgement, verdict=verdict, group=group, order=order, hit=judgement.orbits, proof=proof)


def _orbit_counts(orbit: Mapping[Encoded, int], kept_solutions: Collection[Encoded]) -> tuple[int, int, list[Encoded]]:
    """Return (number of orbits, number of those that keep a solution, one solution of each of the others).

    orbit: maps each solution, kept or not, to a number that identifies its orbit. kept_solutions: the solutions that
    are kept.
    """
    hit = {orbit[solution] for solution in kept_solutions}
    first_of_orbit: dict[int, Encoded] = {}
    for solution, number in orbit.items():
        first_of_orbit.setdefault(number, solution)
    lost = [solution for number, solution in sorted(first_of_orbit.items()) if number not in hit]
    return len(first_of_orbit), len(hit), lost


def _verdict_under_group(whole: Whole, kept_solutions: Collection[Encoded], orbits: int) -> Under | None:
    """Return the verdict on a symmetry breaking under the whole group.

    The result is None if that group has as many orbits as the symmetries found, so that nothing changes.
    kept_solutions: the solutions that are kept, at least one of each orbit. orbits: the number of orbits under the
    symmetries found.
    """
    orbits_of_whole = len({*whole.orbit.values()})
    if orbits_of_whole == orbits:
        return None
    return Under(COMPLETE if len(kept_solutions) == orbits_of_whole else PARTIAL, whole.order, orbits_of_whole)


def _symmetries_broken(
    orbits: Orbits, kept: Collection[Encoded], generators: Sequence[Permutation], known: Known
) -> list[str]:
    """Return, in words, the symmetries that map a kept solution to one that is not kept.

    There are at most `MOST_GENERATORS` of them, those that are stated in lines first. orbits: has the key, which
    numbers the literals. kept: the kept solutions. generators: permutations of the literals. known: its method
    ``violations`` returns the lines of this kind.
    """
    kept_solutions = set(kept)

    def is_broken(generator: Permutation) -> bool:
        """Tell whether a generator maps a kept solution to one that is not kept."""
        return any(image_of(orbits.key, generator, solution) not in kept_solutions for solution in kept)

    broken = [in_words(orbits.key, generator) for generator in generators if is_broken(generator)]
    return [*known.violations(kept), *broken][:MOST_GENERATORS]
