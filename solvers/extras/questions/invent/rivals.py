"""Rivals: solutions other than the one that is meant, asked for one by one where they are too many to list."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from solvers.backends.protocol import Task
from solvers.backends.registry import extension_backend, make_backend
from solvers.extras.questions.invent.hitting import hitting_sets
from solvers.files.given import Fact
from solvers.model.reading import has_objective, variable_of
from solvers.model.writing import any_of, drop_objective, model_at_sum
from solvers.symmetry.key import Encoded, Key, key_literal

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel


BEST = "the value is the best"
"""The name of the constraint that takes the place of an objective."""


def with_best_value(model: CpModel, key: Key, stop: threading.Event, with_givens: CpModel | None = None) -> CpModel:
    """Return a copy of the model in which a constraint for its best value replaces the objective.

    A model without an objective is only copied; if there is no solution, the copy has neither an objective nor such a
    constraint. with_givens: the model with the givens, if ``model`` lacks them; the best value is then that of
    solutions with the givens. key: numbers the literals.

    Raises `Stopped` once the event is set, `InputError` if no backend takes the model.
    """
    if not has_objective(model):
        return model.clone()
    model_with_givens = with_givens or model
    best = make_backend("auto", Task(model_with_givens, key.variables, stop)).optimum()
    if best is None:  # no solution has the givens, whatever its value
        result = model.clone()
        drop_objective(result.proto)
        return result
    result = model_at_sum(model, best)  # its last constraint says that the objective has the value ``best``
    result.proto.constraints[len(result.proto.constraints) - 1].name = BEST
    return result


class Rivals:
    """A search for solutions other than a given one that share some of its facts.

    Facts are given by their places.
    """

    def __init__(
        self, model: CpModel, key: Key, facts: Sequence[Fact], solution: Encoded, stop: threading.Event
    ) -> None:
        """Prepare a backend for a model that has a Boolean for each fact, and a clause that excludes the solution.

        model: without an objective. key: numbers its literals. facts: facts that the solution has. solution: the given
        one. stop: ends a search when set. Raises `InputError` if no backend takes the model. Raises `Stopped` once
        ``stop`` is set.
        """
        copy_of_model = model.clone()
        self.size = len(facts)
        """The number of facts."""
        self._key = key
        self._facts: list[int] = [fact_of(copy_of_model, key, fact).index for fact in facts]
        """The literal of the model that is true iff the fact holds, for each; negative: the negation of a variable."""
        key_values = enumerate(key.values(solution))
        copy_of_model.add_bool_or(
            [~key_literal(copy_of_model, key, key.number(position, value)) for position, value in key_values]
        )
        self._backend = extension_backend(copy_of_model, key.variables, stop)
        self.stop = stop
        """The event that ends a search."""

    def rival(self, chosen: Iterable[int]) -> Any | None:
        """Return the values of the model's variables in another solution that has some of the facts.

        chosen: the places of these facts. The result is None if no other solution has them.
        """
        # `extend` returns, for each partial assignment, the values of all variables in a solution with it, or None.
        (values,) = self._backend.extend([{self._variable(place): self._value(place) for place in chosen}])
        return values

    def find_rival(self, chosen: Iterable[int]) -> tuple[Encoded, list[int]] | None:
        """Return (another solution that has the chosen facts, the places of the facts that it lacks); None without one.

        The other solution has as many facts as possible, so that few places have to be hit: each fact that it lacks is
        tried, in their order, and if another solution has it besides all that the last one has, that solution is taken.
        At the end, no solution has all of the last one's facts and one more. chosen: the places of facts.
        """
        chosen_set = set(chosen)
        values = self.rival(chosen_set)
        if values is None:
            return None
        lacking = self._missing_facts(values)
        for place in range(self.size):
            if place in lacking:
                one_more = {*range(self.size)} - lacking | {place}  # the facts of the last solution, and this one
                if (nearer := self.rival(one_more)) is not None:
                    values, lacking = nearer, self._missing_facts(nearer)
        return self._key.encode(values), sorted(lacking)

    def _missing_facts(self, values: Any) -> set[int]:
        """Return the places of the facts that a solution lacks.

        values: the values of the model's variables in the solution.
        """
        return {place for place in range(self.size) if values[self._variable(place)] != self._value(place)}

    def _variable(self, place: int) -> int:
        """Return the index of the variable of the fact at this place."""
        return variable_of(self._facts[place])

    def _value(self, place: int) -> int:
        """Return the value, 0 or 1, of the variable of the fact at this place if the fact is true."""
        return int(self._facts[place] >= 0)


@dataclass
class Telling:
    """The state of a search for the smallest sets of facts that distinguish a solution from its rivals.

    Facts are represented by their places.
    """

    at_least: int = 0
    """A lower bound of the number of facts."""
    best: list[int] | None = None
    """The smallest set found so far that leaves no rival; None if no such set exists or is known."""
    sets: list[list[int]] = field(default_factory=list)
    """The sets that were asked for: all smallest, or all minimal ones."""
    alike: Encoded | None = None
    """A rival that has all the facts, so that no set of them distinguishes it from the solution."""
    is_done: bool = False


def tell_apart(rivals: Rivals, telling: Telling, wanted: str = "one") -> None:
    """Search for the smallest sets of facts that leave no rival.

    A rival is another solution. Each rival lacks a set of facts, of which one is needed: the sets of facts to be found
    hit all of these sets. So a minimum hitting set of those found so far is a lower bound, and if it leaves no rival,
    it is an answer; otherwise, the rival adds a set to hit.

    rivals: finds other solutions; it raises `Stopped` once its event is set. telling: takes what is found. wanted:
    "one" of the smallest sets, all of the "smallest", or all "minimal" ones, of which no fact can be left out.

    The method is that of implicit hitting sets: E. Moreno-Centeno, R. Karp, "The implicit hitting set approach to solve
    combinatorial optimization problems", Operations Research 61 (2013); hitting sets by PySAT's Hitman.
    """
    every_fact = range(rivals.size)
    if alike := rivals.find_rival(every_fact):
        telling.alike, telling.is_done = alike[0], True
        return
    sufficient = [*every_fact]  # one minimal set, by leaving out each fact in turn: an upper bound
    for place in every_fact:
        fewer = [other for other in sufficient if other != place]
        if rivals.rival(fewer) is None:
            sufficient = fewer
    telling.best = sufficient
    with hitting_sets(rivals.stop) as hitman:
        while (hitting := hitman.get()) is not None:
            hitting = sorted(hitting)
            if wanted != "minimal":
                telling.at_least = len(hitting)
                if telling.sets and len(hitting) > len(telling.sets[0]):
                    break
                if wanted == "one" and len(telling.best) == len(hitting):  # the bounds meet
                    telling.sets = [telling.best]
                    break
            if (rival := rivals.find_rival(hitting)) is None:  # otherwise (its solution, the facts that it lacks)
                telling.sets.append(hitting)
                telling.best = min(telling.best, hitting, key=len)
                if wanted == "one" or not hitting:
                    break
                hitman.block(hitting)  # no later set contains this one
            distinguishing = {*hitting}
            while rival is not None:  # the sets of facts that these rivals lack are disjoint
                _, lacking = rival
                hitman.hit(lacking)
                distinguishing |= set(lacking)
                rival = rivals.find_rival(distinguishing)
    telling.at_least = min(map(len, telling.sets))
    telling.sets.sort(key=lambda chosen: (len(chosen), chosen))
    telling.is_done = True


def fact_of(model: CpModel, key: Key, fact: Fact) -> Any:
    """Return a Boolean of the model that is true iff the fact holds: one of its literals, and none that it excludes.

    Booleans are added to the model if needed; `any_of` adds one that is true iff some of its literals is. key: numbers
    the literals.
    """
    conjuncts = [~key_literal(model, key, number) for number in fact.excluded]
    literals = [key_literal(model, key, number) for number in fact.literals]
    if len(literals) > 1 or not (literals or conjuncts):
        literals = [any_of(model, literals)]
    conjuncts += literals
    if len(conjuncts) == 1:
        return conjuncts[0]
    return ~any_of(model, [~literal for literal in conjuncts])  # all are true iff no negation is
