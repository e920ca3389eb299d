"""What a person points at in a picture: the literals that make it look so there."""

from __future__ import annotations

from math import floor
from typing import NamedTuple

from models.puzzle import Drawing, Literal, Point, Puzzle, Shape
from solvers.errors import InputError
from solvers.outputs.gallery import name_of
from solvers.running.question import Question
from solvers.show import draw, svg
from solvers.show.appearance import TURNS, Turn, appearance
from solvers.symmetry.key import Decoded, Encoded


class Pointed(NamedTuple):
    """A part of a picture."""

    words: str
    """What it is and where, for people."""
    whole: list[Literal]
    """Without any of these it would not look so."""
    here: list[Literal]
    """Without any of these there would be something else, or nothing, at the very spot."""


def pointed(question: Question, solution: Encoded, turn: Turn, frame: int, point: Point) -> Pointed:
    """What is at a point of a solution's picture, as it is shown with this turn; `InputError` if nothing is.

    The puzzle's `draw` is asked what is missing in the picture without each of the solution's literals.
    """
    puzzle, shown = question.puzzle, _turned(question, solution, turn)
    drawing = draw.drawing(puzzle, shown)
    shape = _at(drawing, frame, point)
    if shape is None:
        raise InputError(f"{puzzle.name}: nothing is there")
    left, top, _, _ = svg.box(drawing[frame])
    of = f" of {drawing[frame].caption or f'frame {frame + 1}'}" if len(drawing) > 1 else ""
    words = f"{name_of(shape)} at row {floor(point[1] - top) + 1}, column {floor(point[0] - left) + 1}{of}"
    if not puzzle.draw:  # a table of literals, each of which has two cells
        literal = [*shown.items()][drawing[frame].shapes.index(shape) // 2]
        return Pointed(f"{literal[0]} = {literal[1]}", [literal], [literal])
    whole, here = [], []
    for literal in shown.items():
        rest = Decoded((one for one in shown.items() if one != literal), question.key)
        without = draw.drawing(puzzle, rest)
        if frame >= len(without) or shape not in without[frame].shapes:
            whole.append(literal)
        remaining = _at(without, frame, point)
        if remaining is None or name_of(remaining) != name_of(shape):
            here.append(literal)
    if not whole:
        raise InputError(f"{puzzle.name}: this is in all pictures")
    return Pointed(words, whole, here)


def texts(puzzle: Puzzle, question: Question, part: Pointed, is_kept: bool) -> list[str]:
    """How a part is given, or excluded, in words of the option `given`; `InputError` where that cannot be said."""
    if is_kept:
        return [f"{label}={value}" for label, value in part.whole]
    if len(part.here) != 1:
        raise InputError(f"{puzzle.name}: what is there depends on several choices; point at another part")
    ((label, value),) = part.here
    is_boolean = question.key.is_boolean[question.key.position[label]]
    return [f"{label}={1 - value}" if is_boolean else f"{label}!={value}"]


def _turned(question: Question, solution: Encoded, turn: Turn) -> Decoded:
    """The image of a solution that looks like it when it is turned."""
    decoded = question.key.decode(solution)
    if turn == TURNS[0]:
        return decoded
    wanted = appearance(draw.drawing(question.puzzle, decoded), turn)
    for image in map(question.key.decode, question.group.images(solution)):
        if appearance(draw.drawing(question.puzzle, image), TURNS[0]) == wanted:
            return image
    raise InputError(f"{question.puzzle.name}: what is turned like this is no solution")


def _at(drawing: Drawing, frame: int, point: Point) -> Shape | None:
    """The named shape that lies on top at a point."""
    shapes = drawing[frame].shapes if frame < len(drawing) else ()
    return next((shape for shape in reversed(shapes) if name_of(shape) and draw.inside(point, shape.rings)), None)
