"""What a run is asked for: each option with its type, default, meaning, and what it does not go together with.

The command lines of run and compare and the keyword arguments of `solvers.solve` are made of the fields of `Options`.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, fields
from typing import Any

from models.puzzle import Literal
from solvers.errors import InputError

SYMMETRIES = ("declared", "found", "none")
"""Where the symmetries come from that make two solutions one."""

METHODS = ("listing", "frontier", "counter")
"""How solutions can be counted; see `Report.method`."""

MOST_GIGABYTES = 1_000_000_000
"""More than a machine can address."""


def available_processors() -> int:
    """How many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS and Windows
        return os.cpu_count() or 1


def count(text: str) -> int:
    """A whole number from 1; `InputError` if the text is none."""
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise InputError(f"{text!r} is no number to count with; give a whole number from 1")
    return int(text)


def from_zero(text: str) -> int:
    """A whole number from 0; `InputError` if the text is none."""
    return 0 if text == "0" else count(text)


def whole(text: str) -> int:
    """A whole number."""
    try:
        return int(text)
    except ValueError:
        raise InputError(f"{text!r} is no whole number; give one such as 3") from None


def valid_seed(text: str) -> int:
    """What every solver takes as a seed."""
    if not 0 <= (value := whole(text)) < 2**31:
        raise InputError(f"{text!r} is no seed; give a whole number from 0 to {2**31 - 1}")
    return value


def seconds(text: str) -> float:
    """A number of seconds."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not value > 0:
        raise InputError(f"{text!r} is no time; give a number of seconds above 0")
    return min(value, threading.TIMEOUT_MAX)  # some centuries


def gigabytes(text: str) -> float:
    """An amount of memory."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < MOST_GIGABYTES:
        raise InputError(
            f"{text!r} is no amount of memory; give a number of gigabytes above 0 and below {MOST_GIGABYTES}"
        )
    return value


def setting(text: str) -> tuple[str, str]:
    """A parameter of a solver and its value."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise InputError(f"{text!r} sets no parameter; write NAME=VALUE")
    return name, value


@dataclass(frozen=True)
class Words:
    """How a command line shows an option."""

    meaning: str
    kind: Callable[[str], Any] | None = None
    """What reads its value, raising `InputError`; None for texts and for yes or no."""
    metavar: str = ""
    """What stands for the value; empty for yes or no."""
    choices: Sequence[str] = ()
    repeated: bool = False
    option: str = ""
    """Its name, where it is not the field's."""


def _option(
    default: Any, meaning: str, kind: Callable[[str], Any] | None = None, metavar: str = "", **more: Any
) -> Any:
    words = {"words": Words(meaning, kind, metavar, **more)}
    return (
        field(default_factory=default, metadata=words) if callable(default) else field(default=default, metadata=words)
    )


@dataclass(frozen=True)
class Options:
    """What a run is asked for besides the puzzle. Raises `InputError` where that does not go together."""

    backend: str = _option("auto", "auto, cp-sat, cp, sat, sat:NAME or cover (default: auto)", metavar="NAME")
    all: bool = _option(False, "break no symmetry; visit every solution")
    symmetry: str = _option(
        "declared", "declared, found or none (default: declared)", metavar="KIND", choices=SYMMETRIES
    )
    given: Sequence[str | Literal] = _option(
        (), "LABEL=VALUE, or a file that shows some; may be repeated", metavar="GIVEN", repeated=True
    )
    unique: bool = _option(False, "ask whether there is just one (exit code 0 or 4)")
    count_only: bool = _option(False, "keep no solutions; do not list them where that is quicker")
    method: str | None = _option(
        None, "how to count: listing, frontier or counter (default: what fits)", metavar="METHOD", choices=METHODS
    )
    memory: float | None = _option(None, "memory for that count (default: most that is free)", gigabytes, "GB")
    limit: int | None = _option(None, "end at N solutions", count, "N")
    time_limit: float | None = _option(None, "end after S seconds", seconds, "S")
    jobs: int = _option(available_processors, "processors (default: all; 1 starts no process)", count, "N")
    cubes: int | None = _option(None, "split into at most N parts (default: the backend's)", count, "N")
    seed: int = _option(0, "of the solver and of --sample (default: 0)", valid_seed, "N")
    store: str | None = _option(None, "remember what was searched, and go on from there", metavar="FILE")
    solver_parameters: Mapping[str, str] = _option(
        dict,
        "hand this to the solver as it is; may be repeated",
        setting,
        "NAME=VALUE",
        repeated=True,
        option="--solver-parameter",
    )
    which: str | None = _option(None, "say whether what FILE shows is one, and which", metavar="FILE")
    marginals: bool = _option(False, "count in how many solutions each literal holds")
    sample: int | None = _option(None, "draw N solutions, each with the same chance", count, "N")
    executor: Executor | None = _option(None, "what searches the cubes in place of processes of this machine")  # noqa: RUF009

    def __post_init__(self) -> None:
        if self.method not in (None, *METHODS):
            raise InputError(f"there is no method {self.method!r}; choose {', '.join(METHODS)}")
        if self.method in METHODS[1:] and not self.count_only:
            raise InputError(f"the method {self.method} lists no solutions; add --count-only")
        refuse_conflicts({field.name.replace("_", "-"): getattr(self, field.name) for field in fields(self)}, CONFLICTS)


@dataclass(frozen=True)
class Inventing:
    """What an inventor asks of a puzzle besides how many solutions it has."""

    hints: str | None = _option(
        None, "fewest hints that leave a solution as the only one: its number, a file, or each", metavar="WHICH"
    )
    hint_cells: bool = _option(False, "hints, candidates and repairs are of cells, not of literals")
    hint_sets: bool = _option(False, "show all smallest sets of hints")
    minimal: str | None = _option(None, "say which of the hints that FILE shows can be left out", metavar="FILE")
    minimal_sets: bool = _option(False, "show all sets of these hints that can spare none")
    repair: str | None = _option(
        None,
        "leave exactly one solution with the fewest givens, forbidden or holes",
        metavar="KIND",
        choices=("givens", "forbidden", "holes"),
    )
    why: str | None = _option(None, "why every solution has it (exit code 0 or 4)", metavar="LABEL=VALUE")
    explain: bool = _option(False, "go to the solution step by step, each with its smallest reason")
    grade: bool = _option(False, "say how hard the way to the solution is")
    candidates: bool = _option(False, "say how many solutions each literal leaves")

    @property
    def is_apart(self) -> bool:
        """Whether something is asked that does not need all solutions listed."""
        of_listed = self.hints is not None and (self.hints == "each" or self.hints.isdigit())
        return not of_listed and any(getattr(self, question) not in (None, False) for question in QUESTIONS)


QUESTIONS = ("hints", "minimal", "repair", "why", "explain", "grade", "candidates")
"""Those of `Inventing` that are questions; the others say more about one."""


Conflict = tuple[Sequence[str], Sequence[str], str]
"""Options of which one of the first does not go together with one of the second, and the sentence that says so."""

CONFLICTS: Sequence[Conflict] = (
    (("unique",), ("limit", "count-only"), "--unique ends at the second solution and shows it; leave out --{1}"),
    (
        ("unique",),
        ("all",),
        "--unique takes symmetric solutions for one; in place of --all, choose --symmetry none",
    ),
    (
        ("method",),
        ("limit", "unique", "which"),
        "--method says how all solutions are counted, which --{1} does not ask for; leave one of them out",
    ),
    (
        ("which",),
        ("limit", "unique", "count-only"),
        "--which needs all solutions, which --{1} does not list; leave one of them out",
    ),
    (
        ("marginals", "sample"),
        ("limit", "unique"),
        "--{0} is about all solutions, and --{1} ends before; leave one of them out",
    ),
)


def refuse_conflicts(chosen: Mapping[str, object], conflicts: Iterable[Conflict]) -> None:
    """Raises `InputError` with the first conflict's sentence where both sides are chosen: neither None nor false."""
    for firsts, seconds, sentence in conflicts:
        for first in firsts:
            for second in seconds:
                if all(chosen[one] is not None and chosen[one] is not False for one in (first, second)):
                    raise InputError(sentence.format(first, second))


def words_of(name: str) -> Words:
    """How a command line shows the option of this name."""
    options = (*fields(Options), *fields(Inventing))
    words: Words = next(field for field in options if field.name == name).metadata["words"]
    return words
