"""Refusals: messages that say in one line what is wrong."""

from collections.abc import Callable

import pytest

from solvers.errors import InputError


def refused(
    sentence: str,
    call: Callable[..., object],
    /,
    *arguments: object,
    raises: type[Exception] = InputError,
    **named: object,
) -> str:
    """The message with which a call is refused; it has one line, and what matches the sentence is in it."""
    with pytest.raises(raises, match=sentence) as caught:
        call(*arguments, **named)
    assert "\n" not in str(caught.value)
    return str(caught.value)
