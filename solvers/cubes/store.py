"""The journal that makes a run resumable: which cubes were searched, and what was found in them, in an SQLite file.

A count that lists nothing keeps the layers of its frontier there instead (`solvers.counting.checkpoints`).

The cubes form a tree whose root is the whole space. A cube is open, or it was searched, or it was split; the cubes that
it was split into are recorded together with that. So at every moment those that are not open account for exactly what
was searched, and whoever goes on, on whatever backend, has only to search the open ones.
"""

from __future__ import annotations

import io
import json
import sqlite3
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from solvers.cubes.cube import WHOLE, Answer, Cube, Found, Rows
from solvers.errors import InputError, StoreError
from solvers.values import Values

FORMAT = "2"
"""Of the tables below; another one is refused."""

APPLICATION = 0x6B617A6F
"""What marks an SQLite file as one of ours."""

SCHEMA = (
    "CREATE TABLE run (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    """CREATE TABLE session (number INTEGER PRIMARY KEY, backend TEXT NOT NULL, jobs INTEGER NOT NULL,
    began REAL NOT NULL, ended REAL NOT NULL, ending TEXT NOT NULL)""",
    """CREATE TABLE cube (number INTEGER PRIMARY KEY, parent INTEGER, literals TEXT NOT NULL, weight REAL NOT NULL,
    session INTEGER, state TEXT NOT NULL, searched REAL NOT NULL, statistics TEXT NOT NULL, rows BLOB NOT NULL,
    seal BLOB NOT NULL)""",
    "CREATE TABLE progress (facts TEXT NOT NULL, seal BLOB NOT NULL)",
    """CREATE TABLE layer (number INTEGER NOT NULL, part INTEGER NOT NULL, rows BLOB NOT NULL,
    PRIMARY KEY (number, part))""",
    f"PRAGMA application_id = {APPLICATION}",
)

UNENDED = "killed or still running"
"""How a session has ended that did not say how."""

OPEN, SEARCHED, SPLIT = "open", "searched", "split"


class Session(NamedTuple):
    """One of the runs that worked on a store."""

    backend: str
    jobs: int
    seconds: float
    cubes: int
    ending: str
    """What ended it early; empty if nothing did."""


class Content(NamedTuple):
    """What a store holds."""

    identity: Mapping[str, str]
    sessions: Sequence[Session]
    searched: float
    """The share of the space."""
    cubes: int
    """How many were searched."""
    open: int
    """How many are still to be searched."""
    solutions: int
    """How many the search met."""
    progress: CountProgress | None
    """How far it is, if it is a count that lists nothing."""


class CountProgress(NamedTuple):
    """How far a count by layers has come, and what it has left behind in the store."""

    layers: int
    """How many there are."""
    layer: int
    """How many of them are done."""
    limbs: int
    states: int
    peak: int
    held: Sequence[int]
    """See `frontier.Frontier`."""
    sizes: Mapping[str, int]
    """Of each layer in the store, by its number, how many states it has."""
    seals: Mapping[str, Sequence[str]]
    """And the seals of its parts."""


class StoreFile:
    """The file of one run, held by one process at a time.

    Raises `InputError`, and leaves the file as it is, if it is no store, is damaged, belongs to another question or is
    in use; `StoreError` where it cannot be written.
    """

    def __init__(self, path: str, identity: Mapping[str, str], backend: str, jobs: int) -> None:
        """``identity`` says by names what the question is; if it is another one, what differs is told by name."""
        self.path = path
        is_new = not _holds_a_store(path)
        if not is_new:
            _check_identity(path, _read(path).identity, identity)
        try:
            self._file = sqlite3.connect(path, isolation_level=None, timeout=0, check_same_thread=False)
        except sqlite3.Error as error:
            raise InputError(_complaint(path, error)) from None
        try:
            self._run("PRAGMA locking_mode = EXCLUSIVE")
            self._run("PRAGMA journal_mode = WAL")
            with self._transaction():
                for statement in SCHEMA if is_new else ():
                    self._run(statement)
                for name, value in {"format": FORMAT, **identity}.items() if is_new else ():
                    self._run("INSERT INTO run VALUES (?, ?)", name, value)
                now = time.time()
                self._run("INSERT INTO session VALUES (NULL, ?, ?, ?, ?, ?)", backend, jobs, now, now, UNENDED)
                self._session = self._run("SELECT max(number) FROM session")[0][0]
        except StoreError as error:
            self._file.close()
            raise InputError(str(error)) from None

    def close(self, ending: str) -> None:
        """Nothing more will be recorded; ``ending`` says what ended the run early."""
        with suppress(StoreError):
            self._run("UPDATE session SET ended = ?, ending = ? WHERE number = ?", time.time(), ending, self._session)
        with suppress(sqlite3.Error):
            self._file.close()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._run("BEGIN IMMEDIATE")
        try:
            yield
            self._run("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                self._file.execute("ROLLBACK")
            raise

    def _run(self, statement: str, *values: Any) -> list[Any]:
        try:
            return self._file.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise StoreError(_complaint(self.path, error)) from None


class Store(StoreFile):
    """The journal of a search in cubes."""

    def __init__(self, path: str, identity: Mapping[str, str], backend: str, jobs: int) -> None:
        """See `StoreFile`."""
        super().__init__(path, identity, backend, jobs)
        self._numbers: dict[Cube, int] = {}

    @property
    def best(self) -> int | None:
        """The best value of the objective, if it is known already."""
        row = self._run("SELECT value FROM run WHERE name = 'best'")
        return int(row[0][0]) if row else None

    @best.setter
    def best(self, value: int) -> None:
        self._run("INSERT OR REPLACE INTO run VALUES ('best', ?)", str(value))

    def begin(self, cubes: Callable[[], Iterator[Cube | Found]]) -> Iterator[Cube | Found]:
        """See `workers.Journal`; what is known comes first."""
        if not self._run("SELECT 1 FROM cube LIMIT 1"):
            parts = list(cubes())
            self.split(WHOLE, parts)
            yield from sorted(parts, key=lambda part: isinstance(part, Cube))
            return
        backends = dict(self._run("SELECT number, backend FROM session"))
        for (number,) in self._run("SELECT number FROM cube WHERE state != ? ORDER BY number", OPEN):
            ((session, state, searched, statistics, rows),) = self._run(
                "SELECT session, state, searched, statistics, rows FROM cube WHERE number = ?", number
            )
            by = backends[session] if state == SEARCHED else ""
            yield Found(_unpacked(rows), searched, int(state == SEARCHED), json.loads(statistics), resumed=by)
        for number, literals, weight in self._run(
            "SELECT number, literals, weight FROM cube WHERE state = ? ORDER BY number", OPEN
        ):
            cube = Cube(tuple(json.loads(literals)), weight)
            self._numbers[cube] = number
            yield cube

    def record(self, cubes: Sequence[Cube], answers: Sequence[Answer]) -> None:
        """See `workers.Journal`."""
        with self._transaction():
            for cube, answer in zip(cubes, answers, strict=True):
                self._settle(cube, SEARCHED, cube.weight, answer.statistics, answer.rows)

    def split(self, cube: Cube, parts: Sequence[Cube | Found]) -> None:
        """See `workers.Journal`."""
        known = [part for part in parts if isinstance(part, Found)]
        statistics = Counter[str]()
        for part in known:
            statistics.update(part.statistics)
        rows = [row for part in known for row in part.rows]
        with self._transaction():
            if cube == WHOLE:
                self._add(WHOLE, None)
            number = self._numbers[cube]
            self._settle(cube, SPLIT, float(sum(part.weight for part in known)), statistics, rows)
            for child in parts:
                if isinstance(child, Cube):
                    self._add(child, number)

    def _add(self, cube: Cube, parent: int | None) -> None:
        values = json.dumps(cube.literals), cube.weight, OPEN, 0.0, "{}", b""
        self._run("INSERT INTO cube VALUES (NULL, ?, ?, ?, NULL, ?, ?, ?, ?, ?)", parent, *values, _seal(*values))
        ((self._numbers[cube],),) = self._run("SELECT last_insert_rowid()")

    def _settle(
        self, cube: Cube, state: str, searched: float, statistics: Mapping[str, int], rows: Sequence[Values] | Rows
    ) -> None:
        values = state, searched, json.dumps(dict(statistics)), _packed(rows)
        self._run(
            "UPDATE cube SET state = ?, searched = ?, statistics = ?, rows = ?, seal = ?, session = ? WHERE number = ?",
            *values,
            _seal(json.dumps(cube.literals), cube.weight, *values),
            self._session,
            self._numbers.pop(cube),
        )


def read(path: str) -> Content:
    """What a store holds; raises `InputError` if it is none, is damaged or is in use."""
    if not _holds_a_store(path):
        raise InputError(f"{path} holds no run; --store FILE makes such files")
    return _read(path)


def _holds_a_store(path: str) -> bool:
    """Whether there is something there, which had better be a store."""
    try:
        if Path(path).exists() and not Path(path).is_file():
            raise InputError(f"{path} is no plain file; choose another file")
        with Path(path).open("rb") as file:
            begin = file.read(16)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    if not begin:
        if Path(f"{path}-wal").exists():
            raise InputError(f"{path} is empty, but {path}-wal is not; put the store back, or remove both")
        return False
    if begin != b"SQLite format 3\0":
        raise InputError(f"{path} is no store of a run; choose another file")
    with _opened(path) as file:
        ((application,),) = file.execute("PRAGMA application_id")
        if application == 0 and not file.execute("SELECT 1 FROM sqlite_master").fetchone():
            return False  # killed before it held anything
    if application != APPLICATION:
        raise InputError(f"{path} is an SQLite file, but no store of a run; choose another file")
    return True


@contextmanager
def _opened(path: str) -> Iterator[sqlite3.Connection]:
    """The file, for reading alone; where no log is left behind, nothing is written beside it either."""
    log = Path(f"{path}-wal")
    how = "mode=ro" if log.exists() and log.stat().st_size else "mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(f"{Path(path).absolute().as_uri()}?{how}", uri=True, timeout=0)) as file:
            yield file
    except sqlite3.Error as error:
        raise InputError(_complaint(path, error)) from None


def _read(path: str) -> Content:
    damaged = InputError(f"{path} is damaged; restore it from a copy, or choose another file")
    with _opened(path) as file:
        if file.execute("PRAGMA integrity_check").fetchone() != ("ok",):
            raise damaged
        identity = dict(file.execute("SELECT name, value FROM run"))
        if identity.pop("format", None) != FORMAT:
            raise InputError(f"{path} was written by another version of this program; go on with that one")
        searched, solutions, still_open = 0.0, 0, 0
        cubes: dict[int, int] = {}
        for literals, weight, session, state, share, statistics, rows, seal in file.execute(
            "SELECT literals, weight, session, state, searched, statistics, rows, seal FROM cube"
        ):
            if _seal(literals, weight, state, share, statistics, rows) != seal:
                raise damaged
            searched += share
            solutions += len(_unpacked(rows))
            if state == SEARCHED:
                cubes[session] = cubes.get(session, 0) + 1
            still_open += state == OPEN
        progress = _progress(file, damaged)
        sessions = [
            Session(backend, jobs, ended - began, cubes.get(number, 0), ending)
            for number, backend, jobs, began, ended, ending in file.execute("SELECT * FROM session ORDER BY number")
        ]
    identity.pop("best", None)
    return Content(identity, sessions, searched, sum(cubes.values()), still_open, solutions, progress)


def _progress(file: sqlite3.Connection, damaged: InputError) -> CountProgress | None:
    """How far a count by layers is; all that it left behind is there, and as it was."""
    there: dict[str, list[str]] = {}
    for number, rows in file.execute("SELECT number, rows FROM layer ORDER BY number, part"):
        there.setdefault(str(number), []).append(seal(rows).hex())
    progress = None
    for facts, facts_seal in file.execute("SELECT facts, seal FROM progress"):
        if seal(facts.encode()) != facts_seal:
            raise damaged
        progress = CountProgress(**json.loads(facts))
    if there != (progress.seals if progress else {}):
        raise damaged
    return progress


def _check_identity(path: str, there: Mapping[str, str], here: Mapping[str, str]) -> None:
    for name, value in here.items():
        if there.get(name) != value:
            was = f" ({there.get(name)}, not {value})" if len(value) < 60 else ""
            raise InputError(
                f"{path} is the store of another run, which differs in its {name}{was}; choose another file"
            )


def _complaint(path: str, error: sqlite3.Error) -> str:
    if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
        return f"{path} is in use by another run"
    if isinstance(error, sqlite3.OperationalError):
        return f"cannot write {path}: {error}"
    return f"{path} is damaged: {error}"


def seal(data: bytes) -> bytes:
    """By this is known that what was written is what is read."""
    return blake2b(data, digest_size=16).digest()


def _seal(*values: object) -> bytes:
    return seal(repr(values).encode())


def _packed(rows: Sequence[Values] | Rows) -> bytes:
    if not len(rows):
        return b""
    stream = io.BytesIO()
    np.save(stream, np.array(rows), allow_pickle=False)
    return zlib.compress(stream.getvalue(), 1)


def _unpacked(data: bytes) -> Sequence[Values]:
    return np.load(io.BytesIO(zlib.decompress(data)), allow_pickle=False) if data else ()
