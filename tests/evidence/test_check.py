"""The checker of certificates: it accepts what is right, and rejects whatever was changed."""

import ast
import lzma
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from models.flip_it import flip_it
from models.magic import magic
from solvers.base.errors import CheckError
from solvers.extras.evidence.cadical_refutation import refute
from solvers.extras.evidence.checker.check import check, check_proof
from solvers.extras.evidence.checker.lrat import Wrong, check_refutation, read_cnf
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
from tests.support import command
from tests.support.command import HERE, printed
from tests.support.tiers import sampled

Clauses = list[list[int]]

CHECK = "solvers.check"


@pytest.fixture(scope="module")
def ring(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The magic ring: 6 solutions, 48 in all."""
    directory = tmp_path_factory.mktemp("certificates") / "ring"
    certified(directory, magic, kind="ring")
    return directory


@pytest.fixture(scope="module")
def jumps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A puzzle with an objective: 6 moves are the fewest."""
    directory = tmp_path_factory.mktemp("certificates") / "jumps"
    certified(directory, flip_it, board="_bbbb", horizon=10)
    return directory


@pytest.fixture
def directory(ring: Path, tmp_path: Path) -> Path:
    """A copy of the ring's, to be changed."""
    return Path(shutil.copytree(ring, tmp_path / "copy"))


@pytest.mark.thorough
def test_cake_lpr_checks_the_refutation_where_it_is_installed(
    ring: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "cake_lpr"
    program.write_text('#!/bin/sh\nhead -c 5 "$1" | grep -q "p cnf" && test -s "$2" && echo "s VERIFIED UNSAT"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert check(ring).splitlines()[0].endswith("steps, and cake_lpr has verified it")
    program.write_text("#!/bin/sh\necho c empty clause not derived\n")
    refused(ring, "cake_lpr does not accept the refutation")
    program.write_text("#!/bin/sh\necho CakeML heap space exhausted. >&2\n")
    assert check(ring).splitlines()[0].endswith("(its CML_HEAP_SIZE, in megabytes, was too small)")
    monkeypatch.setenv("PATH", "")
    assert check(ring).splitlines()[0].endswith("steps")


def refused(directory: Path, reason: str) -> None:
    with pytest.raises(Wrong, match=reason):
        check(directory)


@pytest.mark.parametrize("suffix", ["cnf", "lrat.xz", "map", "solutions", "json"])
def test_every_flipped_byte_is_seen(directory: Path, suffix: str) -> None:
    (path,) = directory.glob(f"*.{suffix}")
    content = path.read_bytes()
    chance = random.Random(suffix)
    for position in [0, len(content) - 1, *chance.sample(range(len(content)), 60)]:
        flipped = content[position] ^ 1 << chance.randrange(8)
        path.write_bytes(content[:position] + bytes([flipped]) + content[position + 1 :])
        refused(directory, "fingerprint")


@pytest.mark.parametrize("suffix", ["cnf", "lrat.xz", "map", "solutions"])
def test_a_missing_file_is_seen(directory: Path, suffix: str) -> None:
    (directory / f"puzzle.{suffix}").unlink()
    refused(directory, f"puzzle.{suffix} is missing")


def write_formula(directory: Path, clauses: list[str]) -> None:
    """With a header that says how many clauses there are."""
    variables = lines_of(directory / "puzzle.cnf")[0].split()[2]
    header = f"p cnf {variables} {len(clauses)}\n"
    (directory / "puzzle.cnf").write_text("".join([header, *clauses]), encoding="utf-8")


Clauses48 = Callable[[list[str]], list[str]]
Solutions48 = Callable[[list[set[int]]], list[set[int]]]

LISTS: dict[str, tuple[Clauses48, Solutions48, dict[str, int], str]] = {
    "a solution is missed": (
        lambda clauses: clauses[:-48] + clauses[-47:],
        lambda solutions: solutions[1:],
        {},
        "carries solution .* to none that is listed",
    ),
    "an orbit is missed": (
        lambda clauses: clauses[:-48] + clauses[-40:],
        lambda solutions: solutions[8:],
        {"solutions": 5},
        "proof",
    ),
    "a solution is invented": (  # the last one with another value of a variable, listed and excluded, too
        lambda clauses: [*clauses, "-2 0\n"],
        lambda solutions: [*solutions, solutions[-1] ^ {2}],
        {},
        "solution 49 does not satisfy clause",
    ),
    "a solution is listed twice": (
        lambda clauses: [*clauses, clauses[-1]],
        lambda solutions: [*solutions, solutions[-1]],
        {},
        "a solution is listed twice",
    ),
    "more than a solution is excluded": (
        lambda clauses: [*clauses[:-1], " ".join(clauses[-1].split()[-2:]) + "\n"],
        lambda solutions: solutions,
        {},
        "the clause that excludes solution 48 might exclude others",
    ),
    "another solution is excluded": (
        lambda clauses: [*clauses[:-2], clauses[-1], clauses[-2]],
        lambda solutions: solutions,
        {},
        "the clause that is to exclude solution 47 does not",
    ),
    "the model is strengthened": (  # a clause loses one of its two literals, which some solution needs
        lambda clauses: [clauses[0], " ".join(clauses[1].split()[-2:]) + "\n", *clauses[2:]],
        lambda solutions: solutions,
        {},
        "solution .* does not satisfy clause 2",
    ),
    "a variable of a solution is changed": (
        lambda clauses: clauses,
        lambda solutions: [solutions[0] ^ {60}, *solutions[1:]],
        {},
        "solution .* does not satisfy clause",
    ),
}
"""What becomes of the clauses and of the solutions, of which the last 48 clauses exclude one each."""


@pytest.mark.parametrize("fraud", LISTS)
def test_wrong_lists(directory: Path, fraud: str) -> None:
    clauses, solutions, claimed, reason = LISTS[fraud]
    listed = solutions(solutions_of(directory))
    write_formula(directory, clauses(lines_of(directory / "puzzle.cnf")[1:]))
    list_solutions(directory, listed)
    sealed(directory, clauses={"bound": 0, "excluded": len(listed)}, total=len(listed), **claimed)
    refused(directory, reason)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda first, second: [first, [first[0], *second[1:]]], "has two values|has no value"),
        (lambda first, second: [first, [second[0], *first[1:]]], "says the same of the variable .* twice"),
    ],
)
def test_wrong_maps(directory: Path, change: Callable[[Any, Any], list[Any]], reason: str) -> None:
    first, second, *others = map_of(directory)
    write_map(directory, [*change(first, second), *others])
    sealed(directory)
    refused(directory, reason)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda first, second: [second, first], "generator 1 carries solution .* to none that is listed"),
        (lambda first, second: [second, second], "generator 1 does not permute"),
    ],
)
def test_wrong_generators(directory: Path, change: Callable[[int, int], list[int]], reason: str) -> None:
    (first, second, *images), *others = certificate_of(directory)["generators"]
    sealed(directory, generators=[[*change(first, second), *images], *others])
    refused(directory, reason)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"solutions": 7}, "there are 6 solutions up to symmetry, but 7 are claimed"),
        ({"total": 49}, "but 49 solutions are claimed"),
        ({"generators": []}, "there are 48 solutions up to symmetry, but 6"),
        ({"clauses": {"bound": 9999, "excluded": 48}}, "fewer clauses"),
        ({"clauses": {"bound": 1, "excluded": 48}}, "there is none"),
    ],
)
def test_wrong_claims(directory: Path, changes: dict[str, Any], reason: str) -> None:
    sealed(directory, **changes)
    refused(directory, reason)


def unbounded(directory: Path) -> None:
    """The formula does not say that fewer moves are asked for."""
    bound, excluded = certificate_of(directory)["clauses"].values()
    clauses = lines_of(directory / "puzzle.cnf")[1:]
    write_formula(directory, clauses[: -bound - excluded] + clauses[-excluded:])
    sealed(directory, clauses={"bound": 0, "excluded": excluded})


def told_best(directory: Path, cost: int, best: int) -> None:
    objective = certificate_of(directory)["objective"]
    sealed(directory, objective={**objective, "cost": objective["cost"] + cost, "best": objective["best"] + best})


@pytest.mark.parametrize(
    ("fraud", "reason"),
    [
        (unbounded, "do not say that nothing is better"),
        (partial(told_best, cost=1, best=1), "does not have the best value"),
        (partial(told_best, cost=0, best=-1), "the best value does not match its cost"),
        (lambda directory: sealed(directory, objective=None), "clauses that bound an objective, but there is none"),
    ],
)
def test_frauds_with_the_best_value(jumps: Path, tmp_path: Path, fraud: Callable[[Path], None], reason: str) -> None:
    directory = Path(shutil.copytree(jumps, tmp_path / "copy"))
    fraud(directory)
    refused(directory, reason)


def proof_frauds(lines: list[str]) -> dict[str, list[str]]:
    step = next(n for n, line in enumerate(lines) if line.split()[1] not in ("d", "0") and len(line.split()) > 7)
    number, *rest = lines[step].split()
    literal, others = rest[0], rest[1:]
    return {
        "a dropped step": lines[:step] + lines[step + 1 :],
        "a changed literal": [
            *lines[:step],
            " ".join([number, str(-int(literal)), *others]) + "\n",
            *lines[step + 1 :],
        ],
        "a changed hint": [*lines[:step], " ".join([number, *rest[:-2], "1", "0"]) + "\n", *lines[step + 1 :]],
        "a dropped hint": [*lines[:step], " ".join([number, *rest[:-2], "0"]) + "\n", *lines[step + 1 :]],
        "no last step": [line for line in lines if line.split()[1] != "0"],
        "a cut": [*lines[:step], lines[step].rpartition(" 0")[0] + "\n", *lines[step + 1 :]],
        "a hint of RAT": [*lines[:step], lines[step].replace(" 0 ", " 0 -3 ", 1), *lines[step + 1 :]],
        "a number twice": [*lines[: step + 1], *lines[step:]],
        "a deletion too early": [*lines[:step], f"{number} d {rest[-2]} 0\n", *lines[step:]],
        "a deletion of nothing": [*lines[:step], f"{number} d 999999 0\n", *lines[step:]],
        "nothing": [],
        "words": ["this is not a proof\n"],
    }


@pytest.mark.parametrize("fraud", sampled(proof_frauds(["9 1 2 3 4 0 5 6 0\n"]), 3))
def test_wrong_proofs(directory: Path, fraud: str) -> None:
    proof = directory / "puzzle.lrat.xz"
    proof.write_bytes(lzma.compress("".join(proof_frauds(lines_of(proof))[fraud]).encode()))
    sealed(directory)
    refused(directory, "proof")


def test_a_proof_of_another_formula(directory: Path, jumps: Path) -> None:
    shutil.copy(jumps / "puzzle.lrat.xz", directory)
    sealed(directory)
    refused(directory, "proof")


@pytest.mark.parametrize("cut", [slice(0), slice(-9000), slice(9, None)])
def test_a_damaged_proof(directory: Path, cut: slice) -> None:
    proof = directory / "puzzle.lrat.xz"
    proof.write_bytes(proof.read_bytes()[cut])
    sealed(directory)
    refused(directory, "cannot be decompressed")


@pytest.mark.skipif(not shutil.which("xz"), reason="needs xz")
def test_xz_writes_the_text_for_other_checkers(directory: Path) -> None:
    subprocess.run(["xz", "-dk", directory / "puzzle.lrat.xz"], check=True)
    assert lines_of(directory / "puzzle.lrat") == lines_of(directory / "puzzle.lrat.xz")


@pytest.mark.thorough
def test_in_shares(ring: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a large proof each process checks a share of the steps: every wrong step is in one of them."""
    _, clauses = read_cnf(lines_of(ring / "puzzle.cnf"))
    lines = "".join(lines_of(ring / "puzzle.lrat.xz")).encode().splitlines()
    right = check_refutation(clauses, lines)
    assert {check_refutation(clauses, lines, share, 3) for share in range(3)} == {right}
    monkeypatch.setattr("solvers.extras.evidence.checker.check.available_processors", lambda: 2)
    assert check_proof(clauses, ring / "puzzle.lrat.xz", large=0) == right
    steps = [place for place, line in enumerate(lines) if line.split()[1] != b"d"]
    for place in steps[100:102]:
        *others, _, end = lines[place].split()
        changed = [*lines[:place], b" ".join([*others, b"1", end]), *lines[place + 1 :]]
        (tmp_path / "wrong.lrat.xz").write_bytes(lzma.compress(b"\n".join(changed)))
        with pytest.raises(Wrong, match="does not follow"):
            check_proof(clauses, tmp_path / "wrong.lrat.xz", large=0)


def is_satisfiable(variables: int, clauses: Sequence[Sequence[int]]) -> bool:
    return any(
        all(any(values[abs(literal) - 1] == (literal > 0) for literal in clause) for clause in clauses)
        for values in product((False, True), repeat=variables)
    )


def random_formula(chance: random.Random, variables: int) -> Clauses:
    sizes = [min(variables, chance.choice([1, 1, 2, 2, 3, 3, 3, 4])) for _ in range(chance.randint(1, 40))]
    return [[v * chance.choice([1, -1]) for v in chance.sample(range(1, variables + 1), size)] for size in sizes]


def changed_somewhere(chance: random.Random, lines: Sequence[bytes]) -> list[bytes]:
    """With another number in one of the lines."""
    words = [line.split() for line in lines]
    line = chance.choice(words)
    line[chance.randrange(len(line))] = str(chance.randint(-5, 60)).encode()
    return [b" ".join(line) for line in words]


@pytest.mark.thorough
def test_random_proofs_and_wrong_ones(tmp_path: Path) -> None:
    """CaDiCaL refutes what has no solution and nothing else; no change of a proof refutes what has one."""
    chance = random.Random(8)
    proofs = 0
    for _ in range(300):
        variables = chance.randint(1, 7)
        clauses = random_formula(chance, variables)
        if is_satisfiable(variables, clauses):
            with pytest.raises(CheckError):
                [*refute(clauses, tmp_path, Event())]
            continue
        lines = b"".join(refute(clauses, tmp_path, Event())).splitlines()
        assert check_refutation(clauses, lines) == sum(line.split()[1] != b"d" for line in lines)
        proofs += 1
        for _ in range(20):
            fewer = chance.sample(clauses, len(clauses) - 1)
            try:
                check_refutation(fewer, changed_somewhere(chance, lines))
            except Wrong:
                continue
            assert not is_satisfiable(variables, fewer)
    assert proofs > 100


@pytest.mark.parametrize(
    "text",
    [
        "",
        "p cnf 1",
        "p dnf 1 1\n1 0",
        "p cnf 1 2\n1 0",
        "p cnf 1 1\n2 0",
        "p cnf 1 1\n1",
        "p cnf 2 1\n1 0 2 0",
        "p cnf 1 1\nx 0",
    ],
)
def test_wrong_formulas(text: str) -> None:
    with pytest.raises(Wrong):
        read_cnf(text.splitlines())


def test_the_command(directory: Path, ring: Path) -> None:
    said = printed(str(ring), module=CHECK)
    assert said.startswith("6 solutions up to symmetry and 48 in all, and there are no others")
    os.truncate(directory / "puzzle.lrat.xz", 1)
    complaint = command.refusal(str(directory), module=CHECK, code=1)
    assert complaint == f"{directory}: puzzle.lrat.xz does not match its fingerprint"


CHECKER = HERE / "solvers/extras/evidence/checker"


@pytest.mark.parametrize("name", ["my checker", pytest.param("json", marks=pytest.mark.thorough)])
def test_the_checker_runs_alone_wherever_it_is(ring: Path, tmp_path: Path, name: str) -> None:
    """Its folder, under other names, in a Python that finds neither this project nor what is installed."""
    copy = shutil.copytree(CHECKER, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "hashlib.py").write_text("raise AssertionError")  # what lies beside it is not imported
    alone = [sys.executable, "-I", "-S", str(copy), str(ring)]
    for _ in range(2):
        done = subprocess.run(alone, capture_output=True, text=True, cwd=tmp_path, check=True)
        assert done.stdout == f"{check(ring)}\n"
        copy = copy.rename(tmp_path / f"{name}.moved")
        alone[3] = str(copy)
    assert {path.name for path in copy.rglob("*")} == {path.name for path in CHECKER.glob("*.py")}


def test_its_size_is_as_the_page_says() -> None:
    texts = [path.read_text(encoding="utf-8") for path in CHECKER.glob("*.py")]
    statements = sum(isinstance(node, ast.stmt) for text in texts for node in ast.walk(ast.parse(text)))
    page = (CHECKER.parent / "README.md").read_text(encoding="utf-8").replace("\n", " ")
    lines = sum(map(len, map(str.splitlines, texts)))
    assert f"{lines} lines with {statements} statements" in page


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "the following arguments are required: DIR"),
        (["no such", "b"], "unrecognized arguments: b"),
        (["no such", "b\nc"], r"unrecognized arguments: b\nc"),
        (["--foo", "cert"], "unrecognized arguments: --foo"),
        (["no such"], "there is no certificate in no such; --certify DIR makes one"),
        (["pyproject.toml"], "there is no certificate in pyproject.toml; --certify DIR makes one"),
        (["tests"], "there is no certificate in tests; --certify DIR makes one"),
        (["n" * 5000], f"{'n' * 300}...: it cannot be read as a certificate: File name too long"),
    ],
)
def test_nothing_to_check(words: list[str], sentence: str) -> None:
    assert command.refusal(*words, module=CHECK) == sentence


@pytest.mark.parametrize("content", ["", "{}", "[]\n\n\n", "x" * 1000])
def test_garbage_for_a_certificate(tmp_path: Path, content: str) -> None:
    (tmp_path / "certificate.json").write_text(content)
    command.refusal(str(tmp_path), module=CHECK, code=1)


@pytest.mark.parametrize(
    "changes",
    [{"clauses": {}}, {"clauses": None}, {"generators": [["a"]]}, {"generators": 3}, {"files": {}}, {"objective": {}}],
)
def test_a_certificate_of_another_form(directory: Path, changes: dict[str, object]) -> None:
    sealed(directory, **changes)
    command.refusal(str(directory), module=CHECK, code=1)
