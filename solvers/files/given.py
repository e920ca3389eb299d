"""What is given: literals that a run holds, as people write them."""

from __future__ import annotations

import json
import os
import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING

from models.puzzle import Label, Literal, Puzzle
from solvers.errors import InputError
from solvers.files.drawings import DRAWN, Reading, read_drawing
from solvers.files.load import read_text, shown
from solvers.files.solutions import literals_from_json
from solvers.show.plain import plain_label
from solvers.symmetry.key import Key

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

MOST_NAMED = 3
"""So many labels a complaint names."""


def given_literals(given: Iterable[str | Literal], key: Key, puzzle: Puzzle) -> dict[Label, int]:
    """What each label is given; `InputError` for a label or a value that the key lacks, or two values of one label.

    given: literals, the paths of files that hold some (see `in_file`), or texts such as ``LABEL=VALUE``. A text names a
        label by its words: brackets, quotes and commas make no difference, so that ``0 2=5``, ``(0, 2)=5`` and
        ``[0,2]=5`` say the same.
    """
    labels = Labels(key, puzzle.name)
    literals: list[Literal] = []
    for one in given:
        if not isinstance(one, str):
            literals.append(one)
        elif os.path.isfile(one):
            reading = in_file(Path(one), key, puzzle)
            if reading.stray:
                raise InputError(f"{one}: {puzzle.name} has nothing that looks like {reading.stray[0]}")
            if not reading.shown:
                raise InputError(
                    f"{one} shows nothing that could be given; write LABEL=VALUE, or draw as --solutions FILE.txt does"
                )
            literals += reading.shown.items()
        else:
            literals.append(labels.literal(one))
    return _agreed(literals, labels, key, puzzle.name)


def in_file(path: Path, key: Key, puzzle: Puzzle) -> Reading:
    """The literals that a file holds: a line of JSON, lines ``LABEL=VALUE``, or a drawing.

    Raises `InputError` for a file that cannot be read, or shows nothing.
    """
    try:
        text = read_text(path)
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None
    labels = Labels(key, puzzle.name)
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise InputError(f"{path} shows nothing; draw as --solutions FILE.txt does, or give a line of JSON")
    if text.lstrip().startswith("["):
        if len(lines) > 1:
            raise InputError(f"{path} holds {len(lines)} lines; give the one that is meant")
        try:
            literals = literals_from_json(lines[0], key.labels)
        except (ValueError, TypeError, KeyError, RecursionError):
            raise InputError(
                f"{path} holds no solution of {puzzle.name} in JSON; write [[label, value], ...]"
            ) from None
    elif puzzle.draw and not all("=" in line for line in lines):
        if DRAWN.search(text) and sum(line.strip().isdigit() for line in lines) > 1:
            raise InputError(f"{path} holds several drawings; give the one that is meant")
        return read_drawing(puzzle, key, text)
    else:
        try:
            literals = [labels.literal(line) for line in lines]
        except InputError as error:
            raise InputError(f"{path}: {error}") from None
    try:
        return Reading(_agreed(literals, labels, key, puzzle.name), [], [], [], {}, False)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _agreed(literals: Iterable[Literal], labels: Labels, key: Key, puzzle: str) -> dict[Label, int]:
    """By label; what is wrong with the literals is `InputError`."""
    found: dict[Label, int] = {}
    for label, value in literals:
        if not isinstance(label, Hashable) or label not in key.position:
            raise labels.unknown(repr(label))
        if not isinstance(value, Integral) or not _takes(key, label, int(value)):
            raise InputError(f"{puzzle}: {label} takes {_domain(key, label)}, not {shown(str(value))}")
        value = int(value)
        if found.setdefault(label, value) != value:
            raise InputError(f"{puzzle}: {label} is given as {found[label]} and as {value}; leave one of them out")
    return found


def hold(model: CpModel, key: Key, given: Mapping[Label, int]) -> CpModel:
    """A copy of the model whose solutions have these literals."""
    held = model.clone()
    for label, value in given.items():
        position = key.position[label]
        variable = held.get_int_var_from_proto_index(key.variables[position])
        if key.is_boolean[position]:
            held.add_bool_and(variable if value else ~variable)
        else:
            held.add(variable == value)
    return held


class Labels:
    """The labels of a key by the words in them."""

    def __init__(self, key: Key, puzzle: str) -> None:
        self._key = key
        self._puzzle = puzzle
        self._by_words: dict[tuple[str, ...], list[Label]] = defaultdict(list)

    def literal(self, text: str) -> Literal:
        name, equals, value = text.rpartition("=")
        if not equals:
            problem = f"{shown(text)} is no file and gives nothing"
            raise InputError(f"{self._puzzle}: {problem}; write LABEL=VALUE, such as {self._example()}")
        if not re.fullmatch(r"\s*[-+]?[0-9]{1,19}\s*", value):
            raise InputError(f"{self._puzzle}: {shown(value)} is no value; write a whole number behind the =")
        return self._label(name), int(value)

    def _label(self, name: str) -> Label:
        if not self._by_words:
            for label in self._key.labels:
                self._by_words[_words(_written(label))].append(label)
        named = self._by_words.get(_words(name), [])
        exact = [label for label in named if name.strip() in (str(label), _written(label))]
        if len(exact or named) > 1:
            some = " and ".join(map(repr, named[:MOST_NAMED]))
            raise InputError(f"{self._puzzle}: {shown(name)} may be {some}; write one of these")
        if not named:
            raise self.unknown(shown(name.strip()))
        return (exact or named)[0]

    def unknown(self, name: str) -> InputError:
        labels = self._key.labels
        some = ", ".join(map(str, labels[:MOST_NAMED])) + (", ..." if len(labels) > MOST_NAMED else "")
        return InputError(f"{self._puzzle} has no label {name}; its labels are {some or 'none'}")

    def _example(self) -> str:
        key = self._key
        return f"'{key.labels[0]}={key.literal(0)[1]}'" if key.labels else "x=1"


def _written(label: Label) -> str:
    return json.dumps(label, default=plain_label, ensure_ascii=False)


def _words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[^\s\[\](){}'\",]+", text))


def _takes(key: Key, label: Label, value: int) -> bool:
    return any(low <= value <= high for low, high in key.domains[key.position[label]])


def _domain(key: Key, label: Label) -> str:
    position = key.position[label]
    if key.is_boolean[position]:
        return "0 or 1"
    return ", ".join(str(low) if low == high else f"{low} to {high}" for low, high in key.domains[position])
