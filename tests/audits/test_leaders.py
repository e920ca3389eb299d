"""Verdicts that are proved without a list of solutions, against lists of all solutions of small models."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from ortools.sat.python.cp_model import CpModel

from models.puzzle import Puzzle
from solvers.backends.registry import extension_backend
from solvers.base.deadline import Deadline
from solvers.extras.audits.audit.judge import audit
from solvers.extras.audits.proofs.leaders import FirstKept, Prover, symmetries_without_list
from solvers.extras.audits.proofs.other_data import agree, with_smaller_data
from solvers.extras.audits.reading.marks import read_marks
from solvers.extras.audits.reading.orbits import are_extendable
from solvers.running.stated import model_and_variables
from solvers.symmetry.key import Key
from tests.audits.audits import orbits, sample, verdict
from tests.support import declared
from tests.support.own_models import write

Condition = Callable[[Sequence[Any]], Any]


class Case(NamedTuple):
    """A model, and the same in Python."""

    puzzle: Puzzle
    names: list[str]
    solutions: list[tuple[int, ...]]
    kept: list[list[tuple[int, ...]]]
    """What each of the breakings leaves, and all together."""


def case(seed: int) -> Case:
    """Four variables of three values in a row or a square, symmetric rules, and breakings that are right or wrong."""
    chance = Random(seed)
    a, b, c, d = chance.sample(range(4), 4)
    value, bound = chance.randrange(3), chance.randint(2, 6)
    rules: list[Condition] = [
        lambda x: sum(x) <= bound,
        lambda x: sum(x) != bound,
        lambda x: x[a] != x[b],
        lambda x: x[0] + x[1] != x[2] + x[3],
        lambda x: x[0] - x[1] != x[2] - x[3],
        lambda x: x[c] + x[d] >= 1,
        lambda x: x[a] + x[b] + x[c] != 3,
    ]
    breakings: list[Condition] = [
        lambda x: x[0] <= x[1],
        lambda x: x[a] <= x[b],
        lambda x: x[a] < x[b],
        lambda x: x[a] >= x[c],
        lambda x: x[a] == value,
        lambda x: x[a] <= value,
        lambda x: x[a] + x[b] <= x[c] + x[d],
        lambda x: 3 * x[a] + x[b] <= 3 * x[c] + x[d],
        lambda x: 3 * x[0] + x[1] <= 3 * x[2] + x[3],
        lambda x: 3 * x[a] + x[b] <= 3 * x[b] + x[a],
        lambda x: sum(x) <= 4,
        lambda x: 2 * x[a] + x[b] != 3,
    ]
    chosen = chance.sample(rules, chance.randint(0, 2))
    broken = chance.sample(breakings, chance.randint(1, 3))
    model = CpModel()
    x = [model.new_int_var(0, 2, f"x{n}") for n in range(4)]
    for rule in chosen:
        model.add(rule(x))
    for number, breaking in enumerate(broken):
        model.add(breaking(x)).with_name(f"breaking {number}")
    solutions = [values for values in product(range(3), repeat=4) if all(rule(values) for rule in chosen)]
    kept = [[values for values in solutions if breaking(values)] for breaking in broken]
    if len(broken) > 1:
        kept.append([values for values in solutions if all(breaking(values) for breaking in broken)])
    names = [f"breaking {number}" for number in range(len(broken))]
    return Case(Puzzle(f"case {seed}", {}, model, dict(enumerate(x))), names, solutions, kept)


def proofs(puzzle: Puzzle, names: Sequence[str]) -> tuple[list[FirstKept | None], list[dict[Any, Any]]]:
    """The proof for each breaking and for all together, and generators of the group as maps of literals."""
    of = read_marks(puzzle, {}, names)
    stop = Deadline(threading.Event())
    base = of.puzzle(())
    symmetries = symmetries_without_list(base, None, "found", stop)
    assert symmetries
    key = symmetries.key
    moves = [{key.literal(n): key.literal(int(one[n])) for n in range(key.size)} for one in symmetries.first]
    return Prover(of, base, symmetries, stop).proofs(of.mark_places(breaking=True)), moves


def judged(of: Any) -> list[str]:
    """Compare the proofs with the list of all solutions; the result tells what was proved, and what was lost."""
    found, moves = proofs(of.puzzle, of.names)
    parts = orbits(moves, of.solutions) if moves else [{solution} for solution in of.solutions]
    assert len(found) == len(of.kept)
    told = []
    for proof, kept in zip(found, of.kept, strict=True):
        by_list = verdict(parts, kept)
        if proof:
            assert by_list != "lossy"
            assert proof.keeps_one is None or proof.keeps_one == (by_list == "complete")
        told.append(f"{by_list}, {'proved' if proof else 'not proved'}")
    return told


@pytest.mark.thorough
@pytest.mark.parametrize("seeds", [range(12)])
def test_nothing_is_proved_where_an_orbit_is_lost(seeds: range) -> None:
    told = Counter(one for seed in seeds for of in (case(seed), sample(seed)) if of.solutions for one in judged(of))
    assert told.keys() >= {"lossy, not proved", "partial, proved", "complete, proved"}
    proved, open_ = told["complete, proved"] + told["partial, proved"], told["partial, not proved"]
    assert proved > open_ > 0


def row(size: int, *breakings: Condition) -> tuple[Puzzle, list[str]]:
    """Different numbers below 100, far too many to be listed, and breakings with names."""
    names = [f"breaking {number}" for number in range(len(breakings))]
    puzzle: Any = declared.puzzle(
        dict.fromkeys(range(size), (0, 99)),
        lambda model, *x: model.add_all_different(x),
        *(lambda model, *x, n=n, b=b: model.add(b(x)).with_name(n) for n, b in zip(names, breakings, strict=True)),
    )
    return puzzle, names


def test_breakings_that_contradict_each_other_are_not_proved_together() -> None:
    puzzle: Any = declared.puzzle(
        dict.fromkeys("xy", (0, 9)),
        lambda model, x, y: model.add(x + y == 9),
        lambda model, x, y: model.add(x < y).with_name("up"),
        lambda model, x, y: model.add(x > y).with_name("down"),
    )
    up, down, together = proofs(puzzle, ["up", "down"])[0]
    assert up
    assert down
    assert not together


@pytest.mark.thorough
@pytest.mark.usefixtures("minizinc")
def test_a_breaking_that_makes_two_labels_one_variable(tmp_path: Path) -> None:
    """MiniZinc compiles x = y to one variable, so that values which differ must not overwrite each other."""
    path = write(
        tmp_path / "equal.mzn",
        "var 1..3: x; var 1..3: y; constraint x + y != 5;\n"
        "constraint symmetry_breaking_constraint(x = y); constraint redundant_constraint(x = y); solve satisfy;",
    )
    of = read_marks(str(path), {}, [])
    stop = Deadline(threading.Event())
    symmetries = symmetries_without_list(of.puzzle(()), None, "found", stop)
    assert symmetries
    assert Prover(of, of.puzzle(()), symmetries, stop).proofs(of.mark_places(breaking=True)) == [None]
    result = audit(str(path))
    assert (result.breaking[0].verdict, result.redundant[0].is_implied) == ("lossy", False)


@pytest.mark.parametrize(
    ("verdicts", "kept"),
    [
        ("lossy lossy", ["n=1", "n=2"]),
        ("? lossy lossy", ["n=2", "n=3"]),
        ("lossy ? lossy", ["n=3"]),
        ("lossy lossy ?", []),
        ("lossy lossy ...", ["n=1", "n=2"]),
    ],
)
def test_a_size_that_stays_open_is_not_passed_over(verdicts: str, kept: list[str]) -> None:
    """What is firm with less data is no verdict for larger ones then; but it is if the time ends ("...")."""
    sizes = dict(enumerate(verdicts.split(), 1))

    def judge(size: int, _: float) -> SimpleNamespace:
        own = sizes[size]
        return SimpleNamespace(
            is_firm=own == "lossy", has_ended=own != "...", is_listed=True, is_idle=False, verdicts=[own]
        )

    of = SimpleNamespace(sizes=[("n", 9)], counts=["n"], smaller=lambda _: [(f"n={size}", size) for size in sizes])
    found = with_smaller_data(of, judge, print, threading.Event(), time.perf_counter() + 60)  # type: ignore[arg-type]
    assert [*found] == kept
    assert agree(found) is (len(kept) > 1)


def test_booleans_that_are_0_are_values_that_a_model_is_asked_for() -> None:
    puzzle: Any = declared.puzzle(
        dict.fromkeys("ab", declared.BOOLEAN),
        lambda model, a, b: model.add_bool_or(a, b).with_name("some"),
    )
    model, variables = model_and_variables(puzzle)
    backend = extension_backend(model, [*variables.values()], threading.Event())
    decoded = Key(model, variables).decode(())
    assert not [*decoded.items()]
    assert are_extendable(backend, variables, [decoded, {"a": 0, "b": 0}, {"a": 1, "b": 0}, {"a": 0}]) == [
        False,
        False,
        True,
        True,
    ]
