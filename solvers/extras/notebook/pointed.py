"""Points of a picture: the literals that a person points at."""

from __future__ import annotations

from math import floor
from typing import NamedTuple

from models.puzzle import Drawing, Frame, Literal, Point, Puzzle, Shape
from solvers.base.errors import InputError
from solvers.extras.pictures import svg
from solvers.extras.pictures.appearance import TURNS, Turn, appearance
from solvers.extras.pictures.svg import name_of
from solvers.running.question import Question
from solvers.show import draw
from solvers.symmetry.key import Decoded, Encoded


class Pointed(NamedTuple):
    """A part of a picture at which a user pointed."""

    words: str
    """A text for people: what the part is, and where."""
    whole: list[Literal]
    """The literals that the look of the whole part depends on: without any one of them, it looks different."""
    here: list[Literal]
    """The literals that this spot depends on: without any one of them, it shows something else, or nothing."""


def part_at_point(question: Question, solution: Encoded, turn: Turn, frame: int, point: Point) -> Pointed:
    """Return the part at a point of a solution's picture.

    The literals are found by drawing the solution without each of them: a literal belongs to the part if its shape is
    missing then, and is at the point if something with another name is on top there. Without a drawing of the puzzle's
    own, each shape shows one literal, which its place in the frame tells.

    question: the question of the run. solution: its literal numbers. turn: how the picture is turned. frame: the number
    of the frame. point: (x, y) in this frame as it is shown, turned.

    Raises `InputError` if nothing is there, if what is there is in all pictures, or if the turned picture is not that
    of a solution.
    """
    puzzle = question.puzzle
    image = _turn_back(question, solution, turn)
    drawing = draw.drawing(puzzle, image)
    shape = _topmost_shape(drawing, frame, point)
    if shape is None:
        raise InputError(f"{puzzle.name}: nothing is there")
    frame_text = f" of {drawing[frame].caption or f'frame {frame + 1}'}" if len(drawing) > 1 else ""
    words = f"{name_of(shape)} at {_cell_at(drawing[frame], point)}{frame_text}"
    if not puzzle.draw:
        board = drawing[frame].board
        place = drawing[frame].shapes.index(shape)
        # The shapes of a board with values are in the order of its cells, which are the labels. A table of literals has
        # two shapes for each, its name and its value.
        label = [*image][place // 2] if board is None else [*board.names][place]
        literal = label, image[label]
        return Pointed(f"{literal[0]} = {literal[1]}", [literal], [literal])
    literals, literals_here = [], []
    for literal in image.items():
        # All values but this one; the labels that are left out are unknown.
        other_facts = question.key.partial_solution(dict(item for item in image.items() if item != literal))
        drawing_without_it = draw.drawing(puzzle, other_facts)
        if frame >= len(drawing_without_it) or shape not in drawing_without_it[frame].shapes:
            literals.append(literal)
        remaining = _topmost_shape(drawing_without_it, frame, point)
        if remaining is None or name_of(remaining) != name_of(shape):
            literals_here.append(literal)
    if not literals:
        raise InputError(f"{puzzle.name}: this is in all pictures")
    return Pointed(words, literals, literals_here)


def texts(puzzle: Puzzle, question: Question, part: Pointed, is_kept: bool) -> list[str]:
    """Return the texts of the option `given` that keep or exclude a part.

    puzzle: the puzzle that was drawn. question: the question of the run. is_kept: whether to keep the part. Raises
    `InputError` if the part cannot be excluded.
    """
    if is_kept:
        return [f"{label}={value}" for label, value in part.whole]
    if len(part.here) != 1:
        raise InputError(f"{puzzle.name}: what is there depends on several choices; point at another part")
    ((label, value),) = part.here
    is_boolean = question.key.is_boolean[question.key.position[label]]
    # A Boolean literal is excluded by the other value.
    return [f"{label}={1 - value}" if is_boolean else f"{label}!={value}"]


def _cell_at(frame: Frame, point: Point) -> str:
    """Return the name of the cell in which a point lies.

    Without a board, or outside of its cells, this is the unit square of the frame, numbered from its upper left corner:
    lengths are in cell widths.
    """
    if frame.board:
        for cell in frame.board.names:
            if draw.is_inside(point, [frame.board.lattice.polygon(cell)]):
                return svg.cell_name(cell, svg.corner(frame.board.names))
    left, top, _, _ = svg.box(frame)
    return f"row {floor(point[1] - top) + 1}, column {floor(point[0] - left) + 1}"


def _turn_back(question: Question, solution: Encoded, turn: Turn) -> Decoded:
    """Return the image of a solution whose picture is the turned picture of the solution.

    All images are compared, by how they look (`appearance`). question: the question of the run. solution: its literal
    numbers. turn: how the picture is turned; the first of `TURNS` is the identity. Raises `InputError` if no image has
    this picture.
    """
    decoded = question.key.decode(solution)
    if turn == TURNS[0]:
        return decoded
    look_of_picture = appearance(draw.drawing(question.puzzle, decoded), turn)
    for image in map(question.key.decode, question.group.images(solution)):
        if appearance(draw.drawing(question.puzzle, image), TURNS[0]) == look_of_picture:
            return image
    raise InputError(f"{question.puzzle.name}: what is turned like this is not a solution")


def _topmost_shape(drawing: Drawing, frame: int, point: Point) -> Shape | None:
    """Return the topmost shape with a name at a point; None if no such shape is there.

    frame: the number of the frame in the drawing.
    """
    shapes = drawing[frame].shapes if frame < len(drawing) else ()
    return next((shape for shape in reversed(shapes) if name_of(shape) and draw.is_inside(point, shape.rings)), None)
