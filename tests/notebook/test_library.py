"""Functions of the library that extras do."""

from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from models.magic import magic
from models.pentomino import pentomino
from solvers import InputError, solve
from solvers.extras.notebook.explorer import explore
from solvers.extras.questions.functions import candidates, explain, grade, why
from solvers.extras.studies.survey.functions import survey_variants
from solvers.files.catalogue import find
from tests.support.command import run
from tests.support.declared import BOOLEAN, declared, puzzle
from tests.support.own_models import write
from tests.support.refusals import refused


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
