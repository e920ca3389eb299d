"""Pseudo-Boolean models in the OPB format: what they mean, against plain enumeration, and what is refused."""

import random
import warnings
from itertools import product
from math import prod
from pathlib import Path

import pytest

from solvers import InputError, solve
from solvers.files.catalogue import find

RELATIONS = {">=": int.__ge__, "=": int.__eq__, "<=": int.__le__}

Row = tuple[list[tuple[int, list[int]]], str, int]
"""A constraint: (coefficient, literals) of each term, relation, bound; a literal is the number of a variable or its
negative."""


def counted(path: Path, text: str, **parameters: object) -> set[tuple[tuple[object, int], ...]]:
    """All solutions of a model."""
    path.write_text(text, encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = solve(find(str(path)).declare(**parameters), symmetry="none", jobs=1)
    assert result.complete
    return {tuple(solution.items()) for solution in result}


def written(terms: list[tuple[int, list[int]]]) -> str:
    return " ".join(f"{c:+d} {' '.join(f'~x{-v}' if v < 0 else f'x{v}' for v in literals)}" for c, literals in terms)


def value(terms: list[tuple[int, list[int]]], x: tuple[int, ...]) -> int:
    return sum(c * prod(x[v - 1] if v > 0 else 1 - x[-v - 1] for v in literals) for c, literals in terms)


def random_terms(rng: random.Random, variables: int, largest: int, degree: int) -> list[tuple[int, list[int]]]:
    literals = [rng.choice((1, -1)) * rng.randint(1, variables) for _ in range(9)]
    some = (rng.choices(literals, k=rng.randint(1, degree)) for _ in range(rng.randint(1, 5)))
    return [(rng.randint(-largest, largest), term) for term in some]


@pytest.mark.parametrize("seed", range(12))
def test_random_models(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    variables, largest = rng.randint(1, 5), rng.choice((1, 3, 10, 10**6, 2**57))
    rows: list[Row] = []
    for _ in range(rng.randint(1, 4)):
        terms = random_terms(rng, variables, largest, rng.choice((1, 1, 3)))
        point = tuple(rng.randint(0, 1) for _ in range(variables))
        rows.append((terms, rng.choice([*RELATIONS]), value(terms, point) + rng.choice((0, 0, 0, -1, 1, 2**70))))
        if abs(rows[-1][2]) > 2**60:
            rows[-1] = (terms, "<=", rows[-1][2])
    goal = random_terms(rng, variables, min(largest, 10), 2) if rng.random() < 0.4 else []
    expected = [
        x
        for x in product((0, 1), repeat=variables)
        if all(RELATIONS[relation](value(terms, x), bound) for terms, relation, bound in rows)
    ]
    best = min((value(goal, x) for x in expected), default=0)
    text = f"* #variable= {variables} #constraint= {len(rows)}\n" + (f"min: {written(goal)} ;\n" if goal else "")
    text += "".join(f"{written(terms)} {relation} {bound} ;\n" for terms, relation, bound in rows)
    found = {
        tuple(dict(one).get(f"x{n + 1}", 0) for n in range(variables)) for one in counted(tmp_path / "m.opb", text)
    }
    assert found == {x for x in expected if not goal or value(goal, x) == best}, text


@pytest.mark.parametrize(
    ("text", "solutions"),
    [
        ("* #variable= 3 #constraint= 1\n+1 x1 +1 x2 +1 x3 >= 2 ;\n", 4),
        ("+1 x1\n* in between\n-2 ~y_2\n>= 0;+1 x1 = 1;", 1),  # a model ends with its semicolons, not with its lines
        ("- 4 a[1] + b + c >= -3;", 7),  # signs apart, no coefficient
        ("* #variable= 4 #constraint= 1\n1 x1 x2 = 1;", 4),  # x3 and x4 are free
        ("1 x1 ~x1 >= 1;", 0),
        ("3 x1 = 2;", 0),
        ("1 x1 >= -5;", 2),
        ("max: 2 x1 +1 x2;\n1 x1 +1 x2 <= 1;", 1),
        ("min: ;\n1 x1 1 x2 >= 1;", 3),
        (f"{10**30} x1 {10**30} x2 >= {10**30};", 3),
    ],
)
def test_what_is_read(text: str, solutions: int, tmp_path: Path) -> None:
    assert len(counted(tmp_path / "model.opb", text)) == solutions


def test_the_key(tmp_path: Path) -> None:
    text = "1 x1 1 x2 1 x3 >= 2;\n"
    for mark, key, expected in (("", ("x1", "x2"), 3), ("* ind x1 2 0\n", (), 3), ("* ind 1\n", ("x*",), 4)):
        assert len(counted(tmp_path / "model.opb", mark + text, key=key)) == expected


def test_warnings(tmp_path: Path) -> None:
    path = tmp_path / "model.opb"
    for text, said in (
        ("* #variable= 3 #constraint= 1\n1 x1 >= 1;", "no constraint names 2 of the 3 variables in the header"),
        ("* #variable= 1 #constraint= 2\n1 x1 >= 1;", "the header has 2 constraints, but 1 follow"),
        ("* #variable= 1 #constraint= 1\n1 x1 1 x5 >= 1;", "constraints name 2 others"),
    ):
        path.write_text(text, encoding="utf-8")
        (warning,) = find(str(path)).declare().remarks.warnings
        assert said in warning


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no constraint"),
        ("* only a comment\n", "holds no constraint"),
        ("1 x1 >= 1;\n1 x2", "line 2 begins a constraint without its semicolon"),
        ("1 x1 >= 1;\n;", "line 2 has a semicolon without a constraint"),
        ("1 x1 >= 1;\n1 x1;", "line 2 has no relation"),
        ("1 x1 > 1;", "line 1 has no relation"),
        ("1 x1 >= x2;", "line 1 needs one whole number behind >="),
        ("1 x1 >= 1 2;", "line 1 needs one whole number behind >="),
        ("1 2 x1 >= 1;", "line 1: no variable follows the number '1'"),
        ("1 >= 1;", "line 1: no variable follows the number '1'"),
        ("1.5 x1 >= 1;", "line 1 holds '1.5'"),
        ("1 ~~x1 >= 1;", "line 1 holds '~~x1'"),
        ("x1 x2 >= 1;", "line 1: write a coefficient before 'x1'"),
        ("min: 1 x1;\nmin: 1 x1;", "line 2 gives a second objective"),
        ("soft: 7;\n1 x1 >= 1;", "soft constraint"),
        ("[3] 1 x1 >= 1;", "soft constraint"),
        ("* ind x7\n1 x1 >= 1;", "line 1 names 'x7'"),
        (f"{2**62} x1 {2**62} x2 = {2**62};", "line 1: its coefficients add up"),
        ("* #variable= 999999\n1 x1 >= 1;", "it has 999999 variables"),
    ],
)
def test_what_is_refused(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "model.opb"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"model\.opb") as refused:
        find(str(path)).declare()
    assert said in str(refused.value)
