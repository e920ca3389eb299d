"""Surveys: which variants there are, a row for each, whatever becomes of it; rows that are remembered."""

import csv
import json
import os
import re
import signal
from collections.abc import Iterator
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models.dissection import dissection
from models.magic import magic
from models.puzzle import Puzzle
from solvers import InputError, solve
from solvers.base.options import Options
from solvers.extras.studies.survey import runs
from solvers.extras.studies.survey.functions import survey_variants
from solvers.extras.studies.survey.journal import Journal
from solvers.extras.studies.survey.rows import Survey
from solvers.extras.studies.survey.variant import Variant
from solvers.extras.studies.survey.variants import Row, columns, values_of
from solvers.files.catalogue import Parameter
from solvers.running.runner import Run
from tests.support.command import (
    complaint,
    ends_with_its_parent,
    printed,
    refusal,
    run,
    start,
    told,
    wait_for,
)
from tests.support.minizinc import needed
from tests.support.own_models import write
from tests.support.refusals import refused

QUESTIONS = "solvers"
SURVEY = "solvers.extras.studies.survey.__main__"
BOARDS = ["pentomino", "--subset", "yes", "--backend", "cover", "--jobs", "1", "--board", "3x5", "4x5", "3x6"]


def surveyed(*words: str) -> Any:
    """The rows that the command tells."""
    return json.loads(run(SURVEY, *words, "--json").stdout)


def test_values(tmp_path: Path) -> None:
    values = tmp_path / "values.txt"
    for text, kind, words, expected in (
        ("", int, ["3..5", "9", "-2..-1"], [3, 4, 5, 9, -2, -1]),
        ("", bool, ["yes", "no"], [True, False]),
        ("", str, ["1..8"], ["1..8"]),
        ("6x10\n\n5x12\n", str, [str(values), "3x20"], ["6x10", "5x12", "3x20"]),
        ("##\n#.\n\n###\n\n\n.#\n##\n", str, [str(values)], ["##\n#.", "###\n", ".#\n##"]),
        ("2..3\n7\n", int, [str(values)], [2, 3, 7]),
    ):
        values.write_text(text, encoding="utf-8")
        assert values_of(Parameter("p", kind, (), None, ""), words) == expected


@pytest.mark.parametrize(
    ("kind", "choices", "text"),
    [(int, (), "x"), (int, (), "5..3"), (bool, (), "true"), (str, ("a", "b"), "c"), (float, (), "x")],
)
def test_no_values(kind: type, choices: tuple[object, ...], text: str) -> None:
    with pytest.raises(InputError):
        values_of(Parameter("p", kind, choices, None, ""), [text])


@pytest.mark.thorough
def test_rows() -> None:
    rows = surveyed(*BOARDS)
    assert [row["parameters"]["board"] for row in rows] == ["3x5", "4x5", "3x6"]
    assert [(row["solutions"], row["total"]) for row in rows] == [(7, 28), (50, 200), (0, 0)]
    alone = told("pentomino", "--subset", "--board", "4x5", "--backend", "cover")
    assert rows[1]["command"].startswith("python -m solvers survey pentomino --subset yes")
    assert alone["command"].startswith("python -m solvers.run pentomino --subset")
    differs = dict.fromkeys(("command", "seconds", "memory", "cubes", "jobs", "progress", "statistics"))
    assert rows[1] | differs == alone | differs


@pytest.mark.thorough
def test_table_is_sorted_and_filtered(tmp_path: Path) -> None:
    words = ("--sort", "solutions", "--reverse", "--only", "solvable", "--plot", str(tmp_path / "plot.svg"))
    shown = printed(*BOARDS, *words, module=SURVEY)
    assert "<svg" in (tmp_path / "plot.svg").read_text(encoding="utf-8")
    assert [line.split()[0] for line in shown.splitlines()[2:4]] == ["4x5", "3x5"]
    assert re.findall(r"\d+ variants.*unsolvable", shown) == ["3 variants, 0 unique, 1 unsolvable"]


def test_a_failed_variant_is_a_row(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The others are printed, and a store keeps these only."""
    words = ["queens", "--n", "3..5", "--jobs", "1", "--store", str(tmp_path / "kept.db"), "--json"]

    class FailingRun(Run):
        def __iter__(self) -> Iterator[Any]:
            if self.report.parameters["n"] == 4:
                raise IndexError("beyond the end")
            yield from super().__iter__()

    monkeypatch.setattr(runs, "Run", FailingRun)
    done = run(SURVEY, *words)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "queens: 1 variant failed: n 4: this should never happen: IndexError: beyond the end" in done.stderr
    rows = json.loads(done.stdout)
    assert [row["total"] for row in rows] == [0, 0, 10]
    assert [row.get("refused") for row in rows] == [None, "this should never happen: IndexError: beyond the end", None]
    monkeypatch.undo()
    assert [row["total"] for row in json.loads(printed(*words, module=SURVEY))] == [0, 2, 10]


def test_limits() -> None:
    assert [row["solutions"] for row in surveyed(*BOARDS, "--limit", "3")] == [3, 3, 0]
    words = ("pentomino", "--board", "5x12", "--time-limit", "0.01", "--jobs", "1")
    assert "did not finish" in complaint(*words, module=SURVEY)


@pytest.mark.parametrize(
    "words",
    [
        ["pentomino", "--board"],
        ["pentomino", "--sort", "beauty", "--board", "3x20"],
        ["pentomino", "--only", "nice", "--board", "3x20"],
        ["pentomino", "--board", "3x20", "--plot", "x.txt"],
        ["pentomino", "--board", "3x20", "--json", "--csv", "-"],
        ["pentomino", "--subset", "perhaps"],
        ["magic", "--order", "1..9999999"],
        ["nothing"],
        [],
    ],
)
def test_bad_input(words: list[str]) -> None:
    refusal(*words, module=SURVEY)


@pytest.mark.thorough
def test_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    store = str(tmp_path / "survey.db")
    whole = surveyed(*BOARDS, "--store", store)
    lines = Path(store).read_text().splitlines(keepends=True)
    Path(store).write_text("".join(line for line in lines if "4x5" not in line[:200]))
    again = surveyed(*BOARDS, "--store", store)
    assert [again[0], again[2]] == [whole[0], whole[2]]
    assert (again[1]["total"], again[1]["seconds"] == whole[1]["seconds"]) == (200, False)
    assert "another puzzle" in refusal(*BOARDS, "--symmetry", "none", "--store", store, module=SURVEY)
    run_store = str(tmp_path / "run.db")
    printed("magic", "--store", run_store)
    printed(*BOARDS, "--store", run_store, module=SURVEY, code=2)
    printed("magic", "--store", store, code=2)


def _of_pieces(folder: Path) -> list[str]:
    """Paths of two designs for a board of 4x4, of which the second is harder."""
    designs = {"hard": "L x5\n#.\n##\n\nO\n#\n", "easy": "A x2\n####\n####\n", "none": "A x4\n##.\n.##\n"}
    for name, text in designs.items():
        (folder / f"{name}.pieces").write_text(text, encoding="utf-8")
    return [str(folder / f"{name}.pieces") for name in designs]


@pytest.mark.thorough
def test_designs_are_graded_and_sorted(tmp_path: Path) -> None:
    hard, easy, none = _of_pieces(tmp_path)
    words = ["packing", "--board", "4x4", "--jobs", "1", "--pieces", *(f"file:{path}" for path in (hard, none, easy))]
    shown = printed(*words, "--grade", module=SURVEY)
    lines = shown.splitlines()
    assert lines[0].split("unique")[1].split() == ["choices", "hardest", "false", "starts", "longest"]
    assert [line.split()[0] for line in lines[2:5]] == [easy, hard, none]
    assert lines[4].split()[-1] == "no"
    assert "Difficulty: by false starts, then longest, then choices, then hardest. The figures follow" in shown
    assert "1 variant without a grade: no solution" in shown
    graded = json.loads(
        run(QUESTIONS, "grade", "packing", "--board", "4x4", "--pieces", hard, "--json", "--steps").stdout
    )
    store = str(tmp_path / "survey.db")
    assert "grade" not in surveyed(*words, "--store", store)[0]
    for _ in range(2):  # the second time from the store
        rows = surveyed(*words, "--grade", "--store", store, "--reverse")
        assert rows[0]["grade"] == {"walk": graded["grade"]["walk"]}
        assert rows[2]["grade"] == {"walk": None, "ungraded": "no solution"}
    again = surveyed(*words, "--grade", "--store", store, "--sort", "hardest", "--reverse")
    assert all("--sort hardest" in row["command"] for row in again)
    assert [row | {"command": ""} for row in rows] == [row | {"command": ""} for row in again]
    assert "grade" not in surveyed(*words, "--store", store)[0]
    table = list(csv.DictReader(printed(*words, "--grade", "--csv", "-", "--store", store, module=SURVEY).splitlines()))
    assert [row["pieces"] for row in table] == [easy, hard, none]
    assert (table[2]["choices"], table[2]["ungraded"]) == ("", "no solution")
    assert table[1]["false_starts"] == str(graded["grade"]["walk"]["false_starts"])


def test_a_grade_that_took_too_long_is_kept_for_that_time(tmp_path: Path) -> None:
    late = {**ROW, "grade": {"walk": None, "ungraded": "the time limit"}}
    for seconds, grade, expected in ((5, True, {0: late}), (9, True, {}), (9, False, {0: ROW})):
        file = tmp_path / "survey.db"
        with closing(Journal(str(file), "pentomino", Options(time_limit=5))) as journal:
            journal.record([({"board": "3x20"}, late)])
        with closing(Journal(str(file), "pentomino", Options(time_limit=seconds))) as journal:
            assert journal.rows_by_place([{"board": "3x20"}], grade) == expected


def test_a_file_is_handed_over(tmp_path: Path) -> None:
    hard, *_ = _of_pieces(tmp_path)
    board = tmp_path / "own.board"
    board.write_text("####\n####\n####\n####\n", encoding="utf-8")
    words = ["packing", "--jobs", "1", "--pieces", f"file:{hard}", "--board", f"file:{board}", "4x4"]
    rows = surveyed(*words)
    assert [row["parameters"]["board"] for row in rows] == [str(board), "4x4"]
    assert rows[0]["total"] == rows[1]["total"] > 0
    assert "would overwrite" in refusal(*words, "--csv", hard, module=SURVEY)
    assert "there is no file none.pieces" in refusal(
        "packing", "--board", "4x4", "--pieces", "file:none.pieces", module=SURVEY
    )
    assert "add --grade" in refusal(*words, "--sort", "difficulty", module=SURVEY)
    advice = f"write file:{hard} to hand over the file itself"
    assert advice in complaint("packing", "--board", "4x4", "--pieces", hard, "--jobs", "1", module=SURVEY, code=2)
    assert advice in refusal("magic", "--kind", hard, module=SURVEY)
    define = Parameter("data", str, (), (), "", repeated=True)
    assert values_of(define, [f"file:{hard}"]) == [[hard]]


ROW = {"complete": True, "solutions": 2, "total": 8, "stopped_by": ""}


def kept(file: Path) -> dict[int, Row]:
    """What a survey of the board 3x20 knows from the file."""
    with closing(Journal(str(file), "pentomino", Options(time_limit=5))) as journal:
        return journal.rows_by_place([{"board": "3x20"}])


def test_a_damaged_survey_is_left_as_it_is(tmp_path: Path) -> None:
    """One byte of a row is changed, or of its seal."""
    file, spoiled = tmp_path / "survey.db", tmp_path / "spoiled.db"
    with closing(Journal(str(file), "pentomino", Options(time_limit=5))) as journal:
        journal.record([({"board": "3x20"}, ROW)])
    assert kept(file) == {0: ROW}
    whole, texts = file.read_bytes(), (b"total", b"3x20", b" [", b"solutions")
    for place, byte in product(map(whole.rindex, texts), (b"\xff", b"\n", b"#")):
        damaged = whole[:place] + byte + whole[place + 1 :]
        spoiled.write_bytes(damaged)
        with pytest.raises(InputError, match="is damaged; restore it from a copy, or choose another file"):
            kept(spoiled)
        assert spoiled.read_bytes() == damaged


def test_a_row_depends_on_the_content_of_files(tmp_path: Path) -> None:
    """A board that was drawn anew is another variant, and so are data and givens."""
    store, board, hint = (str(tmp_path / name) for name in ("survey.db", "own.board", "hint.txt"))
    words = ("packing", "--board", board, "--pieces", "dominoes x*", "--backend", "cover", "--jobs", "1")
    for drawing, total in (("##\n##\n", 2), ("###\n###\n", 3), ("##\n##\n", 2)):
        write(Path(board), drawing)
        assert [row["total"] for row in surveyed(*words, "--store", store)] == [total]
    write(Path(hint), "row 1 column 1 = I\n")
    store = str(tmp_path / "given.db")
    assert surveyed(*words, "--given", hint, "--store", store)[0]["total"] == 2
    write(Path(hint), "row 1 column 1 != I\n")
    assert "another puzzle" in refusal(*words, "--given", hint, "--store", store, module=SURVEY)


def test_data_that_changed_are_run_again(tmp_path: Path) -> None:
    needed()
    model, data = tmp_path / "permutations.mzn", tmp_path / "own.dzn"
    model.write_text(PERMUTATIONS, encoding="utf-8")
    for n, total in ((3, 6), (4, 24)):
        data.write_text(f"n = {n};\nm = 0;\n", encoding="utf-8")
        words = (str(model), "--data", str(data), "--jobs", "1", "--store", str(tmp_path / "survey.db"))
        assert [row["total"] for row in surveyed(*words)] == [total]


@pytest.mark.thorough
def test_goes_on_after_a_kill(tmp_path: Path) -> None:
    store = tmp_path / "survey.db"
    words = ["dissection", "--region", *(f"{n}x{m}" for n in range(2, 6) for m in range(2, 6) if n * m % 2 == 0)]
    process = start(
        "solvers.extras.studies.survey", *words, "--symmetry", "none", "--jobs", "2", "--store", str(store), "--json"
    )
    wait_for(lambda: store.exists() and store.stat().st_size > 8_000)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert [
        row["solutions"] for row in surveyed(*words, "--symmetry", "none", "--store", str(store), "--jobs", "1")
    ] == [solve(dissection(region=word), symmetry="none").solutions for word in words[2:]]


@pytest.mark.thorough
@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs signals")
def test_ends_when_told(tmp_path: Path) -> None:
    store = tmp_path / "survey.db"
    words = ["--board", "6x10", "5x12", "4x15", "--jobs", "2", "--backend", "sat", "--store", str(store)]
    process = start("solvers.extras.studies.survey", "pentomino", *words)
    wait_for(store.exists)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "ended by Ctrl-C" in err


@pytest.mark.thorough
def test_its_processes_end_with_it() -> None:
    words = ["pentomino", "--board", "3x4x5", "5x12", "--backend", "cp-sat", "--jobs", "2"]
    assert ends_with_its_parent(start("solvers.extras.studies.survey", *words))


def test_own_function() -> None:
    def one(sum: int = 12) -> Puzzle:
        return magic("ring", sum=sum)

    survey = survey_variants(one, {"sum": range(11, 17)})
    assert [row.solutions for row in survey] == [0, 1, 2, 2, 1, 0]
    assert [row.arguments["sum"] for row in survey.only("unique")] == [12, 15]
    assert [row.arguments["sum"] for row in survey.sorted("solutions", reverse=True)[:2]] == [13, 14]
    assert "<table" in survey._repr_html_()
    assert survey.plot()._repr_png_().startswith(b"\x89PNG")
    frame = survey.to_frame()
    assert (frame["sum"].tolist(), frame["solutions"].sum()) == ([11, 12, 13, 14, 15, 16], 6)
    assert repr(survey[1]) == "sum 12: 1 up to symmetry, 8 in all"
    with pytest.raises(InputError):
        survey.only("nice")
    with pytest.raises(InputError):
        survey_variants(one, {"sum": [1]}, store="x.db")


def test_a_plot_names_what_it_shows() -> None:
    """Variants by their names, however many; solutions in whole numbers."""
    report = {"solutions": 1, "total": 2, "complete": True, "stopped_by": "", "seconds": {"all": 0.1}}
    rows = [Variant({"board": f"3x{n}", "flip": True}, report) for n in range(1, 46)]
    (axes,) = Survey("packing", ["board", "flip"], rows).plot().axes
    assert [label.get_text() for label in axes.get_yticklabels()] == [f"3x{n} True" for n in range(1, 46)]
    assert axes.get_xlabel() == "solutions up to symmetry"
    assert all(float(tick).is_integer() for tick in axes.get_xticks())


@pytest.mark.thorough
def test_a_survey_takes_the_values_of_an_option_at_once() -> None:
    words = ["packing", "--board", "2x3", "--pieces", "dominoes x*", "--holes", "2"]
    assert "--holes is given twice; write all its values" in refusal(*words, "--holes", "0", module=SURVEY)
    assert [row["parameters"]["holes"] for row in surveyed(*words, "0..2")] == [2, 0, 1]


PERMUTATIONS = """include "alldifferent.mzn";
int: n; int: m; array[1..n] of var 1..n: p; constraint alldifferent(p); solve satisfy;"""

QUEENS = ["queens", "--symmetry", "none", "--jobs", "1", "--quiet"]


def test_names_and_values_in_texts() -> None:
    define = Parameter("define", str, (), (), "", repeated=True)
    for texts, expected in (
        (["n=2..4"], [["n=2"], ["n=3"], ["n=4"]]),
        (["n=2", "n=5..6", "m=1"], [["n=2", "m=1"], ["n=5", "m=1"], ["n=6", "m=1"]]),
        (["--size", "2..3"], [["--size", "2"], ["--size", "3"]]),
        (["--size=-1..0", "x"], [["--size=-1", "x"], ["--size=0", "x"]]),
        (["set=2 .. 4", "q[*", "q[*"], [["set=2 .. 4", "q[*", "q[*"]]),
    ):
        assert values_of(define, texts) == expected
    for texts in (["n=4..2"], ["n=1..9999999"], ["n=1..1001", "m=1..1000"]):
        with pytest.raises(InputError, match="--define"):
            values_of(define, texts)


def test_columns_of_what_varies() -> None:
    for every, expected in (
        ([["n=3", "m=1"], ["n=4", "m=1"]], {"n": [3, 4]}),
        ([["--size", "3"], ["--size", "4"]], {"size": [3, 4]}),
        ([["x", "a"], ["x", "b"]], {"define 2": ["a", "b"]}),
        ([["n=3"], ["n=3", "m=1"]], {"define": [["n=3"], ["n=3", "m=1"]]}),
        ([["n=3"]], {"define": [["n=3"]]}),
    ):
        names, values = columns(["define"], [{"define": texts} for texts in every])
        assert (names, values) == ([*expected], [{n: v[i] for n, v in expected.items()} for i in range(len(every))])
    assert columns([], [{}]) == ([], [{}])


@pytest.mark.parametrize(
    ("sizes", "expected", "code", "said"),
    [
        pytest.param("1..5", "1,0,0,2,10", 0, "5 terms expected and found", marks=pytest.mark.thorough),
        ("1..5", "1, 0 0", 0, "no term is given for n = 4 and 1 more"),
        ("1..3", "1,0,0,2,10", 0, "no row is there for the last 2 terms given"),
        ("3..5", "0,3,10", 4, "n = 4: 3 is expected, 2 found"),
        ("3..5", "1,3,10", 4, "n = 3: 1 is expected, 0 found; in all, 2 terms differ"),
        ("4..5", "2,-10", 4, "n = 5: -10 is expected, 10 found"),
    ],
)
def test_terms_that_are_expected(sizes: str, expected: str, code: int, said: str) -> None:
    done = run(SURVEY, *QUEENS, "--n", sizes, "--expect", expected)
    assert done.returncode == code
    assert said in (done.stderr if code else done.stdout)


def test_terms_that_are_not_known() -> None:
    """A lower bound is no term; it differs only from a term that is less."""
    cut = [*QUEENS, "--n", "4..6", "--limit", "3"]
    done = run(SURVEY, *cut, "--expect", "2,10,4", "--b-file", "-")
    assert (done.returncode, done.stdout) == (3, "4 2\n")
    assert "n = 5, which is not known (ended by the limit); 10 is expected" in done.stderr
    assert "n = 5: 2 is expected, at least 3 found" in run(SURVEY, *cut, "--expect", "2,2").stderr
    assert "101 is not a possible size" in complaint(
        *QUEENS, "--n", "4", "101", "--expect", "2,0", module=SURVEY, code=3
    )


@pytest.mark.thorough
def test_terms_in_a_file(tmp_path: Path) -> None:
    file, written = tmp_path / "known.txt", tmp_path / "counts.txt"
    file.write_text("# queens\n3 0\n\n4 2 # two\n5 10\n9 352\n", encoding="utf-8")
    assert "3 terms expected" in printed(
        *QUEENS, "--n", "3..5", "--expect", str(file), "--b-file", str(written), module=SURVEY
    )
    assert written.read_text(encoding="utf-8") == "3 0\n4 2\n5 10\n"
    overwriting = ("--n", "3..5", "--expect", str(file), "--b-file", str(file))
    assert "would overwrite" in refusal(*QUEENS, *overwriting, module=SURVEY)
    for text, said in (("3 0\nx\n", "line 2"), ("3 0\n3 1\n", "line 2"), ("#\n", "no term")):
        file.write_text(text, encoding="utf-8")
        assert said in refusal(*QUEENS, "--n", "3..5", "--expect", str(file), module=SURVEY)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["queens", "--n", "3..4", "--expect", "one"], "neither a term nor a b-file"),
        (["queens", "--n", "3..4", "--expect", ""], "neither a term nor a b-file"),
        (["queens", "--n", "3", "5", "--b-file", "-"], "n = 4 is missing"),
        (["magic", "--kind", "ring", "blocks", "--b-file", "-"], "needs one parameter that takes whole numbers"),
        (["queens", "--n", "3..4", "--b-file", "-", "--json"], "name a file for --b-file"),
        (["queens", "--n", "3..4", "--b-file", "-", "--csv", "-"], "name a file for --b-file"),
    ],
)
def test_bad_terms(words: list[str], said: str) -> None:
    assert said in refusal(*words, module=SURVEY)


def test_terms_in_a_program() -> None:
    survey = survey_variants("queens", {"n": range(4, 7)}, jobs=1)
    assert survey.b_file() == "4 2\n5 10\n6 4\n"
    assert survey.b_file("solutions") == "4 1\n5 2\n6 1\n"
    assert survey.expect([2, 10, 4]).agrees
    assert survey.expect({5: 2, 7: 40}, "solutions").agrees
    assert survey.expect({7: 40}).agrees is None
    assert str(survey.expect([2, 9])).startswith("n = 5: 9 is expected, 10 found")
    with pytest.raises(InputError):
        survey.b_file("beauty")


def test_a_model_of_cpmpy_has_no_parameters() -> None:
    cpmpy = pytest.importorskip("cpmpy")
    model = cpmpy.Model(cpmpy.boolvar() | cpmpy.boolvar())
    refused("no parameter 'size'", survey_variants, model, {"size": 3})


def test_survey_has_levels() -> None:
    """Its columns are those of separate runs; a frame that keeps its piece comes last."""
    frame = "A\n#####\n#...#\n#...#\n#...#\n#####\n\nB\n###\n#.#\n###\n\nC\n#\n"
    asked = {"board": ["5x5"], "pieces": [frame, "1x5 x5"]}
    survey = survey_variants("packing", asked, apart=True, jobs=1)
    assert [(row.apart, row.level) for row in survey] == [(0, ""), (1, "1")]
    assert [row.level for row in survey.sorted("level", reverse=True)] == ["1", ""]
    assert "come apart" in str(survey)
    assert "apart,level," in survey.as_csv()
    refused("add apart=True", lambda: survey_variants("packing", asked, jobs=1).sorted("level"))


def test_options_vary_like_parameters(tmp_path: Path) -> None:
    words = ["queens", "--n", "4..5", "--backend", "cp,cp-sat", "--symmetry", "none,declared", "--seed", "1..2"]
    store = ["--store", str(tmp_path / "kept.db")]
    shown = printed(*words, *store, "--jobs", "1", "--csv", "-", module=SURVEY)
    rows = list(csv.DictReader(shown.splitlines()))
    assert list(rows[0])[:4] == ["n", "backend", "symmetry", "seed"]
    counts = {("4", "none"): "2", ("4", "declared"): "1", ("5", "none"): "10", ("5", "declared"): "2"}
    assert len(rows) == 16
    assert all(row["solutions"] == counts[row["n"], row["symmetry"]] for row in rows)
    assert all(bool(row["statistics.failures"]) == (row["backend"] == "cp") for row in rows)
    assert printed(*words, *store, "--jobs", "1", "--csv", "-", module=SURVEY) == shown  # all from the store
    for wrong in (["--seed", "1..x"], ["--backend", "cp,none"], ["--symmetry", "none,some"], ["--jobs", "0"]):
        refusal("queens", *wrong, module=SURVEY)


@pytest.mark.thorough
def test_methods_of_a_survey_are_plotted() -> None:
    survey = survey_variants("queens", {"n": range(4, 6)}, backend=["cp", "cp-sat"], seed=[1, 2], jobs=1)
    assert len(survey) == 8
    assert survey.to_frame()["statistics.failures"].notna().sum() == 4
    growth = survey.plot("growth").axes[0]
    assert growth.get_legend_handles_labels()[1] == ["cp", "cp-sat"]
    assert growth.get_xlabel() == "n"
    assert [len(np.asarray(line.get_xydata())) for line in survey.plot("cactus").axes[0].lines] == [4, 4]
    with pytest.raises(InputError, match="one parameter of numbers"):
        survey_variants("magic", {"kind": ["blocks", "ring"]}, jobs=1).plot("growth")
    assert [row.report["jobs"] for row in survey_variants("queens", {"n": [4]}, jobs=[1, 2])] == [1, 1]


DOMINOES = ["packing", "--pieces", "dominoes x*", "--jobs", "1", "--board", "{n}x{k}"]


def tilings(rows: int, columns: int) -> int:
    """The ways to cover a board with dominoes, by the first cell that is free."""

    def ways(free: frozenset[tuple[int, int]]) -> int:
        if not free:
            return 1
        row, column = min(free)
        others = {(row, column + 1), (row + 1, column)} & free
        return sum(ways(free - {(row, column), other}) for other in others)

    return ways(frozenset((row, column) for row in range(rows) for column in range(columns)))


@pytest.mark.parametrize(
    ("read", "cells"),
    [
        ("rows", [(n, k) for n in (2, 3) for k in (1, 2, 3)]),
        ("antidiagonals", [(2, 1), (2, 2), (3, 1)]),
        ("ascending-antidiagonals", [(2, 1), (3, 1), (2, 2)]),
    ],
)
def test_tables_are_read_as_sequences(read: str, cells: list[tuple[int, int]], tmp_path: Path) -> None:
    terms, file = [tilings(n, k) for n, k in cells], tmp_path / "b.txt"
    sequence = ("--n", "2..3", "--k", "1..3", "--read", read)
    data = ", ".join(map(str, terms))
    done = run(SURVEY, *DOMINOES, *sequence, "--expect", data, "--b-file", str(file))
    assert (done.returncode, done.stderr) == (0, "")
    assert f"\n\n{data}\n{len(terms)} terms expected" in done.stdout
    assert file.read_text() == "".join(f"{index} {term}\n" for index, term in enumerate(terms, 2))
    assert run(SURVEY, *DOMINOES, *sequence, "--expect", str(file)).returncode == 0
    file.write_text(f"2 {terms[0] + 1}\n")
    wrong = run(SURVEY, *DOMINOES, *sequence, "--expect", str(file))
    assert wrong.returncode == 4
    assert f"n = 2, k = 1: {terms[0] + 1} is expected, {terms[0]} found" in wrong.stderr


def test_a_triangle_and_a_square() -> None:
    values = {"board": "{n}x{k}", "pieces": "dominoes x*", "n": range(1, 5), "k": "1..n"}
    triangle = survey_variants("packing", values, jobs=1)
    assert [(row.arguments["n"], row.arguments["k"]) for row in triangle][:4] == [(1, 1), (2, 1), (2, 2), (3, 1)]
    assert triangle.data(read="rows") == ", ".join(str(tilings(n, k)) for n in range(1, 5) for k in range(1, n + 1))
    assert triangle.expect({3: 2, 4: 9}, read="rows").agrees is False
    with pytest.raises(InputError, match="has one antidiagonal only"):
        triangle.data(read="antidiagonals")
    squares = survey_variants("packing", {"board": "{n}x{n}", "pieces": "dominoes x*", "n": [2, 4]}, jobs=1)
    assert squares.varied == ["n"]
    assert [row.total for row in squares] == [tilings(2, 2), tilings(4, 4)]


@pytest.mark.thorough
def test_only_refusals_that_prove_it_are_zero() -> None:
    done = run(SURVEY, "packing", "--pieces", "{p}", "--p", "dominoes x*", "monomino x0-0", "--board", "3x3", "--json")
    assert [(row["complete"], row["solutions"]) for row in json.loads(done.stdout)] == [(True, 0), (False, 0)]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            [*DOMINOES, "--n", "1..2", "--k", "1..m"],
            "k: 1..m ends at m, which has no whole number yet; give --m before",
        ),
        ([*DOMINOES, "--n", "1..2"], "{n}x{k}: {k} stands for numbers; give them with --k"),
        ([*DOMINOES, "--n", "1..2", "--k", "1", "3", "--read", "rows"], "n = 1, k = 2 is missing"),
        ([*DOMINOES, "--n", "1..2", "--k", "1..2", "--b-file", "-"], "or two with --read rows; here vary: n, k"),
        (["queens", "--n", "1..2", "--read", "rows"], "needs two parameters that take whole numbers"),
        (["queens", "--n", "3..2"], "the range 3..2 is empty"),
    ],
)
def test_bad_tables(words: list[str], said: str) -> None:
    assert said in refusal(*words, module=SURVEY)
