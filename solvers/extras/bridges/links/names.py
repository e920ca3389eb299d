"""Tells links and game IDs from names of puzzles and files, without reading them."""

from __future__ import annotations

import re

GAMES = {
    "bridges": "hashi",
    "dominosa": "dominosa",
    "keen": "calcudoku",
    "lightup": "akari",
    "loopy": "slitherlink",
    "pattern": "nonogram",
    "pearl": "masyu",
    "solo": "sudoku",
    "towers": "skyscrapers",
    "unequal": "futoshiki",
}
"""The puzzle of the collection that a game is."""

OTHERS = frozenset(
    "blackbox cube fifteen filling flip flood galaxies guess inertia magnets map mines mosaic net"
    " netslide palisade pegs range rect rectangles samegame signpost singles sixteen slant tents tracks twiddle undead"
    " unruly untangle".split()
)
"""Games that the collection lacks."""


SITE = re.compile(
    r"\s*(www\.)?(puzz\.link|pzplus\.tck\.mn|pzprxs\.vercel\.app|pzv\.jp|f-puzzles\.com|(beta\.)?sudokupad\.app"
    r"|app\.crackingthecryptic\.com|sudokupad\.svencodes\.com|swaroopg92\.github\.io|opt-pan\.github\.io)/"
)
"""Matches a link without https:// of a site whose links are read."""


def game_of(text: str) -> str:
    """Return the game with whose name a text begins, in lower case and without blanks; "" if there is none.

    >>> game_of("Light Up: 7x7:..."), game_of("queens.py:kings")
    ('lightup', '')
    """
    name = re.sub(r"\s", "", text.partition(":")[0]).lower()
    return name if name in GAMES or name in OTHERS else ""


def is_link(text: str) -> bool:
    """Tell whether a text is a link to a page, or a game ID with the name of its game.

    >>> is_link("https://puzz.link/p?slither/2/2/3d"), is_link("solo:3x3:..."), is_link("own.py:kings")
    (True, True, False)
    """
    return bool(re.match(r"\s*https?://", text) or SITE.match(text)) or bool(game_of(text))
