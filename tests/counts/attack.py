"""How an attack counts by the verified counter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from models.puzzle import Puzzle
from tests.attack.modes import Session, Way, base, truth_of


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
        session.use(replace)
        session.do("puzzle = replace(puzzle, model=puzzle.model.clone())")  # other runs have it as it was
        session.do(f"puzzle.model.{rule.format(*named)}")
        truth = frozenset(solution for solution in case.costs if holds(dict(solution)))
        asked = {"symmetry": "found", "backend": way["backend"]}
    else:
        truth, asked = truth_of(case, way), {**way, "solver_parameters": None}
    result = session.solve(**asked, verified=True)
    assert result.report.complete, f"ended by {result.report.stopped_by}"
    assert result.total == len(truth), f"{result.total} in all, the truth is {len(truth)}"
    assert result.report.evidence.grade == "verified counter", f"the grade is {result.report.evidence.grade}"


MODES = {verified: 4}
