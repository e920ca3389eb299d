"""Writes a declared puzzle, or each of its solutions, as a link; what is written is read again and compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from models.boards import clues
from models.boards.marks import square_in
from models.puzzle import Puzzle
from solvers.base.errors import InputError
from solvers.extras.bridges.links import fpuzzles, puzzlink, tatham
from solvers.extras.bridges.links.linked import Cell, Linked
from solvers.extras.bridges.links.read import read
from solvers.files.catalogue import find
from solvers.files.given import Fact
from solvers.symmetry.key import Key


def puzzle_link(puzzle: Puzzle, given: Sequence[Fact], key: Key) -> str:
    """Return a puzzle with what is given as a link: of puzz.link, or else of f-puzzles, or as a game ID.

    Each link is read again, and taken only if that gives the same puzzle. given: facts of a cell each. key: numbers the
    literals of the facts. Raises `InputError`, with the problem of each site, if none of these can write the puzzle.
    """
    linked = _link_content(puzzle, given, key)
    problems = []
    for write in (puzzlink.write, fpuzzles.write, tatham.write):
        try:
            link = write(linked)
            require_same(puzzle, linked, link)
            return link
        except (InputError, ValueError) as error:
            problems.append(str(error))
    raise InputError("; ".join(dict.fromkeys(problems)))


def require_same(puzzle: Puzzle, linked: Linked, link: str) -> None:
    """Raise `InputError` if a link, once it is read, is another puzzle or gives other cells.

    The puzzle that is read is declared, and its constraints are compared with those of ``puzzle``, whatever their order
    and their names. puzzle: the puzzle as it is declared. linked: the same in the words of a command line.
    """
    read_puzzle = read(link)
    site = link.partition("//")[2].partition("/")[0] or "a game ID"
    if read_puzzle.name != linked.name or dict(read_puzzle.cells) != dict(linked.cells):
        raise InputError(f"{site} cannot hold this {linked.name}: read again, it is another puzzle")
    try:
        declared = find(read_puzzle.name).declare(**read_puzzle.arguments)
    except (InputError, ValueError) as error:
        raise InputError(f"{site} cannot hold this {linked.name}: read again, {error}") from None
    if _rules(declared) != _rules(puzzle):
        raise InputError(f"{site} cannot hold this {linked.name}: read again, it has other rules")


def _rules(puzzle: Puzzle) -> tuple[dict[Any, int], list[str], Counter[str]]:
    """Return what makes a puzzle: the variable of each label, the domains, and the number of each constraint's copies.

    The names of constraints do not count. The numbers of variables do: equal puzzles are declared by the same function.
    """
    model = puzzle.model.clone()
    for constraint in model.proto.constraints:
        constraint.name = ""
    key = Key(model, puzzle.key)
    variables = dict(zip(key.labels, key.variables, strict=True))
    domains = [str(list(variable.domain)) for variable in model.proto.variables]
    return variables, domains, Counter(map(str, model.proto.constraints))


def solution_link(puzzle: Puzzle, given: Sequence[Fact], key: Key) -> Callable[[Mapping[Any, int]], str]:
    """Return the function that writes a solution, by label, into a link of f-puzzles.

    puzzle: a sudoku. given: the facts of cells that are given. key: numbers the literals of the facts. Raises
    `InputError` for other puzzles, whose links have no place for a solution, and for a sudoku that f-puzzles cannot
    hold.
    """
    if puzzle.name != "sudoku":
        raise InputError(f"links of {puzzle.name} have no place for a solution; those of sudoku do")
    linked = _link_content(puzzle, given, key)
    require_same(puzzle, linked, fpuzzles.write(linked))  # so that what cannot be written is refused now

    def link_of_solution(solution: Mapping[Any, int]) -> str:
        """Return the link of the puzzle with a solution in its cells."""
        contents = (_content(puzzle, label, value) for label, value in solution.items() if value)
        return fpuzzles.write(linked, dict(contents))

    return link_of_solution


def _link_content(puzzle: Puzzle, given: Sequence[Fact], key: Key) -> Linked:
    """Return a declared puzzle in the words of a command line; raise `InputError` if something else is given.

    In a sudoku, the given numbers are contents of cells; other puzzles have a text, the parameter ``puzzle``, and no
    facts can be given besides. given: facts, each of one literal. key: numbers the literals of the facts.
    """
    arguments: dict[str, Any] = dict(puzzle.parameters)
    for name in ("puzzle", "regions", "cages"):
        if arguments.get(name):  # perhaps the path of a file
            arguments[name] = clues.text_in(str(arguments[name]), "")
    cells: dict[Cell, str] = {}
    if puzzle.name == "sudoku" and (text := str(arguments.pop("puzzle", ""))):
        numbers = square_in(text)
        side = round(len(numbers) ** 0.5)
        cells = {divmod(place, side): number for place, number in enumerate(numbers) if number}
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
