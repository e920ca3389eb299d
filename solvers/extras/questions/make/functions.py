"""The function of the library that makes puzzles."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from typing import Any

from solvers.base.errors import InputError
from solvers.extras.questions.make.dissections import DissectionMaker, is_of_moves
from solvers.extras.questions.make.maker import MadePuzzle, Maker, Wish, making_of
from solvers.extras.questions.make.packing import PACKING, PackingMaker, count_range
from solvers.extras.questions.make.parallel import ParallelMaker
from solvers.files.catalogue import declaration_of_function, find


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
    given: str = "2..4",
    parts: int = 4,
    jobs: int = 1,
    **sizes: Any,
) -> Iterator[MadePuzzle]:
    """Make puzzles with one solution.

    Parameters
    ----------
    genre
        A pencil puzzle, such as "sudoku", or "packing" for starting positions, the easiest first.
    count
        How many puzzles to make.
    seed
        The same puzzles come of the same seed.
    level
        "easy", "normal" or "hard", or a level from 1 (forced) to 4 (search); any by default. For "packing", also a
        level of moves such as "5.": pieces are made that have one assembly which comes apart, in so many moves or more.
    clues
        The number of clues; 0 for as few as can be.
    minimal
        Whether no clue may be left out, whatever the level.
    pattern
        The symmetry of the places of clues: "rotational" or "mirror"; or the path of a drawing of where clues may be.
    given
        For "packing", how many pieces are on the board.
    parts
        For "packing" with a level of moves, how many pieces there are.
    jobs
        The number of processes; the puzzles are the same. Packings are made by one.
    **sizes
        The sizes of the genre, such as rows and columns, or the parameters of the packing.

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
    is_packing = genre == PACKING
    # The sizes of a genre are the parameters of the function that drafts its puzzles.
    parameters = (find(PACKING) if is_packing else declaration_of_function(making_of(genre).draft)).parameters
    if unknown := sizes.keys() - {parameter.name for parameter in parameters}:
        raise InputError(
            f"{genre} is not made with {min(unknown)}; it takes {', '.join(parameter.name for parameter in parameters)}"
        )
    stop = threading.Event()  # never set: the caller ends the work by leaving the iterator
    if is_packing:
        sizes = {parameter.name: parameter.default for parameter in parameters} | sizes
        if is_of_moves(str(level)):
            return DissectionMaker(sizes, parts, str(level), seed, stop).puzzles(count)
    wish = Wish(str(level), clues, minimal, pattern)
    if is_packing:
        return PackingMaker(sizes, count_range(given), wish, seed, stop).puzzles(count)
    maker = partial(Maker, genre, sizes, wish, seed)
    return (ParallelMaker(maker, jobs, stop) if jobs > 1 else maker(stop)).puzzles(count)
