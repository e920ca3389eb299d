"""Links and game IDs that are judged, line by line."""

import json
from itertools import product
from pathlib import Path

import pytest

from models.boards import grid
from solvers import unique
from solvers.extras.bridges.links import fpuzzles
from solvers.extras.bridges.links.linked import Linked
from solvers.extras.bridges.links.lzstring import decompress
from solvers.extras.bridges.links.read import link_with_solution, read
from tests.support.command import refusal, run
from tests.support.links import PUBLISHED


@pytest.mark.thorough
def test_published_links_have_their_solutions(tmp_path: Path) -> None:
    """Each link that should have one solution has one; the file of links needs no name of a puzzle."""
    file = tmp_path / "links.txt"
    file.write_text("# published\n" + "\n".join(PUBLISHED) + "\n", encoding="utf-8")
    told = run("solvers", "unique", str(file), "--json", "--jobs", "1")
    assert [json.loads(line)["solutions"] for line in told.stdout.splitlines()] == list(PUBLISHED.values())
    assert (told.returncode, told.stderr) == (4, "")


def test_a_solution_stands_in_the_link() -> None:
    """The link with a solution still gives what was given, and holds all numbers."""
    link = fpuzzles.write(
        Linked("sudoku", {"rows": 2, "columns": 2}, {(0, 0): "1", (1, 2): "2", (2, 1): "3", (3, 3): "4"}, 4, 4)
    )
    told = unique("sudoku", [link])[0]
    assert told.solutions == "1"
    (found,) = told.found
    drawn = json.loads(decompress(found.partition("load=")[2]))["grid"]
    assert ["".join(str(cell["value"]) for cell in row) for row in drawn] == ["1243", "3421", "4312", "2134"]
    assert read(found).cells == read(link).cells
    linked = read(link)
    values: dict[grid.Cell, str] = {(r, c): "1243342143122134"[4 * r + c] for r, c in product(range(4), repeat=2)}
    assert link_with_solution("https://sudokupad.app/fpuz", linked, values).startswith("https://sudokupad.app/fpuzzles")
    assert link_with_solution("https://puzz.link/p?sudoku/4/4/z", linked, values) == ""


def test_a_sudoku_in_place_of_a_file() -> None:
    done = run("solvers", "unique", "sudoku", "1.....2..3.....4")
    assert (done.returncode, done.stdout.partition("\n")[0]) == (0, "line 1: 1")
    assert refusal("nonogram", "nowhere.txt", module="solvers.extras.studies.unique.__main__") == (
        "there is no file nowhere.txt"
    )


def test_lines_that_are_links(tmp_path: Path) -> None:
    """Lines of a named puzzle may be links of it; without a name, lines that are no links are not read."""
    link = "https://puzz.link/p?sudoku/4/4/g1k23k3g"
    told = unique("sudoku", ["1...|..2.|.3..|...4", link, "loopy:2x2t0:3c"], rows=2, columns=2)
    assert [verdict.solutions for verdict in told] == ["1", "1", ""]
    assert told[1].found == ("2143431234211234",)
    assert "the link is a slitherlink, and sudoku is judged" in told[2].error
    file = tmp_path / "links.txt"
    file.write_text(f"{link}\n1234\n", encoding="utf-8")
    read_lines = run("solvers", "unique", str(file))
    assert read_lines.returncode == 2
    assert "line 1: 1\nline 2: this is no link; name the puzzle before the file" in read_lines.stdout


def test_a_link_is_a_puzzle_of_commands_and_of_the_library() -> None:
    refused = run("solvers", "diff", "https://puzz.link/p?sudoku/4/4/g1k23k3g", "queens")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
