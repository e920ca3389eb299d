"""Drawings as text, on a terminal too."""

import os
import re
from typing import Any

import pytest

from models.boards import figures, grid
from models.puzzle import Frame, Shape
from solvers import solve
from solvers.show import draw
from solvers.show.draw import text
from solvers.show.printable import columns
from tests.support.command import RUN, on_a_terminal, run
from tests.support.declared import puzzle
from tests.support.drawings import DRAWINGS, first
from tests.support.refusals import refused
from tests.support.tiers import later


@pytest.mark.parametrize("name", ["漢字", "é", "שלום", "Abcd", "Abcde"])
def test_lines_of_a_text_are_equally_wide(name: str) -> None:
    lines = draw.lines(grid.tiling([(name, [(0, 0), (0, 1)]), ("I", [(1, 0), (1, 1)])]))
    assert len({columns(line) for line in lines}) == 1
    assert sum(name in line for line in lines) == 1
    assert all(line[0] == line[-1] == "│" for line in lines[1::2])


def test_what_is_no_board_is_hatched_and_what_is_empty_is_not() -> None:
    board = grid.box(3, 3) - {(1, 1)}
    drawing = grid.tiling([("I", [(0, 0), (0, 1)])], board=board)
    assert text(drawing).splitlines()[3] == "│   │░░░│   │"
    assert text(drawing).count("░") == 3


def test_a_label_that_does_not_fit_is_cut_with_a_sign() -> None:
    """Never without one, and never over what lies beside it."""
    shapes = [
        Shape([[(0, 0), (1, 0), (1, 1), (0, 1)]], "a" * 50),
        Shape([[(1, 0), (2, 0), (2, 1), (1, 1)]], "b"),
        Shape([[(2, 0), (2.5, 0), (2.5, 1), (2, 1)]], "narrow"),
    ]
    assert text([Frame(shapes)]).split("\n")[1] == "│aaaaaaaa…│    b    │na… │"


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


def test_figures_of_ones_own() -> None:
    """Regions have walls, a path has lines whether its steps are straight or not, and a graph has nodes and edges."""
    parts = figures.regions("AB/AA")
    walled = text(figures.draw_regions(parts.values(), {(0, 1): "★"})).splitlines()
    assert walled[1:4] == ["│ · │ ★ │", "│   └───┤", "│ ·   · │"]
    straight = text(figures.draw_path(grid.box(2, 2), [((0, 0), (0, 1)), ((0, 1), (1, 1))], {(1, 0): "7"})).splitlines()
    assert straight[1:4] == ["│ ╶───┐ │", "│     │ │", "│ 7   ╵ │"]
    knight = text(figures.draw_path(grid.box(3, 2), [((0, 0), (2, 1))]))
    assert ("╲" in knight, "─ " in knight) == (True, False)
    graph = text(figures.draw_graph({"a": (0, 0), "b": (0, 2)}, [("a", "b")], {"a": "1"}, {"b": 2}))
    assert graph.split() == ["1", "╶────╴b"]
    with pytest.raises(ValueError, match="row 2 of the board has 1 cell,"):
        figures.regions("AB/A")


SMALL = ["pentomino", "--board", "5x4", "--subset", "--backend", "cover", "--jobs", "1"]
"""Fifty solutions."""

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


@pytest.mark.parametrize(("name", "arguments", "frames", "shapes"), later(DRAWINGS, "flip-it", "matchsticks"), ids=str)
def test_colours_change_nothing_but_colours(name: str, arguments: dict[str, Any], frames: int, shapes: int) -> None:
    drawing = first(name, **arguments)
    painted = draw.lines(drawing, in_colour=True)
    shaded = name in ("checker", "dissection")
    plain = [line.replace("░", " ") if shaded else line for line in text(drawing).split("\n")]
    assert [ESCAPE.sub("", line).rstrip() for line in painted] == [line.rstrip() for line in plain]
    assert any(ESCAPE.search(line) for line in painted) == (name not in ("flip-it", "magic"))
    assert len({len(ESCAPE.sub("", line)) for line in painted}) == 1


def test_several_side_by_side() -> None:
    words = [*SMALL, "--draw", "3"]
    picture = run(RUN, *words, columns=60).stdout.split("\n\n", 1)[1].rstrip("\n").split("\n")
    assert len(picture) == 1 + 11
    assert picture[0].split() == ["1", "2", "3"]
    narrow = run(RUN, *words, columns=40).stdout.split("\n\n", 1)[1]
    assert [line.split() for line in narrow.split("\n")[::13]][:2] == [["1", "2"], ["3"]]
    assert "\x1b" not in narrow


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("no_color", "term", "wanted"), [("", "xterm-256color", True), ("1", "xterm-256color", False), ("", "dumb", False)]
)
def test_colour_only_where_it_is_wanted(no_color: str, term: str, wanted: bool) -> None:
    shown = on_a_terminal(*SMALL, "--quiet", env=os.environ | {"TERM": term, "NO_COLOR": no_color})
    assert ("\x1b[48;5;" in shown) == ("\x1b[48" in shown) == wanted


@pytest.mark.parametrize(("drawn", "kind"), [("text", "text"), (None, "nothing"), ([1], r"\[1\]")])
def test_a_draw_that_returns_something_else(drawn: Any, kind: str) -> None:
    odd = puzzle({"x": (0, 3)}, name="odd", draw=lambda _: drawn)
    refused(f"odd draws {kind}; its draw has to return a list of models.puzzle.Frame", str, solve(odd, jobs=1)[0])
