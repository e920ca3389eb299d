"""Tables and pictures of solutions: HTML in Jupyter, and text where they are printed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

SOLUTIONS_SHOWN = 12
"""The most solutions that are shown of a list."""


class Pictured(Protocol):
    """A thing that shows itself as HTML, such as a solution."""

    def html(self) -> str:
        """Return it as HTML."""


def pictures_html(solutions: Iterable[Pictured], number: int) -> str:
    """Return HTML with the pictures of the first solutions side by side, and the number of the others.

    solutions: at least the first `SOLUTIONS_SHOWN` of them, if there are as many. number: how many there are in all.
    """
    first_solutions = list(solutions)[:SOLUTIONS_SHOWN]
    pictures = "".join(f'<div style="max-width:min(20em,100%)">{solution.html()}</div>' for solution in first_solutions)
    more = f"<p>and {number - SOLUTIONS_SHOWN} more</p>" if number > SOLUTIONS_SHOWN else ""
    return f'<div style="display:flex;flex-wrap:wrap;gap:1em;align-items:start">{pictures}</div>{more}'


class Table:
    """Rows under headers, shown as text where they are printed and as HTML in Jupyter.

    >>> Table([("3x20", 2), ("4x15", 368)], ["board", "solutions"])
    board      solutions
    -------  -----------
    3x20               2
    4x15             368
    """

    def __init__(self, rows: Iterable[Sequence[object]], headers: Sequence[str], **form: Any) -> None:
        """Take the rows and the headers; form: further arguments of `tabulate.tabulate`."""
        self.rows, self.headers, self._form = [*rows], headers, form

    def __str__(self) -> str:
        """Return the table as text."""
        from tabulate import tabulate  # few commands print such a table

        return tabulate(self.rows, self.headers, **self._form)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return the table as HTML."""
        from tabulate import tabulate

        return str(tabulate(self.rows, self.headers, tablefmt="html", **self._form))
