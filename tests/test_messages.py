"""What people are told: a sentence that helps, for mistakes that people who are new here make."""

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import Mock

import pytest

from models.packing import packing
from models.pentomino import pentomino
from solvers import InputError, solve
from solvers.cubes.account import MIN_STEPS_TO_FORECAST, Account
from solvers.cubes.cube import Found
from solvers.cubes.store import UNENDED, StoreFile, read
from solvers.files.catalogue import find
from solvers.show.report import Report
from solvers.terminal.progress import Pace, ProgressLine
from tests.support.command import RUN, python, refusal, run, run_apart, wait_for
from tests.support.own_models import OWN, write
from tests.support.refusals import refused_by_both


@pytest.mark.parametrize(
    ("flaw", "sentence"),
    [
        ("key", "{file}, line 11: KeyError: 7"),
        ("value", "{file}, line 13: ValueError: invalid literal for int() with base 10: 'value'"),
        ("refused", "{file}: this is not to be had"),
        ("checking", "{file}, line 24: IndexError: list index out of range"),
        ("check", "the check or the model of {file} is wrong: {{2: 1}} solves the model, but violates is_solution"),
        (
            "symmetry",
            "symmetry 1 (mirror) of {file} is wrong: it carries solutions to {{1: 1, 2: 1}}, which violates linear 0",
        ),
    ],
)
def test_what_is_wrong_with_ones_own_file(flaw: str, sentence: str, own: Path) -> None:
    assert refusal(str(own), "--flaw", flaw) == sentence.format(file=own)


def test_a_place_in_a_file_that_is_named_from_where_one_stands(own: Path) -> None:
    near = Path(*[".."] * len(Path(__file__).parents), *own.parts[1:])
    assert refusal(str(near), "--flaw", "key") == f"{near}, line 11: KeyError: 7"


def test_defaults_that_are_constants(own: Path) -> None:
    done = run(RUN, str(own), "--help")
    assert "--clues CLUES  (default: 12.)" in done.stdout
    assert "--far FAR      (default: -3)" in done.stdout
    assert "  clues                       12." in run(RUN, str(own)).stdout


@pytest.mark.parametrize(
    "change", ["CLUES = input()", "from os import name as CLUES", "def CLUES(): pass", "del CLUES"]
)
def test_defaults_that_are_no_constants(change: str, own: Path) -> None:
    write(own, OWN.replace("FAR = -SIZE", f"{change}\nFAR = 0"))
    assert "a default or a choice of own must be a plain value" in refusal(str(own), "--help")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["magic", "--dtum", "3"], "unrecognized arguments: --dtum 3"),
        (["magic", "--backend", "sat:foo"], "there is no SAT solver 'foo'; see python -m solvers.run --list-backends"),
        (["models"], "models is a folder; name a puzzle (see python -m solvers.run --list) or a file"),
        (["mgc"], "there is no puzzle 'mgc'; did you mean magic?"),
        (["tetris"], "there is no puzzle 'tetris'; see python -m solvers.run --list"),
        (["queens", "8"], "unrecognized arguments: 8; parameters have names, such as --n 8"),
        (["sudoku", "00001"], "unrecognized arguments: 00001; parameters have names, such as --puzzle 00001"),
        (["sudoku", "--puzzle", "5" + "." * 15], "sudoku: no sudoku was found: 5 in a square of 4 rows"),
        (["solve", "queens"], "there is no command 'solve'; python -m solvers run queens counts its solutions"),
    ],
)
def test_names_that_are_not_near_and_options(words: list[str], sentence: str) -> None:
    assert refusal(*words) == sentence


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("import os\n\nimport nosuch\n", ", line 3: ModuleNotFoundError: No module named 'nosuch'"),
        ("def f():\n    pass\nfrom models.puzle import Puzzle\n", ", line 3: ModuleNotFoundError: No module named"),
        ("from models.puzzle import Puzle\n", ", line 1: ImportError: cannot import name 'Puzle'"),
        ("def f() -> Puzzle: 1\ndef g() -> Puzzle: 1\n", " declares f, g; name one of them, such as "),
    ],
)
def test_a_file_that_declares_no_puzzle(text: str, sentence: str, tmp_path: Path) -> None:
    file = write(tmp_path / "a-b.py", text)
    assert refusal(str(file)).startswith(f"{file}{sentence}")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["magic", "--solutions", "s.txt", "--solutions=s.jsonl"], "--solutions is given twice; leave one of them out"),
        (["pentomino", "--board", "6x10", "--board", "6x10"], "--board is given twice; leave one of them out"),
        (["magic", "--unique", "--sample", "3"], "--sample is about all solutions, and --unique stops"),
    ],
)
def test_options_that_would_be_ignored(words: list[str], sentence: str) -> None:
    assert refusal(*words).startswith(sentence)


def test_options_that_may_be_repeated() -> None:
    assert run(RUN, "magic", "--given", "0 0=2", "--given", "0 1=7", "--quiet", "--quiet").returncode == 0


@pytest.mark.thorough
def test_a_store_says_that_a_run_was_killed(tmp_path: Path) -> None:
    file = str(tmp_path / "run.db")
    assert run(RUN, "magic", "--kind", "square", "--store", file).returncode == 0
    assert "killed" not in run(RUN, "store", file).stdout
    store = StoreFile(file, dict(read(file).identity), "sat", 1)
    store._file.close()  # as a kill does
    assert run(RUN, "store", file).stdout.count(UNENDED) == 1


def formula_with(path: Path, *lines: str) -> str:
    return str(write(path, "\n".join([*lines, "p cnf 4 3", "1 2 0", "-1 3 0", "-2 4 0", ""])))


@pytest.mark.parametrize(
    ("lines", "total"),
    [([], 5), (["c ind 1 0"], 2), (["c ind 1 0", "c ind 3 2 0"], 4), (["c ind 1 3 0", "c p show 3 1 0"], 3)],
)
def test_a_formula_is_counted_on_independent_variables(lines: list[str], total: int, tmp_path: Path) -> None:
    done = run(RUN, formula_with(tmp_path / "f.cnf", *lines))
    assert "model                         4 variables, 3 clauses\n" in done.stdout
    assert f"solutions in all              {total}\n" in done.stdout


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (["c ind 1 0", "c p show 1 2 0"], "c ind and c p show name different variables; leave one of them out"),
        (["c ind 5 0"], "c ind names variable 5; the header has 4"),
        (["c ind 1"], "line 1 has to list variables and end with 0"),
    ],
)
def test_independent_variables_that_are_none(lines: list[str], sentence: str, tmp_path: Path) -> None:
    assert refusal(formula_with(tmp_path / "f.cnf", *lines)) == f"{tmp_path / 'f.cnf'}: {sentence}"


def test_nothing_is_drawn_where_nothing_is_asked_for() -> None:
    drawn, undrawn = run(RUN, "magic", "--draw", "1"), run(RUN, "magic", "--draw", "0")
    assert "┌" in drawn.stdout
    assert "┌" not in undrawn.stdout
    assert undrawn.stdout.rstrip().splitlines()[-1].startswith("seconds, output")
    assert "'-1' is not a whole number" in refusal("magic", "--draw", "-1")


def test_one_is_one(formula: Path) -> None:
    assert repr(solve("magic")).startswith("<magic: 1 solution up to symmetry, 8 in all")
    assert "model                         2 variables, 1 clause\n" in run(RUN, str(formula)).stdout


def test_the_share_that_was_searched_is_at_most_one() -> None:
    account = Account()
    for _ in range(10):
        account.add(Found([], Fraction(1, 9)), 1.0)
    assert account.progress == 1
    assert solve(pentomino(board="5x3", subset=True), backend="sat").report.progress == 1


def test_a_board_that_no_set_of_pieces_covers() -> None:
    sentence = "no set of the pieces covers 27 cells; the nearest cover 25 and 30\n"
    assert run(RUN, "pentomino", "--board", "3x9", "--subset", "--backend", "cover").stdout.endswith(f"\n{sentence}")
    assert pentomino("1x4", square=True, subset=True).remarks.unsolved == ""
    assert pentomino("1x6", square=True, subset=True).remarks.unsolved.endswith(
        "covers 6 cells; the nearest cover 5 and 9"
    )


def test_progress_goes_on_within_a_long_cube() -> None:
    """Four cubes of 1 s each, then one that takes long: it counts ever more, but never as done."""
    clock = Mock(return_value=0.0)
    pace = Pace(clock)
    shares = []
    for elapsed, cubes in ((1, 1), (2, 2), (3, 3), (4, 4), (5, 4), (8, 4), (400, 4)):
        clock.return_value = elapsed
        shares.append(pace.share(Report("own", progress=cubes / 10, cubes=cubes)))
    assert shares[:4] == [0.1, 0.2, 0.3, 0.4]
    assert shares[4] == pytest.approx(0.45)
    assert 0.45 < shares[5] < shares[6] < 0.5
    rare = Report(
        "own", progress=1e-6, model={"variables": 1}, statistics={"restarts": 7, "conflicts": 12345, "decisions": 99}
    )
    # a millionth of the space says nothing of the rest
    assert Pace(clock).state(rare) == "0 solutions up to symmetry, 12345 conflicts, 0 s"


def test_what_earlier_runs_searched_is_not_taken_to_go_on() -> None:
    clock = Mock(return_value=1.0)
    pace = Pace(clock)
    report = Report("own", progress=0.5, resumed={"sat": 50})
    assert pace.share(report) == 0.5
    clock.return_value = 100.0
    assert pace.share(report) == 0.5


def test_a_part_of_the_space_is_never_said_to_be_the_whole(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """In the progress line, in the report, and at the end of a run; times left are a range."""
    seconds = {**Report().seconds, "left": 170.0, "left_low": 100.0, "left_high": 290.0}
    stopped = Report("own", progress=0.99999, model={"variables": 1}, stopped_by="Ctrl-C", seconds=seconds)
    assert ("  searched", "99.9% of the space, 1 to 5 min left") in stopped.rows()
    assert not [name for name, _ in stopped.rows() if "left" in name]
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    line = ProgressLine(quiet=False)
    line.show_progress = lambda text: print(text())  # type: ignore[method-assign]
    line.show(Mock(report=stopped))
    words = capsys.readouterr().out
    assert words.startswith(f"own [{'#' * 29}.] 99.9%, 0 solutions up to symmetry, 0 s (1 to 5 min left)")
    assert "  searched" not in str(replace(stopped, complete=True, progress=1.0))


def test_shares_of_the_space_tell_how_long_the_rest_takes() -> None:
    """What earlier runs searched took no time."""
    account = Account()
    account.add(Found([], Fraction(1, 2), 50, resumed="sat"), 1.0)
    for number in range(1, 9):
        account.add(Found([], Fraction(1, 32), 5), 1.0 + number)
        assert (account.seconds_left is None) == (number < MIN_STEPS_TO_FORECAST + 1)
    assert account.seconds_left == 8
    assert account.left_range == {"left_low": 8, "left_high": 8}
    assert Report(seconds=account.left_range).time_left(3) == "5 to 11 s"


def test_cubes_in_no_order_tell_how_long_the_others_take() -> None:
    """A slow start, then handfuls of different lengths; the last of them ends after 30 s."""
    account, clock, chance, within = Account(), 0.0, Random(1), list[bool]()
    seconds = [4.0, *(0.26 * chance.choice([0.4, 0.8, 1.8]) for _ in range(100))]
    for number, each in enumerate(seconds, 1):
        clock += each
        account.add(Found([], Fraction(), 2, done=2, open=2 * (len(seconds) - number)), clock)
        left = sum(seconds) - clock
        if clock > sum(seconds) / 4 and left > 1:
            assert account.seconds_left is not None
            assert left / 1.5 < account.seconds_left < 1.5 * left
            low, high = (account.left_range[end] or 0 for end in ("left_low", "left_high"))
            within.append(low <= left <= high)
    assert sum(within) > 0.9 * len(within) > 0


@pytest.mark.thorough
def test_a_store_tells_how_many_cubes_are_left(tmp_path: Path) -> None:
    words = [RUN, "pentomino", "--board", "5x5", "--subset", "--store", str(tmp_path / "run.db"), "--backend"]
    run(*words, "sat", "--limit", "2", "--jobs=1")
    searched, cubes, _ = told_of_cubes(words[-2])
    assert 0 < searched < cubes
    run(*words, "cover")
    done, of, share = told_of_cubes(words[-2])
    assert done == of >= cubes
    assert share == 100


def told_of_cubes(store: str) -> list[float]:
    """How many were searched, of how many, and the per cent that they are, once the run has let go of the store."""
    wait_for(lambda: run(RUN, "store", store).returncode == 0)
    unseparated = run(RUN, "store", store).stdout.replace(",", "")
    (told,) = re.findall(r"searched +(\d+) of (\d+) cubes +([\d.]+)%", unseparated)
    return [*map(float, told)]


def test_options_are_named_in_the_words_of_who_gave_them() -> None:
    refused_by_both(
        {"unique": True, "limit": 1},
        "unique=True ends at the second solution and shows it; leave out limit=...",
        "--unique ends at the second solution and shows it; leave out --limit",
    )


def test_no_message_of_the_library_names_an_option_of_a_command(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"No such file or directory; choose another file$"):
        solve("magic").save(tmp_path / "nowhere" / "all.csv")
    with pytest.raises(InputError, match=r"choose auto, .*\(see python -m solvers.run --list-backends\)$"):
        solve("magic", backend="nosuch")


WIDE = """
from ortools.sat.python.cp_model import CpModel
from models.puzzle import Puzzle

def wide(n: int = 3) -> Puzzle:
    "Declare a symmetry of a key with too many literals."
    model = CpModel()
    numbers = [model.new_int_var(0, 10**7 * n, f"x{i}") for i in range(n)]
    return Puzzle("wide", {"n": n}, model, dict(enumerate(numbers)), [lambda i, v: ({0: 1, 1: 0}.get(i, i), v)])
"""


@pytest.mark.thorough
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_workers_of_a_command_have_its_words(jobs: str, tmp_path: Path) -> None:
    file = write(tmp_path / "wide.py", WIDE)
    done = run_apart("solvers", "survey", str(file), "--n", "3", "4", "--jobs", jobs)
    assert done.stdout.count("with --symmetry none, or use smaller domains") == 2
    with pytest.raises(InputError, match="with symmetry='none', or use smaller domains"):
        solve(file)


@pytest.mark.parametrize(
    ("words", "arguments", "advice"),
    [
        (["--no-flip"], {"flip": False}, ("leave out --no-flip", "leave out flip=False")),
        (["--board", "hexagon-2"], {"board": "hexagon-2"}, ("add --grid hex or --grid", "add grid='hex' or grid=")),
    ],
)
def test_parameters_are_named_as_they_are_given(words: list[str], arguments: Any, advice: tuple[str, str]) -> None:
    assert advice[0] in refusal("packing", *words)
    for declare in (packing, find("packing").declare):
        with pytest.raises(ValueError, match=advice[1]) as caught:
            declare(**arguments)
        assert "--" not in str(caught.value)


CELLS = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_cell("from solvers import solve, CheckError")
print("first")
shell.run_cell("solve('magic', unique=True, limit=1)")
print("second")
shell.run_cell("from models.packing import packing")
shell.run_cell("packing(flip=False)")
print("third")
shell.run_cell("raise CheckError('wrong')")
"""


@pytest.mark.thorough
def test_an_error_in_ipython_is_one_sentence() -> None:
    shown = re.sub(r"\x1b\[[0-9;]*m", "", python(CELLS).stdout)
    sentence, of_puzzle, ours = re.split("second\n|third\n", shown.partition("first\n")[2])
    box = "3x3x3 is a box, where every flat piece can be turned over; leave out flip=False"
    assert of_puzzle == f"ParameterError: {box}\n"
    assert sentence == "InputError: unique=True ends at the second solution and shows it; leave out limit=...\n"
    assert "Traceback" in ours
