"""The verdicts of an audit: what is known of each marked constraint, as text and as JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from models.puzzle import Puzzle
from solvers.base.endings import DONE, INCOMPLETE, NO
from solvers.extras.audits.proofs.known import Claim
from solvers.extras.audits.proofs.leaders import FirstKept
from solvers.extras.audits.proofs.other_data import agree
from solvers.extras.audits.reading.orbits import Orbits, checksum_of
from solvers.extras.audits.reading.redundant import Implied
from solvers.extras.questions.invent.ask import Answer
from solvers.show.plain import json_value, number_with_unit
from solvers.show.printable import printable
from solvers.show.versions import source_checksum, versions

COMPLETE, PARTIAL, LOSSY = "complete", "partial", "lossy"
UNEXPLAINED, UNKNOWN = "not explained by the symmetries found", "not known"
"""The verdicts on a symmetry breaking."""

MOST_GENERATORS = 12
"""The most symmetries that are described."""

MOST_LABELS = 6
"""The most variables that are named."""

FIRM = (COMPLETE, PARTIAL, LOSSY)
"""The verdicts that are known."""


class Under(NamedTuple):
    """A verdict on a symmetry breaking that loses no solution, under the whole group of the solutions."""

    verdict: str
    order: int
    """The number of elements of the group."""
    orbits: int

    def __str__(self) -> str:
        """Return the verdict as a sentence."""
        return (
            f"{self.verdict} under the whole group of the solutions: {number_with_unit(self.orbits, 'orbits')}, "
            f"{number_with_unit(self.order, 'elements')}; some of its symmetries may be chance, which larger data show"
        )


@dataclass
class Judgement:
    """The verdict on one symmetry breaking, or on all of a model together."""

    constraints: list[str]
    verdict: str
    group: str
    """The group of symmetries that judges the constraint: said, joined, found, declared, seen or whole."""
    order: int | None
    orbits: int
    """The number of orbits of the solutions under this group, among the solutions that were seen."""
    hit: int
    """The number of these orbits that keep at least one solution."""
    kept: int
    """The number of solutions that are kept, among those that were listed."""
    is_complete: bool
    lost: str = ""
    """A solution of an orbit that is lost as a whole, as text."""
    lost_literals: str = ""
    """The same solution in the format of files of solutions."""
    breaks: list[str] = field(default_factory=list)
    """Symmetries of the group, in words, that map a solution that is kept to one that is not."""
    explained_by_whole: int | None = None
    """The order of the whole group if only that group, and not the symmetries that were found, explains the result."""
    under_whole: Under | None = None
    """The verdict under the whole group, if that has fewer orbits than the symmetries that gave the verdict."""
    explained_on: list[str] = field(default_factory=list)
    """The variables that tell solutions apart for that whole group, if they are not those of the key."""
    at: str = ""
    """The data with which solutions are lost, if they are not those of the audit."""
    proof: FirstKept | None = None
    """The proof of the verdict, if it does without a list of the solutions."""
    with_found: Judgement | None = None
    """If the verdict is that under the symmetries said alone: the one under those found, said or seen."""

    @property
    def is_settled(self) -> bool:
        """Tell whether the search finished, or the verdict is proved without it."""
        return self.is_complete or self.proof is not None

    @property
    def average(self) -> float | None:
        """The mean number of kept solutions per orbit that keeps any.

        The value is None if not all kept solutions were listed, or if no orbit keeps one.
        """
        return self.kept / self.hit if self.is_complete and self.hit else None

    def as_json(self) -> dict[str, Any]:
        """Return this verdict's part of the JSON object that the command prints."""
        return {
            "constraints": self.constraints,
            "verdict": self.verdict,
            "group": self.group,
            "order": self.order,
            "orbits": self.orbits,
            "hit": self.hit,
            "kept": self.kept,
            "average": self.average,
            "complete": self.is_complete,
            "lost": self.lost_literals,
            "breaks": self.breaks,
            "explained_by_whole": self.explained_by_whole,
            "under_whole": self.under_whole._asdict() if self.under_whole else None,
            "explained_on": self.explained_on,
            "at": self.at,
            "proof": self.proof._asdict() if self.proof else None,
            "with_found": self.with_found.as_json() if self.with_found else None,
        }

    def __str__(self) -> str:
        """Return the verdict as text, with the numbers of orbits and, for a loss, a lost solution.

        If it is the verdict under the symmetries said alone, the one under those found follows where it differs.
        """
        text = self._verdict_text()
        joined = self.with_found
        if joined and (joined.verdict, joined.orbits) != (self.verdict, self.orbits):
            text += f"\nwith the symmetries found, besides: {joined}"
        return f"{text}\n{self.under_whole}" if self.under_whole else text

    def _verdict_text(self) -> str:
        """Return the verdict as text, under the group of symmetries that judges the constraint.

        A verdict that loses solutions, certainly or perhaps, has an example, the symmetries that the constraint breaks,
        and what may explain the loss.
        """
        if self.proof:
            return self._proof_text(self.proof)
        elements = "" if self.order is None else f", {number_with_unit(self.order, 'elements')}"
        orbits_text = f"{number_with_unit(self.orbits, 'orbits')} under {_GROUPS[self.group]}{elements}"
        if self.verdict == COMPLETE and self.order == 1:  # each orbit is one solution
            solutions = number_with_unit(self.orbits, "solutions")
            return f"complete: it removes none of {solutions}; no symmetry was {self.group}"
        if self.verdict == COMPLETE:
            is_sure = not self.under_whole or self.under_whole.verdict == COMPLETE
            only = "" if is_sure else f", but only under {_GROUPS[self.group]}"
            return f"complete{only}: it keeps just one solution of each orbit ({orbits_text})"
        if self.verdict == PARTIAL:
            average = "" if self.average is None else f", {self.average:.2f} on average"
            return f"partial: it keeps some solutions of each orbit{average} ({orbits_text})"
        if self.verdict == UNKNOWN and self.orbits:
            seen = f"{number_with_unit(self.orbits, 'orbits')} seen, under {_GROUPS[self.group]}{elements}"
            return f"not known: no loss among the {seen}"
        if self.verdict == UNKNOWN and self.with_found:
            return f"not known under {_GROUPS[self.group]}: not all solutions could be listed"
        if self.verdict == UNKNOWN:
            return "not known: no solution was seen"
        with_data = f" with {self.at}" if self.at else ""
        # Only lossy and unexplained verdicts are left.
        lines = [
            f"{self.verdict}{with_data}: it keeps no solution of {self.orbits - self.hit} of {orbits_text}, such as"
        ]
        lines += [f"  {line}" for line in self.lost.splitlines()]
        if self.breaks:
            lines.append("it does not treat alike what these symmetries exchange")
            lines += [f"  {words}" for words in self.breaks]
        names = ", ".join(self.explained_on[:MOST_LABELS]) + (", ..." if len(self.explained_on) > MOST_LABELS else "")
        by_names = f", told apart by {names}," if names else ""
        if self.explained_by_whole is not None:
            lines.append(
                f"the whole group of the solutions{by_names} has {self.explained_by_whole} "
                "elements and would explain it; with so few solutions, that may be chance"
            )
        elif names:
            lines.append(
                f"it involves {names}; time ran out before it was known whether symmetries of these explain the verdict"
            )
        return "\n".join(lines)

    def _proof_text(self, proof: FirstKept) -> str:
        """Return a verdict that is proved without a list of the solutions, as text.

        A proof says that the first solution of each orbit, in some order, is kept, and whether others are.
        """
        if self.order == 1:
            return f"{self.verdict}: it removes no solution; no symmetry was {self.group} (proved without a list)"
        group_text = f"{_GROUPS[self.group]}, {number_with_unit(self.order or 0, 'elements')}"
        keeps = {
            True: "just the first solution of each orbit",
            False: "the first solution of each orbit, and of some orbits others, too",
            None: "at least the first solution of each orbit",
        }[proof.keeps_one]
        return f"{self.verdict}: it keeps {keeps} ({group_text})\nproved without a list: first by {proof.order}"


_GROUPS = {
    "found": "the symmetries found",
    "declared": "the symmetries declared",
    "said": "the symmetries said",
    "joined": "the symmetries found, said or seen",
    "seen": "the symmetries found or seen",
    "whole": "the whole group of the solutions",
}


class Firm(NamedTuple):
    """A verdict on all symmetry breakings together that is known."""

    verdict: str
    at: str
    """The data of which it is known; empty for the data as they are."""
    cut: list[str]
    """The names of arrays and sets of data that were cut to it."""
    next_agrees: bool | None
    """Whether all verdicts are the same with the next smaller data; False if there are none, None without `at`."""


@dataclass
class Audit(Answer):
    """The verdicts on a model's marked constraints."""

    name: str
    parameters: Mapping[str, object]
    symmetry: str
    """The source of the symmetries: found or declared."""
    orbits: Orbits
    whole: Callable[[], Puzzle]
    """Declares the model with all marked constraints."""
    generators: list[str]
    """The symmetries in words."""
    lines: list[Claim] = field(default_factory=list)
    """The symmetries that were said, or seen at two sizes of the data."""
    breaking: list[Judgement] = field(default_factory=list)
    together: Judgement | None = None
    """The verdict on all symmetry breakings together, if they are several."""
    redundant: list[Implied] = field(default_factory=list)
    smaller: dict[str, Audit] = field(default_factory=dict)
    """If a verdict is not known: the audits with smaller data whose verdicts are, by the data, the smallest first."""
    cut: Sequence[str] = ()
    """The names of arrays and sets of data that were cut to smaller sizes."""
    seconds: float = 0.0

    @property
    def is_firm(self) -> bool:
        """Tell whether every verdict on a symmetry breaking is known."""
        return all(judged.verdict in FIRM for judged in self.judged)

    @property
    def verdicts(self) -> list[str]:
        """The verdict on each symmetry breaking and, if there are several, on all together."""
        return [judged.verdict for judged in self.judged]

    @property
    def firm(self) -> Firm | None:
        """The verdict that is known, with the data as they are or with smaller ones; None if there is none.

        Of the smaller data, the largest decide. A loss with smaller data counts only if the whole group of the
        solutions does not explain the constraint with the data as they are: data that were cut may have lost their
        symmetry.
        """
        if self.judged and self.is_firm:
            return Firm(self.verdict, at="", cut=[], next_agrees=None)
        if not self.smaller:
            return None
        size, largest = [*self.smaller.items()][-1]
        if largest.verdict == LOSSY and self._is_explained:
            return None
        return Firm(
            largest.verdict, size, [*largest.cut], agree(self.smaller)
        )  # do the two largest have equal verdicts?

    @property
    def _is_explained(self) -> bool:
        """Tell whether, with the data as they are, the whole group of the solutions would explain the constraints."""
        return self.verdict == UNEXPLAINED and bool(self.judged[-1].explained_by_whole)

    @property
    def has_ended(self) -> bool:
        """Tell whether more time would change no verdict, be it that some stay open."""
        return all(judged.verdict != UNKNOWN for judged in self.judged)

    @property
    def is_listed(self) -> bool:
        """Tell whether all solutions without the marked constraints are known."""
        return self.orbits.is_complete

    @property
    def is_idle(self) -> bool:
        """Tell whether there is certainly nothing to break: at most one solution, or none that the marks remove."""
        on_all = self.judged[-1:]  # the verdict on all symmetry breakings together
        keeps_all = any(judged.is_complete and judged.kept == self.orbits.total for judged in on_all)
        return self.is_listed and (self.orbits.total < 2 or keeps_all)

    @property
    def verdict(self) -> str:
        """The verdict on all symmetry breakings together; empty if the model marks no symmetry breaking."""
        last = self.together or next(iter(self.breaking), None)
        return last.verdict if last else ""

    @property
    def code(self) -> int:  # type: ignore[override]
        """The exit code of the command.

        The code is `NO` if solutions are lost, a redundant constraint is not implied or a symmetry that was said is
        none; `INCOMPLETE` if that is not known, otherwise `DONE`. A redundant constraint that removes only what the
        symmetry breakings remove, too, is harmless.
        """
        verdicts = {judged.verdict for judged in self.judged}
        # True, False or None, for not known, of each line and of each redundant constraint.
        answers = [line.is_symmetry for line in self.lines] + [constraint.is_harmless for constraint in self.redundant]
        if LOSSY in verdicts or False in answers:
            return NO
        if verdicts & {UNEXPLAINED, UNKNOWN} or None in answers:
            return INCOMPLETE
        return DONE

    @property
    def is_complete(self) -> bool:  # type: ignore[override]
        """Tell whether every search finished."""
        is_proved = all(mark.proof for mark in self.judged)
        judged = all(mark.is_settled for mark in self.judged) and (self.orbits.is_complete or is_proved)
        return judged and all(constraint.is_complete for constraint in self.redundant)

    @property
    def judged(self) -> list[Judgement]:
        """The verdicts on single symmetry breakings.

        If there are several, the verdict on all of them together follows.
        """
        return [*self.breaking, *([self.together] if self.together else [])]

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object that the command prints, as a dictionary."""
        group = self.orbits.group
        return {
            "model": self.name,
            "parameters": {name: json_value(value) for name, value in self.parameters.items()},
            "symmetry": self.symmetry,
            "symmetries": group.order if group else None,
            "generators": self.generators,
            "lines": [line.as_json() for line in self.lines],
            "best": self.orbits.best,
            "solutions": self.orbits.total,
            "orbits": len(self.orbits.sizes),
            "breaking": [judgement.as_json() for judgement in self.breaking],
            "together": self.together.as_json() if self.together else None,
            "redundant": [constraint.as_json() for constraint in self.redundant],
            "verdict": self.verdict,
            "firm": self.firm._asdict() if self.firm else None,
            "smaller": {size: _short_json(audit) for size, audit in self.smaller.items()},
            "complete": self.is_complete,
            "seconds": self.seconds,
            "versions": versions(),
            "checksums": {"model": checksum_of(self.whole()), "kazoeru": source_checksum()},
        }

    def __str__(self) -> str:
        """Return the model's name, its parameters, and the verdict on each marked constraint, as text."""
        lines = [self.name]
        lines += [f"  {name} {json_value(value)}" for name, value in self.parameters.items()]
        if self.breaking:
            lines += self._space_lines()
        for judgement in self.breaking:
            lines += ["", *judgement.constraints, *(f"  {line}" for line in str(judgement).splitlines())]
        if self.together:
            lines += ["", "all of them together", *(f"  {line}" for line in str(self.together).splitlines())]
        for redundancy in self.redundant:
            lines += ["", redundancy.constraint, *(f"  {line}" for line in str(redundancy).splitlines())]
        lines += self._smaller_data_lines()
        if not self.is_complete and not self.smaller:
            lines += ["", smaller(self.parameters)]
        return "\n".join(map(printable, lines))

    def _smaller_data_lines(self) -> list[str]:
        """Return lines of text about the largest of the smaller data whose verdicts are known.

        ``smaller`` has the audits by a text that says the data, the smallest first.
        """
        if not self.smaller:
            return []
        size, largest = [*self.smaller.items()][-1]
        cut = f", with {_array_names_text(largest.cut)} cut to it" if largest.cut else ""
        lines = ["", f"with {size}{cut}, where every verdict is known:"]
        for judgement in largest.judged:
            name = "all of them together" if judgement is largest.together else ", ".join(judgement.constraints)
            lines += [f"  {name}", *(f"    {line}" for line in str(judgement).splitlines())]
        if largest.verdict == LOSSY and self._is_explained:
            lines.append("  this may come of the smaller data alone, as the whole group would explain it without")
        if len(self.smaller) == 1:
            lines.append("  no other smaller data gave a verdict")
        if len(self.smaller) > 1:
            lines.append(f"  the next smaller data {'agree' if agree(self.smaller) else 'do not agree'}")
            lines.append(
                "  by size: " + "; ".join(f"{size_text}: {audit.verdict}" for size_text, audit in self.smaller.items())
            )
        return lines

    def _space_lines(self) -> list[str]:
        """Return lines of text about the solutions without marked constraints, and about the symmetries.

        These are the generators of the group, and the lines that a person said or that were seen in the solutions.
        """
        orbits, group = self.orbits, self.orbits.group
        at_least = "" if orbits.is_complete else "at least "
        lines = [f"without the marked constraints: {at_least}{number_with_unit(orbits.total, 'solutions')}"]
        if not orbits.is_best_known:
            lines.append("the best value was not found, so nothing is known about the best solutions")
        elif orbits.best is not None:
            lines.append(f"only solutions of the best value, {orbits.best}, are looked at")
        if group and group.order > 1:
            origin = "found, and proved" if self.symmetry == "found" else "declared"
            lines.append(f"symmetries {origin}: {number_with_unit(group.order, 'elements')}, generated by")
            lines += [f"  {words}" for words in self.generators[:MOST_GENERATORS]]
            lines += [f"  and {len(self.generators) - MOST_GENERATORS} more"] * (len(self.generators) > MOST_GENERATORS)
        elif group:
            lines.append(f"no symmetry was {self.symmetry}")
        for heading, claims in (
            ("symmetries said", [claim for claim in self.lines if not claim.is_seen]),
            ("symmetries seen", [claim for claim in self.lines if claim.is_seen]),
        ):
            if claims:
                lines.append(heading)
            lines += [f"  {line}" for claim in claims for line in str(claim).splitlines()]
        return lines


def _array_names_text(names: Sequence[str]) -> str:
    """Return a text such as "the arrays v and w", with at most `MOST_LABELS` names."""
    more = [f"{len(names) - MOST_LABELS} more"] if len(names) > MOST_LABELS else []
    *first_names, last_name = [*names[:MOST_LABELS], *more]
    if not first_names:
        return f"the array {last_name}"
    return f"the arrays {', '.join(first_names)} and {last_name}"


def _short_json(audit: Audit) -> dict[str, Any]:
    """Return the part of the JSON object on an audit with smaller data: its verdicts and numbers, as a dictionary."""
    return {
        "verdict": audit.verdict,
        "cut": [*audit.cut],
        "best": audit.orbits.best,
        "solutions": audit.orbits.total,
        "breaking": [judged.as_json() for judged in audit.breaking],
        "together": audit.together.as_json() if audit.together else None,
    }


def smaller(parameters: Mapping[str, object]) -> str:
    """Return a sentence that proposes smaller data after a search that did not end.

    Each integer parameter greater than 1 is halved. Assignments "n=8" in a MiniZinc model's parameter "define" count as
    parameters, too.
    """
    halves = {name: value // 2 for name, value in parameters.items() if type(value) is int and value > 1}
    definitions = parameters.get("define")
    for definition in definitions if isinstance(definitions, Sequence) else ():
        if (match := re.fullmatch(r"(\w+)\s*=\s*(\d+)", definition)) and int(match[2]) > 1:
            halves[match[1]] = int(match[2]) // 2
    proposal = ", ".join(f"{name}={value}" for name, value in halves.items())
    return f"It did not finish; smaller data may{f', such as {proposal}' if proposal else ''}."
