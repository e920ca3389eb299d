"""Writes one page with all solutions of a run as pictures; it needs no network and nothing beside it.

The page (`gallery.html`) holds each shape once and each solution as a list of numbers of shapes. Its program
(`gallery.js`) draws what is on the screen; the widget of a notebook has the same one.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any

from models.puzzle import Shape
from solvers.outputs.output import Ended, FileOutput
from solvers.show import draw, svg
from solvers.show.appearance import TURNS, Turn, appearance
from solvers.show.report import Report

if TYPE_CHECKING:
    from solvers.running.question import Question
    from solvers.symmetry.key import Encoded

MOST_PICTURES = 20_000
"""So many solutions are on a page; browsers take some seconds to read more."""


MOST_TRIED = 30
"""On so many solutions the symmetries of a puzzle are compared with turns of its pictures."""


class Numbers(dict[Any, int]):
    """Numbers things from 0 in the order in which they are asked for first."""

    def __missing__(self, thing: Any) -> int:
        self[thing] = len(self)
        return self[thing]


@dataclass
class Pictures:
    """Solutions as the page reads them."""

    shapes: Numbers = field(default_factory=Numbers)
    captions: Numbers = field(default_factory=Numbers)
    layouts: Numbers = field(default_factory=Numbers)
    features: Numbers = field(default_factory=Numbers)
    solutions: list[Any] = field(default_factory=list)
    """For each: the number of its layout, of its feature (or null), the size of its orbit, and for each frame the
    number of its caption followed by those of its shapes."""

    def add(self, question: "Question", encoded: "Encoded") -> None:
        """Append a solution."""
        puzzle, solution = question.puzzle, question.key.decode(encoded)
        drawing, orbit = draw.drawing(puzzle, solution), question.group.orbit_size(encoded)
        frames = [[self.captions[frame.caption], *map(self._number, frame.shapes)] for frame in drawing]
        number = self.features[puzzle.feature(solution)] if puzzle.feature else None
        self.solutions.append([self.layouts[svg.layout(drawing)], number, orbit, frames])

    def _number(self, shape: Shape) -> int:
        return self.shapes[shape._replace(rings=tuple(map(tuple, shape.rings)))]

    def since(self, held: Mapping[str, int]) -> dict[str, list[Any]]:
        """What the program is given of them: of each list what stands behind as many as it holds already."""
        lists: dict[str, Iterable[Any]] = {
            "parts": self.shapes,
            "captions": self.captions,
            "layouts": self.layouts,
            "features": self.features,
            "solutions": self.solutions,
        }
        new = {name: list(islice(things, held.get(name, 0), None)) for name, things in lists.items()}
        return {**new, "parts": list(map(_part, new["parts"]))}


LOOKS: Mapping[str, Any] = {
    "colours": draw.COLOURS,
    "patterns": svg.PATTERNS,
    "named": {str(name): look for name, look in svg.NAMED.items() if name},
    "faint": svg.NAMED[None],
    "ink": svg.INK,
    "paper": svg.PAPER,
}
"""How pictures look, as the program is told."""


def source(name: str) -> str:
    """A file that the page is made of."""
    return files("solvers.outputs").joinpath(name).read_text(encoding="utf-8")


class GalleryFile(FileOutput):
    """One page with all solutions of a run. Raises `InputError` at once if the file cannot be written."""

    def __init__(self, path: str) -> None:
        super().__init__(path, "--gallery")

    def finish(self, run: Ended, is_over: Callable[[], bool]) -> str:
        """Write it, and draw nothing more once it is over; the page says what is missing. OSError if it fails."""
        with self.stream() as stream:
            stream.write(page(run, is_over))
        return ""


def page(run: Ended, is_over: Callable[[], bool]) -> str:
    """The page of a run that has ended, as HTML; no more pictures are drawn once it is over."""
    report, pictures, order = run.report, Pictures(), 1
    turns: list[Turn] = TURNS[:1]
    if question := run.question:
        in_order = run.in_order()
        order = question.group.order
        turns = picture_turns(question, in_order)
        for encoded in takewhile(lambda _: not is_over(), in_order[:MOST_PICTURES]):
            pictures.add(question, encoded)
    shown = len(pictures.solutions)
    notes = []
    if not report.complete:
        notes.append(f"The run was ended by {report.stopped_by}: the counts are lower bounds, there may be more.")
    if shown < report.solutions:
        notes.append(f"Only {shown} of the {report.solutions} are on this page.")
    data = {**pictures.since({}), "turns": turns, **LOOKS}
    fields = {
        "title": svg.text(report.puzzle),
        "parameters": svg.text(", ".join(_spoken(report.parameters))),
        "counts": _counts(report, order),
        "notes": "".join(f'<p class="note">{svg.text(note)}</p>' for note in notes),
        "facts": "".join(
            f"<tr><th>{svg.text(name)}</th><td>{svg.text(str(fact))}</td></tr>" for name, fact in report.rows()
        ),
        "heat": _heat(run),
        "order": str(order),
        "data": json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
        "style": source("gallery.css"),
        "script": source("gallery.js"),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda match: fields[match[1]], source("gallery.html"))


def _heat(run: Ended) -> str:
    if run.marginals is None or not (heat_map := run.marginals.heat_map()):
        return ""
    summary = f"Where each piece lies, in percent of all {run.marginals.total} solutions"
    return f"<details><summary>{summary}</summary>{svg.picture(heat_map)}</details>"


def _spoken(parameters: Mapping[str, object]) -> Iterator[str]:
    for name, value in parameters.items():
        if value is True:
            yield name
        elif value not in (None, False, ""):
            yield f"{name} {value}"


def _counts(report: Report, order: int) -> str:
    at_least = "" if report.complete else "at least "
    noun = "solution" if report.solutions == 1 else "solutions"
    said = f"<strong>{at_least}{report.solutions}</strong> {noun}"
    if order > 1:
        said += f" up to symmetry, <strong>{at_least}{report.total}</strong> in all"
    if report.objective is not None:
        said += f": {svg.text(report.best or f'the best value is {report.objective}')}"
    return f"{said}."


def picture_turns(question: "Question", solutions: list["Encoded"]) -> list[Turn]:
    """The turns that make of each picture those of the solution's images, all of them and nothing else.

    The identity alone where the symmetries are not just turns of the pictures: where they exchange names, for instance.
    """
    if not 1 < question.group.order <= len(TURNS):
        return TURNS[:1]
    turns = TURNS
    orbits = []
    for encoded in solutions[:: 1 + len(solutions) // MOST_TRIED]:
        images = map(question.key.decode, question.group.images(encoded))
        orbit = {appearance(draw.drawing(question.puzzle, image), TURNS[0]) for image in images}
        drawing = draw.drawing(question.puzzle, question.key.decode(encoded))
        turns = [turn for turn in turns if appearance(drawing, turn) in orbit and (len(drawing) > 1 or not turn[-1])]
        orbits.append((drawing, orbit))
    is_all = all({appearance(drawing, turn) for turn in turns} == orbit for drawing, orbit in orbits)
    return turns if is_all else TURNS[:1]


def _part(shape: Shape) -> list[object]:
    """What is drawn of a shape, and behind it what the filter calls it."""
    values = (round(value, 3) if isinstance(value, float) else value for value in svg.part(shape))
    return [*values, name_of(shape)]


def name_of(shape: Shape) -> str:
    """What the filter calls a shape; nothing if it only belongs to the board."""
    if shape.colour in ("kept", "added", "removed"):
        return str(shape.colour)
    if not (shape.label or shape.mark) and isinstance(shape.colour, int):
        return f"colour {shape.colour + 1}"
    return shape.label or shape.mark
