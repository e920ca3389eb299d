"""Reads nonograms from files: .non, the format of S. Simpson's solver, and JSON with the clues of rows and columns."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from models.puzzle import Puzzle
from solvers.base.errors import InputError
from solvers.files.catalogue import find
from solvers.files.load import read_text
from solvers.show.printable import quotation

ROWS = ("rows", "row_clues", "rowClues", "row")
COLUMNS = ("columns", "cols", "column_clues", "columnClues", "col_clues", "colClues", "column", "col")
"""The names that the clues have in JSON, in the order in which they are looked for."""

HOLDERS = ("clues", "hints", "puzzle", "nonogram")
"""The names of an object in JSON in which the clues stand, if they do not be at the top."""


def non(path: str) -> Puzzle:
    """A nonogram in the format .non: cells are filled so that all rows and columns have the blocks of their clues.

    Lines such as ``width 5`` and ``title "Dancer"`` are followed by ``rows`` and ``columns``, each with a clue such as
    2,1 in each line. A goal is left aside.

    Raises ValueError, which names the line, if the file is not in this format, and `InputError` if it cannot be read.
    """
    text = read_text(Path(path))
    try:
        puzzle = find("nonogram").declare(puzzle=text)
    except InputError as error:
        raise ValueError(str(error).removeprefix("nonogram: ")) from None
    assert isinstance(puzzle, Puzzle)
    return puzzle


def nonogram_json(path: str) -> Puzzle:
    """A nonogram in JSON: cells are filled so that all rows and columns have the blocks of their clues.

    The file is an object with a list of clues for the rows and one for the columns; a clue is a list of numbers, a
    number, or a text such as "2 1".

    Raises ValueError if the file holds no such object, and `InputError` if it cannot be read.
    """
    text = read_text(Path(path))
    try:
        top = json.loads(text)
    except ValueError as error:
        raise ValueError(f"it is no JSON: {error}") from None
    except RecursionError:
        raise ValueError("it is nested too deeply to be a nonogram") from None
    # The clues are at the top, or in an object there.
    holders = [top, *(top.get(name) for name in HOLDERS)] if isinstance(top, dict) else []
    for holder in holders:
        if isinstance(holder, dict):
            rows = next((holder[name] for name in ROWS if isinstance(holder.get(name), list)), None)
            columns = next((holder[name] for name in COLUMNS if isinstance(holder.get(name), list)), None)
            if rows and columns:
                row_texts = [_clue_text(clue, f"row {number}") for number, clue in enumerate(rows, 1)]
                column_texts = [_clue_text(clue, f"column {number}") for number, clue in enumerate(columns, 1)]
                return _puzzle(row_texts, column_texts)
    raise ValueError('it has no lists "rows" and "columns" with a clue for each; is this a nonogram?')


def _puzzle(rows: list[str], columns: list[str]) -> Puzzle:
    """Return the nonogram with these clues, each as numbers with blanks between; raise ValueError if they cannot be."""
    puzzle = find("nonogram").declare(puzzle=f"{'/'.join(rows)} | {'/'.join(columns)}")
    assert isinstance(puzzle, Puzzle)
    return puzzle


def _clue_text(clue: Any, place: str) -> str:
    """Return a clue of JSON as numbers with blanks between; raise ValueError, which names its place, if it is none.

    clue: a list of numbers, a number, or a text such as "2 1" or "2,1". Without numbers it becomes "0".
    """
    if isinstance(clue, str):
        numbers = re.findall("[0-9]+", clue)
        is_clue = bool(re.fullmatch(r"[0-9,.\s-]*", clue))
    else:
        numbers_of_clue = clue if isinstance(clue, list) else [clue]
        is_clue = all(type(number) is int and number >= 0 for number in numbers_of_clue)
        numbers = list(map(str, numbers_of_clue))
    if not is_clue:
        raise ValueError(f"{place}: {quotation(str(clue))} is no clue; write a list of numbers such as [2, 1]")
    return " ".join(numbers) or "0"
