"""Bounds of variables that are declared without: what constraints leave them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from solvers.extras.bridges.minizinc.syntax import GREATEST, LEAST, WHOLE, Call, Ranges, Variable

MAX_BOUND_ROUNDS = 100
"""The most passes through all constraints; each pass advances at least one step in a chain of sums."""

MAX_POWER_BITS = 62
"""The bits of the greatest power that is a bound: a longer one is out of the range of integers anyway."""

Bounds = tuple[float, float]
"""The least and the greatest value; infinite where there is none."""


def derive_bounds(
    variables: Sequence[Variable],
    constraints: Sequence[Call],
    domain: Callable[[Variable], Ranges],
    root: Callable[[Variable], Variable],
) -> Mapping[Variable, Ranges]:
    """Derive bounds, from constraints, for variables that are declared without bounds.

    Each pass goes through all constraints about such variables and narrows the bounds by what `_bounds_by_constraint`
    yields for them, until nothing changes or there were too many passes.

    variables: all that are declared. domain: returns the declared domain of a variable. root: returns the variable that
    represents all variables that equal a given one. The result has a domain for each such variable for which bounds
    follow; an impossible one becomes 0..0.
    """
    bounds_by_variable: dict[Variable, Bounds] = {}

    def bounds(argument: Any) -> Bounds:
        """Return the bounds of a variable or constant that are known so far."""
        if not isinstance(argument, Variable):
            return int(argument), int(argument)
        variable = root(argument)
        if variable in bounds_by_variable:
            return bounds_by_variable[variable]
        values = domain(variable)
        if not values:
            return 0, 0
        low = values.low if values.low > LEAST else -math.inf
        return low, values.high if values.high < GREATEST else math.inf

    def is_open(argument: Any) -> bool:
        """Tell whether an argument is a variable that lacks a bound."""
        return isinstance(argument, Variable) and math.inf in map(abs, bounds(argument))

    open_variables = {variable for variable in variables if is_open(variable)}
    calls_with_open = [call for call in constraints if not open_variables.isdisjoint(_variables(call))]
    for _ in range(MAX_BOUND_ROUNDS if calls_with_open else 0):
        has_changed = False
        for call in calls_with_open:
            for argument, (low, high) in _bounds_by_constraint(call, bounds):
                if not is_open(argument):
                    continue
                bounds_before = bounds(argument)
                narrowed = max(low, bounds_before[0]), min(high, bounds_before[1])
                if narrowed != bounds_before:
                    bounds_by_variable[root(argument)] = narrowed if narrowed[0] <= narrowed[1] else (0, 0)
                    has_changed = True
        if not has_changed:
            break
    return {variable: _ranges(*ends) for variable, ends in bounds_by_variable.items()}


def _ranges(low: float, high: float) -> Ranges:
    """Return the integers from ``low`` to ``high`` as a set.

    An infinite bound, and one beyond the integers that solvers accept, becomes the least or greatest of these.
    """
    least, greatest = WHOLE.intervals[0]
    first = max(least, int(low)) if low > -math.inf else least
    last = min(greatest, int(high)) if high < math.inf else greatest
    return Ranges(((first, last),))


def _variables(call: Call) -> Iterator[Variable]:
    """Yield the variables among the arguments of a constraint, and in its lists."""
    for argument in call.arguments:
        if isinstance(argument, Variable):
            yield argument
        elif isinstance(argument, list):
            yield from (entry for entry in argument if isinstance(entry, Variable))


def _bounds_by_constraint(call: Call, bounds: Callable[[Any], Bounds]) -> Iterator[tuple[Any, Bounds]]:
    """Yield (argument, bounds) for arguments of a constraint and the bounds that it implies for them.

    Bounds are (least, greatest), and may be wider than the tightest ones. Nothing is yielded for a constraint that is
    not listed here. The place of each argument is that of the MiniZinc handbook: mostly the result comes last.

    bounds: returns the bounds known so far of a variable or constant.
    """
    arguments = call.arguments
    match call.name:
        case "int_lin_eq" | "int_lin_le" | "bool_lin_eq" | "bool_lin_le":
            is_equal = call.name.endswith("eq")
            yield from _bounds_by_sum([*arguments[0], -1], [*arguments[1], arguments[2]], is_equal, bounds)
        case "int_le" | "int_lt":
            yield from _bounds_by_sum([1, -1], arguments, is_equal=False, bounds=bounds)
        case "int_plus":
            yield from _bounds_by_sum([1, 1, -1], arguments, is_equal=True, bounds=bounds)
        case "int_times":
            yield arguments[2], _product(bounds(arguments[0]), bounds(arguments[1]))
        case "int_abs":
            low, high = bounds(arguments[0])
            yield arguments[1], (0, max(abs(low), abs(high)))
            greatest = bounds(arguments[1])[1]
            yield arguments[0], (-greatest, greatest)
        case "int_div":  # a quotient is no farther from 0 than its dividend
            low, high = bounds(arguments[0])
            greatest = max(abs(low), abs(high))
            yield arguments[2], (-greatest, greatest)
        case "int_mod":
            greatest = max(map(abs, bounds(arguments[1])))
            yield arguments[2], (-greatest, greatest)
        case "int_pow":
            low, high = bounds(arguments[0])
            base = max(abs(low), abs(high), 1)
            exponent = bounds(arguments[1])[1]
            is_in_range = exponent * math.log2(base) < MAX_POWER_BITS
            greatest = base ** max(exponent, 0) if is_in_range else math.inf
            yield arguments[2], (-greatest, greatest)
        case "int_max" | "int_min":
            yield from _bounds_by_extreme(arguments[2], arguments[:2], call.name == "int_max", bounds)
        case "array_int_maximum" | "array_int_minimum":
            yield from _bounds_by_extreme(arguments[0], arguments[1], call.name.endswith("maximum"), bounds)
        case "array_int_element" | "array_var_int_element" | "array_bool_element" | "array_var_bool_element":
            bounds_of_elements = [bounds(argument) for argument in arguments[1]]
            yield arguments[0], (1, len(bounds_of_elements))
            least = min((low for low, _ in bounds_of_elements), default=0)
            greatest = max((high for _, high in bounds_of_elements), default=0)
            yield arguments[2], (least, greatest)
        case "fzn_count_eq" | "fzn_among":
            # Their arguments are (array, value, count), and (count, array, values).
            array_place, count_place = (0, 2) if call.name == "fzn_count_eq" else (1, 0)
            yield arguments[count_place], (0, len(arguments[array_place]))
        case "fzn_global_cardinality":
            yield from _all_within(arguments[2], 0, len(arguments[0]))
        case "fzn_regular" | "fzn_regular_nfa":
            yield from _all_within(arguments[0], 1, arguments[2])
        case "kazoeru_circuit" | "kazoeru_subcircuit":
            yield from _all_within(arguments[0], arguments[1], arguments[1] + len(arguments[0]) - 1)
        case "kazoeru_inverse":
            direct, first, inverse, first_inverse = arguments  # the arrays, and the first index of each
            yield from _all_within(direct, first_inverse, first_inverse + len(inverse) - 1)
            yield from _all_within(inverse, first, first + len(direct) - 1)
        case "fzn_table_int" if arguments[0]:
            for place, argument in enumerate(arguments[0]):  # the rows of the table follow each other in one list
                column = arguments[1][place :: len(arguments[0])]
                yield argument, (min(column, default=0), max(column, default=0))


def _all_within(arguments: Sequence[Any], low: int, high: int) -> Iterator[tuple[Any, Bounds]]:
    """Yield (argument, bounds) with the same bounds for each of the arguments."""
    for argument in arguments:
        yield argument, (low, high)


def _product(bounds: Bounds, other: Bounds) -> Bounds:
    """Return the bounds of a product of two numbers within these bounds."""
    ends = [0 if 0 in (a, b) else a * b for a in bounds for b in other]
    return min(ends), max(ends)


def _bounds_by_sum(
    coefficients: Sequence[int], arguments: Sequence[Any], is_equal: bool, bounds: Callable[[Any], Bounds]
) -> Iterator[tuple[Any, Bounds]]:
    """Yield (argument, bounds) for the arguments of a linear sum that have no bounds on one side.

    The sum is that of coefficients times arguments. is_equal: it is 0; otherwise it is at most 0. A term is at most
    minus the least value of the other terms; if the sum is 0, it is at least minus their greatest value, too. Divided
    by the coefficient, and rounded inwards, these are bounds of the argument.

    bounds: returns the bounds known so far of a variable or constant.
    """
    ends = [
        _product((coefficient, coefficient), bounds(argument))
        for coefficient, argument in zip(coefficients, arguments, strict=True)
    ]
    for place, (coefficient, argument) in enumerate(zip(coefficients, arguments, strict=True)):
        if not coefficient or math.inf not in map(abs, ends[place]):
            continue
        other_ends = ends[:place] + ends[place + 1 :]
        greatest = -sum(low for low, _ in other_ends)  # of the coefficient times the argument
        least = -sum(high for _, high in other_ends) if is_equal else -math.inf
        low, high = (least, greatest) if coefficient > 0 else (greatest, least)
        least_value = -_quotient_bound(-low, coefficient)  # rounded up, since the function rounds down
        yield argument, (least_value, _quotient_bound(high, coefficient))


def _quotient_bound(end: float, coefficient: int) -> float:
    """Return the bound ``end`` divided by the coefficient, rounded down; an infinite one stays infinite."""
    if abs(end) == math.inf:
        return end if coefficient > 0 else -end
    return end // coefficient


def _bounds_by_extreme(
    target: Any, arguments: Sequence[Any], is_greatest: bool, bounds: Callable[[Any], Bounds]
) -> Iterator[tuple[Any, Bounds]]:
    """Yield (argument, bounds) for a maximum or minimum and for its arguments.

    The maximum lies between the greatest lower bound and the greatest upper bound of the arguments, and no argument
    exceeds it. target: the maximum, or the minimum if ``is_greatest`` is False. bounds: returns the bounds known so
    far.
    """
    choose = max if is_greatest else min
    if arguments:
        lows, highs = zip(*map(bounds, arguments), strict=True)
        yield target, (choose(lows), choose(highs))
    low, high = bounds(target)
    for argument in arguments:
        yield argument, (-math.inf, high) if is_greatest else (low, math.inf)
