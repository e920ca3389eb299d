"""Reads many puzzles from a file, with one in each line, or from a folder, with one in each file."""

from __future__ import annotations

import os
import re
import sys
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from models.boards.clues import GAME_ID
from models.boards.marks import COMMENT as COMMENT_LINE
from models.boards.marks import HEADER, is_non, square_in
from solvers.base.errors import InputError, errors_with_name
from solvers.extras.bridges.links.names import is_link
from solvers.files.load import read_text

CAGES = re.compile(r"\s*[^\s=/]+(/[^\s=/]+)+(\s+[^\s=]=[0-9]+)+\s*")
"""Matches a killer sudoku, such as AAB/.BB/... A=3 B=9."""

STDIN = "-"
"""The name that represents standard input."""

COMMENT = "%"
"""The sign with which a comment begins, whatever the puzzles; no notation of a puzzle begins with it."""

COMMENTS = (COMMENT, "#")
"""The signs with which a comment begins where each line is a link or the content of cells."""


class PuzzleLine(NamedTuple):
    """A puzzle as a text."""

    number: int
    """The number of the line in its file, or of the file in its folder, from 1."""
    text: str
    file: str = ""
    """The name of the file, if it is one of a folder."""

    @property
    def place(self) -> str:
        """Its place in words."""
        return self.file or f"line {self.number}"


def read_lines(path: str, comments: tuple[str, ...] = COMMENTS) -> list[PuzzleLine]:
    """Return the puzzles of a file, of a folder, or of standard input (-).

    A link, a game ID or a sudoku in place of a path is the puzzle itself. Empty lines and comments are left out, and
    files of a folder whose names begin with a dot. comments: the signs with which a comment begins. Raises `InputError`
    if nothing can be read, or if there is no puzzle. In a folder each file is one puzzle; a file in the format .non is
    one puzzle as well. path: - for standard input.
    """
    is_puzzle = is_link(path) or GAME_ID.fullmatch(path) or CAGES.fullmatch(path) or _is_square(path)
    if path != STDIN and is_puzzle and not os.path.exists(path):
        return [PuzzleLine(1, path)]
    place = Path(path)
    if path != STDIN and place.is_dir():
        files = sorted(file for file in place.iterdir() if file.is_file() and not file.name.startswith("."))
        lines = [PuzzleLine(number, _text(file), file.name) for number, file in enumerate(files, 1)]
    else:
        text = sys.stdin.read() if path == STDIN else _text(place)
        if is_non(text):
            return [PuzzleLine(1, text)]
        numbered = enumerate(text.lstrip("\ufeff").splitlines(), 1)
        lines = [PuzzleLine(n, line) for n, line in numbered if line.strip() and not line.lstrip().startswith(comments)]
    if not lines:
        raise InputError(f"{path} has no puzzle; write one in each line")
    return lines


def read_squares(path: str) -> list[PuzzleLine]:
    """Return the sudokus of a file, of a folder, or of standard input (-).

    A file has one in each line, perhaps below the names of columns, or one sudoku in all its lines, or several with
    empty lines between. In a folder, each file is one. Raises `InputError` as `read_lines` does. Where several readings
    are possible, lines that are sudokus by themselves go before a sudoku in all lines, and that before blocks.
    """
    lines = read_lines(path, comments=())
    if lines[0].file:  # a folder
        return lines
    singles = [line for line in lines if not COMMENT_LINE.match(line.text)]  # lines that may hold one sudoku each
    if len(singles) > 1 and HEADER.fullmatch(singles[0].text.strip()) and not _is_square(singles[0].text):
        singles = singles[1:]
    if all(is_link(line.text) or _is_square(line.text) for line in singles):
        return singles or lines
    # One sudoku in all lines. Where some line is one by itself, all lines have to be the rows of a larger one.
    has_no_single = not any(_is_square(line.text) for line in singles)
    all_lines = PuzzleLine(lines[0].number, "\n".join(line.text for line in lines))
    if _is_square(all_lines.text) and (has_no_single or len(square_in(all_lines.text)) == len(singles) ** 2):
        return [all_lines]
    # One in each block of lines, whose numbers follow each other: number minus position is the same in a block.
    blocks = [[*block] for _, block in groupby(enumerate(lines), key=lambda entry: entry[1].number - entry[0])]
    parts = [PuzzleLine(block[0][1].number, "\n".join(line.text for _, line in block)) for block in blocks]
    if has_no_single and any(_is_square(part.text) for part in parts):
        return parts
    return singles or lines


def _is_square(text: str) -> bool:
    """Tell whether a text shows a sudoku."""
    try:
        square_in(text)
    except ValueError:
        return False
    return True


def _text(file: Path) -> str:
    """Return the text of a file, which may be compressed; raise `InputError` if it cannot be read."""
    with errors_with_name(file):
        return read_text(file)
