"""What is printed: nothing that a terminal would obey, nothing that is lost for want of a character or of a reader."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from models.puzzle import Frame, Puzzle, Shape
from solvers import InputError, solve
from solvers.extras.pictures import gallery
from solvers.show import draw
from tests.support.command import HERE, RUN, printed, refusal, run_apart
from tests.support.declared import BOOLEAN, puzzle, swapping
from tests.support.own_models import write
from tests.support.runs import finished

ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}

HOSTILE = """
from ortools.sat.python.cp_model import CpModel
from models.puzzle import Frame, Puzzle, Shape

EVIL = "a\\x1b[31m\\x07\\n\\u202ecomplete  yes\\x9b"

def hostile(words: str = "b") -> Puzzle:
    model = CpModel()
    x, y = model.new_int_var(1, 2, "x"), model.new_bool_var("y")
    ring = [(0, 0), (9, 0), (9, 9), (0, 9)]
    return Puzzle(
        EVIL, {"words": EVIL}, model, {EVIL: x, ("b", EVIL): y},
        draw=lambda found: [Frame([Shape([ring], f"{found[EVIL]}", 1), Shape([ring], EVIL, 2)], EVIL)],
        feature=lambda found: EVIL,
        fills=lambda label, value: (EVIL, [(0, value)]),
    )
"""


@pytest.mark.thorough
@pytest.mark.parametrize(
    "environment",
    [
        ASCII,
        *(pytest.param({"PYTHONIOENCODING": name}, marks=pytest.mark.thorough) for name in ("ascii", "latin-1:strict")),
    ],
)
def test_drawings_in_ascii(environment: dict[str, str]) -> None:
    done = run_apart(RUN, "magic", env={**os.environ, **environment})
    assert (done.returncode, done.stderr) == (0, "")
    assert "+---+---+---+\n| 1 | 6 | 7 |\n+---+---+---+" in done.stdout
    done = run_apart(RUN, "magic", "--backend", "→", env={**os.environ, **environment})
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


@pytest.mark.thorough
def test_what_a_terminal_would_obey(tmp_path: Path) -> None:
    model, found, marginals, rows = (tmp_path / name for name in ("hostile.py", "found.txt", "m.csv", "rows.csv"))
    write(model, HOSTILE)
    words = ("--sample", "2", "--solutions", str(found), "--marginals", str(marginals))
    texts = [printed(str(model), *words), found.read_text(encoding="utf-8")]
    assert "a\\x1b[31m\\x07\\n\\u202ecomplete  yes\\x9b" in texts[0]
    with marginals.open(encoding="utf-8", newline="") as stream:
        texts += [cell for row in csv.reader(stream) for cell in row]
    for ending in ("cnf", "pbtxt"):
        printed("export", str(model), str(tmp_path / f"m.{ending}"))
    printed(str(model), "--marginals", str(tmp_path / "m.txt"))
    texts += [(tmp_path / f"m.{ending}").read_text(encoding="utf-8") for ending in ("cnf", "pbtxt", "txt")]
    texts.append(printed("compare", str(model), "--backends", "cp-sat", "--csv", str(rows)))
    texts.append(rows.read_text(encoding="utf-8"))
    which = write(tmp_path / "which.json", json.dumps([["a\x1b[31m\x07\n\u202ecomplete  yes\x9b", 7]]))
    texts.append(refusal("which", str(model), str(which)))
    assert [line for text in texts for line in text.split("\n") if not line.isprintable()] == []


@pytest.mark.thorough
def test_nobody_listens() -> None:
    def ended(redirection: str) -> "subprocess.CompletedProcess[str]":
        words = ["sh", "-c", f"{sys.executable} -m solvers.run magic {redirection}"]
        return subprocess.run(words, cwd=HERE, capture_output=True, text=True, check=False)

    closed = ended(">&-")
    assert (closed.returncode, closed.stderr.count("\n")) == (2, 1)
    assert "standard output is closed" in closed.stderr
    full = ended(">/dev/full")
    assert (full.returncode, full.stderr) == (3, "kazoeru: cannot print: No space left on device\n")
    assert ended("2>&-").returncode == 0
    complaint = ended("--backend none 2>/dev/full")
    assert (complaint.returncode, complaint.stdout) == (2, "")


def own(*frames: Frame) -> Puzzle:
    return puzzle(dict.fromkeys("xy", BOOLEAN), name="own", symmetries=[swapping("x", "y")], draw=lambda _: frames)


@pytest.mark.parametrize("frames", [[], [Frame([])], [Frame([Shape([])])], [Frame([Shape([[]], "a", 1)], "b")]])
def test_a_gallery_of_empty_drawings(frames: list[Frame]) -> None:
    assert "own" in gallery.page(finished(lambda: own(*frames), jobs=1), lambda: False)
    result = solve(own(*frames), jobs=1)
    assert len([*map(str, result)]) == 3
    assert "<svg" in result._repr_html_()


@pytest.mark.parametrize(
    "shape",
    [
        Shape([[(0, float("nan"))]]),
        Shape([[(0, 1e9)]]),
        Shape([[(0, "1")]]),  # type: ignore[list-item]
        Shape([[1]]),  # type: ignore[list-item]
        Shape([[(0, 0)]], colour="nacre"),
        Shape([[(0, 0)]], 3),  # type: ignore[arg-type]
        "shape",
    ],
)
def test_drawings_that_cannot_be_shown(shape: Shape) -> None:
    with pytest.raises(InputError, match="own draws something that cannot be shown"):
        draw.solution(own(Frame([shape])), {})
