"""Pencil puzzles with numbers in cells: against plain enumeration, on all backends, drawn, with bad clues."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise, permutations, product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from models.digits.calcudoku import calcudoku
from models.digits.sudoku import sudoku
from models.puzzle import Puzzle
from solvers import InputError, solve
from solvers.files.catalogue import find
from tests.support.own_models import write
from tests.support.tiers import sampled

Grid = tuple[tuple[int, ...], ...]


def every(puzzle: Puzzle, backend: str) -> set[frozenset[tuple[Any, int]]]:
    """All solutions; Booleans that are 0 are left out."""
    found = solve(puzzle, backend=backend, jobs=1, symmetry="none")
    assert found.complete
    return {frozenset((label, value) for label, value in one.items() if value) for one in found.in_all()}


def check_all(puzzle: Puzzle, right: set[frozenset[tuple[Any, int]]], others: list[frozenset[tuple[Any, int]]]) -> None:
    """Every backend finds these solutions, the check takes them and none of the others, and symmetries keep them."""
    for backend in ("sat", "cp-sat"):
        assert every(puzzle, backend) == right, (puzzle.parameters, backend)
    assert puzzle.is_solution is not None
    keys = list(puzzle.key)
    for some, is_right in ((right, True), (others, False)):
        assert all(puzzle.is_solution({**dict.fromkeys(keys, 0), **dict(one)}) is is_right for one in some)
    for symmetry in puzzle.symmetries:
        assert {frozenset(symmetry(*literal) for literal in one) for one in right} == right
    assert solve(puzzle, backend="sat", jobs=1).total == len(right)


def latin(side: int) -> Iterator[Grid]:
    """All Latin squares of so many symbols."""
    for rows in product(permutations(range(1, side + 1)), repeat=side - 1):
        if all(len(set(column)) == side - 1 for column in zip(*rows, strict=True)):
            last = tuple(side * (side + 1) // 2 - sum(column) for column in zip(*rows, strict=True))
            yield (*rows, last)


SQUARES = list(latin(4))


def cells_of(square: Sequence[Sequence[int]]) -> dict[tuple[int, int], int]:
    return {(r, c): value for r, row in enumerate(square) for c, value in enumerate(row)}


def as_numbers(square: Grid) -> frozenset[tuple[Any, int]]:
    return frozenset(cells_of(square).items())


def as_symbols(square: Grid) -> frozenset[tuple[Any, int]]:
    return frozenset(((r, c, value - 1), 1) for (r, c), value in cells_of(square).items())


def parted(chance: Random, side: int) -> list[str]:
    """A square cut into regions of as many cells as it has rows: rows, of which cells were exchanged at borders."""
    while True:
        letters = {(r, c): "ABCDEFGHI"[r] for r in range(side) for c in range(side)}
        for _ in range(chance.randrange(4, 30)):
            one, other = chance.sample(sorted(letters), 2)
            if sum(abs(a - b) for a, b in zip(one, other, strict=True)) <= 2:
                letters[one], letters[other] = letters[other], letters[one]
        if all(list(letters.values()).count(letter) == side for letter in letters.values()):
            return ["".join(letters[r, c] for c in range(side)) for r in range(side)]


REGIONS = "/".join(parted(Random(1), 4))
CAGES = "AAB./CBB./CDDD/...E A=4 B=9 C=4 D=6 E=3"


def obeys(square: Grid, asked: Mapping[str, Any]) -> bool:
    """The rules of sudokus with regions, cages, diagonals and moves, cell by cell."""
    at = cells_of(square)
    letters = [*asked.get("regions", "AABB/AABB/CCDD/CCDD").replace("/", "")]
    region = dict(zip(sorted(at), letters, strict=True))
    cage, *sums = asked.get("cages", "").split() or [""]
    closed = dict(zip(sorted(at), cage.replace("/", ""), strict=False))
    for one, other in product(at, repeat=2):
        apart = sorted(abs(a - b) for a, b in zip(one, other, strict=True))
        together = region[one] == region[other]
        together |= closed.get(one, ".") == closed.get(other) != "."
        on = [(r == c, r + c == 3) for r, c in (one, other)]
        together |= bool(asked.get("diagonals")) and any(map(all, zip(*on, strict=True)))
        together |= (bool(asked.get("knight")) and apart == [1, 2]) or (bool(asked.get("king")) and apart == [1, 1])
        if one != other and together and at[one] == at[other]:
            return False
    return all(sum(at[cell] for cell, letter in closed.items() if letter == word[0]) == int(word[2:]) for word in sums)


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param({}, marks=pytest.mark.thorough),
        {"regions": REGIONS},
        {"cages": CAGES},
        pytest.param({"cages": "AA../BB../..../.... A=4 B=6"}, marks=pytest.mark.thorough),
        pytest.param({"diagonals": True}, marks=pytest.mark.thorough),
        {"king": True},
        pytest.param({"knight": True}, marks=pytest.mark.thorough),
        {"regions": REGIONS, "king": True, "cages": "AA../..../..../.... A=5"},
    ],
    ids=str,
)
def test_sudokus_of_4_by_enumeration(asked: dict[str, Any]) -> None:
    right = {as_symbols(square) for square in SQUARES if obeys(square, asked)}
    puzzle = sudoku(**{"rows": 2, "columns": 2} | asked)
    if len(right) < 100:
        check_all(puzzle, right, [as_symbols(square) for square in SQUARES if as_symbols(square) not in right])
    else:
        assert every(puzzle, "sat") == right
        assert solve(puzzle, jobs=1).total == len(right)


RULES: dict[str, Callable[[Mapping[tuple[int, int], int]], bool]] = {
    "different:r1c1r2c3r4c4": lambda at: len({at[0, 0], at[1, 2], at[3, 3]}) == 3,
    "thermometer:r1c1r2c2r2c3": lambda at: at[0, 0] < at[1, 1] < at[1, 2],
    "whispers=2:r1c1r2c2r3c2": lambda at: abs(at[0, 0] - at[1, 1]) > 1 < abs(at[1, 1] - at[2, 1]),
    "renban:r1c1r2c2r3c2": lambda at: {at[0, 0], at[1, 1], at[2, 1]} in ({1, 2, 3}, {2, 3, 4}),
    "palindrome:r1c1r2c2r3c3r4c4": lambda at: at[0, 0] == at[3, 3] and at[1, 1] == at[2, 2],
    "difference:r1c1r2c1": lambda at: abs(at[0, 0] - at[1, 0]) == 1,
    "difference=3:r1c1r2c1": lambda at: {at[0, 0], at[1, 0]} == {1, 4},
    "ratio:r1c1r2c1 ratio=3:r4c4r4c3": lambda at: (
        {at[0, 0], at[1, 0]} in ({1, 2}, {2, 4}) and {at[3, 3], at[3, 2]} == {1, 3}
    ),
    "even:r1c1r2c2": lambda at: {at[0, 0], at[1, 1]} <= {2, 4},
    "odd:r1c1": lambda at: at[0, 0] in (1, 3),
    "minimum:r2c2r1c2r2c1r3c2r2c3": lambda at: all(at[1, 1] < at[cell] for cell in [(0, 1), (1, 0), (2, 1), (1, 2)]),
    "maximum:r1c1r1c2r2c1": lambda at: at[0, 0] > at[0, 1] and at[0, 0] > at[1, 0],
    "sum=9:r1c1r2c2r3c3": lambda at: at[0, 0] + at[1, 1] + at[2, 2] == 9,
    "arrow:r1c1r2c2r3c3": lambda at: at[0, 0] == at[1, 1] + at[2, 2],
    "arrow=2:r1c1r1c2r2c4r3c3r3c2r4c1r4c4": lambda at: (
        10 * at[0, 0] + at[0, 1] == at[1, 3] + at[2, 2] + at[2, 1] + at[3, 0] + at[3, 3]
    ),
    "nonconsecutive:r1c1r2c1": lambda at: abs(at[0, 0] - at[1, 0]) > 1,
    "nonconsecutive": lambda at: all(
        abs(at[a] - at[b]) > 1 for a, b in product(at, at) if abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1
    ),
}
"""Rules of 4x4, each in words of Python."""


@pytest.mark.parametrize("text", sampled(RULES, 8))
def test_rules_of_4_by_enumeration(text: str) -> None:
    right, wrong = set(), []
    for square in SQUARES:
        is_right = obeys(square, {}) and RULES[text](cells_of(square))
        right |= {as_symbols(square)} if is_right else set()
        wrong += [] if is_right else [as_symbols(square)]
    assert bool(right) == (text != "nonconsecutive")
    check_all(sudoku(2, 2, rules=text), right, wrong)


@pytest.mark.parametrize(
    ("size", "text", "message"),
    [
        ((2, 2), "arrow=2:r1c1r1c2", "2 cells in its circle"),
        ((2, 2), "arrow=0:r1c1r1c2", "0 cells in its circle"),
        ((2, 5), "arrow=2:r1c1r1c2r2c1", "numbers up to 10 have two"),
    ],
)
def test_a_circle_that_holds_no_number_is_refused(size: tuple[int, int], text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        sudoku(*size, rules=text)


def test_a_nonogram_as_a_game_id() -> None:
    ways = ["2/1 1 | 2/1/1", "2;1,1|2;1;1", "3x2:2/1/1/2/1.1"]
    assert [every(find("nonogram").declare(puzzle=way), "sat") for way in ways[1:]] == [
        every(find("nonogram").declare(puzzle=ways[0]), "sat")
    ] * 2


@pytest.mark.thorough
def test_star_battles_by_enumeration() -> None:
    chance, total = Random(3), 0
    for side in (4, 5, 5, 5, 6):
        rows = parted(chance, side)
        right = set()
        for columns in permutations(range(side)):
            stars = list(enumerate(columns))
            is_apart = all(abs(a - b) > 1 for a, b in pairwise(columns))
            if is_apart and len({rows[r][c] for r, c in stars}) == side:
                right.add(frozenset((star, 1) for star in stars))
        puzzle = find("star-battle").declare(puzzle=" ".join(rows))
        check_all(puzzle, right, [frozenset(((i, i), 1) for i in range(side))])
        total += len(right)
    assert total > 5


def seen(line: tuple[int, ...]) -> int:
    return sum(all(height > before for before in line[:place]) for place, height in enumerate(line))


@pytest.mark.thorough
def test_skyscrapers_by_enumeration() -> None:
    chance = Random(4)
    for number in range(6):
        shown = chance.choice(SQUARES)
        around = {square: _around(square) for square in SQUARES}
        kept = [chance.random() < 0.1 * number for _ in range(16)]
        words = [str(clue) if keep else "" for clue, keep in zip(around[shown], kept, strict=True)]
        given = "p" if number % 2 else f"{shown[0][0]}o"
        right = {
            as_numbers(square)
            for square, clues in around.items()
            if all(not keep or a == b for a, b, keep in zip(clues, around[shown], kept, strict=True))
            and (number % 2 or square[0][0] == shown[0][0])
        }
        puzzle = find("skyscrapers").declare(puzzle=f"4:{'/'.join(words)},{given}")
        others = [as_numbers(square) for square in SQUARES if as_numbers(square) not in right]
        if len(right) <= 100:
            check_all(puzzle, right, others)
        else:
            assert every(puzzle, "sat") == right


def _around(square: Grid) -> list[int]:
    """How many houses are seen from above, below, left and right."""
    columns = list(zip(*square, strict=True))
    lines = [*columns, *(line[::-1] for line in columns), *square, *(line[::-1] for line in square)]
    return list(map(seen, lines))


@pytest.mark.thorough
def test_futoshikis_by_enumeration() -> None:
    chance = Random(5)
    steps = {"U": (-1, 0), "R": (0, 1), "D": (1, 0), "L": (0, -1)}
    for number in range(5):
        shown = cells_of(chance.choice(SQUARES))
        words, rules = [], []
        for (r, c), value in shown.items():
            word = str(value) if chance.random() < 0.1 else "0"
            for letter, (down, right) in steps.items():
                other = r + down, c + right
                if value > shown.get(other, 9) and chance.random() < 0.15 * number:
                    word += letter
                    rules.append(((r, c), other))
            words.append(word)
        given = {cell: int(word[0]) for cell, word in zip(shown, words, strict=True) if word[0] != "0"}
        found = set()
        for square in SQUARES:
            at = cells_of(square)
            if all(at[one] > at[other] for one, other in rules) and given.items() <= at.items():
                found.add(as_numbers(square))
        puzzle = find("futoshiki").declare(puzzle=f"4:{','.join(words)},")
        others = [as_numbers(square) for square in SQUARES if as_numbers(square) not in found]
        if len(found) <= 100:
            check_all(puzzle, found, others)
        else:
            assert every(puzzle, "sat") == found


@pytest.mark.parametrize(
    ("drawing", "runs_and_sums"),
    [
        (r"# 4\ 3\ / \4 . . / \3 . .", [("ab", 4), ("cd", 3), ("ac", 4), ("bd", 3)]),
        (r"# 10\ 9\ / \9 . . / \10 . .", [("ab", 9), ("cd", 10), ("ac", 10), ("bd", 9)]),
        (r"# 6\ # / \12 . . / # \3 2", [("ab", 12), ("c", 3)]),
        (r". . / . 9", [("ab", None), ("cd", None), ("ac", None), ("bd", None)]),
    ],
)
def test_kakuros_by_enumeration(drawing: str, runs_and_sums: list[tuple[str, int | None]]) -> None:
    cells = [
        ((r, c), word)
        for r, row in enumerate(drawing.split("/"))
        for c, word in enumerate(row.split())
        if word == "." or word.isdigit()
    ]
    right, others = set(), []
    for digits in product(range(1, 10), repeat=len(cells)):
        at = dict(zip("abcd", digits, strict=False))
        held = [([at[name] for name in run], total) for run, total in runs_and_sums]
        solution = frozenset((cell, digit) for (cell, _), digit in zip(cells, digits, strict=True))
        is_right = all(len(set(own)) == len(own) and total in (None, sum(own)) for own, total in held)
        if is_right and all(word in (".", str(digit)) for (_, word), digit in zip(cells, digits, strict=True)):
            right.add(solution)
        else:
            others.append(solution)
    check_all(find("kakuro").declare(puzzle=drawing), right, others)


@pytest.mark.parametrize("steps", sampled(["sides", "corners"], 2))
@pytest.mark.parametrize("board", ["1x1", "1x3", "2x3", "3x3", "##.\n.##\n###"])
def test_numbrix_by_enumeration(board: str, steps: str) -> None:
    puzzle = find("numbrix").declare(board=board, steps=steps)
    cells = {label[:2] for label in puzzle.key}

    def paths(path: list[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
        if len(path) == len(cells):
            yield path
        for cell in cells - set(path):
            apart = sorted(abs(a - b) for a, b in zip(path[-1], cell, strict=True))
            if apart in ([0, 1], [1, 1])[: 1 + (steps == "corners")]:
                yield from paths([*path, cell])

    right = {frozenset(((*cell, n), 1) for n, cell in enumerate(path, 1)) for first in cells for path in paths([first])}
    if len(right) < 200:
        check_all(puzzle, right, [frozenset()] if cells else [])
    else:
        assert every(puzzle, "sat") == right


@pytest.mark.parametrize(
    ("name", "parameters", "said"),
    [
        ("sudoku", {"rows": 2, "rules": "clone:r1c1r2c2"}, "'clone:r1c1r2c2' is no rule"),
        ("sudoku", {"rows": 2, "rules": "even:r1c5"}, "outside the 4 rows"),
        ("sudoku", {"rows": 2, "rules": "ratio:r1c1"}, "has 1 cell; give it two"),
        ("sudoku", {"regions": "AAB/ABB/CCD"}, "region C has 2 cells"),
        ("sudoku", {"regions": "AAAA/BBBB/CCCC/DDD"}, "row 4 of the regions has 3 cells"),
        ("sudoku", {"regions": "AAAA/BBBB"}, "2 rows and 4 columns"),
        ("sudoku", {"regions": "ab"}, "the regions have 1 row and 2 columns; draw a square"),
        ("sudoku", {"regions": "ab/bb"}, "region a has 1 cell, and the square has 2 rows; give it 2"),
        ("sudoku", {"cages": "AA../..../..../.... A=8"}, "cage A: 8 is not possible; write a number from 3 to 7"),
        ("sudoku", {"cages": "AA../..../..../...."}, "cage A needs both cells and a sum"),
        ("sudoku", {"rows": 2, "cages": "AA./.../... A=3"}, "the cages have 3 rows"),
        ("sudoku", {"cages": "A=3"}, "there is no cell of the cages"),
        ("sudoku", {"cages": "AAAA/A.../..../.... A=12"}, "cage A has 5 cells"),
        ("nonogram", {"puzzle": ""}, "there are no clues"),
        ("nonogram", {"puzzle": "1/2"}, "no | divides"),
        ("nonogram", {"puzzle": "2 2/1 | 1/1/1/1"}, "row 1: the blocks take 5 cells, and it has 4"),
        ("nonogram", {"puzzle": "1/1 | 1/x"}, "column 2: 'x' is no number"),
        ("nonogram", {"puzzle": "1/1 | 1/3"}, "column 2: 3 is not possible"),
        ("nonogram", {"puzzle": "3x2:1/1/1/1"}, "3x2 has 5 lines"),
        ("star-battle", {"puzzle": "/"}, "there is no cell of the board"),
        ("star-battle", {"puzzle": "AAB/ABB/CC"}, "row 3 of the board has 2 cells"),
        ("star-battle", {"puzzle": "AAB/ABB/AAA"}, "3 rows, 3 columns and 2 regions"),
        ("star-battle", {"puzzle": "ABBB/CBBB/CDDD/DDDD", "stars": 2}, "region A has 1 cell, too few for 2 stars"),
        ("star-battle", {"puzzle": "AAB/ABB/CCC", "stars": 0}, "0 stars"),
        ("skyscrapers", {"puzzle": "3/1/2"}, "does not begin with a size"),
        ("skyscrapers", {"puzzle": "3:1/2/3"}, "has 12 clues around it, and there are 3"),
        ("skyscrapers", {"puzzle": "3://///4//////"}, "the clue below column 3: 4 is not possible"),
        ("skyscrapers", {"puzzle": "3:///////////,7h"}, "row 1 column 1: 7 is not possible"),
        ("skyscrapers", {"puzzle": "3:///////////,d"}, "the contents have 4 cells"),
        ("skyscrapers", {"puzzle": "1:///"}, "the size: 1 is not possible"),
        ("calcudoku", {"puzzle": "AA/AB A=3+"}, "the cage B has no result"),
        ("calcudoku", {"puzzle": "AA/AB A=3 B=2"}, "the result of cage A has no sign"),
        ("calcudoku", {"puzzle": "AA/AB A=3- B=2"}, "a difference is that of 2 cells, not of 3"),
        ("calcudoku", {"puzzle": "AB/BA A=3+ B=3+"}, "the cage is not connected"),
        ("calcudoku", {"puzzle": "AA A=3+"}, "the board has 1 row and 2 columns"),
        ("calcudoku", {"puzzle": "AA/AA A=3%"}, "'A=3%' gives no cage its result"),
        ("calcudoku", {"puzzle": "2:__a,a3"}, "the walls of the game ID are not the 4"),
        ("calcudoku", {"puzzle": "2:zz,a3"}, "the walls of the game ID are more than the 4"),
        ("calcudoku", {"puzzle": "2:_5,a3"}, "the game ID has 4 cages and 1 results"),
        ("calcudoku", {"puzzle": "2:d"}, "no comma before its results"),
        ("dominosa", {"puzzle": "01x"}, "'x' is no number"),
        ("dominosa", {"puzzle": "010/01"}, "row 2 has 2 numbers, and row 1 has 3"),
        ("dominosa", {"puzzle": "00/00"}, "the numbers 0 to 0 are on 2 halves of dominoes, and there are 4"),
        ("dominosa", {"puzzle": "001/010"}, "the number 0 stands in 4 cells; in a set it is on 3 halves"),
        ("dominosa", {"puzzle": "2:00"}, "a game of 2 has 12 numbers, and there are 2"),
        ("futoshiki", {"puzzle": "2:0,0,0"}, "has 4 cells, and there are 3"),
        ("futoshiki", {"puzzle": "2:0,0R,0,0"}, "row 1 column 2: there is no neighbour to which R points"),
        ("futoshiki", {"puzzle": "2:0,0,3,0"}, "row 2 column 1: 3 is not possible"),
        ("futoshiki", {"puzzle": "2:0,0,0X,0"}, "row 2 column 1: '0X' is no number"),
        ("kakuro", {"puzzle": r"# 4\ / \4"}, "row 2 has 1 cell,"),
        ("kakuro", {"puzzle": r"# \18 . ."}, "row 1 column 2, a sum of 2 digits: 18 is not possible"),
        ("kakuro", {"puzzle": r"# \8 # ."}, "row 1 column 2: no white cell follows the sum 8"),
        ("kakuro", {"puzzle": r"# \45 " + ". " * 10}, "10 white cells follow"),
        ("kakuro", {"puzzle": "# x"}, "row 1 column 2: 'x' is no cell"),
        ("kakuro", {"puzzle": "#"}, "there is no white cell"),
        ("numbrix", {"board": "2x2x2"}, "is a box"),
        ("numbrix", {"board": "21x21"}, "has 441 cells"),
        ("numbrix", {"steps": "knight"}, "is not one of sides, corners"),
    ],
)
def test_bad_clues(name: str, parameters: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as refused:
        find(name).declare(**parameters)
    assert said in str(refused.value)


DRAWN = """\
        ┌───┬───┬───┐
        │ 2 │ 1 │ 1 │
┌───────┼───┼───┼───┤
│     2 │░#░│░#░│   │
├───────┼───┼───┼───┤
│ 1   1 │░#░│   │░#░│
└───────┴───┴───┴───┘
    ┌───────┐
    │ 2     │
┌───┼───┬───┼───┐
│   │ 1 │ 2 │   │
│   ├───┼───┤   │
│   │ 2 │ 1 │ 2 │
└───┼───┴───┼───┘
    │       │
    └───────┘
"""


def test_clues_stand_around_the_board() -> None:
    puzzles = find("nonogram").declare(puzzle="2/1 1 | 2/1/1"), find("skyscrapers").declare(puzzle="2:2///////2")
    drawn = [str(solve(puzzle, jobs=1)[0]) for puzzle in puzzles]
    assert [line.rstrip() for text in drawn for line in text.strip("\n").splitlines()] == DRAWN.splitlines()


@pytest.mark.parametrize("name", ["nonogram", "star-battle", "skyscrapers", "futoshiki", "kakuro"])
def test_a_puzzle_is_read_from_its_file(name: str, tmp_path: Path) -> None:
    puzzle = find(name).declare()
    file = write(tmp_path / "puzzle.txt", str(puzzle.parameters["puzzle"]) + "\n")
    assert every(find(name).declare(puzzle=str(file)), "sat") == every(puzzle, "sat")


def test_z_is_25_borders_without_a_wall() -> None:
    """Five rows of one cage each, and six cells; all walls behind the first 25 borders."""
    asked = calcudoku("6:z_36,a21a21a21a21a21a1a2a3a4a5a6")
    (solution,) = solve(asked, limit=1, jobs=1)
    assert [solution[5, column] for column in range(6)] == [1, 2, 3, 4, 5, 6]
