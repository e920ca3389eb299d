"""The circuit of a formula: the d-DNNF into which D4 compiles it, checked, made smooth, and without what says nothing.

An edge of a d-DNNF has literals. Of those of a choice, exactly one of which is true, only the true one becomes an
input. A variable of no choice has two inputs, one for each value; where a branch does not mention it, both are allowed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from itertools import accumulate, chain, combinations, pairwise
from threading import Event
from typing import NamedTuple

import numpy as np

from solvers.base.errors import CheckError, Stopped
from solvers.cnf.gates import TRUE
from solvers.extras.counts.kept.circuit import MAX_MACHINE_NUMBER, Circuit, KeptCircuit
from solvers.symmetry.key import Key

STEPS_BETWEEN_LOOKS = 4096
"""The number of lines or nodes after which the reader looks whether to stop."""


def of_formula(
    nnf: str, literals: Sequence[int], given_choices: Sequence[Sequence[int]], key: Key, stop: Event
) -> KeptCircuit:
    """Return what is kept of a formula that D4 has compiled.

    nnf: what it wrote. literals: of the formula, for each literal of the key. given_choices: sets of literals exactly
    one of which is true; those with variables that are not shown do not matter. Raises `CheckError` if what D4 wrote is
    no d-DNNF of the variables that are shown, or leaves one open that the formula determines; `Stopped` once the event
    is set.
    """
    variables = {abs(literal) for literal in literals} - {TRUE}
    values = [literals[first:end] for first, end in pairwise(key.first)]
    candidates = [*given_choices, *(some for some in values if len(some) > 2)]
    choices = [list(some) for some in candidates if all(abs(literal) in variables for literal in some)]
    free = variables - set(map(abs, chain(*choices)))
    choices += [[variable, -variable] for variable in sorted(free)]
    inputs = {literal: n for n, literal in enumerate(dict.fromkeys(chain(*choices)))}
    numbers = {literal: n + 1 for literal, n in inputs.items()} | {TRUE: len(inputs) + 1}
    return KeptCircuit(
        _CircuitMaker(inputs, variables, free, stop).circuit(nnf),
        [numbers[literal] if literal in numbers else -numbers[-literal] for literal in literals],
        [[inputs[literal] for literal in choice] for choice in choices],
    )


class _Part(NamedTuple):
    """A part of a formula that is not false."""

    factors: list[int]
    """Inputs and nodes of the circuit; the part is their product."""
    scope: int
    """The variables that it mentions, as bits."""


EMPTY_PARTS = {"a": _Part([], 0), "t": _Part([], 0), "o": None, "f": None}
"""What the nodes of each kind are without edges: true, or false, which is None."""


def _all_of(parts: Sequence[_Part]) -> _Part:
    """Return the conjunction of parts; raise `CheckError` if they share a variable."""
    return _Part(
        [factor for part in parts for factor in part.factors], reduce(_unite_scopes, [part.scope for part in parts])
    )


def _unite_scopes(scope: int, other: int) -> int:
    """Return the union of the scopes of two factors; raise `CheckError` if they share a variable."""
    if scope & other:
        raise CheckError("D4 wrote a conjunction whose parts share a variable")
    return scope | other


class _CircuitMaker:
    """Makes a circuit of a d-DNNF."""

    def __init__(self, inputs: Mapping[int, int], variables: Iterable[int], free: Iterable[int], stop: Event) -> None:
        """Begin without nodes.

        inputs: the number of each literal that is one. variables: those that are shown. free: those both of whose
        literals are inputs. stop: ends the reading when set.
        """
        self._inputs, self._one, self._stop = inputs, len(inputs), stop
        self._bits = {variable: 1 << n for n, variable in enumerate(sorted(variables))}
        self._all = (1 << len(self._bits)) - 1
        self._of_free = {self._bits[variable]: variable for variable in free}
        self._nodes: dict[tuple[tuple[int, int], ...], int] = {}
        """The number of each node by its terms; factors of a node come before it."""

    def circuit(self, nnf: str) -> Circuit:
        """Return the circuit of a d-DNNF in D4's format.

        A line is "kind node 0", which declares a node, the root first, or "above below literal ... 0", an edge. Raises
        `CheckError` and `Stopped` as `of_formula` does.
        """
        edges: dict[str, list[tuple[str, list[int]]]] = {}  # by the node above
        kinds: dict[str, str] = {}
        try:
            for number, line in enumerate(nnf.splitlines()):
                self._check_stop(number)
                kind_or_above, node, *literals, _ = line.split()
                if kind_or_above in EMPTY_PARTS:
                    kinds[node] = kind_or_above
                else:
                    below = node, [literal for literal in map(int, literals) if literal != TRUE]
                    edges.setdefault(kind_or_above, []).append(below)
            parts = {node: EMPTY_PARTS[kind] for node, kind in kinds.items() if node not in edges}
            for number, (node, below_it) in enumerate(edges.items()):  # those below a node come before it
                self._check_stop(number)
                parts[node] = self._node_part(kinds[node], [(parts[child], literals) for child, literals in below_it])
            root = parts[next(iter(kinds))]  # the first that is declared
        except (ValueError, LookupError, StopIteration):
            raise CheckError("D4 wrote what is no d-DNNF of the variables that are shown") from None
        return self._circuit_of_factors([*root.factors, *self._left_open(self._all & ~root.scope)] if root else None)

    def _node_part(self, kind: str, below: Sequence[tuple[_Part | None, Sequence[int]]]) -> _Part | None:
        """Return the part of a node, None if it is false.

        kind: as D4 writes it. below: for each of the node's edges, what lies below it, and its literals. Raises
        `CheckError`, also for a constant, which has no edges.
        """
        branches = [self._conjunction(part, literals) for part, literals in below if part]
        if kind == "o":
            return self._disjunction([literals for part, literals in below if part], branches)
        if kind != "a":
            raise CheckError("D4 wrote a constant that has parts")
        return _all_of(branches) if len(branches) == len(below) else None

    def _check_stop(self, number: int) -> None:
        """Raise `Stopped` if it is to stop, for each so many numbers."""
        if number % STEPS_BETWEEN_LOOKS == 0 and self._stop.is_set():
            raise Stopped

    def _conjunction(self, part: _Part, literals: Sequence[int]) -> _Part:
        """Return the conjunction of a part and literals; raise `CheckError` if they share a variable."""
        scope = part.scope
        for literal in literals:
            scope = _unite_scopes(scope, self._bits[abs(literal)])
        return _Part([*part.factors, *(self._inputs[one] for one in literals if one in self._inputs)], scope)

    def _disjunction(self, literals: Sequence[Sequence[int]], branches: Sequence[_Part]) -> _Part | None:
        """Return the disjunction of branches, None if there is none.

        literals: those that each branch begins with. Raises `CheckError` if these do not tell the branches apart.
        """
        if len(branches) < 2:
            return branches[0] if branches else None
        for some, others in combinations(literals, 2):
            if {-literal for literal in some}.isdisjoint(others):
                raise CheckError("D4 wrote a disjunction whose branches may hold together")
        scope = 0
        for branch in branches:
            scope |= branch.scope
        terms = [self._term([*branch.factors, *self._left_open(scope & ~branch.scope)]) for branch in branches]
        return _Part([self._node(terms)], scope)

    def _left_open(self, scope: int) -> Iterable[int]:
        """Yield a factor for each variable of a scope, which may have any value.

        Raise `CheckError` if it is not free.
        """
        while scope:
            bit = scope & -scope
            scope ^= bit
            if bit not in self._of_free:
                raise CheckError("D4 left open what the formula determines")
            variable = self._of_free[bit]
            yield self._node([(self._inputs[literal], self._one) for literal in (variable, -variable)])

    def _term(self, factors: Iterable[int]) -> tuple[int, int]:
        """Return two factors whose product is that of all these."""
        row = sorted(factors)
        while len(row) > 2:
            pairs = [row[at : at + 2] for at in range(0, len(row), 2)]
            row = [self._node([(pair[0], pair[1])]) if len(pair) == 2 else pair[0] for pair in pairs]
        left, right = (*row, self._one, self._one)[:2]
        return left, right

    def _node(self, terms: Iterable[tuple[int, int]]) -> int:
        """Return the number of the node that is the sum of these terms."""
        return self._nodes.setdefault(tuple(sorted(terms)), self._one + 1 + len(self._nodes))

    def _circuit_of_factors(self, factors: Sequence[int] | None) -> Circuit:
        """Return the circuit of a product of factors; that without a solution if it is None."""
        first, needed, height = self._one + 1, set[int](), dict[int, int]()
        if factors:
            needed.add(self._node([self._term(factors)]))
        nodes = dict(enumerate(self._nodes, first))
        for number, terms in reversed(nodes.items()):
            self._check_stop(number)
            if number in needed:
                needed.update(chain(*terms))
        for number, terms in nodes.items():
            self._check_stop(number)
            if number in needed:
                height[number] = 1 + max(height.get(factor, 0) for factor in chain(*terms))
        order = sorted(height, key=height.__getitem__)
        place = dict(zip(chain(range(first), order), range(first + len(order)), strict=True))
        pairs = [(place[left], place[right]) for number in order for left, right in nodes[number]]
        starts = [0, *accumulate(len(nodes[number]) for number in order)]
        levels = [0, *accumulate(Counter(map(height.__getitem__, order)).values())]
        left, right = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        graph = self._one, left, right, np.array(starts), np.array(levels)
        uncounted = Circuit(*graph, MAX_MACHINE_NUMBER if factors is not None else 0)
        return Circuit(*graph, uncounted.count(np.ones(self._one, dtype=np.int64)))
