"""Writes one page with all solutions of a run as pictures; it needs no network and nothing beside it.

The page (`gallery.html`) holds each shape once and each solution as a list of numbers of shapes. Its program
(`gallery.js`) draws what is on the screen; the widget of a notebook has the same one.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice, takewhile
from pathlib import Path
from typing import Any

from models.puzzle import Shape
from solvers.base.errors import InputError
from solvers.extras.pictures import solid, svg
from solvers.extras.pictures.appearance import TURNS, Turn, appearance
from solvers.extras.pictures.beginning import printable_drawings, without_path
from solvers.extras.pictures.page import html
from solvers.files.load import read_text
from solvers.outputs.output import EndedRun, FileOutput
from solvers.running.question import Question
from solvers.show import draw
from solvers.show.report import Report
from solvers.symmetry.key import Encoded

MIN_CELL_PIXELS, MAX_CELL_PIXELS, BOARD_PIXELS = 22, 40, 380
"""The least and the greatest width of a cell of the puzzle, and the width of its largest part if the cells allow it, in
pixels; so the board fills the width of a phone, and the pieces beside it are as large."""

FEW_SOLUTIONS = 3
"""The most solutions that are shown at a click only, as they spoil the puzzle."""

MAX_PICTURES = 20_000
"""The most solutions on a page; browsers take some seconds to read more."""


SOLUTIONS_COMPARED_WITH_TURNS = 30
"""The most solutions on which the symmetries of a puzzle are compared with turns of its pictures."""


class Numbers(dict[Any, int]):
    """Numbers things from 0 in the order in which they are first looked up."""

    def __missing__(self, thing: Any) -> int:
        """Give the thing the next number and return it."""
        self[thing] = len(self)
        return self[thing]


@dataclass
class Pictures:
    """Solutions in the form that the program of the page reads.

    Shapes, captions and so on are stored once and numbered.
    """

    shapes: Numbers = field(default_factory=Numbers)
    captions: Numbers = field(default_factory=Numbers)
    layouts: Numbers = field(default_factory=Numbers)
    features: Numbers = field(default_factory=Numbers)
    abbreviations: svg.Abbreviations = field(default_factory=svg.Abbreviations)
    solutions: list[Any] = field(default_factory=list)
    """For each solution: the number of its layout, of its feature (or null), the size of its orbit, and its frames.

    A frame is the number of its caption, followed by those of its shapes. A solid also has its pieces and the moves
    that take it apart; see `solid.motion`.
    """

    def add(self, question: "Question", encoded: "Encoded") -> None:
        """Append a solution of a question, given by the numbers of its literals, with its picture.

        Its parts are looked up in the tables of numbers, which number new ones. Raises `InputError` if the puzzle draws
        something that cannot be shown.
        """
        puzzle = question.puzzle
        solution = question.key.decode(encoded)
        drawing = draw.drawing(puzzle, solution)
        orbit = question.group.orbit_size(encoded)
        frames = [[self.captions[frame.caption], *map(self._number, frame.shapes)] for frame in drawing]
        number = self.features[puzzle.feature(solution.whole())] if puzzle.feature else None
        motion = solid.motion(puzzle, solution, drawing)
        self.solutions.append([self.layouts[svg.layout(drawing)], number, orbit, frames, *([motion] if motion else [])])

    def _number(self, shape: Shape) -> int:
        """Return the number of a shape."""
        return self.shapes[shape._replace(rings=tuple(map(tuple, shape.rings)))]

    def new_entries(self, counts: Mapping[str, int]) -> dict[str, list[Any]]:
        """Return, for each list by name, the entries that the program in the browser does not have yet.

        counts: how many entries of each list it has, by name; 0 for a name that is missing. Shapes are sent as lists
        ("parts"), and abbreviations of labels as lines ("legend").
        """
        lists: dict[str, Iterable[Any]] = {
            "parts": self.shapes,
            "captions": self.captions,
            "layouts": self.layouts,
            "features": self.features,
            "solutions": self.solutions,
        }
        new = {name: list(islice(things, counts.get(name, 0), None)) for name, things in lists.items()}
        parts = [_shape_as_list(shape, self.abbreviations) for shape in new["parts"]]
        return {**new, "parts": parts, "legend": self.abbreviations.legend[counts.get("legend", 0) :]}


LOOKS: Mapping[str, Any] = {
    "colours": draw.COLOURS,
    "patterns": svg.PATTERNS,
    "named": {str(name): look for name, look in svg.NAMED.items() if name},
    "faint": svg.NAMED[None],
    "dark": draw.DARK,
    "ink": svg.INK,
    "seam": svg.SEAM,
    "wall": svg.WALL,
    "paper": svg.PAPER,
}
"""The colours, patterns and lines of pictures, for the program of the page."""


class GalleryFile(FileOutput):
    """The output that writes a page with all solutions.

    Raises `InputError` at once if the file cannot be written.
    """

    def __init__(self, path: str, title: str = "", author: str = "", text: str = "") -> None:
        """Take the path of the page, the title and the author of its heading, and the file of the text below.

        Raises `InputError` if one of the files cannot be used.
        """
        super().__init__(path)
        self._title, self._author = title, author
        self._text = _read(text) if text else ""

    def finish(self, run: EndedRun, is_over: Callable[[], bool]) -> str:
        """Write the page and return "", because the page itself says what is missing.

        Raises OSError if writing fails. is_over: says whether to stop drawing pictures. Raises `InputError` if the
        puzzle draws something that cannot be shown.
        """
        self.write(page(run, is_over, self._title, self._author, self._text))
        return ""


def page(run: EndedRun, is_over: Callable[[], bool], title: str = "", author: str = "", text: str = "") -> str:
    """Return the page of a run that has ended, as HTML.

    The puzzle comes first, if it has a board and pieces to show, then the solutions, then the run. A few solutions are
    shown at a click only.

    is_over: says whether to stop drawing pictures. title: the heading; by default the puzzle's name. author: the name
    below it. text: what is said about the puzzle; paragraphs are divided by empty lines. Raises `InputError` if the
    puzzle draws something that cannot be shown.
    """
    question = run.question
    order = question.group.order if question else 1
    # Turns of pictures (rotations, reflections) that are the symmetries, for controls that turn a picture.
    turns = picture_turns(question, run.in_order()) if question else TURNS[:1]
    solid.report_apart(run, is_over)
    pictures = _pictures(run, is_over)
    report, solutions_shown = run.report, len(pictures.solutions)
    data = {**pictures.new_entries({}), "turns": turns, **LOOKS}
    paragraphs = [paragraph for paragraph in re.split(r"\n\s*\n", text.strip()) if paragraph]
    about = [f"<p>{svg.text(paragraph)}</p>" for paragraph in paragraphs]
    about += [_beginning(question), f"<p>{_counts(report, order)}</p>"]
    about += [f'<p class="note">{svg.text(note)}</p>' for note in _notes(report, solutions_shown)]
    about.append('<noscript><p class="note">The pictures need JavaScript.</p></noscript>')
    main = '<div id="solutions"></div>'
    if 0 < solutions_shown <= FEW_SOLUTIONS:
        noun = "solution" if solutions_shown == 1 else "solutions"
        main = f'<details id="fold"><summary>Show the {noun}</summary>{main}</details>'
    json_text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    # The program of the page: it reads the data and draws the solutions, at a click if they are folded.
    start = (
        'const data = JSON.parse(document.getElementById("data").textContent);\n'
        f"const show = box => gallery(box, {{links: true}}).show(data, {order}, true);\n"
        'showUnfolded(document.getElementById("fold"), () => show(document.getElementById("solutions")));'
    )
    name = without_path(question.puzzle.name if question else report.puzzle)
    facts_table = f'<details><summary>The run</summary><table class="facts">{_facts(report)}</table></details>'
    return html(
        title=title or name,
        author=author,
        about="".join(about),
        main=main,
        after=_heat(run) + facts_table,
        data=f'<script type="application/json" id="data">{json_text}</script>',
        start=start,
    )


def _pictures(run: EndedRun, is_over: Callable[[], bool]) -> Pictures:
    """Return the pictures of the solutions of a run: at most `MAX_PICTURES`, and none once ``is_over`` returns True.

    Raises `InputError` if the puzzle draws something that cannot be shown.
    """
    pictures = Pictures()
    if run.question:
        for encoded in takewhile(lambda _: not is_over(), run.in_order()[:MAX_PICTURES]):
            pictures.add(run.question, encoded)
    return pictures


def _notes(report: Report, solutions_shown: int) -> list[str]:
    """Return the sentences that say what the page lacks: other solutions of the run, or what it has not found.

    report: that of the run. solutions_shown: how many solutions the page has.
    """
    notes = [f"This page shows only a part of them: {report.selection}."] if report.selected else []
    if not report.complete:
        notes.append(f"The run was ended by {report.stopped_by}: the counts are lower bounds, there may be more.")
    if solutions_shown < report.solutions and not report.selected:
        notes.append(f"Only {solutions_shown} of the {report.solutions} are on this page.")
    return notes


def _facts(report: Report) -> str:
    """Return the facts of a report as rows of an HTML table; of files, only their names: folders are private."""
    parameters = {
        name: without_path(value) if isinstance(value, str) else value for name, value in report.parameters.items()
    }
    rows = replace(report, parameters=parameters).rows()
    return "".join(f"<tr><th>{svg.text(name)}</th><td>{svg.text(str(fact))}</td></tr>" for name, fact in rows)


def _heat(run: EndedRun) -> str:
    """Return the heat map of a run as HTML; "" if the run has none."""
    if run.marginals is None or not (heat_map := run.marginals.heat_map()):
        return ""
    summary = f"Where each piece lies, in percent of all {run.marginals.total} solutions"
    return f"<details><summary>{summary}</summary>{svg.picture(heat_map)}</details>"


def _read(path: str) -> str:
    """Return the text of a file; raise `InputError` if it cannot be read."""
    try:
        return read_text(Path(path))
    except ValueError as error:
        raise InputError(f"--text {path}: {error}") from None


def _beginning(question: "Question | None") -> str:
    """Return the puzzle before it is solved, its board and its pieces, as HTML; "" if it does not say how it looks.

    `printable_drawings` returns the drawing of the board and the pieces first, in one or several frames.
    """
    if question is None or not (drawings := printable_drawings(question, [])):
        return ""
    beginning, *_ = drawings
    if not any(ring for frame in beginning for shape in frame.shapes for ring in shape.rings):
        return ""
    if len(beginning) == 1:
        return f'<div class="beginning">{svg.picture(beginning)}</div>'
    # All frames have one scale, in which the widest fits.
    widest = max(svg.picture_of_frames([frame])[0] for frame in beginning)
    pixels = min(MAX_CELL_PIXELS, max(MIN_CELL_PIXELS, BOARD_PIXELS / widest))
    frames = "".join(f"<div>{svg.picture([frame], pixels=pixels)}</div>" for frame in beginning)
    return f'<div class="beginning several" style="--pixels:{svg.number(pixels)}px">{frames}</div>'


def _counts(report: Report, order: int) -> str:
    """Return the counts and the best value as an HTML sentence; order: the order of the group.

    Without symmetry both counts are the same, and one is given.
    """
    at_least = "" if report.complete else "at least "
    noun = "solution" if report.solutions == 1 else "solutions"
    counts_text = f"<strong>{at_least}{report.solutions}</strong> {noun}"
    if order > 1:
        counts_text += f" up to symmetry, <strong>{at_least}{report.total}</strong> in all"
    if report.objective is not None:
        counts_text += f": {svg.text(report.best or f'the best value is {report.objective}')}"
    if report.apart is not None:
        counts_text += f"; <strong>{report.apart}</strong> {'comes' if report.apart == 1 else 'come'} apart"
    return f"{counts_text}."


def picture_turns(question: "Question", solutions: list["Encoded"]) -> list[Turn]:
    """Return the turns of pictures that do the same as the puzzle's symmetries.

    Turns are rotations and reflections. With these turns, the turned pictures of a solution are exactly the pictures of
    its images; some of the solutions are compared. If no turns do this, for instance because a symmetry exchanges
    names, the result is the identity alone. question: the question of the run. solutions: those that were found, as
    literal numbers. Raises `InputError` if the puzzle draws something that cannot be shown.
    """
    if not 1 < question.group.order <= len(TURNS):
        return TURNS[:1]
    turns = TURNS
    orbits = []
    for encoded in solutions[:: 1 + len(solutions) // SOLUTIONS_COMPARED_WITH_TURNS]:
        images = map(question.key.decode, question.group.images(encoded))
        # `appearance` returns what a drawing looks like after a turn, in a form that can be compared.
        orbit = {appearance(draw.drawing(question.puzzle, image), TURNS[0]) for image in images}
        drawing = draw.drawing(question.puzzle, question.key.decode(encoded))
        # To reverse the frames makes no difference to a single one.
        turns_of_drawing = [turn for turn in turns if len(drawing) > 1 or not turn[-1]]
        turns = [turn for turn in turns_of_drawing if appearance(drawing, turn) in orbit]
        orbits.append((drawing, orbit))
    is_all = all({appearance(drawing, turn) for turn in turns} == orbit for drawing, orbit in orbits)
    return turns if is_all else TURNS[:1]


def _shape_as_list(shape: Shape, abbreviations: svg.Abbreviations) -> list[object]:
    """Return a shape as a list for the program in the browser.

    The list has the fields of its `svg.SvgShape`, in order, and its name in the filter. abbreviations: those of long
    labels, which are kept for the legend.
    """
    values = (
        round(value, 3) if isinstance(value, float) else value for value in svg.shape_with_label(shape, abbreviations)
    )
    return [*values, svg.name_of(shape)]
