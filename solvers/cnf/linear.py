"""Linear constraints in a formula: by counting literals where that does, else by decision diagrams or adders.

References
----------
N. Eén, N. Sörensson, "Translating pseudo-Boolean constraints into SAT", Journal on Satisfiability 2 (2006),
doi:10.3233/SAT190014

I. Abío, R. Nieuwenhuis, A. Oliveras, E. Rodríguez-Carbonell, V. Mayer-Eichberger, "A new look at BDDs for
pseudo-Boolean constraints", Journal of Artificial Intelligence Research 45 (2012), doi:10.1613/jair.3653
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import TypeVar

from solvers.base.tuning import TUNING
from solvers.cnf.arithmetic import Binary, Number, Ordered, Sum, domain_literal, total
from solvers.cnf.gates import FALSE, TRUE, Formula
from solvers.model.reading import Domain, clip, shift


def require_within(formula: Formula, expression: Sum, domain: Domain, unless: Sequence[int] = ()) -> None:
    """Require that the expression is in the domain, unless a literal of ``unless`` (of the formula) is true.

    The first of three ways that is possible is taken: a clause, at-most-one or exactly-one on few literals; a decision
    diagram; or an addition in binary. formula: the clauses are added to it. domain: intervals (low, high).
    """
    if TRUE in unless:
        return
    numbers, remaining = _numbers_and_domain(expression, domain)
    if not numbers or not remaining:  # always in the domain, or never
        formula.add([*unless, TRUE if remaining else FALSE])
    elif not _require_by_counting(formula, numbers, remaining, unless):
        # The root's cases: unless a guard is true, ``then`` says whether the sum is in the domain.
        cases = diagram(formula, numbers, remaining) if len(numbers) > 1 else None
        if cases is None:
            formula.add([*unless, _within_in_binary(formula, numbers, remaining)])
        for case in cases or []:
            formula.add([*unless, *case.guards_down, case.then])


def is_within(formula: Formula, expression: Sum, domain: Domain) -> int:
    """Return a literal that is true iff the expression is in the domain.

    A decision diagram makes the literal, or an addition in binary if the diagram would be too large. formula: the
    clauses are added to it. domain: intervals (low, high).
    """
    numbers, remaining = _numbers_and_domain(expression, domain)
    if not numbers or not remaining:  # always in the domain, or never
        return TRUE if remaining else FALSE
    cases = diagram(formula, numbers, remaining) if len(numbers) > 1 else None
    return _within_in_binary(formula, numbers, remaining) if cases is None else select(formula, cases)


def _numbers_and_domain(expression: Sum, domain: Domain) -> tuple[list[Number], Domain]:
    """Return (numbers, domain): the sum of these numbers is in this domain iff the expression is in the given one.

    The numbers are those of the expression times their coefficients, those in binary last, as `diagram` needs them, and
    those of the widest range first. The domain is shifted by the offset and clipped to the range of the sum. If it is
    the whole range, the list of numbers is empty. If it is empty, the expression is never in the given domain.
    """
    numbers = expression.scale_terms()
    low, high = sum(number.low for number in numbers), sum(number.high for number in numbers)
    remaining = clip(shift(domain, -expression.offset), low, high)
    if remaining == ((low, high),):
        return [], remaining
    numbers.sort(key=lambda number: (isinstance(number, Binary), number.low - number.high))
    return numbers, remaining


def _within_in_binary(formula: Formula, numbers: Sequence[Number], domain: Domain) -> int:
    """Return a literal that is true iff the sum of the numbers, added up in binary, is in the domain.

    formula: the clauses of the addition and of the literal are added to it.
    """
    number = numbers[0] if len(numbers) == 1 else total(formula, Sum(dict.fromkeys(numbers, 1)))
    return domain_literal(number, domain)


def _require_by_counting(formula: Formula, numbers: Sequence[Number], domain: Domain, unless: Sequence[int]) -> bool:
    """Require that the sum of the numbers is in the domain by counting literals, if that is possible.

    It is possible if each number has two values, and a clause, an at-most-one or an exactly-one says the same. formula:
    the clauses are added to it. domain: intervals; only a single one is possible. unless: literals; the constraint is
    not enforced where one is true. Returns False, and adds nothing, if it is not possible.
    """
    if len(domain) > 1 or any(isinstance(number, Binary) or len(number.values) > 2 for number in numbers):
        return False
    # Each number is its least value, or its step above that where its literal of ``raised`` is true.
    steps = sorted(number.high - number.low for number in numbers)
    raised = [-number.at_most(number.low) for number in numbers]
    base, most = sum(number.low for number in numbers), sum(steps)
    low, high = domain[0][0] - base, domain[0][1] - base
    # The steps of the true literals have to add up to low..high, those of the false ones to most - high..most - low.
    for literals, least, greatest in ((raised, low, high), ([-r for r in raised], most - high, most - low)):
        one_is_enough = steps[0] >= least  # even of the least step
        two_are_too_many = sum(steps[:2]) > greatest >= steps[-1]  # even of the least steps; and no single one is
        if least <= 0 and two_are_too_many:
            formula.at_most_one(literals, unless)
            return True
        if greatest >= most and one_is_enough:
            formula.add([*unless, *literals])
            return True
        if one_is_enough and two_are_too_many:
            formula.exactly_one(literals, unless)
            return True
    return False


@dataclass(frozen=True)
class Case:
    """One case of a function of a number: its value ``then`` where the number is in a certain interval.

    The number lies there iff no guard is true. For a monotone function fewer guards are enough: the function implies
    ``then`` unless one of ``guards_down`` is true, and ``then`` implies the function unless one of ``guards_up`` is
    true.
    """

    guards_down: tuple[int, ...]
    guards_up: tuple[int, ...]
    then: int


def select(formula: Formula, cases: Sequence[Case]) -> int:
    """Return a literal of the formula that is true iff a function of a number is true.

    cases: the function. Each `Case` says that the function equals the literal ``then`` where the number is in an
    interval, that is, where no guard is true. Clauses are added to the formula if the literal is new.
    """
    if len(cases) == 1:
        return cases[0].then
    return formula.gate(
        ("select", *cases),
        lambda output: [
            clause
            for case in cases
            for clause in ([-output, *case.guards_down, case.then], [output, *case.guards_up, -case.then])
        ],
    )


def diagram(formula: Formula, numbers: Sequence[Number], domain: Domain) -> list[Case] | None:
    """Return the cases at the root of a decision diagram for "the sum of the numbers is in the domain".

    The result is None if the diagram has too many edges, or if a number other than the last is in binary. A node of
    level k is a domain: that in which the sum of the numbers from the k-th on has to be (I. Abío and P. Stuckey,
    Encoding Linear Constraints into SAT, 2014). An edge subtracts a value of the k-th number. Values with the same
    result form a run, an interval.

    The diagram is made from the root down. Then, from the last level up, each node gets a literal that is true iff the
    sum is in it.

    formula: the clauses are added to it. numbers: at least two, those in binary last. domain: intervals (low, high). A
    `Case` of the result says: if the first number is in an interval, the sum is in the domain iff its literal ``then``
    is true. Raises `Stopped` once the formula's event is set.
    """
    *ordered, last = numbers
    # The least and the greatest sum of the numbers from each one on; the last entry is 0, the sum of none.
    lows = list(accumulate((number.low for number in reversed(numbers)), initial=0))[::-1]
    highs = list(accumulate((number.high for number in reversed(numbers)), initial=0))[::-1]
    nodes = {clip(domain, lows[0], highs[0])}
    levels: list[tuple[Ordered, dict[Domain, Sequence[Run]]]] = []  # a number, and the runs of each node
    edges = 0
    for level, number in enumerate(ordered, 1):
        if isinstance(number, Binary):
            return None
        formula.heed_stop()
        edges += len(nodes) * len(number.values)
        if edges > TUNING.max_diagram_edges:
            return None
        low, high = lows[level], highs[level]
        values = tuple(number.values)
        runs_of = {node: _runs(node, values, low, high) for node in nodes}
        levels.append((number, runs_of))
        nodes = {residual for runs in runs_of.values() for _, _, residual in runs}
    # The root is the only node of the first level, and the loop ends there.
    literals = {node: domain_literal(last, node) for node in nodes}
    while True:
        formula.heed_stop()
        number, runs_of = levels.pop()
        level = len(levels)
        cases = {
            node: _cases(
                number,
                [(low, high, literals[residual]) for low, high, residual in runs],
                # A domain that begins with the least possible sum only bounds the sum from above: if it is true for a
                # value of the number, it is true for smaller ones. Likewise at the other end.
                falls=len(node) == 1 and node[0][0] == lows[level],
                rises=len(node) == 1 and node[0][1] == highs[level],
            )
            for node, runs in runs_of.items()
        }
        if not levels:
            return cases.popitem()[1]
        literals = {node: select(formula, cases_of_node) for node, cases_of_node in cases.items()}


Then = TypeVar("Then")
"""The thing that belongs to the values of an interval, such as a literal."""

Run = tuple[int, int, Domain]
"""The first and the last value of an interval, and what is left of the node for all values in it."""


@lru_cache(10_000)
def _runs(node: Domain, values: tuple[int, ...], low: int, high: int) -> Sequence[Run]:
    """Return the runs of a node of a diagram: (first value, last value, domain left for the sum of the later numbers).

    Consecutive values of the node's number that leave the same domain are one run. node: the domain of the sum of this
    number and the later ones. values: those of the number, ascending. low, high: the range of the sum of the later
    numbers.
    """
    return _merge_neighbours((value, value, clip(shift(node, -value), low, high)) for value in values)


def _merge_neighbours(runs: Iterable[tuple[int, int, Then]]) -> list[tuple[int, int, Then]]:
    """Return intervals with neighbours joined where they have the same ``then``.

    runs: triples (low, high, then) in ascending order. The result has the same form.
    """
    merged: list[tuple[int, int, Then]] = []
    for low, high, then in runs:
        if merged and merged[-1][2] == then:
            merged[-1] = merged[-1][0], high, then
        else:
            merged.append((low, high, then))
    return merged


def _cases(number: Ordered, runs: Iterable[tuple[int, int, int]], falls: bool, rises: bool) -> list[Case]:
    """Return the cases of a function of a number, which is true or false for each value; see `Case`.

    runs: (low, high, then) in order: for the values from low to high the function equals the literal ``then``. falls:
    whether the function, if it is true for a value, is true for all smaller values. rises: the same for all greater
    values. Guards are literals that are true where the number is outside the interval; of a function that falls or
    rises, one side is enough for each direction of the equivalence.
    """
    cases = []
    for low, high, then in _merge_neighbours(runs):
        below, above = number.at_most(low - 1), -number.at_most(high)
        if falls:
            cases.append(Case((below,), (above,), then))
        elif rises:
            cases.append(Case((above,), (below,), then))
        else:
            guards = (-number.equals(low),) if low == high else (below, above)
            cases.append(Case(guards, guards, then))
    return cases
