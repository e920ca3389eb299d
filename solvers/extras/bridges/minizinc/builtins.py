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

DIFFERENCES: Mapping[str, tuple[int, int] | None] = {
    "eq": (0, 0),
    "ne": None,
    "le": (LEAST, 0),
    "lt": (LEAST, -1),
    "ge": (0, GREATEST),
    "gt": (1, GREATEST),
}
"""The ends of the range of left side - right side, for each relation; None for everywhere but at 0."""


def _difference_domain(relation: str) -> Domain:
    """Return the domain of the difference of two numbers that are in a relation.

    relation: a key of `DIFFERENCES`.
    """
    ends = DIFFERENCES[relation]
    return Domain(*ends) if ends else Domain(0, 0).complement()


def _require_sum_in(
    translation: Translation, coefficients: Sequence[int], arguments: Sequence[Any], domain: Domain, *condition: Any
) -> None:
    """Require that the sum of coefficients times arguments is in a domain.

    condition: nothing; or a literal, and the constraint has to hold if it is true; or the literal twice, and the
    constraint holds if and only if it is true. ``translation.linear`` returns the sum as an expression and a constant,
    which goes to the domain's side.
    """
    expression, constant = translation.linear(coefficients, arguments)
    shifted_domain = domain.addition_with(Domain(-constant, -constant))
    constraint = translation.model.add_linear_expression_in_domain(expression, shifted_domain)
    if condition:
        constraint.only_enforce_if(condition[0])
    if len(condition) > 1:
        translation.model.add_linear_expression_in_domain(expression, shifted_domain.complement()).only_enforce_if(
            ~condition[0]
        )


def _compare(relation: str, translation: Translation, left: Any, right: Any, *condition: Any) -> None:
    """Require that two arguments are in a relation, such as "le", a key of `DIFFERENCES`.

    condition: nothing; or a Boolean, and the constraint has to hold if it is true; or the Boolean twice, and the
    constraint holds if and only if it is true.

    If and only if a variable has a constant value is said by the literal for this equality, of which the model needs
    one only: ``name_equality`` makes the Boolean that literal, unless there is one, to which it then has to be equal.
    translation: has the model; its ``literal`` returns the variable for an argument, also for a constant. ``equals``
    returns the literal for an equality. `_require_sum_in` requires that a sum of coefficients times arguments is in a
    domain.
    """
    if len(condition) == 2 and relation in ("eq", "ne"):
        variable, value = (right, left) if isinstance(right, Variable) else (left, right)
        if isinstance(variable, Variable) and not isinstance(value, Variable) and relation == "eq":
            if translation.name_equality(variable, value, condition[0]):
                return
            return _require_equal(translation, translation.equals(variable, value), translation.literal(condition[0]))
    _require_sum_in(
        translation, [1, -1], [left, right], _difference_domain(relation), *map(translation.literal, condition)
    )


def _require_equal(translation: Translation, literal: Any, other: Any) -> None:
    """Require that two literals, variables of the model or their negations, are equal."""
    if getattr(literal, "index", None) != getattr(other, "index", None):
        translation.model.add_bool_xor([literal, ~other])


def _compare_sum(
    relation: str,
    translation: Translation,
    coefficients: Sequence[int],
    arguments: Sequence[Any],
    right: Any,
    *condition: Any,
) -> None:
    """Require that the sum of coefficients times arguments and ``right`` are in a relation, such as "le".

    relation: a key of `DIFFERENCES`. condition: nothing; or a Boolean, and the constraint has to hold if it is true; or
    the Boolean twice, and the constraint holds if and only if it is true. translation: has the model; its ``literal``
    returns the variable for an argument, also for a constant. `_require_sum_in` requires that a sum of coefficients
    times arguments is in a domain.
    """
    domain = _difference_domain(relation)
    condition_literals = map(translation.literal, condition)
    _require_sum_in(translation, [*coefficients, -1], [*arguments, right], domain, *condition_literals)


def _set_in(translation: Translation, argument: Any, container: Any, *condition: Any) -> None:
    """Require that an argument is in the constant set ``container``.

    condition: nothing; or a Boolean, and the constraint has to hold if it is true; or the Boolean twice, and the
    constraint holds if and only if it is true.

    Raises ValueError if the set is a variable. translation: has the model; its ``literal`` returns the variable for an
    argument, also for a constant. `_require_sum_in` requires that a sum of coefficients times arguments is in a domain.
    """
    if not isinstance(container, Ranges):
        raise ValueError("set variables are not supported in a .fzn file; give the .mzn file")
    _require_sum_in(translation, [1], [argument], as_domain(container), *map(translation.literal, condition))


def _clause(translation: Translation, positive: Sequence[Any], negative: Sequence[Any], *condition: Any) -> None:
    """Require that one of ``positive`` is true or one of ``negative`` is false; all are Booleans or constants.

    condition: nothing; or a Boolean, and the constraint has to hold if it is true; or the Boolean twice, and the
    constraint holds if and only if it is true. translation: has the model; its ``literals`` returns the variables for
    arguments, also for a constant.
    """
    literals = [*translation.literals(positive), *(~literal for literal in translation.literals(negative))]
    _any_of(translation, literals, *map(translation.literal, condition))


def _any_of(translation: Translation, literals: Sequence[Any], *condition: Any) -> None:
    """Require that at least one literal is true.

    condition: nothing; or a literal, and the constraint has to hold if it is true; or the literal twice, and the
    constraint holds if and only if it is true. translation: has the model and its variables.
    """
    if not condition:
        translation.model.add_bool_or(literals)
        return
    translation.model.add_bool_or([~condition[0], *literals])
    if len(condition) > 1:
        translation.model.add_bool_and([~literal for literal in literals]).only_enforce_if(~condition[0])


def _require_or(translation: Translation, arguments: Sequence[Any], result: Any) -> None:
    """Require that ``result`` is true if and only if an argument is."""
    condition = translation.literal(result)
    _any_of(translation, translation.literals(arguments), condition, condition)


def _require_and(translation: Translation, arguments: Sequence[Any], result: Any) -> None:
    """Require that ``result`` is true if and only if all arguments are."""
    condition = ~translation.literal(result)
    _any_of(translation, [~literal for literal in translation.literals(arguments)], condition, condition)


def _or_imp(translation: Translation, arguments: Sequence[Any], condition: Any) -> None:
    """Require that an argument is true if ``condition`` is."""
    _any_of(translation, translation.literals(arguments), translation.literal(condition))


def _and_imp(translation: Translation, arguments: Sequence[Any], condition: Any) -> None:
    """Require that all arguments are true if ``condition`` is."""
    translation.model.add_bool_and(translation.literals(arguments)).only_enforce_if(translation.literal(condition))


def _odd(translation: Translation, arguments: Sequence[Any]) -> None:
    """Require that an odd number of the arguments is true."""
    translation.model.add_bool_xor(translation.literals(arguments))


def _xor(translation: Translation, literal: Any, other: Any, result: Any = True) -> None:
    """Require that ``result`` is true if and only if exactly one of the two others is."""
    translation.model.add_bool_xor(
        [translation.literal(literal), translation.literal(other), ~translation.literal(result)]
    )


def _iff(translation: Translation, literal: Any, other: Any, result: Any) -> None:
    """Require that ``result`` is true if and only if ``literal`` and ``other`` are equal."""
    translation.model.add_bool_xor(translation.literals([literal, other, result]))


def _times(translation: Translation, factor_a: Any, factor_b: Any, result: Any) -> None:
    """Require that ``result`` is the product of ``factor_a`` and ``factor_b``.

    translation: has the model; its ``integer`` returns the variable for an argument, or a constant as an int.
    `_require_sum_in` requires that a sum of coefficients times arguments is in a domain.
    """
    for factor, other_factor in ((factor_a, factor_b), (factor_b, factor_a)):
        if not isinstance(factor, Variable):
            return _require_sum_in(translation, [int(factor), -1], [other_factor, result], Domain(0, 0))
    translation.model.add_multiplication_equality(
        translation.integer(result), translation.integers([factor_a, factor_b])
    )


def _divide(translation: Translation, dividend: Any, divisor: Any, result: Any) -> None:
    """Require that ``result`` is the quotient, rounded towards 0.

    A divisor that can only be 0 makes the model infeasible. translation: has the model; its ``integers`` returns the
    variables for arguments, or a constant as an int.
    """
    if translation.bounds(divisor) == (0, 0):
        translation.model.add_bool_or([])  # false
        return
    translation.model.add_division_equality(*translation.integers([result, dividend, divisor]))


def _modulo(translation: Translation, dividend: Any, divisor: Any, result: Any) -> None:
    """Require that ``result`` is the remainder, which has the sign of the dividend.

    CP-SAT's constraint takes positive divisors only, and the sign of the divisor does not change the remainder: its
    absolute value is taken. A divisor that can only be 0 makes the model infeasible. translation: has the model; its
    ``integer`` returns the variable for an argument, or a constant as an int.
    """
    low, high = translation.bounds(divisor)
    if low == high == 0:
        translation.model.add_bool_or([])  # false
        return
    modulus = translation.integer(divisor)
    if isinstance(modulus, int):
        modulus = abs(modulus)
    elif low < 0:
        modulus = translation.add_variable(1, max(-low, high, 1))
        translation.model.add_abs_equality(modulus, translation.integer(divisor))
    translation.model.add_modulo_equality(translation.integer(result), translation.integer(dividend), modulus)


def _power(translation: Translation, base: Any, exponent: Any, result: Any) -> None:
    """Require that ``result`` is the power of the base by the exponent.

    A constant exponent from 2 on is a product of equal factors. A variable or negative one becomes a table of cases: a
    value of the base with a value of the exponent and their power, unless that is undefined. Raises ValueError if there
    are too many cases. translation: has the model; its ``integer`` returns the variable for an argument, or a constant
    as an int. `_require_sum_in` requires that a sum of coefficients times arguments is in a domain.
    """
    if not isinstance(exponent, Variable) and exponent >= 0:
        if exponent == 0:
            return _require_sum_in(translation, [1], [result], Domain(1, 1))
        if exponent == 1:
            return _require_sum_in(translation, [1, -1], [base, result], Domain(0, 0))
        factors = [translation.integer(base)] * exponent
        translation.model.add_multiplication_equality(translation.integer(result), factors)
        return
    domains = [
        translation.domain(operand) if isinstance(operand, Variable) else Ranges(((int(operand), int(operand)),))
        for operand in (base, exponent)
    ]
    if domains[0].size * domains[1].size > MAX_POWER_PAIRS:
        raise ValueError(f"a power has more than {MAX_POWER_PAIRS} cases; give its base and its exponent fewer values")
    powers = [(x, y, power) for x, y in product(*domains) if (power := _integer_power(x, y)) is not None]
    _table(translation, [base, exponent, result], [number for row in powers for number in row])


def _integer_power(base: int, exponent: int) -> int | None:
    """Return base ** exponent, rounded towards 0; None where it is undefined or too large for solvers.

    A negative exponent gives the reciprocal: 1 for the base 1, 1 or -1 for the base -1, and 0 for others.
    """
    if exponent < 0:
        if base == 0:
            return None
        return base ** (-exponent % 2) if abs(base) == 1 else 0
    # A great power is not computed.
    power = base**exponent if abs(base) < 2 or exponent < 64 else GREATEST + 1
    return power if abs(power) <= GREATEST else None


def _table(translation: Translation, arguments: Sequence[Any], numbers: Sequence[int]) -> None:
    """Require that the values of the arguments are a row of a table.

    numbers: the rows of the table, one after the other. Without rows, the model becomes infeasible. translation: has
    the model; its ``literal`` returns the variable for an argument, also for a constant.
    """
    if not arguments:
        return
    flat_numbers = iter(map(int, numbers))
    rows = list(zip(*[flat_numbers] * len(arguments), strict=True))
    if not rows:
        translation.model.add_bool_or([])  # false
        return
    translation.model.add_allowed_assignments([translation.literal(argument) for argument in arguments], rows)


def _element(translation: Translation, index: Any, array: Sequence[Any], result: Any) -> None:
    """Require that ``result`` is the element of the array at the index, counted from 1.

    A constant index outside the array makes the model infeasible. translation: has the model; its ``integer`` returns
    the variable for an argument, or a constant as an int. `_require_sum_in` requires that a sum of coefficients times
    arguments is in a domain.
    """
    place = translation.integer(index)
    if isinstance(place, int):
        if not 1 <= place <= len(array):
            translation.model.add_bool_or([])  # false
            return
        return _require_sum_in(translation, [1, -1], [array[place - 1], result], Domain(0, 0))
    translation.model.add_element(place - 1, translation.integers(array), translation.integer(result))


def _extreme(is_greatest: bool, translation: Translation, result: Any, arguments: Sequence[Any]) -> None:
    """Require that ``result`` is the greatest argument.

    If ``is_greatest`` is False, it has to be the least one.
    """
    add = translation.model.add_max_equality if is_greatest else translation.model.add_min_equality
    add(translation.integer(result), translation.integers(arguments))


def _comparison_posts() -> Mapping[str, Post]:
    """Return the functions of comparisons, sets and clauses by the names of FlatZinc.

    Each constraint has a plain form, a reified one, whose last argument is true if and only if it holds, and an implied
    one, which has to hold if that argument is true. A function such as `_compare` takes that argument as its condition,
    once for the implied form and twice for the reified one.
    """
    posts: dict[str, Post] = {}
    for relation in DIFFERENCES:
        for kind in ("int", "bool"):
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
    return lambda translation, *arguments: post(translation, *arguments, arguments[-1])


def _absolute(translation: Translation, argument: Any, result: Any) -> None:
    """Require that ``result`` is the absolute value of the argument."""
    translation.model.add_abs_equality(translation.integer(result), translation.integer(argument))


def _form_with_two(post: Post) -> Post:
    """Return the form with two arguments of a constraint that takes an array of arguments.

    post: adds the constraint to the model.
    """
    return lambda translation, one, other, result: post(translation, [one, other], result)


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
    "int_plus": lambda translation, one, other, result: _require_sum_in(
        translation, [1, 1, -1], [one, other, result], Domain(0, 0)
    ),
    "int_minus": lambda translation, one, other, result: _require_sum_in(
        translation, [1, -1, -1], [one, other, result], Domain(0, 0)
    ),
    "int_negate": lambda translation, one, result: _require_sum_in(translation, [1, 1], [one, result], Domain(0, 0)),
    "int_times": _times,
    "int_div": _divide,
    "int_mod": _modulo,
    "int_pow": _power,
    "int_pow_fixed": _power,
    "int_abs": _absolute,
    "int_max": lambda translation, one, other, result: _extreme(True, translation, result, [one, other]),
    "int_min": lambda translation, one, other, result: _extreme(False, translation, result, [one, other]),
    "array_int_maximum": partial(_extreme, True),
    "array_int_minimum": partial(_extreme, False),
    "array_int_element": _element,
    "array_bool_element": _element,
    "array_var_int_element": _element,
    "array_var_bool_element": _element,
    "set_card": lambda translation, of, number: _require_sum_in(translation, [1], [number], Domain(of.size, of.size)),
}
"""The functions by the name of the constraint."""
