"""Exact covers of the kinds that people write: what is easy for one backend may be endless for another."""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain, combinations, pairwise, product
from typing import Any

from models.classics import arrangements, covering, designs
from tests.support.classics import Classic, classic
from tests.support.puzzles import model_of
from tests.support.sudoku import EULER

EMPTY = "." * 81

SEVENTEEN = "..............3.85..1.2.......5.7.....4...1...9.......5......73..2.1........4...9"
"""A sudoku on which searches that begin in its corner take long; see P. Norvig, Solving Every Sudoku Puzzle."""


def cover(options: Mapping[Any, Iterable[Any]], may_stay_open: Callable[[Any], bool] = lambda item: False) -> Classic:
    """Of each item exactly one of the options that cover it is chosen, or at most one if it may stay open."""
    model, chosen = covering.cover(options, may_stay_open)
    return Classic(model, list(chosen.values()))


def latin(size: int, given: Mapping[tuple[int, int], int]) -> Classic:
    """Latin squares that complete these."""
    puzzle = designs.latin(size)
    for (r, c), v in given.items():
        model_of(puzzle).add_bool_or(puzzle.key[r, c, v])
    return classic(puzzle)


def with_first_row(size: int, reduced: bool = False) -> Classic:
    row = {(0, c): c for c in range(size)}
    return latin(size, {**row, **({(c, 0): c for c in range(size)} if reduced else {})})


def with_holes(size: int, holes: int, seed: int) -> Classic:
    """A shuffled cyclic square with so many cells emptied."""
    chance = random.Random(seed)
    rows, columns, values = (chance.sample(range(size), size) for _ in range(3))
    full = {(r, c): values[(rows[r] + columns[c]) % size] for r, c in product(range(size), repeat=2)}
    return latin(size, {place: full[place] for place in chance.sample(sorted(full), size * size - holes)})


def sudoku(given: str, box: int = 3) -> Classic:
    size = box * box
    options = {
        (r, c, v): (("cell", r, c), ("row", r, v), ("column", c, v), ("box", r // box, c // box, v))
        for r, c, v in product(range(size), repeat=3)
        if given[r * size + c] in (".", str(v + 1))
    }
    return cover(options)


def colouring(nodes: int, edges: Sequence[tuple[int, int]], colours: int) -> Classic:
    """Each node has one colour, and in each colour an edge has one end at most."""
    options = {
        (node, colour): [node, *((edge, colour) for edge in edges if node in edge)]
        for node, colour in product(range(nodes), range(colours))
    }
    return cover(options, lambda item: isinstance(item, tuple))


def random_colouring(nodes: int, edges: int, colours: int, seed: int) -> Classic:
    return colouring(nodes, random.Random(seed).sample(list(combinations(range(nodes), 2)), edges), colours)


def one_in_three(variables: int, clauses: int, seed: int) -> Classic:
    """Random triples of variables, of each of which exactly one is true."""
    chance = random.Random(seed)
    triples = [chance.sample(range(variables), 3) for _ in range(clauses)]
    return cover({n: [clause for clause, triple in enumerate(triples) if n in triple] for n in {*chain(*triples)}})


def drawn(items: int, options: int, size: int, seed: int) -> Classic:
    """Sets drawn at random, with one solution that was put among them, so that no order of declaration tells it."""
    chance = random.Random(seed)
    order = chance.sample(range(items), items)
    planted = [tuple(sorted(order[n : n + size])) for n in range(0, items, size)]
    drawn_sets = [*planted, *(tuple(sorted(chance.sample(range(items), size))) for _ in range(options))]
    chance.shuffle(drawn_sets)
    return cover({option: option for option in drawn_sets})


def pigeons(number: int, holes: int) -> Classic:
    options = {(pigeon, hole): [pigeon, ("hole", hole)] for pigeon, hole in product(range(number), range(holes))}
    return cover(options, lambda item: isinstance(item, tuple))


def dominoes(high: int, wide: int, without: Sequence[tuple[int, int]] = ()) -> Classic:
    cells = [cell for cell in product(range(high), range(wide)) if cell not in without]
    pairs = [((r, c), other) for r, c in cells for other in ((r, c + 1), (r + 1, c)) if other in cells]
    return cover({pair: pair for pair in pairs})


def rounds(teams: int) -> Classic:
    """Round robins: each two teams meet once, and each team plays in each round."""
    games = list(combinations(range(teams), 2))
    options = {
        (game, day): (game, (game[0], "day", day), (game[1], "day", day))
        for game in games
        for day in range(teams - 1)
        if game[0] > 0 or day == game[1] - 1
    }
    return cover(options)


def tours(size: int) -> Classic:
    """Paths in a board that is wrapped: each cell has one successor and one predecessor, a neighbour."""
    cells = list(product(range(size), repeat=2))
    steps = [
        ((r, c), ((r + a) % size, (c + b) % size)) for r, c in cells for a, b in ((0, 1), (1, 0), (0, -1), (-1, 0))
    ]
    return cover({step: (("from", step[0]), ("to", step[1])) for step in steps if step[0] != step[1]})


def wheel(nodes: int) -> list[tuple[int, int]]:
    return [*((0, n) for n in range(1, nodes)), *pairwise(range(1, nodes)), (1, nodes - 1)]


COVERS: Mapping[str, Callable[[], Classic]] = {
    "sudoku": partial(sudoku, EULER),
    "sudoku, few clues": partial(sudoku, EULER[:45] + EMPTY[45:]),
    "sudoku, hard": partial(sudoku, SEVENTEEN),
    "sudoku 4, empty": partial(sudoku, "." * 16, 2),
    "latin square 5": partial(with_first_row, 5),
    "latin square 6": partial(with_first_row, 6, reduced=True),
    "square of 12, 60 holes": partial(with_holes, 12, 60, 1),
    "square of 20, 170 holes": partial(with_holes, 20, 170, 1),
    "square of 30, 380 holes": partial(with_holes, 30, 380, 1),
    "langford 8": lambda: classic(arrangements.langford(8)),
    "langford 10, none": lambda: classic(arrangements.langford(10)),
    "langford 11": lambda: classic(arrangements.langford(11)),
    "queens 8": lambda: classic(arrangements.queens(8)),
    "queens 10": lambda: classic(arrangements.queens(10)),
    "3 colours, 260 nodes": partial(random_colouring, 260, 600, 3, 1),
    "3 colours, 60 nodes": partial(random_colouring, 60, 125, 3, 1),
    "4 colours, wheel": lambda: colouring(12, wheel(12), 4),
    "5 colours, 9 nodes": partial(random_colouring, 9, 18, 5, 1),
    "one in three, 60": partial(one_in_three, 60, 36, 1),
    "one in three, 150": partial(one_in_three, 150, 95, 1),
    "one in three, 300": partial(one_in_three, 300, 190, 1),
    "drawn, 60 of 600": partial(drawn, 60, 600, 5, 1),
    "drawn, 100 of 800": partial(drawn, 100, 800, 5, 1),
    "drawn, 120 of 400": partial(drawn, 120, 400, 4, 1),
    "pigeons 8": partial(pigeons, 8, 7),
    "dominoes 6x6": partial(dominoes, 6, 6),
    "dominoes 8x8, no corners": partial(dominoes, 8, 8, [(0, 0), (7, 7)]),
    "triples of 9": lambda: classic(designs.triples(9)),
    "rounds of 8": partial(rounds, 8),
    "wrapped tours 4": partial(tours, 4),
    "langford 24": lambda: classic(arrangements.langford(24)),
    "queens 24": lambda: classic(arrangements.queens(24)),
    "sudoku 16, empty": partial(sudoku, "." * 256, 4),
}
