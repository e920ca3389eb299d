"""The ways in which a run is made, and what each of them has to say about a case.

Every mode runs lines of Python, which a failure shows as they are, and holds what came of them against the truth.
"""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from random import Random
from threading import Timer
from typing import Any

from ortools.sat.python.cp_model import CpModel
from ortools.sat.python.cp_model_helper import SatParameters

from models.puzzle import Puzzle, Symmetry
from solvers.backends.sat import capabilities
from solvers.endings import Ending
from solvers.errors import CheckError, InputError, Stopped
from solvers.library import Result
from solvers.running.question import Question
from solvers.symmetry.groups import Permutation
from tests.attack import oracle
from tests.attack.cases import IMPORTS, MOST_LITERALS, Case, Facts
from tests.attack.oracle import Solution
from tests.support.certificates import certificate_of, read_by_map

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

    def __post_init__(self) -> None:
        self.names = dict(self.case.names)

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
        imports = [f"from {value.__module__} import {name}" for name, value in IMPORTS.items() if name in text]
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


def _decoded(case: Case, solution: Mapping[Any, int]) -> Solution:
    """By label; where a Boolean is not named, it is 0."""
    values = {**dict.fromkeys(case.labels, 0), **dict(solution)}
    return frozenset(values.items())


def _truth(case: Case, way: Way) -> frozenset[Solution]:
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


def _check(
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
        found = [_decoded(case, solution) for solution in result.in_all()]
        assert len(found) == len(truth), f"lists {len(found)} solutions, the truth is {len(truth)}"
        assert truth.issuperset(found), f"lists {len(found)} solutions, {len(set(found) - truth)} of which are none"
        if not is_given:
            in_order = [_decoded(case, solution) for solution in result]
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
    _check(session.case, result, way)


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
    _check(session.case, result, way)


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
        _check(session.case, result, way, keeps=not (count_only or is_counted))


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
    _check(session.case, result, way, keeps=result.report.method == "listing")


def _check_part(case: Case, part: Result, way: Way, limit: int | None) -> None:
    """What a run says that was ended early, perhaps."""
    if part.report.complete:
        _check(case, part, way)
        return
    truth = _truth(case, way)
    found = [_decoded(case, solution) for solution in part.in_all()]
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
    count = _orbits(result, session.case, _truth(session.case, way), way["symmetry"])
    assert result.report.unique is (count == 1), f"unique: {result.report.unique}, the truth is {count} up to symmetry"


def count_only(session: Session, way: Way) -> None:
    _check(session.case, session.solve(**way, count_only=True), way, keeps=False)


def marginals(session: Session, way: Way) -> None:
    counts = session.chance.random() < 0.5
    result = session.solve(**way, marginals=True, count_only=counts or None)
    _check(session.case, result, way, keeps=not counts)
    truth = Counter(literal for solution in _truth(session.case, way) for literal in solution)
    assert result.marginals is not None
    for literal, count in result.marginals.items():
        assert count == truth[literal], f"{literal} is in {count} solutions, the truth is {truth[literal]}"
    assert all(result.marginals[literal] == count for literal, count in truth.items()), (
        "a literal is missing from the marginals"
    )


def sample(session: Session, way: Way) -> None:
    counts = session.chance.random() < 0.5
    result = session.solve(**way, sample=3, count_only=counts or None)
    _check(session.case, result, way, keeps=not counts)
    truth = _truth(session.case, way)
    assert len(result.samples) == (3 if truth else 0), f"{len(result.samples)} samples of 3"
    assert truth.issuperset(_decoded(session.case, one) for one in result.samples), "a sample is not a solution"


def _given(session: Session) -> tuple[list[Any], frozenset[Solution]]:
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
    held, truth = _given(session)
    counts = session.chance.random() < 0.3
    result = session.solve(**way, given=held, count_only=counts or None)
    if case.orbits is None and way["symmetry"] == "declared":
        if result.report.complete and result.report.symmetries and result.report.symmetries > 1:
            _check_false_symmetry(result, truth)
        return
    _check(case, result, way, truth, keeps=not counts)


def question(session: Session, _: Way) -> None:
    """What is asked of single solutions and facts, with something given."""
    case, chance = session.case, session.chance
    if case.booleans is None or case.literals > MOST_FACTS or not case.costs or case.orbits is None:
        return
    held, truth = _given(session) if chance.random() < 0.8 else ([], oracle.best(case.costs))
    asks = chance.choice(QUESTIONS)
    try:
        asks(session, f"given={held!r}, time_limit={LONGEST}", [case.facts(one) for one in truth])
    except TimeoutError:
        raise Ended(TOO_LONG) from None
    except InputError as reason:
        may_be_too_much = "takes searches by cp" in str(reason) or case.kind in ("scheduled", "symmetric", "circuit")
        if truth and not may_be_too_much:
            raise AssertionError(f"{asks.__name__} refuses what has a solution: {reason}") from reason


def _candidates(session: Session, options: str, facts: list[Facts]) -> None:
    session.do(f"answer = candidates(puzzle, {options})")
    answer = session.names["answer"]
    truth = Counter(f"{label}={value}" for one in facts for label, value in one)
    assert answer.total == len(facts), f"candidates: {answer.total} in all, the truth is {len(facts)}"
    for text, count in answer.items():
        assert count == truth.pop(text, 0), f"candidates: {count} solutions have {text}"
    are_given = all(repr(text.partition("=")[0]) in options for text in truth)
    assert are_given or {*truth.values()} <= {len(facts)}, f"candidates: {truth} are missing"


def _why(session: Session, options: str, facts: list[Facts]) -> None:
    literals = sorted({fact for one in map(session.case.facts, session.case.costs) for fact in one}, key=str)
    if not literals:
        return
    label, value = session.chance.choice(literals)
    session.do(f"answer = why(puzzle, '{label}={value}', {options})")
    without = [one for one in facts if (label, value) not in one]
    answer = session.names["answer"]
    assert (answer.reason is None) is bool(without), (
        f"why: {len(without)} of {len(facts)} solutions are without {label}={value}"
    )
    if answer.reason is None:
        shown = frozenset(map(tuple, answer.as_json()["without"]))
        assert shown in map(frozenset, without), "why: what it shows is not a solution without it"


def _steps(session: Session, options: str, facts: list[Facts]) -> None:
    asks = session.chance.choice(["explain", "grade"])
    session.do(f"answer = {asks}(puzzle, {options})")
    answer = session.names["answer"]
    steps = answer if asks == "explain" else answer.steps
    forced = frozenset.intersection(*facts) if facts else frozenset()
    told = {step.fact.text for step in steps}
    literals = (steps._asked.key.label_and_value(fact.literals[0]) for fact in steps.given if len(fact.literals) == 1)
    known = told | {f"{label}={value}" for label, value in literals}
    every = {f"{label}={value}" for label, value in forced}
    assert told <= every <= known, f"{asks}: {sorted(told)} follow, the truth is {sorted(every)}"
    is_right = len(facts) != 1 if steps.open_facts else not all(one - forced for one in facts)
    assert is_right, f"{asks}: {steps.open_facts} facts are open with {len(facts)} solutions"


def _repair(session: Session, options: str, facts: list[Facts]) -> None:
    kind = session.chance.choice(["givens", "forbidden"])
    if len(facts) > MOST_REPAIRED:
        raise Ended(TOO_LONG)
    symmetry = session.chance.choice(["declared", "found", "none"])
    session.do(f"answer = repair(puzzle, {kind!r}, symmetry={symmetry!r}, {options})")
    every = sorted(frozenset.union(*facts), key=str) if facts else []
    sizes = (
        size
        for size in range(len(every) + 1)
        for some in map(frozenset, combinations(every, size))
        if sum(some <= one if kind == "givens" else not some & one for one in facts) == 1
    )
    size, told = next(sizes, None), session.names["answer"].size
    assert told == size, f"repair: {told} {kind} leave one of {len(facts)}, the truth is {size}"


QUESTIONS = (_candidates, _candidates, _why, _why, _steps, _repair)

MOST_FACTS, MOST_REPAIRED = 60, 12
"""Facts that questions are asked about, and solutions that are repaired."""


def which(session: Session, way: Way) -> None:
    """An assignment is recognised, be it a solution or not."""
    case, chance = session.case, session.chance
    solutions = sorted(case.costs, key=lambda solution: sorted(map(str, solution)))
    if not solutions or not case.knows_all:
        return
    values = dict(chance.choice(solutions))
    if chance.random() < 0.5:  # mixed with another
        other = dict(chance.choice(solutions))
        values = {label: chance.choice([value, other[label]]) for label, value in values.items()}
    path = session.folder() / "drawn.json"
    written = json.dumps([[label, values[label]] for label in case.labels])
    session.do(f"_ = (folder / 'drawn.json').write_text({written!r})")
    result = session.solve(**way, which=str(path))
    is_solution = frozenset(values.items()) in _truth(case, way)
    verdict = (result.report.which or {}).get("solution")
    assert verdict is is_solution, f"which: {verdict}, the truth is {is_solution}"


def exported(session: Session, way: Way) -> None:
    """Written and read again, up to symmetry or not."""
    case = session.case
    endings = [".cnf", ".pbtxt", *([".dlx"] * 3 if case.kind == "cover" else [])]
    ending = ".pbtxt" if case.kind == "scheduled" else session.chance.choice(endings)
    path = str(session.folder() / f"exported{ending}")
    symmetry = "none" if way["unbroken"] else way["symmetry"]
    if isinstance(case.puzzle, str):
        session.do("puzzle = find(puzzle).load()()")
    session.do_in_time(f"write_model(puzzle, {path!r}, symmetry={symmetry!r}, given=(), stop=stop)")
    session.do(f"puzzle = {path!r}")
    result = session.solve(backend=way["backend"], cubes=way["cubes"])
    truth = oracle.best(case.costs)
    assert result.report.complete, f"ended by {result.report.stopped_by}"
    if case.orbits is None and symmetry == "declared":
        return
    expected = None
    if symmetry == "none":
        expected = len(truth)
    elif symmetry == "declared":
        expected = case.orbits
    assert expected in (None, result.total), f"{result.total} in the file, the truth is {expected}"
    if ending == ".pbtxt" and isinstance(case.puzzle, Puzzle) and all(isinstance(one, str) for one in case.labels):
        found = {_decoded(case, solution) for solution in result}
        assert found <= truth, f"{len(found - truth)} solutions of the file are none"


def certificate(session: Session, way: Way) -> None:
    """Made, checked, and read by its map, which names a variable of several labels by the first."""
    case = session.case
    if case.orbits is None or case.kind == "minizinc":
        return
    directory = session.folder() / "certificate"
    backend = way["backend"] if way["backend"] != "auto" else "sat"
    session.solve(backend=backend)  # what takes too long is given up here
    declares = "find(puzzle).load()()" if isinstance(case.puzzle, str) else "puzzle"
    session.do(f"run = certified(folder / 'certificate', lambda: {declares}, {backend!r})")
    session.do("verdict = check(folder / 'certificate')")
    truth = oracle.best(case.costs)
    verdict = session.names["verdict"]
    said = re.search(r"(\d+) solutions? up to symmetry.* (\d+) in all, and there are no others", verdict)
    counts = said and (int(said[1]), int(said[2]))
    assert counts == (case.orbits, len(truth)), (
        f"the certificate says {verdict!r}, the truth is {case.orbits} and {len(truth)} in all"
    )
    found = read_by_map(directory, case.labels)
    assert frozenset(found) == truth, f"the certificate's map makes {len(set(found) & truth)} of {len(truth)} solutions"
    assert len(found) == certificate_of(directory)["total"] == len(truth), f"the certificate's map makes {len(found)}"


def verified(session: Session, way: Way) -> None:
    """Counted again by the counter that is extracted from a proof; other models than exact covers are run as they are.

    Half of the covers get a rule more: bounds of 0, an empty clause, a clause that never holds, or a negation.
    """
    case, chance = session.case, session.chance
    if case.kind != "cover" or not isinstance(case.puzzle, Puzzle):
        base(session, way)
        return
    labels = case.labels
    one, other = chance.choice(labels), chance.choice(labels)
    rules: list[tuple[str, Callable[[dict[Any, int]], bool]]] = [("", lambda _: True)] * 4
    rule, holds = chance.choice(
        [
            *rules,
            ("add({0} + {1} <= 0)", lambda values: not values[one] and not values[other]),
            ("add({0} + {1} >= 0)", lambda _: True),
            ("add_bool_or([])", lambda _: False),
            ("add({0} + {1} == 3)", lambda values: values[one] + values[other] == 3),
            ("add_bool_or([~{0}])", lambda values: not values[one]),
            ("add_bool_and([]).only_enforce_if({0})", lambda _: True),
        ]
    )
    if rule:
        named = [f"puzzle.key[{label!r}]" for label in (one, other)]
        session.do("puzzle = replace(puzzle, model=puzzle.model.clone())")  # other runs have it as it was
        session.do(f"puzzle.model.{rule.format(*named)}")
        truth = frozenset(solution for solution in case.costs if holds(dict(solution)))
        asked = {"symmetry": "found", "backend": way["backend"]}
    else:
        truth, asked = _truth(case, way), {**way, "solver_parameters": None}
    result = session.solve(**asked, verified=True)
    assert result.report.complete, f"ended by {result.report.stopped_by}"
    assert result.total == len(truth), f"{result.total} in all, the truth is {len(truth)}"
    assert result.report.evidence.grade == "verified counter", f"the grade is {result.report.evidence.grade}"


def kept(session: Session, way: Way) -> None:
    """A count that is kept in a file, asked with up to three givens."""
    case, chance = session.case, session.chance
    if case.orbits is None or case.sign is not None or case.kind not in ("cover", "formula"):
        base(session, way)
        return
    path = str(session.folder() / "kept.count")
    session.solve(backend="cover" if case.kind == "cover" else "auto")  # what takes too long is given up here
    session.do(f"write_output(result, KeptFile({path!r}))")
    session.do(f"kept = KeptCount({path!r}, puzzle)")
    labels = list(case.labels)
    for _ in range(3):
        fixed = {label: chance.randint(0, 1) for label in chance.sample(labels, min(len(labels), chance.randint(0, 3)))}
        session.do(f"number = kept.count({list(fixed.items())!r})")
        truth = sum(fixed.items() <= dict(solution).items() for solution in case.costs)
        told = session.names["number"]
        assert told == truth, f"kept: {told} with {fixed}, the truth is {truth}"


MODES: Mapping[Callable[[Session, Way], None], int] = {
    base: 35,
    bare: 10,
    executor: 8,
    store: 8,
    limit: 6,
    time_limit: 2,
    unique: 6,
    count_only: 7,
    marginals: 6,
    sample: 5,
    given: 8,
    question: 8,
    damaged: 4,
    which: 4,
    exported: 8,
    certificate: 5,
    verified: 4,
    kept: 4,
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
