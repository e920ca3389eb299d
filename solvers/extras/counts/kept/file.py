"""The file of a kept count: written after a run, and asked without counting again."""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np

from models.puzzle import Literal, Puzzle
from solvers.backends.cover import as_cover
from solvers.base.endings import Ending
from solvers.base.errors import BudgetError, CheckError, InputError, Stopped
from solvers.extras.counts.counting.count import FREE_MEMORY_SHARE, KEPT_LAYERS, free_memory
from solvers.extras.counts.counting.formula import KEPT_FORMULAS, compile_model, is_installed
from solvers.extras.counts.counting.frontier import Frontier
from solvers.extras.counts.counting.reduced_cover import Instance, instance
from solvers.extras.counts.kept.circuit import Circuit, KeptCircuit, Numbers
from solvers.extras.counts.kept.compiled import of_formula
from solvers.extras.counts.kept.layers import of_layers
from solvers.extras.pictures.marginals import Marginals
from solvers.extras.shared.tuning import EXTRAS_TUNING
from solvers.files.catalogue import find
from solvers.files.given import Fact, given_facts
from solvers.model.exact_cover import ExactCover
from solvers.outputs.output import EndedRun, FileOutput
from solvers.running.question import Question
from solvers.running.stated import modelled
from solvers.show.plain import plain
from solvers.show.report import Report
from solvers.show.shown import Solution, Solutions
from solvers.symmetry.key import Key, checksum

KEPT_FORMAT = 3

ARRAYS = ("left", "right", "terms", "levels", "literals", "choices", "chosen")


class KeptFile(FileOutput):
    """The file of ``--keep``: the circuit of a complete count, from which other questions are answered."""

    def __init__(self, path: str) -> None:
        """Take the path of the file to write; raise `InputError` if it cannot be written."""
        super().__init__(path, "--keep")
        self.absence = f"{self.path} was not written"

    def begin(self, question: Question) -> None:
        """Let the count keep its layers, or the formula that it compiles.

        Raise `InputError` if something is given, or if the model is not an exact cover and D4 is not installed, or the
        key has too many literals.
        """
        name, literals = question.puzzle.name, question.key.size
        if question.given:
            raise InputError("--keep saves all solutions; leave out --given here, and use it with the command kept")
        if as_cover(question.model, question.key.variables) is not None:
            KEPT_LAYERS[question.group] = None
        elif not is_installed():
            raise InputError(f"{name} is not an exact cover, so --keep needs D4: pip install '.[count]'")
        elif literals > EXTRAS_TUNING.max_kept_literals:
            size = f"its key has {literals} literals; --keep takes at most {EXTRAS_TUNING.max_kept_literals}"
            raise InputError(f"{name} is not an exact cover, and {size}")
        else:
            KEPT_FORMULAS[question.group] = None

    def finish(self, run: EndedRun, is_over: Callable[[], bool]) -> str:
        """Write the circuit of the count; return "", or a sentence that says why no file was written.

        If the run did not count by layers, or compile the formula, this does it. is_over: not used; the time limit of
        the run ends the work. Raises `BudgetError` if memory is short, `InputError` if the model has no formula.
        """
        question, report = run.question, run.report
        if question is None or not report.complete or report.stopped_by:
            return f"{self.absence}, because not all solutions were counted"
        try:
            run.work_on(lambda stop: self._write(question, run.report, stop))
        except Stopped:
            return self.absence
        except MemoryError:
            raise BudgetError(Ending.NO_MEMORY.words) from None
        return ""

    def _write(self, question: Question, report: Report, stop: Event) -> None:
        """Write the file; raises `Stopped` once the event is set, `BudgetError` if memory is short.

        report: the report of the run. Raises `CheckError` if another number of solutions is kept.
        """
        kept = self._count_to_keep(question, report, stop)
        total = kept.circuit.count(np.ones(kept.circuit.inputs, dtype=np.int64))
        if total != report.total:
            raise CheckError(f"{report.puzzle}: {report.total} solutions were counted, but {total} are kept")
        arrays = arrays_of(kept)
        facts = {
            "format": KEPT_FORMAT,
            "puzzle": report.puzzle,
            "parameters": {name: plain(value) for name, value in report.parameters.items()},
            "model": checksum(question.model, question.key),
            "total": str(total),
            "inputs": kept.circuit.inputs,
        }
        facts["seal"] = _seal(facts, arrays)
        try:
            with self.part.open("wb") as stream:
                text = np.frombuffer(json.dumps(facts).encode(), dtype=np.uint8)
                np.savez_compressed(stream, facts=text, **arrays)  # type: ignore[arg-type]
            if stop.is_set():
                raise Stopped
            self.part.replace(self.path)
        finally:
            self.part.unlink(missing_ok=True)

    def _count_to_keep(self, question: Question, report: Report, stop: Event) -> KeptCircuit:
        """Return what is kept of a run, or of another count in its place; raises what `_write` does."""
        cover = as_cover(question.model, question.key.variables)
        if cover is None:
            compiled = KEPT_FORMULAS.pop(question.group, None) or compile_model(question.model, question.key, stop)
            return of_formula(compiled.nnf, compiled.literals, compiled.choices, question.key, stop)
        layers = KEPT_LAYERS.pop(question.group, None)
        if isinstance(layers, BudgetError):
            raise layers
        part, frontier = layers or self._count_by_layers(cover, report, stop)
        return of_layers(part, frontier, report.total, question.key)

    @staticmethod
    def _count_by_layers(cover: ExactCover, report: Report, stop: Event) -> tuple[Instance, Frontier]:
        """Count by layers, for a run that counted in another way.

        Returns (the reduced cover, the count with its layers). report: the report of the run. Raises `CheckError` if
        the counts differ, `Stopped` once the event is set, `BudgetError` if memory is short.
        """
        part = instance(cover)
        frontier = Frontier(part, stop, budget=int(FREE_MEMORY_SHARE * free_memory()), keep=True)
        total = frontier.count()
        if total != report.total:
            raise CheckError(f"{report.puzzle}: {report.total} solutions were counted, but {total} are kept")
        return part, frontier


def arrays_of(kept: KeptCircuit) -> dict[str, Numbers]:
    """Return what is kept as arrays by name, each in the least integer type that holds its values.

    "terms": the number of terms of each node, "choices", "chosen": the pairs of a choice and an input that is one of
    it; the others as `Circuit` and `KeptCircuit` have them.
    """
    circuit = kept.circuit
    pairs = [(number, chosen) for number, choice in enumerate(kept.choices) for chosen in choice]
    choices, chosen = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    terms, literals = np.diff(circuit.starts, prepend=0), np.array(kept.literals)
    columns = circuit.left, circuit.right, terms, circuit.levels, literals, choices, chosen
    limits = (
        np.result_type(*map(np.min_scalar_type, (column.min(initial=0), column.max(initial=0)))) for column in columns
    )
    return {name: column.astype(kind) for name, column, kind in zip(ARRAYS, columns, limits, strict=True)}


def _seal(facts: dict[str, Any], arrays: dict[str, Numbers]) -> str:
    """Return a hash, in hexadecimal, of the content of a file: its facts and its arrays, by name."""
    told = json.dumps({name: fact for name, fact in facts.items() if name != "seal"}).encode()
    return hashlib.sha256(told + b"".join(np.ascontiguousarray(arrays[name]).tobytes() for name in ARRAYS)).hexdigest()


class KeptCount:
    """A kept count, which answers questions about all its solutions or about those that have given facts.

    In all methods, ``given`` holds facts, as literals or as texts that `solve` takes.
    """

    def __init__(self, path: str | Path, puzzle: Puzzle | None = None) -> None:
        """Read the file at this path.

        puzzle: the declared puzzle; if left out, it is declared again by its name and parameters.

        Raises `InputError` if the file keeps no count, is damaged, or is of another model or another version.
        """
        if not Path(path).is_file():
            raise InputError(f"there is no file {path}")
        try:
            with np.load(path, allow_pickle=False) as kept:
                facts = json.loads(kept["facts"].tobytes())
                if facts["format"] != KEPT_FORMAT:
                    raise InputError(f"{path} was written by another version of kazoeru; count again with --keep")
                arrays = {name: kept[name] for name in ARRAYS}
            is_whole = facts["seal"] == _seal(facts, arrays)
        except InputError:
            raise
        except (OSError, ValueError, KeyError, EOFError, TypeError, zipfile.BadZipFile, zlib.error):
            is_whole = False
        if not is_whole:
            raise InputError(f"{path} is damaged, or was not written by --keep; write it with run --keep FILE")
        self.puzzle: Puzzle = puzzle or find(facts["puzzle"]).declare(**facts["parameters"])
        model, variables = modelled(self.puzzle)
        self.key = Key(model, variables)
        if checksum(model, self.key) != facts["model"]:
            raise InputError(
                f"{path} was written for another version of the model of {facts['puzzle']}; count again with --keep"
            )
        self.checksum: str = facts["model"]
        """Of the model and the key."""
        self.total = int(facts["total"])
        """The number of all solutions."""
        left, right, terms, levels, self._literals, choices, chosen = (arrays[name].astype(np.int64) for name in ARRAYS)
        self._circuit = Circuit(facts["inputs"], left, right, terms.cumsum(), levels, self.total)
        self._choices = defaultdict[int, set[int]](set)
        for choice, one in zip(choices.tolist(), chosen.tolist(), strict=True):
            self._choices[choice].add(one)
        numbers = map(self.key.literal, range(self.key.size))
        self._is_shown = np.array([bool(value) or not self.key.is_boolean[position] for position, value in numbers])
        """For each literal of the key, whether a solution lists it if it is true."""

    def facts(self, given: Iterable[str | Literal]) -> list[Fact]:
        """Return facts from texts or literals as ``--given`` takes them.

        Raises `InputError` for a fact that the puzzle lacks.
        """
        return given_facts(self.puzzle, self.key, given)

    def count(self, given: Sequence[str | Literal] = ()) -> int:
        """Return the number of solutions, in all, that have the given facts.

        Raises `InputError` for facts that cannot be asked of a kept count.
        """
        circuit, allowed = self._circuit_and_allowed(given)
        return circuit.count(allowed)

    def marginals(self, given: Sequence[str | Literal] = ()) -> Marginals:
        """Return, for each literal, the number of solutions with the given facts in which it is true.

        Raises `InputError` for facts that cannot be asked of a kept count.
        """
        circuit, allowed = self._circuit_and_allowed(given)
        total = circuit.count(allowed)
        uses = [*circuit.uses(allowed), total]
        counts = [uses[code - 1] if code > 0 else total - uses[-code - 1] for code in self._literals.tolist()]
        return Marginals(self.puzzle, self.key, counts, total)

    def sample(self, count: int, given: Sequence[str | Literal] = (), seed: int = 0) -> Solutions:
        """Draw solutions that have the given facts, uniformly at random.

        The result is empty if no solution has these facts.

        count: how many to draw, with repetition. seed: the seed of the random numbers. Raises `InputError` for facts
        that cannot be asked of a kept count.
        """
        drawn, key = Solutions(), self.key
        circuit, allowed = self._circuit_and_allowed(given)
        for inputs in circuit.sample(allowed, count, seed):
            taken = np.zeros(circuit.inputs + 1, dtype=bool)
            taken[[*inputs, circuit.inputs]] = True
            true = (taken[abs(self._literals) - 1] ^ (self._literals < 0)) & self._is_shown
            drawn.append(Solution(key.decode(tuple(np.flatnonzero(true).tolist())), key, self.puzzle))
        return drawn

    def by(self, property: Callable[[Any], int], given: Sequence[str | Literal] = ()) -> dict[int, int]:
        """Return the number of solutions with the given facts by the sum of a property.

        The sum is over the labels, each times its value; so for Booleans it is over the labels whose value is 1.
        property: returns an integer from 0 for each label, such as 1 for the places of a piece, or for those in a
        corner. Raises `InputError` if it returns a negative number, if the sums are too large, or for facts that cannot
        be asked.
        """
        circuit, allowed = self._circuit_and_allowed(given)
        weights, always, key = [0] * (circuit.inputs + 1), 0, self.key
        for position, of_label in enumerate(map(property, key.labels)):
            if of_label < 0:
                raise InputError("a property is a number from 0 for each label")
            least = key.domains[position][0][0]
            always += of_label * least
            for number in range(key.first[position], key.first[position + 1]) if of_label else ():
                if weight := of_label * (key.literal(number)[1] - least):
                    code = int(self._literals[number])
                    for one in [code - 1] if code > 0 else self._other_inputs({-code - 1}) or ():
                        weights[one] += weight
        always += weights.pop()
        return {number + always: count for number, count in circuit.by_sum(allowed, weights).items()}

    def _circuit_and_allowed(self, given: Sequence[str | Literal]) -> tuple[Circuit, Numbers]:
        """Return (circuit, allowed) for the solutions with the given facts.

        ``allowed`` is 1 or 0 for each input. The circuit is empty if a given fact contradicts what every solution has.
        Raises `InputError` for facts that the puzzle lacks, or that cannot be asked of a kept count.
        """
        circuit, can_hold = self._circuit, True
        allowed = np.ones(circuit.inputs, dtype=np.int64)
        for fact in self.facts(given):
            rules = [[-int(self._literals[number])] for number in fact.excluded]
            rules += [self._literals[[*fact.literals]].tolist()] if fact.literals else []
            for codes in rules:
                can_hold &= self._require_one(allowed, codes, fact)
        none = np.zeros(0, dtype=np.int64)
        start = np.zeros(1, dtype=np.int64)
        return circuit if can_hold else Circuit(circuit.inputs, none, none, start, start, 0), allowed

    def _require_one(self, allowed: Numbers, codes: Sequence[int], fact: Fact) -> bool:
        """Forbid inputs so that one of some literals is true; return False if none can be.

        allowed: 1 or 0 for each input; changed in place. codes: the literals as `KeptCircuit` has them. fact: that they
        are from, for the message of the `InputError` that is raised if it cannot be asked of a kept count.
        """
        always = self._circuit.inputs + 1
        some = {*codes} - {-always}
        if always in some:
            return True
        if not some:
            return False
        forbidden = self._other_inputs({code - 1 for code in some}) if min(some) > 0 else None
        if len(some) == 1 and min(some) < 0:
            forbidden = {-code - 1 for code in some}
        if forbidden is None:
            raise InputError(f"{fact.text} cannot be asked of a kept count; count with --given")
        allowed[[*forbidden]] = 0
        return True

    def _other_inputs(self, inputs: set[int]) -> set[int] | None:
        """Return the other inputs of a choice that has all of these, None if there is none.

        So one of ``inputs`` is in each solution that has none of the others.
        """
        return next((choice - inputs for choice in self._choices.values() if inputs <= choice), None)
