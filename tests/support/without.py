"""An installation without some of the optional packages, for this process and those that it starts."""

import sys
from pathlib import Path

import pytest

COUNTERS = ("py_d4", "pyganak", "d4Solver")


def without_counters(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """The packages that count formulas cannot be imported; folder: for what tells other processes so."""
    place = folder / "without"
    place.mkdir()
    (place / "sitecustomize.py").write_text(f"import sys\nsys.modules.update(dict.fromkeys({COUNTERS}))\n")
    monkeypatch.setenv("PYTHONPATH", str(place))
    for name in COUNTERS:
        monkeypatch.setitem(sys.modules, name, None)
