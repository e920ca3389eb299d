"""The page with all solutions, in a real browser; and folders of pictures."""

import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from pathlib import Path
from typing import Any, cast

import pytest
from playwright.sync_api import Browser, Locator, Page, ViewportSize

from models.boards import grid
from models.packing import packing
from models.puzzle import Drawing, Puzzle, Solution
from solvers import solve
from solvers.extras.pictures import gallery, svg
from solvers.files.catalogue import find
from solvers.running.runner import Run
from solvers.show import draw
from tests.support import declared
from tests.support.browser import are_hit
from tests.support.command import HERE, complaint, full_disk, printed, refusal, wait_for
from tests.support.runs import finished
from tests.support.symmetric import latin_by_integers
from tests.support.tiers import sampled

Open = Callable[..., Page]
PageOf = Callable[..., tuple[Page, Run]]


def heeded(page: Page, complaints: list[str]) -> Page:
    """The page; what it complains of is noted, and whatever it asks for besides itself."""
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda asked: None if asked.url.startswith(("file:", "data:")) else complaints.append(asked.url))
    return page


@pytest.fixture(scope="module")
def complaints() -> list[str]:
    return []


@pytest.fixture(scope="module")
def tab(browser: Browser, complaints: list[str]) -> Page:
    """For all that need a size only: to open another one takes longer than most tests."""
    return heeded(browser.new_page(), complaints)


@pytest.fixture
def show(browser: Browser, tab: Page, complaints: list[str]) -> Iterator[Open]:
    """Opens a page; at the end it may not have complained or asked for anything but itself."""
    complaints.clear()

    def opened(file: Path, hash: str = "", viewport: ViewportSize | None = None, **settings: Any) -> Page:
        page = heeded(browser.new_page(**settings), complaints) if settings else tab
        page.goto("about:blank")  # what was there may differ in the part behind # only
        page.set_viewport_size(viewport or {"width": 1280, "height": 720})
        page.goto(f"{file.as_uri()}{hash}")
        page.evaluate("document.getElementById('fold')?.setAttribute('open', '')")
        page.wait_for_selector(".shown:not(:empty)")
        return page

    yield opened
    assert not complaints


@pytest.fixture
def page_of(show: Open, tmp_path: Path) -> PageOf:
    """Opens the page of a run in this process."""
    path = tmp_path / "page.html"

    def opened(
        name: str, declare: Any = None, viewport: Any = None, limit: int | None = None, **arguments: Any
    ) -> tuple[Page, Run]:
        run = finished(declare or find(name).load(), arguments, jobs=1, limit=limit)
        path.write_text(gallery.page(run, lambda: False), encoding="utf-8")
        return show(path, viewport=viewport), run

    return opened


Tiling = dict[grid.Cell, str]
"""The letter that covers each cell."""


@pytest.fixture(scope="module")
def pentominoes(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Tiling]]:
    """The page of the 541 solutions on 5x6, and these as they are written to a file."""
    folder = tmp_path_factory.mktemp("gallery")
    page, solutions = folder / "5x6.html", folder / "5x6.jsonl"
    words = ["pentomino", "--board", "5x6", "--subset", "--backend", "cover", "--json"]
    printed(*words, "--gallery", str(page), "--solutions", str(solutions))
    lines = map(json.loads, solutions.read_text(encoding="utf-8").splitlines())
    return page, [{(r, c): name for (name, cells), _ in line for r, c in cells} for line in lines]


def turned(tiling: Tiling) -> list[Tiling]:
    """The tiling seen from the board's four sides."""
    return [
        {(4 - r if flip else r, 5 - c if mirror else c): name for (r, c), name in tiling.items()}
        for flip, mirror in product((False, True), repeat=2)
    ]


def fitting(tilings: Iterable[Tiling], wanted: Tiling, turn: bool = True) -> int:
    """How many tilings have these letters at these cells, in one of their views if they are turned."""
    views = turned(wanted) if turn else [wanted]
    return sum(any(all(tiling[cell] == name for cell, name in view.items()) for view in views) for tiling in tilings)


def box(place: Locator) -> dict[str, float]:
    """Where it is on the page."""
    return cast(dict[str, float], place.evaluate("place => place.getBoundingClientRect().toJSON()"))


def choose(page: Page, cell: tuple[int, int], name: str) -> None:
    """Click on a cell of the little board, then on what is to lie there."""
    row, column = cell
    page.get_by_role("button", name=f"row {row + 1}, column {column + 1}", exact=True).click()
    page.locator(f'.choices [data-name="{name}"]').click()


def number_of(card: Locator) -> int:
    """The number of the solution that it shows."""
    return int(str(card.get_attribute("aria-label")).split()[1])


@pytest.mark.thorough
def test_all_are_shown_and_few_are_held(show: Open, pentominoes: tuple[Path, list[Tiling]]) -> None:
    page = show(pentominoes[0], viewport={"width": 1280, "height": 860})
    assert page.inner_text("header p") == "541 solutions up to symmetry, 2164 in all."
    assert page.inner_text(".shown") == "541 pictures"
    assert page.locator(".note").count() == 0
    assert 8 <= page.locator(".card").count() < 60
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.get_by_role("button", name="Solution 541", exact=True).wait_for()
    assert page.locator(".card").count() < 60


@pytest.mark.thorough
def test_filter_by_places(show: Open, pentominoes: tuple[Path, list[Tiling]]) -> None:
    file, tilings = pentominoes
    page = show(file, viewport={"width": 1280, "height": 860})
    choose(page, (0, 0), "P")
    choose(page, (2, 4), "X")
    both: Tiling = {(0, 0): "P", (2, 4): "X"}
    assert page.inner_text(".shown") == f"{fitting(tilings, both)} of 541 pictures"
    numbers = {number_of(card) for card in page.locator(".card").all()}
    assert numbers <= {n for n, tiling in enumerate(tilings, 1) if fitting([tiling], both)}

    page.get_by_label("also when turned or mirrored").uncheck()
    assert page.inner_text(".shown") == f"{fitting(tilings, both, turn=False)} of 541 pictures"
    page.get_by_label("also when turned or mirrored").check()
    counts = page.locator(".choices button").evaluate_all(
        "all => all.map(b => [b.dataset.name, b.querySelector('small').innerText])"
    )
    expected = {name: fitting(tilings, {(0, 0): "P", (2, 4): name}) for name in "FILNPTUVWXYZ"}
    assert {name: int(count) for name, count in counts} == {name: count for name, count in expected.items() if count}

    page.locator('.choices [data-name="X"]').click()
    assert page.inner_text(".shown") == f"{fitting(tilings, {(0, 0): 'P'})} of 541 pictures"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("board", "lattice", "pieces", "cells", "corners", "named"),
    [
        ("3x3", "hex", "trihexes x*", 9, 6, "row 2, column 4"),
        ("2x4", "triangle", "I x*\n##\n\nT x*\n###\n", 8, 3, "row 2, column 4"),
        ("###\n#.#\n###", "square", "dominoes x* + trominoes x*", 8, 4, "row 2, column 3"),
    ],
)
def test_each_cell_is_one_place(
    board: str, lattice: str, pieces: str, cells: int, corners: int, named: str, page_of: PageOf
) -> None:
    page, _ = page_of("packing", board=board, grid=lattice, pieces=pieces)
    places = page.locator(".board .place")
    assert sorted(places.evaluate_all("all => all.map(place => +place.dataset.place)")) == [*range(cells)]
    assert all(are_hit(places))
    drawn = places.evaluate_all("all => all.map(place => place.getAttribute('d'))")
    assert {d.count(" ") for d in drawn} == {2 * corners - 1}
    last = places.nth(cells - 1)
    last.click()
    assert page.locator(".board .open").get_attribute("data-place") == last.get_attribute("data-place")
    assert page.get_by_role("button", name=named, exact=True).count() == 1
    page.locator(".choices button").first.click()
    label = page.locator(".board .said").first
    assert box(last)["x"] + box(last)["width"] / 2 == pytest.approx(box(label)["x"] + box(label)["width"] / 2, abs=1)


@pytest.mark.thorough
def test_a_solid_is_turned_and_opened(page_of: PageOf) -> None:
    page, _ = page_of("packing", board="2x2x3", pieces="1x1x3 x* + soma x*")
    assert "come apart" in page.inner_text("header")
    assert page.locator(".board .place").count() == 12
    assert page.get_by_role("button", name="row 2, column 3, layer 2", exact=True).count() == 1
    assert page.locator(".card svg.solid").count() == page.locator(".card").count()
    page.locator(".card").first.click()
    turning = page.locator(".turning")
    views = [turning.inner_html()]
    turning.hover(position={"x": 100, "y": 100})
    page.mouse.down()
    turning.hover(position={"x": 180, "y": 130})
    page.mouse.up()
    views.append(turning.inner_html())
    turning.press("ArrowRight")
    assert len({*views, turning.inner_html()}) == 3
    names = {str(hit.get_attribute("aria-label")) for hit in page.locator(".enlarged .hit").all()}
    slider = page.get_by_label("open", exact=True)
    slider.press("End")
    counted, _, words = page.inner_text(".viewer p").partition(": ")
    done, _, moves = counted.partition(" of ")
    assert done == moves
    assert {words.split()[0].strip(",")} <= names
    assert words.endswith(" and out.")
    slider.press("Home")
    slider.press("ArrowRight")
    assert page.inner_text(".viewer p").startswith(f"1 of {moves}: ")
    assert page.locator(".viewer .arrow").count() == 1
    slider.press("Home")
    assert page.locator(".viewer .arrow").count() == 0
    assert "out" not in page.inner_text(".viewer p")
    assert page.inner_text(".number") == "Solution 1"


@pytest.mark.thorough
def test_a_long_name_of_a_solid_lies_along_its_piece(page_of: PageOf) -> None:
    page, _ = page_of("packing", board="2x4x4", pieces="1x2x4 x*", limit=1)
    sizes = [float(str(one.get_attribute("font-size"))) for one in page.locator(".solid text").all()]
    assert sizes == [0.45] * 4


@pytest.mark.thorough
@pytest.mark.parametrize(("board", "lattice", "edges"), [("2x2", "square", 16), ("hexagon-1", "triangle", 18)])
def test_each_edge_of_a_tile_is_one_place(board: str, lattice: str, edges: int, page_of: PageOf) -> None:
    page, _ = page_of("edge-matching", board=board, grid=lattice, tiles="macmahon-2 x*", border="any", limit=9)
    places = page.locator(".board .place")
    assert places.count() == edges
    assert {str(place.get_attribute("d")).count(" ") for place in places.all()} == {5}


@pytest.mark.thorough
@pytest.mark.parametrize(("wide", "high"), [(400, 900), (1400, 1000)])
def test_lines_follow_the_size_of_the_picture(wide: int, high: int, page_of: PageOf) -> None:
    """Neither bars nor hairs, and those between regions are stronger than those within, also when it is enlarged."""
    page, _ = page_of("star-battle", viewport={"width": wide, "height": high})
    page.locator(".card").click()
    width = "element => parseFloat(getComputedStyle(element).strokeWidth)"
    for place in (".beginning", ".card", ".enlarged"):
        wall, fine = (page.locator(f"{place} {kind}").first.evaluate(width) for kind in (".walls", ".fine"))
        cell = box(page.locator(f"{place} svg"))["width"] / 6.3
        assert wall == pytest.approx(min(4, 0.06 * cell), rel=0.1)
        assert 0.4 <= fine <= wall / 2.9


def test_words_of_a_picture_have_one_size(page_of: PageOf) -> None:
    """Names and numbers of several characters do, so that none looks more important; on the page as in a file."""
    pieces = "Longbar\n###\n\nEll\n##\n#.\n\n12\n#\n\n3\n#\n\nI\n#\n"
    page, run = page_of("packing", board="3x3", pieces=pieces, limit=1)
    sizes: dict[bool, set[str]] = {True: set(), False: set()}
    for words in page.locator(".card text").all():
        sizes[words.text_content() != "I"].add(str(words.get_attribute("font-size")))
    assert len(sizes[True]) == len(sizes[False]) == 1
    assert run.question is not None
    shown = svg.picture(draw.drawing(run.question.puzzle, run.question.key.decode(run.in_order()[0])))
    written = re.findall('font-size="([^"]+)"[^>]*>([^<]+)<', shown)
    assert {float(size) for size, words in written if words != "I"} == {float(*sizes[True])}


def test_the_puzzle_fills_a_phone(page_of: PageOf) -> None:
    """Its pieces are as large as on the board, and in no row beside it that would be too wide."""
    page, _ = page_of("packing", viewport={"width": 400, "height": 900}, board="3x10", pieces="FILPUV", limit=1)
    board, *pieces = (box(one) for one in page.locator(".beginning svg").all())
    assert len(pieces) == 6
    assert 330 < board["width"] < 400
    assert all(piece["x"] + piece["width"] <= 400 and piece["width"] > 80 for piece in pieces)


def test_controls_that_can_do_nothing_are_not_there(page_of: PageOf) -> None:
    page, _ = page_of("packing", board="2x2x3", pieces="1x1x3 x* + soma x*", limit=2)
    assert all(control.is_enabled() for control in page.locator(".filter input, .filter select").all())
    assert "(0)" not in page.inner_text(".filter")


@pytest.mark.thorough
def test_a_turned_picture_is_shown_turned(show: Open, pentominoes: tuple[Path, list[Tiling]]) -> None:
    file, tilings = pentominoes
    page = show(file)
    choose(page, (4, 5), "V")
    for card in page.locator(".card").all():
        letters = card.locator("svg text").evaluate_all(
            "all => all.map(t => [t.textContent, Math.floor(t.x.baseVal[0].value), Math.floor(t.y.baseVal[0].value)])"
        )
        shown = {(y, x): letter for letter, x, y in letters if letter}
        views = [view for view in turned(tilings[number_of(card) - 1]) if view[4, 5] == "V"]
        assert any(all(view[cell] == letter for cell, letter in shown.items()) for view in views)


@pytest.mark.thorough
def test_enlarge_by_mouse_and_keyboard(show: Open, pentominoes: tuple[Path, list[Tiling]]) -> None:
    page = show(pentominoes[0])
    page.locator(".card").nth(2).click()
    assert page.inner_text(".number") == "Solution 3"
    assert box(page.locator(".enlarged svg"))["width"] > 600
    for key, number in [("ArrowRight", 4), ("ArrowDown", 5), ("ArrowLeft", 4), ("ArrowUp", 3)]:
        page.keyboard.press(key)
        assert page.inner_text(".number") == f"Solution {number}"
    wait_for(lambda: page.evaluate("location.hash === '#3'"))
    page.keyboard.press("Escape")
    wait_for(lambda: page.evaluate("document.activeElement.getAttribute('aria-label') === 'Solution 3'"))
    wait_for(lambda: page.evaluate("location.hash === ''"))
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert page.inner_text(".number") == "Solution 4"
    page.get_by_label("close").click()
    wait_for(lambda: page.evaluate("document.activeElement.getAttribute('aria-label') === 'Solution 4'"))
    for _ in range(30):
        page.keyboard.press("ArrowDown")
    assert int(page.evaluate("document.activeElement.getAttribute('aria-label')").split()[1]) > 60


@pytest.mark.thorough
def test_filter_by_a_piece_of_a_picture(show: Open, pentominoes: tuple[Path, list[Tiling]]) -> None:
    """The picture is opened by a link to it."""
    file, tilings = pentominoes
    page = show(file, "#2")
    assert page.inner_text(".number") == "Solution 2"
    page.locator('.enlarged .hit[aria-label="W"]').click()
    page.locator("dialog").wait_for(state="hidden")
    w = {cell: name for cell, name in tilings[1].items() if name == "W"}
    assert page.inner_text(".shown") == f"{fitting(tilings, w)} of 541 pictures"


@pytest.mark.thorough
def test_the_board_by_keyboard(show: Open, pentominoes: tuple[Path, list[Tiling]]) -> None:
    file, tilings = pentominoes
    page = show(file)
    page.locator(".board [tabindex='0']").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    page.locator('.choices [data-name="P"]').focus()
    page.keyboard.press("Enter")
    x, y = page.locator(".board .said").first.evaluate("t => [t.x.baseVal[0].value, t.y.baseVal[0].value]")
    cell = (int(y), int(x))
    assert cell != (0, 0)
    assert page.inner_text(".shown") == f"{fitting(tilings, {cell: 'P'})} of 541 pictures"
    assert page.evaluate("document.activeElement.dataset.name") == "P"


@pytest.mark.thorough
@pytest.mark.parametrize("scheme", sampled(["light", "dark"], 2))
def test_a_phone(scheme: str, show: Open, pentominoes: tuple[Path, list[Tiling]]) -> None:
    page = show(pentominoes[0], viewport={"width": 360, "height": 740}, has_touch=True, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert not page.locator(".board").is_visible()
    page.locator(".filter summary").tap()
    assert page.locator(".board").is_visible()
    page.locator(".card").first.tap()
    assert page.locator("dialog").bounding_box() == {"x": 0, "y": 0, "width": 360, "height": 740}
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, background[4:-1].split(","))) > 380) == (scheme == "light")


@pytest.mark.thorough
def test_printing_shows_all_that_fit(page_of: PageOf) -> None:
    page, _ = page_of("matchsticks", goal="any", positive=False, viewport={"width": 800, "height": 600})
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".card").count() == 112
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator(".card").count() < 112


@pytest.mark.parametrize(
    ("puzzle", "parameters", "best", "said"),
    [
        ("flip-it", {"board": "_bbbbb", "horizon": 6}, "4 moves, the fewest", "solutions: 4 moves, the fewest."),
        (
            "matchsticks",
            {"expression": "7-1", "moves": 1},
            "3, the least positive value",
            "solution: 3, the least positive value.",
        ),
        pytest.param(
            "matchsticks", {"expression": "3+3=5", "moves": 1}, None, "solutions.", marks=pytest.mark.thorough
        ),
        (
            "largest",
            {"declare": lambda: declared.puzzle({"x": (0, 7)}, lambda model, x: model.maximize(x))},
            "7",
            "solution: the best value is 7.",
        ),
    ],
)
def test_the_best_value_is_said_in_words(
    puzzle: str, parameters: dict[str, Any], best: str | None, said: str, page_of: PageOf
) -> None:
    """By a number where the puzzle has no words for it."""
    page, run = page_of(puzzle, **parameters)
    assert f"{run.report.solutions} {said}" in page.inner_text("header")
    assert dict(run.report.rows()).get("best value") == best


def test_filter_by_what_the_puzzle_names(page_of: PageOf) -> None:
    page, run = page_of("magic", kind="ring")
    assert "sum" not in str(page.text_content(".board")), "what captions only begin with is no heading"
    for name, count in run.report.features.items():
        page.get_by_role("combobox").select_option(label=f"{name} ({count})")
        assert page.inner_text(".shown") == f"{count} of 6 pictures"
        assert page.locator(".card", has_text=name).count() == page.locator(".card").count() == count
    page.locator(".clear").click()
    assert page.inner_text(".shown") == "6 pictures"


@pytest.mark.thorough
def test_filter_symmetric_solutions(page_of: PageOf) -> None:
    page, _ = page_of("packing", board="4x4", pieces="dominoes x*")
    turns = grid.symmetries(grid.box(4, 4))
    found: Any = solve(packing("4x4", "dominoes x*"), jobs=1)
    views = [{frozenset(frozenset(map(turn, place)) for _, place in one) for turn in turns} for one in found]
    symmetric, every = sum(len(own) < len(turns) for own in views), len(found)
    assert 0 < symmetric < every
    page.get_by_label(f"only symmetric ones ({symmetric})").check()
    assert page.inner_text(".shown") == f"{symmetric} of {every} pictures"
    assert page.locator(".card", has_text="symmetric").count() == symmetric


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "arguments", "count", "frames"),
    [
        pytest.param("pentomino", {"board": "2x3x10"}, 12, 2, marks=pytest.mark.thorough),
        ("checker", {}, 2, 1),
        pytest.param("flip-it", {"board": "_bbbbb"}, 2, 5, marks=pytest.mark.thorough),
        ("magic", {}, 1, 1),
    ],
    ids=str,
)
def test_every_puzzle_has_a_page(
    name: str, arguments: dict[str, Any], count: int, frames: int, page_of: PageOf
) -> None:
    page, run = page_of(name, viewport={"width": 1280, "height": 1200}, **arguments)  # pictures below it are not drawn
    assert page.inner_text(".shown").split()[0] == str(run.report.solutions) == str(count)
    assert page.locator(".card").first.locator("svg > g").count() == frames
    assert page.locator(".filter").is_visible() == (count > 1)
    page.locator(".card").first.click()
    assert page.locator(".enlarged svg > g").count() == frames


@pytest.mark.parametrize(
    ("arguments", "pictures", "part", "said"),
    sampled(
        [
            ({"board": "5x5", "subset": True, "limit": 3}, 3, ".note", "lower bounds"),
            ({"board": "5x5", "subset": True, "limit": 3}, 3, "header", "at least 3 solutions up to symmetry"),
            ({"board": "2x30"}, 0, ".grid", "There is no picture."),
        ],
        2,
    ),
)
def test_some_solutions_and_none(
    arguments: dict[str, Any], pictures: int, part: str, said: str, page_of: PageOf
) -> None:
    page, _ = page_of("pentomino", **arguments)
    assert page.inner_text(".shown") == f"{pictures} pictures"
    assert said in page.inner_text(part)


HOSTILE = "</script><img src=x onerror=alert(1)>&amp;{{data}}"


def hostile(with_drawing: bool = True) -> Puzzle:
    """Names that are markup."""

    def draw(solution: Solution) -> Drawing:
        return grid.tiling([(f"{HOSTILE}{value}", [(0, n)]) for n, value in enumerate(solution.values())])

    domains = {(HOSTILE, n): (0, 2) for n in range(2)}
    return declared.puzzle(domains, name=HOSTILE, draw=draw if with_drawing else None, feature=lambda _: HOSTILE)


@pytest.mark.parametrize("with_drawing", [True, False])
def test_names_that_are_markup(with_drawing: bool, page_of: PageOf) -> None:
    page, _ = page_of(HOSTILE, hostile, with_drawing=with_drawing)
    assert page.inner_text("h1") == HOSTILE
    assert page.inner_text(".shown") == "9 pictures"
    assert page.locator("img").count() == 0
    shown = ".legend" if with_drawing else ".card"  # it does not fit into a cell
    assert HOSTILE in str(page.locator(shown).first.text_content())


def test_a_puzzle_without_drawing_is_a_table(page_of: PageOf) -> None:
    names = ["first", "second", "sum"]
    sums = declared.puzzle(dict.fromkeys(names, (0, 9)), lambda model, a, b, total: model.add(a + b == total))
    page, _ = page_of("sums", lambda: sums)
    assert page.inner_text(".shown") == "55 pictures"
    shown = page.locator(".card").first.locator("text").all_text_contents()
    assert shown[:6] == [text for name in names for text in (name, "0")]
    page.locator(".board [data-place]").nth(2).click()
    page.locator('.choices [data-name="9"]').click()
    assert page.inner_text(".shown") == "10 of 55 pictures"


def test_a_sudoku_without_drawing_is_a_board(page_of: PageOf) -> None:
    page, _ = page_of("latin", latin_by_integers, order=3)
    assert page.locator(".board .place").count() == 9
    choose(page, (0, 1), "3")
    assert page.inner_text(".shown") == "4 of 12 pictures"


@pytest.mark.thorough
def test_a_folder_of_pictures(tmp_path: Path) -> None:
    pictures = tmp_path / "pictures"
    printed("pentomino", "--board", "2x3x10", "--backend", "cover", "--svg", str(pictures), "--json")
    assert sorted(path.name for path in pictures.iterdir()) == [f"{n:02}.svg" for n in range(1, 13)]
    for path in pictures.iterdir():
        assert len(ElementTree.parse(path).getroot()) == 3  # the box, and its layers
    assert [*tmp_path.iterdir()] == [pictures]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--gallery", ""], "cannot write '': it is not a regular file; choose another file"),
        (["--gallery", "/no/such/folder/a.html"], "No such file or directory"),
        (["--gallery", "/"], "it is not a regular file"),
        (["--svg", "/no/such/folder/a"], "No such file or directory"),
        (["--svg", str(HERE)], "it is not empty; choose another folder"),
        (["--svg", str(HERE / "README.md")], "it is not a folder"),
        (["--svg", ""], "it is not a folder"),
        (["--svg", "a", "--gallery", "./a"], "two outputs would go to the same file"),
        (["--draw", "-1"], "'-1' is no"),
        (["--draw", "2", "--json"], "--json prints nothing else; leave out --draw"),
    ],
)
def test_mistakes_get_one_line(words: list[str], sentence: str) -> None:
    assert sentence in refusal("pentomino", *words)


@pytest.mark.parametrize("option", ["--gallery", "--svg"])
def test_a_full_disk(option: str, tmp_path: Path) -> None:
    with full_disk(500):
        said = complaint("magic", option, str(tmp_path / "pictures"), "--json")
    assert re.search("an error in writing.*File too large", said)
    assert [*tmp_path.iterdir()] == []
