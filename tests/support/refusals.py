"""Refusals: messages that say in one line what is wrong."""

import pickle
from collections.abc import Callable, Mapping

import pytest

from solvers import solve
from solvers.base.errors import InputError
from tests.support.command import refusal


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


def refused_by_both(options: Mapping[str, object], sentence: str, of_command: str) -> None:
    """The library and the command refuse options, each in the words of who gave them, also from another process."""
    with pytest.raises(InputError) as caught:
        solve("magic", **options)
    assert str(caught.value) == sentence
    words = [f"--{name}" if value is True else f"--{name}={value}" for name, value in options.items()]
    assert refusal("magic", *words) == of_command
    assert str(pickle.loads(pickle.dumps(caught.value))) == sentence
