"""The journal that makes a run resumable: which cubes were searched, and what was found in them, in an SQLite file.

A count that lists nothing, in the wing of counts, keeps the layers of its frontier there instead.

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
from fractions import Fraction
from hashlib import blake2b
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from solvers.base.errors import InputError, InUseError, StoreError
from solvers.base.values import Values
from solvers.cubes.cube import WHOLE, Cube, CubeResult, Found, Rows

FORMAT = "4"
"""The format of the tables below; others are refused."""

STORE_APPLICATION_ID = 0x6B617A6F
"""The number that marks an SQLite file as a store."""

SCHEMA = (
    "CREATE TABLE run (name TEXT PRIMARY KEY, value TEXT NOT NULL, seal BLOB NOT NULL)",
    """CREATE TABLE session (number INTEGER PRIMARY KEY, backend TEXT NOT NULL, jobs INTEGER NOT NULL,
    began REAL NOT NULL, ended REAL NOT NULL, ending TEXT NOT NULL, seal BLOB NOT NULL)""",
    """CREATE TABLE cube (number INTEGER PRIMARY KEY, parent INTEGER, literals TEXT NOT NULL, weight TEXT NOT NULL,
    session INTEGER, state TEXT NOT NULL, searched TEXT NOT NULL, statistics TEXT NOT NULL, rows BLOB NOT NULL,
    seal BLOB NOT NULL)""",
    "CREATE TABLE progress (facts TEXT NOT NULL, seal BLOB NOT NULL)",
    """CREATE TABLE layer (number INTEGER NOT NULL, part INTEGER NOT NULL, rows BLOB NOT NULL,
    PRIMARY KEY (number, part))""",
    f"PRAGMA application_id = {STORE_APPLICATION_ID}",
)
"""Each row ends with its seal; those of layers are in the facts of the progress. Shares of the space are fractions."""

UNENDED = "killed or still running"
"""The ending of a session that recorded none."""

MAX_COPIES = 5
"""How often a store that a run uses is copied to be read, until the run has written nothing into the file meanwhile."""

DAMAGED = "{} is damaged; restore it from a copy, or choose another file"

OPEN, SEARCHED, SPLIT = "open", "searched", "split"


class Session(NamedTuple):
    """One run that worked on a store."""

    backend: str
    jobs: int
    seconds: float
    cubes: int
    ending: str
    """The reason why it ended early; empty if it did not."""


class _OwnSession(NamedTuple):
    """The session of this run, as the first columns of its row have it."""

    number: int
    backend: str
    jobs: int
    began: float
    """The time at which it began, in seconds since 1970."""


class Content(NamedTuple):
    """The content of a store.

    It is the identity of the search, the runs that worked on it, and how far they came.
    """

    identity: Mapping[str, str]
    sessions: Sequence[Session]
    searched: float
    """The share of the space."""
    cubes: int
    """The number of cubes that were searched."""
    open: int
    """The number of cubes that are left."""
    solutions: int
    """The number of solutions that the search met."""
    progress: CountProgress | None
    """The progress of a count without listing."""


class CountProgress(NamedTuple):
    """The progress of a count by layers, and the rows that it has written to the store."""

    layers: int
    """The number of layers."""
    layer: int
    """The number of finished layers."""
    limbs: int
    states: int
    peak: int
    held: Sequence[int]
    """See `frontier.Frontier`."""
    sizes: Mapping[str, int]
    """The number of states of each layer in the store, by the number of the layer."""
    seals: Mapping[str, Sequence[str]]
    """The seals of the parts of each layer in the store, by the number of the layer."""


class StoreFile:
    """The file of one run, held by one process at a time."""

    def __init__(self, path: str, identity: Mapping[str, str], backend: str, jobs: int) -> None:
        """Open the file, or make it, and record that this run has begun.

        path: the file. identity: the name and value of each part of the question, such as the puzzle; a later run has
        to give the same. backend, jobs: recorded for this session.

        Raises `InputError`, and leaves the file as it is, if the file is not a store, is damaged, is in use, or belongs
        to another question, whose difference the message names; `StoreError` if it cannot be written.
        """
        self.path = path
        is_new = not _holds_a_store(path)
        if not is_new:
            _check_identity(path, _read(path).identity, identity)
        try:
            self._file = sqlite3.connect(path, isolation_level=None, timeout=0, check_same_thread=False)
        except sqlite3.Error as error:
            raise InputError(complaint(path, error)) from None
        try:
            # Another process cannot open the file while this one has it; a crash leaves the last complete transaction.
            self._run("PRAGMA locking_mode = EXCLUSIVE")
            self._run("PRAGMA journal_mode = WAL")
            with self._transaction():
                for statement in SCHEMA if is_new else ():
                    self._run(statement)
                for name, value in {"format": FORMAT, **identity}.items() if is_new else ():
                    self._write_row("run", name, value)
                self._session = _OwnSession(self._next_number("session"), backend, jobs, time.time())
                self._write_session(UNENDED)
        except (InputError, StoreError):
            self._file.close()
            if is_new:  # nothing of it was recorded
                for ending in ("", "-wal", "-shm"):
                    Path(f"{path}{ending}").unlink(missing_ok=True)
            raise

    def close(self, ending: str) -> None:
        """Close the file. ending: why the run ended early; empty if it did not."""
        with suppress(StoreError):
            self._write_session(ending)
        with suppress(sqlite3.Error):
            self._file.close()

    def name_backend(self, backend: str) -> None:
        """Record the name of the backend that searches, once `auto` has chosen it."""
        self._session = self._session._replace(backend=backend)
        self._write_session(UNENDED)

    def _write_session(self, ending: str) -> None:
        """Record that this run has lasted until now.

        ending: why it ended early; empty if it did not, `UNENDED` while it runs.
        """
        self._write_row("session", *self._session, time.time(), ending)

    def _write_row(self, table: str, *values: Any) -> None:
        """Write a row of the table with its seal, or replace the row with the same first value.

        values: the values of all columns but the seal, in their order. Raises `StoreError` if it cannot be written.
        """
        places = ", ".join("?" * (len(values) + 1))
        self._run(f"INSERT OR REPLACE INTO {table} VALUES ({places})", *values, _seal(table, *values))

    def _next_number(self, table: str) -> int:
        """Return the number for a new row of a table: 1 more than the greatest there is."""
        return int(self._run(f"SELECT coalesce(max(number), 0) + 1 FROM {table}")[0][0])

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Run the block as one transaction, which is rolled back if the block raises an exception.

        Raises `StoreError` if SQLite fails.
        """
        self._run("BEGIN IMMEDIATE")
        try:
            yield
            self._run("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                self._file.execute("ROLLBACK")
            raise

    def _run(self, statement: str, *values: Any) -> list[Any]:
        """Run an SQL statement with these values for its question marks; return all rows of its result as tuples.

        Raises `StoreError`, with a clear sentence, if SQLite fails, `InputError` if the file is in use by another run.
        """
        try:
            return self._file.execute(statement, values).fetchall()
        except (sqlite3.Error, UnicodeDecodeError) as error:
            kind = InputError if _is_in_use(error) else StoreError
            raise kind(complaint(self.path, error)) from None


class Store(StoreFile):
    """The record of a search in cubes, in a file, so that a later run can continue it."""

    def __init__(self, path: str, identity: Mapping[str, str], backend: str, jobs: int) -> None:
        """Open the store in a file, or make it, for one run; see `StoreFile`.

        path: the file. identity: the name and value of each part of the question. backend, jobs: recorded for this
        session. Raises `InputError` or `StoreError` as `StoreFile` does.
        """
        super().__init__(path, identity, backend, jobs)
        self._numbers: dict[Cube, tuple[int, int | None]] = {}  # of open cubes, each with its parent's

    @property
    def best(self) -> int | None:
        """The best value of the objective, as the backend minimises it; None if it is not known yet."""
        row = self._run("SELECT value FROM run WHERE name = 'best'")
        return int(row[0][0]) if row else None

    @best.setter
    def best(self, value: int) -> None:
        self._write_row("run", "best", str(value))

    def begin(self, cubes: Callable[[], Iterator[Cube | Found]]) -> Iterator[Cube | Found]:
        """Begin a search, or continue one that was recorded.

        Yields the parts that were searched already (`Found`) first, then the open cubes. A part that an earlier run has
        searched has the name of that run's backend as its ``resumed``, which is empty for what splitting itself has
        found. cubes: makes the cubes of a new search; it is not called if the store has cubes already. Raises
        `StoreError` if the file cannot be written.
        """
        if not self._run("SELECT 1 FROM cube LIMIT 1"):
            parts = list(cubes())
            # The cubes of a new search are the parts of the whole space; False sorts before True, so searched parts
            # come first.
            self.split(WHOLE, parts)
            yield from sorted(parts, key=lambda part: isinstance(part, Cube))
            return
        backends = dict(self._run("SELECT number, backend FROM session"))
        for (number,) in self._run("SELECT number FROM cube WHERE state != ? ORDER BY number", OPEN):
            ((session, state, searched, statistics, rows),) = self._run(
                "SELECT session, state, searched, statistics, rows FROM cube WHERE number = ?", number
            )
            backend = backends[session] if state == SEARCHED else ""
            yield Found(
                _unpack_rows(rows), Fraction(searched), int(state == SEARCHED), json.loads(statistics), resumed=backend
            )
        for number, parent, literals, weight in self._run(
            "SELECT number, parent, literals, weight FROM cube WHERE state = ? ORDER BY number", OPEN
        ):
            cube = Cube(tuple(json.loads(literals)), Fraction(weight))
            # `split` and `record` find the cube's row by its number.
            self._numbers[cube] = number, parent
            yield cube

    def record(self, cubes: Sequence[Cube], answers: Sequence[CubeResult]) -> None:
        """Record that these cubes were searched; answers: their results, in the same order.

        Raises `StoreError` if the file cannot be written.
        """
        with self._transaction():
            for cube, answer in zip(cubes, answers, strict=True):
                self._settle(cube, SEARCHED, cube.weight, answer.statistics, answer.rows)

    def split(self, cube: Cube, parts: Sequence[Cube | Found]) -> None:
        """Record that a cube was split again, in one transaction.

        The row of the cube takes the solutions and the figures of the parts that splitting itself has searched
        (`Found`). The other parts get rows as open cubes. parts: all parts of the cube. Raises `StoreError` if the file
        cannot be written.
        """
        searched_parts = [part for part in parts if isinstance(part, Found)]
        statistics = Counter[str]()
        for part in searched_parts:
            statistics.update(part.statistics)
        rows = [row for part in searched_parts for row in part.rows]
        with self._transaction():
            # The whole space, the root of the tree, has no row before its first split.
            if cube not in self._numbers:
                self._add(cube, None)
            number, _ = self._numbers[cube]
            searched = sum((part.weight for part in searched_parts), Fraction())
            self._settle(cube, SPLIT, searched, statistics, rows)
            for child in parts:
                if isinstance(child, Cube):
                    self._add(child, number)

    def _add(self, cube: Cube, parent: int | None) -> None:
        """Record an open cube. parent: the number of the cube that it is a part of; None for the root."""
        self._numbers[cube] = self._next_number("cube"), parent
        self._write_cube(cube, None, OPEN, "0", "{}", b"")

    def _settle(
        self, cube: Cube, state: str, searched: Fraction, statistics: Mapping[str, int], rows: Sequence[Values] | Rows
    ) -> None:
        """Record that an open cube was searched or split; after that it is no longer open.

        state: `SEARCHED` or `SPLIT`. searched: the share of the space that was searched in it, which is 0 or more for a
        cube that was split. statistics: figures of the search, by name. rows: the solutions found, as the values of all
        variables.
        """
        figures = json.dumps(dict(statistics))
        self._write_cube(cube, self._session.number, state, str(searched), figures, _pack_rows(rows))
        del self._numbers[cube]

    def _write_cube(self, cube: Cube, *values: Any) -> None:
        """Write the row of an open cube. values: its columns from ``session`` on; see `SCHEMA`."""
        self._write_row("cube", *self._numbers[cube], json.dumps(cube.literals), str(cube.weight), *values)


def read(path: str) -> Content:
    """Return the content of the store at a path; if a run uses it, what that run has recorded so far.

    A file in use is copied, with its log of late changes (-wal), and the copy is read; it is copied again if the file
    has changed meanwhile. Raises `InputError` if the file is not a store or is damaged.
    """
    try:
        return _content(path)
    except InUseError as in_use:
        for _ in range(MAX_COPIES):
            with suppress(InputError, OSError), TemporaryDirectory() as folder:
                copy, before = Path(folder, "store"), Path(path).stat()
                for ending in ("", "-wal"):
                    copyfile(f"{path}{ending}", f"{copy}{ending}")
                after = Path(path).stat()
                # Of the log only the end may change while it is copied; SQLite ignores what is incomplete there.
                if (after.st_mtime_ns, after.st_size) == (before.st_mtime_ns, before.st_size):
                    return _content(str(copy))
        raise in_use


def _content(path: str) -> Content:
    """Return the content of the store at a path.

    Raises `InputError` if the file is not a store, is damaged or is in use.
    """
    if not _holds_a_store(path):
        raise InputError(f"{path} contains no run; --store FILE writes such files")
    return _read(path)


def _holds_a_store(path: str) -> bool:
    """Tell whether the file at a path is a store; False if there is no file, or an empty one.

    If the result is False, a store can be made there. Raises `InputError` if there is something else at the path, or if
    it cannot be read.
    """
    try:
        if Path(path).exists() and not Path(path).is_file():
            raise InputError(f"{path} is not a regular file; choose another file")
        with Path(path).open("rb") as file:
            first_bytes = file.read(16)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    if not first_bytes:
        if Path(f"{path}-wal").exists():
            raise InputError(f"{path} is empty, but {path}-wal is not; put the store back, or remove both")
        return False
    if first_bytes != b"SQLite format 3\0":
        raise InputError(f"{path} is not a store of a run; choose another file")
    with _open_file(path) as file:
        ((application,),) = file.execute("PRAGMA application_id")
        if application == 0 and not file.execute("SELECT 1 FROM sqlite_master").fetchone():
            return False  # killed before it held anything
    if application != STORE_APPLICATION_ID:
        raise InputError(f"{path} is an SQLite file, but no store of a run; choose another file")
    return True


@contextmanager
def _open_file(path: str) -> Iterator[sqlite3.Connection]:
    """Open the SQLite file at a path for reading within the block.

    Without a log (-wal) the file is opened as one that does not change, so that SQLite writes nothing beside it. Raises
    `InputError` for any failure of SQLite, `InUseError` if a run uses the file.
    """
    log = Path(f"{path}-wal")
    mode = "mode=ro" if log.exists() and log.stat().st_size else "mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(f"{Path(path).absolute().as_uri()}?{mode}", uri=True, timeout=0)) as file:
            file.text_factory = as_text
            yield file
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter where SQLite quotes what is damaged
        kind = InUseError if _is_in_use(error) else InputError
        raise kind(complaint(path, error)) from None


def _read(path: str) -> Content:
    """Return the content of a file that is known to be a store.

    Each row is compared with its seal, and the shares of all cubes have to add up to the whole space. Raises
    `InputError` if the file is damaged, was written in another format or is in use.
    """
    damaged = InputError(DAMAGED.format(path))

    def read_table(table: str) -> Iterator[Any]:
        """Yield the rows of a table, each without its seal."""
        for *values, its_seal in file.execute(f"SELECT * FROM {table} ORDER BY 1"):
            if _seal(table, *values) != its_seal:
                raise damaged
            yield values

    with _open_file(path) as file:
        if file.execute("PRAGMA integrity_check").fetchone() != ("ok",):
            raise damaged
        if file.execute("SELECT value FROM run WHERE name = 'format'").fetchone() != (FORMAT,):
            raise InputError(f"{path} was written by another version of this program; continue with that version")
        searched, open_share, solutions, open_count = Fraction(), Fraction(), 0, 0
        searched_cubes: dict[int, int] = {}
        for _, _, _, weight, session, state, share, _, rows in read_table("cube"):
            searched += Fraction(share)
            solutions += len(_unpack_rows(rows))
            if state == SEARCHED:
                searched_cubes[session] = searched_cubes.get(session, 0) + 1
            elif state == OPEN:
                open_count += 1
                open_share += Fraction(weight)
        if searched + open_share not in (0, 1):  # cubes are missing, unless there are none yet
            raise damaged
        progress = _progress(read_table("progress"), file, damaged)
        sessions = [
            Session(backend, jobs, ended - began, searched_cubes.get(number, 0), ending)
            for number, backend, jobs, began, ended, ending in read_table("session")
        ]
        # A session that has searched cubes is missing.
        if not searched_cubes.keys() <= {number for (number,) in file.execute("SELECT number FROM session")}:
            raise damaged
        identity: dict[str, str] = dict(read_table("run"))
    # The table also has two rows that are no parts of the question.
    del identity["format"]
    identity.pop("best", None)
    return Content(identity, sessions, float(searched), sum(searched_cubes.values()), open_count, solutions, progress)


def _progress(
    fact_rows: Iterator[Sequence[Any]], file: sqlite3.Connection, damaged: InputError
) -> CountProgress | None:
    """Return the progress of a count by layers; None if none is stored.

    The parts of each layer have to be numbered 0, 1, 2, ..., and their seals have to be those of the progress.
    fact_rows: the rows of the table ``progress``, without their seals, each a JSON text. file: the open store. damaged:
    the error to raise otherwise.
    """
    seals_by_layer: dict[str, list[str]] = {}
    for number, part, rows in file.execute("SELECT number, part, rows FROM layer ORDER BY number, part"):
        seals = seals_by_layer.setdefault(str(number), [])
        if part != len(seals):  # a part before it is missing
            raise damaged
        seals.append(seal(rows).hex())
    progress = next((CountProgress(**json.loads(facts)) for (facts,) in fact_rows), None)
    if seals_by_layer != (progress.seals if progress else {}):
        raise damaged
    return progress


def _check_identity(path: str, stored: Mapping[str, str], here: Mapping[str, str]) -> None:
    """Raise `InputError` if the store at a path is of another run, with the name of what differs.

    stored, here: the identities in the store and of this run, both mappings from names to texts, such as the puzzle or
    a parameter. The error is raised if a value of ``here`` is missing or different in ``stored``. The message quotes
    short values only.
    """
    for name, value in here.items():
        if stored.get(name) != value:
            was = f" ({stored.get(name)}, not {value})" if len(value) < 60 else ""
            raise InputError(
                f"{path} is the store of another run, which differs in its {name}{was}; choose another file"
            )


def _is_in_use(error: sqlite3.Error | UnicodeDecodeError) -> bool:
    """Tell whether SQLite failed as another run uses the file (the low byte of its code has the kind of error)."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def complaint(path: str, error: sqlite3.Error | UnicodeDecodeError) -> str:
    """Return an error message for an SQLite error on the file at a path.

    It says that the file is in use, damaged or cannot be written. It quotes nothing of the file's content. An error
    without a code, such as text that cannot be decoded, counts as damage.
    """
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
    if _is_in_use(error):
        return f"{path} is in use by another run"
    if code in (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):  # the first: no such column
        return DAMAGED.format(path)
    return f"cannot write {path}: {error}"


def as_text(data: bytes) -> str:
    """Decode the text in a column; bytes that are not valid UTF-8 are replaced.

    A text with replaced bytes does not fit its row's seal, by which the damage is noticed.
    """
    return data.decode(errors="replace")


def seal(data: bytes) -> bytes:
    """Return a digest of 16 bytes, by which a later change of the data is noticed."""
    return blake2b(data, digest_size=16).digest()


def _seal(*values: object) -> bytes:
    """Return the seal of a row, a digest of 16 bytes.

    values: the name of the table, and then the values of the row.
    """
    return seal(repr(values).encode())


def _pack_rows(rows: Sequence[Values] | Rows) -> bytes:
    """Return solutions in compressed bytes; empty bytes if there are none.

    rows: the values of all variables in each solution.
    """
    if not len(rows):
        return b""
    stream = io.BytesIO()
    np.save(stream, np.array(rows), allow_pickle=False)
    return zlib.compress(stream.getvalue(), 1)


def _unpack_rows(data: bytes) -> Sequence[Values]:
    """Return the solutions from which `_pack_rows` made these bytes."""
    return np.load(io.BytesIO(zlib.decompress(data)), allow_pickle=False) if data else ()
