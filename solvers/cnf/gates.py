"""Clauses and gates: a formula that grows, in which the inputs of every gate determine its output.

A literal is a whole number other than 0 and its negation is the negative number, as in DIMACS. Gates are G. Tseitin's,
in both directions, so that a gate adds no solution and takes none away.

References
----------
G. Tseitin, "On the complexity of derivation in propositional calculus" (1968), doi:10.1007/978-3-642-81955-1_28
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, product
from threading import Event

from solvers.base.errors import Stopped, TooManyClausesError
from solvers.base.tuning import TUNING

TRUE = 1
FALSE = -TRUE

PAIRWISE = 4
"""The number of literals in a group of `Formula.at_most_one`, within which pairs are excluded."""


class Formula:
    """A conjunction of clauses; variable 1 is the constant true.

    Literals are as in DIMACS: variable i is i, its negation -i.

    Raises `TooManyClausesError` as soon as it would hold more than `Tuning.max_clauses`, and `Stopped` once ``stop`` is
    set.

    >>> formula = Formula(Event())
    >>> a, b = formula.add_variable(), formula.add_variable()
    >>> formula.conjunction([a, TRUE]) == a
    True
    >>> formula.conjunction([a, b]) == formula.conjunction([b, a]) == -formula.disjunction([-a, -b])
    True
    """

    def __init__(self, stop: Event) -> None:
        """Begin with variable 1, the constant true, and the clause that makes it true."""
        self.clauses: list[list[int]] = [[TRUE]]
        self.variables = TRUE
        self.choices: list[list[int]] = []
        """Sets of literals exactly one of which is true, as `exactly_one` required them without ``unless``."""
        self._stop = stop
        self._gates: dict[tuple[object, ...], int] = {}

    def add_variable(self) -> int:
        """Add a variable; return its number, which is also its positive literal."""
        self.variables += 1
        return self.variables

    def reserve(self, clauses: int) -> None:
        """Raise `TooManyClausesError` if the formula cannot take ``clauses`` more clauses; else do nothing."""
        if len(self.clauses) + clauses > TUNING.max_clauses:
            raise TooManyClausesError(
                f"the model takes more than {TUNING.max_clauses} clauses for a SAT solver"
                " or give the variables smaller domains"
            )

    def add(self, clause: list[int]) -> None:
        """Add a clause without its literals that are constantly false; do nothing if it is always true.

        Raises `TooManyClausesError` if the formula is full. Raises `Stopped` once the event is set.
        """
        if TRUE in clause:
            return
        if FALSE in clause or not clause:
            clause = [literal for literal in clause if literal != FALSE] or [FALSE]
        if len(self.clauses) % 1024 == 0:  # so many between two checks
            self.reserve(1024)
            self.heed_stop()
        self.clauses.append(clause)

    def heed_stop(self) -> None:
        """Raise `Stopped` once the event is set."""
        if self._stop.is_set():
            raise Stopped

    def gate(self, key: tuple[object, ...], definition: Callable[[int], Iterable[list[int]]]) -> int:
        """Return the output literal of the gate with this key, such as ("and", 2, 3) for the conjunction of 2 and 3.

        A gate is a variable, the output, that clauses define by other literals. If the key is new, the gate is made.
        definition: called with the output of a new gate; returns the clauses that define it. Raises
        `TooManyClausesError` if the formula is full.
        """
        if key not in self._gates:
            self._gates[key] = output = self.add_variable()
            for clause in definition(output):
                self.add(clause)
        return self._gates[key]

    def conjunction(self, literals: Iterable[int]) -> int:
        """Return a literal that is true iff all of these are; clauses are added if it is new.

        Raises `TooManyClausesError` if the formula is full.
        """
        inputs = set(literals)
        inputs.discard(TRUE)
        if FALSE in inputs or any(-literal in inputs for literal in inputs):
            return FALSE
        if len(inputs) < 2:
            return inputs.pop() if inputs else TRUE
        ordered = sorted(inputs)

        def definition(output: int) -> Iterable[list[int]]:
            """Yield the clauses "output implies each literal" and "all literals imply output"."""
            yield from ([-output, literal] for literal in ordered)
            yield [output, *(-literal for literal in ordered)]

        return self.gate(("and", *ordered), definition)

    def disjunction(self, literals: Iterable[int]) -> int:
        """Return a literal that is true iff at least one of these is; clauses are added if it is new.

        Raises `TooManyClausesError` if the formula is full.
        """
        return -self.conjunction(-literal for literal in literals)

    def parity(self, literals: Iterable[int]) -> int:
        """Return a literal that is true iff an odd number of these literals are true.

        Raises `TooManyClausesError` if the formula is full.
        """
        # A negation, and the constant true, each invert the parity; a variable that is listed twice has no effect.
        sign = 1  # -1 if the parity of the inputs has to be inverted
        inputs: set[int] = set()
        for literal in literals:
            if literal < 0:
                sign = -sign
            if abs(literal) == TRUE:
                sign = -sign
            else:
                inputs ^= {abs(literal)}
        ordered = sorted(inputs)
        if not ordered:
            return sign * FALSE
        while len(ordered) > 3:  # three are replaced by their parity, so that two fewer are left
            ordered.append(self._short_parity(ordered[:3]))
            del ordered[:3]
        return sign * self._short_parity(ordered)

    def _short_parity(self, inputs: Sequence[int]) -> int:
        """Return a literal that is true iff an odd number of the inputs are true.

        inputs: one to three variables, by number. Raises `TooManyClausesError` if the formula is full.
        """
        if len(inputs) == 1:
            return inputs[0]

        def definition(output: int) -> Iterable[list[int]]:
            """Yield a clause for each assignment of the inputs: it differs, or the output is its parity."""
            for signs in product((1, -1), repeat=len(inputs)):
                is_odd = signs.count(1) % 2
                differs = (-sign * literal for sign, literal in zip(signs, inputs, strict=True))
                yield [output if is_odd else -output, *differs]

        return self.gate(("parity", *inputs), definition)

    def majority(self, a: int, b: int, c: int) -> int:
        """Return a literal that is true iff at least two of the three literals are.

        No gate is needed if two of them are equal or negations of each other, or one is constant. Raises
        `TooManyClausesError` if the formula is full.
        """
        for x, y, z in ((a, b, c), (a, c, b), (b, c, a)):  # each of the three is once the third
            if x == y:
                return x
            if x == -y:
                return z
            if z == TRUE:
                return self.disjunction([x, y])
            if z == FALSE:
                return self.conjunction([x, y])
        inputs = sorted((a, b, c))

        def definition(output: int) -> Iterable[list[int]]:
            """Yield, for each two inputs: if both are false, so is the output; if both are true, so is the output."""
            for x, y in combinations(inputs, 2):
                yield [-output, x, y]
                yield [output, -x, -y]

        return self.gate(("majority", *inputs), definition)

    def at_most_one(self, literals: Iterable[int], unless: Sequence[int] = ()) -> list[int]:
        """Require that at most one of the literals is true, unless a literal of ``unless`` is.

        A literal that is listed twice has to be false.

        It is the commander encoding of W. Klieber and G. Kwon, Efficient CNF Encoding for Selecting 1 from N Objects
        (2007). Literals are divided into groups of PAIRWISE, and pairs within a group are excluded. Each group gets a
        commander, a gate that is true iff one of the group is. At most one commander may be true, which is required in
        the same way. Returns the last commanders, at most PAIRWISE + 1 literals; one of them is true iff one of the
        given literals is. Raises `TooManyClausesError` if the formula is full.
        """
        commanders = [literal for literal in literals if literal != FALSE]
        # PAIRWISE + 1 would make a whole group and a group of one: excluding their pairs takes fewer clauses than that.
        while len(commanders) > PAIRWISE + 1:
            groups = [commanders[start : start + PAIRWISE] for start in range(0, len(commanders), PAIRWISE)]
            for group in groups:
                self._exclude(group, unless)
            commanders = [self.disjunction(group) for group in groups]
        self._exclude(commanders, unless)
        return commanders

    def _exclude(self, literals: Sequence[int], unless: Sequence[int]) -> None:
        """Require that no two of the literals are true, unless a literal of ``unless`` is.

        Raises `TooManyClausesError` if the formula is full.
        """
        for a, b in combinations(literals, 2):
            self.add([*unless, -a, -b])

    def exactly_one(self, literals: Iterable[int], unless: Sequence[int] = ()) -> None:
        """Require that exactly one of the literals is true, unless a literal of ``unless`` is.

        Without ``unless``, the literals are also kept in `choices`. Raises `TooManyClausesError` if the formula is
        full.
        """
        choice = list(literals)
        self.add([*unless, *self.at_most_one(choice, unless)])
        if not unless:
            self.choices.append(choice)
