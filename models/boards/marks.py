"""Contents of cells as people write them: clues in one line or a game ID, and squares of numbers."""

import os
import re
from collections.abc import Collection, Iterator, Sequence
from math import isqrt
from typing import NamedTuple

from models.boards import grid
from models.boards.grid import Cell
from models.errors import ParameterError, number_with_unit

EMPTY = frozenset(("", ".", "0", "_", "-", "*", "?"))
"""The content of a cell of which nothing is known, unless the puzzle has something of this name."""


def _is_composite(side: int) -> bool:
    """Tell whether a number from 2 on is a product of two smaller ones."""
    return any(side % n == 0 for n in range(2, side))


SIDES = tuple(filter(_is_composite, range(4, 37)))
"""The sides of squares that blocks of several rows and columns divide."""

DIGITS, LETTERS = "123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""The signs of the numbers from 1 on in squares, and of those from 10 on, or of all numbers."""

COMMENT = re.compile(r"\s*(#|//|%|\[[A-Za-z ]+\])")
"""Matches what says something about a square before it: comments, and headings such as [Puzzle]."""

RULE = re.compile(r"[\s|+=\-\u2500-\u257f]*[+=\-\u2500-\u257f]{2,}[\s|+=\-\u2500-\u257f]*")
"""Matches a line that only divides rows."""

HEADER = re.compile(r"[A-Za-z_][A-Za-z_ ,;\"\t]*")
"""Matches the names of columns above lines with squares."""

DIVIDING = re.compile(r"[*.:'|\s]*[+=\-\u2500-\u257f]{2,}[*.:'|\s+=\-\u2500-\u257f]*")
"""Matches a line that divides the rows of a square."""

UPRIGHT = re.compile("[|\u2502\u2503\u2551]")
"""Matches a character that only divides columns."""

MOST_PENCIL_CELLS = 2500
"""The most cells of a puzzle; models of larger ones take more time than solvers have."""


class Clues(NamedTuple):
    """A board of rows and columns with marks in some of its cells."""

    rows: int
    columns: int
    marks: dict[Cell, str]
    """The character in each cell that has one, in reading order."""
    variant: str = ""
    """What a game ID says between its size and the colon."""

    @property
    def cells(self) -> list[Cell]:
        """The cells of the board, in reading order."""
        return sorted(grid.box(self.rows, self.columns))

    def turns(self, more: int = 0) -> list[grid.Turn]:
        """Return the turns that carry each mark to one like it, without the identity.

        more: by how many rows and columns the points that are turned are more than the cells; 1 for corners. The
        list of turns of points has the same turns in the same order as that of cells.
        """
        turns_of_cells = grid.symmetries(grid.box(self.rows, self.columns))
        turns_of_points = grid.symmetries(grid.box(self.rows + more, self.columns + more))
        turns = []
        pairs_of_turns = zip(turns_of_cells[1:], turns_of_points[1:], strict=True)
        for turn_of_cells, turn_of_points in pairs_of_turns:
            image = {turn_of_cells(cell): mark for cell, mark in self.marks.items()}
            if image == self.marks:
                turns.append(turn_of_points)
        return turns


def text_of(puzzle: str) -> str:
    """Return the text of a puzzle, which may be the path of a file that holds it; its lines are joined by /.

    Raises ValueError if the file cannot be read.
    """
    text = puzzle
    if os.path.isfile(puzzle):
        text = grid.text_of(puzzle, "a puzzle; give the path", "with a puzzle")
    if not text.strip():
        return ""
    lines = text.strip("\r\n").splitlines()
    return "/".join(lines)


def read(puzzle: str, allowed: str, example: str, has_games: bool = True) -> Clues:
    """Return the clues of a puzzle.

    puzzle: rows with / between them, where . is an empty cell, or -, _ or a blank if that is clear; or a game ID
    WxH:..., where a letter from a to z represents 1 to 26 empty cells; or the path of a file with one of these.
    allowed: the characters that cells may have. example: one of these forms, for messages. has_games: whether game IDs
    are taken.

    Raises ValueError, with a sentence that names the place, if it is no such text.

    >>> read("1./.2/..", "12", "").marks
    {(0, 0): '1', (1, 1): '2'}
    >>> read("2x3:1b2b", "12", "") == read("1./.2/..", "12", "")
    True
    """
    text = text_of(puzzle)
    if not text:
        raise ParameterError(f"the puzzle is empty; give it as {example}")
    if has_games and ":" in text:
        return _clues_in_game(text.strip(), allowed, example)
    rows = _with_dots(text, allowed)
    return _clues_in_rows(rows, allowed, example)


def _with_dots(text: str, allowed: str) -> str:
    """Return rows with / between them in which only dots represent empty cells.

    Blanks are empty cells if no other sign represents these, up to the end of the longest row; otherwise they say
    nothing. Raises ValueError if that is not clear. allowed: the marks.

    >>> _with_dots("3 4/ 2", "234"), _with_dots("3 - 4 / _ 2 .", "234")
    ('3.4/.2.', '3.4/.2.')
    """
    dotted = re.sub("[_-]", lambda sign: sign[0] if sign[0] in allowed else ".", text)
    if "." in dotted or not re.search(r"\s", dotted):
        return re.sub(r"\s", "", dotted)
    rows = dotted.split("/")
    # Blanks before each row, or around each /, may only set the rows apart.
    is_each_indented = all(row.startswith(" ") for row in rows)
    has_inner_blanks = any(" " in row.rstrip() for row in rows)
    is_indented = is_each_indented or not has_inner_blanks
    is_spaced = 0 < dotted.count(" / ") == dotted.count("/")
    if is_indented or is_spaced or "\t" in dotted:
        raise ParameterError("blanks may be empty cells, or stand between cells; write . for an empty cell")
    width = max(map(len, rows))
    rows = [row.ljust(width) for row in rows]
    return "/".join(rows).replace(" ", ".")


def _clues_in_rows(text: str, allowed: str, example: str) -> Clues:
    """Return the clues in rows with / between them; see `read`.

    text: rows of one length, whose empty cells are dots. allowed: the marks. example: for the message of the ValueError
    if the text is no such rows.
    """
    rows = text.split("/")
    width = len(rows[0])
    _check_size(len(rows), width, example)
    marks: dict[Cell, str] = {}
    for r, row in enumerate(rows):
        if len(row) != width:
            size = number_with_unit(len(row), "cells")
            raise ParameterError(f"row {r + 1} has {size}, and row 1 has {width}; make them alike")
        for c, mark in enumerate(row):
            if mark == ".":
                continue
            if mark not in allowed:
                advice = _advice_on_marks(allowed)
                raise ParameterError(f"row {r + 1}, column {c + 1} holds {mark!r}; {advice}")
            marks[r, c] = mark
    return Clues(len(rows), width, marks)


def _clues_in_game(text: str, allowed: str, example: str) -> Clues:
    """Return the clues of a game ID; see `read`.

    text: the size, perhaps with a variant, a colon, and for each cell in order a mark, or a letter for some empty
    cells. allowed: the marks. example: for the message of the ValueError if the text is no such ID.
    """
    size, _, description = text.partition(":")
    match = re.fullmatch(r"([0-9]{1,4})x([0-9]{1,4})([^0-9x].*)?", size)
    if not match:
        raise ParameterError(f"{size!r} is no size, as it stands before the colon of {example}")
    columns, rows = map(int, match.group(1, 2))
    _check_size(rows, columns, example)
    marks: dict[Cell, str] = {}
    place = 0  # the number of the next cell, row by row
    for number, mark in enumerate(description, 1):
        if "a" <= mark <= "z":
            place += ord(mark) - ord("a") + 1
        elif mark in allowed:
            marks[divmod(place, columns)] = mark
            place += 1
        else:
            advice = _advice_on_marks(allowed)
            raise ParameterError(f"character {number} behind the colon is {mark!r}; {advice}")
    cells = rows * columns
    if place != cells:
        raise ParameterError(f"the text behind the colon is for {place} cells, and {columns}x{rows} has {cells}")
    return Clues(rows, columns, marks, match[3] or "")


def _check_size(rows: int, columns: int, example: str) -> None:
    """Raise ValueError if a board has no cells, or too many; example: for the message."""
    cells = rows * columns
    if not 0 < cells <= MOST_PENCIL_CELLS:
        raise ParameterError(f"the puzzle has {cells} cells; give one of 1 to {MOST_PENCIL_CELLS}, such as {example}")


def _advice_on_marks(allowed: str) -> str:
    """Return the advice for a mark that is not allowed."""
    marks = " ".join(allowed)
    return f"a cell is empty or has one of {marks}"


def is_non(text: str) -> bool:
    """Tell whether a text is a nonogram in the format .non, by its lines rows and columns.

    >>> is_non("rows\\n1\\ncolumns\\n1"), is_non("1 | 1")
    (True, False)
    """
    return any(re.search(rf"(?im)^\s*{heading}\s*$", text) for heading in ("rows", "columns"))


def contents_of(text: str, cells: int, names: Collection[str]) -> list[str] | None:
    """Return what a text says of each cell of a board, row by row: a name, or "" where nothing is known.

    The first reading with the right number of cells and only allowed names wins. If none fits and the names are the
    numbers of a sudoku, 1 to its side, the text may also be in a format of sudokus, such as a list in Python or a line
    with an ID beside the square. The result is None if no reading fits.

    cells: their number. names: what may be in a cell. `_readings` yields the words of the cells in each of the usual
    ways to write a board.

    >>> contents_of("1.3|..2", 6, "123"), contents_of("1,,3\\n,0,2", 6, "123"), contents_of("1 _ 3\\n_ _ 2", 6, "123")
    (['1', '', '3', '', '', '2'], ['1', '', '3', '', '', '2'], ['1', '', '3', '', '', '2'])
    >>> contents_of("12", 6, "123")
    """
    lines = _lines(text)
    rows = [line for line in lines if line.strip() and not RULE.fullmatch(line)]
    unknown = EMPTY.difference(names)
    for words in _readings(rows):
        contents = ["" if word in unknown else word for word in words]
        if len(contents) != cells:
            continue
        if all(word in names for word in contents if word):
            return contents
    side = round(cells**0.5)
    digits = {str(n) for n in range(1, side + 1)}
    is_sudoku = side in SIDES and {*names} == digits
    if not is_sudoku:
        return None
    squares = (square for square in _squares(text) if len(square) == cells)
    return next(squares, None)


def _lines(text: str) -> list[str]:
    """Return the lines of a text, without a mark of its encoding before them and without empty lines around them."""
    lines = text.strip("\ufeff\n").split("\n")
    return [line.rstrip("\r") for line in lines]


def is_line_of(text: str, names: Collection[str]) -> bool:
    """Tell whether a text is one line of names of one character each, and of marks for cells that are not known.

    names: what may be in a cell, such as the digits of a sudoku.
    """
    if len(text) <= 1 or "\n" in text:
        return False
    if not any(character in names for character in text):
        return False
    return all(character in names or character in EMPTY for character in text)


def _readings(rows: Sequence[str]) -> Iterator[list[str]]:
    """Yield the words of the cells in each of the usual ways to write a board; rows: the lines of the text.

    They are: values between commas, semicolons or tabs; words between blanks; each character but blanks; each character
    but lines; and each character, where blanks are empty cells. Most of them are wrong for a given text: the caller
    takes the first one that fits.
    """
    for divider in (",", ";", "\t"):
        if any(divider in row for row in rows):
            words_of_rows = [row.split(divider) for row in rows]
            yield [word.strip(" \"'") for words in words_of_rows for word in words]
            # Without an empty value behind the last divider.
            rows_of_values = [row.rstrip(f"{divider} ").split(divider) for row in rows]
            yield [word.strip(" \"'") for words in rows_of_values for word in words]
    rows_without_lines = [UPRIGHT.sub(" ", row) for row in rows]
    yield [word for row in rows_without_lines for word in row.split()]
    yield [character for row in rows_without_lines for character in "".join(row.split())]
    yield [character.strip() for row in rows for character in UPRIGHT.sub("", row)]
    width = max(map(len, rows), default=0)
    yield [character.strip() for row in rows for character in row.ljust(width)]


def square_in(text: str) -> list[str]:
    """Return the number in each cell of a square that a text shows, row by row, "" where nothing is known.

    The text is a line, perhaps with an ID, a rating or a solution beside it; a line of HoDoKu's library; rows of signs
    or of numbers; a list as in Python or JSON; or a drawing. Of 16 rows, the signs may be 1-9 and A-G, 0-9 and
    A-F, or A-P.

    Raises ValueError, with what was found, if it is no square that blocks divide. `_squares` yields the squares that
    the text may show, the likeliest first.

    >>> square_in("7f3a 1...34....21...4 2.5")[:6], square_in("[[1, 0, 0, 0], [3, 4, 0, 0]]" * 2)[:6]
    (['1', '', '', '', '3', '4'], ['1', '', '', '', '3', '4'])
    """
    square = next(_squares(text), None)
    if square:
        return square
    lines = [line for line in text.splitlines() if not COMMENT.match(line)]
    signs = "".join(lines).split()
    longest = max(map(len, signs), default=0)
    sign_count = sum(map(len, signs))
    side = isqrt(sign_count)
    too_large = sorted(sign for sign in {*"".join(signs)} if sign.isdigit() and int(sign) > side)
    if sign_count in (16, 36) and too_large:
        raise ParameterError(f"no sudoku was found: {too_large[0]} in a square of {side} rows")
    met = f"{longest} signs in a row, and {sign_count} in all"
    raise ParameterError(f"no sudoku was found: there are {met}; a sudoku has 16, 36, 81 or 256 cells")


def _squares(text: str) -> Iterator[list[str]]:
    """Yield the numbers in the cells of a square, in each way in which a text shows one, the likeliest first.

    Comments, a line of headings and words beside the square are left out. Each reading gives the words of the cells,
    row by row; it counts if their number is that of a square, and `_numbers_of_signs` can read them.
    """
    lines = [line for line in _lines(text) if line.strip() and not COMMENT.match(line)]
    if len(lines) > 1 and HEADER.fullmatch(lines[0]):
        lines = lines[1:]
    if any("[" in line for line in lines):  # a list
        list_text = re.sub(r"^[^[]*|None|null|nan|\"\"|''", " 0 ", "\n".join(lines))
        text = list_text.removeprefix(" 0 ")
        lines = [re.sub(r"[][(),\"'=]", " ", text)]
    readings: list[list[str]] = []
    if len(lines) == 1:  # a line with other words beside the square
        line_without_plus = lines[0].replace("+", "")
        words = re.split(r"[\s,;:|\"']+", line_without_plus)
        # The longest words that can be squares; those with signs for empty cells first, as the others may be solutions.
        possible_squares = [word for word in words if _is_square(len(word))]
        longest = max(map(len, possible_squares), default=0)
        longest_squares = [word for word in possible_squares if len(word) == longest]
        readings += sorted(map(list, longest_squares), key=EMPTY.isdisjoint)
    readings += _words_in_frame(lines)
    inner_lines = [line for line in lines if not DIVIDING.fullmatch(line)]
    readings += _readings(inner_lines)
    readings += _readings(lines)
    for words in readings:
        if not _is_square(len(words)):
            continue
        side = round(len(words) ** 0.5)
        numbers = _numbers_of_signs(words, side)
        if numbers:
            yield numbers


def _is_square(cells: int) -> bool:
    """Tell whether so many cells are a square that blocks divide."""
    side = round(cells**0.5)
    return side in SIDES and side * side == cells


def _numbers_of_signs(words: Sequence[str], side: int) -> list[str] | None:
    """Return the numbers that the words in the cells of a square say; None if they are none of the usual signs.

    Words are decimal numbers; or all are signs of one alphabet of ``side`` characters: letters, 0 and on, or 1 and on.
    The result has "" for an empty cell. side: the number of rows. The alphabet of 16 rows may be A-P, 0-9 and A-F, or
    1-9 and A-G.
    """
    if all(word in EMPTY or _is_number(word, side) for word in words):
        return ["" if word in EMPTY else str(int(word)) for word in words]
    signs = [word.upper() for word in words]
    from_1 = (DIGITS + LETTERS)[:side]
    from_0 = ("0" + DIGITS + LETTERS)[:side]
    letters = LETTERS[:side]
    empty_but_zero = EMPTY - {"0"}
    # A zero is a number if other signs represent empty cells, or if it is as frequent as in a full square.
    has_empty_signs = not empty_but_zero.isdisjoint(signs)
    is_full = signs.count("0") == side == len({*signs})
    is_zero_number = has_empty_signs or is_full
    # The first alphabet that has all signs wins: letters only where no digit but 0 is used.
    alphabets = [from_1]
    if "0" in signs and is_zero_number and side > 9:
        alphabets.insert(0, from_0)
    if not any(sign.isdecimal() for sign in signs if sign != "0"):
        alphabets.insert(0, letters)
    for alphabet in alphabets:
        empty_signs = EMPTY
        if "0" in alphabet:
            empty_signs = empty_but_zero
        if empty_signs.union(alphabet).issuperset(signs):
            return ["" if sign in empty_signs else str(alphabet.index(sign) + 1) for sign in signs]
    return None


def _is_number(word: str, most: int) -> bool:
    """Tell whether a word is a decimal number from 1 to ``most``."""
    return word.isdecimal() and 1 <= int(word) <= most


def _words_in_frame(lines: Sequence[str]) -> Iterator[list[str]]:
    """Yield the words in the cells of a square that is drawn with a frame, in which every second line divides rows.

    All lines are equally long, and all cells equally wide; a cell is a word and the edge before it. lines: the lines of
    the text. At most one list is yielded.
    """
    edges = [number for number, line in enumerate(lines) if DIVIDING.fullmatch(line)]
    if not edges:
        return
    frame = [line.strip() for line in lines[edges[0] : edges[-1] + 1]]
    rows = frame[1::2]
    cell_width = len(frame[0]) // max(len(rows), 1)  # the width of a cell, with the edge before it
    widths = {len(line) for line in frame}
    if len(frame) % 2 == 0 or widths != {cell_width * len(rows) + 1}:
        return
    contents = []
    for row in rows:
        starts = range(1, len(row) - 1, cell_width)
        words = [row[start : start + cell_width] for start in starts]
        contents += [UPRIGHT.sub("", word).strip() for word in words]
    yield contents
