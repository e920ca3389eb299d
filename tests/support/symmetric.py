"""Puzzles with very many symmetries, all of which the models show, if nothing else is said."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, product

from ortools.sat.python.cp_model import CpModel

from models.classics import designs
from models.digits import sudoku as sudokus
from models.puzzle import Literal, Puzzle, Symmetry
from tests.support import classics


def latin(order: int = 4, isotopy: bool = False) -> Puzzle:
    """Latin squares, a Boolean for each row, column and symbol; isotopy: these are not exchanged with each other."""
    return replace(designs.latin(order), symmetries=isotopies(order) if isotopy else [])


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
    model, cells = classics.latin(order, least=1)
    symbol = dict(zip(product(range(order), repeat=2), cells, strict=True))
    return Puzzle("latin by integers", {"order": order}, model, symbol)


def sudoku(rows: int = 2, columns: int = 2) -> Puzzle:
    """Sudokus with blocks of so many rows and columns."""
    return replace(sudokus.sudoku(rows, columns), symmetries=[])


def steiner(points: int = 7) -> Puzzle:
    """Triples of points that hold each pair once."""
    return replace(designs.triples(points), symmetries=[])


def one_factorisation(points: int = 6) -> Puzzle:
    """The edges of a complete graph in colours; those of a colour meet each point once. Colours have no names."""
    model, colours = CpModel(), range(points - 1)
    colour = {edge: model.new_int_var(0, points - 2, str(edge)) for edge in combinations(range(points), 2)}
    for point in range(points):
        model.add_all_different(variable for edge, variable in colour.items() if point in edge)
    return Puzzle("one-factorisation", {"points": points, "colours": len(colours)}, model, colour)


def colouring(edges: Sequence[tuple[int, int]], colours: int) -> Puzzle:
    """Colourings of a graph: neighbours differ."""
    model, colour = classics.colouring(1 + max(map(max, edges)), edges, colours)
    return Puzzle("colouring", {"colours": colours}, model, dict(enumerate(colour)))


K33 = list(product(range(3), range(3, 6)))


def graphs(points: int = 6) -> Puzzle:
    """Graphs, by their edges; those are the same that differ in the names of the points."""
    model = CpModel()
    edge = {pair: model.new_bool_var(f"{pair}") for pair in combinations(range(points), 2)}

    def turn(pair: tuple[int, int], value: int) -> Literal:
        return tuple(sorted((point + 1) % points for point in pair)), value

    def swap(pair: tuple[int, int], value: int) -> Literal:
        return tuple(sorted({0: 1, 1: 0}.get(point, point) for point in pair)), value

    return Puzzle("graphs", {"points": points}, model, edge, [turn, swap])


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
    model, rows = classics.queens(order)
    return Puzzle("queens", {"order": order}, model, dict(enumerate(rows)))
