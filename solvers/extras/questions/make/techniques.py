"""The techniques by which people solve sudokus, under their usual names, from the easiest to the hardest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from models.boards.grid import Cell

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

    from solvers.symmetry.key import Key

House = tuple[Cell, ...]
"""Cells with all symbols, each symbol in one of them: a row, a column, a region, a diagonal."""

Candidate = tuple[Cell, int]
"""A cell and a symbol that may be in it."""


class Techniques(NamedTuple):
    """The techniques by which a sudoku is solved, or a part of it."""

    used: Mapping[str, int]
    """How often each technique ruled out something, in the order of `TECHNIQUES`."""
    symbols: Mapping[Cell, Collection[int]]
    """The symbols that they leave for each cell."""

    @property
    def left(self) -> int:
        """The number of cells that they leave open."""
        return sum(len(symbols) != 1 for symbols in self.symbols.values())

    @property
    def hardest(self) -> int:
        """The place of the hardest technique in `TECHNIQUES`; their number if they leave cells open."""
        if self.left:
            return len(TECHNIQUES)
        return max(([*TECHNIQUES].index(name) for name in self.used), default=0)

    @property
    def words(self) -> str:
        """The techniques that are used, and what is left, in words."""
        used = ", ".join(f"{name} {number}" for name, number in self.used.items()) or "none"
        if self.left:
            return f"{used}; {self.left} cell{'s' * (self.left != 1)} left"
        return used


class _Board:
    """The candidates of a sudoku, and its houses."""

    def __init__(self, houses: Sequence[House], candidates: Iterable[Candidate]) -> None:
        """Take the houses, and the candidates: (cell, symbol) for every symbol that may be in a cell."""
        self.houses = houses
        self.symbols: dict[Cell, set[int]] = {}
        """The symbols that may be in each cell, of which techniques rule out some."""
        for cell, symbol in candidates:
            self.symbols.setdefault(cell, set()).add(symbol)
        self.all_symbols = sorted({symbol for symbols in self.symbols.values() for symbol in symbols})
        self.done = set[Cell]()
        """The cells whose symbol is ruled out already in the other cells of their houses."""

    def cells_with(self, house: House, symbol: int) -> list[Cell]:
        """Return the cells of a house in which a symbol may be."""
        return [cell for cell in house if symbol in self.symbols[cell]]

    def open_cells(self, house: House) -> list[Cell]:
        """Return the cells of a house in which several symbols may be."""
        return [cell for cell in house if len(self.symbols[cell]) > 1]

    def peers(self, cell: Cell) -> set[Cell]:
        """Return the other cells of the houses of a cell."""
        return {other for house in self.houses if cell in house for other in house} - {cell}

    def exclude(self, cells: Iterable[Cell], symbols: Iterable[int]) -> bool:
        """Rule out symbols in cells; tell whether that is new."""
        new = [(cell, symbol) for cell in cells for symbol in symbols if symbol in self.symbols[cell]]
        for cell, symbol in new:
            self.symbols[cell].discard(symbol)
        return bool(new)


def _use_naked_single(board: _Board) -> bool:
    """Rule out the only symbol of a cell in the other cells of its houses; return False if that is nothing new."""
    for cell, symbols in board.symbols.items():
        if len(symbols) == 1 and cell not in board.done:
            board.done.add(cell)
            if board.exclude(board.peers(cell), symbols):
                return True
    return False


def _technique_of_hidden(size: int) -> Callable[[_Board], bool]:
    """Return the technique of hidden singles, pairs or triples, as ``size`` is 1, 2 or 3.

    If so many symbols have only as many cells in a house, all other symbols are ruled out in these cells.
    """

    def technique(board: _Board) -> bool:
        """Rule out symbols in one house; return False if there is nothing new to rule out."""
        for house in board.houses:
            places = {symbol: {*board.cells_with(house, symbol)} for symbol in board.all_symbols}
            # The symbols with few cells, of which some is open: else nothing can be ruled out there.
            confined = [
                symbol
                for symbol, cells in places.items()
                if 1 <= len(cells) <= size and any(len(board.symbols[cell]) > 1 for cell in cells)
            ]
            for symbols in combinations(confined, size):
                cells = set[Cell]().union(*(places[symbol] for symbol in symbols))
                if len(cells) == size and board.exclude(cells, {*board.all_symbols}.difference(symbols)):
                    return True
        return False

    return technique


def _technique_of_naked(size: int) -> Callable[[_Board], bool]:
    """Return the technique of naked pairs or triples, as ``size`` is 2 or 3.

    If so many cells of a house have only as many symbols, these are ruled out in its other cells.
    """

    def technique(board: _Board) -> bool:
        """Rule out symbols in one house; return False if there is nothing new to rule out."""
        for house in board.houses:
            confined = [cell for cell in board.open_cells(house) if len(board.symbols[cell]) <= size]
            for cells in combinations(confined, size):
                symbols = set[int]().union(*(board.symbols[cell] for cell in cells))
                if len(symbols) == size and board.exclude({*house}.difference(cells), symbols):
                    return True
        return False

    return technique


def _use_locked_candidates(board: _Board) -> bool:
    """Rule out a symbol in the cells of a house outside another house, if all its places in the other are in both.

    For example, if all places of 5 in a block are in one row, 5 is ruled out in the other cells of this row. Returns
    False if there is nothing new to rule out. A house where the symbol has one place is left to singles.
    """
    for house in board.houses:
        for symbol in board.all_symbols:
            places = board.cells_with(house, symbol)
            for other in board.houses if len(places) > 1 else ():
                if {*places} <= {*other} and board.exclude({*other}.difference(house), [symbol]):
                    return True
    return False


def _use_x_wing(board: _Board) -> bool:
    """Rule out a symbol in the other cells of two columns if its only places in two rows are in these columns.

    The same with rows and columns exchanged. Returns False if there is nothing new to rule out.
    """
    for axis in (0, 1):
        lines = [house for house in board.houses if len({cell[axis] for cell in house}) == 1]  # rows, then columns
        for symbol in board.all_symbols:
            places = [board.cells_with(line, symbol) for line in lines]
            # For each line with two places, the cell by the number of the crossing line.
            pairs = [{cell[1 - axis]: cell for cell in cells} for cells in places if len(cells) == 2]
            for first, second in combinations(pairs, 2):
                if first.keys() == second.keys():
                    corners = {*first.values(), *second.values()}
                    on_crossing_lines = [
                        cell for cell in board.symbols if cell[1 - axis] in first and cell not in corners
                    ]
                    if board.exclude(on_crossing_lines, [symbol]):
                        return True
    return False


TECHNIQUES: Mapping[str, Callable[[_Board], bool]] = {
    "naked single": _use_naked_single,
    "hidden single": _technique_of_hidden(1),
    "locked candidates": _use_locked_candidates,
    "naked pair": _technique_of_naked(2),
    "hidden pair": _technique_of_hidden(2),
    "naked triple": _technique_of_naked(3),
    "hidden triple": _technique_of_hidden(3),
    "X-wing": _use_x_wing,
}
"""The techniques, the easiest first; each rules out something by one pattern, and says whether that is new."""


def techniques(houses: Sequence[House], candidates: Iterable[Candidate]) -> Techniques:
    """Return the techniques that solve a sudoku, or a part of it: in each step the easiest that rules out something.

    At first, given symbols are ruled out in the other cells of their houses; this counts as no technique. The loop ends
    as each step leaves fewer symbols. houses: the cells of each row, column and block, in which each symbol is once.
    candidates: all symbols of each open cell, and the given symbol of each other cell.

    >>> row = ((0, 0), (0, 1), (0, 2))
    >>> techniques([row], [((0, 0), 1), *(((0, place), symbol) for place in (1, 2) for symbol in (2, 3))]).words
    'none; 2 cells left'
    """
    board = _Board(houses, candidates)
    board.done = {cell for cell, symbols in board.symbols.items() if len(symbols) == 1}
    for cell in board.done:
        board.exclude(board.peers(cell), board.symbols[cell])
    used = Counter[str]()
    # A technique changes the board, and is true if it has; "" ends the loop when none has.
    while name := next((name for name, technique in TECHNIQUES.items() if technique(board)), ""):
        used[name] += 1
    return Techniques({name: used[name] for name in TECHNIQUES if name in used}, board.symbols)


def techniques_of_model(model: CpModel, key: Key) -> Techniques:
    """Return the techniques that solve a sudoku with its givens, which are constraints on one variable each.

    The houses are read from the model: an exactly-one of the same symbol in several cells. Rules other than those of
    houses are not used. key: its variables are Booleans with the labels (row, column, symbol).
    """
    labels: dict[int, Any] = dict(zip(key.variables, key.labels, strict=True))
    houses: dict[House, None] = {}
    given: dict[Cell, int] = {}
    excluded: set[Candidate] = set()
    for constraint in model.proto.constraints:
        literals = [*constraint.exactly_one.literals] if constraint.has_exactly_one() else []
        places = [labels[literal] for literal in literals if literal in labels]
        if len({symbol for *_, symbol in places}) == 1 < len(places):  # one symbol is once in several cells: a house
            houses[tuple(sorted((row, column) for row, column, _ in places))] = None
        variables = [*constraint.linear.vars] if constraint.has_linear() else []
        if len(variables) == 1 and variables[0] in labels:
            row, column, symbol = labels[variables[0]]
            if 0 in constraint.linear.domain:  # the ends of intervals: the Boolean may be 0, and not 1
                excluded.add(((row, column), symbol))
            else:
                given[row, column] = symbol
    candidates = [((row, column), symbol) for row, column, symbol in labels.values()]
    agreeing = [(cell, symbol) for cell, symbol in candidates if given.get(cell, symbol) == symbol]
    return techniques([*houses], [candidate for candidate in agreeing if candidate not in excluded])
