"""Messages about options of the counts."""

from typing import Any

import pytest

from tests.support.command import refusal
from tests.support.refusals import refused_by_both


def test_names_that_are_not_near_and_options() -> None:
    """Options are named as they are written."""
    sentence = "the method frontier lists no solutions; add --count-only"
    assert refusal("magic", "--method", "frontier") == sentence


@pytest.mark.parametrize(
    ("options", "sentence", "of_command"),
    [
        (
            {"verify": True, "verified": True},
            "verify=True and verified=True both count again; leave one of them out",
            "--verify and --verified both count again; leave one of them out",
        ),
        (
            {"method": "frontier"},
            "the method frontier lists no solutions; add count_only=True",
            "the method frontier lists no solutions; add --count-only",
        ),
    ],
)
def test_options_are_named_in_the_words_of_who_gave_them(
    options: dict[str, Any], sentence: str, of_command: str
) -> None:
    refused_by_both(options, sentence, of_command)
