"""What is given: literals that a run holds, as people write them."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from numbers import Integral
from typing import TYPE_CHECKING

from models.puzzle import Label, Literal
from solvers.backend import Refused
from solvers.key import Key
from solvers.load import shown
from solvers.solutions import plain_label

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

MOST_NAMED = 3
"""So many labels a complaint names."""


def given_literals(given: Iterable[str | Literal], key: Key, puzzle: str) -> dict[Label, int]:
    """What each label is given; `Refused` for a label or a value that the key lacks, or two values of one label.

    given: literals, or texts such as ``LABEL=VALUE``. A text names a label by its words: brackets, quotes and commas
        make no difference, so that ``0 2=5``, ``(0, 2)=5`` and ``[0,2]=5`` say the same.
    """
    labels = _Labels(key, puzzle)
    found: dict[Label, int] = {}
    for one in given:
        label, value = labels.literal(one) if isinstance(one, str) else one
        if not isinstance(label, Hashable) or label not in key.position:
            raise labels.unknown(repr(label))
        if not isinstance(value, Integral) or not _takes(key, label, int(value)):
            raise Refused(f"{puzzle}: {label} takes {_domain(key, label)}, not {shown(str(value))}")
        value = int(value)
        if found.setdefault(label, value) != value:
            raise Refused(f"{puzzle}: {label} is given as {found[label]} and as {value}; leave one of them out")
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


class _Labels:
    """The labels of a key by the words in them."""

    def __init__(self, key: Key, puzzle: str) -> None:
        self._key = key
        self._puzzle = puzzle
        self._by_words: dict[tuple[str, ...], list[Label]] = defaultdict(list)

    def literal(self, text: str) -> Literal:
        name, equals, value = text.rpartition("=")
        if not equals:
            raise Refused(f"{self._puzzle}: {shown(text)} gives nothing; write LABEL=VALUE, such as {self._example()}")
        if not re.fullmatch(r"\s*[-+]?[0-9]{1,19}\s*", value):
            raise Refused(f"{self._puzzle}: {shown(value)} is no value; write a whole number behind the =")
        return self._label(name), int(value)

    def _label(self, name: str) -> Label:
        if not self._by_words:
            for label in self._key.labels:
                self._by_words[_words(_written(label))].append(label)
        named = self._by_words.get(_words(name), [])
        exact = [label for label in named if name.strip() in (str(label), _written(label))]
        if len(exact or named) > 1:
            some = " and ".join(map(repr, named[:MOST_NAMED]))
            raise Refused(f"{self._puzzle}: {shown(name)} may be {some}; write one of these")
        if not named:
            raise self.unknown(shown(name))
        return (exact or named)[0]

    def unknown(self, name: str) -> Refused:
        labels = self._key.labels
        some = ", ".join(map(str, labels[:MOST_NAMED])) + (", ..." if len(labels) > MOST_NAMED else "")
        return Refused(f"{self._puzzle} has no label {name}; its labels are {some or 'none'}")

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
