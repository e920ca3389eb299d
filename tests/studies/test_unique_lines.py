"""Many puzzles judged: the answers, what cannot be read, stores, stops."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from itertools import permutations, product
from pathlib import Path
from random import Random

import pytest

from models.digits.sudoku import sudoku
from solvers import InputError, solve, unique
from solvers.base.tuning import override_tuning
from solvers.extras.shared.tuning import EXTRAS_TUNING
from solvers.extras.studies.unique.judge import PuzzleVerdict
from solvers.extras.studies.unique.record import Record
from tests.support.command import HERE, full_disk, on_this_load, refusal, run
from tests.support.own_models import write
from tests.support.sudoku import AROUND, LINE, SOLVED, sudokus

ONE, TWO, NONE = "1...|..2.|.3..|...4", "1234|....|....|....", "11.............."

OWN = """
from models.puzzle import Puzzle
from ortools.sat.python.cp_model import CpModel

def pairs(total: int = 5, puzzle: str = "1 2") -> Puzzle:
    \"\"\"Two numbers with a sum, each of which may not be one of those in the text.

    total: the sum.
    puzzle: the numbers that are not used.
    \"\"\"
    model = CpModel()
    numbers = {name: model.new_int_var(0, 9, name) for name in "ab"}
    model.add(sum(numbers.values()) == total)
    if not puzzle.replace(" ", "").isdigit():
        raise ValueError(f"{puzzle!r} is no list of numbers; write such as 1 2")
    for number in puzzle.split():
        for variable in numbers.values():
            model.add(variable != int(number))
    return Puzzle("pairs", {"total": total, "puzzle": puzzle}, model, numbers)
"""


def test_a_line_that_begins_with_a_black_cell_is_no_comment(tmp_path: Path) -> None:
    file = write(tmp_path / "lines.txt", "% two\n# 4\\ 3\\ / \\4 . . / \\9 . .\n# 4\\ 3\\ / \\4 . . / \\3 . .\n")
    done = run("solvers", "unique", "kakuro", str(file), "--jobs", "1")
    assert done.stdout.splitlines()[:2] == ["line 2: 0", "line 3: 1"]
    assert done.returncode == 4


def test_answers(tmp_path: Path) -> None:
    file = write(tmp_path / "lines.txt", f"# four\n{ONE}\n\n{TWO}\n{NONE}\n{ONE}\n")
    done = run("solvers", "unique", "sudoku", str(file), "--jobs", "1")
    assert done.stdout.splitlines() == [
        "line 2: 1",
        "line 4: 2+",
        "line 5: 0",
        "line 6: 1",
        "4 puzzles: 2 with one solution, 1 with more, 1 with none",
    ]
    assert done.returncode == 4
    assert run("solvers", "unique", "sudoku", str(write(file, ONE))).returncode == 0


def test_a_line_that_cannot_be_read(tmp_path: Path) -> None:
    file = write(tmp_path / "lines.txt", f"{ONE}\n1234\n{TWO}")
    done = run("solvers", "unique", "sudoku", str(file), "--json", "--solutions")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["solutions"] for row in rows] == ["1", "", "2+"]
    assert rows[1]["error"].startswith("no sudoku was found: there are 4 signs in a row")
    assert [len(row["found"]) for row in rows] == [1, 0, 2]
    assert rows[0]["found"] == ["1243342143122134"]
    assert done.returncode == 2


def test_a_folder_and_csv(tmp_path: Path) -> None:
    folder = tmp_path / "puzzles"
    folder.mkdir()
    write(folder / "b.txt", TWO.replace("|", "\n"))
    write(folder / "a.txt", ONE.replace("|", "\n"))
    write(folder / ".hidden", "x")
    table = tmp_path / "answers.csv"
    assert "b.txt: 2+" in run("solvers", "unique", "sudoku", str(folder), "--csv", str(table)).stdout
    with table.open() as rows:
        assert [(row["file"], row["solutions"], row["first"][:4]) for row in csv.DictReader(rows)] == [
            ("a.txt", "1", "1243"),
            ("b.txt", "2+", "1234"),
        ]


def test_lines_are_values_of_a_parameter(tmp_path: Path) -> None:
    own, file = write(tmp_path / "own.py", OWN), write(tmp_path / "lines.txt", "1 2 3 4\n0 1 2\nx\n0 1 2 5\n")
    done = run("solvers", "unique", str(own), str(file), "--json", "--solutions")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    # 0+5 and 5+0; none of the two is an image of the other, as nothing says so
    assert [row["solutions"] for row in rows] == ["2+", "0", "", "0"]
    assert "is no list of numbers" in rows[2]["error"]
    assert json.loads(rows[0]["found"][0]) in ([["a", 0], ["b", 5]], [["a", 5], ["b", 0]])
    done = run("solvers", "unique", str(own), str(write(file, "0\n8\n")), "--of", "total")
    assert done.stdout.splitlines()[:2] == ["line 1: 1", "line 2: 2+"]


@pytest.mark.thorough
@pytest.mark.parametrize("jobs", [1, 2])
@override_tuning(EXTRAS_TUNING, judging_alone_seconds=0.0)
def test_as_runs_say(jobs: int) -> None:
    chance = Random(3)
    grids = ["1234341221434321", "1243342143122134"]
    texts = ["".join(one if chance.random() < 0.35 else "." for one in chance.choice(grids)) for _ in range(30)]
    answers = [verdict.solutions for verdict in unique("sudoku", texts, jobs=jobs)]
    assert set(answers) == {"1", "2+"}
    for text, answer in list(zip(texts, answers, strict=True))[::5]:
        given = [f"row {n // 4 + 1} column {n % 4 + 1} = {one}" for n, one in enumerate(text) if one != "."]
        total = solve(sudoku(2, 2), given=given, symmetry="none", jobs=1).total
        assert answer == ("1" if total == 1 else "2+"), text


def test_a_puzzle_of_python() -> None:
    assert [verdict.solutions for verdict in unique(sudoku(2, 3), ["." * 36, "12345"])] == ["2+", ""]
    with pytest.raises(InputError, match="does not say what lies where"):
        unique("triples", ["1"])
    with pytest.raises(InputError, match="asks for the best value"):
        unique("golomb", ["1"])
    with pytest.raises(InputError, match="several cells"):
        unique("pentomino", ["1"], board="3x20")


def test_a_store_is_gone_on_with(tmp_path: Path) -> None:
    file, store = write(tmp_path / "lines.txt", f"{ONE}\n{TWO}\n"), tmp_path / "answers.jsonl"
    words = ["solvers", "unique", "sudoku", str(file), "--store", str(store), "--jobs", "1"]
    first = run(*words).stdout
    kept = store.read_text()
    with store.open("a") as stream:
        stream.write('{"text": "cut o')
    assert run(*words).stdout == first
    assert store.read_text() == kept
    other = ["unique", "sudoku", str(file), "--store", str(store), "--rows", "3"]
    assert "holds answers about another puzzle" in refusal(*other)
    assert "is no store of answers" in refusal(*other[:-3], str(write(tmp_path / "notes.txt", "{}\n")))
    assert "is damaged" in refusal(
        *other[:-3], str(write(tmp_path / "damaged.jsonl", kept.replace("seconds", "Seconds")))
    )


@pytest.mark.parametrize("room", [0, 20, 400])
def test_a_store_on_a_full_disk(tmp_path: Path, room: int) -> None:
    """One line says so; later the same command goes on."""
    file, store = write(tmp_path / "lines.txt", f"{ONE}\n{TWO}\n{NONE}\n"), tmp_path / "answers.jsonl"
    words = ["solvers", "unique", "sudoku", str(file), "--store", str(store), "--jobs", "1"]
    with full_disk(room):
        done = run(*words)
    assert (done.returncode, done.stderr.count("\n")) == (3, 1), done.stderr
    assert f"ended by an error in writing the store: {store}: " in done.stderr
    assert store.read_text() == "" or store.read_text().endswith("\n")
    assert run(*words).stdout.splitlines()[-1] == "3 puzzles: 1 with one solution, 1 with more, 1 with none"


def test_two_runs_on_one_store(tmp_path: Path) -> None:
    path = str(tmp_path / "answers.jsonl")
    record = Record(path, "x")
    with pytest.raises(InputError, match="in use by another run"):
        Record(path, "x")
    record.add("1", PuzzleVerdict("1"))
    record.close()
    assert Record(path, "x").verdict("1\n") == PuzzleVerdict("1")


@pytest.mark.thorough
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_keeps_what_was_judged(jobs: str, tmp_path: Path) -> None:
    file = write(tmp_path / "lines.txt", "\n".join(sudokus(3000, 1)))
    store = tmp_path / "answers.jsonl"
    words = ["unique", "sudoku", str(file), "--rows", "3", "--columns", "3", "--store", str(store), "--jobs", jobs]
    process = subprocess.Popen(
        [sys.executable, "-m", "solvers", *words], cwd=HERE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while not store.exists() or store.read_text().count("\n") < 5:
        time.sleep(0.05)
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    began = time.perf_counter()
    out, err = process.communicate(timeout=30)
    assert time.perf_counter() - began < on_this_load(5)
    assert process.returncode == 130
    assert "ended by Ctrl-C" in err
    assert err.count("\n") == 1
    judged = int(out.splitlines()[-1].split()[0].replace(",", ""))
    assert judged < 3000  # they are told in order, and kept as they come
    assert store.read_text().count("\n") - 1 >= judged


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["sudoku"], "name the puzzle and then the file, which has one in each line: unique sudoku FILE"),
        (["sudoku", "missing.txt"], "missing.txt"),
        (["sudoku", os.devnull], "is not a regular file"),
        (["sudoku", __file__, "--of", "size"], "sudoku has no parameter 'size'; it has rows, columns"),
        (["sudoku", __file__, "--json", "--csv", "-"], "--json prints nothing else"),
    ],
)
def test_mistakes_get_one_line(words: list[str], sentence: str) -> None:
    assert sentence in refusal("unique", *words)


@pytest.mark.thorough
def test_lines_of_several_sizes_are_judged(tmp_path: Path) -> None:
    lines = [SOLVED, LINE, "1...|..2.|.3..|...4", "1" * 16, "12"]
    assert [verdict.solutions for verdict in unique("sudoku", lines)] == ["1", "2+", "1", "0", ""]
    for how, answer in {"sdk": "2+", "HoDoKu": "2+", "solution beside it": "2+", "Python": "2+"}.items():
        file = str(write(tmp_path / "own.txt", AROUND[how]))
        assert f": {answer}\n1 puzzle" in run("solvers", "unique", "sudoku", file).stdout
    file = str(write(tmp_path / "own.txt", "\n\n".join([AROUND["HoDoKu"], AROUND["ss"]])))
    assert "2 puzzles: 0 with one solution, 2 with more" in run("solvers", "unique", "sudoku", file).stdout


@pytest.mark.parametrize(
    ("name", "text", "answer"),
    [
        ("slitherlink", "2../3.0/...", "1"),
        ("nonogram", "2/1 1 | 2/1/1", "1"),
        ("calcudoku", "AA/BB A=1- B=2x", "2+"),
        ("calcudoku", "3:b__ab_a,a7m3m12", "1"),
        ("dominosa", "dominosa:2:220101210120", "1"),
    ],
)
def test_a_puzzle_in_place_of_a_file(name: str, text: str, answer: str) -> None:
    words = ["unique", text] if ":" in text and text.startswith(name) else ["unique", name, text]
    assert run("solvers", *words).stdout.splitlines()[0] == f"line 1: {answer}"


def test_a_missing_file_is_no_puzzle() -> None:
    assert refusal("unique", "slitherlink", "missing.txt") == "there is no file missing.txt"


@pytest.mark.thorough
def test_grades(tmp_path: Path) -> None:
    """Puzzles with one solution have a level, in text, JSON, tables and stores; others have none."""
    lines = write(tmp_path / "lines.txt", f"{ONE}\n{TWO}\n")
    words = ("solvers", "unique", "sudoku", str(lines), "--grade")
    store = ("--store", str(tmp_path / "store"))
    for _ in range(2):
        shown = run(*words, *store).stdout.splitlines()
        assert shown[:2] == ["line 1: 1, easy (forced)", "line 2: 2+"]
    first, second = map(json.loads, run(*words, "--json").stdout.splitlines())
    assert first["grade"] == {"level": 1, "name": "easy", "looks": 0, "tightest": 0}
    assert "grade" not in second
    rows = [*csv.DictReader(run(*words, "--csv", "-").stdout.splitlines())]
    assert [row["level"] for row in rows] == ["1", ""]
    (verdict,) = unique("futoshiki", ["4:0,0,4,0,0,2,0,4L,0D,4,0,0,0,0U,0,0,"], grade=True)
    assert (verdict.grade is not None) == (verdict.solutions == "1")


def test_game_ids_of_sudokus_need_no_name() -> None:
    """Squares of 4 rows as IDs are judged as they are in plain text, and diagonals by brute force."""
    texts = [
        "1.....2..3.....4",
        "1234............",
        "11..............",
        "12..............",
        "1...............",
        "." * 16,
    ]
    expected = [verdict.solutions for verdict in unique("sudoku", texts)]
    ids = ["".join(f"_{sign}" if sign != "." else "a" for sign in text).strip("_") for text in texts]
    assert [verdict.solutions for verdict in unique("sudoku", [f"2x2dt:{cells}" for cells in ids])] == expected
    for text, verdict in zip(texts, unique("sudoku", [f"2x2x:{cells}" for cells in ids]), strict=True):
        number = sum(
            all(sign in (".", shown) for sign, shown in zip(text, square, strict=True))
            and len({*square[::5]}) == len({*square[3:13:3]}) == 4
            for square in squares()
        )
        assert verdict.solutions == (str(number) if number < 2 else "2+")


def test_killer_sudokus_in_lines(tmp_path: Path) -> None:
    """Cages that are found among the lines of a file have as many squares as by brute force."""
    lines = ["CCCG/CBBB/ADDF/AEDF A=5 B=9 C=10 D=8 E=1 F=6 G=1", "AABB/CCDD/EEFF/GGHH A=3 B=7 C=7 D=3 E=4 F=6 G=6 H=4"]
    file = write(tmp_path / "lines.txt", "\n".join([ONE, *lines]) + "\n")
    output = run("solvers", "unique", "sudoku", str(file), "--grade").stdout
    for number, line in enumerate(lines, 2):
        drawn, *sums = line.split()
        cells = {word[0]: [n for n, letter in enumerate(drawn.replace("/", "")) if letter == word[0]] for word in sums}
        count = 0
        for square in squares():
            inside = [[int(square[n]) for n in cells[word[0]]] for word in sums]
            is_right = all(sum(cage) == int(word[2:]) for cage, word in zip(inside, sums, strict=True))
            count += is_right and all(len({*cage}) == len(cage) for cage in inside)
        assert f"line {number}: {count if count < 2 else '2+'}" in output


def squares() -> list[str]:
    """All sudokus of 4 rows, by brute force."""
    rows = ["".join(row) for row in permutations("1234")]
    found = []
    for top in product(rows, repeat=2):
        if all(len({*(top[0] + top[1])[n : n + 2], *(top[0] + top[1])[n + 4 : n + 6]}) == 4 for n in (0, 2)):
            found.append("".join(top))
    halves = product(found, repeat=2)
    return [a + b for a, b in halves if all(len({*(a + b)[n::4]}) == 4 for n in range(4))]
