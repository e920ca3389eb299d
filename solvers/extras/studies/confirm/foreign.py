"""``python -m solvers.extras.studies.confirm.foreign PROGRAM FILE``: a count by a program of others, as a number.

Each function here reads a file and lets one library or program search it; it imports nothing of ours, but for `cp`,
which has no form of its own. It counts assignments of what the file shows: how often a search meets one of them with
other values of the rest is no matter. A program that has no words for something in the file says so in a sentence that
begins with `CANNOT`, in place of the number.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

CANNOT = "cannot be said: "
"""The beginning of the answer of a program that cannot take the model."""


class Unsayable(Exception):
    """Raised if a program has no words for what a file says; the message is the reason."""


class Items(NamedTuple):
    """An exact cover as it is in a file."""

    primary: list[str]
    secondary: list[str]
    options: list[list[str]]
    """For each option, its items."""


class Clauses(NamedTuple):
    """A formula as it is in a file."""

    variables: int
    clauses: list[list[int]]
    shown: list[int]
    """The variables in which solutions differ."""


def items(path: str) -> Items:
    """Return what a file in Knuth's format says; raise `Unsayable` for items that several options cover.

    The header has the primary items, a bar and the secondary items; each further line is an option.
    """
    with open(path, encoding="utf-8") as stream:
        header, *options = [line.split() for line in stream if line.strip() and not line.startswith("|")]
    bar = header.index("|")
    if any("|" in item for item in header[:bar]):
        raise Unsayable("it has no items that several options cover")
    return Items(header[:bar], header[bar + 1 :], options)


def clauses(path: str) -> Clauses:
    """Return the formula in a DIMACS file.

    A line "c p show" lists variables in which solutions differ; without one, they differ in all. Each clause ends with
    0.
    """
    clauses_found = list[list[int]]()
    shown_variables = list[int]()
    variables = 0
    is_projected = False
    with open(path, encoding="utf-8") as stream:
        for line in stream:
            words = line.split()
            if words[:3] == ["c", "p", "show"]:
                shown_variables += map(int, words[3:-1])
                is_projected = True
            elif words[:1] == ["p"]:
                variables = int(words[2])
            elif words and words[0] != "c":
                clauses_found.append([int(word) for word in words[:-1]])
    return Clauses(variables, clauses_found, shown_variables if is_projected else [*range(1, variables + 1)])


def lines_of(words: list[str]) -> Iterable[str]:
    """Yield the lines that a program prints, while it runs; words: its command."""
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        yield from process.stdout


def miniexact(path: str, program: str) -> int:
    """Return the number that miniexact prints last.

    path: a file in Knuth's format; `items` raises `Unsayable` for what miniexact would take otherwise. program: the
    path of miniexact.
    """
    items(path)
    last_line = ""
    for line in lines_of([program, "-c", "-e", "-D", path]):
        last_line = line if line.strip() else last_line
    words = last_line.split()
    if words[:1] != ["Found"] or words[2:] != ["solutions!"]:
        raise SystemExit("miniexact told no number")
    return int(words[1])


def xcover(path: str) -> int:
    """Return how many covers xcover yields; path: a file in Knuth's format.

    `items` returns (primary, secondary, options); secondary items may stay open.
    """
    from xcover import covers

    primary, secondary, options = items(path)
    if set(primary) - {item for option in options for item in option}:
        return 0  # xcover takes no item without options
    # xcover 0.2.6 breaks off on some covers of one or two items; two more, with an option each, make no difference.
    further_items = ["more1", "more2"]
    return sum(
        1 for _ in covers([*options, *([item] for item in further_items)], [*primary, *further_items], secondary)
    )


def exact_cover(path: str) -> int:
    """Return the number of rows that cover each column once, as exact-cover counts them.

    A column that may be left empty gets a row of its own, which fills it. A row is an option, and a column an item.
    path: a file in Knuth's format.
    """
    import numpy as np
    from exact_cover import get_solution_count

    primary, secondary, options = items(path)
    options += [[item] for item in secondary]
    place = {item: number for number, item in enumerate([*primary, *secondary, "more"])}
    matrix = np.zeros((len(options) + 1, len(place)), dtype=bool)
    matrix[-1, -1] = True  # so that there is a row and a column
    for row, option in enumerate(options):
        matrix[row, [place[item] for item in option]] = True
    return int(get_solution_count(matrix))


def clingo(path: str) -> int:
    """Return how many projected answer sets clingo finds: each atom may be chosen, and no clause may be false.

    path: a DIMACS file. Projection counts answer sets that agree on the shown variables once.
    """
    from clingo import Control

    formula, count = clauses(path), 0
    control = Control(["0", "--project=project"])
    with control.backend() as rules:
        atoms = [rules.add_atom() for _ in range(formula.variables)]
        rules.add_rule(atoms, choice=True)
        for clause in formula.clauses:
            # A rule without a head forbids that all literals of the clause are false.
            rules.add_rule([], [-atoms[number - 1] if number > 0 else atoms[-number - 1] for number in clause])
        rules.add_project([atoms[number - 1] for number in formula.shown])
    with control.solve(yield_=True) as answers:
        for _ in answers:
            count += 1
        if not answers.get().exhausted:
            raise SystemExit("clingo broke off")
    return count


def pysat(path: str, name: str) -> int:
    """Return how often a solver of PySAT finds a solution, when each is blocked as it is found; name: the solver.

    path: a DIMACS file. A blocking clause says that some shown variable has another value.
    """
    from pysat.formula import CNF
    from pysat.solvers import Solver

    count, shown_variables = 0, clauses(path).shown
    with Solver(name, bootstrap_with=CNF(from_file=path)) as solver:
        while solver.solve():
            count += 1
            true_literals = {literal for literal in solver.get_model() if literal > 0}
            solver.add_clause([-number if number in true_literals else number for number in shown_variables])
    return count


def flatzinc(path: str, program: str) -> int:
    """Return how many different solutions an interpreter of FlatZinc prints; program: its path.

    A solution is the lines before a line of ten hyphens; a checksum represents it. A line of equals signs says that
    there are no more. path: the file.
    """
    digests = set[bytes]()
    digest = hashlib.blake2b(digest_size=16)
    is_whole = False
    for line in lines_of([program, "-a", path]):
        mark = line.strip()
        if mark == "----------":
            digests.add(digest.digest())
            digest = hashlib.blake2b(digest_size=16)
        elif mark in ("==========", "=====UNSATISFIABLE====="):
            is_whole = True
        elif not mark.startswith("%"):
            digest.update(line.encode())
    if not is_whole:
        raise SystemExit("the solver did not say that these are all")
    return len(digests)


def cp_sat(path: str) -> int:
    """Return how many assignments of the named variables CP-SAT enumerates, with one worker.

    path: the model in OR-Tools' text format. A model with an objective is optimised first, and then held to the best
    value. An assignment that comes again, with other values of variables without names, counts once. Raises `Unsayable`
    for a model that it does not enumerate.
    """
    from ortools.sat.python.cp_model import CpModel, CpSolver, CpSolverSolutionCallback

    with open(path, encoding="utf-8") as stream:
        model = CpModel()
        if not model.proto.parse_text_format(stream.read()):
            raise SystemExit("OR-Tools does not read the file")
    proto = model.proto
    named_variables = [
        model.get_int_var_from_proto_index(n) for n, variable in enumerate(proto.variables) if variable.name
    ]
    if proto.has_floating_point_objective() or len(proto.assumptions):
        raise Unsayable("it enumerates no models with assumptions, or of a best value that is not whole")
    solver = CpSolver()
    solver.parameters.num_workers = 1
    if proto.has_objective():
        # The best value becomes a constraint, so that all solutions with it are enumerated.
        goal = proto.objective
        if len(goal.domain):
            raise Unsayable("it enumerates no models whose objective has bounds")
        variables = list(goal.vars)
        weights = list(goal.coeffs)
        status = solver.solve(model)
        if solver.status_name(status) == "INFEASIBLE":
            return 0
        if solver.status_name(status) != "OPTIMAL":
            raise SystemExit(f"CP-SAT ended with {solver.status_name(status)}")
        terms = [
            (weight, model.get_int_var_from_proto_index(number))
            for weight, number in zip(weights, variables, strict=True)
        ]
        best = sum(weight * solver.value(variable) for weight, variable in terms)
        proto.clear_objective()
        model.add(sum(weight * variable for weight, variable in terms) == best)
    solver.parameters.enumerate_all_solutions = True
    solutions_found = set[tuple[int, ...]]()

    class Noted(CpSolverSolutionCallback):
        """Notes the values of the named variables."""

        def on_solution_callback(self) -> None:
            """Note the solution at hand."""
            solutions_found.add(tuple(map(self.value, named_variables)))

    ending = solver.status_name(solver.solve(model, Noted()))
    if ending not in ("OPTIMAL", "INFEASIBLE"):
        raise SystemExit(f"CP-SAT ended with {ending}")
    return len(solutions_found)


def cp(path: str) -> int:
    """Return how many assignments of the named variables OR-Tools' original solver meets.

    path: the model in OR-Tools' text format. Our code hands the constraints to it, without implied facts. With an
    objective, only best solutions count. Raises `Unsayable` for a model that it does not take. `Cp` is our backend for
    that solver; it calls a function with the values of all variables for each solution. A `Task` is a model, the
    numbers of its key variables and an event that ends the search.
    """
    from threading import Event

    from ortools.sat.python.cp_model import CpModel

    from solvers.backends.cp import Cp
    from solvers.backends.protocol import Task
    from solvers.base.errors import InputError

    model = CpModel()
    with open(path, encoding="utf-8") as stream:
        model.proto.parse_text_format(stream.read())
    proto = model.proto
    solutions_found = set[tuple[int, ...]]()
    key = [number for number, variable in enumerate(proto.variables) if variable.name]
    has_objective = proto.has_objective() or proto.has_floating_point_objective()
    try:
        backend = Cp(Task(model, key, Event()))
    except InputError as error:
        raise Unsayable(str(error)) from None
    if has_objective and backend.optimum() is None:
        return 0
    backend.enumerate(lambda values: solutions_found.add(tuple(int(values[number]) for number in key)))
    return len(solutions_found)


PROGRAMS: Mapping[str, Callable[..., int]] = {
    "miniexact": miniexact,
    "xcover": xcover,
    "exact-cover": exact_cover,
    "clingo": clingo,
    "pysat": pysat,
    "flatzinc": flatzinc,
    "cp-sat": cp_sat,
    "cp": cp,
}
"""The functions by the words that ask for them."""


def main(words: list[str]) -> int:
    """Print the count that the words ask for, and return the exit code.

    words: a name of `PROGRAMS`, a file, and what else the function takes.
    """
    name, path, *arguments = words
    count: Any
    try:
        count = PROGRAMS[name](path, *arguments)
    except Unsayable as reason:
        count = f"{CANNOT}{reason}"
    except MemoryError:
        raise SystemExit("out of memory") from None
    sys.stdout.write(f"{count}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
