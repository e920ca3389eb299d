"""The rows of a survey: sorted, filtered, as a table, as CSV, as JSON and as a plot."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from io import StringIO
from typing import TYPE_CHECKING, Any, NamedTuple

from tabulate import tabulate

from solvers.errors import InputError
from solvers.show.plain import counted, plain, plain_label
from solvers.show.printable import printable
from solvers.survey.variants import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS: Mapping[str, Callable[[Variant], bool]] = {
    "unique": lambda row: row.unique is True,
    "solvable": lambda row: row.solutions > 0,
    "unsolvable": lambda row: row.complete and not row.solutions,
    "complete": lambda row: row.complete,
    "incomplete": lambda row: not row.complete and not row.refused,
    "refused": lambda row: bool(row.refused),
}
"""By what rows are filtered."""

FACTS = ("solutions", "total", "complete", "seconds", "unique")

SHOWN = 60
"""So many rows are shown in Jupyter."""


class Variant(NamedTuple):
    """A variant of a puzzle, and what a run found."""

    arguments: Mapping[str, Any]
    """The puzzle's parameters."""
    report: Row
    """The run's JSON object."""

    @property
    def refused(self) -> str:
        """The sentence, if it was refused."""
        return str(self.report.get("refused", ""))

    @property
    def solutions(self) -> int:
        """Up to symmetry; a lower bound if it is not complete."""
        return int(self.report["solutions"])

    @property
    def total(self) -> int:
        """In all; a lower bound if it is not complete."""
        return int(self.report["total"])

    @property
    def complete(self) -> bool:
        """Whether the whole space was searched."""
        return bool(self.report["complete"])

    @property
    def unique(self) -> bool | None:
        """Whether there is just one solution up to symmetry; None if that is not known."""
        if self.refused or (not self.complete and self.solutions < 2):
            return None
        return self.solutions == 1

    @property
    def seconds(self) -> float:
        """How long it took, without output."""
        return float(self.report["seconds"]["all"] or 0)


class Survey(Sequence[Variant]):
    """One row for each variant, in order; Jupyter shows it as a table."""

    def __init__(self, puzzle: str, varied: Sequence[str], rows: Sequence[Variant]) -> None:
        """varied: the parameters that are told in tables."""
        self.puzzle, self.varied, self._rows = puzzle, list(varied), list(rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, place: Any) -> Any:
        chosen = self._rows[place]
        return Survey(self.puzzle, self.varied, chosen) if isinstance(place, slice) else chosen

    def only(self, condition: str | Callable[[Variant], object]) -> Survey:
        """The rows that are unique, solvable, unsolvable, complete, incomplete or refused; or for which a call holds.

        Raises `InputError` for another word.
        """
        holds = KINDS.get(condition) if isinstance(condition, str) else condition
        if holds is None:
            raise InputError(f"rows are filtered by {', '.join(KINDS)}, not by {condition!r}")
        return Survey(self.puzzle, self.varied, [row for row in self._rows if holds(row)])

    def sorted(self, by: str, reverse: bool = False) -> Survey:
        """The rows by a parameter, solutions, total, complete, seconds or unique, the least first unless reversed.

        Refused rows come last. Raises `InputError` for another name.
        """
        if by not in FACTS and by not in self.varied:
            raise InputError(f"rows are sorted by {', '.join([*self.varied, *FACTS])}, not by {by!r}")

        def key(row: Variant) -> Any:
            value = getattr(row, by) if by in FACTS else row.arguments[by]
            return value if isinstance(value, (int, float)) else (value is None, str(value))

        kept = [row for row in self._rows if not row.refused]
        known = [row for row in kept if by != "unique" or row.unique is not None]
        ordered = sorted(known, key=key, reverse=reverse)
        rest = [row for row in kept if row not in known] + [row for row in self._rows if row.refused]
        return Survey(self.puzzle, self.varied, ordered + rest)

    @property
    def headers(self) -> list[str]:
        """Of the columns."""
        return [*self.varied, "solutions", "in all", "complete", "seconds", "unique", "refused"]

    def _cells(self, row: Variant) -> Iterator[str]:
        at_least = "" if row.complete or row.refused else "≥ "
        values = (str(plain(row.arguments[name])) for name in self.varied)
        yield from ("\n".join(map(printable, value.split("\n"))) for value in values)
        if row.refused:
            yield from ("", "", "", "", "", printable(row.refused))
            return
        yield from (f"{at_least}{number}" for number in (row.solutions, row.total))
        yield "yes" if row.complete else f"no ({row.report['stopped_by']})"
        yield f"{row.seconds:.2f}"
        yield {True: "yes", False: "no", None: ""}[row.unique]
        yield ""

    def __str__(self) -> str:
        return self._table("simple", self._rows)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        more = f"<p>and {len(self) - SHOWN} more</p>" if len(self) > SHOWN else ""
        table = self._table("html", self._rows[:SHOWN])
        return (
            f"<p><b>{escape(self.puzzle)}</b>: {self.summary()}</p><style>td {{white-space: pre}}</style>{table}{more}"
        )

    def _table(self, form: str, rows: Sequence[Variant]) -> str:
        columns = [[*cells] for cells in zip(*map(self._cells, rows), strict=True)]
        headers = self.headers
        if not any(row.refused for row in rows):
            headers, columns = headers[:-1], columns[:-1]
        cells = zip(*columns, strict=True)
        align = ["left"] * len(self.varied) + ["right", "right", "left", "right", "left", "left"]
        return tabulate(
            cells, headers, tablefmt=form, disable_numparse=True, colalign=align[: len(headers)] if rows else None
        )

    def summary(self) -> str:
        """How many rows are unique, unsolvable, incomplete and refused."""
        counts = {kind: len(self.only(kind)) for kind in ("unique", "unsolvable", "incomplete", "refused")}
        return f"{counted(len(self), 'variants')}, " + ", ".join(f"{count} {kind}" for kind, count in counts.items())

    def as_json(self) -> str:
        """A list of the runs' JSON objects, in order."""
        return json.dumps([row.report for row in self._rows], default=plain_label)

    def as_csv(self) -> str:
        """A line for each row: parameters, both counts, complete, what ended it, seconds, unique, and the sentence."""
        text = StringIO(newline="")
        lines = csv.writer(text, lineterminator="\n")
        lines.writerow([*self.varied, "solutions", "total", "complete", "stopped_by", "seconds", "unique", "refused"])
        for row in self._rows:
            values = [plain(row.arguments[name]) for name in self.varied]
            facts: list[object] = [
                row.solutions,
                row.total,
                row.complete,
                row.report["stopped_by"],
                row.seconds,
                row.unique,
            ]
            lines.writerow([*values, *([""] * len(facts) if row.refused else facts), printable(row.refused)])
        return text.getvalue()

    def plot(self) -> Figure:
        """Solutions up to symmetry over the variants: over the values, where one parameter varies and has numbers.

        Raises `InputError` if matplotlib is not installed.
        """
        try:
            import matplotlib.style
            from matplotlib.figure import Figure
        except ImportError:
            raise InputError("a plot needs matplotlib; install it with pip install '.[plot]'") from None
        rows = [row for row in self._rows if not row.refused]
        one = [row.arguments[self.varied[0]] for row in rows] if len(self.varied) == 1 else []
        is_numeric = bool(one) and all(isinstance(value, (int, float)) for value in one)
        with matplotlib.style.context("tableau-colorblind10"):
            figure = Figure(figsize=(8, 5), layout="constrained")
            axes = figure.subplots()
            places = one if is_numeric else range(1, len(rows) + 1)
            for is_whole, look in ((True, "o"), (False, "^")):
                points = [(x, row.solutions) for x, row in zip(places, rows, strict=True) if row.complete == is_whole]
                if points:
                    label = "complete" if is_whole else "at least"
                    axes.plot(*zip(*points, strict=True), look, label=label)
            counts = [row.solutions for row in rows]
            axes.set_yscale("symlog" if max(counts, default=0) > 100 else "linear")
            words = " ".join(self.varied)
            if not is_numeric and len(rows) <= 30:
                names = [" ".join(str(plain(row.arguments[name])) for name in self.varied) for row in rows]
                axes.set_xticks([*places], names, rotation=45, ha="right", fontfamily="monospace")
            axes.set(title=self.puzzle, xlabel=words, ylabel="solutions up to symmetry")
            if any(not row.complete for row in rows):
                axes.legend()
        return figure
