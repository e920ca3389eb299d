"""Counting arguments: why pieces cannot fill a board, as a person would say it, before any search.

Each exactly-one rule that holds the places of all that can lie on a cell has it covered. Of some of these cells, those
of a colour, it is counted how many the pieces can cover together: if it can never be all of them, there is no solution.
What a piece covers of them is known of each of its places, and so is how often it may be there.
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

    The result is "" if no such argument is found, or if the puzzle has no pieces. asked: the puzzle with its givens.
    """
    puzzle, key = asked.puzzle, asked.key
    if not puzzle.fills or not (reader := CellReader(puzzle, key)).has_pieces:
        return ""
    label = dict(zip(key.variables, key.labels, strict=True))
    low, high = dict[frozenset[Literal], int](), dict[frozenset[Literal], int]()
    for constraint in asked.rules.proto.constraints:
        if len(constraint.enforcement_literal):
            continue
        if choice := choice_of(constraint, asked.rules.proto):
            literals, least, most = choice.literals, int(choice.is_exact), 1
        elif count := count_of(constraint, asked.rules.proto):
            literals, least, most = count
        else:
            continue
        if all(literal in label for literal in literals):
            held = frozenset((label[literal], 1) for literal in literals)
            low[held] = max(least, low.get(held, 0))
            high[held] = min(most, high.get(held, most))
    cells = {cell for cell, option_names in reader.covering.items() if low.get(frozenset(option_names)) == 1}
    if not cells or len(cells) > MAX_COUNTED_CELLS:
        return ""
    excluded = _literals_against_givens(asked, reader)
    named: dict[str, set[Literal]] = defaultdict(set)
    for option_names in reader.covering.values():
        for literal, name in option_names.items():
            named[name].add(literal)
    open_cells = {
        cell for literals in named.values() for option in literals - excluded for cell in reader.cells_of(option)
    }
    if bare := sorted(cells - open_cells):
        given = " once what is given lies there" if asked.given else ""
        return f"Nothing can lie on {reader.cell_in_words(bare[0])}{given}, and it has to be covered."
    pieces = [
        Pieces(
            name,
            {frozenset(cells.intersection(reader.cells_of(literal))) for literal in literals - excluded},
            low.get(frozenset(literals), 0),
            high.get(frozenset(literals), len(cells)),
        )
        for name, literals in sorted(named.items())
    ]
    if homeless := [piece.name for piece in pieces if piece.low and not piece.places]:
        return f"{homeless[0]} fits nowhere{', with what is given' if asked.given else ''}."
    used = Counter(reader.name(literal) for literal in _literals_of_givens(asked) if reader.cells_of(literal))
    other_pieces = [piece._replace(high=piece.high - used[piece.name]) for piece in pieces]
    of_parts = (_argument_on_part(other_pieces, part, reader) for part in _board_parts(asked, cells, reader))
    of_colours = (_argument_on_board(pieces, cells, words, of) for words, of in _colourings(cells, reader))
    return next(filter(None, chain(of_parts, of_colours)), "")


def _literals_of_givens(asked: Asked) -> set[Literal]:
    """Return the literals that are given as true."""
    told = {asked.key.label_and_value(fact.literals[0]) for fact in asked.given if len(fact.literals) == 1}
    return {literal for literal in told if literal[1]}


def _board_parts(asked: Asked, cells: Collection[Cell], reader: CellReader) -> list[frozenset[Cell]]:
    """Return the parts into which the givens divide the cells to cover, from the smallest; none if it stays whole.

    A piece never lies in two parts, as each of its places is within one: parts are joined where some place joins them.
    """
    given, excluded = _literals_of_givens(asked), _literals_against_givens(asked, reader)
    left = set(cells) - {cell for literal in given for cell in reader.cells_of(literal)}
    parts: list[frozenset[Cell]] = []
    while left:
        part, fringe = set[Cell](), [min(left)]
        while fringe:
            cell = fringe.pop()
            if cell not in part:
                part.add(cell)
                open_options = set(reader.covering[cell]) - excluded - given
                fringe += {near for option in open_options for near in reader.cells_of(option)} & left - part
        left -= part
        parts.append(frozenset(part))
    return sorted(parts, key=len) if len(parts) > 1 else []


def _argument_on_part(pieces: Collection[Pieces], part: frozenset[Cell], reader: CellReader) -> str:
    """Return the sentence that pieces cannot fill a part of the board; "" if they can, by their areas.

    reader: counts cells from 1.
    """
    reached: set[Covered] = {(0, 0)}
    for piece in pieces:
        values = {(len(place), 0) for place in piece.places if place and place <= part}
        reached = _extend_reachable(reached, values, 0, piece.high if values else 0, (len(part), 0))
    if (len(part), 0) in reached:
        return ""
    place = cell_ranges(map(reader.coordinates_from_one, part))
    fitting = sorted({piece.name for piece in pieces if any(place <= part for place in piece.places if place)})
    those = f"{', '.join(fitting)} fit there, and cannot" if fitting else "no piece fits there to"
    return f"The part of {place} is cut off from the rest: {those} fill its {len(part)} cells."


def _literals_against_givens(asked: Asked, reader: CellReader) -> set[Literal]:
    """Return the literals that the givens exclude: directly, or because the pieces would overlap.

    asked: the prepared puzzle, with its givens. reader: knows which literals fill each cell.
    """
    excluded = {asked.key.label_and_value(number) for fact in asked.given for number in fact.excluded}
    for fact in asked.given:
        if len(fact.literals) == 1:
            label, value = asked.key.label_and_value(fact.literals[0])
            literal = (label, 1)
            if not value:
                excluded.add(literal)
                continue
            for cell in reader.cells_of(literal):
                excluded.update(other for other in reader.covering[cell] if other != literal)
    return excluded


def _colourings(cells: Collection[Cell], reader: CellReader) -> Iterator[tuple[str, set[Cell]]]:
    """Yield colourings as (words, cells of one colour); the first has no cells and no words.

    reader: gives the coordinates of cells.
    """
    yield "", set()
    axes = AXES[-len(min(cells)) :]
    corner = {cell: reader.coordinates_from_one(cell) for cell in cells}
    yield f"an even {' + '.join(axes)} (one colour of a chessboard)", {c for c in cells if not sum(corner[c]) % 2}
    for axis, name in enumerate(axes):
        yield f"an even {name}", {cell for cell in cells if not corner[cell][axis] % 2}
    if len(axes) > 1:
        both = {cell for cell in cells if not (corner[cell][-1] % 2 or corner[cell][-2] % 2)}
        yield f"an even {axes[-2]} and an even {axes[-1]}", both
    for modulus in (3, 4):
        for remainder in range(modulus):
            words = f"that leaves {remainder} when divided by {modulus}"
            yield f"a sum of {' and '.join(axes)} {words}", {c for c in cells if sum(corner[c]) % modulus == remainder}
            if len(axes) == 2:
                difference = f"a difference of {' and '.join(axes)} {words}"
                yield difference, {c for c in cells if (corner[c][0] - corner[c][1]) % modulus == remainder}
            for axis, name in enumerate(axes):
                yield f"a {name} {words}", {cell for cell in cells if corner[cell][axis] % modulus == remainder}


def _argument_on_board(pieces: Collection[Pieces], cells: Collection[Cell], words: str, colour: set[Cell]) -> str:
    """Return the sentence that the pieces cannot cover all cells and all of one colour; "" if they can.

    cells: those to be covered. words: describe the cells of the colour; "" if there is no colouring.
    """
    reached: set[Covered] = {(0, 0)}
    for piece in pieces:
        values = {(len(place), len(place & colour)) for place in piece.places}
        reached = _extend_reachable(reached, values, piece.low, piece.high, (len(cells), len(colour)))
    if (len(cells), len(colour)) in reached:
        return ""
    if not words:
        most = f"at most {max(area for area, _ in reached)} of them" if reached else "they always fill more"
        return f"There are {len(cells)} cells to cover, but the pieces cannot fill just that many; {most}."
    numbers = sorted(number for area, number in reached if area == len(cells))
    nearest = [*[n for n in numbers if n < len(colour)][-1:], *[n for n in numbers if n > len(colour)][:1]]
    covered = f"{' or '.join(map(str, nearest))} of such cells, never {len(colour)}"
    return f"Of the {len(cells)} cells to cover, {len(colour)} have {words}; but the pieces can cover {covered}."


def _extend_reachable(
    reached: set[Covered], values: Collection[Covered], low: int, high: int, most: Covered
) -> set[Covered]:
    """Return what can be covered after some more pieces are added.

    low, high: the least and the greatest number of further pieces. reached: what can be covered so far. values: what
    one such piece can cover. most: all that has to be covered.
    """
    reachable = set(reached) if low == 0 else set()
    for number in range(1, high + 1):
        reached = {
            whole
            for area, number_of in reached
            for more_area, more in values
            if (whole := (area + more_area, number_of + more))[0] <= most[0]
        } - (reachable if number > low else set())
        if not reached:
            break
        if number >= low:
            reachable |= reached
    return reachable
