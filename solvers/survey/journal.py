"""The file that remembers the rows of a survey, so that it goes on after a stop or a crash."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from models import PUZZLES
from solvers.endings import Ending
from solvers.errors import InputError, StoreError
from solvers.options import Options
from solvers.show.report import versions
from solvers.survey.variants import Row

APPLICATION = 0x6B617A73
"""What marks an SQLite file as a survey."""

OF_EACH = ("backend", "all", "symmetry", "given", "unique", "count_only", "limit", "seed", "solver_parameters")
"""The options on which a row depends."""


SETTLED = (Ending.LIMIT.words, Ending.SECOND_SOLUTION.words)
"""What ends a run so that there is no use in going on."""


class Journal:
    """The rows of one survey, by the variant.

    Raises `InputError` if the file is no survey, or of another question; `StoreError` if it cannot be written.
    """

    def __init__(self, path: str, puzzle: str, options: Options) -> None:
        self._path, self._limit = path, options.time_limit
        settings = {name: getattr(options, name) for name in OF_EACH}
        source = "" if puzzle in PUZZLES else hashlib.sha256(Path(puzzle).read_bytes()).hexdigest()
        identity = json.dumps([puzzle, source, settings, versions()], default=str)
        try:
            self._file = sqlite3.connect(path, isolation_level=None, timeout=0)
            with closing(self._file.execute("PRAGMA application_id")) as found:
                marked = found.fetchone()[0]
            tables = self._file.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if tables and marked != APPLICATION:
                raise InputError(f"{path} is no survey; choose another file for --store")
            self._file.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._file.execute("PRAGMA journal_mode = WAL")
            if not tables:
                self._file.execute(f"PRAGMA application_id = {APPLICATION}")
                self._file.execute("CREATE TABLE survey (identity TEXT NOT NULL)")
                self._file.execute("CREATE TABLE row (variant TEXT PRIMARY KEY, time REAL, report TEXT NOT NULL)")
                self._file.execute("INSERT INTO survey VALUES (?)", [identity])
            kept = self._file.execute("SELECT identity FROM survey").fetchone()
        except sqlite3.Error as error:
            raise InputError(f"cannot use {path} as a store: {error}; choose another file for --store") from None
        if kept is None or kept[0] != identity:
            raise InputError(f"{path} is a survey of another puzzle, with other options or of another version; "
                             "choose another file for --store")  # fmt: skip

    def known(self, variants: Sequence[Mapping[str, Any]]) -> dict[int, Row]:
        """The rows that need not be found again, by the variants' place: but those that a shorter limit had ended."""
        rows = {variant: (time, report) for variant, time, report in self._file.execute("SELECT * FROM row")}
        found = {}
        for place, arguments in enumerate(variants):
            time, report = rows.get(_named(arguments), (None, ""))
            if not report:
                continue
            row = json.loads(report)
            is_settled = row["complete"] or "refused" in row or row["stopped_by"] in SETTLED
            had_time = self._limit is not None and time is not None and time >= self._limit
            if is_settled or (had_time and row["stopped_by"] == Ending.TIME_LIMIT.words):
                found[place] = row
        return found

    def record(self, found: Iterable[tuple[Mapping[str, Any], Row]]) -> None:
        """Remember rows."""
        try:
            self._file.execute("BEGIN")
            self._file.executemany(
                "INSERT OR REPLACE INTO row VALUES (?, ?, ?)",
                [(_named(arguments), self._limit, json.dumps(row)) for arguments, row in found],
            )
            self._file.execute("COMMIT")
        except sqlite3.Error as error:
            raise StoreError(f"{self._path} could not be written: {error}") from None

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


def _named(arguments: Mapping[str, Any]) -> str:
    return json.dumps(dict(arguments), sort_keys=True, default=str)
