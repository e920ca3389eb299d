"""The conjugacy classes of a group that is not listed, by GAP.

GAP is a program of its own: The GAP Group, "GAP: Groups, Algorithms, and Programming", https://www.gap-system.org.
Debian has it as gap-core, PyPI as passagemath-gap.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Event

import numpy as np

from solvers.errors import CheckError, InputError, Stopped
from solvers.symmetry.groups import Group, Permutation

POLL_SECONDS = 0.1

PROGRAM = """
SetPrintFormattingStatus("*stdout*", false);
for class in ConjugacyClasses(Group({generators})) do
    Print(Size(class), " ", ListPerm(Representative(class), {size}), "\\n");
od;
QUIT;
"""


def command() -> Sequence[str]:
    """How GAP is called; nothing if it is not there."""
    if program := shutil.which("gap"):
        return [program]
    for folder in map(Path, sys.path):
        if os.access(folder / "gap" / "gap", os.X_OK) and (folder / "gap" / "lib" / "init.g").is_file():
            return [str(folder / "gap" / "gap"), "-l", str(folder / "gap")]
    return []


def classes(group: Group, stop: Event) -> list[tuple[Permutation, int]]:
    """An element of each class, and how many there are in it; the identity first.

    Raises `InputError` if GAP breaks down, `Stopped` once the event is set.
    """
    size = group.key.size
    generators = [f"PermList({(generator + 1).tolist()})" for generator in group.generators]
    answer = _answer(PROGRAM.format(generators=", ".join(generators), size=size), stop)
    found: list[tuple[Permutation, int]] = []
    identity = np.arange(size, dtype=np.int32)
    with suppress(ValueError):
        for line in answer.splitlines():
            count, _, images = line.partition(" ")
            element = np.array(images.strip("[ ]").split(","), dtype=np.int32) - 1
            found.append((element, int(count)))
    found.sort(key=lambda one: not np.array_equal(one[0], identity))
    if sum(count for _, count in found) != group.order or not np.array_equal(found[0][0], identity):
        raise CheckError(f"the classes that GAP found are not those of the {group.order} symmetries")
    return found


def _answer(program: str, stop: Event) -> str:
    """What GAP prints."""
    process = subprocess.Popen(
        [*command(), "-q", "-A"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,  # Ctrl-C is for us alone
    )
    unsent: str | None = program
    while not stop.is_set():
        with suppress(subprocess.TimeoutExpired):
            answer, _ = process.communicate(unsent, timeout=POLL_SECONDS)
            if process.returncode:
                raise InputError("GAP broke down while it looked for the classes of symmetries; leave out --count-only")
            return answer
        unsent = None  # what is left of it, further calls send
    process.kill()
    process.communicate()
    raise Stopped
