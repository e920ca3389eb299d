"""Makes sets of pieces for a box: exactly one assembly comes apart, and in many moves.

A random dissection of the board is changed cell by cell, and a change is kept if the pieces then come apart in as many
moves or more. Once these are enough, all assemblies of the pieces are looked for.
"""

from __future__ import annotations

import re
import string
import threading
from collections import Counter, defaultdict
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

PartOfCell = dict[grid.Cell, int]
"""The number of the part that covers each cell of the board, or `HOLE`."""


def is_of_moves(level: str) -> bool:
    """Tell whether a level is one of moves, such as "5." or "3.1.2": numbers with at least one dot.

    >>> is_of_moves("5."), is_of_moves("3")
    (True, False)
    """
    return re.fullmatch(r"\d+\.(\d+\.)*\d*", level) is not None


class DissectionMaker:
    """Makes sets of pieces for one board."""

    def __init__(self, parameters: Mapping[str, Any], parts: int, level: str, seed: int, stop: threading.Event) -> None:
        """Take what is asked for.

        parameters: those of the packing, without its pieces. parts: the number of pieces. level: the least level, the
        numbers of moves as in "3.1.2". seed: the same pieces come of the same seed. stop: ends the work when set.
        Raises `InputError` if nothing can be as wished.
        """
        self._stop = stop
        self._random = Random(f"dissections {seed}")
        self._parameters, self._parts = {**parameters}, parts
        self._wanted = tuple(int(number) for number in level.split(".") if number)  # moves, in lexicographic order
        self._declare = find("packing").declare
        # Any number of single cells, which fit every board: this puzzle is only declared to read its board.
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
        tried = set[frozenset[frozenset[grid.Cell]]]()  # dissections, each as the set of its parts
        for _ in range(count):
            climbs = (self._climb(tried) for _ in range(MOST_DISSECTIONS))
            puzzle = next(filter(None, climbs), None)  # the first that is found
            if puzzle is None:
                raise InputError(
                    f"none of {MOST_DISSECTIONS:,} random dissections led to such pieces; ask for fewer moves, another "
                    "board, or other numbers of `--parts` and `--holes`"
                )
            yield puzzle

    def _climb(self, tried: set[frozenset[frozenset[grid.Cell]]]) -> MadePuzzle | None:
        """Return a set of pieces as wished, found by hill climbing from a random dissection; None if none is found.

        A change is kept if the assembly still comes apart and its numbers of moves, in lexicographic order, do not
        decrease. The climb ends after `MOST_FAILURES` changes in a row without an increase. tried: the dissections,
        each as the set of its parts, whose assemblies were counted; this adds to them.
        """
        part_of_cell = _random_dissection(self._board, self._parts, self._holes, self._random)
        score: tuple[int, ...] = (0,)
        failures = 0
        while failures < MOST_FAILURES:
            if self._stop.is_set():
                raise Stopped
            changed = _change(part_of_cell, self._random)
            # `disassembly` takes the pieces apart in the fewest moves; its ``moves`` has a number for each separation.
            assembly = disassembly(_tiles(changed), MOST_POSITIONS_TRIED) if changed else None
            if not (changed and assembly and assembly.is_apart and assembly.moves >= score):
                failures += 1
                continue
            failures = 0 if assembly.moves > score else failures + 1
            part_of_cell, score = changed, assembly.moves
            pieces = frozenset(frozenset(cells) for _, cells in _tiles(part_of_cell))
            if score >= self._wanted and pieces not in tried:
                tried.add(pieces)
                if puzzle := self._unique(assembly):
                    return puzzle
        return None

    def _unique(self, assembly: Disassembly) -> MadePuzzle | None:
        """Return the packing of the pieces if only this assembly of them comes apart; None if others do.

        A run lists all assemblies of the pieces and takes them apart. assembly: the pieces as they lie, and how they
        come apart. The result is None, too, if the run takes longer than `SECONDS_TO_COUNT`. Raises `Stopped` once the
        event is set.
        """
        text = "\n\n".join(_drawing(name, cells) for name, cells in assembly.tiles) + "\n"
        puzzle: Puzzle = self._declare(**{**self._parameters, "pieces": text})
        run = Run(
            puzzle.name, puzzle.parameters, lambda **_: puzzle, Options(unique_apart=True, time_limit=SECONDS_TO_COUNT)
        )
        for _ in run:  # it yields each solution and, a few times a second, None
            if self._stop.is_set():
                run.stop(Ending.CLOSED)
        if self._stop.is_set():
            raise Stopped
        if not run.report.unique_apart:
            return None
        # A label of a packing's key is (name of the piece, its cells in order).
        answer = dict.fromkeys(puzzle.key, 0)
        answer |= {(name, tuple(sorted(cells))): 1 for name, cells in assembly.tiles}
        covered = {cell for _, cells in assembly.tiles for cell in cells}
        answer |= {(EMPTY, (cell,)): 1 for cell in self._board - covered}
        puzzle_fields = {name: getattr(puzzle, name) for name in Puzzle.__dataclass_fields__}
        line = "; ".join(text.strip().replace("\n-\n", " ").split("\n\n")).replace("\n", "/")
        return MadePuzzle(
            **puzzle_fields,
            line=f"{assembly.level}: {line}",
            answer=answer,
            clues=self._parts,
            caption=f"level {assembly.level}, {run.report.solutions} assemblies",
            file_text=text,
        )


def _random_dissection(board: Collection[grid.Cell], parts: int, holes: int, random: Random) -> PartOfCell:
    """Return a random dissection of a board into ``parts`` connected parts; ``holes`` cells stay empty.

    Parts grow cell by cell from random cells, small ones more often; if they are stuck, all begins anew.
    """
    while True:
        part_of_cell = dict.fromkeys(sorted(board), HOLE)
        for part, cell in enumerate(random.sample(sorted(board), parts)):
            part_of_cell[cell] = part
        for _ in range(len(board) - parts - holes):
            additions = [  # (open cell, part beside it)
                (cell, part)
                for cell, part_here in part_of_cell.items()
                if part_here == HOLE
                for neighbour in grid.neighbours(cell)
                if (part := part_of_cell.get(neighbour, HOLE)) != HOLE
            ]
            if not additions:
                break
            sizes = Counter(part_of_cell.values())
            cell, part = random.choices(additions, [1 / sizes[part] for _, part in additions])[0]
            part_of_cell[cell] = part
        else:
            return part_of_cell


def _change(part_of_cell: PartOfCell, random: Random) -> PartOfCell | None:
    """Return a dissection in which a random cell goes to a part beside it; None if a part would not stay connected.

    If the cell was empty, another one becomes empty. The result is None, too, if no other part is beside the cell.

    part_of_cell: the number of each cell's part, `HOLE` for an empty cell.
    """
    cell = random.choice([*part_of_cell])
    numbers_beside = {part_of_cell[neighbour] for neighbour in grid.neighbours(cell) if neighbour in part_of_cell}
    parts_beside = sorted(numbers_beside - {part_of_cell[cell], HOLE})
    if not parts_beside:
        return None
    changes = {cell: random.choice(parts_beside)}
    if part_of_cell[cell] == HOLE:
        changes[random.choice([other for other, part in part_of_cell.items() if part != HOLE])] = HOLE
    changed = {**part_of_cell, **changes}
    # Only the part that loses a cell may fall into several components, or have no cell left.
    for part in {part_of_cell[changed_cell] for changed_cell in changes} - {HOLE}:
        cells_of_part = frozenset(cell for cell, part_here in changed.items() if part_here == part)
        if len(grid.components(cells_of_part)) != 1:
            return None
    return changed


def _tiles(part_of_cell: PartOfCell) -> list[tuple[str, list[grid.Cell]]]:
    """Return (name, cells) of each part; names are letters."""
    cells_of_part: dict[int, list[grid.Cell]] = defaultdict(list)
    for cell, part in part_of_cell.items():
        cells_of_part[part].append(cell)
    return [(string.ascii_uppercase[part], sorted(cells_of_part[part])) for part in sorted({*cells_of_part} - {HOLE})]


def _drawing(name: str, cells: Collection[grid.Cell]) -> str:
    """Return a piece as a file of pieces draws it: its name, and its layers below each other."""
    return f"{name}\n{board_text(cells, frozenset())}"
