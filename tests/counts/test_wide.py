"""Wide integers in compiled code against Python's own."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from solvers.extras.counts.counting import wide_integers as wide
from tests.support.tiers import sampled


def compiled(words: int) -> Callable[..., Any]:
    zero = wide.zero_of(words)

    def every_function(numbers: Any, results: Any, places: int) -> Any:
        x = wide.load(numbers, 0, zero)
        y = wide.load(numbers, words, zero)
        sets = (wide.intersection(x, y), wide.union(x, y), wide.difference(x, y))
        sums = (wide.total(x, y), wide.product(x, y, zero))
        shifted = (wide.shift_up(x, places), wide.shift_down(x, places), wide.low_bits(places, zero))
        for place, value in enumerate((*sets, *sums, *shifted, wide.lowest(x, zero))):
            wide.store(results, place * words, value)
        counts = (wide.bit_count(x), wide.bit_length(x), wide.trailing_zeros(x), wide.trailing_ones(x))
        return (*counts, wide.is_zero(x), wide.is_equal(x, y))

    function: Callable[..., Any] = njit(every_function)
    return function


@pytest.mark.parametrize("words", sampled([3, 2, 1], 3))
def test_wide_integers(words: int) -> None:
    function, bits = compiled(words), 64 * words
    every = (1 << bits) - 1
    numbers = st.integers(0, every) | st.builds(lambda place: 1 << place, st.integers(0, bits - 1))
    numbers |= st.builds(lambda place: every >> place, st.integers(0, bits - 1))

    @settings(max_examples=300, deadline=None)
    @given(numbers, numbers, st.integers(0, bits - 1))
    def agrees(x: int, y: int, places: int) -> None:
        raw = b"".join(number.to_bytes(bits // 8, "little") for number in (x, y))
        results = np.zeros(9 * words, dtype=np.uint64)
        facts = function(np.frombuffer(raw, dtype=np.uint64).copy(), results, places)
        found = [int.from_bytes(row.tobytes(), "little") for row in results.reshape(9, words)]
        binary = [x & y, x | y, x & ~y, x + y & every, x * y & every]
        assert found == [*binary, x << places & every, x >> places, (1 << places) - 1, x & -x]
        zeros = (x & -x).bit_length() - 1 if x else bits
        inverse = ~x & every
        ones = (inverse & -inverse).bit_length() - 1 if inverse else bits
        assert facts == (x.bit_count(), x.bit_length(), zeros, ones, x == 0, x == y)

    agrees()
