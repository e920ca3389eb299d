"""Grades: the difficulty of the way to the solution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tabulate import tabulate

from solvers.base.endings import DONE, NO
from solvers.base.errors import InputError
from solvers.extras.questions.invent.ask import Answer, Asked
from solvers.extras.questions.make.formula import ClueFormula
from solvers.extras.questions.make.reasoning import SEARCH, Reasoning, reasoning
from solvers.extras.questions.make.techniques import Techniques, techniques_of_model
from solvers.extras.questions.reasons.steps import Steps
from solvers.extras.questions.reasons.walk import KNOWN_WALKS, Walk, walk_like_a_person
from solvers.extras.questions.recognise.cells import words_of
from solvers.files.given import Fact
from solvers.show.plain import IMAGES_COUNT_EACH, number_with_unit
from solvers.show.printable import printable

SUDOKU = "sudoku"
"""The puzzle whose techniques have names."""


class Grade(Answer):
    """The answer of the command ``grade``: what a solver has to do to find the solution."""

    def __init__(self, asked: Asked, is_unique: bool) -> None:
        """Begin without figures.

        asked: the prepared puzzle, with its givens. is_unique: whether there is one solution up to symmetry.
        """
        self._asked, self.is_unique = asked, is_unique
        self.reasoning: Reasoning | None = None
        """How the solution is found; None if there are several, of which none can be found by reasons alone."""
        self.techniques: Techniques | None = None
        """The usual techniques that solve it; None if it is no sudoku."""
        self.tightest = ""
        """What is ruled out where most has to be tried before, in words."""
        self.steps: Steps | None = None
        """The steps of `explain`; None if they were not asked for."""
        self.walk: Walk | None = None
        """A person's walk to a solution; None if it was not asked for."""
        self.code, self.is_complete = DONE if is_unique else NO, False

    def as_json(self) -> dict[str, Any]:
        """Return the JSON value of the answer; the command prints it under the name of its option.

        solvers/REFERENCE.md lists its keys under `grade`.
        """
        figures: dict[str, Any] = {"unique": self.is_unique}
        if self.reasoning:
            figures |= {"level": self.reasoning.level, "name": self.reasoning.name}
            for row, number in self._rows(self.reasoning):
                figures[row.replace(",", "").replace(" ", "_")] = number
            figures |= {"tightest": self.tightest, "tries": self.reasoning.tightest}
        if self.techniques:
            figures |= {"techniques": {**self.techniques.used}, "cells_left": self.techniques.left}
        if self.steps:
            figures["steps"] = len(self.steps)
        if self.walk:
            figures |= {"walk": self.walk._asdict()}
            figures |= {"known": {name: walk._asdict() for name, walk in KNOWN_WALKS.items()}}
        return figures

    @staticmethod
    def _rows(steps: Reasoning) -> list[tuple[str, int]]:
        """Return rows (way of reasoning, number of values that it rules out or, in the last row, that are left)."""
        return [
            ("ruled out by single rules", steps.forced),
            ("at once, of these", steps.at_once),
            ("by looking one step ahead", steps.looks - steps.deep),
            ("by looking two steps ahead", steps.deep),
            ("left to search", steps.left),
        ]

    def __str__(self) -> str:
        """Return the figures as text; with the steps, also a person's walk, and walks of known puzzles to compare.

        Without a level, as there are several solutions, a sentence says so.
        """
        lines = []
        if self.reasoning:
            level = f"{self.reasoning.level} of {SEARCH}, {self.reasoning.name}"
            if not (self.is_complete or self.steps):  # the reasoning goes on
                level = f"at least {level}"
            rows = [("level", level)]
            rows += [(name, number_with_unit(number, "values")) for name, number in self._rows(self.reasoning)]
            if self.tightest:
                tries = number_with_unit(self.reasoning.tightest, "tries")
                rows.append(("tightest", f"{self.tightest}, found after {tries}"))
            if self.techniques:
                rows.append(("techniques", self.techniques.words))
            width = max(len(name) for name, _ in rows)
            lines += [f"{name:{width}}  {text}" for name, text in rows]
        elif self.is_unique:
            lines.append(
                "there is one solution up to symmetry; add a --given to choose, and a level is that of a single one"
            )
        else:
            lines.append("there are several solutions, and a level is that of a single one")
        if self.steps:
            lines += ["", str(self.steps)]
        if self.walk:
            lines += ["", _table_of_walks(self.walk)]
            if self._asked.puzzle.symmetries:
                lines.append(IMAGES_COUNT_EACH)
        return "\n".join(lines)


def _table_of_walks(here: Walk) -> str:
    """Return a table of a person's walk, and of those in known puzzles."""
    walks = {"here": here, **KNOWN_WALKS}
    rows: list[tuple[str, list[object]]] = [
        ("to place", [number_with_unit(walk.things, walk.unit) for walk in walks.values()]),
        ("forced before any choice", [walk.forced for walk in walks.values()]),
        ("choices on the way", [walk.choices for walk in walks.values()]),
        ("options at the hardest", [walk.hardest for walk in walks.values()]),
        ("false starts that last", [walk.false_starts for walk in walks.values()]),
        ("placed in the longest", [walk.longest for walk in walks.values()]),
    ]
    cells = [[name, *values] for name, values in rows]
    alignment = ("left", *["right"] * len(walks))
    return tabulate(cells, ["a person's walk", *walks], disable_numparse=True, colalign=alignment)


def grade(asked: Asked, is_unique: Callable[[], bool], steps: Callable[[Asked], Steps] | None = None) -> Grade:
    """Return how hard a puzzle is: whether it has one solution and, if so, what its deductions take.

    If there is a single solution, images counted, the grade has the levels of reasoning, the tightest place, and for
    sudokus the usual techniques. asked: the puzzle with its givens. is_unique: says whether there is one solution up to
    symmetry; called if there are several. steps: finds the steps of `explain`; None if these and a person's walk are
    not asked for.

    Raises `InputError` if there is no solution, or if the model has no clauses; `Stopped` if the work is ended early.
    """
    formula = ClueFormula(asked.model, asked.key, asked.stop, gives_up=False)  # the model as clauses, givens included
    solution = formula.solution([])
    if solution is None:
        raise InputError(
            f"{asked.puzzle.name} has no solution; the command why without a fact, or why(puzzle), says why"
        )
    is_only = formula.solution([formula.add_difference(solution)]) is None  # no solution differs from this one
    result = Grade(asked, is_only or is_unique())
    say = words_of(asked.puzzle, asked.key)  # puts a fact into words

    def note_reasoning(so_far: Reasoning) -> None:
        """Put the reasoning so far into the grade, and note the grade; its words change only where its place does."""
        if result.reasoning is None or so_far.place != result.reasoning.place:
            result.tightest = printable(_place_in_words(asked, formula, so_far.place, say))
        result.reasoning = so_far
        asked.note(result)

    if is_only and asked.puzzle.name == SUDOKU:
        result.techniques = techniques_of_model(asked.model, asked.key)
    if is_only:
        note_reasoning(reasoning(formula, [], solution, note_reasoning))

    def note_steps(so_far: Answer) -> None:
        """Put the steps so far into the grade, and note the grade."""
        assert isinstance(so_far, Steps)
        result.steps = so_far
        asked.note(result)

    if steps is not None:
        result.steps = steps(replace(asked, note=note_steps))
        result.walk = walk_like_a_person(asked)
    result.is_complete = True
    return result


def _place_in_words(asked: Asked, formula: ClueFormula, place: int, say: Callable[[Fact], str]) -> str:
    """Return in words what a look that rules out a literal shows: "FACT is ruled out", or "FACT follows".

    The first is said of a literal that a variable has a value, the second of its negation. place: the literal of the
    formula; 0 for none, whose words are empty. say: puts a fact into words. asked: the prepared puzzle.
    """
    if not place:
        return ""
    position, value, has_value = formula.meaning(place)
    fact = Fact(f"{asked.key.labels[position]}={value}", (asked.key.number(position, value),))
    return f"{say(fact)} {'is ruled out' if has_value else 'follows'}"
