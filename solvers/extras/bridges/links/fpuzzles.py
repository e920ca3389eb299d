"""Sudokus of f-puzzles: JSON, packed by LZ-String, read and written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise, product
from typing import Any

from models.boards import clues
from solvers.base.errors import InputError
from solvers.extras.bridges.links.linked import Cell, Linked, blocks_of, cages_of, in_range, regions_of
from solvers.extras.bridges.links.lzstring import compress, decompress

HOST = "https://www.f-puzzles.com/?load="
"""The beginning of links that are written."""

LETS_PASS = frozenset(
    "size title author ruleset grid solution highlightConflicts successMessage disabledlogic truecandidatesoptions"
    " activeConstraints metadata killercage antiknight antiking diagonal+ diagonal- nonconsecutive extraregion"
    " thermometer arrow difference ratio even odd minimum maximum littlekillersum palindrome renban whispers xv".split()
)
"""What a puzzle may hold: rules that are read, and what makes no rule. Drawings tell rules in words only."""

MOST_SIDE = 25
"""The most rows of a sudoku."""


def read(text: str) -> Linked:
    """Return the sudoku of a link; text: what follows ``load=``. Raises `InputError` if it cannot be read."""
    return of_json(json_of(decompress(text)))


def json_of(text: str) -> Mapping[str, Any]:
    """Return the object that a text in JSON holds; raise `InputError` if it holds none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise InputError("the link holds no puzzle in JSON; copy the whole link")
    return value


def of_json(document: Mapping[str, Any]) -> Linked:
    """Return the sudoku that f-puzzles describes; raise `InputError`, which says where, if it is not possible here.

    document: the size, the grid of cells as JSON objects, and a list or truth value for each rule by its name. A cage
    without a sum is no parameter ``cages``, but a rule that its numbers are different.
    """
    side = document.get("size")
    if not isinstance(side, int) or not 1 <= side <= MOST_SIDE:
        raise InputError(f"the size is {side!r}; a sudoku has from 1 to {MOST_SIDE} rows")
    unknown_rules = sorted(name for name, value in document.items() if value and name not in LETS_PASS)
    if unknown_rules:
        raise InputError(f"the link has rules that are not known here: {', '.join(map(str, unknown_rules[:5]))}")
    cells = _cells(document.get("grid"), side)
    given_numbers = {
        cell: str(_digit(content, cell, side))
        for cell, content in cells.items()
        if content.get("given") and content.get("value")
    }
    for cell, content in cells.items():
        if content.get("givenPencilMarks"):
            raise InputError(f"{clues.cell_name(cell)} says which numbers are possible, which is not known here")
    cages = document.get("killercage") or []
    cages = cages if isinstance(cages, list) else []
    # What is no JSON object is among these, so that `_cages` refuses it.
    cages_with_sum = [cage for cage in cages if not isinstance(cage, dict) or str(cage.get("value") or "")]
    cages_without_sum = [cage for cage in cages if cage not in cages_with_sum]
    rules = _rules(document, cages_without_sum, side)
    arguments = {**_regions(cells, side), **_cages(cages_with_sum, side), **_moves(document), **rules}
    return Linked("sudoku", arguments, given_numbers, side, side)


def _cells(rows: object, side: int) -> dict[Cell, Mapping[str, Any]]:
    """Return the JSON object of each cell; raise `InputError` if ``rows`` are not those of a square.

    rows: the grid as the link has it, a list of lists of JSON objects if it is not damaged. side: the number of rows.
    """
    if not isinstance(rows, list) or [len(row) if isinstance(row, list) else 0 for row in rows] != [side] * side:
        raise InputError(f"the grid of the link is not {side} by {side} cells")
    cells: dict[Cell, Mapping[str, Any]] = {(r, c): rows[r][c] for r, c in product(range(side), repeat=2)}
    for cell, content in cells.items():
        if not isinstance(content, dict):
            raise InputError(f"{clues.cell_name(cell)} of the link is no cell of f-puzzles")
    return cells


def _digit(content: Mapping[str, Any], cell: Cell, side: int) -> int:
    """Return the number in a cell; raise `InputError` if it is none of the square."""
    if not re.fullmatch("[0-9]{1,9}", str(content["value"])):
        raise InputError(f"{clues.cell_name(cell)}: {content['value']!r} is no number")
    return in_range(int(content["value"]), cell, 1, side)


def _moves(document: Mapping[str, Any]) -> dict[str, bool]:
    """Return the parameters for diagonals, and for the chess moves by which equal numbers may not be apart.

    Only rules that are asked for are in the result, each as True. Raises `InputError` for a rule of one diagonal only.
    """
    falling = bool(document.get("diagonal-"))
    rising = bool(document.get("diagonal+"))
    if falling != rising:
        raise InputError("the link has a rule for one diagonal only, which is not known here")
    settings = {
        "diagonals": falling,
        "knight": bool(document.get("antiknight")),
        "king": bool(document.get("antiking")),
    }
    return {name: True for name, is_asked in settings.items() if is_asked}


def _regions(cells: Mapping[Cell, Mapping[str, Any]], side: int) -> dict[str, Any]:
    """Return the parameters ``rows`` and ``columns`` of blocks, or ``regions`` where the link draws other regions.

    cells: the JSON object of each cell; one without a region is in the usual block, by number. side: the number of
    rows. Raises `InputError` for a region that is no number.
    """
    rows, columns = blocks_of(side)
    usual_blocks: dict[Cell, int] = {(r, c): r // rows * rows + c // columns for r, c in cells}
    region = {cell: content.get("region", usual_blocks[cell]) for cell, content in cells.items()}
    for cell, number in region.items():
        if not isinstance(number, int):
            raise InputError(f"{clues.cell_name(cell)} is in no region; each cell has to be in one")
    if region == usual_blocks:
        return {"rows": rows, "columns": columns}
    return {"regions": regions_of(region)}


def _cages(cages: object, side: int) -> dict[str, str]:
    """Return the parameter for cages, if there are any.

    cages: a list of JSON objects, each with the names of its cells, such as R1C2, and its sum. side: the number of
    rows. Raises `InputError` for a cage without cells.
    """
    cages_read = []
    for number, cage in enumerate(cages if isinstance(cages, list) else [], 1):
        names = cage.get("cells") if isinstance(cage, dict) else None
        matches = [re.fullmatch("R([0-9]{1,3})C([0-9]{1,3})", str(name)) for name in names or ()]
        cells = [(int(match[1]) - 1, int(match[2]) - 1) for match in matches if match]
        if not cells or len(cells) < len(matches):
            raise InputError(f"cage {number} of the link lists no cells such as R1C2")
        cages_read.append((cells, str(cage.get("value", ""))))
    return cages_of(cages_read, side)


LINES = ("thermometer", "palindrome", "renban", "whispers")
"""The rules along lines, which the parameter ``rules`` calls by the same names."""

PAIRS = ("difference", "ratio")
"""The rules about two cells side by side, which the parameter ``rules`` calls by the same names."""

XV_SUMS = {"X": 10, "V": 5}
"""The sum of the two cells that are marked with each of these letters."""


def _rules(document: Mapping[str, Any], cages: list[Any], side: int) -> dict[str, str]:
    """Return the parameter ``rules``, a text such as "even:r1c2 ratio=3:r1c1r1c2"; {} if the link has no such rules.

    cages: those without a sum, whose numbers are different. document, side: the content of the link, the number of
    rows. Raises `InputError` for a rule that does not list its cells as f-puzzles does.
    """
    words = ["nonconsecutive"] if document.get("nonconsecutive") else []
    try:
        areas_of_different_numbers = (*cages, *_entries(document, "extraregion"))
        words += [f"different:{_cells_as_rules(area['cells'])}" for area in areas_of_different_numbers]
        words += [*_line_rules(document), *_pair_rules(document)]
        for entry in _entries(document, "arrow"):
            words += [_arrow(_circle(entry["cells"]), line) for line in entry["lines"]]
        for entry in _entries(document, "littlekillersum"):
            if entry.get("value"):
                words.append(f"sum={entry['value']}:{_diagonal(entry, side)}")
        words += [*_parity_rules(document), *_extremum_rules(document, side)]
    except (KeyError, TypeError, AttributeError):
        raise InputError("a rule of the link lists no cells such as R1C2") from None
    return {"rules": " ".join(words)} if words else {}


def _entries(document: Mapping[str, Any], name: str) -> Iterable[Any]:
    """Return the entries of a rule, by its name in f-puzzles; none if the puzzle lacks it."""
    return document.get(name) or ()


def _kind_with_value(kind: str, entry: Mapping[str, Any]) -> str:
    """Return the kind of a rule with the value of its entry, such as ratio=3; without one, the kind alone."""
    return f"{kind}={entry['value']}" if entry.get("value") else kind


def _line_rules(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the rules along lines, as the parameter ``rules`` writes them."""
    for kind in LINES:
        for entry in _entries(document, kind):
            for line in entry["lines"]:
                yield f"{_kind_with_value(kind, entry)}:{_cells_as_rules(line)}"


def _pair_rules(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the rules about two cells side by side, as the parameter ``rules`` writes them."""
    for kind in PAIRS:
        for entry in _entries(document, kind):
            yield f"{_kind_with_value(kind, entry)}:{_cells_as_rules(entry['cells'])}"
    for entry in _entries(document, "xv"):
        yield f"sum={XV_SUMS[entry['value']]}:{_cells_as_rules(entry['cells'])}"


def _parity_rules(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the rules that a cell is even or odd, as the parameter ``rules`` writes them."""
    for kind in ("even", "odd"):
        for entry in _entries(document, kind):
            yield f"{kind}:{_cells_as_rules([entry['cell']])}"


def _extremum_rules(document: Mapping[str, Any], side: int) -> Iterator[str]:
    """Yield the rules that a cell is less or greater than its neighbours, such as "minimum:r1c1r2c1r1c2".

    Neighbours that are marked in the same way are left out, and so is a cell without any other neighbour. document: the
    content of the link, whose entries name a cell such as R1C1. side: the number of rows and columns.
    """
    for kind in ("minimum", "maximum"):
        marked = [_row_and_column(entry["cell"]) for entry in _entries(document, kind)]
        for row, column in marked:
            neighbours = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
            neighbours = [(r, c) for r, c in neighbours if 1 <= r <= side and 1 <= c <= side]
            neighbours = [cell for cell in neighbours if cell not in marked]
            if neighbours:
                yield f"{kind}:{''.join(f'r{r}c{c}' for r, c in [(row, column), *neighbours])}"


def _row_and_column(name: str) -> tuple[int, int]:
    """Return (row, column), counted from 1, of a cell such as R1C2; raise TypeError if it is none."""
    match = re.fullmatch("R(-?[0-9]{1,3})C(-?[0-9]{1,3})", name)
    if not match:
        raise TypeError(name)
    return int(match[1]), int(match[2])


def _arrow(circle: list[str], line: list[str]) -> str:
    """Return an arrow as the parameter ``rules`` writes it; raise `InputError` if its line stays in its circle."""
    shaft = [name for name in line if name not in circle]
    if not shaft:
        raise InputError("the link has an arrow without a cell outside its circle")
    kind = "arrow" if len(circle) == 1 else f"arrow={len(circle)}"
    return f"{kind}:{_cells_as_rules(circle)}{_cells_as_rules(shaft)}"


def _circle(names: list[str]) -> list[str]:
    """Return the cells of an arrow's circle in the order of the digits of its number: to the right, or down.

    names: of the cells, such as R1C2. Raises `InputError` if they are not next to each other in a row or column.
    """
    ordered = sorted(names, key=_row_and_column)
    steps = {(r - r_before, c - c_before) for (r_before, c_before), (r, c) in pairwise(map(_row_and_column, ordered))}
    # No step is a single cell, (0, 1) is to the right, (1, 0) down.
    if not names or steps not in (set(), {(0, 1)}, {(1, 0)}):
        raise InputError("the link has an arrow whose circle is no part of a row or column, so that no number is read")
    return ordered


def _cells_as_rules(names: list[str]) -> str:
    """Return cells such as R1C2 as the parameter ``rules`` writes them."""
    return "".join("r{}c{}".format(*_row_and_column(name)) for name in names)


def _diagonal(entry: Mapping[str, Any], side: int) -> str:
    """Return the cells of a sum along a diagonal, as the parameter ``rules`` writes them: "r1c2r2c3".

    entry: the cell outside the square at which the diagonal begins, and its direction, such as DR for down and right.
    side: the number of rows of the square.
    """
    row, column = _row_and_column(entry["cell"])
    direction = entry["direction"]
    down, right = ("D" in direction) - ("U" in direction), ("R" in direction) - ("L" in direction)
    cells = [(row + n * down, column + n * right) for n in range(side + 2)]
    return "".join(f"r{r}c{c}" for r, c in cells if 1 <= r <= side and 1 <= c <= side)


def write(linked: Linked, values: Mapping[Cell, str] | None = None) -> str:
    """Return the link of a sudoku; values: the numbers in cells that are not given, such as those of a solution.

    >>> write(Linked("sudoku", {"rows": 1, "columns": 1}, {(0, 0): "1"}, 1, 1))[:47]
    'https://www.f-puzzles.com/?load=N4IgzglgXgpiBcB'
    """
    return HOST + compress(json.dumps(as_json(linked, values), separators=(",", ":")))


def as_json(linked: Linked, values: Mapping[Cell, str] | None = None) -> dict[str, Any]:
    """Return a sudoku as f-puzzles describes it; raise `InputError` for another puzzle, and for further rules.

    linked: the sudoku. values: the numbers in cells that are not given, such as those of a solution.
    """
    if linked.name != "sudoku":
        raise InputError(f"f-puzzles has no {linked.name}")
    side, arguments = linked.rows, linked.arguments
    if arguments.get("rules"):
        raise InputError("f-puzzles: more rules are read from links, and not written")
    if side > MOST_SIDE:
        raise InputError(f"f-puzzles has no sudoku of more than {MOST_SIDE} rows")
    grid: list[list[dict[str, Any]]] = [[{} for _ in range(side)] for _ in range(side)]
    for (row, column), name in linked.cells.items():
        grid[row][column] = {"value": int(name), "given": True}
    for (row, column), name in (values or {}).items():
        grid[row][column].setdefault("value", int(name))
    for (row, column), number in region_numbers(linked).items():
        grid[row][column]["region"] = number
    document: dict[str, Any] = {"size": side, "grid": grid}
    cages = cages_in(str(arguments.get("cages", "")))
    for cells, total in cages:
        names = [f"R{row + 1}C{column + 1}" for row, column in sorted(cells)]
        document.setdefault("killercage", []).append({"cells": names, "value": total})
    if arguments.get("diagonals"):
        document |= {"diagonal+": True, "diagonal-": True}
    for name, parameter in (("antiknight", "knight"), ("antiking", "king")):
        if arguments.get(parameter):
            document[name] = True
    return document


def region_numbers(linked: Linked) -> dict[Cell, int]:
    """Return the number of each cell's region, from 0 in the order of their first cells; {} for the usual blocks.

    linked: a sudoku. Its parameter ``regions`` draws them by letters, of which `clues.cell_letters` returns that of
    each cell; without it, regions are blocks of so many rows and columns.
    """
    side, arguments = linked.rows, linked.arguments
    if regions := str(arguments.get("regions", "")):
        letter_by_cell = clues.cell_letters(regions, "the regions")
        number_of_letter = {
            region_letter: number for number, region_letter in enumerate(clues.parts_of(letter_by_cell))
        }
        return {cell: number_of_letter[region_letter] for cell, region_letter in letter_by_cell.items()}
    rows, columns = int(arguments["rows"]), int(arguments["columns"])
    if (rows, columns) == blocks_of(side):
        return {}
    return {(r, c): r // rows * rows + c // columns for r, c in product(range(side), repeat=2)}


def cages_in(text: str) -> list[tuple[frozenset[Cell], str]]:
    """Return (cells, sum) of each cage that a parameter ``cages`` gives."""
    words = text.split()
    rows = [word for word in words if "=" not in word]
    sums = dict(word.split("=", 1) for word in words if "=" in word)
    parts = clues.parts_of(clues.cell_letters("/".join(rows), "the cages")) if rows else {}
    return [(cells_of_cage, sums[name]) for name, cells_of_cage in parts.items() if name in sums]
