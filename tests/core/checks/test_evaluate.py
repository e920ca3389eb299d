"""The evaluator: every kind of constraint against CP-SAT's own verdict, row by row and in batches, exactly."""

from collections.abc import Callable, Sequence
from itertools import islice, product
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ortools.sat.python.cp_model import CpModel, CpSolver

from solvers.base.tuning import override_tuning
from solvers.checks.constraints import RULES
from solvers.checks.evaluate import Evaluator
from solvers.model import scheduling
from solvers.model.reading import KINDS
from tests.attack.models import cumulative, no_overlap, no_overlap_2d, reservoir
from tests.support.declared import BOOLEAN, Rule, declared
from tests.support.enumerate import all_solutions
from tests.support.random_models import RANDOM, Sketch, brute_force, models, values_of


def assignments(model: CpModel, at_most: int) -> list[tuple[int, ...]]:
    """The first assignments of the model's variables from their domains."""
    variables = [model.get_int_var_from_proto_index(number) for number in range(len(model.proto.variables))]
    return list(islice(product(*map(values_of, variables)), at_most))


def accepts(model: CpModel, values: Sequence[int]) -> bool:
    """Whether CP-SAT finds a solution where every variable is fixed, so that there is nothing to search.

    It breaks off on some reservoirs, which are rewritten for it.
    """
    fixed = model.clone()
    for variable, value in zip(fixed.proto.variables, values, strict=True):
        variable.domain.clear()
        variable.domain.extend([value, value])
    scheduling.rewrite(fixed, {"reservoir": scheduling.reservoir})
    solver = CpSolver()
    solver.parameters.num_workers = 1
    return solver.status_name(solver.solve(fixed)) == "OPTIMAL"


def check_verdicts(model: CpModel, random: Any) -> None:
    """Compare the evaluator with CP-SAT on some assignments that it accepts and some that it does not."""
    evaluator = Evaluator(model)
    verdicts = {values: evaluator.first_violation(values) is None for values in assignments(model, 5000)}
    for verdict in (True, False):
        alike = [values for values in verdicts if verdicts[values] == verdict]
        for values in random.sample(alike, min(3, len(alike))):
            assert accepts(model, values) == verdict


@pytest.mark.thorough
@settings(deadline=None, max_examples=40)
@given(models(objectives=False), RANDOM)
def test_verdicts_are_those_of_cp_sat(model: CpModel, random: Any) -> None:
    check_verdicts(model, random)


@pytest.mark.thorough
@settings(deadline=None, max_examples=40)
@given(models(), st.data())
def test_a_batch_says_what_single_rows_say(model: CpModel, data: st.DataObject) -> None:
    evaluator = Evaluator(model)
    rows = assignments(model, 100)
    anything = st.tuples(*[st.integers(-9, 9) | st.integers(-(2**63), 2**63 - 1)] * len(rows[0]))
    rows += data.draw(st.lists(anything, max_size=5))
    assert evaluator.violations(np.array(rows, np.int64)) == [evaluator.first_violation(row) for row in rows]
    assert evaluator.violations(np.array(rows[:0], np.int64).reshape(0, len(rows[0]))) == []


@pytest.mark.parametrize(
    "coefficients",
    [pytest.param((1,), marks=pytest.mark.thorough), (2,), (-2,), (1, -1), (2, -1), (-2, 1), (2, 2)],
    ids=str,
)
def test_sums_of_few_booleans_as_clauses(coefficients: tuple[int, ...]) -> None:
    """Whichever bounds they have, a batch says what arithmetic says."""
    for low, high in product(range(-3, 5), repeat=2):
        model = CpModel()
        booleans = [model.new_bool_var("") for _ in coefficients]
        total = sum(c * b for c, b in zip(coefficients, booleans, strict=True))
        model.add_linear_constraint(total, low, max(low, high))
        rows = list(product((0, 1), repeat=len(coefficients)))
        sums = [sum(c * b for c, b in zip(coefficients, row, strict=True)) for row in rows]
        told = [violation is None for violation in Evaluator(model).violations(np.array(rows))]
        assert told == [low <= value <= max(low, high) for value in sums], (low, high)


@pytest.mark.parametrize("seed", range(30))
def test_at_most_ones_say_what_single_rows_say(seed: int) -> None:
    """Rules that one of some Booleans is true, or at most one: items of a cover, some negated or named twice."""
    random = Random(seed)
    model = CpModel()
    booleans = [model.new_bool_var("") for _ in range(8)]
    number = model.new_int_var(0, 3, "")
    for _ in range(random.randint(1, 5)):
        chosen = random.sample(booleans, random.randint(4, 8))
        low = random.choice([-2, 0, 1, 1])
        terms = [-b if random.random() < 0.03 else b for b in chosen]
        terms += [chosen[0]] if random.random() < 0.1 else []
        kept = [] if random.random() < 0.1 else terms
        model.add_linear_constraint(sum(kept) + (number if random.random() < 0.1 else 0), low, 1)
    rows = [(*values, last) for values in product((0, 1), repeat=8) for last in (0, 2, 4)]
    rows.append((2, *[0] * 8))
    evaluator = Evaluator(model)
    expected = [evaluator.first_violation(row) for row in rows]
    for entries in (300_000, 100):
        with override_tuning(max_evaluation_entries=entries):
            assert Evaluator(model).violations(np.array(rows)) == expected
            assert Evaluator(model).violations(np.array(rows).T.copy().T) == expected


def test_at_most_ones_of_which_one_boolean_is_in_all() -> None:
    """Their table would be padding, so that they are sums like others."""
    random, model = Random(1), CpModel()
    everywhere, *others = (model.new_bool_var("") for _ in range(181))
    for start in range(0, 180, 3):
        model.add_at_most_one(everywhere, *others[start : start + 3])
    rows = [[random.random() < share for _ in range(181)] for share in (0, 0.002, 0.005, 0.02) for _ in range(100)]
    evaluator = Evaluator(model)
    assert evaluator.violations(np.array(rows, np.int8)) == [
        evaluator.first_violation([*map(int, row)]) for row in rows
    ]


def test_batches_are_cut_into_pieces() -> None:
    model = declared(
        [*[(0, 3)] * 4, BOOLEAN, BOOLEAN],
        lambda m, *every: m.add(sum(every[:4]) == 6),
        lambda m, *every: m.add_exactly_one(every[4:]),
    )
    rows = assignments(model, 10_000)
    whole = Evaluator(model).violations(np.array(rows))
    with override_tuning(max_evaluation_entries=100):
        assert Evaluator(model).violations(np.array(rows)) == whole


@pytest.mark.thorough
@settings(deadline=None, max_examples=50)
@given(models())
def test_reading_leaves_the_model_alone(model: CpModel) -> None:
    before = str(model.proto)
    evaluator = Evaluator(model)
    evaluator.violations(np.array(assignments(model, 3)))
    assert str(model.proto) == before


@pytest.mark.thorough
@pytest.mark.parametrize("kind", [no_overlap, no_overlap_2d, cumulative, reservoir])
def test_scheduling(kind: Callable[[Sketch], Any]) -> None:
    @settings(deadline=None, max_examples=30)
    @given(RANDOM, st.integers(0, 1), RANDOM)
    def agrees(drawn: Any, enforced: int, random: Any) -> None:
        sketch = Sketch(drawn)
        kind(sketch).only_enforce_if([sketch.literal() for _ in range(enforced)])
        if sketch.model.validate() == "":
            check_verdicts(sketch.model, random)

    agrees()


@pytest.mark.parametrize(
    ("arcs", "works"),
    [
        ([(0, 1), (1, 0), (0, 2), (2, 0)], True),
        ([(0, 1), (1, 2), (2, 0)], True),
        ([(0, 1), (1, 0), (2, 2)], True),
        ([(0, 1), (1, 0), (2, 3), (3, 2)], False),
        ([(0, 1), (0, 1), (1, 0)], False),
        ([(0, 1), (1, 2)], False),
    ],
)
def test_routes(arcs: list[tuple[int, int]], works: bool) -> None:
    model = declared([(1, 1)], lambda m, chosen: m.add_multiple_circuit([(*arc, chosen) for arc in arcs]))
    assert (Evaluator(model).first_violation([1]) is None) == works == accepts(model, [1])


def test_sums_and_products_are_exact() -> None:
    model = declared(
        [(0, 2**31), (0, 2**31), (0, 2**62)],
        lambda m, x, y, xy: m.add(2**30 * x - 2**30 * y == 0).with_name("equal"),
        lambda m, x, y, xy: m.add_multiplication_equality(xy, x, y),
    )
    evaluator = Evaluator(model)
    good, bad = [2**31, 2**31, 2**62], [2**31, 2**31, 2**62 - 1]
    assert evaluator.violations(np.array([good, bad, [2**31, 2**31 - 1, 2**62]])) == [
        None,
        "int_prod 1",
        "linear 0 (equal)",
    ]


def test_what_is_violated_is_named() -> None:
    model = declared(
        {"x": (1, 3), "": BOOLEAN},
        lambda m, x, b: m.add_bool_or(b).with_name("at least b"),
        lambda m, x, b: m.add_assumption(b),
        lambda m, x, b: m.minimize(x),
        lambda m, x, b: m.proto.objective.domain.extend([1, 2]),
    )
    evaluator = Evaluator(model)
    for values, violated in (
        ([0, 1], "domain of variable 0 (x)"),
        ([1, 2], "domain of variable 1"),
        ([1, 0], "bool_or 0 (at least b)"),
        ([3, 1], "domain of the objective"),
        ([2, 1], None),
    ):
        assert evaluator.first_violation(values) == violated
    model.proto.constraints[0].bool_or.literals.append(-2)
    assert Evaluator(model).first_violation([1, 0]) == "assumptions"


def test_every_kind_that_says_something_is_evaluated() -> None:
    assert set(RULES) == set(KINDS)


def test_older_spellings() -> None:
    """Files of other programs name variables where today's CpModel writes expressions."""
    model = declared([(0, 2)] * 3)
    for text in (
        "element { index: 0 target: 1 vars: 1 vars: 2 vars: 0 }",
        "table { vars: 0 vars: 1 values: 0 values: 0 values: 1 values: 2 values: 2 values: 2 }",
        "automaton { vars: 0 vars: 1 final_states: 0 transition_tail: 0 transition_head: 0 transition_label: 2"
        " transition_tail: 0 transition_head: 1 transition_label: 1"
        " transition_tail: 1 transition_head: 0 transition_label: 2 }",
    ):
        model.proto.constraints.add().parse_text_format(text)
    assert model.validate() == ""
    assert brute_force(model) == set(all_solutions(model)) == {(1, 2, 2), (2, 2, 0), (2, 2, 1), (2, 2, 2)}


@pytest.mark.parametrize(
    ("rule", "values", "expected"),
    [
        (lambda m, x, y: m.add(x >= 0), [3, 4], None),
        (lambda m, x, y: m.minimize(2 * x - y + 7), [3, 4], 9),
        (lambda m, x, y: m.maximize(2 * x - y + 7), [3, 4], 9),
        (lambda m, x, y: m.maximize(0.5 * x - y), [3, 4], -2.5),
        (lambda m, x, y: m.maximize(0.5 * x - y), [2, 4], -3),
        # a scaling factor of 0 stands for none
        (lambda m, x, y: m.proto.objective.parse_text_format("vars: 0 coeffs: 5 offset: 1"), [3, 4], 16),
    ],
)
def test_objective_as_the_user_sees_it(rule: Rule, values: list[int], expected: float | None) -> None:
    told = Evaluator(declared([(0, 9)] * 2, rule)).objective(values)
    assert (told, type(told)) == (expected, type(expected))


@pytest.mark.thorough
@pytest.mark.parametrize("enforced", [False, True])
def test_all_ways_to_use_the_arcs_of_a_circuit(enforced: bool) -> None:
    """Loops, arcs side by side and negated literals among them: a batch says what single rows say."""
    model = CpModel()
    arcs = [(u, v) for u in range(3) for v in range(3)] + [(0, 1)]
    used = [model.new_bool_var("") for _ in arcs]
    literals = [*used[:-1], ~used[-1]]
    chosen = [(7 * u, 7 * v, literal) for (u, v), literal in zip(arcs, literals, strict=True)]
    circuit = model.add_circuit(chosen)
    if enforced:
        circuit.proto.enforcement_literal.append(model.new_bool_var("").index)
    rows = list(product((0, 1), repeat=len(model.proto.variables)))
    told = Evaluator(model).violations(np.array(rows))
    assert told == [Evaluator(model).first_violation(row) for row in rows]
    assert told.count(None) == (1024 + 8 if enforced else 8)
