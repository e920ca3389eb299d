"""Each notebook is a story that runs from top to bottom, and what it shows is what a run gives."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.notebook.notebooks import executed
from tests.support.command import HERE
from tests.support.minizinc import needed

NOTEBOOKS = sorted(HERE.glob("notebooks/*.ipynb"))
STORY = ["Rules", "A tiny example", "The idea", "The code", "The result", "The check", "Roads not taken"]

LONG = (
    "unpublished_counts",
    "hardest_flip_it",
    "which_backend",
    "inventing_a_region",
    "designing_a_display_puzzle",
    "an_invention",
    "how_special_is_tenyos_two",
    "counts_beyond_listing",  # see `test_frontier`, `test_marginals`
    "pentominoes",  # see `test_golden`
    "how_many_really_different",  # see `test_large_groups`
    "published_symmetry_breakings",  # on a busy machine, an audit has no time to tell lossy from not explained
)
"""Notebooks that take half a minute, or depend on how quick the machine is."""

by_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def shown(cell: Any) -> str:
    """What a cell shows as text, without pictures, times and the amount of space between words."""
    texts = []
    for output in cell.outputs:
        data = output.get("data", {"text/plain": output.get("text", "")})
        texts.append(data.get("text/html", data.get("text/plain", "")))
    texts = [re.sub(r", (cp-sat|cp|sat:\w+)\b", "", text) for text in texts]  # `auto` chooses by a trial
    bare = re.sub(r"<svg.*?</svg>|<style.*?</style>|<[^>]*>|\d+\.\d\d s\b", " ", "\n".join(texts), flags=re.DOTALL)
    return " ".join(bare.split())


def code_cells(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


@by_notebook
def test_tells_a_story_in_order(path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    assert re.findall(r"^# .+", text, flags=re.MULTILINE) == [text.splitlines()[0]]
    assert re.findall(r"^## (.+)", text, flags=re.MULTILINE) == STORY


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=pytest.mark.slow if path.stem in LONG else pytest.mark.thorough, id=path.stem)
        for path in NOTEBOOKS
    ],
)
def test_shows_what_a_run_gives(path: Path) -> None:
    """Cells with the tag `measured` show times or counters of solvers, which differ from run to run."""
    if "minizinc" in path.read_text(encoding="utf-8"):
        needed()
    import nbformat

    notebook = nbformat.read(path, as_version=4)
    assert [cell.execution_count for cell in code_cells(notebook)] == [*range(1, len(code_cells(notebook)) + 1)]
    committed = {cell.id: shown(cell) for cell in code_cells(notebook)}
    assert not [cell.id for cell in notebook.cells if "execution" in cell.metadata], "the time of day"

    notebook = executed(path)
    for cell in code_cells(notebook):
        assert not [output for output in cell.outputs if output.get("name") == "stderr"]
        if "measured" not in cell.metadata.get("tags", []):
            assert shown(cell) == committed[cell.id], cell.source


def test_every_story_is_there() -> None:
    page = (HERE / "notebooks" / "README.md").read_text(encoding="utf-8")
    assert NOTEBOOKS
    assert set(re.findall(r"`(\w+)\.ipynb`", page)) == {path.stem for path in NOTEBOOKS}
