"""Counts without listing: against brute force, listings and golden numbers; memory; what is refused."""

import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from models.boards import grid
from models.packing import packing
from models.pentomino import pentomino
from models.puzzle import Puzzle
from solvers import solve
from solvers.base.errors import BudgetError, CheckError, InputError
from solvers.base.options import Options
from solvers.extras.counts.counting import layout
from solvers.extras.counts.counting.burnside import option_images
from solvers.extras.counts.counting.frontier import Frontier
from solvers.extras.counts.counting.item_order import Incidence, item_order, links
from solvers.extras.counts.counting.reduced_cover import instance
from solvers.extras.shared.large_groups import conjugacy
from solvers.files.catalogue import find
from solvers.model.exact_cover import exact_cover
from solvers.running.runner import Run
from solvers.show.report import Report
from solvers.symmetry.key import Key
from tests.support import declared
from tests.support.command import refusal
from tests.support.covers import SQUARES, domino
from tests.support.golden import BEYOND_LISTING, GOLDEN, Golden
from tests.support.groups import closure
from tests.support.tiers import sampled

LARGE = {"4x4x4", "5x5x5", "8x8", "8x8-corners", "2x5x6", "3x4x5", "5x18", "6x15"}
"""Boards of more than two million states."""


def number(model: Any, image: Sequence[int] | None = None, jobs: int = 1, budget: int = 10**9) -> int:
    return Frontier(instance(exact_cover(model), image), threading.Event(), budget=budget, jobs=jobs).count()


def counted(puzzle: Puzzle, **options: Any) -> Report:
    run = Run("test", {}, lambda: puzzle, Options(count_only=True, **options))
    found = [solution for solution in run if solution]
    assert run.report.method == "listing" or not found
    return run.report


@pytest.mark.parametrize(
    "side", [pytest.param(side, marks=pytest.mark.thorough if side > 10 else ()) for side in SQUARES if side <= 12]
)
def test_dominoes(side: int) -> None:
    report = counted(domino(side, side), method="frontier")
    assert (report.complete, report.method, report.total) == (True, "frontier", SQUARES[side])
    assert report.total / 8 <= report.solutions
    assert report.checked == 0
    assert report.repeats is None


@pytest.mark.parametrize("sides", [(4, 4), (2, 2, 3)])
@pytest.mark.parametrize("backend", sampled(["cover", "sat", "cp-sat"], 3))
def test_orbits_of_dominoes(sides: tuple[int, ...], backend: str) -> None:
    """Here most symmetries leave some solutions as they are."""
    listing = solve(domino(*sides), backend="cover")
    for unbroken in (False, True):
        method: Any = "frontier" if backend == "cover" else None
        report = counted(domino(*sides), backend=backend, method=method, unbroken=unbroken)
        assert report.method == (method or "listing")
        assert report.complete
        assert (report.solutions, report.total) == (listing.solutions, listing.total)


def test_solutions_that_a_symmetry_leaves_as_they_are() -> None:
    """The count of a class, against the declared model with x = its image added, by another backend."""
    puzzle: Any = domino(4, 4)
    key = Key(puzzle.model, puzzle.key)
    classes = list(conjugacy.classes(closure(key, puzzle.symmetries), threading.Event()))
    assert sorted(size for _, size in classes) == [1, 1, 2, 2, 2], "the symmetries of a square"
    for element, _ in classes:
        image = option_images(exact_cover(puzzle.model), key, element)
        assert image is not None
        model = puzzle.model.clone()
        for variable in key.variables:
            one, other = (model.get_bool_var_from_proto_index(v) for v in (variable, image[variable]))
            model.add_implication(one, other)
        fixed = solve(Puzzle("test", {}, model, puzzle.key), backend="sat")
        assert fixed.solutions == number(puzzle.model, image)


def tier(golden: Golden) -> Any:
    is_late = (golden.total or 0) > 5000 or golden.puzzle == "edge-matching"
    return pytest.mark.thorough if is_late else ()


PAST_MEMORY = ("packing board=4x4x4 pieces=bedlam", "edge-matching")
"""Their layers have more states than fit."""

COVERS = [
    pytest.param(golden, marks=tier(golden), id=str(golden))
    for golden in [*GOLDEN, *BEYOND_LISTING]
    if golden.is_cover and str(golden) not in PAST_MEMORY and golden.parameters.get("board", "8x8") not in LARGE
]


@pytest.mark.parametrize("golden", sampled(COVERS[::4], 2))
def test_golden(golden: Golden) -> None:
    report = counted(find(golden.puzzle).load()(**golden.parameters), method="frontier")
    assert (report.complete, report.method) == (True, "frontier")
    assert golden.solutions in (None, report.solutions)
    assert golden.total in (None, report.total)
    assert report.symmetries == golden.symmetries


@pytest.mark.thorough
@pytest.mark.parametrize("backend", ["cp-sat", pytest.param("sat", marks=pytest.mark.thorough)])
def test_counting_by_listing(backend: str) -> None:
    """Each orbit with one of its members, with all of them, or by its least where symmetry could not be broken."""
    for unbroken in (False, True):
        report = counted(pentomino("5x3", subset=True), backend=backend, unbroken=unbroken)
        assert (report.complete, report.method, report.solutions, report.total) == (True, "listing", 7, 28)
        assert (report.repeats, report.checked) == (None, 28)


def test_nothing_is_kept() -> None:
    run = Run("test", {}, lambda: domino(4, 4), Options(backend="sat", count_only=True, unbroken=True))
    assert sum(solution is not None for solution in run) == run.report.solutions == 9
    assert run.collector is not None
    assert run.collector.in_order() == []


def test_a_symmetry_of_the_solutions_alone_is_left_to_a_listing() -> None:
    """The model says more of a than of b, but the solutions do not show it."""

    puzzle = declared.puzzle(
        dict.fromkeys("abc", declared.BOOLEAN),
        lambda model, a, b, c: model.add_exactly_one(a, b, c),
        lambda model, a, b, c: model.add_at_most_one(a, c),
        lambda model, a, b, c: model.add_bool_or(~c),
        symmetries=[lambda label, value: ({"a": "b", "b": "a"}.get(label, label), value)],
    )
    report = counted(puzzle, backend="cover")
    assert (report.method, report.solutions, report.total) == ("listing", 1, 2)


def test_a_wrong_symmetry_is_named() -> None:
    puzzle = domino(2, 3)
    one, other, *_ = sorted(puzzle.key)
    swap = {one: other, other: one}
    wrong = replace(puzzle, symmetries=[lambda place, value: (swap.get(place, place), value)])
    with pytest.raises(CheckError, match="symmetry 1"):
        counted(wrong, backend="cover")


def test_a_limit_and_a_feature_are_left_to_a_listing() -> None:
    report = counted(domino(4, 4), backend="cover", limit=3)
    assert (report.method, report.complete, report.solutions) == ("listing", False, 3)
    featured = replace(domino(2, 2), feature=lambda solution: "all alike")
    report = counted(featured, backend="cover")
    assert (report.method, report.features) == ("listing", {"all alike": 1})


@st.composite
def bags(draw: st.DrawFn) -> Puzzle:
    """A small board without some cells, and pieces that may be used or not, some of them several times."""
    height, width = draw(st.integers(1, 4)), draw(st.integers(2, 4))
    missing = draw(st.sets(st.tuples(st.integers(0, height - 1), st.integers(0, width - 1)), max_size=2))
    rows = ["".join(".#"[(row, column) not in missing] for column in range(width)) for row in range(height)]
    numbers = st.sampled_from(["", " x0-1", " x0-2", " x1-3", " x*"])
    sets = draw(
        st.lists(st.sampled_from(["monomino", "dominoes", "trominoes", "tetrominoes"]), min_size=1, unique=True)
    )
    bag = " + ".join(own + draw(numbers) for own in sets)
    try:
        return packing("\n".join([*rows, ""]), bag, flip=draw(st.booleans()), holes=draw(st.integers(0, 2)))
    except ValueError:  # no board of that area, or none that the pieces fill
        assume(False)
        raise


@pytest.mark.thorough
@settings(max_examples=3, deadline=None)
@given(bags(), st.sampled_from(["declared", "found", "none"]), st.data())
def test_used_pieces_are_counted_without_listing(puzzle: Puzzle, symmetry: Any, data: st.DataObject) -> None:
    facts = {data.draw(st.sampled_from(sorted(puzzle.key))): 1} if data.draw(st.booleans()) else {}
    reports = [
        solve(
            puzzle, by="pieces", count_only=True, backend="cover", method=method, symmetry=symmetry, given=facts, jobs=1
        ).report
        for method in (None, "listing")
    ]
    assert reports[0].features == reports[1].features
    assert reports[0].total == reports[1].total
    assert symmetry == "found" or reports[0].method == "frontier"


def test_used_pieces_that_symmetries_exchange() -> None:
    alike = packing("2x3", "A x0-1\n#\n#\n\nB x0-1\n#\n#\n\nmono x*\n#\n")
    asked = {"by": "pieces", "symmetry": "found", "count_only": True}
    with pytest.raises(InputError, match="cannot count by pieces where symmetries exchange them"):
        solve(alike, **asked, method="frontier")
    told = solve(alike, **asked).report
    assert (told.method, told.features) == ("listing", {"A mono x4 or B mono x4": 3, "A B mono x2": 5, "mono x6": 1})


@pytest.mark.thorough
def test_used_pieces_of_larger_packings() -> None:
    report = solve(packing("5x5", "pentominoes x0-1"), by="pieces", method="frontier", count_only=True).report
    assert (report.solutions, report.total) == (107, 856)
    assert (len(report.features), [*report.features.values()].count(1)) == (45, 19)
    mixed = solve(packing("6x6", "dominoes x* + monomino x*"), by="pieces", symmetry="none", count_only=True).report
    assert sum(mixed.features.values()) == mixed.total == 2_989_126_727
    assert (mixed.features["I2 x18"], mixed.features["I1 x34 I2"], mixed.features["I1 x36"]) == (6728, 60, 1)


RINGS = {
    "ring": "#######\n#######\n##...##\n##...##\n##...##\n#######\n#######\n",
    "small ring": "#######\n#######\n#.....#\n#######\n#######\n",
}
"""Closed rings of 40 and 30 cells."""


@pytest.mark.parametrize(
    ("board", "ratio"),
    [
        *(pytest.param(board, 1.1, marks=pytest.mark.thorough) for board in ("3x20", "12x5")),
        ("20x3", 1.1),
        pytest.param("8x8-centre", 1.1, marks=pytest.mark.thorough),
        ("small ring", 1.4),
    ],
)
def test_the_order_that_is_found(board: str, ratio: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """There are hardly more states than column by column, along the longest side."""
    puzzle: Any = pentomino(RINGS.get(board, board), subset=board in RINGS)
    problem = instance(exact_cover(puzzle.model))
    found = Frontier(problem, threading.Event(), budget=10**9)
    solutions = found.count()

    labels = list(puzzle.key)
    places = [set(labels[members[0]][1]) for members in problem.members]
    items = [
        set.intersection(*(places[o] for o, row in enumerate(problem.covers) if n in row))
        for n in range(problem.mandatory)
    ]
    longest = max(range(len(min(places[0]))), key=lambda axis: max(cell[axis] for place in places for cell in place))
    cells = sorted(
        (n for n, item in enumerate(items) if item), key=lambda n: [(cell[longest], cell) for cell in items[n]]
    )
    pieces = [n for n, item in enumerate(items) if not item]
    monkeypatch.setattr(layout, "item_order", lambda incidence: ([*cells, *pieces], len(cells)))
    by_columns = Frontier(problem, threading.Event(), budget=10**9)
    assert by_columns.count() == solutions
    assert found.states <= ratio * by_columns.states


@pytest.mark.parametrize("board", ["6x10", "8x8-centre", "3x4x5", "2x5x6"])
def test_links_join_neighbours(board: str) -> None:
    """The geometry that is read off the options is the board's."""
    puzzle = pentomino(board)
    labels = list(puzzle.key)
    cells = sorted({cell for _, place in labels for cell in place})
    number = {cell: n for n, cell in enumerate(cells)}
    incidence = Incidence([[number[cell] for cell in place] for _, place in labels], len(cells), 0)
    joined = links(incidence, incidence.likeness(), np.ones(len(cells), dtype=bool))
    assert joined == {(number[a], number[b]) for a in cells for b in grid.neighbours(a) if b in number and a < b}


@pytest.mark.thorough
def test_far_items_come_last() -> None:
    puzzle: Any = pentomino("6x10")
    problem = instance(exact_cover(puzzle.model))
    order, near = item_order(Incidence(problem.covers, problem.mandatory, problem.optional))
    assert (near, len(order)) == (60, 72)


@pytest.mark.thorough
def test_budget() -> None:
    """It stops in time, and its guess is of the right size: the whole takes 11 MB."""
    model = pentomino("6x10").model
    with pytest.raises(
        BudgetError, match=r"the memory budget of 0.003 GB \(layer .* of 72, with .* takes about 0.0(0[5-9]|[12])"
    ):
        number(model, budget=3_000_000)
    assert number(model, budget=12_000_000) == 9356


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--count-only", "--solutions", "f"], "--count-only keeps no solutions, so --solutions has nothing to write"),
        (["--count-only", "--memory", "0"], "'0' is not an amount of memory"),
        (["--count-only", "--memory", "much"], "'much' is not an amount of memory"),
        (["--count-only", "--backend", "cover", "--solver-parameter", "a=1"], "cover has no parameters"),
    ],
)
def test_what_is_refused(words: list[str], sentence: str) -> None:
    assert sentence in refusal("pentomino", "--board", "3x20", *words)
