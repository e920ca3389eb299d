"""Hints: the fewest facts of a solution that leave it as the only one of all."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from tabulate import tabulate

from solvers.endings import DONE, NO
from solvers.errors import InputError, Stopped
from solvers.files.given import in_file
from solvers.invent.ask import Answer, Asked, pictured
from solvers.invent.facts import Fact, Facts
from solvers.invent.hitting import Listed
from solvers.invent.rivals import Rivals, Telling, tell_apart
from solvers.options import count
from solvers.running.question import Question
from solvers.show.plain import counted
from solvers.show.printable import printable
from solvers.show.shown import Table
from solvers.symmetry.key import Encoded


class Hinted(NamedTuple):
    """The smallest sets of hints for a solution."""

    number: int | None
    """The solution's, in the run's order; None if that is not known."""
    solution: Encoded
    size: int | None
    """How many hints are needed; None if no facts tell it from some other solution."""
    sets: Sequence[Sequence[Fact]]
    """All of the smallest sets, if that was asked for, or one."""

    def as_json(self) -> dict[str, Any]:
        """What is told of it."""
        sets = [[fact.text for fact in facts] for facts in self.sets]
        return {"number": self.number, "size": self.size, "hints": sets[0] if sets else None, "sets": sets}


class Hints(Answer):
    """For some solutions up to symmetry the fewest hints that tell each from all others, its own images among them.

    >>> from solvers import solve
    >>> hints = solve("magic", kind="ring").hints()
    >>> hints.sizes
    {'2': 6}
    >>> hints[0].size, [fact.text for fact in hints[0].sets[0]]
    (2, ['(0, 0)=1', '(0, 1)=4'])
    """

    def __init__(self, question: Question | Asked, kind: str, each: Sequence[Hinted], every: bool) -> None:
        self._question, self.kind, self.each, self._every = question, kind, each, every
        self.code = NO if any(hinted.size is None for hinted in each) else DONE

    def __getitem__(self, place: int) -> Hinted:
        return self.each[place]

    def __len__(self) -> int:
        return len(self.each)

    @property
    def sizes(self) -> dict[str, int]:
        """How many solutions up to symmetry need so many hints, by that number as text; "none" where none suffice."""
        sizes = Counter(hinted.size for hinted in self.each)
        ordered = sorted((size, number) for size, number in sizes.items() if size is not None)
        told = {str(size): number for size, number in ordered}
        return {**told, **({"none": sizes[None]} if None in sizes else {})}

    def as_json(self) -> dict[str, Any]:
        return {"of": self.kind, "sizes": self.sizes, "each": [hinted.as_json() for hinted in self.each]}

    def __str__(self) -> str:
        if len(self.each) == 1:
            return self._told(self.each[0])
        table = tabulate(self.sizes.items(), ["hints needed", "solutions up to symmetry"], disable_numparse=True)
        hinted = [hinted for hinted in self.each if hinted.size is not None]
        if not hinted:
            return table
        return f"{table}\n\n{self._told(min(hinted, key=lambda hinted: hinted.size or 0))}"

    def _told(self, hinted: Hinted) -> str:
        name = "This solution" if hinted.number is None else f"Solution {hinted.number}"
        if hinted.size is None:
            return f"{name}: no {self.kind} tell it from all other solutions."
        others = "all other solutions, its own images among them"
        told = f"{name} needs {counted(hinted.size, 'hints')} to be told from {others}"
        if self._every:
            sets = "\n".join(printable("; ".join(fact.text for fact in facts)) for facts in hinted.sets)
            return f"{told}; there are {counted(len(hinted.sets), 'such sets')}:\n{sets}"
        texts = "; ".join(fact.text for fact in hinted.sets[0])
        return f"{told}: {printable(texts)}\n{pictured(self._question, hinted.sets[0])}".rstrip()

    def _repr_html_(self) -> str:
        return Table(self.sizes.items(), ["hints needed", "solutions up to symmetry"])._repr_html_()


def hints_of_listed(
    question: Question,
    in_order: Sequence[Encoded],
    which: str | int,
    *,
    of_cells: bool = False,
    every: bool = False,
    jobs: int = 1,
    stop: threading.Event,
) -> Hints:
    """The fewest hints for one of all solutions up to symmetry, which are listed, or for "each".

    which: "each", or the number of a solution in the run's order. every: all of the smallest sets, not one of them.

    Raises `InputError` for a number that there is none of, `Stopped` once the event is set.
    """
    numbers = range(1, len(in_order) + 1)
    if which != "each":
        number = count(str(which))
        if number > len(in_order):
            raise InputError(
                f"{question.puzzle.name} has {counted(len(in_order), 'solutions')} up to symmetry, so none has the "
                f"number {number}"
            )
        numbers = range(number, number + 1)
    facts = Facts(question.puzzle, question.key, of_cells)
    listed = Listed(
        *facts.table([image for orbit in question.group.orbits(in_order) for image in orbit]), len(facts.listed)
    )

    def hinted(number: int) -> Hinted:
        solution = in_order[number - 1]
        if stop.is_set():
            raise Stopped
        size, sets = listed.smallest(facts.of(solution), every, stop)
        return Hinted(number, solution, size, [[facts.listed[fact] for fact in chosen] for chosen in sets])

    with ThreadPoolExecutor(jobs) as executor:
        return Hints(question, facts.kind, [*executor.map(hinted, numbers)], every)


class HintsOfOne(Answer):
    """The fewest hints for one solution, where the others are asked for one by one."""

    def __init__(self, asked: Asked, kind: str, own: Sequence[Fact], solution: Encoded, telling: Telling) -> None:
        self._asked, self._kind, self._own, self._solution, self._telling = asked, kind, own, solution, telling

    @property
    def is_complete(self) -> bool:  # type: ignore[override]
        """Whether it is proved that fewer do not suffice."""
        return self._telling.is_done

    @property
    def code(self) -> int:  # type: ignore[override]
        """The exit code."""
        return NO if self._telling.alike else DONE

    def result(self, every: bool) -> Hints:
        """What is known once it is complete."""
        sets = [[self._own[place] for place in chosen] for chosen in self._telling.sets]
        size = len(sets[0]) if sets else None
        return Hints(self._asked, self._kind, [Hinted(None, self._solution, size, sets)], every)

    def as_json(self) -> dict[str, Any]:
        best = self._telling.best
        known = {"at_least": self._telling.at_least, "hints": [self._own[place].text for place in best or ()]}
        return {"of": self._kind, **known}

    def __str__(self) -> str:
        telling = self._telling
        if telling.best is None:
            return "It is not known how many hints are needed."
        facts = [self._own[place] for place in telling.best]
        texts = "; ".join(fact.text for fact in facts)
        return (
            f"At least {telling.at_least} hints are needed, and {len(facts)} suffice: {printable(texts)}\n"
            f"{pictured(self._asked, facts)}"
        )


def hints_of_drawn(asked: Asked, path: str, of_cells: bool, every: bool) -> Hints:
    """The fewest hints for the solution that a file shows; the other solutions are asked for one by one.

    Raises `InputError` if the file shows none, `Stopped` where that takes too long.
    """
    solution = solution_in(asked, path)
    return hints_of_solution(asked, solution, of_cells, every)


def hints_of_solution(asked: Asked, solution: Encoded, of_cells: bool, every: bool) -> Hints:
    """The same for a solution."""
    facts = Facts(asked.puzzle, asked.key, of_cells)
    own = [facts.listed[fact] for fact in facts.of(solution)]
    telling = Telling()
    answer = HintsOfOne(asked, facts.kind, own, solution, telling)
    asked.note(answer)
    rivals = Rivals(asked.model, asked.key, own, solution, asked.stop)
    for _ in tell_apart(rivals, telling, "smallest" if every else "one"):
        if asked.stop.is_set():
            raise Stopped
    return answer.result(every)


def solution_in(asked: Asked, path: str) -> Encoded:
    """The solution that a file shows; `InputError` if it shows none."""
    if not Path(path).is_file():
        raise InputError(f"{path} is no file, no number of a solution and not each; name one of these")
    reading = in_file(Path(path), asked.key, asked.puzzle)
    if reading.stray:
        raise InputError(f"{path}: {asked.puzzle.name} has nothing that looks like {reading.stray[0]}")
    whole = dict(reading.shown)
    for position, label in enumerate(asked.key.labels):
        if label not in whole and asked.key.is_boolean[position]:
            whole[label] = 0
    solution = asked.solution(whole)
    if solution is None:
        raise InputError(f"{path} shows no solution of {asked.puzzle.name}; --which tells why")
    return solution
