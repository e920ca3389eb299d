"""Read off drawings what lies where, for puzzles that draw cells and do not say which of them a literal fills."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from models.puzzle import Puzzle
from solvers.symmetry.key import Key

MAX_READ_LITERALS = 5000
"""The most literals of a puzzle for which this is done; each is drawn by itself, which takes up to a millisecond."""

Cell = tuple[int, ...]


def with_fills(puzzle: Puzzle, key: Key) -> Puzzle:
    """Return the puzzle with a `fills` that is read from its drawings of single literals.

    `fills(label, value)` returns (name, cells): what a literal puts into which cells. A literal fills the cells whose
    text differs between the drawing of this literal and that of none; the name is that text. The puzzle is returned as
    it is if it has a `fills` of its own, if its drawings do not show cells, if it has too many literals, or if some
    literal adds nothing to a drawing, or different names. The negation of a Boolean fills nothing and is not drawn.

    >>> from models.magic import magic
    >>> puzzle = replace(magic(), fills=None)
    >>> with_fills(puzzle, Key(puzzle.model, puzzle.key)).fills((0, 2), 5)
    ('5', [(0, 2)])
    """
    if puzzle.fills or not puzzle.draw or key.size > MAX_READ_LITERALS:
        return puzzle
    try:
        blank = _names(puzzle, key.partial_solution({}))  # the text of each cell, with no literal drawn
        filled: dict[tuple[Any, int], tuple[str, list[Cell]]] = {}
        for number in range(key.size):
            label, value = key.label_and_value(number)
            if value or not key.is_boolean[key.position[label]]:
                names = _names(puzzle, key.partial_solution({label: value}))
                added = [cell for cell, name in names.items() if name != blank.get(cell, "")]
                if not added or len({names[cell] for cell in added}) > 1:
                    return puzzle
                filled[label, value] = names[added[0]], added
    except Exception:  # its draw needs whole solutions
        return puzzle
    return replace(puzzle, fills=lambda label, value: filled[label, value])


def _names(puzzle: Puzzle, solution: Mapping[Any, int]) -> Mapping[Cell, str]:
    """Return the text that is drawn in each cell when the puzzle draws a solution, or a part of one.

    If there are several frames, the frame's number is the first coordinate of a cell.
    """
    assert puzzle.draw
    frames = puzzle.draw(solution)
    boards = [(() if len(frames) == 1 else (n,), frame.board) for n, frame in enumerate(frames)]
    return {(*layer, *cell): name for layer, board in boards if board for cell, name in board.names.items()}
