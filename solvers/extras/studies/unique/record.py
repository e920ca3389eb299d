"""The file that remembers verdicts, so that a run goes on after a stop without judging a puzzle twice."""

from __future__ import annotations

from hashlib import sha256

from solvers.extras.studies.survey.row_file import RowFile
from solvers.extras.studies.unique.judge import PuzzleVerdict


class Record(RowFile):
    """A file of verdicts by the checksum of the puzzle's text."""

    def __init__(self, path: str, identity: str) -> None:
        """Open or create the file; identity: the puzzle and the options on which the verdicts depend.

        Raises `InputError` if it is no such file, belongs to another question, or is in use.
        """
        super().__init__(
            path, "kazoeru unique 2", identity, "is no store of answers", "holds answers about another puzzle"
        )

    def verdict(self, text: str) -> PuzzleVerdict | None:
        """Return the verdict on the puzzle of this text; None if it is not known."""
        row = self.rows.get(_checksum(text))
        if row is None:
            return None
        steps = tuple(row.get("reasoning", ()))
        return PuzzleVerdict(row["solutions"], tuple(row["found"]), row["seconds"], row["error"], steps)

    def add(self, text: str, verdict: PuzzleVerdict) -> None:
        """Write a verdict; raise `StoreError` if that fails."""
        self.write({_checksum(text): verdict._asdict()})


def _checksum(text: str) -> str:
    """Return the checksum of a text without line breaks at its ends; blanks may be cells."""
    return sha256(text.strip("\r\n").encode()).hexdigest()
