"""The ways in which a run is made, and what each of them has to say about a case.

Every mode runs lines of Python, which a failure shows as they are, and holds what came of them against the truth.
"""

from __future__ import annotations

import shutil
import sqlite3
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from threading import Timer
from typing import Any

from ortools.sat.python.cp_model import CpModel
from ortools.sat.python.cp_model_helper import SatParameters

from models.puzzle import Puzzle, Symmetry
from solvers.backends.sat import capabilities
from solvers.base.endings import Ending
from solvers.base.errors import CheckError, InputError, Stopped
from solvers.library import Result
from solvers.running.question import Question
from solvers.symmetry.groups import Permutation
from tests.attack import oracle
from tests.attack.cases import IMPORTS, MOST_LITERALS, Case
from tests.attack.oracle import Solution

SAT = [f"sat:{name}" for name, flaw in capabilities().items() if not flaw]
"""Every solver that is offered."""


NOTICED = "noticed"
"""A false symmetry was noticed."""

TOO_LONG = "too long"
"""A run came to no end, as wide arithmetic may on a weak solver."""


class Ended(Exception):
    """Nothing more is to be said of a run: how it ended."""


LONGEST = 10
"""Seconds that a run may take; after so many no other is begun in the same way."""


@dataclass
class Session:
    """The lines that are run on a case."""

    case: Case
    chance: Random
    done: list[str] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)
    imports: dict[str, Any] = field(default_factory=lambda: dict(IMPORTS))
    """What the lines may use."""

    def __post_init__(self) -> None:
        self.names = dict(self.case.names)

    def use(self, *objects: Any) -> None:
        """Let the lines use functions and classes by their names."""
        used = {one.__name__: one for one in objects}
        self.imports |= used
        self.names |= used

    def do(self, line: str) -> None:
        """Run the line; raises `Ended`, `InputError` and what goes wrong."""
        self.done.append(line)
        try:
            exec(line, self.names)
        except (CheckError, InputError) as error:
            if self.case.orbits is None:
                raise Ended(NOTICED) from error
            raise

    def do_in_time(self, *lines: str) -> None:
        """Run lines that heed the event ``stop``."""
        self.do("stop = Event()")
        timer = Timer(LONGEST, self.names["stop"].set)
        timer.start()
        try:
            for line in lines:
                self.do(line)
        except Stopped:
            raise Ended(TOO_LONG) from None
        finally:
            timer.cancel()

    def solve(self, call: str = "solve({})", **options: Any) -> Result:
        """What comes of a run of the puzzle."""
        if time.monotonic() - self.began > LONGEST:
            raise Ended(TOO_LONG)
        words = {"jobs": 1, "time_limit": LONGEST, **options}
        own = (f"{name}={value!r}" for name, value in words.items() if value is not None)
        self.do(f"result = {call.format(', '.join(['puzzle', *own]))}")
        result: Result = self.names["result"]
        if "time_limit" not in options and result.report.stopped_by == Ending.TIME_LIMIT.words:
            raise Ended(TOO_LONG)
        if "solver_parameters" in options and not result.complete:
            raise Ended(TOO_LONG)  # as what was set may have it end early
        return result

    def folder(self) -> Path:
        """A directory for these runs."""
        if "folder" not in self.names:
            self.do('folder = Path(mkdtemp(prefix="attack-"))')
        folder: Path = self.names["folder"]
        return folder

    def close(self) -> None:
        if "folder" in self.names:
            shutil.rmtree(self.names["folder"], ignore_errors=True)

    def program(self, message: str) -> str:
        """What was done, as a program of its own."""
        lines = [*self.case.lines, *self.done]
        text = "\n".join(lines)
        imports = [f"from {value.__module__} import {name}" for name, value in self.imports.items() if name in text]
        return "\n".join([*imports, *lines, f"# {message}"])


Way = dict[str, Any]


def random_way(case: Case, chance: Random) -> Way:
    """A backend and how it breaks symmetry."""
    kinds = {"cp-sat": 25, "cp": 15, "sat": 15, "sat:": 35, "cover": 2, "auto": 10}
    if case.kind in ("cover", "file"):
        kinds["cover"] = 40
    if case.kind == "scheduled":
        kinds["cp-sat"] = 500
    backend = chance.choices(list(kinds), list(kinds.values()))[0]
    is_small = case.literals <= MOST_LITERALS
    return {
        "backend": chance.choice(SAT) if backend == "sat:" else backend,
        "symmetry": chance.choice(["declared", "declared", *(["found"] if is_small else []), "none"]),
        "unbroken": chance.random() < 0.3,
        "cubes": chance.choice([None, None, 1, 4, 40]),
        "seed": chance.randint(0, 3),
        **({"solver_parameters": _parameter(chance)} if backend == "cp-sat" and chance.random() < 0.15 else {}),
    }


def _parameter(chance: Random) -> dict[str, str]:
    """One of CP-SAT's, with another value than it has."""
    parameters = SatParameters()
    name = chance.choice([name.removeprefix("clear_") for name in dir(parameters) if name.startswith("clear_")])
    value = getattr(parameters, name)
    if isinstance(value, bool):
        return {name: str(not value).lower()}
    if isinstance(value, int):
        return {name: str(chance.choice([0, 1, 2, value + 1]))}
    if isinstance(value, float):
        return {name: str(chance.choice([0.0, 0.5, 1.0, 2 * value]))}
    return {name: chance.choice([*getattr(type(value), "__members__", {}), "x"])}


def decoded(case: Case, solution: Mapping[Any, int]) -> Solution:
    """By label; where a Boolean is not named, it is 0."""
    values = {**dict.fromkeys(case.labels, 0), **dict(solution)}
    return frozenset(values.items())


def truth_of(case: Case, way: Way) -> frozenset[Solution]:
    """The best solutions; raises `Ended` where a false symmetry has counted, and nothing can be told."""
    if case.orbits is None and way.get("symmetry", "declared") == "declared":
        raise Ended("right")
    return oracle.best(case.costs)


def _orbits(result: Result, case: Case, truth: Collection[Solution], symmetry: str, given: bool = False) -> int | None:
    """How many orbits the solutions make under the symmetries that counted.

    None where a declared one is false: then it is not known.
    """
    if symmetry == "none":
        return len(truth)
    if symmetry == "declared" and not given:
        return case.orbits
    if symmetry == "declared" and case.orbits is None:
        return None
    question = result._question
    assert isinstance(question, Question)
    key = question.key

    def numbered(generator: Permutation) -> Symmetry:
        def moved(label: Any, value: int) -> tuple[Any, int]:
            position, turned = key.literal(int(generator[key.number(key.position[label], value)]))
            return key.labels[position], turned

        return moved

    own = {frozenset(literal for literal in one if literal[0] in key.labels) for one in truth}  # by one of equal labels
    count = oracle.orbits(own, list(map(numbered, question.group.generators)))
    assert count is not None, "a symmetry that was found or kept is none of the solutions"
    return count


def check_run(
    case: Case, result: Result, way: Way, truth: frozenset[Solution] | None = None, *, keeps: bool = True
) -> None:
    """A complete run, and the same solutions as the oracle.

    truth: what is asked for, if it is held to something given.
    keeps: whether solutions are listed.
    """
    report, is_given = result.report, truth is not None
    truth = oracle.best(case.costs) if truth is None else truth
    assert report.complete, f"ended by {report.stopped_by}"
    if case.orbits is None and way.get("symmetry", "declared") == "declared":
        _check_false_symmetry(result, truth)
        return
    assert result.total == len(truth), f"{result.total} in all, the truth is {len(truth)}"
    assert not report.repeats, f"{report.repeats} repeats"
    count = _orbits(result, case, truth, way.get("symmetry", "declared"), is_given)
    if way.get("symmetry") == "found" and not is_given and case.fewest:
        assert result.solutions <= case.fewest, f"{result.solutions} up to symmetry, by brute force {case.fewest}"
    assert count in (None, result.solutions), f"{result.solutions} up to symmetry, the truth is {count}"
    if case.sign and truth and case.knows_all:
        best = case.sign * next(cost for solution, cost in case.costs.items() if solution in truth)
        assert report.objective == best, f"the best value {report.objective}, the truth is {best}"
    if keeps:
        found = [decoded(case, solution) for solution in result.in_all()]
        assert len(found) == len(truth), f"lists {len(found)} solutions, the truth is {len(truth)}"
        assert truth.issuperset(found), f"lists {len(found)} solutions, {len(set(found) - truth)} of which are none"
        if not is_given:
            in_order = [decoded(case, solution) for solution in result]
            earlier = case.lists.setdefault(way.get("symmetry", "declared"), in_order)
            assert in_order == earlier, "another list, or in another order, than an earlier run"


def _check_false_symmetry(result: Result, truth: frozenset[Solution]) -> None:
    """A false symmetry was not noticed: then the report has to say that it was not proved, or the count is right."""
    is_told = getattr(result.report, "symmetry_proved", None) is False
    assert is_told or result.total == len(truth), (
        f"false symmetry: {result.total} in all, complete; the truth is {len(truth)}"
    )


def base(session: Session, way: Way) -> None:
    is_iterated = session.chance.random() < 0.05
    result = session.solve("iter_solutions({}).result()" if is_iterated else "solve({})", **way)
    check_run(session.case, result, way)


def bare(session: Session, way: Way) -> None:
    """A backend, without a run around it."""
    case, name = session.case, way["backend"].replace("auto", "cp-sat")
    if not isinstance(case.puzzle, Puzzle) or not isinstance(case.puzzle.model, CpModel):
        return
    session.do_in_time(
        "task = Task(puzzle.model, [variable.index for variable in puzzle.key.values()], stop)",
        f"backend = make_backend({name!r}, task)",
        "_ = backend.optimum()" if case.sign else "",
        "found = []",
        "backend.enumerate(lambda values: found.append([int(values[v.index]) for v in puzzle.key.values()]))",
    )
    found = [frozenset(zip(case.labels, values, strict=True)) for values in session.names["found"]]
    truth = oracle.best(case.costs)
    assert set(found) == truth, f"{len(set(found))} in {len(found)} visits, the truth is {len(truth)}"
    assert len(found) == len(truth), f"{len(found)} visits, the truth is {len(truth)}"


def executor(session: Session, way: Way) -> None:
    """Two workers: threads, or once in a while processes."""
    session.solve(**way)  # what takes too long is given up here, as threads of an executor cannot be stopped
    way = {**way, "cubes": session.chance.choice([4, 40])}
    if session.chance.random() < 0.02:
        result = session.solve(**way, jobs=2)
    else:
        session.do("executor = ThreadPoolExecutor(2)")
        try:
            result = session.solve("solve({}, executor=executor)", **way, jobs=2)
        finally:
            session.names["executor"].shutdown()
    check_run(session.case, result, way)


def store(session: Session, way: Way) -> None:
    """Stopped by a limit or by the time, gone on with, perhaps on another backend, and read when all is done."""
    path = str(session.folder() / "run")
    count_only = session.chance.random() < 0.3
    others = ["cp-sat"] if session.case.kind == "scheduled" else [way["backend"], "cp-sat", session.chance.choice(SAT)]
    for _ in range(session.chance.randint(1, 2)):
        stopping: Way = {"limit": session.chance.randint(1, 3)} if session.chance.random() < 0.6 else {}
        stopping = stopping or {"time_limit": session.chance.choice([0.001, 0.01, 0.03])}
        part = session.solve(**way, **stopping, store=path)
        _check_part(session.case, part, way, None if "time_limit" in stopping else stopping["limit"])
        if way["backend"] != "cover":
            way = {**way, "backend": session.chance.choice(others)}
    for _ in range(session.chance.randint(1, 2)):
        result = session.solve(**way, store=path, count_only=count_only or None)
        is_counted = result.report.method != "listing"
        check_run(session.case, result, way, keeps=not (count_only or is_counted))


def damaged(session: Session, way: Way) -> None:
    """One byte of a store is changed: it is noticed, or makes no difference."""
    if session.case.orbits is None:
        return
    chance, path = session.chance, str(session.folder() / "run")
    session.solve(**way, limit=1, store=path)
    with closing(sqlite3.connect(path)) as file:
        if chance.random() < 0.3:  # as where the run was killed before the first cube
            file.execute("DELETE FROM cube")
        tables = [name for (name,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = [
            (table, row, column, value)
            for table in chance.sample(tables, len(tables))
            for row, *values in file.execute(f"SELECT rowid, * FROM {table}")
            for (_, column, *_), value in zip(file.execute(f"PRAGMA table_info({table})"), values, strict=True)
            if isinstance(value, str | bytes) and value
        ]
        table = chance.choice(sorted({table for table, *_ in rows}))
        table, row, column, value = chance.choice([one for one in rows if one[0] == table])
        raw = bytearray(value.encode() if isinstance(value, str) else value)
        raw[chance.randrange(len(raw))] ^= 1 << chance.randrange(8)
        kind = "TEXT" if isinstance(value, str) else "BLOB"
        file.execute(f"UPDATE {table} SET {column} = CAST(? AS {kind}) WHERE rowid = ?", (bytes(raw), row))
        file.commit()
    session.done.append(f"# of {table} {column} is changed from {value!r} to {bytes(raw)!r}")
    try:
        result = session.solve(**way, store=path)
    except InputError:
        return
    check_run(session.case, result, way, keeps=result.report.method == "listing")


def _check_part(case: Case, part: Result, way: Way, limit: int | None) -> None:
    """What a run says that was ended early, perhaps."""
    if part.report.complete:
        check_run(case, part, way)
        return
    truth = truth_of(case, way)
    found = [decoded(case, solution) for solution in part.in_all()]
    assert truth.issuperset(found), f"ended by {part.report.stopped_by}, lists {len(set(found) - truth)} that are none"
    assert len(set(found)) == len(found), f"ended by {part.report.stopped_by}, lists one twice"
    assert part.total <= len(truth), f"at least {part.total} in all, the truth is {len(truth)}"
    if limit is not None:
        reached = part.total if way["unbroken"] else part.solutions
        assert (part.report.stopped_by, reached) == ("the limit", limit), (
            f"ended by {part.report.stopped_by} at {reached} instead of {limit}"
        )


def limit(session: Session, way: Way) -> None:
    most = session.chance.choice([1, 2, 3, max(1, len(session.case.costs))])
    _check_part(session.case, session.solve(**way, limit=most), way, most)


def time_limit(session: Session, way: Way) -> None:
    _check_part(session.case, session.solve(**way, time_limit=session.chance.choice([0.001, 0.01, 0.03])), way, None)


def unique(session: Session, way: Way) -> None:
    way = {**way, "unbroken": False}
    result = session.solve(**way, unique=True)
    count = _orbits(result, session.case, truth_of(session.case, way), way["symmetry"])
    assert result.report.unique is (count == 1), f"unique: {result.report.unique}, the truth is {count} up to symmetry"


def count_only(session: Session, way: Way) -> None:
    check_run(session.case, session.solve(**way, count_only=True), way, keeps=False)


def sample(session: Session, way: Way) -> None:
    counts = session.chance.random() < 0.5
    result = session.solve(**way, sample=3, count_only=counts or None)
    check_run(session.case, result, way, keeps=not counts)
    truth = truth_of(session.case, way)
    assert len(result.samples) == (3 if truth else 0), f"{len(result.samples)} samples of 3"
    assert truth.issuperset(decoded(session.case, one) for one in result.samples), "a sample is not a solution"


def draw_givens(session: Session) -> tuple[list[Any], frozenset[Solution]]:
    """Literals, values that are excluded and what lies on cells, as people write them; and the solutions that are left.

    Of a cell all is told: nothing else lies there.
    """
    case, chance = session.case, session.chance
    booleans = case.booleans or case.labels
    given, costs = list[Any](), dict(case.costs)
    literals = sorted({literal for solution in costs for literal in solution}, key=str)
    named = set[Any]()
    for label, value in chance.sample(literals, min(len(literals), chance.choice([1, 1, 2, 3]))):
        draw = chance.random()
        if draw < 0.4 and label not in named:
            given.append(chance.choice([f"{label}={value}", (label, value)]))
            named.add(label)
            costs = {one: cost for one, cost in costs.items() if (label, value) in one}
        elif draw < 0.6 or not case.has_cells or (label in booleans and not value):
            given.append(f"{label} != {value}")
            costs = {one: cost for one, cost in costs.items() if (label, value) not in one}
        else:
            cell, equals = session.names["cells"][label], chance.random() < 0.5
            given.append(f"row 1 column {cell[1] + 1} {'=' if equals else '!='} n{value}")
            costs = {
                one: cost
                for one, cost in costs.items()
                if (_on_cell(session, one, cell) == {value} if equals else value not in _on_cell(session, one, cell))
            }
    return given, oracle.best(costs)


def _on_cell(session: Session, solution: Solution, cell: tuple[int, int]) -> set[int]:
    """What lies there: the values of its variables, of a Boolean only that it is 1."""
    return {value for label, value in session.case.facts(solution) if session.names["cells"][label] == cell}


def given(session: Session, way: Way) -> None:
    case = session.case
    if not case.costs or not case.knows_all:
        return
    held, truth = draw_givens(session)
    counts = session.chance.random() < 0.3
    result = session.solve(**way, given=held, count_only=counts or None)
    if case.orbits is None and way["symmetry"] == "declared":
        if result.report.complete and result.report.symmetries and result.report.symmetries > 1:
            _check_false_symmetry(result, truth)
        return
    check_run(case, result, way, truth, keeps=not counts)


MODES: Mapping[Callable[[Session, Way], None], int] = {
    base: 35,
    bare: 10,
    executor: 8,
    store: 8,
    limit: 6,
    time_limit: 2,
    unique: 6,
    count_only: 7,
    sample: 5,
    given: 8,
    damaged: 4,
}
"""How often each is chosen."""


def attempt(case: Case, mode: Callable[[Session, Way], None], way: Way, seed: int) -> tuple[str, str, str]:
    """How a run ended (right, noticed, refused, too long, failed), why, and where it failed a program that shows it."""
    session = Session(case, Random(seed))
    try:
        mode(session, way)
        return "right", "", ""
    except Ended as end:
        return str(end), "", ""
    except InputError as reason:
        return "refused", " ".join(str(reason).split()), ""
    except Exception as error:
        told = str(error) if isinstance(error, AssertionError) and str(error) else f"{type(error).__name__}: {error}"
        text = " ".join(told.split())
        return "failed", f"{mode.__name__}: {text}", session.program(text)
    finally:
        session.close()
