"""Constraints of a CP-SAT model negated, so that a search finds a solution that they remove."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from solvers.model.reading import (
    UNBOUNDED_VALUE,
    ZERO,
    Domain,
    LinearSum,
    all_negated,
    count,
    domain_of,
    expression,
    kind_of,
    linear_sum,
    negation,
    of_variable,
    terms_of,
)
from solvers.model.writing import ModelWriter

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel


def one_violated(
    model: CpModel, places: Collection[int], rules: CpModel, variables: Mapping[int, int] | None = None
) -> CpModel | None:
    """Return a copy of ``rules`` in which at least one of some constraints of ``model`` is violated.

    Each constraint gets a new literal that implies its violation, and a clause requires one of these literals. The
    result is None if one of these constraints is of a kind that cannot be negated.

    places: the positions of these constraints in the model. variables: for each variable of the model by index, the
    index of the variable of the rules that represents it; a value outside the model's domain then counts as a violation
    too. If left out, both have the same variables.

    >>> from ortools.sat.python.cp_model import CpModel
    >>> model = CpModel()
    >>> x = model.new_int_var(0, 9, "x")
    >>> _ = model.add(x <= 3)
    >>> rules = CpModel()
    >>> _ = rules.new_int_var(0, 9, "x")
    >>> from solvers.checks.evaluate import Evaluator
    >>> denied = one_violated(model, [0], rules)
    >>> Evaluator(denied).first_violation([3, 1]) is None, Evaluator(denied).first_violation([4, 1]) is None
    (False, True)
    """
    proto, result = model.clone().proto, rules.clone()
    denial = _Denial(ModelWriter(result), variables)
    for place in places:
        if not denial.add(proto.constraints[place]):
            return None
    for variable, variable_of_rules in (variables or {}).items():
        denial.add_outside(variable_of_rules, domain_of(proto.variables[variable]))
    denial.writer.clause(denial.broken)
    return result


class _Denial:
    """Writes constraints into a model, negated: a new literal for each implies that it is violated.

    `broken` lists these literals. A clause over them requires that one constraint is violated.
    """

    def __init__(self, writer: ModelWriter, variables: Mapping[int, int] | None) -> None:
        """Begin without constraints.

        writer: writes into the model. variables: for each variable of the constraints by index, the index of its
        counterpart in the model; None if the indices are the same.
        """
        self.writer, self._variables = writer, variables
        self.broken: list[int] = []

    def add(self, constraint: Any) -> bool:
        """Add a literal to `broken` that implies that the constraint is violated: it is enforced, and does not hold.

        Returns True, or False if the constraint's kind cannot be negated.
        """
        is_broken = self.writer.new_literal()
        self.broken.append(is_broken)
        for literal in self._literals_of_written_model(constraint.enforcement_literal):
            self.writer.clause([negation(is_broken), literal])
        return self._deny(constraint, negation(is_broken))

    def add_outside(self, variable: int, domain: Domain) -> None:
        """Add a literal to `broken` that implies that the value of the variable is outside the domain."""
        is_broken = self.writer.new_literal()
        self.broken.append(is_broken)
        self.writer.require(of_variable(variable), _complement(domain), [negation(is_broken)])

    def _literals_of_written_model(self, literals: Iterable[int]) -> list[int]:
        """Return literals of the constraint's model as literals of the model that is written.

        A literal is the index of a variable, or a negative number for its negation.
        """
        variables_of_model = self._variables
        if variables_of_model is None:
            return list(literals)
        return [
            variables_of_model[literal] if literal >= 0 else negation(variables_of_model[negation(literal)])
            for literal in literals
        ]

    def _sum_of_written_model(self, total: LinearSum) -> LinearSum:
        """Return a linear sum over the constraint's model as one over the model that is written."""
        variables_of_model = self._variables
        if variables_of_model is None:
            return total
        new_variables = [variables_of_model[variable] for variable in total.coefficients]
        return linear_sum(new_variables, total.coefficients.values(), total.offset)

    def _deny(self, constraint: Any, unless: int) -> bool:
        """Require that a constraint is violated unless the literal ``unless`` is true.

        The constraint's enforcement literals are ignored. Returns True, or False if the constraint's kind cannot be
        negated. ``writer.clause`` requires one of some literals, ``writer.require`` that a sum is in a domain unless
        one of some literals is true.
        """
        kind, writer = kind_of(constraint), self.writer
        arguments: Any = getattr(constraint, kind, None)
        if not kind:  # an empty constraint, which is never violated
            writer.clause([unless])
        elif kind == "linear":
            writer.require(self._sum_of_written_model(terms_of(arguments)), _complement(domain_of(arguments)), [unless])
        elif kind == "all_diff":
            sums = [self._sum_of_written_model(expression(expr)) for expr in arguments.exprs]
            writer.clause([unless, *_equalities(writer, sums)])
        elif kind in ("bool_or", "bool_and", "at_most_one", "exactly_one"):
            literals = self._literals_of_written_model(arguments.literals)
            if kind == "bool_or":
                for literal in literals:
                    writer.clause([unless, negation(literal)])
            elif kind == "bool_and":
                writer.clause([unless, *all_negated(literals)])
            else:  # two or more are true or, of exactly one, none is; `count` is the sum of the literals
                none_true: Domain = ((-UNBOUNDED_VALUE, 0),) if kind == "exactly_one" else ()
                writer.require(count(literals), (*none_true, (2, UNBOUNDED_VALUE)), [unless])
        else:
            return False
        return True


def _equalities(writer: ModelWriter, sums: Sequence[LinearSum]) -> Iterator[int]:
    """Yield a new literal for each pair of sums; if it is true, the two sums are equal.

    writer: writes into the model.
    """
    for total, other in combinations(sums, 2):
        is_equal = writer.new_literal()
        writer.require(total - other, ZERO, unless=[negation(is_equal)])
        yield is_equal


def _complement(domain: Domain) -> Domain:
    """Return the integers outside a domain, as a domain: the gaps before, between and behind its intervals."""
    ends = [-UNBOUNDED_VALUE - 1, *(end for piece in domain for end in piece), UNBOUNDED_VALUE + 1]
    gaps = ((low + 1, high - 1) for low, high in zip(ends[::2], ends[1::2], strict=True))
    return tuple((low, high) for low, high in gaps if low <= high)
