"""Models and puzzles of a few variables, declared in a line or two."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ortools.sat.python.cp_model import CpModel, Domain

from models.puzzle import Puzzle, Symmetry

Rule = Callable[..., Any]
"""Says something of the variables of a model, which it is given with them."""

BOOLEAN = (0, 1)


def of(*allowed: int) -> list[int]:
    """The bounds of a domain of these values."""
    return [bound for value in allowed for bound in (value, value)]


def declared(domains: Sequence[Sequence[int]] | Mapping[Any, Sequence[int]], *rules: Rule) -> CpModel:
    """A model with a variable of each of these domains, which are given by their bounds, perhaps with names."""
    model = CpModel()
    named = domains if isinstance(domains, Mapping) else dict(enumerate(domains))
    variables = [
        model.new_int_var_from_domain(Domain.from_flat_intervals(list(domain)), str(name) if named is domains else "")
        for name, domain in named.items()
    ]
    for rule in rules:
        rule(model, *variables)
    return model


def puzzle(
    domains: Mapping[Any, Sequence[int]],
    *rules: Rule,
    key: Iterable[Any] | None = None,
    name: str = "test",
    **more: Any,
) -> Puzzle:
    """A puzzle of such a model; key: the labels of the variables that are to be told apart, by default of all."""
    model = declared(domains, *rules)
    variables = {label: model.get_int_var_from_proto_index(n) for n, label in enumerate(domains)}
    return Puzzle(name, {}, model, {label: variables[label] for label in key or domains}, **more)


def swapping(one: Any, other: Any) -> Symmetry:
    """The symmetry by which two labels change places."""
    return lambda label, value: ({one: other, other: one}.get(label, label), value)
