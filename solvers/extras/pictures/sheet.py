"""Sheets to be printed: the board with the pieces beside it, and some solutions on further ones."""

import logging
from collections.abc import Callable, Sequence
from io import BytesIO
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING
from unicodedata import bidirectional

from models.puzzle import Drawing
from solvers.errors import InputError
from solvers.extras.pictures import paper as papers
from solvers.extras.pictures import solid
from solvers.extras.pictures.beginning import printed
from solvers.extras.pictures.hatching import hatched
from solvers.extras.pictures.paper import Heading
from solvers.outputs.output import EndedRun, FileOutput
from solvers.outputs.paths import further_files
from solvers.running.question import Question

if TYPE_CHECKING:
    from fpdf import FPDF

MAX_PRINTED_SOLUTIONS = 12
"""The most solutions that are printed."""

OTHER_SHEETS = "name an .svg file for --sheet"
"""The advice for sheets that a PDF cannot have."""


class Sheets(FileOutput):
    """The output that writes a PDF, or an SVG file for each sheet.

    The SVG files are FILE.svg, FILE-solutions.svg, FILE-solutions-2.svg and so on. Raises `InputError` at once if the
    files cannot be written.
    """

    def __init__(
        self, path: str, title: str = "", author: str = "", paper: str = "a4", cell: str | None = None
    ) -> None:
        """Take the path, the texts of the heading, and the size of the sheets, a key of `PAPERS`.

        cell: the width of a cell in millimetres, which is as large as possible if it is not given.

        Raises `InputError` if the path ends in neither .svg nor .pdf, or if it cannot be written.
        """
        ending = Path(path).suffix
        if ending not in (".svg", ".pdf"):
            raise InputError(f"--sheet {path} does not end in .svg or .pdf; choose such a name")
        if ending == ".pdf":
            _check_pdf()
        super().__init__(path, "--sheet")
        self._further = [FileOutput(further, "--sheet") for further in further_files("sheet", path)]
        self._size, self._heading = paper, Heading(title, author)
        self._cell = _millimetres(cell) if cell else None

    def begin(self, question: Question) -> None:
        """Raise `InputError` if the puzzle has nothing to print, or if a PDF cannot show its names."""
        drawings = printed(question, [])
        if not drawings:
            raise InputError(f"{question.puzzle.name} has no board and no pieces to print; leave out --sheet")
        if not self._further:
            beginning, *_ = drawings
            labels = (shape.label for frame in beginning for shape in frame.shapes)
            _document(self._size, "".join([*self._heading, *labels]))
        self._sheets(drawings, "", "")  # so that cells that do not fit are refused before the search

    def finish(self, run: EndedRun, is_over: Callable[[], bool]) -> str:
        """Write all sheets, with the first solutions; return a sentence if there are more, else "".

        is_over: tells whether to stop trying which solids can be built. Raises `InputError` if a PDF cannot show what
        the sheets show.
        """
        if run.question is None:
            return ""
        puzzle, decode, found = run.question.puzzle, run.question.key.decode, run.in_order()
        if found:
            run.add_facts(assembled=solid.assembled(puzzle, map(decode, found), is_over))
        drawings = printed(run.question, [*map(decode, found[:MAX_PRINTED_SOLUTIONS])])
        left_out = f"{len(drawings) - 1} of {len(found)} solutions" if len(drawings) <= len(found) else ""
        sheets = self._sheets(drawings, self._heading.title or puzzle.name, left_out)
        if self._further:
            for output, sheet in zip((self, *self._further), sheets, strict=False):
                with output.stream() as stream:
                    stream.write(sheet + "\n")
        else:
            with self.stream() as stream:
                stream.buffer.write(_pdf(sheets, self._size))  # type: ignore[attr-defined]
        return left_out and f"the sheets have {left_out}; --gallery and --svg draw all"

    def _sheets(self, drawings: Sequence[Drawing], title: str, left_out: str) -> list[str]:
        """Return the SVG of each sheet: the board with the pieces, then solutions.

        drawings: of the board and pieces, then of each solution. title: the heading. left_out: the words for solutions
        that are not printed, or "".
        """
        pieces = [papers.item([frame]) for frame in drawings[0]]
        items = [papers.item(drawing, number) for number, drawing in enumerate(drawings[1:], 1)]
        heading = self._heading._replace(title=title)
        of_solutions = heading._replace(title=f"{title}: {left_out}" if left_out else title)
        return [
            *papers.sheets(pieces, self._size, heading, bool(self._further), self._cell),
            *(papers.sheets(items, self._size, of_solutions, cell=self._cell) if items else ()),
        ]


def _millimetres(text: str) -> float:
    """Return the width of a cell in millimetres; raise `InputError` if the text is not such a width."""
    try:
        width = float(text)
    except ValueError:
        width = 0.0
    if not 0 < width < inf:
        raise InputError(f"--cell {text} is no width in millimetres; give one such as 20")
    return width


def _check_pdf() -> None:
    """Raise `InputError` if the package for PDF files is not installed."""
    try:
        import fpdf  # noqa: F401
    except ImportError:
        raise InputError(f"a PDF needs fpdf2; install it with pip install '.[pdf]', or {OTHER_SHEETS}") from None


def _document(size: str, text: str) -> "FPDF":
    """Return an empty PDF with a font for the characters of a text.

    size: a key of `PAPERS`. Raises `InputError` if no font has them, or for scripts that are written from right to
    left.
    """
    from fpdf import FPDF

    wide, high = papers.PAPERS[size]
    document = FPDF(orientation="L", format=(high, wide))
    document.set_auto_page_break(False)
    beyond = sorted({mark for mark in text if ord(mark) > ord("ÿ")})
    if beyond:
        try:
            from matplotlib import get_data_path
        except ImportError:
            sentence = f"a PDF can write {beyond[0]!r} with a font of matplotlib's only; pip install '.[plot]'"
            raise InputError(f"{sentence}, or {OTHER_SHEETS}") from None
        document.add_font("sans-serif", fname=Path(get_data_path(), "fonts", "ttf", "DejaVuSans.ttf"))
        font = document.fonts["sans-serif"]
        for mark in beyond:
            if ord(mark) not in getattr(font, "cmap", ()) or bidirectional(mark) in ("R", "AL"):
                raise InputError(f"a PDF cannot write {mark!r} here; {OTHER_SHEETS}")
    return document


def _pdf(sheets: Sequence[str], size: str) -> bytes:
    """Return a PDF with a page for each sheet, an SVG; size: a key of `PAPERS`.

    Raises `InputError` if no font has the characters of the sheets.
    """
    logging.getLogger("fpdf").setLevel(
        logging.ERROR
    )  # it says that it does not draw the patterns, which `hatched` does
    document = _document(size, "".join(sheets))
    for sheet in sheets:
        document.add_page()
        document.image(BytesIO(hatched(sheet).encode()), 0, 0, document.w, document.h)
    return bytes(document.output())
