"""Collect what a search finds: check it, count it, keep one solution of each orbit."""

from __future__ import annotations

import random
import time
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from heapq import nsmallest
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from solvers.base.errors import CheckError, InputError, WrongCheckError, WrongSymmetryError
from solvers.base.tuning import TUNING
from solvers.base.values import random_ranks
from solvers.cubes.cube import Rows
from solvers.running.orbit_check import OrbitCheck
from solvers.running.question import Question
from solvers.running.verify import Flaws
from solvers.show.plain import number_with_unit
from solvers.symmetry.breaking import Broken
from solvers.symmetry.groups import OrbitRows, stack_solutions
from solvers.symmetry.key import Decoded, Encoded, Numbered

CLOCK_SECONDS = 0.005
"""Seconds after which the puzzle's own check is interrupted, so that the caller can look at the clock."""

MIN_SUSPECTS = 16
"""The least number of solutions for which it is quicker to evaluate the file on all at once."""

OWN_CHECK = "is_solution"
"""The name of the puzzle's own check, in messages."""


class Checking(NamedTuple):
    """Some orbits, and the running check of their images."""

    orbits: OrbitRows
    flaws: Callable[[], Flaws]
    """Waits for the check, and returns the rules of the model that images violate."""


@dataclass(frozen=True)
class Collected:
    """The counts of a collector so far; the fields are those of the report with these names."""

    solutions: int
    total: int
    found: int
    repeats: int | None
    checked: int
    own_checks: Mapping[str, int]
    objective: int | float | None
    features: Mapping[str, int]
    named_solutions: int | None


def number_apart(features: Mapping[str, int]) -> int:
    """Return how many solutions come apart, that is, are assemblies that can be taken apart.

    features: how many solutions have each feature. A feature that begins with a digit is the number of moves that it
    takes; others are words, such as that it was not decided.
    """
    return sum(count for feature, count in features.items() if feature[:1].isdigit())


MAX_ENTRIES_OF_OWN_CHECK = 2**18
"""So many values a puzzle's own check takes at once: more do not fit the processor's cache, and take twice as long."""


class Collector:
    """Takes the solutions that a search finds, checks them and counts them."""

    def __init__(
        self,
        question: Question,
        *,
        every: bool,
        broken: Broken,
        limit: int | None,
        keep: bool = True,
        marginals: bool = False,
        most_apart: int | None = None,
        seed: int = 0,
        searched_by: Callable[[], str],
    ) -> None:
        """Begin without solutions.

        question: the question of the run. every: True to count only the solutions that the search itself meets; False
        to count all solutions of an orbit once it is accepted. broken: the way in which symmetry is broken, which
        determines the members of each orbit that the search meets. limit: the number of solutions after which the
        collector is full; None for no limit. With ``every`` it limits all solutions, otherwise those up to symmetry.
        keep: False to count only. Then solutions cannot be listed, and a repeat goes unseen unless it comes in the same
        batch. marginals: True to count the solutions in which each literal is true. most_apart: the number of solutions
        that come apart after which the collector is full, or None. seed: draws the images that the puzzle's own check
        is asked about. searched_by: returns the name of the backend.
        """
        self.question = question
        self._counts_met_only = every and question.group.order > 1  # without symmetry both counts are one
        """True to count only solutions that the search itself meets; False to count whole orbits."""
        self.broken = broken
        """The way in which symmetry is broken, which determines the orbits that the search meets."""
        self._limit = limit
        self._most_apart = most_apart
        self._keep = keep
        self._searched_by = searched_by
        self._solutions = 0
        self._total = 0
        self._orbit_check = OrbitCheck(question.group)
        self._number_met = 0
        self._repeats = 0 if keep else None
        self._checked = 0
        self._features: dict[str, int] = {}
        self._objective: int | float | None = None
        self._holding: NDArray[Any] = np.zeros(question.key.size if marginals else 0, dtype=np.int64)
        """For each literal number, the solutions so far that hold it; empty unless marginals are asked for."""
        self._named = [question.key.position[label] for label in question.puzzle.named]
        self._over_named: set[bytes] = set()
        """The values of the variables with names in the solutions so far."""
        self._expected = 0
        """Solutions in the orbits so far."""
        self._stood_for = Fraction(0)
        """How many solutions follow from those that were found."""
        self._met: set[bytes] = set()
        """The digests of the solutions that the search has met."""
        self._forms: set[bytes] = set()
        """The forms of their orbits; two solutions have the same form iff they are in the same orbit."""
        self._accepted: list[bytes] = []
        """The least image of each orbit, which is shown, packed."""
        self._seed = seed
        has_own_check = question.puzzle.is_solution or question.puzzle.are_solutions
        self._own_checks = dict.fromkeys(("solutions", "images") if has_own_check else (), 0)
        """How many solutions that stand for orbits, and images besides, the puzzle's own check was asked about."""
        self._file_checks = 0
        """How many solutions that were found were checked against the puzzle's file."""

    @cached_property
    def _chance(self) -> np.random.Generator:
        """Draws the images that the puzzle's own check is asked about beyond the first; it takes long to load."""
        return np.random.default_rng(self._seed)

    @property
    def collected(self) -> Collected:
        """The counts so far."""
        return Collected(
            solutions=self._solutions,
            total=self._total,
            found=self._number_met,
            repeats=self._repeats,
            checked=self._checked,
            own_checks=dict(self._own_checks) | ({"file": self._file_checks} if self._file_checks else {}),
            objective=self._objective,
            features=dict(self._features),
            named_solutions=len(self._over_named) if self._over_named else None,
        )

    def in_order(self, most: int | None = None) -> list[Encoded]:
        """Return the least image of each orbit found so far, in ascending order.

        An image is a tuple of literal numbers. most: how many to return, the first ones; None for all.
        """
        first = sorted(self._accepted) if most is None else nsmallest(most, self._accepted)
        return self.question.key.unpack_all(first)

    def as_found(self, first: int) -> list[Encoded]:
        """Return the least image of each orbit, in the order in which the orbits were found.

        first: how many orbits to leave out at the start.
        """
        return self.question.key.unpack_all(self._accepted[first:])

    @property
    def is_full(self) -> bool:
        """Tell whether as many solutions were found as the limit allows; False if there is no limit.

        It is also full once as many solutions as asked for come apart.
        """
        count = self._total if self._counts_met_only else self._solutions
        return (self._limit is not None and count >= self._limit) or self._has_most_apart

    @property
    def _has_most_apart(self) -> bool:
        """True if as many solutions come apart as are asked for."""
        return self._most_apart is not None and number_apart(self._features) >= self._most_apart

    def add(self, found: Rows, is_heard: bool = True) -> Iterator[Decoded | None]:
        """Check and count the solutions that a search found; yield one solution for each new orbit.

        found: a row for each solution, with the values of all variables in the order of the model's proto; values of
        others may follow. is_heard: False to yield no solutions, which are then counted many at a time.

        Between solutions it yields None, so that the caller can look at the clock. It is a generator: solutions that
        are not reached because the caller stops iterating are neither checked nor counted.

        Raises `CheckError` if a solution violates a rule, has another objective value than the best one, or was found
        twice although that is impossible, or if an orbit has an impossible size; `WrongSymmetryError` if an image of a
        solution is not a solution.
        """
        rows, verifier = found[:, : len(self.question.model.proto.variables)], self.question.verifier
        step = max(1, TUNING.solutions_per_check // self.question.group.most_images)
        running_checks: deque[Checking] = deque()
        for start in range(0, len(rows), step):
            # While other processes work on these, those before are dealt with.
            running_checks.append(self._begin_check(self._visit(rows[start : start + step])))
            yield None
            if len(running_checks) > 1 or not verifier.is_shared:
                yield from self._accept(running_checks.popleft(), is_heard)
            if self.is_full:
                break
        for checking in running_checks:
            yield from self._accept(checking, is_heard)
        # Without kept solutions, repeats are looked for in one batch only, to save memory. Forms of orbits are still
        # needed where the search meets several solutions of an orbit, which counts once.
        if not self._keep:
            self._met.clear()
            if self.broken.stands_for is None or self.question.group.order == 1:
                self._forms.clear()

    def _visit(self, rows: Rows) -> OrbitRows:
        """Count solutions that the search met, and the solutions that follow from them by symmetry; see `add`.

        rows: the values of all variables of the model in each of them. Returns the orbits that were not met before. A
        solution that was found before counts as a repeat.

        Raises `CheckError` for a solution that violates a rule, or if a solution was found before and the run keeps no
        solutions, so that other repeats may go unseen; or if an image of it was found before although the search should
        meet only one solution of each orbit.
        """
        key = self.question.key
        solutions = key.number_rows(rows)
        self._check_against_model(rows, solutions)
        # `new_orbits` returns the form of each solution's orbit, the orbits whose form is not among those given, and,
        # as ``new``, the places of the solutions at which these were first met. A digest identifies a solution.
        grouped = self.question.group.new_orbits(solutions, self._forms)
        digests = grouped.forms if self.question.group.order == 1 else key.digests(solutions)
        if self._are_all_new(digests, grouped.forms):
            visited, end = [*range(len(solutions))], len(solutions)
            self._met.update(digests)
            self._forms.update(grouped.forms)
        else:
            visited, end = self._visit_each(solutions, digests, grouped.forms)
        self._number_met += len(visited)
        orbits = grouped.orbits.first(bisect_left(grouped.new, end))  # those first met before the place ``end``
        if sentence := self._orbit_check.flaw(orbits):
            raise CheckError(sentence)
        # `finish` compares these two sums: a solution that represents only some of its orbit has a smaller share.
        self._expected += sum(orbits.sizes)
        self._stood_for += self.broken.stands_for(solutions[visited]) if self.broken.stands_for else sum(orbits.sizes)
        return orbits

    def _are_all_new(self, digests: Sequence[bytes], forms: Sequence[bytes]) -> bool:
        """Tell whether a batch of solutions can be counted all at once.

        It can unless one of them repeats another or an earlier one. If the search meets only one solution of each
        orbit, it may not repeat an orbit, either. If only solutions that the search meets are counted, the limit may
        fall within the batch, so it is counted one by one. digests, forms: byte strings that identify the solutions and
        their orbits.
        """
        if self._counts_met_only or not _are_new(digests, self._met):
            return False
        return self.broken.stands_for is not None or _are_new(forms, self._forms)

    def _visit_each(
        self, solutions: Numbered, digests: Sequence[bytes], forms: Sequence[bytes]
    ) -> tuple[list[int], int]:
        """Note solutions that the search met, one after another, where some may be repeats; see `_visit`.

        solutions: a row of literals for each. digests, forms: those of the solutions and of their orbits. Returns
        (places of those that are no repeats, end): ``end`` is the place at which the limit was reached, or the number
        of solutions. Raises `CheckError` for a repeat that should not occur.
        """
        visited: list[int] = []
        end = 0
        for place, (digest, form) in enumerate(zip(digests, forms, strict=True)):
            if self._counts_met_only and self.is_full:
                break
            end = place + 1
            if digest in self._met:
                # The run keeps no solutions: it could not see all repeats, so the count would be wrong.
                if self._repeats is None:
                    raise CheckError(f"{self._solution_text(solutions[place])} was found twice; leave out --count-only")
                self._repeats += 1
                continue
            if self.broken.stands_for is None and form in self._forms:
                solution_text = self._solution_text(solutions[place])
                raise CheckError(f"{solution_text} was found, and so was a symmetric image of it")
            self._met.add(digest)
            self._forms.add(form)
            visited.append(place)
            if self._counts_met_only:
                self._total += 1
        return visited, end

    def _check_against_model(self, rows: Rows, solutions: Numbered) -> None:
        """Hold solutions that the search met against the model; note the best value.

        rows: the values of all variables of the model in each. solutions: the same solutions by their literals.

        Raises `CheckError` if one violates a rule, or has another objective value than the best one.
        """
        key = self.question.key
        # For each row, the text of the rule that it violates, or an empty value.
        violations = self.question.verifier.evaluator.violations(rows)
        if any(violations):
            place = next(place for place, violated in enumerate(violations) if violated)
            solution_text = self._solution_text(solutions[place])
            raise CheckError(f"{self._searched_by()} found {solution_text}, which violates {violations[place]}")
        if self.question.has_objective:
            self._hold_objective(rows, solutions)
        self._check_against_file(rows, solutions)
        # What the run goes on with are the literals; images made of wrong ones would be no solutions.
        if self.question.group.order == 1 and (key.value_rows(solutions) != rows[:, key.variables]).any():
            raise CheckError("solutions have other values once their literals are numbered")

    def _check_against_file(self, rows: Rows, solutions: Numbered) -> None:
        """Check solutions that the search met against the puzzle's file, if there is a second reading of it.

        ``violation`` of the puzzle's file reads a solution's values independently of the model, and returns the
        constraint that it violates, or an empty value. The first solutions are checked, as many as
        `Tuning.max_own_checks` and `Tuning.max_file_evaluations` allow, then a random sample. rows: the values of all
        variables of the model in each. solutions: the same by their literals. Raises `CheckError` at the first one that
        is wrong. Of many at once only the suspects are looked at one by one.
        """
        file = self.question.puzzle.file
        if file is None or file.violation is None:
            return
        evaluations = TUNING.max_file_evaluations // max(1, len(self.question.model.proto.constraints))
        # Place n of the rows is solution number ``_file_checks`` + n of the run.
        is_asked = self._file_checks + np.arange(len(rows)) < min(TUNING.max_own_checks, evaluations)
        if not is_asked.all():
            is_asked |= self._chance.random(len(rows)) < TUNING.own_check_share
        places = np.flatnonzero(is_asked)
        if file.suspects and len(places) >= MIN_SUSPECTS:
            places = places[file.suspects(rows[places])]
        for place in places.tolist():
            if violated := file.violation(rows[place].tolist()):
                solution_text = self._solution_text(solutions[place])
                raise CheckError(
                    f"{solution_text} solves the model, but by a second reading of the file violates {violated}"
                )
        self._file_checks += int(is_asked.sum())

    def _hold_objective(self, rows: Rows, solutions: Numbered) -> None:
        """Note the value of the first solution as the best; raise `CheckError` if a solution has another one.

        rows: the values of all variables of the model in each solution. solutions: the same by their literals.
        """
        for place, row in enumerate(rows):
            objective = self.question.verifier.evaluator.objective(row)
            if self._objective is None:
                self._objective = objective
            if objective != self._objective:
                raise CheckError(
                    f"{self._searched_by()} found {self._solution_text(solutions[place])} with the value {objective}, "
                    f"but the best is {self._objective}"
                )

    def _accept(self, checking: Checking, is_heard: bool) -> Iterator[Decoded | None]:
        """Wait until the images of new orbits are checked, then count the orbits, until the limit is reached.

        checking: the orbits and the running check. is_heard: False if no solution is to be yielded; the orbits are then
        counted all at once, unless the puzzle counts features or names, for which each orbit is looked at.

        Yields the least image of each orbit, decoded, if the orbits are looked at, and None in between. Raises
        `WrongSymmetryError`, `WrongCheckError` or `CheckError` at the first image that violates a rule.
        """
        yield from self._end_check(checking)
        question, orbits = self.question, checking.orbits
        # `first(n)` keeps the first n orbits.
        if self._limit is not None and not self._counts_met_only:
            orbits = orbits.first(max(0, self._limit - self._solutions))
        if len(self._holding):
            # For each literal, the number of solutions of these orbits that hold it.
            self._holding = self._holding + question.group.literal_counts(orbits)
        # The images of orbit n are the rows ``starts[n]`` to ``starts[n + 1]``, the least one first.
        representatives = orbits.images[orbits.starts[:-1]]
        packed_representatives = question.key.pack_rows(representatives) if self._keep else []
        # Symmetries that were found may carry a solution to one with another feature. So all images of an orbit count
        # under their features, which is possible only if all are listed.
        has_features = question.puzzle.feature is not None and question.group.most_images == question.group.order
        if not (is_heard or has_features or self._named):
            self._accepted += packed_representatives
            self._solutions += len(representatives)
            self._total += 0 if self._counts_met_only else sum(orbits.sizes)
            self._checked += len(orbits.images)
            return
        encoded = question.key.tuples(representatives)
        for number, (start, count, size) in enumerate(zip(orbits.starts, orbits.counts, orbits.sizes, strict=False)):
            if self._has_most_apart:
                return
            images = orbits.images[start : start + count]
            if self._keep:
                self._accepted.append(packed_representatives[number])
            if self._named and count == size:  # all images of the orbit are at hand
                self._over_named.update(map(bytes, question.key.value_rows(images)[:, self._named]))
            self._solutions += 1
            self._total += 0 if self._counts_met_only else size
            self._checked += count
            if has_features:
                yield from self._count_feature(images)
            yield question.key.decode(encoded[number])

    def _count_feature(self, images: Numbered) -> Iterator[None]:
        """Count an orbit under the features that its images have; yield None after each image.

        images: the solutions of the orbit, a row each. An orbit whose images differ counts under all their features, as
        "A or B".
        """
        question, features = self.question, set[str]()
        assert question.puzzle.feature  # it is called only for puzzles that have one
        # An assembly and its images come apart in the same way, and to find out how takes long.
        most = 1 if getattr(question.puzzle.feature, "is_of_orbits", False) else len(images)
        for image in question.key.tuples(images[:most]):
            features.add(str(question.puzzle.feature(question.key.decode(image).whole())))
            yield None
        feature = " or ".join(sorted(features))
        self._features[feature] = self._features.get(feature, 0) + 1

    def raise_counts_to_found(self) -> None:
        """Raise the counts of a run that was ended to the number of solutions that were found, as lower bounds.

        Some of them may not be checked yet; `Collected.checked` says how many were. The count up to symmetry is raised
        only if the group has order 1: then each solution is an orbit of its own. Otherwise several of them may be in
        one orbit.
        """
        self._total = max(self._total, self._number_met)
        if self.question.group.order == 1:
            self._solutions = self._total

    def _begin_check(self, orbits: OrbitRows) -> Checking:
        """Start to check every image of every orbit against the model's constraints; return the running check.

        orbits: their solutions as rows of literals; ``met`` has the solution of each orbit that the search met,
        ``images`` all images. The solutions that were met are left out: `_check_against_model` has checked them, with
        the hidden variables' values.
        """
        # Stacking pads both to rows of one length, so that they can be compared.
        met_and_images = stack_solutions([orbits.met, orbits.images], self.question.key.size)
        met, images = met_and_images[: len(orbits.met)], met_and_images[len(orbits.met) :]
        others = np.flatnonzero((images != np.repeat(met, orbits.counts, axis=0)).any(axis=1))
        # `begin` may use other processes, and returns a function that waits for the flaw of each image.
        wait_for_others = self.question.verifier.begin(images[others], self._objective)

        def flaws() -> Flaws:
            """Wait for the check; return, for each row of images, the rule that it violates, or None."""
            flaws_found: Flaws = [None] * len(images)
            flaws_of_others = wait_for_others()
            if any(flaws_of_others):
                for place, flaw in zip(others.tolist(), flaws_of_others, strict=True):
                    flaws_found[place] = flaw
            return flaws_found

        return Checking(orbits, flaws)

    def _end_check(self, checking: Checking) -> Iterator[None]:
        """Wait for a running check, then check the images against the puzzle's own rules.

        Only images before the first flawed one are checked by the puzzle's own rules, so that the first error in the
        order of the images is raised. Yields None now and then. Raises `WrongSymmetryError`, `WrongCheckError` or
        `CheckError` at the first image that violates a rule.
        """
        orbits = checking.orbits
        flaws = checking.flaws()
        first_flawed = next(number for number, flaw in enumerate(flaws) if flaw) if any(flaws) else len(flaws)
        if self.question.puzzle.are_solutions:
            yield from self._check_as_array(orbits, first_flawed)
        elif self.question.puzzle.is_solution:
            yield from self._check_one_by_one(orbits, first_flawed)
        if first_flawed < len(flaws):
            self._blame(orbits, first_flawed, str(flaws[first_flawed]))

    def _check_as_array(self, orbits: OrbitRows, end: int) -> Iterator[None]:
        """Check images by the puzzle's own check for arrays, ``are_solutions``, many at once; yield None after that.

        orbits: the orbits whose images are checked. end: the row of `OrbitRows.images` before which to end. Raises
        `InputError` if the check returns another shape than one truth value for each row, and what `_blame` raises for
        the first wrong image.
        """
        question = self.question
        assert question.puzzle.are_solutions
        rows_at_once = max(1, MAX_ENTRIES_OF_OWN_CHECK // max(1, len(question.key.labels)))
        for start in range(0, end, rows_at_once):
            images = orbits.images[start : min(end, start + rows_at_once)]
            # A column for each label of the key, in order.
            values = question.key.rows_of_all_labels(images)
            are_right = np.asarray(question.puzzle.are_solutions(values))
            if are_right.shape != (len(images),):
                raise InputError(
                    f"{question.puzzle.name}: are_solutions returned an array of shape {are_right.shape} for "
                    f"{number_with_unit(len(images), 'solutions')}; return one truth value for each row"
                )
            wrong = np.flatnonzero(~are_right.astype(np.bool_))
            if len(wrong):
                self._blame(orbits, start + int(wrong[0]), OWN_CHECK)
        representatives = bisect_left(orbits.starts, end)  # the number of orbits that begin before ``end``
        self._count_own_checks(representatives, end - representatives)
        yield None

    def _check_one_by_one(self, orbits: OrbitRows, end: int) -> Iterator[None]:
        """Check the images that are shown, and some others, by the puzzle's own ``is_solution``, one after another.

        The image that is shown is the first of each orbit. Of the others, the first `Tuning.max_own_checks` are
        checked, then a random sample. end: the row of `OrbitRows.images` before which to end. Yields None now and then.

        Raises what `_blame` raises for the first wrong one.
        """
        question = self.question
        assert question.puzzle.is_solution
        is_shown = np.zeros(end, np.bool_)  # the first image of each orbit
        is_shown[[start for start in orbits.starts[:-1] if start < end]] = True
        # The number of images besides those shown that would be checked up to each row, earlier calls included.
        further = self._own_checks["images"] + np.cumsum(~is_shown)
        is_asked = is_shown | (further <= TUNING.max_own_checks)
        if not is_asked.all():  # beyond these, only a random sample
            is_asked |= self._chance.random(end) < TUNING.own_check_share
        rows = np.flatnonzero(is_asked)
        are_shown = is_shown[rows]
        due = time.perf_counter()
        checked, booked = 0, 0  # how many of the rows are checked, and how many of these are in `_own_checks`
        for checked, image in enumerate(question.key.tuples(orbits.images[rows]), 1):
            if not question.puzzle.is_solution(question.key.decode(image).whole()):
                self._blame(orbits, int(rows[checked - 1]), OWN_CHECK)
            if time.perf_counter() > due:
                booked = self._count_own_checks_until(are_shown, booked, checked)
                yield None
                due = time.perf_counter() + CLOCK_SECONDS
        self._count_own_checks_until(are_shown, booked, checked)

    def _count_own_checks_until(self, are_shown: NDArray[np.bool_], start: int, end: int) -> int:
        """Add the images at the places from ``start`` to ``end`` to the numbers of own checks; return ``end``.

        are_shown: for each place, whether the image represents its orbit; such images are counted apart from the
        others.
        """
        count_shown = int(are_shown[start:end].sum())
        self._count_own_checks(count_shown, end - start - count_shown)
        return end

    def _count_own_checks(self, solutions: int, images: int) -> None:
        """Count checks by the puzzle's own rules: of solutions that stand for orbits, and of further images."""
        self._own_checks["solutions"] += solutions
        self._own_checks["images"] += images

    def marginals(self) -> list[int]:
        """Count the solutions so far that hold each literal; entry n of the list is for literal number n.

        The entry for a literal that says that a Boolean is 0 means nothing, as its count follows from that of the
        Boolean's other literal. The list is empty unless the collector was made with ``marginals``.
        """
        counts: list[int] = self._holding.tolist()
        return counts

    def sample(self, count: int, seed: int, is_distinct: bool = False) -> Iterator[Encoded | None]:
        """Draw ``count`` solutions uniformly at random; none if no solution was found.

        Each solution has a rank, from 0 on: orbit by orbit, and within an orbit in any order. A random rank thus
        chooses an orbit by its size. seed: the seed of the random numbers. is_distinct: draw no solution twice; at most
        all are drawn. Yields None now and then before the first sample, so that the caller can look at the clock.
        """
        if not count:
            return
        representatives, group = self.in_order(), self.question.group
        ends: list[int] = []  # solutions are ranked orbit by orbit; for each orbit, the rank behind its last solution
        for _, orbit in group.orbits(representatives):
            assert orbit
            ends.append(orbit.size + (ends[-1] if ends else 0))
            yield None
        rng = random.Random(seed)
        seen: set[Encoded] = set()
        for rank in random_ranks(ends[-1] if ends else 0, count, is_distinct, rng):
            # The first orbit whose end is above the rank.
            place = bisect_right(ends, rank)
            # The rank in the orbit counts from its end: below 0, as a Python index does.
            solution = group.random_image(representatives[place], rank - ends[place], rng)
            while is_distinct and solution in seen:  # a group may draw by chance alone, whatever the rank
                yield None
                solution = group.random_image(representatives[place], rank - ends[place], rng)
            if is_distinct:
                seen.add(solution)
            yield solution

    def check(self, solutions: Collection[Encoded]) -> Iterator[None]:
        """Check solutions against the model's constraints and the puzzle's rules.

        It is meant for solutions that no search found, such as samples that a count has drawn. Each different solution
        is checked once. Yields None now and then, so that the caller can look at the clock.

        Raises `CheckError` if one violates a constraint of the model, `WrongCheckError` if the puzzle's own check
        refuses it.
        """
        distinct = sorted(set(solutions))
        batch_size = TUNING.solutions_per_check
        for start in range(0, len(distinct), batch_size):
            new_rows = self.question.key.literal_rows(distinct[start : start + batch_size])
            # Each solution is passed as an orbit of size 1, whose only image is the solution itself, so that nothing is
            # left out.
            yield from self._end_check(
                self._begin_check(OrbitRows(new_rows, new_rows, [1] * len(new_rows), [1] * len(new_rows)))
            )
        self._checked += len(distinct)

    def _blame(self, orbits: OrbitRows, row: int, violated: str) -> NoReturn:
        """Raise the error for an image of a solution that is not itself a solution.

        orbits: the orbits that were checked. row: the row of the image in `OrbitRows.images`. violated: the rule that
        it violates, `OWN_CHECK` for the puzzle's own check.

        Raises `WrongCheckError` or `CheckError` if the image is the very solution that the search met, else
        `WrongSymmetryError` with the names of the symmetries at fault.
        """
        key = self.question.key
        orbit = bisect_right(orbits.starts, row) - 1  # the images of orbit n begin at row ``starts[n]``
        images = key.tuples(orbits.images[orbits.starts[orbit] : orbits.starts[orbit + 1]])
        image = images[row - orbits.starts[orbit]]
        (met,) = key.tuples(orbits.met[orbit : orbit + 1])
        solution_text = self._solution_text(orbits.images[row])
        if image == met:
            kind = WrongCheckError if violated == OWN_CHECK else CheckError
            raise kind(f"{solution_text} solves the model, but violates {violated}")
        # `blame` returns the names of the generators that map one of these images to this one.
        names = self.question.group.blame(images, image)
        raise WrongSymmetryError(names, f"carries solutions to {solution_text}, which violates {violated}")

    def finish(self, is_proved: bool | None) -> None:
        """Check the counts after the whole space was searched.

        The sum of the sizes of the orbits has to be the number of solutions that follow from those that were found.
        (Each solution that was found represents as many as its case says.) If the search met each solution, this also
        shows that the symmetries map solutions to solutions. is_proved: whether the symmetries are proved; None if that
        was not tried.

        Raises `CheckError` if the numbers differ although the symmetries are proved, `WrongSymmetryError` if they are
        not.
        """
        if self._expected != self._stood_for:
            sentence = (
                f"{self._number_met} solutions were found, from which {self._stood_for} follow, but with their images "
                f"they are {self._expected}"
            )
            if is_proved:
                raise CheckError(sentence)
            raise WrongSymmetryError(
                self.question.group.names, f"carries a solution to something that is not one: {sentence}"
            )

    def _solution_text(self, solution: Numbered) -> str:
        """Return a solution, one row of an array, as the text of its dictionary from labels to values, for messages."""
        (encoded,) = self.question.key.tuples(solution[np.newaxis])
        return str(dict(self.question.key.decode(encoded)))


def _are_new(marks: Sequence[bytes], before: set[bytes]) -> bool:
    """Tell whether marks differ from each other and from those before."""
    return before.isdisjoint(marks) and len(set(marks)) == len(marks)
