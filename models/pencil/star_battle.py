"""Star battle: place stars in a square with regions so that each row, column and region has the same number of them.

Invented by H. Eendebak for the World Puzzle Championship of 2003. Also called Two Not Touch.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from itertools import combinations, product
from random import Random

from ortools.sat.python.cp_model import CpModel

from models.boards import clues, grid
from models.errors import ParameterError, number_with_unit
from models.pencil.making import LETTERS, Draft, Fixed, MadeClue, Making, rows_of_marks
from models.pencil.second_reading import Cell, board, cells_of
from models.puzzle import Drawing, Puzzle, Solution, true_labels

SIX = "AAABBC/AAACCC/AAADEE/AADDEE/FFDDDE/FFFDDE"
"""A puzzle with one star in each row, from Abigail's talk on logic puzzles."""


KINDS = ("row", "column")
"""The kinds of lines, in the order of the coordinates of a cell."""


def star_battle(puzzle: str = SIX, stars: int = 1) -> Puzzle:
    """Place stars in a square so that each row, column and region has so many, and no two touch, not even at a corner.

    puzzle: the region of each cell as a letter, rows divided by / or blanks, or the file that holds it.
    stars: how many stars there are in each row, column and region.

    Raises ValueError, with a sentence that names the region, if there cannot be so many stars.

    >>> star_battle("ABBB/ABDD/CCDD/CCDD").is_solution({(0, 1): 1, (1, 3): 1, (2, 0): 1, (3, 2): 1})
    False
    """
    # The letter of each cell, and the cells of each letter.
    text = clues.text_in(puzzle, SIX)
    letters = clues.cell_letters(text, "the board")
    regions = clues.parts_of(letters)
    _refuse_board(letters, regions, stars)
    side = len(regions)
    model = CpModel()
    star = {cell: model.new_bool_var(f"star[{cell}]") for cell in letters}
    # Each row, each column and each region has so many stars.
    lines = _rows_and_columns(letters, side)
    lines |= {f"the region of {grid.cell_ranges_from_zero(region)}": sorted(region) for region in regions.values()}
    for line, cells in lines.items():
        name = f"{line} has {number_with_unit(stars, 'stars')}"
        model.add(sum(star[cell] for cell in cells) == stars).with_name(name)
    # No two stars touch: of four cells that meet in a corner, at most one has a star.
    for corner in product(range(side - 1), repeat=2):
        square = grid.square_at(corner)
        name = f"no two stars touch in {grid.cell_ranges_from_zero(square)}"
        model.add_at_most_one(star[cell] for cell in square).with_name(name)

    def draw(solution: Solution) -> Drawing:
        labels = {cell: "★" if solution.get(cell) else "" for cell in letters}
        return [clues.draw_regions(labels, regions.values())]

    def fills(cell: grid.Cell, _: int) -> tuple[str, list[grid.Cell]]:
        return "★", [cell]

    # The turns that map the clues to each other; a clue is (cells, what it says of them).
    clue_cells = [(region, "") for region in regions.values()]
    turns = clues.clue_symmetries(letters, clue_cells)
    symmetries = [clues.cell_symmetry(turn) for turn in turns]
    parameters = {"puzzle": puzzle, "stars": stars}
    is_solution = partial(_obeys, cells_of(board(puzzle)), stars)
    return Puzzle("star-battle", parameters, model, star, symmetries, is_solution, draw, fills=fills)


def _rows_and_columns(cells: Collection[grid.Cell], side: int) -> dict[str, list[grid.Cell]]:
    """Return the cells of each row and each column of a square, by its name."""
    lines: dict[str, list[grid.Cell]] = {}
    for axis, kind in enumerate(KINDS):
        for n in range(side):
            title = f"{kind} {n + 1}"
            lines[title] = [cell for cell in cells if cell[axis] == n]
    return lines


def _obeys(region: Mapping[Cell, str], stars: int, solution: Solution) -> bool:
    """Tell whether stars obey the rules; region: the letter of each cell, as the text is read a second time.

    A house is a row, a column or a region. solution: whether there is a star in each cell.
    """
    stars_placed = [cell for cell in region if solution.get(cell)]
    # For each kind of houses: the house of each cell.
    row_of_cell = {cell: cell[0] for cell in region}
    column_of_cell = {cell: cell[1] for cell in region}
    for house_of_cell in (row_of_cell, column_of_cell, region):
        stars_in_house = Counter(house_of_cell[cell] for cell in stars_placed)
        if any(stars_in_house[house] != stars for house in house_of_cell.values()):
            return False
    for (row_a, column_a), (row_b, column_b) in combinations(stars_placed, 2):
        distances = abs(row_a - row_b), abs(column_a - column_b)
        if max(distances) == 1:
            return False
    return True


def _refuse_board(letters: dict[grid.Cell, str], regions: dict[str, grid.Cells], stars: int) -> None:
    """Raise ValueError if a board has not as many regions as rows and columns, or a region has too few cells.

    letters: the region of each cell. stars: how many stars each region holds.
    """
    rows, columns = clues.size_of(letters)
    if not rows == columns == len(regions):
        size_of_rows = number_with_unit(rows, "rows")
        size_of_columns = number_with_unit(columns, "columns")
        region_count = number_with_unit(len(regions), "regions")
        raise ParameterError(
            f"the board has {size_of_rows}, {size_of_columns} and {region_count}; give as many of each"
        )
    if stars < 1:
        raise ParameterError(f"{stars} stars in each row cannot be placed; give a number from 1")
    for letter, cells in regions.items():
        if len(cells) < stars:
            cell_count = number_with_unit(len(cells), "cells")
            needed = number_with_unit(stars, "stars")
            raise ParameterError(f"region {letter} has {cell_count}, too few for {needed}; make it larger")


def _draft(random: Random, side: int = 6) -> Draft:
    """Return stars, one in each row and column, and a region around each.

    side: how many rows there are.
    """
    # A row in which no column is free for a star begins the board again; from 4 rows on, some board has them all.
    columns: list[int] = []
    while len(columns) < side:
        free_columns = [column for column in range(side) if column not in columns]
        if columns:
            free_columns = [column for column in free_columns if abs(columns[-1] - column) > 1]
        if free_columns:
            columns.append(random.choice(free_columns))
            continue
        columns = []
        if side < 4:
            raise ParameterError(f"{side} rows have no such stars; give at least 4")
    stars = [*enumerate(columns)]
    letter: dict[grid.Cell, str] = {star: LETTERS[number] for number, star in enumerate(stars)}
    cells = sorted(grid.box(side, side))
    # The regions grow by random cells beside them until each cell has a letter.
    growth_pairs = _growth_pairs(cells, letter)
    while growth_pairs:
        cell, neighbour = random.choice(growth_pairs)
        letter[cell] = letter[neighbour]
        growth_pairs = _growth_pairs(cells, letter)
    solution = {cell: int(cell in stars) for cell in cells}
    return Draft({"letter": letter, "side": side}, solution)


def _growth_pairs(cells: Sequence[grid.Cell], letter: Mapping[grid.Cell, str]) -> list[tuple[grid.Cell, grid.Cell]]:
    """Return each cell without a letter with each neighbour that has one."""
    pairs = []
    for cell in cells:
        if cell in letter:
            continue
        neighbours = grid.neighbours(cell)
        pairs += [(cell, neighbour) for neighbour in neighbours if neighbour in letter]
    return pairs


def _clues_of_solution(fixed: Fixed, _: Solution) -> list[MadeClue]:
    """Return the letter of each cell, none of which can be left out."""
    letter_by_cell = sorted(fixed["letter"].items())
    return [MadeClue(cell, letter) for cell, letter in letter_by_cell]


def _with_clues(fixed: Fixed, subset: Sequence[MadeClue]) -> dict[str, str]:
    """Return the parameter of the puzzle with these letters."""
    side = fixed["side"]
    puzzle = rows_of_marks(side, side, fixed["letter"])
    return {"puzzle": puzzle}


def _change(random: Random, fixed: Fixed, solution: Solution, rivals: Sequence[Solution]) -> Draft:
    """Return the board with a cell in another region, in which the last of other solutions has a star.

    The region that loses the cell stays connected. Of all such changes it is one that excludes most of the other
    solutions; without any, the board stays as it is. fixed: has the letter of each cell. rivals: the other solutions.
    solution: the stars, which stay; 0 or 1 by cell.
    """
    letter = dict(fixed["letter"])
    wrong = [cell for cell, is_there in rivals[-1].items() if is_there and not solution[cell]]
    candidates = []
    for cell in wrong:
        old_letter = letter[cell]
        region = frozenset(other for other in letter if letter[other] == old_letter)
        parts = grid.components(region - {cell})
        if len(parts) != 1:
            continue
        for neighbour in grid.neighbours(cell):
            new_letter = letter.get(neighbour, old_letter)
            if new_letter != old_letter:
                candidates.append({**letter, cell: new_letter})
    # The best change is one that excludes most rivals: a rival is excluded if two of its stars are in one region.
    random.shuffle(candidates)
    stars_of_rivals = [true_labels(rival) for rival in rivals]

    def count_excluded(candidate: Mapping[grid.Cell, str]) -> int:
        excluded = 0
        for stars in stars_of_rivals:
            letters = {candidate[star] for star in stars}
            excluded += len(letters) < len(stars)
        return excluded

    best = max(candidates, key=count_excluded, default=letter)
    return Draft({**fixed, "letter": best}, solution)


MAKING = Making(_draft, _clues_of_solution, _with_clues, _change)
"""The additions for puzzles that are made."""
