"""Certificates: files from which a count can be checked again without any of the code that found it."""

from __future__ import annotations

import hashlib
import json
import lzma
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from fractions import Fraction
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from threading import Event
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from models.puzzle import Label
from solvers.backends.sat import DEFAULT, Oracle
from solvers.base.deadline import thread_pool
from solvers.base.errors import CheckError, InputError, Stopped, WrongSymmetryError
from solvers.cnf.arithmetic import Binary
from solvers.cnf.gates import FALSE, TRUE
from solvers.cnf.lower import Lowering, lower
from solvers.cnf.propagation import ASSIGNMENTS_PER_CALL, ParallelPropagation
from solvers.extras.evidence import checker
from solvers.extras.evidence.cadical_refutation import refute
from solvers.extras.evidence.checker.check import BAD_INPUT, PROOF_ENDING, SOUND, UNSOUND
from solvers.extras.evidence.cover_refutation import is_refutable, refute_cover
from solvers.extras.evidence.verified_checkers import VERIFIED_CHECKERS
from solvers.extras.shared.programs import run_program
from solvers.model.exact_cover import exact_cover
from solvers.outputs.folder import FolderOutput
from solvers.outputs.output import EndedRun
from solvers.running.question import Question
from solvers.show.evidence import CHECKED, UNCHECKED
from solvers.show.plain import json_value, plain_label
from solvers.show.report import Report
from solvers.symmetry.groups import MAX_GROUP_ELEMENTS
from solvers.symmetry.key import Encoded

MAX_NAME_CHARACTERS = 50
"""The characters of a puzzle's name in the names of files, which may have 255 bytes."""

PROOF_PRESET = 1
"""The preset of `lzma` for proofs. The next one takes more than twice as long, and saves a thirtieth."""

NO_SOLUTION = "a solution of the model violates the clauses made from it"


class CertificateFolder(FolderOutput):
    """The output that writes the certificate of a complete run, and has the checker read it.

    For another run it only returns a sentence.
    """

    absence = "there is no certificate"

    def __init__(self, path: str, *, no_check: bool = False) -> None:
        """Take the path of the folder, which must be new or empty.

        no_check: do not check the certificate once it is written. Raises `InputError` if the folder cannot be written.
        """
        super().__init__(path, in_new_folders=True)
        self._no_check = no_check
        self._lowering: Lowering | None = None

    def begin(self, question: Question) -> None:
        """Translate the model, without symmetry breaking, into clauses.

        Raises `InputError` if the model cannot be translated, or if there are too many symmetries. Raises `Stopped`
        once the event is set.
        """
        if question.group.order > MAX_GROUP_ELEMENTS:
            raise InputError(
                f"{question.puzzle.name} cannot be certified under {question.group.order} symmetries, as a certificate "
                f"is of at most {MAX_GROUP_ELEMENTS}; choose `--symmetry none`"
            )
        try:
            self._lowering = lower(question.model, Event())
        except InputError as error:
            raise InputError(
                f"{question.puzzle.name} cannot be certified, because it cannot be written as clauses: {error}"
            ) from error

    def finish(self, run: EndedRun, is_over: Callable[[], bool]) -> str:
        """Write the certificate and check it, however long that takes; return "", or a sentence on what is missing.

        A refused certificate is removed. is_over: not asked. Raises `CheckError` if there are more solutions than were
        found, or the checker refuses what was written; `WrongSymmetryError` if there are more solutions and the
        symmetries are not proved; `MemoryError` if the checker runs out of memory.
        """
        question = run.question
        lowering = self._lowering
        report = run.report
        if question is None or lowering is None or not report.complete or report.stopped_by:
            return self.absence
        least = run.in_order()
        try:
            with self.folder() as folder:
                # `work_on` does the work in a thread, within the time limit of the run, and returns its seconds.
                seconds = run.work_on(lambda stop: certify_solutions(question, lowering, least, report, folder, stop))
            run.add_seconds(certify=seconds)
            run.add_facts(certificate=UNCHECKED)
            self.absence = "the certificate is written, not checked"
            if self._no_check:
                return ""
            seconds += run.work_on(lambda stop: check_apart(self.path))
        except Stopped:
            return self.absence
        except RefusedError:
            shutil.rmtree(self.path)
            raise
        except CheckError as error:
            if report.symmetry_proved:
                raise
            raise WrongSymmetryError(question.group.names, f"cannot be certified: {error}") from error
        run.add_seconds(certify=seconds)
        run.add_facts(certificate=CHECKED, symmetry_proved=True)
        return ""


class RefusedError(CheckError):
    """Raised if the checker refuses a certificate; the message says why."""


def check_apart(directory: Path) -> None:
    """Let the checker read the certificate in a directory, in a Python of its own that finds nothing else of ours.

    The last line that it prints on stderr has the reason. Raises `RefusedError` if the certificate is wrong,
    `MemoryError` if the checker ends without a verdict, `Stopped` once this thread is told to stop.
    """
    done = run_program([sys.executable, "-I", "-S", str(Path(checker.__file__).parent), str(directory)])
    if done.returncode in (UNSOUND, BAD_INPUT):
        reason = done.stderr.strip().rpartition("\n")[2].removeprefix("kazoeru: ")
        raise RefusedError(f"the checker refuses what was written: {reason}")
    if done.returncode != SOUND:
        raise MemoryError


def certify_solutions(
    question: Question, lowering: Lowering, least: Iterable[Encoded], report: Report, directory: Path, stop: Event
) -> None:
    """Write all files of a certificate into a directory.

    The file of solutions lists the first one by its true variables, and each other one by those in which it differs
    from the first. The formula is the clauses of the model, those that bound its objective, and those that exclude each
    solution; the proof refutes it. The map says which literal gives which value to which key variable.

    question: the question of the run. lowering: the clauses of its model. least: the least solution of each orbit, as
    the run found them. report: the report of the run. directory: an empty folder.

    Raises `CheckError` if there are more solutions, OSError if the disk is full, `Stopped` once ``stop`` is set.
    """
    name = re.sub(r"[^\w-]+", "-", Path(report.puzzle).stem).strip("-")[:MAX_NAME_CHARACTERS] or "puzzle"
    formula = _Formula(question, lowering, report.objective, stop)
    exclusions = list[list[int]]()
    reference = np.zeros(formula.variables, np.bool_)  # nothing true, from the second solution on the first one
    # Every image of each least solution, as literal numbers of the key.
    all_solutions = chain.from_iterable(map(question.group.each_image, least))
    with _open_text(directory / f"{name}.solutions") as stream:
        for truth_values in formula.formula_models(all_solutions):
            stream.write(_line((np.flatnonzero(truth_values != reference) + 1).tolist()))
            if not exclusions:
                reference = truth_values
            exclusions.append(formula.excluding(truth_values))
    # Repeated literals of a clause are left out.
    clauses = [list(dict.fromkeys(clause)) for clause in (*formula.model, *formula.bound, *exclusions)]
    with _open_text(directory / f"{name}.cnf") as stream:
        stream.write(f"p cnf {formula.variables} {len(clauses)}\n")
        stream.writelines(map(_line, clauses))
    with _open_text(directory / f"{name}.map") as stream:
        stream.writelines(json.dumps(line, default=plain_label) + "\n" for line in formula.map)
    _write_proof(directory / f"{name}{PROOF_ENDING}", formula.refutation(clauses, directory))
    certificate = {
        "puzzle": report.puzzle,
        "parameters": {parameter: json_value(value) for parameter, value in report.parameters.items()},
        "given": report.given,
        "solutions": report.solutions,
        "total": report.total,
        "objective": formula.objective,
        "clauses": {"bound": len(formula.bound), "excluded": len(exclusions)},
        "generators": [generator.tolist() for generator in question.group.generators if question.group.order > 1],
        "files": {file.name: _fingerprint(file) for file in sorted(directory.iterdir())},
        "versions": report.versions,
        "commands": _commands(name),
    }
    with _open_text(directory / "certificate.json") as stream:
        stream.write(_with_fingerprint(certificate))


def _commands(name: str) -> list[str]:
    """Return the commands that check a certificate, as one types them in a shell.

    They run this project's checker, and verified ones. name: the name of the files, without ending.
    """
    cnf, lrat = f"{name}.cnf", f"{name}.lrat"
    others = [
        f"cd DIR && xz -dc {name}{PROOF_ENDING} > {lrat} && {verified.shell_command(cnf, lrat)}"
        for verified in VERIFIED_CHECKERS
    ]
    return ["python -m solvers check DIR", *others]


def _open_text(path: Path) -> TextIO:
    """Open a text file for writing."""
    return path.open("w", encoding="utf-8", newline="\n")


def _line(numbers: Iterable[int]) -> str:
    """Return numbers as a line of text that ends with 0."""
    return f"{' '.join(map(str, numbers))} 0\n"


def _with_fingerprint(certificate: Mapping[str, object]) -> str:
    """Return the certificate as JSON with an entry on each line.

    The last entry is the SHA-256 of all other lines. certificate: all entries but that one.
    """
    entries = "".join(f"{json.dumps(name)}: {json.dumps(value)},\n" for name, value in certificate.items())
    fingerprint = hashlib.sha256(f"{{\n{entries}}}\n".encode()).hexdigest()
    return f'{{\n{entries}"fingerprint": "{fingerprint}"\n}}\n'


def _fingerprint(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _write_proof(path: Path, text: Iterator[bytes]) -> None:
    """Write the text of a refutation, compressed."""
    with thread_pool(1) as executor, lzma.open(path, "wb", preset=PROOF_PRESET) as stream:
        stream.writelines(_ahead(text, executor))


def _ahead(parts: Iterator[bytes], executor: Executor) -> Iterator[bytes]:
    """Yield the parts; the next part is made in another thread while the caller uses one.

    executor: has that thread. A part of None means that there are no more.
    """
    next_part = executor.submit(next, parts, None)
    while (part := next_part.result()) is not None:
        next_part = executor.submit(next, parts, None)
        yield part


class _Formula:
    """The clauses of a model without symmetry breaking, and its solutions as literals.

    If the model has an objective, further clauses bound it by the best value.
    """

    objective: dict[str, object] | None = None
    """The best value, its cost, and the literals that make the cost in binary, the least bit first.

    None without objective.

    The value of each cost is scale times the cost, plus an offset: fractions, as a cost of many digits is exact.
    """

    bound: Sequence[Sequence[int]] = ()
    """The clauses that say that the cost is at most the best one."""

    map: Sequence[tuple[int, Label, object]]
    """Rows of (literal of the formula, label of a key variable, its value where that literal is true).

    Without symmetries a variable of many values is mapped bit by bit: its value is the sum of what the literals add.
    """

    def __init__(self, question: Question, lowering: Lowering, best: Any, stop: Event) -> None:
        """Prepare the clauses and the map; add the clauses that bound the objective.

        question, lowering: the question of the run, and the clauses of its model. best: the best value of the
        objective, or None. stop: ends the searches for values of variables when set.
        """
        self._question = question
        self._stop = stop
        self._lowering = lowering
        self._formula = self._lowering.formula
        self.map = list(self._map_rows())
        # The literals that determine the values of the key.
        self._projection = self._lowering.projection(question.key.variables)
        self._costly: Sequence[int] = ()  # the bits of the cost that the best one has
        if best is not None:
            self._require_best_cost(best)

    @property
    def variables(self) -> int:
        """The number of variables of the formula."""
        return self._formula.variables

    @property
    def model(self) -> Sequence[Sequence[int]]:
        """The clauses of the model."""
        return self._formula.clauses

    def _map_rows(self) -> Iterator[tuple[int, Label, object]]:
        """Yield the rows of the map; see `_Formula.map`.

        A number in binary is the sum of a base and of weights, each where its literal is true. Symmetries permute
        values, so with symmetries each value of a variable has a literal and a row.
        """
        key, lowering = self._question.key, self._lowering
        for position, (label, variable) in enumerate(zip(key.labels, key.variables, strict=True)):
            lowered = lowering.numbers[variable]
            if isinstance(lowered, Binary) and self._question.group.order == 1:
                base, weighted = lowered.literal_weights()
                for weight, literal in [(base, TRUE), *weighted]:
                    yield literal, label, {"adds": weight}
            else:
                for literal_number in range(key.first[position], key.first[position + 1]):
                    _, value = key.literal(literal_number)
                    yield lowered.equals(value), label, value

    def formula_models(self, solutions: Iterable[Encoded]) -> Iterator[NDArray[np.bool_]]:
        """Yield, for each solution of the model, the truth values of all variables of the formula.

        Unit propagation from the values of the key finds them, for many solutions at once; where it does not determine
        all variables, a SAT solver does. Each is decoded again, as a check. solutions: as literal numbers of the key.
        Raises `CheckError` if a solution of the model is not a solution of the formula.
        """
        clauses = [*self._formula.clauses, *self.bound]
        key = self._question.key
        unread = iter(solutions)
        propagation = ParallelPropagation(clauses, self.variables)
        oracle: Oracle | None = None
        while batch := list(islice(unread, ASSIGNMENTS_PER_CALL)):
            assignments = key.value_rows(key.literal_rows(batch))
            # For each literal that the key determines, its truth values in all solutions of the batch.
            given = self._lowering.truth_values(key.variables, assignments)
            # A column of ``true`` is a solution; ``is_determined`` says of which ones propagation found all values.
            true, is_determined = propagation.values(given, len(batch), self._stop)
            for column in np.flatnonzero(~is_determined).tolist():
                if oracle is None:
                    oracle = Oracle(DEFAULT, self._stop)
                    oracle.add(clauses)
                model = oracle.solve([literal for literal, holds in given.items() if holds[column]])
                if model is None:
                    raise CheckError(NO_SOLUTION)
                true[:, column] = np.isin(np.arange(1, self.variables + 1), model)
            # The values of the formula's variables have to give the solution back.
            if key.tuples(key.number_rows(self._lowering.rows(true))) != batch:
                raise CheckError(NO_SOLUTION)
            yield from true.T

    def excluding(self, true: NDArray[np.bool_]) -> list[int]:
        """Return the clause that excludes one solution: not all of its distinguishing literals are true.

        It is false in this solution, and true in solutions with other key values or a lower cost. A clause about the
        key only would also exclude a better solution with the same key, so that a bound that is too weak would go
        unnoticed. true: the truth values of all variables of the formula; that of variable v is at v - 1.
        """
        literals = self._distinguishing_literals
        is_true = true[abs(literals) - 1] == (literals > 0)
        return (-literals[is_true]).tolist() or [FALSE]

    @cached_property
    def _distinguishing_literals(self) -> NDArray[np.int64]:
        """The literals in which solutions, or their costs, differ."""
        return np.array([literal for literal in chain(self._projection, self._costly) if literal != TRUE], np.int64)

    def refutation(self, clauses: Sequence[Sequence[int]], directory: Path) -> Iterator[bytes]:
        """Yield the text of a refutation of the clauses, which end with those that exclude all solutions.

        If the model is an exact cover, the refutation comes from our own search, otherwise from CaDiCaL. directory: the
        folder for temporary files. Raises `CheckError` if the clauses have a solution, `Stopped` once the event is set.
        Raises OSError if the disk is full.
        """
        with suppress(InputError):
            cover = exact_cover(self._question.model)
            if is_refutable(cover, self._question.key.variables):
                return refute_cover(cover, self._lowering, clauses, self._stop)
        return refute(clauses, directory, self._stop)

    def _require_best_cost(self, best: int | float) -> None:
        """Add the clauses that bound the cost by that of the best value.

        The formula has the cost in binary: the objective by its scale, less ``cost.low``, so that it is not negative.
        A cost is at most the best one if for each bit that it has and the best one lacks, it lacks some higher bit that
        the best one has. best: the best value.
        """
        cost = self._lowering.objective
        assert cost is not None
        proto = self._question.model.proto
        if proto.has_objective():
            scale = Fraction(proto.objective.scaling_factor or 1)
            # value = scale * cost + offset, where the cost begins at 0.
            offset = scale * (Fraction(proto.objective.offset) + cost.low)
        else:
            scale = Fraction(-1 if proto.floating_point_objective.maximize else 1)
            offset = Fraction(proto.floating_point_objective.offset) + scale * cost.low
        best_cost = round((Fraction(best) - offset) / scale)
        bits = list(cost.bits)
        bits_of_best = [place for place in range(len(bits)) if best_cost >> place & 1]
        self.bound = [
            [-bit, *(-bits[higher] for higher in bits_of_best if higher > place)]
            for place, bit in enumerate(bits)
            if place not in bits_of_best
        ]
        self._costly = [bits[place] for place in bits_of_best]
        self.objective = {
            "best": best,
            "scale": scale.as_integer_ratio(),
            "offset": offset.as_integer_ratio(),
            "cost": best_cost,
            "bits": bits,
        }
