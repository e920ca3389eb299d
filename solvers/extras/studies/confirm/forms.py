"""Writes a plain model in each form that it has: no symmetry is broken, and no implied fact is added."""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from models.puzzle import Literal, Puzzle
from solvers.backends.cp_sat_flaws import rewrite_flawed
from solvers.backends.registry import model_at_optimum
from solvers.base.backend_rows import CLAUSES
from solvers.base.deadline import Deadline
from solvers.base.errors import InputError, NoCoverError, Stopped
from solvers.extras.bridges.formats.export import WRITERS, write_model
from solvers.extras.counts.verified.export import cover_of, knuth_text
from solvers.extras.shared.programs import run_program
from solvers.extras.studies.confirm.witness import FILE
from solvers.files.load import read_text
from solvers.model.reading import domain_of, has_objective, size_of
from solvers.model.wide import is_wide
from solvers.running.stated import Stated, problem_statement
from solvers.show.plain import amounts

BEST = "the best value, as we found it"
"""The part that those share which are told the best value."""

DECLARATION = ".pbtxt"
"""The form that says what is declared, as it is."""

IN_CLAUSES = "var bool: c1;"
"""The line of a FlatZinc file that is made of clauses: its first variable."""


class Form(NamedTuple):
    """A plain model in one form, or the reason why it has none."""

    path: str
    """The file; it does not exist if there is a reason."""
    size: str
    """Its size in words."""
    reason: str = ""
    also: Sequence[str] = ()
    """The parts of our code that it rests on besides those that write each file of this form."""
    is_late: bool = False
    """True if the reason is that there was no time to write it."""


PAGE = "solvers/extras/studies/confirm/OTHERS.md"
"""The page of wrong counts of other programs."""


class PlainModel(NamedTuple):
    """A plain model in all its forms."""

    forms: Mapping[str, Form]
    """By their endings."""
    cp_sat_flaw: str
    """The reason why CP-SAT cannot be trusted with the model; empty if none is known."""


def write_forms(
    puzzle: Puzzle,
    given: Iterable[str | Literal],
    endings: Collection[str],
    folder: Path,
    seconds: float,
    stop: threading.Event,
) -> PlainModel:
    """Write a puzzle's model, with the givens, into a folder in each of some forms.

    endings: those of the plain forms, of `solvers.extras.studies.confirm.witness.FORMS`. The author's file is a further
    form. seconds: the time for each form. Raises `InputError` if the puzzle is not declared well or its key is empty,
    `Stopped` once the event is set. `problem_statement` makes the model with the givens. A form other than the
    declaration has no objective: its model is held to the best value, which is found first.
    """
    statement = problem_statement(puzzle, "none", given, stop)
    readers = [FILE, *puzzle.file.readers] if puzzle.file else []
    plain = _puzzle(puzzle, statement)
    # The puzzle with a model that is held to the best value; what its counts rest on besides; why there is no such
    # model.
    bound = plain
    best = list[str]()
    late = ""
    if has_objective(statement.model) and any(ending != DECLARATION for ending in endings):
        best = [BEST]
        try:
            model_at_best = model_at_optimum(statement.model, statement.key.variables, Deadline(stop, seconds=seconds))
            bound = _puzzle(puzzle, statement._replace(model=model_at_best))
        except Stopped:
            if stop.is_set():
                raise
            late = "its best value was not found in time"

    def write(ending: str) -> Form:
        """Write one form and return it; a form that is not written says why.

        ending: its key of `FORMS`. ``plain`` is the declaration; in all other forms the model is ``bound`` to the best
        value, unless that was not found in time, for the reason ``late``. `_writer` returns the function that writes
        the model to a path and returns its size.
        """
        path = str(folder / f"model{ending}")
        is_declaration = ending == DECLARATION
        also = [*readers] if is_declaration else [*readers, *best]
        if late and not is_declaration:
            return Form(path, "", late, also, is_late=True)
        stated_puzzle = plain if is_declaration else bound
        try:
            size = _writer(ending)(stated_puzzle, path, Deadline(stop, seconds=seconds))
        except (InputError, NoCoverError) as error:
            if is_declaration:
                raise
            return Form(path, "", str(error).partition("; ")[0], also)  # without advice on what to choose instead
        except Stopped:
            if stop.is_set():
                raise
            return Form(path, "", "it was not written in time", also, is_late=True)
        if ending == ".fzn" and IN_CLAUSES in Path(path).read_text(encoding="utf-8"):
            also = [*also, CLAUSES]
        return Form(path, amounts(size), "", also)

    forms = {ending: write(ending) for ending in endings}
    if puzzle.file and not statement.given:
        forms |= author_form(puzzle.name, puzzle.parameters, folder)
    return PlainModel(forms, _flaw(statement))


def _puzzle(puzzle: Puzzle, stated_problem: Stated) -> Puzzle:
    """Return a puzzle of this question's model and key alone, with the name and the parameters of another."""
    variables = map(stated_problem.model.get_int_var_from_proto_index, stated_problem.key.variables)
    key = dict(zip(stated_problem.key.labels, variables, strict=True))
    return Puzzle(puzzle.name, puzzle.parameters, stated_problem.model, key)


def _writer(ending: str) -> Callable[[Puzzle, str, threading.Event], Mapping[str, int]]:
    """Return a function that writes a puzzle's model to a path in the form of this ending, and returns its size."""
    if ending not in WRITERS:
        return _write_items
    return lambda puzzle, path, stop: write_model(puzzle, path, symmetry="none", stop=stop)


def _write_items(puzzle: Puzzle, path: str, stop: threading.Event) -> Mapping[str, int]:
    """Write the items and options that the verified counter reads, and return their size.

    Raises `InputError` or `NoCoverError` if the model is no exact cover, or has variables that are not in its key.
    """
    model, key, *_ = problem_statement(puzzle, "none", (), stop)
    proto = model.proto
    cover = cover_of(model, ())
    # Variables with several values that are not in the key: assignments that differ in these would count apart.
    hidden = set(range(len(proto.variables))) - set(key.variables)
    if any(size_of(domain_of(proto.variables[variable])) > 1 for variable in hidden):
        raise InputError("the model has variables that are not in its key, which an exact cover cannot express")
    names = [variable.name or str(index) for index, variable in enumerate(proto.variables)]
    text = knuth_text(cover, names, ())
    Path(path).write_text(text, encoding="utf-8")
    return {"lines": text.count("\n")}


def _flaw(stated_problem: Stated) -> str:
    """Return the reason why CP-SAT, which loses solutions of some models, is not asked about this one; "" for none.

    `rewrite_flawed` returns (number, kind) of each constraint that CP-SAT may get wrong.
    """
    if is_wide(stated_problem.model.proto):
        return f"CP-SAT 9.15 loses solutions if numbers exceed 2^30; see {PAGE}"
    if flawed := rewrite_flawed(stated_problem.model.clone()):
        number, kind = flawed[0]
        name = stated_problem.model.proto.constraints[number].name or f"number {number + 1}"
        further = f" and {len(flawed) - 1} more" if len(flawed) > 1 else ""
        return f"CP-SAT 9.15 may get the {kind} constraint {name}{further} wrong; see {PAGE}"
    return ""


def author_form(path: str, arguments: Mapping[str, Any], folder: Path) -> dict[str, Form]:
    """Return an author's file as it is, by its form of `FORMS`; a MiniZinc model as its compiler writes it for others.

    The result is empty if no program here reads such a file, or if it says something that they would take otherwise.
    path: the file. arguments: the values of its parameters. folder: for what the compiler writes.
    """
    ending = Path(path).suffix
    other_arguments = {name: value for name, value in arguments.items() if value and name not in ("data", "define")}
    if other_arguments or ending not in (".cnf", ".dlx", ".fzn", ".mzn"):
        return {}
    also, target = [FILE], path
    if ending == ".mzn":
        target = str(folder / "author.fzn")
        also = [FILE, "MiniZinc's compiler"]
        words = ["minizinc", "-c", "-G", "std", "--solver", "gecode", "--fzn", target, path, *arguments.get("data", ())]
        words += [word for define in arguments.get("define", ()) for word in ("-D", define)]
        if shutil.which("minizinc") is None or run_program(words).returncode:
            return {}
    text = read_text(Path(target))
    # Whether the text says nothing that some program would take otherwise, such as weights.
    is_plain = {
        # Each clause has a line, and "c p show" alone names the key.
        ".cnf": not re.search(r"^(?:c ind|%|w|vp|p (?!cnf ))|^[-0-9 ]*[1-9][ \t]*$", text, re.MULTILINE),
        ".dlx": not re.search(r"[0-9]\|\S|:", text),
    }.get(ending, "output_var" in text or "output_array" in text)
    # A witness that reads the file rests on it anyway, so that `FILE` is left out here.
    if is_plain:
        return {f"file{Path(target).suffix}": Form(target, "", also=also[1:])}
    return {}
