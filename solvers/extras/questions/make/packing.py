"""Makes starting positions of a packing: pieces that are on the board, and leave exactly one way to place the others.

All solutions are listed once. Pieces in their places leave one solution if no other solution has them all there.
"""

from __future__ import annotations

import re
import threading
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import reduce
from itertools import combinations, product
from math import comb
from operator import and_
from random import Random
from typing import Any

from models.boards import grid
from models.puzzle import EMPTY, Puzzle
from solvers.base.endings import Ending
from solvers.base.errors import CheckError, InputError, Stopped
from solvers.base.options import Options
from solvers.extras.questions.make.formula import ClueFormula
from solvers.extras.questions.make.maker import MadePuzzle, Wish
from solvers.extras.questions.make.reasoning import Reasoning, reasoning
from solvers.files.catalogue import find
from solvers.running.runner import Run
from solvers.symmetry.key import Key

PACKING = "packing"
"""The name of the puzzle."""

PIECES = "pentominoes"
"""The pieces for a board that is named without any."""

MOST_SOLUTIONS = 200_000
"""The most solutions, images included, that are listed."""

MOST_CHOICES = 200
"""The most sets of pieces of a solution that are tried before the next solution."""

MOST_OTHER_LEVELS = 2_000
"""The most positions of another level than the one that is wished for."""

Given = range
"""The numbers of pieces that may be on the board."""

Placement = tuple[Any, ...]
"""A label of the key: the name of a piece and its cells."""

Position = frozenset[Placement]
"""The placements of the pieces on the board."""


def count_range(text: str) -> Given:
    """Return the numbers of pieces that a text such as "3" or "2..4" means, from 1; raise `InputError` if it is none.

    >>> count_range("2..4")
    range(2, 5)
    """
    match = re.fullmatch(r"(\d{1,3})(?:\.\.(\d{1,3}))?", text)
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)  # (0, 0) is refused
    if not 1 <= first <= last:
        raise InputError(f"--given {text!r} is no number of pieces; write 3, or 2..4")
    return range(first, last + 1)


class PackingMaker:
    """Makes starting positions of one packing."""

    def __init__(
        self, parameters: Mapping[str, Any], given: Given, wish: Wish, seed: int, stop: threading.Event
    ) -> None:
        """Take what is asked for.

        parameters: those of the packing; for a board of the user's own, the pieces are `PIECES` by default. given: the
        numbers of pieces that may lie on the board. wish: the level of the puzzles. seed: the same positions come of
        the same seed. stop: ends the work when set. Raises `InputError` if nothing can be as wished.
        """
        wish.check()
        if wish.clues or wish.minimal or wish.pattern:
            raise InputError("for a packing, `--given` says how many pieces lie on the board; leave out other wishes")
        packing = find(PACKING)
        self._parameters = {**parameters}
        self._given = given
        self._wish = wish
        self._stop = stop
        default = {parameter.name: parameter.default for parameter in packing.parameters}
        if parameters["board"] != default["board"] and parameters["pieces"] == default["pieces"]:
            self._parameters["pieces"] = PIECES
        self._declare = packing.declare
        self._random = Random(f"{PACKING} {seed}")

    def puzzles(self, count: int) -> Iterator[MadePuzzle]:
        """Yield ``count`` positions of the level that is wished for, the easiest first.

        A position is the placements of the pieces that lie on the board at the start; exactly one solution has them.
        Raises `InputError` if there are fewer, or too many of another level before; `Stopped` once the event is set.
        """
        puzzle = self._declare(**self._parameters)
        board = _board(puzzle)
        listed = _Listed(puzzle, self._stop)
        formula = ClueFormula(puzzle.model, Key(puzzle.model, puzzle.key), self._stop)
        positions: list[tuple[Reasoning, Position, Collection[Placement]]] = []  # with the steps and the solution
        others = 0  # positions of another level
        for position, solution in listed.positions(self._given, self._random):
            if self._stop.is_set():
                raise Stopped
            answer = dict.fromkeys(puzzle.key, 0) | dict.fromkeys(solution, 1)  # the value of each label
            steps = reasoning(formula, [formula.literal(label, 1) for label in position], answer)
            if steps.fits(self._wish.level):
                positions.append((steps, position, solution))
            else:
                others += 1
            if len(positions) == count or others > MOST_OTHER_LEVELS:
                break
        if len(positions) < count:
            level = f" of the level {self._wish.level}" if self._wish.level else ""
            raise InputError(
                f"{len(positions)} starting positions{level} with one solution exist; ask for other numbers of pieces"
            )
        positions.sort(key=lambda row: (row[0].level, row[0].looks, row[0].tightest))
        for steps, position, solution in positions:
            yield self._puzzle(board_text(board, position), position, solution, steps)

    def _puzzle(self, text: str, position: Position, solution: Collection[Placement], steps: Reasoning) -> MadePuzzle:
        """Return the packing with these pieces on the board.

        text: the drawing of the board with these pieces, which the packing takes as its board. position: the placements
        of the pieces that lie on it. solution: all placements of the solution. steps: how it is solved. Raises
        `CheckError` if the packing's own check says that the solution is none.
        """
        puzzle = self._declare(**{**self._parameters, "board": text})
        answer = dict.fromkeys(puzzle.key, 0) | dict.fromkeys(solution, 1)
        if puzzle.is_solution is not None and not puzzle.is_solution(answer):
            raise CheckError(f"a starting position was made from what is no solution of {text!r}")
        puzzle_fields = {name: getattr(puzzle, name) for name in Puzzle.__dataclass_fields__}
        pieces_to_place = sorted(name for name, *_ in {*solution} - position if name != EMPTY)
        caption = f"{steps.name} ({steps.words}); left: {' '.join(pieces_to_place)}"
        rows = text.split("\n")
        line = "/".join(rows if len(rows) > 1 else [*rows, ""])  # a board has at least one slash
        return MadePuzzle(
            **puzzle_fields,
            line=line,
            answer=answer,
            shown=dict.fromkeys(sorted(position), 1),
            reasoning=steps,
            clues=len(position),
            caption=caption,
            file_text=text + "\n",
        )


def _board(puzzle: Puzzle) -> Collection[grid.Cell]:
    """Return the cells of a packing; raise `InputError` if its positions cannot be drawn with letters."""
    packing = puzzle.board.packing
    if packing is None or puzzle.board.lattice is not None:
        raise InputError("starting positions are made of squares or cubes that may be turned in all ways")
    for piece in packing.pieces:
        if piece.name != EMPTY and not (len(piece.name) == 1 and piece.name.isalpha()):
            raise InputError(f"the piece {piece.name} cannot be drawn on a board; call each piece by a letter")
    return packing.board


def board_text(board: Collection[grid.Cell], position: Position) -> str:
    r"""Return a drawing of a board: the letter of the piece on each cell, # for an open cell, . outside of the board.

    Layers are separated by a line with a dash. board: its cells. position: (letter, cells) of each piece.

    >>> board_text([(0, 0), (0, 1), (1, 1)], frozenset([("A", ((0, 1), (1, 1)))]))
    '#A\n.A'
    """
    names = {cell: name for name, cells, *_ in position for cell in cells}
    coordinates_by_axis = zip(*board, strict=True)
    *layers, rows, columns = (range(min(axis), max(axis) + 1) for axis in coordinates_by_axis)
    marks = {cell: names.get(cell, "#") for cell in board}
    pictures = []
    for layer in product(*layers):  # the empty tuple alone if cells have two coordinates
        lines = ["".join(marks.get((*layer, row, column), ".") for column in columns) for row in rows]
        pictures.append("\n".join(lines))
    return "\n-\n".join(pictures)


class _Listed:
    """All solutions of a packing."""

    def __init__(self, puzzle: Puzzle, stop: threading.Event) -> None:
        """List the solutions of a packing.

        Raises `InputError` if there are too many, `Stopped` once the event is set.
        """
        run = Run(puzzle.name, puzzle.parameters, lambda **_: puzzle, Options(limit=MOST_SOLUTIONS))
        for _ in run:  # it yields each solution and, a few times a second, None
            if stop.is_set():
                run.stop(Ending.CLOSED)
        if stop.is_set():
            raise Stopped
        if not run.report.complete or run.report.total > MOST_SOLUTIONS:
            raise InputError(
                f"there are more than {MOST_SOLUTIONS:,} solutions, too many to list; choose a smaller board"
            )
        question = run.question
        assert question is not None
        self._representatives: list[Sequence[Placement]] = []
        """The placements of one solution of each orbit."""
        self._solutions_with: dict[Placement, int] = defaultdict(int)
        """For each placement, the solutions that have it: bit k stands for solution k, images included."""
        number = 0
        for encoded in run.in_order():
            for image in question.group.images(encoded):
                decoded_image: dict[Any, int] = question.key.decode(image)
                for label, value in decoded_image.items():
                    if value:
                        self._solutions_with[label] |= 1 << number
                number += 1
            values: dict[Any, int] = question.key.decode(encoded)
            self._representatives.append(sorted(label for label, value in values.items() if value))

    def positions(self, given: Given, random: Random) -> Iterator[tuple[Position, Collection[Placement]]]:
        """Yield (position that exactly one solution has, that solution), each position once.

        Those none of whose pieces can be left out come first. Each round tries one solution of each orbit, in random
        order, until a round finds no new position. given: the numbers of pieces that may be on the board.
        """
        earlier = set[Position]()
        for is_minimal in (True, False):
            round_found_some = True
            while round_found_some:
                round_found_some = False
                for solution in random.sample(self._representatives, len(self._representatives)):
                    if position := self._position(solution, given, random, earlier, is_minimal):
                        round_found_some = True
                        earlier.add(position)
                        yield position, solution

    def _position(
        self,
        solution: Sequence[Placement],
        given: Given,
        random: Random,
        earlier: Collection[Position],
        is_minimal: bool,
    ) -> Position | None:
        """Return a position that only this solution has, and that is no earlier one; None if none was found.

        The number of its pieces is random. All sets of so many pieces are tried in random order, or `MOST_CHOICES`
        random ones if there are more. solution: its placements. given: the numbers of pieces that may be on the board;
        one that leaves no piece to place is passed over. earlier: the positions from before. is_minimal: whether no
        piece may be left out.
        """
        pieces = [label for label in solution if label[0] != EMPTY]
        sizes = [size for size in given if size < len(pieces)]
        if not sizes:
            return None
        size = random.choice(sizes)
        if comb(len(pieces), size) <= MOST_CHOICES:
            choices = [*combinations(pieces, size)]
            random.shuffle(choices)
        else:
            choices = [tuple(random.sample(pieces, size)) for _ in range(MOST_CHOICES)]
        for choice in choices:
            position = frozenset(choice)
            if position not in earlier and self._is_unique(choice) and _is_drawn_apart(choice):
                fewer = (choice[:place] + choice[place + 1 :] for place in range(size))
                if not (is_minimal and any(map(self._is_unique, fewer))):
                    return position
        return None

    def _is_unique(self, position: Sequence[Placement]) -> bool:
        """Tell whether exactly one solution has these placements; False if there are none."""
        solutions = reduce(and_, (self._solutions_with[label] for label in position), -1)  # -1 has all bits
        return solutions > 0 and solutions.bit_count() == 1


def _is_drawn_apart(position: Sequence[Placement]) -> bool:
    """Tell whether pieces with the same letter touch nowhere, so that a drawing by letters distinguishes them."""
    number_of_cell = {cell: number for number, (_, cells, *_) in enumerate(position) for cell in cells}
    for cell, number in number_of_cell.items():
        for neighbour in grid.neighbours(cell):
            other = number_of_cell.get(neighbour, number)  # without another piece there, the same number
            if other != number and position[number][0] == position[other][0]:
                return False
    return True
