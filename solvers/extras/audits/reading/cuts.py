"""Smaller data of a MiniZinc text: its sets, and the arrays that are cut to these.

Only what is written out is cut: arrays and sets of listed entries, and enumerations. What is computed depends on the
sizes by itself.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

from solvers.base.errors import InputError
from solvers.extras.audits.reading.lines import OPERATORS, expression
from solvers.extras.audits.reading.source import Source, replace_parts
from solvers.extras.bridges.minizinc.enumerations import CLOSES, Token

NO_DATA = {"annotation", "constraint", "function", "include", "output", "predicate", "solve", "test"}
"""The first words of items that declare nothing and give nothing a value."""

RULES = {"constraint", "function", "predicate", "solve", "test"}
"""The first words of items that say what solutions are."""

Tokens = Sequence[Token]


class Written(NamedTuple):
    """An array that lists its entries."""

    entries: list[Tokens]
    width: int | None
    """The length of each row, if the entries are in rows; else None."""
    function: str
    """The function that makes the array of a list, such as "array2d"; empty if there is none."""
    indices: list[Tokens]
    """The index sets that the function is given."""


class Cut(NamedTuple):
    """A text with smaller data."""

    text: str
    names: list[str]
    """The arrays and sets that lost entries, in the order of the text."""


class Definitions:
    """The names that the items of a text declare, and the values that they give."""

    def __init__(self, source: Source) -> None:
        """Read the items of a text; an item that is none of MiniZinc is passed over.

        source: has the text as items, each a list of tokens.
        """
        self.text = source.text
        self.types: dict[str, Tokens] = {}
        """What is before the colon, for each name that is declared, in the order of the text."""
        self.values: dict[str, Tokens] = {}
        """The value of each name that has one."""
        self.rules: list[Tokens] = []
        """The items that say what solutions are."""
        for item in source.items:
            if item[0].text not in NO_DATA:
                self._store_declarations(item)
            if item[0].text in RULES or any(token.text == "var" for token in item):
                self.rules.append(item)

    def _store_declarations(self, item: Tokens) -> None:
        """Store the type and the value of the name that an item declares or assigns.

        The item has the form "type: name = value", "type: name", "name = value" or, of an enumeration, whose type is
        the word enum, "enum name = value". `_first` returns the place of a sign, or the number of tokens if there is
        none.
        """
        equals_place = _first(item, "=")
        left_side = item[:equals_place]
        colon = _first(left_side, ":")
        if colon < len(left_side) - 1:
            name = left_side[colon + 1].text
            self.types.setdefault(name, left_side[:colon])
        elif left_side:
            name = left_side[-1].text
            if left_side[0].text == "enum":
                self.types.setdefault(name, left_side[:1])
        else:
            return
        if equals_place < len(item) - 1:
            self.values[name] = item[equals_place + 1 :]

    def indices(self, name: str) -> list[Tokens]:
        """Return the index sets of an array as it is declared; none if no array has this name."""
        type_tokens = self.types.get(name, ())
        is_array = [token.text for token in type_tokens[:2]] == ["array", "["]
        return _bracket_parts(type_tokens, 1) if is_array else []

    def elements(self, name: str) -> Tokens:
        """Return the type of an array's elements or, if it is no array, its own type."""
        type_tokens = self.types.get(name, ())
        if type_tokens and type_tokens[0].text == "array":
            return type_tokens[_first(type_tokens, "of") + 1 :]
        return type_tokens

    def set_lengths(self) -> dict[str, int]:
        """Return the lengths of the sets 1..8 and of the enumerations that are written out, by name."""
        lengths = {}
        for name, tokens in self.types.items():
            first_words = [token.text for token in tokens[:2]]
            value = self.values.get(name, ())
            is_set = first_words in (["enum"], ["set", "of"])
            is_written = value and all(_is_plain(token) for token in value)
            if is_set and is_written and (indices := Sizes(self, {}).indices(value)):  # the integers of the set
                lengths[name] = len(indices)
        return lengths

    def constants(self) -> set[int]:
        """Return the integers that are written in constraints, functions, and declarations of variables."""
        return {int(token.text) for item in self.rules for token in item if token.text.isdecimal()}

    def sizes_of_arrays(self, of_variables: bool) -> set[str]:
        """Return the names on which the index sets of arrays depend, directly or by the values of other names.

        of_variables: only arrays of variables count; otherwise all arrays do. In the example ``int: m = 2 * n; array
        [1..m] of var bool: x;`` these are m and n. (Numbers and signs are in the result, too.) A name is followed once,
        so that the loop ends.
        """
        names: set[str] = set()
        for name, tokens in self.types.items():
            if not of_variables or any(token.text == "var" for token in tokens):
                names |= {token.text for index in self.indices(name) for token in index}
        queue = [*names]
        while queue:
            new = {token.text for token in self.values.get(queue.pop(), ())} - names
            names |= new
            queue += new
        return names


def _quotient(dividend: int, divisor: int) -> int:
    """Return dividend div divisor as MiniZinc computes it: rounded towards zero."""
    quotient = abs(dividend) // abs(divisor)
    return quotient if (dividend < 0) == (divisor < 0) else -quotient


OPERATORS_OF_MINIZINC = {
    **OPERATORS,
    ast.FloorDiv: _quotient,
    ast.Mod: lambda dividend, divisor: dividend - divisor * _quotient(dividend, divisor),
}
"""What + - * div mod do in MiniZinc; see `expression`."""


class Sizes:
    """The integers and the index sets of a text."""

    def __init__(self, definitions: Definitions, known: Mapping[str, int]) -> None:
        """Store the definitions; known: values that go before these, which are lengths for sets."""
        self._definitions, self._known = definitions, known
        self._pending: set[str] = set()

    def integer(self, tokens: Tokens) -> int | None:
        """Return the value of an expression of integers and names; None if it is no such expression, or not known.

        tokens: the expression. Names get the values that are known, or that the text gives them.
        """
        value_of_name: dict[str, int] = {}
        for token in tokens:
            if token.text.isidentifier() and token.text not in ("div", "mod"):
                value = self._integer_of_name(token.text)
                if value is None:
                    return None
                value_of_name[token.text] = value
        text = " ".join(token.text for token in tokens)
        try:
            evaluate = expression(text, text, OPERATORS_OF_MINIZINC)  # a function of the values of the names
            return evaluate(value_of_name)
        except (InputError, ArithmeticError, KeyError, TypeError, RecursionError):  # no sum, or a division by 0
            return None

    def indices(self, tokens: Tokens) -> range | None:
        """Return the integers of an index set, those of an enumeration from 1; None if they are not known.

        tokens: "1..n", the name of a set, or the names of an enumeration in braces.
        """
        dots = _first(tokens, "..")
        if dots < len(tokens):
            first = self.integer(tokens[:dots])
            last = self.integer(tokens[dots + 1 :])
            if first is None or last is None:
                return None
            return range(first, max(first, last + 1))
        if len(tokens) == 1:
            return self._set(tokens[0].text)
        if _is_enclosed(tokens, "{", "}"):
            members = _bracket_parts(tokens, 0)
            if members and all(len(member) == 1 and member[0].text.isidentifier() for member in members):
                return range(1, len(members) + 1)
        return None

    def _integer_of_name(self, name: str) -> int | None:
        """Return the integer that a name represents; None if it is not known, or defined by itself.

        ``_pending`` has the names that are being evaluated, by which a name that is defined by itself is noticed.
        """
        if name in self._known:
            return self._known[name]
        if name in self._pending or name not in self._definitions.values:
            return None
        self._pending.add(name)
        try:
            return self.integer(self._definitions.values[name])
        finally:
            self._pending.remove(name)

    def _set(self, name: str) -> range | None:
        """Return the integers of the set that a name represents; None if they are not known, or defined by itself.

        If a length is known for the name, they are the first ones. ``_pending``: as in `_integer_of_name`.
        """
        if name in self._pending or name not in self._definitions.values:
            return None
        self._pending.add(name)
        try:
            indices = self.indices(self._definitions.values[name])
        finally:
            self._pending.remove(name)
        if indices is not None and name in self._known:
            return indices[: self._known[name]]
        return indices


def cut(text: str, before: Mapping[str, int], after: Mapping[str, int]) -> Cut:
    """Return a text in which arrays and sets are cut to smaller sizes.

    Sets lose their last members, and arrays the entries whose indices are outside the new sizes. text: a model with its
    data. before, after: the values of integers, and the lengths of sets, by name; those of integers stay in the text.

    >>> cut("int: n = 3; array[1..n] of int: w = [5, 7, 9];", {"n": 3}, {"n": 2})
    Cut(text='int: n = 3; array[1..n] of int: w = [5, 7];', names=['w'])
    >>> cut("enum E = {A, B, C}; array[E, 1..2] of int: w = [|1, 2 | 3, 4 | 5, 6|];", {"E": 3}, {"E": 1}).text
    'enum E = {A}; array[E, 1..2] of int: w = [|1, 2|];'
    """
    definitions = Definitions(Source(text))
    sets = definitions.set_lengths()
    numbers = {name: value for name, value in before.items() if name not in sets}
    cutter = _Cutter(definitions, Sizes(definitions, numbers), Sizes(definitions, {**numbers, **after}))
    replacements, names = [], []
    for name, value in definitions.values.items():
        new_text = cutter.set_of(name, after[name]) if name in sets and name in after else cutter.array(name)
        if new_text is not None:  # None if the value stays
            replacements.append((value[0].start, value[-1].end, new_text))
            names += [name] * (name not in sets)
    return Cut(replace_parts(text, replacements), names)


class _Cutter:
    """Writes values anew, for smaller sizes."""

    def __init__(self, definitions: Definitions, old: Sizes, new: Sizes) -> None:
        """Store the definitions, and the sizes before and after."""
        self._definitions = definitions
        self._old = old
        self._new = new

    def set_of(self, name: str, length: int) -> str | None:
        """Return the text of the first members of a set that is written out; None if it has no more than these.

        The text is "{A, B}" or "1..2". name: the set. length: how many members.
        """
        value = self._definitions.values[name]  # tokens
        indices = self._old.indices(value)  # the integers of the set, of an enumeration from 1
        if indices is None or not 0 < length < len(indices):
            return None
        if value[0].text == "{":
            members = [self._text(part) for part in _bracket_parts(value, 0)[:length]]
            return f"{{{', '.join(members)}}}"
        return f"{indices[0]}..{indices[length - 1]}"

    def array(self, name: str) -> str | None:
        """Return the text of an array or a set of data without what is outside the new sizes.

        Entries whose indices are outside the new index sets are left out. A set is intersected with the base set of its
        type where that is smaller now, so that it has no element outside. The result is None if the value stays as it
        is, or if it is not written out. name: the array or the set.
        """
        type_tokens = self._definitions.types.get(name, ())
        value = self._definitions.values[name]
        if not type_tokens or any(token.text in ("var", "opt") for token in type_tokens):
            return None
        base_set = self._smaller_set(self._definitions.elements(name))
        if type_tokens[0].text != "array":
            is_cut = base_set and _is_enclosed(value, "{", "}")
            return f"({self._text(value)}) intersect ({base_set})" if is_cut else None
        array = _array_of_expression(value)
        if not array:
            return None
        declared_axes = self._definitions.indices(name)
        axes = array.indices or declared_axes
        # For each axis its indices, with the old sizes and with the new ones; None for an axis that is not understood.
        old = [self._old.indices(axis) for axis in axes]
        new = [self._new.indices(axis) for axis in axes]
        declared = [self._new.indices(axis) for axis in declared_axes]
        # Where the text has its own index sets, as array1d(1..3, ...) for a declared 1..n, only the latter become less.
        if len(declared) == len(new) and None not in declared and declared != new:
            axes, new = declared_axes, declared
        # Only a text that has an entry for each old index can be cut.
        old_size = prod(len(indices) for indices in old if indices)
        if not _is_subset(old, new) or old_size != len(array.entries):
            has_smaller_sets = base_set is not None and array.entries
            return self._array_text(array, axes, array.entries, base_set) if has_smaller_sets else None
        # Rows have to be those of the second dimension.
        if array.width is not None and (len(old) != 2 or old[1] is None or len(old[1]) != array.width):
            return None
        places = product(*(indices or range(0) for indices in old))
        new_places = set(product(*(indices or range(0) for indices in new)))
        entries = [entry for place, entry in zip(places, array.entries, strict=True) if place in new_places]
        if len(entries) == len(array.entries) and base_set is None:
            return None
        width = None if array.width is None else len(new[1] or ())
        return self._array_text(array._replace(width=width), axes, entries, base_set)

    def _smaller_set(self, elements: Tokens) -> str | None:
        """Return, for a type such as "set of S", the text of S if S is smaller with the new sizes; otherwise None.

        elements: a declared type: that of a set of data, or of the elements of an array.
        """
        base_set = elements[2:]  # behind the words "set" and "of"
        if [token.text for token in elements[:2]] != ["set", "of"] or not base_set:
            return None
        old = self._old.indices(base_set)
        new = self._new.indices(base_set)
        if old and new and len(new) < len(old):
            return self._text(base_set)
        return None

    def _array_text(
        self, array: Written, axes: Sequence[Tokens], entries: Sequence[Tokens], base_set: str | None
    ) -> str:
        """Return the text of an array with other entries.

        It is written in rows, as a list, or as a call such as array2d(1..2, 1..0, []) where rows would be empty. array:
        as it was, but with the new length of its rows. axes: the index sets. base_set: the set with which each entry is
        intersected, if any.
        """
        texts = [self._text(entry) for entry in entries]
        if base_set is not None:
            texts = [f"({text}) intersect ({base_set})" for text in texts]
        if array.width and texts:
            begins = range(0, len(texts), array.width)
            rows = [", ".join(texts[begin : begin + array.width]) for begin in begins]
            return f"[|{' | '.join(rows)}|]"
        entry_list = f"[{', '.join(texts)}]"
        sets = ", ".join(self._text(axis) for axis in axes)
        if array.width is not None:
            return f"array2d({sets}, {entry_list})"
        return f"{array.function}({sets}, {entry_list})" if array.function else entry_list

    def _text(self, tokens: Tokens) -> str:
        """Return the text of some tokens, with the comments between them."""
        if tokens:
            return self._definitions.text[tokens[0].start : tokens[-1].end]
        return ""


def _array_of_expression(value: Tokens) -> Written | None:
    """Return the array that an expression lists; None if it does not list one.

    It is a list in brackets, rows between bars as in [|1, 2|3, 4|], or a list within array1d(...) and the like. value:
    the tokens of the expression.
    """
    function, indices = "", list[Tokens]()
    if len(value) > 2 and value[0].text.startswith("array") and _is_enclosed(value[1:], "(", ")"):
        function = value[0].text
        *indices, value = _bracket_parts(value[1:], 0) or [()]
    if not _is_enclosed(value, "[", "]"):
        return None
    inner = value[1:-1]
    depth = value[0].depth + 1
    bars = [place for place, token in enumerate(inner) if token.text == "|" and token.depth == depth]
    if not bars:
        return Written([*_split(inner, ",")], width=None, function=function, indices=indices)
    begins_and_ends_with_bars = len(bars) > 1 and bars[0] == 0 and bars[-1] == len(inner) - 1
    if function or not begins_and_ends_with_bars:  # a comprehension
        return None
    rows = [[*_split(row, ",")] for row in _split(inner[1:-1], "|")]
    # Rows of different lengths, or with index names before colons, are not understood.
    lengths = {len(row) for row in rows}
    if len(lengths) != 1 or any(token.text == ":" for token in inner):
        return None
    return Written([entry for row in rows for entry in row], len(rows[0]), function, indices)


def _split(tokens: Tokens, sign: str) -> Iterator[Tokens]:
    """Yield the parts between the signs that are outside all brackets; an empty part at the end is left out.

    A token's depth is the number of brackets around it; the least one is that outside the brackets of these tokens.
    """
    begin = 0
    least_depth = min((token.depth for token in tokens), default=0)
    for number, token in enumerate(tokens):
        if token.text == sign and token.depth == least_depth:
            yield tokens[begin:number]
            begin = number + 1
    if begin < len(tokens):
        yield tokens[begin:]


def _bracket_parts(tokens: Tokens, opening: int) -> list[Tokens]:
    """Return the parts, between commas, of the bracket that opens at a place; opening: the number of its token.

    Brackets themselves have the depth of what is around them. A bracket that is not closed ends with the tokens.
    """
    depth = tokens[opening].depth
    places = range(opening + 1, len(tokens))
    closing_places = (place for place in places if tokens[place].depth == depth and tokens[place].text in CLOSES)
    end = next(closing_places, len(tokens))
    return [*_split(tokens[opening + 1 : end], ",")]


def _is_enclosed(tokens: Tokens, opening: str, closing: str) -> bool:
    """Tell whether the first and the last token are a pair of these brackets, with all others between them."""
    if len(tokens) < 2 or tokens[0].text != opening or tokens[-1].text != closing:
        return False
    return all(token.depth > tokens[0].depth for token in tokens[1:-1])


def _is_subset(old: Collection[range | None], new: Collection[range | None]) -> bool:
    """Tell whether all index sets, ranges without gaps, are known, and each new one is a subset of the old one.

    old, new: the index sets of an array by dimension; None for one that is not known. Without any, the answer is no.
    """
    if not old or len(old) != len(new):
        return False

    def is_part(before: range | None, after: range | None) -> bool:
        """Tell whether two ranges are known, and the second has no integer outside the first."""
        if before is None or after is None:
            return False
        return not after or (after[0] in before and after[-1] in before)

    return all(is_part(before, after) for before, after in zip(old, new, strict=True))


def _first(tokens: Tokens, sign: str) -> int:
    """Return the place of the first such sign outside all brackets; the number of tokens if there is none."""
    outer = min((token.depth for token in tokens), default=0)
    places = (number for number, token in enumerate(tokens) if token.text == sign and token.depth == outer)
    return next(places, len(tokens))


def _is_plain(token: Token) -> bool:
    """Tell whether a token may be in a set that is written out: a number, a name in braces, or a sign."""
    return token.text in ("{", "}", ",", "..") or token.text.isdecimal() or token.depth > 0
