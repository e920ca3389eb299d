"""The base of all questions of invention: the data that a question has, and the methods that every answer has."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from models.boards import grid
from models.puzzle import Drawing, Label, Puzzle, Shape
from solvers.backends.registry import extension_backend
from solvers.base.endings import DONE
from solvers.base.errors import InputError
from solvers.extras.pictures import svg
from solvers.extras.pictures.page import html
from solvers.extras.questions.invent.marks import LEGEND
from solvers.extras.questions.invent.marks import add_marks as marked_cells
from solvers.extras.questions.recognise.cells import Facts, has_pieces, words_of
from solvers.files.given import Fact, fact_of_literal
from solvers.show import draw
from solvers.show.printable import printable
from solvers.symmetry.groups import Group
from solvers.symmetry.key import Encoded, Key

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel


@dataclass(frozen=True)
class Asked:
    """A puzzle prepared for questions about single solutions and facts."""

    puzzle: Puzzle
    model: CpModel
    """The model with the givens. It has no objective, but all of its solutions have the best value."""
    rules: CpModel
    """The same model without the givens."""
    key: Key
    group: Group
    given: Sequence[Fact]
    """The givens, as facts."""
    stop: threading.Event
    note: Callable[[Answer], None]
    """Called with an answer that is not finished, so that a run that takes too long can still show it."""

    def solution(self, literals: Mapping[Label, int]) -> Encoded | None:
        """Return some solution in which these literals, values by label, are true; None if there is none.

        Raises `InputError` if the model is not accepted, `Stopped` once the event is set.
        """
        fixed = {self.key.variables[self.key.position[label]]: value for label, value in literals.items()}
        # `extend` returns, for each partial assignment, the values of all variables in a solution with it, or None.
        (values,) = extension_backend(self.model, self.key.variables, self.stop).extend([fixed])
        return None if values is None else self.key.encode(values)

    def solution_text(self, solution: Encoded) -> str:
        """Return a solution as text.

        Raises `InputError` if the puzzle draws something that cannot be shown.
        """
        return draw.solution(self.puzzle, self.key.decode(solution))

    def picture(self, solution: Encoded) -> str:
        """Return a solution as a picture, in HTML.

        Raises `InputError` if the puzzle draws something that cannot be shown.
        """
        return svg.picture(draw.drawing(self.puzzle, self.key.decode(solution)))


class Answer(ABC):
    """The answer to a question; shows itself as text, in Jupyter and as JSON."""

    code: int = DONE
    """The exit code of the command."""

    is_complete: bool = True

    checksum: str = ""
    """The checksum of the model with the givens."""

    @abstractmethod
    def as_json(self) -> Any:
        """Return the value that the JSON object has under the option's name."""

    @property
    def head(self) -> str:
        """The first line of the answer as text, which a progress line shows."""
        return str(self).partition("\n")[0]

    @property
    def parts(self) -> Sequence[str]:
        """The first parts of the text, which stay as they are while the search goes on: a command prints them at once.

        The default is none.
        """
        return ()

    @property
    def rest(self) -> str:
        """The text behind the `parts`; by default all of it."""
        return str(self)

    def __repr__(self) -> str:
        """Return the answer as text."""
        return str(self)

    def _repr_html_(self) -> str:
        """Return the answer as HTML, for Jupyter."""
        return f"<pre>{escape(str(self))}</pre>"

    def page(self, title: str, author: str = "") -> str:
        """Return the answer as a complete HTML page with this title and author."""
        return html(title, author, "", self._repr_html_())


def facts_text(puzzle: Puzzle, key: Key, facts: Sequence[Fact]) -> str:
    """Return facts about a solution as text.

    The text has a line for each fact that a drawing cannot show, then a drawing of the others. If the puzzle cannot
    draw them, each fact has a line. key: numbers the literals.
    """
    drawing = drawing_of_facts(puzzle, key, facts)
    say = words_of(puzzle, key)  # puts a fact into words
    texts = [printable(say(fact)) for fact in facts if drawing is None or not _is_drawn(fact)]
    return "\n".join([*texts, *map(str.rstrip, draw.lines(drawing) if drawing else ())])


def in_words(puzzle: Puzzle, key: Key, facts: Iterable[Fact]) -> str:
    """Return facts in words, in one line; key: numbers the literals."""
    return printable("; ".join(map(words_of(puzzle, key), facts)))


def _is_drawn(fact: Fact) -> bool:
    """Tell whether a drawing can show the fact: it is the content of a cell, or a single literal."""
    return bool(fact.cell) or len(fact.literals) == 1


def drawing_of_facts(puzzle: Puzzle, key: Key, facts: Sequence[Fact]) -> Drawing | None:
    """Return a drawing of some facts; None if the puzzle has no drawing, or only of whole solutions.

    If a fact is the content of a cell, all are written into the cells of a board (`on_board`); otherwise the puzzle
    draws the part of a solution that the facts are. Facts that are neither the content of a cell nor a single literal
    are left out. facts: those to show. key: numbers the literals.
    """
    if any(fact.cell for fact in facts):
        return on_board(puzzle, key, facts)
    if not puzzle.draw and not draw.has_board(puzzle):
        return None
    solution_part = key.partial_solution(
        dict(key.label_and_value(fact.literals[0]) for fact in facts if _is_drawn(fact))
    )
    try:
        return draw.drawing(puzzle, solution_part)
    except InputError as error:
        if error.__cause__ is None:  # it draws what cannot be shown
            raise
        return None  # the draw function of a file, whose errors become `InputError`, needs whole solutions
    except Exception:  # its draw needs whole solutions
        return None


def facts_of(key: Key, solution: Encoded) -> list[Fact]:
    """Return the literals of a solution as facts; key: numbers the literals."""
    return [fact_of_literal(key, number) for number in solution]


def with_marks(
    puzzle: Puzzle,
    key: Key,
    drawing: Drawing,
    new: Sequence[Fact],
    facts: Sequence[Fact],
    rules: Sequence[str],
    say: Callable[[Fact], str],
) -> Drawing:
    """Return a drawing with marks on the cells of facts that follow, and of the facts and rules of their reason.

    The cells are those that the facts and rules name in words, such as "row 1 column 2". The drawing itself is returned
    if it is no board of squares. key: numbers the literals. new: the facts that follow. facts, rules: the reason, rules
    as texts. say: puts a fact into words, as `words_of` makes it.
    """
    return marked_cells(drawing, [*map(say, new)], [*rules, *map(say, facts)], _lines(puzzle, key, new))


def board_lines(
    puzzle: Puzzle,
    key: Key,
    given: Sequence[Fact],
    new: Sequence[Fact],
    facts: Sequence[Fact],
    rules: Sequence[str],
) -> list[str]:
    """Return a board with the givens and with facts that follow, on which their reason is marked, as lines of text.

    A line that explains the marks is the last one. The list is empty if no marks can be drawn. key: numbers the
    literals. new: the facts that follow. facts, rules: the reason, rules as texts.
    """
    drawing = drawing_of_facts(puzzle, key, [*given, *new])
    if drawing is None:
        return []
    marked_drawing = with_marks(puzzle, key, drawing, new, facts, rules, words_of(puzzle, key))
    if marked_drawing is drawing:
        return []
    legend = LEGEND if new else "( ) marks the cells that the reason names"
    return [*map(str.rstrip, draw.lines(marked_drawing)), legend]


def _lines(puzzle: Puzzle, key: Key, facts: Sequence[Fact]) -> list[Shape]:
    """Return the lines, such as parts of a loop, that a puzzle draws for facts and not without them.

    A line is a shape with two corners. Only a puzzle that says its facts in its own words (`Puzzle.says`) has such
    lines. key: numbers the literals.
    """
    if not puzzle.says or not (blank := drawing_of_facts(puzzle, key, [])):
        return []
    drawing = drawing_of_facts(puzzle, key, facts) or []
    new_shapes = [shape for frame in drawing for shape in frame.shapes if shape not in blank[0].shapes]
    return [shape for shape in new_shapes if shape.outline and [len(ring) for ring in shape.rings] == [2]]


def in_place(
    puzzle: Puzzle,
    key: Key,
    facts: Sequence[Fact],
    other_facts: Sequence[Fact],
    marked: Sequence[Fact] = (),
    rules: Sequence[str] | None = None,
) -> str:
    """Return a picture of facts about a solution, in HTML; empty if the puzzle has no drawing.

    The picture has three layers. The facts and ``marked`` are drawn strongly, ``other_facts`` faintly below them, and
    ``marked`` has a thick border above them. If the layers do not have the same frames, only the strong one is drawn.
    rules: the texts of rules, or None: on a board without pieces, the cells that these and the facts name are shaded
    instead. key: numbers the literals.
    """
    facts_shown = [*other_facts, *facts, *marked]
    # A board on which cells are shaded.
    if rules is not None and not has_pieces(puzzle, key) and (board := drawing_of_facts(puzzle, key, facts_shown)):
        marked_board = with_marks(puzzle, key, board, marked, facts, rules, words_of(puzzle, key))
        if marked_board is not board:
            return svg.picture(marked_board)
    # The strong layer, and the faint one below it.
    strong = drawing_of_facts(puzzle, key, [*facts, *marked])
    if strong is None or not any(map(_is_drawn, facts_shown)):
        return ""
    faint_facts = facts_shown
    if not any(fact.cell for fact in other_facts):  # so that the puzzle's own drawing is used, which has colours
        faint_facts = [fact for fact in facts_shown if not fact.cell]
    faint = drawing_of_facts(puzzle, key, faint_facts)
    if any(fact.cell for fact in (*facts, *marked)):  # `on_board` gives no colours: they are those of the faint layer
        if faint is None or [*map(svg.box, faint)] != [*map(svg.box, strong)]:
            faint = on_board(puzzle, key, facts_shown)
        colours = {shape.label: shape.colour for frame in faint for shape in frame.shapes}
        strong = [
            frame._replace(shapes=[shape._replace(colour=colours.get(shape.label)) for shape in frame.shapes])
            for frame in strong
        ]
    thick = (drawing_of_facts(puzzle, key, marked) or ()) if marked else ()
    if faint is None or len({len(faint), len(strong), len(thick or faint)}) > 1:
        return svg.picture(strong)
    return svg.picture(faint, strong, thick)


def card(heading: str, words: str, picture: str) -> str:
    """Return a part of an answer as HTML: a heading, a text and a picture.

    words: the text, of one or more lines. picture: HTML.
    """
    markup = escape(words).replace("\n", "<br>")
    title = f"<b>{escape(heading)}</b>" if heading else ""
    text = "<br>".join(filter(None, (title, markup)))
    return f'<div class="part" style="flex:0 1 20em;min-width:0"><p style="margin:0 0 .5em">{text}</p>{picture}</div>'


def cards(before: str, parts: Iterable[str], after: str = "") -> str:
    """Return parts of an answer, which are HTML, side by side, as HTML.

    before, after: plain texts above and below them.
    """
    row = f'<div style="display:flex;flex-wrap:wrap;gap:1em;align-items:stretch">{"".join(parts)}</div>'
    first, last = (f"<p>{escape(text)}</p>" if text else "" for text in (before, after))
    return f"{first}{row}{last}"


def on_board(puzzle: Puzzle, key: Key, facts: Sequence[Fact]) -> Drawing:
    """Return a drawing of all cells of a puzzle, a grid for each layer.

    A cell shows its content if a fact is that content, or a single literal that determines it. key: numbers the
    literals.
    """
    contents = Facts(puzzle, key, of_cells=True)  # all facts "this name is in this cell"
    names_in_cells = dict.fromkeys(sorted(content.cell for content in contents.listed), "")
    for fact in filter(_is_drawn, facts):
        contents_of_fact = [fact]
        if not fact.cell:
            contents_of_fact = [contents.listed[number] for number in contents.facts_in(fact.literals)]
        names_in_cells |= {content.cell: printable(content.name) for content in contents_of_fact}
    layers: dict[tuple[int, ...], dict[tuple[int, ...], str]] = {}  # by (layer,), or by () if there are no layers
    for cell, name in names_in_cells.items():
        layers.setdefault(cell[:-2], {})[cell[-2:]] = name
    width = max(map(len, names_in_cells.values()), default=1)
    lattice = puzzle.board.lattice or grid.SQUARE
    drawing = []
    for layer, names in layers.items():
        caption = f"layer {layer[0] + 1}" if layer else ""
        drawing.append(grid.board_with_texts(names, lattice, width=width, caption=caption))
    return drawing
