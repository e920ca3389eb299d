"""Collect what a search finds: check it, count it, keep one solution of each orbit."""

from __future__ import annotations

import random
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from solvers.errors import CheckError, WrongCheckError, WrongSymmetryError
from solvers.running.question import Question
from solvers.running.verify import BATCH, Flaws
from solvers.show.report import Report
from solvers.symmetry.key import Decoded, Encoded

if TYPE_CHECKING:
    pass


class Orbit(NamedTuple):
    """Solutions that are images of each other."""

    met: Encoded
    """The one that the search found."""
    images: Sequence[Encoded]
    """All of them, the least first."""


class Checking(NamedTuple):
    """Orbits whose images are being checked."""

    orbits: Collection[Orbit]
    flaws: Callable[[], Flaws]
    """Waits for what the images violate of the model."""


class Collector:
    """Takes what is found and keeps the report.

    How an orbit is met depends on the search: once, if symmetry is broken; with each of its members if not. ``every``:
    each member that is met counts, where else those that an orbit has count once it is accepted.

    Where solutions are only counted, not kept (``keep``), an orbit that is met with each of its members is counted with
    the least. Then repeats go unseen, unless they come close behind each other.
    """

    def __init__(
        self,
        question: Question,
        report: Report,
        *,
        every: bool,
        is_broken: bool,
        limit: int | None,
        keep: bool = True,
        marginals: bool = False,
    ) -> None:
        self.question = question
        self.report = report
        self._every = every
        self.is_broken = is_broken
        """Whether the search meets one member of each orbit."""
        self._limit = limit
        self._keep = keep
        if not keep:
            report.repeats = None
        self._holding = np.zeros(question.key.size if marginals else 0, dtype=np.int64)
        self._members_of_orbits = 0
        self._visited = 0
        self._met: dict[bytes, int] = {}  # of each orbit, by its least member: a bit for each member that was met
        self._accepted: list[bytes] = []  # the least members

    def in_order(self) -> list[Encoded]:
        """The least images of all orbits so far, in key order."""
        return list(map(self.question.key.unpack, sorted(self._accepted)))

    def as_found(self, first: int) -> list[Encoded]:
        """The same in the order in which they were found, from that number on."""
        return list(map(self.question.key.unpack, self._accepted[first:]))

    @property
    def is_full(self) -> bool:
        """Whether the limit is reached."""
        count = self.report.total if self._every else self.report.solutions
        return self._limit is not None and count >= self._limit

    def add(self, found: Sequence[Any]) -> Iterator[Decoded | None]:
        """Check and count what was found; yields one solution for each orbit that is new, and None in between, so that
        who asks can look at the clock.

        What is not yet iterated over is neither checked nor counted.
        """
        question, report = self.question, self.report
        rows = np.stack([np.asarray(values)[: len(question.model.proto.variables)] for values in found])
        new, size = list[Orbit](), 0
        begun: deque[Checking] = deque()
        encoded, violations = question.key.encode_rows(rows), question.verifier.evaluator.violations(rows)
        valid = (solution for solution, violated in zip(encoded, violations, strict=True) if not violated)
        orbits = question.group.orbits(valid)
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
            images = next(orbits)
            if self._is_new(solution, images):
                new.append(Orbit(solution, images))
                size += len(images)
            if self.is_full or size >= BATCH:
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

    def _is_new(self, solution: Encoded, images: Sequence[Encoded]) -> bool:
        """Whether its orbit is met for the first time; counts visits."""
        least, member = self.question.key.pack(images[0]), 1 << bisect_left(images, solution)
        met = self._met.get(least, 0)
        self._met[least] = met | member
        if met & member:
            if self.report.repeats is None:
                raise CheckError(f"{self._shown(solution)} was found twice; such a model has to be counted by listing")
            self.report.repeats += 1
            return False
        self._visited += 1
        if self._every:
            self.report.total += 1
        if not self.is_broken:
            return not met if self._keep else solution == images[0]
        if met:
            image = images[met.bit_length() - 1]
            raise CheckError(f"{self._shown(solution)} was found besides its image {self._shown(image)}")
        return True

    def _accept(self, checking: Checking) -> Iterator[Decoded | None]:
        """Count orbits that are new, once they are checked, until the limit is reached."""
        yield from self._end(checking)
        question, report = self.question, self.report
        for _, images in checking.orbits:
            if self.is_full and not self._every:
                return
            if self._keep:
                self._accepted.append(question.key.pack(images[0]))
            if len(self._holding):
                literals = np.fromiter(chain.from_iterable(images), dtype=np.int64)
                self._holding += np.bincount(literals, minlength=len(self._holding))
            self._members_of_orbits += len(images)
            report.solutions += 1
            report.total += 0 if self._every else len(images)
            report.checked += len(images)
            shown = question.key.decode(images[0])
            if of := question.puzzle.feature:
                # Symmetries that were found may carry a solution to one with another.
                features = set()
                for image in images:
                    features.add(str(of(question.key.decode(image))))
                    yield None
                feature = " or ".join(sorted(features))
                report.features[feature] = report.features.get(feature, 0) + 1
            yield shown

    def _begin(self, orbits: Collection[Orbit]) -> Checking:
        """Begin to hold every image of every solution against the model's constraints."""
        images = [image for orbit in orbits for image in orbit.images]
        return Checking(orbits, self.question.verifier.begin(images, self.report.objective))

    def _end(self, checking: Checking) -> Iterator[None]:
        """See what came of it, and hold the images against the puzzle's rules."""
        question = self.question
        images = ((image, orbit) for orbit in checking.orbits for image in orbit.images)
        for (image, orbit), flaw in zip(images, checking.flaws(), strict=True):
            if flaw is None and question.puzzle.is_solution:
                flaw = None if question.puzzle.is_solution(question.key.decode(image)) else "is_solution"
            if flaw:
                self._blame(image, orbit, flaw)
            yield None

    def marginals(self) -> list[int]:
        """Of each literal, by its number, how many of all solutions so far hold it.

        Literals that say that a Boolean is 0 are not counted: they are what the others leave.
        """
        return self._holding.tolist()

    def sample(self, count: int, seed: int) -> Iterator[Encoded | None]:
        """So many of all solutions, if there is one, each drawn with the same chance; None in between."""
        orbits, group = self.in_order(), self.question.group
        ends: list[int] = []
        for orbit in orbits:
            ends.append(len(group.images(orbit)) + (ends[-1] if ends else 0))
            yield None
        rng = random.Random(seed)
        for _ in range(count if orbits else 0):
            rank = rng.randrange(ends[-1])
            place = bisect_right(ends, rank)
            yield group.images(orbits[place])[rank - ends[place]]

    def check(self, solutions: Collection[Encoded]) -> Iterator[None]:
        """Hold solutions that no search has found one by one against the model's constraints and the puzzle's rules."""
        distinct = sorted(set(solutions))
        for start in range(0, len(distinct), BATCH):
            yield from self._end(
                self._begin([Orbit(solution, [solution]) for solution in distinct[start : start + BATCH]])
            )
        self.report.checked += len(distinct)

    def _blame(self, image: Encoded, orbit: Orbit, violated: str) -> None:
        """Raise an error that says why the image of a solution is none."""
        if image == orbit.met:
            kind = WrongCheckError if violated == "is_solution" else CheckError
            raise kind(f"{self._shown(image)} solves the model, but violates {violated}")
        names = self.question.group.blame(orbit.images, image)
        raise WrongSymmetryError(names, f"carries solutions to {self._shown(image)}, which violates {violated}")

    def finish(self) -> None:
        """What has to hold once the whole space was searched: every member of an orbit was met where all are to be.

        Then the symmetries are such of the solutions.
        """
        if not self.is_broken and self._members_of_orbits != self._visited:
            sentence = f"{self._visited} solutions were found, but with their images they are {self._members_of_orbits}"
            if self.report.symmetry_proved:
                raise CheckError(sentence)
            raise WrongSymmetryError(self.question.group.names, f"carries solutions to what is none: {sentence}")

    def _shown(self, solution: Encoded) -> str:
        return str(dict(self.question.key.decode(solution)))
