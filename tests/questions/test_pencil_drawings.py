"""Drawings of pencil puzzles are read as they were printed, also where their first or last rows are empty."""

from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest

from models.puzzle import Puzzle, Solution
from solvers import InputError, solve
from solvers.extras.questions.recognise.drawings import Reading, read_drawing
from solvers.files.catalogue import find
from solvers.show import draw
from solvers.symmetry.key import Key
from tests.support.own_models import write
from tests.support.pencil_rules import SMALL, written
from tests.support.tiers import sampled

MARKS = {
    "slitherlink": "01233",
    "masyu": "BW",
    "akari": "B01",
    "hashi": "1223",
    "numberlink": "1",
}
"""Marks for boards with empty rows and columns around them, of some puzzles."""


def read(puzzle: Puzzle, text: str) -> Reading:
    return read_drawing(puzzle, Key(puzzle.model, puzzle.key), text)


def is_read(puzzle: Puzzle, solution: Solution, text: str) -> bool:
    """Whether a text shows what the solution's drawing shows, and nothing else."""
    reading = read(puzzle, text)
    assert puzzle.draw
    shown = draw.text(draw.drawing(puzzle, Key(puzzle.model, puzzle.key).partial_solution(reading.shown)))
    return not reading.stray and shown == draw.text(puzzle.draw(solution)) and shown.strip("\n") in text


def check_small(name: str, seed: int, tmp_path: Path) -> int:
    """A solution is recognised, with its number before it as files have it or without."""
    small = SMALL[name](Random(f"drawn {name} {seed}"))
    puzzle = find(name).declare(**small.parameters)
    found = [*enumerate(solve(puzzle, backend="sat", jobs=1, symmetry="none"), 1)]
    for number, solution in Random(seed).sample(found, min(2, len(found))):
        text = [f"{number}\n{solution}\n\n", f"{solution}\n", f"\n\n{solution}"][(seed + number) % 3]
        file = str(write(tmp_path / "which.txt", text))
        answer = solve(puzzle, backend="sat", jobs=1, symmetry="none", which=file).report.which
        sentence = f"Yes, this is solution {number} of {len(found)}, as the run shows it."
        assert answer == {"solution": True, "number": number, "sentence": sentence}, (small.parameters, text)
    return len(found)


@pytest.mark.parametrize("name", sampled(SMALL, 12))
def test_small_ones_are_recognised(name: str, tmp_path: Path) -> None:
    assert sum(check_small(name, seed, tmp_path) for seed in range(4)) > 0


def wide_board(name: str, chance: Random) -> str:
    """A board of which only some cells in the middle, or at one side, have marks."""
    rows, columns = chance.randint(2, 4), chance.randint(2, 5)
    count = 2 if name == "numberlink" else chance.choice([1, 2, 3])
    middle = [(r, c) for r in range(rows // 2, rows) for c in range(columns // 2, columns)]
    cells = [(r, c) for r in range(rows) for c in range(columns)]
    places = chance.sample(middle if len(middle) >= count else cells, count)
    return written({cell: chance.choice(MARKS[name]) for cell in places}, rows, columns)


def check_wide(name: str, seed: int) -> int:
    """Some solutions of a board are read, with a number or a caption before them, or with lines cut off."""
    chance = Random(f"wide {name} {seed}")
    options: dict[str, Any] = {"fill": False} if name == "numberlink" else {}
    try:
        puzzle = find(name).declare(puzzle=wide_board(name, chance), **options)
    except InputError:  # one island, say
        return 0
    found = [*solve(puzzle, backend="sat", jobs=1, symmetry="none", limit=2)]
    for number, solution in enumerate(found, 1):
        whole = str(solution)
        for text in (whole, f"{number}\n{whole}\n\n", f"solution {number}\n{whole}", whole.strip("\n"), f"\n{whole}"):
            assert is_read(puzzle, solution, text), (puzzle.parameters, text)
    return len(found)


@pytest.mark.parametrize("name", sampled(MARKS, 5))
def test_empty_rows_and_columns_around(name: str) -> None:
    read_so_far, seeds = 0, count()
    while read_so_far < 2:
        read_so_far += check_wide(name, next(seeds))


@pytest.mark.parametrize(
    ("name", "puzzle"),
    [
        ("slitherlink", "10./..1/..."),
        ("slitherlink", "..../.3../...."),
        ("slitherlink", "0/0/./."),
        ("hashi", "1/1"),
        ("hashi", ".../1.1/..."),
        ("hashi", "3.3"),
    ],
)
def test_drawings_without_a_border(name: str, puzzle: str) -> None:
    declared = find(name).declare(puzzle=puzzle, **({"most": 3} if name == "hashi" else {}))
    solution = next(iter(solve(declared, backend="sat", jobs=1, limit=1)))
    assert is_read(declared, solution, f"1\n{solution}\n\n")


def test_a_second_drawing_is_not_overlooked(tmp_path: Path) -> None:
    puzzle = find("slitherlink").declare(puzzle="././.")
    one, other, *_ = solve(puzzle, backend="sat", jobs=1, symmetry="none")
    assert read(puzzle, f"{one}\n\n{other}\n").stray
    with pytest.raises(InputError, match="holds several drawings"):
        solve(puzzle, which=str(write(tmp_path / "two.txt", f"1\n{one}\n\n2\n{other}\n\n")), jobs=1)
