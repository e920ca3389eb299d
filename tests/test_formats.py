"""Files of each format that is read (`LOADERS`): what holds no model gets one line, and never a traceback."""

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest
from ortools.sat.python.cp_model import CpModel

from solvers.files.catalogue import AS_PROGRAM, LOADERS
from tests.support.command import RUN, refusal, run
from tests.support.minizinc import needed

COMPRESS: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}

BURRTOOLS = """<puzzle version="2"><gridType type="0"/><colors/>
<shapes><voxel x="2" y="1" z="1" type="0">##</voxel><voxel x="1" y="1" z="1" type="0">#</voxel></shapes>
<problems><problem state="0"><shapes><shape id="1" count="2"/></shapes><result id="0"/><bitmap/></problem></problems>
</puzzle>"""

EXAMPLES = {
    ".cnf": "p cnf 3 2\n1 2 0\n-1 -3 0\n",
    ".dlx": "a b c\na b\nc\n",
    ".fzn": "var 0..3: x:: output_var;\nconstraint int_le(x, 2);\nsolve satisfy;\n",
    ".mzn": "var 0..3: x;\nconstraint x < 2;\nsolve satisfy;\n",
    ".pbtxt": 'variables { name: "x" domain: [0, 1] }\nconstraints { bool_or { literals: [0] } }\n',
    ".xmpuzzle": BURRTOOLS,
    ".ipynb": '{"cells": [{"cell_type": "code", "source": "import cpmpy\\nmodel = cpmpy.Model(cpmpy.boolvar())"}]}',
    AS_PROGRAM: "import cpmpy\n\nx = cpmpy.boolvar(name='x')\nmodel = cpmpy.Model(x)\n",
}

NOTHING = {"empty": b"", "nonsense": b"a a\n(((\n", "bytes": b"\x00\xff\xfe\x80\x1f\x8b" * 9}

by_format = pytest.mark.parametrize("ending", LOADERS)


def example(ending: str, folder: Path) -> bytes:
    """A small model in this format."""
    if ending == ".pb":
        model = CpModel()
        model.new_int_var(0, 3, "x")
        assert model.export_to_file(str(folder / "whole.pb"))
        return (folder / "whole.pb").read_bytes()
    plain, _, compressed = ending.removeprefix(".").partition(".")
    text = EXAMPLES[ending if ending == AS_PROGRAM else f".{plain}"].encode()
    return COMPRESS[f".{compressed}"](text) if compressed else text


def place(ending: str, folder: Path) -> Path:
    return folder / f"model{ending.split()[0]}"


@by_format
def test_a_file_that_is_whole_or_cut_off(ending: str, tmp_path: Path) -> None:
    if ending == ".mzn":
        needed()
    path, content = place(ending, tmp_path), example(ending, tmp_path)
    path.write_bytes(content)
    done = run(RUN, str(path), "--jobs", "1")
    assert done.returncode == 0, done.stderr
    for size in range(1, len(content), 1 + len(content) // 5):
        path.write_bytes(content[:size])
        done = run(RUN, str(path), "--jobs", "1")
        assert (done.returncode, done.stderr.count("\n")) in ((0, 0), (2, 1)), done.stderr


@pytest.mark.parametrize("content", NOTHING.values(), ids=NOTHING)
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
