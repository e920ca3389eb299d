"""The file that remembers the rows of a survey, so that it goes on after a stop or a crash."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from models import COLLECTION
from solvers.base.endings import Ending
from solvers.base.errors import InputError, StoreError
from solvers.base.options import Options
from solvers.cubes.store import DAMAGED, as_text, complaint, seal
from solvers.extras.studies.survey.variants import Row
from solvers.show.versions import versions

SURVEY_APPLICATION_ID = 0x6B617A73
"""The number that marks an SQLite file as a survey."""

SURVEY_FORMAT = 3
"""The format of the tables; others are refused."""

OTHER = "{} is a survey of another puzzle, with other options or of another version; choose another file for `--store`"
"""The message for a file that belongs to another survey."""

OF_EACH = "backend symmetry breaking given unique count_only limit apart unique_apart seed solver_parameters".split()
"""The options on which the row of a variant depends."""


SETTLED = (Ending.LIMIT.words, Ending.SECOND_SOLUTION.words, Ending.SECOND_APART.words)
"""The endings of a run after which it need not be repeated."""


class Journal:
    """A file (SQLite) that keeps the rows of one survey, by variant.

    Raises `InputError` if the file is not a survey, or is the survey of another question; `StoreError` if it cannot be
    written.
    """

    def __init__(self, path: str, puzzle: str, options: Options) -> None:
        """Open or create the file; puzzle: the name or path of the puzzle.

        options: those of all runs. Raises `InputError` or `StoreError` as the class says. The identity of a survey is
        all on which its rows depend: the puzzle with the checksums of files, the options and the versions.
        """
        self._path = path
        self._limit = None if options.time_limit is None else float(options.time_limit)  # as it is read again
        settings = {name: getattr(options, name) for name in OF_EACH}
        self._digests: dict[str, str] = {}
        checksums = self._contents([[] if puzzle in COLLECTION else puzzle, settings["given"]])
        identity = json.dumps([SURVEY_FORMAT, puzzle, checksums, settings, versions()], default=str)
        try:
            self._file = sqlite3.connect(path, isolation_level=None, timeout=0)
            try:
                self._begin(identity)
            except BaseException:
                self._file.close()  # or it stays locked for as long as somebody has the exception
                raise
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise InputError(complaint(path, error)) from None

    def _begin(self, identity: str) -> None:
        """Check the file if it has tables, and make them otherwise; raise `InputError` if it is not this survey's.

        identity: what the rows depend on. The tables: survey has the identity; row has, by the text of a variant, the
        time limit of its run and its report. A seal is a checksum of the other columns.
        """
        self._file.text_factory = as_text
        with closing(self._file.execute("PRAGMA application_id")) as cursor:
            marked = cursor.fetchone()[0]
        tables = self._file.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if tables and marked != SURVEY_APPLICATION_ID:
            raise InputError(f"{self._path} is not a survey; choose another file for `--store`")
        if tables:
            self._check(identity)
        self._file.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._file.execute("PRAGMA journal_mode = WAL")
        if not tables:
            self._file.execute(f"PRAGMA application_id = {SURVEY_APPLICATION_ID}")
            self._file.execute("CREATE TABLE survey (identity TEXT NOT NULL, seal BLOB NOT NULL)")
            self._file.execute(
                "CREATE TABLE row (variant TEXT PRIMARY KEY, time REAL, report TEXT NOT NULL, seal BLOB NOT NULL)"
            )
            self._file.execute("INSERT INTO survey VALUES (?, ?)", _row_with_seal(identity))

    def _check(self, identity: str) -> None:
        """Raise `InputError` if the file is damaged, or belongs to a survey with another identity.

        Each row ends with its seal, a checksum of the other columns.
        """
        is_whole = self._file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        first_row = self._file.execute("SELECT * FROM survey").fetchone()
        if is_whole and first_row and len(first_row) == 1:  # the first format had no seals
            raise InputError(OTHER.format(self._path))
        rows = [first_row or (), *self._file.execute("SELECT * FROM row")]
        if not is_whole or any(_row_with_seal(*row[:-1]) != row for row in rows):
            raise InputError(DAMAGED.format(self._path))
        if first_row[0] != identity:
            raise InputError(OTHER.format(self._path))

    def rows_by_place(self, variants: Sequence[Mapping[str, Any]], grade: bool = False) -> dict[int, Row]:
        """Return the rows that the file has, by the places of their variants in the list.

        A row is left out, so that its variant is run again, if its run or its grade was ended by a time limit that was
        shorter than the one of now, or if it ended by something that may not happen again. grade: whether a row needs
        its grade as well; if not, none has it.
        """
        rows = {variant: (time, report) for variant, time, report, _ in self._file.execute("SELECT * FROM row")}
        row_by_place = {}
        for place, arguments in enumerate(variants):
            time, report = rows.get(self._variant_text(arguments), (None, ""))
            if not report:
                continue
            row = json.loads(report)
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
        """Write rows in one transaction; raise `StoreError` if that fails.

        Rows that the file has of the same variants are replaced. found: pairs of the parameters of a variant and its
        row.
        """
        try:
            self._file.execute("BEGIN")
            self._file.executemany(
                "INSERT OR REPLACE INTO row VALUES (?, ?, ?, ?)",
                [
                    _row_with_seal(self._variant_text(arguments), self._limit, json.dumps(row))
                    for arguments, row in found
                ],
            )
            self._file.execute("COMMIT")
        except sqlite3.Error as error:
            raise StoreError(f"{self._path} could not be written: {error}") from None

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

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _row_with_seal(*values: Any) -> tuple[Any, ...]:
    """Return the values with a checksum at the end, as a row of a table."""
    return *values, seal(repr(values).encode())


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts in a value, which may be a list or a mapping."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from _texts([*value.values()])
    elif isinstance(value, Iterable):
        for item in value:
            yield from _texts(item)
