"""Minimal hints, repairs and candidates, held against all solutions."""

import threading
from dataclasses import replace
from io import StringIO
from itertools import combinations
from pathlib import Path

import pytest

from models.dissection import dissection
from models.magic import magic
from models.packing import packing
from models.pentomino import pentomino
from models.puzzle import Puzzle
from solvers import InputError, solve
from solvers.base.endings import NO
from solvers.extras.questions.functions import candidates, minimal, possible, repair
from solvers.extras.questions.invent import hints as of_hints
from solvers.extras.questions.invent.posing import pose
from solvers.extras.questions.recognise.cells import FactReader, Facts
from solvers.symmetry.key import Key
from solvers.terminal.progress import ProgressLine
from tests.support.command import printed, refusal, told
from tests.support.declared import BOOLEAN, puzzle
from tests.support.own_models import write
from tests.support.random_models import random_puzzle


def images_of(puzzle: Puzzle, of_cells: bool = False) -> list[set[int]]:
    """The facts of all solutions."""
    result = solve(puzzle, jobs=1)
    question = result._question
    assert question
    facts = Facts(question.puzzle, question.key, of_cells)
    return [set(facts.facts_in(image)) for one in result._encoded for image in question.group.images(one)]


@pytest.mark.parametrize("seed", range(10))
def test_minimal_hints_of_random_models(seed: int) -> None:
    drawn = random_puzzle(seed)
    ready = pose(drawn, (), "none", None, threading.Event())
    solution = ready.solution({})
    if solution is None:
        return
    facts = Facts(drawn, ready.key, False)
    own, every = facts.facts_in(solution), images_of(drawn)
    answer = of_hints.minimal(ready, [facts.listed[fact] for fact in own], True, bool)

    def is_enough(places: object) -> bool:
        return sum({own[place] for place in places} <= other for other in every) == 1  # type: ignore[attr-defined]

    whole = range(len(own))
    if not is_enough(whole):
        assert answer.code == 4
        return
    enough = [set(some) for size in range(len(own) + 1) for some in combinations(whole, size) if is_enough(some)]
    least = [some for some in enough if not any(other < some for other in enough)]
    assert sorted(map(sorted, least)) == sorted(answer.telling.sets)
    assert answer.spare == [place for place in whole if is_enough(set(whole) - {place})]
    assert len(answer.telling.sets[0]) == min(map(len, least))


@pytest.mark.thorough
def test_minimal_on_the_command_line(tmp_path: Path) -> None:
    hints = write(tmp_path / "hints.txt", "1 6 .\n. 5 .\n. . 9\n")
    answer = told("minimal", "magic", str(hints), "--every")["minimal"]
    assert [one["hint"] for one in answer["needed"]] == ["row 1 column 2 = 6"]
    assert answer["sets"] == [
        ["row 1 column 1 = 1", "row 1 column 2 = 6"],
        ["row 1 column 2 = 6", "row 3 column 3 = 9"],
    ]
    write(hints, "row 1 column 1 = 1\nrow 1 column 2 = 6\n")
    assert "None of the 2 hints" in printed("minimal", "magic", str(hints))
    assert minimal("magic", hints).spare == []
    printed("minimal", "magic", str(write(hints, "1 1=5\n")), code=NO)
    refusal("minimal", "magic", str(write(hints, "0 0=1\n2 2=1\n")))


def test_fewest_givens() -> None:
    answer = repair(magic(kind="ring"), "givens")
    assert (answer.size, len(answer.ways)) == (2, 6)
    every = images_of(magic("ring"))
    numbers = {fact.text: n for n, fact in enumerate(Facts(magic("ring"), answer._asked.key, False).listed)}
    for way in answer.ways:
        assert sum({numbers[change] for change in way.changes} <= image for image in every) == 1
    assert all(sum(number in image for image in every) != 1 for number in numbers.values())


@pytest.mark.thorough
def test_fewest_forbidden() -> None:
    answer = repair(pentomino(board="3x5", subset=True), "forbidden")
    every = images_of(pentomino("3x5", subset=True))
    listed = Facts(answer._asked.puzzle, answer._asked.key, False).listed
    facts = {fact.text: place for place, fact in enumerate(listed)}
    assert answer.size == 10
    for way in answer.ways:
        forbidden = {facts[change.removeprefix("not ")] for change in way.changes}
        assert sum(not other & forbidden for other in every) == 1
        for fewer in combinations(forbidden, len(forbidden) - 1):
            assert sum(not other & set(fewer) for other in every) > 1


def test_fewest_holes_of_boards_without_symmetry() -> None:
    """By hand: the dominoes of 2x4 with two holes, up to the turns of the board."""
    answer = repair(packing(board="2x4", pieces="dominoes x*"), "holes")
    assert (answer.size, answer.is_complete) == (2, True)
    cells = [(row, column) for row in range(2) for column in range(4)]
    boards = {frozenset(cells) - {*holes} for holes in combinations(cells, 2)}
    unique = {board for board in boards if tilings(board) == 1}
    turned = {tuple(min(images(board))) for board in unique}
    assert len(answer.ways) == len(turned)


def tilings(board: frozenset[tuple[int, int]]) -> int:
    if not board:
        return 1
    row, column = min(board)
    return sum(
        tilings(board - {(row, column), other}) for other in ((row, column + 1), (row + 1, column)) if other in board
    )


def images(board: frozenset[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    return [
        sorted((abs(row - turned), abs(column - mirrored)) for row, column in board)
        for turned in (0, 1)
        for mirrored in (0, 3)
    ]


@pytest.mark.parametrize("symmetry", ["declared", "found", "none"])
def test_a_symmetry_that_exchanges_the_values_of_a_boolean(symmetry: str) -> None:
    """That x is 0 is not a fact, so the two solutions need not as many."""
    turned = puzzle(
        {"x": BOOLEAN, "y": BOOLEAN},
        lambda m, x, y: m.add(x == y),
        symmetries=[lambda label, value: (label, 1 - value)],
    )
    for kind in ("givens", "forbidden"):
        answer = repair(turned, kind, symmetry=symmetry)
        assert (answer.total, answer.size, len(answer.ways)) == (2, 1, 1)


def test_hints_that_leave_a_solution_of_zeros(tmp_path: Path) -> None:
    zero = puzzle(dict.fromkeys("xyz", BOOLEAN), lambda m, *x: m.add_at_most_one(x))
    answer = minimal(zero, write(tmp_path / "hints.txt", "x=0\n"))
    assert (answer.as_json()["unique"], answer.code) == (False, NO)
    assert str(answer).startswith("Even all of the 1 hint leave several solutions")


def test_further_holes_are_not_the_holes_of_the_puzzle() -> None:
    answer = repair(packing(board="2x3", pieces="dominoes x*", holes=2), "holes")
    assert "further holes" in str(answer)
    assert "run packing --holes 2 --by holes" in str(answer)


@pytest.mark.thorough
def test_fewest_holes() -> None:
    answer = repair(dissection(region="square-3"), "holes")
    assert answer.size == 2
    assert [way.changes for way in answer.ways] == [
        ["hole at row 1 column 1", "hole at row 3 column 3"],
        ["hole at row 1 column 2", "hole at row 3 column 2"],
    ]
    for region in (".##\n#.#\n##.\n", "#.#\n#.#\n#.#\n"):
        assert solve(dissection(region=region)).solutions == 1
    with pytest.raises(InputError, match="no parameter"):
        repair(magic(), "holes")


@pytest.mark.parametrize(("drawing", "holes"), [("###\n###\n", 2), ("####\n", 0)])
def test_holes_of_a_board_that_is_a_drawing_of_all_cells(drawing: str, holes: int) -> None:
    """By hand: 2x3 has three tilings by dominoes, 1x4 has one."""
    rows = drawing.split()
    board = f"{len(rows)}x{len(rows[0])}"
    answer = repair(packing(board=drawing, pieces="dominoes x*"), "holes")
    assert answer.size == holes
    assert answer.as_json() == repair(packing(board=board, pieces="dominoes x*"), "holes").as_json()


def test_holes_of_a_board_that_cannot_change() -> None:
    """The parameter holds a drawing, but the puzzle is declared already."""
    declared = replace(packing(board="2x3", pieces="dominoes x*"), name="mine", parameters={"board": "###\n###\n"})
    with pytest.raises(InputError, match="no parameter that takes a drawing"):
        repair(declared, "holes")


@pytest.mark.thorough
def test_no_hole_leaves_what_the_pieces_fill() -> None:
    """Twenty cells, of which more than a million sets of holes could be tried."""
    answer = repair(packing(board="4x5", pieces="LPWY"), "holes", time_limit=60)
    assert (answer.size, answer.code, answer.is_complete) == (None, NO, True)
    assert "No holes leave exactly one." in str(answer)
    twos = repair(packing(board="2x3", pieces="dominoes x*"), "holes")
    assert twos.size == 2


@pytest.mark.parametrize(
    "words",
    [
        ["minimal", "magic", "nowhere.txt"],
        ["repair", "magic", "wishes"],
        ["repair", "magic", "holes", "--given", "0 0=1"],
        ["repair", "pentomino", "givens", "--board", "2x5", "--subset"],
        ["candidates", "magic", "--solutions", "x.txt"],
    ],
)
def test_what_is_refused(words: list[str]) -> None:
    refusal(*words)


def test_repair_on_the_command_line() -> None:
    assert told("repair", "magic", "givens")["repair"]["size"] == 2


def test_candidates_on_the_command_line() -> None:
    assert "(0, 1)=6" in told("candidates", "magic", "--given", "0 0=1")["candidates"]["decided"]
    printed("candidates", "magic", "--given", "0 0=2", code=NO)


def test_cells_are_named_as_people_do() -> None:
    square = magic()
    reader = FactReader(square, Key(square.model, square.key))
    assert reader.fact("row 2, column 3 = 4").text == "row 2 column 3 = 4"
    for wrong in ("row 2 column 3 = Q", "row 7 column 1 = 4", "0 0", "0 0=x"):
        with pytest.raises(InputError):
            reader.fact(wrong)


def test_the_bound_is_shown_while_a_question_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr("sys.stderr", terminal)
    line = ProgressLine(quiet=False)
    monkeypatch.setattr(line._pace, "_began", line._pace._began - 3)
    line.show_answer("dissection", lambda: "At least 2 holes are needed.")
    assert terminal.getvalue().endswith("dissection: At least 2 holes are needed.: 3 s ")


@pytest.mark.parametrize(
    "given", [pytest.param([], marks=pytest.mark.thorough), ["0 0=1"], ["0 0=1", "0 1=6"], ["0 0=2"]]
)
def test_what_is_possible_is_told_as_by_counts(given: list[str]) -> None:
    """No solution has a 2 in a corner."""
    counts, told_apart = candidates("magic", given=given, cells=True), possible("magic", given=given)
    assert told_apart.code == counts.code
    for text in told_apart.as_json()["impossible"]:
        assert text not in counts
    for state in ("forced", "both") if counts.total else ():
        for text in told_apart.as_json()[state]:
            assert (counts[text] == counts.total) is (state == "forced")
    assert ("<table" in told_apart._repr_html_()) is bool(counts.total)


def test_possible_on_the_command_line() -> None:
    words = "candidates", "magic", "--possible", "--by-cell", "--given", "0 0=1", "--given", "0 1=6"
    assert "row 1 column 2 = 6" in told(*words)["candidates"]["forced"]
    printed("candidates", "magic", "--possible", "--given", "0 0=2", code=NO)
