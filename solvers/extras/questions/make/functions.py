"""The function of the library that makes puzzles."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

from solvers.base.errors import InputError
from solvers.extras.questions.make.maker import MadePuzzle, Maker, Wish, making_of
from solvers.files.catalogue import declaration_of_function


def make(
    genre: str,
    /,
    *,
    count: int = 1,
    seed: int = 0,
    level: str | int = "",
    clues: int = 0,
    minimal: bool = False,
    pattern: str = "",
    **sizes: Any,
) -> Iterator[MadePuzzle]:
    """Make puzzles with one solution.

    Parameters
    ----------
    genre
        A pencil puzzle, such as "sudoku".
    count
        How many puzzles to make.
    seed
        The same puzzles come of the same seed.
    level
        "easy", "normal" or "hard", or a level from 1 (forced) to 4 (search); any by default.
    clues
        The number of clues; 0 for as few as can be.
    minimal
        Whether no clue may be left out, whatever the level.
    pattern
        The symmetry of the places of clues: "rotational" or "mirror".
    **sizes
        The sizes of the genre, such as rows and columns.

    Yields
    ------
    MadePuzzle
        A puzzle as `solve`, `explain` and `draw` take it, with its ``line``, ``answer``, ``reasoning`` and ``clues``.

    Raises
    ------
    InputError
        If no such puzzle can be made.

    Examples
    --------
    >>> from solvers import make
    >>> (easy,) = make("sudoku", level="easy", rows=2)
    >>> len(easy.line), easy.reasoning.name
    (16, 'easy')
    """
    known = [parameter.name for parameter in declaration_of_function(making_of(genre).draft).parameters]
    if unknown := sizes.keys() - {*known}:
        raise InputError(f"{genre} is not made with {min(unknown)}; it takes {', '.join(known)}")
    wish = Wish(str(level), clues, minimal, pattern)
    return Maker(genre, sizes, wish, seed, threading.Event()).puzzles(count)
