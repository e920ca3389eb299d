"""Thousands of random models and puzzles: every backend, split or not, broken or not, finds what brute force finds."""

import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from threading import Event
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st
from igraph import Graph
from ortools.sat.python.cp_model import CpModel

from models.puzzle import Puzzle, Symmetry
from solvers.errors import InputError
from solvers.files.catalogue import find
from solvers.options import Options
from solvers.running.runner import Run
from solvers.symmetry.automorphisms import found as automorphisms
from solvers.symmetry.key import Key
from tests import random_models

BACKENDS = ["cp-sat", "cp", "sat", "sat:glucose42", "sat:minisat22", "sat:maplecm", "cover"]

Solutions = frozenset[frozenset[tuple[Any, int]]]

MANY = int(os.environ.get("KAZOERU_EXAMPLES", "2000"))

many = settings(
    max_examples=MANY, deadline=None, print_blob=True, suppress_health_check=list(HealthCheck), derandomize=False
)


@pytest.fixture(autouse=True, scope="module")
def symmetries_in_this_process() -> Iterator[None]:
    """To start a process for each search for symmetries would take longer than all else."""

    def bliss(edges: Sequence[tuple[int, int]], colours: Sequence[int], stop: Event) -> list[list[int]]:
        generators: list[list[int]] = Graph(len(colours), edges).automorphism_group(sh="fl", color=colours)
        return generators

    with patch("solvers.symmetry.automorphisms._bliss", bliss):
        yield


@st.composite
def covers(draw: Callable[..., Any]) -> CpModel:
    """Random exact covers with optional items and exclusions, of up to ten options."""
    model = CpModel()
    options = [model.new_bool_var("") for _ in range(draw(st.integers(1, 10)))]
    some = st.lists(st.sampled_from(options), min_size=1, max_size=5, unique_by=lambda option: option.index)
    for item in draw(st.lists(some, min_size=1, max_size=5)):
        model.add_exactly_one(item)
    for item in draw(st.lists(some, max_size=2)):
        model.add_at_most_one(item)
    for item in draw(st.lists(some, max_size=2)):
        if len(item) > 1:
            model.add_bool_or(~item[0], ~item[1])
    return model


@st.composite
def ways(draw: Callable[..., Any]) -> list[dict[str, Any]]:
    """Some ways to search a model."""
    return [
        {
            "backend": draw(st.sampled_from(BACKENDS)),
            "symmetry": draw(st.sampled_from(["declared", "found", "none"])),
            "all": draw(st.booleans()),
            "cubes": draw(st.sampled_from([None, 1, 4, 40])),
            "seed": draw(st.integers(0, 3)),
            "count_only": False,
        }
        for _ in range(3)
    ]


def searched(declare: Callable[[], Puzzle], way: Mapping[str, Any]) -> tuple[Solutions, int] | None:
    """Every solution, and how many orbits they make; None where the backend refuses the model."""
    run = Run("random", {}, declare, Options(jobs=1, **way))
    try:
        for _ in run:
            pass
    except InputError as reason:
        event(f"{way['backend'].partition(':')[0]} refuses: {' '.join(str(reason).split()[:4])}")
        return None
    assert run.report.complete, run.report
    assert run.collector
    assert run.report.repeats == 0
    key = run.collector.question.key
    group = run.collector.question.group
    images = {image for solution in run.collector.in_order() for image in group.images(solution)}
    assert len(images) == run.report.total
    decoded = map(key.decode, images)
    # Where a Boolean is not named, it is 0.
    return frozenset(frozenset((v, image.get(v, 0)) for v in key.labels) for image in decoded), run.report.solutions


def orbits(solutions: Solutions, symmetries: Sequence[Symmetry]) -> int:
    """How many orbits the solutions make, by walking from each to its images."""
    left, count = set(solutions), 0
    while left:
        count += 1
        reached = [left.pop()]
        while reached:
            solution = reached.pop()
            for symmetry in symmetries:
                image = frozenset(symmetry(*literal) for literal in solution)
                assert image in solutions
                if image in left:
                    left.remove(image)
                    reached.append(image)
    return count


def agree(model: CpModel, numbers: Sequence[int], chosen: Sequence[Mapping[str, Any]]) -> None:
    key = {f"v{number}": number for number in numbers}

    def declare() -> Puzzle:
        return Puzzle("random", {}, model, key)

    expected = frozenset(
        frozenset((f"v{number}", values[number]) for number in numbers) for values in random_models.brute_force(model)
    )
    for way in chosen:
        if (answer := searched(declare, way)) is None:
            continue
        solutions, count = answer
        assert solutions == expected, way
        symmetries = automorphisms(model, Key(model, key), Event()) if way["symmetry"] == "found" else []
        assert count == orbits(expected, symmetries), way


@pytest.mark.slow
@many
@given(st.data(), ways())
def test_random_models(data: st.DataObject, chosen: list[dict[str, Any]]) -> None:
    model = data.draw(random_models.models())
    agree(model, data.draw(random_models.keys(model)), chosen)


@pytest.mark.slow
@many
@given(covers(), ways())
def test_random_covers(model: CpModel, chosen: list[dict[str, Any]]) -> None:
    agree(model, range(len(model.proto.variables)), chosen)


VARIANTS: Mapping[str, Mapping[str, st.SearchStrategy[Any]]] = {
    "pentomino": {
        "board": st.sampled_from(["2x5", "3x5", "4x5", "5x5", "3x10", "2x3x5", "3x6"]),
        "pieces": st.sampled_from(["free", "one-sided"]),
        "square": st.booleans(),
        "subset": st.booleans(),
    },
    "dissection": {
        "region": st.sampled_from(["2x2", "2x3", "3x4", "square-3", "square-4", "2x6"]),
        "parts": st.integers(2, 4),
        "mirror": st.booleans(),
        "require": st.sampled_from(["area", "connected", "both-connected", "congruent"]),
    },
    "matchsticks": {
        "expression": st.text("0123456789+-", min_size=1, max_size=4),
        "moves": st.integers(0, 2),
        "goal": st.sampled_from(["min", "max", "any"]),
        "positive": st.booleans(),
        "leading_zero": st.booleans(),
    },
    "flip-it": {"board": st.text("bw_", min_size=2, max_size=5)},
    "magic": {
        "kind": st.sampled_from(["blocks", "ring", "square"]),
        "corners": st.booleans(),
        "numbers": st.sampled_from(["natural", "odd", "primes", "1..10", "1,2,4..10,12"]),
        "order": st.integers(2, 3),
    },
    "checker": {"flip": st.booleans(), "centre": st.booleans(), "coloured": st.just(True)},
}


def is_small(puzzle: Puzzle) -> bool:
    """Whether all of its solutions can be listed in many ways."""
    options = Options("sat", all=True, cubes=1, symmetry="none", limit=1000, time_limit=3, jobs=1)
    run = Run("random", {}, lambda: puzzle, options)
    try:
        deque(run, maxlen=0)
    except InputError:
        return True
    if not run.report.complete:
        event("too large")
    return run.report.complete


@pytest.mark.slow
@pytest.mark.parametrize("name", VARIANTS)
@settings(many, max_examples=max(MANY // 30, 5))
@given(st.data(), ways())
def test_variants_of_puzzles(name: str, data: st.DataObject, chosen: list[dict[str, Any]]) -> None:
    parameters = {parameter: data.draw(values, parameter) for parameter, values in VARIANTS[name].items()}
    try:
        puzzle = find(name).load()(**parameters)
    except ValueError:
        assume(False)
    assume(is_small(puzzle))
    answers: dict[str, int] = {}
    expected: Solutions | None = None
    for way in [{"backend": "sat", "all": True, "cubes": 1, "symmetry": "none"}, *chosen]:
        if (answer := searched(lambda: puzzle, way)) is None:
            continue
        solutions, count = answer
        assert expected is None or solutions == expected, (parameters, way)
        expected = solutions
        assert answers.setdefault(way["symmetry"], count) == count, (parameters, way)
    if "declared" in answers:
        assert expected is not None
        assert answers["declared"] == orbits(expected, puzzle.symmetries)
