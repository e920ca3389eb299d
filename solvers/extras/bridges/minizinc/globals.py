"""Global constraints that come through whole, by the names of our own library of MiniZinc files.

Meaning: MiniZinc handbook, global constraints. The arguments determine all that is added to the model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from ortools.sat.python.cp_model import Domain, IntVar

from solvers.extras.bridges.minizinc.builtins import DIFFERENCES, Post, _require_sum_in, _table
from solvers.extras.bridges.minizinc.syntax import LEAST, Ranges
from solvers.extras.bridges.minizinc.translate import Translation, as_domain

MAX_AUTOMATON_STATES = 100_000
"""An automaton that becomes larger when it is made deterministic is refused."""


def _all_different(translation: Translation, arguments: Sequence[Any]) -> None:
    """Require that all arguments have different values."""
    translation.model.add_all_different(translation.integers(arguments))


def _regular(
    translation: Translation,
    word: Sequence[Any],
    state_count: int,
    letter_count: int,
    steps: Sequence[int],
    start: int,
    final: Ranges,
) -> None:
    """Require that a deterministic automaton accepts the word, a sequence of variables that are letters.

    state_count, letter_count: how many there are; both are numbered from 1. steps: the next state of each state for
    each letter, state by state; 0 is failure. start: the first state. final: the accepting states. `_automaton` takes
    the same as arcs (state, letter, next state).
    """
    arcs = []
    for state, letter in product(range(1, state_count + 1), range(1, letter_count + 1)):
        target = steps[(state - 1) * letter_count + letter - 1]
        if target > 0:
            arcs.append((state, letter, target))
    accepting_states = [state for state in range(1, state_count + 1) if state in final]
    _automaton(translation, word, start, accepting_states, arcs)


def _automaton(
    translation: Translation,
    word: Sequence[Any],
    start: int,
    final: Sequence[int],
    arcs: Sequence[tuple[int, int, int]],
) -> None:
    """Require that an automaton accepts the word, a sequence of letters, which are variables or constants.

    start: the first state. final: the accepting states. arcs: (state, letter, next state). CP-SAT takes no empty word,
    and no automaton without arcs or accepting states: then the model becomes infeasible, unless the word is accepted.
    translation: has the model; its ``literal`` returns the variable for an argument, also for a constant.
    """
    if not word or not final or not arcs:
        is_accepted = not word and start in final  # the empty word ends where it starts
        if not is_accepted:
            translation.model.add_bool_or([])  # false
        return
    translation.model.add_automaton([translation.literal(letter) for letter in word], start, final, arcs)


def _regular_nfa(
    translation: Translation,
    word: Sequence[Any],
    state_count: int,
    letter_count: int,
    steps: Sequence[Ranges],
    start: int,
    final: Ranges,
) -> None:
    """Require that a nondeterministic automaton accepts the word.

    It is made deterministic by the subset construction: the set of states that a word may reach becomes one state,
    numbered from 1. Raises ValueError if that takes too many states.

    state_count, letter_count: how many there are; both are numbered from 1. steps: the set of next states of each state
    for each letter, state by state. start: the first state. final: the accepting states. `_automaton` takes the
    deterministic automaton as arcs (state, letter, next state).
    """
    number_of_set = {frozenset([start]): 1}
    arcs = []
    pending_sets = [frozenset([start])]
    while pending_sets:
        state_set = pending_sets.pop()
        for letter in range(letter_count):
            successors = frozenset(
                successor for state in state_set for successor in steps[(state - 1) * letter_count + letter]
            )
            if not successors:
                continue
            if successors not in number_of_set:
                number_of_set[successors] = len(number_of_set) + 1
                pending_sets.append(successors)
            arcs.append((number_of_set[state_set], letter + 1, number_of_set[successors]))
        if len(number_of_set) > MAX_AUTOMATON_STATES:
            raise ValueError(f"an automaton has more than {MAX_AUTOMATON_STATES} sets of states")
    accepting = [number for state_set, number in number_of_set.items() if any(state in final for state in state_set)]
    _automaton(translation, word, 1, accepting, arcs)


def _circuit(may_leave_out: bool) -> Post:
    """Return the function that requires that nodes and their successors form one tour.

    may_leave_out: whether nodes may be left out; such a node is its own successor.
    """

    def post(translation: Translation, successors: Sequence[Any], first: int) -> None:
        """Require that nodes form one tour.

        successors: the variable for the successor of each node. first: the number of the first node. An arc of CP-SAT's
        constraint is (tail, head, literal that is true if it is used), with nodes from 0; an arc from a node to itself
        leaves it out of the tour. translation: has the model and its variables. ``equals`` returns the literal for an
        equality. `_require_sum_in` requires that a sum of coefficients times arguments is in a domain.
        """
        count = len(successors)
        arcs = [
            (tail, head, translation.equals(successor, first + head))
            for tail, successor in enumerate(successors)
            for head in range(count)
            if may_leave_out or head != tail
        ]
        if arcs:
            for successor in successors:
                _require_sum_in(translation, [1], [successor], Domain(first, first + count - 1))
            translation.model.add_circuit(arcs)
        elif count:  # no tour goes through a single node
            translation.model.add_bool_or([])  # false

    return post


def _inverse(
    translation: Translation, direct: Sequence[Any], first: int, inverse: Sequence[Any], first_inverse: int
) -> None:
    """Require that ``direct`` and ``inverse`` are inverse permutations.

    An element i of ``direct`` is k if and only if the element k of ``inverse`` is i. first, first_inverse: the index of
    the first element of each array. translation: has the model; its ``literals`` returns the variables for arguments,
    also for a constant. ``equals`` returns the literal for an equality. `_require_sum_in` requires that a sum of
    coefficients times arguments is in a domain.
    """
    if len(direct) != len(inverse):
        translation.model.add_bool_or([])  # false
        return
    if first == first_inverse and 0 <= first <= 1:
        # CP-SAT counts from 0; arrays from 1 get an element 0 that is its own image.
        padding = [translation.constant(0)] * first
        direct_expressions = [*padding, *translation.literals(direct)]
        inverse_expressions = [*padding, *translation.literals(inverse)]
        translation.model.add_inverse(direct_expressions, inverse_expressions)
        return
    for place, image in enumerate(direct):
        _require_sum_in(translation, [1], [image], Domain(first_inverse, first_inverse + len(inverse) - 1))
        for inverse_place, value in enumerate(inverse):
            is_image = translation.equals(image, first_inverse + inverse_place)
            is_value = translation.equals(value, first + place)
            translation.model.add_implication(is_image, is_value)
            translation.model.add_implication(is_value, is_image)
    for value in inverse:
        _require_sum_in(translation, [1], [value], Domain(first, first + len(direct) - 1))


def _lexicographic(end: str) -> Post:
    """Return the function that requires that two sequences are in lexicographic order.

    end: "lt" if the left sequence has to be less, "le" if it may be equal.
    """

    def post(translation: Translation, left: Sequence[Any], right: Sequence[Any]) -> None:
        """Require that ``left`` is less than ``right`` in lexicographic order; or equal, if ``end`` is "le".

        If the terms before are all equal, a term is not greater than the other one. A sequence that begins the other
        one is less than it. translation: has the model and its variables. ``equals`` returns the literal for an
        equality. `_require_sum_in` requires that a sum of coefficients times arguments is in a domain, if a literal is
        true; `DIFFERENCES` has the ends of the domain of left minus right for a relation.
        """
        is_equal_so_far: Any = translation.constant(1)
        for number, (term, other_term) in enumerate(zip(left, right, strict=False), 1):
            _require_sum_in(
                translation, [1, -1], [term, other_term], Domain(*(DIFFERENCES["le"] or ())), is_equal_so_far
            )
            if number == max(len(left), len(right)) and end == "lt":  # the last terms of sequences of equal length
                _require_sum_in(
                    translation, [1, -1], [term, other_term], Domain(*(DIFFERENCES["lt"] or ())), is_equal_so_far
                )
                return
            # The equality of the last terms is needed only if the lengths decide then.
            if number < min(len(left), len(right)) or len(left) != len(right):
                is_equal_so_far = conjunction(translation, is_equal_so_far, translation.equals(term, other_term))
        # Whether the order holds if all compared terms are equal: then the lengths decide.
        may_agree = len(left) < len(right) if end == "lt" else len(left) <= len(right)
        if not may_agree:
            translation.model.add_bool_or([~is_equal_so_far])

    return post


def conjunction(translation: Translation, literal: Any, other: Any) -> Any:
    """Return a new literal of the model that is true if and only if two literals are.

    literal, other: the two literals. translation: has the model and its variables.
    """
    conjunct = translation.model.new_bool_var("")
    translation.model.add_implication(conjunct, literal)
    translation.model.add_implication(conjunct, other)
    translation.model.add_bool_or([conjunct, ~literal, ~other])
    return conjunct


def _require_count(
    translation: Translation, arguments: Sequence[Any], wanted: Any, coefficient: int, count: Any, domain: Domain
) -> None:
    """Require that the number of arguments with the wanted value, plus ``coefficient * count``, is in a domain.

    wanted, count: variables or constants. ``translation.equals`` returns the literal for an equality, which is 0 or 1.
    """
    number: Any = sum(translation.equals(argument, wanted) for argument in arguments) if arguments else 0
    translation.model.add_linear_expression_in_domain(number + coefficient * translation.integer(count), domain)


def _count(translation: Translation, arguments: Sequence[Any], wanted: Any, count: Any) -> None:
    """Require that ``count`` arguments have the wanted value."""
    _require_count(translation, arguments, wanted, -1, count, Domain(0, 0))


def _count_bound(relation: str) -> Post:
    """Return the function that bounds the number of arguments that have a wanted value.

    relation: "le", "ge" or "eq".
    """

    def post(translation: Translation, number: int, arguments: Sequence[Any], wanted: Any) -> None:
        """Require that the number of arguments with the wanted value is in the relation to ``number``."""
        _require_count(translation, arguments, wanted, -1, number, Domain(*(DIFFERENCES[relation] or ())))

    return post


def _require_among(translation: Translation, count: Any, arguments: Sequence[Any], values: Ranges) -> None:
    """Require that ``count`` arguments have a value in the set.

    For each argument there is a literal, or a constant, that is 1 if its value is in the set. translation: has the
    model; its ``integer`` returns the variable for an argument, or a constant as an int.
    """
    literals = []
    for argument in arguments:
        number = translation.integer(argument)
        if isinstance(number, IntVar):
            literals.append(translation.truth_literal(number, as_domain(values)))
        else:
            literals.append(translation.constant(int(number in values)))
    translation.model.add_linear_expression_in_domain(sum(literals) - translation.integer(count), Domain(0, 0))


def _cardinality(
    translation: Translation, arguments: Sequence[Any], cover: Sequence[int], counts: Sequence[Any]
) -> None:
    """Require that each value in ``cover`` is taken by a certain number of arguments.

    That number is the entry of ``counts`` at the same place. `_count` requires it of one value. It follows that the
    numbers for different values add up to the number of arguments at most.
    """
    for wanted, count in zip(cover, counts, strict=True):
        _count(translation, arguments, wanted, count)
    if len({*cover}) == len(cover):
        _require_sum_in(translation, [1] * len(counts), counts, Domain(LEAST, len(arguments)))


def _cardinality_between(
    translation: Translation, arguments: Sequence[Any], cover: Sequence[int], least: Sequence[int], most: Sequence[int]
) -> None:
    """Require bounds on the number of arguments that take each value in ``cover``.

    least, most: the bounds, in the order of ``cover``. Bounds that exclude each other make the model infeasible; those
    that always hold are left out. translation: has the model and its variables.
    """
    for value, low, high in zip(cover, least, most, strict=True):
        if low > high:
            translation.model.add_bool_or([])  # false
        elif low > 0 or high < len(arguments):
            _require_count(translation, arguments, value, 0, 0, Domain(low, high))


def _intervals(translation: Translation, starts: Sequence[Any], sizes: Sequence[Any]) -> list[Any]:
    """Return new interval variables of CP-SAT with these starts and sizes, which are variables or constants.

    CP-SAT takes an expression with one variable at most as the end of an interval. So where the size is a variable, the
    end gets a variable of its own, within the sum of the bounds. translation: has the model; its ``integer`` returns
    the variable for an argument, or a constant as an int.
    """
    intervals = []
    for start, size in zip(starts, sizes, strict=True):
        begin = translation.integer(start)
        length = translation.integer(size)
        if isinstance(length, IntVar):
            (least_start, greatest_start), (least_size, greatest_size) = map(translation.bounds, (start, size))
            end: Any = translation.add_variable(least_start + least_size, greatest_start + greatest_size)
            translation.model.add(begin + length == end)
        else:
            end = begin + length
        intervals.append(translation.model.new_interval_var(begin, length, end, ""))
    return intervals


def _cumulative(
    translation: Translation, starts: Sequence[Any], durations: Sequence[Any], demands: Sequence[Any], capacity: Any
) -> None:
    """Require that the demands of tasks that run at the same time never exceed the capacity.

    starts, durations, demands: the start, duration and demand of each task. translation: has the model; its ``integer``
    returns the variable for an argument, or a constant as an int.
    """
    translation.model.add_cumulative(
        _intervals(translation, starts, durations), translation.integers(demands), translation.integer(capacity)
    )


def _apart_in_time(translation: Translation, starts: Sequence[Any], durations: Sequence[Any]) -> None:
    """Require that tasks do not overlap in time.

    starts, durations: the start and duration of each task.
    """
    translation.model.add_no_overlap(_intervals(translation, starts, durations))


def _require_no_overlap(
    translation: Translation, xs: Sequence[Any], ys: Sequence[Any], widths: Sequence[Any], heights: Sequence[Any]
) -> None:
    """Require that rectangles do not overlap.

    xs, ys: the coordinates of their lower left corners. widths, heights: their sides. translation: has the model and
    its variables.
    """
    translation.model.add_no_overlap_2d(_intervals(translation, xs, widths), _intervals(translation, ys, heights))


GLOBALS: Mapping[str, Post] = {
    "fzn_all_different_int": _all_different,
    "fzn_table_int": _table,
    "fzn_table_bool": _table,
    "fzn_regular": _regular,
    "fzn_regular_nfa": _regular_nfa,
    "kazoeru_circuit": _circuit(may_leave_out=False),
    "kazoeru_subcircuit": _circuit(may_leave_out=True),
    "kazoeru_inverse": _inverse,
    "fzn_lex_less_int": _lexicographic("lt"),
    "fzn_lex_less_bool": _lexicographic("lt"),
    "fzn_lex_lesseq_int": _lexicographic("le"),
    "fzn_lex_lesseq_bool": _lexicographic("le"),
    "fzn_count_eq": _count,
    "fzn_among": _require_among,
    "fzn_at_most_int": _count_bound("le"),
    "fzn_at_least_int": _count_bound("ge"),
    "fzn_exactly_int": _count_bound("eq"),
    "fzn_global_cardinality": _cardinality,
    "fzn_global_cardinality_low_up": _cardinality_between,
    "fzn_cumulative": _cumulative,
    "kazoeru_disjunctive": _apart_in_time,
    "kazoeru_diffn": _require_no_overlap,
}
"""The functions by the name of the constraint."""
