"""The evidence for a count: who searched, what was checked, and who counted a second time."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from solvers.base.backend_rows import AS_COVER, BACKENDS, CLAUSES, FLATZINC, READING, row_of

COUNTED_BY = {
    "frontier": "our own count by layers",
    "d4": "D4",
    "ganak": "Ganak",
    "auto": "the backends that were tried in turn",
}
"""The names in words of methods and counters that list no solutions; the rows of backends say those of others.

A run that ended while backends were tried has chosen none.
"""

READ_BY: Mapping[str, Collection[str]] = {
    **{name: row.shares for name, row in BACKENDS.items()},
    "d4": [READING, CLAUSES],
    "ganak": [READING, CLAUSES],
}
"""The parts by which a model may get to the solvers of other people.

A backend says for its own model which of them it used. Our own search of exact covers, and the count by layers, use
none: the items and options that they read are verified in each run (`solvers.checks.covers`).
"""

DECLARED = "the declared model"
"""The part that every two ways to count share."""

HANDED = frozenset({READING, CLAUSES, FLATZINC, AS_COVER})
"""The parts of our code that get a model to a search, and that a count may name among what it rests on.

Two ways are independent if they share none of them, and do not have the same solver. A run does not name `AS_COVER`,
since each run verifies it; a file with the items and options is read by several programs, and none of them does.
"""

VERIFIED = "verified counter"
"""The name of the counter that is extracted from a proof."""

CHECKED, UNCHECKED = "written and checked", "written, not checked"
"""What became of a certificate; in a report without one, the text is empty."""

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
    checksum: str = ""
    """The SHA-256 of the program that counted, in hexadecimal, if it was built on this machine; otherwise empty."""


@dataclass(frozen=True)
class Evidence:
    """The facts that show why the counts of a run can be trusted."""

    searched_by: str
    """The search or counter that went through the space; it is taken on trust, unless something below confirms it."""
    checked: str
    """The number of solutions that were checked against the model and the puzzle's own rules."""
    counted_again: SecondCount | None
    """The second count; None if there was none."""
    certified: bool
    """Whether a certificate was left, and the checker has accepted it."""
    certificate: str
    """What became of the certificate: `CHECKED` or `UNCHECKED`; empty if none was left."""
    rests_on: Sequence[str]
    """The parts of the run, besides the search itself, in which a mistake would make the count wrong unnoticed."""
    taken_on_trust: Sequence[str]
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
        if self.certificate:
            rows.append(("  certificate", self.certificate))
        if self.taken_on_trust:
            rows.append(("  taken on trust", ", ".join(self.taken_on_trust)))
        return rows


class Completed(NamedTuple):
    """A complete run: the name of its backend, and what its count rests on besides the search."""

    backend: str
    rests_on: Sequence[str]


def rests_on(
    read_by: Collection[str],
    *,
    readers: Sequence[str] = (),
    has_symmetries: bool,
    breaks_symmetry: bool,
    is_cut: bool,
) -> list[str]:
    """Return the parts of a run, besides the search itself, in which a mistake would make the count wrong unnoticed.

    read_by: the parts of our code by which the model gets to the solver. readers: the programs that made the model of a
    file. has_symmetries: whether there is more than the identity. breaks_symmetry: whether the search would break them.
    is_cut: whether an exact cover was cut into cubes for it.
    """
    is_used_by_part = {
        DECLARED: True,
        **dict.fromkeys(readers, True),
        "its symmetries": has_symmetries,
        "symmetry breaking": has_symmetries and breaks_symmetry,
        **{part: part in read_by for part in (READING, CLAUSES, FLATZINC)},
        "the cutting into cubes": is_cut,
    }
    return [part for part, is_used in is_used_by_part.items() if is_used]


def common_parts(parts: Iterable[str], other: Iterable[str]) -> list[str]:
    """Return the parts on which both of two counts rest: a mistake there would be in both.

    parts, other: what each of them rests on; see `Evidence.rests_on`.
    """
    others = set(other)
    return [part for part in parts if part in others]


def agreement(runs: Iterable[Completed], found: str = "found the same solutions") -> str:
    """Return a sentence on how many independent searches found the same, and what they share.

    Two searches are independent if no code of ours gets the model to both solvers (`HANDED`), and both solvers are not
    the same with other settings. Everything else that all of them rest on is named. runs: the complete runs that agree.
    found: what they found.

    >>> print(agreement([Completed("cp-sat", ["the declared model"]), Completed("cover", ["the declared model"])]))
    2 independent searches found the same solutions: cp-sat; cover. All rest on the declared model.
    >>> sat = [Completed(f"sat:{name}", ["the declared model", READING, CLAUSES]) for name in ("glucose42", "minicard")]
    >>> print(agreement(sat))
    2 searches found the same solutions: sat:glucose42, sat:minicard. They are not independent: all rest on the declared
    model, the reading of constraints, the translation to clauses.
    >>> print(agreement([*sat, Completed("cp-sat", ["the declared model"])]))
    2 independent searches found the same solutions: sat:glucose42, sat:minicard (which share the reading of
    constraints, the translation to clauses); cp-sat. All rest on the declared model.
    >>> agreement(sat[:1])
    'only one search is complete, so that no other confirms it'
    """
    complete = list({run.backend: run for run in runs}.values())
    if not complete:
        return "no search is complete"
    if len(complete) == 1:
        return "only one search is complete, so that no other confirms it"
    families: list[list[Completed]] = []
    # Families are the connected components of the relation: a run joins all families that have a run related to it.
    for run in complete:
        related = [family for family in families if any(_is_related(run, other) for other in family)]
        families = [family for family in families if family not in related]
        families.append([*(other for family in related for other in family), run])
    # What all runs rest on is named once, at the end.
    in_all = [part for part in complete[0].rests_on if all(part in run.rests_on for run in complete)] or ["nothing"]
    if len(families) == 1:
        names = ", ".join(run.backend for run in complete)
        return f"{len(complete)} searches {found}: {names}. They are not independent: all rest on {', '.join(in_all)}."
    families_in_words = "; ".join(_family_in_words(family, in_all) for family in families)
    return f"{len(families)} independent searches {found}: {families_in_words}. All rest on {', '.join(in_all)}."


def _is_related(run: Completed, other: Completed) -> bool:
    """Tell whether the same code of ours gets the model to both solvers, or the solvers are the same.

    Backends of one kind (the first word of their names) have the same solver, but for `sat`, which has many.
    """
    kinds = {kind_of(completed.backend, "listing") for completed in (run, other)}
    same_solver = len(kinds) == 1 and kinds <= BACKENDS.keys() - {"sat"}
    return same_solver or not HANDED.isdisjoint(common_parts(run.rests_on, other.rests_on))


def _family_in_words(family: Sequence[Completed], known: Sequence[str]) -> str:
    """Return the names of the backends of related runs, and the parts that they share besides those that are known.

    known: the parts on which all runs rest, which are named elsewhere.
    """
    names = ", ".join(run.backend for run in family)
    parts = [part for part in family[0].rests_on if part not in known and all(part in run.rests_on for run in family)]
    return f"{names} (which share {', '.join(parts)})" if len(family) > 1 and parts else names


def kind_of(backend: str, method: str) -> str:
    """Return the kind of program that searched or counted, in one word, such as cp, sat, frontier or d4.

    It is the method if the method is frontier, otherwise the first word of the backend's name. backend, method: as the
    report has them.
    """
    return method if method == "frontier" else backend.partition(":")[0].partition(" ")[0]


def grade(method: str, again: SecondCount | None, certified: bool, is_all_checked: bool) -> str:
    """Return the kind of evidence for a complete count, such as "listed and checked, counted twice".

    method: the way in which the solutions were counted, such as listing or frontier. again: the second count, if there
    was one. certified: whether a certificate was written and checked. is_all_checked: whether each listed solution was
    checked with all its images.
    """
    if again and again.by == VERIFIED:
        return VERIFIED
    if certified:
        return "refutation of all others"
    listed = "listed and checked" if is_all_checked else "representatives checked"
    once = {"listing": listed, "frontier": "by layers"}.get(method, "by formula")
    if again:
        return f"{once}, counted twice"
    return f"{once}, probably right" if method == PROBABLE else once


def searcher(backend: str, method: str) -> str:
    """Return the name, in words, of the program that searched or counted, such as "OR-Tools' CP-SAT".

    backend, method: as the report has them; a method such as frontier is named itself.
    """
    kind = kind_of(backend, method)
    if row := row_of(kind):
        return row.searcher.format(solver=backend.partition(":")[2])
    return COUNTED_BY.get(kind, kind)
