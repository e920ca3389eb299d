"""Drawings as SVG, and the colours of all drawings."""

import itertools
import re
import xml.etree.ElementTree as ElementTree
from time import process_time
from typing import Any

import numpy as np
import pytest

from models.boards import grid
from models.digits.futoshiki import futoshiki
from models.digits.sudoku import sudoku
from models.puzzle import Frame, Shape
from solvers.extras.pictures import paper, svg
from solvers.extras.pictures.hatching import hatch_patterns
from solvers.show import draw
from solvers.show.draw import COLOURS, text
from tests.support.drawings import DRAWINGS, first
from tests.support.tiers import later

SVG = "{http://www.w3.org/2000/svg}"


SQUARE = [[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]]


@pytest.mark.parametrize(("name", "arguments", "frames", "shapes"), later(DRAWINGS, "flip-it", "matchsticks"), ids=str)
def test_every_puzzle_has_a_picture(name: str, arguments: dict[str, Any], frames: int, shapes: int) -> None:
    drawing = first(name, **arguments)
    assert len(drawing) == frames
    assert sum(len(frame.shapes) for frame in drawing) >= shapes
    root = ElementTree.fromstring(svg.picture(drawing))
    assert len(root.findall(f"{SVG}g")) == frames
    written = [element.text for element in root.iter(f"{SVG}text")]
    assert written == [
        words for frame in drawing for words in [*(shape.label for shape in frame.shapes), frame.caption] if words
    ]
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    assert 0.1 < width / height < 40


def test_lines_within_are_quieter_than_outlines() -> None:
    """Grey and a third as wide; both follow the size of the picture, as it says how many cells it has."""
    shown = svg.picture(grid.tiling([("I", [(0, 0), (0, 1)])], board=grid.box(2, 2)), pixels=20)
    root = ElementTree.fromstring(shown)
    widths = {
        kind: {float(one.attrib["stroke-width"]) for one in root.iter(f"{SVG}path") if one.get("class") == kind}
        for kind in ("walls", "fine")
    }
    assert widths == {"walls": {svg.WALL}, "fine": {svg.WALL / 3}}
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    assert f"--across:{svg.number(width)};--down:{svg.number(height)}" in root.attrib["style"]
    assert float(root.attrib["width"]) == pytest.approx(20 * width)


@pytest.mark.parametrize("words", ["<script>alert(1)</script>", "a & b", '"', "\x00\x1b[31m", "\ud800", "é漢🙂"])
def test_words_that_are_markup_or_worse(words: str) -> None:
    root = ElementTree.fromstring(svg.picture([Frame([Shape(SQUARE, words)], words)]))
    assert {element.tag for element in root.iter()} == {f"{SVG}svg", f"{SVG}g", f"{SVG}path", f"{SVG}text"}


def test_a_label_keeps_away_from_a_slanting_border() -> None:
    shape = Shape([[(2.0, 0.0), (2.0, 4.0), (0.0, 4.0), (0.0, 2.0)]], "A", 1)
    assert text([Frame([shape])]).splitlines()[3][6] == "A"
    assert svg.shape_with_label(shape, svg.Abbreviations())[4:6] == (1.5, 1.675)


def test_a_label_is_written_where_nothing_else_is() -> None:
    """In a cell that is not at the edge, in each part of a layer, and where a long one has room."""
    bent = {(0, 0), (1, 0), (2, 0), (2, 1), (2, 2), (0, 2), (0, 3)}
    (frame,) = grid.tiling([("X", [(0, 1), (1, 0), (1, 1), (1, 2), (2, 1)])])
    assert frame.shapes[0].at == (1.5, 1.5)
    (frame,) = grid.tiling([("Angle", bent)])
    short = svg.Abbreviations()
    parts = [svg.shape_with_label(shape, short) for shape in frame.shapes]
    assert [(one.label, int(one.x), round(one.y)) for one in parts] == [("Angle", 1, 3), ("Angle", 2, 1)]
    assert not short
    for one, shape in zip(parts, frame.shapes, strict=True):
        half, middle = 0.3 * 5 * one.size, one.y - 0.35 * one.size
        assert all(draw.is_inside((x, middle), shape.rings) for x in (one.x - half, one.x, one.x + half))


def test_a_label_without_room_is_explained() -> None:
    name = "a name that no cell can hold"
    picture = svg.picture(grid.tiling([(name, [(0, 0)]), ("I", [(0, 1)])]))
    written = [element.text for element in ElementTree.fromstring(picture).iter(f"{SVG}text")]
    assert written == ["a1*", "I", f"a1* {name}"]


def test_patterns_as_lines_and_dots() -> None:
    """For PDF, which has no patterns: they stay within their shape, and the label has a ground of its own."""
    ring = [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (1.0, 2.0), (1.0, 1.0), (0.0, 1.0)]
    for colour in (len(COLOURS), 2 * len(COLOURS)):
        shown = svg.picture([Frame([Shape([ring], "L", colour)])])
        assert shown.count("<circle") == 1 + shown.count('<circle cx=".125"')
        plain = hatch_patterns(shown)
        assert 'fill="url' in shown
        assert 'fill="url' not in plain
        marks = max(plain.split('<path d="'), key=lambda one: one.count("M")).partition('"')[0]
        ends = [tuple(map(float, pair)) for pair in re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", marks)]
        assert len(ends) > 10
        assert all(-0.01 <= x <= 2.01 and -0.01 <= y <= 2.01 and (x > 0.9 or y < 1.1) for x, y in ends)


@pytest.mark.thorough
def test_many_cells_are_drawn_at_once() -> None:
    """In time that grows with them: the names of 5,000 cells are told apart, and nothing is left out."""
    drawing = grid.tiling([("I", [(r, c), (r, c + 1)]) for r in range(50) for c in range(0, 100, 2)])
    began = process_time()
    cells = svg.layout(drawing).cells[0]
    assert process_time() - began < 2
    assert len({name for name, _ in cells}) == 5000
    assert svg.picture(drawing).count("<text") == text(drawing).count("I") == 2500


def linear(colours: tuple[str, ...]) -> Any:
    """Linear red, green and blue of each colour (IEC 61966-2-1)."""
    channels = np.array([[int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)] for colour in colours])
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def oklab(rgb: Any) -> Any:
    """Coordinates in which equal distances look equally different (B. Ottosson, 2020)."""
    to_cones = [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
    to_lab = [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
    return np.cbrt(rgb @ np.array(to_cones).T) @ np.array(to_lab).T


SIGHT = {
    "normal": np.eye(3).tolist(),
    "no red cones": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no green cones": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "no blue cones": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}
"""What linear colours look like (G. Machado, M. Oliveira, L. Fernandes, "A physiologically-based model for simulation
of color vision deficiency", IEEE TVCG 15 (2009), severity 1)."""


def least_distance(colours: list[str], sight: str) -> float:
    """How far apart the two nearest of these colours and paper look to people with this sight."""
    seen = oklab(np.clip(linear((*colours, svg.PAPER)) @ np.array(SIGHT[sight]).T, 0, 1))
    return min(float(np.linalg.norm(a - b)) for a, b in itertools.combinations(seen, 2))


@pytest.mark.thorough
@pytest.mark.parametrize("sight", SIGHT)
def test_colours_can_be_told_apart(sight: str) -> None:
    # A step of 0.02 is just noticeable.
    assert least_distance(COLOURS[:10], sight) > 0.07
    assert least_distance(COLOURS, sight) > 0.065


def test_black_letters_can_be_read_on_every_colour() -> None:
    luminance = linear((*COLOURS, svg.INK)) @ np.array([0.2126, 0.7152, 0.0722])
    assert ((luminance[:-1] + 0.05) / (luminance[-1] + 0.05)).min() > 4.5  # what WCAG 2.1 asks of text


def test_signs_stand_in_pictures() -> None:
    """The sums of cages and the signs between cells are no labels, and not the dots of empty cells."""
    killer = sudoku(2, 2, cages="AAB./CCB./..DD/..DD A=3 B=4 C=7 D=10").draw
    unequal = futoshiki().draw
    assert killer
    assert unequal
    shown = svg.picture(killer({}))
    assert re.findall(r">(\d+|·)</text>", shown) == ["3", "4", "7", "10"]
    shown = svg.picture(unequal({}))
    assert re.findall(r">(&[lg]t;)</text>", shown).count("&gt;") == 3
    assert not {svg.name_of(shape) for shape in killer({})[0].shapes} & {"3", "4", "7", "10", "·"}


@pytest.mark.parametrize("sight", SIGHT)
def test_lines_of_plots_can_be_told_apart(sight: str) -> None:
    assert least_distance(draw.LINE_COLOURS, sight) > 0.11


def test_no_gap_between_neighbours_of_one_colour() -> None:
    """Parts of tiles have no outline, and a line in their own colour; where there is a wall, it is enough."""
    ring = [(0.0, 0.0), (1.0, 0.0), (0.5, 0.5)]
    for colour, code in ((3, COLOURS[3]), ("#AB12CD", "#AB12CD")):
        bare = svg.picture([Frame([Shape([ring], "", colour, outline=False)])])
        assert f'fill="{code}" stroke="{code}" stroke-width="{svg.SEAM}"' in bare
        assert f'stroke="{code}"' not in svg.picture([Frame([Shape([ring], "", colour)])])


def test_things_fill_a_sheet() -> None:
    """Six things stand in two rows of three, spread over the width; a tall one does not make each row tall."""
    wide, high = 277, 173
    (page,) = paper.pages([paper.Block(4, 4, "")] * 6, "a4")
    xs, ys = ({round(place[axis], 3) for place, _ in page.placed} for axis in (0, 1))
    assert (len(xs), len(ys)) == (3, 2)
    assert (max(ys) + 4) * page.scale > 0.97 * high
    assert (max(xs) + 4) * page.scale > 0.8 * wide
    (page,) = paper.pages([paper.Block(4, 1, "")] * 2 + [paper.Block(4, 9, "")] * 3, "a4")
    assert [place[1] for place, _ in page.placed].count(0) == 2
