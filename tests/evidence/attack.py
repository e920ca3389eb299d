"""How an attack has a certificate made and checked."""

from __future__ import annotations

import re

from solvers.extras.evidence.checker.check import check
from tests.attack import oracle
from tests.attack.modes import Session, Way
from tests.evidence.certificates import certificate_of, certified, read_by_map


def certificate(session: Session, way: Way) -> None:
    """Made, checked, and read by its map, which names a variable of several labels by the first."""
    case = session.case
    if case.orbits is None or case.kind == "minizinc":
        return
    directory = session.folder() / "certificate"
    session.use(certified, check)
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


MODES = {certificate: 5}
