"""Sheets to be printed: the board with the pieces beside it, and some solutions on further ones."""

import logging
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from itertools import groupby
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING
from unicodedata import bidirectional

from models.puzzle import Drawing
from solvers.base.errors import InputError
from solvers.extras.pictures import paper as papers
from solvers.extras.pictures import solid
from solvers.extras.pictures.beginning import printable_drawings, without_path
from solvers.extras.pictures.hatching import hatch_patterns
from solvers.extras.pictures.paper import Heading
from solvers.outputs.output import EndedRun, FileOutput
from solvers.outputs.paths import further_files
from solvers.running.question import Question

if TYPE_CHECKING:
    from fpdf import FPDF

MAX_PRINTED_SOLUTIONS = 12
"""The most solutions that are printed."""

ORIENTATION = (
    "solids are seen from above, front right, where nothing else is said; layers from above, with their front below"
)
"""The words below each sheet of a solid."""

OTHER_SHEETS = "name an .svg file"
"""The advice for sheets that a PDF cannot have."""


class Sheets(FileOutput):
    """The output that writes a PDF, or an SVG file for each sheet.

    The SVG files are FILE.svg, FILE-2.svg and so on for board and pieces, and FILE-solutions.svg, FILE-solutions-2.svg
    and so on for solutions. Raises `InputError` at once if the
    files cannot be written.
    """

    def __init__(
        self, path: str, title: str = "", author: str = "", paper: str = "a4", cell: str | None = None
    ) -> None:
        """Take the path, the texts of the heading, and the size of the sheets.

        title, author: the heading. paper: a key of `PAPERS`. cell: the width of a cell in millimetres, as text; it is
        as large as possible if it is not given.

        Raises `InputError` if the path ends in neither .svg nor .pdf, or if it cannot be written.
        """
        ending = Path(path).suffix
        if ending not in (".svg", ".pdf"):
            raise InputError(f"--sheet {path} does not end in .svg or .pdf; choose such a name")
        if ending == ".pdf":
            check_pdf()
        super().__init__(path)
        self._further = [FileOutput(further) for further in further_files("sheet", path)]
        self._size = paper
        self._heading = Heading(title, author)
        self._cell = _millimetres(cell) if cell else None

    def begin(self, question: Question) -> None:
        """Raise `InputError` if the puzzle has nothing to print, or if a PDF cannot show its names.

        The sheets of the puzzle before it is solved are tried out, without solutions.
        """
        drawings = printable_drawings(question, [])
        if not drawings:
            raise InputError(f"{question.puzzle.name} has no board and no pieces to print; leave out `--sheet`")
        if not self._further:
            beginning, *_ = drawings
            labels = (shape.label for frame in beginning for shape in frame.shapes)
            _document(self._size, "".join([*self._heading, *labels]))
        if self._cell is not None:
            self._sheets(drawings, "", "")  # so that cells that do not fit are refused before the search

    def finish(self, run: EndedRun, is_over: Callable[[], bool]) -> str:
        """Write all sheets, with the first solutions; return a sentence if there are more, else "".

        A PDF has all sheets. Several SVG files are named in advance: the first half of them takes the sheets of the
        puzzle before it is solved, and the second half those of solutions. run: the run that has ended. is_over: says
        whether to stop trying which solids come apart. Raises `InputError` if a PDF cannot show what the sheets show.
        """
        if run.question is None:
            return ""
        encoded_solutions = run.in_order()
        solid.report_apart(run, is_over)
        printed = map(run.question.key.decode, encoded_solutions[:MAX_PRINTED_SOLUTIONS])
        drawings = printable_drawings(run.question, [solution.whole() for solution in printed])
        left_out = ""
        if len(drawings) <= len(encoded_solutions):  # the first one is that of the puzzle
            left_out = f"{len(drawings) - 1} of {len(encoded_solutions)} solutions"
        title = self._heading.title or without_path(run.question.puzzle.name)
        beginning, solved = self._sheets(drawings, title, left_out)
        sentence = left_out and f"the sheets have {left_out}; --gallery and --svg draw all"
        if not self._further:
            with self.stream() as stream:
                stream.buffer.write(pdf([*beginning, *solved], self._size))  # type: ignore[attr-defined]
            return sentence
        half = (len(self._further) + 1) // 2
        outputs = [self, *self._further]
        for files, sheets in ((outputs[:half], beginning), (outputs[half:], solved)):
            for output, sheet in zip(files, sheets, strict=False):
                with output.stream() as stream:
                    stream.write(sheet + "\n")
            if len(sheets) > len(files):
                sentence = f"only {len(files)} of {len(sheets)} sheets are written; name a .pdf file for all"
        return sentence

    def _sheets(self, drawings: Sequence[Drawing], title: str, left_out: str) -> tuple[list[str], list[str]]:
        """Return (SVG of each sheet with the board and the pieces, SVG of each sheet with solutions).

        drawings: of the board and pieces, then of each solution. title: the heading. left_out: the words for solutions
        that are not printed, or "".
        """
        puzzle_pages = [(title, page) for page in self._puzzle_pages(drawings[0])]
        solved = list(self._solution_pages(drawings[1:], f"{title}: {left_out}" if left_out else title))
        pages = puzzle_pages + solved
        is_solid = _is_solid(drawings[0])
        sheets = []
        for number, (words, page) in enumerate(pages, 1):
            foot = _footer(number, len(pages), is_solid)
            sheets.append(papers.sheet(page, self._size, self._heading._replace(title=words), foot))
        return sheets[: len(puzzle_pages)], sheets[len(puzzle_pages) :]

    def _puzzle_pages(self, drawing: Drawing) -> list[papers.Page]:
        """Return the pages of the board and the pieces; a solid and its pieces share one only if all fit on it."""
        if not _is_solid(drawing):
            return self._pages([block for frame in drawing for block in papers.frame_blocks([frame])])
        pages = self._pages(papers.frame_blocks(drawing), papers.READABLE)
        return pages if len(pages) == 1 else self._pages_by_colour(drawing, "words")

    def _solution_pages(self, drawings: Sequence[Drawing], title: str) -> Iterator[tuple[str, papers.Page]]:
        """Yield (heading, page) for each page of the solutions; title: the heading.

        Small solutions share sheets. If a sheet is too small for a solution with several pictures, each solution has
        sheets of its own: those with pictures in space and those with layers are apart.
        """
        items = [papers.item(drawing, number, self._size) for number, drawing in enumerate(drawings, 1)]
        items_of_several_frames = [item for item, drawing in zip(items, drawings, strict=True) if len(drawing) != 1]
        if all(papers.is_readable(item, self._size) for item in items_of_several_frames):
            several = any(len(drawing) > 1 for drawing in drawings)
            for page in self._pages(items, papers.READABLE if several else papers.SMALLEST) if items else ():
                yield title, page
            return
        for number, drawing in enumerate(drawings, 1):
            for page in self._pages_by_colour(drawing, "unit"):  # the colour of edges in pictures in space
                yield f"{title}, No. {number}", page

    def _pages_by_colour(self, drawing: Drawing, colour: str) -> list[papers.Page]:
        """Return the pages of a drawing: frames with this colour and frames without it never share one."""
        # Each run is a sequence of neighbouring frames with, or without, the colour.
        runs = groupby(drawing, key=lambda frame: any(shape.colour == colour for shape in frame.shapes))
        return [page for _, run in runs for page in self._pages(papers.frame_blocks([*run]), papers.READABLE)]

    def _pages(self, blocks: Sequence[papers.Block], least: float = papers.SMALLEST) -> list[papers.Page]:
        """Return the pages for these blocks; least: see `paper.pages`."""
        return papers.pages(blocks, self._size, least, self._cell)


def _is_solid(beginning: Drawing) -> bool:
    """Tell whether a drawing of a board shows it in space."""
    return any(shape.colour == "unit" for frame in beginning for shape in frame.shapes)


def _footer(number: int, total: int, is_solid: bool) -> str:
    """Return the words below a sheet: its number, and from where solids are seen."""
    return "; ".join([f"sheet {number} of {total}"] * (total > 1) + [ORIENTATION] * is_solid)


def _millimetres(text: str) -> float:
    """Return the width of a cell in millimetres; raise `InputError` if the text is not such a width."""
    try:
        width = float(text)
    except ValueError:
        width = 0.0
    if not 0 < width < inf:
        raise InputError(f"--cell {text} is no width in millimetres; give one such as 20")
    return width


def check_pdf() -> None:
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

    width, height = papers.PAPERS[size]
    document = FPDF(orientation="L", format=(height, width))
    document.set_auto_page_break(False)
    # The fonts that every PDF has go up to ÿ.
    other_characters = sorted({mark for mark in text if ord(mark) > ord("ÿ")})
    if other_characters:
        try:
            from matplotlib import get_data_path
        except ImportError:
            sentence = (
                f"a PDF can write {other_characters[0]!r} with a font of matplotlib's only; pip install '.[plot]'"
            )
            raise InputError(f"{sentence}, or {OTHER_SHEETS}") from None
        document.add_font("sans-serif", fname=Path(get_data_path(), "fonts", "ttf", "DejaVuSans.ttf"))
        font = document.fonts["sans-serif"]
        for mark in other_characters:
            if ord(mark) not in getattr(font, "cmap", ()) or bidirectional(mark) in ("R", "AL"):
                raise InputError(f"a PDF cannot write {mark!r} here; {OTHER_SHEETS}")
    return document


def pdf(sheets: Sequence[str], size: str) -> bytes:
    """Return a PDF with a page for each sheet, an SVG; size: a key of `PAPERS`.

    Patterns, which fpdf does not draw, are replaced by lines and dots. Raises `InputError` if no font has the
    characters of the sheets.
    """
    logging.getLogger("fpdf").setLevel(
        logging.ERROR
    )  # it says that it does not draw the patterns, which `hatched` does
    document = _document(size, "".join(sheets))
    for sheet in sheets:
        document.add_page()
        document.image(BytesIO(hatch_patterns(sheet).encode()), 0, 0, document.w, document.h)
    return bytes(document.output())
