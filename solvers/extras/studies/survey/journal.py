"""The file that remembers the rows of a survey, so that it goes on after a stop or a crash."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from models import COLLECTION
from solvers.base.endings import Ending
from solvers.base.options import Options
from solvers.extras.studies.survey.row_file import RowFile
from solvers.extras.studies.survey.variants import Row
from solvers.show.versions import versions

OF_EACH = "backend symmetry breaking given unique count_only limit apart unique_apart seed solver_parameters".split()
"""The options on which the row of a variant depends."""


SETTLED = (Ending.LIMIT.words, Ending.SECOND_SOLUTION.words, Ending.SECOND_APART.words)
"""The endings of a run after which it need not be repeated."""


class Journal(RowFile):
    """A file that keeps the rows of one survey, by variant.

    Raises `InputError` if the file is not a survey, or is the survey of another question; `StoreError` if it cannot be
    written.
    """

    def __init__(self, path: str, puzzle: str, options: Options) -> None:
        """Open or create the file; puzzle: the name or path of the puzzle.

        options: those of all runs. Raises `InputError` or `StoreError` as the class says. The identity of a survey is
        all on which its rows depend: the puzzle with the checksums of files, the options and the versions.
        """
        self._limit = None if options.time_limit is None else float(options.time_limit)  # as it is read again
        settings = {name: getattr(options, name) for name in OF_EACH}
        self._digests: dict[str, str] = {}
        checksums = self._contents([[] if puzzle in COLLECTION else puzzle, settings["given"]])
        identity = json.dumps([puzzle, checksums, settings, versions()], default=str)
        other = "is a survey of another puzzle, with other options or of another version"
        super().__init__(path, "kazoeru survey 4", identity, "is not a survey", other)

    def rows_by_place(self, variants: Sequence[Mapping[str, Any]], grade: bool = False) -> dict[int, Row]:
        """Return the rows that the file has, by the places of their variants in the list.

        A row is left out, so that its variant is run again, if its run or its grade was ended by a time limit that was
        shorter than the one of now, or if it ended by something that may not happen again. grade: whether a row needs
        its grade as well; if not, none has it.
        """
        row_by_place = {}
        for place, arguments in enumerate(variants):
            time, report = self.rows.get(self._variant_text(arguments), (None, {}))
            row = dict(report)
            if not row:
                continue
            if grade and "grade" not in row and "refused" not in row:
                continue
            of_grade = row.get("grade", {}) if grade else {}
            if not grade:
                row.pop("grade", None)
            is_settled = row["complete"] or "refused" in row or row["stopped_by"] in SETTLED
            had_time = self._limit is not None and time is not None and time >= self._limit
            out_of_time = Ending.TIME_LIMIT.words
            is_late = row["stopped_by"] == out_of_time or of_grade.get("ungraded") == out_of_time
            if (had_time and is_late) or (is_settled and not is_late):
                row_by_place[place] = row
        return row_by_place

    def record(self, found: Iterable[tuple[Mapping[str, Any], Row]]) -> None:
        """Write rows, in place of earlier ones of the same variants; raise `StoreError` if that fails.

        found: pairs of the parameters of a variant and its row.
        """
        self.write({self._variant_text(arguments): (self._limit, row) for arguments, row in found})

    def _variant_text(self, arguments: Mapping[str, Any]) -> str:
        """Return the parameters of a variant, values by name, as the JSON text by which rows are found.

        The content of the files that they name belongs to it, as it was when the survey began.
        """
        read = self._contents(arguments)
        return json.dumps([dict(arguments), read] if read else dict(arguments), sort_keys=True, default=str)

    def _contents(self, value: Any) -> dict[str, str]:
        """Return the checksum of each file whose path is a text in the value; files are read once."""
        paths = [text for text in _texts(value) if os.path.isfile(text)]
        for path in paths:
            if path not in self._digests:
                self._digests[path] = hashlib.sha256(Path(path).read_bytes()).hexdigest()
        return {path: self._digests[path] for path in paths}


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts in a value, which may be a list or a mapping."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from _texts([*value.values()])
    elif isinstance(value, Iterable):
        for item in value:
            yield from _texts(item)
