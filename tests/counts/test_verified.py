"""The verified counter: what is written for it, what it counts, and what happens where it cannot."""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import venv
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from ortools.sat.python.cp_model import CpModel, Domain

from models.puzzle import Puzzle
from solvers import CheckError, InputError, solve
from solvers.base.endings import DONE, INTERRUPTED, TERMINATED
from solvers.base.errors import NoCoverError, Stopped
from solvers.extras.counts.verified import counter
from solvers.extras.counts.verified.export import BoundedItem, cover_of, items_of, knuth_text, symmetry_of
from tests.support.command import HERE, printed, refusal, start, wait_for
from tests.support.covers import SQUARES, SUMS, closed_covers, covers, domino, of_model, random_bounds, sums
from tests.support.declared import BOOLEAN, Rule, declared, puzzle
from tests.support.own_models import write
from tests.support.random_models import brute_force

COMMAND = "solvers.extras.counts.verified.__main__"


def text_of(model: CpModel) -> str:
    return knuth_text(cover_of(model), [variable.name for variable in model.proto.variables])


def test_rules_are_items() -> None:
    assert set(items_of(sums())) == {
        BoundedItem(2, 3, (0, 1, 2)),
        BoundedItem(1, 3, (2, 3, 4)),
        BoundedItem(0, 1, (0, 4)),
    }


@pytest.mark.parametrize(
    "rule",
    [
        lambda model, x, y, z: model.add_exactly_one(x, ~y),
        lambda model, x, y, z: model.add_bool_or(x, ~y),
        lambda model, x, y, z: model.add(x + 2 * y <= 2),
        lambda model, x, y, z: model.add(x + y <= 1).only_enforce_if(z),
        lambda model, x, y, z: model.add_all_different(x, y),
        lambda model, x, y, z: model.add_linear_expression_in_domain(x + y, Domain.from_values([0, 2])),
        lambda model, x, y, z: model.new_int_var(0, 2, "w"),
        lambda model, x, y, z: model.maximize(x),
    ],
)
def test_other_rules_are_refused(rule: Callable[..., object]) -> None:
    with pytest.raises(NoCoverError, match="exact cover"):
        items_of(declared(dict.fromkeys("xyz", BOOLEAN), rule))


@given(model=covers)
@settings(max_examples=30, deadline=None)
def test_items_say_what_the_model_says(model: CpModel) -> None:
    """Choices that keep the bounds of all items are the solutions."""
    items = items_of(model)
    kept = {
        values
        for values in product((0, 1), repeat=len(model.proto.variables))
        if all(item.low <= sum(values[option] for option in item.options) <= item.high for item in items)
    }
    assert kept == set(brute_force(model))


@pytest.mark.thorough
def test_it_has_to_be_built(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    told = refusal("pentomino", "--board", "3x20", "--verified", "--jobs", "1")
    assert told == "the verified counter is not built; run python -m solvers verified --build"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "install Debian's packages ocaml-nox" in refusal("--build", module=COMMAND)
    assert "install Debian's package coq" in refusal("--prove", module=COMMAND)


@pytest.fixture(name="ocaml", scope="module")
def compiler() -> None:
    if absent := counter.missing(threading.Event()):
        assert not os.environ.get("CI"), f"{absent} are missing"
        pytest.skip("needs Debian's packages ocaml-nox, ocaml-findlib and libzarith-ocaml-dev")


@pytest.fixture(name="coq", scope="module")
def prover() -> None:
    if shutil.which("coqc") is None:
        assert not os.environ.get("CI"), "coqc is missing"
        pytest.skip("needs Debian's package coq")


@pytest.fixture(name="built", scope="module")
def build(ocaml: None) -> Path:
    """The counter, built from its sources if that was not done before."""
    with suppress(InputError):
        counter.checksum()
        return counter.program()
    return counter.build(threading.Event())


ENDS = [
    ("--build", signal.SIGINT, INTERRUPTED, "Ctrl-C"),
    ("--prove", signal.SIGTERM, TERMINATED, "SIGTERM"),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("option", "sign", "code", "by"), ENDS)
def test_an_end_in_the_middle(tmp_path: Path, option: str, sign: signal.Signals, code: int, by: str) -> None:
    """One sentence, and what was started has ended, with what that has started."""
    begun = tmp_path / "begun"
    endless = f"sleep 60 & echo $$ $! > '{begun}.part'; mv '{begun}.part' '{begun}'; wait"
    for name in ("coqc", "ocamlfind", "ocamlopt"):
        query = f"test \"$1\" = query && echo '{tmp_path}' && exit"
        (tmp_path / name).write_text(f"#!/bin/sh\n{query}\n{endless}\n")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "zarith.cmxa").touch()
    paths = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "XDG_CACHE_HOME": str(tmp_path / "cache")}
    process = start("solvers", "verified", option, env={**os.environ, **paths})
    wait_for(begun.exists)
    process.send_signal(sign)
    _, complaints = process.communicate(timeout=60)
    assert (process.returncode, complaints) == (code, f"kazoeru: ended by {by}\n")
    wait_for(lambda: not any(Path("/proc", pid).exists() for pid in begun.read_text().split()), 5)


def has_what_is_needed(tmp_path: Path, *build: str) -> None:
    """What is installed has it: in a new environment, away from the sources, it counts by the program they give."""
    source = tmp_path / "source"
    for name in ("models", "solvers"):
        shutil.copytree(HERE / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(HERE / name, source)
    venv.create(tmp_path / "new", symlinks=True)
    python = tmp_path / "new" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--python", str(python)]
    subprocess.run([*pip, "install", "--no-deps", source], check=True)
    (packages,) = (tmp_path / "new").glob("lib/python*/site-packages")
    (packages / "others.pth").write_text("\n".join(path for path in sys.path if path.endswith("site-packages")))

    def said(*words: str) -> str:
        done = subprocess.run([python, "-m", *words], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
        assert done.returncode == DONE
        return done.stdout

    if build:
        assert said("solvers", "verified", *build).endswith(f"\n{counter.program()}\n")
    report = said("solvers.run", "pentomino", "--board", "3x20", "--verified", "--json")
    assert '"grade": "verified counter"' in report


@pytest.mark.slow
def test_an_installed_package_builds_it(tmp_path: Path, ocaml: None) -> None:
    has_what_is_needed(tmp_path, "--build")


def count(text: str) -> int:
    return counter.count(text, threading.Event())[0]


AXIOMS = (HERE / "solvers" / "extras" / "counts" / "verified" / "axioms.txt").read_text(encoding="utf-8")


def tools(folder: Path, axioms: str, *, has_zarith: bool = True) -> None:
    """Programs in place of Coq and OCaml: one prints these axioms, one makes a program that counts to 7.

    has_zarith: whether the folder that findlib names has what a build needs of zarith, or only what runs need.
    """
    (folder / "axioms").write_text(axioms, encoding="utf-8")
    compiled = "printf '#!/bin/sh\\necho 7\\n' > count; chmod +x count"
    scripts = {
        "coqc": f'touch {folder}/asked; [ "$4" != Extract.v ] || cat {folder}/axioms',
        "ocamlfind": f'[ "$1" != query ] || {{ echo {folder}; exit 0; }}; {compiled}',
        "ocamlopt": "exit 1",
    }
    for name, script in scripts.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
    if has_zarith:
        (folder / "zarith.cmxa").touch()


@pytest.fixture(name="away")
def in_a_cache_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder for programs that are found first; what is built is not that of the user."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return tmp_path


def test_a_build_begins_with_what_it_needs(away: Path) -> None:
    tools(away, AXIOMS, has_zarith=False)
    assert refusal("--build", module=COMMAND).startswith("the verified counter needs zarith to be built: install")
    assert not (away / "asked").exists()


@pytest.mark.parametrize(
    "printed",
    [
        f"Axioms:\n{AXIOMS}left_out : forall n : nat, n = 0\n",
        f"Axioms:\nadd_spec : False\n{AXIOMS}",
        f"Axioms:\n{AXIOMS}f is assumed to be guarded.\n",
        f"Axioms:\n{AXIOMS}add\n  : forall x : int,\n    x = x\n",
        "Closed under the global context\n",
        "",
    ],
)
def test_other_axioms_are_told(printed: str, away: Path) -> None:
    tools(away, printed)
    with pytest.raises(CheckError, match=r"rests on what axioms\.txt does not allow: "):
        counter.prove(threading.Event())


@pytest.mark.parametrize("gap", ["Admitted.", "Proof. admit. Qed."])
def test_a_proof_that_is_left_out_is_told(gap: str, away: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where no axiom tells, as nothing rests on it."""
    tools(away, f"Axioms:\n{AXIOMS}")
    whole = counter._source
    more = f"\nLemma gap : 1 = 2. {gap}\n".encode()
    monkeypatch.setattr(counter, "_source", lambda name: whole(name) + (more if name == "Words.v" else b""))
    with pytest.raises(CheckError, match=r"Words\.v leaves out a proof"):
        counter.prove(threading.Event())
    assert not (away / "asked").exists()


def test_the_program_is_the_one_that_was_built(away: Path) -> None:
    """Its checksum is recorded, held before each use and told; another program is refused, also without a record."""
    tools(away, f"Axioms:\n{AXIOMS}")
    place = counter.build(threading.Event())
    assert counter.count("a\na\n", threading.Event()) == [7]
    assert counter.checksum() == sha256(place.read_bytes()).hexdigest()
    cover = write(away / "cover.dlx", "a b\na b\na\nb\na\nb\na\nb\n")
    place.write_text(place.read_text().replace("7", "10"))
    for words in ("not the verified counter that was built", "the verified counter is not built"):
        assert words in refusal("packing", "--board", "2x2", "--pieces", "dominoes x*", "--verified", "--jobs", "1")
        assert words in refusal(str(cover), module=COMMAND)
        place.with_name("sha256.txt").unlink(missing_ok=True)


@pytest.mark.slow
def test_coq_tells_an_axiom(coq: None, away: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lemma that became an axiom."""
    whole = counter._source
    lemma = re.compile(rb"Lemma (means_nothing .*?\.)\nProof\..*?Qed\.", re.S)
    monkeypatch.setattr(counter, "_source", lambda name: lemma.sub(rb"Axiom \1", whole(name)))
    with pytest.raises(CheckError, match=r"does not allow: .*means_nothing"):
        counter.prove(threading.Event())


@pytest.mark.slow
def test_coq_writes_the_counter_that_is_compiled(coq: None) -> None:
    assert "Coq writes from it the counter that is compiled" in counter.prove(threading.Event())


def test_another_counter_is_told(away: Path) -> None:
    tools(away, f"Axioms:\n{AXIOMS}")
    written = "".join(f"printf other > {name};" for name in counter.EXTRACTED)
    (away / "coqc").write_text(f"#!/bin/sh\n{written} cat {away}/axioms\n")
    with pytest.raises(CheckError, match=r"writes another counter\.mli"):
        counter.prove(threading.Event())


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("02|a b\na b\na\n", "a number is not written plainly"),
        ("a a\na\n", "an item is named twice"),
        ("a b\nc\n", "c is none of the items"),
        ("a b\na b:1\n", "b:1 is none of the items"),
        ("a | b\na\n", "secondary items are written"),
        ("", "no items"),
        ("2|a b\na\na\nb\n| symmetry 1 0\n", "does not permute the options"),
        ("2|a b\na b\na\nb\n| symmetry 1 0 2\n", "does not carry items to items"),
    ],
)
def test_texts_that_say_no_cover(text: str, reason: str, built: Path) -> None:
    with pytest.raises(InputError, match=reason):
        count(text)


def test_ways_to_write_the_same(built: Path) -> None:
    plain = "0:2|a b c\na b\nc\na\nb c\n"
    assert count(plain) == count("| a comment\n0:2|a  1|b 1:1|c \n\na b\n| near 3\nc\na\n|\nb c") == 4


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("model", "solutions"),
    [(sums(), SUMS), *((domino(size, size).model, SQUARES[size]) for size in (2, 4, 6, 8, 10, 14))],
)
def test_known_numbers(built: Path, model: CpModel, solutions: int) -> None:
    assert count(text_of(model)) == solutions


@pytest.mark.thorough
@given(model=covers)
@settings(max_examples=25, deadline=None)
def test_random_covers(built: Path, model: CpModel) -> None:
    assert count(text_of(model)) == len(brute_force(model))


@pytest.mark.thorough
@given(cover=closed_covers())
@settings(max_examples=10, deadline=None)
def test_orbits(built: Path, cover: Puzzle) -> None:
    result = solve(cover, backend="cp-sat", verified=True, jobs=1)
    assert result.report.counted_again


@pytest.mark.thorough
def test_symmetries_are_checked(built: Path) -> None:
    """Ways to cover four items in a row by ones and pairs: 5, of which two are mirror images."""
    cover = "a b c d\n{}a b\na\nd\nd c\nb c\nb\nc\n"
    mirror, other = "| symmetry 3 2 1 0 4 6 5\n", "| symmetry 3 2 1 0 4 5 6\n"
    turns = "a b c\n| symmetry 1 2 0\n{}a\nb\nc\n"
    for text, numbers in (
        (cover.format(""), [5]),
        (cover.format(mirror), [5, 4]),
        (cover.format(mirror + "| order 3 1 9\n"), [5, 4]),
        (turns.format("| symmetry 2 0 1\n"), [1, 1]),
    ):
        assert counter.count(text, threading.Event()) == numbers
    for wrong in (other, mirror * 2, "| symmetry 0 1\n", "| symmetry 3 2 1 0 4 6 7\n", "| symmetry 3 3 1 0 4 6 5\n"):
        with pytest.raises(InputError, match="symmetr"):
            counter.count(cover.format(wrong), threading.Event())
    with pytest.raises(InputError, match="symmetries is wrong"):  # the third turn is missing, so it is no group
        counter.count(turns.format(""), threading.Event())


def test_a_symmetry_carries_options_to_options() -> None:
    model = sums()
    model.add(model.get_bool_var_from_proto_index(0) == 0)
    image = {n: n for n in range(-5, 5)} | {0: 1, 1: 0, -1: -2, -2: -1}
    with pytest.raises(InputError, match="does not carry the rules"):
        symmetry_of(cover_of(model), image)


def read_again(text: str, stop: threading.Event, gigabytes: float | None = None) -> list[int]:
    """What the counter says of a file, by going through all choices of its options."""
    head, *rest = text.splitlines()
    bounds = dict[str, tuple[int, int]]()
    for word in head.split():
        told, _, name = word.rpartition("|")
        low, high = map(int, (told or "1:1").split(":"))
        bounds[name] = low, high
    options = [line.split() for line in rest if not line.startswith("|")]
    images = [[int(n) for n in line.split()[2:]] for line in rest if line.startswith("| symmetry")]
    holds = {name: frozenset(n for n, option in enumerate(options) if name in option) for name in bounds}
    items = {(*bounds[name], held) for name, held in holds.items()}
    if any(
        (low, high, frozenset(image[n] for n in held)) not in items for image in images for low, high, held in items
    ):
        raise InputError("a symmetry does not carry items to items")
    found = [
        frozenset(n for n, is_chosen in enumerate(choice) if is_chosen)
        for choice in product((0, 1), repeat=len(options))
        if all(low <= sum(choice[n] for n in held) <= high for low, high, held in items)
    ]
    orbits = {frozenset([one, *(frozenset(image[n] for n in one) for image in images)]) for one in found}
    return [len(found), *([len(orbits)] if images else [])]


def by_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have files read again in place of the counter, which need not be built then."""
    monkeypatch.setattr(counter, "count", read_again)
    monkeypatch.setattr(counter, "checksum", str)


@pytest.mark.thorough
def test_random_bounds_and_their_symmetries(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written of models with all that bounds can say has their solutions; the symmetries are found."""
    by_reading(monkeypatch)
    assert confirmed(random.Random(1), 20) > 8


def confirmed(chance: random.Random, models: int) -> int:
    """Of how many random models the counter confirms solutions in all, which are also those of an enumeration."""
    right = 0
    for _ in range(models):
        model = random_bounds(chance)
        with suppress(NoCoverError):
            items_of(model)
            result = solve(of_model(model), verified=True, symmetry="found", jobs=1)
            assert result.report.evidence.grade == "verified counter"
            assert result.total == len(set(brute_force(model)))
            right += 1
    return right


def negation(label: str, value: int) -> tuple[str, int]:
    return label, 1 - value


@pytest.mark.parametrize("symmetry", ["declared", "found"])
def test_a_symmetry_that_negates(symmetry: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two options exactly one is chosen, and which one is the same by symmetry."""
    by_reading(monkeypatch)
    cover = puzzle(dict.fromkeys("ab", BOOLEAN), lambda m, a, b: m.add_exactly_one(a, b))
    result = solve(replace(cover, symmetries=[negation]), symmetry=symmetry, verified=True, jobs=1)
    assert (result.solutions, result.total) == (1, 2)
    assert result.report.evidence.counted_again
    assert "its symmetries" in result.report.evidence.counted_again.shared


def test_a_symmetry_that_no_rule_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    """It exchanges two options, of which each rule names another; only the solutions in all are counted again."""
    by_reading(monkeypatch)
    rules = [lambda m, a, b, c: m.add_exactly_one(a, b, c), lambda m, a, b, c: m.add(a + c <= 1)]
    cover = replace(
        puzzle(dict.fromkeys("abc", BOOLEAN), *rules),
        symmetries=[lambda label, v: ({"a": "b", "b": "a"}.get(label, label), v)],
    )
    result = solve(cover, verified=True, jobs=1)
    assert (result.solutions, result.total) == (2, 3)
    assert result.report.evidence.counted_again
    assert "what is said of its symmetries" in result.report.evidence.counted_again.shared


@pytest.mark.parametrize(
    "rules",
    [
        [lambda m, a, b: m.add_bool_or([])],
        [lambda m, a, b: m.add_exactly_one([])],
        [lambda m, a, b: m.add(a + b >= 3)],
        [lambda m, a, b: m.add(a + b <= 0), lambda m, a, b: m.add_bool_or(a, b)],
        [lambda m, a, b: m.add(a == 0), lambda m, a, b: m.add(a == 1)],
    ],
)
def test_what_cannot_be(rules: Sequence[Rule]) -> None:
    model = declared(dict.fromkeys("ab", BOOLEAN), lambda m, a, b: m.add_exactly_one(a, b), *rules)
    assert read_again(text_of(model), threading.Event()) == [0]


@pytest.mark.thorough
def test_wrong_hints_make_no_wrong_count(built: Path) -> None:
    """A wrong order of options, neighbours that are none, more items said to be near: refused, or counted right."""
    text, chance = text_of(domino(4, 6).model), random.Random(1)
    lines, counted = text.splitlines(), 0
    for _ in range(20):
        head = [line for line in lines[1:] if line.startswith(("| near", "| link"))]
        options = [line for line in lines[1:] if not line.startswith("|")]
        chance.shuffle(options)
        options.sort(key=lambda line: line.split()[0] if chance.random() < 0.9 else "")
        hints = [f"| near {chance.randrange(25)}"]
        hints += [f"| link {chance.randrange(24)} {chance.randrange(24)}" for _ in head]
        with suppress(InputError):
            assert count("\n".join([lines[0], *hints, *options])) == 281
            counted += 1
    assert counted


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    path = write(tmp_path / "cover.dlx", b"\xff")
    assert refusal(str(path), module=COMMAND) == f"{path}: byte 0 is not text; give a UTF-8 file"


@pytest.mark.thorough
def test_the_command(built: Path, tmp_path: Path) -> None:
    path = write(tmp_path / "cover.dlx", "a b 1:2|c 0:1|d\na c\nb c\na b c\nd\n")
    assert printed(str(path), module=COMMAND) == "4\n"
    path.write_text("a b\na x\n")
    assert "x is none of the items" in refusal(str(path), module=COMMAND)
    with pytest.raises(MemoryError):
        counter.count(text_of(domino(4, 4).model), threading.Event(), 0.1)
    stop = threading.Event()
    stop.set()
    with pytest.raises(Stopped):
        counter.count(text_of(domino(8, 14).model), stop)


def test_no_shell_starts_the_counter(away: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor any other program that the environment names."""
    tools(away, AXIOMS)
    assert counter.build(threading.Event()).exists()
    for name in ("sh", "python", "python3"):
        (away / name).write_text("#!/bin/sh\necho 8\n")
        (away / name).chmod(0o755)
    assert counter.count("", threading.Event()) == [7]
