"""A reason: rules, and facts that were given or found before, from which another fact follows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import NamedTuple

from models.boards.grid import cell_ranges
from solvers.files.given import Fact
from solvers.show.plain import number_with_unit
from solvers.show.printable import printable


class Rule(NamedTuple):
    """A rule of the puzzle in words; it stands for one or more constraints of the model."""

    text: str
    constraints: tuple[int, ...] = ()
    """The indices of these constraints in the model."""
    cell: tuple[int, ...] = ()
    """The cell, counted from 1, if the rule says that it is covered."""
    piece: str = ""
    """The piece, if the rule says that it lies somewhere."""
    width: int = 1
    """The number of cells, pieces or variables that a person has to look at."""


class Reason(NamedTuple):
    """The reason for a fact: rules, and facts that were given or found before."""

    fact: Fact
    rules: Sequence[Rule]
    facts: Sequence[Fact]
    is_smallest: bool
    """True if it is proved that no reason has fewer rules, or as many rules with fewer cells, and that no fewer facts
    suffice with these rules."""
    seconds: float
    is_minimal: bool = True
    """True if it is proved that no rule or fact can be left out."""

    @property
    def size(self) -> int:
        """The number of rules and facts of the reason."""
        return len(self.rules) + len(self.facts)

    def as_json(self) -> dict[str, object]:
        """Return the reason as JSON has it: a dictionary.

        Its keys are ``fact``, ``rules`` and ``facts`` (their texts), ``smallest`` (whether it is proved that none is
        smaller), ``minimal`` (whether it is proved that nothing can be left out) and ``seconds`` (the time to find it).
        """
        return {
            "fact": self.fact.text,
            "rules": [rule.text for rule in self.rules],
            "facts": [fact.text for fact in self.facts],
            "smallest": self.is_smallest,
            "minimal": self.is_minimal,
            "seconds": round(self.seconds, 3),
        }


class Contradiction(NamedTuple):
    """Rules and given facts that cannot hold together."""

    rules: Sequence[Rule]
    facts: Sequence[Fact]

    @property
    def size(self) -> int:
        """The number of rules and facts."""
        return len(self.rules) + len(self.facts)

    def as_json(self) -> dict[str, object]:
        """Return the contradiction as JSON has it: the texts of its ``rules`` and ``facts``, by these keys."""
        return {"rules": [rule.text for rule in self.rules], "facts": [fact.text for fact in self.facts]}


class Wanted(Enum):
    """The minimal unsatisfiable subsets (MUSes) of rules and givens that are asked for."""

    ANY = "one MUS"
    SMALLEST = "a smallest MUS"
    EVERY = "all MUSes"


class Contradictions(NamedTuple):
    """Contradictions, the smallest first, as far as they are known."""

    sets: Sequence[Contradiction]
    at_least: int = 0
    """A lower bound for the number of rules and facts in a contradiction."""
    is_complete: bool = False
    """True if what was asked for is known and proved."""
    is_smallest: bool = False
    """True if it is proved that no contradiction is smaller than the first."""
    untried: int = 0
    """The number of rules and facts of the first that nobody has tried to leave out."""
    total: int = 0
    """The number of rules and givens that the puzzle has."""


Say = Callable[[Fact], str]
"""A function that returns a fact in words."""


def reason_text(reason: Reason | Contradiction, say: Say, indent: str = "  ") -> str:
    """Return a reason as text, in lines.

    There is a line for all cells to be covered, one for all pieces, one for each other rule, and one for the facts.
    say: puts a fact into words. indent: begins each line.
    """
    cells = [rule.cell for rule in reason.rules if rule.cell]
    pieces = [rule.piece for rule in reason.rules if rule.piece]
    lines = [rule.text for rule in reason.rules if not rule.cell and not rule.piece]
    if pieces:
        lines.append(f"{', '.join(pieces)} {'lie' if len(pieces) > 1 else 'lies'} somewhere")
    if cells:
        lines.append(f"{cell_ranges(cells)} {'are' if len(cells) > 1 else 'is'} covered")
    if reason.facts:
        origin = "given or found" if isinstance(reason, Reason) else "given"
        lines.append(f"{origin}: {'; '.join(map(say, reason.facts))}")
    return "\n".join(indent + printable(line) for line in lines) or f"{indent}no other value is possible"


def texts_of(rules: Iterable[Rule]) -> list[str]:
    """Return the texts of rules."""
    return [rule.text for rule in rules]


def groups_of(rules: Iterable[Rule]) -> list[str]:
    """Return groups of rules in words, the largest first: how many rules, and the first of them.

    The rules that pieces lie somewhere are one group, those that cells are covered another one. Of the others, those
    whose texts differ only in numbers are a group.

    >>> groups_of([Rule("row 1 = 5"), Rule("F lies somewhere", piece="F"), Rule("row 2 = 5")])
    ['2 like "row 1 = 5"', '1 like "F lies somewhere"']
    """
    groups: dict[tuple[bool, bool, str], list[str]] = {}
    for rule in rules:
        text_without_numbers = "" if rule.piece or rule.cell else re.sub(r"\d+", "0", rule.text)
        groups.setdefault((bool(rule.piece), bool(rule.cell), text_without_numbers), []).append(rule.text)
    return [f'{len(texts)} like "{printable(texts[0])}"' for texts in sorted(groups.values(), key=len, reverse=True)]


def amounts_of(reason: Reason) -> str:
    """Return the numbers of rules and facts of a reason in words.

    >>> amounts_of(Reason(Fact("x=1", (0,)), [Rule("x + y = 1")], [], True, 0.0))
    '1 rule'
    """
    amounts = [number_with_unit(len(reason.rules), "rules")] * bool(reason.rules)
    return " and ".join([*amounts, *[number_with_unit(len(reason.facts), "facts")] * bool(reason.facts)]) or "no rule"
