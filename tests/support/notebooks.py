"""Run notebooks and write what they give into them: python -m tests.support.notebooks NAME ..."""

import os
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parents[2]

PATIENCE = 300
"""Seconds for a kernel to start, for a cell to end and for its outputs to arrive, on a machine that has other work."""


def executed(path: Path) -> Any:
    """The notebook as a run leaves it, without the time of day."""
    os.environ["PYTHONPATH"] = str(HERE)
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook,
        timeout=PATIENCE,
        startup_timeout=PATIENCE,
        iopub_timeout=PATIENCE,
        record_timing=False,
        resources={"metadata": {"path": str(path.parent)}},
    ).execute()
    notebook.metadata["language_info"] = {"name": "python"}
    return notebook


if __name__ == "__main__":
    for name in sys.argv[1:]:
        path = HERE / "notebooks" / f"{name}.ipynb"
        nbformat.write(executed(path), path)
