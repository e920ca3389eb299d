"""Measures tests: python -m pytest -m "" -p tests.support.seconds adds a line for each to seconds.new.

A line is the processor seconds of a test, with the programs that it started, and its name. Lines that are kept in
tests/seconds.txt give long tests to a later tier; see `tiers`.
"""

import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

MEASURED = Path("seconds.new").absolute()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Write down what a test took."""
    before = _seconds()
    yield
    with MEASURED.open("a", encoding="utf-8") as stream:
        stream.write(f"{_seconds() - before:.1f} {item.nodeid}\n")


def _seconds() -> float:
    """The processor seconds of this process and of those that it has waited for."""
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime
