"""Facts: what one may be told about a solution, be it a literal of the key or what lies on a cell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.puzzle import Literal, Puzzle
from solvers.errors import InputError
from solvers.files.given import Labels
from solvers.symmetry.key import Encoded, Key

AXES = ("layer", "row", "column")


class Fact(NamedTuple):
    """Something that holds in some solutions."""

    text: str
    """As it is given: LABEL=VALUE, or such as row 3 column 4 = F."""

    literals: tuple[int, ...]
    """The literals of the key, by number, of which at least one holds where the fact does."""

    cell: tuple[int, ...] = ()
    """The cell that it is about; empty if it is about a literal."""

    name: str = ""
    """What lies there."""


class Facts:
    """All facts of a puzzle: of each key variable its values (of a Boolean, that it is 1); or what lies on each cell.

    Raises `InputError` if cells are asked for and the puzzle does not say what lies where (`Puzzle.fills`).

    >>> from models.magic import magic
    >>> puzzle = magic()
    >>> facts = Facts(puzzle, Key(puzzle.model, puzzle.key), of_cells=True)
    >>> facts.listed[2].text, len(facts.listed)
    ('row 1 column 1 = 3', 81)
    """

    def __init__(self, puzzle: Puzzle, key: Key, of_cells: bool) -> None:
        self.puzzle, self.key, self.of_cells = puzzle, key, of_cells
        told = (n for n in range(key.size) if not (key.is_boolean[key.literal(n)[0]] and key.literal(n)[1] == 0))
        self.listed: list[Fact] = []
        if not of_cells:
            self.listed = [fact_of_literal(key, number) for number in told]
        else:
            on_cells: dict[tuple[tuple[int, ...], str], list[int]] = {}
            for number in told:
                for place in _filled(puzzle, key, number):
                    on_cells.setdefault(place, []).append(number)
            self.listed = [
                Fact(cell_text(cell, name), tuple(numbers), cell, name)
                for (cell, name), numbers in sorted(on_cells.items())
            ]
        self._of_literal: dict[int, list[int]] = {}
        for number, fact in enumerate(self.listed):
            for literal in fact.literals:
                self._of_literal.setdefault(literal, []).append(number)

    @property
    def kind(self) -> str:
        """What they are about."""
        return "cells" if self.of_cells else "literals"

    def of(self, solution: Encoded) -> list[int]:
        """The numbers of the facts that hold in a solution."""
        return sorted({fact for literal in solution for fact in self._of_literal.get(literal, ())})

    def table(self, solutions: Sequence[Encoded]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Of all solutions the facts that hold, one behind the other, and where those of each begin."""
        rows = list(map(self.of, solutions))
        starts = np.cumsum([0, *map(len, rows)])
        return starts, np.fromiter((fact for row in rows for fact in row), dtype=np.int32, count=int(starts[-1]))

    def texts(self, numbers: Iterable[int]) -> list[str]:
        """These facts as they are given."""
        return [self.listed[number].text for number in numbers]


def fact_named(text: str, puzzle: Puzzle, key: Key) -> Fact:
    """The fact that a person names: LABEL=VALUE, or of a cell such as ``row 3 column 4 = F``, counted from 1.

    Raises `InputError` for a label, a value or a cell that the puzzle lacks.
    """
    where = re.fullmatch(r"\s*(?:layer (\d+),?\s+)?row (\d+),?\s+column (\d+)\s*=\s*(.+?)\s*", text)
    if not where or text.rpartition("=")[0].strip() in map(str, key.labels):
        label, value = Labels(key, puzzle.name).literal(text)
        try:
            number = key.number(key.position[label], value)
        except ValueError:
            raise InputError(f"{puzzle.name}: {label} never takes the value {value}; choose another") from None
        return fact_of_literal(key, number)
    *axes, name = where.groups()
    cell = tuple(int(axis) - 1 for axis in axes if axis)
    facts = Facts(puzzle, key, of_cells=True)
    for fact in facts.listed:
        if (fact.cell, fact.name) == (cell, name):
            return fact
    raise InputError(f"{puzzle.name}: {name} never lies on {cell_text(cell, '').rpartition(' =')[0]}; choose another")


def cell_text(cell: Sequence[int], name: str) -> str:
    """What lies on a cell, counted from 1.

    >>> cell_text((2, 3), "F")
    'row 3 column 4 = F'
    """
    return f"{' '.join(f'{axis} {n + 1}' for axis, n in zip(AXES[-len(cell) :], cell, strict=True))} = {name}"


def fact_of_literal(key: Key, number: int) -> Fact:
    """The fact that a literal of the key, by its number, holds."""
    label, value = labelled(key, number)
    return Fact(f"{label}={value}", (number,))


def labelled(key: Key, number: int) -> Literal:
    """The literal of this number."""
    position, value = key.literal(number)
    return key.labels[position], value


def _filled(puzzle: Puzzle, key: Key, number: int) -> list[tuple[tuple[int, ...], str]]:
    """The cells that a literal fills, each with what lies there."""
    if puzzle.fills is None:
        raise InputError(f"{puzzle.name} does not say what lies on its cells; ask for literals")
    name, cells = puzzle.fills(*labelled(key, number))
    return [(tuple(cell), name) for cell in cells]
