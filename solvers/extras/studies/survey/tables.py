"""Rows of several runs, printed and written: for people, as JSON and as CSV, and a plot."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from solvers.base.endings import DONE, INCOMPLETE
from solvers.base.errors import InputError
from solvers.outputs.output import FileOutput
from solvers.outputs.paths import check_paths
from solvers.terminal.command import complain

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class TableOutputs:
    """The options --json, --csv, --plot and --quiet of a command that prints rows, and --b-file if it has that."""

    def __init__(
        self,
        chosen: argparse.Namespace,
        read: Mapping[str, Sequence[str]],
        store: str | None = None,
        b_file: str | None = None,
    ) -> None:
        """Take the chosen options and check them.

        Raises `InputError` if a file cannot be written or two options conflict.

        read: the files that the command reads, as for `check_paths`. store: a further file that it writes. b_file: the
        value of --b-file, or None. A file named - is standard output, which only one of JSON, CSV and b-file may have.
        `check_paths` raises if a file would be written over another.
        """
        if chosen.plot is not None:
            _check_plottable(chosen.plot)
        self._prints_json = chosen.json
        self._prints_csv = chosen.csv == "-"
        self._prints_b_file = b_file == "-"
        if self._prints_json and (self._prints_csv or self._prints_b_file):
            raise InputError(f"--json prints nothing else; name a file for --{'csv' if self._prints_csv else 'b-file'}")
        if self._prints_csv and self._prints_b_file:
            raise InputError("--csv - prints nothing else; name a file for --b-file")
        path = None if self._prints_csv else chosen.csv
        terms = None if self._prints_b_file else b_file
        check_paths(read, {"csv": path, "plot": chosen.plot, "store": store, "b-file": terms})
        self._table = FileOutput(path) if path is not None else None
        self._terms = FileOutput(terms) if terms is not None else None
        self._plot = FileOutput(chosen.plot) if chosen.plot is not None else None

    @staticmethod
    def add_options(group: Any, rows: str, plot: str, kinds: Sequence[str]) -> None:
        """Add the options to an argument group.

        rows, plot: what the rows and the plot show, for the help. kinds: the kinds of plots, the default first.
        """
        group.add_argument("--json", action="store_true", help="print a list of the runs' JSON objects, nothing else")
        group.add_argument("--csv", metavar="FILE", help=f"write {rows} (- prints them)")
        group.add_argument("--plot", metavar="FILE", help=f"draw {plot} (.png, .svg or .pdf)")
        group.add_argument(
            "--plot-kind",
            choices=kinds,
            default=kinds[0],
            metavar="KIND",
            help=f"what --plot draws: {', '.join(kinds)} (default: {kinds[0]})",
        )
        group.add_argument("--quiet", action="store_true", help="show no progress")

    @property
    def prints_data(self) -> bool:
        """True if only data for another program are printed."""
        return bool(self._prints_json or self._prints_csv or self._prints_b_file)

    def text(
        self, as_json: Callable[[], str], as_csv: Callable[[], str], as_table: Callable[[], str], b_file: str = ""
    ) -> str:
        """Return the text to print, with a line break at the end.

        as_json, as_csv, as_table: return the text in each form; the options say which one is called. b_file: the
        content of --b-file.
        """
        if self._prints_b_file:
            return b_file
        if self._prints_csv:
            return as_csv()
        return f"{as_json() if self._prints_json else as_table()}\n"

    def write(self, as_csv: Callable[[], str], plot: Callable[[], Figure] | None, b_file: str = "") -> int:
        """Write the files that were asked for; return the exit code, which is not 0 if writing fails.

        as_csv, plot: return the table and the plot. If ``plot`` is None, there are no data, and no plot is written.
        b_file: the content of --b-file. `complain` writes a sentence to stderr and returns the exit code that it is
        given.
        """
        try:
            if self._table:
                self._table.write(as_csv())
            if self._terms:
                self._terms.write(b_file)
            if self._plot and plot:
                figure = plot()
                with self._plot.stream() as stream:
                    figure.savefig(stream.buffer, format=self._plot.path.suffix[1:])  # type: ignore[attr-defined]
        except OSError as error:
            return complain(f"cannot write the rows or the plot: {error.strerror}", INCOMPLETE)
        return DONE


def _check_plottable(path: str) -> None:
    """Raise `InputError` if a plot cannot be written to the path.

    A plot needs a path that ends in a format for plots, and matplotlib.
    """
    if Path(path).suffix not in (".png", ".svg", ".pdf"):
        raise InputError(f"the format is not known for {path or repr(path)}; let its name end in .png, .svg or .pdf")
    if find_spec("matplotlib") is None:
        raise InputError("--plot needs matplotlib; install it with pip install '.[plot]'")
