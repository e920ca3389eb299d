"""Counting arguments: why pieces cannot fill a board, as a person would say it, before any search.

A cell has to be covered if an exactly-one rule has just the literals that can fill the cell. The rules also bound the
number of pieces of each name. Some of the cells to cover get a colour. If no choice of pieces, each in any of its
places, can cover as many cells and as many of the colour as there are, then there is no solution.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from itertools import chain
from typing import NamedTuple

from models.boards.grid import cell_ranges
from models.puzzle import Literal
from solvers.extras.questions.invent.ask import Asked
from solvers.extras.questions.recognise.cells import AXES, CellReader
from solvers.model.reading import choice_of, count_of

Cell = tuple[int, ...]

MAX_COUNTED_CELLS = 2000
"""The most cells of a board for which counting arguments are tried; more would take long."""

Covered = tuple[int, int]
"""(number of covered cells, number of these that have one colour)."""


class Pieces(NamedTuple):
    """The pieces of one name."""

    name: str
    places: Collection[frozenset[Cell]]
    """For each place of such a piece, those of its cells that have to be covered."""
    low: int
    high: int
    """The most pieces of this name that may be used; ``low`` is the least number."""


def by_counting(asked: Asked) -> str:
    """Return a sentence that says why the pieces cannot cover the board, by counting.

    Four arguments are tried: a cell on which nothing can lie, a piece that fits nowhere, the area of a part of the
    board, and the area and a colouring of the whole board. The result is "" if none applies, if the puzzle has no
    pieces, or if its board has no or too many cells that have to be covered. asked: the puzzle with its givens.
    """
    if not asked.puzzle.fills or not (reader := CellReader(asked.puzzle, asked.key)).has_pieces:
        return ""
    low, high = _bounds_of_constraints(asked)
    # The cells to cover: one of all literals that fill such a cell has to be true.
    cells = {cell for cell, name_of_literal in reader.covering.items() if low.get(frozenset(name_of_literal)) == 1}
    if not cells or len(cells) > MAX_COUNTED_CELLS:
        return ""
    excluded = _literals_against_givens(asked, reader)
    literals_of_name: dict[str, set[Literal]] = defaultdict(set)  # the places of each piece, as literals
    for name_of_literal in reader.covering.values():
        for literal, name in name_of_literal.items():
            literals_of_name[name].add(literal)
    for cell in sorted(cells):
        if excluded.issuperset(reader.covering[cell]):
            given = " once what is given lies there" if asked.given else ""
            return f"Nothing can lie on {reader.cell_in_words(cell)}{given}, and it has to be covered."
    pieces = []
    for name, literals in sorted(literals_of_name.items()):
        places = {frozenset(cells.intersection(reader.cells_of(literal))) for literal in literals - excluded}
        all_literals = frozenset(literals)
        pieces.append(Pieces(name, places, low.get(all_literals, 0), high.get(all_literals, len(cells))))
    for piece in pieces:
        if piece.low and not piece.places:
            return f"{piece.name} fits nowhere{', with what is given' if asked.given else ''}."
    # Two arguments: on a part of the board that the givens cut off, and on the whole board.
    used = Counter(reader.name(literal) for literal in _literals_of_givens(asked) if reader.cells_of(literal))
    unused_pieces = [piece._replace(high=piece.high - used[piece.name]) for piece in pieces]
    on_parts = (_argument_on_part(unused_pieces, part, reader) for part in _board_parts(asked, cells, reader))
    on_board = (_argument_on_board(pieces, cells, words, colour) for words, colour in _colourings(cells, reader))
    return next(filter(None, chain(on_parts, on_board)), "")


def _bounds_of_constraints(asked: Asked) -> tuple[dict[frozenset[Literal], int], dict[frozenset[Literal], int]]:
    """Return (least, greatest) numbers of true literals, by sets of literals of the key, as the constraints say it.

    A constraint that holds only under a condition says nothing. asked: the prepared puzzle.
    """
    label_of = dict(zip(asked.key.variables, asked.key.labels, strict=True))
    low = dict[frozenset[Literal], int]()
    high = dict[frozenset[Literal], int]()
    for constraint in asked.rules.proto.constraints:
        if len(constraint.enforcement_literal):
            continue
        if choice := choice_of(constraint, asked.rules.proto):  # at most one, or exactly one
            literals = choice.literals
            least = int(choice.is_exact)
            most = 1
        elif count := count_of(constraint, asked.rules.proto):  # a number of them, with bounds
            literals, least, most = count
        else:
            continue
        if all(literal in label_of for literal in literals):
            key_literals = frozenset((label_of[literal], 1) for literal in literals)
            low[key_literals] = max(least, low.get(key_literals, 0))
            high[key_literals] = min(most, high.get(key_literals, most))
    return low, high


def _literals_of_givens(asked: Asked) -> set[Literal]:
    """Return the literals (label, value), other than those of value 0, that are given as true."""
    literals = {asked.key.label_and_value(fact.literals[0]) for fact in asked.given if len(fact.literals) == 1}
    return {(label, value) for label, value in literals if value}


def _board_parts(asked: Asked, cells: Collection[Cell], reader: CellReader) -> list[frozenset[Cell]]:
    """Return the parts into which the givens divide the cells to cover, from the smallest; empty if they do not.

    Two cells are in the same part if a chain of possible places of pieces joins them; a flood fill finds each part. So
    each piece that is not given lies within one part. A given covers its cells, which are in no part. cells: those to
    cover. reader: says which cells a literal fills.
    """
    given, excluded = _literals_of_givens(asked), _literals_against_givens(asked, reader)
    uncovered = set(cells) - {cell for literal in given for cell in reader.cells_of(literal)}
    parts: list[frozenset[Cell]] = []
    while uncovered:
        part = set[Cell]()
        fringe = [min(uncovered)]
        while fringe:
            cell = fringe.pop()
            if cell not in part:
                part.add(cell)
                possible_literals = set(reader.covering[cell]) - excluded - given
                joined_cells = {other for literal in possible_literals for other in reader.cells_of(literal)}
                fringe += joined_cells & uncovered - part
        uncovered -= part
        parts.append(frozenset(part))
    return sorted(parts, key=len) if len(parts) > 1 else []


def _argument_on_part(pieces: Collection[Pieces], part: frozenset[Cell], reader: CellReader) -> str:
    """Return the sentence that no areas of pieces which fit into a part of the board add up to its area.

    The result is "" if some do. Areas are pairs (number of cells, 0), as there is no colouring. pieces: those that are
    not given. part: the cells of the part. reader: counts cells from 1.
    """
    reached: set[Covered] = {(0, 0)}
    for piece in pieces:
        areas = {(len(place), 0) for place in piece.places if place and place <= part}
        reached = _extend_reachable(reached, areas, low=0, high=piece.high if areas else 0, most_area=len(part))
    if (len(part), 0) in reached:
        return ""
    fitting = sorted({piece.name for piece in pieces if any(place <= part for place in piece.places if place)})
    subject = f"{', '.join(fitting)} fit there, and cannot" if fitting else "no piece fits there to"
    part_in_words = cell_ranges(map(reader.coordinates_from_one, part))
    return f"The part of {part_in_words} is cut off from the rest: {subject} fill its {len(part)} cells."


def _literals_against_givens(asked: Asked, reader: CellReader) -> set[Literal]:
    """Return the literals (label, value) that the givens exclude: directly, or because the pieces would overlap.

    asked: the prepared puzzle, with its givens. reader: knows which literals fill each cell.
    """
    excluded = {asked.key.label_and_value(number) for fact in asked.given for number in fact.excluded}
    for fact in asked.given:
        if len(fact.literals) == 1:
            label, value = asked.key.label_and_value(fact.literals[0])
            literal = (label, 1)
            if not value:  # the given says that this literal is false
                excluded.add(literal)
            else:
                overlapping = {option for cell in reader.cells_of(literal) for option in reader.covering[cell]}
                excluded |= overlapping - {literal}
    return excluded


def _colourings(cells: Collection[Cell], reader: CellReader) -> Iterator[tuple[str, set[Cell]]]:
    """Yield colourings of cells, by their coordinates modulo 2, 3 or 4, as (words, cells of one colour).

    The first has no words and no cells: with it, only the areas are compared. reader: counts coordinates from 1.
    """
    yield "", set()
    axes = AXES[-len(min(cells)) :]  # the names of the coordinates
    place = {cell: reader.coordinates_from_one(cell) for cell in cells}
    total = {cell: sum(coordinates) for cell, coordinates in place.items()}
    yield f"an even {' + '.join(axes)} (one colour of a chessboard)", {cell for cell in cells if not total[cell] % 2}
    for axis, name in enumerate(axes):
        yield f"an even {name}", {cell for cell in cells if not place[cell][axis] % 2}
    if len(axes) > 1:
        even_in_both = {cell for cell in cells if not (place[cell][-1] % 2 or place[cell][-2] % 2)}
        yield f"an even {axes[-2]} and an even {axes[-1]}", even_in_both
    for modulus in (3, 4):
        for remainder in range(modulus):
            words = f"that leaves {remainder} when divided by {modulus}"
            yield f"a sum of {' and '.join(axes)} {words}", {c for c in cells if total[c] % modulus == remainder}
            if len(axes) == 2:
                difference = f"a difference of {' and '.join(axes)} {words}"
                yield difference, {c for c in cells if (place[c][0] - place[c][1]) % modulus == remainder}
            for axis, name in enumerate(axes):
                yield f"a {name} {words}", {cell for cell in cells if place[cell][axis] % modulus == remainder}


def _argument_on_board(pieces: Collection[Pieces], cells: Collection[Cell], words: str, colour: set[Cell]) -> str:
    """Return the sentence that the pieces cannot cover as many cells, and as many of one colour, as there are.

    Only numbers are compared: (cells, cells of the colour) that a choice of pieces, each in any of its places, covers.
    The result is "" if the numbers allow it. cells: those to be covered. colour: those of the colour. words: describe
    these; "" if there is no colouring.
    """
    reached: set[Covered] = {(0, 0)}
    for piece in pieces:
        numbers_of_places = {(len(place), len(place & colour)) for place in piece.places}
        reached = _extend_reachable(reached, numbers_of_places, piece.low, piece.high, len(cells))
    if (len(cells), len(colour)) in reached:
        return ""
    if not words:
        most = f"at most {max(area for area, _ in reached)} of them" if reached else "they always fill more"
        return f"There are {len(cells)} cells to cover, but the pieces cannot fill just that many; {most}."
    numbers = sorted(number for area, number in reached if area == len(cells))
    # The numbers just below and just above the number that is needed.
    numbers_below = [number for number in numbers if number < len(colour)]
    numbers_above = [number for number in numbers if number > len(colour)]
    nearest = numbers_below[-1:] + numbers_above[:1]
    covered = f"{' or '.join(map(str, nearest))} of such cells, never {len(colour)}"
    return f"Of the {len(cells)} cells to cover, {len(colour)} have {words}; but the pieces can cover {covered}."


def _extend_reachable(
    reached: set[Covered], piece_numbers: Collection[Covered], low: int, high: int, most_area: int
) -> set[Covered]:
    """Return the pairs that can be reached if ``low`` to ``high`` further pieces of one name are added.

    A pair is (number of covered cells, number of these that have one colour). reached: the pairs that can be reached so
    far. piece_numbers: the pairs of one such piece, in its places. most_area: the number of cells to cover; sums with a
    greater area are left out.
    """
    reachable = set(reached) if low == 0 else set()
    for number in range(1, high + 1):  # then ``reached`` has the sums with so many pieces
        reached = {
            (area + piece_area, coloured + piece_coloured)
            for area, coloured in reached
            for piece_area, piece_coloured in piece_numbers
            if area + piece_area <= most_area
        }
        if number > low:
            reached -= reachable  # from these, the sums with more pieces are found already
        if not reached:
            break
        if number >= low:
            reachable |= reached
    return reachable
