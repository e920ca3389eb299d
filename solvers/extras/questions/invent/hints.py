"""Hints: the fewest facts of a solution that leave it as the only one of all, and which of some can be left out."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from tabulate import tabulate

from solvers.backends.registry import extension_backend
from solvers.base.endings import DONE, NO
from solvers.base.errors import InputError
from solvers.base.options import count
from solvers.extras.questions.invent.ask import Answer, Asked, card, cards, facts_of, facts_text, in_place, in_words
from solvers.extras.questions.invent.hitting import Listed
from solvers.extras.questions.invent.rivals import Rivals, Telling, tell_apart
from solvers.extras.questions.recognise.by_cells import by_cells
from solvers.extras.questions.recognise.cells import FactReader, Facts
from solvers.extras.questions.recognise.drawings import read_once
from solvers.files.given import Fact, require_facts
from solvers.running.question import Question
from solvers.show.plain import number_with_unit
from solvers.show.shown import SOLUTIONS_SHOWN, Table
from solvers.symmetry.groups import MAX_GROUP_ELEMENTS
from solvers.symmetry.key import Encoded


class Hinted(NamedTuple):
    """The smallest sets of hints for a solution."""

    number: int | None
    """The place of the solution in the run's order, from 1; None if that is not known."""
    solution: Encoded
    size: int | None
    """The number of hints that are needed; None if some other solution has all facts of this one."""
    sets: Sequence[Sequence[Fact]]
    """The smallest sets: one of them, or all if that was asked for."""

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object of this solution's hints, as a dictionary."""
        sets = [[fact.text for fact in facts] for facts in self.sets]
        return {"number": self.number, "size": self.size, "hints": sets[0] if sets else None, "sets": sets}


class Hints(Answer):
    """The fewest hints that distinguish each solution up to symmetry from all others.

    Images of a solution count as other solutions.

    >>> from solvers import solve
    >>> from models.magic import magic
    >>> hints = solve(magic(kind="ring")).hints()
    >>> hints.sizes
    {'2': 6}
    >>> hints[0].size, [fact.text for fact in hints[0].sets[0]]
    (2, ['(0, 0)=1', '(0, 1)=4'])
    """

    def __init__(self, question: Question | Asked, kind: str, each: Sequence[Hinted], finds_all: bool) -> None:
        """Store the hints of each solution.

        question: the question whose solutions these are; for one solution without a run, the prepared puzzle stands for
        it, which has a puzzle and a key, too. kind: the word for the hints, such as "literals". each: the hints of each
        solution, in the order of the solutions. finds_all: all smallest sets were searched for, not one.

        The exit code is 4 if no hints distinguish some solution from all others, otherwise 0.
        """
        self._question = question
        self.kind = kind
        self.each = each
        self._finds_all = finds_all
        self.code = NO if any(hinted.size is None for hinted in each) else DONE

    def __getitem__(self, place: int) -> Hinted:
        """Return the hints of the solution at this place, from 0."""
        return self.each[place]

    def __len__(self) -> int:
        """Return the number of solutions for which hints were searched."""
        return len(self.each)

    @property
    def sizes(self) -> dict[str, int]:
        """Count the solutions up to symmetry by the number of hints needed.

        The number is a text, "none" if no hints suffice.
        """
        sizes = Counter(hinted.size for hinted in self.each)
        ordered = sorted((size, number) for size, number in sizes.items() if size is not None)
        named_sizes = {str(size): number for size, number in ordered}
        return {**named_sizes, **({"none": sizes[None]} if None in sizes else {})}

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object: the kind of hints, the sizes, and the hints of each solution."""
        return {"of": self.kind, "sizes": self.sizes, "each": [hinted.as_json() for hinted in self.each]}

    def __str__(self) -> str:
        """Return the hints of a solution that needs the fewest, as text.

        If there are several solutions, a table of sizes comes first; if no hints suffice for any of them, only this.
        """
        if len(self.each) == 1:
            return self._hints_text(self.each[0])
        table = tabulate(self.sizes.items(), ["hints needed", "solutions up to symmetry"], disable_numparse=True)
        with_hints = [hinted for hinted in self.each if hinted.size is not None]
        if not with_hints:
            return table
        fewest = min(with_hints, key=attrgetter("size"))
        return f"{table}\n\n{self._hints_text(fewest)}"

    def _size_sentence(self, hinted: Hinted) -> str:
        """Return the sentence that says how many hints a solution needs, without a full stop.

        It also says if other solutions include images of this one, from which hints have to distinguish it, too.
        """
        name = "This solution" if hinted.number is None else f"Solution {hinted.number}"
        if hinted.size == 0:
            return f"{name} is the only one; it needs no hints"
        if hinted.size is None:
            lacks = " (a literal of value 0 is no hint)" if self.kind == "literals" else ""
            return f"{name}: no {self.kind} distinguish it from all other solutions{lacks}"
        images = ", its own images among them" if self._question.puzzle.symmetries else ""
        return (
            f"{name} needs {number_with_unit(hinted.size, 'hints')} to distinguish it from all other solutions{images}"
        )

    def _in_words(self, facts: Sequence[Fact]) -> str:
        """Return hints in words, in one line."""
        return in_words(self._question.puzzle, self._question.key, facts)

    def _hints_text(self, hinted: Hinted) -> str:
        """Return the sentence of `_size_sentence` with all sets of hints, if these were asked for.

        Otherwise, the sentence is followed by one set, in words and as a drawing.
        """
        sentence = self._size_sentence(hinted)
        if hinted.size is None:
            return f"{sentence}."
        if self._finds_all:
            sets = "\n".join(self._in_words(facts) for facts in hinted.sets)
            return f"{sentence}; there are {number_with_unit(len(hinted.sets), 'such sets')}:\n{sets}"
        hints_in_words = self._in_words(hinted.sets[0])  # empty if no hints are needed
        picture = facts_text(self._question.puzzle, self._question.key, hinted.sets[0])
        return f"{sentence}{': ' if hints_in_words else '.'}{hints_in_words}\n{picture}".rstrip()

    def _repr_html_(self) -> str:
        """Return the table of sizes, and a picture of each set of hints, as HTML.

        Pictures of the first `SOLUTIONS_SHOWN` sets are shown, and the table only if there are several solutions.
        """
        puzzle, key = self._question.puzzle, self._question.key
        table = Table(self.sizes.items(), ["hints needed", "solutions up to symmetry"])._repr_html_()
        sets = [(hinted, facts) for hinted in self.each for facts in hinted.sets or [[]]]  # [[]]: no set suffices
        parts = []
        for hinted, facts in sets[:SOLUTIONS_SHOWN]:
            title = self._size_sentence(hinted)
            if hinted.number and hinted.size:
                title = f"Solution {hinted.number}: {number_with_unit(hinted.size, 'hints')}"
            # The hints are drawn strongly, the other literals of the solution faintly.
            picture = in_place(puzzle, key, facts, facts_of(key, hinted.solution))
            parts.append(card(title, self._in_words(facts), picture))
        omitted = len(sets) - SOLUTIONS_SHOWN
        return (table if len(self.each) > 1 else "") + cards("", parts, f"and {omitted} more" if omitted > 0 else "")


def hints_of_listed(
    question: Question,
    in_order: Sequence[Encoded],
    asked_for: str | int,
    *,
    of_cells: bool = False,
    every: bool = False,
    stop: threading.Event,
) -> Hints:
    """Return the fewest hints for one solution, or for each, from a list of all solutions.

    question: the puzzle with its givens. in_order: the solutions up to symmetry; their images are listed here, because
    hints must rule them out, too. asked_for: "each", or the number of a solution in this order, from 1. of_cells: hints
    are contents of cells, not literals. every: find all smallest sets, not one.

    Raises `InputError` for a number that no solution has or too many symmetries, `Stopped` once the event is set.
    """
    if question.group.order > MAX_GROUP_ELEMENTS:
        raise InputError(
            f"{question.puzzle.name} has {question.group.order} symmetries, so its solutions are not listed singly; "
            "choose `--symmetry none`"
        )
    numbers = range(1, len(in_order) + 1)
    if asked_for != "each":
        number = count(str(asked_for))  # raises for anything but a whole number from 1
        if number > len(in_order):
            raise InputError(
                f"{question.puzzle.name} has {number_with_unit(len(in_order), 'solutions')} up to symmetry, "
                f"so none has the number {number}"
            )
        numbers = range(number, number + 1)
    facts = Facts(question.puzzle, question.key, of_cells)
    all_solutions = [image for solution in in_order for image in question.group.each_image(solution)]
    # `Listed` finds the smallest sets of a solution's facts that no other solution of its table has.
    listed = Listed(*facts.table(all_solutions), len(facts.listed))
    each = []
    for number in numbers:
        solution = in_order[number - 1]
        size, sets = listed.smallest(facts.facts_in(solution), finds_all=every, stop=stop)
        each.append(Hinted(number, solution, size, [[facts.listed[fact] for fact in hints] for hints in sets]))
    return Hints(question, facts.kind, each, every)


class HintsOfOne(Answer):
    """The state of a search for the fewest hints for one solution.

    The other solutions are searched for one by one.
    """

    def __init__(
        self, asked: Asked, kind: str, solution_facts: Sequence[Fact], solution: Encoded, telling: Telling
    ) -> None:
        """Begin without searching.

        kind: the word for the hints, such as "literals". solution_facts: the facts of the solution; the search
        represents each by its place in this list. telling: the state of the search, which the function that searches
        updates. asked: the prepared puzzle, with its givens.
        """
        self._asked = asked
        self._kind = kind
        self._solution_facts = solution_facts
        self._solution, self._telling = solution, telling

    @property
    def is_complete(self) -> bool:  # type: ignore[override]
        """Tell whether the search is at its end.

        It is at its end if fewer hints do not suffice, or if not even all facts of the solution suffice.
        """
        return self._telling.is_done

    @property
    def code(self) -> int:  # type: ignore[override]
        """The exit code: 4 if another solution has all facts of this one, otherwise 0."""
        return NO if self._telling.alike is not None else DONE

    def result(self, finds_all: bool) -> Hints:
        """Return the smallest sets; call this once the search is complete.

        finds_all: all sets were searched for, not one.
        """
        sets = [[self._solution_facts[place] for place in places] for places in self._telling.sets]
        size = len(sets[0]) if sets else None
        return Hints(
            self._asked, self._kind, [Hinted(number=None, solution=self._solution, size=size, sets=sets)], finds_all
        )

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object: the lower bound of the number of hints, and the smallest set found."""
        hints = [self._solution_facts[place].text for place in self._telling.best or ()]
        return {"of": self._kind, "at_least": self._telling.at_least, "hints": hints}

    def __str__(self) -> str:
        """Return the bounds known so far and the smallest set found, as text."""
        telling = self._telling
        if telling.best is None:
            return "It is not known how many hints are needed."
        facts = [self._solution_facts[place] for place in telling.best]
        texts = in_words(self._asked.puzzle, self._asked.key, facts)
        return (
            f"At least {telling.at_least} hints are needed, and {len(facts)} suffice: {texts}\n"
            f"{facts_text(self._asked.puzzle, self._asked.key, facts)}"
        )


def hints_of_solution(asked: Asked, solution: Encoded, of_cells: bool, every: bool) -> Hints:
    """Find the fewest hints for a solution: facts of it that no other solution has together.

    Other solutions are not listed, but searched for when needed. asked: the puzzle with its givens. of_cells: hints are
    contents of cells, not literals. every: find all smallest sets, not one. Raises `Stopped` if the search is ended
    early.
    """
    facts = Facts(asked.puzzle, asked.key, of_cells)
    facts_of_solution = [facts.listed[fact] for fact in facts.facts_in(solution)]
    telling = Telling()  # the state of the search, which `tell_apart` updates
    answer = HintsOfOne(asked, facts.kind, facts_of_solution, solution, telling)
    asked.note(answer)  # it is shown with the bounds so far if the search is ended early
    rivals = Rivals(asked.model, asked.key, facts_of_solution, solution, asked.stop)  # finds other solutions
    tell_apart(rivals, telling, "smallest" if every else "one")
    return answer.result(every)


def solution_in(asked: Asked, path: str) -> Encoded:
    """Return the solution that the file at a path shows; raise `InputError` if it shows none.

    It is read by cells if the file draws names in cells, otherwise literal by literal; of the labels that it does not
    show, the solver finds the values. asked: the puzzle with its givens.
    """
    file = Path(path)
    if not file.is_file():
        raise InputError(f"{path} is not a file, the number of a solution or the word each; give one of these")
    read_literals = read_once(file, asked.key, asked.puzzle)  # a function that reads the file literal by literal
    recognised = by_cells(file, asked.puzzle, asked.key, asked.model, asked.stop, read_literals)
    if recognised and recognised.solution:
        return recognised.solution
    reading = read_literals()
    if reading.stray:  # words of the drawing that no literal explains
        raise InputError(f"{path}: {asked.puzzle.name} has nothing that looks like {reading.stray[0]}")
    values = dict(reading.shown)
    for position, label in enumerate(asked.key.labels):
        if label not in values and (asked.key.is_boolean[position] or asked.puzzle.says):
            values[label] = 0  # drawings show no literals of value 0
    solution = asked.solution(values)
    if solution is None:
        raise InputError(f"{path} shows no solution of {asked.puzzle.name}; python -m solvers which says why")
    return solution


class Minimal(Answer):
    """The hints for one solution: those that are needed, those that can be left out, and smallest sets."""

    def __init__(self, asked: Asked, hints: Sequence[Fact], solution: Encoded, finds_all: bool) -> None:
        """Begin without searching.

        hints: those to be examined. solution: one that has all of them. finds_all: find all minimal sets, not one
        smallest set. asked: the prepared puzzle, with its givens.
        """
        self._asked = asked
        self.hints = hints
        self.solution = solution
        self._finds_all = finds_all
        self.second: dict[int, Encoded] = {}
        """For each hint that is needed, by its place in `hints`, another solution that has all the other hints."""
        self.spare: list[int] = []
        """The places of the hints that can be left out one at a time; in general not all of them together."""
        self.telling = Telling()
        """The state of the search for smallest or minimal sets of the hints, by their places in `hints`."""
        self.is_unique = True
        """Whether all of the hints leave exactly one solution up to symmetry; they may still leave its images."""
        self.is_complete = False

    @property
    def code(self) -> int:  # type: ignore[override]
        """The exit code: 4 if even all of the hints leave several solutions, images counted; otherwise 0."""
        return NO if self.telling.alike is not None else DONE

    @property
    def _several_sentence(self) -> str:
        """The sentence, before two solutions, that all of the hints leave more than one."""
        total = number_with_unit(len(self.hints), "hints")
        images = ", all of them images of one, so that --unique says yes" if self.is_unique else ""
        return f"Even all of the {total} leave several solutions{images}, such as these:"

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object of the hints.

        It has the needed hints, each with a second solution that is possible without it, the spare hints, and the sets.
        """
        telling, decode = self.telling, self._asked.key.decode  # `telling.alike`: another solution with all hints
        needed = [
            {"hint": self.hints[place].text, "second": list(decode(second).items())}
            for place, second in self.second.items()
        ]
        smallest = self._texts(telling.sets[0]) if self.is_complete and telling.sets else None
        return {
            "unique": telling.alike is None,
            "up_to_symmetry": self.is_unique,
            "hints": self._texts(range(len(self.hints))),
            "needed": needed,
            "spare": self._texts(self.spare),
            "smallest": smallest,
            "sets": [self._texts(places) for places in telling.sets] if self._finds_all else None,
        }

    def _texts(self, places: Sequence[int]) -> list[str]:
        """Return the texts of the hints at these places."""
        return [self.hints[place].text for place in places]

    def _in_words(self, places: Sequence[int]) -> str:
        """Return the hints at these places in words, in one line."""
        return in_words(self._asked.puzzle, self._asked.key, [self.hints[place] for place in places])

    def __str__(self) -> str:
        """Return, as text, the hints that are needed, those that can be left out, and the sets that suffice.

        If another solution has all of the hints, return a sentence that says so, and both solutions.
        """
        if self.telling.alike is not None:
            two_solutions = "\n".join(map(self._asked.solution_text, (self.solution, self.telling.alike)))
            return f"{self._several_sentence}\n{two_solutions}"
        lines = []
        for place, second in self.second.items():
            lines.append(f"This hint is needed: {self._in_words([place])}; without it there is this solution, too:")
            lines.append(self._asked.solution_text(second))
        if self.spare:
            lines.append(f"Each of these can be left out: {self._in_words(self.spare)}")
        if self.is_complete:
            smallest = self.telling.sets[0]
            if self._finds_all and smallest:
                number = number_with_unit(len(self.telling.sets), "sets")
                lines.append(f"{number} of hints from which nothing can be left out:")
                lines += [self._in_words(places) for places in self.telling.sets]
            if len(smallest) == len(self.hints):
                none = "The only hint cannot" if len(self.hints) == 1 else f"None of the {len(self.hints)} hints can"
                lines.append(f"{none} be left out.")
            else:
                lines.append(self._suffice_sentence(len(smallest)))
                lines.append(facts_text(self._asked.puzzle, self._asked.key, [self.hints[place] for place in smallest]))
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return the hints that are needed, those that can be left out, and the sets that suffice, as HTML.

        If another solution has all of the hints, return a sentence that says so, and both solutions.
        """
        asked = self._asked
        total = number_with_unit(len(self.hints), "hints")
        if self.telling.alike is not None:
            return cards(self._several_sentence, map(asked.picture, (self.solution, self.telling.alike)))
        parts = []
        for places in self.telling.sets if self.is_complete else []:
            smallest_set = [self.hints[place] for place in places]
            picture = in_place(asked.puzzle, asked.key, smallest_set, other_facts=self.hints)
            parts.append(card(f"{len(places)} of the {total} suffice", self._in_words(places), picture))
        for place, second in self.second.items():
            words = "Without it there is this solution, too:"
            parts.append(card(f"This hint is needed: {self._in_words([place])}", words, asked.picture(second)))
        spare = self._in_words(self.spare)
        return cards("", parts, f"Each of these can be left out: {spare}" if spare else "")

    def _suffice_sentence(self, number: int) -> str:
        """Return the sentence that so many of the hints suffice."""
        if not number:
            return "There is one solution without any of the hints:"
        verb = "suffices" if number == 1 else "suffice"
        return f"{number} of the {number_with_unit(len(self.hints), 'hints')} {verb}, and no fewer:"


def minimal(asked: Asked, hints: Sequence[Fact], finds_all: bool, is_unique: Callable[..., bool]) -> Minimal:
    """Find the hints in a list that can be left out, and a smallest set that suffices.

    If several solutions have all of the hints, there is no such set: the answer then holds a second solution, and its
    exit code is 4. Images count; the answer says if all of the solutions are images of one.

    A hint is needed iff another solution has all the other hints. Such a solution, a rival, is searched for by
    `Rivals`; `tell_apart` then searches for the sets that leave no rival.

    is_unique: called with ``hints=`` the hints if they leave several solutions; says whether these are one up to
    symmetry. finds_all: find all minimal sets, not one smallest set. hints: the hints. asked: the puzzle with its
    givens. Raises `InputError` if no solution has all hints, `Stopped` once the event is set.
    """
    copy_of_model = asked.model.clone()
    require_facts(copy_of_model, asked.key, hints)
    # `extend` returns, for each partial assignment, here the empty one, the values of a solution with it, or None.
    (values,) = extension_backend(copy_of_model, asked.key.variables, asked.stop).extend([{}])
    if values is None:
        raise InputError(
            f"{asked.puzzle.name}: no solution has all of these hints besides what the puzzle itself gives; "
            "python -m solvers which says more"
        )
    solution = asked.key.encode(values)
    answer = Minimal(asked, hints, solution, finds_all)
    asked.note(answer)  # it is shown if the search is ended early
    rivals = Rivals(asked.model, asked.key, hints, solution, asked.stop)
    places = range(len(hints))
    if (alike := rivals.find_rival(places)) is not None:  # (another solution, places of the hints that it lacks)
        answer.is_unique = is_unique(hints=hints)
    else:
        for place in places:
            if second := rivals.find_rival([other for other in places if other != place]):
                answer.second[place] = second[0]
            else:
                answer.spare.append(place)
    tell_apart(rivals, answer.telling, "minimal" if finds_all else "one")
    assert (alike is None) == (answer.telling.alike is None)
    answer.is_complete = answer.telling.alike is None
    return answer


def facts_in(asked: Asked, path: str, of_cells: bool) -> list[Fact]:
    """Return the facts that the file at a path shows: a fact on each line, a drawing, or a line of JSON.

    of_cells: replace each literal by the contents of the cells that it determines; a fact that determines none stays as
    it is.

    Raises `InputError` if there is no such file, or no facts in it, or one that the puzzle does not have. asked: the
    puzzle with its givens.
    """
    if not Path(path).is_file():
        raise InputError(f"there is no file {path}; draw the hints, or write LABEL=VALUE on each line")
    hints = FactReader(asked.puzzle, asked.key).in_file(path)
    if not of_cells:
        return hints
    facts = Facts(asked.puzzle, asked.key, of_cells=True)
    contents: list[Fact] = []
    for hint in hints:
        numbers = facts.facts_in(hint.literals) if len(hint.literals) == 1 else []
        contents += [facts.listed[number] for number in numbers] or [hint]
    return list(dict.fromkeys(contents))
