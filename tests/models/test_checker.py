"""Tenyo's chequered pieces: what the pictures fix, what the check accepts, what the symmetries carry where."""

import random
from collections import Counter
from collections.abc import Callable
from math import prod

import pytest

from models.boards import grid
from models.checker import LETTERS, PRINTED, SPELLINGS, TENYO, cells_by_letter, checker, read_set, set_of
from models.puzzle import Solution
from tests.support.enumerate import key_solutions
from tests.support.puzzles import drawn, is_right, valued
from tests.support.refusals import refused

# The other solution printed with the puzzle, in its own letters.
OTHER_PRINTED = (
    "JJJJCCCZ",
    "OOSJCICZ",
    "OOSSSIZZ",
    "KKKXSIZF",
    "KWXXXIFF",
    "KWWXTIEF",
    "PPWWTEEF",
    "PPPTTTEE",
)


@pytest.fixture(scope="module")
def found() -> list[Solution]:
    puzzle = checker()
    return [valued(puzzle, values) for values in sorted(key_solutions(puzzle))]


Place = tuple[str, tuple[grid.Cell, ...]]


def taken(solution: Solution) -> set[Place]:
    return {label for label, lying in solution.items() if lying}


def carried(solution: Solution, move: Callable[[grid.Cell], grid.Cell], swapped: str = "") -> Solution:
    """The solution with each cell moved, and with two letters that change places."""
    exchanged = str.maketrans(swapped, swapped[::-1])
    return {(letter.translate(exchanged), tuple(sorted(map(move, place)))): 1 for letter, place in taken(solution)}


def test_both_printed_boards_are_of_the_same_set() -> None:
    tilings = [cells_by_letter(board).values() for board in (PRINTED, OTHER_PRINTED)]
    assert {*map(set_of, tilings)} == {TENYO}
    mirrored = [frozenset((column, row) for row, column in tile) for tile in tilings[0]]
    assert set_of(mirrored) != TENYO


def test_no_placement_is_missing() -> None:
    places = Counter(letter for letter, _ in checker().key)
    assert prod(places.values()) == 66_085_129_003_122_819_072_000


def test_there_are_four_ways_to_spell_a_one_sided_piece_and_two_for_others() -> None:
    ways = {letter: sum(spelling[0].upper() == letter for spelling in SPELLINGS) for letter in LETTERS}
    assert ways == {**dict.fromkeys("FLNPYZ", 4), **dict.fromkeys("ITUVWX", 2), "O": 1}


def test_sets_survive_being_written_and_read() -> None:
    chosen = random.Random(1)
    for _ in range(50):
        spelling = [chosen.choice([s for s in SPELLINGS if s[0].upper() == letter]) for letter in LETTERS]
        chosen.shuffle(spelling)
        assert read_set(" ".join(spelling)) == {s[0].upper(): SPELLINGS[s] for s in spelling}


def test_colours_are_of_no_concern_without_them() -> None:
    plain, dark = checker(TENYO, coloured=False), checker(TENYO.lower().replace("o", "O"), coloured=False)
    assert list(plain.key) == list(dark.key)


@pytest.mark.thorough
def test_the_check_rejects_what_is_changed(found: list[Solution]) -> None:
    puzzle, solution = checker(), found[0]
    assert is_right(puzzle, solution)
    assert is_right(puzzle, dict.fromkeys(taken(solution), 1))
    for label in taken(solution):
        assert not is_right(puzzle, {**solution, label: 0})
    for label in set(puzzle.key) - taken(solution):
        assert not is_right(puzzle, {**solution, label: 1})
    assert not is_right(puzzle, carried(solution, lambda cell: (cell[1], 7 - cell[0]))), "colours are exchanged"
    assert not is_right(puzzle, carried(solution, lambda cell: (cell[1], cell[0]))), "pieces lie on their faces"
    assert not is_right(puzzle, carried(solution, lambda cell: cell, swapped="VW"))


def test_the_drawing_shows_chequers_pieces_and_letters(found: list[Solution]) -> None:
    (frame,) = drawn(checker(), found[0])
    cells, pieces = frame.shapes[:64], frame.shapes[64:]
    assert {shape.colour for shape in cells if (0, 0) in shape.rings[0]} == {"dark"}
    assert Counter(shape.colour for shape in cells) == {"dark": 32, "light": 32}
    assert [(shape.label, shape.outline, shape.colour) for shape in pieces] == [(name, True, None) for name in LETTERS]
    (plain,) = drawn(checker(coloured=False), found[0])
    assert [shape.label for shape in plain.shapes] == list(LETTERS)


@pytest.mark.parametrize(
    ("pieces", "sentence"),
    [
        ("", "hold F 0 times"),
        ("tenyoo", "'e' is not a piece"),
        ("FILNPTUVWXYZ", "hold O 0 times"),
        ("FFILNPTUVWXYZO", "hold F 2 times"),
        ("FfILNPTUVWXYZO", "hold F 2 times"),
        ("FI'LNPTUVWXYZO", r"\"I'\" is not a piece"),
        ("FILNPTUVWXYZo", "'o' is not a piece"),
        ("F''ILNPTUVWXYZO", '"\'" is not a piece'),
        ("FILNPTUVWXYZO1", "'1' is not a piece"),
        ("ſILNPTUVWXYZO", "'ſ' is not a piece"),
    ],
)
def test_sets_that_are_none_are_refused_in_one_sentence(pieces: str, sentence: str) -> None:
    assert "once" in refused(sentence, checker, pieces, raises=ValueError)
