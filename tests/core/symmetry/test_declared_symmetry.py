"""Declared symmetries, true and false: what is proved is one, and what is false never makes a wrong count."""

from collections.abc import Callable
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from ortools.sat.python.cp_model import CpModel, Domain

from models.puzzle import Literal, Puzzle
from solvers import solve
from solvers.base.errors import WrongSymmetryError
from solvers.base.options import Options
from solvers.base.tuning import override_tuning
from solvers.files.catalogue import blame_declaration, find
from solvers.running.runner import Run
from tests.support import random_models
from tests.support.declared import BOOLEAN, Rule, puzzle, swapping
from tests.support.groups import is_proved
from tests.support.refusals import refused


def swap(label: str, value: int) -> Literal:
    return {"x": "y", "y": "x"}.get(label, label), value


def alike(held: tuple[int, int], domain: tuple[int, int]) -> Puzzle:
    """Variables x and y of this domain, held to values, and said to be alike."""
    is_held: list[Rule] = [lambda m, x, y: m.add(x == held[0]), lambda m, x, y: m.add(y == held[1])]
    return puzzle({"x": domain, "y": domain}, *is_held, name="alike", symmetries=[swap])


WRONG = r"symmetry 1 \(swap\) of alike is wrong: it carries solutions to .*, which"


def is_refused(held: tuple[int, int], domain: tuple[int, int], backend: str, **options: Any) -> None:
    refused(WRONG, solve, alike(held, domain), backend=backend, **{"jobs": 1, **options})


@pytest.mark.parametrize("backend", ["cp-sat", "sat"])
@pytest.mark.parametrize("options", [{}, {"unbroken": True}, {"count_only": True}, {"unique": True}, {"jobs": 2}])
@pytest.mark.parametrize("held", [(0, 1), (1, 0)])
def test_the_only_solution_is_removed(backend: str, options: dict[str, Any], held: tuple[int, int]) -> None:
    for domain in ((0, 1), (0, 5)):
        is_refused(held, domain, backend, **options)


@pytest.mark.parametrize("backend", ["sat", "cp-sat"])
@pytest.mark.thorough
def test_the_only_solution_is_removed_among_many(backend: str) -> None:
    is_refused((0, 1), (0, 10**5), backend)


@st.composite
def sets_of_rows(draw: Callable[..., Any]) -> tuple[CpModel, dict[str, Any], dict[Literal, Literal]]:
    """Allowed rows of key and other variables; a permutation that, or almost, carries rows to rows."""
    model = CpModel()
    domains = draw(st.lists(st.sampled_from([(0, 1), (0, 1), (0, 1, 2), (-1, 4)]), min_size=2, max_size=5))
    variables = {
        f"v{n}": model.new_int_var_from_domain(Domain.from_values(list(domain)), f"v{n}")
        for n, domain in enumerate(domains)
    }
    image = random_models.literal_permutation(draw, dict(zip(variables, domains, strict=True)))
    rows = set(draw(st.lists(st.tuples(*map(st.sampled_from, domains)), max_size=6)))
    of_key, names = draw(st.integers(1, len(domains))), list(variables)
    if draw(st.booleans()):
        while True:
            moved = {
                tuple(value for _, value in sorted(image[literal] for literal in zip(names, row, strict=True)))
                for row in rows
            }
            if moved <= rows:
                break
            rows |= moved
    if rows and draw(st.booleans()):
        rows -= {draw(st.sampled_from(sorted(rows)))}
    if draw(st.booleans()):
        model.add_allowed_assignments(list(variables.values()), sorted(rows))
    else:
        model.add_forbidden_assignments(list(variables.values()), sorted({*product(*domains)} - rows))
    if draw(st.integers(0, 3)) == 0:
        model.minimize(sum(draw(st.sampled_from([1, 1, 2])) * variable for variable in variables.values()))
    key = {name: variables[name] for name in names[:of_key]}
    return model, key, {literal: other for literal, other in image.items() if literal[0] in key}


@st.composite
def any_models(draw: Callable[..., Any]) -> tuple[CpModel, dict[str, Any], dict[Literal, Literal]]:
    """Any model, and some permutation of its key."""
    model = draw(random_models.models())
    numbers = draw(random_models.keys(model))
    key = {f"v{number}": model.get_int_var_from_proto_index(number) for number in numbers}
    domains = {name: tuple(random_models.values_of(variable)) for name, variable in key.items()}
    return model, key, random_models.literal_permutation(draw, domains)


MODES: list[dict[str, Any]] = [
    {},
    {"unbroken": True},
    {"count_only": True},
    {"cubes": 3},
    {"unique": True},
    {"limit": 1},
]


@pytest.mark.parametrize("kind", [sets_of_rows, any_models])
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
@override_tuning(min_counterexample_seconds=60.0)
def test_random_symmetries(data: st.DataObject, kind: Callable[[], st.SearchStrategy[Any]]) -> None:
    model, key, image = data.draw(kind())
    random_models.assume_small(model)
    assume(all(literal in image.values() for literal in image))
    solutions = {
        frozenset((label, values[variable.index]) for label, variable in key.items())
        for values in random_models.brute_force(model)
    }
    is_true = {frozenset(map(image.__getitem__, solution)) for solution in solutions} == solutions
    asked = Puzzle("random", {}, model, key, [lambda *literal: image[literal]])
    assert is_true or not is_proved(asked)
    options = data.draw(st.sampled_from(MODES))
    backend = data.draw(st.sampled_from(["cp-sat", "sat"]))
    run = Run("random", {}, lambda: asked, Options(backend, jobs=1, **options))
    report = run.report
    try:
        list(run)
    except WrongSymmetryError as error:
        said = str(error)
        assert "symmetry 1 (<lambda>)" in said
        assert not is_true
    else:
        assert report.total <= len(solutions)
        assert is_true or not report.complete
        assert not report.complete or (report.total, report.symmetry_proved) == (len(solutions), True)


@pytest.mark.parametrize(
    ("name", "parameters", "options"),
    [
        ("pentomino", {"board": "5x4", "subset": True}, {}),
        pytest.param("pentomino", {"board": "5x4", "subset": True}, {"count_only": True}, marks=pytest.mark.thorough),
        ("checker", {}, {}),
        ("magic", {"kind": "ring"}, {"limit": 2}),
        ("magic", {"kind": "ring"}, {"symmetry": "found"}),
        ("magic", {"kind": "ring"}, {"symmetry": "none"}),
        ("magic", {"kind": "ring"}, {"given": "[1, 0]=1"}),
    ],
)
def test_the_collection(name: str, parameters: dict[str, Any], options: dict[str, Any]) -> None:
    assert solve(find(name).declare(**parameters), **options).report.symmetry_proved


@pytest.mark.parametrize("backend", ["cp-sat", "sat"])
def test_the_best_solution_is_removed(backend: str) -> None:
    """Those that are second to it have the symmetry."""
    best = puzzle(
        dict.fromkeys("xyz", BOOLEAN),
        lambda m, x, y, z: m.add_exactly_one(x, y),
        lambda m, x, y, z: m.add_bool_or(~x, ~z),
        lambda m, x, y, z: m.maximize(5 * z),
        name="best",
        symmetries=[swap],
    )
    sentence = r"symmetry 1 \(swap\) of best is wrong: it carries solutions to {'x': 1, 'z': 1}, which violates bool_or"
    refused(sentence, solve, best, backend=backend, jobs=1)


def test_symmetries_of_the_best_solutions_only() -> None:
    best = puzzle(
        {"x": (0, 9), "y": (0, 9)},
        lambda m, x, y: m.add(x + 2 * y <= 20),
        lambda m, x, y: m.minimize(10 * (x + y)),
        lambda m, x, y: m.add(x + y >= 3),
        symmetries=[swap],
    )
    assert not is_proved(best)
    result = solve(best, jobs=1)
    assert (result.solutions, result.total, result.report.symmetry_proved) == (2, 4, True)


@pytest.mark.parametrize("shorter", [0, 1])
def test_what_is_not_in_the_key_is_carried_along(shorter: int) -> None:
    """The image of each step of a walk is none of the key; walks of another length are not images."""
    model = CpModel()
    walks = {label: [model.new_bool_var("") for _ in range(6 - shorter * (label == "y"))] for label in ("x", "y", "z")}
    for walk in walks.values():
        for here, there in pairwise(walk):
            model.add_implication(here, there)
    model.add_exactly_one(walk[-1] for walk in walks.values())
    walked = Puzzle("walks", {}, model, {label: walk[0] for label, walk in walks.items()})
    assert is_proved(walked, swap) == (shorter == 0)


def test_a_proof_that_takes_too_long_is_none() -> None:
    ring = find("magic").load()(kind="ring")
    assert is_proved(ring)
    with override_tuning(max_proof_seconds=0.0, min_counterexample_seconds=0.0, counterexample_share=0.0):
        assert not is_proved(ring)
        for every in (False, True):  # to visit every solution takes no symmetry that was not checked
            assert solve(ring, unbroken=every).report.symmetry_proved == every


def test_one_variable_may_have_two_labels() -> None:
    model = CpModel()
    x = model.new_int_var(0, 5, "x")
    twice = Puzzle("twice", {}, model, {"a": x, "b": x}, [lambda label, value: (label, 5 - value)])
    result = solve(twice, jobs=1)
    assert (result.solutions, result.total, dict(result[0])) == (3, 6, {"a": 0, "b": 0})
    assert [dict(one) for one in solve(twice, given="b=3", jobs=1)] == [{"a": 3, "b": 3}]


def test_a_search_that_cannot_break_symmetry_checks_what_it_would_pass_over() -> None:
    """a stands behind c, with which it is said to change places; c alone is not a solution."""
    wrong = puzzle(
        dict.fromkeys("cab", BOOLEAN),
        lambda m, c, a, b: m.add_exactly_one(a, b),
        lambda m, c, a, b: m.add_at_most_one(b, c),
        symmetries=[swapping("a", "c")],
    )
    for count_only in (False, True):
        refused("symmetry 1", solve, wrong, backend="cover", count_only=count_only)


def test_a_store_that_is_finished(file: Path) -> None:
    for _ in range(2):
        refused("symmetry 1", solve, alike((0, 1), (0, 3)), store=file, jobs=1)


def test_whose_mistake_it_is() -> None:
    """Of what the project declares an exception goes on; what is wrong in a file of one's own is input."""
    with pytest.raises(WrongSymmetryError, match="symmetry 1"), blame_declaration("magic", is_own=False):
        raise WrongSymmetryError("symmetry 1", "is none")


@override_tuning(min_counterexample_seconds=10.0)  # on a busy machine the fifth of a second may not suffice
def test_a_better_solution_with_the_same_key_is_removed() -> None:
    """The key leaves open what makes it better."""
    better = puzzle(
        {"shown": BOOLEAN, "hidden": BOOLEAN},
        lambda m, shown, hidden: m.add_implication(hidden, ~shown),
        lambda m, shown, hidden: m.maximize(hidden),
        key=["shown"],
        symmetries=[lambda label, value: (label, 1 - value)],
        name="better",
    )
    refused(r"symmetry 1 \(<lambda>\) of better is wrong", solve, better, jobs=1)
