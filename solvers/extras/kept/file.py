"""The file of a kept count: written after a run, and asked without counting again."""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np

from models.puzzle import Literal, Puzzle
from solvers.backends.cover import as_cover
from solvers.errors import BudgetError, CheckError, InputError, Stopped
from solvers.extras.counting.count import FREE_MEMORY_SHARE, KEPT_LAYERS, free_memory
from solvers.extras.counting.frontier import Frontier
from solvers.extras.counting.reduced_cover import Instance, instance
from solvers.extras.kept.diagram import Diagram, Numbers, diagram_of
from solvers.extras.marginals import Marginals
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

KEPT_FORMAT = 2

ARRAYS = ("sources", "targets", "options", "layers", "members", "item_options", "items")


class KeptFile(FileOutput):
    """The file of ``--keep``: the graph of a complete count, from which other questions are answered."""

    def __init__(self, path: str) -> None:
        """Take the path of the file to write; raise `InputError` if it cannot be written."""
        super().__init__(path, "--keep")
        self.absence = f"{self.path} was not written"

    def begin(self, question: Question) -> None:
        """Let the count keep its layers.

        Raise `InputError` if the model is not an exact cover, or something is given.
        """
        if question.given:
            raise InputError("--keep saves all solutions; leave out --given here, and use it with the command kept")
        if as_cover(question.model, question.key.variables) is None:
            raise InputError(f"{question.puzzle.name} is not an exact cover with all of its variables in the key")
        KEPT_LAYERS[question.group] = None

    def finish(self, run: EndedRun, is_over: Callable[[], bool]) -> str:
        """Write the graph of the count; return "", or a sentence that says why no file was written.

        If the run did not count by layers, this counts again by layers. is_over: not used; the time limit of the run
        ends the work. Raises `BudgetError` if memory is short.
        """
        question, report = run.question, run.report
        if question is None or not report.complete or report.stopped_by:
            return f"{self.absence}, because not all solutions were counted"
        try:
            run.work_on(lambda stop: self._write(question, run, stop))
        except Stopped:
            return self.absence
        return ""

    def _write(self, question: Question, run: EndedRun, stop: Event) -> None:
        """Write the file; raises `Stopped` once the event is set, `BudgetError` if memory is short.

        Raises `CheckError` if counting again by layers gives another number.
        """
        cover = as_cover(question.model, question.key.variables)
        assert cover is not None
        kept = KEPT_LAYERS.pop(question.group, None)
        if isinstance(kept, BudgetError):
            raise kept
        part, frontier = kept or self._counted(cover, run.report, stop)
        diagram = diagram_of(frontier, run.report.total)
        arrays = {**vars_of(diagram), **vars_of_cover(part, cover.variables)}
        facts = {
            "format": KEPT_FORMAT,
            "puzzle": run.report.puzzle,
            "parameters": {name: plain(value) for name, value in run.report.parameters.items()},
            "model": checksum(question.model, question.key),
            "total": str(run.report.total),
            "chosen": list(part.chosen),
        }
        facts["seal"] = _seal(facts, arrays)
        try:
            with self.part.open("wb") as stream:
                text = np.frombuffer(json.dumps(facts).encode(), dtype=np.uint8)
                np.savez_compressed(stream, facts=text, **arrays)  # type: ignore[arg-type]
            self.part.replace(self.path)
        finally:
            self.part.unlink(missing_ok=True)

    @staticmethod
    def _counted(cover: ExactCover, report: Report, stop: Event) -> tuple[Instance, Frontier]:
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


def vars_of(diagram: Diagram) -> dict[str, Numbers]:
    """Return the arrays of a diagram by name, each in the least integer type that holds its values."""
    arrays = {name: getattr(diagram, name) for name in ("sources", "targets", "options", "layers")}
    return {name: array.astype(np.min_scalar_type(int(array.max(initial=0)))) for name, array in arrays.items()}


def vars_of_cover(part: Instance, variables: int) -> dict[str, Numbers]:
    """Return the arrays of a reduced cover that answers need, by name.

    "members": the variable of each option, -1 for a slack. "item_options", "items": the pairs of an option and a
    mandatory item that it covers. variables: the number of variables of the model.
    """
    members = [option if option < variables else -1 for (option,) in part.members]
    pairs = [(n, item) for n, row in enumerate(part.covers) for item in row if item < part.mandatory]
    item_options, items = np.array(pairs, dtype=np.int32).reshape(-1, 2).T
    return {"members": np.array(members, dtype=np.int32), "item_options": item_options, "items": items}


def _seal(facts: dict[str, Any], arrays: dict[str, Numbers]) -> str:
    """Return a hash, in hexadecimal, of the content of a file: its facts and its arrays, by name."""
    told = json.dumps({name: fact for name, fact in facts.items() if name != "seal"}).encode()
    return hashlib.sha256(told + b"".join(np.ascontiguousarray(arrays[name]).tobytes() for name in ARRAYS)).hexdigest()


NO_EDGES: Numbers = np.zeros(0, dtype=np.int64)

NOTHING = Diagram(NO_EDGES, NO_EDGES, NO_EDGES, np.zeros(1, dtype=np.int64), 0)
"""The graph without a solution."""


class KeptCount:
    """A kept count, which answers questions about all its solutions or about those that have given facts.

    In all methods, ``given`` holds facts, as literals or as texts that `solve` takes.
    """

    def __init__(self, path: str | Path, puzzle: Puzzle | None = None) -> None:
        """Read the file at this path.

        puzzle: the declared puzzle; if left out, it is declared again by its name and parameters.

        Raises `InputError` if the file keeps no count, is damaged, or is of another model.
        """
        if not Path(path).is_file():
            raise InputError(f"there is no file {path}")
        try:
            with np.load(path, allow_pickle=False) as kept:
                facts = json.loads(kept["facts"].tobytes())
                arrays = {name: kept[name] for name in ARRAYS}
            is_whole = facts["format"] == KEPT_FORMAT and facts["seal"] == _seal(facts, arrays)
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
        wide = [arrays[name].astype(np.int64) for name in ARRAYS]
        sources, targets, options, layers, self._members, self._item_options, self._items = wide
        self._diagram = Diagram(sources, targets, options, layers, self.total)
        self._chosen = set(facts["chosen"])
        self._option = {variable: option for option, variable in enumerate(self._members.tolist()) if variable >= 0}

    def facts(self, given: Iterable[str | Literal]) -> list[Fact]:
        """Return facts from texts or literals as ``--given`` takes them.

        Raises `InputError` for a fact that the puzzle lacks.
        """
        return given_facts(self.puzzle, self.key, given)

    def count(self, given: Sequence[str | Literal] = ()) -> int:
        """Return the number of solutions, in all, that have the given facts.

        Raises `InputError` for facts that cannot be asked of a kept count.
        """
        diagram, allowed = self._asked(given)
        return diagram.count(allowed)

    def marginals(self, given: Sequence[str | Literal] = ()) -> Marginals:
        """Return, for each literal, the number of solutions with the given facts in which it is true.

        Raises `InputError` for facts that cannot be asked of a kept count.
        """
        diagram, allowed = self._asked(given)
        total, uses = diagram.count(allowed), diagram.uses(allowed)
        of_variable = {variable: uses[option] for variable, option in self._option.items()}
        of_variable |= dict.fromkeys(self._chosen, total)
        counts = []
        for position, value in map(self.key.literal, range(self.key.size)):
            used = of_variable.get(self.key.variables[position], 0)
            counts.append(used if value else total - used)
        return Marginals(self.puzzle, self.key, counts, total)

    def sample(self, count: int, given: Sequence[str | Literal] = (), seed: int = 0) -> Solutions:
        """Draw solutions that have the given facts, uniformly at random.

        The result is empty if no solution has these facts.

        count: how many to draw, with repetition. seed: the seed of the random numbers. Raises `InputError` for facts
        that cannot be asked of a kept count.
        """
        drawn = Solutions()
        diagram, allowed = self._asked(given)
        for options in diagram.sample(allowed, count, seed):
            taken = {int(self._members[option]) for option in options} | self._chosen
            values = {
                label: 1
                for label, variable in zip(self.key.labels, self.key.variables, strict=True)
                if variable in taken
            }
            drawn.append(Solution(values, self.key, self.puzzle))
        return drawn

    def by(self, property: Callable[[Any], int], given: Sequence[str | Literal] = ()) -> dict[int, int]:
        """Return the number of solutions with the given facts by the sum of a property.

        The sum is over the labels whose value is 1. property: returns an integer from 0 for each label, such as 1 for
        the places of a piece, or for those in a corner. Raises `InputError` if it returns a negative number, or for
        facts that cannot be asked.
        """
        of_variable = dict(zip(self.key.variables, map(property, self.key.labels), strict=True))
        weights = np.array([of_variable[v] if v >= 0 else 0 for v in self._members.tolist()], dtype=np.int64)
        if weights.min(initial=0) < 0:
            raise InputError("a property is a number from 0 for each label")
        always = sum(of_variable[variable] for variable in self._chosen if variable in of_variable)
        diagram, allowed = self._asked(given)
        found = diagram.by_sum(allowed, weights)
        return {number + always: count for number, count in found.items()}

    def _asked(self, given: Sequence[str | Literal]) -> tuple[Diagram, Numbers]:
        """Return (graph, allowed) for the solutions with the given facts.

        ``allowed`` is 1 or 0 for each option. The graph is empty if a given fact contradicts what every solution has.
        Raises `InputError` for facts that the puzzle lacks, or that cannot be asked of a kept count.
        """
        allowed = np.ones(len(self._members), dtype=np.int64)
        can_hold = True
        for fact in self.facts(given):
            for literals in (*([number ^ 1] for number in fact.excluded), fact.literals):
                can_hold &= not literals or self._hold(allowed, literals, fact)
        return self._diagram if can_hold else NOTHING, allowed

    def _hold(self, allowed: Numbers, literals: Sequence[int], fact: Fact) -> bool:
        """Forbid options so that one of the literals is true; return False if none of them can be true.

        allowed: 1 or 0 for each option; changed in place. literals: by number. fact: the fact to which the literals
        belong, for messages. Raises `InputError` if the fact cannot be asked of a kept count.
        """
        pairs = [(self.key.variables[position], value) for position, value in map(self.key.literal, literals)]
        if any((variable in self._chosen) == bool(value) for variable, value in pairs if variable not in self._option):
            return True
        some = [(self._option[variable], value) for variable, value in pairs if variable in self._option]
        if not some:
            return False
        if len(some) == 1 and not some[0][1]:
            allowed[some[0][0]] = 0
        elif all(value for _, value in some):
            self._cover_by(allowed, [option for option, _ in some], fact)
        else:
            raise InputError(f"{fact.text} cannot be asked of a kept count; count with --given")
        return True

    def _cover_by(self, allowed: Numbers, options: list[int], fact: Fact) -> None:
        """Forbid all other options that cover an item which all of ``options`` cover.

        Then each solution has one of ``options``. allowed: 1 or 0 for each option; changed in place. fact: for the
        message of the `InputError` that is raised if the options share no item.
        """
        covered = [set(self._items[self._item_options == option].tolist()) for option in options]
        shared = set.intersection(*covered)
        if not shared:
            raise InputError(f"{fact.text} cannot be asked of a kept count; count with --given")
        others = set(self._item_options[np.isin(self._items, list(shared))].tolist()) - set(options)
        allowed[list(others)] = 0
