"""Recognises a solution that a person drew: whether it is one, which of the run's, and how it was turned."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from models.puzzle import Label, Literal, Puzzle
from solvers.backends.protocol import Task
from solvers.backends.sat import Sat
from solvers.base.deadline import Deadline
from solvers.base.errors import InputError, Stopped
from solvers.extras.pictures.appearance import TURNS, appearance
from solvers.extras.questions.recognise.by_cells import ReadDrawing, by_cells
from solvers.extras.questions.recognise.cells import CellReader
from solvers.extras.questions.recognise.drawings import Reading, read_once
from solvers.extras.questions.recognise.violation import violation
from solvers.files.load import check_file
from solvers.model.writing import drop_objective
from solvers.running.question import Question
from solvers.show import draw
from solvers.show.plain import first_words
from solvers.show.report import Report
from solvers.symmetry.key import Encoded, Key

CLASH_SECONDS = 3.0
"""The time limit for finding out which parts of a drawing contradict each other."""

MAX_NAMED_CLASHES = 6
"""The most literals of a clash that are named one by one."""

WAYS = (
    "as the run shows it",
    "mirrored top to bottom",
    "mirrored left to right",
    "turned by a half",
    "mirrored along the diagonal from its upper left",
    "turned by a quarter to the left",
    "turned by a quarter to the right",
    "mirrored along the diagonal from its upper right",
)
"""The names in words of the first eight `TURNS`, in their order."""


class Recognised(NamedTuple):
    """A drawing that was read from a file for the command ``which``."""

    drawn: ReadDrawing
    question: Question

    @property
    def is_solution(self) -> bool:
        """True if the drawing obeys the rules."""
        return self.drawn.solution is not None

    def answer(self, in_order: Sequence[Encoded], report: Report) -> dict[str, object]:
        """Return the report's answer, a dictionary.

        It says whether the drawing is a solution, gives its number in the run's order, and has a sentence. in_order:
        the solutions of the run.
        """
        return _answer(self.drawn, self.question, in_order, report)


def recognise(path: str, question: Question, stop: threading.Event) -> Recognised:
    """Return the drawing in the file at a path, read for this question.

    Raises `InputError` if the drawing cannot be read, `Stopped` once the event is set.
    """
    return Recognised(_read_solution(path, question, stop), question)


def _read_solution(path: str, question: Question, stop: threading.Event) -> ReadDrawing:
    """Return the solution in a file, or the reason why it shows none.

    A drawing with names in cells is read by cells; any other literal by literal. There a Boolean that is not drawn is
    0, and another variable has the value that `_neutral_value` returns. path: the path of the file. question: has the
    puzzle, its model and its key. Raises `InputError` if the drawing cannot be read, `Stopped` once the event is set.
    """
    file = Path(path)
    check_file(file)
    puzzle, key = question.puzzle, question.key
    read_literals = read_once(file, key, puzzle)
    if recognised := by_cells(file, puzzle, key, question.model, stop, read_literals):
        return recognised
    reading = read_literals()
    if reading.stray:
        return ReadDrawing(solution=None, flaw=_unlike(reading, puzzle, key))
    values = dict(reading.shown)
    for position, label in enumerate(key.labels):
        if label not in values:
            value = 0 if key.is_boolean[position] else _neutral_value(question, values, label)
            if value is None:
                return ReadDrawing(solution=None, flaw=f"{label} has no value")
            values[label] = value
    solution = key.encode(_values_of_variables(key, values, len(question.model.proto.variables)))
    if question.verifier.flaws([solution], None)[0]:  # the model rejects it; the best sentence says why
        if not reading.blank and (violated := violation(puzzle, key, question.model, values)):
            return ReadDrawing(solution=None, flaw=violated)
        clash = _clash(question, list(reading.shown.items()), stop)
        if len(clash) == 1:
            return ReadDrawing(solution=None, flaw=f"{_literals_text(clash)} is in no solution")
        if clash:
            return ReadDrawing(solution=None, flaw=f"{_literals_text(clash)} do not go together")
        return ReadDrawing(
            solution=None, flaw=f"nothing is drawn in {reading.blank[0]}" if reading.blank else "it breaks a rule"
        )
    if puzzle.is_solution and not puzzle.is_solution(key.decode(solution).whole()):
        return ReadDrawing(solution=None, flaw="it breaks a rule")
    return ReadDrawing(solution, "")


def _unlike(reading: Reading, puzzle: Puzzle, key: Key) -> str:
    """Return a clause for a sentence that names the words of a drawing that no solution has.

    If the puzzle has pieces, and some words are not their names, only these words are listed. reading: the drawing, as
    it was read.
    """
    if puzzle.fills and (reader := CellReader(puzzle, key)).has_pieces:
        texts = dict.fromkeys(text for *_, text in reading.words)  # the words that no literal explains
        if unknown := [repr(text) for text in texts if text not in reader.names]:
            return f"nothing is called {_first_words(unknown)}; there is {', '.join(reader.names)}"
    return f"nothing in it looks like {_first_words(reading.stray)}"


def _first_words(words: Sequence[str]) -> str:
    """Return up to `MAX_NAMED_CLASHES` words as a text: "a, b or c", or "a, b or 4 more" if there are more."""
    if len(words) > MAX_NAMED_CLASHES:
        return f"{', '.join(words[:MAX_NAMED_CLASHES])} or {len(words) - MAX_NAMED_CLASHES} more"
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _answer(
    recognised: ReadDrawing, question: Question, in_order: Sequence[Encoded], report: Report
) -> dict[str, object]:
    """Return the answer after the run, for the report: a dictionary with three entries.

    "solution" says whether the drawing is a solution, or is None if that is not known. "number" is its number in the
    run's order, from 1, or None. "sentence" says both. recognised: the drawing as it was understood; its solution obeys
    the rules, but need not have the best value. question: the question of the run. in_order: the solutions that the
    run lists, the least image of each orbit.
    """
    if recognised.solution is None:
        return {"solution": False, "number": None, "sentence": f"No, this is not a solution: {recognised.flaw}."}
    least_image = question.group.orbit(recognised.solution).images[0]  # the image of the solution that the run lists
    if least_image in in_order and report.complete:
        number = in_order.index(least_image) + 1
        change = _change_text(question, least_image, recognised.solution)
        sentence = f"Yes, this is solution {number} of {len(in_order)}, {change}."
        return {"solution": True, "number": number, "sentence": sentence}
    if question.has_objective and least_image not in in_order:
        if not report.complete:
            return {"solution": None, "number": None, "sentence": "This keeps the rules; the best value is not known."}
        flaw = f"it keeps the rules, but does not have the best value, {report.objective}"
        return {"solution": False, "number": None, "sentence": f"No, this is not a solution: {flaw}."}
    return {"solution": True, "number": None, "sentence": "Yes, this is a solution; its number is not known."}


def _neutral_value(question: Question, literals: Mapping[Label, int], label: Label) -> int | None:
    """Return a value of a variable that leaves the drawing as it is, such as a move after the last one.

    The result is None if no value does. question: the question of the run. label: the variable, which the drawing does
    not show. literals: the values, by label, that the drawing shows.
    """
    key, puzzle = question.key, question.puzzle
    position = key.position[label]
    if puzzle.draw is None:
        return None
    # All values of the variable: its literals have successive numbers, and `first` is the number of its first one.
    values = (key.literal(number)[1] for number in range(key.first[position], key.first[position + 1]))
    try:
        drawing = puzzle.draw(key.partial_solution(literals))
        return next(
            (value for value in values if puzzle.draw(key.partial_solution({**literals, label: value})) == drawing),
            None,
        )
    except Exception:  # its draw needs whole solutions
        return None


def _values_of_variables(key: Key, solution: Mapping[Label, int], variables: int) -> list[int]:
    """Return a value for each of ``variables`` variables of the model; those not in the key are 0.

    solution: the value of each label.
    """
    values = [0] * variables
    for label, variable in zip(key.labels, key.variables, strict=True):
        values[variable] = solution[label]
    return values


def _clash(question: Question, literals: Sequence[Literal], stop: threading.Event) -> list[Literal]:
    """Return a minimal set of the literals that contradict the model.

    Each literal is left out if the others still contradict the model. question: has the model and the key. The result
    is empty if the literals do not contradict the model, or if that is not known within `CLASH_SECONDS`; it is not
    minimal if the time is over later. Raises `Stopped` once ``stop`` is set.
    """
    key, deadline = question.key, Deadline(stop, seconds=CLASH_SECONDS)
    model = question.model.clone()
    drop_objective(model.proto)
    clash: list[Literal] = []
    try:
        backend = Sat(Task(model, key.variables, deadline))

        def is_extendable(literals: Sequence[Literal]) -> bool:
            """Tell whether some solution of the model has these literals."""
            value_of_variable = {key.variables[key.position[label]]: value for label, value in literals}
            (values,) = backend.extend([value_of_variable])  # values of all variables, or None
            return values is not None

        if not is_extendable(literals):
            clash = list(literals)
            for literal in literals:
                without = [other for other in clash if other != literal]
                if not is_extendable(without):
                    clash = without
    except (InputError, Stopped):  # the model has no clauses, or the time is over
        if stop.is_set():
            raise
    return clash


def _literals_text(literals: Sequence[Literal]) -> str:
    """Return the first literals in words, and how many more there are."""
    return first_words([f"{label}={value}" for label, value in literals], MAX_NAMED_CLASHES)


def _change_text(question: Question, least: Encoded, solution: Encoded) -> str:
    """Return in words how the solution that the run shows has to be turned or changed to get another one.

    The first turn that makes the drawings equal is named; if none does, the symmetries of the model that are needed.
    question: the question of the run. least: the solution that the run shows, the least image of its orbit. solution:
    another image in this orbit.
    """
    if least == solution:
        return WAYS[0]
    least_drawing, drawing = (
        draw.drawing(question.puzzle, question.key.decode(encoded)) for encoded in (least, solution)
    )
    # `TURNS` has the eight turns of the plane, then the same with the frames reversed; the first is the identity.
    names = (*WAYS, *(f"{way}, its frames in the opposite order" for way in WAYS))
    for turn, name in zip(TURNS, names, strict=True):
        if appearance(least_drawing, turn) == appearance(drawing, TURNS[0]):
            return name.removeprefix(f"{WAYS[0]}, ")
    return f"changed by {question.group.blame([least], solution) or 'several of its symmetries'}"
