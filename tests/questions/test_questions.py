"""What is given, in every question: labels and cells, held and denied, against all solutions."""

import random
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from ortools.sat.python.cp_model import CpModel

from models.boards import clues
from models.magic import magic
from models.packing import packing
from models.puzzle import Puzzle, Solution
from solvers import InputError, solve
from solvers.base.endings import DONE, NO
from solvers.base.tuning import override_tuning
from solvers.extras.questions.functions import candidates, explain, grade, hints, minimal, repair, why
from solvers.extras.shared.tuning import EXTRAS_TUNING
from solvers.files.catalogue import find
from tests.support.command import printed, told
from tests.support.declared import BOOLEAN, puzzle
from tests.support.drawings import lying
from tests.support.own_models import write
from tests.support.tiers import later

Says = tuple[str, Callable[[Solution], bool]]
"""A text, and whether a solution has what it says."""

PUZZLES: Mapping[str, dict[str, Any]] = {
    "magic": {},
    "pentomino": {"board": "5x3", "subset": True},
    "packing": {"board": "....\n.###\n.###\n", "pieces": "dominoes x*"},
    "dissection": {"region": "2x2", "require": "congruent"},
}


@cache
def declared(name: str) -> tuple[Puzzle, list[Solution]]:
    puzzle = find(name).load()(**PUZZLES[name])
    return puzzle, [dict(solution) for solution in solve(puzzle, jobs=1).in_all()]


def sayings(name: str, choice: random.Random, count: int) -> list[Says]:
    """Some that one solution has."""
    puzzle, everything = declared(name)
    one, other = choice.choice(everything), choice.choice(everything)
    says: list[Says] = []
    for _ in range(count):
        is_there = choice.random() < 0.5
        label, value = choice.choice([*one.items()])
        if choice.random() < 0.4 or not puzzle.fills:
            if not is_there:
                value = other.get(label, 0) if other.get(label, 0) != value else 1 - value
            if is_there or other.get(label, 0) == value:
                sign = "=" if is_there else "!="
                says.append((f"{label} {sign} {value}", wanted_literal(label, value, is_there)))
        else:
            cells = lying(puzzle, one)
            cell = choice.choice([*cells])
            names = {lying(puzzle, some)[cell] for some in everything} - {cells[cell]}
            is_own = is_there or not names
            called = cells[cell] if is_own else choice.choice(sorted(names))
            says.append(on_cell(puzzle, everything, cell, called, is_own))
    return says


def wanted_literal(label: Any, value: int, is_there: bool) -> Callable[[Solution], bool]:
    return lambda solution: (solution.get(label, 0) == value) == is_there


def on_cell(puzzle: Puzzle, everything: Sequence[Solution], cell: Sequence[int], name: str, is_there: bool) -> Says:
    corner = map(min, zip(*lying(puzzle, everything[0]), strict=True))
    row, column = (n - least + 1 for n, least in zip(cell, corner, strict=True))
    text = f"row {row} column {column} {'=' if is_there else '!='} {name}"
    return text, lambda solution: (lying(puzzle, solution)[tuple(cell)] == name) == is_there


def having(name: str, says: Sequence[Says]) -> list[Solution]:
    return [solution for solution in declared(name)[1] if all(has(solution) for _, has in says)]


@pytest.mark.parametrize("limit", [20_000, 3])
@pytest.mark.parametrize("name", later(PUZZLES, "pentomino", "magic"))
def test_candidates(name: str, limit: int) -> None:
    puzzle, everything = declared(name)
    choice = random.Random(name)
    for count in (1, 2):
        says = sayings(name, choice, count)
        left = having(name, says)
        with override_tuning(EXTRAS_TUNING, max_listed_for_candidates=limit):
            counts = candidates(puzzle, given=[text for text, _ in says], cells=True)
        assert counts.total in (len(left), None)
        for cell, called in {(cell, called) for one in everything for cell, called in lying(puzzle, one).items()}:
            text, has = on_cell(puzzle, everything, cell, called, True)
            assert counts.get(text, 0) == sum(map(has, left))
        with override_tuning(EXTRAS_TUNING, max_listed_for_candidates=limit):
            counts = candidates(puzzle, given=[text for text, _ in says])
        assert all(map(counts.is_exact, counts))
        for text in counts:
            label, value = next(one for solution in left for one in solution.items() if "{}={}".format(*one) == text)
            assert counts[text] == sum(solution.get(label, 0) == value for solution in left)


@pytest.mark.thorough
@pytest.mark.parametrize("name", [name for name in PUZZLES if name != "magic"])
def test_reasons(name: str) -> None:
    puzzle, _ = declared(name)
    choice = random.Random(name)
    for count in (1, 2, 3):
        says = sayings(name, choice, count)
        left, given = having(name, says), [text for text, _ in says]
        for asked, has in [*says[:1], *sayings(name, choice, 1)]:
            answer = why(puzzle, asked, given=given)
            assert (answer.reason is not None) == all(map(has, left)), (given, asked)
            if answer.other:
                without = dict(answer.as_json()["without"])
                assert all(held(without) for _, held in says)
                assert not has(without)
        steps = explain(puzzle, given=given)
        common = {literal for literal in left[0].items() if all(literal in one.items() for one in left)}
        told = {fact.text for fact in [*steps.given, *(step.fact for step in steps)]}
        assert told >= {f"{label}={value}" for label, value in common if value} - single(puzzle, says)
        assert bool(steps.open_facts) == (len(left) > 1)
        assert grade(puzzle, given=given).is_unique == steps.is_unique


def single(puzzle: Puzzle, says: Sequence[Says]) -> set[str]:
    """Literals that are said of a cell."""
    everything = declared(puzzle.name)[1]
    return {
        f"{label}={value}"
        for _, has in says
        for label, value in everything[0].keys() and {item for one in everything for item in one.items()}
        if all(has(one) == (one.get(label) == value) for one in everything)
    }


@pytest.mark.parametrize("name", later(PUZZLES, "magic"))
def test_repairs_and_the_only_one(name: str) -> None:
    puzzle, _ = declared(name)
    choice = random.Random(name)
    for count in (1, 2):
        says = sayings(name, choice, count)
        left, given = having(name, says), [text for text, _ in says]
        for kind in ("givens", "forbidden"):
            assert repair(puzzle, kind, given=given, cells=True).total == len(left)
        result = solve(puzzle, given=given, unique=True, symmetry="none", jobs=1)
        assert result.report.unique == (len(left) == 1)


@pytest.mark.thorough
def test_a_file_says_what_the_option_does(tmp_path: Path) -> None:
    """Hints with cells, and with what does not hold."""
    file = write(tmp_path / "given.txt", "row 1 column 1 = 1\n0 1 != 8\n")
    answer = minimal("magic", file)
    assert (answer.code, answer.hints[1].text) == (0, "(0, 1) != 8")
    assert solve("magic", given=str(file)).total == 1
    solution = write(tmp_path / "solution.txt", str(solve("magic", given=str(file))[0]))
    given = ["row 1 column 1 = 1", "0 1 != 8"]
    assert hints("magic", solution, given=given).sizes == {"0": 1}
    solution.write_text(str(solve("magic", given=["0 0=1", "0 1=8"])[0]))
    with pytest.raises(InputError, match="shows no solution"):
        hints("magic", solution, given=given)


def test_hints_of_a_number_are_those_of_a_result() -> None:
    number: Any = 1
    with pytest.raises(InputError, match=r"of listed solutions, ask solve\(...\).hints\(1\)"):
        hints("magic", number)


def test_labels_that_look_like_cells_are_labels() -> None:
    model = CpModel()
    key = {(r, c): model.new_int_var(0, 1, f"r{r}c{c}") for r in range(2) for c in range(2)}
    puzzle = Puzzle("zeros", {}, model, key, fills=clues.in_cell)
    assert solve(puzzle, given="r1c1=1").report.given == ["(1, 1)=1"]
    assert solve(puzzle, given="row 1 column 1 = 1").report.given == ["row 1 column 1 = 1"]


@pytest.mark.thorough
def test_cells_have_one_number() -> None:
    """A board that begins below the first line: what candidates call a cell is what is given of it."""
    board: dict[str, Any] = {"board": "....\n.###\n.###\n", "pieces": "dominoes x*"}
    left = candidates(packing(**board), cells=True)
    assert {text.rpartition(" =")[0] for text in left} == {f"row {r} column {c}" for r in (1, 2) for c in (1, 2, 3)}
    for text in left:
        assert solve(packing(**board), given=text, unbroken=True, jobs=1).total == left[text]
        assert why(packing(**board), text, given=text).reason
    holes = repair(packing(board="....\n.###\n.###", pieces="dominoes x*"), "holes")
    assert holes.ways[0].changes == ["hole at row 1 column 1", "hole at row 1 column 2"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [("0 2 != 77", "takes 1 to 9, not"), ("9 9 != 1", "has no label"), ("row 9 column 1 != 1", "has no cell")],
)
def test_what_cannot_be_asked(text: str, complaint: str) -> None:
    for asks in (lambda: why("magic", text), lambda: candidates("magic", given=text)):
        with pytest.raises(InputError, match=complaint):
            asks()


MIRRORED = ["--board", "3x5", "--pieces", "FPU"]
"""A packing of one solution and its three images."""


@pytest.mark.thorough
@pytest.mark.parametrize("symmetry", ["declared", "none"])
def test_all_questions_mean_the_same_by_a_solution(symmetry: str) -> None:
    """Whether images count is the same for all, and where an image is the reason they say so."""
    is_one = symmetry == "declared"
    words = ["packing", *MIRRORED, "--symmetry", symmetry]
    code = DONE if is_one else NO
    assert told(*words, "--unique", code=code)["unique"] is is_one
    for question in ("explain", "grade"):
        assert told(question, *words, code=code)[question]["unique"] is is_one
        assert ("one solution up to symmetry" in printed(question, *words, code=code)) is is_one
    for kind, ending in (("givens", DONE), ("forbidden", DONE), ("holes", code)):
        assert told("repair", *words, kind, code=ending)["repair"]["unique"] is is_one
        assert ("exactly one up to symmetry" in printed("repair", *words, kind, code=ending)) is is_one


def test_solutions_that_differ_in_further_facts_are_several() -> None:
    """A Boolean that may be true or not: that it is false is no fact."""
    free = puzzle({"x": BOOLEAN, "y": BOOLEAN}, lambda m, x, y: m.add_implication(x, y))
    steps = explain(free)
    assert (steps.is_unique, steps.code) == (False, NO)
    assert "several solutions" in str(steps)


@pytest.mark.thorough
def test_a_given_that_an_image_keeps() -> None:
    """The symmetries that are left by the givens count."""
    square = magic()
    given = {(1, 1): 5}
    assert explain(square, given=given).is_unique == (solve(square, given=given).solutions == 1)


@pytest.mark.thorough
def test_hints_that_an_image_has_too(tmp_path: Path) -> None:
    """The centre of the square is the same in all images of the one solution."""
    (tmp_path / "hints.txt").write_text("(1, 1)=5\n")
    answer = minimal(magic(), str(tmp_path / "hints.txt"))
    assert solve(magic(), given=["(1, 1)=5"], unique=True).report.unique == answer.is_unique
    assert answer.code == NO
    assert "several solutions, all of them images of one, so that --unique says yes, such as these" in str(answer)
    assert (answer.as_json()["unique"], answer.as_json()["up_to_symmetry"]) == (False, True)
