"""Facts about a solution, such as literals of the key: as people write them, and as constraints of a model."""

from __future__ import annotations

import json
import os
import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from contextlib import suppress
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any, NamedTuple

from models.puzzle import Label, Literal, Puzzle
from solvers.base.errors import InputError
from solvers.base.plugs import function
from solvers.model.reading import choice_of
from solvers.show.plain import plain_label
from solvers.show.printable import quotation
from solvers.symmetry.key import Key, key_literal

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

NOT_PLAIN = re.compile(r"\s*(layer|row|r[0-9]+c[0-9]+)\b|.*!=", re.IGNORECASE)
"""Matches texts of givens that may not be of the plain form LABEL=VALUE, by how they begin."""

MAX_NAMED_LABELS = 3
"""The most labels that a message names."""


class Fact(NamedTuple):
    """A statement that holds in some solutions of a puzzle.

    Literals are given by their numbers in the key.
    """

    text: str
    """The text as given: LABEL=VALUE, or the content of a cell such as row 3 column 4 = F."""

    literals: tuple[int, ...] = ()
    """The literals of which at least one holds; if empty, nothing is required."""

    excluded: tuple[int, ...] = ()
    """The literals of which none holds."""

    cell: tuple[int, ...] = ()
    """The cell, if the fact is that something is in a cell; empty otherwise."""

    name: str = ""
    """The name of the thing in this cell."""


def fact_of_literal(key: Key, number: int) -> Fact:
    """Return the fact that the key's literal with this number is true."""
    label, value = key.label_and_value(number)
    return Fact(f"{label}={value}", (number,))


def facts_of_givens(puzzle: Puzzle, key: Key, given: Iterable[str | Literal]) -> list[Fact]:
    """Return the facts that the user's givens state, without repeats.

    given: literals (label, value), texts such as LABEL=VALUE, and paths of files. Contents of cells, exclusions and
    files are read by an extra, whose reader `function` imports.

    Raises `InputError` for a label or value that the puzzle lacks, and if two facts give one label different values.
    """
    labels, facts = Labels(key, puzzle), list[Fact]()
    for given_fact in given:
        if not isinstance(given_fact, str):
            facts.append(labels.fact(*given_fact))
        elif os.path.isfile(given_fact) or NOT_PLAIN.match(given_fact) or _is_in_words(puzzle, given_fact):
            facts += function("facts", f"reading {quotation(given_fact)}")(puzzle, key).read(given_fact)
        else:
            facts.append(labels.fact_of_text(given_fact))
    check_agreement(facts, key, puzzle.name)
    return list(dict.fromkeys(facts))


def _is_in_words(puzzle: Puzzle, text: str) -> bool:
    """Tell whether a text may speak of a puzzle's literals in words, or of one of its cells by name.

    The puzzle's ``board.places`` has the names of cells; its ``says`` puts literals into words, which have no "=".
    """
    name, equals, _ = text.partition("=")
    return name.strip() in puzzle.board.places or (puzzle.says is not None and not equals)


def check_agreement(facts: Iterable[Fact], key: Key, puzzle: str) -> None:
    """Raise `InputError` if two facts give one label different values.

    Only facts of one literal are compared. key: numbers the literals of the facts. puzzle: its name, for the message.
    """
    value_by_label: dict[Label, int] = {}
    for label, value in (key.label_and_value(fact.literals[0]) for fact in facts if len(fact.literals) == 1):
        if value_by_label.setdefault(label, value) != value:
            raise InputError(
                f"{puzzle}: {label} is given as {value_by_label[label]} and as {value}; leave one of them out"
            )


def require_facts(model: CpModel, key: Key, facts: Sequence[Fact]) -> None:
    """Add constraints to a model that require all these facts.

    A fact excludes literals, and requires one of several literals, if it has any. These are values of one integer
    variable, which gets a smaller domain, or other literals, of which one is true. key: numbers the literals of the
    facts.
    """
    from ortools.sat.python.cp_model import Domain

    choices = _choices(model) if any(len(fact.literals) > 1 for fact in facts) else []
    for fact in facts:
        for position, value in map(key.literal, fact.excluded):
            model.add(_variable(model, key, position) != value)
        # The key variables of the literals, by their positions in the key, and the values.
        positions, values = zip(*map(key.literal, fact.literals), strict=True) if fact.literals else ((), ())
        if len({*positions}) == 1 and not key.is_boolean[positions[0]]:
            model.add_linear_expression_in_domain(_variable(model, key, positions[0]), Domain.from_values(values))
        elif fact.literals:
            literals = [key_literal(model, key, number) for number in fact.literals]
            indices = {literal.index for literal in literals}
            if len(literals) == 1:
                model.add_bool_and(literals)
            elif any(indices <= choice for choice in choices):  # so that an exact cover stays one
                model.add_exactly_one(literals)
            else:
                model.add(sum(literals) >= 1)


def _choices(model: CpModel) -> list[set[int]]:
    """Return the sets of literals of which a constraint of the model lets at most one be true."""
    return [
        set(choice.literals)
        for constraint in model.proto.constraints
        if not len(constraint.enforcement_literal) and (choice := choice_of(constraint, model.proto))
    ]


def _variable(model: CpModel, key: Key, position: int) -> Any:
    """Return the model's variable at this position of the key."""
    return model.get_int_var_from_proto_index(key.variables[position])


class Labels:
    """Finds labels of a key, and literals and facts, from texts.

    Labels are recognised by their words, so that brackets, quotes and spaces do not matter. The name of a variable in
    the model represents its label, unless it is that of a label.
    """

    def __init__(self, key: Key, puzzle: Puzzle) -> None:
        """Take the key, whose labels are found, and the puzzle, whose name begins each message.

        The puzzle also has what else names labels and values: its model's variables, its cells, its file.
        """
        self._key = key
        self._declaration, self._puzzle = puzzle, puzzle.name
        self._by_words: dict[tuple[str, ...], list[Label]] = defaultdict(list)
        """The labels by their words; filled at the first question."""

    def literal(self, text: str) -> Literal:
        """Read LABEL=VALUE as (label, value).

        A value is a whole number, or the word that the puzzle's file has for it. Raises `InputError` if the text is not
        of this form or the key lacks the label.
        """
        name, equals, value = text.rpartition("=")
        if not equals:
            complaint = f"{quotation(text)} is neither a file nor LABEL=VALUE"
            raise InputError(f"{self._puzzle}: {complaint}; write LABEL=VALUE, such as {self.example()}")
        if not re.fullmatch(r"\s*[-+]?[0-9]{1,19}\s*", value):
            if places := self._declaration.board.places:
                known_places = ", ".join([*places][:MAX_NAMED_LABELS])
                raise InputError(
                    f"{self._puzzle} has no cell called {quotation(name.strip(' !'))}; there are {known_places}, ..."
                )
            label = self._label(name)  # an unknown one is the greater mistake
            word_by_value = self._declaration.file.values.get(label, {}) if self._declaration.file else {}
            matching_values = [number for number, word in word_by_value.items() if word == value.strip()]
            if matching_values:
                return label, matching_values[0]
            proposal = f"{', '.join(word_by_value.values())} or a whole number" if word_by_value else "a whole number"
            raise InputError(f"{self._puzzle}: {quotation(value)} is not a value; write {proposal} behind the =")
        return self._label(name), int(value)

    def fact_of_text(self, text: str) -> Fact:
        """Return the fact that a text LABEL=VALUE states.

        Raises `InputError`, with the label as it is written, if the key lacks the label or the value.
        """
        return self.fact(*self.literal(text), text.rpartition("=")[0].strip())

    def fact(self, label: object, value: object, text: str = "") -> Fact:
        """Return the fact that a label has a value.

        label, value: any objects, as callers of the library may give them. text: the label as the user has written it,
        for messages; if empty, they name the label itself. Raises `InputError` if the key lacks the label, or if the
        value is no whole number of its domain.
        """
        key = self._key
        if not isinstance(label, Hashable) or label not in key.position:
            raise self.unknown(repr(label))
        if isinstance(value, Integral):
            with suppress(ValueError):  # the domain lacks the value
                return fact_of_literal(key, key.number(key.position[label], int(value)))
        values = _values_in_words(key, label)
        raise InputError(f"{self._puzzle}: {text or label} takes {values}, not {quotation(str(value))}")

    def knows(self, name: str) -> bool:
        """Tell whether the text ``name`` represents a label, or several."""
        return bool(self._labels_of_words(name))

    def _labels_of_words(self, name: str) -> list[Label]:
        """Return the labels of the key that have the words of the text ``name``."""
        if not self._by_words:
            for label in self._key.position:
                self._by_words[_split_words(_label_text(label))].append(label)
        return self._by_words.get(_split_words(name)) or self._labels_of_variables(name.strip())

    def _label(self, name: str) -> Label:
        """Return the label of the key that has the words of the text ``name``.

        Of several labels, one that is written exactly like the text is the better. Raises `InputError` if no label has
        these words, or if several have them and none is better.
        """
        candidates = self._labels_of_words(name)
        exact = [label for label in candidates if name.strip() in (str(label), _label_text(label))]
        if len(exact or candidates) > 1:
            possible_labels = " and ".join(map(repr, candidates[:MAX_NAMED_LABELS]))
            raise InputError(f"{self._puzzle}: {quotation(name)} may be {possible_labels}; write one of these")
        if not candidates:
            raise self.unknown(quotation(name.strip()))
        return (exact or candidates)[0]

    def _labels_of_variables(self, name: str) -> list[Label]:
        """Return the labels of the variables that have this name in the model or, if none has, its words.

        A text without words has none.
        """
        exact = [label for label, variable_name in self._names.items() if variable_name == name]
        return exact or [
            label
            for label, variable_name in self._names.items()
            if _split_words(variable_name) == _split_words(name) != ()
        ]

    @cached_property
    def _names(self) -> dict[Label, str]:
        """The names in the model of the variables that have one besides their label."""
        named = ((label, getattr(variable, "name", "")) for label, variable in self._declaration.key.items())
        return {label: name for label, name in named if name and _split_words(name) != _split_words(_label_text(label))}

    def unknown(self, name: str) -> InputError:
        """Return the error that the key has no label of this name; it lists some labels.

        It also shows how else the puzzle's literals are written: in words, as contents of cells, or by names of
        variables.
        """
        labels = self._key.labels
        first_labels = ", ".join(map(str, labels[:MAX_NAMED_LABELS])) + (
            ", ..." if len(labels) > MAX_NAMED_LABELS else ""
        )
        if self._declaration.says and labels:
            others = f"; also written as in {self._declaration.says(*self._key.label_and_value(0))!r}"
        elif self._declaration.fills:
            others = "; a cell is given as in 'row 1 column 1 = NAME'"
        else:
            names = [self._names[label] for label in labels[:MAX_NAMED_LABELS] if label in self._names]
            others = f", also called {', '.join(names)}" if names else ""
        return InputError(f"{self._puzzle} has no label {name}; its labels are {first_labels or 'none'}{others}")

    def example(self) -> str:
        """Return an example of a given for messages, by label and by name, such as "'0=1' or 'row[0]=1'".

        It is about the first literal of the key.
        """
        key = self._key
        if not key.labels:
            return "x=1"
        label, value = key.labels[0], key.literal(0)[1]
        name = "" if self._declaration.fills else self._names.get(label, "")
        return f"'{label}={value}' or '{name}={value}'" if name else f"'{label}={value}'"


def _label_text(label: Label) -> str:
    """Return a label as JSON text."""
    return json.dumps(label, default=plain_label, ensure_ascii=False)


def _split_words(text: str) -> tuple[str, ...]:
    """Split a text into words; blanks, brackets, quotes and commas separate them."""
    return tuple(re.findall(r"[^\s\[\](){}'\",]+", text))


def _values_in_words(key: Key, label: Label) -> str:
    """Return the values that a label can take, in words for a message, such as "0 or 1" or "1 to 9"."""
    position = key.position[label]
    if key.is_boolean[position]:
        return "0 or 1"
    return ", ".join(str(low) if low == high else f"{low} to {high}" for low, high in key.domains[position])
