"""Pictures of single solutions: in a notebook, and a folder with a file for each."""

import json
from collections.abc import Callable

from models.puzzle import Puzzle, Solution
from solvers.extras.pictures import solid, svg
from solvers.extras.pictures.page import source
from solvers.outputs.folder import FolderOutput
from solvers.outputs.output import EndedRun
from solvers.show import draw


def picture(puzzle: Puzzle, solution: Solution, *, turns: bool = False) -> str:
    """Return a solution as SVG; a solid is also drawn in space.

    turns: whether to return HTML in which a solid can be turned and opened, if the page may run programs; the picture
    in space is there otherwise. Raises `InputError` if the puzzle draws something that cannot be shown.
    """
    layers = draw.drawing(puzzle, solution)
    motion = solid.motion(puzzle, solution, layers) if turns else {}
    drawing = solid.drawing_in_space(puzzle, solution)
    if not motion:
        return svg.picture(drawing)
    # In place of the colour of each piece, its SVG attributes.
    looks = [[name, svg.colour_attributes(colour), *further] for name, colour, *further in motion["pieces"]]
    motion_text = json.dumps({**motion, "pieces": looks}, separators=(",", ":")).replace("<", "\\u003c")
    return (
        '<div data-lm-suppress-shortcuts="true" style="display:flex;flex-wrap:wrap;gap:2em;align-items:center">'
        f'<div style="width:min(20em,100%)">{svg.picture(drawing[:1])}</div>'
        f'<div style="max-width:min(24em,100%)">{svg.picture(layers)}</div></div>'
        f"<script>(box => {{\n{source('solid.js')}\n"
        f'solidViewer(box, solidOf({motion_text}, (path, look) => `<path d="${{path}}" ${{look}}/>`));\n'
        "})(document.currentScript.previousElementSibling.firstElementChild);</script>"
    )


class SvgFolder(FolderOutput):
    """The output that writes a picture of each solution into a folder, named by its number.

    Raises `InputError` at once if the folder cannot be written.
    """

    def __init__(self, path: str) -> None:
        """Take the path of the folder."""
        super().__init__(path)

    def finish(self, run: EndedRun, is_over: Callable[[], bool]) -> str:
        """Write the pictures; return a sentence if some are missing, else "".

        is_over: says whether to stop writing. Raises `InputError` if the puzzle draws something that cannot be shown.
        """
        in_order, number_written = run.in_order(), 0
        with self.folder() as folder:
            for number, encoded in enumerate(in_order, 1):
                if is_over() or run.question is None:
                    break
                svg_text = picture(run.question.puzzle, run.question.key.decode(encoded))
                name = f"{number:0{len(str(len(in_order)))}}.svg"
                (folder / name).write_text(svg_text + "\n", encoding="utf-8")
                number_written = number
        if number_written == len(in_order):
            return ""
        return f"{self.path} holds {number_written} of {len(in_order)} pictures"
