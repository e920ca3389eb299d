"""Products and greatest values of many, said in a chain of two at a time.

MiniZinc says a * b * c with a hidden variable for a * b, so that a and b can change places, and c cannot.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from solvers.model.reading import (
    LinearSum,
    domain_of,
    kind_of,
    range_of,
    target_and_expressions,
    terms_of,
    variable_of,
    variables_in,
)

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel


def join_chains(model: CpModel, key: Collection[int]) -> None:
    """Join each product or maximum, in place, with the only other product or maximum that uses its value.

    In the example, two = a * b and three = two * c become three = a * b * c. The constraint that is joined (the inner
    one) becomes an empty one. Its variable is no longer mentioned, and is fixed to one value, so that it adds no
    solutions. key: the proto indices of the variables that stay as they are.

    >>> from ortools.sat.python.cp_model import CpModel
    >>> model = CpModel()
    >>> a, b, c = (model.new_int_var(0, 2, name) for name in "abc")
    >>> two, three = model.new_int_var(0, 4, ""), model.new_int_var(0, 8, "")
    >>> _ = model.add_multiplication_equality(two, [a, b])
    >>> joined = model.add_multiplication_equality(three, [two, c])
    >>> join_chains(model, [0, 1, 2])
    >>> sorted(variables_in(joined.proto, model.proto))
    [0, 1, 2, 4]
    """
    proto = model.proto
    # Most models have none, and to ask each constraint for its kind takes long.
    numbers = [
        number
        for number, constraint in enumerate(proto.constraints)
        if constraint.has_int_prod() or constraint.has_lin_max()
    ]
    if len(numbers) < 2:
        return
    inner = dict(_inner_variables(proto, numbers, key))  # the constraint whose value each variable is
    # (constraint, variable) for each such variable that is an operand of another constraint.
    uses = [(outer, variable) for outer, variable in _operand_uses(proto, numbers, inner) if outer != inner[variable]]
    if not uses:
        return
    # A variable that is mentioned twice is used by its constraint and by one other, here an operand.
    mentions = Counter(variable for constraint in proto.constraints for variable in variables_in(constraint, proto))
    if proto.has_objective():
        mentions.update(terms_of(proto.objective).coefficients)
    if proto.has_floating_point_objective():
        mentions.update(terms_of(proto.floating_point_objective).coefficients)
    mentions.update(map(variable_of, proto.assumptions))
    joined: dict[int, int] = {}  # for each constraint that was joined, the one that took its operands
    for outer, variable in uses:
        if mentions[variable] != 2:
            continue
        while outer in joined:  # its operands were moved on to another constraint
            outer = joined[outer]
        if outer != inner[variable] and _is_joined(proto, inner[variable], outer):
            joined[inner[variable]] = outer
            low = proto.variables[variable].domain[0]
            proto.variables[variable].domain.clear()
            proto.variables[variable].domain.extend([low, low])


def _inner_variables(proto: Any, numbers: Iterable[int], key: Collection[int]) -> Iterator[tuple[int, int]]:
    """Yield (variable, constraint) for each variable outside the key whose value is that of a product or a maximum.

    The constraint, given by its number, has no enforcement literals, and the variable is no operand of it.

    numbers: the numbers of the products and maxima. key: the proto indices of variables that stay.
    """
    for number in numbers:
        constraint = proto.constraints[number]
        if not constraint.enforcement_literal:
            target, operands = target_and_expressions(getattr(constraint, kind_of(constraint)))
            for variable in target.coefficients:
                is_single = len(target.coefficients) == 1 and not any(
                    variable in operand.coefficients for operand in operands
                )
                if is_single and variable not in key:
                    yield variable, number


def _operand_uses(proto: Any, numbers: Iterable[int], inner: Collection[int]) -> Iterator[tuple[int, int]]:
    """Yield (constraint, variable) for each variable of ``inner`` in an operand of a product or a maximum.

    The constraint is given by its number. numbers: the numbers of the products and maxima. inner: proto indices.
    """
    for number in numbers:
        constraint = proto.constraints[number]
        _, operands = target_and_expressions(getattr(constraint, kind_of(constraint)))
        for operand in operands:
            yield from ((number, variable) for variable in operand.coefficients if variable in inner)


def _is_joined(proto: Any, inner: int, outer: int) -> bool:
    """Replace the value of constraint ``inner``, an operand of ``outer``, by its operands; return whether it was done.

    It is done if both are of one kind, the variable of the value occurs in no other expression of ``outer``, and its
    domain allows every value of ``inner``: then the two say the same as one. inner, outer: the numbers of the
    constraints. The first becomes an empty one.
    """
    kind = kind_of(proto.constraints[outer])
    if kind_of(proto.constraints[inner]) != kind:
        return False
    inner_arguments, outer_arguments = getattr(proto.constraints[inner], kind), getattr(proto.constraints[outer], kind)
    value, inner_operands = target_and_expressions(inner_arguments)
    target, outer_operands = target_and_expressions(outer_arguments)
    (variable,) = value.coefficients
    if any(variable in operand.coefficients for operand in [target, *outer_operands] if operand != value):
        return False
    if not _allows_every_value(proto, kind, value, inner_operands):
        return False
    kept = [str(expr) for expr, total in zip(outer_arguments.exprs, outer_operands, strict=True) if total != value]
    # Once for each time that the value is an operand: it may be squared, say.
    replacements = [str(expr) for expr in inner_arguments.exprs] * outer_operands.count(value)
    outer_arguments.exprs.clear()
    for text in [*kept, *replacements]:
        outer_arguments.exprs.add().parse_text_format(text)
    proto.constraints[inner].parse_text_format("")
    return True


def _allows_every_value(proto: Any, kind: str, value: LinearSum, operands: Sequence[LinearSum]) -> bool:
    """Tell whether the domain of a variable allows every value of a product or a maximum of these operands.

    kind: int_prod or lin_max. value: a sum of one variable; the result is False unless it is the variable or its
    negation, plus an offset. operands: the operands of the constraint. The result is also False if the domain has gaps.
    """
    ((variable, coefficient),) = value.coefficients.items()
    if abs(coefficient) != 1 or len(domain_of(proto.variables[variable])) > 1:
        return False
    used = {variable, *(other for operand in operands for other in operand.coefficients)}
    domains = {variable: domain_of(proto.variables[variable]) for variable in used}
    ranges = {variable: (domain[0][0], domain[-1][1]) for variable, domain in domains.items()}
    low, high = range_of(value, ranges)
    least, greatest = _bounds_of_value(kind, [range_of(operand, ranges) for operand in operands])
    return low <= least and greatest <= high


def _bounds_of_value(kind: str, ranges: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Return the bounds of a product or of a maximum; ranges: (least, greatest) of each operand."""
    if kind == "lin_max":
        return max(low for low, _ in ranges), max(high for _, high in ranges)
    # The bounds of a product of two intervals are among the products of their ends.
    least = greatest = 1
    for low, high in ranges:
        corners = [least * low, least * high, greatest * low, greatest * high]
        least, greatest = min(corners), max(corners)
    return least, greatest
