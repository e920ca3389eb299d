"""Numbers and pieces in a row or on a board, so that differences, distances or lines are all different."""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from functools import partial
from itertools import accumulate, combinations, pairwise, product, takewhile
from typing import Any

import numpy as np
from ortools.sat.python.cp_model import CpModel, IntVar

from models.boards import grid, paths
from models.boards.grid import Cell
from models.boards.rows import nonzero_positions, tally
from models.classics.covering import cover, option_symmetry
from models.errors import ParameterError
from models.puzzle import Drawing, Literal, Puzzle, Solution, true_labels

MOST_CELLS = 100
"""The longest row or side of a board; the models of longer ones are of no use to solvers."""


def _check_size(n: int, least: int = 1) -> None:
    """Raise ValueError if n is less than ``least`` or more than `MOST_CELLS`."""
    if not least <= n <= MOST_CELLS:
        raise ParameterError(f"{n} is not a possible size; choose a number from {least} to {MOST_CELLS}")


def queens(n: int = 8) -> Puzzle:
    """Place n queens on a board of n rows and columns so that none attacks another.

    n: how many queens, rows and columns there are.

    Raises ValueError, with a sentence that says what to change, if a parameter is out of range.
    """
    _check_size(n)
    squares = grid.box(n, n)
    lines = {}
    for r, c in sorted(squares):
        lines[r, c] = [("row", r), ("column", c), ("down", r - c), ("up", r + c)]
    # As an exact cover: each queen covers its row, column and diagonals; diagonals may stay without a queen.
    model, chosen = cover(lines, lambda line: line[0] in ("down", "up"))

    def is_solution(solution: Solution) -> bool:
        """Tell whether n queens are in n different rows, columns, and diagonals of both directions."""
        queens = true_labels(solution)
        rows = {r for r, _ in queens}
        columns = {c for _, c in queens}
        diagonals_down = {r - c for r, c in queens}
        diagonals_up = {r + c for r, c in queens}
        lines = (rows, columns, diagonals_down, diagonals_up)
        return len(queens) == n and all(len(numbers) == n for numbers in lines)

    def are_solutions(rows: Any) -> Any:
        """Return for each row of an array whether it is a solution; its columns are the squares, board row by row."""
        boards = rows.reshape(-1, n, n)
        # For each row of the array, the number of queens on each diagonal of both directions.
        diagonals = []
        for offset in range(1 - n, n):
            diagonals.append(boards.trace(offset, axis1=1, axis2=2))
            diagonals.append(boards[:, ::-1].trace(offset, axis1=1, axis2=2))
        in_rows = boards.sum(axis=2)
        in_columns = boards.sum(axis=1)
        are_filled = (in_rows == 1).all(axis=1) & (in_columns == 1).all(axis=1)
        are_free = (np.array(diagonals) <= 1).all(axis=0)
        return are_filled & are_free

    def draw(solution: Solution) -> Drawing:
        labels = {square: "Q" for square in squares if solution.get(square)}
        return grid.board(n, n, labels)

    def fills(square: Cell, _: int) -> tuple[str, list[Cell]]:
        return "Q", [square]

    turns = [option_symmetry(turn) for turn in grid.symmetries(squares)[1:]]
    return Puzzle(
        "queens",
        {"n": n},
        model,
        chosen,
        turns,
        is_solution,
        draw,
        fills=fills,
        are_solutions=are_solutions,
    )


def langford(n: int = 7) -> Puzzle:
    """Arrange two copies of each number from 1 to n in a row, with exactly k numbers between the two copies of k.

    n: the largest number.

    Raises ValueError, with a sentence that says what to change, if a parameter is out of range.
    """
    _check_size(n)
    last = 2 * n - 1
    # The option (k, first) puts the number k into the places first and first + k + 1.
    places: dict[tuple[int, int], list[Hashable]] = {}
    for k in range(1, n + 1):
        for first in range(last - k):
            places[k, first] = [("number", k), first, first + k + 1]
    model, chosen = cover(places)
    if not places:  # the only number has no place
        model.add_bool_or(())
    numbers = {*range(1, n + 1)}
    all_places = {*range(last + 1)}

    def is_solution(solution: Solution) -> bool:
        """Tell whether each number is put once, and each place is covered."""
        options = true_labels(solution)
        covered_places = {first for _, first in options}
        covered_places |= {first + k + 1 for k, first in options}
        numbers_put = {k for k, _ in options}
        if len(options) != n:
            return False
        return numbers_put == numbers and covered_places == all_places

    def are_solutions(rows: Any) -> Any:
        """Return for each row of an array whether it is a solution; its columns are the options (k, first)."""
        # The number k and the first place of each column's option; n = 1 has no options.
        option_number, option_first = np.array([*places], dtype=np.int64).reshape(-1, 2).T
        # For each option that is chosen: its row of the array and its column. `tally` counts numbers in each row.
        row, option = nonzero_positions(rows)
        numbers_put = option_number[option]
        first_places = option_first[option]
        second_places = first_places + numbers_put + 1
        place_count = len(all_places)
        times_put = tally(row, numbers_put - 1, len(rows), n)
        two_places = np.stack([first_places, second_places], axis=1)
        times_covered = tally(row, two_places, len(rows), place_count)
        return (times_put == 1).all(axis=1) & (times_covered == 1).all(axis=1)

    def mirror_image(place: tuple[int, int]) -> tuple[int, int]:
        k, first = place
        return k, last - (first + k + 1)

    def draw(solution: Solution) -> Drawing:
        number_at: dict[Cell, str] = {}
        for k, first in true_labels(solution):
            number_at[0, first] = str(k)
            number_at[0, first + k + 1] = str(k)
        return grid.board(1, 2 * n, number_at)

    symmetries = [option_symmetry(mirror_image)]
    return Puzzle("langford", {"n": n}, model, chosen, symmetries, is_solution, draw, are_solutions=are_solutions)


def costas(n: int = 6) -> Puzzle:
    """Place n dots, one in each row and column, so that the vectors between all pairs of dots are different.

    n: how many dots, rows and columns there are.

    Raises ValueError, with a sentence that says what to change, if a parameter is out of range.
    """
    _check_size(n)
    model = CpModel()
    row = {column: model.new_int_var(0, n - 1, f"row[{column}]") for column in range(n)}
    model.add_all_different(row.values())
    # Vectors between columns at the same distance differ if their steps of rows do.
    for distance in range(1, n - 1):
        differences_of_rows = [row[c + distance] - row[c] for c in range(n - distance)]
        model.add_all_different(differences_of_rows)

    def is_solution(rows: Solution) -> bool:
        """Tell whether each row has a dot, and dots at the same distance of columns differ by different rows."""
        row_of_column = [rows[column] for column in range(n)]
        for distance in range(1, n):
            differences = {row_of_column[c + distance] - row_of_column[c] for c in range(n - distance)}
            if len(differences) < n - distance:
                return False
        return {*row_of_column} == {*range(n)}

    def are_solutions(rows: Any) -> Any:
        """Return for each row of an array whether it is a solution; a column has the dot's row in that board column."""
        are_right = (np.sort(rows, axis=1) == np.arange(n)).all(axis=1)
        for distance in range(1, n):
            steps = np.sort(rows[:, distance:] - rows[:, :-distance], axis=1)
            are_right &= (steps[:, 1:] != steps[:, :-1]).all(axis=1)
        return are_right

    def quarter_turn(column: int, r: int) -> Literal:
        return r, n - 1 - column

    def mirror(column: int, r: int) -> Literal:
        return n - 1 - column, r

    def draw(rows: Solution) -> Drawing:
        dots: dict[Cell, str] = {(r, column): "●" for column, r in rows.items()}
        return grid.board(n, n, dots)

    symmetries = [quarter_turn, mirror]
    return Puzzle("costas", {"n": n}, model, row, symmetries, is_solution, draw, are_solutions=are_solutions)


def golomb(marks: int = 6, horizon: int = 40) -> Puzzle:
    """Put marks on the shortest ruler on which no distance between two of them occurs twice.

    marks: how many there are, the two ends among them.
    horizon: the longest ruler that is looked at.

    Raises ValueError, with a sentence that says what to change, if a parameter is out of range.
    """
    _check_size(marks, 2)
    _check_size(horizon)
    model = CpModel()
    gaps = [model.new_int_var(1, horizon, f"gap[{n}]") for n in range(marks - 1)]
    model.add(sum(gaps) <= horizon)
    # The distance of two marks is the sum of the gaps between them.
    all_distances = [sum(gaps[a:b]) for a, b in combinations(range(marks), 2)]
    model.add_all_different(all_distances)
    model.minimize(sum(gaps))

    def is_solution(lengths: Solution) -> bool:
        """Tell whether the distances of all pairs of marks are positive and different."""
        gap_lengths = [lengths[gap] for gap in range(marks - 1)]
        positions = [0, *accumulate(gap_lengths)]
        distances = {b - a for a, b in combinations(positions, 2)}
        pair_count = marks * (marks - 1) // 2
        return min(distances) > 0 and len(distances) == pair_count

    def mirror_image(gap: int, length: int) -> Literal:
        return marks - 2 - gap, length

    def draw(lengths: Solution) -> Drawing:
        """Draw the positions of the marks, up to the first gap that a part of a solution lacks."""
        first_gaps = takewhile(lambda gap: gap in lengths, range(marks - 1))
        lengths_of_gaps = [lengths[gap] for gap in first_gaps]
        positions = accumulate(lengths_of_gaps, initial=0)
        labels: dict[Cell, str] = {(0, mark): str(place) for mark, place in enumerate(positions)}
        return grid.board(1, marks, labels)

    parameters = {"marks": marks, "horizon": horizon}
    key = dict(enumerate(gaps))
    return Puzzle("golomb", parameters, model, key, [mirror_image], is_solution, draw)


def all_interval(n: int = 8) -> Puzzle:
    """Put the numbers from 0 to n - 1 in a row so that the differences of neighbours are all different.

    n: how many numbers there are.

    Raises ValueError, with a sentence that says what to change, if a parameter is out of range.
    """
    _check_size(n, 2)
    model = CpModel()
    notes = {place: model.new_int_var(0, n - 1, f"note[{place}]") for place in range(n)}
    steps = [model.new_int_var(1, n - 1, f"step[{place}]") for place in range(n - 1)]
    model.add_all_different(notes.values())
    model.add_all_different(steps)
    for step, (a, b) in zip(steps, pairwise(notes.values()), strict=True):
        model.add_abs_equality(step, a - b)

    def is_solution(row: Solution) -> bool:
        notes = [row[place] for place in range(n)]
        distances = {abs(b - a) for a, b in pairwise(notes)}
        if {*notes} != {*range(n)}:
            return False
        return distances == {*range(1, n)}

    def mirror_image(place: int, note: int) -> Literal:
        return n - 1 - place, note

    def inversion(place: int, note: int) -> Literal:
        return place, n - 1 - note

    def draw(row: Solution) -> Drawing:
        labels: dict[Cell, str] = {(0, place): str(note) for place, note in row.items()}
        return grid.board(1, n, labels)

    return Puzzle("all-interval", {"n": n}, model, notes, [mirror_image, inversion], is_solution, draw)


LEAPS = {
    "rook": [(0, 1), (1, 0), (0, -1), (-1, 0)],
    "knight": [(a * x, b * y) for a, b in ((1, 2), (2, 1)) for x, y in product((1, -1), repeat=2)],
}
"""The steps (rows, columns) of each traveller."""


def cycles(n: int = 6, traveller: str = "rook", directed: bool = False) -> Puzzle:
    """Find the closed tours of an n x n board: single steps that visit each cell once and return to the start.

    n: how many rows and columns the board has.
    traveller: rook (from a cell to its neighbour) or knight.
    directed: count each tour in both directions.

    Raises ValueError, with a sentence that says what to change, if a parameter is out of range.
    """
    _check_size(n, 2)
    if traveller not in LEAPS:
        raise ParameterError(f"there is no traveller {traveller!r}; choose {' or '.join(LEAPS)}")
    board = grid.box(n, n)
    cells = sorted(board)
    neighbours: dict[Cell, list[Cell]] = {}
    for r, c in cells:
        ends = [(r + a, c + b) for a, b in LEAPS[traveller]]
        neighbours[r, c] = [cell for cell in ends if cell in board]
    model = CpModel()
    # The key is one variable for each pair of cells; if directed, one for each direction.
    edges: dict[paths.Edge, IntVar] = {}
    for a in cells:
        for b in sorted(neighbours[a]):
            if a < b:
                edges[a, b] = model.new_bool_var(f"{a} and {b}")
    arcs = paths.arcs_along(model, edges)
    number = {cell: place for place, cell in enumerate(cells)}
    if any(len(cells_near) < 2 for cells_near in neighbours.values()):
        model.add_bool_or([])  # no tour: such a cell cannot be entered and left
    else:
        arcs_of_numbers = [(number[a], number[b], literal) for (a, b), literal in arcs.items()]
        model.add_circuit(arcs_of_numbers)
        # A corner has two neighbours. The tour leaves the first corner towards the smaller one.
        if not directed:
            second = min(neighbours[0, 0])
            model.add(arcs[(0, 0), second] == 1)

    def is_solution(solution: Solution) -> bool:
        """Tell whether the steps are one loop through all cells, and, if directed, leave each cell once."""
        steps = true_labels(solution)
        leaves = {start for start, _ in steps}
        loop = {(min(step), max(step)) for step in steps}
        if directed and len(leaves) != len(steps):
            return False
        return len(steps) == len(loop) == n * n and paths.is_one_loop(loop)

    def are_solutions(rows: Any) -> Any:
        """Return for each row of an array whether it is a solution; its columns are the edges, 1 if they are taken."""
        edges_of_numbers = [(number[a], number[b]) for a, b in edges]
        second = min(neighbours[0, 0])
        return _are_tours(rows, edges_of_numbers, n * n, number[second])

    def draw(solution: Solution) -> Drawing:
        """Draw a rook's tour as lines; a knight's tour as the numbers of its cells, as far as it is known."""
        steps = true_labels(solution)
        if traveller == "rook":
            page = paths.paper(dict.fromkeys(cells, ""))
            lines = paths.through_middles(dict.fromkeys(steps, 1))
            return [page.with_shapes(*lines)]
        next_cells: dict[Cell, list[Cell]] = defaultdict(list)
        for start, end in sorted(steps):
            next_cells[start].append(end)
            if not directed:
                next_cells[end].append(start)
        visits: dict[Cell, str] = {}
        # Follow the steps from the first cell to a cell that is not yet visited, as long as there is one.
        cell: Cell | None = (0, 0) if steps else None
        while cell is not None:
            visits[cell] = str(len(visits) + 1)
            cell = next((other for other in next_cells[cell] if other not in visits), None)
        return grid.board(n, n, visits)

    turns = grid.symmetries(frozenset(cells))[1:]
    parameters = {"n": n, "traveller": traveller, "directed": directed}
    if directed:
        symmetries = [option_symmetry(partial(_arc_image, turn)) for turn in turns]
        symmetries.append(option_symmetry(lambda arc: arc[::-1]))
        return Puzzle("cycles", parameters, model, arcs, symmetries, is_solution, draw)
    symmetries = [paths.edge_symmetry(turn) for turn in turns]
    return Puzzle("cycles", parameters, model, edges, symmetries, is_solution, draw, are_solutions=are_solutions)


def _are_tours(rows: Any, edges: Sequence[tuple[int, int]], cells: int, second: int) -> Any:
    """Return for each row of an array whether its edges are one tour through all cells.

    All tours are followed at once, from cell 0. A cell of a tour has two neighbours, so the next cell is the sum of the
    numbers of both minus the previous cell. A tour is back at cell 0 after as many steps as there are cells, and not
    before.

    rows: an entry is 1 if the edge of its column belongs to the tour, else 0. edges: the cells, by number, that each
    edge joins. cells: how many there are, at least 2. second: the cell after cell 0 in each tour.
    """
    tails, heads = np.array(edges).T
    row, edge = nonzero_positions(rows)
    # By row and cell: how many neighbours the cell has in the tour, and the sum of their numbers.
    degree, neighbour_sum = np.zeros((2, len(rows), cells), np.int64)
    for cells_here, cells_there in ((tails, heads), (heads, tails)):
        cells_of_edges = row, cells_here[edge]
        np.add.at(degree, cells_of_edges, 1)
        np.add.at(neighbour_sum, cells_of_edges, cells_there[edge])
    every_row = np.arange(len(rows))
    previous, early_returns = np.zeros((2, len(rows)), np.int64)
    current = np.full(len(rows), second)
    for _ in range(cells - 1):
        early_returns += current == 0
        # Without two neighbours the difference may be no cell; such rows are no solutions.
        next_number = neighbour_sum[every_row, current] - previous
        previous, current = current, np.clip(next_number, 0, cells - 1)
    return (degree == 2).all(axis=1) & (current == 0) & (early_returns == 0)


def _arc_image(turn: grid.Turn, arc: tuple[Cell, Cell]) -> tuple[Cell, Cell]:
    """Return the image of an arc (from cell, to cell) under a turn of the board."""
    start, end = arc
    return turn(start), turn(end)
