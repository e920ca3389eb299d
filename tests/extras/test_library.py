"""Functions of the library that extras do."""

import importlib
import re
from dataclasses import replace
from pathlib import Path

import pytest

from models import PUZZLES
from models.magic import magic
from models.pentomino import pentomino
from solvers import InputError, export_model, solve
from solvers.extras.proofs.functions import write_certificate
from solvers.extras.survey.variants import in_collection
from solvers.files.catalogue import find
from tests.support.command import run
from tests.support.declared import BOOLEAN, declared, puzzle
from tests.support.own_models import write


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
    write_certificate(solve(puzzle({"x": BOOLEAN}, name="ö" * 400), jobs=1), tmp_path / "proof")
    assert run("solvers.check", str(tmp_path / "proof")).returncode == 0


def test_pictures() -> None:
    result = solve(pentomino(board="5x4", subset=True), backend="cover")
    assert str(result[0]).startswith("┌───")
    assert result[0]._repr_html_().startswith("<svg")
    shown = result._repr_html_()
    assert shown.count("<svg") == 12
    assert "50 solutions up to symmetry, 200 in all" in shown
    assert "and 38 more" in shown


def test_parameters_beside_options_are_still_taken(tmp_path: Path) -> None:
    formula = write(tmp_path / "own.pbtxt", str(declared({"x": (0, 2)}).proto))
    for old_way, given, written in (
        ("magic", {"kind": "ring"}, "magic(kind='ring')"),
        (magic, {"kind": "ring"}, "magic(kind='ring')"),
        (str(formula), {"key": ["x"]}, f"find({str(formula)!r}).declare(key=['x'])"),
    ):
        with pytest.warns(FutureWarning, match=re.escape(f"write {written} as the puzzle")) as warned:
            old = solve(old_way, **given, jobs=1)
        assert warned[0].filename == __file__
        assert old[:] == solve(eval(written, {"magic": magic, "find": find}), jobs=1)[:]
    with pytest.warns(FutureWarning, match="beside options") as warned:
        export_model("magic", tmp_path / "ring.cnf", kind="ring")
    assert warned[0].filename == __file__


def test_values_of_a_list(tmp_path: Path) -> None:
    file = write(tmp_path / "own.pbtxt", str(declared(dict.fromkeys(("a[0]", "a[1]", "b"), (0, 2))).proto))
    assert [p.name for p in find(str(file)).parameters if p.repeated] == ["key"]
    assert solve(find(str(file)).declare(key=["a[0]", "b"])).total == 9
    with pytest.raises(InputError, match=r"own.pbtxt: key: 'b' is not a list of values"):
        solve(find(str(file)).declare(key="b"))
