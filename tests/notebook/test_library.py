"""Functions of the library that extras do."""

import importlib
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from models import PUZZLES
from models.magic import magic
from models.pentomino import pentomino
from solvers import InputError, solve
from solvers.extras.notebook import bar
from solvers.extras.notebook.explorer import explore
from solvers.extras.questions.functions import candidates, explain, grade, why
from solvers.extras.studies.compare.side_by_side import compare_backends
from solvers.extras.studies.confirm.functions import confirm
from solvers.extras.studies.survey.functions import survey_variants
from solvers.extras.studies.unique.functions import unique
from solvers.files.catalogue import find, in_collection
from solvers.terminal.progress import Pace
from tests.support.command import run
from tests.support.declared import BOOLEAN, declared, puzzle
from tests.support.own_models import write
from tests.support.refusals import refused


@pytest.mark.slow
def test_what_the_collection_declared_is_known() -> None:
    for name, (module, function) in PUZZLES.items():
        declare = getattr(importlib.import_module(module), function)
        assert in_collection(declare) == in_collection(declare()) == name
    ring = magic("ring", sum=12)
    assert in_collection(ring) == "magic"
    for changed in (
        replace(ring, symmetries=[]),
        replace(ring, symmetries=[lambda label, value: (label, value)] * len(ring.symmetries)),
        replace(ring, parameters={"kind": "ring"}),
        replace(ring, parameters={"kind": "ring", "size": 3}),
        replace(ring, parameters={"kind": "ellipse"}),
        replace(ring, name="ring"),
        replace(ring, key=dict(list(ring.key.items())[1:])),
        replace(ring, is_solution=lambda solution: True),
    ):
        assert in_collection(changed) is None
    assert in_collection(lambda: ring) is None


def test_a_certificate_of_a_long_name(tmp_path: Path) -> None:
    solve(puzzle({"x": BOOLEAN}, name="ö" * 400), jobs=1).save(tmp_path / "proof", output="certify")
    assert run("solvers.check", str(tmp_path / "proof")).returncode == 0


def test_pictures() -> None:
    result = solve(pentomino(board="5x4", subset=True), backend="cover")
    assert str(result[0]).startswith("┌───")
    assert result[0]._repr_html_().startswith("<svg")
    shown = result._repr_html_()
    assert shown.count("<svg") == 12
    assert "50 solutions up to symmetry, 200 in all" in shown
    assert "and 38 more" in shown


@pytest.mark.slow
def test_work_shows_its_progress_below_the_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    """And takes it away at the end; in a program that is no notebook, nothing is shown."""
    shown: list[str] = []

    class Handle:
        def update(self, data: dict[str, str], raw: bool) -> None:
            shown.append(data["text/plain"])

    def display(data: dict[str, str], **_: Any) -> Handle:
        shown.append(data["text/plain"])
        return Handle()

    monkeypatch.setattr(bar, "Pace", lambda: Pace(count().__next__))  # a second for each look at the clock
    monkeypatch.setattr("IPython.display.display", display)
    calls: dict[str, Callable[[], object]] = {
        "pentomino, cover: ": lambda: solve(pentomino(board="5x12"), backend="cover", jobs=1),
        "magic: 1 of 2 variants, ": lambda: survey_variants(magic, {"kind": ["blocks", "ring"]}, jobs=1),
        "magic, cp-sat: ": lambda: compare_backends(magic(kind="ring"), ["cp-sat"]),
        "sudoku: 1 of 2 puzzles, ": lambda: unique("sudoku", ["1...|..2.|.3..|...4", "1234|....|....|...."]),
        "magic: OR-Tools' CP-SAT counts, ": lambda: confirm("magic", programs=["cp-sat"]),
    }
    for call in calls.values():
        call()
    assert not shown
    monkeypatch.setattr("IPython.get_ipython", lambda: SimpleNamespace(kernel=1))
    for words, call in calls.items():
        shown.clear()
        call()
        assert any(state.startswith(words) for state in shown), (words, shown)
        assert not shown[-1]


@pytest.mark.thorough
def test_no_solution_names_why() -> None:
    none = solve(magic(), given=["0 0=2"])
    shown = none._repr_html_()
    assert "There is no solution; the whole space was searched. In a cell, <code>" in shown
    code = unescape(shown.partition("<code>")[2].partition("</code>")[0])
    assert code == "from solvers import why; why(puzzle, given=['(0, 0)=2'])"
    imported, call = code.split("; ")
    names: dict[str, Any] = {"puzzle": magic()}
    exec(imported, names)
    assert "A minimal contradiction" in str(eval(call, names))
    assert repr(none).endswith("why(puzzle) gives the reason>")
    assert "why(" not in solve(magic())._repr_html_()
    late = solve(pentomino(board="3x20"), backend="cover", limit=1)
    assert "why(" not in late._repr_html_()


@pytest.mark.parametrize("call", [survey_variants, explore, why, explain, grade, candidates])
def test_parameters_are_given_where_a_puzzle_is_declared(call: Callable[..., object]) -> None:
    refused("there is no option 'kind'; give a puzzle's parameters where you declare it", call, "magic", kind="ring")


def test_values_of_a_list(tmp_path: Path) -> None:
    file = write(tmp_path / "own.pbtxt", str(declared(dict.fromkeys(("a[0]", "a[1]", "b"), (0, 2))).proto))
    assert [p.name for p in find(str(file)).parameters if p.repeated] == ["key"]
    assert solve(find(str(file)).declare(key=["a[0]", "b"])).total == 9
    with pytest.raises(InputError, match=r"own.pbtxt: key: 'b' is not a list of values"):
        solve(find(str(file)).declare(key="b"))
