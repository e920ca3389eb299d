"""The walk of a person who knows the forced moves: where one has to choose, and how long a wrong choice lasts.

A move is forced where it follows by unit propagation: a cell that one piece alone can cover, a piece that fits in one
place alone. Where nothing is forced, one looks at the cell, the piece or the variable with the fewest options left.
Some of these lead to a solution; others fail at once, by forced moves alone, or they last: then one goes on in the same
way, always with the first option that does not fail at once, until each does.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import NamedTuple

from ortools.sat.python.cp_model import CpModel

from solvers.backends.registry import extension_backend, propagator
from solvers.cubes.branch import choices
from solvers.extras.questions.invent.ask import Asked
from solvers.extras.questions.recognise.cells import has_pieces
from solvers.model.reading import negation, variable_of
from solvers.symmetry.breaking import key_choices
from solvers.symmetry.key import Key


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
        a cell. Literals are those of the model: i, or -i - 1 for the negation of variable i. Raises `InputError` if the
        model has no clauses. Raises `Stopped` once the event is set.
        """
        model, key = asked.model.clone(), asked.key
        literals = _literals_by_number(model, key)  # adds Booleans to the model, so it comes before the solvers
        self._propagation = propagator(model, set(map(variable_of, literals.values())), asked.stop)
        self._solver = extension_backend(model, key.variables, asked.stop)
        self._stop = asked.stop
        self._choices = [[literals[number] for number in choice] for choice in _choices_by_number(asked, literals)]
        self._things = {literal for number, literal in literals.items() if _places_a_thing(key, number)}
        """The literals that place a piece, the content of a cell, or the value of a variable."""
        self._unit = _unit(asked)
        given_numbers = [fact.literals[0] for fact in asked.given if len(fact.literals) == 1]
        # A given of a variable that offers no choice, as it has one value or too many, is not counted.
        self._given = [literals[number] for number in given_numbers if number in literals]

    def walk(self) -> Walk:
        """Walk to a solution and return the figures of the walk.

        At each choice, the first option that some solution has is chosen. Before that, each option that no solution
        has, and that forced moves alone do not refute, is followed until it fails.
        """
        given_things = len(self._things.intersection(self._given))
        chosen: list[int] = []
        state = self._propagation.consequences(chosen)
        assert state is not None
        forced = self._placement_count(state) - given_things
        option_counts = list[int]()
        false_start_lengths = list[int]()
        while options := self._options(state):
            option_counts.append(len(options))
            # The state after each option that forced moves alone do not refute.
            states = {
                option: after
                for option in options
                if (after := self._propagation.consequences([*chosen, option])) is not None
            }
            is_right = {option: self._is_right([*chosen, option]) for option in states}
            for option, after in states.items():
                if not is_right[option]:
                    placed = self._place_until_failing([*chosen, option], after)
                    false_start_lengths.append(placed - self._placement_count(state))
            right_option = next(option for option in states if is_right[option])
            chosen.append(right_option)
            state = states[right_option]
        return Walk(
            unit=self._unit,
            things=self._placement_count(state) - given_things,
            forced=forced,
            choices=len(option_counts),
            hardest=max(option_counts, default=0),
            false_starts=len(false_start_lengths),
            longest=max(false_start_lengths, default=0),
        )

    def _placement_count(self, state: State) -> int:
        """Return the number of things (pieces, cells or variables) that are placed in a state."""
        return len(self._things & state)

    def _options(self, state: State) -> list[int]:
        """Return the open literals, in a state, of the choice that has the fewest.

        The list is empty if no choice is open. A choice is open while none of its literals is known to be true, a
        literal while it is not known to be false.
        """
        open_choices = (
            [literal for literal in choice if negation(literal) not in state]
            for choice in self._choices
            if state.isdisjoint(choice)
        )
        return min(open_choices, key=len, default=[])

    def _is_right(self, literals: Sequence[int]) -> bool:
        """Tell whether some solution has all these literals."""
        return self._solver.extend([{variable_of(literal): int(literal >= 0) for literal in literals}])[0] is not None

    def _place_until_failing(self, literals: list[int], state: State) -> int:
        """Go on from a state with the first option that does not fail at once, until all options fail.

        literals: the literals chosen so far. Returns the number of things (pieces, cells or variables) that are placed
        then.
        """
        while True:
            for option in self._options(state):
                if (after := self._propagation.consequences([*literals, option])) is not None:
                    literals, state = [*literals, option], after
                    break
            else:
                return self._placement_count(state)


def _literals_by_number(model: CpModel, key: Key) -> dict[int, int]:
    """Return the model's literal for each number of the key's literals, of the variables that offer a choice.

    The literals of a variable have successive numbers, from the one in ``key.first``, in the order in which `choices`
    returns them. For integer variables, new Booleans are added to the model.
    """
    literals: dict[int, int] = {}
    for variable, first in zip(key.variables, key.first[:-1], strict=True):
        for choice in choices(model, [variable]):  # one, or none if the variable has one value or too many
            for rank, literal in enumerate(choice):
                literals[first + rank] = literal
    return literals


def _choices_by_number(asked: Asked, numbers: Container[int]) -> list[list[int]]:
    """Return the choices of the puzzle, each as the numbers of its literals in the key.

    A choice is a set of literals exactly one of which is true: `key_choices` reads them from the model. A Boolean whose
    value 1 is in none of them is a choice by itself: true or false. numbers: the literals that may occur; a choice with
    others is left out. asked: the prepared puzzle.
    """
    key = asked.key
    result = [choice for choice in key_choices(asked.model, key) if all(number in numbers for number in choice)]
    numbers_in_choices = {number for choice in result for number in choice}
    for position, is_boolean in enumerate(key.is_boolean):
        true_number = key.first[position]
        if is_boolean and true_number in numbers and true_number not in numbers_in_choices:
            result.append([true_number, true_number + 1])  # the key numbers a Boolean's value 1 first, then 0
    return result


def _places_a_thing(key: Key, number: int) -> bool:
    """Tell whether a literal places something; that a Boolean is 0 places nothing."""
    position, value = key.literal(number)
    return value != 0 or not key.is_boolean[position]


def _unit(asked: Asked) -> str:
    """Return in words what is placed: pieces, cells or variables."""
    if has_pieces(asked.puzzle, asked.key):
        return "pieces"
    return "cells" if asked.puzzle.fills else "variables"
