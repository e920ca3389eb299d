"""Rich display of solutions and tables: pictures in Jupyter, and text where they are printed."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import Any, SupportsIndex, overload

from models.puzzle import Literal, Puzzle
from solvers.base.errors import InputError
from solvers.base.plugs import FUNCTIONS, function
from solvers.show import draw
from solvers.symmetry.key import Decoded, Key

SOLUTIONS_SHOWN = 12
"""The most solutions that are shown of a list."""


class Solution(Decoded):
    """The value of each key variable by its label.

    Boolean variables that are 0, which are all variables with the domain 0..1, are not listed but can be looked up; in
    `whole()` they are listed, too. Jupyter shows it as a picture, `print` as text.
    """

    def __init__(self, values: Mapping[Any, int], key: Key, puzzle: Puzzle) -> None:
        """Take the values by label, the key they belong to, and the puzzle, which may draw the solution."""
        super().__init__(values, key)
        self.key = key
        self.puzzle = puzzle

    @property
    def disassembly(self) -> Any:
        """The way in which the pieces come apart, with ``is_apart``, ``level``, ``moves`` and ``steps``.

        Raises `InputError` if the puzzle has no pieces of squares or cubes.

        >>> from solvers import solve
        >>> from models.packing import packing
        >>> solution = solve(packing("2x2", "dominoes x2"))[0]
        >>> solution.disassembly.level, solution.disassembly.moves
        ('1', (1,))
        """
        return function("disassembly", "a disassembly")(self.puzzle, self)

    def __str__(self) -> str:
        """Return the solution as text: a drawing or a list of its literals."""
        return draw.solution(self.puzzle, self)

    def _repr_html_(self) -> str:
        """Return the picture that Jupyter shows.

        Raises `InputError` if the drawing cannot be shown.
        """
        return self.html(turns=True)

    def html(self, *, turns: bool = False) -> str:
        """Return the solution as HTML: a picture, or text if it cannot be drawn.

        turns: whether the picture of a solid has controls that turn and open it. Raises `InputError` if the extra for
        pictures is not installed, or the drawing cannot be shown.
        """
        if "picture" in FUNCTIONS and (self.puzzle.draw or draw.has_board(self.puzzle)):
            return str(function("picture", "a picture")(self.puzzle, self, turns=turns))
        return f"<pre>{escape(str(self))}</pre>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Write the solution as text to IPython's printer; ``cycle``, a part of its protocol, is not used."""
        printer.text(str(self))


class Solutions(list[Solution]):
    """A list of solutions; Jupyter shows the first ones as pictures, and `print` as text.

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
        """Return one solution or, for a slice, a list of this type."""
        return Solutions(super().__getitem__(index)) if isinstance(index, slice) else super().__getitem__(index)

    def where(self, *conditions: Literal | Callable[[Solution], object]) -> Solutions:
        """Return the solutions for which all conditions hold: literals (label, value) or functions.

        See `Result.where`. Raises `InputError` if the puzzle has no such label.
        """
        return Solutions(
            solution for solution in self if all(_is_satisfied(condition, solution) for condition in conditions)
        )

    def __str__(self) -> str:
        """Return the first solutions as numbered text drawings side by side, and how many more there are."""
        pictures = [
            [str(number), *str(solution).split("\n")] for number, solution in enumerate(self[:SOLUTIONS_SHOWN], 1)
        ]
        pictures_text = draw.side_by_side(pictures, shutil.get_terminal_size().columns)
        return "\n\n".join(
            [pictures_text] * bool(pictures)
            + [f"and {len(self) - SOLUTIONS_SHOWN} more"] * (len(self) > SOLUTIONS_SHOWN)
        )

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Write the solutions as text to IPython's printer; ``cycle``, a part of its protocol, is not used."""
        printer.text(str(self))

    def _repr_html_(self) -> str:
        """Return the pictures of the first solutions, which Jupyter shows."""
        return side_by_side(self, len(self))


def side_by_side(solutions: Iterable[Solution], number: int) -> str:
    """Return HTML with the pictures of the first solutions and the number of the others.

    solutions: an iterable of them. number: how many there are in all.
    """
    first_solutions = list(solutions)[:SOLUTIONS_SHOWN]
    pictures = "".join(f'<div style="max-width:min(20em,100%)">{solution.html()}</div>' for solution in first_solutions)
    more = f"<p>and {number - SOLUTIONS_SHOWN} more</p>" if number > SOLUTIONS_SHOWN else ""
    return f'<div style="display:flex;flex-wrap:wrap;gap:1em;align-items:start">{pictures}</div>{more}'


def _is_satisfied(condition: Literal | Callable[[Solution], object], solution: Solution) -> bool:
    """Tell whether a condition holds for a solution.

    A function holds if it returns a true value for the solution, a literal (label, value) if the label has the value.
    Raises `InputError` if the puzzle has no such label.
    """
    if callable(condition):
        return bool(condition(solution))
    label, value = condition
    if label not in solution.key.position:
        raise InputError(f"{solution.puzzle.name} has no label {label!r}")
    return solution[label] == value


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
