"""Nonogram: cells are filled so that each row and column has the blocks of filled cells that its clue lists.

Invented by N. Ishida and T. Nishio (1987). Also called Picross, Hanjie, Griddlers, and Pattern (S. Tatham).
"""

import os
import re
from collections.abc import Sequence
from functools import partial
from itertools import groupby
from random import Random

from ortools.sat.python.cp_model import CpModel, IntVar

from models.boards import clues, grid, marks
from models.boards.grid import Cell
from models.errors import ParameterError
from models.pencil.making import Draft, Fixed, MadeClue, Making
from models.pencil.pixels import dark_pixels
from models.pencil.second_reading import content, numbers_in
from models.puzzle import Drawing, Puzzle, Solution

DANCER = "2/2 1/1 1/3/1 1/1 1/2/1 1/1 2/2 | 2 1/2 1 3/7/1 3/2 1"
"""The first puzzle of J. Wolter's Web Paint-by-Number (2004), as lists of numbers."""

HEADINGS = {"rows": "row", "columns": "column"}
"""The lines of a .non file behind which there is a clue in each line."""

Line = tuple[Cell, ...]
"""The cells of a row or column, in order."""


def nonogram(puzzle: str = DANCER) -> Puzzle:
    """Fill cells so that each row and column has the blocks of filled cells that its clue lists, in this order.

    puzzle: rows | columns, lines divided by /, such as '2/1 1 | 2/1/1'; a game ID such as 3x2:2/1/1/2/1.1; or its file,
        such as .non.

    Raises ValueError, with a sentence that names the line, if a clue is not possible.

    >>> nonogram("2/1 1 | 2/1/1").is_solution({(0, 0): 1, (0, 1): 1, (1, 0): 1, (1, 2): 1})
    True
    """
    given_text = puzzle
    text = clues.text_in(puzzle, f"'{DANCER}'")
    if marks.is_non(text):
        puzzle = _clues_of_non_file(text)
    rows, columns = _read(puzzle)  # the clue of each: the lengths of its blocks
    # Each row and column: its cells, and its clue.
    lines = _lines_with_clues(rows, columns)
    model = CpModel()
    cells = sorted(grid.box(len(rows), len(columns)))
    filled = {cell: model.new_bool_var(f"filled[{cell}]") for cell in cells}
    # Along each row and column: its blocks, in order, with at least one empty cell between two.
    titles = [f"row {n}" for n in range(1, len(rows) + 1)] + [f"column {n}" for n in range(1, len(columns) + 1)]
    for title, (line, clue) in zip(titles, lines, strict=True):
        # `clues.rule` names the constraints that are added within it.
        with clues.rule(model, f"the clue of {title} is {_clue_in_words(clue)}"):
            _add_blocks(model, [filled[cell] for cell in line], clue)

    def draw(solution: Solution) -> Drawing:
        """Draw the clues, and the filled cells that are known."""
        dark = {cell: "dark" for cell in filled if solution.get(cell)}
        labels = dict.fromkeys(filled, "") | dict.fromkeys(dark, "#")
        frame = grid.board_with_texts(labels, colours=dark)
        return [frame.with_shapes(*clues.lists(rows, columns))]

    def fills(cell: Cell, _: int) -> tuple[str, list[Cell]]:
        return "#", [cell]

    # The turns that map clues to clues; a line read backwards has its clue backwards.
    lines_and_reversed: list[clues.Clue] = [(line, tuple(clue)) for line, clue in lines]
    lines_and_reversed += [(line[::-1], tuple(clue)[::-1]) for line, clue in lines]
    turns = clues.clue_symmetries(filled, lines_and_reversed)
    symmetries = [clues.cell_symmetry(turn) for turn in turns]
    is_solution = partial(_obeys, *_read_again(given_text))
    return Puzzle("nonogram", {"puzzle": puzzle}, model, filled, symmetries, is_solution, draw, fills=fills)


def _clue_in_words(clue: Sequence[int]) -> str:
    """Return the lengths of the blocks of a line as text, 0 for none."""
    return " ".join(map(str, clue)) or "0"


def _read_again(puzzle: str) -> tuple[list[list[int]], list[list[int]]]:
    """Return (clues of rows, clues of columns), lists of block lengths, by a second reading of the text.

    It has lines below the words rows and columns, or rows and columns with a bar between, or is a game ID such as
    2x1:1/1/2, which begins with the columns.
    """
    text = content(puzzle)
    text_of_rows, bar, text_of_columns = text.partition("|")
    headed_parts = re.findall(r"(?im)^[ \t]*(rows|columns)[ \t]*\n((?:[ \t]*[0-9, \t-]*\r?(?:\n|\Z))+)", text)
    if headed_parts:
        parts = {heading.lower(): part.split("\n") for heading, part in headed_parts}
        rows = [line for line in parts["rows"] if line.strip()]
        columns = [line for line in parts["columns"] if line.strip()]
    elif bar:
        rows = re.split("[/;\n]", text_of_rows.strip())
        columns = re.split("[/;\n]", text_of_columns.strip())
    else:
        size, _, remaining = text_of_rows.partition(":")
        clue_text, _, _ = remaining.partition(",")
        words = clue_text.split("/")
        width, *_ = numbers_in(size)
        rows = words[width:]
        columns = words[:width]
    clues_of_rows = list(map(numbers_in, rows))
    clues_of_columns = list(map(numbers_in, columns))
    return clues_of_rows, clues_of_columns


def _obeys(rows: Sequence[Sequence[int]], columns: Sequence[Sequence[int]], solution: Solution) -> bool:
    """Tell whether filled cells obey the rules; rows, columns: their clues.

    A clue is a list of block lengths, 0 for none. solution: 0 or 1 by (row, column).
    """
    along_row = range(len(columns))
    along_column = range(len(rows))
    board = [[solution.get((r, c), 0) for c in along_row] for r in along_column]
    lines: list[Sequence[int]] = [*board, *zip(*board, strict=True)]
    clues_of_lines = [*rows, *columns]
    # For each line: the lengths of its runs of filled cells, and its clue.
    for line, clue in zip(lines, clues_of_lines, strict=True):
        lengths = [len([*run]) for is_filled, run in groupby(line) if is_filled]
        blocks = [number for number in clue if number]
        if lengths != blocks:
            return False
    return True


def _lines_with_clues(rows: Sequence[list[int]], columns: Sequence[list[int]]) -> list[tuple[Line, list[int]]]:
    """Return each row and then each column of a board, with its clue; rows, columns: their clues."""
    lines: list[tuple[Line, list[int]]] = []
    for r, clue in enumerate(rows):
        row = tuple((r, c) for c in range(len(columns)))
        lines.append((row, clue))
    for c, clue in enumerate(columns):
        column = tuple((r, c) for r in range(len(rows)))
        lines.append((column, clue))
    return lines


def _add_blocks(model: CpModel, filled: Sequence[IntVar], blocks: Sequence[int]) -> None:
    """Add to the model that the filled cells of a line are these blocks, in this order.

    Each block has a variable for each shift: by how many cells it is behind its first possible place. As the first
    places have one empty cell between blocks, two blocks next to each other are apart iff the shifts do not fall.
    So a cell is filled iff one block covers it, with one of its shifts.

    filled: for each cell of the line, the variable that is true iff it is filled. blocks: the lengths of the blocks.
    """
    room = len(filled) - sum(blocks) - len(blocks) + 1  # the greatest shift
    blocks_over: list[list[IntVar]] = [[] for _ in filled]
    previous_shifts: list[IntVar] = []
    for number, block in enumerate(blocks):
        # The first possible place of the block: behind all earlier blocks, each with one empty cell behind it.
        first = sum(blocks[:number]) + number
        shifts = [model.new_bool_var("") for _ in range(room + 1)]
        model.add_exactly_one(shifts)
        for shift, is_shift in enumerate(shifts):
            start = first + shift
            for blocks_over_cell in blocks_over[start : start + block]:
                blocks_over_cell.append(is_shift)
            # The shift of the block before is not greater. That is said from both sides, of which each follows from the
            # other, as a solver then sees more at once.
            if previous_shifts:
                shifts_before = previous_shifts[: shift + 1]
                shifts_from_here = shifts[shift:]
                model.add_bool_or(shifts_before).only_enforce_if(is_shift)
                model.add_bool_or(shifts_from_here).only_enforce_if(previous_shifts[shift])
        previous_shifts = shifts
    # A cell is empty, or one block covers it.
    for is_filled, blocks_over_cell in zip(filled, blocks_over, strict=True):
        model.add_exactly_one(~is_filled, *blocks_over_cell)


def _read(puzzle: str) -> tuple[list[list[int]], list[list[int]]]:
    """Return the clues of the rows and those of the columns, lists of block lengths; raise ValueError for another text.

    puzzle: rows | columns, or a game ID, which begins with the columns, or a file with one.
    """
    text = clues.text_in(puzzle, f"'{DANCER}'")
    match = clues.GAME_ID.fullmatch(text)
    if match:
        width, height = (clues.number_in_range(side, "the size", 1, clues.MAX_SIDE) for side in _sides(match["size"]))
        clue_text, _, _ = match["clues"].partition(",")
        lines = clue_text.split("/")
        count = width + height
        if len(lines) != count:
            raise ParameterError(f"{match['size']} has {count} lines, and there are {len(lines)} clues")
        columns = lines[:width]
        rows = lines[width:]
    else:
        text_of_rows, bar, text_of_columns = text.partition("|")
        if not bar:
            raise ParameterError("no | divides the clues of the rows from those of the columns; write rows | columns")
        rows = re.split("[/;\n]", text_of_rows.strip())
        columns = re.split("[/;\n]", text_of_columns.strip())
    width = len(columns)
    height = len(rows)
    if max(width, height) > clues.MAX_SIDE:
        raise ParameterError(f"the board is {height}x{width}; give at most {clues.MAX_SIDE} rows or columns")
    blocks_of_rows = [_block_lengths(line, f"row {n}", width) for n, line in enumerate(rows, 1)]
    blocks_of_columns = [_block_lengths(line, f"column {n}", height) for n, line in enumerate(columns, 1)]
    return blocks_of_rows, blocks_of_columns


def _clues_of_non_file(text: str) -> str:
    """Return the clues of a file of S. Simpson's solver as rows | columns.

    Raises ValueError, which names the line, if the text is not in this format. Each of the lines rows and columns has a
    clue in each line behind it; width and height, if given, are checked.
    """
    # By heading, rows or columns, the clues behind it; inside: the heading whose clues the lines are.
    clues_by_kind: dict[str, list[str]] = {}
    size: dict[str, int] = {}
    inside = ""
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words:
            continue
        excerpt = f"{line.strip()!r:.40}"
        keyword = words[0].lower()
        if keyword in HEADINGS:
            inside = keyword
            clues_by_kind[inside] = []
        elif keyword in ("width", "height"):
            if len(words) != 2 or not re.fullmatch("[0-9]{1,4}", words[1]):
                raise ParameterError(f"line {number} has no {words[0]}: {excerpt}")
            size[keyword] = int(words[1])
        elif inside and re.fullmatch(r"[0-9,\s-]+", line):
            if re.search("(?<![0-9])-[0-9]", line):
                raise ParameterError(f"line {number} has a number below 0: {excerpt}")
            lengths = re.findall("[0-9]+", line)
            clues_by_kind[inside].append(" ".join(lengths) or "0")
        elif inside and re.fullmatch(r"[0-9]+[a-z]+.*", words[0]):
            raise ParameterError(f"line {number} has blocks of several colours; such nonograms are not known here")
        elif words[0][0].isdigit():
            raise ParameterError(f"line {number} comes before rows or columns: {excerpt}")
        else:
            inside = ""
    for heading, kind in HEADINGS.items():
        if not clues_by_kind.get(heading):
            raise ParameterError(
                f"it has no line {heading} with a clue for each {kind} behind it; is this a .non file?"
            )
    for side, heading in (("height", "rows"), ("width", "columns")):
        count = len(clues_by_kind[heading])
        if size.get(side, count) != count:
            raise ParameterError(f"the {side} is {size[side]}, and there are {count} {heading}")
    clues_of_rows = "/".join(clues_by_kind["rows"])
    clues_of_columns = "/".join(clues_by_kind["columns"])
    return f"{clues_of_rows} | {clues_of_columns}"


def _sides(size: str) -> Sequence[str]:
    """Return the width and the height that a text such as 5x10 gives."""
    if "x" in size:
        return size.split("x")
    return size, size


def _block_lengths(line: str, place: str, length: int) -> list[int]:
    """Return the lengths of the blocks of a line, without zeros.

    place: names the line in the message of the ValueError if they do not fit. length: the number of its cells. line:
    the lengths, divided by blanks, dots or commas. Between two blocks there is at least one cell.
    """
    words = re.split(r"[\s.,]+", line.strip())
    lengths = [clues.number_in_range(word, place, 0, length) for word in words if word]
    blocks = [block for block in lengths if block]
    least = sum(blocks) + len(blocks) - 1
    if least > length:
        raise ParameterError(f"{place}: the blocks take {least} cells, and it has {length}; make them shorter")
    return blocks


def _draft(random: Random, rows: int = 10, columns: int = 10, picture: str = "") -> Draft:
    """Return a picture at random, or one that is given.

    rows: how many rows there are.
    columns: how many columns there are.
    picture: rows of # and . divided by /, or the file that draws them, or a PNG or PBM file; the fewest cells are
        changed so that it is the only solution.
    """
    if picture:
        return _draft_of_picture(picture)
    # Cells are filled where noise is high that is mixed with that of the neighbours, so that areas form. The mean of
    # the mixed noise is 3, so that more than half of the cells are filled.
    cells = sorted(grid.box(rows, columns))
    noise = {cell: random.random() for cell in cells}
    smooth = {}
    for cell in noise:
        beside = sum(noise.get(near, 0.5) for near in grid.neighbours(cell))
        smooth[cell] = 2 * noise[cell] + beside
    picture_cells = {cell: int(height > 2.7) for cell, height in smooth.items()}
    return Draft({"rows": rows, "columns": columns}, picture_cells)


def _draft_of_picture(picture: str) -> Draft:
    """Return a picture that is given; picture: as in `_draft`."""
    text = picture
    if os.path.isfile(picture):
        pixels = dark_pixels(picture)
        if pixels:
            lines = ["".join(".#"[is_dark] for is_dark in row) for row in pixels]
            text = "/".join(lines)
    drawing = clues.text_in(text, ".#./###")
    letters = clues.cell_letters(drawing, "the picture")
    others = {*letters.values()} - {*".#"}
    if others:
        raise ParameterError(
            f"the picture has {min(others)!r}, and is no file; write rows of # and ., or the path of a picture"
        )
    rows, columns = clues.size_of(letters)
    filled = {cell: int(mark == "#") for cell, mark in letters.items()}
    return Draft({"rows": rows, "columns": columns}, filled, is_given=True)


def _clues_of_solution(fixed: Fixed, solution: Solution) -> list[MadeClue]:
    """Return the blocks of all rows and columns as clues, none of which can be left out.

    The clues of rows come first. fixed: the numbers of rows and columns.
    """
    rows = range(fixed["rows"])
    columns = range(fixed["columns"])
    lines = [[solution[r, c] for c in columns] for r in rows]
    lines += [[solution[r, c] for r in rows] for c in columns]
    made_clues = []
    for number, line in enumerate(lines):
        lengths = [str(len([*run])) for is_filled, run in groupby(line) if is_filled]
        mark = " ".join(lengths) or "0"
        made_clues.append(MadeClue((number, 0), mark))
    return made_clues


def _with_clues(fixed: Fixed, subset: Sequence[MadeClue]) -> dict[str, str]:
    """Return the parameter of a nonogram with these clues.

    fixed: the numbers of rows and columns. subset: all clues, those of rows first.
    """
    rows = fixed["rows"]
    marks = [clue.mark for clue in subset]
    clues_of_rows = "/".join(marks[:rows])
    clues_of_columns = "/".join(marks[rows:])
    return {"puzzle": f"{clues_of_rows} | {clues_of_columns}"}


def _change(random: Random, fixed: Fixed, solution: Solution, rivals: Sequence[Solution]) -> Draft:
    """Return the picture with one cell changed in which another solution differs from it.

    It is an empty cell that the other solution fills. There is one: both have as many filled cells in each row, so that
    each fills some that the other does not. fixed: the numbers of rows and columns. solution: the picture. rivals:
    other pictures with the same clues; the last one is excluded.
    """
    differing = _differing_cells(solution, rivals[-1])
    empty = [cell for cell in differing if not solution[cell]]
    cell = random.choice(empty)
    return Draft(fixed, {**solution, cell: 1})


def _differing_cells(solution: Solution, rival: Solution) -> list[Cell]:
    """Return the cells in which two pictures differ."""
    return [cell for cell, is_filled in solution.items() if rival[cell] != is_filled]


def _pictures_nearby(fixed: Fixed, solution: Solution, rival: Solution) -> list[Draft]:
    """Return the pictures with one cell changed in a row or column in which another solution differs.

    Such a change is needed: with changes elsewhere only, the clues of these rows and columns stay, and the other
    solution, with the same changes, fits the clues of the changed picture. fixed: the numbers of rows and columns.
    solution: the picture. rival: the other solution.
    """
    differing = _differing_cells(solution, rival)
    rows = {row for row, _ in differing}
    columns = {column for _, column in differing}
    cells = []
    for cell in solution:
        row, column = cell
        if cell in differing:
            continue
        if row in rows or column in columns:
            cells.append(cell)
    drafts = []
    for cell in [*differing, *cells]:
        picture = {**solution, cell: 1 - solution[cell]}
        drafts.append(Draft(fixed, picture))
    return drafts


MAKING = Making(_draft, _clues_of_solution, _with_clues, _change, near=_pictures_nearby)
"""The additions for puzzles that are made."""
