"""Hints: the fewest facts that leave one solution, held against every set of facts."""

import json
import random
import threading
import time
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from ortools.sat.python.cp_model import CpModel

from models.magic import magic
from models.pentomino import pentomino
from models.puzzle import Puzzle
from solvers import InputError, solve
from solvers.base.errors import Stopped
from solvers.extras.questions.functions import hints
from solvers.extras.questions.invent.hints import hints_of_solution
from solvers.extras.questions.invent.hitting import hitting_sets, smallest_hitting
from solvers.extras.questions.invent.posing import pose
from solvers.extras.questions.recognise.cells import Facts
from tests.support.command import refusal, run
from tests.support.own_models import write
from tests.support.random_models import random_puzzle
from tests.support.sudoku import sudoku
from tests.support.tiers import sampled


def smallest(own: Sequence[int], others: Sequence[set[int]]) -> tuple[int | None, list[list[int]]]:
    """All smallest sets of facts that no other solution has, by trying every set."""
    for size in range(len(own) + 1):
        found = [[*chosen] for chosen in combinations(own, size) if not any(set(chosen) <= other for other in others)]
        if found:
            return size, found
    return None, []


def hold_against_every_set(puzzle: Puzzle, of_cells: bool = False) -> None:
    result = solve(puzzle, jobs=1)
    if not result.total:
        return
    hints = result.hints(cells=of_cells, every=True)
    question = result._question
    assert question
    facts = Facts(puzzle, question.key, of_cells)
    images = [image for solution in result._encoded for image in question.group.images(solution)]
    ready = pose(puzzle, (), "declared", None, threading.Event())
    for hinted in hints.each:
        others = [set(facts.facts_in(image)) for image in images if image != hinted.solution]
        size, sets = smallest(facts.facts_in(hinted.solution), others)
        told = sorted(facts.texts(chosen) for chosen in sets)
        assert (hinted.size, sorted([fact.text for fact in chosen] for chosen in hinted.sets)) == (size, told)
        alone = hints_of_solution(ready, hinted.solution, of_cells, every=True).each[0]
        assert (alone.size, sorted([fact.text for fact in chosen] for chosen in alone.sets)) == (size, told)


def test_a_search_for_a_hitting_set_ends_when_told() -> None:
    chance, stop = random.Random(1), threading.Event()
    threading.Timer(0.2, stop.set).start()
    began = time.monotonic()
    sets = [chance.sample(range(90), 4) for _ in range(300)]
    with pytest.raises(Stopped), hitting_sets(stop, bootstrap_with=sets) as hitman:
        hitman.get()
    assert time.monotonic() - began < 10


def test_smallest_hitting_sets() -> None:
    rng = random.Random(5)
    for _ in range(200):
        places, count = rng.randint(1, 7), rng.randint(0, 8)
        sets = [rng.randrange(1, 2**places) for _ in range(count)]
        hits = np.array([[bits >> place & 1 for bits in sets] for place in range(places)], dtype=bool)
        lacks = [{place for place in range(places) if not bits >> place & 1} for bits in sets]
        assert smallest_hitting(hits, True, threading.Event()) == smallest(range(places), lacks)


def test_many_disjoint_sets() -> None:
    """They say at each size that is too small, before any is tried, that more places are needed."""
    hits = np.eye(20, dtype=bool).repeat(3, axis=0)
    size, sets = smallest_hitting(hits, False, threading.Event())
    assert (size, len(sets[0])) == (20, 20)
    assert smallest_hitting(np.eye(130, dtype=bool), True, threading.Event()) == (130, [[*range(130)]])


def test_a_search_that_is_stopped() -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(Stopped):
        smallest_hitting(np.eye(3, dtype=bool), True, stop)


@pytest.mark.parametrize("seed", sampled(range(12), 3))
def test_random_models(seed: int) -> None:
    hold_against_every_set(random_puzzle(seed))


@pytest.mark.thorough
@pytest.mark.parametrize("of_cells", [pytest.param(False, marks=pytest.mark.thorough), True])
def test_rings(of_cells: bool) -> None:
    hold_against_every_set(magic("ring"), of_cells)


@pytest.mark.parametrize(
    ("puzzle", "backend", "cells", "sizes"),
    [
        ("magic", "auto", False, {"2": 1}),  # it is told from its own images
        pytest.param(pentomino(board="3x20"), "cover", False, {"1": 2}, marks=pytest.mark.thorough),
    ],
)
def test_known_sizes(puzzle: str | Puzzle, backend: str, cells: bool, sizes: dict[str, int]) -> None:
    assert solve(puzzle, backend=backend).hints(cells=cells).sizes == sizes


@pytest.mark.thorough
def test_a_sudoku_that_cannot_be_listed() -> None:
    puzzle = sudoku(2, 3)
    ready = pose(puzzle, (), "none", None, threading.Event())
    solution = ready.solution({})
    assert solution
    hints = hints_of_solution(ready, solution, of_cells=False, every=False)
    assert hints[0].size == len(hints[0].sets[0])
    assert solve(puzzle, given=[fact.text for fact in hints[0].sets[0]]).total == 1


def test_no_facts_suffice() -> None:
    """A solution all of whose true Booleans are true in another one, too."""
    model = CpModel()
    a, b = model.new_bool_var("a"), model.new_bool_var("b")
    model.add_bool_or(a, b)
    either = Puzzle("either", {}, model, {"a": a, "b": b})
    assert solve(either).hints().sizes == {"2": 1, "none": 2}
    hold_against_every_set(either)


@pytest.mark.thorough
def test_command(tmp_path: Path) -> None:
    done = run("solvers", "hints", "magic", "each", "--kind", "ring", "--json")
    told = json.loads(done.stdout)["hints"]
    assert told["sizes"] == {"2": 6}
    assert [one["number"] for one in told["each"]] == [*range(1, 7)]
    drawn = write(tmp_path / "drawn.txt", "1 6 7\n8 5 2\n3 4 9\n")
    done = run("solvers", "hints", "magic", str(drawn), "--json", "--every")
    told = json.loads(done.stdout)
    assert told["complete"]
    assert len(told["hints"]["each"][0]["sets"]) == 24
    assert len(hints("magic", drawn, every=True).each[0].sets) == 24
    assert run("solvers", "hints", "magic", "1", "--by-cell").returncode == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["2"], "none has the number 2"),
        (["0"], "not a whole number of at least"),
        (["nowhere.txt"], "is not a file"),
        (["each", "--limit", "3"], "unrecognized arguments: --limit 3"),
        (["--title", "Rings"], "--title needs --gallery; add it, or leave out --title"),
    ],
)
def test_bad_input(words: list[str], sentence: str) -> None:
    assert sentence in refusal("hints", "magic", *words)


def test_not_all_solutions() -> None:
    with pytest.raises(InputError, match="all solutions"):
        solve(magic(kind="ring"), limit=2).hints()
