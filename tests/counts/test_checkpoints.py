"""Counts by layers that remember: killed at any moment they go on, and no count is wrong."""

import itertools
import json
import random
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from models.pentomino import pentomino
from solvers.base.endings import Ending
from solvers.base.options import Options
from solvers.base.tuning import override_tuning
from solvers.cubes.store import read
from solvers.extras.counts.counting import layout
from solvers.extras.counts.counting.checkpoints import Checkpoints
from solvers.extras.counts.counting.item_order import item_order
from solvers.extras.shared.tuning import EXTRAS_TUNING
from solvers.running.runner import Run
from solvers.show.report import Report
from tests.support import command
from tests.support.command import wait_for_log
from tests.support.covers import SQUARES, domino
from tests.support.refusals import refused

LARGER = ("pentomino", "--board", "6x10", "--backend", "cover", "--count-only", "--json", "--store")
EAGER = """
import sys
from solvers import run
from solvers.extras.shared.tuning import EXTRAS_TUNING
from solvers.terminal.command import command
EXTRAS_TUNING.min_seconds_between_checkpoints = EXTRAS_TUNING.min_counting_per_writing = 0
sys.exit(command(run.main))
"""
"""The command, writing at the end of each layer."""


@pytest.fixture
def eager() -> Iterator[None]:
    """Write at the end of each layer."""
    with override_tuning(EXTRAS_TUNING, min_seconds_between_checkpoints=0, min_counting_per_writing=0):
        yield


def counted(
    file: Path | str | None,
    declare: Any = pentomino,
    arguments: Mapping[str, Any] | None = None,
    after: int | None = None,
    **options: Any,
) -> Run:
    """A run, which is stopped when so many more layers are done."""
    run = Run(
        "test",
        {"board": "5x5", "subset": True} if arguments is None else arguments,
        declare,
        Options(backend="cover", method="frontier", count_only=True, store=str(file) if file else None, **options),
    )
    write_if_due, done = Checkpoints.write_if_due, itertools.count(1)

    def stopping(self: Checkpoints) -> None:
        write_if_due(self)
        if next(done) == after:
            run.stop(Ending.CLOSED)

    with patch.object(Checkpoints, "write_if_due", stopping):
        list(run)
        run.thread.join()
    assert run.report.method == "frontier"
    return run


def said(report: Report) -> tuple[object, ...]:
    return report.complete, report.solutions, report.total, report.statistics


@pytest.mark.thorough
@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize(("width", "length"), [(6, 6)])
def test_goes_on_from_layer_to_layer(width: int, length: int, file: Path) -> None:
    declare, layers = partial(domino, width, length), width * length
    whole = counted(None, declare, {}).report
    done, chance = 0, random.Random(length)
    while True:
        more = chance.randint(1, layers // 3)
        report = counted(file, declare, {}, after=more, jobs=chance.choice([1, 2, 3])).report
        assert report.resumed == ({"cover": done} if done else {})
        if report.complete:
            break
        done += more
        told: Any = read(str(file)).progress
        assert (told.layer, told.layers) == (done, layers)
    assert said(report) == said(whole)
    assert report.total == SQUARES[6] if width == length else report.total > 2**64
    assert counted(file, declare, {}).report.resumed == {"cover": layers}


@pytest.mark.thorough
def test_what_is_done_soon_is_written_once(file: Path) -> None:
    counted(file.with_name("before.db"))  # lest something is left to compile
    with patch.object(Checkpoints, "_write", autospec=True, side_effect=Checkpoints._write) as write:
        assert counted(file).report.total == 856
    assert write.call_count == 1
    assert file.stat().st_size < 100_000


@pytest.mark.thorough
@pytest.mark.usefixtures("eager")
def test_the_store_of_another_run(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listing = file.with_name("listing.db")
    counted(file, after=10)
    list(Run("test", {"board": "5x5", "subset": True}, pentomino, Options("cover", store=str(listing))))
    before = file.read_bytes(), listing.read_bytes()
    refused("which differs in its parameters", counted, file, arguments={"board": "5x4", "subset": True})
    refused("which differs in its search", counted, listing)
    listed = Run("test", {"board": "5x5", "subset": True}, pentomino, Options("cover", store=str(file)))
    refused("which differs in its search", list, listed)
    monkeypatch.setattr(layout, "item_order", lambda incidence: (item_order(incidence)[0][::-1], 0))
    refused("which differs in its order of items; choose another file", counted, file)
    assert (file.read_bytes(), listing.read_bytes()) == before


def flipped(rows: bytes) -> bytes:
    """One bit of the last number of ways."""
    return rows[:-8] + bytes([rows[-8] ^ 1]) + rows[-7:]


DAMAGES = [
    "UPDATE layer SET rows = flipped(rows) WHERE rowid = (SELECT min(rowid) FROM layer)",
    "DELETE FROM layer WHERE number = (SELECT max(number) FROM layer)",
    "DELETE FROM progress",
    "UPDATE progress SET facts = replace(facts, '\"layer\": 20', '\"layer\": 21')",
    "UPDATE layer SET number = number + 1",
]


@pytest.mark.thorough
@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_store_is_left_as_it_is(damage: str, file: Path) -> None:
    counted(file, after=20)
    with closing(sqlite3.connect(file)) as opened, opened:
        opened.create_function("flipped", 1, flipped)
        opened.execute(damage)
    before = file.read_bytes()
    for use in (counted, read):
        refused("is damaged", use, str(file))
    assert file.read_bytes() == before


def started(words: Sequence[str], file: Path, **options: Any) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", EAGER, *words, str(file)],
        cwd=command.HERE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def ended(process: "subprocess.Popen[str]") -> tuple[int, dict[str, Any], str]:
    out, err = process.communicate(timeout=120)
    return process.returncode, json.loads(out) if out else {}, err


@pytest.mark.thorough
@pytest.mark.parametrize("number", [signal.SIGKILL])
def test_killed_and_run_again(number: int, file: Path) -> None:
    process = started(LARGER, file)
    wait_for_log(file, 2_000_000)
    process.send_signal(number)
    code, report, err = ended(process)
    expected = (-number, 0) if number == signal.SIGKILL else (128 + number, 1)
    assert (code, err.count("\n")) == expected
    assert not report.get("complete")
    told = command.run("solvers.run", "store", str(file)).stdout
    assert (found := re.search(r"counted +(\d+) of 72 layers, \d+ states", told))
    assert 0 < int(found[1]) < 72
    code, report, err = ended(command.start("solvers.run", *LARGER, str(file)))
    assert (code, err, report["resumed"]) == (0, "", {"cover": int(found[1])})
    assert (report["complete"], report["solutions"], report["total"]) == (True, 2339, 9356)
    assert report["statistics"]["states"] == counted(None, arguments={"board": "6x10"}).report.statistics["states"]
    assert file.stat().st_size < 100_000


@pytest.mark.slow
def test_soak(tmp_path: Path) -> None:
    """Killed at random moments, again and again."""
    print("seed", seed := random.randrange(2**32))
    chance = random.Random(seed)
    for number in range(20):
        file = tmp_path / f"{number}.db"
        asked = ["--marginals", str(tmp_path / "m.csv")] if number % 2 else []
        report: dict[str, Any] = {}
        while not report:
            process = started([*LARGER[:-1], *asked, "--jobs", chance.choice("12"), "--store"], file)
            try:
                process.wait(chance.uniform(1, 6))
            except subprocess.TimeoutExpired:
                process.kill()
            code, report, _ = ended(process)
            assert code in (0, -signal.SIGKILL)
        assert (report["complete"], report["solutions"], report["total"]) == (True, 2339, 9356)
