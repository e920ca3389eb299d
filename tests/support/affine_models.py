"""Random models of one constraint or two, whose arguments are multiples of small variables with an offset.

Solvers put variables of their own in the place of such arguments; many of those here have two values, of which solvers
make Booleans.
"""

import random
from collections.abc import Callable, Mapping
from typing import Any

from ortools.sat.python.cp_model import CpModel, Domain, IntVar


class Arguments:
    """Random arguments over the variables of a model."""

    def __init__(self, model: CpModel, rng: random.Random) -> None:
        self.rng = rng
        self._variables = [_variable(model, rng, number) for number in range(rng.choice((2, 3, 3, 4)))]

    def one(self) -> Any:
        """A multiple of a variable, perhaps with an offset."""
        multiple = self.rng.choice((-3, -2, -1, 1, 1, 1, 2, 3)) * self.rng.choice(self._variables)
        return multiple + self.rng.choice((0, 0, 0, -3, -2, -1, 1, 2, 3))

    def sum(self) -> Any:
        """The same, or a sum of two."""
        return self.one() + self.one() if self.rng.random() < 0.1 else self.one()

    def some(self, least: int, most: int) -> list[Any]:
        """Several of `one`."""
        return [self.one() for _ in range(self.rng.randint(least, most))]

    def sums(self, least: int, most: int) -> list[Any]:
        """Several of `sum`."""
        return [self.sum() for _ in range(self.rng.randint(least, most))]


def _variable(model: CpModel, rng: random.Random, number: int) -> IntVar:
    least, width = rng.randint(-3, 3), rng.choice((0, 1, 1, 1, 2, 3))
    whole = list(range(least, least + width + 1))
    values = rng.choice([[0, 1], whole, whole, [least, least + width + 1]])
    return model.new_int_var_from_domain(Domain.from_values(values), f"x{number}")


def affine_model(rng: random.Random) -> CpModel:
    """A model of two to four variables, and of a Boolean for what is enforced."""
    model = CpModel()
    arguments = Arguments(model, rng)
    for _ in range(rng.choice((1, 1, 2))):
        CONSTRAINTS[rng.choice(list(CONSTRAINTS))](model, arguments)
    return model


def _sum(model: CpModel, some: Arguments) -> None:
    values = [some.rng.randint(-6, 8) for _ in range(some.rng.choice((1, 2, 4)))]
    model.add_linear_expression_in_domain(sum(some.sums(1, 3)), Domain.from_values(values))


def _element(model: CpModel, some: Arguments) -> None:
    entries = [entry if some.rng.random() < 0.5 else some.rng.randint(-3, 3) for entry in some.some(2, 4)]
    model.add_element(some.one(), entries, some.one())


def _table(model: CpModel, some: Arguments) -> None:
    columns = some.some(1, 3)
    model.add_allowed_assignments(columns, [[some.rng.randint(-4, 4) for _ in columns] for _ in range(12)])


CONSTRAINTS: Mapping[str, Callable[[CpModel, Arguments], object]] = {
    "max": lambda model, some: model.add_max_equality(some.sum(), some.sums(1, 3)),
    "min": lambda model, some: model.add_min_equality(some.sum(), some.sums(1, 3)),
    "abs": lambda model, some: model.add_abs_equality(some.sum(), some.sum()),
    "product": lambda model, some: model.add_multiplication_equality(some.sum(), some.sums(2, 2)),
    "division": lambda model, some: model.add_division_equality(some.one(), some.one(), some.rng.choice((1, 2, 3, -2))),
    "modulo": lambda model, some: model.add_modulo_equality(some.one(), some.one(), some.rng.randint(1, 3)),
    "different": lambda model, some: model.add_all_different(some.some(2, 3)),
    "equality": lambda model, some: model.add(some.sum() == some.sum()),
    "inequality": lambda model, some: model.add(some.sum() != some.sum()),
    "enforced": lambda model, some: model.add(some.sum() == some.sum()).only_enforce_if(model.new_bool_var("")),
    "sum": _sum,
    "element": _element,
    "table": _table,
}
