"""The rows of a survey: sorted, filtered, as a table, as CSV, as JSON and as a plot."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from tabulate import tabulate

from solvers.base.errors import InputError
from solvers.extras.studies.survey.known_terms import Expected, Verdict, compare_to_terms, lines_of, terms_by_index
from solvers.extras.studies.survey.variant import Variant
from solvers.extras.studies.survey.variants import METHOD
from solvers.show.plain import csv_text, json_value, number_with_unit, plain_label
from solvers.show.printable import printable

if TYPE_CHECKING:
    from solvers.extras.studies.survey.plot import Plot

KINDS: Mapping[str, Callable[[Variant], bool]] = {
    "unique": lambda row: row.unique is True,
    "solvable": lambda row: row.solutions > 0,
    "unsolvable": lambda row: row.complete and not row.solutions,
    "complete": lambda row: row.complete,
    "incomplete": lambda row: not row.complete and not row.refused,
    "refused": lambda row: bool(row.refused),
}
"""The conditions by which rows are filtered."""

OF_APART = ("apart", "level")
"""The attributes of a variant, besides, if the runs say which assemblies come apart."""

FACTS = ("solutions", "total", "complete", "seconds", "unique")
"""The attributes of a variant by which rows are sorted."""

COLUMNS = ("solutions", "total", "complete", "stopped_by", "seconds", "unique", "refused")
"""The columns of flat tables, after those of the parameters."""

EFFORT = "statistics."
"""The beginning of the columns of the solvers' own figures."""

MADE_BY = ("schema", "command", "backend", "seed", "processor", "cores", "versions")
"""The last columns of flat tables: by what the rows were made."""

PARTS = ("choices", "hardest", "false_starts", "longest")
"""The parts of a grade that tables show, names in the ``walk`` of a grade."""

BY_DIFFICULTY = ("false_starts", "longest", "choices", "hardest")
"""The order of the parts by which variants are sorted: what costs most comes first, namely a start that is false."""

DIFFICULTY = "difficulty"
"""The name by which rows are sorted by their grade, in the order of `BY_DIFFICULTY`."""

BOUNDS = (
    "The figures follow one way to one solution, of a person who sees every forced move; they do not know ideas such "
    "as colouring or parity, how alike the pieces look, or how many solutions there are."
)
"""The sentence that says what the figures do not know."""

PLOTS = ("solutions", "cactus", "scatter", "growth")
"""The kinds of plots; all but the first compare methods, see `solvers.extras.studies.survey.plot`."""

ROWS_SHOWN = 60
"""The most rows that Jupyter shows."""


class Survey(Sequence[Variant]):
    """The rows of a survey, one for each variant, in order; Jupyter shows them as a table."""

    def __init__(self, puzzle: str, varied: Sequence[str], rows: Sequence[Variant]) -> None:
        """Take the puzzle's name, the names of the parameters that tables show, and the rows."""
        self.puzzle = puzzle
        self.varied = list(varied)
        self._rows = list(rows)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._rows)

    def __getitem__(self, place: Any) -> Any:
        """Return the row with the index ``place`` or, for a slice, a survey of these rows."""
        chosen = self._rows[place]
        return Survey(self.puzzle, self.varied, chosen) if isinstance(place, slice) else chosen

    def only(self, condition: str | Callable[[Variant], object]) -> Survey:
        """Return the rows that satisfy a condition.

        condition: a name in `KINDS`, such as "unique", or a function of a row. Raises `InputError` for another word.
        """
        holds = KINDS.get(condition) if isinstance(condition, str) else condition
        if holds is None:
            raise InputError(f"rows are filtered by {', '.join(KINDS)}, not by {condition!r}")
        return Survey(self.puzzle, self.varied, [row for row in self._rows if holds(row)])

    def sorted(self, by: str, reverse: bool = False) -> Survey:
        """Return the rows sorted by a parameter or a figure, ascending unless ``reverse``.

        by: the name of a parameter, or solutions, total, complete, seconds or unique; if the runs say which assemblies
        come apart, also apart or level, the highest level of a row; if the rows are graded, also difficulty, or a part
        of the grade: choices, hardest, false_starts or longest. A parameter goes before a figure of the same name. Rows
        of which this is not known come last, and refused rows behind them. Raises `InputError` for another name.
        """
        check_sorting(by, self.varied, self.is_graded, self.has_levels)
        is_of_grade = by in (DIFFICULTY, *PARTS) and by not in self.varied

        def key(row: Variant) -> Any:
            """Return by what a row is sorted: numbers by their value, other values by their text, None last."""
            if is_of_grade:
                walk = row.walk or {}  # the parts of the grade by name
                return [walk.get(part) for part in (BY_DIFFICULTY if by == DIFFICULTY else (by,))]
            if by == "level" and by not in self.varied:
                # The highest level is the first of a text such as "3.1 (2 times), 2": numbers with dots between.
                if row.level:
                    return [*map(int, row.level.partition(",")[0].partition(" ")[0].split("."))]
                return []
            value = getattr(row, by) if by in (*FACTS, *OF_APART) and by not in self.varied else row.arguments[by]
            if isinstance(value, (int, float)):
                return value
            return value is None, str(value)

        accepted_rows = [row for row in self._rows if not row.refused]
        rows_with_figure = [row for row in accepted_rows if by != "unique" or row.unique is not None]
        if is_of_grade:
            rows_with_figure = [row for row in accepted_rows if row.walk]
        ordered = sorted(rows_with_figure, key=key, reverse=reverse)
        other_rows = [row for row in accepted_rows if row not in rows_with_figure] + [
            row for row in self._rows if row.refused
        ]
        return Survey(self.puzzle, self.varied, ordered + other_rows)

    @property
    def is_graded(self) -> bool:
        """True if the rows have grades."""
        return any("grade" in row.report for row in self._rows)

    @property
    def has_levels(self) -> bool:
        """True if the runs say which assemblies come apart."""
        return any(row.apart is not None for row in self._rows)

    @property
    def headers(self) -> list[str]:
        """The names of the columns."""
        parts = [part.replace("_", " ") for part in PARTS] if self.is_graded else []
        levels = ["come apart", "levels"] if self.has_levels else []
        return [*self.varied, "solutions", "in all", *levels, "complete", "seconds", "unique", *parts, "refused"]

    def _cells(self, row: Variant) -> Iterator[str]:
        """Yield the texts of a row's cells, in the order of `headers`.

        A refused row has its parameters and the reason only. "≥" stands before counts of a run that is not complete.
        """
        at_least = "" if row.complete or row.refused else "≥ "
        values = (str(json_value(row.arguments[name])) for name in self.varied)
        yield from ("\n".join(map(printable, value.split("\n"))) for value in values)
        if row.refused:
            yield from [""] * (len(self.headers) - len(self.varied) - 1)
            yield printable(row.refused)
            return
        yield from (f"{at_least}{number}" for number in (row.solutions, row.total))
        if self.has_levels:
            yield from ("" if row.apart is None else f"{at_least}{row.apart}", row.level)
        yield "yes" if row.complete else f"no ({row.report['stopped_by']})"
        yield f"{row.seconds:.2f}"
        yield {True: "yes", False: "no", None: ""}[row.unique]
        if self.is_graded:
            yield from (str((row.walk or {}).get(part, "")) for part in PARTS)
        yield ""

    def __str__(self) -> str:
        """Return the rows as a table in text."""
        return self._table("simple", self._rows)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return the first rows as a table in HTML, which Jupyter shows."""
        more = f"<p>and {len(self) - ROWS_SHOWN} more</p>" if len(self) > ROWS_SHOWN else ""
        more += f"<p>{escape(self.note)}</p>" if self.note else ""
        table = self._table("html", self._rows[:ROWS_SHOWN])
        return (
            f"<p><b>{escape(self.puzzle)}</b>: {self.summary()}</p><style>td {{white-space: pre}}</style>{table}{more}"
        )

    def _table(self, form: str, rows: Sequence[Variant]) -> str:
        """Return rows as a table; form: a table format of tabulate, such as "simple" or "html".

        The last column, the reasons of refusals, is left out if no row is refused.
        """
        columns = [[*cells] for cells in zip(*map(self._cells, rows), strict=True)]
        headers = self.headers
        if not any(row.refused for row in rows):
            headers = headers[:-1]
            columns = columns[:-1]
        cells = zip(*columns, strict=True)
        alignment_of_parts = ["right"] * len(PARTS) if self.is_graded else []
        alignment_of_levels = ["right", "left"] if self.has_levels else []
        align = ["left"] * len(self.varied) + [
            "right",
            "right",
            *alignment_of_levels,
            "left",
            "right",
            "left",
            *alignment_of_parts,
            "left",
        ]
        return tabulate(
            cells, headers, tablefmt=form, disable_numparse=True, colalign=align[: len(headers)] if rows else None
        )

    def summary(self) -> str:
        """Return a sentence with the numbers of rows that are unique, unsolvable, incomplete and refused."""
        counts = {kind: len(self.only(kind)) for kind in ("unique", "unsolvable", "incomplete", "refused")}
        return f"{number_with_unit(len(self), 'variants')}, " + ", ".join(
            f"{count} {kind}" for kind, count in counts.items()
        )

    @property
    def note(self) -> str:
        """Sentences on what the grades mean and do not know, and on rows without one; "" if the rows are not graded."""
        if not self.is_graded:
            return ""
        order = ", then ".join(part.replace("_", " ") for part in BY_DIFFICULTY)
        ungraded = Counter(row.ungraded for row in self._rows if row.ungraded)
        reasons = (
            f"{number_with_unit(n, 'variants')} without a grade: {printable(why)}" for why, n in ungraded.items()
        )
        return "\n".join([f"Difficulty: by {order}. {BOUNDS}", *reasons])

    def as_json(self) -> str:
        """Return the reports of all runs as a JSON list, in order."""
        return json.dumps([row.report for row in self._rows], default=plain_label)

    def as_csv(self) -> str:
        """Return the rows as CSV: the parameters that vary, `COLUMNS`, `MADE_BY` and, if graded, the grade's parts."""
        columns = self._columns
        return csv_text([columns, *([row.get(column) for column in columns] for row in self._row_columns())])

    def to_frame(self) -> Any:
        """Return the rows as a DataFrame of pandas; raise `InputError` if pandas is not installed."""
        try:
            from pandas import DataFrame
        except ImportError:
            raise InputError("a table needs pandas; install it with pip install pandas") from None
        return DataFrame([*self._row_columns()], columns=self._columns)

    @property
    def _columns(self) -> list[str]:
        """The columns of flat tables: parameters, facts, levels, figures of solvers, by what rows were made, grades."""
        levels = OF_APART if self.has_levels else ()
        of_grade = [*PARTS, "ungraded"] if self.is_graded else []
        made_by = [column for column in MADE_BY if column not in self.varied]
        return [*self.varied, *COLUMNS, *levels, *self._efforts, *made_by, *of_grade]

    @property
    def _efforts(self) -> list[str]:
        """The columns of the solvers' own figures, such as statistics.conflicts."""
        names = dict.fromkeys(name for row in self._rows for name in row.report.get("statistics", ()))
        return [f"{EFFORT}{name}" for name in names]

    def _row_columns(self) -> Iterator[dict[str, object]]:
        """Yield each row as a dictionary by columns; a refused row has only its parameters and the reason.

        A parameter goes before a fact of the same name. `_provenance` returns by what a row was made.
        """
        for row in self._rows:
            values = {name: json_value(row.arguments[name]) for name in self.varied}
            facts: dict[str, object] = {"refused": printable(row.refused), **_provenance(row.report)}
            facts |= {f"{EFFORT}{name}": figure for name, figure in row.report.get("statistics", {}).items()}
            if not row.refused:
                names = (*FACTS, *OF_APART) if self.has_levels else FACTS
                facts |= {name: getattr(row, name) for name in names} | {"stopped_by": row.report["stopped_by"]}
            if row.walk or row.ungraded:
                facts |= {part: (row.walk or {}).get(part) for part in PARTS} | {"ungraded": printable(row.ungraded)}
            yield {**facts, **values}

    def b_file(self, count: str = "total", read: str | None = None) -> str:
        """Return the counts as a b-file of the OEIS: n and its term on each line, up to the first that is not known.

        count: "total" for all solutions, "solutions" for those up to symmetry. read: if two parameters vary, how the
        table is read: "rows", "antidiagonals" or "ascending-antidiagonals". Raises `InputError` for another word, and
        unless the parameters have whole numbers without a gap.
        """
        return lines_of(terms_by_index(self.varied, self._rows, count, read)[0])

    def data(self, count: str = "total", read: str | None = None) -> str:
        """Return the counts as a line of data of the OEIS, such as "1, 0, 0, 2, 10"; see `b_file`."""
        return ", ".join(map(str, terms_by_index(self.varied, self._rows, count, read)[0].values()))

    def expect(self, terms: Expected, count: str = "total", read: str | None = None) -> Verdict:
        """Compare the counts to known terms; return a verdict with ``agrees`` and ``sentences``.

        terms: numbers in the order of the rows, or by n. count, read: as for `b_file`. Raises `InputError` for another
        word, or if terms by n meet rows without one.
        """
        return compare_to_terms(self.varied, self._rows, terms, count, read)

    def plot(self, kind: str = "solutions") -> Plot:
        """Return a plot.

        kind: "solutions", the solutions up to symmetry of each variant, over the values if one parameter varies and has
        numbers; or "cactus", "scatter" and "growth", which compare methods: backend, symmetry and jobs, where they
        vary. Raises `InputError` for another kind, if there is not what it needs, or if matplotlib is not installed.
        """
        if kind not in PLOTS:
            raise InputError(f"there is no plot {kind!r} of a survey; choose {', '.join(PLOTS)}")
        try:
            if kind != "solutions":
                return self._plot_methods(kind)
            from solvers.extras.studies.survey.plot import Point, plot
        except ImportError:
            raise InputError("a plot needs matplotlib; install it with pip install '.[plot]'") from None
        # A variant is drawn over its value if one parameter varies and has numbers, else beside all its values as text.
        points = []
        for row in self._rows:
            values = [json_value(row.arguments[name]) for name in self.varied]
            value = (
                values[0]
                if len(values) == 1 and isinstance(values[0], (int, float))
                else " ".join(map(_one_line, values))
            )
            if not row.refused:
                points.append(Point(value, row.solutions, row.complete))
        return plot(self.puzzle, " ".join(self.varied), points)

    def _plot_methods(self, kind: str) -> Plot:
        """Return a plot that compares methods; see `plot`.

        The options that vary make the method; the values of all else that varies make the question that methods share.
        Growth is drawn over the only parameter that varies; with several there is no value.
        """
        from solvers.extras.studies.survey.plot import MethodRun, plot_methods

        options = [name for name in METHOD if name in self.varied]
        parameters = [name for name in self.varied if name not in (*options, "seed")]
        runs = []
        for row in self._rows:
            if not row.refused:
                method = ", ".join(str(row.arguments[name]) for name in options) or str(row.report["backend"])
                question = tuple(str(row.arguments[name]) for name in self.varied if name not in options)
                value = json_value(row.arguments[parameters[0]]) if len(parameters) == 1 else None
                runs.append(MethodRun(method, question, value, row.seconds, row.complete))
        return plot_methods(kind, self.puzzle, runs, " ".join(parameters))


def _provenance(report: Mapping[str, Any]) -> dict[str, object]:
    """Return the values of the columns `MADE_BY` for a report."""
    versions = ", ".join(f"{name} {version}" for name, version in report["versions"].items())
    return {**{name: report.get(name) for name in MADE_BY}, **report.get("machine", {}), "versions": versions}


def check_sorting(by: str, varied: Sequence[str], is_graded: bool, has_levels: bool) -> None:
    """Raise `InputError` unless rows can be sorted by this name.

    varied: the parameters that tables show. is_graded: whether the rows have grades. has_levels: whether the runs say
    which assemblies come apart.
    """
    grade_columns = (DIFFICULTY, *PARTS)
    if by in grade_columns and not is_graded and by not in varied:
        raise InputError(f"rows have no {by.replace('_', ' ')} unless they are graded; add `--grade`")
    if by in OF_APART and not has_levels and by not in varied:
        raise InputError(f"rows have no {by} unless assemblies are taken apart; add `--apart`")
    names = [*varied, *FACTS, *(OF_APART if has_levels else ()), *(grade_columns if is_graded else ())]
    if by not in names:
        raise InputError(f"rows are sorted by {', '.join(names)}, not by {by!r}")


def _one_line(value: object) -> str:
    """Return a parameter's value as one line of text, to name it in a plot.

    Of a drawing, which has several lines, only the first line is taken.
    """
    first_line, *other_lines = str(value).split("\n")
    return printable(f"{first_line} ..." if other_lines else first_line)
