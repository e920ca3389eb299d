"""How an attack has models written and read again, and the files of other programs that it draws."""

from __future__ import annotations

import shutil
from collections import Counter
from random import Random
from typing import Any

from models.puzzle import Puzzle
from solvers.extras.bridges.formats.export import write_model
from tests.attack import models, oracle
from tests.attack.cases import Case, in_file
from tests.attack.modes import Session, Way, decoded
from tests.attack.oracle import TooMany


def _minizinc(chance: Random) -> Case:
    model, text, shown = models.random_minizinc(chance)
    index = {variable.name: place for place, variable in enumerate(model.proto.variables)}
    costs = oracle.of_model(model, {name: index[name] for name in shown})
    if not shutil.which("minizinc"):
        raise TooMany
    return in_file("model.mzn", text, costs, shown, "minizinc")


def _file_of_cover(chance: Random) -> Case:
    text = models.random_dlx(chance)
    options = {number: " ".join(words) for number, words in oracle.read_dlx(text)[2].items()}
    alike = Counter(options.values())
    label: dict[int, Any] = {n: option if alike[option] == 1 else (option, n) for n, option in options.items()}
    costs = {frozenset((label[n], int(n in chosen)) for n in options): 0 for chosen in oracle.of_dlx(text)}
    return in_file("model.dlx", text, costs, list(label.values()))


def exported(session: Session, way: Way) -> None:
    """Written and read again, up to symmetry or not."""
    case = session.case
    endings = [".cnf", ".pbtxt", *([".dlx"] * 3 if case.kind == "cover" else [])]
    ending = ".pbtxt" if case.kind == "scheduled" else session.chance.choice(endings)
    path = str(session.folder() / f"exported{ending}")
    symmetry = "none" if way["unbroken"] else way["symmetry"]
    session.use(write_model)
    if isinstance(case.puzzle, str):
        session.do("puzzle = find(puzzle).load()()")
    session.do_in_time(f"write_model(puzzle, {path!r}, symmetry={symmetry!r}, given=(), stop=stop)")
    session.do(f"puzzle = {path!r}")
    result = session.solve(backend=way["backend"], cubes=way["cubes"])
    truth = oracle.best(case.costs)
    assert result.report.complete, f"ended by {result.report.stopped_by}"
    if case.orbits is None and symmetry == "declared":
        return
    expected = None
    if symmetry == "none":
        expected = len(truth)
    elif symmetry == "declared":
        expected = case.orbits
    assert expected in (None, result.total), f"{result.total} in the file, the truth is {expected}"
    if ending == ".pbtxt" and isinstance(case.puzzle, Puzzle) and all(isinstance(one, str) for one in case.labels):
        found = {decoded(case, solution) for solution in result}
        assert found <= truth, f"{len(found - truth)} solutions of the file are none"


DRAWN = {_minizinc: 1, _file_of_cover: 5}

MODES = {exported: 8}
