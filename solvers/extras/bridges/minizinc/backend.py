"""The backend of other people's solvers of FlatZinc, such as Gecode: each search is a process of the solver.

The model is written as FlatZinc, a cube as constraints. The solver lists all solutions; it branches on the key first,
if it heeds search annotations. Where the key does not determine every variable, it meets a solution several times.
"""

from __future__ import annotations

import random
import re
import select
import tempfile
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import IO, TYPE_CHECKING

from solvers.backends.protocol import Task, ignore
from solvers.base.backend_rows import CLAUSES, FLATZINC, READING
from solvers.base.errors import InputError, Stopped, WorkerDiedError
from solvers.base.values import Values
from solvers.extras.bridges.minizinc.export import FlatZincText, flatzinc_text
from solvers.extras.bridges.minizinc.interpreters import capabilities, interpreters, program_path, solver_name
from solvers.extras.bridges.minizinc.syntax import COMPLETE, SOLUTION, UNSATISFIABLE
from solvers.extras.shared.programs import PROGRAM_POLL_SECONDS, start_tied_program
from solvers.model.reading import has_objective, is_boolean, variable_of
from solvers.model.writing import model_at_sum, take_objective
from solvers.show.printable import printable

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

__all__ = ["FlatZincBackend", "capabilities", "solver_name"]

DEFAULT = "gecode"
"""The solver that is asked if none is named."""

BRANCHING = {False: "first_fail, indomain_min", True: "dom_w_deg, indomain_max"}
"""How to branch on the key, by whether it has Booleans only: these have no smallest domain.

On 3x20 with pentominoes Gecode ends in 5 s, and with either of the two words replaced not in 15 s.
"""

EFFORT = re.compile(r"%%%?(?:mzn-stat:?)? *(nodes|failures|conflicts|decisions|propagations|restarts)[=:] *(\d+)\s*$")
"""A line of statistics that says how much the solver searched."""

BYTES_AT_ONCE = 1 << 16
"""The most bytes that are read at once of what a solver prints."""

FIX = "constraint int_eq(x{}, {});"
"""The line that fixes a variable."""


class FlatZincBackend:
    """The backend ``fzn``, a solver that reads FlatZinc; see `solvers.backends.protocol.Backend`.

    The seed, if it is not 0, shuffles the order in which the solver branches, and is handed to a solver that takes one.

    Raises `InputError` for a model that cannot be written, a solver that is not offered, and for parameters.
    """

    can_go_on = True

    implied: Mapping[str, int] = {}

    def __init__(self, task: Task) -> None:
        """Make the backend ready for a task; raise `InputError` for a model or a parameter that it does not take.

        ``interpreters`` returns the programs that are installed by name, with the flags of MiniZinc that each takes.
        The solver branches on the key first, in its order or a shuffled one. Without its objective, the model is
        written once: to enumerate, once the best value is known, with that value required.
        """
        solver = solver_name(task.solver or DEFAULT)
        self.name = f"fzn:{solver}"
        if task.parameters:
            raise InputError(f"{self.name} has no parameters, so {min(task.parameters)} cannot be set")
        if invalid := task.model.validate():
            raise InputError(f"OR-Tools does not accept the model: {' '.join(invalid.split())}")
        interpreter = interpreters()[solver]
        self._command = [program_path(interpreter.program) or interpreter.program]
        self._flags = ["-s"] if "-s" in interpreter.flags else []
        if task.seed and "-r" in interpreter.flags:
            self._flags += ["-r", str(task.seed)]
        self._model, self._stop = task.model, task.stop
        self._count = len(task.model.proto.variables)
        self._key = list(dict.fromkeys(task.key))
        branching_order = list(self._key)
        if task.seed:
            random.Random(task.seed).shuffle(branching_order)
        names = ", ".join(f"x{index}" for index in branching_order)
        are_booleans = all(is_boolean(task.model.proto.variables[index]) for index in branching_order)
        self._search = f":: int_search([{names}], {BRANCHING[are_booleans]}, complete) " if branching_order else ""
        self._effort = Counter[str]()
        model_without_objective = task.model.clone()
        if has_objective(model_without_objective):
            take_objective(model_without_objective.proto)
        self._plain = self._held = self._flatzinc_of(model_without_objective)
        self.rests_on = [READING, FLATZINC, *([CLAUSES] if self._plain.is_clauses else [])]
        self.size = {"variables": len(self._plain.variables), "constraints": len(self._plain.constraints)}

    def _flatzinc_of(self, model: CpModel) -> FlatZincText:
        """Return a model in FlatZinc, all variables of which are declared."""
        return flatzinc_text(model, range(self._count), self._stop)

    @property
    def statistics(self) -> Mapping[str, int]:
        """The figures of all searches that ended, in the solver's own units; see `Backend.statistics`."""
        return dict(self._effort)

    def optimum(self, improved: Callable[[Values], object] = ignore) -> int | None:
        """Return the least value of the objective, None if there is no solution; see `Backend.optimum`.

        What is enumerated later is the model at this value. improved: called with the values of all variables in each
        solution that the solver prints on the way, each better than the one before.
        """
        total = take_objective(self._model.clone().proto)
        best = None
        for values in self._solutions(self._flatzinc_of(self._model), [], is_all=True):
            best = sum(weight * values[index] for index, weight in total.coefficients.items())
            improved(values)
        self._held = self._flatzinc_of(model_at_sum(self._model, best))
        return best

    def enumerate(self, report: Callable[[Values], None], cube: Sequence[int] = ()) -> None:
        """Call ``report`` for each assignment of the key in the cube, once; see `Backend.enumerate`.

        report: called with the values of all variables. cube: literals that are true, i for the Boolean variable i, -i
        - 1 for its negation.
        """
        lines_of_cube = [FIX.format(variable_of(literal), int(literal >= 0)) for literal in cube]
        keys_reported = set[tuple[int, ...]]()
        with closing(self._solutions(self._held, lines_of_cube, is_all=True)) as solutions:
            for values in solutions:
                key_values = tuple(values[index] for index in self._key)
                if key_values not in keys_reported:
                    keys_reported.add(key_values)
                    report(values)
                    self._heed_stop()

    def extend(self, assignments: Sequence[Mapping[int, int]]) -> list[Values | None]:
        """Return, for each assignment, a solution that agrees with it, or None; see `Backend.extend`.

        assignments: the values of some variables in each, by proto index.
        """
        fixed = ([FIX.format(*pair) for pair in assignment.items()] for assignment in assignments)
        return [next(self._solutions(self._plain, lines, is_all=False), None) for lines in fixed]

    def _heed_stop(self) -> None:
        """Raise `Stopped` if the event of the task is set."""
        if self._stop.is_set():
            raise Stopped

    def _solutions(self, text: FlatZincText, fixed: Sequence[str], is_all: bool) -> Generator[list[int], None, None]:
        """Yield the values of all variables in the solutions that the solver prints.

        The file has one array with all variables as its output. The solver prints it for each solution, a line of
        dashes, at the end a line that says whether these are all, and perhaps statistics, which are added up.

        text: the model. fixed: further lines of constraints. is_all: ask for all solutions, not one. Raises `Stopped`
        once the event is set, `InputError` if the solver takes no such model, `WorkerDiedError` if it breaks off.
        """
        names = ", ".join(f"x{index}" for index in range(self._count))
        output_line = f"array [1..{self._count}] of var int: shown :: output_array([1..{self._count}]) = [{names}];"
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as complaints:
            path = Path(folder) / "model.fzn"
            goal = f"solve {self._search}{text.goal};\n"
            lines = [*text.variables, *([output_line] if names else []), *text.constraints, *fixed, goal]
            path.write_text("\n".join(lines), encoding="ascii")
            words = [*self._command, *(["-a"] if is_all else []), *self._flags, str(path)]
            values = list[int]()
            is_complete = False
            has_solution = False
            for line in self._lines(words, complaints):
                if line == SOLUTION:
                    has_solution = True
                    yield values
                elif line in (COMPLETE, UNSATISFIABLE):
                    is_complete = True
                elif effort := EFFORT.match(line):
                    self._effort[effort[1]] += int(effort[2])
                elif line.startswith("shown = "):
                    values = [int(word) for word in line[line.index("[") + 1 : line.index("]")].split(",")]
            if not is_complete and (is_all or not has_solution):
                complaints.seek(0)
                self._complain(complaints.read(BYTES_AT_ONCE).decode(errors="replace"), has_solution)

    def _complain(self, complaint: str, has_solution: bool) -> None:
        """Raise the error for a solver that did not say that its solutions are all.

        It does not take the model if it complains before the first solution; otherwise it broke off. complaint: what it
        printed on standard error. has_solution: whether it found a solution before.
        """
        last_line = printable((complaint.strip().splitlines() or [""])[-1])
        if last_line and not has_solution:
            raise InputError(f"{self.name} does not take the model: {last_line}")
        raise WorkerDiedError(
            f"{self.name} did not say that these are all solutions{': ' if last_line else ''}{last_line}"
        )

    def _lines(self, words: Sequence[str], complaints: IO[bytes]) -> Iterator[str]:
        """Yield the lines that the solver prints, without their ends; raise `Stopped` once the event is set.

        Between two looks at the event it waits for output no longer than ``PROGRAM_POLL_SECONDS``. words: the command.
        complaints: the file that takes its standard error.
        """
        self._heed_stop()
        with start_tied_program(words, stdout=-1, stderr=complaints) as process:
            assert process.stdout
            with process.stdout:
                remainder = b""  # the beginning of a line whose end was not read yet
                while True:
                    ready, _, _ = select.select([process.stdout], [], [], PROGRAM_POLL_SECONDS)
                    self._heed_stop()
                    if not ready:
                        continue
                    chunk = process.stdout.read1(BYTES_AT_ONCE)  # type: ignore[attr-defined]
                    *lines, remainder = (remainder + chunk).split(b"\n")
                    for line in lines:
                        yield line.decode(errors="replace").strip()
                    if not chunk:
                        return
