"""Makes sets of pieces for a box: exactly one assembly comes apart, and in many moves.

A random dissection of the board is changed cell by cell, and a change is kept if the pieces then come apart in as many
moves or more. Once these are enough, all assemblies of the pieces are looked for.
"""

from __future__ import annotations

import re
import string
import threading
from collections.abc import Collection, Iterator, Mapping
from random import Random
from typing import Any

from models.boards import grid
from models.puzzle import EMPTY, Puzzle
from solvers.base.endings import Ending
from solvers.base.errors import InputError, Stopped
from solvers.base.options import Options
from solvers.extras.questions.disassembly.disassembly import Disassembly, disassembly
from solvers.extras.questions.make.maker import MadePuzzle
from solvers.extras.questions.make.packing import board_text
from solvers.files.catalogue import find
from solvers.running.runner import Run

HOLE = -1
"""The part of a cell that stays empty."""

MOST_POSITIONS_TRIED = 20_000
"""The most positions that are looked at for one dissection."""

MOST_FAILURES = 400
"""The most changes one after the other that lead to fewer moves, before the search begins anew."""

MOST_DISSECTIONS = 2_000
"""The most random dissections with which the search begins."""

SECONDS_TO_COUNT = 10.0
"""The time limit for the assemblies of one set of pieces."""

Owner = dict[grid.Cell, int]
"""The number of the part that covers each cell of the board, or `HOLE`."""


def is_of_moves(level: str) -> bool:
    """Tell whether a level is one of moves, such as "5." or "3.1.2".

    >>> is_of_moves("5."), is_of_moves("3")
    (True, False)
    """
    return re.fullmatch(r"\d+\.(\d+\.)*\d*", level) is not None


class DissectionMaker:
    """Makes sets of pieces for one board."""

    def __init__(self, parameters: Mapping[str, Any], parts: int, level: str, seed: int, stop: threading.Event) -> None:
        """Take what is asked for.

        parameters: those of the packing, without its pieces. parts: the number of pieces. level: the least level. seed:
        the same pieces come of the same seed. stop: ends the work when set. Raises `InputError` if nothing can be as
        wished.
        """
        self._stop, self._random = stop, Random(f"dissections {seed}")
        self._parameters, self._parts = {**parameters}, parts
        self._wanted = tuple(int(number) for number in level.split(".") if number)  # moves, in lexicographic order
        self._declare = find("packing").declare
        board_puzzle = self._declare(**{**self._parameters, "pieces": "1x1 x*", "holes": 0})
        if board_puzzle.board.lattice is not None or board_puzzle.board.packing is None:
            raise InputError("pieces that come apart are made of squares or cubes that may be turned in all ways")
        self._board = frozenset(board_puzzle.board.packing.board)
        self._holes = parameters["holes"]
        if not 2 <= parts <= min(len(self._board) - self._holes, len(string.ascii_uppercase)):
            raise InputError(f"{parts} pieces cannot be made of {len(self._board) - self._holes} cells")

    def puzzles(self, count: int) -> Iterator[MadePuzzle]:
        """Yield so many sets of pieces, each as a packing.

        Raises `InputError` if `MOST_DISSECTIONS` lead to none, `Stopped` once the event is set.
        """
        tried = set[frozenset[frozenset[grid.Cell]]]()
        for _ in range(count):
            puzzle = next(filter(None, (self._climb(tried) for _ in range(MOST_DISSECTIONS))), None)
            if puzzle is None:
                raise InputError(
                    f"none of {MOST_DISSECTIONS:,} random dissections led to such pieces; ask for fewer moves, another "
                    "board, or other numbers of `--parts` and `--holes`"
                )
            yield puzzle

    def _climb(self, tried: set[frozenset[frozenset[grid.Cell]]]) -> MadePuzzle | None:
        """Return a set of pieces as wished, found by hill climbing from a random dissection; None if none is found.

        A change is kept if the assembly still comes apart and its moves, in lexicographic order, do not decrease. The
        climb ends after `MOST_FAILURES` changes in a row without an increase. tried: the dissections whose assemblies
        were counted; this adds to them.
        """
        owner = _random_dissection(self._board, self._parts, self._holes, self._random)
        score: tuple[int, ...] = (0,)
        failures = 0
        while failures < MOST_FAILURES:
            if self._stop.is_set():
                raise Stopped
            changed = _change(owner, self._random)
            assembly = disassembly(_tiles(changed), MOST_POSITIONS_TRIED) if changed else None
            if not (changed and assembly and assembly.is_apart and assembly.moves >= score):
                failures += 1
                continue
            failures = 0 if assembly.moves > score else failures + 1
            owner, score = changed, assembly.moves
            pieces = frozenset(frozenset(cells) for _, cells in _tiles(owner))
            if score >= self._wanted and pieces not in tried:
                tried.add(pieces)
                if puzzle := self._unique(assembly):
                    return puzzle
        return None

    def _unique(self, assembly: Disassembly) -> MadePuzzle | None:
        """Return the packing of the pieces if only this assembly of them comes apart; None if others do.

        assembly: the pieces as they lie, and how they come apart. The result is None, too, if the search takes longer
        than `SECONDS_TO_COUNT`. Raises `Stopped` once the event is set.
        """
        text = "\n\n".join(_drawing(name, cells) for name, cells in assembly.tiles) + "\n"
        puzzle: Puzzle = self._declare(**{**self._parameters, "pieces": text})
        run = Run(
            puzzle.name, puzzle.parameters, lambda **_: puzzle, Options(unique_apart=True, time_limit=SECONDS_TO_COUNT)
        )
        for _ in run:
            if self._stop.is_set():
                run.stop(Ending.CLOSED)
        if self._stop.is_set():
            raise Stopped
        if not run.report.unique_apart:
            return None
        answer = dict.fromkeys(puzzle.key, 0)
        answer |= {(name, tuple(sorted(cells))): 1 for name, cells in assembly.tiles}
        covered = {cell for _, cells in assembly.tiles for cell in cells}
        answer |= {(EMPTY, (cell,)): 1 for cell in self._board - covered}
        parts = {name: getattr(puzzle, name) for name in Puzzle.__dataclass_fields__}
        line = "; ".join(text.strip().replace("\n-\n", " ").split("\n\n")).replace("\n", "/")
        caption = f"level {assembly.level}, {run.report.solutions} assemblies"
        return MadePuzzle(
            **parts, line=f"{assembly.level}: {line}", answer=answer, clues=self._parts, caption=caption, file_text=text
        )


def _random_dissection(board: Collection[grid.Cell], parts: int, holes: int, random: Random) -> Owner:
    """Return a random dissection of a board into ``parts`` connected parts; ``holes`` cells stay empty.

    Parts grow cell by cell from random cells, small ones more often; if they are stuck, all begins anew.
    """
    while True:
        owner = dict.fromkeys(sorted(board), HOLE)
        for number, cell in enumerate(random.sample(sorted(board), parts)):
            owner[cell] = number
        for _ in range(len(board) - parts - holes):
            beside = [
                (cell, number)
                for cell, piece in owner.items()
                if piece == HOLE
                for neighbour in grid.neighbours(cell)
                if (number := owner.get(neighbour, HOLE)) != HOLE
            ]
            if not beside:
                break
            sizes = {number: sum(piece == number for piece in owner.values()) for _, number in beside}
            cell, number = random.choices(beside, [1 / sizes[number] for _, number in beside])[0]
            owner[cell] = number
        else:
            return owner


def _change(owner: Owner, random: Random) -> Owner | None:
    """Return a dissection in which a random cell goes to a part beside it; None if a part would not stay connected.

    If the cell was empty, another one becomes empty. The result is None, too, if no other part is beside the cell.

    owner: the number of each cell's part, `HOLE` for an empty cell.
    """
    cell = random.choice([*owner])
    neighbours = {owner[neighbour] for neighbour in grid.neighbours(cell) if neighbour in owner}
    parts_beside = sorted(neighbours - {owner[cell], HOLE})
    if not parts_beside:
        return None
    changes = {cell: random.choice(parts_beside)}
    if owner[cell] == HOLE:
        changes[random.choice([other for other, number in owner.items() if number != HOLE])] = HOLE
    changed = {**owner, **changes}
    for number in {owner[changed_cell] for changed_cell in changes} - {HOLE}:
        if len(grid.components(frozenset(cell for cell, piece in changed.items() if piece == number))) != 1:
            return None
    return changed


def _tiles(owner: Owner) -> list[tuple[str, list[grid.Cell]]]:
    """Return (name, cells) of each part; names are letters."""
    numbers = sorted({*owner.values()} - {HOLE})
    return [(string.ascii_uppercase[n], sorted(cell for cell, piece in owner.items() if piece == n)) for n in numbers]


def _drawing(name: str, cells: Collection[grid.Cell]) -> str:
    """Return a piece as a file of pieces draws it: its name, and its layers below each other."""
    return f"{name}\n{board_text(cells, frozenset())}"
