"""Links of puzz.link and of other sites that run pzpr: HOST/p?GENRE/COLUMNS/ROWS/CLUES, read and written.

They hold a puzzle, and never its solution.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from string import ascii_lowercase
from typing import NamedTuple
from urllib.parse import unquote

from models.boards import clues, marks
from solvers.base.errors import InputError
from solvers.extras.bridges.links import codings
from solvers.extras.bridges.links.codings import UNKNOWN
from solvers.extras.bridges.links.linked import (
    MARKS,
    MOST_IN_CELL,
    Cell,
    Linked,
    board_size,
    in_range,
    letter,
    of_rows,
)
from solvers.show.printable import quotation

HOST = "https://puzz.link/p?"
"""The beginning of links that are written."""

LINK = re.compile(r"(?:\w+=\w+&)*(?P<genre>\w+?)(?:_edit|_play)?/(?P<rest>.*)", re.DOTALL)
"""Matches what follows the question mark of a link."""

PEARLS = {1: "W", 2: "B"}


class CodedBoard(NamedTuple):
    """The size of a board, and its clues as a text."""

    rows: int
    columns: int
    text: str
    genre: str = ""
    """How the link spells the genre."""
    flag: str = ""
    """A letter that changes the rules; empty for none."""

    @property
    def cells(self) -> list[Cell]:
        """The cells, in reading order."""
        return list(product(range(self.rows), range(self.columns)))

    def numbers(self) -> dict[Cell, int]:
        """Return the number in each cell for which the text has one, and `UNKNOWN` for a question mark."""
        number_by_place, remaining = codings.read_numbers(self.text, len(self.cells))
        _check_rest(remaining)
        return {self.cells[place]: number for place, number in number_by_place.items()}


def read(query: str) -> Linked:
    """Return the puzzle of a link, as the name and the parameters of a puzzle of the collection.

    query: what follows the question mark: the genre, perhaps "v:" for the usual variant or a letter for other rules,
    the columns, the rows and the clues, with "/" between them. Raises `InputError` for a genre that is not known here,
    or if the text is damaged.

    >>> read("slither/2/2/3d").arguments
    {'puzzle': '33/..'}
    """
    match = LINK.fullmatch(unquote(query))
    if not match:
        raise InputError(f"{quotation(query)} is no puzzle; a link goes on as in slither/5/5/cbcbcddad")
    spelled = match["genre"]
    genre = next((genre for genre in GENRES if spelled in genre.spellings), None)
    if genre is None:
        known = ", ".join(genre.spellings[0] for genre in GENRES)
        raise InputError(f"the link has the genre {quotation(spelled)}; these are read: {known}")
    words = match["rest"].split("/")
    if words[0].startswith("v:"):
        if words[0] != "v:":
            raise InputError(
                f"the link asks for the variant {quotation(words[0][2:])} of {spelled}, which is not known here"
            )
        words = words[1:]
    flag = "" if re.fullmatch("[0-9]*", words[0]) else words[0]
    words = words[1:] if flag else words
    if flag not in genre.flags:
        raise InputError(
            f"the link asks for rules of {spelled} that are not known here, by {quotation(flag)} before its size"
        )
    if len(words) < 2:
        raise InputError(f"the link ends before the size of its board, as in {spelled}/10/10/...; copy the whole link")
    rows, columns = board_size(*words[:2])
    return genre.read(CodedBoard(rows, columns, "/".join(words[2:]).removesuffix("/"), spelled, flag))


def write(linked: Linked) -> str:
    """Return the link of a puzzle; raise `InputError` if there is no genre for it.

    >>> write(read("slither/2/2/3d"))
    'https://puzz.link/p?slither/2/2/3d'
    """
    genres = [genre for genre in GENRES if genre.puzzle == linked.name]
    # Two genres are numberlinks; arukone is the one whose ways fill the board, which is the default of the parameter.
    if linked.arguments.get("fill", linked.name == "numberlink"):
        genres = [genre for genre in genres if "arukone" in genre.spellings]
    if not genres:
        raise InputError(f"puzz.link has no {linked.name}")
    genre = genres[0]
    return HOST + f"{genre.spellings[0]}/" + genre.write(linked)


def _check_rest(remaining: str) -> None:
    """Raise `InputError` if something follows the clues."""
    if remaining:
        raise InputError(f"{quotation(remaining)} follows behind the clues; check the size in the link")


def _no_unknown(cell: Cell) -> InputError:
    """Return the error that a question mark is in a cell."""
    return InputError(
        f"{clues.cell_name(cell)} holds a question mark, a number that is not told; such puzzles are not known here"
    )


def _small_numbers(board: CodedBoard) -> dict[Cell, int]:
    """Return the number in each cell that has one: 0 to 4, or `UNKNOWN`."""
    number_by_place, remaining = codings.read_small(board.text, len(board.cells))
    _check_rest(remaining)
    return {board.cells[place]: number for place, number in number_by_place.items()}


def _numbers_by_place(marks_in: Mapping[Cell, str], columns: int, number: Callable[[str], int]) -> dict[int, int]:
    """Return numbers by places, counted row by row; number: returns that of a mark."""
    return {row * columns + column: number(mark) for (row, column), mark in marks_in.items()}


# Slitherlink and akari: numbers up to 4.


def _read_slitherlink(board: CodedBoard) -> Linked:
    """Read a slitherlink; a question mark says nothing."""
    mark_by_cell = {cell: str(number) for cell, number in _small_numbers(board).items() if number != UNKNOWN}
    return Linked("slitherlink", {"puzzle": of_rows(mark_by_cell, board.rows, board.columns)})


def _read_akari(board: CodedBoard) -> Linked:
    """Read an akari; a black cell without a number is a question mark."""
    mark_by_cell = {cell: "B" if number == UNKNOWN else str(number) for cell, number in _small_numbers(board).items()}
    return Linked("akari", {"puzzle": of_rows(mark_by_cell, board.rows, board.columns)})


def _write_small(linked: Linked) -> str:
    """Write a slitherlink or an akari."""
    given = marks.read(str(linked.arguments["puzzle"]), "B#01234", "")
    numbers = _numbers_by_place(given.marks, given.columns, lambda mark: int(mark) if mark.isdigit() else UNKNOWN)
    return f"{given.columns}/{given.rows}/" + codings.write_small(numbers, given.rows * given.columns)


# Masyu: pearls.


def _read_masyu(board: CodedBoard) -> Linked:
    """Read a masyu."""
    digit_by_place, remaining = codings.read_pearls(board.text, len(board.cells))
    _check_rest(remaining)
    pearls = {board.cells[place]: PEARLS[kind] for place, kind in digit_by_place.items()}
    return Linked("masyu", {"puzzle": of_rows(pearls, board.rows, board.columns)})


def _write_masyu(linked: Linked) -> str:
    """Write a masyu."""
    given = marks.read(str(linked.arguments["puzzle"]), "BW", "")
    pearls = _numbers_by_place(given.marks, given.columns, lambda mark: {"W": 1, "B": 2}[mark])
    return f"{given.columns}/{given.rows}/" + codings.write_pearls(pearls, given.rows * given.columns)


# Hashi, nurikabe and numberlink: numbers in cells, for each of which there is a mark.


def _rows_of_marks(board: CodedBoard, puzzle: str) -> str:
    """Return the numbers of a board as the text of a puzzle: rows of marks, ``MARKS[n]`` for a number n.

    puzzle: its name, by which the possible numbers are known. Raises `InputError` for a question mark, and for a number
    that is not possible.
    """
    low, high = MOST_IN_CELL[puzzle]
    mark_by_cell = {}
    for cell, number in board.numbers().items():
        if number == UNKNOWN:
            raise _no_unknown(cell)
        mark_by_cell[cell] = MARKS[in_range(number, cell, low, high)]
    return of_rows(mark_by_cell, board.rows, board.columns)


def _write_marked(linked: Linked) -> str:
    """Write a puzzle of numbers in cells; the inverse of `_rows_of_marks`."""
    given = marks.read(str(linked.arguments["puzzle"]), MARKS, "")
    numbers = _numbers_by_place(given.marks, given.columns, MARKS.index)
    return f"{given.columns}/{given.rows}/" + codings.write_numbers(numbers, given.rows * given.columns)


def _read_marked(puzzle: str, board: CodedBoard) -> Linked:
    """Read a puzzle of numbers in cells, which has no other parameters; puzzle: its name."""
    return Linked(puzzle, {"puzzle": _rows_of_marks(board, puzzle)})


def _write_hashi(linked: Linked) -> str:
    """Write a hashi with at most two bridges side by side, as all are on puzz.link."""
    if linked.arguments.get("most") not in (None, 2):
        raise InputError(f"puzz.link has no hashi with {linked.arguments['most']} bridges side by side")
    return _write_marked(linked)


def _read_numberlink(board: CodedBoard) -> Linked:
    """Read a numberlink: its ways need not fill the board, but those of arukone do, unless a flag says otherwise."""
    fills = board.genre == "arukone" and board.flag != "e"
    return Linked("numberlink", {"puzzle": _rows_of_marks(board, "numberlink"), "fill": fills})


# Rooms: star battle and heyawake.


def _read_star_battle(board: CodedBoard) -> Linked:
    """Read a star battle: the number of stars, and the walls."""
    stars, _, walls = board.text.partition("/")
    rooms, remaining = codings.read_rooms(walls, board.rows, board.columns)
    _check_rest(remaining)
    number = clues.number_in_range(stars, "the number of stars", 1, board.rows)
    return Linked("star-battle", {"puzzle": _rows_of_letters(rooms, board), "stars": number})


def _write_star_battle(linked: Linked) -> str:
    """Write a star battle."""
    room_of = clues.cell_letters(str(linked.arguments["puzzle"]), "the board")
    rows, columns = (n + 1 for n in max(room_of))
    return f"{columns}/{rows}/{linked.arguments.get('stars', 1)}/" + codings.write_rooms(room_of, rows, columns)


def _read_heyawake(board: CodedBoard) -> Linked:
    """Read a heyawake: the walls, and the number of each room."""
    rooms, remaining = codings.read_rooms(board.text, board.rows, board.columns)
    numbers, remaining = codings.read_numbers(remaining, len(rooms))
    _check_rest(remaining)
    room_numbers = [f"{letter(room)}={number}" for room, number in numbers.items() if number != UNKNOWN]
    return Linked("heyawake", {"puzzle": " ".join([_rows_of_letters(rooms, board), *room_numbers])})


def _write_heyawake(linked: Linked) -> str:
    """Return a heyawake as a text: its columns and rows, the walls of its rooms, and the number in each that has one.

    linked: the puzzle, whose text draws the rooms by letters, and then gives numbers such as A=3. In the link, rooms
    are counted from 0 in the order of their first cells.
    """
    words = re.split(r"[\s/]+", str(linked.arguments["puzzle"]).strip())
    number_words = [word for word in words if "=" in word]
    room_of = clues.cell_letters("/".join(word for word in words if "=" not in word), "the rooms")
    rows, columns = (last + 1 for last in max(room_of))  # the last cell is the greatest
    place_of_room = {name: place for place, name in enumerate(clues.parts_of(room_of))}
    number_by_room = {place_of_room[word[0]]: int(word[2:]) for word in number_words}
    walls = codings.write_rooms(room_of, rows, columns)
    return f"{columns}/{rows}/{walls}{codings.write_numbers(number_by_room, len(place_of_room))}"


def _rows_of_letters(rooms: list[list[Cell]], board: CodedBoard) -> str:
    """Return rooms as rows of letters."""
    room_of = {cell: letter(number) for number, room in enumerate(rooms) for cell in room}
    return of_rows(room_of, board.rows, board.columns)


# Numbers around the board: skyscrapers and nonogram.


def _read_skyscrapers(board: CodedBoard) -> Linked:
    """Read skyscrapers: the clues above, below, left and right of the board, and perhaps heights that are given.

    The result is the puzzle as a game ID of S. Tatham's collection: the side, a colon, the clues with "/" between them,
    and behind a comma the heights. `codings.read_numbers` returns (the number in each place that has one, the text that
    follows); a question mark is `UNKNOWN`.
    """
    side = board.rows
    if board.columns != side:
        raise InputError(f"the board has {side} rows and {board.columns} columns; skyscrapers stand in a square")
    clue_by_place, remaining = codings.read_numbers(board.text, 4 * side)
    if 0 in clue_by_place.values():
        first_place = min(place for place, clue in clue_by_place.items() if clue == 0)
        raise InputError(f"clue {first_place + 1} around the board is 0")
    height_by_cell = board._replace(text=remaining).numbers() if remaining else {}
    known_clues = {place: str(clue) for place, clue in clue_by_place.items() if clue != UNKNOWN}
    clues_text = "/".join(known_clues.get(place, "") for place in range(4 * side))
    heights = {cell: in_range(height, cell, 1, side) for cell, height in height_by_cell.items() if height != UNKNOWN}
    # Letters stand for empty cells (a for one, b for two), and _ for none between two numbers; see `clues.contents`.
    height_by_place = {row * side + column: str(height) for (row, column), height in heights.items()}
    heights_text = f",{codings.with_gaps(height_by_place, side**2, ascii_lowercase, '_')}" if heights else ""
    return Linked("skyscrapers", {"puzzle": f"{side}:{clues_text}{heights_text}"})


def _write_skyscrapers(linked: Linked) -> str:
    """Return skyscrapers as a text: the size, the clues around the board, and the heights inside if some are given.

    linked: the puzzle, whose text is a game ID: the side, a colon, the clues with "/" between them, and behind a comma
    the heights; `clues.of_game_id` divides it at the colon.
    """
    side, text = clues.of_game_id(str(linked.arguments["puzzle"]), "4:")
    around, _, inside = text.partition(",")
    clue_by_place = {place: int(word) for place, word in enumerate(around.split("/")) if word}
    height_by_cell = clues.contents(inside, side) if inside else {}
    heights = {row * side + column: height for (row, column), height in height_by_cell.items()}
    heights_text = codings.write_numbers(heights, side**2) if heights else ""
    return f"{side}/{side}/{codings.write_numbers(clue_by_place, 4 * side)}{heights_text}"


def _read_nonogram(board: CodedBoard) -> Linked:
    """Read a nonogram: for each column and then each row, its blocks from the last to the first.

    Each line has as many places for numbers as it can have blocks, which is half its cells, rounded up; those behind
    its first block stay empty. `codings.read_numbers` returns (the number in each place that has one, the text that
    follows). The result is the puzzle as a text: the blocks of the rows, "|", and those of the columns.
    """
    places_of_column, places_of_row = (board.rows + 1) // 2, (board.columns + 1) // 2
    places = board.columns * places_of_column + board.rows * places_of_row
    number_by_place, remaining = codings.read_numbers(board.text, places)
    _check_rest(remaining)
    # The places of each line.
    first_row = board.columns * places_of_column
    column_begins = (number * places_of_column for number in range(board.columns))
    row_begins = (first_row + number * places_of_row for number in range(board.rows))
    places_of_lines = [range(begin, begin + places_of_column) for begin in column_begins]
    places_of_lines += [range(begin, begin + places_of_row) for begin in row_begins]
    blocks_by_line = [
        [number_by_place[place] for place in reversed(places_of_line) if place in number_by_place]
        for places_of_line in places_of_lines
    ]
    for number, blocks in enumerate(blocks_by_line):
        if UNKNOWN in blocks:
            line_name = f"column {number + 1}" if number < board.columns else f"row {number + 1 - board.columns}"
            raise InputError(
                f"{line_name} has a question mark, a block of a length that is not told; such are not known here"
            )
    line_texts = [" ".join(map(str, blocks)) or "0" for blocks in blocks_by_line]
    column_texts = line_texts[: board.columns]
    row_texts = line_texts[board.columns :]
    return Linked("nonogram", {"puzzle": f"{'/'.join(row_texts)} | {'/'.join(column_texts)}"})


def _halves(text: str) -> tuple[list[str], list[str]]:
    """Return (the clues of the rows, those of the columns) of a nonogram, a text of block lengths for each line.

    text: the rows, "|" and the columns, or a game ID of S. Tatham's collection, which has the columns first and no "|".
    """
    if match := clues.GAME_ID.fullmatch(text):
        lines = match["clues"].partition(",")[0].split("/")
        width = int(match["size"].partition("x")[0])
        return lines[width:], lines[:width]
    rows, columns = (re.split("[/;\n]", half.strip()) for half in text.split("|"))
    return rows, columns


def _write_nonogram(linked: Linked) -> str:
    """Return a nonogram as a text: columns, rows, and the blocks of each line from the last to the first.

    Each line has half as many places for numbers as it has cells, rounded up, first those of the columns. The first
    places of a line get its blocks; the others stay empty. `_halves` returns the clues of the rows and of the columns
    as texts.
    """
    halves = _halves(str(linked.arguments["puzzle"]))
    # The blocks of each row, and of each column.
    rows, columns = ([[int(word) for word in re.findall("[0-9]+", line)] for line in half] for half in halves)
    places_of_column, places_of_row = (len(rows) + 1) // 2, (len(columns) + 1) // 2
    numbers: dict[int, int] = {}
    first_of_rows = places_of_column * len(columns)
    for start, size, lines in ((0, places_of_column, columns), (first_of_rows, places_of_row, rows)):
        for number, line in enumerate(lines):
            blocks = [block for block in reversed(line) if block]
            numbers |= {start + number * size + place: block for place, block in enumerate(blocks)}
    place_count = first_of_rows + places_of_row * len(rows)
    return f"{len(columns)}/{len(rows)}/" + codings.write_numbers(numbers, place_count)


# Kakuro: pairs of sums in black cells.


SUMS = "0123456789abcdefghijABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""The digits of sums: 0 to 19, and 20 to 45."""


def _read_kakuro(board: CodedBoard) -> Linked:
    """Read a kakuro: its cells, then the sums above the board and those to its left.

    Only columns and rows that begin with a white cell have a sum outside the board: a black first cell has the sum
    itself. The puzzle's text has one more row and column, at the top and the left, whose cells have the sums from
    outside the board. There "#" is a black cell without sums, "." a white one, and "4\\7" has the sums down and across.
    """
    black, remaining = _black_cells(board)
    white_at_top = [(0, c) for c in range(board.columns) if (0, c) not in black]
    white_at_left = [(r, 0) for r in range(board.rows) if (r, 0) not in black]
    sums_above, remaining = _sums_before(remaining, white_at_top, "above")
    sums_left, remaining = _sums_before(remaining, white_at_left, "left of")
    _check_rest(remaining)
    cells = {(r + 1, c + 1): word for (r, c), word in black.items()}
    cells |= {(0, column + 1): f"{total}\\" for (_, column), total in sums_above.items() if total}
    cells |= {(row + 1, 0): f"\\{total}" for (row, _), total in sums_left.items() if total}
    for row, column in product(range(board.rows + 1), range(board.columns + 1)):
        cells.setdefault((row, column), "." if row and column else "#")
    rows = ([cells[row, column] for column in range(board.columns + 1)] for row in range(board.rows + 1))
    lines = map(" ".join, rows)
    return Linked("kakuro", {"puzzle": " / ".join(lines)})


def _black_cells(board: CodedBoard) -> tuple[dict[Cell, str], str]:
    """Return (the content of each black cell of a kakuro, the text that follows the cells).

    A letter from k on is a run of 1 to 16 white cells, a "." a black cell without sums, and anything else begins its
    two sums, a character each. The content is "#", or the sums down and across with a backslash between, of which 0 is
    left out. board: the link's text and size.
    """
    black: dict[Cell, str] = {}
    signs = iter(board.text)
    place = 0
    places = len(board.cells)
    while place < places:
        sign = _next_sign(signs, f"after {place} of {places} cells")
        if "k" <= sign <= "z":
            place += ord(sign) - ord("k") + 1
            continue
        cell = board.cells[place]
        down = across = 0
        if sign != ".":
            down, across = _sum(sign), _sum(_next_sign(signs, f"in {clues.cell_name(cell)}"))
        black[cell] = f"{down or ''}\\{across or ''}" if down or across else "#"
        place += 1
    if place > places:
        raise InputError(f"the clues are for {place} cells, and the board has {places}; check the size in the link")
    return black, "".join(signs)


def _sums_before(text: str, cells: Sequence[Cell], side: str) -> tuple[dict[Cell, int], str]:
    """Return (the sums outside the board before these cells, the text that follows them).

    text: begins with the sums, a character for each. side: where they stand, for the message.
    """
    signs = iter(text)
    sums = {cell: _sum(_next_sign(signs, f"before the sum {side} {clues.cell_name(cell)}")) for cell in cells}
    return sums, "".join(signs)


def _next_sign(signs: Iterator[str], where: str) -> str:
    """Return the next character; raise `InputError` if there is none; where: says where the text ends."""
    sign = next(signs, "")
    if not sign:
        raise InputError(f"the clues end {where}; copy the whole link")
    return sign


def _sum(sign: str) -> int:
    """Return the sum that a character represents; 0 for none."""
    if sign != "-" and sign not in SUMS:
        raise InputError(f"{sign!r} among the clues is no sum")
    return 0 if sign == "-" else SUMS.index(sign)


def _write_kakuro(linked: Linked) -> str:
    """Return a kakuro as a text; raise `InputError` if its first row or column has a white cell, or a digit is given.

    A run of white cells becomes letters, a black cell "." or its two sums, a character each: down and across. The first
    row and column of the puzzle are outside the board of the link, and their sums come last.

    linked: the puzzle, whose text has "." for a white cell, "#" for a black one, and its sums with a backslash between.
    """
    rows = [row.split() for row in re.split(r"[/\n]", str(linked.arguments["puzzle"])) if row.strip()]
    if any("." in word or word.isdigit() for word in (*rows[0], *(row[0] for row in rows))):
        raise InputError("a kakuro on puzz.link has black cells above and to the left; add a row and a column of #")
    if any(word.isdigit() for row in rows for word in row):
        raise InputError("a kakuro on puzz.link has no given digits; leave them out")
    words = [word for row in rows[1:] for word in row[1:]]
    black = {
        place: "." if word == "#" else "".join(map(_sign, word.split("\\")))
        for place, word in enumerate(words)
        if word != "."
    }
    text = codings.with_gaps(black, len(words), ascii_lowercase[ascii_lowercase.index("k") :])
    # Then follow the sums above the first row of the board, and those to the left of its first column.
    clues_above = [clue for clue, cell_below in zip(rows[0][1:], rows[1][1:], strict=True) if cell_below == "."]
    clues_left = [row[0] for row in rows[1:] if row[1] == "."]
    text += "".join(_sign(clue.partition("\\")[0]) for clue in clues_above)
    text += "".join(_sign(clue.partition("\\")[2]) for clue in clues_left)
    return f"{len(rows[0]) - 1}/{len(rows) - 1}/{text}"


def _sign(total: str) -> str:
    """Return the character for a sum; total: as a text, empty or # for none."""
    return SUMS[int(total)] if total.isdigit() else "-"


# Sudoku.


def _read_sudoku(board: CodedBoard) -> Linked:
    """Read a sudoku, whose blocks are squares, or 2 rows of 3 cells.

    The result has the name of the puzzle, its parameters, the given content of cells, and the size. Raises `InputError`
    for a board of another size, and for a number that is not possible.
    """
    side = board.rows
    blocks = {1: (1, 1), 4: (2, 2), 6: (2, 3), 9: (3, 3), 16: (4, 4), 25: (5, 5)}.get(side)
    if board.columns != side or not blocks:
        raise InputError(
            f"the board has {side} rows and {board.columns} columns; a sudoku has 4, 6, 9, 16 or 25 of each"
        )
    numbers = {cell: number for cell, number in board.numbers().items() if number != UNKNOWN}
    cells = {cell: str(in_range(number, cell, 1, side)) for cell, number in numbers.items()}
    return Linked("sudoku", {"rows": blocks[0], "columns": blocks[1]}, cells, side, side)


def _write_sudoku(linked: Linked) -> str:
    """Return a sudoku as a text: its columns and rows, and its numbers.

    Raises `InputError` for further rules, such as diagonals, and for blocks that are higher than wide.
    """
    settings = {name: value for name, value in linked.arguments.items() if value and name not in ("rows", "columns")}
    if settings or linked.arguments["rows"] > linked.arguments["columns"]:  # type: ignore[operator]  # these are numbers
        raise InputError(f"puzz.link has no sudoku with {', '.join(settings) or 'blocks that are high'}")
    numbers = _numbers_by_place(linked.cells, linked.columns, int)
    return f"{linked.columns}/{linked.rows}/" + codings.write_numbers(numbers, linked.rows * linked.columns)


class Genre(NamedTuple):
    """A genre of puzz.link that the collection has."""

    spellings: tuple[str, ...]
    """How links spell it; the first is written."""
    puzzle: str
    read: Callable[[CodedBoard], Linked]
    write: Callable[[Linked], str]
    flags: tuple[str, ...] = ("",)
    """The letters before the size that are understood."""


GENRES = (
    Genre(("sudoku",), "sudoku", _read_sudoku, _write_sudoku),
    Genre(("nonogram",), "nonogram", _read_nonogram, _write_nonogram),
    Genre(("starbattle",), "star-battle", _read_star_battle, _write_star_battle),
    Genre(("skyscrapers", "skyscraper", "building"), "skyscrapers", _read_skyscrapers, _write_skyscrapers),
    Genre(("kakuro",), "kakuro", _read_kakuro, _write_kakuro),
    Genre(("slither", "slitherlink"), "slitherlink", _read_slitherlink, _write_small),
    Genre(("mashu", "masyu", "pearl"), "masyu", _read_masyu, _write_masyu),
    Genre(("akari", "lightup", "bijutsukan"), "akari", _read_akari, _write_small),
    Genre(("numlin", "numberlink"), "numberlink", _read_numberlink, _write_marked),
    Genre(("arukone",), "numberlink", _read_numberlink, _write_marked, ("", "e")),
    Genre(("hashi", "hashikake", "bridges"), "hashi", partial(_read_marked, "hashi"), _write_hashi),
    Genre(("nurikabe",), "nurikabe", partial(_read_marked, "nurikabe"), _write_marked),
    Genre(("heyawake",), "heyawake", _read_heyawake, _write_heyawake),
)
"""The genres that are read, by the shelf's order."""
