"""Puzzle texts read a second time, for the checks of the shelf: these share nothing with what the models read.

A text that the first reading refuses does not come here.
"""

import os
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from models.boards import grid

Cell = tuple[int, int]

SIGN = "[0-9A-Z.?*_-]"
"""A pattern for a sign of a cell: a digit, a letter, or one of the signs for an empty cell."""


def content(puzzle: str) -> str:
    """Return the text of a puzzle, or that of the file with this path."""
    return _text_with_blanks(puzzle).strip()


def _text_with_blanks(puzzle: str) -> str:
    """Return what `content` does, with the blanks at its ends."""
    if not os.path.isfile(puzzle):
        return puzzle
    return grid.text_of(puzzle, "a puzzle; write one")


def board(puzzle: str) -> list[str]:
    """Return the rows of a board, in which each character is a cell.

    In a game ID such as 3x2:1d2, a small letter represents as many empty cells as its place in the alphabet says. Rows
    are divided by / or blanks; in a game ID, the number before x is the width.

    >>> board("1../..2"), board("3x2:1d2")
    (['1..', '..2'], ['1..', '..2'])
    """
    size, colon, cells = content(puzzle).partition(":")
    if not colon:
        return re.split(r"[\s/]+", size)
    width_text, _, _ = size.partition("x")
    width = int(width_text)
    cells = re.sub("[a-z]", lambda letter: "." * (ord(letter[0]) - 96), cells)
    starts = range(0, len(cells), width)
    return [cells[start : start + width] for start in starts]


def cells_of(rows: Sequence[Sequence[str]]) -> dict[Cell, str]:
    """Return the content of each cell of some rows."""
    contents = {}
    for r, row in enumerate(rows):
        for c, mark in enumerate(row):
            contents[r, c] = mark
    return contents


def rows_of(puzzle: str) -> list[str]:
    """Return the rows of a board of clues, in which each character is a cell and a dot an empty one.

    Blanks are empty cells if there is no other sign for them.

    >>> rows_of("3 4/ 2"), rows_of("3 - 4 / _ 2 ."), rows_of("3x1:1b")
    (['3.4', '.2.'], ['3.4', '.2.'], ['1..'])
    """
    text = _text_with_blanks(puzzle).strip("\r\n")
    if ":" in text:
        return board(puzzle)
    rows = [row.rstrip("\r") for row in re.split("[/\n]", text)]
    if re.search("[._-]", text):
        rows_without_blanks = [re.sub(r"\s", "", row) for row in rows]
        return [re.sub("[_-]", ".", row) for row in rows_without_blanks]
    width = max(map(len, rows))
    return [f"{row:{width}}".replace(" ", ".") for row in rows]


def square(puzzle: str) -> dict[Cell, int]:
    """Return the numbers in the cells of a sudoku that a text, or the file with this path, shows.

    Cells without a number are left out. The result is empty if the text shows no square. A cell is (row, column). Each
    reading of the text gives the signs of the cells; the first one counts that has the number of signs of a square of
    at least 4 rows, and only numbers that fit.

    >>> square("a1b2 1...34....21...4"), square("0102,0201,1020,2010")[0, 1]
    ({(0, 0): 1, (1, 0): 3, (1, 1): 4, (2, 2): 2, (2, 3): 1, (3, 3): 4}, 1)
    """
    text = content(puzzle).upper()
    # Without comments, and a first line with the names of columns.
    heading = r"(?m)^\s*(#|//|%|\[[A-Z ]+\]).*$|\A\ufeff?[A-Z_][A-Z_ ,;\"\t]*\n"
    text = re.sub(heading, "", text).strip("\n\ufeff")
    for signs in _sign_readings(text):
        side = int(len(signs) ** 0.5)
        all_signs = "".join(signs)
        numbers = [_number_of_sign(sign, all_signs, side) for sign in signs]
        are_numbers = all(0 <= number <= side for number in numbers)
        is_square = side > 3 and side**2 == len(signs)
        if is_square and are_numbers:
            return {divmod(place, side): number for place, number in enumerate(numbers) if number}
    return {}


def _sign_readings(text: str) -> list[list[str]]:
    """Return the signs in the cells of a square in each way in which a text may show one, the likeliest first.

    The text is in capitals. Each way gives a list of the signs, row by row; most of them are of no square.
    """
    if "[" in text:  # a list of a programming language
        list_text = text[text.index("[") :]
        text = re.sub("NONE|NULL|NAN|\"\"|''", "0", list_text)
        text = re.sub(r"[][(),\"']", " ", text)
    lines = text.split("\n")
    rule = re.compile(r"(?=.*(--|==|\u2500\u2500))[*.:'|\s+=\u2500-\u257f-]*")
    rows = [line for line in lines if line.strip() and not rule.fullmatch(line)]
    readings: list[list[str]] = []
    if len(lines) == 1:  # one word, the longest that has a square number of signs
        words = re.findall(f"{SIGN}+", text.replace("+", ""))
        squares = [word for word in words if int(len(word) ** 0.5) ** 2 == len(word) > 15]
        squares.sort(key=lambda word: (-len(word), not re.search("[.0?*_-]", word)))
        readings += map(list, squares[:1])
    readings += _signs_between_lines(lines)
    values_of_rows = [re.split("[,;\t]", row.rstrip()) for row in rows]
    readings.append([cell.strip(" \"'") or "." for row in values_of_rows for cell in row])
    text_of_rows = " ".join(rows)
    text_of_lines = " ".join(lines)
    readings.append(re.findall(f"{SIGN}+", text_of_rows))  # a word for each cell
    readings.append(re.findall(SIGN, text_of_rows))  # a sign for each cell
    readings.append(re.findall(SIGN, text_of_lines))
    width = max(map(len, rows), default=0)  # a sign or a blank for each cell
    padded_rows = [row.replace("|", "").ljust(width) for row in rows]
    signs = "".join(padded_rows).replace(" ", ".")
    return [*readings, [*signs]]


def _signs_between_lines(lines: Sequence[str]) -> list[list[str]]:
    """Return the signs of a square with lines around all cells, as a list in a list; an empty list if there is none.

    The rows of cells are every second line between the first and the last of those that are frames. lines: those of the
    text. A cell without a sign becomes a dot.
    """
    frames = [place for place, line in enumerate(lines) if re.fullmatch("[+\u2500-\u257f=-]{5,}", line.strip())]
    if not frames:
        return []
    first = frames[0]
    last = frames[-1]
    if last - first <= 7:
        return []
    inside = [line.strip() for line in lines[first + 1 : last : 2]]
    width = (len(inside[0]) - 1) // len(inside)
    cells = []
    for line in inside:
        for place in range(1, width * len(inside), width):
            content_of_cell = re.sub(r"[\s|\u2500-\u257f]", "", line[place : place + width])
            cells.append(content_of_cell or ".")
    return [cells]


def _number_of_sign(sign: str, signs: str, side: int) -> int:
    """Return the number that a sign represents in a square with these signs, 0 for none, and -1 if it is no sign.

    Digits only are numbers. With letters, A is 10; it is 1 if there are no digits; and numbers from 0 on are counted
    from 1 if 0 cannot mean an empty cell. sign: a capital, a digit or another sign. side: the number of rows.
    """
    is_of_digits = not re.search("[A-Z]", signs)
    if sign.isdigit() and is_of_digits:
        return int(sign)
    if sign in "._-*?":
        return 0
    if not re.fullmatch("[0-9A-Z]", sign):
        return -1
    place = int(sign, 36)
    if not re.search("[1-9]", signs):  # from A on
        return max(place - 9, 0)
    # 0 is a number if there is another sign for an empty cell, or if the square is full.
    has_other_empty = re.search("[._*?-]", signs)
    is_full = signs.count("0") == side == len({*signs})
    is_zero_number = "0" in signs and (has_other_empty or is_full)
    if is_zero_number and side > 9:
        return place + 1
    return place


def numbers_in(text: str) -> list[int]:
    """Return the numbers in a text.

    >>> numbers_in("1 12.0")
    [1, 12, 0]
    """
    words = re.findall("[0-9]+", text)
    return [int(word) for word in words]


def is_latin_square(side: int, numbers: Mapping[Any, int]) -> bool:
    """Tell whether each row and column of a square has the numbers from 1 to its side; numbers: by cell.

    >>> is_latin_square(2, {(0, 0): 1, (0, 1): 2, (1, 0): 2, (1, 1): 1})
    True
    """
    along = range(side)
    rows = [[numbers[r, c] for c in along] for r in along]
    columns = zip(*rows, strict=True)
    lines = [*rows, *columns]
    wanted = [*range(1, side + 1)]
    return all(sorted(line) == wanted for line in lines)


def side_neighbours(cell: Cell) -> list[Cell]:
    """Return the four cells, on the board or not, that share a side with a cell."""
    r, c = cell
    return [(r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)]


def piece(cells: Collection[Cell], start: Cell) -> set[Cell]:
    """Return the cells that are connected with a first one by sides of cells of the set.

    cells: the set, with the first one, ``start``.

    >>> sorted(piece([(0, 0), (0, 1), (1, 2)], (0, 0)))
    [(0, 0), (0, 1)]
    """
    unvisited = {*cells} - {start}
    visited = [start]
    for cell in visited:  # which grows in the loop
        new_neighbours = unvisited.intersection(side_neighbours(cell))
        unvisited -= new_neighbours
        visited += new_neighbours
    return {*visited}


def is_connected(cells: Collection[Cell]) -> bool:
    """Tell whether cells are connected by their sides; no cells are connected, too."""
    if not cells:
        return True
    first_cell = next(iter(cells))
    return len(piece(cells, first_cell)) == len(cells)
