"""Which literals of a model are a choice: exactly one of them is true, or at most one; and which are counted.

A constraint may say so by its kind, or as a sum of Booleans in any form: x + y + z == 1, 2 * x + 2 * y <= 3, x >= y.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple


class Choice(NamedTuple):
    """Literals, in the proto's convention, of which exactly one (or at most one) is true."""

    literals: list[int]
    is_exact: bool


class Count(NamedTuple):
    """Options, here variables, of which at least ``low`` and at most ``high`` are true."""

    options: list[int]
    low: int
    high: int


def count_of(constraint: Any, proto: Any) -> Count | None:
    """Which variables a sum counts, whatever else enforces it; None where it says something else.

    >>> from ortools.sat.python.cp_model import CpModel
    >>> model = CpModel()
    >>> x, y, z = (model.new_bool_var(name) for name in "xyz")
    >>> for constraint in (model.add(x + y + z == 2), model.add(2 * x + 2 * y >= 1), model.add(x - y + z == 0)):
    ...     print(count_of(constraint.proto, model.proto))
    Count(options=[0, 1, 2], low=2, high=2)
    Count(options=[0, 1], low=1, high=2)
    None
    """
    summed = _summed(constraint.linear, proto.variables) if constraint.has_linear() else None
    if summed is None:
        return None
    literals, allowed = summed
    if all(literal < 0 for literal in literals):
        literals, allowed = [-literal - 1 for literal in literals], {len(literals) - count for count in allowed}
    if any(literal < 0 for literal in literals):
        return None
    low, high = min(allowed, default=1), max(allowed, default=0)
    return Count(literals, low, high) if len(allowed) == high - low + 1 else None


def choice_of(constraint: Any, proto: Any) -> Choice | None:
    """The choice that a constraint of the model is, whatever else enforces it; None where it says something else.

    >>> from ortools.sat.python.cp_model import CpModel
    >>> model = CpModel()
    >>> x, y = model.new_bool_var("x"), model.new_bool_var("y")
    >>> for constraint in (model.add(3 * x + 3 * y == 3), model.add(x + y <= 1), model.add(~x + y >= 1)):
    ...     print(choice_of(constraint.proto, model.proto))
    Choice(literals=[0, 1], is_exact=True)
    Choice(literals=[0, 1], is_exact=False)
    Choice(literals=[0, -2], is_exact=False)
    """
    if constraint.has_exactly_one():
        return Choice(list(constraint.exactly_one.literals), True)
    if constraint.has_at_most_one():
        return Choice(list(constraint.at_most_one.literals), False)
    return _of_sum(constraint.linear, proto.variables) if constraint.has_linear() else None


def _of_sum(linear: Any, variables: Any) -> Choice | None:
    summed = _summed(linear, variables)
    if summed is None:
        return None
    literals, allowed = summed
    negated = [-literal - 1 for literal in literals]
    said = [
        Choice(chosen, is_exact)
        for chosen, one, none in ((literals, 1, 0), (negated, len(literals) - 1, len(literals)))
        for is_exact in (True, False)
        if allowed == ({one} if is_exact else {one, none})
    ]
    return max(said, key=lambda choice: sum(literal >= 0 for literal in choice.literals), default=None)


def _summed(linear: Any, variables: Any) -> tuple[list[int], set[int]] | None:
    """Literals, and how many of them may be true, where the sum says just that."""
    weights = Counter[int]()
    for variable, weight in zip(linear.vars, linear.coeffs, strict=True):
        weights[variable] += weight
    sizes = {abs(weight) for weight in weights.values() if weight}
    if len(sizes) != 1:
        return None
    (size,) = sizes
    literals = [variable if weight > 0 else -variable - 1 for variable, weight in weights.items() if weight]
    for literal in literals:
        domain = variables[max(literal, -literal - 1)].domain
        if domain[0] < 0 or domain[len(domain) - 1] > 1:
            return None
    # The sum is size * (how many of the literals are true - how many of them are negations).
    negations, domain = sum(literal < 0 for literal in literals), list(linear.domain)
    return literals, {
        count
        for low, high in zip(domain[::2], domain[1::2], strict=True)
        for count in range(max(0, -(-low // size) + negations), min(len(literals), high // size + negations) + 1)
    }
