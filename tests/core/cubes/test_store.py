"""Runs that remember: whatever befalls them, nothing finished is lost and no count is wrong."""

import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import closing, suppress
from fractions import Fraction
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import Mock, patch

import numpy as np
import pytest

from models.magic import magic
from models.matchsticks import matchsticks
from models.pentomino import pentomino
from solvers import InputError, solve
from solvers.base.endings import Ending
from solvers.base.errors import StoreError
from solvers.base.options import Options
from solvers.base.tuning import override_tuning
from solvers.cubes import store, workers
from solvers.cubes.conquer import Job, Patience, conquer
from solvers.cubes.cube import Cube, CubeResult
from solvers.cubes.processes import Processes
from solvers.running.runner import Run
from solvers.show.report import Report
from tests.support import command
from tests.support.backends import EVERY
from tests.support.command import heeds_signals, printed, refusal, small_files, wait_for, wait_for_log
from tests.support.refusals import refused
from tests.support.runs import complete, finished

BOARD = {"board": "5x4", "subset": True}
KNOWN = {"5x6": (541, 2164), "5x7": (1396, 5584)}
WORDS = ("pentomino", "--board", "5x6", "--subset", "--backend", "sat", "--cubes", "1000", "--json", "--store")
"""Of a run that takes some seconds, in cubes that take some milliseconds."""
BEGUN = 1_000_000
"""Bytes of its log once all cubes stand there, and some were searched."""


def solved(declare: Any = pentomino, arguments: Mapping[str, Any] = BOARD, **options: Any) -> tuple[list[Any], Report]:
    run = finished(declare, arguments, **options)
    return run.in_order(), run.report


@cache
def whole(board: str) -> list[Any]:
    found, report = solved(arguments={"board": board, "subset": True}, backend="cover")
    assert (len(found), report.total) == KNOWN[board]
    return found


def goes_on(file: Path, board: str = "5x6") -> Report:
    """The run that ``WORDS`` begin, gone on with, finds all."""
    found, report = complete(pentomino, {"board": board, "subset": True}, backend="cover", store=str(file))
    assert found == whole(board)
    assert report.total == KNOWN[board][1]
    return report


def interrupted(file: Path, after: int, declare: Any = pentomino, arguments: Any = BOARD, **options: Any) -> Report:
    """A run on the store that is stopped once so many cubes were searched."""
    run = Run("tested", arguments, declare, Options(store=str(file), **options))
    left, record = [after], store.Store.record

    def record_and_stop(self: store.Store, cubes: Sequence[Cube], answers: Sequence[CubeResult]) -> None:
        record(self, cubes, answers)
        left[0] -= len(cubes)
        if left[0] <= 0:
            run.stop(Ending.CLOSED)

    with patch.object(store.Store, "record", record_and_stop):
        list(run)
        run.thread.join()
    assert not run.report.complete
    return run.report


def sql(file: Path, statement: str, *values: Any) -> list[Any]:
    """What a statement gives, in the database that a store is."""
    with closing(sqlite3.connect(file)) as opened, opened:
        return opened.execute(statement, values).fetchall()


@pytest.mark.parametrize(
    ("declare", "arguments", "backends"),
    [
        pytest.param(pentomino, BOARD, EVERY, marks=pytest.mark.thorough),
    ],
)
def test_goes_on_on_any_backend(declare: Any, arguments: Any, backends: Sequence[str], file: Path) -> None:
    expected, whole = solved(declare, arguments, backend="sat")
    backends = [*backends, "sat:glucose42"]
    for backend in backends:
        interrupted(file, 1, declare, arguments, backend=backend, jobs=1)
    found, report = complete(declare, arguments, backend="cp-sat", jobs=2, store=str(file))
    assert (found, report.solutions, report.total) == (expected, whole.solutions, whole.total)
    assert len(report.resumed) == len(backends)
    again, second = solved(declare, arguments, backend="sat", store=str(file))
    assert again == expected
    held = store.read(str(file))
    assert held.cubes == second.cubes == report.cubes == sum(second.resumed.values())
    assert held.searched == pytest.approx(1)
    assert [session.ending for session in held.sessions] == ["being closed"] * len(backends) + ["", ""]


@pytest.mark.thorough
@pytest.mark.parametrize("backend", ["cp-sat"])
@override_tuning(max_cube_solutions=3, min_cube_seconds=0.001)
def test_cubes_that_take_long_are_split_again(backend: str, file: Path) -> None:
    expected, _ = solved(backend="cover")
    interrupted(file, 2, backend=backend, jobs=1)
    found, report = complete(pentomino, BOARD, backend=backend, jobs=2, store=str(file))
    assert found == expected
    states = dict(sql(file, "SELECT state, count(*) FROM cube GROUP BY state"))
    assert states == {"searched": report.cubes, "split": states["split"]}
    assert states["split"] > 1 or backend == "sat", "sat has small cubes"


@pytest.mark.thorough
def test_an_objective_is_remembered(file: Path) -> None:
    arguments = {"expression": "16-8", "moves": 1}
    expected, whole = solved(matchsticks, arguments, backend="cp")
    for _ in range(2):
        found, report = solved(matchsticks, arguments, backend="cp", store=str(file))
        assert (found, report.objective) == (expected, whole.objective)


@pytest.mark.thorough
def test_the_store_of_another_run(file: Path) -> None:
    interrupted(file, 3, backend="sat", jobs=1)
    before = file.read_bytes()
    refused("in its parameters", solved, pentomino, {"board": "3x20"}, store=str(file))
    refused("in its solutions", solved, pentomino, BOARD, store=str(file), unbroken=True)
    refused("in its puzzle", solved, magic, {}, store=str(file))
    assert file.read_bytes() == before


def replaced(data: bytes, place: int, byte: bytes) -> bytes:
    return data[:place] + byte + data[place + 1 :]


SPOILS: dict[str, Callable[[bytes], bytes]] = {
    "cut": lambda data: data[: len(data) // 2 // 4096 * 4096],
    "flip": lambda data: data[: 4096 * 3] + data[4096 * 3 :].replace(b"searched", b"Searched"),
    "header": lambda data: replaced(data, 0, b"x"),
    "cut to a page": lambda data: data[:4096],
    "text": lambda _: b"not a store\n",
    "older": lambda data: replaced(data, data.index(b"format") + len(b"format"), b"0"),
}


@pytest.mark.thorough
@pytest.mark.parametrize(
    "spoil",
    [*SPOILS.values()][::2],
    ids=[*SPOILS][::2],
)
def test_a_damaged_store_is_left_as_it_is(spoil: Callable[[bytes], bytes], file: Path) -> None:
    interrupted(file, 50, backend="sat", jobs=1)
    spoiled = spoil(file.read_bytes())
    file.write_bytes(spoiled)
    assert str(file) in refusal("pentomino", "--board", "5x4", "--subset", "--store", str(file))
    assert file.read_bytes() == spoiled
    refusal("store", str(file))


def changed(value: Any) -> Any:
    """The value with one byte changed, or one more."""
    if isinstance(value, bytes):
        return bytes([value[0] ^ 1]) + value[1:]
    return chr(ord(value[0]) ^ 1) + value[1:] if isinstance(value, str) else value + 10_000


def of_each_kind(file: Path) -> Iterator[tuple[str, int, str, Any]]:
    """Of each table but those of layers, a column of a row of each kind, and what is there."""
    for table, kind in (("run", "name"), ("session", "number"), ("cube", "state")):
        columns = sql(file, "SELECT name FROM pragma_table_info(?)", table)
        for rowid, *values in sql(file, f"SELECT rowid, * FROM {table} GROUP BY {kind}"):
            yield from (
                (table, rowid, column, value) for (column,), value in zip(columns, values, strict=True) if value
            )


@pytest.mark.thorough
def test_one_byte_of_any_row_and_any_cube_is_missed(file: Path) -> None:
    """Of a run that was stopped."""
    spoiled = file.with_name("spoiled.db")
    interrupted(file, 1, backend="cover", jobs=1, cubes=60)
    places = list(of_each_kind(file))
    assert {value for *_, value in places} >= {"open", "searched", "split"}
    changes: list[tuple[Any, ...]] = [
        (f"UPDATE {table} SET {column} = ? WHERE rowid = ?", changed(value), rowid)
        for table, rowid, column, value in places
    ]
    cubes = sql(file, "SELECT number FROM cube WHERE state != 'split'")
    for change in [*changes, *(("DELETE FROM cube WHERE number = ?", *number) for number in cubes)]:
        shutil.copy(file, spoiled)
        sql(spoiled, *change)
        refused(r"is damaged|another version", store.read, str(spoiled))


@pytest.mark.thorough
def test_the_best_value_is_sealed(file: Path) -> None:
    """It is known, and no cube was searched, as the run is killed."""
    arguments = {"expression": "16-8", "moves": 1}
    with patch.object(store.Store, "begin", side_effect=StoreError("killed")):
        solved(matchsticks, arguments, backend="cp", store=str(file))
    assert sql(file, "SELECT value FROM run WHERE name = 'best'") == [("2",)]
    sql(file, "UPDATE run SET value = '3' WHERE name = 'best'")
    refused("is damaged; restore it from a copy", solved, matchsticks, arguments, backend="cp", store=str(file))


@pytest.mark.thorough
def test_sqlite_quotes_broken_text(file: Path) -> None:
    """In its complaint about a table's definition, and in one about a column's text."""
    store.StoreFile(str(file), {"puzzle": "broken"}, "sat", 1).close("")
    whole = file.read_bytes()
    for text, byte in product((b"CREATE TABLE run", b"value TEXT", b"broken", b"sat"), (b"\xff", b"\n", b"'")):
        file.write_bytes(replaced(whole, whole.index(text), byte))
        refused(r"\Asolvers is damaged|is damaged; restore it from a copy, or choose", store.read, str(file))


def test_a_store_of_an_earlier_format(file: Path) -> None:
    sql(file, "CREATE TABLE run (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
    sql(file, "INSERT INTO run VALUES ('format', '2')")
    sql(file, f"PRAGMA application_id = {store.STORE_APPLICATION_ID}")
    refused("was written by another version of this program", solved, magic, {}, store=str(file))


@pytest.mark.thorough
def test_not_a_store(tmp_path: Path) -> None:
    other, nowhere, empty = tmp_path / "other.db", tmp_path / "nowhere" / "run.db", tmp_path / "empty.db"
    sql(other, "CREATE TABLE mine (x)")
    before = other.read_bytes()
    for file, message in ((other, "no store"), (tmp_path, "not a regular file"), (nowhere, "cannot write")):
        refused(message, solved, magic, {}, store=str(file))
    assert other.read_bytes() == before
    refused("contains no run", store.read, str(tmp_path / "none.db"))
    empty.touch()
    complete(magic, store=str(empty))


def test_two_at_once(file: Path) -> None:
    begin = partial(store.Store, str(file), {"puzzle": "x"}, "sat", 1)
    first = begin()
    refused("in use by another run", begin)
    first.close("")
    begin().close("")


def test_a_store_is_read_while_a_run_uses_it(file: Path) -> None:
    """What was recorded so far is there, and the run goes on."""
    held = store.Store(str(file), {"puzzle": "x"}, "sat", 1)
    halves = [Cube((literal,), Fraction(1, 2)) for literal in (1, -1)]
    assert [*held.begin(lambda: iter(halves))] == halves
    assert store.read(str(file)).open == 2
    held.record(halves[:1], [CubeResult(np.zeros((0, 1), np.int8), 0.0, {})])
    content = store.read(str(file))
    assert (content.searched, content.cubes, content.open) == (0.5, 1, 1)
    assert content.sessions[0].ending == store.UNENDED
    assert "1 of 2 cubes, 50.00% of the work" in printed("store", str(file), module="solvers")
    held.record(halves[1:], [CubeResult(np.zeros((0, 1), np.int8), 0.0, {})])
    held.close("")
    assert store.read(str(file)).searched == 1


@pytest.mark.thorough
def test_the_end_of_the_log_is_lost(file: Path) -> None:
    """As when power fails: what was written last may be gone, what remains is whole."""
    process = command.start("solvers.run", *WORDS, str(file), "--jobs", "1")
    log = wait_for_log(file, BEGUN)
    process.kill()
    process.communicate()
    data = log.read_bytes()
    for share in (0.95, 0.4):
        copy = file.with_name(f"{share}.db")
        shutil.copy(file, copy)
        Path(f"{copy}-wal").write_bytes(data[: int(len(data) * share)])
        goes_on(copy)


def children(pid: int) -> list[int]:
    listed = subprocess.run(["pgrep", "-f", "-P", str(pid), "spawn_main"], capture_output=True, check=False)
    return [int(child) for child in listed.stdout.split()]


def killed(pid: int, signal_number: int = signal.SIGKILL) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal_number)


@pytest.mark.thorough
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_killed_and_run_again(number: int, file: Path) -> None:
    process = command.start("solvers.run", *WORDS, str(file), "--jobs", "2")
    wait_for_log(file, BEGUN)
    workers_then = children(process.pid)
    killed(process.pid, number)
    out, err = process.communicate(timeout=60)
    if number == signal.SIGKILL:
        assert out == ""
    else:
        assert (process.returncode, json.loads(out)["complete"], err.count("\n")) == (128 + number, False, 1), err
    wait_for(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers_then))
    goes_on(file)


@pytest.mark.thorough
def test_workers_that_die_are_replaced(file: Path) -> None:
    process = command.start("solvers.run", *WORDS, str(file), "--jobs", "3")
    for dying in (1, 2):
        wait_for(lambda: len(children(process.pid)) == 2)
        for worker in children(process.pid)[:dying]:
            killed(worker)
    out, err = process.communicate(timeout=300)
    assert (process.returncode, err) == (0, "")
    facts = [json.loads(out)[name] for name in ("complete", "solutions", "total", "repeats")]
    assert facts == [True, *KNOWN["5x6"], 0]


def deadly(job: Job, cubes: Sequence[Cube], patience: Patience, stop: Any) -> list[CubeResult]:
    """Kills its process at one of the cubes."""
    if any(str(cube.literals) == os.environ["DEADLY_CUBE"] for cube in cubes):
        os.kill(os.getpid(), signal.SIGKILL)
    return conquer(job, cubes, patience, stop)


@pytest.mark.thorough
def test_a_cube_that_kills_its_workers_is_named(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupted(file, 5, backend="sat", jobs=1)
    ((text,),) = sql(file, "SELECT literals FROM cube WHERE state = 'open' LIMIT 1 OFFSET 20")
    literals = json.loads(text)
    with monkeypatch.context() as changes:
        changes.setenv("DEADLY_CUBE", str(tuple(literals)))
        changes.setattr(workers, "conquer", deadly)
        changes.setattr(workers.Workers, "_is_worth_sharing", lambda _: True)
        changes.setattr(workers.Workers, "_may_send_here", False)  # or this process would search it, too
        _, report = solved(backend="sat", jobs=2, store=str(file))
    named = f"the death of 3 workers, one after another, on the cube {' '.join(map(str, literals))}"
    assert (report.complete, report.stopped_by) == (False, named)
    found, _ = complete(pentomino, BOARD, backend="sat", store=str(file))
    assert len(found) == 50


@pytest.mark.thorough
def test_only_the_first_is_guilty() -> None:
    processes = Processes(1)
    assert processes.submit(abs, -1).result() == 1
    calls = ((time.sleep, 0.2), (os._exit, 1), (time.sleep, 9))  # all are handed over before the first is done
    innocent, guilty, other = (processes.submit(*call) for call in calls)
    assert innocent.result() is None
    for future in (guilty, other):
        refused("^", future.result, raises=BrokenExecutor)
        assert processes.is_guilty(future) == (future is guilty)
    assert processes.submit(abs, -3).result() == 3
    processes.shutdown()


def on_covers(file: Path, limit: Callable[[], None]) -> "subprocess.CompletedProcess[str]":
    """The run that ``WORDS`` begin, under a limit, without a solver in C++: that would end the process itself."""
    words = ["cover" if word == "sat" else word for word in WORDS]
    solve(pentomino("4x5", subset=True), backend="cover", jobs=1)  # compiles: LLVM dies of such a limit
    return command.run_apart("solvers.run", *words, str(file), preexec_fn=limit)


@pytest.mark.thorough
def test_a_full_disk(file: Path) -> None:
    """Files may not grow beyond so many bytes."""
    done = on_covers(file, small_files(150_000))
    assert (done.returncode, json.loads(done.stdout)["complete"], done.stderr.count("\n")) == (3, False, 1)
    assert f"cannot write {file}" in done.stderr
    assert goes_on(file).resumed


@pytest.mark.thorough
def test_a_disk_that_is_full_from_the_start_leaves_no_store(file: Path) -> None:
    done = on_covers(file, small_files(2_000))
    assert (done.returncode, done.stderr.count("\n")) == (3, 1), done.stderr
    assert f"cannot write {file}" in done.stderr
    assert list(file.parent.glob(f"{file.name}*")) == []


def test_a_store_without_its_sessions_is_damaged(file: Path) -> None:
    assert goes_on(file).complete
    with sqlite3.connect(file) as store:
        store.execute("DELETE FROM session")
    store.close()
    with pytest.raises(InputError, match="is damaged"):
        goes_on(file)


@pytest.mark.thorough
def test_who_searched_is_named_where_all_is_resumed(file: Path) -> None:
    """The store was made by another backend than the one that is asked for now, which searches nothing."""
    puzzle = pentomino("4x5", subset=True)
    first = solve(puzzle, backend="cover", store=file, jobs=1)
    again = solve(puzzle, backend="sat", store=file, jobs=1)
    assert again.report.backend == first.report.backend == "cover"
    assert again.report.resumed == {"cover": again.report.cubes}
    assert again.report.searched_by == first.report.searched_by


@pytest.mark.thorough
@pytest.mark.parametrize("most", [700_000_000])
def test_a_lack_of_memory(most: int, file: Path) -> None:
    done = on_covers(file, partial(resource.setrlimit, resource.RLIMIT_AS, (most, most)))
    assert done.returncode in (0, 2, 3), done.stderr
    assert done.stderr.count("\n") == (done.returncode != 0)
    if done.returncode != 2:
        report = json.loads(done.stdout)
        assert report["complete"] == (report["solutions"] == 541)
    goes_on(file)


def test_no_thread_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where memory is short; what searches covers runs in threads."""
    refuse = Mock(side_effect=RuntimeError("can't start new thread"))
    monkeypatch.setattr("concurrent.futures.ThreadPoolExecutor.submit", refuse)
    with override_tuning(plain_nodes=0):
        _, report = solved(backend="cover", jobs=2)
    assert (report.complete, report.stopped_by) == (False, "a lack of memory")


def struck(process: "subprocess.Popen[str]", chance: random.Random) -> str:
    """The command, one worker or all are stopped for a while, as where a machine is suspended, or killed; what was."""
    workers, whom = children(process.pid), chance.choice(["command", "worker", "workers"])
    victims = workers[: 1 if whom == "worker" else None] if whom != "command" else []
    number, seconds = signal.SIGKILL, chance.choice([0, 0, 1]) * chance.uniform(0.05, 2.5)
    if not victims:
        number, victims = chance.choice([signal.SIGKILL, signal.SIGINT, signal.SIGTERM]), [process.pid]
        wait_for(lambda: heeds_signals(process.pid) or process.poll() is not None)
    for victim, sent in product(victims, (signal.SIGSTOP, signal.SIGCONT, number)):
        killed(victim, sent)
        time.sleep(seconds if sent == signal.SIGSTOP else 0)
    return f"{whom} {victims}: {number.name} after a stop of {seconds:.1f} s"


@pytest.mark.slow
def test_soak(tmp_path: Path) -> None:
    """A hundred kills at random moments, of the command or of workers, on changing backends, some after a pause."""
    seed = random.randrange(2**32)
    print("seed", seed)
    chance, kills = random.Random(seed), 0
    while kills < 100:
        file, code = tmp_path / f"{kills}.db", -1
        while code:
            backend = chance.choice(["sat", "cp-sat", "cover", "cover", "sat:minisat22"])
            words = ("pentomino", "--board", "5x7", "--subset", "--backend", backend, "--store", str(file), "--json")
            process = command.start("solvers.run", *words)
            time.sleep(chance.uniform(0.3, 2))
            befell = struck(process, chance) if process.poll() is None else ""
            kills += bool(befell)
            out, err = process.communicate(timeout=300)
            code = process.returncode
            told = f"{process.args!r}, {befell}, exit code {code}\n{out}\n{err}"
            print(kills, told, flush=True)
            assert code in (0, 3, 130, 143) or code < 0, told
            # Of a command that was killed Python itself counts the semaphores.
            said = [line for line in err.splitlines() if "resource_tracker" not in line]
            assert len(said) == (code > 0), told
            if out:
                report = json.loads(out)
                assert report["complete"] or code, told  # what comes late may find it complete
                assert report["solutions"] == 1396 if report["complete"] else report["solutions"] <= 1396, told
        goes_on(file, "5x7")


@pytest.mark.slow
def test_memory_stays_flat(file: Path) -> None:
    words = "pentomino", "--board", "8x8", "--square", "--symmetry", "none", "--backend", "cover", "--json"
    process = command.start("solvers.run", *words, "--store", str(file))
    memory = []
    while process.poll() is None:
        with suppress(OSError):
            status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
            memory += [int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")]
        time.sleep(0.1)
    assert json.loads(process.communicate()[0])["total"] == 129168
    assert len(memory) > 40
    half = len(memory) // 2
    assert max(memory[half:]) < min(600_000, 1.1 * max(memory[:half])), "what a half takes, the other takes again"
