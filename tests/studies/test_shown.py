"""Results stay pictures, and what the commands do the library does, too."""

import importlib
import json
import pkgutil
from pathlib import Path
from typing import Any

import pytest
from IPython.lib import pretty as printing

import solvers
from models.boards import grid
from models.magic import magic
from models.pentomino import pentomino
from solvers import (
    CheckError,
    InputError,
    Result,
    Solutions,
    compare_backends,
    export,
    last_interrupted,
    solve,
)
from solvers.extras.pictures.svg import Picture
from solvers.extras.studies.compare.trials import terms
from solvers.running.runner import Run
from tests.support.backends import GENERAL
from tests.support.command import run


def pretty(shown: object) -> str:
    """What IPython shows as text."""
    printed: Any = printing
    return str(printed.pretty(shown))


@pytest.fixture(scope="module")
def rings() -> Result:
    return solve(magic(kind="ring"), marginals=True, sample=3)


@pytest.mark.thorough
def test_parts_of_a_result_are_pictures(rings: Result) -> None:
    for part in (rings[:3], rings[:3][1:], rings.where(lambda _: True), rings.samples, Solutions(reversed(rings))):
        assert isinstance(part, Solutions)
        assert part._repr_html_().count("<svg") == len(part)
        assert str(part).startswith("1 ")
        assert str(part).count("sum") == len(part) == pretty(part).count("sum")
    assert rings[:3] == [rings[0], rings[1], rings[2]]
    assert pretty([rings[0]]).count("┌") == 1
    many = Solutions([rings[0]] * 14)
    assert str(many).endswith("\n\nand 2 more")
    assert many._repr_html_().endswith("<p>and 2 more</p>")
    assert (str(Solutions()), "<svg" in Solutions()._repr_html_()) == ("", False)


def test_where(rings: Result) -> None:
    assert rings.where(((0, 0), 1)) == [ring for ring in rings if ring[0, 0] == 1]
    assert rings[:].where(((0, 0), 99)) == []
    with pytest.raises(InputError, match="magic has no label 'x'"):
        rings.where(("x", 1))


def test_drawings_are_pictures() -> None:
    board = Picture(grid.board(1, 2, {(0, 0): "Q"}))
    assert str(board) == repr(board) == "┌───┬───┐\n│ Q │   │\n└───┴───┘"
    assert board._repr_html_().startswith("<svg")


def test_names_are_functions_whatever_is_imported() -> None:
    for module in pkgutil.walk_packages(solvers.__path__, "solvers."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for name in solvers.__all__:
        assert callable(getattr(solvers, name)), name  # a module is not
        assert name in dir(solvers)


def test_a_report_has_what_the_json_has(rings: Result) -> None:
    told = json.loads(rings.report.as_json())
    assert {key: rings.report[key] for key in told} == told
    with pytest.raises(KeyError):
        rings.report["nothing"]


def test_backends_are_compared(rings: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    compared = compare_backends(magic(kind="ring"))
    assert [row["backend"].partition(":")[0] for row in compared.rows] == GENERAL
    assert [terms(row)[0].split()[1] for row in compared.rows][:3] == ["conflicts,", "branches,", "restarts,"]
    assert "2 independent searches" in str(compared)
    assert "2 independent searches" in compared._repr_html_()
    with pytest.raises(InputError, match="not an exact cover"):
        compare_backends("magic", ["cover"])
    with pytest.raises(InputError, match="is not a puzzle"):
        compare_backends(42)
    answers = iter([rings, solve(magic(kind="ring", sum=12))])
    monkeypatch.setattr("solvers.extras.studies.compare.side_by_side.solve", lambda *_, **__: next(answers))
    with pytest.raises(CheckError, match="cp-sat and sat found different solutions"):
        compare_backends("magic", ["cp-sat", "sat"])


def test_a_comparison_as_a_frame_and_as_a_plot() -> None:
    pandas = pytest.importorskip("pandas")
    from matplotlib.patches import Rectangle

    compared = compare_backends(magic(kind="ring"), ["cp-sat", "cp"])
    frame = compared.to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert frame["backend"].tolist() == ["cp-sat", "cp"]
    assert list(frame)[:3] == ["puzzle", "backend", "symmetry"]
    assert frame["statistics.branches"].tolist()[1] == compared.results["cp"].report.statistics["branches"]
    assert frame["seconds.all"].tolist()[1] == compared.results["cp"].report.seconds["all"]
    drawn = compared.plot().axes[0]
    assert [label.get_text() for label in drawn.get_yticklabels()] == ["cp-sat", "cp"]
    ends = [bar.get_bbox().x1 for bar in drawn.patches if isinstance(bar, Rectangle)]
    seconds = [result.report.seconds for result in compared.results.values()]
    assert ends == pytest.approx([each[part] for each in seconds for part in ("build", "all")])


@pytest.mark.thorough
def test_what_the_commands_write(rings: Result, tmp_path: Path) -> None:
    rings.save(tmp_path / "page.html")
    rings.save(tmp_path / "pictures", output="svg")
    rings.save(tmp_path / "proof", output="certify")
    assert "<html" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert len(list((tmp_path / "pictures").iterdir())) == 6
    assert run("solvers.check", str(tmp_path / "proof")).stdout.startswith("6 solutions up to symmetry and 48 in all")
    for kind in ("cnf", "pbtxt"):
        size = export(magic(kind="ring"), tmp_path / f"own.{kind}", given={(0, 0): 1})
        words = ["export", "magic", str(tmp_path / f"its.{kind}"), "--kind", "ring", "--given", "0 0=1"]
        assert f" {size['variables']} variables" in run("solvers.run", *words).stdout
        assert (tmp_path / f"own.{kind}").read_text() == (tmp_path / f"its.{kind}").read_text()


def test_what_cannot_be_written(rings: Result, tmp_path: Path) -> None:
    counted = solve(pentomino(board="5x3", subset=True), backend="cover", count_only=True)
    with pytest.raises(InputError, match="were only counted"):
        counted.save(tmp_path / "page.html")
    with pytest.raises(InputError, match="was not complete"):
        solve(magic(kind="ring"), limit=2).save(tmp_path / "proof", output="certify")
    with pytest.raises(InputError, match="cannot write"):
        rings.save("/nowhere/page.html")


def test_the_ending_of_a_file_names_its_format(rings: Result, tmp_path: Path) -> None:
    for ending in ("html", "csv", "json", "jsonl", "txt"):
        rings.save(tmp_path / f"rings.{ending}")
    texts = {file.suffix: file.read_text(encoding="utf-8") for file in tmp_path.iterdir()}
    assert texts[".html"].endswith("</html>\n")
    assert texts[".csv"].splitlines()[:2] == [
        '"[0, 0]","[0, 1]","[0, 2]","[1, 0]","[1, 2]","[2, 0]","[2, 1]","[2, 2]"',
        "1,4,8,7,3,5,6,2",
    ]
    assert json.loads(texts[".json"]) == [json.loads(line) for line in texts[".jsonl"].splitlines()]
    assert len(json.loads(texts[".json"])) == 6
    assert texts[".txt"].startswith("1\nsum 13\n┌")
    with pytest.raises(InputError, match=r"^cannot write all\.xlsx: .* \.pdf or \.svg, or choose"):
        rings.save("all.xlsx")
    with pytest.raises(InputError, match=r"title is no setting of this output \(none\)"):
        rings.save(tmp_path / "titled.csv", title="Rings")
    solve(magic(kind="ring"), given={(0, 0): 1, (0, 2): 2}).save(tmp_path / "none.json")
    assert json.loads((tmp_path / "none.json").read_text()) == []


def test_a_frame_of_solutions(rings: Result) -> None:
    frame = rings.to_frame()
    assert (frame.shape, {*map(str, frame.dtypes)}) == ((6, 8), {"int64"})
    assert frame[(0, 0)].tolist() == [ring[0, 0] for ring in rings]
    assert list(frame.columns) == [*rings[0]]
    places = solve(pentomino(board="5x3", subset=True)).to_frame()
    assert (len(places), set(places.sum(axis=1))) == (7, {3})
    with pytest.raises(InputError, match="were only counted"):
        solve("magic", count_only=True).to_frame()


@pytest.mark.thorough
def test_an_interrupted_solve_leaves_what_it_found(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Run.__iter__

    def interrupted(run: Run) -> Any:
        for solution in found(run):
            if run.report.solutions >= 3:
                raise KeyboardInterrupt
            yield solution

    monkeypatch.setattr(Run, "__iter__", interrupted)
    with pytest.raises(KeyboardInterrupt) as stopped:
        solve("pentomino", backend="cover")
    assert "last_interrupted" in stopped.value.__notes__[0]
    partial = last_interrupted()
    assert len(partial) == partial.solutions >= 3
    assert (partial.complete, partial.report.stopped_by) == (False, "Ctrl-C")
