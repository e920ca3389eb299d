"""Files of each format that is read (`LOADERS`): what holds no model gets one line, and never a traceback."""

import bz2
import gzip
import lzma
import sys
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from ortools.sat.python.cp_model import CpModel

from models.boards import compressed
from models.packing import packing
from solvers import solve
from solvers.files.catalogue import AS_PROGRAM, LOADERS, find
from tests.support.command import RUN, printed, refusal, run
from tests.support.minizinc import needed
from tests.support.tiers import later, sampled

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".lzma": partial(lzma.compress, format=lzma.FORMAT_ALONE),
}

BURRTOOLS = """<puzzle version="2"><gridType type="0"/><colors/>
<shapes><voxel x="2" y="1" z="1" type="0">##</voxel><voxel x="1" y="1" z="1" type="0">#</voxel></shapes>
<problems><problem state="0"><shapes><shape id="1" count="2"/></shapes><result id="0"/><bitmap/></problem></problems>
</puzzle>"""

EXAMPLES = {
    ".cnf": "p cnf 3 2\n1 2 0\n-1 -3 0\n",
    ".cnf+": "p cnf+ 3 2\n1 2 0\n-1 -3 2 <= 1\n",
    ".knf": "p knf 3 2\n1 2 0\nk 2 -1 -3 2 0\n",
    ".csv": "a,b,c\n1,1,0\n0,0,1\n",
    ".dlx": "a b c\na b\nc\n",
    ".fzn": "var 0..3: x:: output_var;\nconstraint int_le(x, 2);\nsolve satisfy;\n",
    ".json": '{"rows": [[2], [1]], "columns": [[2], "1"]}',
    ".mzn": "var 0..3: x;\nconstraint x < 2;\nsolve satisfy;\n",
    ".non": 'title "Corner"\nwidth 2\nheight 2\n\nrows\n2\n1\n\ncolumns\n2\n1\n',
    ".opb": "* #variable= 3 #constraint= 2\n+2 x1 -1 x2 >= 1 ;\n+1 ~x2 x3 = 1 ;\n",
    ".txt": "110\n001\n",
    ".pbtxt": 'variables { name: "x" domain: [0, 1] }\nconstraints { bool_or { literals: [0] } }\n',
    ".xml": '<instance format="XCSP3" type="CSP"><variables><var id="x"> 0..3 </var></variables>'
    "<constraints><intension> lt(x,2) </intension></constraints></instance>",
    ".xmpuzzle": BURRTOOLS,
    ".ipynb": '{"cells": [{"cell_type": "code", "source": "import cpmpy\\nmodel = cpmpy.Model(cpmpy.boolvar())"}]}',
    AS_PROGRAM: "import cpmpy\n\nx = cpmpy.boolvar(name='x')\nmodel = cpmpy.Model(x)\n",
}

NOTHING = {"empty": b"", "nonsense": b"a a\n(((\n", "bytes": b"\x00\xff\xfe\x80\x1f\x8b" * 9}

LATE = (".csv", ".mzn", ".xml", ".ipynb")
"""Whose readers take long to start."""

by_format = pytest.mark.parametrize("ending", later([*LOADERS, *(f".cnf{packed}" for packed in COMPRESS)], *LATE))


def example(ending: str, folder: Path) -> bytes:
    """A small model in this format."""
    if ending == ".pb":
        model = CpModel()
        model.new_int_var(0, 3, "x")
        assert model.export_to_file(str(folder / "whole.pb"))
        return (folder / "whole.pb").read_bytes()
    if ending == ".npy":
        np.save(folder / "whole.npy", np.eye(3, dtype=np.uint8))
        return (folder / "whole.npy").read_bytes()
    plain, _, compressed = ending.removeprefix(".").partition(".")
    text = EXAMPLES[ending if ending == AS_PROGRAM else f".{plain}"].encode()
    return COMPRESS[f".{compressed}"](text) if compressed else text


def check_tools(ending: str) -> None:
    """Skip the test if what reads this format is not installed."""
    if ending == ".mzn":
        needed()
    if ending == ".xml" and find_spec("pycsp3") is None:  # importing it changes this process
        pytest.skip("pip install pycsp3")


def place(ending: str, folder: Path) -> Path:
    return folder / f"model{ending.split()[0]}"


@by_format
def test_a_file_that_is_whole_or_cut_off(ending: str, tmp_path: Path) -> None:
    check_tools(ending)
    path, content = place(ending, tmp_path), example(ending, tmp_path)
    path.write_bytes(content)
    done = run(RUN, str(path), "--jobs", "1")
    assert done.returncode == 0, done.stderr
    for size in range(1, len(content), 1 + len(content) // (2 if ending == AS_PROGRAM else 5)):
        path.write_bytes(content[:size])
        done = run(RUN, str(path), "--jobs", "1")
        assert (done.returncode, done.stderr.count("\n")) in ((0, 0), (2, 1)), done.stderr


@pytest.mark.parametrize("content", sampled(NOTHING.values(), 3), ids=NOTHING)
@by_format
def test_no_model(ending: str, content: bytes, tmp_path: Path) -> None:
    path = place(ending, tmp_path)
    path.write_bytes(content)
    assert path.name in refusal(str(path), "--jobs", "1")


@by_format
def test_no_file(ending: str, tmp_path: Path) -> None:
    path = place(ending, tmp_path)
    assert "there is no file" in refusal(str(path))
    path.mkdir()
    assert "is not a regular file" in refusal(str(path))


@pytest.mark.parametrize("packed", sampled(COMPRESS, 3))
@pytest.mark.parametrize("ending", sorted({*LOADERS} - {AS_PROGRAM, *LATE}))
def test_every_format_may_be_compressed(ending: str, packed: str, tmp_path: Path) -> None:
    check_tools(ending)
    plain = place(ending, tmp_path)
    plain.write_bytes(example(ending, tmp_path))
    small = Path(f"{plain}{packed}")
    small.write_bytes(COMPRESS[packed](plain.read_bytes()))
    read, expected = (find(str(path)).declare() for path in (small, plain))
    assert (str(read.model), [*read.key]) == (str(expected.model), [*expected.key])


def test_drawings_may_be_compressed(tmp_path: Path) -> None:
    board, pieces = tmp_path / "board.txt.gz", tmp_path / "pieces.bz2"
    board.write_bytes(gzip.compress(b"##\n##\n"))
    pieces.write_bytes(bz2.compress(b"A x2\n##\n"))
    words = ("packing", "--board", str(board), "--pieces", str(pieces), "--jobs", "1")
    assert "solutions in all" in printed(*words)
    board.write_bytes(gzip.compress(b"##\n##\n")[:-4])
    assert "board.txt.gz" in refusal(*words)


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="Python reads it")
def test_zstd(tmp_path: Path) -> None:
    path = tmp_path / "model.cnf.zst"
    path.write_bytes(compressed.ZSTD + b"0")
    assert "decompress it with zstd -d" in refusal(str(path))


def test_a_mark_of_the_byte_order_is_no_part_of_a_file(formula: Path, tmp_path: Path) -> None:
    """Editors of Windows write it at the beginning of a text."""
    marked = tmp_path / "marked.cnf"
    marked.write_text(formula.read_text(encoding="utf-8"), encoding="utf-8-sig")
    assert solve(marked, jobs=1).total == solve(formula, jobs=1).total
    board = tmp_path / "board.txt"
    board.write_text("##\n##\n", encoding="utf-8-sig")
    assert solve(packing(board=str(board), pieces="dominoes x*"), jobs=1).total == 2
