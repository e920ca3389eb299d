"""Unsigned integers of a fixed number of 64-bit words in compiled code: sets of bits, and exact counts.

An integer is a tuple of words, the lowest first; numba holds it in registers. All functions take integers with the same
number of words. They are for compiled code; ``zero`` is always the integer 0, whose length says how many words to take.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.cpython.unsafe.tuple import tuple_setitem
from numba.extending import intrinsic

from solvers.model.cover_kernel import lowest_bit, popcount

WORD, HALF = 64, np.uint64(32)
"""The bits of a word, and of half a word."""

ONE, LOW_HALF, ALL_ONES = np.uint64(1), np.uint64(0xFFFFFFFF), np.uint64(0xFFFFFFFFFFFFFFFF)

in_registers = njit(nogil=True, _nrt=False)
"""Decorates functions that LLVM makes part of those that call them."""


def zero_of(words: int) -> tuple[np.uint64, ...]:
    """Return the integer 0 in so many words."""
    return (np.uint64(0),) * words


@in_registers
def load(array: Any, place: int, zero: Any) -> Any:
    """Return the integer that an array of words holds from the index ``place`` on.

    Numbers without sign index the array: with one, each access looks whether it counts from the end.
    """
    value = zero
    for i in range(len(zero)):
        value = tuple_setitem(value, i, array[np.uint64(place + i)])
    return value


@in_registers
def store(array: Any, place: int, value: Any) -> None:
    """Write an integer into an array of words, from the index ``place`` on."""
    for i in range(len(value)):
        array[np.uint64(place + i)] = value[i]


@in_registers
def is_zero(value: Any) -> bool:
    """Tell whether an integer is 0."""
    bits = np.uint64(0)
    for i in range(len(value)):
        bits |= value[i]
    return bits == 0


@in_registers
def is_equal(value: Any, other: Any) -> bool:
    """Tell whether two integers are equal."""
    bits = np.uint64(0)
    for i in range(len(value)):
        bits |= value[i] ^ other[i]
    return bits == 0


@in_registers
def intersection(value: Any, other: Any) -> Any:
    """Return the bits that are set in both of two integers."""
    for i in range(len(value)):
        value = tuple_setitem(value, i, value[i] & other[i])
    return value


@in_registers
def union(value: Any, other: Any) -> Any:
    """Return the bits that are set in one of two integers or in both."""
    for i in range(len(value)):
        value = tuple_setitem(value, i, value[i] | other[i])
    return value


@in_registers
def difference(value: Any, other: Any) -> Any:
    """Return the bits that are set in an integer and not in another."""
    for i in range(len(value)):
        value = tuple_setitem(value, i, value[i] & ~other[i])
    return value


@in_registers
def total(value: Any, other: Any) -> Any:
    """Return the sum of two integers, without what is carried out of the last word."""
    carry = np.uint64(0)
    for i in range(len(value)):
        word = value[i] + other[i]
        sum_with_carry = word + carry
        carry = np.uint64(word < value[i]) | np.uint64(sum_with_carry < word)
        value = tuple_setitem(value, i, sum_with_carry)
    return value


@in_registers
def _high_word(word: Any, other: Any) -> Any:
    """Return the upper 64 bits of the product of two words, by the products of their halves."""
    low, high = word & LOW_HALF, word >> HALF
    other_low, other_high = other & LOW_HALF, other >> HALF
    middle = high * other_low + ((low * other_low) >> HALF)
    other_middle = low * other_high + (middle & LOW_HALF)
    return high * other_high + (middle >> HALF) + (other_middle >> HALF)


@in_registers
def product(value: Any, other: Any, zero: Any) -> Any:
    """Return the product of two integers, without what is carried out of the last word."""
    result = zero
    for i in range(len(zero)):
        carry = np.uint64(0)
        for j in range(len(zero) - i):
            low, high = value[i] * other[j], _high_word(value[i], other[j])
            low += carry
            high += np.uint64(low < carry)
            word = result[i + j] + low
            carry = high + np.uint64(word < low)
            result = tuple_setitem(result, i + j, word)
    return result


@in_registers
def shift_up(value: Any, places: int) -> Any:
    """Return an integer times 2 to the power of ``places``, without what is shifted out of the last word."""
    while places >= WORD:
        for i in range(len(value) - 1, 0, -1):
            value = tuple_setitem(value, i, value[i - 1])
        value = tuple_setitem(value, 0, np.uint64(0))
        places -= WORD
    up, down = np.uint64(places), np.uint64(WORD - 1 - places)
    for i in range(len(value) - 1, 0, -1):
        from_below = value[i - 1] >> ONE >> down  # by 64 - places, which as one shift is undefined for 64
        value = tuple_setitem(value, i, value[i] << up | from_below)
    return tuple_setitem(value, 0, value[0] << up)


@in_registers
def shift_down(value: Any, places: int) -> Any:
    """Return an integer divided by 2 to the power of ``places``, rounded down."""
    last = len(value) - 1
    while places >= WORD:
        for i in range(last):
            value = tuple_setitem(value, i, value[i + 1])
        value = tuple_setitem(value, last, np.uint64(0))
        places -= WORD
    down, up = np.uint64(places), np.uint64(WORD - 1 - places)
    for i in range(last):
        from_above = value[i + 1] << ONE << up
        value = tuple_setitem(value, i, value[i] >> down | from_above)
    return tuple_setitem(value, last, value[last] >> down)


@in_registers
def bit_count(value: Any) -> int:
    """Return the number of bits that are set in an integer."""
    count = 0
    for i in range(len(value)):
        count += np.int64(popcount(value[i]))
    return count


@in_registers
def trailing_zeros(value: Any) -> int:
    """Return the number of bits below the lowest bit that is set; the number of all bits if none is."""
    for i in range(len(value)):
        if value[i]:
            return WORD * i + np.int64(lowest_bit(value[i]))
    return WORD * len(value)


@in_registers
def lowest(value: Any, zero: Any) -> Any:
    """Return an integer with only its lowest set bit; 0 for 0."""
    for i in range(len(value)):
        if value[i]:
            return tuple_setitem(zero, i, value[i] & (~value[i] + np.uint64(1)))
    return zero


@in_registers
def bit_length(value: Any) -> int:
    """Return the number of bits up to the highest one that is set; 0 for 0."""
    for i in range(len(value) - 1, -1, -1):
        word = value[i]
        if word:
            for distance in (1, 2, 4, 8, 16, 32):  # so that all bits below the highest are set, too
                word |= word >> np.uint64(distance)
            return WORD * i + np.int64(popcount(word))
    return 0


@in_registers
def trailing_ones(value: Any) -> int:
    """Return the number of set bits below the lowest bit that is not set; the number of all bits if all are set."""
    for i in range(len(value)):
        if ~value[i]:
            return WORD * i + np.int64(lowest_bit(~value[i]))
    return WORD * len(value)


@in_registers
def low_bits(count: int, zero: Any) -> Any:
    """Return the integer whose lowest ``count`` bits are set; count: at most the number of all bits."""
    value = zero
    for i in range(len(zero)):
        bits = count - WORD * i
        if bits >= WORD:
            value = tuple_setitem(value, i, ALL_ONES)
        elif bits > 0:
            value = tuple_setitem(value, i, (np.uint64(1) << np.uint64(bits)) - np.uint64(1))
    return value


@intrinsic
def prefetch(context: Any, array: Any, place: Any) -> Any:
    """Fetch the word of an array at the index ``place`` into the processor's cache, for writing.

    It is a numba intrinsic: it returns its signature and the function that makes its LLVM instruction. ``context`` is
    numba's own.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        address = builder.bitcast(builder.gep(data, [arguments[1]]), byte)
        for_writing, as_near_as_possible, data_cache = number(1), number(3), number(1)
        builder.call(function, [address, for_writing, as_near_as_possible, data_cache])
        return context.get_dummy_value()

    return types.void(array, types.intp), generate
