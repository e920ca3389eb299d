"""The walk of a person who knows the forced moves: where one has to choose, and how long a wrong choice lasts.

A move is forced where it follows by unit propagation: a cell that one piece alone can cover, a piece that fits in one
place alone. Where nothing is forced, one looks at the cell, the piece or the variable with the fewest options left.
Some of these lead to a solution; others fail at once, by forced moves alone, or they last: then one goes on in the same
way, always with the first option that does not fail at once, until each does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from solvers.backends.registry import prepared, propagator
from solvers.cubes.branch import choices
from solvers.extras.questions.invent.ask import Asked
from solvers.extras.questions.reasons.rules import has_pieces
from solvers.model.reading import negated, variable_of
from solvers.model.scheduling import without_scheduling
from solvers.symmetry.breaking import key_choices


class Walk(NamedTuple):
    """The effort of a person on the way to a solution."""

    unit: str
    """The things that are placed: pieces, cells or variables."""
    things: int
    """The number of things to place, without the givens."""
    forced: int
    """The number of things that are forced before the first choice."""
    choices: int
    """The number of choices that the person has to make."""
    hardest: int
    """The largest number of options at one choice."""
    false_starts: int
    """The number of options, over all choices, that lead to no solution but are not refuted by forced moves alone."""
    longest: int
    """The largest number of things that are placed after such an option before it fails."""


KNOWN_WALKS = {
    "Soma cube": Walk("pieces", 7, 0, 5, 55, 16, 4),
    "pentominoes, 6x10": Walk("pieces", 12, 0, 9, 32, 18, 6),
    "newspaper sudoku": Walk("cells", 49, 49, 0, 0, 0, 0),
}
"""The walks of known puzzles, to compare with; `tests.questions.test_grade` computes them again."""


def walk_like_a_person(asked: Asked) -> Walk:
    """Walk to a solution as a person would who sees all forced moves; there has to be a solution.

    Raises `InputError` for a model that has no clauses, `Stopped` once the event is set. asked: the prepared puzzle,
    with its givens.
    """
    return _Walker(asked).walk()


State = set[int]
"""The literals of the model that are known to be true."""


class _Walker:
    """Walks to a solution of one puzzle.

    It follows forced moves, and makes the right choice where nothing is forced.
    """

    def __init__(self, asked: Asked) -> None:
        """Prepare propagation, a solver, and the choices of the puzzle.

        asked: the puzzle with its givens. A choice is a list of literals exactly one of which is true, such as those of
        a cell. Raises `InputError` if the model has no clauses. Raises `Stopped` once the event is set.
        """
        model, key = asked.model.clone(), asked.key
        without_scheduling(model)
        self._of_number: dict[int, int] = {}
        for position, variable in enumerate(key.variables):
            for choice in choices(model, [variable]):
                self._of_number.update(enumerate(choice, key.first[position]))
        self._propagation = propagator(model, set(map(variable_of, self._of_number.values())), asked.stop)
        self._solver = prepared(model, key.variables, asked.stop)
        self._stop = asked.stop
        numbered = [choice for choice in key_choices(asked.model, key) if all(n in self._of_number for n in choice)]
        held = {number for choice in numbered for number in choice}
        booleans = (first for first, is_boolean in zip(key.first, key.is_boolean, strict=False) if is_boolean)
        numbered += [[n, n + 1] for n in booleans if n in self._of_number and n not in held]
        self._choices = [[self._of_number[number] for number in choice] for choice in numbered]
        is_thing = (key.literal(n)[1] or not key.is_boolean[key.literal(n)[0]] for n in self._of_number)
        self._things = {one for one, is_one in zip(self._of_number.values(), is_thing, strict=True) if is_one}
        of_cells = "cells" if asked.puzzle.fills else "variables"
        self._unit = "pieces" if has_pieces(asked.puzzle, key) else of_cells
        known = [fact.literals[0] for fact in asked.given if len(fact.literals) == 1]
        self._given = [self._of_number[n] for n in known if n in self._of_number]  # one value alone is no given

    def walk(self) -> Walk:
        """Walk to a solution and return the figures of the walk."""
        given = len(self._things.intersection(self._given))
        chosen: list[int] = []
        state = self._after(chosen)
        assert state is not None
        first, numbers, lasting = self._placed(state), list[int](), list[int]()
        while options := self._options(state):
            numbers.append(len(options))
            states = {option: after for option in options if (after := self._after([*chosen, option])) is not None}
            is_right = {option: self._is_right([*chosen, option]) for option in states}
            for option, after in states.items():
                if not is_right[option]:
                    lasting.append(self._place_until_failing([*chosen, option], after) - self._placed(state))
            best = next(option for option in states if is_right[option])
            chosen.append(best)
            state = states[best]
        return Walk(
            self._unit,
            self._placed(state) - given,
            first - given,
            len(numbers),
            max(numbers, default=0),
            len(lasting),
            max(lasting, default=0),
        )

    def _after(self, literals: Sequence[int]) -> State | None:
        """Return the state after these literals and all moves that they force.

        The result is None if the literals lead to a contradiction.
        """
        return self._propagation.implied(literals)

    def _placed(self, state: State) -> int:
        """Return the number of things (pieces, cells or variables) that are placed in a state."""
        return len(self._things & state)

    def _options(self, state: State) -> list[int]:
        """Return the open literals, in a state, of the choice that has the fewest.

        The list is empty if no choice is open. A choice is open while none of its literals is known to be true, a
        literal while it is not known to be false.
        """
        left = (
            [literal for literal in choice if negated(literal) not in state]
            for choice in self._choices
            if state.isdisjoint(choice)
        )
        return min(left, key=len, default=[])

    def _is_right(self, literals: Sequence[int]) -> bool:
        """Tell whether some solution has all these literals."""
        return self._solver.extend([{variable_of(one): int(one >= 0) for one in literals}])[0] is not None

    def _place_until_failing(self, literals: list[int], state: State) -> int:
        """Go on from a state with the first option that does not fail at once, until all options fail.

        literals: the literals chosen so far. Returns the number of things (pieces, cells or variables) that are placed
        then.
        """
        while True:
            for option in self._options(state):
                if (after := self._after([*literals, option])) is not None:
                    literals, state = [*literals, option], after
                    break
            else:
                return self._placed(state)
