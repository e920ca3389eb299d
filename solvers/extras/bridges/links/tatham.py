"""Game IDs of S. Tatham's Portable Puzzle Collection, with the name of the game before them."""

from __future__ import annotations

import re
from itertools import product
from string import ascii_lowercase

from models.boards import clues, marks
from solvers.base.errors import InputError
from solvers.extras.bridges.links import codings
from solvers.extras.bridges.links.linked import MARKS, MOST_IN_CELL, Cell, Linked, cages_of, in_range, regions_of
from solvers.extras.bridges.links.names import GAMES
from solvers.show.printable import quotation

SOLO = re.compile(r"(?P<c>[0-9]{1,2})(?:x(?P<r>[0-9]{1,2}))?(?P<rules>(?:[jxka]|d[a-z]|r[0-9]|md?[0-9])*)")
"""Matches what an ID of Solo says before the colon."""


SAVED = re.compile(r"^([A-Z]+) *:([0-9]{1,6}):(.*)$", re.MULTILINE)
"""Matches a line of a saved game: a name, the length of the value, and the value."""


def read(game: str, game_id: str) -> Linked:
    """Return the puzzle of a game ID, as the name and the parameters of a puzzle of the collection.

    game: the name of the game, such as "loopy". game_id: its size, a colon and its clues, which most puzzles of the
    collection take as they are. Raises `InputError` if the collection lacks the game, for a random seed, and for a game
    of Loopy on another grid than squares.
    """
    if game not in GAMES:
        raise InputError(f"the game {quotation(game)} is not known here; these are: {', '.join(GAMES)}")
    if ":" not in game_id:
        seed = "is a random seed, from which the game makes a puzzle" if "#" in game_id else "is no game ID"
        raise InputError(f"{quotation(game_id)} {seed}; give what the game shows as its ID, SIZE:CLUES")
    if game == "solo":
        return _solo(game_id)
    if game == "loopy" and (kind := re.match(r"\s*[0-9]+x[0-9]+t([0-9]+)", game_id)) and kind[1] != "0":
        raise InputError(
            f"the grid of the type t{kind[1]} has cells that are not squares; give a game of Loopy on squares"
        )
    return Linked(GAMES[game], {"puzzle": game_id.strip()})


def id_in_save(text: str) -> str:
    """Return the game ID, with the name of the game, of a file in which the collection saves a game.

    Each line of the file is a name, the length of the value, and the value. Moves are left out. Raises `InputError` if
    the file is none, or says no clues.
    """
    fields = {name: value[: int(size)] for name, size, value in SAVED.findall(text)}
    if "SAVEFILE" not in fields:
        raise InputError("this is no saved game of S. Tatham's collection")
    missing = [name for name in ("GAME", "CPARAMS", "DESC") if not fields.get(name)]
    if missing:
        raise InputError(f"the saved game has no {', '.join(missing)}")
    return f"{fields['GAME']}:{fields['CPARAMS']}:{fields['DESC']}"


def write(linked: Linked) -> str:
    """Return the game ID of a puzzle, with the name of its game before it.

    Raises `InputError` if the collection lacks the game, or if the text of the puzzle is no game ID.

    >>> write(Linked("akari", {"puzzle": "3x3:bBa1d"}))
    'lightup:3x3:bBa1d'
    """
    game = next((game for game, puzzle in GAMES.items() if puzzle == linked.name), "")
    puzzle = str(linked.arguments.get("puzzle", ""))
    if linked.name == "hashi":
        return f"{game}:{_bridges(puzzle, linked.arguments.get('most'))}"
    if not game or not clues.GAME_ID.fullmatch(puzzle):
        raise InputError(f"{linked.name} is not written as a game ID here")
    return f"{game}:{puzzle}"


def _bridges(puzzle: str, most: object) -> str:
    """Return the ID of a hashi: its size, and row by row the marks of its islands, with letters for the gaps between.

    puzzle: its text, of which `marks.read` returns the size, the mark in each cell that has one, and a variant such as
    "m3". most: how many bridges may be side by side, None for as many as the puzzle says.
    """
    least, greatest = MOST_IN_CELL["hashi"]
    islands = marks.read(puzzle, MARKS[least : greatest + 1], "1../.../331")
    cells = list(islands.cells)
    mark_by_place = {place: islands.marks[cell] for place, cell in enumerate(cells) if cell in islands.marks}
    variant = islands.variant if most is None else f"m{most}"
    text = codings.with_gaps(mark_by_place, len(cells), ascii_lowercase)
    return f"{islands.columns}x{islands.rows}{variant}:{text}"


def _solo(game_id: str) -> Linked:
    """Return the sudoku of an ID of Solo, with the blocks of a jigsaw and the cages of a killer if it has some.

    game_id: such as "3x3:DIGITS", or "3x3jk:DIGITS,BLOCKS,CAGES,SUMS" with the letters of its rules: j for a jigsaw, k
    for a killer, x for diagonals. Letters for how hard and how symmetric it is are passed over. `_numbers` returns the
    number by cell, `_blocks` the first cell of each cell's block. Raises `InputError` for any other text.
    """
    size, _, description = game_id.partition(":")
    match = SOLO.fullmatch(size.strip())
    if not match:
        raise InputError(f"{quotation(size)} is no size of Solo, such as 3x3, 2x3, 9j or 3x3xk")
    rules = re.sub("d[a-z]|r[0-9]|md?[0-9]|a", "", match["rules"])
    block_rows = int(match["c"])
    # A single number is the side of a jigsaw, or that of square blocks.
    block_columns = int(match["r"]) if match["r"] else (1 if "j" in rules else block_rows)
    side = block_rows * block_columns
    if not 1 <= side <= 36:
        raise InputError(f"Solo has no square of {side} rows")
    digits, *parts = description.strip().split(",")
    cells = {cell: str(in_range(number, cell, 1, side)) for cell, number in _numbers(digits, side).items()}
    arguments: dict[str, str | int | bool] = {"rows": block_rows, "columns": block_columns}
    expected = ("j" in rules) + 2 * ("k" in rules)  # the blocks of a jigsaw; the cages and the sums of a killer
    if len(parts) != expected:
        raise InputError(f"the ID has {len(parts)} parts behind the numbers, and {quotation(size)} asks for {expected}")
    if "j" in rules:
        arguments = {"regions": regions_of(_blocks(parts.pop(0), side))}
    if "k" in rules:
        cage_of_cell = _blocks(parts[0], side)
        sums = _numbers(parts[1], side)
        cages = [
            [cell for cell in sorted(cage_of_cell) if cage_of_cell[cell] == first_cell]
            for first_cell in dict.fromkeys(cage_of_cell.values())
        ]
        # The sum of a cage is written in one of its cells.
        totals = ["".join(str(sums[cell]) for cell in cage if cell in sums) for cage in cages]
        arguments |= cages_of(list(zip(cages, totals, strict=True)), side)
    if "x" in rules:
        arguments["diagonals"] = True
    return Linked("sudoku", arguments, cells, side, side)


def _numbers(text: str, side: int) -> dict[Cell, int]:
    """Return the numbers in the cells of a square; raise `InputError` if there are too many or too few cells.

    text: numbers with _ between two, and letters for 1 to 26 empty cells, row by row. side: the number of rows.
    """
    number_by_cell: dict[Cell, int] = {}
    place = 0
    for part in re.findall("[a-z]|[0-9]+|_|.", text, re.DOTALL):
        if part.isdigit():
            number_by_cell[divmod(place, side)] = int(part)
            place += 1
        elif "a" <= part <= "z":
            place += ord(part) - ord("a") + 1
        elif part != "_":
            raise InputError(f"{part!r} among the numbers does not belong there")
    if place != side**2:
        raise InputError(f"the numbers are for {place} cells, and the square has {side**2}; copy the whole ID")
    return number_by_cell


def _blocks(text: str, side: int) -> dict[Cell, Cell]:
    """Return the first cell of each cell's block; raise `InputError` if the text describes too many or too few cells.

    text: how many pairs of neighbours in turn are in one block: letters for 1 to 25, _ for none. The pairs come row by
    row, and then column by column. side: the number of rows. The text ends with a wall behind the last pair.
    """
    pairs: list[tuple[Cell, Cell]] = [((r, c), (r, c + 1)) for r, c in product(range(side), range(side - 1))]
    pairs += [((r, c), (r + 1, c)) for c, r in product(range(side), range(side - 1))]
    open_pairs: list[tuple[Cell, Cell]] = []
    place = 0
    for sign in text:
        if sign != "_" and not "a" <= sign <= "z":
            raise InputError(f"{sign!r} among the blocks does not belong there")
        run = 0 if sign == "_" else ord(sign) - ord("a") + 1
        open_pairs += pairs[place : place + run]
        place += run + (run != 25)  # behind a run is a pair with a wall; a run of 25 goes on
    if place != len(pairs) + 1:
        raise InputError(f"the blocks are told for {place - 1} of {len(pairs)} pairs of neighbours; copy the whole ID")
    components = codings.components(product(range(side), repeat=2), open_pairs)
    return {cell: part[0] for part in components for cell in part}
