"""Rich display of solutions and tables: pictures in Jupyter, and text where they are printed."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import Any, SupportsIndex, overload

from tabulate import tabulate

from models.puzzle import Literal, Puzzle
from solvers.errors import InputError
from solvers.plugs import EXTRAS, is_installed, plugged
from solvers.show import draw
from solvers.symmetry.key import Decoded, Key

SOLUTIONS_SHOWN = 12
"""The number of solutions that are shown of several."""


class Solution(Decoded):
    """The value of each key variable by its label; Boolean ones that are 0 are not listed but can be looked up.

    Jupyter shows it as a picture, `print` as text.
    """

    def __init__(self, values: Mapping[Any, int], key: Key, puzzle: Puzzle) -> None:
        super().__init__(values, key)
        self.key = key
        self.puzzle = puzzle

    def __str__(self) -> str:
        return draw.solution(self.puzzle, self)

    def _repr_html_(self) -> str:
        return self.html(turns=True)

    def html(self, *, turns: bool = False) -> str:
        """Return its picture, or its text where none can be drawn; turns: let a solid be turned and opened."""
        if is_installed(EXTRAS["picture"]) and (self.puzzle.draw or draw.has_board(self.puzzle)):
            return str(plugged(EXTRAS["picture"], "a picture")(self.puzzle, self, turns=turns))
        return f"<pre>{escape(str(self))}</pre>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Show it in one of IPython's lists."""
        printer.text(str(self))


class Solutions(list[Solution]):
    """Several solutions: a list that Jupyter shows as pictures, and `print` as text, of the first ones.

    >>> from solvers import solve
    >>> from models.magic import magic
    >>> rings = solve(magic(kind="ring"))
    >>> print(rings[:2])
    1               2
    sum 13          sum 12
    ┌───┬───┬───┐   ┌───┬───┬───┐
    │ 1 │ 4 │ 8 │   │ 1 │ 5 │ 6 │
    ├───┼───┼───┤   ├───┼───┼───┤
    │ 7 │░░░│ 3 │   │ 8 │░░░│ 4 │
    ├───┼───┼───┤   ├───┼───┼───┤
    │ 5 │ 6 │ 2 │   │ 3 │ 7 │ 2 │
    └───┴───┴───┘   └───┴───┴───┘
    """

    @overload
    def __getitem__(self, index: SupportsIndex) -> Solution: ...
    @overload
    def __getitem__(self, index: slice) -> Solutions: ...
    def __getitem__(self, index: SupportsIndex | slice) -> Solution | Solutions:
        return Solutions(super().__getitem__(index)) if isinstance(index, slice) else super().__getitem__(index)

    def where(self, *conditions: Literal | Callable[[Solution], object]) -> Solutions:
        """Return the solutions for which all conditions hold; see `Result.where`."""
        return Solutions(one for one in self if all(_holds(condition, one) for condition in conditions))

    def __str__(self) -> str:
        pictures = [[str(number), *str(one).split("\n")] for number, one in enumerate(self[:SOLUTIONS_SHOWN], 1)]
        shown = draw.side_by_side(pictures, shutil.get_terminal_size().columns)
        return "\n\n".join(
            [shown] * bool(pictures) + [f"and {len(self) - SOLUTIONS_SHOWN} more"] * (len(self) > SOLUTIONS_SHOWN)
        )

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def _repr_html_(self) -> str:
        return side_by_side(self, len(self))


def side_by_side(solutions: Iterable[Solution], number: int) -> str:
    """HTML of so many solutions, of which the first are given."""
    shown = list(solutions)[:SOLUTIONS_SHOWN]
    pictures = "".join(f'<div style="max-width:min(20em,100%)">{one.html()}</div>' for one in shown)
    more = f"<p>and {number - SOLUTIONS_SHOWN} more</p>" if number > SOLUTIONS_SHOWN else ""
    return f'<div style="display:flex;flex-wrap:wrap;gap:1em;align-items:start">{pictures}</div>{more}'


def _holds(condition: Literal | Callable[[Solution], object], solution: Solution) -> bool:
    if callable(condition):
        return bool(condition(solution))
    label, value = condition
    if label not in solution.key.position:
        raise InputError(f"{solution.puzzle.name} has no label {label!r}")
    return solution[label] == value


class Table:
    """Rows under headers, for people.

    >>> Table([("3x20", 2), ("4x15", 368)], ["board", "solutions"])
    board      solutions
    -------  -----------
    3x20               2
    4x15             368
    """

    def __init__(self, rows: Iterable[Sequence[object]], headers: Sequence[str], **form: Any) -> None:
        """form: further arguments of `tabulate.tabulate`."""
        self.rows, self.headers, self._form = [*rows], headers, form

    def __str__(self) -> str:
        return tabulate(self.rows, self.headers, **self._form)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return str(tabulate(self.rows, self.headers, tablefmt="html", **self._form))
