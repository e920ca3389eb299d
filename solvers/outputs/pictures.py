"""Where pictures go: a folder with a file for each."""

from collections.abc import Callable

from solvers.outputs.output import Ended, FolderOutput
from solvers.show import draw, svg


class SvgFolder(FolderOutput):
    """A picture for each solution, named by its number. Raises `InputError` at once if the folder is not to be had."""

    def __init__(self, path: str) -> None:
        super().__init__(path, "--svg")

    def finish(self, run: Ended, is_over: Callable[[], bool]) -> str:
        """Write it until it is over; a sentence if pictures are missing."""
        in_order, written = run.in_order(), 0
        with self.folder() as folder:
            for number, encoded in enumerate(in_order, 1):
                if is_over() or run.question is None:
                    break
                picture = svg.picture(draw.drawing(run.question.puzzle, run.question.key.decode(encoded)))
                name = f"{number:0{len(str(len(in_order)))}}.svg"
                (folder / name).write_text(picture + "\n", encoding="utf-8")
                written = number
        return "" if written == len(in_order) else f"{self.path} holds {written} of {len(in_order)} pictures"
