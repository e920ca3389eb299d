"""Solutions as Python values: pictures in Jupyter, text where they are printed, and files."""

from __future__ import annotations

import os
import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import Any, SupportsIndex, overload

from models.puzzle import Literal
from solvers.base.errors import InputError
from solvers.base.plugs import FUNCTIONS, OUTPUTS, function, load
from solvers.outputs.output import EndedRun, Output
from solvers.outputs.selection import PropertyCondition, Selection, literal_numbers
from solvers.outputs.solutions import ENDINGS
from solvers.running.question import Question
from solvers.show import draw
from solvers.show.shown import SOLUTIONS_SHOWN, pictures_html
from solvers.symmetry.key import Decoded

_OUTPUT_OF_ENDING = {
    **dict.fromkeys(ENDINGS, "solutions"),
    **dict.fromkeys((".html", ".htm"), "gallery"),
    **dict.fromkeys((".pdf", ".svg"), "sheet"),
}
"""The output of the command line for each ending of a file."""


class Published(ABC):
    """Solutions that can be saved, shown as a gallery and made a table: a result, or a part of one."""

    @abstractmethod
    def _run_and_question(self) -> tuple[EndedRun, Question]:
        """Return the run whose solutions these are, or the part of it, and its question.

        Raises `InputError` if the solutions were not kept, or if it is not known of which puzzle they are.
        """

    @abstractmethod
    def _repr_html_(self) -> str:
        """Return the pictures of the first solutions, which Jupyter shows."""

    def gallery(self) -> Any:
        """Return a widget with pictures of these solutions and a filter, for a notebook.

        Raises `InputError` if the solutions were not kept, or if the package anywidget is not installed.
        """
        run, _ = self._run_and_question()
        return function("gallery", "a gallery")(run.question, run.in_order(), self._repr_html_)

    def save(self, path: str | os.PathLike[str], *, output: str = "", **settings: object) -> None:
        """Write these solutions to a file or into a new folder.

        Parameters
        ----------
        path
            The ending of the name chooses the format: .html for a page with pictures of these solutions and a filter,
            .pdf or .svg for sheets to print, .csv for a table, .json or .jsonl for [label, value] pairs, as one array
            or line by line, or .txt for drawings.
        output
            The output of the command line to write instead: "svg" for a folder with a picture of each solution,
            "certify" for a folder with a proof of the count, for ``python -m solvers check``.
        settings
            Options of the output: ``title`` and ``author`` of a page or of sheets, ``text`` (a file) of a page,
            ``paper`` ("a4" or "letter") and ``cell`` (the width of a cell in millimetres) of sheets.

        Raises
        ------
        InputError
            If the file or folder cannot be written, the output has no such setting, the result does not keep all its
            solutions, or the output needs a complete result and this is none, or a part of one.
        """
        name = os.fspath(path)
        kind = output or _OUTPUT_OF_ENDING.get(os.path.splitext(name)[1].lower(), "")
        row = OUTPUTS.get(kind)
        if row is None:
            folders = " or ".join(option for option, row in OUTPUTS.items() if row.is_folder)
            *endings, last = _OUTPUT_OF_ENDING
            raise InputError(
                f"cannot write {output or name or repr(name)}: name a file that ends in {', '.join(endings)} or "
                f"{last}, or choose the output of a folder: {folders}"
            )
        for setting in settings:
            if setting not in row.settings:
                raise InputError(
                    f"{name}: {setting} is no setting of this output ({', '.join(row.settings) or 'none'})"
                )
        run, question = self._run_and_question()
        if row.needs_all and not run.report.complete:
            raise InputError(f"{name} needs all solutions, but the search was not complete")
        if run.report.selected is not None and (row.needs_all or not row.lists_solutions):
            raise InputError(f"{name} is about all solutions, and these are a part of them; save the whole result")
        # Settings are texts on the command line, but for switches.
        chosen = {
            setting: value if isinstance(value, bool) else str(value)
            for setting, value in settings.items()
            if value is not None
        }
        writer: Output = load(row.place, kind)(name, **chosen)
        writer.begin(question)
        # A sentence on what the output lacks; False: there is no time limit.
        missing = writer.finish(run, lambda: False)
        if missing and (row.needs_all or not row.lists_solutions):
            raise InputError(f"{question.puzzle.name}: {missing}")

    def to_frame(self) -> Any:
        """Return a table of pandas with a row for each of these solutions and a column for each label.

        Raises
        ------
        InputError
            If the result does not keep its solutions, or if pandas is not installed.

        Examples
        --------
        >>> from solvers import solve
        >>> from models.magic import magic
        >>> solve(magic(kind="ring")).to_frame()[[(0, 0), (2, 2)]].values.tolist()
        [[1, 2], [1, 2], [1, 4], [1, 6], [3, 6], [3, 8]]
        """
        run, question = self._run_and_question()
        try:
            import pandas
        except ImportError:
            raise InputError("a frame needs pandas; install it with pip install pandas") from None
        key = question.key
        labels = pandas.Index([*question.puzzle.key], dtype=object, tupleize_cols=False)
        return pandas.DataFrame(key.rows_of_all_labels(key.literal_rows(run.in_order())), columns=labels)


class Solution(Decoded):
    """The value of each key variable by its label.

    Boolean variables that are 0, which are all variables with the domain 0..1, are not listed but can be looked up; in
    `whole()` they are listed, too. Jupyter shows it as a picture, `print` as text.
    """

    def __init__(self, values: Mapping[Any, int], run: EndedRun) -> None:
        """Take the values by label, and the run that found them, which has come to its search."""
        assert run.question  # which a run has once it has come to its search
        super().__init__(values, run.question.key)
        self.run = run
        self.key = run.question.key
        """The key of the puzzle, which numbers the literals."""
        self.puzzle = run.question.puzzle

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

        turns: whether the picture of a solid has controls that turn and open it. A picture needs the extra for
        pictures; without it the result is text. Raises `InputError` if the drawing cannot be shown.
        """
        if "picture" in FUNCTIONS and (self.puzzle.draw or draw.has_board(self.puzzle)):
            return str(function("picture", "a picture")(self.puzzle, self, turns=turns))
        return f"<pre>{escape(str(self))}</pre>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Write the solution as text to IPython's printer; ``cycle``, a part of its protocol, is not used."""
        printer.text(str(self))


class Solutions(Published, list[Solution]):
    """A list of solutions, which is saved and shown as a result is.

    Jupyter shows the first ones as pictures, and `print` as text. The solutions are of one run.

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

    def __init__(
        self, solutions: Iterable[Solution] = (), run: EndedRun | None = None, where: Sequence[str] = ()
    ) -> None:
        """Take the solutions of one run.

        run: the run; by default that of the first solution. where: the conditions that the solutions fulfil, as texts.
        """
        super().__init__(solutions)
        self._run = run or next((solution.run for solution in self), None)
        self._where = where

    @overload
    def __getitem__(self, index: SupportsIndex) -> Solution: ...
    @overload
    def __getitem__(self, index: slice) -> Solutions: ...
    def __getitem__(self, index: SupportsIndex | slice) -> Solution | Solutions:
        """Return one solution or, for a slice, a list of this type."""
        chosen = super().__getitem__(index)
        return Solutions(chosen, self._run, self._where) if isinstance(chosen, list) else chosen

    def where(self, *conditions: Literal | Callable[[Solution], object] | str) -> Solutions:
        """Return the solutions for which all conditions hold: literals (label, value), functions or "PROPERTY=VALUE".

        See `Result.where`. Raises `InputError` if the puzzle has no such label or property, or no such value of it.
        """
        question = self._run.question if self._run else None
        holds = [_condition(condition, question) for condition in conditions]
        words = [condition for condition in conditions if isinstance(condition, str)]
        chosen = [solution for solution in self if all(condition(solution) for condition in holds)]
        return Solutions(chosen, self._run, [*self._where, *words])

    def _run_and_question(self) -> tuple[EndedRun, Question]:
        """Return these solutions as a part of their run, and its question; see `Published`."""
        if self._run is None or self._run.question is None:
            raise InputError("there is no solution, and it is not known of which puzzle")
        question = self._run.question
        # Each solution as the numbers of its literals.
        numbers = [literal_numbers(solution, question.key) for solution in self]
        return Selection(self._run, numbers, self._where), question

    def __str__(self) -> str:
        """Return the first solutions as numbered text drawings side by side, and how many more there are."""
        pictures = [
            [str(number), *str(solution).split("\n")] for number, solution in enumerate(self[:SOLUTIONS_SHOWN], 1)
        ]
        text = draw.side_by_side(pictures, shutil.get_terminal_size().columns)
        more = len(self) - SOLUTIONS_SHOWN
        return f"{text}\n\nand {more} more" if more > 0 else text

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Write the solutions as text to IPython's printer; ``cycle``, a part of its protocol, is not used."""
        printer.text(str(self))

    def _repr_html_(self) -> str:
        """Return the pictures of the first solutions, which Jupyter shows."""
        return pictures_html(self, len(self))


def _condition(
    condition: Literal | Callable[[Solution], object] | str, question: Question | None
) -> Callable[[Solution], object]:
    """Return a condition of `Result.where` as a function of a solution, whose result is true iff it fulfils it.

    condition: a function, which is returned as it is; a text PROPERTY=VALUE; or a literal (label, value). question:
    that of the solutions; None if there is no solution, so that the result does not matter. Raises `InputError` if the
    puzzle has no such label or property.
    """
    if callable(condition):
        return condition
    if question is None:
        return lambda _: False
    if isinstance(condition, str):
        is_fulfilled, key = PropertyCondition(question, condition).is_fulfilled, question.key
        return lambda solution: is_fulfilled(literal_numbers(solution, key))
    label, value = condition
    if label not in question.key.position:
        raise InputError(f"{question.puzzle.name} has no label {label!r}")
    return lambda solution: solution[label] == value
