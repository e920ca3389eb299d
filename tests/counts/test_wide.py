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
    def everything(numbers: Any, results: Any, places: int) -> Any:
        x: Any = wide.load(numbers, 0, words)  # type: ignore[call-arg]
        y: Any = wide.load(numbers, words, words)
        for place, value in enumerate((x & y, x | y, x ^ y, x + y, x << places, x >> places, wide.complement(x))):
            wide.store(results, place * words, value)
        wide.store(results, 7 * words, wide.lowest(x))
        return (
            wide.population(x),
            wide.trailing_zeros(x),
            wide.leading_zeros(x),
            wide.is_zero(x),
            wide.word(x, words - 1),
        )

    function: Callable[..., Any] = njit(everything)
    return function


@pytest.mark.parametrize("words", sampled([3, 2, 1], 3))
def test_wide_integers(words: int) -> None:
    function, bits = compiled(words), 64 * words
    every = (1 << bits) - 1
    numbers = st.integers(0, every) | st.builds(lambda place: 1 << place, st.integers(0, bits - 1))

    @settings(max_examples=200, deadline=None)
    @given(numbers, numbers, st.integers(0, bits - 1))
    def agrees(x: int, y: int, places: int) -> None:
        raw = b"".join(number.to_bytes(bits // 8, "little") for number in (x, y))
        results = np.zeros(8 * words, dtype=np.uint64)
        facts = function(np.frombuffer(raw, dtype=np.uint64).copy(), results, places)
        found = [int.from_bytes(row.tobytes(), "little") for row in results.reshape(8, words)]
        assert found == [x & y, x | y, x ^ y, x + y & every, x << places & every, x >> places, x ^ every, x & -x]
        lowest = (x & -x).bit_length() - 1 if x else bits
        assert facts == (x.bit_count(), lowest, bits - x.bit_length(), x == 0, x >> bits - 64)

    agrees()
