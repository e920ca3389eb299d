"""Models of a few variables, declared in a line or two."""

from collections.abc import Callable, Sequence
from typing import Any

from ortools.sat.python.cp_model import CpModel, Domain

Rule = Callable[..., Any]
"""Says something of the variables of a model, which it is given with them."""

BOOLEAN = (0, 1)


def of(*allowed: int) -> list[int]:
    """The bounds of a domain of these values."""
    return [bound for value in allowed for bound in (value, value)]


def declared(domains: Sequence[Sequence[int]], *rules: Rule) -> CpModel:
    """A model with a variable of each of these domains, which are given by their bounds."""
    model = CpModel()
    variables = [model.new_int_var_from_domain(Domain.from_flat_intervals(list(domain)), "") for domain in domains]
    for rule in rules:
        rule(model, *variables)
    return model
