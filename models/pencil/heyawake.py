"""Heyawake: painted cells in rooms, while what is white stays connected and no white line is long."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from itertools import groupby, pairwise
from random import Random
from typing import Any

from ortools.sat.python.cp_model import CpModel

from models.boards import clues, grid, marks, paths
from models.boards.grid import Cell
from models.classics.covering import option_symmetry
from models.errors import ParameterError
from models.pencil.making import Draft, Fixed, MadeClue, Making, random_parts, rows_of_marks, separations
from models.pencil.second_reading import board, cells_of, is_connected, side_neighbours
from models.puzzle import Drawing, Literal, Puzzle, Shape, Solution, true_labels

NIKOLI = "ABCCDEE/ABCCDEE/ABFFGGG/HHFFGGG/HHIJJKK/HHIJJKK/LLLJJMN A=2 E=2 F=2 G=1 J=1 K=0 L=1 M=1 N=0"
"""The example of the publisher, Nikoli."""

EXAMPLE = "AAB/ACB/CCB B=2"
NAMES = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
"""The names of rooms that messages list; letters of all alphabets are such names."""

MOST_DIVISIONS = 40
"""The number of ways to divide a room that are tried where puzzles are made easier."""

CONNECTED = "all white cells are connected"
"""The rule whose clauses are long."""


def heyawake(puzzle: str = NIKOLI) -> Puzzle:
    """Paint cells. The number of a room says how many of its cells are painted.

    Painted cells do not touch each other, except at corners. All white cells are connected, by sides. No line of white
    cells, in a row or column, goes through more than two rooms.

    puzzle: rows of the rooms' letters, of any alphabet, and then some rooms' numbers, such as AAB/ACB/CCB B=2, or a
        file with them.

    Raises ValueError, with a sentence that names the place, if it is no such text.
    """
    # rooms: the cells of each room, by its letter. number: how many of its cells are painted, where that is given.
    rooms, number = _read(puzzle)
    room_of = {cell: name for name, cells in rooms.items() for cell in cells}
    lines = _lines_through_three(room_of)

    model = CpModel()
    painted = {cell: model.new_bool_var(f"painted {cell}") for cell in sorted(room_of)}
    for cell_a, cell_b in paths.edges(painted):
        # `clues.rule` names the constraints that are added within it.
        place = grid.cell_ranges_from_zero([cell_a, cell_b])
        with clues.rule(model, f"no painted cells touch in {place}"):
            model.add_at_most_one(painted[cell_a], painted[cell_b])
    for name, count in number.items():
        with clues.rule(model, _room_clue(rooms[name], count)):
            painted_in_room = sum(painted[cell] for cell in rooms[name])
            model.add(painted_in_room == count)
    for line in lines:
        place = grid.cell_ranges_from_zero(line)
        with clues.rule(model, f"no white line goes through three rooms in {place}"):
            model.add_bool_or(painted[cell] for cell in line)
    with clues.rule(model, CONNECTED):
        # The cells whose literal is true, here "not painted", are connected.
        white = {cell: ~is_painted for cell, is_painted in painted.items()}
        paths.add_one_region(model, white)

    # The turns of the board that map each room to one with the same number.
    turns = []
    for turn in grid.symmetries(frozenset(painted))[1:]:
        if _keeps(turn, rooms, number):
            turns.append(option_symmetry(turn))
    # The check reads the text a second time, and does not use the model.
    is_solution = partial(_obeys, *_read_again(puzzle))
    draw = partial(_draw, rooms, number)
    return Puzzle("heyawake", {"puzzle": puzzle}, model, painted, turns, is_solution, draw, fills=_fills)


def _room_clue(room: Collection[Cell], count: int) -> str:
    """Return the name of the rule that so many cells of a room are painted; room: its cells."""
    return f"the room of {grid.cell_ranges_from_zero(room)} has the number {count}"


def _draw(rooms: Mapping[str, list[Cell]], number: Mapping[str, int], solution: Solution) -> Drawing:
    """Draw the rooms with their numbers, and the painted cells that are known.

    rooms: the cells of each room, by its letter. number: how many of its cells are painted, where that is given.
    """
    cells = sorted(cell for room in rooms.values() for cell in room)
    labels = dict.fromkeys(cells, "")
    labels |= {min(rooms[name]): str(count) for name, count in number.items()}
    dark = [cell for cell in cells if solution.get(cell)]
    page = paths.paper(labels, dark)
    walls = [Shape(grid.outline(room)) for room in rooms.values()]
    return [page.with_shapes(*walls)]


def _read(puzzle: str) -> tuple[dict[str, list[Cell]], dict[str, int]]:
    """Return the cells of each room, and the numbers of those that have one; raise ValueError if the text is wrong.

    puzzle: rows of letters, the room of each cell, and then numbers such as A=2. Both results are by the letter of the
    room.
    """
    text = marks.text_of(puzzle)
    words = re.split(r"[\s/]+", text.strip())
    other_letters = {mark for mark in text if mark.isalpha()}.difference(NAMES)
    names = NAMES + "".join(sorted(other_letters))
    rows = "/".join(word for word in words if "=" not in word)
    board = marks.read(rows, names, EXAMPLE, has_games=False)
    rooms: dict[str, list[Cell]] = defaultdict(list)
    for cell in board.cells:
        if cell not in board.marks:
            place = f"row {cell[0] + 1}, column {cell[1] + 1}"
            raise ParameterError(f"{place} is in no room; give the letter of one")
        rooms[board.marks[cell]].append(cell)
    for name, cells in rooms.items():
        parts = grid.components(frozenset(cells))
        if len(parts) > 1:
            raise ParameterError(f"the room {name} is not connected; give each room a letter of its own")
    number: dict[str, int] = {}
    numbers = [word for word in words if "=" in word]
    for word in numbers:
        match = re.fullmatch(r"(.)=([0-9]{1,4})", word)
        if not match or match[1] not in rooms:
            raise ParameterError(f"{word!r} gives no room a number; write such as {min(rooms)}=1")
        name, digits = match.groups()
        count = int(digits)
        area = len(rooms[name])
        if count > area:
            raise ParameterError(f"{word} paints more cells than the {area} of the room")
        if number.setdefault(name, count) != count:
            raise ParameterError(f"the room {name} has two numbers, {number[name]} and {digits}; give one")
    return dict(rooms), number


def _lines_through_three(room_of: dict[Cell, str]) -> list[list[Cell]]:
    """Return the shortest lines of cells, in rows and columns, that go through three rooms.

    Each has all cells of a line that are in one room, and one cell on either side. room_of: the room of each cell.
    """
    lines = []
    for axis in (0, 1):
        ordered_cells = sorted(room_of, key=lambda cell: (cell[axis], cell[1 - axis]))
        for _, cells in groupby(ordered_cells, key=lambda cell: cell[axis]):
            # The stretches of the line that are in one room each.
            parts = [list(part) for _, part in groupby(cells, key=room_of.__getitem__)]
            for before, middle, after in zip(parts, parts[1:], parts[2:], strict=False):
                lines.append([before[-1], *middle, after[0]])
    return lines


def _keeps(turn: grid.Turn, rooms: dict[str, list[Cell]], number: dict[str, int]) -> bool:
    """Tell whether a turn of the board carries each room to one with the same number, or to one without any too."""
    number_of_cells = {frozenset(cells): number.get(name) for name, cells in rooms.items()}
    images = {frozenset(map(turn, cells)): count for cells, count in number_of_cells.items()}
    return images == number_of_cells


def _read_again(puzzle: str) -> tuple[list[str], list[tuple[str, int]]]:
    """Return (the rows of letters, (letter, number) for each number), by a second reading of the text."""
    words = board(puzzle)
    rows = [word for word in words if "=" not in word]
    numbers = [(word[0], int(word[2:])) for word in words if "=" in word]
    return rows, numbers


def _obeys(rows: Sequence[str], numbers: Sequence[tuple[str, int]], solution: Solution) -> bool:
    """Tell whether painted cells obey the rules; rows, numbers: see `_read_again`.

    In the lines of letters, painted cells become #; a white stretch is what is between two of them, and changes its
    letter where it enters another room. solution: whether each cell is painted.
    """
    room = cells_of(rows)
    dark = {cell for cell in room if solution.get(cell)}
    dark_in_room = Counter(room[cell] for cell in dark)
    painted = []
    for r, row in enumerate(rows):
        signs = ["#" if (r, c) in dark else letter for c, letter in enumerate(row)]
        painted.append("".join(signs))
    lines = [*painted, *map("".join, zip(*painted, strict=True))]
    white = [stretch for line in lines for stretch in line.split("#")]
    beside_dark = {neighbour for cell in dark for neighbour in side_neighbours(cell)}
    if not dark.isdisjoint(beside_dark):
        return False
    if any(dark_in_room[letter] != number for letter, number in numbers):
        return False
    for stretch in white:
        changes = sum(letter_a != letter_b for letter_a, letter_b in pairwise(stretch))
        if changes > 1:
            return False
    return is_connected(room.keys() - dark)


def _fills(cell: Cell, _: int) -> tuple[str, list[Cell]]:
    """Return what a painted cell is called, and the cell."""
    return "#", [cell]


def _draft(random: Random, rows: int = 6, columns: int = 6) -> Draft:
    """Return random painted cells, and rooms.

    rows: how many rows there are.
    columns: how many columns there are.
    """
    cells = [(r, c) for r in range(rows) for c in range(columns)]
    dark: set[tuple[int, int]] = set()
    for cell in random.sample(cells, len(cells)):
        if not dark.isdisjoint(grid.neighbours(cell)):
            continue
        if is_connected({*cells} - dark - {cell}):
            dark.add(cell)
    # Rooms at random, of 3 to 6 cells.
    parts = [set(part) for part in random_parts(random, cells, 3, 6)]
    line = _line_through_three(parts, dark)
    while line is not None:  # two rooms on it become one
        room_a, room_b = (next(part for part in parts if cell in part) for cell in line[:2])
        other_parts = [part for part in parts if part not in (room_a, room_b)]
        parts = [*other_parts, room_a | room_b]
        line = _line_through_three(parts, dark)
    solution = {cell: int(cell in dark) for cell in cells}
    return Draft({"rooms": _rows_of_letters(parts)}, solution)


def _line_through_three(parts: Sequence[Collection[Cell]], dark: Collection[Cell]) -> list[Cell] | None:
    """Return a white line through three rooms; None if there is none."""
    room_of = {cell: str(number) for number, part in enumerate(parts) for cell in part}
    for line in _lines_through_three(room_of):
        if not set(line).intersection(dark):
            return line
    return None


def _rows_of_letters(parts: Sequence[Collection[Cell]]) -> str:
    """Return the rows of letters that draw rooms."""
    letter: dict[Cell, str] = {}
    in_order = sorted(parts, key=min)
    for number, part in enumerate(in_order):
        letter |= dict.fromkeys(part, NAMES[number])
    last_row, last_column = max(letter)
    return rows_of_marks(last_row + 1, last_column + 1, letter)


def _parts_and_dark(fixed: Fixed, solution: Solution) -> tuple[list[frozenset[Cell]], set[Any]]:
    """Return the rooms of a draft, and the painted cells of its solution."""
    rooms, _ = _read(fixed["rooms"])
    parts = [frozenset(part) for part in rooms.values()]
    return parts, {*true_labels(solution)}


def _change(random: Random, fixed: Fixed, solution: Solution, rivals: Sequence[Solution]) -> Draft | None:
    """Return the rooms with one cell in another room or alone, so that most rivals are excluded; None if none can be.

    Changes that divide a room or give a white line of the solution three rooms are not made. fixed: the rooms of the
    draft. solution: the painted cells, which stay. rivals: other solutions for the rooms so far.
    """
    parts, dark = _parts_and_dark(fixed, solution)  # the rooms and the painted cells
    rooms_to_choose = []  # lists of rooms, of which one is chosen
    for cell in random.sample(sorted(solution), len(solution)):
        (old_room,) = (part for part in parts if cell in part)
        remaining = old_room - {cell}
        neighbours = grid.neighbours(cell)
        rooms_beside = [part for part in parts if part != old_room and part.intersection(neighbours)]
        if len(grid.components(remaining)) != 1:  # the old room is divided or vanishes
            continue
        # The cell goes to a room beside it, or becomes a room.
        for new_room in [*rooms_beside, frozenset()]:
            other_rooms = [part for part in parts if part not in (old_room, new_room)]
            rooms = [*other_rooms, remaining, new_room | {cell}]
            if len(rooms) >= len(NAMES):
                continue
            if _line_through_three(rooms, dark) is None:
                rooms_to_choose.append(rooms)
    if not rooms_to_choose:
        return None
    # Of the rivals only the last ones count, as there may be many.
    remaining_rivals = []
    for rooms in rooms_to_choose:
        excluded = [_is_excluded(rooms, solution, rival) for rival in rivals[-20:]]
        remaining_rivals.append(excluded.count(False))
    least = min(remaining_rivals)
    best = rooms_to_choose[remaining_rivals.index(least)]
    return Draft({"rooms": _rows_of_letters(best)}, solution)


def _is_excluded(parts: Sequence[Collection[Cell]], solution: Solution, rival: Solution) -> bool:
    """Tell whether another solution has other numbers in these rooms, or a white line through three of them."""
    for part in parts:
        count = sum(solution[cell] for cell in part)
        rival_count = sum(rival[cell] for cell in part)
        if count != rival_count:
            return True
    white_line = _line_through_three(parts, true_labels(rival))
    return white_line is not None


def _easier(random: Random, fixed: Fixed, solution: Solution) -> Draft | None:
    """Return the rooms with one of them in two; None if that is not found.

    `MOST_DIVISIONS` times a room, rather a large one, is divided at random; both halves have to be connected, and no
    white line of the solution may then go through three rooms. fixed: the rooms of the draft. solution: the painted
    cells, which stay. There must be a name for the new room.
    """
    parts, dark = _parts_and_dark(fixed, solution)  # the rooms and the painted cells
    if len(parts) >= len(NAMES) - 1:
        return None
    large = [part for part in parts if len(part) > 1]
    if not large:
        return None
    sizes = [*map(len, large)]
    for part in random.choices(large, sizes, k=MOST_DIVISIONS):
        grown, *_ = random_parts(random, part, 1, len(part) // 2)
        first_part = frozenset(grown)
        second_part = part - first_part
        other_parts = [other for other in parts if other != part]
        rooms = [*other_parts, first_part, second_part]
        if len(grid.components(second_part)) != 1:
            continue
        if _line_through_three(rooms, dark) is None:
            return Draft({"rooms": _rows_of_letters(rooms)}, solution)
    return None


def _clues_of_solution(fixed: Fixed, solution: Solution) -> list[MadeClue]:
    """Return the number of each room as a clue.

    fixed: the rooms of the draft. solution: whether each cell is painted. The words are the name of the rule in the
    model.
    """
    room_clues = []
    rooms, _ = _read(fixed["rooms"])
    for name, cells in rooms.items():
        count = sum(solution[cell] for cell in cells)
        rule = _room_clue(cells, count)
        room_clues.append(MadeClue(min(cells), f"{name}={count}", rule))
    return room_clues


def _with_clues(fixed: Fixed, subset: Sequence[MadeClue]) -> dict[str, str]:
    """Return the parameter of the puzzle with these numbers of rooms."""
    marks = [clue.mark for clue in subset]
    return {"puzzle": " ".join([fixed["rooms"], *marks])}


def _cuts(_: Fixed, solution: Solution) -> list[Sequence[Literal]]:
    """Return clauses that white cells in several parts contradict."""
    return [*separations(solution, 0)]


MAKING = Making(_draft, _clues_of_solution, _with_clues, _change, lazy=(CONNECTED,), cuts=_cuts, ease=_easier)
"""The additions for puzzles that are made."""
