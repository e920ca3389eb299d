"""Reads matrices of zeros and ones as exact covers: as text, as .csv, and as .npy of NumPy."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from models.boards.compressed import ending
from models.puzzle import FileReading, Puzzle, Remarks
from solvers.files.load import MAX_MODEL_VARIABLES, read_decompressed, read_text
from solvers.show.printable import quotation

MATRIX = "a matrix of zeros and ones"

PENCIL = "(a pencil puzzle is read by python -m solvers unique, such as unique sudoku FILE)"
"""Advice about a text that may be something else."""

MAX_NAMES = 3
"""The most rows that a warning names."""


class TableLine(NamedTuple):
    """A line of a table: its number in the file, and its cells."""

    number: int
    cells: Sequence[str]


class ZerosAndOnes(NamedTuple):
    """A matrix with the names of its rows and columns; a row has the places of its ones."""

    rows: list[tuple[str, list[int]]]
    columns: list[str]


def matrix(path: str) -> Puzzle:
    """An exact cover, as a matrix of zeros and ones: rows are chosen so that each column has exactly one 1.

    In .csv the first line may name the columns, and the first column the rows; other rows and columns are called by
    their numbers, from 1. Each row makes a difference between solutions, also two that are the same. Rows without a 1
    are never chosen, so they are left out.

    Raises ValueError, which names the line, if the file is not such a matrix, and `InputError` if it cannot be read.
    """
    from ortools.sat.python.cp_model import CpModel

    kind = ending(Path(path))
    content = _rows_of_numpy(Path(path)) if kind == ".npy" else _rows_of_text(read_text(Path(path)), kind == ".csv")
    if max(len(content.rows), len(content.columns)) > MAX_MODEL_VARIABLES:
        raise ValueError(f"it has more than {MAX_MODEL_VARIABLES} rows or columns")
    model = CpModel()
    variable_by_row = {name: model.new_bool_var(name) for name, ones in content.rows if ones}
    rows_of_column: list[list[str]] = [[] for _ in content.columns]
    for name, ones in content.rows:
        for place in ones:
            rows_of_column[place].append(name)
    for column, names in zip(content.columns, rows_of_column, strict=True):
        model.add_exactly_one([variable_by_row[name] for name in names]).with_name(column)
    if not variable_by_row:
        raise ValueError("it has no 1; is this a matrix of zeros and ones?")
    empty_rows = [name for name, ones in content.rows if not ones]
    further = ", ..." if len(empty_rows) > MAX_NAMES else ""
    warnings = (
        [f"{path}: left out, as it covers nothing: {', '.join(empty_rows[:MAX_NAMES])}{further}"] if empty_rows else []
    )
    file = FileReading(["our reader of matrices"])
    return Puzzle(path, {}, model, variable_by_row, remarks=Remarks(warnings=warnings), file=file)


def _rows_of_text(text: str, is_csv: bool) -> ZerosAndOnes:
    """Parse a matrix as text; raise ValueError, which names the line, if it is none.

    The result has for each row its name and the places of its ones. is_csv: whether the first line may name the
    columns, and the first column the rows.
    """
    lines = _lines_of_cells(text, is_csv)
    if not lines:
        raise ValueError(f"it holds no line; is this {MATRIX}?")
    names: Sequence[str] = ()
    if is_csv and not _is_row(lines[0].cells[1:] or lines[0].cells):
        names = lines[0].cells
        lines = lines[1:]
    # The first column is one of names if an entry of it is no digit, if it has no heading, or if the headings lack one.
    has_word = is_csv and any(not _is_row(line.cells[:1]) for line in lines)
    lacks_heading = bool(names and (not names[0].strip() or (lines and len(names) == len(lines[0].cells) - 1)))
    has_row_names = has_word or lacks_heading
    name_columns = int(has_row_names)  # how many columns are names: 0 or 1
    width = len(lines[0].cells) - name_columns if lines else 0
    if lines and len(names) == len(lines[0].cells):
        names = names[name_columns:]
    if names and len(names) != width:
        raise ValueError(f"line 1 has {len(names)} names, but line {lines[0].number if lines else 2} {width} numbers")
    rows = []
    for number, cells in lines:
        numbers = [cell.strip() for cell in cells[name_columns:]]
        if len(numbers) != width:
            raise ValueError(f"line {number} has {len(numbers)} numbers, but the first row has {width}")
        if not _is_row(numbers):
            stray = next(number for number in numbers if number not in ("0", "1"))
            advice = "" if is_csv else f" {PENCIL}"
            raise ValueError(
                f"line {number} holds {quotation(stray)}, which is neither 0 nor 1; is this {MATRIX}?{advice}"
            )
        name = cells[0].strip() if has_row_names else ""
        rows.append((name, [place for place, entry in enumerate(numbers) if entry == "1"]))
    return _matrix_with_names(rows, [name.strip() for name in names] or [""] * width)


def _lines_of_cells(text: str, is_csv: bool) -> list[TableLine]:
    """Return the lines of a matrix as text that hold anything but a comment, divided into cells.

    is_csv: cells are divided by the first of ";", tab and "," that the first line has. Other text may have comments
    behind #. Raises ValueError, with the line, for a table that is damaged.
    """
    if not is_csv:
        numbered_lines = [(number, line.partition("#")[0]) for number, line in enumerate(text.splitlines(), 1)]
        return [TableLine(number, _cells(line)) for number, line in numbered_lines if line.strip()]
    text = text.removeprefix("\ufeff")  # so begin the files of spreadsheets
    first_line = text.partition("\n")[0]
    delimiter = next((delimiter for delimiter in (";", "\t", ",") if delimiter in first_line), ",")
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        return [TableLine(reader.line_num, cells) for cells in reader if any(cell.strip() for cell in cells)]
    except csv.Error as error:
        raise ValueError(f"line {reader.line_num}: {error}; is this a table?") from None


def _cells(line: str) -> list[str]:
    """Return the numbers in a line, with or without blanks, commas or brackets between them."""
    words = re.sub(r"[\[\](),;]", " ", line).split()
    return [cell for word in words for cell in (word if re.fullmatch("[01]+", word) else [word])]


def _is_row(cells: Sequence[str]) -> bool:
    """Tell whether all cells are 0 or 1."""
    return all(cell.strip() in ("0", "1") for cell in cells)


def _rows_of_numpy(path: Path) -> ZerosAndOnes:
    """Read a matrix that NumPy has saved; return the places of the ones in each row, which have no names.

    Raises ValueError if the file holds no matrix of zeros and ones, that is, numbers with two axes.
    """
    import numpy as np

    try:
        array = np.load(io.BytesIO(read_decompressed(path)), allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        complaint = " ".join(str(error).split())
        raise ValueError(f"it is not a matrix of NumPy (.npy): {quotation(complaint)}") from None
    if not isinstance(array, np.ndarray) or array.ndim != 2:
        raise ValueError(f"it holds no matrix, that is, no array with two dimensions; give {MATRIX}")
    if array.dtype.kind not in "buif":
        raise ValueError(f"it holds {quotation(str(array.dtype))} instead of numbers; give {MATRIX}")
    strays = np.argwhere((array != 0) & (array != 1))
    if len(strays):
        row, column = map(int, strays[0])
        raise ValueError(f"row {row + 1}, column {column + 1} is {array[row, column]}, which is neither 0 nor 1")
    rows = [("", [int(place) for place in np.flatnonzero(row)]) for row in array]
    return _matrix_with_names(rows, [""] * array.shape[1])


def _matrix_with_names(rows: list[tuple[str, list[int]]], columns: list[str]) -> ZerosAndOnes:
    """Return a matrix in which each row and column has a name of its own: its number where it has none.

    rows: the name, "" for none, and the places of the ones of each. columns: the names. Raises ValueError if two have
    the same name.
    """
    named_rows = [(name or f"row {number}", ones) for number, (name, ones) in enumerate(rows, 1)]
    named_columns = [name or f"column {number}" for number, name in enumerate(columns, 1)]
    matrix = ZerosAndOnes(named_rows, named_columns)
    for names, kind in (([name for name, _ in matrix.rows], "rows"), (matrix.columns, "columns")):
        twice = [name for name, times in Counter(names).items() if times > 1]
        if twice:
            raise ValueError(f"two {kind} are called {quotation(twice[0])}; give each a name of its own")
    return matrix
