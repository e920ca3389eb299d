"""Unsigned integers of any fixed number of 64-bit words for numba, held in registers: sets of bits, and exact counts.

An array holds them as words, the lowest first. Shifts by their width or more are undefined, as in LLVM.
"""

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, overload, register_model


class Wide(types.Type):
    """The numba type of an unsigned integer of a fixed number of 64-bit words."""

    def __init__(self, words: int) -> None:
        """Make the type of integers of ``words`` 64-bit words."""
        self.words = words
        super().__init__(f"Wide({words})")


@register_model(Wide)
class _WideModel(models.PrimitiveModel):
    """The representation of `Wide` in LLVM: one integer."""

    def __init__(self, manager: Any, wide: Wide) -> None:
        """Choose the LLVM type for the numba type ``wide``; the manager is numba's own."""
        super().__init__(manager, wide, _llvm(wide))


def _llvm(wide: Wide) -> ir.IntType:
    """Return the LLVM type of a `Wide` integer."""
    return ir.IntType(64 * wide.words)


def _pointer(context: Any, builder: Any, wide: Wide, array_type: Any, array: Any, word: Any) -> Any:
    """Return the address, as a pointer to a `Wide`, of a word of a numba array.

    context, builder: numba's own. array_type: the type of the array. word: the index of the word. wide: the type of the
    integer.
    """
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [word]), _llvm(wide).as_pointer())


@intrinsic(prefer_literal=True)
def load(context: Any, array: Any, word: Any, words: Any) -> Any:
    """Return, in compiled code, the integer that is in some words of an array.

    words: how many words it takes. word: the index of the first. It is a numba intrinsic, as all functions here: at
    compile time, it returns its signature, and the function ``generate`` that makes its LLVM instructions; ``context``
    is numba's own.
    """
    wide = Wide(words.literal_value)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        """Make the instructions, by LLVM's ``builder``, for the values ``arguments``; return the result's value."""
        pointer = _pointer(context, builder, wide, signature.args[0], arguments[0], arguments[1])
        return builder.load(pointer, align=8)

    return wide(array, types.intp, words), generate


@intrinsic
def store(context: Any, array: Any, word: Any, value: Any) -> Any:
    """Write, in compiled code, the integer ``value`` into an array, from index ``word`` on.

    ``context`` is numba's own.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _pointer(context, builder, value, signature.args[0], arguments[0], arguments[1])
        builder.store(arguments[2], pointer, align=8)
        return context.get_dummy_value()

    return types.void(array, types.intp, value), generate


@intrinsic
def prefetch(context: Any, array: Any, word: Any) -> Any:
    """Fetch, in compiled code, the word of an array at this index into the processor's cache.

    It is fetched for writing. ``context`` is numba's own.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        place = builder.bitcast(builder.gep(data, [arguments[1]]), byte)
        for_writing, as_near_as_possible, data_cache = number(1), number(3), number(1)
        builder.call(function, [place, for_writing, as_near_as_possible, data_cache])
        return context.get_dummy_value()

    return types.void(array, types.intp), generate


def _function_of_two(instruction: str) -> Any:
    """Return a numba function of two integers that is the LLVM instruction of this name."""

    @intrinsic
    def function(context: Any, value: Any, other: Any) -> Any:
        """Return, in compiled code, the result of the instruction for two integers of one type."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return getattr(builder, instruction)(*arguments)

        return value(value, other), generate

    return function


def _shift(instruction: str) -> Any:
    """Return a numba function that shifts an integer by a number of bits; instruction: "shl" or "lshr"."""

    @intrinsic
    def function(context: Any, value: Any, places: Any) -> Any:
        """Return, in compiled code, the integer ``value`` shifted by so many bits; LLVM wants both of one type."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            width = arguments[0].type
            wider = builder.zext if width.width > 64 else lambda number, _: number
            return getattr(builder, instruction)(arguments[0], wider(arguments[1], width))

        return value(value, types.intp), generate

    return function


@intrinsic
def is_zero(context: Any, value: Any) -> Any:
    """Tell, in compiled code, whether the integer ``value`` is 0. ``context`` is numba's own."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.icmp_unsigned("==", arguments[0], ir.Constant(arguments[0].type, 0))

    return types.boolean(value), generate


@intrinsic
def complement(context: Any, value: Any) -> Any:
    """Return, in compiled code, the bitwise complement of the integer ``value``.

    ``context`` is numba's own.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.not_(arguments[0])

    return value(value), generate


@intrinsic
def lowest(context: Any, value: Any) -> Any:
    """Return, in compiled code, the integer ``value`` with only its lowest set bit; 0 for 0.

    ``context`` is numba's own.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.and_(arguments[0], builder.neg(arguments[0]))

    return value(value), generate


@intrinsic
def word(context: Any, value: Any, number: Any) -> Any:
    """Return, in compiled code, a 64-bit word of the integer ``value``; number 0 is the lowest word.

    ``context`` is numba's own.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value, number = arguments
        if value.type.width == 64:
            return value
        places = builder.zext(builder.shl(number, ir.Constant(number.type, 6)), value.type)
        return builder.trunc(builder.lshr(value, places), ir.IntType(64))

    return types.uint64(value, types.intp), generate


def _counting_function(count: str) -> Any:
    """Return a numba function that counts bits of an integer, by LLVM's intrinsic of this name."""

    @intrinsic
    def function(context: Any, value: Any) -> Any:
        """Return, in compiled code, the number of bits of the integer ``value`` that LLVM's intrinsic counts."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            (word,) = arguments
            if count == "ctpop":
                result = builder.ctpop(word)
            else:
                result = getattr(builder, count)(word, ir.Constant(ir.IntType(1), 0))  # 0: defined for the number 0
            return builder.trunc(result, ir.IntType(64)) if word.type.width > 64 else result

        return types.intp(value), generate

    return function


population = _counting_function("ctpop")
"""The number of bits that are set."""
trailing_zeros = _counting_function("cttz")
"""The number of bits below the lowest bit that is set; the width if none is."""
leading_zeros = _counting_function("ctlz")
"""The number of bits above the highest bit that is set."""


def _define(symbol: Any, function: Any) -> None:
    """Make the operator ``symbol`` of two `Wide` integers call ``function`` in compiled code."""

    @overload(symbol)
    def overload_for_wide(value, other):  # type: ignore[no-untyped-def]
        """Return the operator for two integers of these types; None, which leaves it to numba, for all others."""
        if isinstance(value, Wide):
            return lambda value, other: function(value, other)
        return None


_define(operator.and_, _function_of_two("and_"))
_define(operator.or_, _function_of_two("or_"))
_define(operator.xor, _function_of_two("xor"))
_define(operator.add, _function_of_two("add"))
_define(operator.mul, _function_of_two("mul"))
_define(operator.lshift, _shift("shl"))
_define(operator.rshift, _shift("lshr"))
