"""Rivals: solutions other than the one that is meant, asked for one by one where they are too many to list."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from solvers.backends.cp_sat_flaws import add_linear, take_objective
from solvers.backends.protocol import Backend
from solvers.backends.registry import backend_kind
from solvers.errors import InputError
from solvers.invent.facts import Fact
from solvers.symmetry.key import Encoded, Key

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel


BEST = "the value is the best"
"""The name of the constraint that takes the place of an objective."""


def settled(model: CpModel, key: Key, stop: threading.Event, held: CpModel | None = None) -> CpModel:
    """A copy of the model without an objective; if it had one, only solutions that have the best value are left.

    held: the model with what is given, if that is not in it; the best is then the best that goes with it.
    """
    result = model.clone()
    proto = result.proto
    if not (proto.has_objective() or proto.has_floating_point_objective()):
        return result
    best = backend_kind("cp-sat")[0](held or model, key.variables, stop).optimum()
    terms = take_objective(proto)
    if best is not None:
        add_linear(proto, terms, [best, best])
        proto.constraints[len(proto.constraints) - 1].name = BEST
    return result


def prepared(model: CpModel, key: Sequence[int], stop: threading.Event) -> Backend:
    """What answers for a model: a SAT solver, or CP-SAT where it has no lowering."""
    try:
        return backend_kind("sat")[0](model, key, stop)
    except InputError:
        return backend_kind("cp-sat")[0](model, key, stop)


def literal_of(model: CpModel, key: Key, number: int) -> Any:
    """A Boolean of the model that is true where this literal of the key holds; for integers, it is added."""
    position, value = key.literal(number)
    variable = model.get_int_var_from_proto_index(key.variables[position])
    if key.is_boolean[position]:
        return variable if value else ~variable
    holds = model.new_bool_var("")
    model.add(variable == value).only_enforce_if(holds)
    model.add(variable != value).only_enforce_if(~holds)
    return holds


def fact_of(model: CpModel, key: Key, fact: Fact) -> Any:
    """A Boolean of the model that is true where the fact holds."""
    literals = [literal_of(model, key, number) for number in fact.literals]
    if len(literals) == 1:
        return literals[0]
    holds = model.new_bool_var("")
    model.add_bool_or(literals).only_enforce_if(holds)
    model.add_bool_and([~literal for literal in literals]).only_enforce_if(~holds)
    return holds


class Rivals:
    """Asks for solutions other than one, in which some of that one's facts hold."""

    def __init__(
        self, model: CpModel, key: Key, facts: Sequence[Fact], solution: Encoded, stop: threading.Event
    ) -> None:
        """model: without an objective. facts: such as hold in the solution."""
        own = model.clone()
        self.size = len(facts)
        self._key = key
        self._facts: list[int] = [fact_of(own, key, fact).index for fact in facts]
        whole = enumerate(key.values(solution))
        own.add_bool_or([~literal_of(own, key, key.number(position, value)) for position, value in whole])
        self._backend = prepared(own, key.variables, stop)

    def other(self, chosen: Iterable[int]) -> Any | None:
        """The values in another solution in which these of the facts hold, by their place; None if there is none."""
        (values,) = self._backend.extend([{self._variable(place): self._value(place) for place in chosen}])
        return values

    def nearest(self, chosen: Iterable[int]) -> tuple[Encoded, list[int]] | None:
        """One that shares as many facts as can be added one by one, and the facts that it lacks; None if there is none.

        Facts are added in their order, so that the same is asked for every time.
        """
        held = set(chosen)
        values = self.other(held)
        if values is None:
            return None
        lacking = self._lacking(values)
        for place in range(self.size):
            if place in lacking and (nearer := self.other({*range(self.size)} - lacking | {place})) is not None:
                values, lacking = nearer, self._lacking(nearer)
        return self._key.encode(values), sorted(lacking)

    def _lacking(self, values: Any) -> set[int]:
        return {place for place in range(self.size) if values[self._variable(place)] != self._value(place)}

    def _variable(self, place: int) -> int:
        return max(self._facts[place], -self._facts[place] - 1)

    def _value(self, place: int) -> int:
        return int(self._facts[place] >= 0)


@dataclass
class Telling:
    """What is known, at any time, of the smallest sets of facts that tell a solution from its rivals."""

    at_least: int = 0
    """So many facts are needed."""
    best: list[int] | None = None
    """The smallest set that is known so far to leave no rival; None if there is none, or it is not known."""
    sets: list[list[int]] = field(default_factory=list)
    """The sets that were asked for: all smallest, or all minimal ones."""
    alike: Encoded | None = None
    """A rival that has all the facts, so that none tell it apart."""
    rivals: int = 0
    """How many were asked for."""
    is_done: bool = False


def tell_apart(rivals: Rivals, telling: Telling, wanted: str = "one") -> Iterator[None]:
    """Find the smallest sets of facts that leave no rival, by minimum hitting sets of what rivals lack; in steps.

    wanted: one of the smallest, all of the "smallest", or all "minimal" ones, of which none can spare a fact.

    E. Moreno-Centeno, R. Karp, "The implicit hitting set approach to solve combinatorial optimization problems",
    Operations Research 61 (2013); hitting sets by PySAT's Hitman.
    """
    from pysat.examples.hitman import Hitman

    every = range(rivals.size)
    if alike := rivals.nearest(every):
        telling.alike, telling.is_done = alike[0], True
        return
    enough = [*every]
    for place in every:
        yield
        without = [other for other in enough if other != place]
        if rivals.other(without) is None:
            enough = without
    telling.best = enough
    with Hitman(htype="sorted") as hitman:
        told: set[int] = set()
        while (rival := rivals.nearest(told)) is not None:  # such that no two of them share a fact that they lack
            yield
            telling.rivals += 1
            hitman.hit(rival[1])
            told |= set(rival[1])
        while (hitting := hitman.get()) is not None:
            yield
            hitting = sorted(hitting)
            if wanted != "minimal":
                telling.at_least = len(hitting)
                if telling.sets and len(hitting) > len(telling.sets[0]):
                    break
                if wanted == "one" and telling.best is not None and len(telling.best) == len(hitting):
                    telling.sets = [telling.best]
                    break
            told = set(hitting)
            if (rival := rivals.nearest(told)) is None:
                telling.sets.append(hitting)
                if len(hitting) <= len(telling.best):
                    telling.best = hitting
                if wanted == "one":
                    break
                if not hitting:
                    break
                hitman.block(hitting)
            while rival is not None:
                yield
                telling.rivals += 1
                hitman.hit(rival[1])
                told |= set(rival[1])
                rival = rivals.nearest(told)
    telling.at_least = min(map(len, telling.sets))
    telling.sets.sort(key=lambda chosen: (len(chosen), chosen))
    telling.is_done = True
