"""The widgets clicked through in a browser, without a notebook around them."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from models.boards import grid
from models.packing import packing
from models.packings.sets import read_board
from solvers import solve
from solvers.extras.notebook.explorer import explore
from tests.notebook.explorer import opened
from tests.support.browser import are_hit


@pytest.mark.parametrize(
    ("board", "lattice"),
    [
        pytest.param("3x4", "square", marks=pytest.mark.thorough),
        pytest.param("hexagon-2", "hex", marks=pytest.mark.thorough),
        pytest.param("hexagon-1", "triangle", marks=pytest.mark.thorough),
    ],
)
def test_a_board_of_any_cells(board: str, lattice: Any, browser: Browser, tmp_path: Path) -> None:
    """Each cell is one place; a click takes it away or adds it, the keyboard too, and the text says the same."""
    kind = grid.LATTICES[lattice]
    cells = read_board(board, kind)
    widget = explore(packing(board=board, grid=lattice, pieces="I x*\n#\n"))
    with opened(browser, widget, tmp_path) as page:
        own = page.locator(".cell[aria-pressed=true]")
        assert own.count() == len(cells)
        row, column = last = max(cells)
        top, left = (min(cell[axis] for cell in cells) for axis in (0, 1))
        named = page.get_by_role("button", name=f"row {row - top + 1}, column {column - left + 1}", exact=True)
        named.click()
        page.locator("small", has_text=f"{len(cells) - 1} cells").wait_for()
        assert own.count() == len(cells) - 1
        drawn = grid.region(widget._chosen["parameters"]["board"], lattice=kind)
        assert grid.normalise(drawn, kind) == grid.normalise(cells - {last}, kind)
        page.keyboard.press("Enter")  # the same again
        page.locator("small", has_text=f"{len(cells)} cells").wait_for()
        drawn = grid.region(widget._chosen["parameters"]["board"], lattice=kind)
        assert grid.normalise(drawn, kind) == grid.normalise(cells, kind)
        page.locator(".cell[aria-pressed=false]").first.click()
        page.locator("small", has_text=f"{len(cells) + 1} cells").wait_for()


@pytest.mark.thorough
def test_a_solid_board_is_drawn_as_one(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, explore("packing"), tmp_path) as page:
        page.locator("small", has_text="27 cells").wait_for()
        turning = page.locator(".region .turning")
        before = turning.inner_html()
        turning.press("ArrowLeft")
        assert turning.inner_html() != before


@pytest.mark.thorough
def test_results_of_other_settings_are_marked(browser: Browser, tmp_path: Path) -> None:
    widget = explore(packing(board="2x3", pieces="dominoes x*"))
    with opened(browser, widget, tmp_path) as page:
        stale = page.locator(".stale")
        page.get_by_role("button", name="Run", exact=True).click()
        page.wait_for_selector(".unseen:has-text('ended')", state="attached")
        assert not stale.is_visible()
        page.locator(".cell[aria-pressed=true]").last.click()
        stale.wait_for()
        page.get_by_role("button", name="Run", exact=True).click()
        page.locator("[role=alert]", has_text="no set of the pieces covers").wait_for()
        assert not stale.is_visible()
        widget._state = {**widget._state, "replaced": "queens was declared anew."}
        page.locator(".stale", has_text="queens was declared anew.").wait_for()


@pytest.mark.thorough
def test_pictures_of_a_former_puzzle_are_marked(browser: Browser, tmp_path: Path) -> None:
    gallery = solve(packing(board="2x3", pieces="dominoes x*")).gallery()
    with opened(browser, gallery, tmp_path) as page:
        page.locator("svg").first.wait_for()
        assert not page.locator(".stale").is_visible()
        gallery._state = {**gallery._state, "replaced": "board was declared anew."}
        page.locator(".stale", has_text="board was declared anew.").wait_for()
        assert page.locator(".old svg").count() > 0


@pytest.mark.thorough
def test_no_solution_is_explained(browser: Browser, tmp_path: Path) -> None:
    widget = explore(packing(board="##.##\n#####\n", pieces="I x*\n###\n"))
    with opened(browser, widget, tmp_path) as page:
        page.get_by_role("button", name="Run", exact=True).click()
        words = "There is no solution; the whole space was searched. In a cell, why(packing(board='##.##"
        page.locator(".note", has_text=words).wait_for()
        assert not page.locator("summary", has_text="Where each piece lies").is_visible()
    widget = explore("packing", {"board": "hexagon-2"})
    with opened(browser, widget, tmp_path) as page:
        page.get_by_role("button", name="Run", exact=True).click()
        page.locator("[role=alert]", has_text="add grid='hex' or grid='triangle'").wait_for()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("parameters", "cells"),
    [
        pytest.param({"board": "hexagon-2", "grid": "hex", "pieces": "I x*\n# #\n\nO x*\n#\n"}, 7, id="hexagons"),
    ],
)
def test_each_cell_of_the_filter_is_one_place(
    parameters: dict[str, Any], cells: int, browser: Browser, tmp_path: Path
) -> None:
    with opened(browser, explore(packing(**parameters)), tmp_path) as page:
        page.get_by_role("button", name="Run", exact=True).click()
        page.wait_for_selector(".unseen:has-text('ended')", state="attached")
        places = page.locator(".board .place")
        places.first.wait_for()
        assert places.count() == cells
        assert all(are_hit(places))
        for number in (0, cells - 1):
            places.nth(number).click()
            assert page.locator(".board .open").count() == 1
            assert "open" in str(places.nth(number).get_attribute("class"))


@pytest.mark.thorough
def test_a_single_solid_turns(browser: Browser, tmp_path: Path) -> None:
    """As a cell of a notebook has it, and as one without programs shows it."""
    solution = solve(packing(board="2x2x3", pieces="1x1x3 x* + soma x*"), jobs=1)[0]
    file = tmp_path / "solid.html"
    file.write_text(f"<!doctype html><meta charset=utf-8>{solution._repr_html_()}", encoding="utf-8")
    page = browser.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(file.as_uri())
    turning = page.locator(".turning")
    before = turning.inner_html()
    turning.press("ArrowLeft")
    assert turning.inner_html() != before
    page.get_by_label("open", exact=True).press("End")
    page.locator("p", has_text=" and out.").wait_for()
    assert not complaints
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(file.as_uri())
    assert page.locator("svg").count() == 2
    assert "<script" not in solution.html()
