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
from solvers.extras.survey.variants import Row
from solvers.show.plain import counted, plain, plain_label
from solvers.show.printable import printable

if TYPE_CHECKING:
    from solvers.extras.survey.plot import Plot

KINDS: Mapping[str, Callable[[Variant], bool]] = {
    "unique": lambda row: row.unique is True,
    "solvable": lambda row: row.solutions > 0,
    "unsolvable": lambda row: row.complete and not row.solutions,
    "complete": lambda row: row.complete,
    "incomplete": lambda row: not row.complete and not row.refused,
    "refused": lambda row: bool(row.refused),
}
"""The conditions by which rows are filtered."""

FACTS = ("solutions", "total", "complete", "seconds", "unique")

COLUMNS = ("solutions", "total", "complete", "stopped_by", "seconds", "unique", "refused")
"""The columns of flat tables, after those of the parameters."""

ROWS_SHOWN = 60
"""The number of rows that are shown in Jupyter."""


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
        """The count up to symmetry; a lower bound if the run is not complete."""
        return int(self.report["solutions"])

    @property
    def total(self) -> int:
        """The number of solutions in all; a lower bound if the run is not complete."""
        return int(self.report["total"])

    @property
    def complete(self) -> bool:
        """Tell whether the whole space was searched."""
        return bool(self.report["complete"])

    @property
    def unique(self) -> bool | None:
        """Tell whether there is just one solution up to symmetry; None if that is not known."""
        if self.refused or (not self.complete and self.solutions < 2):
            return None
        return self.solutions == 1

    @property
    def seconds(self) -> float:
        """The seconds that the run took, without output."""
        return float(self.report["seconds"]["all"] or 0)

    def __repr__(self) -> str:
        values = ", ".join(f"{name} {plain(value)}" for name, value in self.arguments.items())
        at_least = "" if self.complete else "at least "
        found = self.refused or f"{at_least}{self.solutions} up to symmetry, {at_least}{self.total} in all"
        return printable(f"{values}: {found}")


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
        """The names of the columns."""
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
        more = f"<p>and {len(self) - ROWS_SHOWN} more</p>" if len(self) > ROWS_SHOWN else ""
        table = self._table("html", self._rows[:ROWS_SHOWN])
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
        """Count the rows that are unique, unsolvable, incomplete and refused, in a sentence."""
        counts = {kind: len(self.only(kind)) for kind in ("unique", "unsolvable", "incomplete", "refused")}
        return f"{counted(len(self), 'variants')}, " + ", ".join(f"{count} {kind}" for kind, count in counts.items())

    def as_json(self) -> str:
        """A list of the runs' JSON objects, in order."""
        return json.dumps([row.report for row in self._rows], default=plain_label)

    def as_csv(self) -> str:
        """A line for each row: parameters, both counts, complete, what ended it, seconds, unique, and the sentence."""
        text = StringIO(newline="")
        lines = csv.DictWriter(text, [*self.varied, *COLUMNS], lineterminator="\n")
        lines.writeheader()
        lines.writerows(self._flat())
        return text.getvalue()

    def to_frame(self) -> Any:
        """The rows as a DataFrame of pandas; raise `InputError` if pandas is not installed."""
        try:
            from pandas import DataFrame
        except ImportError:
            raise InputError("a table needs pandas; install it with pip install pandas") from None
        return DataFrame([*self._flat()], columns=[*self.varied, *COLUMNS])

    def _flat(self) -> Iterator[dict[str, object]]:
        """Each row by the names of its columns; of one that was refused, only its sentence."""
        for row in self._rows:
            values = {name: plain(row.arguments[name]) for name in self.varied}
            facts: dict[str, object] = {"refused": printable(row.refused)}
            if not row.refused:
                facts |= {name: getattr(row, name) for name in FACTS} | {"stopped_by": row.report["stopped_by"]}
            yield {**values, **facts}

    def plot(self) -> Plot:
        """Solutions up to symmetry over the variants: over the values, where one parameter varies and has numbers.

        Raises `InputError` if matplotlib is not installed.
        """
        try:
            from solvers.extras.survey.plot import Point, plot
        except ImportError:
            raise InputError("a plot needs matplotlib; install it with pip install '.[plot]'") from None
        points = []
        for row in self._rows:
            values = [plain(row.arguments[name]) for name in self.varied]
            value = (
                values[0]
                if len(values) == 1 and isinstance(values[0], (int, float))
                else " ".join(map(_one_line, values))
            )
            if not row.refused:
                points.append(Point(value, row.solutions, row.complete))
        return plot(self.puzzle, " ".join(self.varied), points)


def _one_line(value: object) -> str:
    """A value as a name in a plot; of a drawing its first row."""
    first, *more = str(value).split("\n")
    return printable(f"{first} ..." if more else first)
