"""The ways in which a run is made, and what each of them has to say about a case.

Every mode runs lines of Python, which a failure shows as they are, and holds what came of them against the truth.
"""

from __future__ import annotations

import json
import re
import shutil
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from threading import Timer
from typing import Any

from models.puzzle import Symmetry
from solvers.backends.sat import solver_names
from solvers.endings import Ending
from solvers.errors import CheckError, InputError, Stopped
from solvers.library import Result
from solvers.running.question import Question
from solvers.symmetry.groups import Permutation
from tests.attack import oracle
from tests.attack.cases import IMPORTS, MOST_LITERALS, Case
from tests.attack.oracle import Solution
from tests.support.certificates import certificate_of, solutions_of

SAT = [f"sat:{name}" for name in solver_names()]
"""Every solver that is offered."""


class Wrong(Exception):
    """A run did not say what it had to; the message says what in a clause."""


class Noticed(Exception):
    """A false symmetry was noticed."""


class TooLong(Exception):
    """A run came to no end, as wide arithmetic may on a weak solver."""


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
        """Run the line; raises `Noticed`, `InputError` and what goes wrong."""
        self.done.append(line)
        try:
            exec(line, self.names)
        except (CheckError, InputError) as error:
            if self.case.orbits is None:
                raise Noticed from error
            raise

    def solve(self, **options: Any) -> Result:
        """What comes of a run of the puzzle."""
        if time.monotonic() - self.began > LONGEST:
            raise TooLong
        words = "".join(f", {name}={value!r}" for name, value in options.items() if value is not None)
        jobs = "" if "jobs" in options else ", jobs=1"
        patience = "" if "time_limit" in options else f", time_limit={LONGEST}"
        self.do(f"result = solve(puzzle{words}{jobs}{patience})")
        result: Result = self.names["result"]
        if patience and result.report.stopped_by == Ending.TIME_LIMIT.words:
            raise TooLong
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
        imports = [line for name, (_, line) in IMPORTS.items() if name in text]
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
        "all": chance.random() < 0.3,
        "cubes": chance.choice([None, None, 1, 4, 40]),
        "seed": chance.randint(0, 3),
    }


def _decoded(case: Case, solution: Mapping[Any, int]) -> Solution:
    """By label; where a Boolean is not named, it is 0."""
    values = {**dict.fromkeys(case.labels, 0), **dict(solution)}
    return frozenset(values.items())


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

    count = oracle.orbits(truth, list(map(numbered, question.group.generators)))
    if count is None:
        raise Wrong("a symmetry that was found or kept is none of the solutions")
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
    if not report.complete:
        raise Wrong(f"ended by {report.stopped_by}")
    if case.orbits is None and way.get("symmetry", "declared") == "declared":
        _check_false_symmetry(result, truth)
        return
    if result.total != len(truth):
        raise Wrong(f"{result.total} in all, the truth is {len(truth)}")
    if report.repeats:
        raise Wrong(f"{report.repeats} repeats")
    count = _orbits(result, case, truth, way.get("symmetry", "declared"), is_given)
    if count is not None and result.solutions != count:
        raise Wrong(f"{result.solutions} up to symmetry, the truth is {count}")
    if case.sign and truth and case.knows_all:
        best = case.sign * next(cost for solution, cost in case.costs.items() if solution in truth)
        if report.objective != best:
            raise Wrong(f"the best value {report.objective}, the truth is {best}")
    if keeps:
        found = [_decoded(case, solution) for solution in result.in_all()]
        if len(found) != len(truth) or frozenset(found) != truth:
            raise Wrong(f"lists {len(found)} solutions, {len(set(found) - truth)} of which are none")
        if not is_given:
            in_order = [_decoded(case, solution) for solution in result]
            if case.lists.setdefault(way.get("symmetry", "declared"), in_order) != in_order:
                raise Wrong("another list, or in another order, than an earlier run")


def _check_false_symmetry(result: Result, truth: frozenset[Solution]) -> None:
    """A false symmetry was not noticed: then the report has to say that it was not proved, or the count is right."""
    if result.total != len(truth) and getattr(result.report, "symmetry_proved", None) is not False:
        raise Wrong(f"false symmetry: {result.total} in all, complete; the truth is {len(truth)}")


def base(session: Session, way: Way) -> None:
    if session.chance.random() < 0.05:
        words = "".join(f", {name}={value!r}" for name, value in way.items() if value is not None)
        session.do(f"result = iter_solutions(puzzle{words}, jobs=1).result()")
    else:
        session.solve(**way)
    _check(session.case, session.names["result"], way)


def executor(session: Session, way: Way) -> None:
    """Two workers: threads, or once in a while processes."""
    session.solve(**way)  # what takes too long is given up here, as threads of an executor cannot be stopped
    way = {**way, "cubes": session.chance.choice([4, 40])}
    if session.chance.random() < 0.02:
        result = session.solve(**way, jobs=2)
    else:
        session.do("executor = ThreadPoolExecutor(2)")
        words = "".join(f", {name}={value!r}" for name, value in way.items() if value is not None)
        try:
            session.do(f"result = solve(puzzle{words}, jobs=2, executor=executor, time_limit={LONGEST})")
        finally:
            session.names["executor"].shutdown()
        result = session.names["result"]
        if result.report.stopped_by == Ending.TIME_LIMIT.words:
            raise TooLong
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


def _check_part(case: Case, part: Result, way: Way, limit: int | None) -> None:
    """What a run says that was ended early, perhaps."""
    if part.report.complete:
        _check(case, part, way)
        return
    if case.orbits is None and way["symmetry"] == "declared":
        return
    truth = oracle.best(case.costs)
    found = [_decoded(case, solution) for solution in part.in_all()]
    if not truth.issuperset(found) or len(set(found)) != len(found):
        raise Wrong(f"ended by {part.report.stopped_by}, lists {len(set(found) - truth)} that are none")
    if part.total > len(truth):
        raise Wrong(f"at least {part.total} in all, the truth is {len(truth)}")
    if limit is not None:
        reached = part.total if way["all"] else part.solutions
        if part.report.stopped_by != "the limit" or reached != limit:
            raise Wrong(f"ended by {part.report.stopped_by} at {reached} instead of {limit}")


def limit(session: Session, way: Way) -> None:
    most = session.chance.choice([1, 2, 3, max(1, len(session.case.costs))])
    _check_part(session.case, session.solve(**way, limit=most), way, most)


def time_limit(session: Session, way: Way) -> None:
    _check_part(session.case, session.solve(**way, time_limit=session.chance.choice([0.001, 0.01, 0.03])), way, None)


def unique(session: Session, way: Way) -> None:
    way = {**way, "all": False}
    result = session.solve(**way, unique=True)
    if session.case.orbits is None and way["symmetry"] == "declared":
        return
    count = _orbits(result, session.case, oracle.best(session.case.costs), way["symmetry"])
    if result.report.unique is not (count == 1):
        raise Wrong(f"unique: {result.report.unique}, the truth is {count} up to symmetry")


def count_only(session: Session, way: Way) -> None:
    _check(session.case, session.solve(**way, count_only=True), way, keeps=False)


def marginals(session: Session, way: Way) -> None:
    counts = session.chance.random() < 0.5
    result = session.solve(**way, marginals=True, count_only=counts or None)
    _check(session.case, result, way, keeps=not counts)
    if session.case.orbits is None and way["symmetry"] == "declared":
        return
    truth = Counter(literal for solution in oracle.best(session.case.costs) for literal in solution)
    assert result.marginals is not None
    for literal, count in result.marginals.items():
        if count != truth[literal]:
            raise Wrong(f"{literal} is in {count} solutions, the truth is {truth[literal]}")
    if any(truth[literal] and result.marginals[literal] != truth[literal] for literal in truth):
        raise Wrong("a literal is missing from the marginals")


def sample(session: Session, way: Way) -> None:
    counts = session.chance.random() < 0.5
    result = session.solve(**way, sample=3, count_only=counts or None)
    _check(session.case, result, way, keeps=not counts)
    if session.case.orbits is None and way["symmetry"] == "declared":
        return
    truth = oracle.best(session.case.costs)
    if len(result.samples) != (3 if truth else 0):
        raise Wrong(f"{len(result.samples)} samples of 3")
    if not truth.issuperset(_decoded(session.case, one) for one in result.samples):
        raise Wrong("a sample is no solution")


def given(session: Session, way: Way) -> None:
    case = session.case
    literals = sorted({literal for solution in case.costs for literal in solution}, key=str)
    if not literals or not case.knows_all:
        return
    held = dict(session.chance.sample(literals, min(len(literals), session.chance.randint(1, 2))))
    costs = {solution: cost for solution, cost in case.costs.items() if held.items() <= solution}
    truth = oracle.best(costs)
    result = session.solve(**way, given=held)
    if case.orbits is None and way["symmetry"] == "declared":
        if result.report.complete and result.report.symmetries and result.report.symmetries > 1:
            _check_false_symmetry(result, truth)
        return
    _check(case, result, way, truth)


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
    if case.orbits is None and way["symmetry"] == "declared":
        return
    verdict = (result.report.which or {}).get("solution")
    is_solution = frozenset(values.items()) in oracle.best(case.costs)
    if verdict is not is_solution:
        raise Wrong(f"which: {verdict}, the truth is {is_solution}")


def exported(session: Session, way: Way) -> None:
    """Written and read again, up to symmetry or not."""
    case = session.case
    endings = [".cnf", ".pbtxt", *([".dlx"] * 3 if case.kind == "cover" else [])]
    ending = ".pbtxt" if case.kind == "scheduled" else session.chance.choice(endings)
    path = str(session.folder() / f"exported{ending}")
    every, symmetry = way["all"], way["symmetry"]
    if case.kind == "file":
        session.do("puzzle = find(puzzle).load()()")
    session.do("stop = Event()")
    timer = Timer(LONGEST, session.names["stop"].set)
    timer.start()
    try:
        session.do(f"export(puzzle, {path!r}, every={every}, symmetry={symmetry!r}, given=(), stop=stop)")
    except Stopped:
        raise TooLong from None
    finally:
        timer.cancel()
    session.do(f"puzzle = {path!r}")
    result = session.solve(backend=way["backend"], cubes=way["cubes"])
    truth = oracle.best(case.costs)
    if not result.report.complete:
        raise Wrong(f"ended by {result.report.stopped_by}")
    if case.orbits is None and symmetry == "declared" and not every:
        return
    expected = len(truth) if every or symmetry == "none" else case.orbits if symmetry == "declared" else None
    if expected is not None and result.total != expected:
        raise Wrong(f"{result.total} in the file, the truth is {expected}")
    if ending == ".pbtxt" and all(isinstance(label, str) for label in case.labels):
        found = {_decoded(case, solution) for solution in result}
        if not found <= truth:
            raise Wrong(f"{len(found - truth)} solutions of the file are none")


def certificate(session: Session, way: Way) -> None:
    """Made, checked, and read by its map."""
    case = session.case
    if case.orbits is None:
        return
    directory = session.folder() / "certificate"
    backend = way["backend"] if way["backend"] != "auto" else "sat"
    session.solve(backend=backend)  # what takes too long is given up here
    declares = "find(puzzle).load()()" if case.kind == "file" else "puzzle"
    session.do(f"run = certified(folder / 'certificate', lambda: {declares}, {backend!r})")
    session.do("verdict = check(folder / 'certificate')")
    truth = oracle.best(case.costs)
    verdict = session.names["verdict"]
    said = re.search(r"(\d+) solutions? up to symmetry.* (\d+) in all, and there are no others", verdict)
    if not said or (int(said[1]), int(said[2])) != (case.orbits, len(truth)):
        raise Wrong(f"the certificate says {verdict!r}, the truth is {case.orbits} and {len(truth)} in all")
    found = _read_by_map(directory, case.labels)
    if len(found) != len(truth) or frozenset(found) != truth or certificate_of(directory)["total"] != len(truth):
        raise Wrong(f"the certificate's map makes {len(set(found) & truth)} of {len(truth)} solutions")


def _read_by_map(directory: Path, labels: Sequence[Any]) -> list[Solution]:
    """The solutions of a certificate, by its map alone."""
    name_of = {json.dumps(label): label for label in labels}
    lines = [json.loads(line) for line in next(directory.glob("*.map")).read_text(encoding="utf-8").splitlines()]
    found = []
    for true in solutions_of(directory):
        values = dict.fromkeys(labels, 0)
        for literal, label, value in lines:
            if (abs(literal) in true) == (literal > 0):
                name = name_of[json.dumps(label)]
                values[name] = values[name] + value["adds"] if isinstance(value, dict) else value
        found.append(frozenset(values.items()))
    return found


MODES: Mapping[Callable[[Session, Way], None], int] = {
    base: 35,
    executor: 8,
    store: 8,
    limit: 6,
    time_limit: 2,
    unique: 6,
    count_only: 7,
    marginals: 6,
    sample: 5,
    given: 6,
    which: 4,
    exported: 8,
    certificate: 5,
}
"""How often each is chosen."""


def attempt(case: Case, mode: Callable[[Session, Way], None], way: Way, seed: int) -> tuple[str, str, str]:
    """How a run ended (right, noticed, refused, too long, failed), why, and where it failed a program that shows it."""
    session = Session(case, Random(seed))
    try:
        mode(session, way)
        return "right", "", ""
    except Noticed:
        return "noticed", "", ""
    except TooLong:
        return "too long", "", ""
    except InputError as reason:
        return "refused", " ".join(str(reason).split()), ""
    except Wrong as reason:
        return "failed", f"{mode.__name__}: {reason}", session.program(str(reason))
    except Exception as error:
        text = " ".join(f"{type(error).__name__}: {error}".split())
        return "failed", f"{mode.__name__}: {text}", session.program(text)
    finally:
        session.close()
