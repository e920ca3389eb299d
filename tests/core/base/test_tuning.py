"""Tuned constants: other values are passed for a while, and never remain."""

from dataclasses import replace
from threading import Thread

import pytest

from solvers.base.tuning import TUNING, override_tuning


def test_all_threads_see_other_values_until_the_end_of_the_block() -> None:
    before, seen = replace(TUNING), list[int]()
    for values in ({"max_clauses": 3}, {}):
        with override_tuning(**values):
            thread = Thread(target=lambda: seen.append(TUNING.max_clauses))
            thread.start()
            thread.join()
    assert seen == [3, before.max_clauses]


def test_values_are_given_back_after_an_error() -> None:
    before = replace(TUNING)
    with pytest.raises(ZeroDivisionError):
        override_tuning(max_clauses=3)(divmod)(1, 0)
    with pytest.raises(TypeError, match="no_such_constant"):
        override_tuning(max_clauses=3, no_such_constant=1).__enter__()
    assert before == TUNING
