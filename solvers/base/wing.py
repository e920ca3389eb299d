"""The form of a wing's table: what a wing of `solvers.extras` adds to the core.

Each row names its place as "module:name"; the module is imported when it is asked for.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class CommandRow:
    """A command of `python -m solvers`."""

    place: str
    """A function that takes the words of a command line and returns an exit code."""
    meaning: str
    """The text in the list of commands."""


@dataclass(frozen=True)
class OutputRow:
    """An output of a run: an option that names the file or folder, and the class that writes it."""

    place: str
    """A subclass of `outputs.output.Output`, made with the path and the settings."""
    meaning: str
    """The text of the option in --help."""
    is_folder: bool = False
    settings: tuple[str, ...] = ()
    """Further options for the output; those that are given are passed to the class as keywords."""
    lists_solutions: bool = True
    """True if it writes the solutions themselves, which --count-only does not keep."""
    needs_all: bool = False
    """True if it cannot be combined with options that end a run before all solutions are listed."""
    is_slow: bool = False
    """True if it is written after the others, as it takes longest."""
    companions: tuple[str, ...] = (".part",)
    """The endings that are appended to its name to make the names of further files that it writes."""
    also: tuple[tuple[str, str], ...] = ()
    """Further files that it may write: pairs of an ending of its name, and the ending that replaces it."""


@dataclass(frozen=True)
class SettingRow:
    """An option that refines outputs."""

    meaning: str
    """The text of the option in --help."""
    metavar: str | None = None
    choices: tuple[str, ...] | None = None
    is_flag: bool = False
    """True if it takes no value."""


@dataclass(frozen=True)
class Preparation:
    """A part of kazoeru that is compiled once, and a small task that needs all of it."""

    part: str
    """What is compiled, as a noun phrase."""
    place: str
    """A function that does the task; it takes the path of an empty folder."""


@dataclass(frozen=True)
class Wing:
    """Everything that a wing, or the core itself, adds; all rows name places in the wing's own folder."""

    commands: Mapping[str, CommandRow] = field(default_factory=dict)
    """The commands of `python -m solvers`."""
    options: tuple[str, ...] = ()
    """The fields of `Options` that `run` offers only with this wing."""
    outputs: Mapping[str, OutputRow] = field(default_factory=dict)
    """The outputs of a run, by option."""
    settings: Mapping[str, SettingRow] = field(default_factory=dict)
    """The options that refine outputs."""
    counters: Mapping[str, str] = field(default_factory=dict)
    """The ways to count without listing, by the value of ``--method``.

    Each is a function that takes a `running.question.Request` and returns a counter, or None if it cannot count.
    """
    second_ways: Mapping[str, str] = field(default_factory=dict)
    """The ways to count a second time, by the option that asks for it."""
    formats: Mapping[str, str] = field(default_factory=dict)
    """The functions that read models from files, by the ending of the file's name."""
    exports: Mapping[str, str] = field(default_factory=dict)
    """The functions that write models, by the ending of the file's name."""
    functions: Mapping[str, str] = field(default_factory=dict)
    """All other functions and classes that the core uses; `solvers.base.plugs.function` imports them."""
    library: Mapping[str, str] = field(default_factory=dict)
    """The functions that `from solvers import ...` offers, by name."""
    packages: Mapping[str, str] = field(default_factory=dict)
    """The packages that the wing needs; for each, the extra of this distribution that installs it."""
    preparations: tuple[Preparation, ...] = ()
    """What the command ``prepare`` compiles."""
