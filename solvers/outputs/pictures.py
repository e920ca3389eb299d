"""Where pictures go: a page with all of them, or a folder with a file for each."""

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from solvers.errors import InputError
from solvers.outputs import gallery
from solvers.outputs.file import Output
from solvers.outputs.paths import resolved
from solvers.show import draw, svg

if TYPE_CHECKING:
    from solvers.running.runner import Run


class GalleryFile(Output):
    """One page with all solutions of a run. Raises `InputError` at once if the file cannot be written."""

    def __init__(self, path: str) -> None:
        super().__init__(path, "--gallery")

    def finish(self, run: "Run", is_over: Callable[[], bool]) -> str:
        """Write it, and draw nothing more once it is over; the page says what is missing. OSError if it fails."""
        with self.stream() as stream:
            stream.write(gallery.page(run, is_over))
        return ""


class SvgFolder:
    """A picture for each solution, named by its number. Raises `InputError` at once if the folder is not to be had."""

    def __init__(self, path: str) -> None:
        try:
            self.path = resolved(path)
            self._part = Path(f"{self.path}.part")
            if not path or (self.path.exists() and not self.path.is_dir()):
                raise OSError(errno.EINVAL, "it is no folder")
            if self.path.exists() and any(self.path.iterdir()):
                raise OSError(errno.ENOTEMPTY, "it is not empty")
            self._part.mkdir()
            self._part.rmdir()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise InputError(
                f"cannot write to {path or repr(path)}: {reason}; choose another folder for --svg"
            ) from None

    def finish(self, run: "Run", is_over: Callable[[], bool]) -> str:
        """Write it until it is over; a sentence if pictures are missing. OSError if it fails."""
        in_order = run.collector.in_order() if run.collector else []
        written = 0
        self._part.mkdir()
        try:
            for number, encoded in enumerate(in_order, 1):
                if is_over():
                    break
                question = run.collector.question  # type: ignore[union-attr]
                picture = svg.picture(draw.drawing(question.puzzle, question.key.decode(encoded)))
                name = f"{number:0{len(str(len(in_order)))}}.svg"
                (self._part / name).write_text(picture + "\n", encoding="utf-8")
                written = number
            os.replace(self._part, self.path)
        finally:
            shutil.rmtree(self._part, ignore_errors=True)
        return "" if written == len(in_order) else f"{self.path} holds {written} of {len(in_order)} pictures"
