"""The constraints of FlatZinc's standard library over integers, Booleans and constant sets, in a CP-SAT model.

Meaning: MiniZinc handbook, FlatZinc builtins. An assignment with an undefined value, such as a division by 0, is not a
solution.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

from ortools.sat.python.cp_model import Domain

from solvers.extras.bridges.minizinc.syntax import GREATEST, LEAST, Ranges, Variable
from solvers.extras.bridges.minizinc.translate import Translation, as_domain

Post = Callable[..., object]
"""A function that adds a constraint to the model; called with the translation and the constraint's arguments."""

MAX_POWER_PAIRS = 100_000
"""The most pairs of a base and an exponent that are enumerated."""

COMPARED: Mapping[str, tuple[int, int] | None] = {
    "eq": (0, 0),
    "ne": None,
    "le": (LEAST, 0),
    "lt": (LEAST, -1),
    "ge": (0, GREATEST),
    "gt": (1, GREATEST),
}
"""Where the left side minus the right one has to lie; None for everywhere but at 0."""


def _difference_domain(relation: str) -> Domain:
    """Return the domain of the difference of two numbers that are in a relation.

    relation: a key of `COMPARED`.
    """
    ends = COMPARED[relation]
    return Domain(*ends) if ends else Domain(0, 0).complement()


def _require_sum_in(
    to: Translation, coefficients: Sequence[int], arguments: Sequence[Any], domain: Domain, *condition: Any
) -> None:
    """Require, in the model of ``to``, that the sum of coefficients times arguments is in a domain.

    condition: nothing; or a literal, and the constraint has to hold if it is true; or the literal twice, and the
    constraint holds if and only if it is true.
    """
    expression, constant = to.linear(coefficients, arguments)
    shifted_domain = domain.addition_with(Domain(-constant, -constant))
    constraint = to.model.add_linear_expression_in_domain(expression, shifted_domain)
    if condition:
        constraint.only_enforce_if(condition[0])
    if len(condition) > 1:
        to.model.add_linear_expression_in_domain(expression, shifted_domain.complement()).only_enforce_if(~condition[0])


def _compare(relation: str, to: Translation, left: Any, right: Any, *condition: Any) -> None:
    """Require, in the model of ``to``, that two arguments are in a relation, such as "le", a key of `COMPARED`.

    condition: nothing; or a Boolean, and the constraint has to hold if it is true; or the Boolean twice, and the
    constraint holds if and only if it is true.
    """
    if len(condition) == 2 and relation in ("eq", "ne"):
        variable, value = (right, left) if isinstance(right, Variable) else (left, right)
        if isinstance(variable, Variable) and not isinstance(value, Variable) and relation == "eq":
            if to.name_equality(variable, value, condition[0]):
                return
            return _require_equal(to, to.equals(variable, value), to.literal(condition[0]))
    _require_sum_in(to, [1, -1], [left, right], _difference_domain(relation), *map(to.literal, condition))


def _require_equal(to: Translation, literal: Any, other: Any) -> None:
    """Require, in the model of ``to``, that two literals, variables of the model or their negations, are equal."""
    if getattr(literal, "index", None) != getattr(other, "index", None):
        to.model.add_bool_xor([literal, ~other])


def _compare_sum(
    relation: str, to: Translation, coefficients: Sequence[int], arguments: Sequence[Any], right: Any, *condition: Any
) -> None:
    """Require, in the model of ``to``, that a sum and ``right`` are in a relation, such as "le".

    The sum is that of coefficients times arguments. relation: a key of `COMPARED`.

    condition: nothing; or a Boolean, and the constraint has to hold if it is true; or the Boolean twice, and the
    constraint holds if and only if it is true.
    """
    _require_sum_in(
        to, [*coefficients, -1], [*arguments, right], _difference_domain(relation), *map(to.literal, condition)
    )


def _set_in(to: Translation, argument: Any, container: Any, *condition: Any) -> None:
    """Require, in the model of ``to``, that an argument is in the constant set ``container``.

    condition: nothing; or a Boolean, and the constraint has to hold if it is true; or the Boolean twice, and the
    constraint holds if and only if it is true.

    Raises ValueError if the set is a variable.
    """
    if not isinstance(container, Ranges):
        raise ValueError("set variables are not supported in a .fzn file; give the .mzn file")
    _require_sum_in(to, [1], [argument], as_domain(container), *map(to.literal, condition))


def _clause(to: Translation, positive: Sequence[Any], negative: Sequence[Any], *condition: Any) -> None:
    """Require, in the model of ``to``, that a literal of ``positive`` is true or one of ``negative`` false.

    condition: nothing; or a Boolean, and the constraint has to hold if it is true; or the Boolean twice, and the
    constraint holds if and only if it is true.
    """
    literals = [*to.literals(positive), *(~literal for literal in to.literals(negative))]
    _any_of(to, literals, *map(to.literal, condition))


def _any_of(to: Translation, literals: Sequence[Any], *condition: Any) -> None:
    """Require, in the model of ``to``, that at least one literal is true.

    condition: nothing; or a literal, and the constraint has to hold if it is true; or the literal twice, and the
    constraint holds if and only if it is true.
    """
    if not condition:
        to.model.add_bool_or(literals)
        return
    to.model.add_bool_or([~condition[0], *literals])
    if len(condition) > 1:
        for literal in literals:
            to.model.add_implication(literal, condition[0])


def _require_or(to: Translation, arguments: Sequence[Any], result: Any) -> None:
    """Require, in the model of ``to``, that ``result`` is true if and only if an argument is."""
    condition = to.literal(result)
    _any_of(to, to.literals(arguments), condition, condition)


def _require_and(to: Translation, arguments: Sequence[Any], result: Any) -> None:
    """Require, in the model of ``to``, that ``result`` is true if and only if all arguments are."""
    condition = ~to.literal(result)
    _any_of(to, [~literal for literal in to.literals(arguments)], condition, condition)


def _or_imp(to: Translation, arguments: Sequence[Any], condition: Any) -> None:
    """Require, in the model of ``to``, that an argument is true if ``condition`` is."""
    _any_of(to, to.literals(arguments), to.literal(condition))


def _and_imp(to: Translation, arguments: Sequence[Any], condition: Any) -> None:
    """Require, in the model of ``to``, that all arguments are true if ``condition`` is."""
    for literal in to.literals(arguments):
        to.model.add_implication(to.literal(condition), literal)


def _odd(to: Translation, arguments: Sequence[Any]) -> None:
    """Require, in the model of ``to``, that an odd number of the arguments is true."""
    to.model.add_bool_xor(to.literals(arguments))


def _xor(to: Translation, literal: Any, other: Any, result: Any = True) -> None:
    """Require, in the model of ``to``, that ``result`` is true if and only if exactly one of the two others is."""
    to.model.add_bool_xor([to.literal(literal), to.literal(other), ~to.literal(result)])


def _iff(to: Translation, literal: Any, other: Any, result: Any) -> None:
    """Require, in the model of ``to``, that ``result`` is true if and only if ``literal`` and ``other`` are equal."""
    to.model.add_bool_xor(to.literals([literal, other, result]))


def _times(to: Translation, factor_a: Any, factor_b: Any, result: Any) -> None:
    """Require, in the model of ``to``, that ``result`` is the product of ``factor_a`` and ``factor_b``."""
    for factor, other_factor in ((factor_a, factor_b), (factor_b, factor_a)):
        if not isinstance(factor, Variable):
            return _require_sum_in(to, [int(factor), -1], [other_factor, result], Domain(0, 0))
    to.model.add_multiplication_equality(to.integer(result), to.integers([factor_a, factor_b]))


def _divide(to: Translation, dividend: Any, divisor: Any, result: Any) -> None:
    """Require, in the model of ``to``, that ``result`` is the quotient, rounded towards 0.

    A divisor that can only be 0 makes the model infeasible.
    """
    if to.bounds(divisor) == (0, 0):
        to.model.add_bool_or([])
        return
    to.model.add_division_equality(*to.integers([result, dividend, divisor]))


def _modulo(to: Translation, dividend: Any, divisor: Any, result: Any) -> None:
    """Require, in the model of ``to``, that ``result`` is the remainder, which has the sign of the dividend.

    A divisor that can only be 0 makes the model infeasible.
    """
    low, high = to.bounds(divisor)
    if low == high == 0:
        to.model.add_bool_or([])
        return
    modulus = to.integer(divisor)
    if isinstance(modulus, int):
        modulus = abs(modulus)
    elif low < 0:
        modulus = to.add_variable(1, max(-low, high, 1))
        to.model.add_abs_equality(modulus, to.integer(divisor))
    to.model.add_modulo_equality(to.integer(result), to.integer(dividend), modulus)


def _power(to: Translation, base: Any, exponent: Any, result: Any) -> None:
    """Require, in the model of ``to``, that ``result`` is the power of the base by the exponent.

    Raises ValueError if there are too many cases to list. A case is a value of the base with a value of the exponent.
    """
    if not isinstance(exponent, Variable) and exponent >= 0:
        if exponent == 0:
            return _require_sum_in(to, [1], [result], Domain(1, 1))
        if exponent == 1:
            return _require_sum_in(to, [1, -1], [base, result], Domain(0, 0))
        to.model.add_multiplication_equality(to.integer(result), [to.integer(base)] * exponent)
        return
    domains = [
        to.domain(operand) if isinstance(operand, Variable) else Ranges(((int(operand), int(operand)),))
        for operand in (base, exponent)
    ]
    if domains[0].size * domains[1].size > MAX_POWER_PAIRS:
        raise ValueError(f"a power has more than {MAX_POWER_PAIRS} cases; give its base and its exponent fewer values")
    powers = [(x, y, power) for x, y in product(*domains) if (power := _integer_power(x, y)) is not None]
    _table(to, [base, exponent, result], [number for row in powers for number in row])


def _integer_power(base: int, exponent: int) -> int | None:
    """Return base ** exponent, rounded towards 0; None where it is undefined or too large for solvers."""
    if exponent < 0:
        if base == 0:
            return None
        return base ** (-exponent % 2) if abs(base) == 1 else 0
    power = base**exponent if abs(base) < 2 or exponent < 64 else GREATEST + 1
    return power if abs(power) <= GREATEST else None


def _table(to: Translation, arguments: Sequence[Any], numbers: Sequence[int]) -> None:
    """Require, in the model of ``to``, that the values of the arguments are a row of a table.

    numbers: the rows of the table, one after the other.
    """
    if not arguments:
        return
    flat = iter(map(int, numbers))
    rows = list(zip(*[flat] * len(arguments), strict=True))
    if not rows:
        to.model.add_bool_or([])
        return
    to.model.add_allowed_assignments([to.literal(argument) for argument in arguments], rows)


def _element(to: Translation, index: Any, array: Sequence[Any], result: Any) -> None:
    """Require, in the model of ``to``, that ``result`` is the element of the array at the index.

    The first index is 1.
    """
    place = to.integer(index)
    if isinstance(place, int):
        if not 1 <= place <= len(array):
            to.model.add_bool_or([])
            return
        return _require_sum_in(to, [1, -1], [array[place - 1], result], Domain(0, 0))
    to.model.add_element(place - 1, to.integers(array), to.integer(result))


def _extreme(is_greatest: bool, to: Translation, result: Any, arguments: Sequence[Any]) -> None:
    """Require, in the model of ``to``, that ``result`` is the greatest argument.

    If ``is_greatest`` is False, it has to be the least one.
    """
    add = to.model.add_max_equality if is_greatest else to.model.add_min_equality
    add(to.integer(result), to.integers(arguments))


def _comparison_posts() -> Mapping[str, Post]:
    """Return the functions of comparisons, sets and clauses by the names of FlatZinc.

    Each constraint has a plain form, a reified one and an implied one.
    """
    posts: dict[str, Post] = {}
    for relation in COMPARED:
        for kind in ("int", "bool"):
            if kind == "bool" and relation == "ge":
                continue
            for name, post in (("", _compare), ("_lin", _compare_sum)):
                post_of_relation = partial(post, relation)
                posts[f"{kind}{name}_{relation}"] = post_of_relation
                posts[f"{kind}{name}_{relation}_reif"] = _reification(post_of_relation)
                posts[f"{kind}{name}_{relation}_imp"] = post_of_relation
    for name, other in (("set_in", _set_in), ("bool_clause", _clause)):
        posts |= {name: other, f"{name}_reif": _reification(other), f"{name}_imp": other}
    return posts


def _reification(post: Post) -> Post:
    """Return the reified form of a constraint: it holds if and only if the last argument is true.

    post: adds the plain form to the model.
    """
    return lambda to, *arguments: post(to, *arguments, arguments[-1])


def _absolute(to: Translation, argument: Any, result: Any) -> None:
    """Require, in the model of ``to``, that ``result`` is the absolute value of the argument."""
    to.model.add_abs_equality(to.integer(result), to.integer(argument))


def _form_with_two(post: Post) -> Post:
    """Return the form with two arguments of a constraint that takes an array of arguments.

    post: adds the constraint to the model.
    """
    return lambda to, one, other, result: post(to, [one, other], result)


BUILTINS: Mapping[str, Post] = {
    **_comparison_posts(),
    "bool2int": partial(_compare, "eq"),
    "bool_eq_reif": _iff,
    "bool_not": partial(_compare, "ne"),
    "bool_xor": _xor,
    "bool_xor_reif": _xor,
    "bool_and": _form_with_two(_require_and),
    "bool_or": _form_with_two(_require_or),
    "bool_and_imp": _form_with_two(_and_imp),
    "bool_or_imp": _form_with_two(_or_imp),
    "array_bool_and": _require_and,
    "array_bool_or": _require_or,
    "array_bool_and_imp": _and_imp,
    "array_bool_or_imp": _or_imp,
    "array_bool_xor": _odd,
    "int_plus": lambda to, one, other, result: _require_sum_in(to, [1, 1, -1], [one, other, result], Domain(0, 0)),
    "int_minus": lambda to, one, other, result: _require_sum_in(to, [1, -1, -1], [one, other, result], Domain(0, 0)),
    "int_negate": lambda to, one, result: _require_sum_in(to, [1, 1], [one, result], Domain(0, 0)),
    "int_times": _times,
    "int_div": _divide,
    "int_mod": _modulo,
    "int_pow": _power,
    "int_pow_fixed": _power,
    "int_abs": _absolute,
    "int_max": lambda to, one, other, result: _extreme(True, to, result, [one, other]),
    "int_min": lambda to, one, other, result: _extreme(False, to, result, [one, other]),
    "array_int_maximum": partial(_extreme, True),
    "array_int_minimum": partial(_extreme, False),
    "array_int_element": _element,
    "array_bool_element": _element,
    "array_var_int_element": _element,
    "array_var_bool_element": _element,
    "set_card": lambda to, of, number: _require_sum_in(to, [1], [number], Domain(of.size, of.size)),
}
"""The functions by the name of the constraint."""
