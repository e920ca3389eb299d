"""Matchsticks against reading and reckoning of its own: displays as text, a character at a time."""

import random
import re
from collections import Counter
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from ortools.sat.python.cp_model import OPTIMAL, CpSolver

from models.matchsticks import matchsticks
from models.puzzle import Puzzle, Solution
from solvers.show.draw import text
from tests.support import command
from tests.support.enumerate import key_solutions
from tests.support.golden import DISPLAY
from tests.support.puzzles import drawn, is_right
from tests.support.refusals import refused

MASKS = dict(zip("0123456789-=+", bytes.fromhex("77245d6d2e6b7b277f6f084888"), strict=True))

CHARACTERS = {mask: character for character, mask in MASKS.items()}


def has_leading_zero(shown: str) -> bool:
    """Whether a number like 04 is where it may not be: anywhere in an equation, at the beginning of an expression."""
    found = re.search(r"(?<![0-9])0[0-9]", shown)
    return found is not None and ("=" in shown or shown[:2] == found[0])


def displays(expression: str, moves: int) -> set[str]:
    """All that can be shown, whether it makes sense or not, when exactly so many segments are moved."""
    marks = [mark for mark in MASKS if mark not in "+=" or mark in expression or "=" in expression]
    reached = {("", 0, 0)}
    for before in expression:
        reached = {
            (shown + mark, gone + g, come + c)
            for shown, gone, come in reached
            for mark in marks
            if gone + (g := (MASKS[before] & ~MASKS[mark]).bit_count()) <= moves
            and come + (c := (MASKS[mark] & ~MASKS[before]).bit_count()) <= moves
        }
    return {shown for shown, gone, come in reached if gone == come == moves}


def makes_sense(shown: str, equation: bool) -> bool:
    return re.fullmatch("[0-9]+([-+=][0-9]+)*", shown) is not None and shown.count("=") == equation


def value(side: str) -> int:
    return int(eval(re.sub(r"\b0+(?=[0-9])", "", side)))


def answers(expression: str, moves: int, positive: bool = True, leading_zero: bool = False) -> dict[str, int]:
    """The displays that the rules allow, whatever the goal, with their values; 0 for an equation."""
    equation = "=" in expression
    valued = {}
    for shown in displays(expression, moves):
        if makes_sense(shown, equation) and (leading_zero or not has_leading_zero(shown)):
            left, *right = map(value, shown.split("="))
            if right == [left] or (not equation and (left > 0 or not positive)):
                valued[shown] = 0 if equation else left
    return valued


def lit(shown: str) -> Solution:
    return {(place, i): MASKS[mark] >> i & 1 for place, mark in enumerate(shown) for i in range(8)}


def solutions(puzzle: Puzzle) -> set[str]:
    """The displays that are found by enumerating all variables; each is visited once."""
    found = set()
    for values in key_solutions(puzzle):
        masks = Counter[int]()
        for (place, segment), on in zip(puzzle.key, values, strict=True):
            masks[place] += on << segment
        found.add("".join(CHARACTERS[mask] for _, mask in sorted(masks.items())))
    return found


def best(puzzle: Puzzle) -> int:
    solver = CpSolver()
    solver.parameters.num_workers = 1
    assert solver.solve(puzzle.model) == OPTIMAL
    return round(solver.objective_value)


@pytest.mark.parametrize(
    ("options", "count"),
    [
        ({"positive": False}, 112),
        ({"moves": 1, "positive": False}, 14),
        ({"leading_zero": True, "positive": False}, 128),
    ],
)
def test_displays_of_the_published_puzzle(options: dict[str, Any], count: int) -> None:
    found = solutions(matchsticks(goal="any", **options))
    assert len(found) == count
    assert found == set(answers("716-8-9", **{"moves": 2, **options}))


def test_the_published_question() -> None:
    assert best(matchsticks()) == 97
    assert solutions(matchsticks(goal="97")) == {"716-619"}
    assert best(matchsticks(leading_zero=True)) == 1
    assert solutions(matchsticks(goal="1", leading_zero=True)) == {"016-8-7"}


EQUATIONS = [
    (golden.parameters["expression"], golden.parameters["moves"], golden.solutions)
    for golden in DISPLAY
    if "=" in golden.parameters.get("expression", "")
]


@pytest.mark.parametrize(
    ("expression", "moves", "true"),
    [
        ("6+4=4", 1, {"8-4=4", "0+4=4"}),
        ("0-5=6", 1, {"0+5=5"}),
        ("9+1=1", 1, {"0+1=1"}),
        ("10-04=6", 0, set()),
        ("04+6=10", 0, set()),
        ("10=6+04", 0, set()),
        ("10-0=10", 0, {"10-0=10"}),
        ("100-100=0", 0, {"100-100=0"}),
        ("5+7=2", 1, {"9-7=2"}),
        ("3+3=5", 1, {"2+3=5", "3+2=5"}),
        ("9-5=8", 1, {"3+5=8", "9-9=0"}),
        ("3+3=6", 0, {"3+3=6"}),
        ("1234567+1234567=2469134", 2, {"1234467+1234667=2469134", "1234667+1234467=2469134"}),
    ],
)
def test_equations(expression: str, moves: int, true: set[str]) -> None:
    assert solutions(matchsticks(expression, moves)) == true == set(answers(expression, moves))


@pytest.mark.parametrize(("expression", "moves", "count"), EQUATIONS)
def test_equations_by_moving_each_segment(expression: str, moves: int, count: int) -> None:
    """Every way to move segments one by one, read as a display at the end; nothing is known of characters before."""
    places = range(len(expression))
    before = {(place, i) for place in places for i in range(8) if MASKS[expression[place]] >> i & 1}
    dark = {(place, i) for place in places for i in range(8)} - before
    true = set()
    for gone in combinations(sorted(before), moves):
        for come in combinations(sorted(dark), moves):
            lights = (before - set(gone)) | set(come)
            masks = [sum(1 << i for i in range(8) if (place, i) in lights) for place in places]
            shown = "".join(CHARACTERS.get(mask, "?") for mask in masks)
            if makes_sense(shown, True) and not has_leading_zero(shown) and len({*map(value, shown.split("="))}) == 1:
                true.add(shown)
    assert true == set(answers(expression, moves)) == solutions(matchsticks(expression, moves))
    assert len(true) == count


SECOND_MASKS = {"6": 0b01111010, "7": 0b00100101, "9": 0b00101111}

FALSE = [
    f"{a}{sign}{b}={c}"
    for a, sign, b, c in product(range(10), "+-", range(10), range(10))
    if c != (a + b if sign == "+" else a - b)
]


def after_one_move(expression: str, shapes: dict[str, list[int]]) -> list[str]:
    """The displays, read as texts, that are true when a segment is moved; one text for each display.

    shapes: the masks of each character, that of the display at first in front.
    """
    characters = {mask: character for character, masks in shapes.items() for mask in masks}
    before = [shapes[character][0] for character in expression]
    found = []
    places = [*product(range(5), range(8))]
    lying = [(p, i) for p, i in places if before[p] >> i & 1]
    free = [(q, k) for q, k in places if not before[q] >> k & 1]
    for (p, i), (q, k) in product(lying, free):
        masks = list(before)
        masks[p] ^= 1 << i
        masks[q] ^= 1 << k
        if masks[p] in characters and masks[q] in characters:
            shown = "".join(characters[mask] for mask in masks)
            if makes_sense(shown, True) and not has_leading_zero(shown) and len({*map(value, shown.split("="))}) == 1:
                found.append(shown)
    return sorted(found)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("words", "seven", "solvable", "with_the_sign_kept"),
    [
        ("6:6 7:4 9:6", [0b00100111], 619, 589),
        pytest.param("7:3", [0b00100101], 651, 625, marks=pytest.mark.thorough),
        ("6:6,5 7:4,3 9:6,5", [0b00100111, 0b00100101], 840, 816),
        pytest.param("6:6,5 7:3,4 9:6,5", [0b00100101, 0b00100111], 819, 797, marks=pytest.mark.thorough),
    ],
)
def test_one_move_in_all_false_equations(words: str, seven: list[int], solvable: int, with_the_sign_kept: int) -> None:
    """With the sign kept: moves after which the = stands where it stood, as many collections want it."""
    shapes = {character: [mask] for character, mask in MASKS.items()} | {"7": seven}
    if "," in words:
        shapes |= {digit: [MASKS[digit], SECOND_MASKS[digit]] for digit in "69"}
    true = {expression: after_one_move(expression, shapes) for expression in FALSE}
    assert len(true) == 1890
    assert sum(map(bool, true.values())) == solvable
    assert sum(any(shown[3] == "=" for shown in listed) for listed in true.values()) == with_the_sign_kept
    for expression in random.Random(words).sample(FALSE, 12):
        assert len(key_solutions(matchsticks(expression, moves=1, shapes=words))) == len(true[expression])


@pytest.mark.slow
def test_each_false_equation() -> None:
    shapes = {character: [mask] for character, mask in MASKS.items()}
    for expression in FALSE:
        assert sorted(solutions(matchsticks(expression, moves=1))) == after_one_move(expression, shapes), expression


def test_other_shapes_of_digits() -> None:
    """From 5 to a 6 without a top or a 9 without a foot, and what is said of the shapes."""
    both = matchsticks("5", moves=1, goal="any", shapes="6:6,5 9:6,5")
    assert len(key_solutions(both)) == 3  # these two, and 3
    few = ("matchsticks", "--expression", "7", "--moves", "0", "--jobs", "1")
    told = command.printed(*few, "--shapes", "6:6,5 9:6,5")
    assert "a 6 has 6 or 5 segments, a 7 has 4, a 9 has 6 or 5" in told
    assert "a 6 has 6 segments, a 7 has 4, a 9 has 6" in command.printed(*few)
    assert text(drawn(matchsticks("7", 0, shapes="7:3"), {(0, i): 1 for i in (0, 2, 5)})).splitlines()[0] == "7 → 7 = 7"


@pytest.mark.thorough
@pytest.mark.parametrize("expression", ["9999999-1234567", "12345678-876543", "1234567+89"])
@pytest.mark.parametrize("goal", ["min", "max"])
def test_values_of_seven_digits_and_more(expression: str, goal: str) -> None:
    valued = answers(expression, 2)
    extreme = min(valued.values()) if goal == "min" else max(valued.values())
    assert best(matchsticks(expression, goal=goal)) == extreme
    assert solutions(matchsticks(expression, goal=str(extreme))) == {s for s, v in valued.items() if v == extreme}


@pytest.mark.thorough
def test_the_longest_displays() -> None:
    longest = "9" * 15
    assert solutions(matchsticks(longest, moves=0, goal=longest)) == {longest}
    assert best(matchsticks(longest, moves=1)) == min(answers(longest, 1).values())
    longest = "1234567890123456789=1234567890123456787+2"
    assert solutions(matchsticks(longest[1:], moves=1)) == set(answers(longest[1:], 1))
    for expression in ("9" * 16, longest):
        refused("write at most", matchsticks, expression, raises=ValueError)


numbers = st.text("0123456789", min_size=1, max_size=3)
sums = st.lists(numbers, min_size=1, max_size=3).flatmap(
    lambda listed: st.lists(st.sampled_from("-+"), min_size=len(listed), max_size=len(listed)).map(
        lambda signs: "".join(sign + number for sign, number in zip(signs, listed, strict=True))[1:]
    )
)
expressions = (sums | st.tuples(sums, sums).map("=".join)).filter(lambda expression: len(expression) <= 5)


@pytest.mark.thorough
@settings(max_examples=8, deadline=None)
@given(expressions, st.integers(0, 3), st.booleans(), st.booleans())
def test_random_displays(expression: str, moves: int, positive: bool, leading_zero: bool) -> None:
    assume(moves <= sum(lit(expression).values()))
    options: dict[str, Any] = {"moves": moves, "positive": positive, "leading_zero": leading_zero}
    valued = answers(expression, **options)
    puzzle = matchsticks(expression, goal="any", **options)
    assert solutions(puzzle) == set(valued)
    for shown in displays(expression, moves) | displays(expression, moves + 1):
        assert is_right(puzzle, lit(shown)) == (shown in valued)
    if valued and "=" not in expression:
        least, most = min(valued.values()), max(valued.values())
        assert best(matchsticks(expression, goal="min", **options)) == least
        assert best(matchsticks(expression, goal="max", **options)) == most
        puzzle = matchsticks(expression, goal=str(most), **options)
        assert solutions(puzzle) == {shown for shown in valued if valued[shown] == most}
        assert all(is_right(puzzle, lit(shown)) == (valued[shown] == most) for shown in valued)


def test_a_display_that_cannot_be_read_is_no_solution() -> None:
    puzzle, solution = matchsticks(), lit("716-619")
    assert is_right(puzzle, solution)
    assert is_right(puzzle, {one: 1 for one, on in solution.items() if on})
    for one, on in solution.items():
        assert not is_right(puzzle, {**solution, one: 1 - on})
    assert not is_right(puzzle, {})


@pytest.mark.parametrize(
    ("expression", "options"),
    [
        ("716-8-9", {"goal": "999999999999999"}),
        ("8", {"moves": 7}),
        ("88", {"moves": 1}),
        ("1-1", {"moves": 0}),
        ("1-1=1", {"moves": 0}),
        ("1-9", {"moves": 0, "goal": "max"}),
    ],
)
def test_what_is_merely_impossible_has_no_solution(expression: str, options: dict[str, Any]) -> None:
    assert not solutions(matchsticks(expression, **options))


@pytest.mark.parametrize(
    "arguments",
    [
        {"expression": ""},
        {"expression": "seven"},
        {"expression": "7--6"},
        {"expression": "-5"},
        {"expression": "5-"},
        {"expression": "5="},
        {"expression": "1=1=1"},
        {"expression": "3 + 3"},
        {"expression": "٣-1"},
        {"expression": "1\n"},
        {"moves": -1},
        {"moves": 28},
        {"goal": "least"},
        {"goal": "1.5"},
        {"goal": ""},
        {"goal": "1" + "0" * 15},
        {"goal": "0"},
        {"goal": "-3"},
        {"goal": "6", "expression": "3+3=6"},
        {"shapes": "7"},
        {"shapes": "7:5"},
        {"shapes": "7:3,3"},
        {"shapes": "8:7"},
    ],
)
def test_nonsense_is_refused_in_one_sentence(arguments: dict[str, Any]) -> None:
    refused("[a-z].*;", matchsticks, **arguments, raises=ValueError)  # it says what to do


def test_drawing() -> None:
    drawing = drawn(matchsticks(), lit("716-619"))
    picture = """
        716-8-9 → 716-619 = 97
         ━━━         ━━━         ━━━         ━━━
        ┃   ┃     ┃ ┃           ┃   ┆     ║ ┃   ┃
                     ━━━   ━━━   ━━━   ┄┄┄   ━━━
            ┃     ┃ ┃   ┃       ┃   ┃     ║     ┃
                     ━━━         ━━━         ━━━
    """
    assert text(drawing) == "\n".join(line[8:] for line in picture.splitlines()[1:-1])
    colours = [shape.colour for shape in drawing[0].shapes]
    assert [colours.count(colour) for colour in ("kept", "added", "removed", None)] == [25, 2, 2, 20]


def test_drawing_of_an_equation() -> None:
    assert text(drawn(matchsticks("6+4=4", moves=1), lit("8-4=4"))).splitlines()[:4] == [
        "6+4=4 → 8-4=4",
        " ━━━",
        "┃   ║       ┃   ┃       ┃   ┃",
        " ━━━   ━┆━   ━━━   ━━━   ━━━",
    ]
