"""Facts about a solution, such as literals of the key: as people write them, and as constraints of a model."""

from __future__ import annotations

import json
import os
import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from contextlib import suppress
from numbers import Integral
from typing import TYPE_CHECKING, Any, NamedTuple

from models.puzzle import Label, Literal, Puzzle
from solvers.errors import InputError
from solvers.model.reading import choice_of
from solvers.plugs import EXTRAS, plugged
from solvers.show.plain import plain_label
from solvers.show.printable import shown
from solvers.symmetry.key import Key, key_literal

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

NOT_PLAIN = re.compile(r"\s*(layer|row)\b|.*!=")
"""The beginning of texts that may say more than LABEL=VALUE."""

MAX_NAMED_LABELS = 3
"""The most labels that a message names."""


class Fact(NamedTuple):
    """Something that holds in some solutions, by the numbers of the key's literals."""

    text: str
    """The text as given: LABEL=VALUE, or the content of a cell such as row 3 column 4 = F."""

    literals: tuple[int, ...] = ()
    """The literals of which at least one holds; if empty, nothing is required."""

    excluded: tuple[int, ...] = ()
    """The literals of which none holds."""

    cell: tuple[int, ...] = ()
    """The cell, if the fact is that something lies in a cell; empty otherwise."""

    name: str = ""
    """The name of the thing in this cell."""


def fact_of_literal(key: Key, number: int) -> Fact:
    """The fact that a literal of the key, by its number, holds."""
    label, value = key.label_and_value(number)
    return Fact(f"{label}={value}", (number,))


def given_facts(puzzle: Puzzle, key: Key, given: Iterable[str | Literal]) -> list[Fact]:
    """The facts that literals, texts and the paths of files give.

    What lies on a cell, what is not so, and files are read by an extra.

    Raises `InputError` for what the puzzle lacks, and for two values of one label.
    """
    labels, facts = Labels(key, puzzle.name), list[Fact]()
    for one in given:
        if not isinstance(one, str):
            facts.append(labels.fact(*one))
        elif os.path.isfile(one) or NOT_PLAIN.match(one) or one.partition("=")[0].strip() in puzzle.places:
            facts += plugged(EXTRAS["facts"], f"reading {shown(one)}")(puzzle, key).read(one)
        else:
            facts.append(labels.fact(*labels.literal(one)))
    check_agreement(facts, key, puzzle.name)
    return list(dict.fromkeys(facts))


def check_agreement(facts: Iterable[Fact], key: Key, puzzle: str) -> None:
    """Raise `InputError` if they give a label two values."""
    found: dict[Label, int] = {}
    for label, value in (key.label_and_value(fact.literals[0]) for fact in facts if len(fact.literals) == 1):
        if found.setdefault(label, value) != value:
            raise InputError(f"{puzzle}: {label} is given as {found[label]} and as {value}; leave one of them out")


def hold(model: CpModel, key: Key, facts: Sequence[Fact]) -> None:
    """Add to a model that facts hold."""
    from ortools.sat.python.cp_model import Domain

    choices = [
        set(choice.literals)
        for constraint in (model.proto.constraints if any(len(fact.literals) > 1 for fact in facts) else ())
        if not len(constraint.enforcement_literal) and (choice := choice_of(constraint, model.proto))
    ]
    for fact in facts:
        for position, value in map(key.literal, fact.excluded):
            model.add(_variable(model, key, position) != value)
        positions, values = zip(*map(key.literal, fact.literals), strict=True) if fact.literals else ((), ())
        if len({*positions}) == 1 and not key.is_boolean[positions[0]]:
            model.add_linear_expression_in_domain(_variable(model, key, positions[0]), Domain.from_values(values))
        elif fact.literals:
            some = [key_literal(model, key, number) for number in fact.literals]
            indices = {literal.index for literal in some}
            if len(some) == 1:
                model.add_bool_and(some)
            elif any(indices <= choice for choice in choices):  # so that a cover stays one
                model.add_exactly_one(some)
            else:
                model.add(sum(some) >= 1)


def _variable(model: CpModel, key: Key, position: int) -> Any:
    return model.get_int_var_from_proto_index(key.variables[position])


class Labels:
    """The labels of a key by the words in them."""

    def __init__(self, key: Key, puzzle: str) -> None:
        self._key = key
        self._puzzle = puzzle
        self._by_words: dict[tuple[str, ...], list[Label]] = defaultdict(list)

    def literal(self, text: str) -> Literal:
        name, equals, value = text.rpartition("=")
        if not equals:
            problem = f"{shown(text)} is not a file and gives nothing"
            raise InputError(f"{self._puzzle}: {problem}; write LABEL=VALUE, such as {self._example()}")
        if not re.fullmatch(r"\s*[-+]?[0-9]{1,19}\s*", value):
            raise InputError(f"{self._puzzle}: {shown(value)} is not a value; write a whole number behind the =")
        return self._label(name), int(value)

    def fact(self, label: object, value: object) -> Fact:
        """The fact that a label has a value; `InputError` where the key lacks it."""
        key = self._key
        if not isinstance(label, Hashable) or label not in key.position:
            raise self.unknown(repr(label))
        position = key.position[label]
        with suppress(ValueError):
            if isinstance(value, Integral):
                return fact_of_literal(key, key.number(position, int(value)))
        raise InputError(f"{self._puzzle}: {label} takes {_domain(key, label)}, not {shown(str(value))}")

    def _label(self, name: str) -> Label:
        if not self._by_words:
            for label in self._key.position:
                self._by_words[_words(_written(label))].append(label)
        named = self._by_words.get(_words(name), [])
        exact = [label for label in named if name.strip() in (str(label), _written(label))]
        if len(exact or named) > 1:
            some = " and ".join(map(repr, named[:MAX_NAMED_LABELS]))
            raise InputError(f"{self._puzzle}: {shown(name)} may be {some}; write one of these")
        if not named:
            raise self.unknown(shown(name.strip()))
        return (exact or named)[0]

    def unknown(self, name: str) -> InputError:
        labels = self._key.labels
        some = ", ".join(map(str, labels[:MAX_NAMED_LABELS])) + (", ..." if len(labels) > MAX_NAMED_LABELS else "")
        return InputError(f"{self._puzzle} has no label {name}; its labels are {some or 'none'}")

    def _example(self) -> str:
        key = self._key
        return f"'{key.labels[0]}={key.literal(0)[1]}'" if key.labels else "x=1"


def _written(label: Label) -> str:
    return json.dumps(label, default=plain_label, ensure_ascii=False)


def _words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[^\s\[\](){}'\",]+", text))


def _domain(key: Key, label: Label) -> str:
    position = key.position[label]
    if key.is_boolean[position]:
        return "0 or 1"
    return ", ".join(str(low) if low == high else f"{low} to {high}" for low, high in key.domains[position])
