"""Hidden variables of a formula, resolved away, so that a counter has fewer of them to think about.

A variable that is not shown may be replaced by all resolvents of the clauses that have it: every assignment of the
others that satisfies these can be completed. Where this takes few more clauses than it saves, solvers do it before they
search. Most of them may change the number of solutions meanwhile; here the solutions in the variables that are shown
stay as they are.

References
----------
M. Davis, H. Putnam, "A computing procedure for quantification theory", Journal of the ACM 7 (1960),
doi:10.1145/321033.321034

N. Eén, A. Biere, "Effective preprocessing in SAT through variable and clause elimination", SAT 2005,
doi:10.1007/11499107_5
"""

import heapq
import threading
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence

from solvers.base.errors import Stopped

MAX_RESOLVENTS = 400
"""A variable stays if more pairs of clauses than that can be resolved on it."""

CLAUSES_FOR_VARIABLE = 20
"""A variable stays if more clauses than that would be added for it."""

MAX_LENGTH = 20
"""A variable stays if a clause of more literals than that would come of it."""

MAX_COMPARISONS = 1_000_000
"""The pairs of clauses that are compared or resolved before the other variables stay: some tenths of a second.

Where a model becomes tens of thousands of clauses, D4 gains less than all of these would take.
"""

Clause = frozenset[int]


class _ClauseSet:
    """Clauses, and where each literal occurs."""

    def __init__(self, clauses: Iterable[Iterable[int]]) -> None:
        """Store the clauses, without tautologies: clauses that have a literal and its negation."""
        self._clauses_with = defaultdict[int, set[Clause]](set)
        """The clauses with each literal."""
        self.clauses = set[Clause]()
        self.comparisons = 0
        """How many pairs of clauses were compared or resolved so far."""
        for clause in map(frozenset, clauses):
            if not any(-literal in clause for literal in clause):
                self._add_clause(clause)

    def _add_clause(self, clause: Clause) -> None:
        """Add a clause as it is."""
        self.clauses.add(clause)
        for literal in clause:
            self._clauses_with[literal].add(clause)

    def _add_unless_subsumed(self, clause: Clause) -> None:
        """Add a clause, unless a clause of the set subsumes it; remove those that it subsumes.

        A clause subsumes another if its literals are among those of the other, which is then redundant.
        """
        # A clause that subsumes this one has only literals of this one, so that it is found at one of these.
        self.comparisons += sum(len(self._clauses_with[literal]) for literal in clause)
        if any(other <= clause for literal in clause for other in self._clauses_with[literal]):
            return
        # A clause that this one subsumes has the rarest literal of this one; the empty clause subsumes all.
        rarest = min(clause, key=lambda literal: len(self._clauses_with[literal]), default=None)
        candidates = self.clauses if rarest is None else self._clauses_with[rarest]
        for subsumed in [other for other in candidates if clause < other]:
            self._remove(subsumed)
        self._add_clause(clause)

    def _remove(self, clause: Clause) -> None:
        """Remove a clause."""
        self.clauses.discard(clause)
        for literal in clause:
            self._clauses_with[literal].discard(clause)

    def pairs(self, variable: int) -> int:
        """Return how many pairs of clauses can be resolved on a variable."""
        return len(self._clauses_with[variable]) * len(self._clauses_with[-variable])

    def resolvents(self, variable: int) -> set[Clause]:
        """Return the resolvents on a variable, without tautologies.

        There is one for each pair of a clause with the variable and a clause with its negation: all literals of both
        but these two.
        """
        resolvents = set[Clause]()
        self.comparisons += self.pairs(variable)
        for positive in self._clauses_with[variable]:
            for negative in self._clauses_with[-variable]:
                resolvent = (positive | negative) - {variable, -variable}
                if not any(-literal in resolvent for literal in resolvent):
                    resolvents.add(resolvent)
        return resolvents

    def replace(self, variable: int, resolvents: Iterable[Clause]) -> set[int]:
        """Replace the clauses that have a variable or its negation by the resolvents on it.

        A resolvent that another clause subsumes is left out. Returns the other variables of the clauses that were
        replaced: the number of pairs that can be resolved on them may have changed.
        """
        replaced = [*self._clauses_with[variable], *self._clauses_with[-variable]]
        for clause in replaced:
            self._remove(clause)
        for clause in sorted(resolvents, key=len):  # short ones first, as they subsume others
            self._add_unless_subsumed(clause)
        return {abs(literal) for clause in replaced for literal in clause} - {variable}

    def occurrences(self, variable: int) -> int:
        """Return how many clauses have the variable or its negation."""
        return len(self._clauses_with[variable]) + len(self._clauses_with[-variable])


def eliminate(clauses: Sequence[Sequence[int]], visible: Collection[int], stop: threading.Event) -> list[list[int]]:
    """Return clauses with the same solutions, projected onto the visible variables, and with fewer hidden variables.

    A hidden variable is eliminated by replacing its clauses with all resolvents on it. Variables with the fewest pairs
    of clauses to resolve go first; a variable stays if that would take or add too many clauses. clauses: lists of
    literals as in DIMACS. visible: the variables, positive numbers, that stay.

    Raises `Stopped` once the event is set.

    >>> eliminate([[1, 2], [-2, 3], [-2, 4]], {1, 3, 4}, threading.Event())
    [[1, 3], [1, 4]]
    """
    formula = _ClauseSet(clauses)
    hidden = {abs(literal) for clause in formula.clauses for literal in clause} - set(visible)
    waiting = [(formula.pairs(variable), variable) for variable in hidden]  # a heap
    heapq.heapify(waiting)
    for pairs, variable in _pop_all(waiting):
        if stop.is_set():
            raise Stopped
        if formula.comparisons > MAX_COMPARISONS:
            break
        # An entry is outdated if the variable is gone, or the number of pairs has changed: then a newer entry follows.
        is_outdated = variable not in hidden or pairs != formula.pairs(variable)
        if is_outdated or pairs > MAX_RESOLVENTS:
            continue
        resolvents = formula.resolvents(variable)
        is_short = all(len(resolvent) <= MAX_LENGTH for resolvent in resolvents)
        if is_short and len(resolvents) <= formula.occurrences(variable) + CLAUSES_FOR_VARIABLE:
            hidden.discard(variable)
            for touched in formula.replace(variable, resolvents) & hidden:
                heapq.heappush(waiting, (formula.pairs(touched), touched))
    return sorted(map(sorted, formula.clauses))


def _pop_all(waiting: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Pop and yield the least entry of a heap until it is empty; the caller may push entries meanwhile."""
    while waiting:
        yield heapq.heappop(waiting)
