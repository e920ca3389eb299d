"""Distances of all positions: the published table, and a search over positions written as text."""

import json
import threading
import time
from signal import SIGINT

import pytest

from models.flip_it import step
from solvers.extras.questions.layers import main, shown_layers
from tests.support import command
from tests.support.backends import GENERAL
from tests.support.flip_it import HARDEST, all_white, layers
from tests.support.tiers import sampled

WIDER = [
    # Backend, N, neighbours, reachable, depth, positions at that depth: two independent programs.
    ("cp-sat", 9, False, 2304, 8, 52),
    ("sat", 9, False, 2304, 8, 52),
    ("cp-sat", 9, True, 2304, 8, 10),
    ("sat", 9, True, 2304, 8, 10),
    ("cp-sat", 10, False, 5120, 8, 224),
    ("sat", 10, False, 5120, 8, 224),
    ("sat", 10, True, 5120, 8, 70),
    ("cp", 9, True, 2304, 8, 10),
    ("sat", 11, False, 11264, 9, 127),
    ("sat", 11, True, 11264, 9, 35),
    ("sat", 12, False, 24576, 9, 680),
    ("sat", 12, True, 24576, 9, 252),
]

DEPTHS = {
    # By N, for the last space at each place from the left: one program, and the search of tests/test_flip_it.py.
    5: [13, 18, 16, 18, 13],
    6: [9, 12, 13, 13, 12, 9],
    7: [10, 12, 12, 14, 12, 12, 10],
    8: [11, 13, 13, 12, 12, 13, 13, 11],
}


def found(backend: str, size: int, neighbours: bool = False, goal: str = "any") -> list[list[str]]:
    return list(shown_layers(step(size, neighbours, goal), backend, threading.Event())[1])


@pytest.mark.parametrize("backend", sampled(GENERAL, 3))
@pytest.mark.parametrize(
    ("size", "neighbours", "reachable", "depth", "last"),
    [pytest.param(*row, marks=pytest.mark.thorough if row[0] > 6 else ()) for row in HARDEST],
)
def test_the_published_table(size: int, neighbours: bool, reachable: int, depth: int, last: str, backend: str) -> None:
    positions = found(backend, size, neighbours)
    assert (sum(map(len, positions)), len(positions) - 1, positions[-1]) == (reachable, depth, last.split())


@pytest.mark.parametrize(
    ("backend", "size", "neighbours", "reachable", "depth", "last"),
    [pytest.param(*row, marks=pytest.mark.thorough if row[:2] == ("sat", 9) else pytest.mark.slow) for row in WIDER],
)
def test_wider_rows(backend: str, size: int, neighbours: bool, reachable: int, depth: int, last: int) -> None:
    sizes = [len(layer) for layer in found(backend, size, neighbours)]
    assert (sum(sizes), len(sizes) - 1, sizes[-1]) == (reachable, depth, last)


@pytest.mark.parametrize("backend", sampled(GENERAL, 3))
@pytest.mark.parametrize("neighbours", [False, True])
@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_every_layer_of_short_rows(size: int, neighbours: bool, backend: str) -> None:
    assert found(backend, size, neighbours) == layers(all_white(size), neighbours)


@pytest.mark.parametrize(
    ("size", "space"),
    [
        pytest.param(size, space, marks=pytest.mark.thorough if size > 5 else ())
        for size in (5, 6)
        for space in range(size)
    ],
)
def test_the_last_space_at_a_place(size: int, space: int) -> None:
    goal = all_white(size)[space]
    positions = found(GENERAL[space % 2], size, goal=goal)
    assert positions == layers([goal], neighbours=False)
    assert len(positions) - 1 == DEPTHS[size][space]


@pytest.mark.parametrize("size", DEPTHS)
def test_the_depths_by_place(size: int) -> None:
    assert [len(layers([goal], neighbours=False)) - 1 for goal in all_white(size)] == DEPTHS[size]


def test_a_person_sees_the_layers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["flip-it", "--size", "4"]) == 0
    assert (
        capsys.readouterr().out
        == """\
distance  positions
       0          4
       1          6
       2          2

12 positions reach a goal; the greatest distance is 2, that of
bw_w w_wb
"""
    )


def test_json_has_all_positions(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["flip-it", "--size", "6", "--neighbours", "--goal", "any", "--backend", "cp-sat", "--json"]) == 0
    output = capsys.readouterr().out
    report = json.loads(output)
    assert output.count("\n") == 1
    assert report["parameters"] == {"size": 6, "neighbours": True, "goal": "any"}
    assert (report["backend"], report["complete"], report["reachable"], report["depth"]) == ("cp-sat", True, 192, 6)
    assert sum(report["layers"]) == 192
    assert report["last"] == HARDEST[5][-1].split()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([], "name a puzzle of moves: flip-it"),
        (["flipit"], "did you mean flip-it?"),
        (["pentomino"], "offers no step relation"),
        (["flip-it", "--size", "six"], "--size"),
        (["flip-it", "--size", "1"], "size"),
        (["flip-it", "--size", "5", "--goal", "_wwwww"], "has 6 cells"),
        (["flip-it", "--goal", "wwwwww"], "no empty cell"),
        (["flip-it", "--backend", "oracle"], "backend"),
        (["--backend", "sat", "flip-it", "--depth", "3"], "--depth"),
    ],
)
def test_bad_input_is_one_line(words: list[str], complaint: str) -> None:
    assert complaint in command.refusal(*words, module="solvers.extras.questions.layers")


@pytest.mark.parametrize(
    "backend", ["cp", *(pytest.param(name, marks=pytest.mark.thorough) for name in ("cp-sat", "sat"))]
)
def test_ctrl_c_ends_at_once_with_a_sentence(backend: str) -> None:
    process = command.start("solvers.extras.questions.layers", "flip-it", "--size", "13", "--backend", backend)
    assert process.stdout
    for _ in range(3):
        process.stdout.readline()
    time.sleep(0.5)
    began = time.monotonic()
    process.send_signal(SIGINT)
    _, errors = process.communicate(timeout=20)
    assert time.monotonic() - began < 2
    assert process.returncode == 130
    assert errors.startswith("kazoeru: flip-it: ended by Ctrl-C")
    assert errors.count("\n") == 1
