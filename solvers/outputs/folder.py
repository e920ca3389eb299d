"""An output that is a folder."""

from __future__ import annotations

import errno
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from solvers.outputs.output import Output, convert_file_errors
from solvers.outputs.paths import real_path


class FolderOutput(Output):
    """An output that writes a new or empty folder.

    Raises `InputError` at once if the folder cannot be written.
    """

    def __init__(self, path: str, *, in_new_folders: bool = False) -> None:
        """Check that the folder at a path can be written, that is, that it is new or empty.

        in_new_folders: create missing folders around it, too. Raises `InputError` if it is neither, or cannot be
        written.
        """
        with convert_file_errors(path, "choose another folder", "write to"):
            self.path = real_path(path)
            if not path or (self.path.exists() and not self.path.is_dir()):
                raise OSError(errno.EINVAL, "it is not a folder")
            if self.path.exists() and any(self.path.iterdir()):
                raise OSError(errno.ENOTEMPTY, "it is not empty")
            if in_new_folders:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            # Whether a folder can be made there is tried out.
            self._make_part_folder().rmdir()

    @contextmanager
    def folder(self) -> Iterator[Path]:
        """Give a temporary folder to be filled, which gets its final name at the end of the block.

        If the block raises an exception, nothing is left.
        """
        part = self._make_part_folder()
        try:
            yield part
            part.chmod(0o755)
            part.replace(self.path)
        finally:
            shutil.rmtree(part, ignore_errors=True)

    def _make_part_folder(self) -> Path:
        """Make a temporary folder beside the final one and return its path."""
        return Path(tempfile.mkdtemp(dir=self.path.parent, prefix=f"{self.path.name}.", suffix=".part"))
