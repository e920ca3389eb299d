"""Puzzles that were made, written to files: sheets, pages, links and tables."""

from __future__ import annotations

import csv
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from html import escape

from models.puzzle import Drawing, Given, Puzzle
from solvers.base.errors import InputError
from solvers.base.plugs import function
from solvers.extras.pictures import paper, svg
from solvers.extras.pictures.page import html
from solvers.extras.pictures.sheet import check_pdf, pdf
from solvers.extras.questions.make.maker import MadePuzzle
from solvers.files.catalogue import find
from solvers.outputs.output import FileOutput
from solvers.running.stated import problem_statement
from solvers.show import draw
from solvers.show.plain import plain_label

COLUMNS = ("number", "puzzle", "level", "name", "looks", "tightest", "clues", "solution")
"""The columns of a table."""

PAPER = "a4"
"""The size of sheets."""


def sheet(output: FileOutput, genre: str, puzzles: Sequence[MadePuzzle]) -> None:
    """Write sheets with several puzzles each, and their answers on the last ones.

    Raises `InputError` if the name does not end in .pdf, or if a PDF cannot be written.
    """
    if output.path.suffix != ".pdf":
        raise InputError(f"--sheet {output.path.name} does not end in .pdf; choose such a name")
    check_pdf()
    sheets = []
    for heading, drawings in ((genre, map(_puzzle, puzzles)), (f"{genre}: answers", map(_answer, puzzles))):
        numbered_items = [paper.item(drawing, number, PAPER) for number, drawing in enumerate(drawings, 1)]
        # `pages` distributes the drawings over pages, on which they are large enough to be read.
        pages = paper.pages(numbered_items, PAPER, paper.READABLE)
        sheets += [paper.sheet(page, PAPER, paper.Heading(heading)) for page in pages]
    with output.stream() as stream:
        stream.buffer.write(pdf(sheets, PAPER))  # type: ignore[attr-defined]


def gallery(output: FileOutput, genre: str, puzzles: Sequence[MadePuzzle]) -> None:
    """Write a page with all puzzles, each with its level and, to be opened, its answer."""
    parts = []
    for number, puzzle in enumerate(puzzles, 1):
        level = f"{puzzle.reasoning.name}: {escape(puzzle.reasoning.words)}"
        question = svg.picture(_puzzle(puzzle))
        answer = svg.picture(_answer(puzzle))
        parts.append(
            f"<figure><figcaption>{number}. {level}</figcaption>"
            f"{question}<details><summary>answer</summary>{answer}</details></figure>"
        )
    output.write(html(genre, "", "", "".join(parts)))


def url(output: FileOutput, genre: str, puzzles: Sequence[MadePuzzle]) -> None:
    """Write a link in each line; raise `InputError` if there is none for such puzzles.

    If clues give literals, the puzzle is declared again without its clues, and the link has these as givens.
    """
    link = function("link of puzzle", "--url")  # an extra: takes (puzzle, givens as facts, key)
    lines = []
    for puzzle in puzzles:
        without_clues: Puzzle = puzzle
        if puzzle.shown:
            parameters = {name: puzzle.parameters[name] for name in puzzle.parameters if name != "puzzle"}
            without_clues = find(genre).declare(**parameters)
        # `problem_statement` returns (model, key, symmetry group, givens as facts).
        givens = tuple(puzzle.shown.items())
        _, key, _, facts = problem_statement(without_clues, "none", givens, threading.Event())
        lines.append(link(without_clues, facts, key))
    output.write("".join(f"{line}\n" for line in lines))


def table(output: FileOutput, genre: str, puzzles: Sequence[MadePuzzle]) -> None:
    """Write a table with a row for each puzzle; its solution is a list of literals, without zeros."""
    with output.stream() as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(COLUMNS)
        for number, puzzle in enumerate(puzzles, 1):
            solution = json.dumps(
                [[label, int(value)] for label, value in puzzle.answer.items() if value], default=plain_label
            )
            steps = puzzle.reasoning
            figures = [steps.level, steps.name, steps.looks, steps.tightest, puzzle.clues]
            writer.writerow([number, puzzle.line, *figures, solution])


WRITERS: Mapping[str, Callable[[FileOutput, str, Sequence[MadePuzzle]], None]] = {
    "sheet": sheet,
    "gallery": gallery,
    "url": url,
    "csv": table,
}
"""The function for each option that names a file; it takes the file, the genre and the puzzles."""


def _puzzle(puzzle: MadePuzzle) -> Drawing:
    """Return a drawing of a puzzle without its solution; its caption is above, where it has one.

    A packing without pieces on the board is drawn by `Puzzle.sheets`, with the pieces beside the board.
    """
    if puzzle.sheets and not puzzle.shown:
        first_frame, *other_frames = puzzle.sheets(Given(), [])[0]
    else:
        first_frame, *other_frames = draw.drawing(puzzle, puzzle.shown)
    caption = ", ".join(filter(None, [puzzle.caption, first_frame.caption]))
    return [first_frame._replace(caption=caption), *other_frames]


def _answer(puzzle: MadePuzzle) -> Drawing:
    """Return a drawing of the solution of a puzzle."""
    return draw.drawing(puzzle, puzzle.answer)
