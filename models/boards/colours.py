"""Colours by the names that people give them."""

import re
from collections.abc import Iterable

NAMED = {
    "red": "#E8585A",
    "orange": "#FF9A3D",
    "yellow": "#FFDB4D",
    "green": "#62B85C",
    "blue": "#5A8FEE",
    "purple": "#A678D8",
    "violet": "#A678D8",
    "pink": "#F7A6C4",
    "magenta": "#DD6BC0",
    "brown": "#B07F4F",
    "cyan": "#6FD3DE",
    "turquoise": "#4FC4B4",
    "lime": "#B6E05A",
    "gold": "#E6BC3C",
    "beige": "#E9D9B4",
    "silver": "#C9CED6",
    "grey": "#A9B1BC",
    "gray": "#A9B1BC",
    "black": "#3D4149",
    "white": "#FFFFFF",
}
"""The colours that English names represent: as light as letters on them need."""

LETTERS = {name[0]: name for name in ("red", "orange", "yellow", "green", "blue", "purple", "cyan", "magenta", "white")}
"""The names of colours by their first letters, small ones; k is black."""
LETTERS["k"] = "black"


CODE = re.compile("#[0-9a-fA-F]{6}")
"""Matches the code of a colour, #rrggbb."""


def colour_classes(names: Iterable[str]) -> dict[str, int | str]:
    """Return the colour of each name, as `models.puzzle.Shape` takes it: the one that it says, or a class of its own.

    A name says a colour if it is one in English, or a code such as #E8585A. Small letters say colours if all names do;
    b is black beside w alone.

    >>> colour_classes(["red", "corner", "#123456"])
    {'red': '#E8585A', 'corner': 0, '#123456': '#123456'}
    >>> colour_classes("rg"), colour_classes("bw"), colour_classes("rx")
    ({'r': '#E8585A', 'g': '#62B85C'}, {'b': '#3D4149', 'w': '#FFFFFF'}, {'r': 0, 'x': 1})
    """
    distinct = list(dict.fromkeys(names))
    letters = LETTERS
    if set(distinct) == {"b", "w"}:
        letters = {**LETTERS, "b": "black"}
    colour_by_name = {name: _colour_of(name) for name in distinct}
    by_letter = {name: NAMED[letters[name]] for name in distinct if name in letters}
    # A single letter says no colour: it is rather a name.
    are_colours = all(colour_by_name[name] or name in by_letter for name in distinct)
    if len(distinct) > 1 and are_colours:
        colour_by_name |= by_letter
    class_numbers = iter(range(len(distinct)))
    return {name: colour_by_name[name] or next(class_numbers) for name in distinct}


def _colour_of(name: str) -> str:
    """Return the code of the colour that a name says, in English or as a code; "" if it says none."""
    if CODE.fullmatch(name):
        return name
    return NAMED.get(name.lower(), "")
