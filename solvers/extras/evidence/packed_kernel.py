"""The compiled part of packing refutations: text is read, and steps are packed.

`checker.unpack_kernel` unpacks them, and says how steps lie in an array.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from solvers.extras.evidence.checker.unpack_kernel import (
    GIVEN,
    KINDS,
    LEMMAS,
    LITERALS,
    OF_FORMULA,
    OF_LEMMAS,
    OF_TWO,
    STEP,
    VARIABLES,
    literal_index,
    pair_key,
    part_of_kernel,
    remember_pair,
    slot_of,
)


@part_of_kernel
def _write(column, end, number):
    """Write a number that is at least 0 into a column from the place ``end``, 7 bits in each byte.

    Return the new end.
    """
    while number > 127:
        column[end] = (number & 127) | 128
        number >>= 7
        end += 1
    column[end] = number
    return end + 1


@part_of_kernel
def _folded(number):
    """Return a number that is at least 0 for any integer: 0, -1, 1, -2 become 0, 1, 2, 3."""
    return 2 * number if number >= 0 else -2 * number - 1


def _pack(flat, size, columns, ends, state):
    """Write steps into the columns, and update the tables.

    flat, size: the steps and how many numbers they are; see `checker.unpack.Flat`. columns: an array with a row for
    each column, long enough. ends: gets the length of each column. state: a `PackState`.
    """
    n, place, trail, counters = 0, state.place, state.trail, state.counters
    step_end, literal_end, kind_end, variable_end, given_end, lemma_end = 0, 0, 0, 0, 0, 0
    while n < size:
        number, literals = flat[n], flat[n + 1]
        step_end = _write(columns[STEP], step_end, _folded(number - counters[1]))
        n += 2
        if literals < 0:
            step_end = _write(columns[STEP], step_end, 0)
            count = flat[n]
            n += 1
            lemma_end = _write(columns[LEMMAS], lemma_end, count)
            before = number
            for place_of in range(n, n + count):
                lemma_end = _write(columns[LEMMAS], lemma_end, _folded(before - flat[place_of]))
                before = flat[place_of]
            n += count
            continue
        counters[1] = number
        step_end = _write(columns[STEP], step_end, literals + 1)
        held = 0
        for k in range(literals):
            literal = flat[n + k]
            before = counters[3 + k] if k < 2 else 0
            literal_end = _write(columns[LITERALS], literal_end, _folded(literal - before))
            if k < 2:
                counters[3 + k] = literal
            trail[held] = literal
            held += 1
            place[literal_index(literal)] = held
        first, second = flat[n], flat[n + 1]
        n += literals
        hints = flat[n]
        step_end = _write(columns[STEP], step_end, hints)
        n += 1
        last_variable, last_given = 0, 0
        for h in range(n, n + hints):
            hint = flat[h]
            a, b = state.pairs[2 * hint], state.pairs[2 * hint + 1]
            if place[literal_index(a)] == 0:
                a, b = b, a
            is_told = a != 0 and place[literal_index(a)] > 0 and place[literal_index(b)] == 0 and held < len(trail)
            if is_told and state.values[slot_of(state.keys, pair_key(a, b))] == hint:
                kind = OF_TWO + 2 * (place[literal_index(a)] - 1) + (b > 0)
                kind_end = _write(columns[KINDS], kind_end, kind)
                variable_end = _write(columns[VARIABLES], variable_end, _folded(abs(b) - last_variable))
                last_variable = abs(b)
                trail[held] = -b
                held += 1
                place[literal_index(-b)] = held
            elif hint <= counters[2]:
                kind_end = _write(columns[KINDS], kind_end, OF_FORMULA)
                given_end = _write(columns[GIVEN], given_end, _folded(hint - last_given))
                last_given = hint
            else:
                kind_end = _write(columns[KINDS], kind_end, OF_LEMMAS)
                lemma_end = _write(columns[LEMMAS], lemma_end, _folded(number - hint))
        n += hints
        for k in range(held):
            place[literal_index(trail[k])] = 0
        if literals == 2 and first != 0 and second != 0:
            remember_pair(state, number, first, second)
    ends[STEP], ends[LITERALS], ends[KINDS] = step_end, literal_end, kind_end
    ends[VARIABLES], ends[GIVEN], ends[LEMMAS] = variable_end, given_end, lemma_end


def _parse(text, size, flat):
    """Read whole lines of text LRAT into ``flat``; return (bytes read, how many numbers the steps are).

    text, size: an array of bytes and its length. The second result is -1 at a line of another form. Lines for which
    there is no room are not read.
    """
    at, end = 0, 0
    while True:
        newline = at
        while newline < size and text[newline] != 10:
            newline += 1
        if newline == size or end + (newline - at) // 2 + 4 > len(flat):
            return at, end
        flat[end] = 0
        begin, head, zeros, is_deletion = end, True, 0, False
        write = end + 2
        count_at = end + 1
        n = at
        while n < newline:
            if text[n] == 32:
                n += 1
                continue
            if text[n] == 100:
                is_deletion = True
                n += 1
                continue
            negative = text[n] == 45
            n += negative
            number = 0
            while n < newline and 48 <= text[n] <= 57:
                number = 10 * number + np.int64(text[n]) - 48
                n += 1
            if (n < newline and text[n] != 32) or (negative and zeros):
                return at, -1
            if head:
                flat[begin] = number
                head = False
            elif number == 0:
                flat[count_at] = write - count_at - 1
                zeros += 1
                count_at = write
                write += 1
            else:
                flat[write] = -number if negative else number
                write += 1
        if is_deletion:
            count = flat[begin + 1]
            for k in range(count - 1, -1, -1):
                flat[begin + 3 + k] = flat[begin + 2 + k]
            flat[begin + 1] = -1
            flat[begin + 2] = count
            write = begin + 3 + count
        elif zeros != 2:
            return at, -1
        else:
            write -= 1
        end = write
        at = newline + 1


class PackKernel(NamedTuple):
    """The compiled functions of this module."""

    pack: Any
    parse: Any


def compile_kernel(*, cache: bool) -> PackKernel:
    """Return the compiled functions; cache: keep them in numba's cache."""
    compiled = njit(cache=cache, nogil=True)
    return PackKernel(compiled(_pack), compiled(_parse))
