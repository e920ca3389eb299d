"""A JupyterLab of its own, for a test to open in a browser."""

import json
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import HERE

PATIENCE = 120
"""Seconds for a server, a page or a kernel to be there, on a machine that has other work."""


@contextmanager
def jupyter_lab(folder: Path) -> Iterator[str]:
    """The address, with a # for the path, of a server on a free port of this machine; it is ended behind.

    The test is skipped where there is no JupyterLab, but not where everything has to be there.

    folder: where its notebooks are, and a folder for what it writes itself.
    """
    if find_spec("jupyterlab") is None:
        assert "CI" not in os.environ, "there is no jupyterlab, but nothing is to be skipped here"
        pytest.skip("there is no jupyterlab (pip install '.[notebooks]')")
    own, token = folder / ".jupyter", secrets.token_hex(16)
    settings = own / "settings" / "@jupyterlab" / "apputils-extension" / "notification.jupyterlab-settings"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"fetchNews": "false", "checkForUpdates": False}), encoding="utf-8")
    places = {f"JUPYTER_{kind}_DIR": str(own / kind.lower()) for kind in ("CONFIG", "DATA", "RUNTIME")}
    places |= {f"JUPYTERLAB_{kind}_DIR": str(own / kind.lower()) for kind in ("SETTINGS", "WORKSPACES")}
    server = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "jupyterlab",
            "--no-browser",
            "--allow-root",
            "--ip=127.0.0.1",
            "--port=0",
            f"--ServerApp.root_dir={folder}",
            "--LabApp.extension_manager=readonly",
            "--expose-app-in-browser",
        ],
        cwd=folder,
        env={**os.environ, **places, "IPYTHONDIR": str(own), "JUPYTER_TOKEN": token, "PYTHONPATH": str(HERE)},
        stdout=subprocess.DEVNULL,
        stderr=(folder / ".log").open("w"),
    )
    try:
        yield f"{_address(server, own / 'runtime')}#?token={token}"
    finally:
        server.terminate()  # which ends its kernels
        try:
            server.wait(30)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _address(server: "subprocess.Popen[bytes]", runtime: Path) -> str:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and server.poll() is None:
        for file in runtime.glob("jpserver-*.json"):
            try:
                return str(json.loads(file.read_text(encoding="utf-8"))["url"])
            except ValueError:  # it is being written
                pass
        time.sleep(0.1)
    raise AssertionError("JupyterLab did not start")


def open_notebook(page: Any, address: str) -> None:
    """Open one in JupyterLab, and wait until its kernel answers."""
    page.goto(address)
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=1000 * PATIENCE)
    page.evaluate(
        """async () => {
            const {sessionContext} = jupyterapp.shell.currentWidget.context;
            await sessionContext.ready;
            await sessionContext.session.kernel.info;
        }"""
    )


def run_cells(page: Any) -> None:
    """Run all cells of the notebook that is open; returns when they have ended."""
    page.evaluate("jupyterapp.commands.execute('notebook:run-all-cells')")


def write_notebook(path: Path, *cells: str) -> None:
    """A notebook with these cells."""
    import nbformat

    notebook: Any = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, path)
