"""Puzzles with very many symmetries, all of which the models show, if nothing else is said."""

from collections.abc import Sequence
from itertools import combinations, product
from typing import Any

from ortools.sat.python.cp_model import CpModel

from models.puzzle import Literal, Puzzle, Symmetry


def latin(order: int = 4, isotopy: bool = False) -> Puzzle:
    """Latin squares, a Boolean for each row, column and symbol; isotopy: these are not exchanged with each other."""
    model, size = CpModel(), range(order)
    holds = {cell: model.new_bool_var(str(cell)) for cell in product(size, repeat=3)}
    for a, b in combinations(range(3), 2):
        for i, j in product(size, repeat=2):
            model.add_exactly_one(literal for cell, literal in holds.items() if cell[a] == i and cell[b] == j)
    return Puzzle("latin", {"order": order}, model, holds, isotopies(order) if isotopy else [])


def isotopies(order: int) -> list[Symmetry]:
    """Two permutations each of rows, columns and symbols; they generate all of them."""

    def of(place: int, image: Sequence[int]) -> Symmetry:
        def moved(label: tuple[int, ...], value: int) -> Literal:
            return (*label[:place], image[label[place]], *label[place + 1 :]), value

        return moved

    turn, swap = [*range(1, order), 0], [1, 0, *range(2, order)]
    return [of(place, image) for place in range(3) for image in (turn, swap)]


def latin_by_integers(order: int = 4) -> Puzzle:
    """The same squares, an integer for each cell."""
    model, size = CpModel(), range(order)
    symbol = {cell: model.new_int_var(1, order, str(cell)) for cell in product(size, repeat=2)}
    for line in size:
        model.add_all_different(symbol[line, c] for c in size)
        model.add_all_different(symbol[r, line] for r in size)
    return Puzzle("latin by integers", {"order": order}, model, symbol)


def sudoku(rows: int = 2, columns: int = 2) -> Puzzle:
    """Sudokus with blocks of so many rows and columns."""
    model, order = CpModel(), rows * columns
    size = range(order)
    holds = {cell: model.new_bool_var(str(cell)) for cell in product(size, repeat=3)}

    def houses(row: int, column: int, symbol: int) -> list[tuple[Any, ...]]:
        block = row // rows, column // columns
        return [("cell", row, column), ("row", row, symbol), ("column", column, symbol), ("block", block, symbol)]

    items: dict[Any, list[Any]] = {}
    for cell, literal in holds.items():
        for house in houses(*cell):
            items.setdefault(house, []).append(literal)
    for literals in items.values():
        model.add_exactly_one(literals)
    return Puzzle("sudoku", {"rows": rows, "columns": columns}, model, holds)


def steiner(points: int = 7) -> Puzzle:
    """Triples of points that hold each pair once."""
    model = CpModel()
    chosen = {triple: model.new_bool_var(str(triple)) for triple in combinations(range(points), 3)}
    for pair in combinations(range(points), 2):
        model.add_exactly_one(literal for triple, literal in chosen.items() if set(pair) <= set(triple))
    return Puzzle("steiner", {"points": points}, model, chosen)


def one_factorisation(points: int = 6) -> Puzzle:
    """The edges of a complete graph in colours; those of a colour meet each point once. Colours have no names."""
    model, colours = CpModel(), range(points - 1)
    colour = {edge: model.new_int_var(0, points - 2, str(edge)) for edge in combinations(range(points), 2)}
    for point in range(points):
        model.add_all_different(variable for edge, variable in colour.items() if point in edge)
    return Puzzle("one-factorisation", {"points": points, "colours": len(colours)}, model, colour)


def colouring(edges: Sequence[tuple[int, int]], colours: int) -> Puzzle:
    """Colourings of a graph: neighbours differ."""
    model = CpModel()
    colour = {node: model.new_int_var(1, colours, str(node)) for node in sorted({n for edge in edges for n in edge})}
    for here, there in edges:
        model.add(colour[here] != colour[there])
    return Puzzle("colouring", {"colours": colours}, model, colour)


PETERSEN = [
    *((n, (n + 1) % 5) for n in range(5)),
    *((n, n + 5) for n in range(5)),
    *((n + 5, (n + 2) % 5 + 5) for n in range(5)),
]

K33 = list(product(range(3), range(3, 6)))


def golfers(groups: int = 3, size: int = 2, weeks: int = 3) -> Puzzle:
    """Golfers play in groups each week; no two meet twice."""
    model, players = CpModel(), range(groups * size)
    plays = {cell: model.new_bool_var(str(cell)) for cell in product(players, range(weeks), range(groups))}
    for player, week in product(players, range(weeks)):
        model.add_exactly_one(plays[player, week, group] for group in range(groups))
    for week, group in product(range(weeks), range(groups)):
        model.add(sum(plays[player, week, group] for player in players) == size)
    meetings = list(product(range(weeks), range(groups)))
    for a, b in combinations(players, 2):
        for (week, group), (other, another) in combinations(meetings, 2):
            if week != other:
                model.add_bool_or(
                    ~plays[a, week, group], ~plays[b, week, group], ~plays[a, other, another], ~plays[b, other, another]
                )
    return Puzzle("golfers", {"groups": groups, "size": size, "weeks": weeks}, model, plays)


def queens(order: int = 8) -> Puzzle:
    model = CpModel()
    row = {column: model.new_int_var(0, order - 1, str(column)) for column in range(order)}
    model.add_all_different(row.values())
    model.add_all_different(row[column] + column for column in row)
    model.add_all_different(row[column] - column for column in row)
    return Puzzle("queens", {"order": order}, model, row)
