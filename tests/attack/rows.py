"""All that is drawn and all the ways to run it: those of the core, and of each wing that there is."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from random import Random

from solvers.base.plugs import TABLES, WINGS
from tests.attack import cases, modes
from tests.attack.cases import Case
from tests.attack.oracle import TooMany

DRAWN = dict(cases.DRAWN)
"""How often each kind of case is drawn, in about a hundred."""

MODES = dict(modes.MODES)
"""How often each way is chosen."""

for _wing in WINGS[: len(TABLES) - 1]:  # the first table is the core's
    if find_spec(f"tests.{_wing}.attack"):
        _rows = import_module(f"tests.{_wing}.attack")
        DRAWN |= getattr(_rows, "DRAWN", {})
        MODES |= _rows.MODES


def random_case(chance: Random) -> Case:
    """One that is drawn, and small enough to be listed."""
    while True:
        try:
            case = chance.choices(list(DRAWN), list(DRAWN.values()))[0](chance)
        except TooMany:
            continue
        if case.costs or chance.random() < 0.15:  # where there is no solution, little can go wrong
            return case
