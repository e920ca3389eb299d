"""Pencil puzzles with loops, bridges and regions: every solution of small ones, by other code; what is not accepted."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import combinations, pairwise, product
from random import Random
from typing import Any

import pytest

from models.boards import grid, paths
from models.errors import ParameterError
from models.pencil.akari import akari
from models.pencil.hashi import hashi
from models.pencil.heyawake import heyawake
from models.pencil.masyu import masyu
from models.pencil.numberlink import numberlink
from models.pencil.nurikabe import nurikabe
from models.pencil.slitherlink import slitherlink
from models.puzzle import Puzzle
from solvers import InputError, solve
from solvers.files.catalogue import find
from tests.support.enumerate import key_solutions
from tests.support.puzzles import is_right, model_of, valued
from tests.support.refusals import refused
from tests.support.tiers import later, sampled

Cell = tuple[int, int]
Edge = tuple[Cell, Cell]
Found = set[frozenset[Any]]


def subsets(things: Iterable[Any]) -> Iterator[frozenset[Any]]:
    every = [*things]
    for taken in product((False, True), repeat=len(every)):
        yield frozenset(thing for thing, is_taken in zip(every, taken, strict=True) if is_taken)


def is_joined(nodes: Iterable[Any], pairs: Iterable[tuple[Any, Any]]) -> bool:
    """Whether one piece is left when the nodes of each pair are put together."""
    label = {node: node for node in nodes}
    for one, other in pairs:
        old, new = label[one], label[other]
        label = {node: new if name == old else name for node, name in label.items()}
    return len(set(label.values())) == 1


@cache
def loops(rows: int, columns: int) -> list[frozenset[Edge]]:
    """All loops through points, each once through a point."""
    points = [*product(range(rows), range(columns))]
    sides = [(a, b) for a, b in combinations(points, 2) if abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1]
    found = []
    for some in subsets(sides):
        ends = Counter(end for side in some for end in side)
        if some and set(ends.values()) == {2} and is_joined(ends, some):
            found.append(some)
    return found


def taken(puzzle: Puzzle) -> Found:
    """The true labels of each solution; each is visited once by OR-Tools alone, and the puzzle's own check agrees."""
    found = [valued(puzzle, values) for values in key_solutions(puzzle)]
    assert all(is_right(puzzle, solution) for solution in found)
    return {frozenset(label for label, value in solution.items() if value) for solution in found}


def agree(puzzle: Puzzle, expected: Found, all_backends: bool) -> None:
    """The solutions are the expected ones; so OR-Tools alone, the puzzle's own check, and the backends say."""
    assert taken(puzzle) == expected
    for backend in ("cp-sat", "sat", "cp") if all_backends else ():
        assert solve(puzzle, backend=backend).total == len(expected)


def text(rows: int, columns: int, marks: dict[Cell, str]) -> str:
    return "/".join("".join(marks.get((r, c), ".") for c in range(columns)) for r in range(rows))


def some_marks(chance: Random, rows: int, columns: int, marks: str, share: float) -> dict[Cell, str]:
    return {cell: chance.choice(marks) for cell in product(range(rows), range(columns)) if chance.random() < share}


@pytest.mark.parametrize("seed", later(range(6), 0, 1))
def test_slitherlink(seed: int) -> None:
    chance = Random(seed)
    marks = some_marks(chance, 2, 3, "01223", 0.1 * seed)
    around = {(r, c): {((r, c), (r, c + 1)), ((r + 1, c), (r + 1, c + 1))} for r, c in product(range(2), range(3))}
    for (r, c), sides in around.items():
        sides |= {((r, c), (r + 1, c)), ((r, c + 1), (r + 1, c + 1))}
    expected = {
        loop for loop in loops(3, 4) if all(len(loop & around[cell]) == int(mark) for cell, mark in marks.items())
    }
    agree(slitherlink(text(2, 3, marks)), expected, seed < 3)


def heeds(loop: frozenset[Edge], cell: Cell, pearl: str) -> bool:
    """Whether a loop, as a word of straight pieces and turns at each cell, heeds a pearl."""

    def straight(place: Cell) -> bool:
        (a, b), (c, d) = (next(end for end in side if end != place) for side in loop if place in side)
        return a == c or b == d

    near = [next(end for end in side if end != cell) for side in loop if cell in side]
    if len(near) != 2:
        return False
    along = [straight(place) for place in near]
    return straight(cell) and along != [True, True] if pearl == "W" else not straight(cell) and along == [True, True]


@pytest.mark.parametrize("seed", sampled(range(8), 2))
def test_masyu(seed: int) -> None:
    marks = some_marks(Random(seed), 3, 4, "BWW", 0.04 * seed)
    expected = {loop for loop in loops(3, 4) if all(heeds(loop, cell, pearl) for cell, pearl in marks.items())}
    agree(masyu(text(3, 4, marks)), expected, seed < 3)


def test_masyu_with_one_pearl_of_each_kind() -> None:
    for cell, pearl in product(product(range(3), range(4)), "BW"):
        expected = {loop for loop in loops(3, 4) if heeds(loop, cell, pearl)}
        assert taken(masyu(text(3, 4, {cell: pearl}))) == expected


def is_lit(lamps: frozenset[Cell], marks: dict[Cell, str]) -> bool:
    seen = Counter[Cell](lamps)
    for (r, c), (down, right) in product(lamps, ((0, 1), (0, -1), (1, 0), (-1, 0))):
        for n in range(1, 4):
            cell = (r + n * down, c + n * right)
            if cell in marks or not (0 <= cell[0] < 3 and 0 <= cell[1] < 4):
                break
            seen[cell] += 1
    numbers = {cell: int(mark) for cell, mark in marks.items() if mark.isdigit()}
    white = set(product(range(3), range(4))) - {*marks}
    beside = {(r, c): len(lamps & {(r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)}) for r, c in numbers}
    return {*seen} == white and all(seen[lamp] == 1 for lamp in lamps) and beside == numbers


@pytest.mark.parametrize("seed", range(6))
def test_akari(seed: int) -> None:
    marks = some_marks(Random(seed), 3, 4, "B#012", 0.05 * seed)
    white = [cell for cell in product(range(3), range(4)) if cell not in marks]
    agree(akari(text(3, 4, marks)), {some for some in subsets(white) if is_lit(some, marks)}, seed < 3)


def are_ways(some: frozenset[Edge], marks: dict[Cell, str], fill: bool) -> bool:
    cells = [*product(range(3), range(3))]
    ends = Counter(end for side in some for end in side)
    if any(ends[cell] != 1 if cell in marks else ends[cell] not in ({2} if fill else {0, 2}) for cell in cells):
        return False
    groups = [{cell} for cell in ends]
    for one, other in some:
        joined = [group for group in groups if one in group or other in group]
        groups = [group for group in groups if group not in joined] + [set().union(*joined)]
    signs = [sorted(marks[cell] for cell in group if cell in marks) for group in groups]
    return all(len(pair) == 2 and pair[0] == pair[1] for pair in signs)


@pytest.mark.parametrize("fill", [True, False])
@pytest.mark.parametrize("seed", sampled(range(6), 3))
def test_numberlink(seed: int, fill: bool) -> None:
    chance = Random(seed)
    cells = chance.sample([*product(range(3), range(3))], 2 * chance.choice([1, 2, 2, 3]))
    marks = {cell: str(number // 2) for number, cell in enumerate(cells)}
    expected = {some for some in subsets(paths.edges(grid.box(3, 3))) if are_ways(some, marks, fill)}
    agree(numberlink(text(3, 3, marks), fill=fill), expected, seed < 2)


def bridges(counts: dict[Edge, int], marks: dict[Cell, int]) -> bool:
    """Whether bridges, drawn on a board cell by cell, are right."""
    water = Counter[Cell]()
    for ((a, b), (c, d)), count in counts.items():
        if count:
            water.update(cell for cell in product(range(a, c + 1), range(b, d + 1)) if cell not in ((a, b), (c, d)))
    ends = {cell: sum(count for pair, count in counts.items() if cell in pair) for cell in marks}
    built = [pair for pair, count in counts.items() if count]
    return ends == marks and max(water.values(), default=0) < 2 and not water.keys() & marks and is_joined(marks, built)


@pytest.mark.parametrize("seed", sampled(range(12), 3))
def test_hashi(seed: int) -> None:
    """The numbers are those of bridges drawn by chance, mostly, so that there are solutions."""
    chance = Random(seed)
    islands = sorted(chance.sample([*product(range(3), range(5))], chance.choice([3, 4, 5, 6])))
    pairs = [(a, b) for a, b in combinations(islands, 2) if a[0] == b[0] or a[1] == b[1]]
    most = chance.choice([1, 2, 2, 3]) if len(pairs) < 6 else 2
    ways = [dict(zip(pairs, counts, strict=True)) for counts in product(range(most + 1), repeat=len(pairs))]
    drawn = chance.choice(ways)
    marks = {cell: sum(count for pair, count in drawn.items() if cell in pair) or 1 for cell in islands}
    expected = {tuple(pair_count for pair_count in way.items() if pair_count[1]) for way in ways if bridges(way, marks)}
    puzzle = hashi(text(3, 5, {cell: str(number) for cell, number in marks.items()}), most=most)
    found = [valued(puzzle, values) for values in key_solutions(puzzle)]
    assert {tuple(one for one in sorted(solution.items()) if one[1]) for solution in found} == expected
    assert all(is_right(puzzle, solution) for solution in found)
    if seed < 4:
        assert {solve(puzzle, backend=backend).total for backend in ("cp-sat", "sat", "cp")} == {len(expected)}


BOARD = [*product(range(3), range(4))]


def beside(cells: Iterable[Cell]) -> list[Edge]:
    """The pairs of these cells that share a side."""
    return [(a, b) for a, b in combinations(sorted(cells), 2) if abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1]


def pieces(cells: frozenset[Cell]) -> list[set[Cell]]:
    groups = [{cell} for cell in cells]
    for one, other in beside(cells):
        joined = [group for group in groups if one in group or other in group]
        groups = [group for group in groups if group not in joined] + [set().union(*joined)]
    return groups


def is_sea(sea: frozenset[Cell], sizes: dict[Cell, int]) -> bool:
    islands = pieces(frozenset(BOARD) - sea)
    numbers = [[sizes[cell] for cell in island if cell in sizes] for island in islands]
    pools = [(r, c) for r, c in BOARD if sea >= {(r, c), (r, c + 1), (r + 1, c), (r + 1, c + 1)}]
    return (
        all(number == [len(island)] for number, island in zip(numbers, islands, strict=True))
        and sum(map(len, numbers)) == len(sizes)
        and len(pieces(sea)) <= 1
        and not pools
    )


@pytest.mark.parametrize("seed", sampled(range(6), 3))
def test_nurikabe(seed: int) -> None:
    """The numbers are those of islands drawn by chance, mostly, so that there are solutions."""
    chance = Random(seed)
    dry = pieces(frozenset(cell for cell in BOARD if chance.random() < 0.4) | {(seed % 3, seed % 4)})
    sizes = {chance.choice(sorted(island)): len(island) + (chance.random() < 0.1) for island in dry}
    expected = {sea for sea in subsets(BOARD) if is_sea(sea, sizes)}
    agree(nurikabe(text(3, 4, {cell: "123456789ABCD"[size - 1] for cell, size in sizes.items()})), expected, seed < 3)


def is_painted(dark: frozenset[Cell], room: dict[Cell, str], number: dict[str, int]) -> bool:
    ways = [[(r, c) for c in range(4)] for r in range(3)] + [[(r, c) for r in range(3)] for c in range(4)]
    for way in ways:
        for start, end in combinations(range(len(way) + 1), 2):
            some = way[start:end]
            walls = sum(room[a] != room[b] for a, b in pairwise(some))
            if walls > 1 and not dark.intersection(some):
                return False
    count = Counter(room[cell] for cell in dark)
    white = frozenset(BOARD) - dark
    return not beside(dark) and len(pieces(white)) <= 1 and all(count[name] == n for name, n in number.items())


@pytest.mark.parametrize("seed", sampled(range(16), 4))
def test_heyawake(seed: int) -> None:
    chance = Random(seed)
    heights, widths = (chance.choice([[0, 1, 2], [0, 0, 1], [0, 1, 1]]), chance.choice([[0, 1, 2, 3], [0, 0, 1, 1]]))
    room = {(r, c): "ABCDEFGHIJKL"[heights[r] * 4 + widths[c]] for r, c in BOARD}
    some = [name for name in sorted({*room.values()}) if chance.random() < 0.4]
    number = {name: chance.choice([0, 1, 1]) for name in some}
    line = f"{text(3, 4, room)} {' '.join(f'{name}={count}' for name, count in number.items())}"
    expected = {dark for dark in subsets(BOARD) if is_painted(dark, room, number)}
    agree(heyawake(line), expected, seed < 3)


def test_ways_within_a_region_are_not_longer_than_told() -> None:
    """The longest of the shortest ways in all connected parts of some boards."""
    for rows, columns in ((1, 5), (2, 4), (3, 4)):
        longest = 0
        for cells in subsets(product(range(rows), range(columns))):
            near = {cell: {b if a == cell else a for a, b in beside(cells) if cell in (a, b)} for cell in cells}
            for start in cells:
                reached, steps = {start}, -1
                while more := set().union(*(near[cell] for cell in reached)) | reached:
                    steps += 1
                    if more == reached:
                        break
                    reached = more
                longest = max(longest, steps)
        assert longest <= paths.longest_way(grid.box(rows, columns))


@pytest.mark.parametrize(
    ("declare", "game", "rows"),
    [
        (slitherlink, "3x3t0:3c0c2", "3../.0./..2"),
        (slitherlink, "3x2t0de:2a1b0", "2.1/..0"),
        (slitherlink, "2x2:d", "../.."),
        (masyu, "4x4:WeBi", "W.../..B./..../...."),
        (akari, "3x3:bBa1d", "..B/.1./..."),
        (hashi, "3x3m2:2a3c1a2", "2.3/.../1.2"),
        (masyu, "4x3:WfBd", "W.../...B/...."),
        (akari, "7x1b20s4d1:B1d0", "B1....0"),
        (hashi, "7x2m2:3a3b2Ag", "3.3..2A/......."),
    ],
)
def test_game_ids(declare: Callable[..., Puzzle], game: str, rows: str) -> None:
    assert str(model_of(declare(game)).proto) == str(model_of(declare(rows)).proto)


def test_files(tmp_path: Any) -> None:
    file = tmp_path / "puzzle.txt"
    file.write_text("2.1\n..0\n")
    assert str(model_of(slitherlink(str(file))).proto) == str(model_of(slitherlink("2.1/..0")).proto)


@pytest.mark.parametrize(
    ("declare", "puzzle", "sentence"),
    [
        (slitherlink, "", "the puzzle is empty; give it as"),
        (slitherlink, "12/1", "row 2 has 1 cell, and row 1 has 2"),
        (slitherlink, "12/15", "row 2, column 2 holds '5'; a cell is empty or has one of 0 1 2 3 4"),
        (slitherlink, "12/1²", "row 2, column 2 holds '²'"),
        (slitherlink, "2x2:a12", "the text behind the colon is for 3 cells, and 2x2 has 4"),
        (slitherlink, "2x2:a1212", "the text behind the colon is for 5 cells, and 2x2 has 4"),
        (slitherlink, "2x2:a9a", "character 2 behind the colon is '9'"),
        (slitherlink, "x2:a9a", "'x2' is no size"),
        (slitherlink, "0x2:", "the puzzle has 0 cells; give one of 1 to 2500"),
        (slitherlink, "999x999:a", "the puzzle has 998001 cells"),
        (slitherlink, "/", "the puzzle has 0 cells"),
        (masyu, "WBW", "1 row and 3 columns have no loop"),
        (masyu, "W1/..", "row 1, column 2 holds '1'; a cell is empty or has one of B W"),
        (akari, "B1/0B", "the puzzle has no white cell"),
        (slitherlink, "5x5t1:y", "'t1' behind the size is for cells that are not squares"),
        (hashi, "1.0", "row 1, column 3 holds '0'"),
        (hashi, "1..", "the puzzle has 1 islands"),
        (hashi, "2x1m2L:11", "an L before the colon"),
        (hashi, "2x1m5:11", "5 bridges cannot be side by side"),
        (nurikabe, "../..", "the puzzle has no numbers"),
        (nurikabe, "1a/..", "row 1, column 2 holds 'a'"),
        (heyawake, "AAB/AA", "row 2 has 2 cells, and row 1 has 3"),
        (heyawake, "AAB/A.B", "row 2, column 2 is in no room"),
        (heyawake, "AB/BA", "the room A is not connected"),
        (heyawake, "AAB/AAB C=1", "'C=1' gives no room a number; write such as A=1"),
        (heyawake, "AAB/AAB A=5", "A=5 paints more cells than the 4 of the room"),
        (heyawake, "A=5", "the puzzle is empty"),
        (numberlink, "1.2/1..", "2 stands in 1 cell "),
        (numberlink, "...", "the puzzle has no signs"),
        (numberlink, "1+1", "row 1, column 2 holds"),
    ],
)
def test_what_is_wrong_is_named(declare: Callable[..., Puzzle], puzzle: str, sentence: str) -> None:
    refused(sentence, declare, puzzle, raises=ParameterError)


def test_one_loop_and_no_more() -> None:
    around = paths.edges(grid.box(2, 2))
    apart = paths.edges([(r, c + 3) for r, c in grid.box(2, 2)])
    touching = paths.edges([(r + 1, c + 1) for r, c in grid.box(2, 2)])
    assert paths.is_one_loop(around)
    assert not any(map(paths.is_one_loop, ([], around[1:], around + apart, around + touching)))


DRAWN = {
    "slitherlink": """
·   ·   ·───·
  0     │ 4 │
·   ·   ·───·
""",
    "masyu": """
┌───────────────┐
│ ┌───○───┐     │
│ │       │     │
│ │       │     │
│ │       │     │
│ └───────●     │
└───────────────┘
""",
    "akari": """
┌───┬───┬───┐
│ ● │░2░│ ● │
└───┴───┴───┘
""",
    "numberlink": """
┌───────┐
│ 1   2 │
│ │   │ │
│ 1   2 │
└───────┘
""",
    "hashi": """
  2───3
  │   ║
  1   2
""",
    "nurikabe": """
┌───┬───┬───┐
│ 1 │░#░│ 1 │
└───┴───┴───┘
""",
    "heyawake": """
┌───┬───┬───┐
│ 0 │ 0 │░1#│
└───┴───┴───┘
""",
}
"""What is drawn of small puzzles with one solution."""


@pytest.mark.parametrize(
    ("declare", "puzzle"),
    [
        (slitherlink, "0.4"),
        (masyu, ".W../..../..B."),
        (akari, ".2."),
        (numberlink, "12/12"),
        (hashi, "23/12"),
        (nurikabe, "1.1"),
        (heyawake, "ABC A=0 B=0 C=1"),
    ],
)
def test_drawings_look_as_in_a_book(declare: Callable[..., Puzzle], puzzle: str) -> None:
    assert str(solve(declare(puzzle))[0]).strip("\n") == DRAWN[declare.__name__].strip("\n")


@pytest.mark.parametrize("name", ["nurikabe", "numberlink", "slitherlink", "akari", "hashi"])
def test_blanks_are_empty_cells(name: str) -> None:
    """Blanks, hyphens and lower lines are as good as dots, in the model and in the check."""
    texts = ("1.2/.1./.2.", "1 2/ 1/ 2", "1-2/_1_/.2.", "1 . 2 / . 1 . / . 2 .", "1 2\n 1 \n 2")
    results = [solve(find(name).declare(puzzle=text), symmetry="none", jobs=1) for text in texts]
    right, *others = [{frozenset(solution.items()) for solution in result} for result in results]
    assert others == [right] * 4
    for text in ("1  ", " 1\n 2", "1 2 / 2 1"):
        with pytest.raises(InputError, match="for an empty cell"):
            find(name).declare(puzzle=text)
