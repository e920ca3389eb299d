"""Sudoku, as a person declares it in a file of their own, one that a newspaper printed, and many drawn at random."""

from collections.abc import Iterator
from random import Random

from ortools.sat.python.cp_model import CpModel

from models.boards import grid
from models.puzzle import Drawing, Puzzle, Solution

EULER = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3.."
"""The first grid of Project Euler's problem 96 (2005)."""


LINE = "1.3..67.94.....1.....1..45......7.9..678.1.3.89........4.....1..78..2.459..3.5.7."
ROWS = [LINE[start : start + 9] for start in range(0, 81, 9)]
SOLVED = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
NUMBERS = [[0 if word == "." else int(word) for word in row] for row in ROWS]

AROUND = {
    "header": f"puzzle\n{LINE}",
    "solution beside it": f"quizzes,solutions\n{LINE.replace('.', '0')},{SOLVED}",
    "solution before it": f"{SOLVED},{LINE}",
    "rated": f"00001a2b3c4d {LINE}  1.2",
    "comment behind it": f"{LINE} # name 9.1",
    "quoted line": f'7,"{LINE}","{SOLVED}"',
    "HoDoKu's library": f":0000:x:{LINE.replace('1', '+1', 1)}:::",
    "HoDoKu": "\n".join(["*-----------*", *(f"|{row[:3]}|{row[3:6]}|{row[6:]}|" for row in ROWS), "*-----------*"]),
    "sdk": "#A somebody\n[Puzzle]\n" + "\n".join(ROWS),
    "ss": "\n-----------\n".join("\n".join(f"{r[:3]}|{r[3:6]}|{r[6:]}" for r in ROWS[at : at + 3]) for at in (0, 3, 6)),
    "JSON": str(NUMBERS).replace("], [", "],\n [").replace(" 0", " null"),
    "Python": f"grid = {NUMBERS}",
    "flat": str([number for row in NUMBERS for number in row]),
    "texts": str(ROWS),
    "signs": str([[word.replace(".", "") for word in row] for row in ROWS]),
    "dashes": "\n".join(row.replace(".", "-") for row in ["." * 9, *ROWS[1:]]),
}
"""A square among other things."""


def sudoku(high: int = 3, wide: int = 3) -> Puzzle:
    """Each row, each column and each box of so many rows and columns holds every number once."""
    size = high * wide
    model = CpModel()
    cell = {(r, c): model.new_int_var(1, size, f"cell[{r},{c}]") for r in range(size) for c in range(size)}
    for i in range(size):
        top, left = i // high * high, i % high * wide
        model.add_all_different(cell[i, j] for j in range(size)).with_name(f"row {i + 1}")
        model.add_all_different(cell[j, i] for j in range(size)).with_name(f"column {i + 1}")
        box = [cell[top + j // wide, left + j % wide] for j in range(size)]
        model.add_all_different(box).with_name(f"box {i + 1}")

    def draw(values: Solution) -> Drawing:
        return grid.board(size, size, {place: str(value) for place, value in values.items()})

    def fills(place: tuple[int, int], value: int) -> tuple[str, list[tuple[int, int]]]:
        return str(value), [place]

    return Puzzle("sudoku", {"high": high, "wide": wide}, model, cell, draw=draw, fills=fills)


def clues(text: str) -> dict[tuple[int, int], int]:
    """What a grid of digits, row by row, with dots where nothing is known, gives."""
    return {divmod(place, 9): int(mark) for place, mark in enumerate(text) if mark != "."}


def full_grid(chance: Random) -> list[list[int]]:
    """A full grid: one with blocks shifted against each other, its digits, bands, rows and columns shuffled."""
    digits = chance.sample(range(1, 10), 9)
    rows, columns = (
        [3 * band + line for band in chance.sample(range(3), 3) for line in chance.sample(range(3), 3)]
        for _ in range(2)
    )
    return [[digits[(3 * (row % 3) + row // 3 + column) % 9] for column in columns] for row in rows]


def sudokus(number: int, seed: int) -> Iterator[str]:
    """Lines of 81 characters, with 30 to 50 random cells of full grids: many have several solutions."""
    chance = Random(seed)
    for _ in range(number):
        cells = [str(digit) for row in full_grid(chance) for digit in row]
        kept = set(chance.sample(range(81), chance.randint(30, 50)))
        yield "".join(cell if place in kept else "." for place, cell in enumerate(cells))
