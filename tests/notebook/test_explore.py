"""What a person does in the widget, done from Python: search, keep and exclude, compare; and its code."""

import re
import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from models.boards import grid
from models.dissection import dissection
from models.magic import magic
from models.pentomino import pentomino
from models.puzzle import Puzzle, Region
from models.puzzle import Solution as Values
from solvers import InputError, solve
from solvers.base.plugs import load
from solvers.extras.notebook.explorer import Explorer, explore
from solvers.extras.notebook.pointed import part_at_point
from solvers.extras.pictures.appearance import TURNS
from solvers.extras.pictures.svg import name_of
from solvers.files.catalogue import find
from solvers.show import draw
from tests.support import symmetric
from tests.support.command import HERE, run, wait_for

NOTHING = {"parts": 0, "captions": 0, "layouts": 0, "features": 0, "legend": 0, "solutions": 0}


def queens(n: int = 6, board: Region = "", words: tuple[int, ...] = ()) -> Puzzle:
    """Place n queens.

    n: how many
    """

    def shown(rows: Values) -> Any:
        return grid.board(n, n, {(r, column): "Q" for column, r in rows.items()})

    return replace(symmetric.queens(n), parameters={"n": n}, draw=shown)


def tell(widget: Explorer, **content: Any) -> None:
    """What the program in the browser sends, once the search has ended that a click begins."""
    widget._handle(widget, content, [])
    if content["kind"] in ("point", "forget"):
        wait_for(lambda: ended(widget) and widget._state["phase"] == "done")


def ended(widget: Explorer) -> bool:
    return widget._thread is not None and not widget._thread.is_alive()


def pictures(widget: Explorer) -> dict[str, Any]:
    """All that a view asks for."""
    held: dict[str, Any] = {name: [] for name in NOTHING}
    sent: list[Any] = []
    widget.send = sent.append
    while len(held["solutions"]) < widget._state["available"]:
        counts = {name: len(things) for name, things in held.items()}
        tell(widget, kind="pictures", generation=widget._state["generation"], held=counts)
        for name, things in sent[-1]["new"].items():
            held[name] += things
    return held


@pytest.mark.thorough
def test_a_run() -> None:
    puzzle = pentomino(board="4x5", subset=True)
    widget, whole = explore(puzzle, backend="cover"), solve(puzzle, backend="cover", marginals=True)
    assert widget.result is None
    result = widget.run()
    assert list(result) == list(whole)
    assert widget._state["phase"] == "done"
    assert f"{whole.solutions} solutions up to symmetry, {whole.total} in all" in widget._state["words"]
    assert "<svg" in widget._state["heat"]
    assert len(widget._state["samples"]) == 4
    assert len(pictures(widget)["solutions"]) == whole.solutions
    assert widget._repr_mimebundle_()[0]["text/html"] == result._repr_html_()


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("pentomino", {"board": "3x5", "subset": True}),
        pytest.param("dissection", {"region": "2x4", "require": "connected"}, marks=pytest.mark.thorough),
    ],
)
def test_every_part_is_kept_or_excluded(name: str, parameters: dict[str, Any]) -> None:
    """What is kept and what is excluded add up to all solutions, as pictures without the part show."""
    puzzle = find(name).declare(**parameters)
    whole = solve(puzzle)
    question: Any = whole._question
    everything, checked = list(whole.in_all()), 0
    shapes = [(n, shape) for n, picture in enumerate(draw.drawing(puzzle, whole[0])) for shape in picture.shapes]
    for frame, shape in shapes:
        if not name_of(shape) or checked > 5:
            continue
        try:
            part = part_at_point(question, whole._encoded[0], TURNS[0], frame, draw.label_point(shape))
        except InputError:  # as it is in all pictures
            continue
        same = [one for one in everything if all(one[label] == value for label, value in part.whole)]
        for other in same:  # what has these literals has this shape, whatever else it has
            assert shape in draw.drawing(puzzle, other)[frame].shapes
        kept = solve(puzzle, given=[f"{label}={value}" for label, value in part.whole])
        assert kept.total == len(same) > 0
        checked += 1
        if len(part.here) == 1 == len(part.whole):
            ((label, value),) = part.here
            others = solve(puzzle, given=f"{label}!={value}")
            assert not any(one[label] == value for one in others)
            if whole.report.objective is None:  # without the part another value may be the best
                assert kept.total + others.total == whole.total
    assert checked


@pytest.mark.thorough
def test_a_click_keeps_excludes_and_forgets() -> None:
    widget = explore(pentomino(board="3x5", subset=True), backend="cover")
    whole = widget.run()
    everything = list(whole.in_all())
    assert len(widget._state["turns"]) == 4
    assert str(whole[0]) in {str(image) for image in everything}
    for turn, kept in enumerate((True, False, False, True)):  # the upper left corner, as it is shown with this turn
        point = {"solution": 0, "turn": turn, "frame": 0, "x": 0.5, "y": 0.5}
        tell(widget, kind="point", generation=widget._state["generation"], kept=kept, **point)
        ((text,),) = (tag["given"] for tag in widget._tags)
        assert widget.given == (text,)
        label = next(label for one in everything for label in one if text in (f"{label}=1", f"{label}=0"))
        assert (0, 0) in label[1]
        assert widget.result.total == sum(bool(one[label]) == kept for one in everything)
        assert widget.result.report.given == [text]
        tell(widget, kind="forget", tag=0)
        assert not widget.given
        assert widget.result.total == whole.total
    tell(widget, kind="point", generation=widget._state["generation"], kept=True, **{**point, "x": 99})
    assert widget._state["error"] == "pentomino: nothing is there"


def begun() -> Explorer:
    """A search that takes longer than anyone waits, once it has found some."""
    widget = explore(pentomino(board="5x8", subset=True), backend="cp-sat", jobs=1)
    widget.start()
    wait_for(lambda: widget._state["available"] > 2)
    return widget


@pytest.mark.thorough
def test_stop_keeps_what_was_found() -> None:
    widget = begun()
    assert len(pictures(widget)["solutions"]) > 2
    tell(widget, kind="stop")
    wait_for(lambda: ended(widget))
    assert not widget.result.complete
    assert len(widget.result) > 2
    assert "at least" in widget._state["words"]
    assert widget._state["note"] == "Ended by Stop: these are lower bounds."
    assert len(pictures(widget)["solutions"]) == len(widget.result)


@pytest.mark.thorough
def test_an_interrupt_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    listeners: dict[str, Any] = {}
    shell = SimpleNamespace(events=SimpleNamespace(register=listeners.__setitem__))
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    widget = begun()
    listeners["post_run_cell"](SimpleNamespace(error_in_exec=ValueError()))
    assert not widget._stop.is_set()
    listeners["post_run_cell"](SimpleNamespace(error_in_exec=KeyboardInterrupt()))
    wait_for(lambda: ended(widget))
    assert not widget.result.complete
    assert len(widget.result) > 0


def test_a_puzzle_that_is_declared_anew_is_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not if the same cell is run again as it is."""
    texts = ["def ring(sum: int = 12): return magic('ring', sum=sum)", "def ring(sum: int = 13): return magic('ring')"]
    cells: dict[str, Any] = {"magic": magic, "replace": replace}
    listeners: list[Any] = []
    shell = SimpleNamespace(events=SimpleNamespace(register=lambda _, call: listeners.append(call)), user_ns=cells)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))

    def run_cell(text: str) -> None:
        exec(text, cells)
        for follow in listeners:
            follow(SimpleNamespace(error_in_exec=None))

    run_cell(texts[0])
    run_cell("own = replace(ring(), name='own')")
    anew = "was declared anew. Run the cell of this widget again to use it."
    pictures = solve(cells["own"]).gallery()
    of_function, of_puzzle = explore(cells["ring"]), explore(cells["own"])
    for text, of_one, of_other in (
        ("x = 1", "", ""),
        (texts[0], "", ""),
        (texts[1], f"ring {anew}", ""),
        (texts[0], "", ""),
        (
            "own = replace(ring(), name='own')",
            "",
            f"own {anew}",
        ),
    ):
        run_cell(text)
        replaced = [widget._state.get("replaced", "") for widget in (of_function, of_puzzle, pictures)]
        assert replaced == [of_one, of_other, of_other]


@pytest.mark.parametrize(
    ("puzzle", "arguments"),
    [
        pytest.param(magic(kind="ring"), {"given": ["0 0=1", "0 2!=4"]}, marks=pytest.mark.thorough),
        (pentomino(board="#####\n#####\n####.\n", subset=True), {"backend": "sat", "limit": 2}),
        pytest.param(dissection(region="2x4", mirror=False), {"symmetry": "none"}, marks=pytest.mark.thorough),
        ("magic", {"jobs": 1, "seed": 3}),
    ],
)
def test_code_does_the_same(puzzle: Any, arguments: dict[str, Any]) -> None:
    widget = explore(puzzle, **arguments)
    result, code = widget.run(), widget.code()
    again = eval(code.python, {"solve": solve, "magic": magic, "pentomino": pentomino, "dissection": dissection})
    assert (again.solutions, again.total, again.report.given) == (result.solutions, result.total, result.report.given)
    python, m, module, *words = shlex.split(code.command)
    assert (python, m) == ("python", "-m")
    done = run(module, *words, "--json")
    assert (done.returncode, f'"total": {result.total},' in done.stdout) == (0, True)


def test_functions_and_puzzles() -> None:
    widget = explore(queens, {"n": 5})
    assert [field["name"] for field in widget._form["parameters"]] == ["n", "board"]
    assert widget._form["summary"] == "Place n queens."
    assert widget.run().total == 10
    widget._chosen = {**widget._chosen, "parameters": {"n": 6, "board": ""}}
    assert widget.run().total == 4
    assert widget.code().python == "solve(queens)"
    assert widget.code().command == ""
    widget = explore(queens(4))
    assert widget.run().total == 2
    assert widget.code().python == "solve(puzzle)"


def test_a_region_is_a_board() -> None:
    widget = explore(pentomino(board="2x3", subset=True))
    shapes = {
        "4x2": ["##"] * 4,
        ".##\n.#.\n": ["##", "#."],
        "8x8-centre": ["########"] * 3 + ["###..###"] * 2 + ["########"] * 3,
        "2x3x10": 60,
        "nonsense": None,
        "999x9": None,
        "": None,
    }
    for text, rows in shapes.items():
        widget._chosen = {**widget._chosen, "parameters": {**widget._chosen["parameters"], "board": text}}
        assert own_cells(widget, "board") == rows
    assert own_cells(explore("dissection"), "region")[0] == "...###."


def own_cells(widget: Explorer, name: str) -> Any:
    """The rows of what is clicked on, without what is around."""
    cells = widget._regions[name]
    if cells is None or len(cells[0]) == 3:
        return cells and len(cells)
    own = {(row, column) for row, column, _, is_own in cells if is_own}
    (top, left), (bottom, right) = (tuple(map(end, zip(*own, strict=True))) for end in (min, max))
    return ["".join(".#"[(r, c) in own] for c in range(left, right + 1)) for r in range(top, bottom + 1)]


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"board": "7x9"}, "pentomino: 7x9 has 63 cells, but the pieces fill 60; choose a board of 60 cells"),
        ({"board": "no"}, "no region"),
        ({"square": None}, "square: None is neither yes nor no"),
    ],
)
def test_what_cannot_be_searched_is_said(parameters: dict[str, Any], sentence: str) -> None:
    widget = explore("pentomino")
    widget._chosen = {**widget._chosen, "parameters": {**widget._chosen["parameters"], **parameters}}
    with pytest.raises(InputError):
        widget.run()
    assert sentence in widget._state["error"] or "no" in parameters.values()
    assert (widget._state["phase"], widget._state["available"]) == ("new", 0)


@pytest.mark.parametrize(
    ("begin", "sentence"),
    [
        (lambda: explore("pentomino", {"bord": "3x20"}), "did you mean board"),
        (lambda: explore(3), "is not a puzzle"),  # type: ignore[arg-type]
        (lambda: solve("magic", count_only=True).gallery(), "solve it without count_only"),
    ],
)
def test_what_is_wrong_at_the_beginning(begin: Callable[[], object], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        begin()


def test_without_anywidget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    for module in ("solvers.extras.notebook.gallery", "solvers.extras.notebook.explorer"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    with pytest.raises(InputError, match=r"install it with pip install '\.\[notebooks\]'"):
        load("solvers.extras.notebook.explorer:explore", "explore")
    with pytest.raises(InputError, match="anywidget"):
        solve("magic").gallery()


@pytest.mark.thorough
@pytest.mark.parametrize(("puzzle", "total"), [(queens, 4)])
def test_backends_are_compared(puzzle: Any, total: int) -> None:
    widget = explore(puzzle)
    tell(widget, kind="compare", backends=["cp-sat", "sat", "cover"])
    wait_for(lambda: widget._comparing is not None and not widget._comparing.is_alive())
    compared = widget._compared
    assert [row["backend"] for row in compared["rows"]] == ["cp-sat", "sat"]
    assert {row["total"] for row in compared["rows"]} == {total}
    assert [line[-1][1] for line in compared["lines"].values()] == [row["solutions"] for row in compared["rows"]]
    (left_out,) = compared["wrong"]
    assert left_out.startswith("cover: ")


def test_a_saved_page_and_a_gallery(tmp_path: Any) -> None:
    result = solve(magic(kind="ring"))
    result.save(tmp_path / "page.html")
    assert "6</strong> solutions up to symmetry" in (tmp_path / "page.html").read_text(encoding="utf-8")
    gallery = result.gallery()
    assert (gallery._state["available"], gallery._state["whole"]) == (6, True)
    assert gallery._repr_mimebundle_()[0]["text/html"] == result._repr_html_()


def test_no_second_list_of_colours() -> None:
    """What draws takes its colours from one place, also in plots and in notebooks."""
    pytest.importorskip("matplotlib")
    from solvers.extras.studies.survey.plot import LOOK

    assert LOOK["axes.prop_cycle"].by_key()["color"] == draw.LINE_COLOURS
    script = (HERE / "solvers/extras/notebook/widget.js").read_text(encoding="utf-8")
    assert not {*re.findall("#[0-9a-fA-F]{6}", script)} - {"#E4E0D6"}  # the box of a solid
