"""Global constraints that come through whole, by the names of our own library of MiniZinc files.

Meaning: MiniZinc handbook, global constraints. The arguments determine all that is added to the model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ortools.sat.python.cp_model import Domain, IntVar

from solvers.extras.bridges.minizinc.builtins import COMPARED, Post, _require_sum_in, _table
from solvers.extras.bridges.minizinc.syntax import Ranges
from solvers.extras.bridges.minizinc.translate import Translation, as_domain

MAX_AUTOMATON_STATES = 100_000
"""An automaton that becomes larger when it is made deterministic is refused."""


def _all_different(to: Translation, arguments: Sequence[Any]) -> None:
    """Require, in the model of ``to``, that all arguments have different values."""
    to.model.add_all_different(to.integers(arguments))


def _regular(
    to: Translation,
    word: Sequence[Any],
    states: int,
    letters: int,
    steps: Sequence[int],
    start: int,
    final: Ranges,
) -> None:
    """Require, in the model of ``to``, that a deterministic automaton accepts the word, a sequence of letters.

    states, letters: their numbers; both count from 1. steps: the successor of each state for each letter, state by
    state; 0 is failure. start: the first state. final: the accepting states.
    """
    arcs = [
        (state + 1, letter + 1, steps[state * letters + letter])
        for state in range(states)
        for letter in range(letters)
        if steps[state * letters + letter] > 0
    ]
    _automaton(to, word, start, [state for state in range(1, states + 1) if state in final], arcs)


def _automaton(
    to: Translation, word: Sequence[Any], start: int, final: Sequence[int], arcs: Sequence[tuple[int, int, int]]
) -> None:
    """Require, in the model of ``to``, that an automaton accepts the word, a sequence of letters.

    start: the first state. final: the accepting states. arcs: (state, letter, next state). CP-SAT takes no empty word,
    and no automaton without arcs or accepting states.
    """
    if not word or not final or not arcs:
        is_accepted = not word and start in final  # the empty word ends where it starts
        if not is_accepted:
            to.model.add_bool_or([])
        return
    to.model.add_automaton([to.literal(letter) for letter in word], start, final, arcs)


def _regular_nfa(
    to: Translation,
    word: Sequence[Any],
    states: int,
    letters: int,
    steps: Sequence[Ranges],
    start: int,
    final: Ranges,
) -> None:
    """Require, in the model of ``to``, that a nondeterministic automaton accepts the word.

    The arguments are those of `_regular`, but steps: sets of successors. The automaton is made deterministic, so that
    each word is read in one way: the set of states that a word may reach becomes one state, numbered from 1. Raises
    ValueError if that takes too many states.
    """
    number_of_set = {frozenset([start]): 1}
    arcs = []
    unread_sets = [frozenset([start])]
    while unread_sets:
        state_set = unread_sets.pop()
        for letter in range(letters):
            successors = frozenset(
                successor for state in state_set for successor in steps[(state - 1) * letters + letter]
            )
            if not successors:
                continue
            if successors not in number_of_set:
                number_of_set[successors] = len(number_of_set) + 1
                unread_sets.append(successors)
            arcs.append((number_of_set[state_set], letter + 1, number_of_set[successors]))
        if len(number_of_set) > MAX_AUTOMATON_STATES:
            raise ValueError(f"an automaton has more than {MAX_AUTOMATON_STATES} sets of states")
    accepting = [number for state_set, number in number_of_set.items() if any(state in final for state in state_set)]
    _automaton(to, word, 1, accepting, arcs)


def _circuit(may_leave_out: bool) -> Post:
    """Return the function that requires that nodes and their successors form one tour.

    may_leave_out: whether nodes may be left out; such a node is its own successor.
    """

    def post(to: Translation, successors: Sequence[Any], first: int) -> None:
        """Require, in the model of ``to``, that nodes form one tour; first: the number of the first node."""
        count = len(successors)
        arcs = [
            (tail, head, to.equals(successor, first + head))
            for tail, successor in enumerate(successors)
            for head in range(count)
            if may_leave_out or head != tail
        ]
        if arcs:
            for successor in successors:
                _require_sum_in(to, [1], [successor], Domain(first, first + count - 1))
            to.model.add_circuit(arcs)
        elif count:  # no tour goes through a single node
            to.model.add_bool_or([])

    return post


def _inverse(to: Translation, direct: Sequence[Any], first: int, inverse: Sequence[Any], first_inverse: int) -> None:
    """Require, in the model of ``to``, that ``direct`` and ``inverse`` are inverse permutations.

    first, first_inverse: the index of the first element of each array.
    """
    if len(direct) != len(inverse):
        to.model.add_bool_or([])
        return
    if first == first_inverse and 0 <= first <= 1:
        # CP-SAT counts from 0; arrays from 1 get an element 0 that is its own image.
        padding = [to.constant(0)] * first
        to.model.add_inverse([*padding, *to.literals(direct)], [*padding, *to.literals(inverse)])
        return
    for i, image in enumerate(direct):
        _require_sum_in(to, [1], [image], Domain(first_inverse, first_inverse + len(inverse) - 1))
        for k, value in enumerate(inverse):
            is_image, is_value = to.equals(image, first_inverse + k), to.equals(value, first + i)
            to.model.add_implication(is_image, is_value)
            to.model.add_implication(is_value, is_image)
    for value in inverse:
        _require_sum_in(to, [1], [value], Domain(first, first + len(direct) - 1))


def _lexicographic(end: str) -> Post:
    """Return the function that requires that two sequences are in lexicographic order.

    end: "lt" if the left sequence has to be less, "le" if it may be equal.
    """

    def post(to: Translation, left: Sequence[Any], right: Sequence[Any]) -> None:
        """Require, in the model of ``to``, that ``left`` is less than ``right`` in lexicographic order.

        The two may also be equal if the order was made with "le". If the terms before are all equal, a term is not
        greater than the other one. A sequence that begins the other one is less than it.
        """
        is_equal_so_far: Any = to.constant(1)
        for number, (term, other_term) in enumerate(zip(left, right, strict=False), 1):
            _require_sum_in(to, [1, -1], [term, other_term], Domain(*(COMPARED["le"] or ())), is_equal_so_far)
            if number == max(len(left), len(right)) and end == "lt":
                _require_sum_in(to, [1, -1], [term, other_term], Domain(*(COMPARED["lt"] or ())), is_equal_so_far)
                return
            if number < min(len(left), len(right)) or len(left) != len(right):
                is_equal_so_far = conjunction(to, is_equal_so_far, to.equals(term, other_term))
        is_right = len(left) < len(right) if end == "lt" else len(left) <= len(right)
        if not is_right:
            to.model.add_bool_or([~is_equal_so_far])

    return post


def conjunction(to: Translation, literal: Any, other: Any) -> Any:
    """Return a new literal of the model of ``to`` that is true if and only if two literals are.

    literal, other: the two literals.
    """
    conjunct = to.model.new_bool_var("")
    to.model.add_implication(conjunct, literal)
    to.model.add_implication(conjunct, other)
    to.model.add_bool_or([conjunct, ~literal, ~other])
    return conjunct


def _require_count(
    to: Translation, arguments: Sequence[Any], wanted: Any, coefficient: int, count: Any, domain: Domain
) -> None:
    """Require, in the model of ``to``, a certain number of arguments with the wanted value.

    That number, plus ``coefficient * count``, has to be in the domain. wanted, count: variables or constants.
    """
    terms: Any = sum(to.equals(argument, wanted) for argument in arguments) if arguments else 0
    to.model.add_linear_expression_in_domain(terms + coefficient * to.integer(count), domain)


def _count(to: Translation, arguments: Sequence[Any], wanted: Any, count: Any) -> None:
    """Require, in the model of ``to``, that ``count`` arguments have the wanted value."""
    _require_count(to, arguments, wanted, -1, count, Domain(0, 0))


def _count_bound(relation: str) -> Post:
    """Return the function that bounds the number of arguments that have a wanted value.

    relation: "le", "ge" or "eq".
    """

    def post(to: Translation, number: int, arguments: Sequence[Any], wanted: Any) -> None:
        """Require, in the model of ``to``, that the number of arguments with the wanted value is in the relation."""
        _require_count(to, arguments, wanted, -1, number, Domain(*(COMPARED[relation] or ())))

    return post


def _require_among(to: Translation, count: Any, arguments: Sequence[Any], values: Ranges) -> None:
    """Require, in the model of ``to``, that ``count`` arguments have a value in the set."""
    literals = []
    for argument in arguments:
        number = to.integer(argument)
        literals.append(
            to.truth_literal(number, as_domain(values))
            if isinstance(number, IntVar)
            else to.constant(int(number in values))
        )
    to.model.add_linear_expression_in_domain(sum(literals) - to.integer(count), Domain(0, 0))


def _cardinality(to: Translation, arguments: Sequence[Any], cover: Sequence[int], counts: Sequence[Any]) -> None:
    """Require, in the model of ``to``, that each value in ``cover`` is taken by a certain number of arguments.

    That number is the entry of ``counts`` at the same place.
    """
    for wanted, count in zip(cover, counts, strict=True):
        _count(to, arguments, wanted, count)


def _cardinality_between(
    to: Translation, arguments: Sequence[Any], cover: Sequence[int], least: Sequence[int], most: Sequence[int]
) -> None:
    """Require, in the model of ``to``, bounds on the number of arguments that take each value in ``cover``.

    least, most: the bounds, in the order of ``cover``.
    """
    for value, low, high in zip(cover, least, most, strict=True):
        if low > high:
            to.model.add_bool_or([])
        elif low > 0 or high < len(arguments):
            _require_count(to, arguments, value, 0, 0, Domain(low, high))


def _intervals(to: Translation, starts: Sequence[Any], sizes: Sequence[Any]) -> list[Any]:
    """Return new interval variables, in the model of ``to``, with these starts and sizes.

    An interval takes an end with one variable only. So where the size is a variable, too, the end gets a new one.
    """
    intervals = []
    for start, size in zip(starts, sizes, strict=True):
        begin, length = to.integer(start), to.integer(size)
        if isinstance(length, IntVar):
            end: Any = to.add_variable(*(a + b for a, b in zip(to.bounds(start), to.bounds(size), strict=True)))
            to.model.add(begin + length == end)
        else:
            end = begin + length
        intervals.append(to.model.new_interval_var(begin, length, end, ""))
    return intervals


def _cumulative(
    to: Translation, starts: Sequence[Any], durations: Sequence[Any], demands: Sequence[Any], capacity: Any
) -> None:
    """Require, in the model of ``to``, that the demands of tasks that run at the same time never exceed the capacity.

    starts, durations, demands: the start, duration and demand of each task.
    """
    to.model.add_cumulative(_intervals(to, starts, durations), to.integers(demands), to.integer(capacity))


def _apart_in_time(to: Translation, starts: Sequence[Any], durations: Sequence[Any]) -> None:
    """Require, in the model of ``to``, that tasks do not overlap in time.

    starts, durations: the start and duration of each task.
    """
    to.model.add_no_overlap(_intervals(to, starts, durations))


def _require_no_overlap(
    to: Translation, xs: Sequence[Any], ys: Sequence[Any], widths: Sequence[Any], heights: Sequence[Any]
) -> None:
    """Require, in the model of ``to``, that rectangles do not overlap.

    xs, ys: the coordinates of their lower left corners. widths, heights: their sides.
    """
    to.model.add_no_overlap_2d(_intervals(to, xs, widths), _intervals(to, ys, heights))


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
