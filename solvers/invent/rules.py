"""The rules of a puzzle in words: a constraint's name in the model, or what it says of the labels of its variables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from models.puzzle import Label, Puzzle
from solvers.checks.constraints import intervals
from solvers.cnf.lower import kind_of
from solvers.invent.facts import AXES
from solvers.symmetry.choices import choice_of
from solvers.symmetry.key import Key

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

MOST_NAMED = 12
"""So many variables of a constraint are named."""


class Rule(NamedTuple):
    """Some constraints of a model that are told as one."""

    text: str
    constraints: tuple[int, ...]
    """Their places in the model."""


def rules(puzzle: Puzzle, key: Key, model: CpModel) -> list[Rule]:
    """The rules of a model. Constraints of the same name are one rule, and so are those that are told alike.

    >>> from models.pentomino import pentomino
    >>> puzzle = pentomino("3x20")
    >>> told = rules(puzzle, Key(puzzle.model, puzzle.key), puzzle.model)
    >>> told[0].text, told[-1].text
    ('F lies in exactly one place', 'exactly one place covers row 3 column 20')
    """
    words = _Words(puzzle, key)
    proto = model.proto
    places: dict[str, list[int]] = {}
    for place, constraint in enumerate(proto.constraints):
        if text := constraint.name or words.told(constraint, proto, place):
            places.setdefault(text, []).append(place)
    return [Rule(text, tuple(some)) for text, some in places.items()]


class _Words:
    def __init__(self, puzzle: Puzzle, key: Key) -> None:
        self._puzzle, self._key = puzzle, key
        self._label: dict[int, Label] = dict(zip(key.variables, key.labels, strict=True))

    def told(self, constraint: Any, proto: Any, place: int) -> str:
        """What a constraint says; empty if it says nothing."""
        kind = kind_of(constraint)
        if not kind:
            return ""
        condition = ""
        if len(constraint.enforcement_literal):
            condition = f" if {' and '.join(self._literal(one, proto) for one in constraint.enforcement_literal)}"
        if choice := choice_of(constraint, proto):
            return self._choice(choice.literals, choice.is_exact, proto) + condition
        arguments = getattr(constraint, kind)
        if kind == "linear":
            return self._sum(arguments, proto) + condition
        if kind == "all_diff":
            variables = [expression.vars[0] for expression in arguments.exprs if len(expression.vars) == 1]
            shifted = any(list(one.coeffs) != [1] or one.offset for one in arguments.exprs)
            if len(variables) == len(arguments.exprs) and not shifted:
                return f"all different: {self._listed([self._name(v, proto) for v in variables])}{condition}"
            return f"all different: {self._listed([self._affine(one, proto) for one in arguments.exprs])}{condition}"
        if kind in ("bool_or", "bool_and", "bool_xor"):
            joint = {"bool_or": " or ", "bool_and": " and ", "bool_xor": " xor "}[kind]
            literals = [self._literal(one, proto) for one in arguments.literals]
            return (joint.join(literals) if len(literals) <= MOST_NAMED else self._listed(literals)) + condition
        return f"constraint {place + 1} ({kind}{condition})"

    def _choice(self, literals: Sequence[int], is_exact: bool, proto: Any) -> str:
        """Exactly one of some literals is true, or at most one."""
        number = "exactly one" if is_exact else "at most one"
        if self._puzzle.fills and literals and all(literal >= 0 and literal in self._label for literal in literals):
            filled = [self._puzzle.fills(self._label[literal], 1) for literal in literals]
            names = {name for name, _ in filled}
            cells = set.intersection(*({tuple(cell) for cell in some} for _, some in filled))
            if len(names) == 1:
                return f"{names.pop()} lies in {number} place"
            if len(cells) == 1:
                return f"{number} place covers {where(cells.pop())}"
        return f"{number} of {self._listed([self._literal(one, proto) for one in literals])}"

    def _sum(self, linear: Any, proto: Any) -> str:
        terms = self._terms(zip(linear.vars, linear.coeffs, strict=True), proto)
        domain = intervals(linear.domain)
        if len(domain) == 1:
            low, high = domain[0]
            if low == high:
                return f"{terms} is {low}"
            if low < -(2**62):
                return f"{terms} is at most {high}"
            if high > 2**62:
                return f"{terms} is at least {low}"
            return f"{terms} is from {low} to {high}"
        if len(domain) == 2 and domain[0][0] < -(2**62) and domain[1][1] > 2**62 and domain[1][0] - domain[0][1] == 2:
            return f"{terms} is not {domain[0][1] + 1}"
        return f"{terms} is one of {self._listed([str(a) if a == b else f'{a} to {b}' for a, b in domain])}"

    def _terms(self, terms: Iterable[tuple[int, int]], proto: Any) -> str:
        written = [
            f"{'-' if weight < 0 else '+'} {f'{abs(weight)}·' if abs(weight) != 1 else ''}{self._name(variable, proto)}"
            for variable, weight in terms
        ]
        more = f" and {len(written) - MOST_NAMED} more" if len(written) > MOST_NAMED else ""
        return " ".join(written[:MOST_NAMED]).removeprefix("+ ") + more or "0"

    def _affine(self, expression: Any, proto: Any) -> str:
        terms = self._terms(zip(expression.vars, expression.coeffs, strict=True), proto)
        return (
            f"{terms} {'-' if expression.offset < 0 else '+'} {abs(expression.offset)}" if expression.offset else terms
        )

    def _literal(self, literal: int, proto: Any) -> str:
        return self._name(literal, proto) if literal >= 0 else f"not {self._name(-literal - 1, proto)}"

    def _name(self, variable: int, proto: Any) -> str:
        if variable in self._label:
            return str(self._label[variable])
        return proto.variables[variable].name or f"variable {variable + 1}"

    def _listed(self, names: Sequence[str]) -> str:
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        return ", ".join(names[:MOST_NAMED]) + more


def where(cell: Sequence[int]) -> str:
    """Where a cell is, counted from 1.

    >>> where((2, 3))
    'row 3 column 4'
    """
    return " ".join(f"{axis} {number + 1}" for axis, number in zip(AXES[-len(cell) :], cell, strict=True))
