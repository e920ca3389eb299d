"""Lines of text for pencil puzzles: drawn at random, where many have several solutions, and all small nonograms."""

from collections.abc import Iterator, Sequence
from itertools import groupby, product
from random import Random

from models.boards import grid


def nonograms(number: int, seed: int, side: int = 15) -> Iterator[str]:
    """The clues of boards of which half to two thirds of the cells are filled."""
    chance = Random(seed)
    for _ in range(number):
        share = chance.uniform(1 / 2, 2 / 3)
        board = [[chance.random() < share for _ in range(side)] for _ in range(side)]
        yield clues_of(board)


def clues_of(board: Sequence[Sequence[bool]]) -> str:
    """The clues of a filled board."""
    halves = board, zip(*board, strict=True)
    return " | ".join("/".join(map(blocks, lines)) for lines in halves)


def boards_by_clues(rows: int, columns: int) -> dict[str, list[Sequence[Sequence[bool]]]]:
    """Every filled board of a size, those with the same clues together."""
    found: dict[str, list[Sequence[Sequence[bool]]]] = {}
    for board in product(product((False, True), repeat=columns), repeat=rows):
        found.setdefault(clues_of(board), []).append(board)
    return found


def blocks(line: Sequence[bool]) -> str:
    """The lengths of the runs of filled cells in a line, 0 if there is none."""
    return " ".join(str(len([*run])) for is_filled, run in groupby(line) if is_filled) or "0"


def numbrixes(number: int, seed: int, side: int = 9) -> Iterator[str]:
    """Boards of which 15 to 45 of 81 cells, or as large a share of others, are given."""
    chance = Random(seed)
    for _ in range(number):
        number_of = {cell: n for n, cell in enumerate(path(chance, side), 1)}
        kept = set(chance.sample(sorted(number_of), chance.randint(15 * side**2 // 81, 45 * side**2 // 81)))
        yield " ".join(str(number_of[cell]) if cell in kept else "." for cell in sorted(number_of))


def path(chance: Random, side: int) -> list[grid.Cell]:
    """A path through all cells of a square: one to and fro, whose ends are then joined elsewhere, many times."""
    cells = grid.box(side, side)
    found: list[grid.Cell] = [(r, c if r % 2 else side - 1 - c) for r in range(side) for c in range(side)]
    for _ in range(40 * side**2):
        if chance.random() < 1 / 2:
            found.reverse()
        other = chance.choice(sorted(cells.intersection(grid.neighbours(found[-1]))))
        place = found.index(other) + 1
        found[place:] = found[place:][::-1]
    return found
