"""What a run is asked for."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field

from models.puzzle import Literal
from solvers.errors import InputError


def available_processors() -> int:
    """How many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS and Windows
        return os.cpu_count() or 1


@dataclass(frozen=True)
class Options:
    """What a run is asked for besides the puzzle."""

    backend: str = "auto"
    """auto, cp-sat, cp, sat, sat:NAME or cover."""
    all: bool = False
    """Break no symmetry."""
    limit: int | None = None
    """End at so many solutions (up to symmetry, unless all)."""
    time_limit: float | None = None
    """End after so many seconds."""
    seed: int = 0
    solver_parameters: Mapping[str, str] = field(default_factory=dict)
    """Handed to the solver as they are."""
    jobs: int = field(default_factory=available_processors)
    """How many processors to use; 1 starts no process."""
    cubes: int | None = None
    """At most so many cubes; None to let the backend choose. 1 searches in one piece."""
    count_only: bool = False
    """Keep no solutions; on the backend cover, do not even list them."""
    memory: float | None = None
    """Of a count that lists nothing, the gigabytes that its states may take; None for most of what is free."""
    symmetry: str = "declared"
    """Which symmetries make two solutions one: those declared, those found in the model, or none."""
    given: Sequence[str | Literal] = ()
    """Literals that solutions are held to; see `given.given_literals`. Symmetries that do not keep them drop out."""
    unique: bool = False
    """Ask whether there is exactly one solution up to symmetry; end at the second."""
    marginals: bool = False
    """Count also in how many solutions each literal holds."""
    sample: int | None = None
    """Draw so many solutions, by the seed."""
    store: str | None = None
    """The file that remembers what was searched, from which the run goes on."""
    executor: Executor | None = None
    """What searches the cubes; None for processes of this machine."""

    which: str | None = None
    """The path of a file with a solution that is to be recognised; see `which.answer`."""

    def __post_init__(self) -> None:
        """Raises `InputError` where what is asked for does not go together."""
        for option, is_chosen in {"limit": self.limit, "count-only": self.count_only}.items():
            if self.unique and is_chosen:
                raise InputError(f"unique ends at the second solution and shows it; leave out {option}")
        if self.unique and self.all:
            raise InputError("unique takes symmetric solutions for one; in place of all, choose none of the symmetries")
        for option, is_chosen in {"limit": self.limit, "unique": self.unique, "count-only": self.count_only}.items():
            if is_chosen and self.which is not None:
                raise InputError(f"which needs all solutions, which {option} does not list; leave one of them out")
        for option, is_chosen in {"limit": self.limit, "unique": self.unique}.items():
            if is_chosen and (self.marginals or self.sample):
                asked = "marginals" if self.marginals else "sample"
                raise InputError(f"{asked} is about all solutions, and {option} ends before; leave one of them out")
