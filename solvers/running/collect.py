"""Collect what a search finds: check it, count it, keep one solution of each orbit."""

from __future__ import annotations

import random
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from fractions import Fraction
from itertools import tee
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvers.cubes.cube import Rows
from solvers.errors import CheckError, WrongCheckError, WrongSymmetryError
from solvers.running.question import Question
from solvers.running.verify import Flaws
from solvers.show.report import Report
from solvers.symmetry.breaking import Broken
from solvers.symmetry.groups import Orbit
from solvers.symmetry.key import Decoded, Encoded
from solvers.tuning import TUNING


class Checking(NamedTuple):
    """Some orbits, and the running check of their images."""

    orbits: Collection[Orbit]
    flaws: Callable[[], Flaws]
    """Waits for the check, and returns the rules of the model that images violate."""


class Collector:
    """Takes the solutions that a search finds, checks and counts them, and keeps the report up to date.

    broken: the way in which symmetry is broken, which determines the members of each orbit that the search meets.
    every: True to count only the solutions that the search itself meets; False to count all solutions of an orbit once
    it is accepted. limit: the number of solutions after which the collector is full; None for no limit. With ``every``
    it limits the report's ``total``, otherwise its ``solutions``. keep: False to count only. Then solutions cannot be
    listed, and a repeat goes unseen unless it comes in the same batch. marginals: True to count the solutions in which
    each literal is true.
    """

    def __init__(
        self,
        question: Question,
        report: Report,
        *,
        every: bool,
        broken: Broken,
        limit: int | None,
        keep: bool = True,
        marginals: bool = False,
    ) -> None:
        """Begin without solutions.

        question, report: the question and report of the run. every: True to count only solutions that the search itself
        meets. broken: the way in which symmetry is broken. limit: the number of solutions after which the collector is
        full, or None. keep: False to count only. marginals: True to count the solutions in which each literal is true.
        The class explains them in full.
        """
        self.question = question
        self.report = report
        self._every = every and question.group.order > 1  # without symmetry both counts are one
        self.broken = broken
        """The way in which symmetry is broken, which determines the orbits that the search meets."""
        self._limit = limit
        self._keep = keep
        if not keep:
            report.repeats = None
        self._holding: NDArray[Any] = np.zeros(question.key.size if marginals else 0, dtype=np.int64)
        """For each literal number, the solutions so far that hold it; empty unless marginals are asked for."""
        self._named = [question.key.position[label] for label in question.puzzle.named]
        self._over_named: set[tuple[int, ...]] = set()
        """The values of the variables with names in the solutions so far."""
        self._expected = 0
        """Solutions in the orbits so far."""
        self._stood_for = Fraction(0)
        """How many solutions follow from those that were met."""
        self._met: set[bytes] = set()  # solutions
        self._forms: set[bytes] = set()  # of orbits
        self._accepted: list[bytes] = []  # the images that are shown

    def in_order(self) -> list[Encoded]:
        """Return the least image of each orbit found so far, in ascending order.

        An image is a tuple of literal numbers.
        """
        return list(map(self.question.key.unpack, sorted(self._accepted)))

    def as_found(self, first: int) -> list[Encoded]:
        """Return the least image of each orbit, in the order in which the orbits were found.

        first: how many orbits to leave out at the start.
        """
        return list(map(self.question.key.unpack, self._accepted[first:]))

    @property
    def is_full(self) -> bool:
        """Tell whether as many solutions were found as the limit allows; False if there is no limit."""
        count = self.report.total if self._every else self.report.solutions
        return self._limit is not None and count >= self._limit

    def add(self, found: Rows) -> Iterator[Decoded | None]:
        """Check and count the solutions that a search found; yield one solution for each new orbit.

        found: the values of all variables in each solution, in the order of the model's proto; values of others may
        follow.

        Between solutions it yields None, so that the caller can look at the clock. It is a generator: solutions that
        are not reached because the caller stops iterating are neither checked nor counted.

        Raises `CheckError` if a solution violates a rule, has another objective value than the best one, or was met
        twice although that is impossible; `WrongSymmetryError` if an image of a solution is not a solution.
        """
        question, report = self.question, self.report
        rows = found[:, : len(question.model.proto.variables)]
        new, size, most = list[Orbit](), 0, TUNING.solutions_per_check
        begun: deque[Checking] = deque()
        encoded, violations = question.key.encode_rows(rows), question.verifier.evaluator.violations(rows)
        valid = (solution for solution, violated in zip(encoded, violations, strict=True) if not violated)
        orbits = self._orbits(valid)
        for values, solution, violated in zip(rows, encoded, violations, strict=True):
            if violated:
                raise CheckError(f"{report.backend} found {self._shown(solution)}, which violates {violated}")
            if question.has_objective:
                objective = question.verifier.evaluator.objective(values)
                if report.objective is None:
                    report.objective = objective
                    report.best = question.puzzle.best(objective) if question.puzzle.best else ""
                if objective != report.objective:
                    raise CheckError(
                        f"{report.backend} found {self._shown(solution)} with the value {objective}, but the best "
                        f"is {report.objective}"
                    )
            if orbit := next(orbits):
                new.append(orbit)
                size += len(orbit.images)
            if self.is_full or size >= most:
                begun.append(self._begin(new))  # while other processes work on these, those before are dealt with
                new, size = [], 0
                if len(begun) > 1 or not question.verifier.is_shared:
                    yield from self._accept(begun.popleft())
            if self.is_full:
                break
            yield None
        begun.append(self._begin(new))
        for checking in begun:
            yield from self._accept(checking)
        if not self._keep:
            self._met.clear()
            if self.broken.stands_for is None or question.group.order == 1:
                self._forms.clear()

    def _orbits(self, solutions: Iterable[Encoded]) -> Iterator[Orbit | None]:
        """Yield the orbit of each solution, or None if the orbit was met before.

        Count the visits in the report.
        """
        solutions, of_orbits = tee(solutions)
        told = self.question.group.orbits(of_orbits, self._forms)
        for solution, (form, orbit) in zip(solutions, told, strict=True):
            is_known = form in self._forms
            self._visit(solution, orbit, is_known)
            self._forms.add(form)
            if orbit and not is_known:
                self._expected += orbit.size
            yield None if is_known else orbit

    def _visit(self, solution: Encoded, orbit: Orbit | None, is_known: bool) -> None:
        """Count one solution that the search met, and the solutions that follow from it by symmetry.

        orbit: its orbit, or None if that was met before and need not be listed. is_known: whether the orbit was met
        before. A solution that was met before counts as a repeat.

        Raises `CheckError` if the solution was met before and the run keeps no solutions, so that other repeats may go
        unseen; or if an image of it was met before although the search should meet only one solution of each orbit.
        """
        report, digest, stands_for = self.report, self.question.key.digest(solution), self.broken.stands_for
        if digest in self._met:
            if report.repeats is None:
                raise CheckError(f"{self._shown(solution)} was found twice; leave out --count-only")
            report.repeats += 1
            return
        if stands_for is None and is_known:
            raise CheckError(f"{self._shown(solution)} was found, and so was a symmetric image of it")
        self._met.add(digest)
        assert report.met is not None
        report.met += 1
        if self._every:
            report.total += 1
        if stands_for:
            self._stood_for += stands_for(solution)
        elif orbit:
            self._stood_for += orbit.size

    def _accept(self, checking: Checking) -> Iterator[Decoded | None]:
        """Wait until the images of new orbits are checked, then count the orbits, until the limit is reached.

        Yields the least image of each orbit, decoded, and None in between. Raises `WrongSymmetryError`,
        `WrongCheckError` or `CheckError` at the first image that violates a rule.
        """
        yield from self._end(checking)
        question, report = self.question, self.report
        for orbit in checking.orbits:
            _, images, size = orbit
            if self.is_full and not self._every:
                return
            if self._keep:
                self._accepted.append(question.key.pack(images[0]))
            if len(self._holding):
                self._holding = self._holding + question.group.holding(orbit)
            if self._named and len(images) == size:
                self._over_named.update(map(self._of_named, images))
                report.over_named = len(self._over_named)
            report.solutions += 1
            report.total += 0 if self._every else size
            report.checked += len(images)
            shown = question.key.decode(images[0])
            if (of := question.puzzle.feature) and question.group.most_images == question.group.order:
                # Symmetries that were found may carry a solution to one with another.
                features = set()
                for image in images:
                    features.add(str(of(question.key.decode(image))))
                    yield None
                feature = " or ".join(sorted(features))
                report.features[feature] = report.features.get(feature, 0) + 1
            yield shown

    def _of_named(self, solution: Encoded) -> tuple[int, ...]:
        """Return the values of the variables that have names in a solution."""
        values = self.question.key.values(solution)
        return tuple(values[position] for position in self._named)

    def count_what_was_met(self) -> None:
        """Raise the counts of a run that was ended to the solutions that were met, as lower bounds.

        Some of them may not be checked yet; the report says how many were.
        """
        report = self.report
        report.total = max(report.total, report.met or 0)
        if self.question.group.order == 1:
            report.solutions = report.total

    def _begin(self, orbits: Collection[Orbit]) -> Checking:
        """Start to check every image of every orbit against the model's constraints.

        Returns the running check.
        """
        images = [image for orbit in orbits for image in orbit.images]
        return Checking(orbits, self.question.verifier.begin(images, self.report.objective))

    def _end(self, checking: Checking) -> Iterator[None]:
        """Wait for a running check, then check the images against the puzzle's ``is_solution``.

        Yields None after each image. Raises `WrongSymmetryError`, `WrongCheckError` or `CheckError` at the first image
        that violates a rule.
        """
        question = self.question
        images = ((image, orbit) for orbit in checking.orbits for image in orbit.images)
        for (image, orbit), flaw in zip(images, checking.flaws(), strict=True):
            if flaw is None and question.puzzle.is_solution:
                flaw = None if question.puzzle.is_solution(question.key.decode(image)) else "is_solution"
            if flaw:
                self._blame(image, orbit, flaw)
            yield None

    def marginals(self) -> list[int]:
        """Count the solutions so far that hold each literal; entry n of the list is for literal number n.

        The entry is 0 for a literal that says that a Boolean is 0; its count follows from that of the Boolean's other
        literal. The list is empty unless the collector was made with ``marginals``.
        """
        counts: list[int] = self._holding.tolist()
        return counts

    def sample(self, count: int, seed: int) -> Iterator[Encoded | None]:
        """Draw ``count`` solutions uniformly at random, with repetition; none if no solution was found.

        seed: the seed of the random numbers. Yields None now and then before the first sample, so that the caller can
        look at the clock.
        """
        orbits, group = self.in_order(), self.question.group
        ends: list[int] = []
        for orbit in orbits:
            ends.append(group.orbit_size(orbit) + (ends[-1] if ends else 0))
            yield None
        rng = random.Random(seed)
        for _ in range(count if orbits else 0):
            rank = rng.randrange(ends[-1])
            place = bisect_right(ends, rank)
            yield group.drawn(orbits[place], rank - ends[place], rng)

    def check(self, solutions: Collection[Encoded]) -> Iterator[None]:
        """Check solutions against the model's constraints and the puzzle's rules.

        It is meant for solutions that no search found, such as samples that a count has drawn. Each different solution
        is checked once. Yields None after each of them, so that the caller can look at the clock.

        Raises `CheckError` if one violates a constraint of the model, `WrongCheckError` if the puzzle's own check
        refuses it.
        """
        distinct = sorted(set(solutions))
        most = TUNING.solutions_per_check
        for start in range(0, len(distinct), most):
            some = distinct[start : start + most]
            yield from self._end(self._begin([Orbit(solution, [solution], 1) for solution in some]))
        self.report.checked += len(distinct)

    def _blame(self, image: Encoded, orbit: Orbit, violated: str) -> None:
        """Raise the error for an image of a solution that is not itself a solution; the method never returns.

        orbit: the orbit of the solution. violated: the rule that the image violates, "is_solution" for the puzzle's own
        check.

        Raises `WrongCheckError` or `CheckError` if the image is the very solution that the search met, else
        `WrongSymmetryError` with the names of the symmetries at fault.
        """
        if image == orbit.met:
            kind = WrongCheckError if violated == "is_solution" else CheckError
            raise kind(f"{self._shown(image)} solves the model, but violates {violated}")
        names = self.question.group.blame(orbit.images, image)
        raise WrongSymmetryError(names, f"carries solutions to {self._shown(image)}, which violates {violated}")

    def finish(self) -> None:
        """Check the counts after the whole space was searched.

        The number of solutions that follow from those that were met has to equal the sum of the sizes of their orbits.
        If the search met each solution, this also shows that the symmetries map solutions to solutions.

        Raises `CheckError` if the numbers differ although the symmetries are proved, `WrongSymmetryError` if they are
        not.
        """
        if self._expected != self._stood_for:
            sentence = (
                f"{self.report.met} solutions were found, from which {self._stood_for} follow, but with their images "
                f"they are {self._expected}"
            )
            if self.report.symmetry_proved:
                raise CheckError(sentence)
            raise WrongSymmetryError(
                self.question.group.names, f"carries a solution to something that is not one: {sentence}"
            )

    def _shown(self, solution: Encoded) -> str:
        """Return a solution as the text of its dictionary from labels to values, for messages."""
        return str(dict(self.question.key.decode(solution)))
