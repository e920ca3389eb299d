"""Run notebooks and write what they give into them: python -m tests.notebook.notebooks NAME ..."""

import os
import sys
from pathlib import Path
from typing import Any

from tests.support.command import HERE

PATIENCE = 300
"""Seconds for a kernel to start, for a cell to end and for its outputs to arrive, on a machine that has other work."""


WIDGET = "application/vnd.jupyter.widget-view+json"


def executed(path: Path) -> Any:
    """The notebook as a run leaves it, without the time of day, and without what needs the kernel that ran it."""
    import nbformat
    from nbclient import NotebookClient

    os.environ["PYTHONPATH"] = str(HERE)
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook,
        timeout=PATIENCE,
        startup_timeout=PATIENCE,
        iopub_timeout=PATIENCE,
        record_timing=False,
        store_widget_state=False,
        resources={"metadata": {"path": str(path.parent)}},
    ).execute()
    notebook.metadata["language_info"] = {"name": "python"}
    for cell in notebook.cells:
        outputs = cell.get("outputs", [])
        for output in outputs:
            output.get("data", {}).pop(WIDGET, None)
        if outputs:  # a bar that went away leaves an empty one
            cell.outputs = [one for one in outputs if one.get("data", {}).get("text/html") != ""]
    return notebook


if __name__ == "__main__":
    import nbformat

    for name in sys.argv[1:]:
        path = HERE / "notebooks" / f"{name}.ipynb"
        nbformat.write(executed(path), path)
