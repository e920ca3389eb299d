"""The kernel of disassembly, whose machine code numba keeps in the user's folder for caches."""

import errno
import os
from pathlib import Path
from unittest.mock import Mock

import pytest

from solvers.extras.questions.disassembly import disassembly, kernel
from solvers.model import compiled


@pytest.mark.thorough
@pytest.mark.parametrize("flaw", ["full", "no folder", None])
def test_kernels_of_numba_are_kept_in_the_folder_for_caches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flaw: str | None
) -> None:
    """They work as well where that is full or cannot be made."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    monkeypatch.setattr(compiled, "_compile_apart", lambda tasks: [task(*arguments) for task, arguments in tasks])
    if flaw == "full":
        monkeypatch.setattr("numba.core.caching.IndexDataCacheFile.save", Mock(side_effect=full))
    if flaw == "no folder":
        (tmp_path / "kazoeru").write_text("a file in its place")
    beside = Path(kernel.__file__).parent
    before = {path: path.stat().st_mtime_ns for path in beside.glob("__pycache__/*.nb?")}
    monkeypatch.setattr(disassembly, "kernel", lambda: compiled.kernel_of(kernel.compile_kernel))
    assert disassembly.disassembly([("A", [(0, 0)]), ("B", [(0, 1)])]).level == "1"
    assert {path: path.stat().st_mtime_ns for path in beside.glob("__pycache__/*.nb?")} == before
    assert bool([*tmp_path.glob("kazoeru/*/numba-*/*/*.nbc")]) is (flaw is None)
