"""How an attack asks questions, and has solutions recognised."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations

from solvers.base.errors import InputError
from solvers.extras.questions.functions import candidates, explain, grade, repair, why
from tests.attack import oracle
from tests.attack.cases import Facts
from tests.attack.modes import LONGEST, TOO_LONG, Ended, Session, Way, draw_givens, truth_of


def question(session: Session, _: Way) -> None:
    """What is asked of single solutions and facts, with something given."""
    case, chance = session.case, session.chance
    if case.booleans is None or case.literals > MOST_FACTS or not case.costs or case.orbits is None:
        return
    held, truth = draw_givens(session) if chance.random() < 0.8 else ([], oracle.best(case.costs))
    asks = chance.choice(QUESTIONS)
    session.use(candidates, why, explain, grade, repair)
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
    session.do(f"answer = {asks}(puzzle, {options}{', steps=True' if asks == 'grade' else ''})")
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
    if not session.names["answer"].is_complete:
        raise Ended(TOO_LONG)
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
    is_solution = frozenset(values.items()) in truth_of(case, way)
    verdict = (result.report.which or {}).get("solution")
    assert verdict is is_solution, f"which: {verdict}, the truth is {is_solution}"


MODES = {question: 8, which: 4}
