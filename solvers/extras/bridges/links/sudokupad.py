"""Sudokus of SudokuPad: links with the whole puzzle as scl or ctc, fpuz or fpuzzles, and scf."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from models.boards import clues
from solvers.base.errors import InputError
from solvers.extras.bridges.links import fpuzzles
from solvers.extras.bridges.links.linked import Cell, Linked, blocks_of, cages_of, in_range, regions_of
from solvers.extras.bridges.links.lzstring import decompress
from solvers.show.printable import quotation

HOST = "https://sudokupad.app/"
"""The beginning of links that are written."""

FORMAT = re.compile(r"(?P<kind>scl|ctc|fpuzzles|fpuz|scf)(?P<data>.*)", re.DOTALL)

DRAWN = ("arrows", "lines", "overlays", "underlays")
"""The drawings of a puzzle, whose rules are in words only."""

SHORT_NAMES = {"ce": "cells", "ca": "cages", "re": "regions", "v": "value", "l": "lines", "a": "arrows"} | {
    "o": "overlays",
    "u": "underlays",
}
"""What is read of a puzzle whose names are shortened."""

RUNS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwx"
"""In scf, the character of a digit d (0 for none) that n empty cells follow has the place 10 n + d."""


def read(path: str) -> Linked:
    """Return the sudoku of a link; path: what follows the name of the site.

    It begins with the kind of the text: scf has digits only, fpuz or fpuzzles a puzzle of f-puzzles, scl or ctc JSON,
    packed by LZ-String. Raises `InputError` if it cannot be read, or if the puzzle itself is not in the link.
    """
    match = FORMAT.fullmatch(path)
    if not match:
        problem = f"{quotation(path)} names a puzzle that is kept on the site, and nothing is fetched"
        raise InputError(f"{problem}; give a link with the whole puzzle, which begins with scl, fpuz or scf")
    if match["kind"] == "scf":
        return _sudoku_of_scf(match["data"])
    if match["kind"].startswith("fpuz"):
        return fpuzzles.read(match["data"])
    return _sudoku_of_json(fpuzzles.json_of(_expand_json(decompress(match["data"]))))


def _sudoku_of_scf(text: str) -> Linked:
    """Return a sudoku of nine rows that is given by its digits only; raise `InputError` for another text.

    A character stands for a digit d, 0 for none, and n empty cells behind it: its place in `RUNS` is 10 n + d. A title
    may follow behind "*t".
    """
    digits, star, remaining = text.partition("*")
    if star and not remaining.startswith("t"):
        raise InputError(f"the link has rules that are not known here: {quotation(remaining)}")
    digit_by_place = ""
    for number, sign in enumerate(digits, 1):
        if sign not in RUNS:
            raise InputError(f"character {number} of the digits is {sign!r}, which does not belong there")
        empty_behind, digit = divmod(RUNS.index(sign), 10)
        digit_by_place += str(digit) + "0" * empty_behind
    if len(digit_by_place) != 81:
        raise InputError(f"the digits are for {len(digit_by_place)} cells, and a sudoku has 81; copy the whole link")
    cells: dict[Cell, str] = {divmod(place, 9): digit for place, digit in enumerate(digit_by_place) if digit != "0"}
    return Linked("sudoku", {"rows": 3, "columns": 3}, cells, 9, 9)


def _expand_json(text: str) -> str:
    """Return JSON of names without quotes, single quotes and short values in the usual form; other JSON stays as it is.

    In the short form, t and f are truth values, an empty cell is left out between its commas, and colours have no
    quotes.

    >>> _expand_json("{ce:[[{v:1},]],t:'It\\\\'s',x:t}")
    '{"ce":[[{"v":1},{}]],"t":"It\\'s","x":true}'
    """
    if '"' not in text:
        text = re.sub(r"\\'|'", lambda match: "'" if match[0] == r"\'" else '"', text)
    parts = re.split(r'("(?:[^"\\]|\\.)*")', text)
    for place in range(0, len(parts), 2):  # parts between texts in quotes
        part = re.sub(r"([,{\[]|^)([a-zA-Z0-9]+):", r'\1"\2":', parts[place])  # names
        part = re.sub(r"([,\[])(?=[,\]])", r"\1{}", part)  # empty cells
        part = re.sub(r":f(?=[,}\]])", ":false", part)
        part = re.sub(r":t(?=[,}\]])", ":true", part)
        # Colours get quotes.
        parts[place] = re.sub(r":(#?[0-9A-Fa-f]{6}|#[0F])(?=[,}\]])", r':"\1"', part)
    return "".join(parts)


def _sudoku_of_json(document: Mapping[str, Any]) -> Linked:
    """Return the sudoku that SudokuPad describes; raise `InputError` if it has rules that are in words only.

    document: the rows of cells, each a JSON object with a value if one is given; cages, regions, global rules by name,
    and drawings. The names may be short: see `_long_names`. The result has the name of the puzzle, its parameters, the
    given content of cells, and the size. `cages_of` and ``_regions`` return parameters by name.
    """
    document = _long_names(document)
    rows = document.get("cells")
    rows = rows if isinstance(rows, list) else []
    side = len(rows)
    lengths = [len(row) if isinstance(row, list) else 0 for row in rows]
    if not 1 <= side <= fpuzzles.MOST_SIDE or lengths != [side] * side:
        raise InputError(f"the link has no square of 1 to {fpuzzles.MOST_SIDE} rows of cells")
    drawn_kinds = [name for name in DRAWN if document.get(name)]
    if drawn_kinds:
        raise InputError(
            f"the link has drawings ({', '.join(drawn_kinds)}) whose rules are told in words; they are not read"
        )
    if unknown_rules := sorted(set(map(str, document.get("global") or ())) - {"antiknight", "antiking"}):
        raise InputError(f"the link has rules that are not known here: {', '.join(unknown_rules)}")
    cells = {}
    for cell in product(range(side), repeat=2):
        content = rows[cell[0]][cell[1]]
        value = content.get("value") if isinstance(content, dict) else None
        if value not in (None, ""):
            number = clues.number_in_range(str(value), clues.cell_name(cell), 1, side)
            cells[cell] = str(in_range(number, cell, 1, side))
    moves = {name: True for name in ("knight", "king") if f"anti{name}" in (document.get("global") or ())}
    cages = []
    for cage in document.get("cages") or ():
        if isinstance(cage, dict) and cage.get("cells") and not cage.get("hidden"):
            total = cage.get("sum", cage.get("value", ""))
            cages.append((_cells_of(cage, "cage"), str(total)))
    arguments = {**_regions(document.get("regions") or (), side), **cages_of(cages, side), **moves}
    return Linked("sudoku", arguments, cells, side, side)


def _long_names(value: Any) -> Any:
    """Return a value of JSON in which names that were shortened, at any depth, are written out."""
    if isinstance(value, list):
        return [_long_names(element) for element in value]
    if isinstance(value, dict):
        return {SHORT_NAMES.get(name, name): _long_names(content) for name, content in value.items()}
    return value


def _cells_of(part: Mapping[str, Any], kind: str) -> list[Cell]:
    """Return the cells of a cage or region; raise `InputError` if they are no pairs of numbers.

    part: its JSON object, with the list under ``cells``. kind: what it is, for the message.
    """
    try:
        return [(int(row), int(column)) for row, column in part["cells"]]
    except (TypeError, ValueError):
        raise InputError(f"a {kind} of the link has no list of cells") from None


def _regions(regions: Sequence[Any], side: int) -> dict[str, Any]:
    """Return the parameters ``rows`` and ``columns`` of blocks, or ``regions`` if the regions are not the usual blocks.

    regions: the list of cells of each; without any, the blocks are the usual ones. side: the number of rows. Raises
    `InputError` if they do not cover the square.
    """
    rows, columns = blocks_of(side)
    usual_blocks: dict[Cell, object] = {(r, c): (r // rows, c // columns) for r, c in product(range(side), repeat=2)}
    region_of_cell: dict[Cell, object] = {}
    for number, region_cells in enumerate(regions):
        region_of_cell |= dict.fromkeys(_cells_of({"cells": region_cells}, "region"), number)
    if region_of_cell and region_of_cell.keys() != usual_blocks.keys():
        raise InputError("the regions of the link do not cover the square; each cell has to be in one")
    if not region_of_cell or regions_of(region_of_cell) == regions_of(usual_blocks):
        return {"rows": rows, "columns": columns}
    return {"regions": regions_of(region_of_cell)}


def write(linked: Linked, values: Mapping[Cell, str] | None = None) -> str:
    """Return the link of a sudoku; values: the numbers in other cells, such as those of a solution.

    A plain sudoku of nine rows becomes the short kind, scf, if there are no values: a character for each digit and the
    empty cells behind it, see `RUNS`. Others are written as f-puzzles does.
    """
    if linked.name == "sudoku" and linked.others == {"rows": 3, "columns": 3} and not values:
        line = "".join(linked.cells.get(cell, "0") for cell in product(range(9), repeat=2))
        runs = re.findall("[0-9]0{0,5}", line)  # a digit, or 0, and up to five empty cells behind it
        return f"{HOST}scf{''.join(RUNS[int(run[0]) + 10 * (len(run) - 1)] for run in runs)}"
    return f"{HOST}fpuzzles{fpuzzles.write(linked, values).removeprefix(fpuzzles.HOST)}"
