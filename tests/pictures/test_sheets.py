"""Sheets to print: what stands on them, their sizes and letters."""

import re
from pathlib import Path

import pytest

from models.edge_matching import edge_matching
from models.packing import packing
from models.puzzle import Frame, Given, Puzzle
from solvers import solve
from solvers.extras.pictures.solid import step_frames
from solvers.show import draw
from tests.support import command
from tests.support.refusals import refused
from tests.support.tiers import sampled

NOTHING = Given()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "is_written"),
    sampled([("Жщ", True), ("→", True), ("語", False), ("ש", False), ("ع", False)], 2),
)
def test_letters_of_a_pdf(name: str, is_written: bool, tmp_path: Path) -> None:
    """Names are written as they are, or refused before the search."""
    pytest.importorskip("fpdf")
    pytest.importorskip("matplotlib")
    file, picture = tmp_path / "sheet.pdf", tmp_path / "sheet.svg"
    result = solve(packing(board="2x2", pieces=f"{name} x*\n##\n"), jobs=1)
    if is_written:
        result.save(file, title=name, author=name)
        assert b"DejaVuSans" in file.read_bytes()
    else:
        refused(f"a PDF cannot write '{name}' here; name an .svg file", result.save, file)
        assert not file.exists()
        result.save(picture)
        assert name in picture.read_text(encoding="utf-8")


def labels(puzzle: Puzzle, given: Given = NOTHING) -> tuple[list[str], list[str], str]:
    """The labels on the board before the search, those of the pieces beside it, and the words at the board."""
    assert puzzle.sheets
    board, *pieces = puzzle.sheets(given, [])[0]
    names = [[shape.label for shape in frame.shapes if shape.label] for frame in (board, *pieces)]
    return names[0], [name for own in names[1:] for name in own], board.caption


def test_pieces_that_are_placed_or_given_lie_on_the_board() -> None:
    begun = packing(board="LL.\n.L.\n...".replace(".", "#"), pieces="L\n##\n.#\n\nI x2\n###\n")
    assert labels(begun) == (["L"], ["I"], "board; given: L")
    whole = packing(board="3x3", pieces="L\n##\n.#\n\nI x2\n###\n")
    assert labels(whole) == ([], ["L", "I"], "board")
    place = ((0, 0), (0, 1), (0, 2))
    assert labels(whole, Given({("I", place): 1})) == (["I"], ["L", "I"], "board; given: I")
    assert labels(whole, Given({}, {(0, 0): "I"})) == (["I"], ["L", "I"], "board")
    assert labels(whole, Given({}, {(0, 0): "L", (0, 1): "L", (1, 1): "L"})) == (["L"], ["I"], "board; given: L")
    tiles = edge_matching("1x2", "t x2: 1 2 3 4\n", border="any")
    assert labels(tiles, Given({("t", (0, 0), "1234"): 1}))[0] == [*"1234"]


def test_a_page_shows_what_is_given(tmp_path: Path) -> None:
    result = solve(packing(board="2x3", pieces="I x2\n###\n"), given=["row 1 column 1 = I"], jobs=1)
    result.save(tmp_path / "sheet.svg")
    assert "given: row 1 column 1 = I" in (tmp_path / "sheet.svg").read_text()


def test_cells_are_as_wide_as_is_asked(tmp_path: Path) -> None:
    file = tmp_path / "sheet.svg"
    result = solve(packing(board="3x5", pieces="FPU"), jobs=1)
    result.save(file, cell=12.5)
    for sheet in (file, tmp_path / "sheet-solutions.svg"):
        found = re.search(r'viewBox="0 0 ([0-9.]+) ', sheet.read_text())
        assert found
        assert float(found[1]) == pytest.approx(297 / 12.5)
    refused("cells of 70 mm do not fit on a4; give at most 43.5", result.save, file, cell=70)
    refused("--cell nan is no width in millimetres; give one such as 20", result.save, file, cell=float("nan"))


@pytest.mark.parametrize(
    "name", [pytest.param("coloured-packing", marks=pytest.mark.thorough), "slitherlink", "magic", "checker"]
)
def test_every_puzzle_with_a_drawing_has_sheets(name: str, tmp_path: Path) -> None:
    """What is given stands on the first."""
    file = tmp_path / "sheet.svg"
    given = ["1 1=5"] if name == "magic" else []
    solve(name, limit=1, given=given, jobs=1).save(file, title="A title", author="Somebody")
    first, then = file.read_text(), (tmp_path / "sheet-solutions.svg").read_text()
    assert "A title" in first
    assert "Somebody" in then
    assert first.count("<text") < then.count("<text") or name != "magic"
    assert (">5</text>" in first) or name != "magic"


def test_tiles_are_printed(tmp_path: Path) -> None:
    file = tmp_path / "sheet.svg"
    words = ("edge-matching", "--board", "hexagon-1", "--grid", "triangle", "--tiles", "macmahon-2 x0-3")
    command.printed(*words, "--border", "any", "--limit", "3", "--sheet", str(file))
    assert file.read_text().count("x3<") == 4


@pytest.mark.thorough
def test_sheets_of_a_solid_that_needs_several(tmp_path: Path) -> None:
    """Board, pieces, layers and steps of a large solid have sheets of their own, which say what they are."""
    bars = "".join(f"{name}\n{'#' * 8}\n\n" for name in "ABCDEFGHIJKLMNOP")
    result = solve(packing(board="4x4x8", pieces=bars), limit=1, backend="cover", jobs=1)
    result.save(tmp_path / "sheet.svg", title="Bars")
    sheets = sorted(tmp_path.iterdir())
    assert {"sheet.svg", "sheet-2.svg", "sheet-solutions.svg", "sheet-solutions-2.svg"} <= {one.name for one in sheets}
    written = [re.findall(">([^<]+)</text>", sheet.read_text(encoding="utf-8")) for sheet in sheets]
    assert all(words[-1].startswith("sheet ") and "front right" in words[-1] for words in written)
    assert sorted(int(words[-1].split()[1]) for words in written) == [*range(1, len(sheets) + 1)]
    solved = [words for sheet, words in zip(sheets, written, strict=True) if "solutions" in sheet.name]
    assert all(words[0].startswith("Bars") and words[0].endswith(", No. 1") for words in solved)
    for words in written:
        assert not (any("layer" in one for one in words[:-1]) and any(", then " in one for one in words))


def arrows(frame: Frame) -> list[tuple[float, float]]:
    """The way (right, down) of each arrow of a frame."""
    rings = [shape.rings[0] for shape in frame.shapes if shape.colour == "arrow"]
    return [(ring[3][0] - (ring[0][0] + ring[6][0]) / 2, ring[3][1] - (ring[0][1] + ring[6][1]) / 2) for ring in rings]


def test_steps_on_a_flat_board_have_arrows() -> None:
    """A piece that leaves a slot goes one cell farther than beyond the others."""
    pieces = "A\n####\n#...\n####\n\nB\n###\n"
    (solution,) = solve(packing("3x4", pieces), apart=True, jobs=1)
    (step,) = step_frames(solution.puzzle, solution, draw.drawing(solution.puzzle, solution))
    far = {"1. B to the right and out": 4, "1. B to the left and out": -4}[step.caption]
    (way,) = arrows(step)
    assert way == pytest.approx((far, 0))
    (plain,) = solve(packing("3x4", pieces), jobs=1)
    assert not step_frames(plain.puzzle, plain, draw.drawing(plain.puzzle, plain))


def test_steps_in_space_have_arrows() -> None:
    solution = solve(packing("1x1x2", "A\n#\n\nB\n#\n"), jobs=1)[0]
    (step,) = step_frames(solution.puzzle, solution, draw.drawing(solution.puzzle, solution))
    (way,) = arrows(step)
    far = {"up": (0, -2), "to the left": (-(3**0.5), -1)}[step.caption.split(" ", 2)[2].removesuffix(" and out")]
    assert way == pytest.approx(far)
