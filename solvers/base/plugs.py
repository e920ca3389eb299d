"""The additions of the core and of the wings of `solvers.extras`, collected from the table of each wing that there is.

The wings have an order, and each may import those before it. A copy of kazoeru may lack a wing and those after it:
what they add is then not offered.
"""

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from solvers.base.errors import InputError
from solvers.base.wing import CommandRow, OutputRow, Wing

WINGS = ("pictures", "shared", "evidence", "questions", "counts", "bridges", "audits", "studies", "notebook")
"""The folders of `solvers.extras`, in the order in which they may import each other: to the left."""

CORE = Wing(
    commands={
        "run": CommandRow("solvers.run:main", "count, show and write all solutions"),
        "store": CommandRow("solvers.terminal.saved:main", "show what a store holds"),
    },
    outputs={
        "solutions": OutputRow(
            "solvers.outputs.solutions:SolutionsFile",
            "write all solutions (.jsonl, .json, .csv, .txt)",
            companions=(".part", ".part.sorted"),
        ),
    },
)
"""What the core adds itself."""


def _tables() -> list[Wing]:
    """Return the tables of the core and of the wings that there are, in their order."""
    tables = [CORE]
    for name in WINGS:
        # Without a wing, those behind it are missing, too, as they may import it.
        if not _has_module(f"solvers.extras.{name}.table"):
            break
        tables.append(import_module(f"solvers.extras.{name}.table").TABLE)
    return tables


def _has_module(name: str) -> bool:
    """Tell whether a module exists; only the packages around it are imported."""
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


TABLES = _tables()

MISSING_WINGS = WINGS[len(TABLES) - 1 :]
"""The wings that this copy lacks."""


def _rows_of_kind(kind: str) -> dict[str, Any]:
    """Return the rows of one kind, a field of `Wing`, of all tables."""
    merged: dict[str, Any] = {}
    for table in TABLES:
        merged |= getattr(table, kind)
    return merged


COMMANDS: Mapping[str, CommandRow] = _rows_of_kind("commands")
OUTPUTS: Mapping[str, OutputRow] = dict(sorted(_rows_of_kind("outputs").items(), key=lambda row: row[1].is_slow))
SETTINGS = _rows_of_kind("settings")
COUNTERS: Mapping[str, str] = _rows_of_kind("counters")
SECOND_WAYS: Mapping[str, str] = _rows_of_kind("second_ways")
FORMATS: Mapping[str, str] = _rows_of_kind("formats")
EXPORTS: Mapping[str, str] = _rows_of_kind("exports")
FUNCTIONS: Mapping[str, str] = _rows_of_kind("functions")
LIBRARY: Mapping[str, str] = _rows_of_kind("library")
OPTIONS = frozenset(option for table in TABLES for option in table.options)
PREPARATIONS = tuple(row for table in TABLES for row in table.preparations)
_PACKAGES: Mapping[str, str] = _rows_of_kind("packages")


def load(place: str, asked: str) -> Any:
    """Import a module and return one of its objects.

    place: "module:name". asked: how the user asked for it, for the error message, such as "--sheet".

    Raises `InputError` if a package that it needs is not installed; a missing module of another kind is raised as it
    is.
    """
    module, _, name = place.partition(":")
    try:
        return getattr(import_module(module), name)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in _PACKAGES:
            raise
        raise InputError(f"{asked} needs {package}; install it with pip install '.[{_PACKAGES[package]}]'") from None


def function(name: str, asked: str) -> Any:
    """Import a function or class that a wing adds for the core, by its name in `FUNCTIONS`.

    asked: how the user asked for it, for the error message. Raises `InputError` if it, or a package that it needs, is
    not installed.
    """
    if name not in FUNCTIONS:
        raise InputError(f"{asked} is not installed: this copy of kazoeru lacks a part of solvers/extras")
    return load(FUNCTIONS[name], asked)
