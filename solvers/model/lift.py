"""CNF -> CpModel: a puzzle that is declared as clauses becomes a model like any other."""

from __future__ import annotations

from typing import Any

from ortools.sat.python.cp_model import CpModel, LinearExpr
from pysat.formula import CNF


def lift(cnf: CNF) -> CpModel:
    """Return a CNF formula as a model.

    Variable i - 1 of the model is variable i of the formula, even if no clause has that variable. Cardinality
    constraints of a `pysat.formula.CNFPlus` become linear constraints. Raises ValueError if a literal names no
    variable.

    >>> from pysat.formula import CNF
    >>> model = lift(CNF(from_clauses=[[1, -3]]))
    >>> list(model.proto.constraints[0].bool_or.literals)
    [0, -3]
    """
    model = CpModel()
    variables = [model.new_bool_var("") for _ in range(cnf.nv)]

    def literal(number: int) -> Any:
        """Return OR-Tools' literal for a literal in DIMACS form."""
        if not 1 <= abs(number) <= len(variables):
            raise ValueError(f"a clause holds {number}, but the formula has variables 1 to {len(variables)}")
        return variables[number - 1] if number > 0 else ~variables[-number - 1]

    for clause in cnf.clauses:
        model.add_bool_or(map(literal, clause))
    for at_most in getattr(cnf, "atmosts", ()):  # [literals, bound] or [literals, bound, weights]
        literals, bound = at_most[:2]
        is_weighted = len(at_most) > 2
        coefficients = at_most[2] if is_weighted else [1] * len(literals)
        model.add(LinearExpr.weighted_sum(list(map(literal, literals)), coefficients) <= bound)
    return model
