"""The tokens of a MiniZinc text, and its enumerations: the names of the values and of the indices of its arrays.

A compiled model has numbers in place of names, counted from 1 in the order of the enumeration.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from solvers.base.deadline import is_told_to_stop
from solvers.base.errors import Stopped
from solvers.files.load import read_text

TOKEN = re.compile(
    r"""%[^\n]*|/\*.*?\*/|\s+
    |(?P<token>[A-Za-z_]\w*|\d+|"(?:\\.|[^"\\])*"|'[^'\n]*'|/\\|\\/|<->|->|<-|::|\.\.|[^\s])""",
    re.VERBOSE | re.DOTALL,
)
OPENS, CLOSES = {"(", "[", "{", "if"}, {")", "]", "}", "endif"}

TOKENS_BETWEEN_LOOKS = 1000
"""Tokens between two looks at whether to stop: files of data may have millions."""


class Token(NamedTuple):
    """A word, string or symbol of MiniZinc, and its place in the text."""

    text: str
    start: int
    end: int
    depth: int
    """The number of brackets that are open around it."""


Members = tuple[str, ...]
"""The names of an enumeration, in its order; the first one represents 1."""


@dataclass
class Enumerations:
    """The names of values and of indices, by array; arrays without names are left out."""

    values: dict[str, Members] = field(default_factory=dict)
    indices: dict[str, tuple[Members, ...]] = field(default_factory=dict)
    """For each index of an array, its names; none for an index of numbers."""

    @property
    def members(self) -> set[str]:
        """All names."""
        every_group = [*self.values.values(), *(members for index in self.indices.values() for members in index)]
        return {member for members in every_group for member in members}


def tokens_of(text: str) -> Iterator[Token]:
    """Yield the tokens of a MiniZinc text, without comments and white space; raise `Stopped` if told to stop.

    A bracket has the depth of what is around it, like the bracket that closes it.
    """
    depth = 0
    for number, match in enumerate(TOKEN.finditer(text)):
        if number % TOKENS_BETWEEN_LOOKS == 0 and is_told_to_stop():
            raise Stopped
        if (token := match["token"]) is not None:
            depth -= token in CLOSES
            yield Token(token, *match.span(), depth)
            depth += token in OPENS


def items_of(text: str) -> list[list[Token]]:
    """Return the tokens of each item, that is each statement, without the semicolon at its end."""
    items: list[list[Token]] = [[]]
    for token in tokens_of(text):
        if token.text == ";" and token.depth == 0:
            items.append([])
        else:
            items[-1].append(token)
    return list(filter(None, items))


def enumerations_of(text: str, data: Sequence[str]) -> Enumerations:
    """Return the names of the values and of the indices of the arrays and variables in a MiniZinc model.

    First the names of each enumeration are read, from the model and its files of data, then each declaration. text: the
    model. data: the paths of its files of data. Raises `InputError` if one of these cannot be read.

    >>> found = enumerations_of("enum C = {red, green}; array[C, 1..2] of var C: x; var C: y; var 1..2: z;", [])
    >>> found.values, found.indices
    ({'x': ('red', 'green'), 'y': ('red', 'green')}, {'x': (('red', 'green'), ())})
    """
    items = items_of(text)
    enumeration_names = {item[1].text for item in items if item[0].text == "enum" and len(item) > 1}
    members = _members(items, enumeration_names)
    for path in data:
        content = read_text(Path(path))
        if path.endswith(".json"):
            members |= _members_in_json(content, enumeration_names)
        else:
            members |= _members(items_of(content), enumeration_names)
    # The names that a type may have: with the name of an enumeration, or of a value in it, as in red..green.
    members_of_word = {
        word: members_of_name for name, members_of_name in members.items() for word in (name, *members_of_name)
    }
    for item in items:  # a set of C is a type, too: set of C: warm = {red, orange}
        words = [token.text for token in item]
        is_declaration = len(words) > 4 and words[:2] == ["set", "of"] and words[3] == ":"
        if is_declaration and words[2] in members_of_word:
            members_of_word[words[4]] = members_of_word[words[2]]
    result = Enumerations()
    for item in items:
        _store_names(item, members_of_word, result)
    return result


def _members(items: Iterable[Sequence[Token]], enumeration_names: set[str]) -> dict[str, Members]:
    """Return the names of each enumeration that some items list, as in enum C = {red, green}.

    items: statements, as their tokens. enumeration_names: the names of all enumerations.
    """
    members = {}
    for item in items:
        words = [token.text for token in item]
        equals = words.index("=") if "=" in words else 0
        name = words[equals - 1] if equals else ""
        value_words = words[equals + 1 :] if name in enumeration_names else []
        if (
            value_words[:1] == ["{"] and value_words.count("}") == 1 and value_words[-1] == "}"
        ):  # and not {red} ++ {green}
            members[name] = tuple(word.strip("'") for word in value_words[1:-1] if word != ",")
    return members


def _members_in_json(text: str, enumeration_names: set[str]) -> dict[str, Members]:
    """Return the names of each enumeration that a file of data in JSON lists: as {"set": [...]} or a list.

    A name is a text, or {"e": name}. enumeration_names: the names of all enumerations. The result is empty for a
    damaged file.
    """
    members: dict[str, Members] = {}
    with suppress(ValueError):
        document = json.loads(text)
        for name in enumeration_names & document.keys() if isinstance(document, dict) else ():
            value = document[name]
            listed = value.get("set", ()) if isinstance(value, dict) else value
            members[name] = tuple(str(member["e"] if isinstance(member, dict) else member) for member in listed)
    return members


def _place_outside(tokens: Sequence[Token], sign: str) -> int:
    """Return the place of the first such sign outside all brackets; 0 if there is none."""
    return next((place for place, token in enumerate(tokens) if token.depth == 0 and token.text == sign), 0)


def _store_names(item: Sequence[Token], members_of_word: Mapping[str, Members], enumerations: Enumerations) -> None:
    """Store the names of the values and of the indices of the array that an item declares, if it declares one.

    item: the tokens of a declaration such as array[C, 1..2] of var C: x, or var C: y. members_of_word: the names of the
    enumeration that a word of a type represents. enumerations: takes the names by array; an index of numbers has ().
    """
    colon = _place_outside(item[:-1], ":")
    type_tokens = item[:colon]
    if not type_tokens or type_tokens[0].text not in ("var", "array"):
        return
    name = item[colon + 1].text
    # The type of the values begins behind the bracket of the indices, if there is one.
    closing = _place_outside(type_tokens, "]")
    words = [token.text for token in type_tokens[closing:]]
    members = next((members_of_word[word] for word in words if word in members_of_word), ())
    if members and {"(", "set"}.isdisjoint(words):  # and not 1..card(C), nor a set of C, which is Booleans
        enumerations.values[name] = members
    indices: list[Members] = [()]
    for token in type_tokens[2:closing]:
        if token.text == "," and token.depth == 1:
            indices.append(())
        else:
            indices[-1] = indices[-1] or members_of_word.get(token.text, ())
    if any(indices):
        enumerations.indices[name] = tuple(indices)
