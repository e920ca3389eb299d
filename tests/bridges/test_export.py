"""What is exported has the same solutions for other programs: PySAT's solvers, clingo, OR-Tools and xcover alone."""

import re
from pathlib import Path
from typing import Any

import clingo
import pytest
import xcover
from hypothesis import given
from hypothesis import strategies as st
from ortools.sat.python.cp_model import CpModel, Domain
from pysat.formula import CNF
from pysat.solvers import Solver

from models.puzzle import Puzzle
from solvers.extras.bridges.formats.export import PACKINGS, WRITERS, export
from solvers.files.catalogue import LOADERS, find
from tests.attack.models import random_dlx
from tests.attack.oracle import read_dlx
from tests.support import declared
from tests.support.command import HARD, full_disk, printed, refusal
from tests.support.enumerate import all_solutions, key_solutions
from tests.support.own_models import solutions, write
from tests.support.random_models import RANDOM, ROOMY, brute_force, keys, models


def exported(puzzle: Puzzle, path: Path, every: bool = True) -> Path:
    assert export(puzzle, path, symmetry="none" if every else "declared")
    return path


def shown(path: Path) -> list[int]:
    """The variables that a formula shows."""
    lines = [line.split() for line in path.read_text().splitlines()]
    (line,) = (words for words in lines if words[:3] == ["c", "p", "show"])
    return [int(word) for word in line[3:-1]]


def counted_by_a_sat_solver(path: Path) -> int:
    """By PySAT's own reader and a solver on its own: solve, block what is shown, and again."""
    projection = shown(path)
    count = 0
    with Solver("glucose42", bootstrap_with=CNF(from_file=str(path))) as solver:
        while solver.solve():
            count += 1
            model = set(solver.get_model())
            solver.add_clause([-v if v in model else v for v in projection])
    return count


def counted_by_clingo(path: Path) -> int:
    """By clingo, projected on what is shown."""
    variables, *clauses = [line for line in path.read_text().splitlines() if not line.startswith("c")]
    rules = [f"{{ v(1..{variables.split()[2]}) }}."]
    for clause in clauses:
        literals = map(int, clause.split()[:-1])
        body = ", ".join(f"{'not ' if literal > 0 else ''}v({abs(literal)})" for literal in literals)
        rules.append(f":- {body}.")
    rules += [f"#project v({variable})." for variable in shown(path)]
    control = clingo.Control(["0", "--project"])
    control.add("base", [], "\n".join(rules))
    control.ground([("base", [])])
    with control.solve(yield_=True) as answers:
        return sum(1 for _ in answers)


def counted_by_or_tools(path: Path) -> int:
    """By CP-SAT on its own, on the variables with names."""
    model = CpModel()
    assert model.proto.parse_text_format(path.read_text())
    named = [n for n, variable in enumerate(model.proto.variables) if variable.name]
    return len(all_solutions(model, [*map(model.get_int_var_from_proto_index, named)]))


def covered_by_xcover(primary: list[str], secondary: list[str], options: list[list[str]]) -> int:
    if set(primary) - {item for option in options for item in option}:
        return 0  # xcover takes no item without options
    # And 0.2.6 breaks off on some covers of one or two items: two more, with an option each, make no difference.
    more = [["more-1"], ["more-2"]]
    found = xcover.covers([*options, *more], [*primary, "more-1", "more-2"], secondary, colored=True)
    return sum(1 for _ in found)


def counted_by_xcover(path: Path) -> int:
    """By xcover."""
    items, *options = [line.split() for line in path.read_text().splitlines() if not line.startswith("|")]
    bar = items.index("|") if "|" in items else len(items)
    return covered_by_xcover(items[:bar], items[bar + 1 :], options)


COUNTED = {".cnf": counted_by_a_sat_solver, ".pbtxt": counted_by_or_tools, ".dlx": counted_by_xcover}


@pytest.mark.thorough
@ROOMY
@given(st.data())
def test_random_models(tmp_path: Path, data: st.DataObject) -> None:
    model = data.draw(models())
    key = data.draw(keys(model))
    variables = {("label", n): model.get_int_var_from_proto_index(index) for n, index in enumerate(key)}
    expected = len({tuple(values[index] for index in key) for values in brute_force(model)})
    puzzle = Puzzle("random", {}, model, variables)
    formula = exported(puzzle, tmp_path / "m.cnf")
    assert counted_by_a_sat_solver(formula) == counted_by_clingo(formula) == expected, formula.read_text()
    text = exported(puzzle, tmp_path / "m.pbtxt")
    for file in (formula, text):
        assert solutions(file)[1] == expected
    # CP-SAT takes an enforced maximum of nothing for false, without heeding the enforcement.
    of_nothing = any(ct.has_lin_max() and not len(ct.lin_max.exprs) for ct in model.proto.constraints)
    if not (model.proto.has_objective() or of_nothing):
        assert counted_by_or_tools(text) == expected


@pytest.mark.thorough
@ROOMY
@given(RANDOM.map(random_dlx))
def test_random_covers(tmp_path: Path, text: str) -> None:
    file = write(tmp_path / "c.dlx", text)
    puzzle = find(str(file)).load()()
    expected = solutions(file)[1]
    for ending, count in COUNTED.items():
        if ending == ".pbtxt" and not puzzle.key:
            continue  # an empty key is for a formula only
        assert count(exported(puzzle, tmp_path / f"exported{ending}")) == expected
    primary, secondary, options = read_dlx(text)
    assert covered_by_xcover(primary, secondary, list(options.values())) == expected


@pytest.mark.parametrize(
    ("name", "arguments", "every", "expected"),
    [
        ("packing", {"board": "3x5", "pieces": "FPU"}, False, 1),
        ("pentomino", {"board": "5x3", "subset": True}, True, 28),
        pytest.param("magic", {}, False, 1, marks=pytest.mark.thorough),
        ("magic", {"kind": "ring"}, True, 48),
        pytest.param("dissection", {"region": "square-4"}, False, 6, marks=pytest.mark.thorough),
        ("matchsticks", {"expression": "3", "moves": 1, "goal": "any"}, True, 2),
    ],
)
def test_puzzles(name: str, arguments: dict[str, Any], every: bool, expected: int, tmp_path: Path) -> None:
    puzzle = find(name).declare(**arguments)
    formula = exported(puzzle, tmp_path / "p.cnf", every)
    assert counted_by_a_sat_solver(formula) == counted_by_clingo(formula) == expected
    text = exported(puzzle, tmp_path / "p.pbtxt", every)
    assert solutions(text)[1] == expected
    if name in ("pentomino", "packing"):
        assert counted_by_or_tools(text) == expected
        assert counted_by_xcover(exported(puzzle, tmp_path / "p.dlx", every)) == expected


def test_the_map_says_what_literals_mean(tmp_path: Path) -> None:
    model = CpModel()
    key = {
        "flag": model.new_bool_var("f"),
        ("digit", 1): model.new_int_var(3, 5, "d"),
        "large\nnumber": model.new_int_var(0, 5000, "n"),
        "two": model.new_int_var_from_domain(Domain.from_values([4, 7]), "t"),
        "fixed": model.new_int_var(9, 9, ""),
    }
    values = dict(zip(key, [1, 5, 4321, 4, 9], strict=True))
    for label, variable in key.items():
        model.add(variable == values[label])
    file = exported(Puzzle("some", {"n": "a\nb"}, model, key), tmp_path / "m.cnf")
    lines = file.read_text().splitlines()
    assert re.fullmatch("c kazoeru .*: some n=a b, all solutions", lines[0])
    with Solver("glucose42", bootstrap_with=CNF(from_file=str(file))) as solver:
        assert solver.solve()
        true = set(solver.get_model())
    said = set()
    for line in lines[2 : [line[:2] for line in lines].index("p ")]:
        _, literal, meaning = line.split(" ", 2)
        if "[" in line:
            name, offset = re.match(r"c (.*) = (-?\d+) \+", line).groups()  # type: ignore[union-attr]
            weights = re.findall(r"(\d+) \[(\d+)\]", line)
            said.add(f"{name} = {int(offset) + sum(int(weight) for weight, bit in weights if int(bit) in true)}")
        elif int(literal) in true:
            said.add(meaning)
    assert said == {"flag", "('digit', 1) = 5", "large number = 4321", "two = 4", "fixed = 9"}


def test_names_of_a_saved_model_are_its_key(tmp_path: Path) -> None:
    puzzle = declared.puzzle(dict.fromkeys((1, "1", "", ("a", 2)), declared.BOOLEAN))
    puzzle.model.new_bool_var("besides")
    found, total = solutions(exported(puzzle, tmp_path / "m.pbtxt"))
    assert total == 16
    assert {label for solution in found for label in solution} == {"1", "'1'", "''", "('a', 2)"}


def test_stored_symmetries_are_not_exported(tmp_path: Path) -> None:
    exchanged = [lambda label, value: ({"a": "b", "b": "a"}[label], value)]
    puzzle = declared.puzzle(dict.fromkeys("ab", declared.BOOLEAN), symmetries=exchanged)
    model = puzzle.model
    model.proto.symmetry.permutations.add().parse_text_format("support: [0, 1] cycle_sizes: 2")
    for every, expected in ((False, 3), (True, 4)):
        file = exported(puzzle, tmp_path / "m.pbtxt", every)
        assert "symmetry {" not in file.read_text()
        assert counted_by_or_tools(file) == expected
    assert (model.proto.has_symmetry(), model.proto.variables[0].name) == (True, "a")


def test_no_solution(tmp_path: Path) -> None:
    puzzle = declared.puzzle({"x": (0, 9)}, lambda model, x: model.add(x > 9), lambda model, x: model.maximize(x))
    assert counted_by_a_sat_solver(exported(puzzle, tmp_path / "m.cnf")) == 0
    puzzle = declared.puzzle(
        dict.fromkeys("ab", declared.BOOLEAN),
        lambda model, *options: model.add_exactly_one(options),
        lambda model, *options: model.add_bool_or([]),
    )
    assert counted_by_xcover(exported(puzzle, tmp_path / "m.dlx")) == 0


def test_forced_and_excluded_options(tmp_path: Path) -> None:
    puzzle = declared.puzzle(
        dict.fromkeys("abcdef", declared.BOOLEAN),
        lambda model, a, b, c, d, e, f: model.add_exactly_one(a, b, c),
        lambda model, a, b, c, d, e, f: model.add_at_most_one(c, d, e),
        lambda model, a, b, c, d, e, f: model.add_implication(e, ~f),
        lambda model, a, b, c, d, e, f: model.add_bool_or(~a),
        lambda model, a, b, c, d, e, f: model.add_bool_or(d),
    )
    file = exported(puzzle, tmp_path / "m.dlx")
    assert counted_by_xcover(file) == solutions(file)[1] == len(key_solutions(puzzle)) == 2


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["export", "magic", "square.lp"], "give a name that ends in .cnf, .pbtxt, .dlx"),
        (["export", "magic", ""], "give a name that ends in"),
        (["export", "magic", "/nowhere/square.cnf"], "cannot write /nowhere/square.cnf: No such file"),
        (["export", "magic", "TMP/folder.cnf"], "it is not a regular file"),
        (["export", "magic", "TMP/square.dlx"], "the model is not an exact cover: the variable"),
        (["export", "pentomino", "TMP/p.dlx", "--board", "5x4", "--subset"], "break no symmetry with --symmetry none"),
        (["export", "pentomino", "TMP/p.dlx", "--board", "7x7"], "pentomino: "),
    ],
)
def test_mistakes_get_one_line(words: list[str], sentence: str, tmp_path: Path) -> None:
    (tmp_path / "folder.cnf").mkdir()
    assert sentence in refusal(*(word.replace("TMP", str(tmp_path)) for word in words))
    assert [path.name for path in tmp_path.iterdir()] == ["folder.cnf"]


@pytest.mark.thorough
def test_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "p.cnf"
    assert printed("export", "pentomino", str(file), "--board", "5x3", "--subset").startswith(f"{file}: ")
    assert counted_by_a_sat_solver(file) == 7
    assert [path.name for path in tmp_path.iterdir()] == ["p.cnf"]


def test_a_full_disk_and_a_time_limit(tmp_path: Path) -> None:
    for words, room, reason in (
        (("magic",), 500, "File too large"),
        ((*HARD, "--time-limit", "0.01"), 10**9, "ended by the time limit"),
    ):
        with full_disk(room):
            said = refusal("export", *words, str(tmp_path / "p.cnf"), code=3)
        assert f"p.cnf was not written: {reason}" in said
        assert list(tmp_path.iterdir()) == []


def test_the_help_lists_every_ending_that_is_read_or_written() -> None:
    told = " ".join(printed("--help").split())
    read = told[told.index("PUZZLE is a name") : told.index("A Python file or a notebook")]
    written = " ".join(printed("export", "--help").split())
    assert all(ending in read for loader in LOADERS for ending in re.findall(r"\.\w+", loader))
    assert all(ending in written for ending in [*WRITERS, PACKINGS])


def test_parameters_are_given_where_a_puzzle_is_declared(tmp_path: Path) -> None:
    wrong: dict[str, Any] = {"board": "3x20"}
    with pytest.raises(TypeError, match="unexpected keyword argument 'board'"):
        export("pentomino", tmp_path / "model.cnf", **wrong)
