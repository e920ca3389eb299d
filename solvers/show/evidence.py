"""The evidence for a count: who searched, what was checked, and who counted a second time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

SEARCHERS = {
    "cover": "our own search of exact covers",
    "cp-sat": "OR-Tools' CP-SAT",
    "cp": "OR-Tools' original constraint solver",
    "frontier": "our own count by layers",
    "d4": "D4",
    "ganak": "Ganak",
}
"""The names in words of backends, methods and counters; solvers of PySAT have names of their own."""

VERIFIED = "verified counter"
"""The name of the counter that is extracted from a proof."""

PROBABLE = "ganak"
"""The counter whose count is right with high probability only."""


@dataclass(frozen=True)
class SecondCount:
    """A count made in another way, which gave the same numbers as the first."""

    by: str
    """The solver or counter, and what it did in another way."""
    shared: Sequence[str]
    """The parts that both ways rest on: an error there would be in both counts."""
    probable: bool
    """Whether it may be wrong by itself, with a small probability."""


@dataclass(frozen=True)
class Evidence:
    """The facts that show why the counts of a run can be believed."""

    searched_by: str
    """The search or counter that went through the space; it is believed, unless something below confirms it."""
    checked: str
    """The number of solutions that were checked against the model and the puzzle's own rules."""
    counted_again: SecondCount | None
    """The second count; None if there was none."""
    certified: bool
    """Whether a certificate was left."""
    believed: Sequence[str]
    """The assumptions that were neither proved nor confirmed."""
    grade: str
    """The kind of evidence in two or three words, the strongest that there is; empty if the run is not complete."""

    def rows(self) -> list[tuple[str, str]]:
        """Return the evidence as (name, text) rows for a table; rows that explain the one above are indented."""
        rows = [("evidence", self.grade)] if self.grade else []
        rows.append(("searched by", self.searched_by))
        if again := self.counted_again:
            rows.append(("  counted again by", f"{again.by}{', probably right' if again.probable else ''}"))
            rows.append(("  both share", ", ".join(again.shared)))
        if self.certified:
            rows.append(("  certified", "yes, for solvers.check to read again"))
        if self.believed:
            rows.append(("  believed", ", ".join(self.believed)))
        return rows


def kind_of(backend: str, method: str) -> str:
    """Return the kind of program that searched or counted, in one word, such as cp, sat, frontier or d4.

    It is the method if the method is frontier, otherwise the first word of the backend's name. backend, method: as the
    report has them.
    """
    return method if method == "frontier" else backend.partition(":")[0].partition(" ")[0]


def grade(method: str, again: SecondCount | None, certified: bool) -> str:
    """Return the kind of evidence for a complete count, such as "listed and checked, counted twice".

    method: the way in which the solutions were counted, such as listing or frontier. again: the second count, if there
    was one. certified: whether a certificate was written.
    """
    if again and again.by == VERIFIED:
        return VERIFIED
    if certified:
        return "refutation of all others"
    once = {"listing": "listed and checked", "frontier": "by layers"}.get(method, "by formula")
    return f"{once}, counted twice" if again else once


def searcher(backend: str, method: str) -> str:
    """Return the name, in words, of the program that searched or counted, such as "OR-Tools' CP-SAT".

    backend, method: as the report has them.
    """
    kind = kind_of(backend, method)
    return f"PySAT's {backend.partition(':')[2]}" if kind == "sat" else SEARCHERS.get(kind, kind)
