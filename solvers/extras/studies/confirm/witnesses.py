"""The table of witnesses: the ways to count a plain model."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib import metadata
from importlib.util import find_spec
from tempfile import TemporaryFile

from solvers.base.backend_rows import AS_COVER, READING
from solvers.extras.bridges.minizinc.interpreters import Interpreter, interpreters, program_path
from solvers.extras.counts.verified.counter import program as verified_program
from solvers.extras.shared.programs import end
from solvers.extras.studies.confirm.witness import CP_SAT, Witness
from solvers.show.versions import versions

MOST_SECONDS_FOR_VERSION, MOST_CHARACTERS_OF_VERSION = 0.5, 10_000
"""The limits of a program that is asked for its version."""


def _is_no_program(program: str) -> bool:
    """Tell whether a program is not found."""
    return program_path(program) is None


def _is_no_module(module: str) -> bool:
    """Tell whether a module of Python is not found."""
    return find_spec(module) is None


def _version(program: str, option: str, pattern: str) -> str:
    """Return the version that a program prints; "" if it prints none.

    option: what it is asked by. pattern: a regular expression whose group is the version. The program is ended after
    `MOST_SECONDS_FOR_VERSION` seconds, and only the beginning of its answer is read.
    """
    asked = [program_path(program) or program, option]
    with TemporaryFile("w+", encoding="utf-8", errors="replace") as answer:
        try:
            process = subprocess.Popen(
                asked, stdin=subprocess.DEVNULL, stdout=answer, stderr=answer, text=True, start_new_session=True
            )
        except OSError:
            return ""
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=MOST_SECONDS_FOR_VERSION)
        end(process)
        process.wait()
        answer.seek(0)
        version = re.search(pattern, answer.read(MOST_CHARACTERS_OF_VERSION))
    return version[1] if version else ""


def _package_version(package: str) -> str:
    """Return the version of a package of Python; "" if it was installed in another way."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _foreign(name: str, path: str, *more: str) -> list[str]:
    """Return the command of a count by `solvers.extras.studies.confirm.foreign`; name, path, more: its words."""
    return [sys.executable, "-m", "solvers.extras.studies.confirm.foreign", name, path, *more]


def _library(name: str, package: str, module: str, form: str, licence: str, *more: str) -> Witness:
    """Return the witness of a library of Python.

    package: its name for pip. module: its name in Python. form: the ending of the files that it reads. more: the words
    of its command; by default its package. name: that of the witness. licence: its licence. `_foreign` makes the
    command of a process that lets the library count a file.
    """
    words = more or (package,)
    return Witness(
        name=name,
        form=form,
        words=lambda path: _foreign(words[0], path, *words[1:]),
        is_missing=partial(_is_no_module, module),
        install=f"pip install {package}",
        version=partial(_package_version, package),
        licence=licence,
    )


def _interpreter(asked: Interpreter) -> Witness:
    """Return the witness of a solver that reads FlatZinc.

    asked: the row of the solver in the table of interpreters: its title, its program, and how its version is found.
    """
    return Witness(
        name=asked.title,
        form=".fzn",
        words=lambda path: _foreign("flatzinc", path, asked.path or asked.program),
        is_missing=partial(_is_no_program, asked.program),
        install=asked.install,
        version=lambda: _version(asked.program, *asked.asked_version) if asked.asked_version else asked.version,
        licence=asked.licence,
    )


def _counter(name: str, package: str, module: str, probable: bool) -> Witness:
    """Return the witness of a counter of formulas: D4, or Ganak, which is right with high probability only.

    name: its name. package: its name for pip. module: its name in Python. probable: whether it is right with high
    probability only. It reads clauses from standard input.
    """
    counters = "solvers.extras.counts.counting.formula_counters"
    return Witness(
        name=name,
        form=".cnf",
        words=lambda _: [sys.executable, "-m", counters, name.lower()],
        is_missing=partial(_is_no_module, module),
        install=f"pip install {package}",
        version=partial(_package_version, package),
        licence="MIT",
        probable=probable,
        reads_input=True,
    )


def _kazoeru_witness(name: str, *options: str, asks_puzzle: bool = False) -> Witness:
    """Return the witness of a run of ours.

    options: the words of the run after the puzzle. asks_puzzle: whether it declares the puzzle by its name and runs as
    usual, so that it breaks symmetry; others search or count the plain model by its reading as an exact cover. name:
    that of the witness.
    """
    return Witness(
        name=name,
        form=".pbtxt",
        words=lambda path: [sys.executable, "-m", "solvers.run", path, "--json", "--quiet", *options],
        is_missing=lambda: False,
        install="",
        version=lambda: versions()["kazoeru"],
        also=() if asks_puzzle else (AS_COVER,),
        breaks_symmetry=asks_puzzle,
        asks_puzzle=asks_puzzle,
    )


PLAIN: Sequence[Witness] = (
    _library(CP_SAT, "ortools", "ortools", ".pbtxt", "Apache 2.0", "cp-sat"),
    Witness(
        name="OR-Tools' original solver",
        form=".pbtxt",
        words=partial(_foreign, "cp"),
        is_missing=lambda: False,
        install="pip install ortools",
        version=partial(_package_version, "ortools"),
        licence="Apache 2.0",
        also=(READING,),
    ),
    Witness(
        name="miniexact",
        form=".dlx",
        words=lambda path: _foreign("miniexact", path, program_path("miniexact") or "miniexact"),
        is_missing=partial(_is_no_program, "miniexact"),
        install="pip install miniexact",
        version=partial(_version, "miniexact", "--help", r"version (\S+)"),
        licence="BSD",
    ),
    _library("xcover", "xcover", "xcover", ".dlx", "LGPL"),
    _library("exact-cover", "exact-cover", "exact_cover", ".dlx", "GPL-2.0"),
    _library("clingo", "clingo", "clingo", ".cnf", "MIT"),
    _library("PySAT's CaDiCaL 1.9.5", "python-sat", "pysat", ".cnf", "MIT", "pysat", "cadical195"),
    _library("PySAT's Glucose 4.2", "python-sat", "pysat", ".cnf", "MIT", "pysat", "glucose42"),
    _counter("D4", "d4Solver", "py_d4", probable=False),
    _counter("Ganak", "pyganak", "pyganak", probable=True),
    *map(_interpreter, interpreters().values()),
)
"""The witnesses of others, by what they read."""

ON_FILE = " on the file"
"""The end of the names of witnesses that read an author's file as it is."""

BY_FILE = ("miniexact", "xcover", "clingo", "D4", "Ganak", "Gecode")
"""The names of those that also read an author's file as it is, in their form."""

WITNESSES: Sequence[Witness] = (
    *PLAIN,
    *(
        replace(witness, name=f"{witness.name}{ON_FILE}", form=f"file{witness.form}", also=())
        for witness in PLAIN
        if witness.name in BY_FILE
    ),
    _kazoeru_witness("the run as usual", asks_puzzle=True),
    _kazoeru_witness("our own search", "--backend", "cover", "--symmetry", "none"),
    _kazoeru_witness("our own count by layers", "--count-only", "--method", "frontier", "--symmetry", "none"),
    Witness(
        name="verified counter",
        form=".items",
        words=lambda path: [sys.executable, "-m", "solvers", "verified", path],
        is_missing=lambda: not verified_program().is_file(),
        install="python -m solvers verified --build",
        version=lambda: versions()["kazoeru"],
    ),
)
"""The witnesses, those of others first, and among these by what they read."""
