"""Judges lines that are links or game IDs, which name their puzzle; puzzles of one kind share a judge."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping
from typing import Protocol

from models import SIZED
from solvers.base.errors import InputError
from solvers.extras.bridges.links.linked import Cell, Linked
from solvers.extras.bridges.links.names import is_link
from solvers.extras.bridges.links.read import link_with_solution, read
from solvers.extras.studies.unique.judge import Judge, LinesAsked, PuzzleVerdict
from solvers.extras.studies.unique.lines import CAGES
from solvers.files.catalogue import contents_sized, find

CAGE_PARAMETER = "cages"
"""The parameter of which a killer sudoku is a value."""

SOLO_ID = re.compile(r"\s*[0-9]{1,2}(x[0-9]{1,2}[a-z0-9]*|[a-z]*j[a-z0-9]*):")
"""Matches the beginning of a game ID of Solo without the name of the game."""

BY_LINKS = ""
"""The name that represents the puzzles that the lines name themselves."""


class TextJudge(Protocol):
    """A judge of puzzles that are given as texts."""

    def judge(self, text: str) -> PuzzleVerdict:
        """Return the verdict on a puzzle; raise `Stopped` where the work is stopped."""


class SizedJudge:
    """Judges puzzles whose size follows from each text; puzzles of one size share a judge."""

    def __init__(self, name: str, asked: LinesAsked, stop: threading.Event) -> None:
        """Take the name of the puzzle and what is asked; stop: ends the work when set."""
        self._name = name
        self._asked = asked
        self._stop = stop
        self._judges: dict[str, Judge] = {}

    def judge(self, text: str) -> PuzzleVerdict:
        """Return the verdict on a puzzle; raise `Stopped` once the event of the constructor is set.

        `contents_sized` returns the parameters with the size that the text implies. A text with cages is a killer
        sudoku, and the value of a parameter. text: the content of the cells.
        """
        try:
            if CAGES.fullmatch(text):
                return self._judge_of_cages().judge(text)
            fitted = contents_sized(self._name, self._asked.arguments, text)
            size = json.dumps(fitted, default=str)
            if size not in self._judges:
                asked = LinesAsked(
                    fitted, "", self._asked.time_limit, self._asked.has_grades
                )  # "": the content of cells
                self._judges[size] = Judge(find(self._name).declare, asked, self._stop)
        except (InputError, ValueError) as error:
            return PuzzleVerdict("", error=str(error))
        return self._judges[size].judge(text)

    def _judge_of_cages(self) -> Judge:
        """Return the judge of killer sudokus, which is made once."""
        if CAGE_PARAMETER not in self._judges:
            asked = self._asked
            of_cages = LinesAsked(asked.arguments, CAGE_PARAMETER, asked.time_limit, asked.has_grades)
            self._judges[CAGE_PARAMETER] = Judge(find(self._name).declare, of_cages, self._stop)
        return self._judges[CAGE_PARAMETER]


class LinkJudge:
    """Judges links, and leaves other lines to the judge of the puzzle that was named, if one was."""

    def __init__(self, name: str, asked: LinesAsked, stop: threading.Event, named: TextJudge | None) -> None:
        """Take the name of the puzzle, `BY_LINKS` for none, what is asked, and the judge of the other lines.

        stop: ends the work when set.
        """
        self._name = name
        self._asked = asked
        self._stop = stop
        self._named = named
        self._judges: dict[str, Judge] = {}

    def judge(self, text: str) -> PuzzleVerdict:
        """Return the verdict on a puzzle; raise `Stopped` once the event of the constructor is set.

        A link is read as a puzzle; its line is what its judge takes, and its solutions are links again. A game ID of
        Solo without the name of the game gets the name.
        """
        if self._name in SIZED and SOLO_ID.match(text):
            text = f"solo:{text}"
        if self._named and not is_link(text):
            return self._named.judge(text)
        try:
            linked = self._puzzle_of_link(text)
            judge = self._judge_of(linked)
        except (InputError, ValueError) as error:
            return PuzzleVerdict("", error=str(error))
        verdict = judge.judge(linked.line)
        return verdict._replace(found=tuple(_as_link(text, linked, solution_text) for solution_text in verdict.found))

    def _puzzle_of_link(self, text: str) -> Linked:
        """Return the puzzle of a line; raise `InputError` if it is no link, or one of another puzzle."""
        if not is_link(text):
            raise InputError("this is no link; name the puzzle before the file, such as unique sudoku FILE")
        linked = read(text)
        if self._name not in (BY_LINKS, linked.name):
            raise InputError(f"the link is a {linked.name}, and {self._name} is judged")
        return linked

    def _judge_of(self, linked: Linked) -> Judge:
        """Return the judge for puzzles of this kind, which is made once.

        The kind is the puzzle and the parameters besides the content of cells. Puzzles with a parameter puzzle take the
        content as its value.
        """
        kind = json.dumps([linked.name, linked.others])
        if kind not in self._judges:
            parameter = "puzzle" if "puzzle" in linked.arguments else ""
            asked = LinesAsked(linked.others, parameter, self._asked.time_limit, self._asked.has_grades)
            self._judges[kind] = Judge(find(linked.name).declare, asked, self._stop)
        return self._judges[kind]


def _as_link(link: str, linked: Linked, solution_text: str) -> str:
    """Return a solution as a link, where that has a place for one; otherwise as it is.

    link: that of the puzzle. linked: what it says. solution_text: the content of all cells, row by row, or a list of
    literals.
    """
    if not linked.rows:
        return solution_text
    names: Mapping[int, str] = dict(enumerate(solution_text.split() if " " in solution_text else solution_text))
    values: dict[Cell, str] = {divmod(place, linked.columns): name for place, name in names.items()}
    return link_with_solution(link, linked, values) or solution_text
