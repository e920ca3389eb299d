"""The backend of OR-Tools' original constraint solver: propagation and depth-first search, nothing learned.

The key's variables are branched on first, and what they leave open is completed once, so that every key is found once.
If a model asks for decisions about other variables, these come first, and a key that is met again is passed over.
Of an exact cover each item is a variable, too, whose values are its options: the item with the fewest options left is
branched on. With Booleans alone the solver sees no such item. Of a circuit the node after each node is a variable.
"""

from __future__ import annotations

import random
import threading
from array import array
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from itertools import chain, repeat
from typing import Any

import numpy as np
from ortools.constraint_solver.pywrapcp import Solver

from solvers.backends.cp_constraints import translate
from solvers.backends.cp_variables import WIDE_RANGE
from solvers.backends.implied import add_ruled_out, exclusions
from solvers.backends.protocol import Task, ignore
from solvers.base.backend_rows import READING
from solvers.base.errors import InputError, Stopped
from solvers.base.values import Values
from solvers.checks.covers import check_added_exclusions
from solvers.model.exact_cover import ExactCover
from solvers.model.reading import negation, variable_of
from solvers.model.scheduling import without_scheduling
from solvers.model.writing import take_objective

PARAMETERS: Mapping[str, Sequence[str]] = {
    "variable": (
        "choose_min_size choose_max_size choose_first_unbound choose_random choose_lowest_min "
        "choose_highest_max choose_min_size_lowest_min choose_min_size_lowest_max choose_min_size_highest_min "
        "choose_min_size_highest_max choose_max_regret_on_min"
    ).split(),
    "value": (
        "assign_min_value",
        "assign_max_value",
        "assign_random_value",
        "assign_center_value",
        "split_lower_half",
        "split_upper_half",
    ),
}
"""For each parameter of the search, its values, by the solver's own names; the first is the default."""

CHOSEN = {
    "CHOOSE_FIRST": "CHOOSE_FIRST_UNBOUND",
    "CHOOSE_LOWEST_MIN": "CHOOSE_LOWEST_MIN",
    "CHOOSE_HIGHEST_MAX": "CHOOSE_HIGHEST_MAX",
    "CHOOSE_MIN_DOMAIN_SIZE": "CHOOSE_MIN_SIZE",
    "CHOOSE_MAX_DOMAIN_SIZE": "CHOOSE_MAX_SIZE",
}
"""The name here for each rule by which a CP-SAT model chooses the variable to branch on."""
ASSIGNED = {
    "SELECT_MIN_VALUE": "ASSIGN_MIN_VALUE",
    "SELECT_MAX_VALUE": "ASSIGN_MAX_VALUE",
    "SELECT_LOWER_HALF": "SPLIT_LOWER_HALF",
    "SELECT_UPPER_HALF": "SPLIT_UPPER_HALF",
    "SELECT_MEDIAN_VALUE": "ASSIGN_CENTER_VALUE",
    "SELECT_RANDOM_HALF": "ASSIGN_RANDOM_VALUE",
}
"""The name here for each rule by which a CP-SAT model chooses the value to branch on."""

MIN_VALUES_TO_JOIN = 16
"""The least number of variables whose values are read as digits of integers; fewer are read as quickly one by one."""

MAX_DIGIT, MAX_NUMBER = 2**20, 2**60
"""Variables with values or radices of this size are read one by one; the integers stay below the second number."""

MIN_MEETINGS, MOST_MEETINGS_PER_KEY = 1000, 4
"""A search that meets keys more often than so many times each, after the first so many, begins anew with the key."""

UNASKED = 3
"""The number of decisions after one at which it is looked whether to stop; to look at each took a tenth of a search."""


class Cp:
    """The backend `cp`, OR-Tools' original constraint solver; see `solvers.backends.protocol.Backend`.

    Parameters are ``variable``, which of the key's variables to branch on, and ``value``, on which of its values.
    The seed, if it is not 0, shuffles the order in which variables are looked at.

    >>> from ortools.sat.python.cp_model import CpModel
    >>> model = CpModel()
    >>> x, y, unnoticed = (model.new_int_var(0, 2, name) for name in ("x", "y", "unnoticed"))
    >>> _ = model.add(x + y == 3)
    >>> found = []
    >>> Cp(Task(model, [x.index, y.index], threading.Event())).enumerate(lambda values: found.append(values[:2]))
    >>> found
    [[1, 2], [2, 1]]
    """

    name = "cp"

    can_go_on = True

    def __init__(self, task: Task) -> None:
        """Make the backend ready for a task; raise `InputError` for a model or a parameter that it does not take.

        A copy of the model is translated for the solver, and its searches are composed: one meets every assignment of
        all variables, one every assignment of the key once, and one every assignment of the key at least once. They
        branch first as the model asks, then on the items of an exact cover, on the successors of the nodes of circuits,
        and on the key.
        """
        model, key, seed, cover = task.model, task.key, task.seed, task.cover
        if invalid := model.validate():
            raise InputError(f"OR-Tools does not accept the model: {' '.join(invalid.split())}")
        copy_of_model = without_scheduling(model).clone()  # with sums and clauses in place of intervals
        items = _take_items(copy_of_model.proto, cover) if cover else []
        implied = exclusions(cover)  # pairs of options that exclude each other, and options in no solution
        self.rests_on = [READING]
        self.implied = {"options ruled out": len(implied.ruled_out)} if implied else {}
        if implied:
            first = len(copy_of_model.proto.constraints)
            add_ruled_out(copy_of_model.proto, implied)
            check_added_exclusions(copy_of_model.proto, first, implied.pairs, implied.ruled_out)
        strategy = _strategy(task.parameters)
        annotated = [] if task.parameters else _search_annotations(copy_of_model.proto)
        self._solver = Solver(self.name)
        self._solver.ReSeed(seed)
        self._limit = _Limit(self._solver, task.stop)
        objective = take_objective(copy_of_model.proto)
        shown = range(len(model.proto.variables) if task.shown is None else task.shown)
        # The variables that the solver has to have even if none of its constraints is about them.
        needed = {*shown, *key, *chain.from_iterable(items), *objective.coefficients}
        needed.update(map(variable_of, copy_of_model.proto.assumptions))
        # `Variables`, the solver's variables by proto index, and the Booleans that are not made before a cube has them.
        self._translated, self._undefined = translate(copy_of_model.proto, self._solver, task.stop, needed)
        self._translated.concerned = "the objective"  # for messages
        self._objective = self._translated.number(objective)
        self._variables = self._translated.variables[: len(model.proto.variables)]
        self._reader = _ValueReader(self._solver, self._variables[: task.shown], self._translated.ranges)
        # Bounds that a search can restore at its start: those of a cube's variables, and the best value.
        self._fixed, self._best = self._solver.Assignment(), self._solver.Assignment()
        self._ever_fixed = set[int]()
        """The variables in ``_fixed``, by proto index: those that some search had fixed."""
        self._best.Add(self._objective)
        self._best.Deactivate(self._objective)
        key = list(dict.fromkeys(key))
        if seed:
            random.Random(seed).shuffle(key)
            random.Random(seed).shuffle(items)
        self._covered = [self._add_item_variable(item) for item in items]
        of_key = set(key)
        other_variables = [v for v in range(len(self._translated.variables)) if v not in of_key]
        # Decisions at the start of a search: fix the cube, hold the objective to its best value.
        fix, hold = map(self._solver.RestoreAssignment, (self._fixed, self._best))
        # The key leaves few other variables open, so that to look for the smallest domain takes longer than it saves.
        complete = self._phase(other_variables, Solver.CHOOSE_FIRST_UNBOUND)
        as_asked: list[Any] = []  # the decisions that the model asks for
        as_asked_of_key: list[Any] = []  # those of them that are about the key
        for variables, choose, assign in annotated:
            as_asked += self._phase(variables, choose, assign)
            as_asked_of_key += self._phase([v for v in variables if v in of_key], choose, assign)
        decide: list[Any] = []
        if self._covered:
            decide.append(self._solver.Phase(self._covered, *strategy))
        asked_of = {v for variables, _, _ in annotated for v in variables}
        for arcs, successors in self._translated.successors:
            by_successors = self._phase(successors, *strategy)
            if of_key.issuperset(arcs):
                decide += by_successors
            else:  # one key may be met with several successors, such as an undirected tour with both directions
                as_asked += by_successors
                asked_of.update(arcs)
        decide += self._phase(key, *strategy)
        # ``_to_assignments`` meets each assignment of all variables; ``_to_keys`` each of the key, completed in one way
        # only. ``_to_keys_as_asked`` may meet a key again; None if the model asks for no decisions about others.
        self._to_assignments = self._solver.Compose([fix, *as_asked, *decide, *complete])
        once = [self._solver.SolveOnce(self._solver.Compose(complete), [self._limit.monitor])] if complete else []
        self._to_keys = self._solver.Compose([fix, hold, *as_asked_of_key, *decide, *once])
        self._to_keys_as_asked: Any = None
        if asked_of - of_key and max(key, default=0) < len(shown):
            self._to_keys_as_asked = self._solver.Compose([fix, hold, *as_asked, *decide, *once])
        self._key = key
        count = len(self._translated.variables) + len(self._covered)
        self.size = {"variables": count, "constraints": self._solver.Constraints()}

    def _add_item_variable(self, item: Sequence[int]) -> Any:
        """Add an integer variable to the solver that says which option covers an item; return it.

        The value n means that the option item[n] is chosen: MapTo requires that exactly the n-th of its Booleans is
        true. item: the options, as proto indices of Booleans.
        """
        place = self._solver.IntVar(0, len(item) - 1)
        self._solver.Add(place.MapTo([self._variables[option] for option in item]))
        return place

    @property
    def statistics(self) -> Mapping[str, int]:
        """The numbers of branches and of failures of all searches, by name; see `Backend.statistics`."""
        return {"branches": self._solver.Branches(), "failures": self._solver.Failures()}

    def _phase(self, numbers: Iterable[int], choose: int, assign: int = Solver.ASSIGN_MIN_VALUE) -> list[Any]:
        """Return the solver's decision builders that branch on these variables: at most two.

        One is for variables of few values, and one for the others, whose domains are halved instead. numbers: the
        variables by index. choose, assign: the solver's constants for the variable and the value to branch on.
        """
        narrow: list[Any] = []
        wide: list[Any] = []
        for number in numbers:
            low, high = self._translated.ranges[number]
            (narrow if high - low < WIDE_RANGE else wide).append(self._translated.variables[number])
        phases = [(narrow, assign), (wide, self._solver.SPLIT_LOWER_HALF)]
        return [self._solver.Phase(variables, choose, split) for variables, split in phases if variables]

    def optimum(self, improved: Callable[[Values], object] = ignore) -> int | None:
        """Return the least value of the objective, and hold the model to it; see `Backend.optimum`.

        improved: called with the values of all variables in each better solution.

        It searches by branch and bound: after each solution the solver admits only smaller values of the objective.
        """
        best = None
        for values in self._solutions(self._to_assignments, {}, self._solver.Minimize(self._objective, 1)):
            best = self._objective.Value()
            improved(values)
        if best is not None:  # all later searches restore this bound
            self._best.Activate(self._objective)
            self._best.SetRange(self._objective, best, best)
        return best

    def enumerate(self, report: Callable[[Values], None], cube: Sequence[int] = ()) -> None:
        """Call ``report`` for each assignment of the key in the cube; see `Backend.enumerate`.

        report: called with the values of all variables. cube: literals that hold, in the proto's convention.
        """
        for values in self.solutions(cube):
            report(values)

    def solutions(self, cube: Sequence[int] = ()) -> Generator[Values, None, None]:
        """Yield the values of all variables in each solution of a cube; see `Pausing.solutions`.

        If the model asks for decisions about other variables than those of the key, these are made as long as few keys
        are met again.
        """
        if any(negation(literal) in cube for literal in cube):
            return
        fixed = {variable_of(literal): int(literal >= 0) for literal in cube}
        met_keys: set[bytes] = set()
        if self._to_keys_as_asked:
            for meetings, values in enumerate(self._solutions(self._to_keys_as_asked, fixed), 1):
                key = self._key_bytes(values)
                if key not in met_keys:
                    met_keys.add(key)
                    yield values
                elif meetings > MIN_MEETINGS and meetings > MOST_MEETINGS_PER_KEY * len(met_keys):
                    self._to_keys_as_asked = None
                    break
            else:
                return
        for values in self._solutions(self._to_keys, fixed):
            if not met_keys or self._key_bytes(values) not in met_keys:
                yield values

    def _key_bytes(self, values: Values) -> bytes:
        """Return the values of the key's variables as bytes; values: those of all variables."""
        return array("q", map(values.__getitem__, self._key)).tobytes()

    def extend(self, assignments: Sequence[Mapping[int, int]]) -> list[Values | None]:
        """Return, for each assignment, a solution that agrees with it, or None; see `Backend.extend`.

        assignments: the values of some variables in each, by proto index. As these need not be the key's, the search
        is not that for keys, which completes each key in one way only.
        """
        return [next(self._solutions(self._to_assignments, fixed), None) for fixed in assignments]

    def _restriction(self, number: int, value: int) -> tuple[int, int, int]:
        """Return (variable, least, most): the bounds that say that a variable has a value.

        A Boolean may be undefined: it means "this variable is in this domain", and the solver has no variable for it.
        If it has to be true and the domain is an interval, the result is the variable that it speaks of, and the ends
        of the interval. Otherwise the solver gets a variable for the Boolean now. number: the variable, by proto index.
        """
        if number in self._undefined:
            index, domain = self._translated.meanings[number]
            if value and len(domain) == 1:
                return index, *domain[0]
            self._undefined.remove(number)
            self._variables[number] = self._translated.define(number)
        return number, value, value

    def _solutions(self, decisions: Any, fixed: Mapping[int, int], *monitors: Any) -> Iterator[Values]:
        """Yield the values of the model's variables in each solution that the search meets.

        decisions: the solver's search, which begins by restoring the bounds in ``_fixed``. fixed: the values that some
        variables must have, by proto index. monitors: further parts of the solver that watch the search, such as an
        objective.

        Raises `Stopped` if the event is set.
        """
        bounds: dict[int, tuple[int, int]] = {}  # least and greatest value, by variable
        for number, value in fixed.items():
            index, least, most = self._restriction(number, value)
            low, high = bounds.get(index, self._translated.ranges[index])
            bounds[index] = max(low, least), min(high, most)
        if any(low > high for low, high in bounds.values()):
            return
        for number in self._ever_fixed:
            self._fixed.Deactivate(self._variables[number])
        for number, ends in bounds.items():
            if number not in self._ever_fixed:
                self._ever_fixed.add(number)
                self._fixed.Add(self._variables[number])
            self._fixed.Activate(self._variables[number])
            self._fixed.SetRange(self._variables[number], *ends)
        self._solver.NewSearch(decisions, [self._limit.monitor, *monitors])
        try:
            while self._solver.NextSolution():
                yield self._reader.read()
                self._limit.check()
            self._limit.check()
        finally:
            self._solver.EndSearch()


class _ValueReader:
    """Reads the values of many variables in a solution at once, as digits of a few integers.

    A call of the solver from Python takes half a microsecond, more than the solver takes to add up an expression of
    fifty variables. Each such expression is a number of mixed radix: a variable is a digit of it, and the radix is the
    number of integers from the variable's least value to its greatest. No constraint is about the expressions, so that
    the search does not look at them.
    """

    def __init__(self, solver: Solver, variables: Sequence[Any], ranges: Sequence[tuple[int, int]]) -> None:
        """Write the expressions.

        variables: the solver's variables whose values are read. ranges: the least and the greatest value of each.

        An expression grows by Horner's rule: times the radix of the next variable, plus this variable. So the weight of
        a digit is the product of the radices of the digits after it. A variable whose values are large, or any variable
        if there are few, is read one by one.
        """
        self._numbers: list[Any] = []
        """The expressions, each with as many digits as keep it below `MAX_NUMBER`."""
        self._single: list[tuple[int, Any]] = []
        """The variables that are read one by one, each behind its place."""
        # An entry for each variable that is a digit: its place in ``variables``, radix, weight, and the index of its
        # expression.
        places, radices, weights, expression_of = list[int](), list[int](), list[int](), list[int]()
        # Of the last expression: its digits, by their index in these lists, and a bound of its absolute value. So large
        # a bound makes the first digit begin an expression.
        digits_of_last, size = list[int](), MAX_NUMBER
        for place, variable in enumerate(variables):
            low, high = ranges[place]
            radix, largest = high - low + 1, max(abs(low), abs(high), 1)
            if len(variables) < MIN_VALUES_TO_JOIN or max(radix, largest) >= MAX_DIGIT:
                self._single.append((place, variable))
                continue
            if size * radix + largest >= MAX_NUMBER:
                # The solver gets some multiples of Booleans wrong, and the first digit may be a Boolean. So the
                # expression begins with a variable of three values, which `read` takes as its least value, 0.
                self._numbers.append(solver.IntVar(0, 2))
                digits_of_last, size = [], 2
            self._numbers[-1] = self._numbers[-1] * radix + variable
            size = size * radix + largest
            for digit in digits_of_last:
                weights[digit] *= radix
            digits_of_last.append(len(places))
            places.append(place)
            radices.append(radix)
            weights.append(1)
            expression_of.append(len(self._numbers) - 1)
        self._count, self._places = len(variables), places
        self._lows = np.array([ranges[place][0] for place in places], np.int64)
        self._radices, self._weights = np.array(radices, np.int64), np.array(weights, np.int64)
        self._number_of = np.array(expression_of, np.int64)
        self._least = np.zeros(len(self._numbers), np.int64)
        """The value of each expression where all its variables have their least values."""
        np.add.at(self._least, self._number_of, self._lows * self._weights)

    def read(self) -> Values:
        """Return the values of the variables, in their order, in the solution that the solver is at.

        A digit is a variable's value above its least one; it is its expression's number // weight % radix.
        """
        if not self._numbers:
            return [variable.Value() for _, variable in self._single]
        numbers = np.array([number.Min() for number in self._numbers]) - self._least  # with all digits from 0
        digits = numbers[self._number_of] // self._weights % self._radices
        if not self._single:
            return (digits + self._lows).tolist()  # type: ignore[no-any-return]
        values = [0] * self._count
        for place, value in zip(self._places, (digits + self._lows).tolist(), strict=True):
            values[place] = value
        for place, variable in self._single:
            values[place] = variable.Value()
        return values


class _Limit:
    """Ends the solver's searches, also those within a search, once the event is set."""

    def __init__(self, solver: Solver, stop: threading.Event) -> None:
        """Make the monitor that ends searches of the solver once ``stop`` is set."""
        answers = chain.from_iterable((self._is_reached(), *repeat(False, UNASKED)) for _ in repeat(None))
        self.monitor = solver.CustomLimit(answers.__next__)
        self._stop = stop
        self._has_ended_search = False

    def _is_reached(self) -> bool:
        """Tell whether the event is set, or was set at an earlier call since `check` last raised.

        The solver asks for this now and then, and ends its search if it is true. The event may be cleared again, as in
        a trial that is paused, but `check` must still raise for a search that was ended. So True is kept until then.
        """
        self._has_ended_search = self._has_ended_search or self._stop.is_set()
        return self._has_ended_search

    def check(self) -> None:
        """Raise `Stopped` if the event is set, or a search was ended."""
        if self._is_reached():
            self._has_ended_search = False
            raise Stopped


def _take_items(proto: Any, cover: ExactCover) -> list[list[int]]:
    """Remove the exactly-one constraints from a proto, and return the items of the cover, which say the same.

    An item is the list of its options, as proto indices; exactly one of them is chosen. Items with slack options are
    left out: `ExactCover` adds these for variables that are in no item, and the model has no variable for them.
    Constraints with enforcement literals or negations stay.
    """
    for constraint in proto.constraints:
        if not constraint.has_exactly_one() or constraint.enforcement_literal:
            continue
        if min(constraint.exactly_one.literals, default=-1) >= 0:
            constraint.clear_exactly_one()
    return [item for item in cover.items if item and cover.slack.keys().isdisjoint(item)]


def _search_annotations(proto: Any) -> list[tuple[list[int], int, int]]:
    """Return the searches that a model asks for, in order, as (variables, choose, assign).

    variables: proto indices; older models list them themselves, newer ones as expressions. choose, assign: the solver's
    constants for the variable and the value to branch on; it tries the least value first where it lacks the model's
    rule.
    """
    searches = []
    for strategy in proto.search_strategy:
        variables = [v for expression in strategy.exprs for v in expression.vars] or list(strategy.variables)
        choose = getattr(Solver, CHOSEN[strategy.variable_selection_strategy.name])
        assign = getattr(Solver, ASSIGNED.get(strategy.domain_reduction_strategy.name, "ASSIGN_MIN_VALUE"))
        searches.append((variables, choose, assign))
    return searches


def _strategy(parameters: Mapping[str, str]) -> list[int]:
    """Return [choose, assign]: the solver's constants for the variable and the value to branch on.

    parameters: those that the user set, texts by name; a parameter that is not set has the first value in `PARAMETERS`.
    Raises `InputError` for a parameter or a value that `PARAMETERS` lacks.
    """
    chosen = {name: names[0] for name, names in PARAMETERS.items()}
    for name, value in parameters.items():
        if name not in PARAMETERS:
            raise InputError(f"cp has no parameter {name!r}; it has {', '.join(PARAMETERS)}")
        if value.lower() not in PARAMETERS[name]:
            raise InputError(f"cp takes for {name} one of {', '.join(PARAMETERS[name])}, not {value!r}")
        chosen[name] = value.lower()
    return [getattr(Solver, value.upper()) for value in chosen.values()]  # such as Solver.CHOOSE_MIN_SIZE
