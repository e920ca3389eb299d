"""Redundant constraints: are they implied, and what do they give each backend?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from tabulate import tabulate

from models.puzzle import Puzzle
from solvers.backends.registry import extension_backend
from solvers.base.backend_rows import available_backends
from solvers.base.deadline import Deadline
from solvers.base.errors import InputError, Stopped
from solvers.extras.audits.reading.orbits import Lister, are_extendable, solution_text
from solvers.files.solutions import as_json
from solvers.model.reading import has_objective
from solvers.model.writing import drop_objective
from solvers.running.stated import model_and_variables
from solvers.show.plain import amounts
from solvers.symmetry.key import Decoded

GAIN_SECONDS = 10.0
"""Seconds for which each backend searches with a redundant constraint, and without it, if time allows."""

SHORTEST_GAIN = 0.05
"""Seconds for the same at least."""


@dataclass
class Gain:
    """A backend's search with a redundant constraint, and without it."""

    backend: str
    with_it: Mapping[str, Any]
    """Figures of the search with the constraint: `complete`, `solutions`, `seconds`, and the backend's own in
    `search`.
    """
    without: Mapping[str, Any]
    """The same figures of the search without it."""

    def as_json(self) -> dict[str, Any]:
        """Return the backend's name and both sets of figures for the JSON object."""
        return {"backend": self.backend, "with": self.with_it, "without": self.without}


@dataclass
class Implied:
    """The verdict on a redundant constraint."""

    constraint: str
    is_implied: bool | None
    """Whether the rules imply it, without the symmetry breakings; None if not known."""
    removed: str = ""
    """A solution of the rules that it removes, as it is shown."""
    removed_literals: str = ""
    """The same in the form of files of solutions."""
    after_breaking: bool | None = None
    """Whether the rules and the symmetry breakings together imply it, where the rules alone do not."""
    gains: list[Gain] = field(default_factory=list)

    @property
    def is_harmless(self) -> bool | None:
        """Tell whether the model, symmetry breakings included, has the same solutions without the constraint.

        A constraint that the rules imply is harmless; one that they do not imply may be, if it only removes solutions
        that the symmetry breakings remove, too. The result is None if that is not known.
        """
        if self.is_implied is False and self.after_breaking is not None:
            return self.after_breaking
        return self.is_implied

    @property
    def is_complete(self) -> bool:
        """Tell whether it is known if the rules imply the constraint."""
        return self.is_implied is not None

    def as_json(self) -> dict[str, Any]:
        """Return this verdict's part of the JSON object that the command prints."""
        return {
            "constraint": self.constraint,
            "implied": self.is_implied,
            "removed": self.removed_literals,
            "implied_after_breaking": self.after_breaking,
            "gains": [gain.as_json() for gain in self.gains],
        }

    def __str__(self) -> str:
        """Return the verdict as text, with a removed solution if there is one, and the table of gains."""
        if self.is_implied is None:
            text = "not known: no solution that it removes was found in time"
        elif self.is_implied:
            text = "implied: it removes no solution"
        else:
            also = (
                ", but only solutions that the symmetry-breaking constraints remove, too" if self.after_breaking else ""
            )
            text = "\n".join(
                [f"not implied: it removes a solution{also}", *(f"  {line}" for line in self.removed.splitlines())]
            )
        return f"{text}\n\n{self._gains_table()}" if self.gains else text

    def _gains_table(self) -> str:
        """Return the table of the backends' searches with and without the constraint, as text."""
        rows = []
        for gain in self.gains:
            for name, figures in (("with", gain.with_it), ("without", gain.without)):
                is_complete = "yes" if figures["complete"] else "no"
                rows.append((gain.backend, name, is_complete, f"{figures['seconds']:.2f}", amounts(figures["search"])))
        return tabulate(rows, ("backend", "it", "complete", "seconds", "search"), disable_numparse=True)


class Posed(NamedTuple):
    """The models for a search for solutions that a constraint removes.

    They are without it, with it, and with it violated.
    """

    rules: Puzzle
    with_it: Puzzle
    violating: Puzzle
    """The rules, with the constraint violated where that can be said; at least all solutions that it removes."""

    def find_removed_solution(self, lister: Lister, stop: Deadline) -> tuple[Decoded | None, bool]:
        """Search for a solution of the rules that the constraint removes.

        Solutions of ``violating`` are listed. As the constraint may be violated only with these values of hidden
        variables, a backend looks for a solution with the same key of the model with the constraint; if there is none,
        it is removed.

        Returns (the solution, False) if there is one, (None, True) if there is certainly none, and (None, False) if the
        search was stopped. Raises `InputError` if a model is invalid, or no backend takes it. lister: starts the
        listings. stop: ends the search when set.
        """
        model, variables = model_and_variables(self.with_it)
        try:
            backend = extension_backend(_without_objective(model), [*variables.values()], stop)
            violating_model, _ = model_and_variables(self.violating)
            listing = lister.list_all(replace(self.violating, model=_without_objective(violating_model)), stop)
            for solution in listing:
                if not all(are_extendable(backend, variables, [solution])):
                    listing.run.dismiss()
                    return solution, False
        except Stopped:
            return None, False
        return None, listing.is_complete


def judge_redundant(name: str, alone: Posed, broken: Posed | None, lister: Lister, stop: Deadline) -> Implied:
    """Judge a redundant constraint by a search for a solution that it removes; return the verdict.

    name: the name of the constraint. alone: the search among solutions of the rules without symmetry breakings. broken:
    the same search with the symmetry breakings, which is made only if the first one finds a solution; None if there are
    no symmetry breakings. If the time is over before the end, the verdict is not known. Raises `InputError` if a model
    is invalid, or no backend takes it. lister: starts the listings. stop: ends the work when set.
    """
    removed, is_none = alone.find_removed_solution(lister, stop)  # is_none: it is certain that there is none
    result = Implied(name, _verdict(removed, is_none))
    if removed is not None:
        result.removed = solution_text(alone.rules, removed)
        result.removed_literals = as_json(removed)
        if broken:
            removed, is_none = broken.find_removed_solution(lister, stop)
            result.after_breaking = _verdict(removed, is_none)
    return result


def _verdict(removed: Decoded | None, is_none: bool) -> bool | None:
    """Return True if nothing is removed, False if ``removed`` is a solution, None if it is not known.

    is_none: whether it is certain that no solution is removed.
    """
    if is_none:
        return True
    return None if removed is None else False


def _without_objective(model: Any) -> Any:
    """Return the model without its objective, so that solutions of every value count."""
    if not has_objective(model):
        return model
    plain = model.clone()
    drop_objective(plain.proto)
    return plain


def gains(with_it: Puzzle, without: Puzzle, lister: Lister, stop: Deadline) -> list[Gain]:
    """Search the models with and without a constraint on each backend that takes both; return the figures of each.

    with_it, without: the two models. lister: gives the options of the searches. stop: ends the searches when set; the
    time until then is shared among the two searches of each backend, at most `GAIN_SECONDS` for one, and figures of
    searches that it ends are not complete.
    """
    gains_found, backends = [], available_backends()
    for number, backend in enumerate(backends):
        seconds = min(GAIN_SECONDS, max(SHORTEST_GAIN, stop.left / (2 * (len(backends) - number))))
        try:
            figures = [_figures(puzzle, backend, lister, stop, seconds) for puzzle in (with_it, without)]
        except InputError:  # it does not take the model
            continue
        gains_found.append(Gain(backend, *figures))
    return gains_found


def _figures(puzzle: Puzzle, backend: str, lister: Lister, stop: Deadline, seconds: float) -> dict[str, Any]:
    """List all solutions of a puzzle for at most so many seconds with one process.

    backend: the name of the solver. lister: gives the other options. stop: ends the listing when set. Returns the
    figures that `Gain` describes.
    """
    listing = lister.list_all(puzzle, stop, backend=backend, time_limit=seconds, jobs=1)
    solutions = sum(1 for _ in listing)
    report = listing.run.report
    return {
        "complete": report.complete,
        "solutions": solutions,
        "seconds": report.seconds["all"] or 0.0,
        "search": dict(report.statistics),
    }
