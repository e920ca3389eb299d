"""The verified counter: builds it from its sources, and runs it on a model's exact cover."""

from __future__ import annotations

import hashlib
import re
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import Protocol

from solvers.base.errors import CheckError, InputError, Stopped
from solvers.base.options import Options
from solvers.extras.counts.counting.count import FREE_MEMORY_SHARE, free_memory
from solvers.extras.counts.verified.export import Image, cover_of, knuth_text
from solvers.extras.shared.programs import run_program
from solvers.model.compiled import cache_folder
from solvers.model.reading import domain_of, negation, size_of
from solvers.running.question import Question
from solvers.show.evidence import DECLARED, VERIFIED, SecondCount
from solvers.show.report import Report
from solvers.symmetry.groups import ListedGroup, Permutation
from solvers.symmetry.key import Key

PROOFS = ("Search.v", "Words.v", "Cover.v", "Orbits.v", "Text.v", "Extract.v")
"""The files that Coq reads, in this order."""

EXTRACTED = ("counter.mli", "counter.ml")
"""The files that Coq has written."""

PROGRAM = ("uint63.ml", *EXTRACTED, "driver.ml")
"""The files that OCaml compiles, in this order."""

SOURCES = (*PROOFS, "axioms.txt", *PROGRAM)
"""All source files of the counter; the axioms are those that the proof may rest on, as Coq prints them."""

RECORD = "sha256.txt"
"""The file beside the built program that holds its checksum."""

REBUILD = "run python -m solvers verified --build"
"""The advice to build the counter."""

NEEDED = "install Debian's packages ocaml-nox, ocaml-findlib and libzarith-ocaml-dev, or the same from opam"
"""The advice on what to install to build the counter."""

NEEDED_TO_PROVE = "install Debian's package coq, or Coq 8.16 from opam"
"""The advice on what to install to check the proof."""

LIMITED = """
import os, resource, sys
_, stack = resource.getrlimit(resource.RLIMIT_STACK)
resource.setrlimit(resource.RLIMIT_STACK, (stack, stack))
_, memory = resource.getrlimit(resource.RLIMIT_AS)
most = int(sys.argv[2]) if memory == resource.RLIM_INFINITY else min(memory, int(sys.argv[2]))
resource.setrlimit(resource.RLIMIT_AS, (most, most))
os.execv(sys.argv[1], sys.argv[1:2])
"""
"""A script of Python that becomes a program, with all the stack that there may be and a limit of memory.

Its arguments are the path of the program and the bytes of memory. It needs no shell, and looks for nothing in PATH.
"""

MOST_IMAGES = 50_000_000
"""The most images of options that the counter computes to check that the symmetries are a group."""


def folder() -> Path:
    """Return the folder of the built program in the user's cache.

    Each version of the sources has its own folder.
    """
    sources = b"".join(_source(name) for name in SOURCES)
    return cache_folder() / f"verified-{hashlib.sha256(sources).hexdigest()[:16]}"


def program() -> Path:
    """Return the path of the built program; the file does not exist before `build`."""
    return folder() / "count"


def _source(name: str) -> bytes:
    """Return the content of the source file with this name."""
    return files(__package__).joinpath(name).read_bytes()


def build(stop: threading.Event, tell: Callable[[str], None] = lambda _: None) -> Path:
    """Let OCaml compile the counter, as Coq has written it; return the program's path.

    tell: called with each step. Raises `InputError` if a program or a library is missing, or OCaml fails; `Stopped`
    once the event is set.
    """
    if absent := missing(stop):
        raise InputError(f"the verified counter needs {' and '.join(absent)} to be built: {NEEDED}")
    place = program()
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent) as temporary:
        work = _copies(PROGRAM, Path(temporary))  # the folder, with the sources
        tell("ocamlfind ocamlopt")
        compiler = ["ocamlfind", "ocamlopt", "-package", "zarith", "-linkpkg", "-inline", "200"]
        _run([*compiler, "-w", "-a", *PROGRAM, "-o", "count"], work, stop)
        (work / RECORD).write_text(f"{hashlib.sha256((work / 'count').read_bytes()).hexdigest()}\n", encoding="utf-8")
        for name in ("count", RECORD):  # in place at once, also where two builds go on at a time
            (work / name).replace(place.parent / name)
    return place


def prove(stop: threading.Event, tell: Callable[[str], None] = lambda _: None) -> str:
    """Let Coq check the proof and write the counter from it; return a sentence that says what was found.

    The last file prints the axioms on which the proof rests, and writes the program. tell: called with each step.
    Raises `InputError` if Coq is missing or refuses the proof; `CheckError` if the proof has a gap or rests on an axiom
    that is not in ``axioms.txt``, or if Coq writes another program than the one that is built; `Stopped` once the event
    is set.
    """
    if shutil.which("coqc") is None:
        raise InputError(f"the proof needs coqc to be checked: {NEEDED_TO_PROVE}")
    if admitted := [name for name in PROOFS if re.search(rb"\b(Admitted|admit|give_up)\b", _source(name))]:
        raise CheckError(f"{admitted[0]} leaves out a proof")
    with tempfile.TemporaryDirectory() as temporary:
        work = _copies(PROOFS, Path(temporary))
        for name in PROOFS:
            tell(f"coqc {name}")
            printed = _run(["coqc", "-R", ".", "Verified", name], work, stop)
        if further := _further_axioms(printed):
            raise CheckError(f"the proof rests on what axioms.txt does not allow: {further[0]}")
        if different := [name for name in EXTRACTED if (work / name).read_bytes() != _source(name)]:
            raise CheckError(f"this version of Coq writes another {different[0]} than the one that is compiled")
    return "the proof is complete, and Coq writes from it the counter that is compiled"


def _copies(names: Sequence[str], work: Path) -> Path:
    """Write copies of sources into a folder and return the folder; names: those of the sources."""
    for name in names:
        (work / name).write_bytes(_source(name))
    return work


def missing(stop: threading.Event) -> list[str]:
    """Return the programs and libraries that a build needs and that are not installed.

    Of zarith the compiled library is needed, which is not in the package of what programs need to run. Raises `Stopped`
    once the event is set.
    """
    absent = [name for name in ("ocamlfind", "ocamlopt") if shutil.which(name) is None]
    if "ocamlfind" not in absent:
        query = run_program(["ocamlfind", "query", "zarith"], stop=stop)
        library = Path(query.stdout.strip(), "zarith.cmxa")
        absent += [] if query.returncode == 0 and library.is_file() else ["zarith"]
    return absent


def _further_axioms(printed: str) -> list[str]:
    """Return the axioms that Coq prints and that are not in ``axioms.txt``, each in one line.

    A lemma whose proof was admitted is one. printed: the answer to `Print Assumptions`. A line that is no axiom counts
    as one; so does an answer that has none, as the proof rests at least on machine words.
    """
    allowed = set(_source("axioms.txt").decode().splitlines())
    before, _, listed = printed.partition("Axioms:\n")
    entries = re.split(r"\n(?=\S)", f"{before}{listed}".strip())  # further lines of an entry are indented
    axioms = [" ".join(entry.split()) for entry in entries]
    return [axiom for axiom in axioms if axiom not in allowed]


def checksum() -> str:
    """Return the SHA-256 of the built program, in hexadecimal.

    Raises `InputError` if the counter is not built, or if its checksum is not the one that the build has recorded.
    """
    place = program()
    try:
        built = place.read_bytes()
        recorded = place.with_name(RECORD).read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        raise InputError(f"the verified counter is not built; {REBUILD}") from None
    digest = hashlib.sha256(built).hexdigest()
    if digest != recorded:
        raise InputError(f"{place} is not the verified counter that was built, as its checksum differs; {REBUILD}")
    return digest


def _run(words: list[str], work: Path, stop: threading.Event) -> str:
    """Run a command in the folder ``work`` and return its output; raise `InputError` if it fails.

    words: the command and its arguments. Raises `Stopped` once the event is set.
    """
    done = run_program(words, stop=stop, cwd=work, merge=True)  # stderr is a part of the output
    if done.returncode:
        raise InputError(f"{' '.join(words)} failed: {done.stdout.strip()[-300:]}")
    return done.stdout


def count(text: str, stop: threading.Event, gigabytes: float | None = None) -> list[int]:
    """Return [number of solutions] of an exact cover in Knuth's format.

    If the text has symmetries, the list is [number of solutions, number of orbits]. gigabytes: the memory that the
    counter may take; by default most of the free memory. Raises `InputError` if the counter is not the one that was
    built or does not take the cover, `MemoryError` if it needs more memory, `Stopped` once the event is set.
    """
    if stop.is_set():
        raise Stopped
    checksum()  # refuses a program that is not the one that was built
    most = int(gigabytes * 1_000_000_000) if gigabytes else int(FREE_MEMORY_SHARE * free_memory())
    words = [sys.executable, "-I", "-S", "-c", LIMITED, str(program()), str(most)]
    done = run_program(words, text, stop, merge=True)  # the text is its standard input
    output = done.stdout.strip()
    if done.returncode == 0 and all(line.isdigit() for line in output.split("\n")):
        return [int(line) for line in output.split("\n")]
    if "memory" in output or done.returncode == -9:  # it was killed
        raise MemoryError
    raise InputError(f"the verified counter does not take this cover: {output[-200:] or 'no answer'}")


class FirstRun(Protocol):
    """A run whose count is to be confirmed."""

    report: Report

    def __iter__(self) -> Iterator[object]:
        """Search; yield solutions as they are found, or None."""


class VerifiedCount:
    """A second count by the verified counter, for a run that is complete."""

    def __init__(self, question: Question, first: FirstRun, options: Options, another: object) -> None:
        """Take the question, the first run and its options; ``add_boolean`` is not used."""
        self._question = question
        self._report = first.report
        self._memory = options.memory

    def confirm(self, stop: threading.Event) -> SecondCount:
        """Count by the verified counter and return the confirmation, with what both counts have in common.

        It counts all solutions and, if the group is small, also the orbits. Raises `CheckError` if the counts differ,
        `InputError` if the model is not an exact cover with all variables in the key, `Stopped` once the event is set.
        Raises `MemoryError` if the counter needs more memory than it may take.
        """
        model, group = self._question.model, self._question.group
        hidden = set(range(len(model.proto.variables))) - set(self._question.key.variables)
        if any(size_of(domain_of(model.proto.variables[variable])) > 1 for variable in hidden):
            raise InputError("`--verified` counts exact covers, and the model has variables that are not in its key")
        counts = self._counts(stop)
        self._compare("solutions in all", self._report.total, counts[0])
        in_common = [DECLARED]  # what both counts rest on: the model as it is declared, and its symmetries
        if len(counts) == 1:  # the orbits were not counted
            in_common.append("what is said of its symmetries")
        else:
            self._compare("solutions up to symmetry", self._report.solutions, counts[1])
            in_common += ["its symmetries"] if group.order > 1 and counts[0] else []
        return SecondCount(VERIFIED, in_common, probable=False, checksum=checksum())

    def _counts(self, stop: threading.Event) -> list[int]:
        """Return [number of solutions, number of orbits], or the first alone if the counter does not know the second.

        It knows both for small groups that map the model's rules to rules, and without symmetries or without solutions,
        where they are equal. Raises what `count` raises.
        """
        model = self._question.model
        key = self._question.key
        group = self._question.group
        names = [variable.name or str(index) for index, variable in enumerate(model.proto.variables)]

        def counts_by_program(images: Sequence[Image]) -> list[int]:
            """Return the counts of the model, [solutions, orbits], or [solutions] without symmetries.

            images: for each symmetry but the identity, the image of each literal.
            """
            return count(knuth_text(cover_of(model, images), names, images), stop, self._memory)

        if isinstance(group, ListedGroup) and group.order > 1 and group.order**2 * len(key.labels) <= MOST_IMAGES:
            with suppress(InputError):  # the other count says why, if it is for another reason than the symmetries
                numbers = counts_by_program([image_of(element, key, len(names)) for element in group.elements[1:]])
                return [numbers[0], numbers[-1]]  # one number alone if the symmetries change no solution
        (total,) = counts_by_program([])
        return [total] if total and group.order > 1 else [total, total]

    def _compare(self, counted: str, first: int, second: int) -> None:
        """Raise `CheckError` if two numbers differ: that of the first run and that of the verified counter.

        counted: what was counted, in words.
        """
        report = self._report
        if first != second:
            raise CheckError(
                f"{report.puzzle}: two counts differ: {report.searched_by} says {first} {counted}, "
                f"but the {VERIFIED} {second}"
            )


def image_of(element: Permutation, key: Key, variables: int) -> dict[int, int]:
    """Return the image of each literal of a model, in the proto's convention, under a permutation of a key's literals.

    A literal of the model is i for the variable of this index, and -i - 1 for its negation. Literals of variables that
    are not in the key stay. Raises `InputError` if the images of a variable and its negation are not each other's
    negations. element: the permutation, as the number of each literal's image. variables: the number of variables of
    the model.
    """

    def in_model(number: int) -> int:
        """Return the model's literal for a literal of the key."""
        position, value = key.literal(number)
        return key.variables[position] if value else negation(key.variables[position])

    image = {in_model(number): in_model(int(image_number)) for number, image_number in enumerate(element)}
    image |= {  # of a variable whose other literal is not in the key
        negation(literal): negation(target) for literal, target in image.items() if negation(literal) not in image
    }
    if any(image[negation(literal)] != negation(target) for literal, target in image.items()):
        raise InputError("a symmetry does not carry the negation of a variable to that of its image")
    return {literal: literal for literal in range(-variables, variables)} | image
