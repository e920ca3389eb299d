"""The table of backends, from which all lists of them are made.

A backend's module is imported when the backend is asked for: the solvers' libraries take a while to load.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Sequence
from dataclasses import dataclass

READING = "the reading of constraints"
"""The part of our code that takes constraints apart, by which a model may get to a solver."""

CLAUSES = "the translation to clauses"
"""The part of our code that makes clauses of constraints."""

AS_COVER = "the reading as an exact cover"
"""The part of our code that makes items and options of constraints; each run verifies its result."""

FLATZINC = "the translation to FlatZinc"
"""The part of our code that writes a model for solvers of MiniZinc."""

IMPLIED = "facts that follow from an exact cover"
"""The part of our code that derives exclusions from an exact cover; each run verifies them."""


@dataclass(frozen=True, kw_only=True)
class BackendRow:
    """A backend: where its class is, its words, what it needs, refuses and shares with others."""

    module: str
    """Where its class is; empty if a wing has the module, as the function "backend" and its name."""
    kind: str
    """The name of the class."""

    meaning: str
    """Its description in --list-backends."""

    words: str
    """Its name in the help of `--backend`, or the names by which it is asked for."""

    searcher: str
    """The name of the program that searches, in words; "{solver}" represents the name of a solver of the backend."""

    package: str = ""
    """The package that it needs besides those of every installation, as pip knows it; empty if it needs none."""

    programs: Sequence[str] = ()
    """The programs of which it needs one; empty if it needs none."""

    built_on: Sequence[str] = ()
    """Packages of every installation that its search rests on, besides those whose versions each report has."""

    shares: Collection[str] = ()
    """The parts of our code by which a model may get to its solver; another backend may use the same.

    They are `READING`, `CLAUSES`, `FLATZINC`, `AS_COVER` and `IMPLIED`.
    """

    trial: float = 1.0
    """Seconds for which it searches in one piece before the space is split."""

    has_solvers: bool = False
    """True if NAME in a name such as sat:NAME chooses a solver; the module's `solver_name` checks NAME.

    The module's `capabilities` says which solvers there are.
    """

    compared: Sequence[str] = ()
    """The solvers of the backend that the command compare takes by default, where it has several."""

    by_name_only: bool = False
    """True if it searches only where the user names it, so that it is in no list of defaults."""

    branches_on_fewest: bool = False
    """True if it branches on the key variable with the fewest values left, so that cubes are cut there, too.

    They are then the top of its own search tree; others are cut where most follows.
    """

    takes_covers_only: bool = False
    """True if it takes no model but exact covers in their keys."""

    seed_varies: bool = True
    """True if small models, too, are searched in another order with another seed."""

    turn: float = 0.0
    """Seconds of the processor for which `auto` tries it in each round of trials; 0 if it is not tried.

    The backends that the rounds of `solvers.base.tuning` name have the turns that are measured there.
    """

    preparation: float = 0.0
    """Seconds of the processor after which it may find its first solution, as it simplifies the model before.

    If it found none in its turns, it is tried once more for so long, unless the chosen one is done in a few seconds.
    """

    @property
    def need(self) -> str:
        """The program or the package that it needs, as the end of a sentence."""
        if self.programs:
            return f"a program such as {self.programs[0]}"
        return f"the package {self.package}: pip install {self.package}"

    @property
    def is_installed(self) -> bool:
        """Tell whether the package that the backend needs is installed, or a program that it needs."""
        if self.programs and not any(map(shutil.which, self.programs)):
            return False
        if not self.package:
            return True
        from importlib import metadata

        try:
            return bool(metadata.version(self.package))
        except metadata.PackageNotFoundError:
            return False


BACKENDS = {
    "cp-sat": BackendRow(
        module="solvers.backends.cp_sat",
        kind="CpSat",
        meaning="OR-Tools CP-SAT",
        words="cp-sat",
        searcher="OR-Tools' CP-SAT",
        shares=(READING, IMPLIED),
        trial=5.0,
        preparation=1.5,
        seed_varies=False,
    ),
    "cp": BackendRow(
        module="solvers.backends.cp",
        kind="Cp",
        meaning="OR-Tools' original constraint solver, which propagates and searches without learning clauses",
        words="cp",
        searcher="OR-Tools' original constraint solver",
        branches_on_fewest=True,
        shares=(READING, IMPLIED),
    ),
    "sat": BackendRow(
        module="solvers.backends.sat",
        kind="Sat",
        meaning="the default of PySAT's solvers, which are:",
        words="sat[:NAME]",
        searcher="PySAT's {solver}",
        shares=(READING, CLAUSES, IMPLIED),
        has_solvers=True,
        compared=("cadical195", "cadical153", "glucose42", "maplecm", "minicard"),
    ),
    "clasp": BackendRow(
        module="solvers.backends.clasp",
        kind="Clasp",
        meaning="clasp, which lists solutions by backtracking",
        words="clasp",
        searcher="clasp, by clingo",
        package="clingo",
        shares=(READING, CLAUSES),
    ),
    "cover": BackendRow(
        module="solvers.backends.cover",
        kind="Cover",
        meaning="our search for exact covers",
        words="cover",
        searcher="our own search of exact covers",
        built_on=("numba", "numpy"),
        shares=(AS_COVER,),
        takes_covers_only=True,
    ),
    "fzn": BackendRow(
        module="",
        kind="FlatZincBackend",
        meaning="other people's solvers of FlatZinc, which are:",
        words="fzn:NAME",
        searcher="the FlatZinc solver {solver}",
        programs=("fzn-gecode", "fzn-chuffed", "minizinc"),
        shares=(READING, FLATZINC),
        has_solvers=True,
        by_name_only=True,
    ),
}
"""The table of backends, by name; `auto` goes on with the first of them if no other is better.

The solvers that are compared are one of each kind: two CaDiCaLs that differ in how they restart and simplify, a
Glucose, a Maple, and MiniSat's kind with native cardinality constraints.

For trials: two jobs take 11 s for 4x4 magic squares on PySAT, 13 if they begin after 5 s; but CP-SAT takes 7 s for the
cubes of a 6x6 dissection, and 2 in one piece.
"""

AUTO = "cover for exact covers that suit it, else the best of a short trial"
"""The description of `auto` in --list-backends."""


def row_of(name: str) -> BackendRow | None:
    """Return the row of a backend by its name, such as sat or sat:glucose42; None for "auto" and for other programs."""
    return BACKENDS.get(name.partition(":")[0])


def backend_words() -> str:
    """Return the names of backends that may be asked for, in words: "auto, cp-sat, cp, sat[:NAME] or cover"."""
    names = ", ".join(["auto", *(row.words for row in BACKENDS.values())]).split(", ")
    return f"{', '.join(names[:-1])} or {names[-1]}"


def available_backends() -> list[str]:
    """Return the names of the installed backends that are used without being named, in the order of the table."""
    return [name for name, row in BACKENDS.items() if row.is_installed and not row.by_name_only]


def backends_to_compare() -> list[str]:
    """Return the names of the installed backends that are compared by default, such as sat:glucose42 or cp.

    A backend with several solvers is compared with each of its ``compared`` solvers. Those that do not take the puzzle
    are left out later, by the comparison.
    """
    compared: list[str] = []
    for name in available_backends():
        solvers = BACKENDS[name].compared
        compared += [f"{name}:{solver}" for solver in solvers] if solvers else [name]
    return compared
