"""The text of a MiniZinc model: the constraints in it that are marked, and the text without some of them.

Constraints are taken out of the text, before MiniZinc compiles it, as it narrows domains by them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from solvers.base.errors import InputError
from solvers.extras.bridges.formats.saved_model import matching
from solvers.extras.bridges.minizinc.enumerations import CLOSES, Token, items_of, tokens_of
from solvers.files.load import read_text

BREAKING = "symmetry_breaking_constraint"
REDUNDANT = ("redundant_constraint", "implied_constraint")
"""The predicates of MiniZinc's library that mark a constraint."""

COMMENT = re.compile(r"%[^\n]*|/\*.*?\*/", re.DOTALL)
AND = {"/\\", "∧"}
"""MiniZinc takes a sign of logic for each of its own spellings."""

LOOSER = {"->", "<-", "<->", "→", "⇒", "←", "⇐", "↔", "⇔", "\\/", "∨", "⊻", "xor", "let"}
"""A conjunction in whose text one of these stands, outside brackets, is one constraint as a whole."""

EMPTY_ITEM = "constraint true"

MOST_SHOWN = 60
"""Characters of a constraint that its name shows."""


class Span(NamedTuple):
    """A part of the text that is a constraint."""

    start: int
    end: int
    item: tuple[int, int] | None
    """The ends of the expression of the constraint item in which it stands; None where it is in none."""


class Source:
    """The text of a model, whose constraints can be found and left out.

    >>> source = Source('var 1..3: x; constraint x > 1 /\\\\ symmetry_breaking_constraint(x < 3); solve satisfy;')
    >>> (span,) = source.calls(BREAKING)
    >>> source.name(span), source.text_without([span])
    ('line 1: symmetry_breaking_constraint(x < 3)', 'var 1..3: x; constraint x > 1 /\\\\ true; solve satisfy;')
    """

    def __init__(self, text: str, defined: Iterable[str] = (), folder: Path | None = None) -> None:
        """Split the text of a model into items.

        An item is what a semicolon ends, such as a constraint; it is a list of tokens, each with its text, the offsets
        of its start and end in the text, and the depth of brackets around it. defined: assignments such as n=8; the
        model's own values of these names are removed. folder: where the model's included files are; their paths are
        made absolute, so that the text can be compiled elsewhere. Raises `InputError` if an included file marks
        constraints.
        """
        self.text = text
        self.items = items_of(text)
        names = {assignment.partition("=")[0].strip() for assignment in defined}
        replacements = [part for item in self.items if (part := _own_value(item, names))]
        if folder:
            replacements += self._includes(folder)
        if replacements:
            self.text = replace_parts(text, replacements)
            self.items = items_of(self.text)
        self._lines = [0, *(match.end() for match in re.finditer("\n", self.text))]  # the offset of each line's start

    def line(self, place: int) -> int:
        """Return the number, from 1, of the line that contains the character at the offset ``place``."""
        return bisect_right(self._lines, place)

    def name(self, span: Span) -> str:
        """Return a name for a constraint: its line and its text, cut after `MOST_SHOWN` characters."""
        words = " ".join(COMMENT.sub(" ", self.text[span.start : span.end]).split())
        words = words if len(words) <= MOST_SHOWN else f"{words[:MOST_SHOWN]}..."
        return f"line {self.line(span.start)}: {words}"

    def calls(self, *predicates: str) -> list[Span]:
        """Return the parts of the text that are calls of these predicates, in the order of the text.

        A call is the name and a bracket, and its part ends where the bracket closes. A declaration of the predicate,
        where one of the words "predicate", "test" and "function" or a colon comes before the name, is none.
        """
        spans = []
        for item in self.items:
            for number, token in enumerate(item[:-1]):
                if token.text not in predicates or item[number + 1].text != "(":
                    continue
                is_declaration = number > 0 and item[number - 1].text in ("predicate", "test", "function", ":")
                if not is_declaration:
                    spans.append(Span(token.start, _closing(item, number + 1).end, _expression(item)))
        return spans

    def variables(self, spans: Iterable[Span]) -> list[str]:
        """Return the names of the model's variables, or arrays of variables, that occur in these constraints.

        spans: the constraints, as parts of the text.
        """
        # The name stands before the place that `_after_name` returns; that is 0 for items that declare no variables.
        declared = {item[place - 1].text for item in self.items if (place := _after_name(item))}
        texts = (self.text[span.start : span.end] for span in spans)
        words = (token.text for text in texts for token in tokens_of(text))
        return [word for word in dict.fromkeys(words) if word in declared]

    def integers(self) -> dict[str, int]:
        """Return the integers that the text gives to names, as in ``int: n = 6;`` and ``n = 6;``."""
        integer_by_name: dict[str, int] = {}
        for item in self.items:
            words = [token.text for token in item]
            is_assignment = len(words) == 3 or words[0] == "int"  # the three words n = 6, or a declaration
            if is_assignment and words[-2:-1] == ["="] and words[-1].isdecimal():
                integer_by_name[words[-3]] = int(words[-1])
        return integer_by_name

    def conjuncts(self) -> Iterator[Span]:
        """Yield the parts of the text that are constraints.

        They are the constraint items, split at their conjunctions outside brackets. An item in which a sign of `LOOSER`
        stands outside brackets is not split.
        """
        for item in self.items:
            if ends := _expression(item):
                tokens = [token for token in item if ends[0] <= token.start < ends[1]]
                texts_outside = {token.text for token in tokens if token.depth == 0}
                if texts_outside & LOOSER:
                    yield Span(*ends, ends)
                    continue
                # A part goes from the place behind a conjunction to the place of the next one.
                signs = [place for place, token in enumerate(tokens) if token.depth == 0 and token.text in AND]
                begins = [0, *(place + 1 for place in signs)]
                for begin, end in zip(begins, [*signs, len(tokens)], strict=True):
                    if begin < end:
                        yield Span(tokens[begin].start, tokens[end - 1].end, ends)

    def constraints_by_name(self, name: str) -> list[Span]:
        """Return the constraints that a name represents.

        A name is "line 7", the text of an annotation behind ``constraint ::`` (* and ? are wildcards), or a predicate.
        An annotation goes before a predicate of the same name.

        Raises `InputError` if there is no such constraint.
        """
        if (match := re.fullmatch(r"line\s*(\d+)", name)) is not None:
            constraints_found = self._constraints_on_line(int(match[1]))
        else:
            constraints_found = self._constraints_with_annotation(name) or self.calls(name)
        if not constraints_found:
            raise InputError(
                f"no constraint is called {name!r}; give line N, a text behind constraint ::, or a predicate "
                "that is used"
            )
        return constraints_found

    def _constraints_on_line(self, number: int) -> list[Span]:
        """Return the constraints that begin on a line; if none does, those that go on there."""
        touching = [span for span in self.conjuncts() if self.line(span.start) <= number <= self.line(span.end - 1)]
        beginning = [span for span in touching if self.line(span.start) == number]
        return beginning or touching

    def _constraints_with_annotation(self, pattern: str) -> list[Span]:
        """Return the constraint items, whole, whose annotation matches a pattern with * and ?; none if none does.

        An annotation is the text behind ``constraint ::``.
        """
        annotations = [text for item in self.items if (text := _annotation(item))]
        try:
            texts = matching(pattern, annotations)
        except ValueError:  # nothing matches; its message speaks of variables
            return []
        spans = []
        for item in self.items:
            ends = _expression(item)
            if ends and _annotation(item) in texts:
                spans.append(Span(*ends, item=ends))
        return spans

    def text_without(self, dropped: Collection[Span]) -> str:
        """Return the text with ``true`` in place of the constraints ``dropped``; every line keeps its number.

        Constraints lose their names, which MiniZinc 2.6.4 writes where FlatZinc has no place for them.
        """
        names = [(item[1].start, item[2].end, "") for item in self.items if _annotation(item)]
        truths = [(span.start, span.end, "true") for span in dropped]
        return replace_parts(self.text, names + truths)

    def showing(self, names: Collection[str], dropped: Collection[Span]) -> str:
        """Return the text without the constraints ``dropped``, in which the variables ``names`` are output.

        MiniZinc does not output variables that are declared with a value, so that the value becomes a constraint:
        ``var int: x = y`` becomes ``var int: x :: add_to_output ; constraint x = (y)``.
        """
        text = self.text_without(dropped)
        replacements = []  # (start, end, new text)
        for item in items_of(text):
            place = _after_name(item)
            if place and item[place - 1].text in names:
                name = item[place - 1]
                replacements.append((name.end, name.end, " :: add_to_output"))
                equals_signs = [token for token in item[place:] if token.depth == 0 and token.text == "="]
                for token in equals_signs[:1]:
                    replacements.append((token.start, token.end, f"; constraint {name.text} = ("))
                    replacements.append((item[-1].end, item[-1].end, ")"))
        return replace_parts(text, replacements)

    def violating(self, span: Span, dropped: Collection[Span]) -> str | None:
        """Return the text without the constraints ``dropped``, in which the constraint ``span`` is violated.

        A further item says that the expression of its constraint item is false, in which other dropped constraints are
        replaced by true: so it is this one that makes it false. The result is None if the constraint is not in a
        constraint item.
        """
        if span.item is None:
            return None
        start, end = span.item
        others = [other for other in dropped if other != span and start <= other.start < end]
        truths = [(other.start - start, other.end - start, "true") for other in others]
        expression = replace_parts(self.text[start:end], truths)
        return f"{self.text_without(dropped)}\nconstraint not ({expression}\n);\n"

    def _includes(self, folder: Path) -> Iterator[tuple[int, int, str]]:
        """Yield (start, end, absolute path in quotes) for each include of a file in ``folder``.

        Start and end are the offsets of the path in the text. Raises `InputError` if one of the files marks
        constraints, too.
        """
        for item in self.items:
            file = folder / item[-1].text.strip('"')
            if item[0].text == "include" and file.is_file():
                if Source(file.read_text(encoding="utf-8", errors="replace")).calls(BREAKING, *REDUNDANT):
                    raise InputError(f"{file}, which the model includes, marks constraints too; put both into one file")
                path = file.resolve().as_posix()
                yield item[-1].start, item[-1].end, f'"{path}"'


def join_texts(text: str, more: str) -> str:
    """Return two texts of MiniZinc as one, whose last items may lack their semicolons.

    >>> join_texts("int: n; solve satisfy % no end", "n = 3;")
    'int: n; solve satisfy % no end\\n;n = 3;'
    """
    last_token = next(reversed([*tokens_of(text)]), None)  # comments are no tokens
    if last_token is None or last_token.text == ";":
        return f"{text}\n{more}"
    return f"{text}\n;{more}"


def with_data(text: str, arguments: Mapping[str, Any], is_whole: bool = False) -> tuple[str, Mapping[str, Any]]:
    """Return (the text of a model with some files of its data, the arguments without these files).

    A file that gives a value which `--define` replaces becomes a part of the text, where the value can be taken out;
    its assignments are items of MiniZinc. text: that of the model. arguments: the parameters of the model by name, of
    which "data" has the paths of the files. is_whole: take all files of this format (.dzn).
    """
    defined = integers_of(arguments.get("define", ()))
    other_files = []
    for path in arguments.get("data", ()):
        data = read_text(Path(path)) if str(path).endswith(".dzn") else ""
        if (is_whole and data) or defined.keys() & Source(data).integers().keys():
            text = join_texts(text, data)
        else:
            other_files.append(path)
    return text, {**arguments, "data": other_files} if other_files != [*arguments.get("data", ())] else arguments


def integers_of(defined: Iterable[str]) -> dict[str, int]:
    """Return the integers among assignments such as n=8."""
    matches = (re.fullmatch(r"\s*(\w+)\s*=\s*(-?\d+)\s*", assignment) for assignment in defined)
    return {match[1]: int(match[2]) for match in matches if match}


def _closing(item: Sequence[Token], opening: int) -> Token:
    """Return the token that closes the bracket at place ``opening`` of the item."""
    depth = item[opening].depth
    closing = (token for token in item[opening + 1 :] if token.depth == depth and token.text in CLOSES)
    return next(closing, item[-1])


def _expression(item: Sequence[Token]) -> tuple[int, int] | None:
    """Return the start and end, in the text, of a constraint item's expression.

    The result is None for an item of another kind.
    """
    begin = 3 if _annotation(item) else 1
    if item[0].text == "constraint" and len(item) > begin:
        return item[begin].start, item[-1].end
    return None


def _annotation(item: Sequence[Token]) -> str:
    """Return the text behind ``constraint ::`` without quotes; empty if the item has none."""
    is_annotated = len(item) > 3 and item[0].text == "constraint" and item[1].text == "::"
    return item[2].text.strip('"') if is_annotated else ""


def _after_name(item: Sequence[Token]) -> int:
    """Return the place of the token behind the name in an item such as ``var 1..3: x = 2``; there, of the ``=``.

    The result is 0 if the item does not declare variables or an array of them.
    """
    colon = next((number for number, token in enumerate(item[:-1]) if token.depth == 0 and token.text == ":"), 0)
    is_variable = item[0].text in ("var", "array") and any(token.text == "var" for token in item[:colon])
    return colon + 2 if is_variable else 0


def _own_value(item: Sequence[Token], names: Collection[str]) -> tuple[int, int, str] | None:
    """Return (start, end, replacement) for the part of an item that gives one of these names a value.

    The ends are offsets in the text. The result is None if the item gives none of them a value.
    """
    for number, token in enumerate(item[1:], 1):
        if token.text == "=" and token.depth == 0 and item[number - 1].text in names:
            if any(earlier.text == ":" for earlier in item[:number]):  # "int: n = 3" stays a declaration, without value
                return token.start, item[-1].end, ""
            return item[0].start, item[-1].end, EMPTY_ITEM  # "n = 3" is nothing but the value
    return None


def replace_parts(text: str, parts: Collection[tuple[int, int, str]]) -> str:
    """Return the text with each part (start, end, replacement) replaced.

    The line breaks of a part follow its replacement, so that lines keep their numbers. Parts do not overlap; the last
    one is replaced first, so that the offsets of the others stay right.
    """
    for start, end, replacement in sorted(parts, reverse=True):
        lines = "\n" * text.count("\n", start, end)  # as many as before
        text = text[:start] + replacement + lines + text[end:]
    return text
