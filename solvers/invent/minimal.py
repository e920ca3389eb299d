"""Minimal: which of some hints can be left out, so that there is still only one solution."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from solvers.endings import DONE, NO
from solvers.errors import InputError, Stopped
from solvers.files.given import in_file
from solvers.files.load import read_text
from solvers.invent.ask import Answer, Asked, pictured
from solvers.invent.facts import Fact, Facts, fact_named, fact_of_literal
from solvers.invent.rivals import Rivals, Telling, tell_apart
from solvers.show.plain import counted
from solvers.show.printable import printable
from solvers.symmetry.key import Encoded


class Minimal(Answer):
    """What is known of some hints for one solution."""

    def __init__(self, asked: Asked, hints: Sequence[Fact], solution: Encoded, every: bool) -> None:
        self._asked, self.hints, self.solution, self._every = asked, hints, solution, every
        self.second: dict[int, Encoded] = {}
        """Of each hint that is needed, by its place, a second solution that there is without it."""
        self.spare: list[int] = []
        """The hints, by their places, each of which can be left out; not all of them at once, as a rule."""
        self.telling = Telling()
        self.is_complete = False

    @property
    def code(self) -> int:  # type: ignore[override]
        """The exit code: 4 if even all of the hints leave several solutions."""
        return NO if self.telling.alike else DONE

    def as_json(self) -> dict[str, Any]:
        telling, decode = self.telling, self._asked.key.decode
        return {
            "unique": telling.alike is None,
            "hints": self._texts(range(len(self.hints))),
            "needed": [
                {"hint": self.hints[place].text, "second": list(decode(second).items())}
                for place, second in self.second.items()
            ],
            "spare": self._texts(self.spare),
            "smallest": self._texts(telling.sets[0]) if self.is_complete and telling.sets else None,
            "sets": [self._texts(chosen) for chosen in telling.sets] if self._every else None,
        }

    def _texts(self, places: Sequence[int]) -> list[str]:
        return [self.hints[place].text for place in places]

    def __str__(self) -> str:
        if self.telling.alike:
            both = "\n".join(map(self._asked.shown, (self.solution, self.telling.alike)))
            return f"Even all of the {counted(len(self.hints), 'hints')} leave several solutions, such as these:\n{both}"
        lines = []
        for place, second in self.second.items():
            lines.append(f"{printable(self.hints[place].text)} is needed; without it there is this solution, too:")
            lines.append(self._asked.shown(second))
        lines += [f"{printable(text)} can be left out" for text in self._texts(self.spare)]
        if self.is_complete:
            smallest = self.telling.sets[0]
            if self._every:
                number = counted(len(self.telling.sets), "sets")
                lines.append(f"{number} of these hints can spare none:")
                lines += [printable("; ".join(self._texts(chosen))) for chosen in self.telling.sets]
            if len(smallest) == len(self.hints):
                lines.append(f"None of the {counted(len(self.hints), 'hints')} can be left out.")
            else:
                lines.append(f"{len(smallest)} of the {counted(len(self.hints), 'hints')} suffice, and no fewer:")
                lines.append(pictured(self._asked, [self.hints[place] for place in smallest]))
        return "\n".join(lines)


def minimal(asked: Asked, path: str, of_cells: bool, every: bool) -> Minimal:
    """Which of the hints in a file can be left out, and a smallest set of them; every: all sets that can spare none.

    Raises `InputError` if the file holds no hints or no solution has them, `Stopped` once the event is set.
    """
    return minimal_of(asked, facts_in(asked, path, of_cells), every)


def minimal_of(asked: Asked, hints: Sequence[Fact], every: bool) -> Minimal:
    """The same for hints that are known."""
    from solvers.invent.rivals import fact_of, prepared

    own = asked.model.clone()
    for hint in hints:
        own.add_bool_or(fact_of(own, asked.key, hint))
    (values,) = prepared(own, asked.key.variables, asked.stop).extend([{}])
    if values is None:
        raise InputError(f"{asked.puzzle.name}: no solution has all of these hints; --which tells more")
    solution = asked.key.encode(values[: len(asked.model.proto.variables)])
    answer = Minimal(asked, hints, solution, every)
    asked.note(answer)
    rivals = Rivals(asked.model, asked.key, hints, solution, asked.stop)
    places = range(len(hints))
    if (alike := rivals.nearest(places)) is None:
        for place in places:
            if asked.stop.is_set():
                raise Stopped
            second = rivals.nearest([other for other in places if other != place])
            if second:
                answer.second[place] = second[0]
            else:
                answer.spare.append(place)
    for _ in tell_apart(rivals, answer.telling, "minimal" if every else "one"):
        if asked.stop.is_set():
            raise Stopped
    assert (alike is None) == (answer.telling.alike is None)
    answer.is_complete = answer.telling.alike is None
    return answer


def facts_in(asked: Asked, path: str, of_cells: bool) -> list[Fact]:
    """The facts that a file shows: a line for each, as they are given, or a drawing, or a line of JSON.

    of_cells: what literals of a drawing say of the cells, in place of the literals.

    Raises `InputError` if there are none.
    """
    if not Path(path).is_file():
        raise InputError(f"there is no file {path}; draw the hints, or write LABEL=VALUE on each line")
    try:
        lines = [line for line in read_text(Path(path)).splitlines() if line.strip()]
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None
    if lines and all("=" in line for line in lines) and not lines[0].lstrip().startswith("["):
        try:
            return list(dict.fromkeys(fact_named(line, asked.puzzle, asked.key) for line in lines))
        except InputError as error:
            raise InputError(f"{path}: {error}") from None
    reading = in_file(Path(path), asked.key, asked.puzzle)
    if reading.stray:
        raise InputError(f"{path}: {asked.puzzle.name} has nothing that looks like {reading.stray[0]}")
    if not reading.shown:
        raise InputError(f"{path} shows no hint; write LABEL=VALUE, or draw as --solutions FILE.txt does")
    numbers = [asked.key.number(asked.key.position[label], value) for label, value in reading.shown.items()]
    if not of_cells:
        return [fact_of_literal(asked.key, number) for number in numbers]
    facts = Facts(asked.puzzle, asked.key, of_cells=True)
    return [facts.listed[fact] for fact in facts.of(tuple(sorted(numbers)))]
