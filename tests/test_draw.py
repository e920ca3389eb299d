"""Drawings as text, on a terminal and as SVG."""

import itertools
import os
import pty
import re
import select
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from models import grid
from models.puzzle import Drawing, Frame, Shape, Solution
from solvers.files.catalogue import find
from solvers.options import Options
from solvers.running.runner import Run
from solvers.show import draw, svg
from solvers.show.draw import COLOURS, text
from tests.support.command import HERE, run

SVG = "{http://www.w3.org/2000/svg}"
SQUARE = [[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]]


@cache
def first(name: str, **arguments: object) -> Drawing:
    run = Run(name, arguments, find(name).load(), Options(jobs=1, limit=1))
    found: list[Solution] = [solution for solution in run if solution]
    assert run.collector is not None
    puzzle = run.collector.question.puzzle
    assert puzzle.draw is not None
    return puzzle.draw(found[0])


EVERY: list[Any] = [
    ("pentomino", {"board": "3x20"}, 1, 12),
    ("pentomino", {"board": "2x3x10"}, 2, 14),
    ("pentomino", {"board": "3x30", "pieces": "one-sided"}, 1, 18),
    ("checker", {}, 1, 77),
    pytest.param("dissection", {}, 1, 2, marks=pytest.mark.thorough),
    pytest.param("matchsticks", {}, 1, 49, marks=pytest.mark.thorough),
    ("flip-it", {"board": "_bbbbb"}, 5, 55),
    ("magic", {}, 1, 9),
]
"""Puzzles with the frames of a picture of theirs, and the least number of shapes in these."""


@pytest.mark.parametrize(("name", "arguments", "frames", "shapes"), EVERY, ids=str)
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


def test_pictures_take_nothing_from_elsewhere() -> None:
    picture = svg.picture(first("pentomino", board="3x30", pieces="one-sided"))
    assert "url(#kazoeru-1)" in picture
    assert picture.count('id="kazoeru-1"') == 1
    assert "kazoeru-2" not in picture
    assert "href" not in picture
    assert "<style" not in picture


@pytest.mark.parametrize("words", ["<script>alert(1)</script>", "a & b", '"', "\x00\x1b[31m", "\ud800", "é漢🙂"])
def test_words_that_are_markup_or_worse(words: str) -> None:
    root = ElementTree.fromstring(svg.picture([Frame([Shape(SQUARE, words)], words)]))
    assert {element.tag for element in root.iter()} == {f"{SVG}svg", f"{SVG}g", f"{SVG}path", f"{SVG}text"}


@pytest.mark.parametrize("drawing", [[], [Frame([])], [Frame([], "nothing")]])
def test_empty_drawings(drawing: Drawing) -> None:
    root = ElementTree.fromstring(svg.picture(drawing))
    assert all(float(side) > 0 for side in root.attrib["viewBox"].split()[2:])


def test_a_label_keeps_away_from_a_slanting_border() -> None:
    shape = Shape([[(2.0, 0.0), (2.0, 4.0), (0.0, 4.0), (0.0, 2.0)]], "A", 1)
    assert text([Frame([shape])]).splitlines()[3][6] == "A"
    assert svg.part(shape)[4:6] == (1.5, 1.675)


def test_cells_are_as_wide_as_the_longest_name_needs() -> None:
    pieces = [("1x2x2", [(0, 0), (0, 1), (1, 0), (1, 1)]), ("Domino", [(0, 2), (1, 2)])]
    assert text(grid.tiling(pieces)).splitlines() == [
        "┌───────────────────┬─────────┐",
        "│  1x2x2            │ Domino  │",
        "│                   │         │",
        "│                   │         │",
        "└───────────────────┴─────────┘",
    ]
    assert text(grid.tiling([("Ell", [(0, 0)]), ("I", [(0, 1)])])).splitlines()[1] == "│Ell│ I │"


RUN = "solvers.run"
SMALL = ["pentomino", "--board", "5x4", "--subset", "--backend", "cover", "--jobs", "1"]
"""Fifty solutions."""

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


@pytest.mark.parametrize(("name", "arguments", "frames", "shapes"), EVERY, ids=str)
def test_colours_change_nothing_but_colours(name: str, arguments: dict[str, Any], frames: int, shapes: int) -> None:
    drawing = first(name, **arguments)
    painted = draw.lines(drawing, in_colour=True)
    plain = [line.replace("░", " ") if name == "checker" else line for line in text(drawing).split("\n")]
    assert [ESCAPE.sub("", line).rstrip() for line in painted] == [line.rstrip() for line in plain]
    assert any(ESCAPE.search(line) for line in painted) == (name not in ("flip-it", "magic"))
    assert len({len(ESCAPE.sub("", line)) for line in painted}) == 1


def test_terminal_colours_differ() -> None:
    assert len({draw._attributes(colour) for colour in range(len(COLOURS))}) == len(COLOURS)


def test_several_side_by_side() -> None:
    words = [*SMALL, "--draw", "3"]
    picture = run(RUN, *words, columns=60).stdout.split("\n\n", 1)[1].rstrip("\n").split("\n")
    assert len(picture) == 1 + 11
    assert picture[0].split() == ["1", "2", "3"]
    narrow = run(RUN, *words, columns=40).stdout.split("\n\n", 1)[1]
    assert [line.split() for line in narrow.split("\n")[::13]][:2] == [["1", "2"], ["3"]]
    assert "\x1b" not in narrow


def on_a_terminal(words: Sequence[str], **env: str) -> str:
    """What a run shows on a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", RUN, *words],
        cwd=HERE,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=os.environ | {"TERM": "xterm-256color"} | env,
    )
    os.close(theirs)
    shown = ""
    try:
        while select.select([ours], [], [], 60)[0]:
            try:
                shown += os.read(ours, 65536).decode("utf-8", "replace")
            except OSError:  # the other end is closed
                break
        assert process.wait(60) == 0
        return shown
    finally:
        process.kill()
        process.wait()
        os.close(ours)


@pytest.mark.thorough
def test_colour_only_where_it_is_wanted() -> None:
    words = [*SMALL, "--quiet"]
    assert "\x1b[48;5;" in on_a_terminal(words, NO_COLOR="")
    assert "\x1b[48" not in on_a_terminal(words, NO_COLOR="1")
    assert "\x1b[48" not in on_a_terminal(words, NO_COLOR="", TERM="dumb")


def linear(colours: tuple[str, ...]) -> NDArray[np.float64]:
    """Linear red, green and blue of each colour (IEC 61966-2-1)."""
    channels = np.array([[int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)] for colour in colours])
    result: NDArray[np.float64] = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return result


def oklab(rgb: NDArray[np.float64]) -> NDArray[np.float64]:
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
    result: NDArray[np.float64] = np.cbrt(rgb @ np.array(to_cones).T) @ np.array(to_lab).T
    return result


SIGHT = {
    "normal": np.eye(3).tolist(),
    "no red cones": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no green cones": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "no blue cones": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}
"""What linear colours look like (G. Machado, M. Oliveira, L. Fernandes, "A physiologically-based model for simulation
of color vision deficiency", IEEE TVCG 15 (2009), severity 1)."""


@pytest.mark.parametrize("sight", SIGHT)
def test_colours_can_be_told_apart(sight: str) -> None:
    seen = oklab(np.clip(linear(COLOURS) @ np.array(SIGHT[sight]).T, 0, 1))
    # A step of 0.02 is just noticeable.
    assert min(float(np.linalg.norm(a - b)) for a, b in itertools.combinations(seen, 2)) > 0.07


def test_black_letters_can_be_read_on_every_colour() -> None:
    luminance = linear((*COLOURS, svg.INK)) @ np.array([0.2126, 0.7152, 0.0722])
    contrast = (luminance[:-1] + 0.05) / (luminance[-1] + 0.05)
    assert contrast.min() > 4.5  # what WCAG 2.1 asks of text
