"""The options of a run: each with its type, default, meaning and conflicts.

The command lines of run and compare and the keyword arguments of `solvers.solve` are made of the fields of `Options`.
"""

from __future__ import annotations

import math
import os
import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any

from models.puzzle import Literal
from solvers.base.backend_rows import backend_words
from solvers.base.errors import InputError
from solvers.base.plugs import COUNTERS
from solvers.base.plugs import OPTIONS as PLUGGED

SYMMETRIES = ("declared", "found", "none")
"""The kinds of symmetries that a user can choose."""

BREAKINGS = ("auto", "cases", "lex-leader", "generators", "none")
"""The ways to break symmetry that a user can choose; see `solvers.symmetry.breaking.by_way`."""

METHODS = ("listing", *COUNTERS)
"""The ways to count solutions; see `Report.method`."""

LEVEL = "level"
"""The property by which ``apart`` counts: how an assembly comes apart."""

UNKNOWN = "not known whether it comes apart"
"""The level of an assembly for which the search was given up."""

MAX_GIGABYTES = 1_000_000_000
"""An upper bound of memory limits: more than a machine can address."""


def available_processors() -> int:
    """Return the number of processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS and Windows
        return os.cpu_count() or 1


def _at_least(least: int, text: str) -> int:
    """Read a whole number in decimal digits that is at least ``least``; raise `InputError` for any other text."""
    if not text.isascii() or not text.isdigit() or int(text) < least:
        raise InputError(f"{text!r} is not a whole number of at least {least}")
    return int(text)


count, from_zero = partial(_at_least, 1), partial(_at_least, 0)
"""Read a whole number from 1, or from 0; raise `InputError` for any other text."""


def read_integer(text: str) -> int:
    """Read a whole number; raise `InputError` for any other text."""
    try:
        return int(text)
    except ValueError:
        raise InputError(f"{text!r} is not a whole number; give one such as 3") from None


def valid_seed(text: str) -> int:
    """Read a seed from 0 to 2^31 - 1, which every solver takes; raise `InputError` for any other text."""
    if not 0 <= (value := read_integer(text)) < 2**31:
        raise InputError(f"{text!r} is not a seed; give a whole number from 0 to {2**31 - 1}")
    return value


def seconds(text: str) -> float:
    """Read a positive number of seconds; raise `InputError` for any other text."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not value > 0:
        raise InputError(f"{text!r} is not a time; give a number of seconds above 0")
    return min(value, threading.TIMEOUT_MAX)  # some centuries


def gigabytes(text: str) -> float:
    """Read a positive amount of memory in gigabytes; raise `InputError` for any other text."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < MAX_GIGABYTES:
        raise InputError(
            f"{text!r} is not an amount of memory; give a number of gigabytes above 0 and below {MAX_GIGABYTES}"
        )
    return value


def setting(text: str) -> tuple[str, str]:
    """Read NAME=VALUE, a parameter of a solver, as (name, value); raise `InputError` for any other text."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise InputError(f"{text!r} sets no parameter; write NAME=VALUE")
    return name, value


@dataclass(frozen=True)
class Words:
    """The form of an option on the command line: its help, the reader of its value, and so on."""

    meaning: str
    kind: Callable[[str], Any] | None = None
    """The function that reads its value and raises `InputError`; None for texts and switches."""
    metavar: str = ""
    """The placeholder of the value; empty for switches."""
    choices: Sequence[str] = ()
    repeated: bool = False
    option: str = ""
    """The name of the option, if it is not the name of the field."""
    is_plugged: bool = False
    """True if a wing has to bring it; see `solvers.base.plugs.OPTIONS`."""


def _option(
    default: Any, meaning: str, kind: Callable[[str], Any] | None = None, metavar: str = "", **more: Any
) -> Any:
    """Return a dataclass field for an option, with this default and the option's `Words` as metadata.

    default: a value, or a function that returns it. meaning, kind, metavar, more: fields of `Words` (help, reader,
    placeholder and others).
    """
    metadata = {"words": Words(meaning, kind, metavar, **more)}
    if callable(default):
        return field(default_factory=default, metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True)
class Options:
    """The options of a run besides the puzzle.

    Raises `InputError` for an unknown method and for options that cannot be combined.
    """

    backend: str = _option("auto", backend_words(), metavar="NAME")
    symmetry: str = _option(
        "declared",
        "declared (default), found, or none: each by itself",
        metavar="KIND",
        choices=SYMMETRIES,
    )
    breaking: str = _option(
        "auto",
        "break it by cases, lex-leader, generators, none, or auto (default)",
        metavar="WAY",
        choices=BREAKINGS,
    )
    given: Sequence[str | Literal] = _option(
        (), "LABEL=VALUE, LABEL!=VALUE or a drawing; repeatable", metavar="GIVEN", repeated=True
    )
    unique: bool = _option(False, "ask whether there is exactly one (exit code 0 or 4)")
    count_only: bool = _option(False, "keep no solutions, and list none if that is faster")
    method: str | None = _option(
        None,
        "how to count: listing, frontier, counter or ganak",
        metavar="METHOD",
        choices=METHODS,
        is_plugged=True,
    )
    memory: float | None = _option(
        None,
        "memory for a count without listing (default: most)",
        gigabytes,
        "GB",
        is_plugged=True,
    )
    verify: bool = _option(False, "count again in another way; fail if that differs", is_plugged=True)
    verified: bool = _option(
        False,
        "count an exact cover again by the verified counter",
        is_plugged=True,
    )
    limit: int | None = _option(None, "stop after N solutions", count, "N")
    time_limit: float | None = _option(None, "stop S seconds after the solvers are loaded", seconds, "S")
    jobs: int = _option(available_processors, "number of processors (default: all)", count, "N")
    cubes: int | None = _option(None, "split the search space into at most N parts", count, "N")
    seed: int = _option(0, "seed of the solver and of --sample (default: 0)", valid_seed, "N")
    store: str | None = _option(None, "save what has been searched, and resume from there", metavar="FILE")
    solver_parameters: Mapping[str, str] = _option(
        dict,
        "set a parameter of the solver; may be repeated",
        setting,
        "NAME=VALUE",
        repeated=True,
        option="--solver-parameter",
    )
    which: str | None = _option(None, "say whether FILE shows a solution, and which one", metavar="FILE")
    by: str | None = _option(None, "count by a property, such as pieces (those used)", metavar="PROPERTY")
    apart: bool = _option(False, "say which assemblies come apart, in how many moves", is_plugged=True)
    unique_apart: bool = _option(False, "ask whether exactly one comes apart (exit code 0 or 4)", is_plugged=True)
    marginals: bool = _option(False, "for each literal, count the solutions in which it is true")
    sample: int | None = _option(None, "draw N solutions uniformly at random, with replacement", count, "N")
    distinct: bool = _option(False, "draw with --sample no solution twice")
    cluster: str | None = _option(
        None, "search on the Dask cluster with this scheduler", metavar="ADDRESS", is_plugged=True
    )
    executor: Executor | None = _option(None, "searches the cubes, instead of processes on this machine")  # noqa: RUF009
    unbroken: bool = _option(
        False, "visit every solution, and count up to symmetry what is found: a second way to count"
    )

    def __post_init__(self) -> None:
        """Raise `InputError` for an unknown method, for a part that is missing, or for options that exclude another.

        ``apart`` and ``unique_apart`` set the property ``by``, as they count by the level at which an assembly comes
        apart.
        """
        counts_without_listing = self.method in METHODS[1:]  # all but "listing"
        for name, words in WORDS.items():
            if words.is_plugged and name not in PLUGGED and getattr(self, name):
                raise InputError(f"{name} is not installed: this copy of kazoeru lacks a part of solvers/extras")
        if self.method not in (None, *METHODS):
            raise InputError(f"there is no method {self.method!r}; choose {', '.join(METHODS)}")
        if self.breaking not in BREAKINGS:
            raise InputError(f"symmetry cannot be broken by {self.breaking!r}; choose {', '.join(BREAKINGS)}")
        if self.breaking != "auto" and counts_without_listing:
            raise InputError(f"`--breaking` is for a search, and the method {self.method} makes none; leave out one")
        if self.distinct and self.sample is None:
            raise InputError("`--distinct` says how to draw; add `--sample N`")
        if counts_without_listing and not self.count_only:
            raise InputError(f"the method {self.method} lists no solutions; add `--count-only`")
        if self.apart or self.unique_apart:
            if self.by not in (None, LEVEL):
                raise InputError(f"`--apart` counts by level, not by {self.by}; leave out one of them")
            # The dataclass is frozen.
            object.__setattr__(self, "by", LEVEL)
        refuse_conflicts({field.name.replace("_", "-"): getattr(self, field.name) for field in fields(self)}, CONFLICTS)

    @property
    def names_backend(self) -> bool:
        """Tell whether the user named a backend; otherwise `auto` chooses one."""
        return self.backend != "auto"


Conflict = tuple[Sequence[str], Sequence[str], str]
"""Two groups of options and a sentence: an option of the first group cannot be combined with one of the second."""

CONFLICTS: Sequence[Conflict] = (
    (("unique",), ("limit", "count-only"), "`--unique` ends at the second solution and shows it; leave out `--{1}`"),
    (
        ("method",),
        ("limit", "unique", "which"),
        "`--method` is for counts of all solutions, and `--{1}` asks for no such count; leave one of them out",
    ),
    (
        ("which",),
        ("limit", "unique", "unique-apart", "count-only"),
        "which needs all solutions, and {1} does not list them; leave one of them out",
    ),
    (
        ("verify", "verified"),
        ("limit", "unique-apart"),
        "`--{0}` counts all solutions again, and `--{1}` stops earlier; leave one of them out",
    ),
    (
        ("unique-apart",),
        ("limit", "unique"),
        "`--unique-apart` is about all assemblies, and `--{1}` stops earlier; leave one of them out",
    ),
    (("verify",), ("verified",), "`--verify` and `--verified` both count again; leave one of them out"),
    (
        ("marginals", "sample"),
        ("limit", "unique", "unique-apart"),
        "`--{0}` is about all solutions, and `--{1}` stops earlier; leave one of them out",
    ),
)
"""The conflicts between fields of `Options`."""


def refuse_conflicts(chosen: Mapping[str, object], conflicts: Iterable[Conflict]) -> None:
    """Raise `InputError` with the conflict's sentence if options of both its groups are chosen.

    chosen: the values of options by name; one that is neither None nor False is chosen. conflicts: see `Conflict`; {0}
    and {1} in a sentence are replaced by the names of the two options.
    """
    for first_group, second_group, sentence in conflicts:
        for first in first_group:
            for second in second_group:
                if all(chosen[option] is not None and chosen[option] is not False for option in (first, second)):
                    raise InputError(sentence.format(first, second))


WORDS: Mapping[str, Words] = {one.name: one.metadata["words"] for one in fields(Options)}
"""The form of each option on the command line, by its field in `Options`."""

_KEYWORDS = {words.option.removeprefix("--"): name for name, words in WORDS.items() if words.option}
"""The keyword arguments of the library's functions whose names are not those of their options."""

_QUOTED_OPTION = re.compile(r"`--([a-z-]+)(?: ([^`]+))?`")
"""An option in a message, with its value or the placeholder of one."""


def in_command(sentence: str) -> str:
    """Return a message in the words of a command.

    >>> in_command("choose `--symmetry none`, or leave out `--given`")
    'choose --symmetry none, or leave out --given'
    """
    return _QUOTED_OPTION.sub(lambda option: option[0].strip("`"), sentence)


def in_python(sentence: str) -> str:
    """Return a message in Python's words, with keyword arguments for options.

    >>> in_python("choose `--symmetry none`, or leave out `--given` and `--count-only`")
    "choose symmetry='none', or leave out given=... and count_only=True"
    >>> in_python("leave out `--no-flip`, or add `--grid hex` or `--limit N`")
    "leave out flip=False, or add grid='hex' or limit=..."
    """
    return _QUOTED_OPTION.sub(_keyword, sentence)


def _keyword(quoted: re.Match[str]) -> str:
    """Return the keyword argument of Python, with its value, for an option of the command line in a message.

    The value is ``...`` if the message names none, or a placeholder in capitals, such as N. A switch, an option that
    takes no value, becomes True; ``--no-`` and the name of a parameter of a puzzle becomes False.

    quoted: a match whose groups are the option without its dashes, and its value, if there is one.
    """
    option, value = quoted.groups()
    name = _KEYWORDS.get(option, option.replace("-", "_"))
    if name.startswith("no_") and name not in WORDS:
        return f"{name.removeprefix('no_')}=False"
    if value:
        return f"{name}={'...' if value.isupper() else repr(value)}"
    is_switch = name in WORDS and not WORDS[name].metavar
    return f"{name}={'True' if is_switch else '...'}"


def parameters_in_command(sentence: str, parameters: Iterable[str]) -> str:
    """Return a sentence about parameters of a puzzle, which are written as in Python, in the words of a command.

    parameters: their names.

    >>> parameters_in_command("leave out flip=False, or add grid='hex' or flip=True; a=1", ["flip", "grid"])
    'leave out --no-flip, or add --grid hex or --flip; a=1'
    """
    any_name = "|".join(map(re.escape, parameters)) or "(?!)"  # which matches nothing
    return re.sub(rf"\b({any_name})=(?:(False)|True|'([^']*)')", _as_option, sentence)


def _as_option(match: re.Match[str]) -> str:
    """Return the option for a parameter with its value, in a sentence.

    match: its groups are the parameter's name, "False" if that is its value, and the text if its value is one.
    """
    name, off, value = match.groups()
    return f"--{'no-' * bool(off)}{name.replace('_', '-')}{f' {value}' if value else ''}"


InputError.in_python, InputError.in_command = staticmethod(in_python), staticmethod(in_command)
