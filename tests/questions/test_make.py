"""Puzzles that are made: one solution by another solver, minimal, of the level asked for, the same again."""

import re
import threading
from collections import Counter
from collections.abc import Callable, Hashable
from itertools import pairwise, product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from models import PENCIL
from models.boards.paths import edges, is_one_loop
from models.pencil.making import Draft, border_edges, loop_separations, random_disc, random_latin_square, separations
from solvers import make
from solvers.backends.cp import Cp
from solvers.backends.protocol import Task
from solvers.extras.questions.make.command import main
from solvers.extras.questions.make.maker import MadePuzzle, Maker, Wish, genres, making_of
from solvers.files.catalogue import find
from solvers.running.stated import problem_statement
from tests.support.tiers import later, sampled

SMALL: dict[str, dict[str, int]] = {
    "sudoku": {"rows": 2},
    "nonogram": {"rows": 5, "columns": 6},
    "star-battle": {"side": 6},
    "skyscrapers": {"side": 4},
    "futoshiki": {"side": 4},
    "numbrix": {"rows": 4, "columns": 4},
    "slitherlink": {"rows": 4, "columns": 4},
    "masyu": {"rows": 5, "columns": 5},
    "akari": {"rows": 5, "columns": 5},
    "hashi": {"rows": 5, "columns": 5},
    "calcudoku": {"side": 4},
    "dominosa": {"most": 3},
    "numberlink": {"rows": 4, "columns": 4},
    "kakuro": {"rows": 5, "columns": 5},
    "nurikabe": {"rows": 4, "columns": 4},
    "heyawake": {"rows": 4, "columns": 4},
}
"""A small size of each genre."""


def solutions(puzzle: MadePuzzle) -> list[dict[object, int]]:
    """All solutions by OR-Tools' original solver, which makes no puzzle."""
    model, key, _, _ = problem_statement(puzzle, "none", (), threading.Event())
    found: list[dict[object, int]] = []
    search = Cp(Task(model, key.variables, threading.Event()))
    search.enumerate(lambda values: found.append(dict(key.decode(key.encode(values)))))
    return found


def test_each_genre_of_the_shelf_is_made() -> None:
    assert {*genres()} == {*SMALL} == {*PENCIL}


@pytest.mark.parametrize("genre", sampled(SMALL, 4))
def test_one_solution(genre: str) -> None:
    (puzzle,) = make(genre, seed=3, **SMALL[genre])
    (solution,) = solutions(puzzle)
    assert all(solution.get(label, 0) == value for label, value in puzzle.answer.items())
    assert puzzle.is_solution is not None
    assert puzzle.is_solution(puzzle.answer)
    (again,) = make(genre, seed=3, **SMALL[genre])
    assert again.line == puzzle.line


def test_minimal() -> None:
    """Without any of its numbers, a minimal sudoku of 4 rows has more than one solution, by brute force."""
    (puzzle,) = make("sudoku", seed=1, rows=2, minimal=True)
    assert count_of_squares(puzzle.line) == 1
    for place in range(16):
        if puzzle.line[place] != ".":
            assert count_of_squares(f"{puzzle.line[:place]}.{puzzle.line[place + 1 :]}") > 1


def count_of_squares(text: str) -> int:
    """The number of ways to fill a sudoku of 4 rows."""
    place = text.find(".")
    if place < 0:
        return 1
    row, column = divmod(place, 4)
    near = [n for n in range(16) if n // 4 == row or n % 4 == column or (n // 8, n % 4 // 2) == (row // 2, column // 2)]
    free = [sign for sign in "1234" if sign not in {text[n] for n in near}]
    return sum(count_of_squares(f"{text[:place]}{sign}{text[place + 1 :]}") for sign in free)


@pytest.mark.parametrize("level", later(["easy", "normal", "hard"], "normal", "hard"))
def test_levels(level: str) -> None:
    for puzzle in make("sudoku", level=level, count=2, seed=5):
        assert puzzle.reasoning.name == level
        assert (puzzle.reasoning.level == 1) == (level == "easy") == has_only_singles(puzzle.line)


def has_only_singles(text: str) -> bool:
    """Tell whether naked and hidden singles fill a sudoku of 9 rows."""
    houses = [[n for n in range(81) if place(n) == i] for place in HOUSES for i in range(9)]
    free = {n: {*"123456789"} if text[n] == "." else {text[n]} for n in range(81)}
    before = None
    while before != (before := {n: frozenset(signs) for n, signs in free.items()}):
        for house in houses:
            for n in house:
                if len(free[n]) == 1:
                    for other in house:
                        free[other] -= free[n] if other != n else set()
            for sign in "123456789":
                places = [n for n in house if sign in free[n]]
                if len(places) == 1:
                    free[places[0]] = {sign}
    return all(len(signs) == 1 for signs in free.values())


HOUSES: tuple[Callable[[int], int], ...] = (lambda n: n // 9, lambda n: n % 9, lambda n: n // 27 * 3 + n % 9 // 3)


@pytest.mark.thorough
def test_pattern() -> None:
    (puzzle,) = make("sudoku", pattern="rotational")
    places = [n for n, sign in enumerate(puzzle.line) if sign != "."]
    assert places == sorted(80 - n for n in places)


def test_pattern_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "places.txt"
    path.write_text("#.##\n###.\n.#.#\n#.##\n")
    (puzzle,) = make("sudoku", rows=2, pattern=str(path), seed=2)
    assert count_of_squares(puzzle.line) == 1
    drawn = path.read_text().replace("\n", "")
    assert all(sign == "." or mark == "#" for sign, mark in zip(puzzle.line, drawn, strict=True))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("genre", "level"), [("sudoku", "easy"), pytest.param("nurikabe", "", marks=pytest.mark.thorough)]
)
def test_jobs_change_no_puzzle(genre: str, level: str) -> None:
    alone, together = (
        [(puzzle.line, puzzle.reasoning) for puzzle in make(genre, level=level, count=3, jobs=jobs, **SMALL[genre])]
        for jobs in (1, 2)
    )
    assert alone == together


def test_fewest_pixels_change() -> None:
    """Pictures of 3x3 that are ambiguous become the nearest ones that are not, by brute force."""
    pictures = list(product((0, 1), repeat=9))
    number = Counter(map(blocks, pictures))
    unique = [picture for picture in pictures if number[blocks(picture)] == 1]
    ambiguous = [picture for picture in pictures if number[blocks(picture)] > 1]
    assert len(ambiguous) > 50
    for picture in ambiguous[::7]:
        drawn = "/".join("".join(".#"[bit] for bit in picture[n : n + 3]) for n in (0, 3, 6))
        (puzzle,) = make("nonogram", picture=drawn)
        answer = tuple(puzzle.answer[r, c] for r in range(3) for c in range(3))
        assert answer in unique
        least = min(sum(map(int.__ne__, picture, other)) for other in unique)
        assert sum(map(int.__ne__, picture, answer)) == least
        assert puzzle.remark.startswith(f"{least} cell{'s' * (least > 1)} changed, the fewest")
    (puzzle,) = make("nonogram", picture="##./##./...")
    assert puzzle.remark == ""


def blocks(picture: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """The blocks of the rows and columns of a picture of 3x3."""
    lines = [picture[n : n + 3] for n in (0, 3, 6)] + [picture[n::3] for n in range(3)]
    return tuple(tuple(len(run) for run in "".join(map(str, line)).split("0") if run) for line in lines)


def test_number_of_clues() -> None:
    (puzzle,) = make("sudoku", clues=30)
    assert puzzle.clues == 81 - puzzle.line.count(".") == 30


def test_a_disc_has_one_loop_around() -> None:
    for seed in range(20):
        assert is_one_loop(border_edges(random_disc(Random(seed), 5, 6)))


def test_a_latin_square() -> None:
    square = random_latin_square(Random(1), 7)
    lines = [[square[r, c] for c in range(7)] for r in range(7)]
    assert all(sorted(line) == [*range(1, 8)] for line in (*lines, *zip(*lines, strict=True)))


def test_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    names = {option: str(tmp_path / f"out.{option}") for option in ("csv", "gallery", "url")}
    options = [word for option, name in names.items() for word in (f"--{option}", name)]
    assert main(["sudoku", "--rows", "2", "--count", "2", "--quiet", *options]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    table = (tmp_path / "out.csv").read_text().splitlines()
    assert [row.split(",")[1] for row in table[1:]] == lines
    assert (tmp_path / "out.gallery").read_text().count("<summary>answer") == 2
    assert all(
        re.match("https://puzz.link/p\\?sudoku/4/4/", link) for link in (tmp_path / "out.url").read_text().split()
    )


@pytest.mark.parametrize(
    "words",
    [
        "chess",
        "sudoku --level odd",
        "sudoku --count 0",
        "sudoku --pattern star",
        "sudoku --clues -1",
        "nonogram --picture no.png",
    ],
)
def test_bad_input(words: str) -> None:
    from solvers.base.errors import InputError

    with pytest.raises(InputError):
        main([*words.split(), "--quiet"])


@pytest.mark.thorough
@pytest.mark.parametrize("genre", ["sudoku", "slitherlink", "nonogram", "akari", "hashi"])
def test_many(genre: str) -> None:
    lines = [puzzle.line for puzzle in make(genre, count=4, seed=2) if len(solutions(puzzle)) == 1]
    assert len({*lines}) == 4
    assert all(a != b for a, b in pairwise(lines))


@pytest.mark.thorough
@pytest.mark.parametrize("genre", [genre for genre in SMALL if making_of(genre).ease])
def test_easier_drafts_are_solutions(genre: str) -> None:
    """What is made easier obeys the rules with all its clues, until nothing more can be made easier."""
    making, random = making_of(genre), Random(5)
    for _ in range(3):
        draft: Draft | None = making.draft(random, rows=5, columns=5)
        number = 0
        while draft is not None and draft.solution is not None:
            clues = making.clues(draft.arguments, draft.solution)
            puzzle = find(genre).declare(**making.write(draft.arguments, clues))
            assert puzzle.is_solution(draft.solution)
            assert making.ease is not None
            draft, number = making.ease(random, draft.arguments, draft.solution), number + 1
        assert number < 30


@pytest.mark.thorough
@pytest.mark.parametrize("genre", later(["heyawake", "nurikabe"], "nurikabe"))
def test_hard_drafts_become_easy(genre: str) -> None:
    """Puzzles are made easy of nearly each draft; most drafts are hard."""
    maker = Maker(genre, {"rows": 5, "columns": 5}, Wish("easy"), 1, threading.Event())
    drafts: list[Draft] = []
    making = making_of(genre)

    def draft(random: Random, **sizes: int) -> Draft:
        drafts.append(making.draft(random, **sizes))
        return drafts[-1]

    maker._making = making._replace(draft=draft)
    assert all(puzzle.reasoning.name == "easy" for puzzle in maker.puzzles(1))
    assert len(drafts) <= 2


def test_clauses_that_separate() -> None:
    """Each clause is contradicted by what it excludes, and holds wherever the cells are connected, by brute force."""
    cells = list(product(range(2), range(4)))
    for values in product((0, 1), repeat=8):
        board: dict[Hashable, int] = dict(zip(cells, values, strict=True))
        clauses = list(separations(board, 1))
        assert bool(clauses) == (len(parts_of(board)) > 1)
        assert not any(board[cell] == value for clause in clauses for cell, value in clause)
        if sum(values) != 3:
            continue
        for others in product((0, 1), repeat=8):
            connected: dict[Hashable, int] = dict(zip(cells, others, strict=True))
            if len(parts_of(connected)) == 1:
                assert all(any(connected[cell] == value for cell, value in clause) for clause in clauses)


def test_clauses_that_separate_loops() -> None:
    """Loops around cells that touch nowhere: several contradict each clause, and one loop none, by brute force."""
    sides = edges(list(product(range(4), range(4))))
    boards: list[dict[Hashable, int]] = []
    for values in product((0, 1), repeat=9):
        inside = {cell for cell, value in zip(product(range(3), range(3)), values, strict=True) if value}
        border = border_edges(inside)
        at = Counter(end for edge in border for end in edge)
        if all(number == 2 for number in at.values()):
            boards.append({edge: int(edge in border) for edge in sides})
    single = [board for board in boards if is_one_loop(edge for edge in sides if board[edge])]
    assert 100 < len(single) < len(boards) - 10
    for board in boards:
        clauses = list(loop_separations(board))
        assert bool(clauses) == (board not in single)
        assert not any(board[edge] == value for clause in clauses for edge, value in clause)
        for clause in clauses:
            assert all(any(other[edge] == value for edge, value in clause) for other in single)


def parts_of(board: dict[Any, int]) -> list[set[tuple[int, int]]]:
    """The connected parts of the cells with 1."""
    parts: list[set[tuple[int, int]]] = []
    for cell in (cell for cell, value in board.items() if value):
        near = [part for part in parts if any(abs(cell[0] - r) + abs(cell[1] - c) == 1 for r, c in part)]
        parts = [part for part in parts if part not in near] + [set().union({cell}, *near)]
    return parts


@pytest.mark.thorough
def test_random_squares_are_random() -> None:
    """Chi-square over digits and cells of 500 sudokus of 4 rows: 48 degrees of freedom, p > 0.001 up to 84."""
    counts = Counter[Any]()
    for puzzle in make("sudoku", rows=2, count=500, seed=7):
        counts.update(label for label, is_there in puzzle.answer.items() if is_there)
    assert len(counts) == 64
    assert sum((number - 125) ** 2 / 125 for number in counts.values()) < 84
