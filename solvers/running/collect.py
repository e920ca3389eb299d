"""Collect what a search finds: check it, count it, keep one solution of each orbit."""

from __future__ import annotations

import random
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import islice, tee
from typing import Any, NamedTuple

import numpy as np

from solvers.cubes.fixing import Cases
from solvers.errors import CheckError, WrongCheckError, WrongSymmetryError
from solvers.running.hashes import Hashes, hashed
from solvers.running.question import Question
from solvers.running.verify import BATCH, Flaws
from solvers.show.report import Report
from solvers.symmetry.breaking import Broken
from solvers.symmetry.key import Decoded, Encoded
from solvers.symmetry.large_group import LargeGroup

AT_ONCE = 256
"""Solutions whose orbits are told at once where the group is not listed."""


class Orbit(NamedTuple):
    """Solutions that are images of each other."""

    met: Encoded
    """The one that the search found."""
    images: Sequence[Encoded]
    """Those that are checked, the one that is shown first: all of them, under a group that is listed."""
    size: int
    """How many there are."""


class Checking(NamedTuple):
    """Orbits whose images are being checked."""

    orbits: Collection[Orbit]
    flaws: Callable[[], Flaws]
    """Waits for what the images violate of the model."""


class Collector:
    """Takes what is found and keeps the report.

    How an orbit is met depends on the search: ``broken`` says with which of its members. ``every``: each member that is
    met counts, where else those that an orbit has count once it is accepted.

    Where solutions are only counted, not kept (``keep``), an orbit that is met with several of its members is counted
    with the least of these. Then repeats go unseen, unless they come close behind each other.
    """

    def __init__(
        self,
        question: Question,
        report: Report,
        *,
        every: bool,
        broken: Broken,
        cases: Cases | None = None,
        limit: int | None,
        keep: bool = True,
        marginals: bool = False,
    ) -> None:
        self.question = question
        self.report = report
        self._every = every
        self.broken = broken
        """How the search meets orbits."""
        self._limit = limit
        self._keep = keep
        self._cases = cases
        self._stood_for = Fraction(0)
        if not keep and question.group.is_listed:
            report.repeats = None
        of_any_size = np.int64 if question.group.is_listed else object
        self._holding = np.zeros(question.key.size if marginals else 0, dtype=of_any_size)
        self._expected = 0
        """Members of the orbits so far that the search has to meet; all of them, where the group is not listed."""
        self._met: dict[bytes, int] = {}  # of each orbit, by its least member: a bit for each member that was met
        self._forms = Hashes()  # of orbits
        self._met_by_form = Hashes()  # of solutions
        self._accepted: list[bytes] = []  # the images that are shown

    def in_order(self) -> list[Encoded]:
        """The images that all orbits so far are shown by, in key order."""
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

    def _orbits(self, solutions: Iterable[Encoded]) -> Iterator[Orbit | None]:
        """The orbit of each solution; None if it was met before. Counts visits."""
        group = self.question.group
        if isinstance(group, LargeGroup):
            yield from self._orbits_by_form(group, iter(solutions))
            return
        solutions, of_images = tee(solutions)
        for solution, images in zip(solutions, group.orbits(of_images), strict=True):
            yield Orbit(solution, images, len(images)) if self._is_new(solution, images) else None

    def _orbits_by_form(self, group: LargeGroup, solutions: Iterator[Encoded]) -> Iterator[Orbit | None]:
        while some := list(islice(solutions, AT_ONCE)):
            forms = list(group.forms(some))
            first = dict(zip(reversed(forms), reversed(some), strict=True))
            new = [(form, solution) for form, solution in first.items() if form not in self._forms]
            shown = dict(zip((form for form, _ in new), group.shown([s for _, s in new]), strict=True))
            for solution, form in zip(some, forms, strict=True):
                self._visit(solution)
                if not self._forms.add(form):
                    yield None
                else:
                    image, size = shown[form]
                    self._expected += size
                    yield Orbit(solution, [image, solution] if image != solution else [image], size)

    def _visit(self, solution: Encoded) -> None:
        """Count a solution under a group that is not listed."""
        report = self.report
        if not self._met_by_form.add(hashed(self.question.key.pack(solution))):
            assert report.repeats is not None
            report.repeats += 1
            return
        self._count_visit()
        if self._cases:
            self._stood_for += self._cases.weight(solution)

    def _count_visit(self) -> None:
        assert self.report.met is not None
        self.report.met += 1
        if self._every:
            self.report.total += 1

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
        self._count_visit()
        if self._keep and met and self.broken.members:
            return False
        members = self.broken.members(images) if self.broken.members else [solution]
        if met and not self.broken.members:
            image = images[met.bit_length() - 1]
            raise CheckError(f"{self._shown(solution)} was found besides its image {self._shown(image)}")
        if not self._keep and solution != members[0]:
            return False
        self._expected += len(members)
        return True

    def _accept(self, checking: Checking) -> Iterator[Decoded | None]:
        """Count orbits that are new, once they are checked, until the limit is reached."""
        yield from self._end(checking)
        question, report = self.question, self.report
        for _, images, size in checking.orbits:
            if self.is_full and not self._every:
                return
            if self._keep:
                self._accepted.append(question.key.pack(images[0]))
            if len(self._holding):
                self._holding += question.group.holding(images)
            report.solutions += 1
            report.total += 0 if self._every else size
            report.checked += len(images)
            shown = question.key.decode(images[0])
            if (of := question.puzzle.feature) and question.group.is_listed:
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
            ends.append(group.orbit_size(orbit) + (ends[-1] if ends else 0))
            yield None
        rng = random.Random(seed)
        for _ in range(count if orbits else 0):
            rank = rng.randrange(ends[-1])
            place = bisect_right(ends, rank)
            yield group.drawn(orbits[place], rank - ends[place], rng)

    def check(self, solutions: Collection[Encoded]) -> Iterator[None]:
        """Hold solutions that no search has found one by one against the model's constraints and the puzzle's rules."""
        distinct = sorted(set(solutions))
        for start in range(0, len(distinct), BATCH):
            yield from self._end(
                self._begin([Orbit(solution, [solution], 1) for solution in distinct[start : start + BATCH]])
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
        """What has to hold once the whole space was searched: of each orbit those members were met that are to be.

        If these are all, the symmetries are such of the solutions.
        """
        if self._cases and self._expected != self._stood_for:
            raise CheckError(
                f"the orbits that were met have {self._expected} solutions, but from the cases that were searched "
                f"{self._stood_for} follow"
            )
        if not self._cases and self._expected != (self.report.met or 0):
            sentence = f"{self.report.met} solutions were found, but with their images they are {self._expected}"
            if self.report.symmetry_proved:
                raise CheckError(sentence)
            raise WrongSymmetryError(self.question.group.names, f"carries solutions to what is none: {sentence}")

    def _shown(self, solution: Encoded) -> str:
        return str(dict(self.question.key.decode(solution)))
