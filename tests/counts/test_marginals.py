"""In how many solutions each literal is, and solutions drawn by chance: against brute force and listings."""

import csv
import json
import threading
from collections import Counter
from collections.abc import Iterable
from itertools import product
from math import sqrt
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from ortools.sat.python.cp_model import CpModel

from models.magic import magic
from models.packing import packing
from models.pentomino import pentomino
from models.puzzle import Puzzle
from solvers import InputError, solve
from solvers.base.options import Options
from solvers.base.tuning import override_tuning
from solvers.extras.counts.counting.backward import Backward
from solvers.extras.counts.counting.frontier import Frontier
from solvers.extras.counts.counting.reduced_cover import instance
from solvers.extras.pictures import gallery
from solvers.extras.pictures.marginals import MarginalsFile
from solvers.extras.shared.tuning import EXTRAS_TUNING
from solvers.model.exact_cover import exact_cover
from solvers.running.runner import Run
from tests.support.command import RUN, printed, refusal, run, told
from tests.support.covers import SQUARES, covers, domino, of_model
from tests.support.declared import BOOLEAN, puzzle
from tests.support.own_models import write
from tests.support.random_models import brute_force
from tests.support.refusals import refused
from tests.support.runs import finished


def is_uniform(drawn: Iterable[object], kinds: int) -> bool:
    """K. Pearson's test, with the deviation in units of its own: wrong once in a million times."""
    times = Counter(drawn)
    expected = times.total() / kinds
    chi_square = sum((n - expected) ** 2 / expected for n in times.values()) + (kinds - len(times)) * expected
    return abs(chi_square - (kinds - 1)) < 5 * sqrt(2 * (kinds - 1))


@pytest.mark.thorough
@settings(max_examples=60, deadline=None)
@given(covers)
def test_random_covers(model: CpModel) -> None:
    variables = len(model.proto.variables)
    solutions = brute_force(model)
    options = Options("cover", count_only=True, marginals=True, sample=5, jobs=1)
    search = Run("test", {}, lambda: of_model(model), options)
    assert not any(search)
    assert search.report.method == "frontier"
    if variables:
        marginals: Any = search.marginals
        assert list(marginals.values()) == [sum(values[n] for values in solutions) for n in range(variables)]
        assert marginals.total == len(solutions)
    drawn = [tuple(sample[n] for n in range(variables)) for sample in search.samples]
    assert len(drawn) == (5 if solutions else 0)
    assert set(drawn) <= set(solutions)
    assert search.report.checked == len(set(drawn))


@pytest.mark.thorough
def test_steps_come_in_pieces() -> None:
    """The same from tiny buffers, in threads however few the states, with partitions."""
    problem = instance(exact_cover(pentomino("5x5", subset=True).model))
    found = []
    for rows, states, jobs in (1 << 17, 10_000, 1), (200, 0, 1), (200, 0, 2), (200, 0, 3):
        with override_tuning(EXTRAS_TUNING, transitions_per_buffer=rows, max_states_for_one_thread=states):
            forward = Frontier(problem, threading.Event(), budget=10**9, jobs=jobs, keep=True)
            solutions = forward.count()
            assert solutions == 856
            backward = Backward(forward, solutions)
            found.append((backward.option_counts(), backward.sample(20, seed=1)))
    assert found == found[:1] * 4


@pytest.mark.parametrize(
    "side",
    [
        pytest.param(4, marks=pytest.mark.thorough),
        pytest.param(12, marks=pytest.mark.thorough),
    ],
)
def test_large_numbers(side: int) -> None:
    """Every cell is covered once in each solution, and places that a symmetry exchanges are used alike."""
    dominoes = domino(side, side)
    marginals: Any = solve(dominoes, backend="cover", count_only=True, marginals=True).marginals
    assert marginals.total == SQUARES[side]
    assert sum(marginals.values()) == SQUARES[side] * side * side // 2
    for cell in product(range(side), repeat=2):
        assert sum(marginals[place, 1] for place in dominoes.key if cell in place) == SQUARES[side]
    for symmetry in dominoes.symmetries:
        assert all(marginals[symmetry(place, 1)] == count for (place, _), count in marginals.items())
    assert marginals[((0, 0), (0, 1)), 0] == SQUARES[side] // 2


@pytest.mark.parametrize(
    ("backend", "count_only", "unbroken"),
    [
        ("cover", False, False),
        ("cover", True, False),
        ("cover", True, True),
        ("sat", False, True),
        ("sat", True, False),
        pytest.param("cp-sat", True, False, marks=pytest.mark.thorough),
        ("cp", False, False),
    ],
)
def test_every_way_to_count(backend: str, count_only: bool, unbroken: bool) -> None:
    expected = Counter(literal for one in solve(domino(4, 5), backend="cover").in_all() for literal in one.items())
    result = solve(domino(4, 5), backend=backend, count_only=count_only, unbroken=unbroken, marginals=True, sample=300)
    marginals: Any = result.marginals
    assert {literal: count for literal, count in marginals.items() if count} == expected
    assert (marginals.total, result.total) == (95, 95)
    assert result.report.marginals == {"literals": 31, "in_all": 0, "in_none": 0}
    assert len(result.samples) == len(result.report.samples) == 300
    assert is_uniform(map(str, result.samples), 95)


@pytest.mark.thorough
def test_integers() -> None:
    solutions = list(solve(magic(kind="ring")).in_all())
    result = solve(magic(kind="ring"), marginals=True, sample=500)
    marginals: Any = result.marginals
    assert len(marginals) == 64
    for (place, value), count in marginals.items():
        assert count == sum(solution[place] == value for solution in solutions)
    assert is_uniform(map(str, result.samples), 48)


def test_what_all_and_none_have() -> None:
    free = puzzle(
        {**dict.fromkeys("abcd", BOOLEAN), "n": (1, 3)},
        lambda m, a, b, c, d, n: m.add_bool_or(a),
        lambda m, a, b, c, d, n: m.add_bool_or(~b),
        lambda m, a, b, c, d, n: m.add(n != 2),
    )
    marginals: Any = solve(free, marginals=True).marginals
    assert (marginals.total, marginals["c", 1], marginals["c", 0], marginals["n", 3]) == (8, 4, 4, 4)
    assert marginals.in_all == [("a", 1)]
    assert marginals.in_none == [("b", 1), ("n", 2)]
    assert str(marginals) == "in all solutions: 1 of 7 literals\n  a\nin no solution: 2 of 7 literals\n  b\n  n = 2"
    with pytest.raises(KeyError):
        marginals["e", 1]


def test_no_solution() -> None:
    result = solve(pentomino(board="2x30"), backend="cover", count_only=True, marginals=True, sample=2)
    marginals: Any = result.marginals
    assert (marginals.total, marginals.in_all, result.samples, {*marginals.values()}) == (0, [], [], {0})
    assert [frame.caption for frame in marginals.heat_map()] == list("ILNPUY"), "others are three cells wide"


@pytest.mark.thorough
def test_heat_maps() -> None:
    """In each frame the cells of a piece, each as often as the piece covers it."""
    frames = solve(pentomino(board="2x3x10"), backend="cover", marginals=True).marginals.heat_map()  # type: ignore[union-attr]
    assert [frame.caption for frame in frames[:3]] == ["F, layer 1", "F, layer 2", "I, layer 1"]
    assert all(len(frame.shapes) == 30 for frame in frames)
    shares = [int(shape.label) for frame in frames for shape in frame.shapes if shape.label not in ("", "<1")]
    assert abs(sum(shares) - 6000) < 200, "sixty cells are covered, up to what is rounded"
    hottest = max((shape for frame in frames for shape in frame.shapes), key=lambda shape: int(shape.label or 0))
    assert hottest.colour == "heat 6"
    numbers: Any = solve(magic(kind="ring"), marginals=True).marginals
    assert [frame.caption for frame in numbers.heat_map()] == list("12345678")
    assert "<svg" in numbers._repr_html_()
    assert not solve("matchsticks", marginals=True).marginals.heat_map()  # type: ignore[union-attr]


@pytest.mark.thorough
def test_files(tmp_path: Path) -> None:
    search = finished(pentomino, {"board": "3x20"}, backend="cover", count_only=True, marginals=True)
    for ending in "json", "csv", "svg", "txt":
        assert MarginalsFile(str(tmp_path / f"m.{ending}")).finish(search, lambda: False) == ""
    assert "Where each piece lies, in percent of all 8 solutions</summary><svg" in gallery.page(search, lambda: False)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["m.csv", "m.json", "m.svg", "m.txt"]
    page = json.loads((tmp_path / "m.json").read_text())
    assert (page["puzzle"], page["parameters"]["board"], page["total"]) == ("tested", "3x20", 8)
    assert (len(page["in_all"]), len(page["in_none"])) == (0, 1168)
    rows = list(csv.reader((tmp_path / "m.csv").read_text().splitlines()))
    assert rows[0] == ["label", "value", "solutions"]
    assert [[json.loads(label), int(value), int(times)] for label, value, times in rows[1:]] == page["marginals"]
    assert sum(times for _, _, times in page["marginals"]) == 8 * 12
    assert ElementTree.parse(tmp_path / "m.svg").getroot().tag.endswith("svg")
    text = (tmp_path / "m.txt").read_text()
    assert text.startswith("F\n┌───┬")
    assert "│25 │50 │50 │25 │" in text


@pytest.mark.thorough
def test_command(tmp_path: Path) -> None:
    words = ["pentomino", "--board", "3x20", "--backend", "cover", "--count-only", "--sample", "2"]
    words += ["--marginals", str(tmp_path / "m.csv")]
    report = told(*words)
    assert report["marginals"] == {"literals": 1236, "in_all": 0, "in_none": 1168}
    assert [len(sample) for sample in report["samples"]] == [12, 12]
    shown = printed(*words)
    assert "in all solutions: 0 of 1236 literals\nin no solution: 1168 of 1236 literals\n  ('F'," in shown
    assert "\n  and 1156 more\n" in shown
    assert (shown.count("sample "), shown.count("┐\n")) == (2, 2)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["pentomino", "--marginals", "m.png"], "m.png: name a file that ends in .json, .csv, .svg"),
        (["pentomino", "--marginals", ""], "cannot write '': name a file"),
        (["pentomino", "--marginals", "no/m.csv"], "no/m.csv: No such file or directory"),
        (["pentomino", "--marginals", "m.csv", "--limit", "3"], "marginals is about all solutions, and --limit"),
        (["pentomino", "--sample", "2", "--limit", "3"], "sample is about all solutions, and --limit"),
        (["pentomino", "--sample", "0"], "'0' is not a whole number of at least"),
        (["pentomino", "--marginals", "m.svg", "--gallery", "m.svg"], "two outputs would go to the same file"),
        (["matchsticks", "--marginals", "m.svg"], "matchsticks does not say which cells are filled"),
        (["matchsticks", "--marginals", "m.txt"], "matchsticks does not say which cells are filled"),
    ],
)
def test_what_is_refused(words: list[str], sentence: str, tmp_path: Path) -> None:
    assert sentence in refusal(*(str(tmp_path / word) if "." in word else word for word in words))
    assert not list(tmp_path.iterdir())


def test_too_many_literals() -> None:
    with pytest.raises(InputError, match="10000001 literals, and marginals are given for at most 1000000"):
        solve(puzzle({"n": (0, 10**7)}), marginals=True)


@pytest.mark.thorough
def test_nothing_is_said_of_some_solutions(tmp_path: Path) -> None:
    """A run that did not see all says so, and leaves the file alone."""
    path = write(tmp_path / "m.csv", "kept")
    words = ["--backend", "sat", "--time-limit", "1", "--sample", "2", "--marginals", str(path)]
    done = run(RUN, "pentomino", *words)
    assert (done.returncode, "sample" in done.stdout) == (3, False)
    assert done.stderr.endswith(f"; {path} was not written, because marginals need all solutions\n")
    assert [file.read_text() for file in tmp_path.iterdir()] == ["kept"]


def test_given() -> None:
    """The numbers of a listing of the same; what is given is in all solutions."""
    place = next(iter(domino(4, 6).key))
    answers = [
        solve(domino(4, 6), backend="cover", given={place: 1}, count_only=count_only, marginals=True, sample=20)
        for count_only in (True, False)
    ]
    assert [answer.report.method for answer in answers] == ["frontier", "listing"]
    assert answers[0].marginals == answers[1].marginals
    assert len({(answer.solutions, answer.total) for answer in answers}) == 1
    assert (place, 1) in answers[0].marginals.in_all  # type: ignore[union-attr]
    assert all(sample[place] for answer in answers for sample in answer.samples)


@pytest.mark.thorough
def test_budget() -> None:
    """All layers are held, and the guess is of that: they take some 35 MB."""
    result = solve(pentomino(board="6x10"), backend="cover", count_only=True, marginals=True, memory=0.012)
    assert (result.complete, result.marginals) == (False, None)
    assert "the memory budget of 0.012 GB" in result.report.stopped_by
    assert any(f"takes about 0.0{guess}" in result.report.stopped_by for guess in range(1, 10))


def test_one_variable_may_have_two_labels() -> None:
    model = CpModel()
    x = model.new_int_var(0, 5, "x")
    twice = Puzzle("twice", {}, model, {"a": x, "b": x}, [lambda label, value: (label, 5 - value)])
    marginals: Any = solve(twice, marginals=True, jobs=1).marginals
    assert (marginals["b", 0], len(marginals)) == (1, 6)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "options",
    [
        {"backend": "cover"},
        {"backend": "cover", "count_only": True},
        {"backend": "cover", "symmetry": "found"},
        {"backend": "sat", "symmetry": "none"},
    ],
)
def test_distinct_samples_are_drawn_once_each(options: dict[str, Any]) -> None:
    """With replacement, some of 20 of 36 solutions come twice; without, none, and 100 are all 36."""
    puzzle = packing("4x4", "dominoes x*")

    def drawn(number: int, **more: Any) -> list[str]:
        found = solve(puzzle, sample=number, jobs=1, **options, **more)
        return [str(sorted(sample.items(), key=str)) for sample in found.samples]

    assert len(drawn(20)) == 20 > len({*drawn(20)})
    assert len({*drawn(20, distinct=True)}) == len(drawn(20, distinct=True)) == 20
    assert len({*drawn(100, distinct=True)}) == len(drawn(100, distinct=True)) == 36
    assert drawn(5, distinct=True) == drawn(5, distinct=True) != drawn(5, distinct=True, seed=1)


def test_distinct_needs_a_sample() -> None:
    refused("add sample=", Options, distinct=True)
