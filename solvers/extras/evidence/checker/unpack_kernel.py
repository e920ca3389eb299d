"""The compiled part of reading packed refutations: steps are unpacked, checked, and written as text.

Steps lie one behind the other in an array: number, number of literals, literals, number of hints, hints; of a deletion
number, -1, how many clauses it names, their numbers. Nothing here trusts what it reads: whatever does not fit ends the
work with the number of the place.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

part_of_kernel = njit(nogil=True, inline="always", _nrt=False)
"""Decorates functions that become part of the compiled function that calls them; they make no arrays."""

STEP, LITERALS, KINDS, VARIABLES, GIVEN, LEMMAS = range(6)
"""The columns of a block.

They hold the number and length of each step; its literals; the kind of each hint; the variable that a clause of two
literals propagates; hints that are clauses of the formula; and other clauses.
"""

COLUMNS = 6

OF_FORMULA, OF_LEMMAS, OF_TWO = range(3)
"""The kinds of hints: a clause of the formula, a derived clause, and, from 2 on, a clause of two literals."""

FOLLOWS, WRONG_STEP, EMPTY_CLAUSE = 0, 1, 2
"""The answers of `check`."""


class PackState(NamedTuple):
    """The tables about earlier steps that packing and unpacking use."""

    pairs: NDArray[np.int32]
    """For each clause of two literals, these; for any other clause, zeros."""
    keys: NDArray[np.int64]
    """A hash table of pairs of literals."""
    values: NDArray[np.int32]
    """For each pair in the hash table, the last clause that has these two literals."""
    place: NDArray[np.int32]
    """For each literal, its place in the trail, counted from 1; 0 if it is not in the trail."""
    trail: NDArray[np.int32]
    """The literals that are false while a step is read."""
    counters: NDArray[np.int64]
    """The number of keys, the number of the last step, the number of given clauses, and the first two literals of the
    previous step."""


class Arena(NamedTuple):
    """The clauses that a check knows, with their literals in one array."""

    literals: NDArray[np.int32]
    start: NDArray[np.int64]
    """The place of each clause's first literal, by the number of the clause."""
    size: NDArray[np.int32]
    """The size of each clause, by the number of the clause; -1 if there is no such clause."""
    stamp: NDArray[np.int32]
    """For each literal, the number of the step in whose check it is false."""
    counters: NDArray[np.int64]
    """The number of stored literals, the number of the last clause, and the number of checked steps."""


@part_of_kernel
def pair_key(a, b):
    """Return a number that stands for a pair of literals, in any order."""
    low, high = min(a, b), max(a, b)
    return (np.int64(low) << 32) | (np.int64(high) & 0xFFFFFFFF)


@part_of_kernel
def slot_of(keys, key):
    """Return the place of a key in the hash table ``keys``, or the empty place where it belongs.

    keys: an array with 0 in its empty places; no key is 0.
    """
    mask = np.int64(len(keys) - 1)
    number = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    slot = np.int64(number >> np.uint64(20)) & mask
    while keys[slot] != 0 and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@part_of_kernel
def remember_pair(state, number, a, b):
    """Note in a `PackState` that the clause with this number has the two literals a and b."""
    state.pairs[2 * number] = a
    state.pairs[2 * number + 1] = b
    key = pair_key(a, b)
    slot = slot_of(state.keys, key)
    if state.keys[slot] == 0:
        state.keys[slot] = key
        state.counters[0] += 1
    state.values[slot] = number


def _rehash(keys, values, larger, larger_values):
    """Copy a hash table into a larger one, which is empty.

    keys, values: the arrays of the table. larger, larger_values: those of the larger one.
    """
    for n in range(len(keys)):
        if keys[n] != 0:
            slot = slot_of(larger, keys[n])
            larger[slot] = keys[n]
            larger_values[slot] = values[n]


@part_of_kernel
def _unfolded(number):
    """Return an integer for a number that is at least 0: 0, 1, 2, 3 become 0, -1, 1, -2."""
    return number >> 1 if number & 1 == 0 else -(number >> 1) - 1


@part_of_kernel
def literal_index(literal):
    """Return the index of a literal in the arrays that have an entry for each literal."""
    return 2 * literal if literal > 0 else -2 * literal + 1


@part_of_kernel
def _read(columns, at, ends, column):
    """Return the next number of a column, -1 at its end.

    columns: an array with a row for each column. at: the place in each column, which moves on. ends: the length of each
    column. column: its number.
    """
    number, shift = np.int64(0), 0
    while at[column] < ends[column] and shift < 56:
        byte = np.int64(columns[column, at[column]])
        at[column] += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number
        shift += 7
    return np.int64(-1)


def _unpack(columns, ends, flat, state, variables):
    """Read steps from columns into ``flat``.

    Returns how many numbers they are, or -1 if the columns hold no steps.

    columns: an array with a row for each column. ends: the length of each. state: a `PackState`, which is updated.
    variables: the number of variables of the formula.
    """
    size, place, trail, counters = 0, state.place, state.trail, state.counters
    at = np.zeros(COLUMNS, dtype=np.int64)
    most = len(state.pairs) // 2 - 1
    while at[STEP] < ends[STEP]:
        number = counters[1] + _unfolded(_read(columns, at, ends, STEP))
        literals = _read(columns, at, ends, STEP) - 1
        if literals < -1 or number < 0 or number > most or size + literals + 4 > len(flat):
            return -1
        flat[size] = number
        if literals < 0:
            count = _read(columns, at, ends, LEMMAS)
            if count < 0 or size + count + 3 > len(flat):
                return -1
            flat[size + 1] = -1
            flat[size + 2] = count
            before = number
            for k in range(count):
                before -= _unfolded(_read(columns, at, ends, LEMMAS))
                if before < 1 or before > most:
                    return -1
                flat[size + 3 + k] = before
            size += count + 3
            continue
        if number <= counters[1] or literals >= len(trail):
            return -1
        counters[1] = number
        flat[size + 1] = literals
        held, size = 0, size + 2
        for k in range(literals):
            before = counters[3 + k] if k < 2 else 0
            literal = before + _unfolded(_read(columns, at, ends, LITERALS))
            if literal == 0 or abs(literal) > variables:
                return -1
            if k < 2:
                counters[3 + k] = literal
            flat[size + k] = literal
            trail[held] = literal
            held += 1
            place[literal_index(literal)] = held
        size += literals
        hints = _read(columns, at, ends, STEP)
        if hints < 0 or size + hints + 1 > len(flat):
            return -1
        flat[size] = hints
        size += 1
        last_variable, last_given = np.int64(0), np.int64(0)
        for h in range(hints):
            kind = _read(columns, at, ends, KINDS)
            if kind == OF_FORMULA:
                last_given += _unfolded(_read(columns, at, ends, GIVEN))
                hint = last_given
            elif kind == OF_LEMMAS:
                hint = number - _unfolded(_read(columns, at, ends, LEMMAS))
            else:
                last_variable += _unfolded(_read(columns, at, ends, VARIABLES))
                false = (kind - OF_TWO) >> 1
                if kind < 0 or false >= held or held == len(trail) or not 1 <= last_variable <= variables:
                    return -1
                other = last_variable if (kind - OF_TWO) & 1 else -last_variable
                slot = slot_of(state.keys, pair_key(trail[false], other))
                if state.keys[slot] == 0:
                    return -1
                hint = np.int64(state.values[slot])
                trail[held] = -other
                held += 1
                place[literal_index(-other)] = held
            if hint < 1 or hint > most:
                return -1
            flat[size + h] = hint
        if literals == 2:
            remember_pair(state, number, flat[size - 3], flat[size - 2])
        size += hints
        for k in range(held):
            place[literal_index(trail[k])] = 0
    return size


def _check(flat, size, arena):
    """Check steps and add their clauses to an `Arena`.

    flat, size: the steps and how many numbers they are; see `unpack.Flat`. Returns FOLLOWS; WRONG_STEP at the first
    step that does not follow; EMPTY_CLAUSE at the step that ends the proof.
    """
    stamp, counters, n = arena.stamp, arena.counters, 0
    while n < size:
        number, literals = flat[n], flat[n + 1]
        if literals < 0:
            for k in range(n + 3, n + 3 + flat[n + 2]):
                if arena.size[flat[k]] < 0:
                    return WRONG_STEP
                arena.size[flat[k]] = -1
            n += 3 + flat[n + 2]
            continue
        counters[2] += 1
        now = counters[2]
        if number <= counters[1]:
            return WRONG_STEP
        begin = counters[0]
        for k in range(literals):
            stamp[literal_index(flat[n + 2 + k])] = now
            arena.literals[begin + k] = flat[n + 2 + k]
        n += 2 + literals
        refuted = False
        for h in range(n + 1, n + 1 + flat[n]):
            hint = flat[h]
            if arena.size[hint] < 0:
                return WRONG_STEP
            left = 0
            for k in range(arena.start[hint], arena.start[hint] + arena.size[hint]):
                literal = arena.literals[k]
                if stamp[literal_index(literal)] != now and literal != left:
                    if left != 0:
                        return WRONG_STEP
                    left = literal
            if left == 0:
                refuted = True
                break
            stamp[literal_index(-left)] = now
        if not refuted:
            return WRONG_STEP
        n += 1 + flat[n]
        if literals == 0:
            return EMPTY_CLAUSE
        arena.start[number], arena.size[number] = begin, literals
        counters[0] += literals
        counters[1] = number
    return FOLLOWS


def _compact(arena):
    """Move the clauses of an `Arena` together, over the literals of those that were deleted.

    Clauses lie in the order of their numbers.
    """
    end = 0
    for number in range(arena.counters[1] + 1):
        if arena.size[number] >= 0:
            begin = arena.start[number]
            arena.start[number] = end
            for k in range(arena.size[number]):
                arena.literals[end + k] = arena.literals[begin + k]
            end += arena.size[number]
    arena.counters[0] = end


@part_of_kernel
def _digits(text, end, number):
    """Write a number and a blank into an array of bytes at ``end``; return the new end."""
    if number < 0:
        text[end] = 45
        end += 1
        number = -number
    least = 1
    while least * 10 <= number:
        least *= 10
    while least > 0:
        text[end] = 48 + number // least % 10
        end += 1
        least //= 10
    text[end] = 32
    return end + 1


def _print_steps(flat, size, text):
    """Write steps as text LRAT into an array of bytes that has room for them.

    Returns the length of the text. flat, size: the steps and how many numbers they are; see `unpack.Flat`.
    """
    n, end = 0, 0
    while n < size:
        end = _digits(text, end, flat[n])
        count = flat[n + 1]
        n += 2
        if count < 0:
            text[end], text[end + 1] = 100, 32
            end += 2
            count = flat[n]
            n += 1
        else:
            for k in range(n, n + count):
                end = _digits(text, end, flat[k])
            end = _digits(text, end, 0)
            n += count
            count = flat[n]
            n += 1
        for k in range(n, n + count):
            end = _digits(text, end, flat[k])
        n += count
        end = _digits(text, end, 0)
        text[end - 1] = 10
    return end


class UnpackKernel(NamedTuple):
    """The compiled functions of this module."""

    unpack: Any
    check: Any
    compact: Any
    print_steps: Any
    rehash: Any
    remember: Any


def compile_kernel(*, cache: bool) -> UnpackKernel:
    """Return the compiled functions; cache: keep them in numba's cache."""

    def remember(state, number, a, b):
        """Note in a `PackState`, ``state``, that the clause with this number has the two literals a and b."""
        remember_pair(state, number, a, b)

    compiled = njit(cache=cache, nogil=True)
    return UnpackKernel(*map(compiled, (_unpack, _check, _compact, _print_steps, _rehash, remember)))
