"""The conjugacy classes of a group: of one that can be listed by conjugating its elements, of others by GAP.

GAP is a program of its own: The GAP Group, "GAP: Groups, Algorithms, and Programming", https://www.gap-system.org.
Debian has it as gap-core, PyPI as passagemath-gap.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Event

import numpy as np

from solvers.base.errors import CheckError, InputError
from solvers.extras.shared.programs import run_program
from solvers.symmetry.groups import MAX_GROUP_ELEMENTS, Group, ListedGroup, Permutation

MAX_ENTRIES = 20_000_000
"""The largest product of elements and literals of a group that is listed for its classes; it takes a second or two."""

PROGRAM = """
SetPrintFormattingStatus("*stdout*", false);
for class in ConjugacyClasses(Group({generators})) do
    Print(Size(class), " ", ListPerm(Representative(class), {size}), "\\n");
od;
QUIT;
"""


def gap_command() -> Sequence[str]:
    """Return the words of the command that runs GAP; empty if GAP is not installed."""
    if program := shutil.which("gap"):
        return [program]
    for folder in map(Path, sys.path):
        if os.access(folder / "gap" / "gap", os.X_OK) and (folder / "gap" / "lib" / "init.g").is_file():
            return [str(folder / "gap" / "gap"), "-l", str(folder / "gap")]
    return []


def are_known(group: Group) -> bool:
    """Tell whether `classes` can compute the group's conjugacy classes.

    It can if the group has few enough elements to list them, or if GAP is installed.
    """
    return _can_be_listed(group) or bool(gap_command())


def _can_be_listed(group: Group) -> bool:
    """Tell whether the elements of a group are listed, or few enough to list them in a second or two."""
    is_small = group.order <= MAX_GROUP_ELEMENTS and group.order * group.key.size <= MAX_ENTRIES
    return is_small or isinstance(group, ListedGroup)


def classes(group: Group, stop: Event) -> Iterable[tuple[Permutation, int]]:
    """Return (an element, the number of elements) of each conjugacy class; the identity comes first.

    Raises `InputError` if GAP breaks down, `Stopped` once the event is set. Raises `CheckError` if the sizes of the
    classes do not add up.
    """
    return _classes_of_elements(group.list_elements()) if _can_be_listed(group) else _classes_by_gap(group, stop)


def _classes_of_elements(group: ListedGroup) -> Iterator[tuple[Permutation, int]]:
    """Yield (element, size of its class) for each conjugacy class of a listed group.

    A class is what conjugation by the generators makes of an element, again and again.
    """
    seen: set[bytes] = set()
    inverses = [np.argsort(generator) for generator in group.generators]
    for element in group.elements:
        if element.tobytes() in seen:
            continue
        seen.add(element.tobytes())
        conjugates = [element]
        for conjugate in conjugates:  # which grows in the loop
            for generator, inverse in zip(group.generators, inverses, strict=True):
                # Undo the generator, apply the element, apply the generator.
                image = generator[conjugate[inverse]]
                if image.tobytes() not in seen:
                    seen.add(image.tobytes())
                    conjugates.append(image)
        yield element, len(conjugates)


def _classes_by_gap(group: Group, stop: Event) -> list[tuple[Permutation, int]]:
    """Return (element, size of its class) for each conjugacy class of any group, as GAP computes them.

    GAP prints a line for each class: its size, and a list of the images of all points under one element. Lines that are
    not of this form end the reading; then the sizes do not add up. Raises `InputError` if GAP breaks down, `Stopped`
    once the event is set, `CheckError` if the sizes do not add up.
    """
    size = group.key.size
    # GAP counts points from 1.
    generators = [f"PermList({(generator + 1).tolist()})" for generator in group.generators]
    program = PROGRAM.format(generators=", ".join(generators), size=size)
    result = run_program([*gap_command(), "-q", "-A"], program, stop)
    if result.returncode:
        raise InputError("GAP failed while it computed the classes of symmetries; leave out `--count-only`")
    class_rows: list[tuple[Permutation, int]] = []
    identity = np.arange(size, dtype=np.int32)
    with suppress(ValueError):
        for line in result.stdout.splitlines():
            count, _, images = line.partition(" ")
            element = np.array(images.strip("[ ]").split(","), dtype=np.int32) - 1
            class_rows.append((element, int(count)))
    class_rows.sort(key=lambda row: not np.array_equal(row[0], identity))  # the identity comes first
    if sum(count for _, count in class_rows) != group.order or not np.array_equal(class_rows[0][0], identity):
        raise CheckError(f"the classes that GAP found are not those of the {group.order} symmetries")
    return class_rows
