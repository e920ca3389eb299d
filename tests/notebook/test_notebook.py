"""The widgets in a JupyterLab and a browser, as a person has them."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from playwright.sync_api import Browser, Page

from models.pentomino import pentomino
from solvers import solve
from tests.notebook.jupyter import jupyter_lab, open_notebook, run_cells, write_notebook
from tests.support.command import wait_for

SECONDS = 120
"""For anything to happen, on a machine that has other work."""

Open = Callable[..., Page]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("notebooks")


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with jupyter_lab(folder) as address:
        yield address


@pytest.fixture
def notebook(browser: Browser, folder: Path, address: str, request: pytest.FixtureRequest) -> Iterator[Open]:
    """Opens the test's notebook; cells are written into a new one, and run; at the end nothing may have complained."""
    complaints: list[str] = []
    pages: list[Page] = []
    name = f"{request.node.originalname}-{len(list(folder.glob('*.ipynb')))}.ipynb"

    def opened(*cells: str, run: bool = True, **settings: Any) -> Page:
        if cells:
            write_notebook(folder / name, *cells)
        pages.append(browser.new_context(**{"viewport": {"width": 1280, "height": 1000}, **settings}).new_page())
        page = pages[-1]
        page.set_default_timeout(1000 * SECONDS)
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        workspace = f"{name.partition('.')[0]}-{len(pages)}"  # else what other tests left open is opened, too
        open_notebook(page, address.replace("#", f"lab/workspaces/{workspace}/tree/{name}"))
        if cells and run:
            run_cells(page)
        return page

    yield opened
    for page in pages:
        if not page.is_closed():
            page.evaluate("jupyterapp.serviceManager.sessions.shutdownAll()")
        page.context.close()
    of_restarts = "Canceled future for"  # says JupyterLab of its own requests to a kernel that is restarted
    assert not [complaint for complaint in complaints if of_restarts not in complaint]


def searched(page: Page) -> None:
    """Press Run, and wait until the search came to its end."""
    button(page, "Run").click()
    has_ended(page)


def button(page: Page, name: str) -> Any:
    return page.locator(".kazoeru").get_by_role("button", name=name, exact=True)


def has_ended(page: Page) -> None:
    """Wait until a search came to its end, and all of its pictures are there."""
    page.wait_for_selector(".kazoeru .unseen:has-text('ended')", state="attached")
    page.locator(".gallery[aria-busy=false]").wait_for(state="attached")


def said(page: Page, cell: str) -> str:
    """What a cell prints that is run in the notebook now."""
    page.evaluate(
        """async code => {
            const {kernel} = jupyterapp.shell.currentWidget.context.sessionContext.session;
            for (let status = 'aborted'; status === 'aborted';) {  // as what waits behind an error is
                const future = kernel.requestExecute({code});
                window.said = '';
                future.onIOPub = message => {
                    if (message.header.msg_type === 'stream') window.said += message.content.text;
                    if (message.header.msg_type === 'error') window.said += message.content.evalue;
                };
                ({content: {status}} = await future.done);
            }
        }""",
        cell,
    )
    return str(page.evaluate("window.said")).strip()


@pytest.mark.thorough
def test_a_person_explores(notebook: Open) -> None:
    page = notebook(
        "from solvers.extras.notebook.explorer import explore\n"
        "from models.pentomino import pentomino\nw = explore(pentomino(board='4x5', subset=True), backend='cover')\nw"
    )
    searched(page)
    whole: Any = solve(pentomino(board="4x5", subset=True), backend="cover")
    counts = f"{whole.solutions} solutions up to symmetry, {whole.total} in all"
    assert page.locator(".words").first.inner_text().startswith(counts)
    assert page.inner_text(".kazoeru .shown") == f"{whole.solutions} pictures"

    page.locator(".card").nth(1).click()
    hit = page.locator(".enlarged .hit").first
    name = str(hit.get_attribute("aria-label"))
    hit.press("Enter")
    button(page, "Keep this").click()
    page.wait_for_selector(".tags .chip")
    page.wait_for_function(f"!document.querySelector('.kazoeru .words').textContent.startsWith('{counts}')")
    has_ended(page)
    (label,) = [label for label in whole[1] if label[0] == name]
    total = sum(bool(one[label]) for one in whole.in_all())
    assert f", {total} in all" in page.locator(".words").first.inner_text()
    assert said(page, "print(w.given, w.result.total)") == f"({f'{label}=1'!r},) {total}"
    page.locator(".tags .chip").click()
    page.wait_for_function(f"document.querySelector('.kazoeru .words').textContent.startsWith('{counts}')")

    page.locator(".region [data-place='0 4']").click()  # a corner less
    expected_code = r"solve(pentomino(board='####.\n#####\n#####\n#####\n'"
    wait_for(lambda: said(page, "print(w.code().python)").startswith(expected_code))
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector('textarea').value.startsWith('###..')")
    assert page.locator(".jp-Cell").count() == 1, "keys pressed in the widget are not the notebook's"


def workers() -> list[psutil.Process]:
    """What kernels have started."""
    kernels = [process for process in psutil.Process().children(recursive=True) if is_kernel(process)]
    return [worker for kernel in kernels for worker in kernel.children(recursive=True)]


def is_kernel(process: psutil.Process) -> bool:
    """Whether this is a notebook's kernel; a process that has ended meanwhile is none."""
    try:
        return "ipykernel_launcher" in " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return False


@pytest.mark.slow
def test_a_long_search(notebook: Open) -> None:
    page = notebook(
        """
import time
from ortools.sat.python.cp_model import CpModel
from models.boards import grid
from models.puzzle import Puzzle
from solvers.extras.notebook.explorer import explore
def digits():
    model = CpModel()
    key = {n: model.new_int_var(0, 9, '') for n in range(6)}
    def draw(values):
        return grid.board(1, 6, {(0, n): str(value) for n, value in values.items()})
    def is_solution(values):
        time.sleep(.01)  # so that on every machine solutions come for hours
        return True
    return Puzzle('digits', {}, model, key, draw=draw, is_solution=is_solution)
w = explore(digits, backend='cp', jobs=2)
w""",
    )
    button(page, "Run").click()
    page.locator(".card").nth(3).wait_for()
    assert said(page, "print(6 * 7)") == "42"
    assert page.locator(".words").first.inner_text().startswith("at least")
    page.evaluate("jupyterapp.commands.execute('docmanager:save')")
    page.wait_for_function("!jupyterapp.shell.currentWidget.context.model.dirty")
    closed = int(said(page, "print(len(w.result))"))
    page.close()
    time.sleep(0.3)  # some solutions are found while nobody looks

    page = notebook()
    page.locator(".card").nth(3).wait_for()
    before = int(said(page, "print(len(w.result))"))
    assert before > closed
    page.wait_for_function(f"parseInt(document.querySelector('.kazoeru .shown').textContent) > {before}")
    button(page, "Stop").click()
    has_ended(page)
    found = int(said(page, "print(len(w.result))"))
    assert before < found
    assert page.inner_text(".kazoeru .shown") == f"{found} pictures"
    assert "Ended by Stop" in page.inner_text(".kazoeru .note:not([hidden])")


@pytest.mark.slow
def test_workers_end_with_the_kernel(notebook: Open) -> None:
    page = notebook(
        "from solvers.extras.notebook.explorer import explore\nfrom models.pentomino import pentomino\n"
        "w = explore(pentomino(board='6x15', pieces='one-sided'), backend='cp', jobs=2)\nw"
    )
    button(page, "Run").click()
    wait_for(lambda: bool(workers()), SECONDS)
    started = workers()
    page.evaluate("jupyterapp.shell.currentWidget.context.sessionContext.session.kernel.restart()")
    psutil.wait_procs(started, timeout=20)
    assert not [worker for worker in started if worker.is_running() and worker.status() != "zombie"]
    assert said(page, "print(6 * 7)") == "42"


@pytest.mark.slow
def test_a_cell_that_waits_is_interrupted(notebook: Open, folder: Path) -> None:
    met = folder / "met"
    page = notebook(
        "from dataclasses import replace\n"
        "from solvers import last_interrupted, solve\nfrom solvers.extras.notebook.explorer import explore",
        "from models.pentomino import pentomino\nlong = pentomino(board='6x15', pieces='one-sided')\n"
        "solve(long, backend='cp-sat', jobs=1)",
        "long = replace(long, are_solutions=None, is_solution=lambda _: open('met', 'a').write('.'))\n"
        "w = explore(long, backend='cp-sat', jobs=1)\nw.run()",
        run=False,
    )
    interrupt = "jupyterapp.shell.currentWidget.context.sessionContext.session.kernel.interrupt()"
    page.evaluate("void jupyterapp.commands.execute('notebook:run-all-cells')")
    page.locator("progress").wait_for()
    page.wait_for_function(
        "/[1-9]\\d* solutions up to symmetry/.test(document.querySelector('progress').parentElement.textContent)"
    )
    page.evaluate(interrupt)
    page.locator("text=KeyboardInterrupt").first.wait_for()
    assert page.locator("progress").count() == 0
    assert int(said(page, "print(len(last_interrupted()))")) > 0

    page.evaluate(
        """() => {
            const notebook = jupyterapp.shell.currentWidget.content;
            notebook.activeCellIndex = 2;
            void jupyterapp.commands.execute('notebook:run-cell');
        }"""
    )
    wait_for(lambda: met.exists() and met.stat().st_size > 8)  # a solution and its images, and more
    page.evaluate(interrupt)
    found, complete = said(page, "print(len(w.result), w.result.complete)").split()
    assert (int(found) > 0, complete) == (True, "False")


HOSTILE = "</script><img src=x onerror=alert(1)>&amp;<b>"


@pytest.mark.slow
def test_words_are_no_markup(notebook: Open) -> None:
    page = notebook(
        f"""
from ortools.sat.python.cp_model import CpModel
from models.boards import grid
from models.puzzle import Puzzle
from solvers.extras.notebook.explorer import explore
HOSTILE = {HOSTILE!r}
def declare(words: str = HOSTILE):
    model = CpModel()
    key = {{(HOSTILE, n): model.new_int_var(0, 2, '') for n in range(2)}}
    def draw(solution):
        return grid.tiling([(f'{{HOSTILE}}{{value}}', [(0, n)]) for n, value in enumerate(solution.values())])
    def fills(label, value):
        return f'{{HOSTILE}}{{value}}', [(0, label[1])]
    return Puzzle(HOSTILE, {{}}, model, key, draw=draw, feature=lambda s: HOSTILE, fills=fills)
declare.__doc__ = HOSTILE + chr(10) + 'words: ' + HOSTILE
declare.__name__ = HOSTILE
w = explore(declare, given=[HOSTILE + ' 0 != 2'])
w"""
    )
    searched(page)
    assert page.inner_text(".kazoeru .shown") == "6 pictures"
    for summary in page.locator(".kazoeru summary").all():
        summary.click()
    page.locator(".card").first.click()
    page.locator(".enlarged .hit").last.press("Enter")
    button(page, "Keep this").click()
    page.locator(".tags .chip").nth(1).wait_for()
    assert page.locator(".kazoeru img, .kazoeru b").count() == 0
    assert page.locator(".kazoeru h2").first.inner_text() == HOSTILE


@pytest.mark.slow
def test_ten_thousand_pictures(notebook: Open) -> None:
    page = notebook(
        """
from ortools.sat.python.cp_model import CpModel
from models.boards import grid
from models.puzzle import Puzzle
from solvers import solve
model = CpModel()
key = {n: model.new_int_var(0, 9, '') for n in range(4)}
def draw(values):
    return grid.board(2, 2, {(n // 2, n % 2): str(value) for n, value in values.items()})
puzzle = Puzzle('digits', {}, model, key, draw=draw)
solve(puzzle, backend='sat').gallery()"""
    )
    page.wait_for_function("document.querySelector('.kazoeru .shown').textContent === '10000 pictures'")
    assert page.locator(".card").count() < 80
    page.locator(".scroller").evaluate("box => box.scrollTo(0, box.scrollHeight)")
    page.get_by_role("button", name="Solution 10000", exact=True).wait_for()
    assert page.locator(".card").count() < 80
