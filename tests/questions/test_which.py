"""Solutions that a person drew: whether they are some, which, and how turned."""

import json
from pathlib import Path
from typing import Any

import pytest

from models.magic import magic
from models.packing import packing
from models.puzzle import Puzzle
from solvers import InputError, solve
from solvers.files.catalogue import find
from solvers.files.solutions import as_json
from tests.support.command import printed, refusal, told
from tests.support.declared import BOOLEAN, puzzle
from tests.support.own_models import PIECES, write


def asked(puzzle: Any, text: str, tmp_path: Path, **options: Any) -> tuple[Any, Any, str]:
    which = solve(puzzle, which=str(write(tmp_path / "which.txt", text)), jobs=1, **options).report.which
    assert which is not None
    return which["solution"], which["number"], str(which["sentence"])


@pytest.mark.parametrize(
    ("name", "parameters", "backend"),
    [
        pytest.param("magic", {"kind": "ring"}, "sat", marks=pytest.mark.thorough),
        ("matchsticks", {"expression": "3", "moves": 1, "goal": "any"}, "cp-sat"),
    ],
)
def test_each_is_found_in_all_its_images(name: str, parameters: dict[str, Any], backend: str, tmp_path: Path) -> None:
    puzzle = find(name).load()(**parameters)
    result = solve(puzzle, backend=backend, jobs=1)
    shown = {str(solution) for solution in result}
    for solution in [*result.in_all()][:: max(1, result.total // 2)]:
        answer = asked(puzzle, str(solution), tmp_path, backend=backend)
        assert answer[0] is True
        assert ("as the run shows it" in answer[2]) == (str(solution) in shown)
        assert asked(puzzle, as_json(solution), tmp_path, backend=backend) == answer
    assert asked(puzzle, str(result[-1]), tmp_path, backend=backend)[1] == len(result)


def own() -> Puzzle:
    """Pieces of which there are copies."""
    return packing(board="3x4", pieces=PIECES)


def lettered(solution: Any, letters: str) -> str:
    """A solution in the plane by rows of letters, one for each piece."""
    where = {cell: letter for (_, place), letter in zip(solution, letters, strict=False) for cell in place}
    rows = range(1 + max(row for row, _ in where))
    return "\n".join(" ".join(where[cell] for cell in sorted(where) if cell[0] == row) for row in rows)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("board", "pieces"),
    [
        ("2x4", "dominoes x*"),
        ("2x3", "dominoes x* + monomino x1-*"),
        ("2x2x2", "dominoes x*"),
        ("2x2x3", "1x1x3 x*"),
        ("4x1x2", "dominoes x*"),
    ],
)
def test_walls_tell_which(board: str, pieces: str, tmp_path: Path) -> None:
    """Of pieces that stand on each other, only the layers above and below tell where one ends."""
    puzzle = find("packing").load()(board=board, pieces=pieces)
    result = solve(puzzle, backend="cover", jobs=1)
    for number, solution in enumerate(result, 1):
        sentence = f"Yes, this is solution {number} of {len(result)}, as the run shows it."
        assert asked(puzzle, f"{number}\n{solution}\n\n", tmp_path, backend="cover") == (True, number, sentence)
        assert [*solve(puzzle, backend="cover", jobs=1, given=str(tmp_path / "which.txt")).in_all()] == [solution]


@pytest.mark.thorough
def test_other_letters_for_copies(tmp_path: Path) -> None:
    puzzle = own()
    found = solve(puzzle, backend="cover", jobs=1)
    assert asked(puzzle, lettered(found[3], "ABCDEFGH"), tmp_path)[:2] == (True, 4)
    walled = str(found[0]).replace("Ell", " X ").replace("Bar", " Y ").replace("Dot", " Z ")
    assert asked(puzzle, walled, tmp_path)[0] is True
    assert asked(puzzle, "A A B B\nA C B B\nD D E E", tmp_path)[0] is False
    assert asked(puzzle, "A A B B\nA C C B\nD D D E", tmp_path)[2] == (
        "No, this is not a solution: nothing is called 'A', 'B', 'C', 'D' or 'E'; there is Bar, Dot, Ell."
    )
    with pytest.raises(InputError, match="several solutions; write the names of the pieces"):
        asked(puzzle, "X X X X\nX Y Y X\nY Y Y Y", tmp_path)
    with pytest.raises(InputError, match="several solutions; draw which cells belong together"):
        asked(packing(board="2x4", pieces="dominoes x*"), "I I I I\nI I I I", tmp_path)
    (tmp_path / "which.txt").write_text("Q Q . .\n. . . .\n. . . .\n")
    with pytest.raises(InputError, match="has nothing that looks like 'Q'"):
        solve(puzzle, given=str(tmp_path / "which.txt"))


def test_rows_that_are_missing(tmp_path: Path) -> None:
    puzzle = packing(board="3x5", pieces="FPU")
    for text in ("P F F U U\n", "PFFUU\n.....\n.....\n"):
        with pytest.raises(InputError, match=r"which\.txt draws 5 of 15 cells; draw the others, too"):
            asked(puzzle, text, tmp_path)
    assert asked(puzzle, "P P P P P\n", tmp_path)[0] is False


def test_hints_of_a_drawing_with_copies(tmp_path: Path) -> None:
    file = tmp_path / "drawn.txt"
    words = ("hints", "packing", str(file), "--board", "2x4", "--pieces", "dominoes x*")
    for text in (str(solve(packing(board="2x4", pieces="dominoes x*"), jobs=1)[0]), "A A B B\nC C D D"):
        file.write_text(text, encoding="utf-8")
        assert printed(*words).startswith("This solution needs 2 hints")


@pytest.mark.thorough
def test_ways(tmp_path: Path) -> None:
    for drawn, way in (
        ("1 6 7\n8 5 2\n3 4 9", "as the run shows it"),
        ("3 4 9\n8 5 2\n1 6 7", "mirrored top to bottom"),
        ("7 6 1\n2 5 8\n9 4 3", "mirrored left to right"),
        ("9 4 3\n2 5 8\n7 6 1", "turned by a half"),
        ("3 8 1\n4 5 6\n9 2 7", "turned by a quarter to the right"),
        ("7 2 9\n6 5 4\n1 8 3", "turned by a quarter to the left"),
    ):
        assert asked("magic", drawn, tmp_path)[2] == f"Yes, this is solution 1 of 1, {way}."


def flaw(puzzle: Any, text: str, tmp_path: Path) -> str:
    is_one, number, sentence = asked(puzzle, text, tmp_path)
    assert (is_one, number) == (False, None)
    return sentence.removeprefix("No, this is not a solution: ")


def test_which_rule_is_broken(tmp_path: Path) -> None:
    row = packing(board="1x3", pieces="A\n##\n\nB\n#\n")
    left, right, middle = ("A", ((0, 0), (0, 1))), ("A", ((0, 1), (0, 2))), ("B", ((0, 1),))
    for lying, said in (
        ([left], "B is missing."),
        ([left, right], "A lies in 2 places."),
        ([left, middle], "row 1, column 2 is covered by A and B."),
    ):
        assert flaw(row, json.dumps([(label, 1) for label in lying]), tmp_path) == said
    sums = puzzle(
        {**dict.fromkeys("xyz", (0, 9)), "a": BOOLEAN, "b": BOOLEAN},
        lambda m, x, y, z, a, b: m.add(2 * x - y <= 3),
        lambda m, x, y, z, a, b: m.add(x + y + z == 9).only_enforce_if(a),
        lambda m, x, y, z, a, b: m.add(x + z != 7),
        lambda m, x, y, z, a, b: m.add_at_most_one(a, b),
        lambda m, x, y, z, a, b: m.add_bool_or(a, b),
    )
    for values, said in (
        ((5, 1, 0, 0, 1), "2·x - y is 9, which is not allowed."),
        ((5, 7, 2, 0, 1), "x + z is 7, which is not allowed."),
        ((0, 7, 2, 1, 1), "a and b exclude each other."),
        ((0, 7, 1, 1, 0), "x=0, y=7, z=1, b=0 do not go together."),
    ):
        assert flaw(sums, json.dumps([*zip("xyzab", values, strict=True)]), tmp_path) == said


def test_a_solution_that_is_not_best(tmp_path: Path) -> None:
    best = puzzle({"x": (0, 3), "y": (0, 3)}, lambda m, x, y: m.add(x + y <= 4), lambda m, x, y: m.maximize(x + 2 * y))
    assert asked(best, "x = 1\ny = 3", tmp_path)[:2] == (True, 1)
    assert asked(best, "x = 3\ny = 1", tmp_path)[2].endswith("does not have the best value, 7.")
    assert asked(best, "x = 3\ny = 3", tmp_path)[2].endswith("x + y is 6, which is not allowed.")


def test_what_does_not_go_together(tmp_path: Path) -> None:
    for option in ({"limit": 2}, {"unique": True}, {"count_only": True}):
        with pytest.raises(InputError, match="which needs all solutions"):
            asked("magic", "1 6 7\n8 5 2\n3 4 9", tmp_path, **option)
    ring = magic(kind="ring")
    with pytest.raises(InputError, match="holds several drawings"):
        asked(ring, "".join(f"{n}\n{solution}\n\n" for n, solution in enumerate(solve(ring, jobs=1), 1)), tmp_path)


def test_the_command(tmp_path: Path) -> None:
    words = ("which", "magic", str(write(tmp_path / "mine.txt", "9 4 3\n2 5 8\n7 6 1\n")))
    assert printed(*words) == "Yes, this is solution 1 of 1, turned by a half.\n"
    assert told(*words)["which"]["number"] == 1
    write(tmp_path / "mine.txt", "9 4 3\n2 5 8\n7 6 6\n")
    assert printed(*words, code=4).count("\n") == 1
    for name in ("nowhere", ""):
        refusal("which", "magic", str(tmp_path / name))


def test_the_solution_in_which_all_is_0(tmp_path: Path) -> None:
    two = puzzle({"a": BOOLEAN, "b": BOOLEAN}, lambda m, a, b: m.add_at_most_one(a, b))
    (none,) = (solution for solution in solve(two, jobs=1) if not solution)
    sentence = "Yes, this is solution 1 of 3, as the run shows it."
    assert asked(two, as_json(none), tmp_path) == (True, 1, sentence)
    assert asked(two, "a=0\nb=0", tmp_path) == (True, 1, sentence)
    two.model.minimize(sum(two.key.values()))
    assert asked(two, "[]", tmp_path) == (True, 1, "Yes, this is solution 1 of 1, as the run shows it.")
    with pytest.raises(InputError, match="shows nothing"):
        asked(two, " \n\n", tmp_path)
    with pytest.raises(InputError, match="shows nothing that could be given"):
        solve(two, given=[str(write(tmp_path / "which.txt", "[]"))])


@pytest.mark.parametrize(
    "literals",
    [
        '[["x", 4]]',
        '[["x", -1]]',
        '[["x", "two"]]',
        '[["x", 1e400]]',
        '[["x", 2.5]]',
        '[["x", NaN]]',
        "[[1]]",
        '[["x", null]]',
        '[["x", [1]]]',
        '[["x", 1], ["x", 2]]',
        '[["x", 100000000000000000000]]',
        '["x", 1]',
        "[1",
    ],
)
def test_values_that_are_none(literals: str, tmp_path: Path) -> None:
    own = puzzle({"x": (0, 3), "y": BOOLEAN})
    with pytest.raises(InputError, match=r"which\.txt"):
        asked(own, literals, tmp_path)
    with pytest.raises(InputError, match=r"which\.txt"):
        solve(own, given=str(tmp_path / "which.txt"))
