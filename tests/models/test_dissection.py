"""Dissections against all ways to share out the cells, with a geometry of points in place of the model's corners."""

from collections.abc import Iterator
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from models.boards import grid
from models.dissection import dissection
from models.puzzle import Puzzle
from solvers.show.draw import text
from tests.support.enumerate import key_solutions
from tests.support.own_models import write
from tests.support.puzzles import drawn, is_right, valued
from tests.support.refusals import refused
from tests.support.tiers import sampled

Point = tuple[int, int]
Parts = tuple[int, ...]

OFFSETS = {"n": (-1, 0), "e": (0, 1), "s": (1, 0), "w": (0, -1)}

PUBLISHED = (
    "...111.",
    "...1122",
    "...1.22",
    "111112.",
    "112222.",
    "..22.2.",
    "..2....",
)
"""The solution that the newspaper's puzzle has."""


def accepts(puzzle: Puzzle, parts: Parts) -> bool:
    return is_right(puzzle, valued(puzzle, parts))


def point(label: Any) -> Point:
    """Squares stand three apart and quarters one from their square's middle: neighbours are less than two apart."""
    row, column, *side = label
    down, right = OFFSETS[side[0]] if side else (0, 0)
    return 3 * row + down, 3 * column + right


def touch(one: Point, other: Point, quartered: bool) -> bool:
    square = (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2
    return square <= 2 if quartered else square == 9


def connected(points: set[Point], quartered: bool) -> bool:
    reached = {min(points)}
    while more := {p for p in points - reached if any(touch(p, q, quartered) for q in reached)}:
        reached |= more
    return reached == points


def congruent(one: set[Point], other: set[Point], mirror: bool) -> bool:
    for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0)):
        for flip in (1, -1) if mirror else (1,):
            turned = {(right * r - down * flip * c, down * r + right * flip * c) for r, c in one}
            move = min(other)[0] - min(turned)[0], min(other)[1] - min(turned)[1]
            if move[0] % 3 == move[1] % 3 == 0 and {(r + move[0], c + move[1]) for r, c in turned} == other:
                return True
    return False


def equal_shares(left: frozenset[int], parts: int) -> Iterator[list[set[int]]]:
    if parts == 0:
        yield []
    else:
        for first in map(set, combinations(sorted(left), len(left) // parts)):
            for others in equal_shares(left - first, parts - 1):
                yield [first, *others]


def by_brute_force(labels: list[Any], parts: int, require: str, mirror: bool, cells: str) -> set[Parts]:
    quartered = cells != "squares"
    accepted = set()
    for shares in equal_shares(frozenset(range(len(labels))), parts):
        name = {tile: number for number, share in enumerate(shares, 1) for tile in share}
        held = [{point(labels[tile]) for tile in share} for share in shares]
        if cells == "halves":
            squares = [[name[labels.index((*square, side))] for side in "nesw"] for square in {lb[:2] for lb in labels}]
            if any([n, s] != [e, w] and [n, s] != [w, e] for n, e, s, w in squares):
                continue
        must_hang = {"area": [], "connected": held[:1]}.get(require, held)
        if not all(connected(points, quartered) for points in must_hang):
            continue
        if require == "congruent" and not all(congruent(held[0], other, mirror) for other in held[1:]):
            continue
        accepted.add(tuple(name[tile] for tile in range(len(labels))))
    return accepted


STAGES = ("area", "connected", "both-connected", "congruent")


def check_against_brute_force(region: str, parts: int, require: Any, mirror: bool, cells: Any) -> set[Parts]:
    puzzle = dissection(region, parts, require, mirror, cells)
    expected = by_brute_force(list(puzzle.key), parts, require, mirror, cells)
    assert key_solutions(puzzle) == expected
    assert all(accepts(puzzle, solution) for solution in expected)
    for symmetry, solution in product(puzzle.symmetries, expected):
        image = dict(symmetry(*literal) for literal in valued(puzzle, solution).items())
        assert tuple(image[label] for label in puzzle.key) in expected
    return expected


@pytest.mark.parametrize(
    ("require", "mirror"), sampled([*product(STAGES[:3], [True]), *product(STAGES[3:], [True, False])], 2)
)
@pytest.mark.parametrize(
    ("region", "parts", "cells"),
    [
        ("2x3", 2, "squares"),
        ("2x3", 3, "squares"),
        pytest.param("2x3", 6, "squares", marks=pytest.mark.thorough),
        ("square-3", 2, "squares"),
        pytest.param("square-3", 4, "squares", marks=pytest.mark.thorough),
        ("3x4", 2, "squares"),
        pytest.param("1x2", 2, "quarters", marks=pytest.mark.thorough),
        pytest.param("1x2", 4, "quarters", marks=pytest.mark.thorough),
        pytest.param("1x3", 3, "halves", marks=pytest.mark.thorough),
        pytest.param("1x3", 2, "quarters", marks=pytest.mark.thorough),
    ],
)
def test_small_regions(region: str, parts: int, require: str, mirror: bool, cells: str) -> None:
    check_against_brute_force(region, parts, require, mirror, cells)


@pytest.mark.thorough
@pytest.mark.parametrize("cells", ["halves", "quarters"])
def test_a_square_of_quarters(cells: str) -> None:
    assert len(check_against_brute_force("2x2", 2, "congruent", True, cells)) > 4


@pytest.mark.thorough
@settings(max_examples=10, deadline=None)
@given(st.data())
def test_random_regions(data: st.DataObject) -> None:
    cells = data.draw(st.sampled_from(["squares", "halves", "quarters"]))
    most, unit = (9, 1) if cells == "squares" else (2, 4)
    squares = data.draw(st.sets(st.sampled_from(sorted(grid.box(3, 4))), min_size=1, max_size=most))
    whole = len(squares) * unit
    parts = data.draw(st.sampled_from([n for n in range(2, min(whole, 5) + 1) if whole % n == 0] or [whole]))
    assume(parts > 1)
    drawing = "\n".join("".join(".#"[(r, c) in squares] for c in range(4)) for r in range(3))
    check_against_brute_force(drawing, parts, data.draw(st.sampled_from(STAGES)), data.draw(st.booleans()), cells)


@pytest.mark.parametrize("require", STAGES)
@pytest.mark.parametrize(
    ("region", "parts", "cells"),
    [
        ("2x2", 2, "squares"),
        ("2x3", 2, "squares"),
        ("2x3", 3, "squares"),
        *((region, 2, cells) for region in ("1x1", "1x2") for cells in ("halves", "quarters")),
    ],
)
def test_the_check_rejects_whatever_is_no_solution(region: str, parts: int, require: Any, cells: Any) -> None:
    puzzle = dissection(region, parts, require, cells=cells)
    expected = by_brute_force(list(puzzle.key), parts, require, True, cells)
    others = len(puzzle.key) < 6  # among them what is no part at all
    for solution in product(range(parts + 2) if others else range(1, parts + 1), repeat=len(puzzle.key)):
        assert accepts(puzzle, solution) == (solution in expected)


def published(puzzle: Puzzle) -> Parts:
    return tuple(int(PUBLISHED[row][column]) for row, column, *_ in puzzle.key)


@pytest.mark.parametrize(
    "cells", ["squares", *(pytest.param(cells, marks=pytest.mark.thorough) for cells in ("halves", "quarters"))]
)
def test_the_published_puzzle_has_the_published_solution(cells: Any) -> None:
    """Cuts across cells add nothing."""
    puzzle = dissection(cells=cells)
    solution = published(puzzle)
    assert key_solutions(puzzle) == {solution, tuple(3 - part for part in solution)}
    assert not accepts(dissection(cells=cells, mirror=False), solution)


@pytest.mark.parametrize(
    ("parameters", "turns_and_names"),
    [
        ({}, 1),
        ({"require": "connected"}, 0),
        ({"region": "square-4"}, 8),
        ({"region": "2x3", "parts": 3}, 5),
        ({"region": "2x3", "parts": 3, "require": "connected"}, 4),
        ({"region": "2x3", "mirror": False}, 4),
        ({"region": "2x2", "cells": "quarters"}, 8),
    ],
)
def test_as_many_symmetries_are_declared_as_there_are(parameters: dict[str, Any], turns_and_names: int) -> None:
    assert len(dissection(**parameters).symmetries) == turns_and_names


@pytest.mark.parametrize(
    ("region", "cells", "parts", "picture"),
    [
        (
            "2x3",
            "squares",
            (1, 1, 2, 1, 2, 2),
            ["┌───────┬───┐", "│ 1     │ 2 │", "│   ┌───┘   │", "│   │       │", "└───┴───────┘"],
        ),
        ("1x1", "halves", (1, 2, 2, 1), ["┌───────┐", "│ 1   ╱ │", "│   ╱   │", "│ ╱   2 │", "└───────┘"]),
    ],
)
def test_the_drawing_shows_the_cut(region: str, cells: Any, parts: Parts, picture: list[str]) -> None:
    puzzle = dissection(region, cells=cells)
    assert text(drawn(puzzle, valued(puzzle, parts))).splitlines() == picture


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"region": "3x3"}, "9 cells, which cannot be divided equally among 2 parts"),
        ({"parts": 1}, "at least 2"),
        ({"parts": 0}, "at least 2"),
        ({"parts": -3}, "at least 2"),
        ({"parts": 27}, "cannot be divided equally among 27 parts"),
        ({"parts": 13}, "choose fewer parts"),
        ({"region": "3x3", "parts": 9}, "choose fewer parts"),
        ({"region": "square-1"}, "choose square-2"),
        ({"region": "square-0"}, "choose square-2"),
        ({"region": "square-99999999"}, "choose a region"),
        ({"region": "square-50"}, "at most 400"),
        ({"region": "50x50"}, "at most 400"),
        ({"region": "11x11", "parts": 11, "cells": "quarters"}, "at most 400"),
        ({"region": "0x4"}, "at least 1"),
        ({"region": "2x2x2"}, "flat"),
        ({"region": "nowhere"}, "asahi"),
        ({"region": ""}, "asahi"),
    ],
)
def test_nonsense_is_refused_in_one_sentence(parameters: dict[str, Any], sentence: str) -> None:
    refused(sentence, dissection, **parameters, raises=ValueError)


@pytest.mark.parametrize(
    ("region", "options", "possible"),
    [
        ("apart.txt", {}, False),
        ("apart.txt", {"require": "both-connected"}, False),
        ("apart.txt", {"require": "connected"}, True),
        ("1x3", {"cells": "halves"}, True),
    ],
)
def test_what_is_possible(
    region: str, options: Any, possible: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "apart.txt", "###.#")
    monkeypatch.chdir(tmp_path)
    assert bool(key_solutions(dissection(region, **options))) == possible
