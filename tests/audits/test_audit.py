"""Marked constraints judged, against all permutations of all literals."""

import itertools
import json
import signal
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import cpmpy
import pytest
from ortools.sat.python.cp_model import CpModel

from models.puzzle import Puzzle
from solvers import InputError, solve
from solvers.base.options import Options
from solvers.extras.audits.audit.judge import audit
from solvers.extras.audits.diff.difference import diff
from solvers.extras.audits.proofs.known import AllSolutions, judge_line, solutions_of
from solvers.extras.audits.reading.cuts import Definitions, cut
from solvers.extras.audits.reading.marks import read_marks
from solvers.extras.audits.reading.orbits import Lister, orbits_of
from solvers.extras.audits.reading.source import BREAKING, REDUNDANT, Source
from solvers.model.reading import variables_in
from solvers.running.runner import Run
from tests.audits.audits import lost, orbits, sample, verdict, whole_group
from tests.support import declared
from tests.support.backends import GENERAL
from tests.support.command import heeds_signals, on_this_load, printed, refusal, start, wait_for
from tests.support.own_models import write
from tests.support.refusals import refused

LISTER = Lister(lambda puzzle, chosen: Run(puzzle.name, {}, lambda: puzzle, chosen), Options(symmetry="found", jobs=1))


def without_names(model: CpModel) -> CpModel:
    """The model without the constraints that have a name."""
    rest = model.clone()
    for constraint in rest.proto.constraints:
        if constraint.name:
            constraint.clear_linear()
    return rest


COMMAND = "solvers.extras.audits.audit.__main__"

QUEENS = """include "globals.mzn";
int: n = 6;
array[1..n] of var 1..n: q;
constraint alldifferent(q) /\\ alldifferent([q[i] + i | i in 1..n]) /\\ alldifferent([q[i] - i | i in 1..n]);
constraint symmetry_breaking_constraint(q[1] < q[n]); % "a reflection"
constraint redundant_constraint(sum(q) = n * (n + 1) div 2);
constraint :: "first half" q[1] <= n div 2;
solve satisfy;
"""


def model(folder: Path, text: str = QUEENS, name: str = "model.mzn") -> Path:
    return write(folder / name, text)


def judge(seed: int) -> list[str]:
    """The verdicts on a sample; they have to be those of its definition.

    So has what the benchmark of published models tells without a group, of what is lost.
    """
    of = sample(seed)
    found: Any = audit(of.puzzle, breaking=of.names, jobs=1)
    judgements = [*found.breaking, found.together]
    verdicts = [one.verdict for one in judgements]
    if not of.solutions:
        assert {*verdicts} == {"not known"}
        return []
    key, generators = found.orbits.key, found.orbits.group.generators
    whole = whole_group([after - first for first, after in pairwise(key.first)], of.solutions)
    own = [{key.literal(n): key.literal(int(element[n])) for n in range(key.size)} for element in generators]
    assert all(element in whole for element in own)
    parts, parts_of_whole = orbits(own, of.solutions), orbits(whole, of.solutions)
    assert (found.orbits.total, len(found.orbits.sizes)) == (len(of.solutions), len(parts))
    for one, kept in zip(judgements, of.kept, strict=True):
        gone = {solution for part in parts_of_whole if part.isdisjoint(kept) for solution in part}
        assert set(lost(of.solutions, set(kept))) == gone
        by_found, by_whole = verdict(parts, kept), verdict(parts_of_whole, kept)
        assert one.kept == len(kept), one.constraints
        if by_found != "lossy":
            assert one.verdict == by_found
            assert by_whole != "lossy"
            assert bool(one.under_whole) == (len(parts_of_whole) < len(parts))
            assert not one.under_whole or one.under_whole.verdict == by_whole
        elif by_whole == "lossy":
            lost_parts = sum(part.isdisjoint(kept) for part in parts_of_whole)
            assert (one.verdict, one.group) == ("lossy", "whole")
            assert (one.orbits, one.orbits - one.hit) == (len(parts_of_whole), lost_parts)
        else:
            assert (one.verdict[:13], bool(one.explained_by_whole)) == ("not explained", True)
    return verdicts


@pytest.mark.thorough
def test_verdicts_are_those_of_all_permutations() -> None:
    verdicts = Counter(verdict for seed in range(12) for verdict in judge(seed))
    assert len(verdicts) == 4, verdicts


def permutations(size: int = 3) -> tuple[Puzzle, CpModel, list[Any]]:
    puzzle: Any = declared.puzzle(
        dict.fromkeys(range(size), (0, size - 1)), lambda model, *x: model.add_all_different(x)
    )
    return puzzle, puzzle.model, [*puzzle.key.values()]


@pytest.mark.thorough
def test_sound_alone_and_lossy_together() -> None:
    puzzle, cp_model, x = permutations(2)
    marks = [cp_model.add(x[0] < x[1]).with_name("up"), cp_model.add(x[0] > x[1])]
    result: Any = audit(puzzle, breaking=marks)
    assert [one.verdict for one in result.breaking] == ["complete", "complete"]
    assert result.breaking[0].constraints == ["up"]
    assert (result.together.verdict, result.verdict, result.code) == ("lossy", "lossy", 4)
    assert "all of them together" in str(result)
    assert audit(puzzle, breaking=[marks]).verdict == "lossy"


@pytest.mark.thorough
def test_a_list_is_judged_as_one() -> None:
    puzzle, cp_model, x = permutations()
    result = audit(puzzle, breaking=[[cp_model.add(x[0] < x[1]), cp_model.add(x[1] < x[2])]])
    assert ([one.verdict for one in result.breaking], result.together) == (["complete"], None)
    assert result.breaking[0].breaks


def hidden(breaking: Any, **options: Any) -> Any:
    """A model whose symmetry, the exchange of x and y, its only rule hides."""
    pairs = [100 * a + b for a in range(5) for b in range(5) if (a * b) % 3 == 2 or a + b == 5]
    puzzle = declared.puzzle(
        # So many values that their pairs are not looked at.
        {"x": (0, 40), "y": (0, 40), "pair": declared.of(*pairs)},
        lambda model, x, y, pair: model.add(pair == 100 * x + y),
        lambda model, x, y, _: model.add(breaking(x, y)).with_name("breaking"),
        key="xy",
    )
    return audit(puzzle, breaking=["breaking"], **options)


@pytest.mark.thorough
def test_hidden_symmetries_are_not_taken_for_none() -> None:
    result = hidden(lambda x, y: x <= y)
    assert (result.orbits.group.order, result.code) == (1, 3)
    assert result.verdict == "not explained by the symmetries found"
    assert result.breaking[0].explained_by_whole
    assert result.firm is None
    loss = replace(result, breaking=[replace(result.breaking[0], verdict="lossy", explained_by_whole=None)])
    result.smaller = {"n=2": loss, "n=3": loss}
    assert result.firm is None
    assert "this may come of the smaller data alone" in str(result)
    result.breaking[0].explained_by_whole = None
    assert result.firm == ("lossy", "n=3", [], True)
    assert "no symmetry was found" in str(result)
    idle = hidden(lambda x, y: x + y >= 0)
    first, second = str(idle.breaking[0]).splitlines()
    assert first == "complete: it removes none of 8 solutions; no symmetry was found"
    assert second.startswith("partial under the whole group of the solutions:")


@pytest.mark.thorough
def test_symmetries_of_numbers_that_stand_in_digits_in_several_ways_explain_their_order() -> None:
    """Numbers in any order are written behind each other, one of them with a zero before it.

    To exchange numbers of different lengths moves digits. Each order of the numbers has as many ways to be written, by
    which digits do not tell what orders there are.
    """
    model = CpModel()
    digits = {place: model.new_int_var(0, 9, f"digit {place}") for place in range(5)}
    numbers = [model.new_int_var(0, 99, f"number {place}") for place in range(3)]
    written = [
        [*map(int, "".join("0" * (place == zero) + str(number) for place, number in enumerate(some))), *some]
        for some in itertools.permutations((1, 27, 8))
        for zero in range(3)
    ]
    model.add_allowed_assignments([*digits.values(), *numbers], written)
    order = [model.add(numbers[0] < numbers[1]), model.add(numbers[1] < numbers[2])]
    result = audit(Puzzle("numbers", {}, model, digits), breaking=order)
    assert result.orbits.total == len(written)
    assert result.together
    verdicts = {one.verdict for one in (*result.breaking, result.together)}
    assert verdicts == {"not explained by the symmetries found"}


@pytest.mark.thorough
def test_a_symmetry_is_said_in_a_line() -> None:
    told = hidden(lambda x, y: x <= y, symmetry="x -> y; y -> x")
    assert (told.verdict, told.code, told.breaking[0].group, told.breaking[0].order) == ("complete", 0, "said", 2)
    assert "x -> y; y -> x (proved: all solutions were listed)" in str(told)
    assert told.breaking[0].breaks == ["x -> y; y -> x"]
    wrong = hidden(lambda x, y: x == 4, symmetry=["x -> y; y -> x"])
    assert (wrong.verdict, wrong.code) == ("lossy", 4)
    refuted = hidden(lambda x, y: x <= y, symmetry=["x -> 4-x"])
    assert (refuted.lines[0].is_symmetry, refuted.code, refuted.breaking[0].group) == (False, 4, "found")
    assert "refuted: x -> 4-x maps a solution to none\n    x=" in str(refuted)


def matrices() -> Puzzle:
    """Matrices of 3 x 4 Booleans with two in each row, whose rows ascend and whose columns descend."""
    model = CpModel()
    x = {(r, c): model.new_bool_var("") for r in range(3) for c in range(4)}
    rows = [sum(x[r, c] * 2 ** (3 - c) for c in range(4)) for r in range(3)]
    columns = [sum(x[r, c] * 2 ** (2 - r) for r in range(3)) for c in range(4)]
    for r in range(3):
        model.add(sum(x[r, c] for c in range(4)) == 2)
    for lower, upper, name in ((rows[:-1], rows[1:], "rows"), (columns[1:], columns[:-1], "columns")):
        for one, other in zip(lower, upper, strict=True):
            model.add(one <= other).with_name(name)
    return Puzzle("matrices", {}, model, {f"x[{r},{c}]": cell for (r, c), cell in x.items()})


@pytest.mark.thorough
@pytest.mark.parametrize("lines", [["rows"], ["columns"], ["rows", "columns"]])
def test_the_verdict_under_what_is_said_comes_first(lines: list[str]) -> None:
    """The symmetries found are more, such as exchanged values of one row; they explain what those said do not."""
    result = audit(matrices(), breaking=["rows", "columns"], symmetry=[f"swap {line} of x" for line in lines])
    every = [one for one in product(product([0, 1], repeat=4), repeat=3) if all(sum(row) == 2 for row in one)]
    orbits = {
        one: min(
            tuple(tuple(one[r][c] for c in columns) for r in rows)
            for rows in (itertools.permutations(range(3)) if "rows" in lines else [range(3)])
            for columns in (itertools.permutations(range(4)) if "columns" in lines else [range(4)])
        )
        for one in every
    }
    checks = {
        "rows": lambda one: [*one] == sorted(one),
        "columns": lambda one: [*zip(*one, strict=True)] == sorted(zip(*one, strict=True), reverse=True),
    }
    for names, judged in zip((["rows"], ["columns"], ["rows", "columns"]), result.judged, strict=True):
        kept = [one for one in every if all(checks[name](one) for name in names)]
        hit, number = len({orbits[one] for one in kept}), len({*orbits.values()})
        expected = "lossy" if hit < number else "complete" if len(kept) == number else "partial"
        assert (judged.verdict, judged.orbits, judged.hit, judged.kept) == (expected, number, hit, len(kept))
        assert judged.group == "said"
        assert judged.with_found
        assert (judged.with_found.group, judged.with_found.orbits) == ("joined", 1)
        assert judged.as_json()["with_found"]["verdict"] == judged.with_found.verdict
    assert (result.verdict, result.code) == ("lossy", 4)
    assert result.together
    assert result.together.with_found
    assert result.together.with_found.verdict == "complete"
    text = str(result)
    assert text.index("lossy: it keeps no solution") < text.index("with the symmetries found, besides: complete")


@pytest.mark.thorough
def test_what_is_said_is_proved_without_a_list() -> None:
    """More permutations than can be listed, of which a reversal exchanges each two."""
    model = CpModel()
    x = {f"x[{n}]": model.new_int_var(0, 11, "") for n in range(12)}
    model.add_all_different(x.values())
    model.add(x["x[0]"] < x["x[11]"]).with_name("ends")
    model.add(x["x[0]"] < x["x[1]"]).with_name("start")
    puzzle = Puzzle("order", {}, model, x)
    result = audit(puzzle, breaking=["ends", "start"], symmetry="x[i] -> x[11-i]", time_limit=9)
    ends, start = result.breaking
    assert (ends.verdict, ends.group, ends.order) == ("complete", "said", 2)
    assert ends.with_found
    assert ends.with_found.verdict == "partial"
    assert (start.verdict, start.group) == ("not known", "said")  # it is lossy, which no proof says
    assert "not known under the symmetries said" in str(result)
    assert result.code == 3


def squares(n: int = 4) -> Puzzle:
    """Permutations of n, in no three of which numbers follow each other, as a row and as a matrix of Booleans."""
    model = CpModel()
    x = {f"x[{place}]": model.new_int_var(1, n, f"x[{place}]") for place in range(1, n + 1)}
    cells = {(r, c): model.new_bool_var("") for r in range(1, n + 1) for c in range(1, n + 1)}
    model.add_all_different(x.values())
    for (r, c), cell in cells.items():
        model.add(x[f"x[{r}]"] == c).only_enforce_if(cell)
        model.add(x[f"x[{r}]"] != c).only_enforce_if(~cell)
    model.add(x["x[1]"] < x[f"x[{n}]"]).with_name("order")
    return Puzzle("squares", {"n": n}, model, x | {f"b[{r},{c}]": cell for (r, c), cell in cells.items()})


@cache
def every_square() -> AllSolutions:
    """All 24 squares of order 4, which one listing finds for every line."""
    puzzle = squares(4)
    solutions = solutions_of(
        orbits_of(replace(puzzle, model=without_names(puzzle.model)), LISTER, threading.Event()), {"n": 4}
    )
    assert solutions
    assert len(solutions.every) == 24
    return solutions


@pytest.mark.parametrize(
    ("line", "is_symmetry"),
    [
        ("x[i] -> x[n+1-i]", True),
        ("x[i]→x[ first + last - i ]", True),
        ("x -> n + 1 - x", True),
        ("x -> x mod n + 1", True),
        ("x -> 2*x div 2", True),
        ("x[i] = v -> x[v] = i", True),
        ("x[i] = v -> x[n+1-v] = -(-i)", True),
        ("x -> x div 2 + 1", False),
        ("x[i] = v -> x[v] = v", False),
        ("x[i] = v -> x[v] = i div (v-2)", False),
        ("x -> x+1", False),
        ("swap elements of x", True),
        ("swap numbers of x", True),
        ("swap indices of b", True),
        ("swap numbers of b", False),
        ("swap values of x", True),
        ("swap rows of b", True),
        ("swap columns of b", True),
        ("swap values of b", False),
        ("transpose b", True),
        ("transposition of b", True),
        ("b[i,j] -> b[j,n+1-i]", True),
        ("b -> 1-b", False),
        ("x[i] -> x[n+1-i]; b[i,j] -> b[n+1-i,j]", True),
        ("x[i] -> x[n+1-i]; b[i,j] -> b[i,n+1-j]", False),
    ],
)
def test_what_a_line_says(line: str, is_symmetry: bool) -> None:
    """Whatever is said of one of the two arrays, the other follows."""
    judged = judge_line(line, every_square())
    assert (judged.is_symmetry, bool(judged.example)) == (is_symmetry, not is_symmetry)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", "is no symmetry; allowed are found, declared"),
        ("none", "one kind of symmetries"),
        ("mirror", "is no symmetry; allowed"),
        ("x[i] -> x[i+1]", "moves x.4. to x.5., which there is not"),
        ("y -> 1-y", "the key has no array y; it has x, b"),
        ("x -> m-x", "m is no number that is known; known are n, "),
        ("x -> best-x", "best is no number that is known"),
        ("x -> x div 0", "division by 0"),
        ("x -> x**2", "more than numbers, names"),
        ("x -> f(x)", "more than numbers, names"),
        ("x -> __import__('os')", "more than numbers, names"),
        ("x -> x +", "is no sum"),
        ("x -> 1.5*x", "more than numbers, names"),
        ("x -> " + "(" * 100 + "x", "is no sum"),
        ("x -> " + "1+" * 500 + "x", "too long"),
        ("x[i,j] -> x[j,i]", "x has dimension 1"),
        ("x[i] -> b[i]", "which there is not"),
        ("x -> b", "which there is not"),
        ("x[i] = v -> x[v]", "not alike"),
        ("x -> n+1-x; x -> x", "moves x twice"),
        ("swap columns of x", "x has dimension 1, and no columns"),
        ("swap things of x", "no things; allowed"),
        ("transpose x", "needs a matrix"),
    ],
)
def test_a_line_that_is_not_allowed(line: str, words: str) -> None:
    refused(words, audit, squares, {"n": 4}, breaking=["order"], symmetry=[line])


def test_numbers_change_places_as_indices_and_as_values() -> None:
    """All squares of two rows: the images of each are those of the definition."""
    model = CpModel()
    x = {f"x[{i},{j}]": model.new_int_var(1, 3, f"x[{i},{j}]") for i in (1, 2) for j in (1, 2)}
    more: dict[Any, Any] = {"y": model.new_int_var(1, 1, "y"), "z[1,3]": model.new_constant(3)}
    puzzle = Puzzle("squares", {}, model, {**x, **more})
    every = solutions_of(orbits_of(puzzle, LISTER, threading.Event()), {})
    assert every
    swapped = {1: 2, 2: 1, 3: 3}
    for what, of_value in (("numbers", swapped), ("indices", {1: 1, 2: 2, 3: 3})):
        (image,) = judge_line(f"swap {what} of x", every).generators
        for number, one in enumerate(every.decoded):
            moved = dict(one.items())
            for i, j in product((1, 2), repeat=2):
                moved[f"x[{swapped[i]},{swapped[j]}]"] = of_value[one[f"x[{i},{j}]"]]
            assert moved == dict(every.decoded[image[number]].items())
    refused("y has dimension 0, and no numbers", judge_line, "swap numbers of y", every)
    refused("the indices of z differ by dimension", judge_line, "swap indices of z", every)


def test_variables_that_may_change_places_are_seen() -> None:
    def coins(n: int = 3) -> Puzzle:
        model = CpModel()
        key = {name: model.new_int_var(0, n, name) for name in "abc"}
        part = model.new_int_var(0, n * n, "part")
        model.add_multiplication_equality(part, key["a"], key["b"])
        model.add_multiplication_equality(n, part, key["c"])
        model.add(part <= n * n)  # or else the two products would be joined, and these symmetries found
        model.add(key["a"] <= key["c"]).with_name("order")
        return Puzzle("coins", {"n": n}, model, key)

    result = audit(coins, {"n": 3}, breaking=["order"])
    assert {line.words for line in result.lines} <= {"a -> b; b -> a", "a -> c; c -> a", "b -> c; c -> b"}
    (found,) = result.breaking
    assert (found.verdict, found.group, found.order, found.orbits) == ("partial", "seen", 6, 1)


def test_two_kinds_of_symmetries_are_refused() -> None:
    refused("one kind", audit, squares, breaking=["order"], symmetry=["found", "declared"])


@pytest.mark.thorough
def test_a_symmetry_is_seen_at_two_sizes() -> None:
    """The exchange of rows and columns is no automorphism of the model; at one size, it might be chance."""

    def costas(n: int = 5) -> Puzzle:
        puzzle: Any = declared.puzzle(
            {f"x[{place}]": (1, n) for place in range(1, n + 1)},
            lambda model, *x: model.add_all_different(x),
            *(
                lambda model, *x, step=step: model.add_all_different(b - a for a, b in zip(x, x[step:], strict=False))
                for step in range(1, n - 1)
            ),
            lambda model, *x: model.add(x[0] < x[-1]).with_name("order"),
        )
        return Puzzle("costas", {"n": n}, puzzle.model, puzzle.key)

    result = audit(costas, {"n": 5}, breaking=["order"])
    (found,) = result.breaking
    assert result.orbits.group
    assert (result.orbits.group.order, len(result.orbits.sizes)) == (2, 20)
    assert (found.verdict, found.group, found.order, found.orbits) == ("partial", "seen", 8, 6)
    assert "x[i] = v -> x[v] = i (here and with n=6, of all solutions)" in str(result)
    alone = audit(costas(), breaking=["order"]).breaking[0]  # a declared puzzle has no other size
    assert (alone.group, alone.orbits, alone.verdict[:13], alone.explained_by_whole) == (
        "seen",  # the reversed values, which are proved rule by rule
        10,
        "partial",
        None,
    )


def digits(goal: Any, breaking: Any, key: Sequence[Any] = range(4)) -> Any:
    """Two numbers from 0 to 5, whose exchange no permutation of their digits does: their digits have other values."""
    allowed = [pair for pair in product(range(6), repeat=2) if goal(*pair)]
    puzzle = declared.puzzle(
        {0: (0, 2), 1: (0, 1), 2: (0, 1), 3: (0, 2), "a": (0, 5), "b": (0, 5)},
        lambda model, *d: model.add(d[4] == d[0] + 3 * d[1]),
        lambda model, *d: model.add(d[5] == d[2] + 2 * d[3]),
        lambda model, *d: model.add_allowed_assignments(d[4:], allowed),
        lambda model, *d: model.add(breaking(d[4], d[5], d)).with_name("breaking"),
        key=key,
    )
    return audit(puzzle, breaking=["breaking"])


SAID: dict[str, Any] = {
    "sum": lambda model, u, v, is_less: model.add(u < v),
    "clause": lambda model, u, v, is_less: model.add_bool_or(is_less),
    "no overlap": lambda model, u, v, is_less: model.add_no_overlap(
        [model.new_interval_var(0, u + 1, u + 1, "i"), model.new_fixed_size_interval_var(v, 1, "j")]
    ),
    "cumulative": lambda model, u, v, is_less: model.add_cumulative(
        [model.new_interval_var(0, u + 1, u + 1, "i"), model.new_fixed_size_interval_var(v, 1, "j")], [1, 1], 1
    ),
    "no overlap in the plane": lambda model, u, v, is_less: model.add_no_overlap_2d(
        [model.new_interval_var(0, u + 1, u + 1, "i"), model.new_fixed_size_interval_var(v, 1, "j")],
        [model.new_fixed_size_interval_var(0, 1, "k"), model.new_fixed_size_interval_var(0, 1, "l")],
    ),
    "reservoir": lambda model, u, v, is_less: model.add_reservoir_constraint_with_active(
        [0, 0], [-1, 1], [~is_less, False], 0, 1
    ),
}
"""Ways to say that u is less than v."""


@pytest.mark.thorough
@pytest.mark.parametrize("name", SAID)
def test_how_a_constraint_speaks_of_what_is_not_in_the_key(name: str) -> None:
    """The exchange of u and v explains it, and no permutation of the key's literals does."""
    rows = [(0, 1, 3, 3, 0), (0, 2, 2, 3, 3), (1, 0, 2, 3, 2), (1, 2, 1, 1, 2), (2, 0, 1, 0, 2), (2, 1, 1, 2, 0)]
    model = CpModel()
    u, v = (model.new_int_var(0, 2, "one name") for _ in range(2))
    key = {f"k{n}": model.new_int_var(0, 3, f"k{n}") for n in range(3)}
    model.add_allowed_assignments([u, v, *key.values()], rows)
    is_less = model.new_bool_var("is_less")
    model.add(u < v).only_enforce_if(is_less)
    model.add(u >= v).only_enforce_if(~is_less)
    (found,) = audit(Puzzle(name, {}, model, key), breaking=[SAID[name](model, u, v, is_less)]).breaking
    assert found.verdict == "not explained by the symmetries found"
    assert {"variable 0", "variable 1"} <= {*found.explained_on}


def test_all_that_a_constraint_speaks_of() -> None:
    """Also the old forms of constraints, which no method of a model writes."""
    model = CpModel()
    x = [model.new_int_var(0, 1, f"x{n}") for n in range(9)]
    optional = model.new_optional_interval_var(x[0], x[1], x[2], ~x[3], "")
    for constraint, expected in (
        (model.add_no_overlap([optional]), {0, 1, 2, 3}),
        (model.add_cumulative([optional], [x[4]], x[5] + 1), {0, 1, 2, 3, 4, 5}),
        (model.add_no_overlap_2d([optional], [model.new_fixed_size_interval_var(x[6], 1, "")]), {0, 1, 2, 3, 6}),
        (model.add_reservoir_constraint_with_active([x[0]], [x[1]], [~x[2]], 0, 1), {0, 1, 2}),
        (model.add_element(x[0] + 1, [x[1], x[2] + x[3]], x[4] - 1), {0, 1, 2, 3, 4}),
        (model.add_max_equality(x[0], [x[1], -x[2]]), {0, 1, 2}),
        (model.add_multiplication_equality(x[0], [x[1], x[2]]), {0, 1, 2}),
        (model.add_inverse([x[0], x[1]], [x[2], x[3]]), {0, 1, 2, 3}),
        (model.add_circuit([(0, 1, ~x[0]), (1, 0, x[1])]), {0, 1}),
        (model.add_automaton([x[0], x[1] + 1], 0, [0], [(0, 1, 0)]), {0, 1}),
        (model.add_bool_xor([x[0], ~x[1]]), {0, 1}),
        (model.add(x[0] + x[1] == 1).only_enforce_if(~x[2]), {0, 1, 2}),
    ):
        assert variables_in(constraint.proto, model.proto) - {9, 10, 11} == expected
    model.proto.constraints.add()
    old = model.proto.constraints[len(model.proto.constraints) - 1]
    assert old.parse_text_format("element { index: 0 target: 1 vars: [2, 3] }")
    assert variables_in(old, model.proto) == {0, 1, 2, 3}


def test_an_interval_is_not_marked() -> None:
    model = CpModel()
    x = model.new_int_var(0, 1, "x")
    interval = model.new_fixed_size_interval_var(x, 1, "i")
    model.add_no_overlap([interval])
    for named in ("i", interval):
        refused("i is an interval", audit, Puzzle("p", {}, model, {"x": x}), breaking=[named])


def test_symmetric_variables_of_other_domains() -> None:
    model = CpModel()
    x, y = model.new_int_var(0, 2, "x"), model.new_int_var(1, 3, "y")
    model.add(x + y == 3)
    result = audit(Puzzle("p", {}, model, {"x": x, "y": y}), breaking=[model.add(x <= 1)])
    assert "x=0 ↔ y=1, x=1 ↔ y=2, x=2 ↔ y=3" in str(result)


def test_symmetries_that_a_person_names_are_enough() -> None:
    puzzle = declared.puzzle(
        dict.fromkeys("xyz", (0, 2)),
        lambda cp_model, x, y, z: cp_model.add(x + y + z == 3),
        lambda cp_model, x, y, z: cp_model.add(x < y).with_name("order"),
        symmetries=[lambda label, value: ({"x": "y", "y": "x"}.get(label, label), value)],
    )
    result = audit(puzzle, breaking=["ord*"], symmetry="declared")
    assert result.verdict == "lossy"
    assert result.breaking[0].group == "declared"
    assert json.loads(result.breaking[0].lost_literals) == [["x", 1], ["y", 1], ["z", 1]]


@pytest.mark.thorough
def test_the_best_value() -> None:
    puzzle, cp_model, x = permutations(4)
    cp_model.add(x[0] < x[1]).with_name("order")
    cp_model.add(x[0] < 3).with_name("half")
    cp_model.maximize(x[0] + x[1])
    result = audit(puzzle, breaking=["order"])
    assert (result.orbits.best, result.orbits.total, result.verdict) == (5, 2, "partial")
    assert "best value, 5" in str(result)
    result = audit(puzzle, breaking=["*"])
    assert (result.orbits.total, [one.kept for one in result.breaking], result.verdict) == (4, [2, 2], "partial")


def test_what_a_redundant_constraint_removes() -> None:
    puzzle, add, x = permutations(4)
    implied = [
        add.add(sum(x) == 6),
        add.add_all_different(x[:2]),
        add.add_max_equality(3, x),
        [add.add(x[0] != x[1]), add.add(x[1] != x[2])],
    ]
    for wrong, code in (
        ([], 0),
        ([add.add(x[0] + x[1] != 3), add.add_max_equality(x[3], x[:2]), [add.add(sum(x) == 6), add.add(x[0] < 3)]], 4),
    ):
        result = audit(puzzle, redundant=[*implied, *wrong])
        assert [one.is_implied for one in result.redundant] == [True] * 4 + [False] * len(wrong)
        assert result.code == code


@pytest.mark.thorough
def test_what_is_implied_after_breaking() -> None:
    puzzle, cp_model, x = permutations(4)
    result = audit(puzzle, breaking=[cp_model.add(x[0] < x[3])], redundant=[cp_model.add(x[0] < 3)])
    assert (result.redundant[0].is_implied, result.redundant[0].after_breaking) == (False, True)
    assert result.code == 0


def test_a_solution_of_nothing_but_zeros_is_one() -> None:
    puzzle = declared.puzzle(
        dict.fromkeys("ab", declared.BOOLEAN), lambda model, a, b: model.add_bool_or(a, b).with_name("some")
    )
    assert audit(puzzle, redundant=["some"]).redundant[0].is_implied is False


def test_what_a_redundant_constraint_gives() -> None:
    puzzle, cp_model, x = permutations(4)
    result = audit(puzzle, redundant=[cp_model.add(sum(x) == 6)], gain=True)
    gains = result.redundant[0].gains
    assert [gain.backend for gain in gains] == GENERAL
    assert all(one["solutions"] == 24 for gain in gains for one in (gain.with_it, gain.without))
    assert "without" in str(result)


@pytest.mark.thorough
def test_brackets_in_names_are_plain() -> None:
    model = CpModel()
    x = {n: model.new_int_var(0, 2, f"x[{n}]") for n in range(3)}
    model.add_all_different(x.values())
    for n in range(2):
        model.add(x[n] < x[n + 1]).with_name(f"order[{n}]")
    puzzle = Puzzle("ordered", {}, model, x)
    assert [one.constraints for one in audit(puzzle, breaking=["order[0]"]).breaking] == [["order[0]"]]
    assert len(audit(puzzle, breaking=["order[?]"]).breaking) == 2
    refused("no constraint is called", audit, puzzle, breaking=["order[2]"])


def test_descriptions_in_cpmpy_are_names() -> None:
    x, y = cpmpy.intvar(0, 2, shape=2, name="x")
    order = x <= y
    order.set_description("in order")
    (found,) = audit(cpmpy.Model([x + y <= 3, order]), breaking=["in order"]).breaking
    assert (found.constraints, found.verdict) == (["in order"], "partial")


@pytest.mark.thorough
def test_models_of_cpmpy(tmp_path: Path) -> None:
    x = cpmpy.intvar(1, 3, shape=3, name="x")
    order, total = x[0] < x[2], cpmpy.sum(x) == 6
    result = audit(cpmpy.Model(cpmpy.AllDifferent(x), order, total), breaking=[order], redundant=[total])
    assert (result.verdict, result.breaking[0].average, result.redundant[0].is_implied) == ("partial", 3.0, True)
    with pytest.raises(InputError, match="not among"):
        audit(cpmpy.Model(cpmpy.AllDifferent(x)), breaking=[order])
    path = model(
        tmp_path,
        "import cpmpy\nx = cpmpy.intvar(1, 3, shape=3, name='x')\norder = [x[0] < x[1], x[1] < x[2]]\n"
        "total = cpmpy.sum(x) == 5\nmodel = cpmpy.Model(cpmpy.AllDifferent(x), order, total)\n",
        "own.py",
    )
    result = audit(path, breaking=["order"])
    assert (result.verdict, result.orbits.total) == ("not known", 0)
    result = audit(path, breaking=["order"], redundant=["total"])
    assert (result.verdict, result.redundant[0].is_implied, result.code) == ("complete", False, 4)


@pytest.mark.thorough
def test_a_program_of_cpmpy_is_audited_as_it_is(tmp_path: Path) -> None:
    """The model is in a function, which only a program that is run calls."""
    path = model(
        tmp_path,
        "import cpmpy as cp\ndef main():\n    x = cp.intvar(1, 3, shape=3)\n    order = [x[0] < x[1], x[1] < x[2]]\n"
        "    m = cp.Model(cp.AllDifferent(x), order)\n    print(m.solve())\nif __name__ == '__main__':\n    main()\n",
        "own.py",
    )
    result = audit(path, breaking=["order"])
    assert (result.verdict, [mark.verdict for mark in result.breaking]) == ("complete", ["complete"])
    with pytest.raises(InputError, match="nothing is called 'other'"):
        audit(path, breaking=["other"])


SERIES = """include "globals.mzn";
int: n;
array[1..n] of var 1..n: x;
array[1..n-1] of var 1..n-1: diffs;
constraint all_different(diffs) /\\ all_different(x) /\\ forall (k in 1..n-1) (diffs[k] = abs(x[k + 1] - x[k]))
  /\\ % symmetry breaking
  x[1] < x[n - 1] /\\
  diffs[1] < diffs[2];
solve satisfy;
"""


@pytest.mark.slow
@pytest.mark.usefixtures("minizinc")
def test_the_all_interval_series(tmp_path: Path) -> None:
    path = model(tmp_path, SERIES)
    result: Any = audit(path, {"define": ["n=10"], "key": ["x"]}, breaking=["line 7", "line 8"])
    assert (result.orbits.total, len(result.orbits.sizes)) == (296, 74)
    assert [one.verdict for one in result.breaking] == ["partial", "lossy"]
    assert (result.together.kept, result.together.orbits - result.together.hit) == (104, 5)


def test_the_text_of_a_model() -> None:
    source = Source(QUEENS)
    assert [source.line(span.start) for span in source.calls(BREAKING, *REDUNDANT)] == [5, 6]
    assert len(list(source.conjuncts())) == 6
    (first,) = source.constraints_by_name("first half")
    assert source.text_without([first]).splitlines()[6] == "constraint  true;"
    assert "int: n ;" in Source(QUEENS, ["n=8"]).text
    assert Source("int: n; n = 3; solve satisfy;", ["n=8"]).text == "int: n; constraint true; solve satisfy;"
    whole = Source(
        "constraint a -> b /\\ c; constraint let {var int: z} in z = 1 /\\ d; constraint if a then b else c endif;"
    )
    assert len(list(whole.conjuncts())) == 3
    denied = Source("constraint a /\\ forall(i in 1..3)(redundant_constraint(x[i] > i));")
    (span,) = denied.calls(*REDUNDANT)
    text = denied.violating(span, [span])
    assert text
    assert "constraint a /\\ forall(i in 1..3)(true);" in text
    assert "not (a /\\ forall(i in 1..3)(redundant_constraint(x[i] > i))" in text
    assert not Source("predicate symmetry_breaking_constraint(var bool: b) = b; % x").calls(BREAKING)


@pytest.mark.parametrize("arrow", ["->", "→", "⇒", "←", "↔", "⇔", "∨", "⊻", "xor"])
def test_a_conjunct_is_not_cut_out_of_what_binds_less(arrow: str) -> None:
    source = Source(f"var bool: a;\nconstraint a {arrow} a ∧\n a;\nconstraint a ∧\n a;\nsolve satisfy;")
    assert [source.text[span.start : span.end] for span in source.conjuncts()] == [f"a {arrow} a ∧\n a", "a", "a"]


def test_marks_in_a_file_that_is_included(tmp_path: Path) -> None:
    model(tmp_path, "constraint symmetry_breaking_constraint(x < y);", "part.mzn")
    path = model(tmp_path, 'var 1..3: x; var 1..3: y; include "part.mzn"; solve satisfy;')
    with pytest.raises(InputError, match=r"part\.mzn"):
        audit(path, breaking=["line 1"])


@pytest.mark.thorough
@pytest.mark.usefixtures("minizinc")
def test_files_beside_the_model(tmp_path: Path) -> None:
    """Those that it includes are found, and those that are named as one of MiniZinc's library are not."""
    model(tmp_path, "var 1..3: y;", "part.mzn")
    model(tmp_path, "this is no MiniZinc", "steiner.mzn")
    path = model(tmp_path, 'include "globals.mzn"; include "part.mzn"; var 1..3: x;\nconstraint x < y;\nsolve satisfy;')
    result = audit(path, breaking=["line 2"])
    assert (result.orbits.total, result.breaking[0].kept) == (9, 3)


@pytest.mark.thorough
@pytest.mark.usefixtures("minizinc")
def test_sets_are_no_key(tmp_path: Path) -> None:
    """The names of their Booleans are those of others in a model with one constraint more."""
    text = "var set of 1..3: s; var 0..3: n;\nconstraint n = card(s);\nconstraint 1 in s \\/ n > 2;\nsolve satisfy;"
    path = model(tmp_path, text)
    with pytest.raises(InputError, match="the key holds sets"):
        audit(path, breaking=["line 3"])
    assert audit(path, {"key": ["n"]}, breaking=["line 3"]).orbits.total == 4
    assert diff(path, path).verdict == "other variables"
    assert diff(path, path, on=["n"]).verdict == "same"


@pytest.mark.thorough
@pytest.mark.usefixtures("minizinc")
def test_the_time_limit_ends_minizinc(tmp_path: Path) -> None:
    """The model has billions of constraints to compile."""
    text = """var 0..1: x; constraint forall(i, j, k in 1..3000)(i + j > k -> x < i);
    constraint symmetry_breaking_constraint(x > 0); solve satisfy;"""
    path = write(tmp_path / "long.mzn", text)
    began = time.perf_counter()
    said = refusal(str(path), "--time-limit", "1", module=COMMAND, code=3)
    assert said.endswith("long.mzn: ended by the time limit; nothing is known yet")
    assert time.perf_counter() - began < on_this_load(4)
    refused("the time limit was over before the model was read", audit, path, time_limit=1)


@pytest.mark.thorough
@pytest.mark.usefixtures("minizinc")
def test_what_is_known_of_the_own_data_is_printed_at_the_time_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though the work on smaller data does not look at the time."""
    released = threading.Event()
    monkeypatch.setattr("solvers.extras.audits.audit.judge.with_smaller_data", lambda *_: released.wait(30))
    began = time.perf_counter()
    shown = printed(str(model(tmp_path)), "--define", "n=14", "--time-limit", "4", module=COMMAND, code=3)
    assert "without the marked constraints: at least" in shown
    assert time.perf_counter() - began < on_this_load(12)
    released.set()


@pytest.mark.thorough
@pytest.mark.usefixtures("minizinc")
def test_ctrl_c_prints_what_is_known(tmp_path: Path) -> None:
    process = start("solvers", "audit", str(model(tmp_path)), "--define", "n=14", "--json")
    wait_for(lambda: heeds_signals(process.pid))
    time.sleep(3)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=10)
    assert process.returncode == 143, err
    assert err.count("\n") == 1
    assert not out or not json.loads(out)["complete"]


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("array[1..n] of int: w = [7, 8, 9];", "array[1..n] of int: w = [7, 8];"),
        ("array[1..n] of int: w; w = [7, (8), 9,]", "array[1..n] of int: w; w = [7, (8)]"),
        ('array[1..n] of string: w = ["a]", "|,", "c"]', 'array[1..n] of string: w = ["a]", "|,"]'),
        ("array[1..n] of int: w = [7, /* ] */ 8, % [\n 9]", "array[1..n] of int: w = [7, 8]\n"),
        ("array[0..n] of int: w = array1d(0..3, [6, 7, 8, 9])", "array[0..n] of int: w = array1d(0..n, [6, 7, 8])"),
        ("array[1..n, 1..2] of int: w = [|1, 2 | 3, 4 | 5, 6,|]", "array[1..n, 1..2] of int: w = [|1, 2 | 3, 4|]"),
        ("array[1..2, 1..n] of int: w = [|1, 2, 3 | 4, 5, 6|]", "array[1..2, 1..n] of int: w = [|1, 2 | 4, 5|]"),
        (
            "set of int: S = 1..2 * n - 1; array[S, 1..2] of int: w = array2d(S, 1..2, [0,1,2,3,4,5,6,7,8,9])",
            "set of int: S = 1..2 * n - 1; array[S, 1..2] of int: w = array2d(S, 1..2, [0, 1, 2, 3, 4, 5])",
        ),
        (
            "array[1..2] of set of 1..n: w = [{1, 3}, 2..3]",
            "array[1..2] of set of 1..n: w = [({1, 3}) intersect (1..n), (2..3) intersect (1..n)]",
        ),
        (  # MiniZinc's div rounds towards zero
            "array[(0 - 3) div 2..n] of int: w = [6, 7, 8, 9, 5]",
            "array[(0 - 3) div 2..n] of int: w = [6, 7, 8, 9]",
        ),
        ("set of 1..n: w = {1, 3}", "set of 1..n: w = ({1, 3}) intersect (1..n)"),
    ],
)
def test_data_are_cut_to_smaller_sizes(written: str, left: str) -> None:
    assert cut(f"int: n = 3; {written}", {"n": 3}, {"n": 2}) == (f"int: n = 3; {left}", ["w"])


@pytest.mark.parametrize(
    "text",
    [
        "array[1..n] of int: w = [7, 8];",  # which is not as long as its index set
        "array[1..n] of int: w = [i | i in 1..n];",
        "array[1..n] of int: w = [7, 8] ++ [9];",
        "array[1..n] of int: w = [];",
        "array[int] of int: w = [7, 8, 9];",
        "array[1..n, 1..2] of int: w = [| |];",
        "array[1..n, 1..2] of int: w = [|1, 2 | 3 | 4, 5|];",
        "array[1..n, 1..1, 1..2] of int: w = [| |1, 2|, |3, 4|, |5, 6| |];",
        "array[1..k] of int: w = [7, 8, 9]; int: k = k; set of int: S = S;",
        "array[1..n] of var 1..3: w = [1, 2, 3];",
        "array[1..n] of int: w = [1, 2, 3",
        "array[ of : = [; : x; = 3; enum; enum = {}; array; ])}",
        "constraint forall(i in 1..n)(let {array[1..n] of int: w = [7, 8, 9]} in w[i] > n);",
    ],
)
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert cut(f"int: n = 3; {text}", {"n": 3}, {"n": 2}) == (f"int: n = 3; {text}", [])


def test_sets_and_enumerations_lose_their_last_members() -> None:
    text = "set of int: S = 3..6; enum E = {A, B, C}; array[S] of int: w = [1, 2, 3, 4]; array[E] of S: v = [3, 4, 5];"
    definitions = Definitions(Source(text))
    assert definitions.set_lengths() == {"S": 4, "E": 3}
    assert cut(text, definitions.set_lengths(), {"S": 3, "E": 2}) == (
        "set of int: S = 3..5; enum E = {A, B}; array[S] of int: w = [1, 2, 3]; array[E] of S: v = [3, 4];",
        ["w", "v"],
    )


def test_numbers_that_rules_repeat_are_no_sizes(tmp_path: Path) -> None:
    text = """int: n = 6; int: m = 7; set of int: S = 1..5; array[1..n, S] of var 1..m: x; int: k = 6;
    constraint forall(i in 1..n where i != 6)(x[i, 1] <= x[i + 1, 1]); solve satisfy;"""
    of = read_marks(str(model(tmp_path, text)), {}, ["line 2"])
    assert (of.sizes, of.counts) == ([("S", 5), ("m", 7)], [])


@pytest.mark.thorough
@pytest.mark.usefixtures("minizinc")
def test_data_with_undefined_results_are_passed_over(tmp_path: Path) -> None:
    text = """int: n; array[1..n] of var 1..n: x; constraint forall(i in 1..n where i != 2 * 3)(x[i] <= x[i + 1]);
    solve satisfy; n = 6;"""
    of = read_marks(str(model(tmp_path, text)), {}, ["line 1"])
    (smaller, *_) = of.smaller(["n"])
    refused("undefined result becomes false", smaller[1].puzzle, [0])
    assert "x[6]" in of.puzzle([0]).key


def test_numbers_of_several_digits_are_read() -> None:
    assert Source("int: n = 12; m = 345; array[1..10] of var 1..20: x;").integers() == {"n": 12, "m": 345}


@pytest.mark.thorough
@pytest.mark.usefixtures("minizinc")
def test_a_wrong_breaking_is_found_with_arrays_that_are_cut(tmp_path: Path) -> None:
    """The weights are alike, so that the last number may be anything; the best value is that of the smaller data."""
    data = f"n = 40; w = {[3] * 40};"
    path = write(
        tmp_path / "weights.mzn",
        """int: n; array[1..n] of int: w; array[1..n] of var 1..n: x; include "alldifferent.mzn";
        constraint alldifferent(x) /\\ forall(i in 1..n)(w[i] = 3);
        constraint symmetry_breaking_constraint(x[1] > n); solve maximize sum(i in 1..n)(w[i] * x[i]);""",
    )
    words = [str(path), "--time-limit", "5", "--data", str(write(tmp_path / "weights.dzn", data))]
    found = json.loads(printed(*words, "--json", module=COMMAND, code=3))
    assert found["verdict"] == "not known"
    assert (found["firm"]["verdict"], found["firm"]["cut"], found["firm"]["next_agrees"]) == ("lossy", ["w"], True)
    smallest = found["smaller"]["n=2"]
    assert (smallest["best"], smallest["solutions"], smallest["breaking"][0]["kept"]) == (9, 2, 0)


XCSP3 = """<instance format="XCSP3" type="CSP">
<variables> <array id="x" size="[3]"> 0..3 </array> <var id="i"> 0..3 </var> </variables>
<constraints>
<allDifferent> x[] </allDifferent> <allDifferent class="redundant-constraints"> x[0..1] </allDifferent>
<block class="clues symmetry-breaking">
<group> <intension> lt(%0,%1) </intension> <args> x[0] x[1] </args> <args> x[1] x[2] </args> </group>
</block>
<element class="redundant-constraints"> <list> x[] </list> <index> i </index> <condition> (ge,0) </condition> </element>
<intension> ne(i,1) </intension>
</constraints>
</instance>"""


@pytest.mark.thorough
@pytest.mark.skipif(find_spec("pycsp3") is None, reason="pip install pycsp3")
def test_classes_of_xcsp3_mark_constraints(tmp_path: Path) -> None:
    """A constraint that is taken out leaves nothing behind, such as the range of its index."""
    path = model(tmp_path, XCSP3, "model.xml")
    of = read_marks(str(path), {"key": ["x", "i"]}, ["line 9"])
    names = ["line 6 intension", "line 9 intension", "line 4 allDifferent 2", "line 8 element"]
    assert [(mark.name, mark.is_breaking) for mark in of.marks] == [
        *zip(names, (True, True, False, False), strict=True)
    ]
    every = [(*x, i) for x in product(range(4), repeat=3) for i in range(4) if len({*x}) == 3]
    assert solve(of.puzzle(()), jobs=1).total == len(every)
    assert solve(of.puzzle((0,)), jobs=1).total == sum(a < b < c for a, b, c, _ in every)
    assert solve(of.puzzle((3,)), jobs=1).total == sum(i < 3 for *_, i in every)
    violated = of.violating((), 3)
    assert violated
    assert solve(violated, jobs=1).total == sum(i == 3 for *_, i in every)


@pytest.mark.thorough
@pytest.mark.skipif(find_spec("pycsp3") is None, reason="pip install pycsp3")
def test_marks_of_xcsp3_are_judged(tmp_path: Path) -> None:
    path = model(tmp_path, XCSP3, "model.xml")
    judged = audit(str(path), jobs=1)
    assert [one.verdict for one in judged.breaking] == ["partial"]  # values may change places, too
    assert [one.is_implied for one in judged.redundant] == [True, False]
    refused("no constraint is called 'line 7'", read_marks, str(path), {}, ["line 7"])
