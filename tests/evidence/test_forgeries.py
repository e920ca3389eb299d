"""Nobody can forge a certificate: what is false is not accepted, and no file makes the checker hang or fail.

The forger recomputes every fingerprint and, where that helps, the refutation. An oracle of its own says what is true:
it enumerates the formula's solutions, reads them by the map, and counts orbits.
"""

import json
import lzma
import math
import os
import random
import shutil
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path
from threading import Event
from typing import Any, cast

import igraph
import pytest
from pysat.formula import CNF
from pysat.solvers import Solver

from models.magic import magic
from models.puzzle import Puzzle
from solvers.extras.evidence.cadical_refutation import refute
from solvers.extras.evidence.checker.check import main
from tests.evidence.certificates import (
    certificate_of,
    certified,
    lines_of,
    list_solutions,
    map_of,
    sealed,
    solutions_of,
    write_map,
)
from tests.support import command, declared
from tests.support.tiers import sampled


def formula() -> Puzzle:
    return Puzzle("formula", {}, CNF(from_clauses=[[1, 2], [-2, 3, -3], [4, 4]]), {1: 1, 2: 2, 3: 3})


def addends() -> Puzzle:
    return declared.puzzle({"x": (-5, 10**6), "y": (0, 10**6)}, lambda model, x, y: model.add(x + y == -2))


def best() -> Puzzle:
    """What is known of the key leaves the cost open."""
    return declared.puzzle(
        {"x": declared.BOOLEAN, "z": (2, 7), "z is above 5": declared.BOOLEAN},
        lambda model, x, z, above: model.add(z >= 3),
        lambda model, x, z, above: model.add(z <= 5).only_enforce_if(~above),
        lambda model, x, z, above: model.maximize(3 - 2 * z),
        key=["x", "z is above 5"],
    )


DECLARED: dict[str, Callable[..., Puzzle]] = {"ring": magic, "formula": formula, "addends": addends, "best": best}


@pytest.fixture(scope="module")
def true_ones(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    made = {name: tmp_path_factory.mktemp("true") / name for name in DECLARED}
    for name, directory in made.items():
        certified(directory, DECLARED[name], **({"kind": "ring"} if name == "ring" else {}))
    return made


@pytest.fixture
def directory(true_ones: dict[str, Path], tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A copy of one of them, of the formula's if a test names no other."""
    return Path(shutil.copytree(true_ones[getattr(request, "param", "formula")], tmp_path / "copy"))


of = partial(pytest.mark.parametrize, "directory", indirect=True)


def is_accepted(directory: Path, capsys: pytest.CaptureFixture[str]) -> bool:
    """Whether the checker says so; it has to end in one of two ways."""
    code = main([str(directory)])
    said = capsys.readouterr()
    assert (code, bool(said.out), said.err.count("\n")) in ((0, True, 0), (1, False, 1))
    return code == 0


def is_true(directory: Path) -> bool:
    """Whether the counts and the best value are those of the formula, read by the map."""
    certificate = certificate_of(directory)
    excluded, bounds = certificate["clauses"]["excluded"], certificate["clauses"]["bound"]
    header, *clauses = lines_of(directory / "puzzle.cnf")
    model = [list(map(int, line.split()[:-1])) for line in clauses[: len(clauses) - excluded - bounds]]
    lines = map_of(directory)
    objective = certificate["objective"]
    bits = objective["bits"] if objective else []
    told = sorted({abs(literal) for literal in (*(line[0] for line in lines), *bits)})
    costs: dict[frozenset[Any], int] = {}
    with Solver(
        "minisat22", bootstrap_with=[*model, *([v, -v] for v in range(1, int(header.split()[2]) + 1))]
    ) as solver:
        while solver.solve():
            true = set(solver.get_model())
            values: dict[str, Any] = {}
            for literal, label, value in lines:
                if literal in true and isinstance(value, dict):
                    values[str(label)] = values.get(str(label), 0) + value["adds"]
                elif literal in true:
                    assert str(label) not in values
                    values[str(label)] = value
            cost = sum(1 << place for place, bit in enumerate(bits) if bit in true)
            solution = frozenset(values.items())
            costs[solution] = min(cost, costs.get(solution, cost))
            solver.add_clause([-literal for literal in true if abs(literal) in told])
    least = min(costs.values(), default=0)
    solutions = {solution for solution, cost in costs.items() if cost == least}
    if objective:
        value = Fraction(*objective["scale"]) * least + Fraction(*objective["offset"])
        if not solutions or objective["best"] != value:
            return False
    images = [
        dict(zip(map(told_by, lines), (told_by(lines[n]) for n in g), strict=True)) for g in certificate["generators"]
    ]
    numbers = {solution: number for number, solution in enumerate(solutions)}
    turned = [(numbers[one], numbers.get(frozenset(g[pair] for pair in one))) for one in solutions for g in images]
    joined = igraph.Graph(len(solutions), [(one, other) for one, other in turned if other is not None])
    return bool((certificate["total"], certificate["solutions"]) == (len(solutions), len(joined.components())))


def told_by(line: Any) -> tuple[str, Any]:
    return str(line[1]), line[2] if isinstance(line[2], int) else json.dumps(line[2])


def write(directory: Path, variables: int, clauses: list[list[int]], /, **changes: Any) -> None:
    """Another formula, with a refutation of it, and all fingerprints right."""
    text = "".join(" ".join(map(str, [*clause, 0])) + "\n" for clause in clauses)
    (directory / "puzzle.cnf").write_text(f"p cnf {variables} {len(clauses)}\n{text}")
    proof = b"".join(refute(clauses, directory.parent, Event()))
    (directory / "puzzle.lrat.xz").write_bytes(lzma.compress(proof))
    sealed(directory, **changes)


def formula_of(directory: Path) -> tuple[int, list[list[int]], list[list[int]]]:
    """How many variables it has, the clauses of the model, and those besides."""
    header, *lines = lines_of(directory / "puzzle.cnf")
    clauses = [list(map(int, line.split()[:-1])) for line in lines]
    own = len(clauses) - sum(certificate_of(directory)["clauses"].values())
    return int(header.split()[2]), clauses[:own], clauses[own:]


def costing(objective: dict[str, Any], cost: int) -> dict[str, Any]:
    """The objective, with this cost as the best one."""
    value = Fraction(*objective["scale"]) * cost + Fraction(*objective["offset"])
    return {**objective, "cost": cost, "best": int(value)}


@pytest.mark.thorough
def test_true_ones(true_ones: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    for directory in true_ones.values():
        assert is_accepted(directory, capsys)
        assert is_true(directory)


UNREADABLE = [None, True, [0], {"adds": 0}, {"adds": 0, "x": 0}, 1]


@pytest.mark.parametrize("value", sampled(UNREADABLE, 6))
@of(["ring"])
def test_an_unused_variable_doubles_no_count(
    directory: Path, capsys: pytest.CaptureFixture[str], value: object
) -> None:
    variables, model, excluding = formula_of(directory)
    free, lines = variables + 1, map_of(directory)
    write_map(directory, [*lines, [free, lines[0][1], value]])
    solutions = solutions_of(directory)
    list_solutions(directory, [*solutions, *(true | {free} for true in solutions)])
    write(
        directory,
        free,
        [*model, *([*clause, free] for clause in excluding), *([*clause, -free] for clause in excluding)],
        total=96,
        solutions=12,
        clauses={"bound": 0, "excluded": 96},
        generators=[[*generator, len(lines)] for generator in certificate_of(directory)["generators"]],
    )
    assert not is_accepted(directory, capsys)


MAP_FRAUDS: dict[str, Callable[[list[Any]], list[Any]]] = {
    "a line twice": lambda lines: [*lines, lines[0]],
    "no line": lambda lines: [],
    "a value twice, by another literal": lambda lines: [*lines, [-lines[0][0], *lines[0][1:]]],
    "both ways": lambda lines: [*lines, [lines[0][0], lines[0][1], {"adds": 1}]],
    "no literal": lambda lines: [[0, *lines[0][1:]], *lines[1:]],
    "a literal beyond the formula": lambda lines: [*lines, [10**9, "new", 1]],
    "a literal that is true": lambda lines: [[True, *lines[0][1:]], *lines[1:]],
    "four parts": lambda lines: [[*lines[0], 0], *lines[1:]],
    "no list": lambda lines: [7, *lines],
    "a variable without a value": lambda lines: [*lines, [lines[-1][0], "new", 1]],
}


@pytest.mark.parametrize("fraud", MAP_FRAUDS)
@of(["ring", "formula", "addends"])
def test_maps(directory: Path, capsys: pytest.CaptureFixture[str], fraud: str) -> None:
    write_map(directory, MAP_FRAUDS[fraud](map_of(directory)))
    sealed(directory, generators=[])
    assert not is_accepted(directory, capsys)


@of(["addends"])
def test_generators_of_what_is_added_up(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sealed(directory, generators=[list(range(len(map_of(directory))))])
    assert not is_accepted(directory, capsys)


SCALES = [0, [0, 1], [1, 0], [True, 1], math.nan, math.inf, [1.0, 1], [1, 1], [2, 1], None, "1"]
"""The sign is turned, too: here the greatest value is asked for."""

VALUES = [math.nan, math.inf, 12345, 0.5, True, None, [0, 1]]


@pytest.mark.parametrize(
    ("name", "value"),
    [*(("scale", scale) for scale in SCALES), *product(["offset", "best", "cost", "bits"], VALUES)],
)
@of(["best"])
def test_objectives(directory: Path, capsys: pytest.CaptureFixture[str], name: str, value: object) -> None:
    objective = certificate_of(directory)["objective"]
    assert objective["scale"][0] < 0
    sealed(directory, objective={**objective, name: value})
    assert not is_accepted(directory, capsys)


@of(["best"])
def test_a_worse_value_of_the_same_key(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The key leaves the cost open, so that excluding a key excludes what is better, too."""
    objective = certificate_of(directory)["objective"]
    variables, model, _ = formula_of(directory)
    cost, bits = objective["cost"] + 2, objective["bits"]  # z is 4
    has = [bit for place, bit in enumerate(bits) if cost >> place & 1]
    bound = [
        [-bit, *(-other for other in has if bits.index(other) > place)]
        for place, bit in enumerate(bits)
        if bit not in has
    ]
    key = [abs(literal) for literal, _, _ in map_of(directory)]
    solutions, excluding = [], []
    with Solver("minisat22", bootstrap_with=[*model, *([bit] for bit in has), *bound]) as solver:
        while solver.solve():
            literals = solver.get_model()
            solutions.append({literal for literal in literals if literal > 0})
            excluding.append([-literal for literal in literals if abs(literal) in key])
            solver.add_clause(excluding[-1])
    list_solutions(directory, solutions)
    write(
        directory,
        variables,
        [*model, *bound, *excluding],
        total=len(solutions),
        solutions=len(solutions),
        clauses={"bound": len(bound), "excluded": len(solutions)},
        objective=costing(objective, cost),
    )
    assert not is_true(directory)
    assert main([str(directory)]) == 1
    assert "might exclude others" in capsys.readouterr().err


@of(["best"])
def test_a_best_value_without_solutions(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All that the formula has is worse than the bound."""
    objective = certificate_of(directory)["objective"]
    variables, model, _ = formula_of(directory)
    assert objective["cost"] > 0
    bound = [[-bit] for bit in objective["bits"]]
    list_solutions(directory, [])
    write(
        directory,
        variables,
        [*model, *bound],
        total=0,
        solutions=0,
        clauses={"bound": len(bound), "excluded": 0},
        objective=costing(objective, 0),
    )
    assert not is_accepted(directory, capsys)


OTHERS: list[Any] = [None, True, False, 0, 1, -1, 2, 1.0, math.nan, math.inf, 10**30]
OTHERS += ["", "1_0", [], {}, [[]], {"adds": 1}]


def replaced(chance: random.Random, value: Any) -> Any:
    """The value, with something else at a random place of it."""
    if isinstance(value, (list, dict)) and value and chance.random() < 0.9:
        copy: Any = value.copy()
        place = chance.choice(list(value) if isinstance(value, dict) else range(len(value)))
        if chance.random() < 0.1:
            del copy[place]
        elif isinstance(copy, list) and chance.random() < 0.2:
            copy.insert(place, chance.choice(copy))
        elif isinstance(copy, list) and chance.random() < 0.3:
            other = chance.randrange(len(copy))
            copy[place], copy[other] = copy[other], copy[place]
        else:
            copy[place] = replaced(chance, value[place])
        return copy
    near = [value + 1, value - 1, -value, float(value)] if isinstance(value, int) else []
    return chance.choice([*OTHERS, *near, *near, *near])


def changed_line(chance: random.Random, lines: list[str]) -> list[str]:
    """The lines, one of them changed, gone, there twice or elsewhere."""
    copy = list(lines)
    place, other = chance.randrange(len(copy)), chance.randrange(len(copy))
    match chance.randrange(5):
        case 0:
            del copy[place]
        case 1:
            copy.insert(other, copy[place])
        case 2:
            copy[place], copy[other] = copy[other], copy[place]
        case _ if copy[place].startswith("["):
            copy[place] = json.dumps(replaced(chance, json.loads(copy[place]))) + "\n"
        case _:
            words = copy[place].split()
            words[chance.randrange(len(words))] = str(chance.choice([0, 1, -1, 2, "1_0", "x", chance.randint(-30, 30)]))
            copy[place] = " ".join(words) + "\n"
    return copy


@pytest.mark.parametrize("count", [20, pytest.param(100, marks=pytest.mark.thorough)])
@pytest.mark.parametrize(("directory", "name"), [(name, name) for name in DECLARED], indirect=["directory"])
def test_random_changes(directory: Path, capsys: pytest.CaptureFixture[str], name: str, count: int) -> None:
    """Of an entry of certificate.json, or of lines; what is accepted is true."""
    chance = random.Random(name)
    entries = ["puzzle", "solutions", "total", "objective", "clauses", "generators", "files"]
    certificate = certificate_of(directory)
    texts = {path: lines_of(path) for path in directory.iterdir() if path.name != "certificate.json"}
    for _ in range(count):
        changes, size = {}, chance.choice([1, 1, 2])
        if chance.random() < 0.5:
            changes = {entry: replaced(chance, certificate[entry]) for entry in chance.sample(entries, size)}
        else:
            for path in chance.sample(sorted(texts), size):
                if texts[path]:
                    path.write_text("".join(changed_line(chance, texts[path])))
        sealed(directory, **{"objective": certificate["objective"], **changes})
        if is_accepted(directory, capsys):
            assert is_true(directory), changes
        for path, lines in texts.items():
            path.write_text("".join(lines))
        sealed(directory, **{entry: certificate[entry] for entry in entries})


def complaint(directory: Path, code: int = 1, **settings: Any) -> str:
    """What is said of it, in this process if nothing is to be set for its own."""
    run = command.run_apart if settings else command.run
    done = run("solvers.check", str(directory), **settings)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (code, "", 1)
    assert len(done.stderr) < 1000
    return done.stderr


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, lambda path: path.symlink_to("/dev/zero")])
@pytest.mark.parametrize(("name", "code"), [("puzzle.map", 1), ("puzzle.lrat.xz", 1), ("certificate.json", 2)])
def test_what_is_no_plain_file(directory: Path, make: Callable[[Path], None], name: str, code: int) -> None:
    (directory / name).unlink()
    make(directory / name)
    assert f"{name} is not a regular file" in complaint(directory, code)


@pytest.mark.parametrize(
    "names",
    [
        {"../puzzle.cnf": "", "puzzle.map": "", "puzzle.solutions": "", "puzzle.lrat.xz": ""},
        {"/etc/passwd": ""},
        {"..": ""},
        {"": ""},
        {"a\x00.cnf": "", "a\x00.lrat.xz": "", "a\x00.map": "", "a\x00.solutions": ""},
        {"a\n9 in all\n.cnf": "", "a.lrat.xz": ""},
        {"\ud800.cnf": "", "\ud800.lrat.xz": "", "\ud800.map": "", "\ud800.solutions": ""},
        {f"{'a' * 300}.{suffix}": "" for suffix in ("cnf", "lrat.xz", "map", "solutions")},
        {".cnf": "", ".lrat.xz": "", ".map": "", ".solutions": ""},
    ],
)
def test_names_of_files(directory: Path, names: dict[str, str]) -> None:
    sealed(directory, files=names)
    complaint(directory, 2 if any(len(name) > 255 for name in names) else 1)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("puzzle.cnf", "p cnf 9999999999 1\n1 0\n"),
        ("puzzle.cnf", f"p cnf {'9' * 5000} 1\n1 0\n"),
        ("puzzle.cnf", "p cnf 1_0 1\n1 0\n"),
        ("puzzle.cnf", "p cnf 20 1\n1_0 0\n"),
        ("puzzle.cnf", "p cnf 20 1\n+1 0\n"),
        ("puzzle.cnf", "p cnf 20 1\nä 0\n"),
        ("puzzle.map", "[" * 100_000),
        ("puzzle.map", '[1, "\\ud800\\n9 in all", 1]\n' * 2),
        ("puzzle.map", f'[1, "{"a" * 100_000}", 1]\n' * 2),
        ("puzzle.solutions", "1_0 0\n"),
        ("puzzle.lrat.xz", "1_00 0 1 0\n"),
        ("puzzle.lrat.xz", f"{'9' * 5000} 0 1 0\n"),
    ],
)
def test_texts(directory: Path, name: str, text: str) -> None:
    content = text.encode()
    (directory / name).write_bytes(lzma.compress(content) if name.endswith(".xz") else content)
    sealed(directory)
    complaint(directory)


def test_nested_json(directory: Path) -> None:
    sealed(directory, generators=json.loads("[" * 500 + "0" + "]" * 500))
    complaint(directory)
    (directory / "certificate.json").write_text('{\n"total": ' + "[" * 100_000 + ',\n"fingerprint": ""\n}\n')
    complaint(directory)


ASCII = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}


@pytest.mark.parametrize(
    "name",
    ["é\ud800", "x\n9 solutions up to symmetry and 9 in all, and there are no others", "\x1b[2J", "9" * 10**5, 7],
)
def test_names_of_puzzles(directory: Path, name: object) -> None:
    """None prints a line that looks like a verdict, or more than it should."""
    for suffix in ("cnf", "map", "solutions", "lrat.xz"):
        (directory / f"puzzle.{suffix}").rename(directory / f"é.{suffix}")
    files = {key.replace("puzzle", "é"): value for key, value in certificate_of(directory)["files"].items()}
    sealed(directory, puzzle=name, files=files)
    done = command.run_apart("solvers.check", str(directory), env=ASCII)
    assert (done.returncode, done.stderr) == (0, "")
    verdict, *believed = done.stdout.splitlines()
    assert verdict.startswith(
        "6 solutions up to symmetry and 6 in all, and there are no others: the refutation is right"
    )
    assert "there are no others" not in "".join(believed)
    assert done.stdout.isascii()
    assert all(len(line) < 200 and line.isprintable() for line in (verdict, *believed))


def wide(scale: float, offset: float) -> Puzzle:
    """A variable that is mapped bit by bit; with a scale of 1, what is declared as a symmetry moves nothing."""
    most = 2000 if scale == 1 else 2**55
    puzzle: Any = declared.puzzle(
        {"x": (-most, most)},
        lambda model, x: model.add(x >= -5),
        lambda model, x: model.minimize(x),
        symmetries=[lambda label, value: (label, value)] if scale == 1 else [],
    )
    puzzle.model.proto.objective.scaling_factor = scale
    puzzle.model.proto.objective.offset = offset
    return cast(Puzzle, puzzle)


@pytest.mark.parametrize(
    ("scale", "offset", "said"),
    [(1, 2.0**53, "least value, 9007199254740987"), (0.1, 0.3, "least value, -0.47"), (-1, 0, "greatest value, 5")],
)
def test_objectives_are_exact(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], scale: float, offset: float, said: str
) -> None:
    certified(tmp_path / "wide", lambda: wide(scale, offset), "sat")
    assert main([str(tmp_path / "wide")]) == 0
    assert said in capsys.readouterr().out


def test_names_of_directories(tmp_path: Path) -> None:
    assert "\\n9 in all \\x1b" in complaint(tmp_path / "x\n9 in all \x1b[2J é", 2, env=ASCII)


def test_a_full_device(directory: Path) -> None:
    def full() -> None:
        os.dup2(os.open("/dev/full", os.O_WRONLY), 1)

    assert "cannot be written" in complaint(directory, 3, preexec_fn=full)
