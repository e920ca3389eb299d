"""Writes a declared puzzle, or each of its solutions, as a link."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from models.boards import clues
from models.puzzle import Puzzle
from solvers.errors import InputError
from solvers.extras.bridges.links import fpuzzles, puzzlink, tatham
from solvers.extras.bridges.links.linked import Cell, Linked
from solvers.files.given import Fact
from solvers.symmetry.key import Key


def puzzle_link(puzzle: Puzzle, given: Sequence[Fact], key: Key) -> str:
    """Return a puzzle with what is given as a link: of puzz.link, or else of f-puzzles, or as a game ID.

    key: numbers the literals of the facts. Raises `InputError` if none of these can hold it.
    """
    linked = _linked(puzzle, given, key)
    problems = []
    for write in (puzzlink.write, fpuzzles.write, tatham.write):
        try:
            return write(linked)
        except (InputError, ValueError) as error:
            problems.append(str(error))
    raise InputError("; ".join(problems))


def solution_link(puzzle: Puzzle, given: Sequence[Fact], key: Key) -> Callable[[Mapping[Any, int]], str]:
    """Return the function that writes a solution, by label, into a link of f-puzzles.

    The parameters are those of `puzzle_link`. Raises `InputError` for puzzles other than sudokus, whose links have no
    place for a solution.
    """
    if puzzle.name != "sudoku":
        raise InputError(f"links of {puzzle.name} have no place for a solution; those of sudoku do")
    linked = _linked(puzzle, given, key)
    fpuzzles.as_json(linked)  # so that what cannot be written is told now

    def written(solution: Mapping[Any, int]) -> str:
        held = (_content(puzzle, label, value) for label, value in solution.items() if value)
        return fpuzzles.write(linked, dict(held))

    return written


def _linked(puzzle: Puzzle, given: Sequence[Fact], key: Key) -> Linked:
    """Return a declared puzzle in the words of a command line; raise `InputError` if something else is given.

    key: numbers the literals of the facts.
    """
    arguments: dict[str, Any] = dict(puzzle.parameters)
    for name in ("puzzle", "regions", "cages"):
        if arguments.get(name):  # perhaps the path of a file
            arguments[name] = clues.text_in(str(arguments[name]), "")
    cells: dict[Cell, str] = {}
    for fact in given:
        if "puzzle" in arguments or len(fact.literals) != 1:
            raise InputError(f"a link cannot say {fact.text!r}; leave it out")
        cell, content = _content(puzzle, *key.label_and_value(fact.literals[0]))
        cells[cell] = content
    side = 0 if "puzzle" in arguments or not puzzle.key else max(label[0] for label in puzzle.key) + 1
    return Linked(puzzle.name, arguments, cells, side, side)


def _content(puzzle: Puzzle, label: Any, value: int) -> tuple[Cell, str]:
    """Return (cell, content) of what a literal says."""
    if puzzle.fills is None or not value:
        raise InputError(f"a link cannot say {label}={value}; leave it out")
    name, (cell, *_) = puzzle.fills(label, value)
    return cell, name
