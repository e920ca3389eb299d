"""Attacks model after model, in processes that are replaced where one dies, and tells what failed."""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import re
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from queue import Queue
from random import Random
from typing import Any
from unittest.mock import patch

from ortools.sat.python.cp_model import CpModel

from tests.attack.cases import Case
from tests.attack.modes import Session, Way, attempt, random_way
from tests.attack.rows import MODES, random_case
from tests.support.bliss import InThisProcess

PATIENCE = 300.0
"""Seconds after which a process that has said nothing is ended."""

LIFE = 2000
"""Models after which a process is replaced: solvers keep up to a megabyte of memory for each."""

MOST_STEPS, MOST_SECONDS = 150, 100
"""Simpler cases that are tried to make a failure shorter, and for how long."""


@dataclass
class Tally:
    """What came of the attack."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How often something of a sort (models, runs, modes, backends, refused) was met."""

    failures: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Programs, by what they show."""

    def add(self, other: Tally) -> None:
        self.counts.update(other.counts)
        for message, programs in other.failures.items():
            self.failures[message] += programs

    def __str__(self) -> str:
        sorts: dict[str, list[str]] = defaultdict(list)
        for (sort, name), count in self.counts.most_common():
            sorts[sort].append(f"{count} {name}")
        lines = [f"{sort:9} {', '.join(told)}" for sort, told in sorts.items()]
        for message, programs in self.failures.items():
            lines += ["", f"failed {len(programs)} times: {message}", "", min(programs, key=len)]
        return "\n".join(lines)


RUNS = 3
"""Ways in which a model is run."""


def attack_model(seed: int, number: int, runs: int = RUNS, modes: Sequence[str] = ()) -> Tally:
    """Draw one model and run it in so many ways, each in one of the modes of these names, or of all."""
    tally, chance = Tally(), Random(f"{seed}/{number}")
    case = random_case(chance)
    tally.counts["models", case.kind] += 1
    weights = {mode: weight for mode, weight in MODES.items() if not modes or mode.__name__ in modes}
    for _ in range(runs):
        way = random_way(case, chance)
        mode = chance.choices(list(weights), list(weights.values()))[0]
        run_seed = chance.getrandbits(32)
        ending, why, program = attempt(case, mode, way, run_seed)
        tally.counts.update([("runs", ending), ("modes", mode.__name__), ("backends", way["backend"])])
        if ending == "refused":
            tally.counts["refused", _kind(why)] += 1
        elif ending == "failed":
            kind = _kind(why)
            shorter = "" if kind in _known else _shortened(case, mode, way, run_seed, why)
            _known.add(kind)
            tally.failures[kind].append(f"# model {number} of seed {seed}\n{shorter or program}")
    return tally


_known = set[str]()
"""Kinds of failures that were made shorter before, in this process: one of a kind is enough."""


def _kind(message: str) -> str:
    """A message without what differs from model to model."""
    return re.sub(r"[{\[(].*[}\])]", "{...}", re.sub(r"/tmp/\S+|-?\d+", "N", message))[:150]


def _shortened(case: Case, mode: Callable[[Session, Way], None], way: Way, seed: int, why: str) -> str:
    """The program of a simpler case that fails in the same mode; empty if there is none."""
    program, left, progress = "", MOST_STEPS, True
    began = time.monotonic()
    while progress:
        progress = False
        for simpler in case.simpler():
            left -= 1
            if left < 0 or time.monotonic() - began > MOST_SECONDS:
                return program
            ending, reason, text = attempt(simpler, mode, way, seed)
            if ending == "failed" and _kind(reason).split(":")[:2] == _kind(why).split(":")[:2]:
                case, program, progress = simpler, text, True
                break
    return program


@contextmanager
def symmetries_in_this_process() -> Iterator[None]:
    """To start a process for each search for symmetries would take longer than all else.

    So do the older names of methods with which OR-Tools furnishes each model.
    """
    with (
        patch("solvers.symmetry.automorphisms.Bliss", InThisProcess),
        patch.object(CpModel, "_add_pre_pep8_methods", lambda model: None),
    ):
        yield


def attack(seed: int, first: int, models: int, jobs: int, *ways: Any) -> Iterator[Tally]:
    """Attack so many models, from a number on, in so many processes, and tell of one after another.

    ways: how many runs, and in which modes, as for `attack_model`.
    """
    if not jobs:
        with symmetries_in_this_process():
            yield from (attack_model(seed, number, *ways) for number in range(first, first + models))
        return
    parts, stop = Queue[Tally](), threading.Event()
    for job in range(jobs):
        numbers = range(first + job, first + models, jobs)
        threading.Thread(target=_attack_all, args=(seed, numbers, ways, parts, stop), daemon=True).start()
    try:
        for _ in range(models):
            yield parts.get(timeout=2 * PATIENCE)
    finally:
        stop.set()
        for process in multiprocessing.active_children():
            process.kill()


def _attack_all(seed: int, numbers: range, ways: Sequence[Any], parts: Queue[Tally], stop: threading.Event) -> None:
    """Attack models one after another in a process, which is replaced where it dies or says nothing any more."""
    context = multiprocessing.get_context("spawn")
    while numbers and not stop.is_set():
        here, there = context.Pipe(duplex=False)
        process = context.Process(target=_work, args=(seed, numbers, there, ways))
        process.start()
        there.close()
        for number in numbers[:LIFE]:
            numbers = numbers[1:]
            try:
                if not here.poll(PATIENCE):
                    process.kill()
                parts.put(here.recv())
            except (EOFError, OSError):
                process.join()
                message = f"the process died (exit code {process.exitcode}) or took more than {PATIENCE} s"
                program = f"python -m tests.attack --models 1 --seed {seed} --first {number} --jobs 0"
                parts.put(Tally(Counter({("runs", "failed"): 1}), {message: [program]}))
                break


def _end_with_parent() -> None:
    """Lest a process go on for nobody once the one that started it was killed."""
    parent = multiprocessing.parent_process()
    assert parent
    parent.join()
    os._exit(1)


def _work(seed: int, numbers: range, connection: Connection, ways: Sequence[Any]) -> None:
    faulthandler.enable()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with symmetries_in_this_process():
        for number in numbers[:LIFE]:
            connection.send(attack_model(seed, number, *ways))
    connection.close()
