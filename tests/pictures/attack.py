"""How an attack asks for the shares of the literals."""

from __future__ import annotations

from collections import Counter

from tests.attack.modes import Session, Way, check_run, truth_of


def marginals(session: Session, way: Way) -> None:
    counts = session.chance.random() < 0.5
    result = session.solve(**way, marginals=True, count_only=counts or None)
    check_run(session.case, result, way, keeps=not counts)
    truth = Counter(literal for solution in truth_of(session.case, way) for literal in solution)
    assert result.marginals is not None
    for literal, count in result.marginals.items():
        assert count == truth[literal], f"{literal} is in {count} solutions, the truth is {truth[literal]}"
    assert all(result.marginals[literal] == count for literal, count in truth.items()), (
        "a literal is missing from the marginals"
    )


MODES = {marginals: 6}
