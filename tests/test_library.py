"""`solve`: what it takes, what it gives, what it says of mistakes, and that it leaves nothing behind."""

import inspect
import multiprocessing
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from ortools.sat.python.cp_model import CpModel
from pysat.formula import CNF

from models.dissection import dissection
from models.magic import magic
from models.pentomino import pentomino
from models.puzzle import Puzzle
from solvers import InputError, Result, iter_solutions, solve
from solvers.base.options import Options
from solvers.cubes.processes import Processes
from solvers.terminal.calls import question
from tests.support.backends import EVERY
from tests.support.command import python, wait_for
from tests.support.declared import BOOLEAN, puzzle
from tests.support.own_models import write
from tests.support.refusals import refused
from tests.support.tiers import sampled


def test_result() -> None:
    result = solve(pentomino(board="5x3", subset=True), backend="cover")
    assert (result.complete, result.solutions, result.total, result.report.backend) == (True, 7, 28, "cover")
    assert isinstance(result, Sequence)
    assert len(result) == len(list(result)) == 7
    assert [dict(solution) for solution in result[5:]] == [dict(result[5]), dict(result[-1])]
    with pytest.raises(IndexError):
        result[7]
    every = [frozenset(solution.items()) for solution in result.in_all()]
    assert len(every) == len({*every}) == 28
    assert {frozenset(solution.items()) for solution in result} < {*every}
    assert repr(result).startswith("<pentomino: 7 solutions up to symmetry, 28 in all, cover, ")
    assert "solutions in all              28\n" in str(result)


NO_KEY = "^own .* for 'x' in its key; give a variable of the model"
NO_SYMMETRIES = "^own .*symmetries that are not a list of functions"


@pytest.mark.parametrize(
    ("key_and_symmetries", "sentence"),
    [
        (lambda x: [{"x": ~x}], NO_KEY),
        (lambda x: [{"x": -1}], NO_KEY),
        (lambda x: [{"x": 0}], NO_KEY),
        (lambda x: [{"x": x + 1}], NO_KEY),
        (lambda x: [{"x": "x"}], NO_KEY),
        (lambda x: [{"x": CpModel().new_bool_var("z")}], NO_KEY),
        (lambda x: [[x]], "^own .*a list as its key; give a dictionary"),
        (lambda x: [{"x": x}, [3]], NO_SYMMETRIES),
        (lambda x: [{"x": x}, 3], NO_SYMMETRIES),
    ],
)
def test_declarations_that_are_none(key_and_symmetries: Callable[[Any], Any], sentence: str) -> None:
    model = CpModel()
    refused(sentence, solve, Puzzle("own", {}, model, *key_and_symmetries(model.new_bool_var("x"))))


def test_a_puzzle_without_a_model() -> None:
    refused("own declares a NoneType as its model", solve, Puzzle("own", {}, None, {"x": 1}))


@pytest.mark.parametrize(("clause", "variables"), [([1, 2], 1), ([0], 1), ([1, -3], 2)])
def test_formulas_that_are_none(clause: list[int], variables: int) -> None:
    formula = CNF(from_clauses=[[1]])
    formula.clauses.append(clause)
    formula.nv = variables
    refused("own: a clause holds", solve, Puzzle("own", {}, formula, {1: 1}))


@pytest.mark.parametrize("number", [0, 2, -1, True, "1"])
def test_numbers_that_are_no_variable_of_a_formula(number: Any) -> None:
    refused("in its key; give a variable", solve, Puzzle("own", {}, CNF(from_clauses=[[1]]), {"x": number}))


@pytest.mark.parametrize("backend", ["cp-sat", "sat"])
@pytest.mark.parametrize(
    ("kind", "objective", "x", "best"),
    [
        ("objective", "coeffs: [2, 3, -4, 1] offset: 5 scaling_factor: 1", 3, 2),
        ("objective", "coeffs: [-2, -3, 4, -1] offset: -5 scaling_factor: -1", 0, 14),
        ("floating_point_objective", "coeffs: [2, 3, -4, 1] offset: 5", 3, 2),
        ("floating_point_objective", "coeffs: [2, 3, -4, 1] offset: 5 maximize: true", 0, 14),
    ],
)
def test_an_objective_that_names_a_variable_twice(kind: str, objective: str, x: int, best: int, backend: str) -> None:
    """The sum is 3 y - x + 5, with x + y = 3, of which y is not in the key."""
    own = puzzle({"x": (0, 3), "y": (0, 3)}, lambda m, x, y: m.add(x + y == 3), key="x")
    getattr(own.model.proto, kind).parse_text_format(f"vars: [0, 1, 0, 0] {objective}")
    result = solve(own, backend=backend, jobs=1)
    assert [dict(solution) for solution in result] == [{"x": x}]
    assert (result.report.objective, result.total) == (best, 1)
    assert f"best value {best}" in repr(result)


def test_a_puzzle_without_a_drawing() -> None:
    result = solve(puzzle({("<", 1): (3, 4), "b": BOOLEAN}))
    assert sorted((solution["<", 1], solution["b"]) for solution in result) == [(3, 0), (3, 1), (4, 0), (4, 1)]
    assert "&#x27;&lt;&#x27;" in result._repr_html_()
    for wrong in ("c", ("<", 2)):
        with pytest.raises(KeyError):
            result[0][wrong]


def test_what_can_be_solved(formula: Path) -> None:
    assert solve(str(formula)).total == solve(formula).total == 3
    asked = ("magic", magic, magic())
    assert all(solve(one, limit=1).report.parameters == magic().parameters for one in asked)
    assert solve(magic(kind="ring", sum=12)).solutions == solve(magic(kind="ring", sum=12)).solutions == 1
    assert solve(lambda: magic()).report.puzzle == "<lambda>"


def test_options() -> None:
    unbroken = solve(
        magic(kind="square"), unbroken=True, seed=3, backend="cp-sat", solver_parameters={"linearization_level": 0}
    )
    assert (unbroken.solutions, unbroken.total) == (1, 8)
    few = solve(pentomino(board="5x5", subset=True), backend="cover", limit=3, jobs=1, cubes=1)
    assert (few.solutions, len(few), few.complete, few.report.stopped_by) == (3, 3, False, "the limit")
    assert repr(few).startswith("<pentomino: at least 3 solutions")


def test_a_time_limit() -> None:
    began = time.process_time()
    none = solve(pentomino(board="6x15", pieces="one-sided"), time_limit=0.1)
    assert time.process_time() - began < 4  # 0.3, whatever else the machine does
    assert (none.complete, none.report.stopped_by, list(none), list(none.in_all())) == (False, "the time limit", [], [])


@pytest.mark.parametrize("function", [solve, iter_solutions])
def test_every_option_is_an_argument_that_is_described(function: Callable[..., Any]) -> None:
    puzzle, *arguments = inspect.signature(function).parameters.values()
    assert puzzle.name == "puzzle"
    *arguments, own = arguments
    assert (own.name, own.kind) == ("parameters", own.VAR_KEYWORD)
    assert [one.name for one in arguments] == [one.name for one in fields(Options)]
    for one in arguments:
        assert one.kind is one.KEYWORD_ONLY
        assert one.default in (None, getattr(Options(), one.name))
        assert f"\n    {one.name}\n        " in (function.__doc__ or "")


def test_parameters_and_options_may_share_a_name() -> None:
    def upto(limit: int = 3) -> Puzzle:
        return replace(puzzle({"x": (1, limit)}), parameters={"limit": limit})

    result = solve(upto(limit=5), limit=2, jobs=1)
    assert (result.report.parameters, result.solutions, result.complete) == ({"limit": 5}, 2, False)
    assert solve(upto, jobs=1).total == 3


def test_lazily() -> None:
    search = iter_solutions(pentomino(board="5x4", subset=True), backend="cover")
    assert str(next(search)).startswith("┌───")
    result = search.result()
    assert isinstance(result, Result)
    assert (result.complete, result.solutions, search.report.total) == (True, 50, 200)
    assert list(search) == []
    assert search.result().solutions == 50


@pytest.mark.parametrize("backend", sampled(EVERY, 4))
def test_a_search_that_is_left_ends(backend: str) -> None:
    before = threading.active_count()
    with iter_solutions(pentomino(board="5x5", subset=True), backend=backend, jobs=1) as search:
        next(search)
    for _ in iter_solutions(pentomino(board="5x5", subset=True), backend=backend):
        break
    wait_for(lambda: threading.active_count() == before, seconds=2)
    assert not multiprocessing.active_children()
    assert (search.report.stopped_by, search.report.complete) == ("being closed", False)
    assert len(search.result()) >= 1


def of_four(four: int) -> Puzzle:
    if four != 4:
        raise ValueError(f"{four} is not four")
    return None  # type: ignore[return-value]


def rooks(n: int = 4) -> Puzzle:
    return puzzle({"x": (0, n)}, name="rooks")


@pytest.mark.parametrize(
    ("asked", "options", "sentence"),
    [
        ("pentomin", {}, "there is no puzzle 'pentomin'; did you mean pentomino?"),
        ("magic", {"backend": "gurobi"}, "there is no backend 'gurobi'"),
        ("magic", {"backend": "cover"}, "the model is not an exact cover"),
        ("magic", {"backend": "sat", "solver_parameters": {"no_such": 1}}, "no parameter 'no_such'"),
        ("magic", {"limit": 0}, "limit: '0' is not a whole number of at least"),
        ("magic", {"limit": 2.5}, "limit: '2.5' is not a whole number of at least"),
        ("magic", {"time_limit": -1}, "time_limit: '-1' is not a time"),
        ("magic", {"time_limit": "soon"}, "time_limit: 'soon' is not a time"),
        ("magic", {"jobs": 0}, "jobs: '0' is not a whole number of at least"),
        ("magic", {"cubes": 0}, "cubes: '0' is not a whole number of at least"),
        ("magic", {"seed": -1}, "seed: '-1' is not a seed"),
        ("magic", {"executor": ThreadPoolExecutor}, "executor: <class .*> is not an Executor of concurrent.futures"),
        ("nowhere.cnf", {}, "nowhere.cnf"),
        ("", {}, "there is no puzzle ''"),
        (42, {}, "42 is not a puzzle; give a name"),
        (of_four, {}, "of_four: missing a required argument: 'four'"),
    ],
)
def test_mistakes(asked: Any, options: dict[str, Any], sentence: str) -> None:
    refused(sentence, solve, asked, **options)


@pytest.mark.parametrize(
    ("asked", "parameters", "sentence"),
    [
        ("pentomino", {"bord": "6x10"}, "pentomino has no parameter 'bord'; did you mean board?"),
        ("pentomino", {"zzz": 1}, "it has board, pieces, square, subset"),
        ("pentomino", {"board": "6x9"}, "pentomino: 6x9 has 54 cells, but the pieces fill 60"),
        ("pentomino", {"board": 60}, "60"),
        ("pentomino", {"board": [6, 10]}, r"pentomino: board: \[6, 10\] is not text"),
        ("pentomino", {"board": None}, "pentomino: board: None is not text"),
        ("pentomino", {"pieces": "many"}, "pentomino: pieces: 'many' is not one of free, one-sided"),
        ("pentomino", {"square": 1}, "pentomino: square: 1 is neither yes nor no"),
        ("magic", {"order": True}, "magic: order: True is not a whole number"),
        ("magic", {"order": 3.5}, "magic: order: 3.5 is not a whole number"),
        (magic(), {"order": 4}, "magic is declared already; give order where you declare it"),
        (of_four, {"four": 5}, "of_four: 5 is not four"),
        (of_four, {"four": 4}, "of_four returned no Puzzle but None"),
        (of_four, {}, "of_four: missing a required argument: 'four'"),
        (rooks, {"n": "x"}, "rooks: n: 'x' is not a whole number"),
        ("pentomino", {"board": "###\n###"}, "^pentomino: the drawing has 6 cells, but the pieces fill 60; "),
        ("pentomino", {"board": "...\n...", "subset": True}, "^pentomino: the drawing draws no cell; "),
        ("dissection", {"region": "##\n#x"}, "^dissection: line 2 of the drawing holds 'x'; "),
        ("dissection", {"region": "##\n#."}, "^dissection: the drawing has 3 cells, which cannot be divided "),
        ("dissection", {"region": "##\n\n##"}, "^dissection: the drawing is a box; "),
    ],
)
def test_parameters_that_no_puzzle_has(asked: Any, parameters: dict[str, Any], sentence: str) -> None:
    def declare() -> None:
        _, values, declaration = question(asked, parameters)
        declaration(**values)

    refused(sentence, declare)


def test_parameters_are_those_of_a_puzzle_that_is_not_declared_yet() -> None:
    assert solve("queens", n=6, jobs=1).total == 4
    assert len(list(iter_solutions(pentomino, board="3x20", backend="cover"))) == 2
    refused("pentomino has no parameter 'bord'; did you mean board", solve, "pentomino", bord="3x20")
    for search in (solve, iter_solutions):
        refused("there is no option 'board'; give a puzzle's parameters where", search, pentomino("3x20"), board="3x4")


def test_a_wrong_check_of_ones_own_is_bad_input() -> None:
    assert issubclass(InputError, ValueError)
    wrong = puzzle({"x": BOOLEAN}, name="wrong", is_solution=lambda solution: False)
    refused(r"the check or the model of wrong is wrong: .* violates is_solution", solve, wrong)


UNGUARDED = """
from models.pentomino import pentomino
from solvers import solve
from solvers.base.tuning import override_tuning
print("imported")
with override_tuning(forecast_after_seconds=0, min_parallel_seconds=0):
    print(solve(pentomino(board="5x4", subset=True), backend="sat", jobs=2, cubes=50).report.cubes > 0)
"""


@pytest.mark.thorough
def test_a_script_without_guard_works(tmp_path: Path) -> None:
    done = python(write(tmp_path / "unguarded.py", UNGUARDED))
    assert (done.returncode, done.stdout, done.stderr) == (0, "imported\nTrue\n", "")


@pytest.mark.thorough
def test_workers_leave_the_main_module_alone() -> None:
    main = sys.modules["__main__"]
    before = main.__spec__, getattr(main, "__file__", None)
    workers = Processes(1)
    workers.submit(abs, -1).result()
    workers.kill()
    workers.shutdown()
    assert (main.__spec__, getattr(main, "__file__", None)) == before


@pytest.mark.thorough
def test_importing_is_light() -> None:
    code = "import sys, solvers; assert not {'ortools', 'numpy', 'pysat'} & set(sys.modules); print(solvers.solve)"
    assert python(code).returncode == 0


def test_regions_are_drawn_where_they_are_given() -> None:
    bent = solve(dissection(region="##\n.#\n.#\n"))
    assert (bent.solutions, bent.total) == (1, 2)
    assert solve(pentomino(board="#####\n" * 3, subset=True)).solutions == 7
