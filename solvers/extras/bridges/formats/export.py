"""Writes the model that a run would search for other solvers: CNF, FlatZinc, a CP-SAT model or an exact cover."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from models import COLLECTION
from models.puzzle import Literal, Puzzle
from solvers.backends.registry import model_at_optimum
from solvers.base.endings import DONE, INCOMPLETE
from solvers.base.errors import InputError, NoCoverError, Stopped
from solvers.base.plugs import EXPORTS, function, load
from solvers.cnf.arithmetic import Binary
from solvers.cnf.gates import TRUE
from solvers.cnf.lower import Lowering, lower
from solvers.extras.bridges.formats.burrtools import burrtools_xml
from solvers.extras.bridges.formats.saved_model import KEY_COMMENT
from solvers.files.catalogue import blame_declaration
from solvers.model.exact_cover import exact_cover
from solvers.outputs.output import FileOutput
from solvers.outputs.paths import check_paths, inputs
from solvers.running.stated import problem_statement
from solvers.show.plain import amounts, number_with_unit
from solvers.show.printable import printable
from solvers.symmetry.breaking import break_symmetry
from solvers.symmetry.groups import MAX_GROUP_ELEMENTS
from solvers.symmetry.key import Key
from solvers.terminal.arguments import PuzzleParser, arguments_of
from solvers.terminal.calls import Given, Named, givens_tuple, is_own, path_of, question
from solvers.terminal.command import EndedEarly, complain, run_in_thread

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel


PACKINGS, LINK = ".xmpuzzle", ".url"
"""Hold the puzzle itself, and not its model."""


class Searched(NamedTuple):
    """The model that a run would search."""

    title: str
    """The line that names the puzzle, for a comment."""
    model: CpModel
    unbroken: CpModel
    """The same model without symmetry breaking."""
    key: Key
    names: Sequence[str]
    """The name of each key variable, without line breaks; all names are different."""


def main(words: list[str]) -> int:
    """Run the command ``export``, which writes the model that a run would search; return the exit code.

    words: its command line, without the command's own name: a puzzle, its options and the file, whose ending says the
    format. The file is written in a thread, which is stopped at the time limit or by a signal. Raises `InputError` for
    options that are wrong, or if the format cannot express the model.
    """
    command = "python -m solvers export"
    parser = PuzzleParser(
        command,
        "Write the model that a run would search, for another program.",
        f"example: {command} pentomino pentomino.dlx --symmetry none",
        {"dest": "file", "metavar": "FILE", "help": f"a name that ends in {', '.join(ENDINGS)}"},
    )
    parser.offer("given symmetry time_limit", parser.add_argument_group("the model"))
    # What declares the puzzle, and the options of the command line.
    declaration, chosen = parser.parse_puzzle(words, "name a puzzle, such as pentomino")
    if chosen.file is None:
        parser.error(f"name the file to write behind the puzzle; it ends in {', '.join(ENDINGS)}")
    options = parser.run_options(chosen)
    arguments = arguments_of(declaration, chosen)
    # The file must not overwrite one that the puzzle or its givens are read from.
    check_paths(inputs(declaration.name, arguments, chosen.given, drawing=None), {"export": chosen.file})

    def write(stop: threading.Event) -> dict[str, int]:
        """Write the file; return its size as `write_model` does. Raises `Stopped` once the event is set."""
        puzzle = declaration.declare(**arguments)
        return write_model(puzzle, chosen.file, symmetry=options.symmetry, given=options.given, stop=stop)

    # A wrong symmetry in the user's own puzzle is an error of the user's, one in the collection a bug.
    with blame_declaration(declaration.name, is_own=declaration.name not in COLLECTION):
        try:
            size = run_in_thread(write, options.time_limit)
        except EndedEarly as ended:
            return complain(f"{chosen.file} was not written: ended by {ended}", ended.code)
        except OSError as error:
            return complain(f"{chosen.file} was not written: {error.strerror}", INCOMPLETE)
    print(f"{chosen.file}: {amounts(size)}")
    return DONE


def export(
    puzzle: Named,
    path: str | os.PathLike[str],
    /,
    *,
    symmetry: str = "declared",
    given: Given = (),
) -> dict[str, int]:
    """Write the model that a run would search.

    Parameters
    ----------
    puzzle, symmetry, given
        As for `solve`.
    path
        A file whose ending says the format: .cnf, .fzn, .pbtxt, .dlx, .xmpuzzle or .url.

    Returns
    -------
    dict
        The size of the model, such as its numbers of variables and clauses.

    Raises
    ------
    InputError
        If the format cannot express the model, or the file cannot be written.
    OSError
        If the disk is full.
    """
    name, known, declare = question(puzzle, {})
    texts = givens_tuple(given)
    file = os.fspath(path)
    check_paths(inputs(path_of(puzzle), known, texts, drawing=None), {"export": file})
    with blame_declaration(name, is_own(puzzle)):
        return write_model(declare(**known), file, symmetry=symmetry, given=texts, stop=threading.Event())


def write_model(
    puzzle: Puzzle,
    path: str,
    *,
    symmetry: str = "declared",
    given: Iterable[str | Literal] = (),
    stop: threading.Event,
) -> dict[str, int]:
    """Write the puzzle's model in the format of the path's ending; return figures of its size by name.

    puzzle: the declared puzzle; ``problem_statement`` returns its model with the givens fixed, its key, the group of
    its symmetries and the facts that are given. symmetry: as in `Options`; the file has one solution of each orbit of
    these symmetries, and all solutions if it is "none". given: as in `Options`. Links and puzzles of BurrTools hold the
    puzzle itself, not its model.

    If the format is CNF and the puzzle has an objective, the best value is found first and required in the formula.

    Raises `InputError` if the format cannot express the model or the file cannot be written, OSError if the disk is
    full, `errors.Stopped` once ``stop`` is set.
    """
    ending = Path(path).suffix
    if ending not in ENDINGS:
        raise InputError(f"cannot export to {path}: give a name that ends in {', '.join(ENDINGS)}")
    output = FileOutput(path)
    model, key, group, given_facts = problem_statement(puzzle, symmetry, given, stop)
    if ending == LINK:
        link = function("link of puzzle", f"a file {LINK}")(puzzle, given_facts, key)
        output.write(f"{link}\n")
        return {"links": 1}
    has_all_solutions = symmetry == "none"
    if group.order > MAX_GROUP_ELEMENTS:
        raise InputError(
            f"{puzzle.name} has {group.order} symmetries, too many to leave one solution of each orbit; "
            "write every solution with `--symmetry none`"
        )
    if ending == PACKINGS and given_facts:
        raise InputError("a puzzle of BurrTools holds no givens; leave them out, or export to .dlx")
    searched = model.clone() if has_all_solutions else break_symmetry(model, group.list_elements())
    solutions_in_words = (
        "all solutions"
        if has_all_solutions
        else f"one solution of each orbit under {number_with_unit(group.order, 'symmetries')}"
    )
    parameters = "".join(f" {name}={value}" for name, value in puzzle.parameters.items())
    givens = "".join(f", {fact.text} given" for fact in given_facts)
    title = _line(f"kazoeru {version('kazoeru')}: {puzzle.name}{parameters}, {solutions_in_words}{givens}")

    def write(text: str) -> None:
        """Write a part of the file; raise `Stopped` once the event is set."""
        if stop.is_set():
            raise Stopped
        stream.write(text)

    if stop.is_set():
        raise Stopped
    with output.stream() as stream:
        if ending == PACKINGS:
            write(burrtools_xml(puzzle))
            return {"pieces": len(puzzle.board.packing.pieces) if puzzle.board.packing else 0}
        size = WRITERS[ending](Searched(title, searched, model, key, _names(key)), write, stop)
        if stop.is_set():
            raise Stopped
    return size


def _line(text: str) -> str:
    """Return a text in one printable line."""
    return printable(" ".join(text.split()))


def _names(key: Key) -> list[str]:
    """Return a printable name for each key variable; all names are different."""
    names = [_line(str(label)) for label in key.labels]
    if all(names) and len(set(names)) == len(names):
        return names
    return [printable(repr(label)) for label in key.labels]


def _write_cnf(searched: Searched, write: Callable[[str], None], stop: threading.Event) -> dict[str, int]:
    """Write DIMACS CNF and return figures of its size by name.

    The line ``c p show`` has the variables in which solutions differ. Comments before it give the meaning of their
    literals. ``lower`` translates the model into clauses. Raises `InputError` if the model cannot be lowered, `Stopped`
    once the event is set. searched: the model and its key. write: takes the text. stop: ends the work when set.
    """
    lowering = lower(model_at_optimum(searched.model, searched.key.variables, stop), stop)
    key, formula = searched.key, lowering.formula
    # Without a variable to show, some counters take all; the constant makes no difference.
    shown_variables = sorted({abs(literal) for literal in lowering.projection(key.variables)} - {TRUE}) or [TRUE]
    meanings = list(_meanings(lowering, searched))
    write(f"c {searched.title}\n")
    write("c a literal, and what it says:\n")
    write("".join(f"c {meaning}\n" for meaning in meanings))
    write(f"p cnf {formula.variables} {len(formula.clauses)}\n")
    write(" ".join(map(str, ["c p show", *shown_variables, 0])) + "\n")
    for clause in formula.clauses:
        write(" ".join(map(str, [*clause, 0])) + "\n")
    return {"variables": formula.variables, "clauses": len(formula.clauses), "shown": len(shown_variables)}


def _meanings(lowering: Lowering, searched: Searched) -> Iterator[str]:
    """Yield, for each literal that represents a literal of the key, a line with its meaning, such as "5 x = 3".

    A variable of many values is Binary: its value is an offset plus the weights of its bits, which are literals.
    lowering: the model lowered to clauses, with the number, by literals, of each variable. searched: the model and its
    key.
    """
    for position, (name, index) in enumerate(zip(searched.names, searched.key.variables, strict=True)):
        number = lowering.numbers[index]
        if isinstance(number, Binary):
            bits = (f"{number.coefficient << place} [{bit}]" for place, bit in enumerate(number.bits))
            yield f"{name} = {' + '.join([str(number.offset), *bits])}, where [literal] is 1 if it is true"
        elif searched.key.is_boolean[position]:
            yield f"{number.equals(1)} {name}"
        else:
            yield from (f"{number.equals(value)} {name} = {value}" for value in number.values)


def _write_text(searched: Searched, write: Callable[[str], None], stop: threading.Event) -> dict[str, int]:
    """Write a CP-SAT model as text, in which only the key variables have names; return figures of its size by name.

    Raises `InputError` if the key is empty. searched: the model and its key. write: takes the text. stop: not used.
    """
    if not searched.names:
        raise InputError("no variable is in the key, which a CP-SAT model cannot express; export to .cnf")
    proto = searched.model.proto
    proto.clear_symmetry()
    for variable in proto.variables:
        variable.clear_name()
    for name, index in zip(searched.names, searched.key.variables, strict=True):
        proto.variables[index].name = name
    write(f"# {searched.title}\n{KEY_COMMENT}\n{proto}")
    return {"variables": len(proto.variables), "constraints": len(proto.constraints), "named": len(searched.names)}


def _write_dlx(searched: Searched, write: Callable[[str], None], stop: threading.Event) -> dict[str, int]:
    """Write an exact cover for Knuth's DLX programs, each option below its name in a comment.

    Primary items have to be covered exactly once, or as often as their bounds say; secondary ones at most once. Givens
    and counts become primary items, exclusions secondary ones. An option without its own name is a slack: it is chosen
    if and only if the option in its name is not chosen.

    Returns figures of its size by name. Raises `InputError` if the model is not an exact cover in its key variables.
    searched: the model and its key. write: takes the text. stop: not used.
    """
    try:
        cover = exact_cover(searched.model)
    except NoCoverError as error:
        advice = ", or break no symmetry with --symmetry none" if _is_cover(searched.unbroken) else ""
        raise InputError(f"{error}; export it to .cnf{advice}") from None
    if not set(range(cover.variables)) <= set(searched.key.variables):
        raise InputError(
            "the model has variables that are not in its key, which an exact cover cannot express; export to .cnf"
        )
    primary: list[str] = []
    secondary: list[str] = []
    items_of_option: list[list[str]] = [[] for _ in range(cover.options)]

    def add(items: list[str], prefix: str, options: Sequence[int]) -> None:
        """Add a new item to a list; these options cover it."""
        items.append(f"{prefix}{len(items)}")
        for option in options:
            items_of_option[option].append(items[-1])

    for item in cover.items:
        add(primary, "p", item)
    for option, chosen in cover.fixed.items():
        if chosen:
            add(primary, "p", [option])  # an item of its own, so that it has to be chosen
    bounds: dict[str, str] = {}
    for options, low, high in cover.counts:  # from low to high of the options have to be chosen
        add(primary, "p", options)
        bounds[primary[-1]] = f"{low}:{min(high, len(options))}|"
    if cover.contradictory:
        add(primary, "p", [])  # an item that no option covers
    for pairs in (*cover.optional, *cover.exclusions):
        add(secondary, "s", pairs)
    excluded = {option for option, chosen in cover.fixed.items() if not chosen}
    names = dict(zip(searched.key.variables, searched.names, strict=True))
    primary_with_bounds = (bounds.get(item, "") + item for item in primary)
    write(f"| {searched.title}\n{' '.join([*primary_with_bounds, '|', *secondary])}\n")
    for option, items in enumerate(items_of_option):
        if option not in excluded:
            write(f"| {names[option]}\n" if option in names else f"| not {names[cover.slack[option]]}\n")
            write(f"{' '.join(items)}\n")
    return {"items": len(primary) + len(secondary), "options": cover.options - len(excluded)}


def _is_cover(model: CpModel) -> bool:
    """Tell whether a model is an exact cover."""
    try:
        exact_cover(model)
    except NoCoverError:
        return False
    return True


def _write_flatzinc(searched: Searched, write: Callable[[str], None], stop: threading.Event) -> dict[str, int]:
    """Write FlatZinc and return figures of its size by name.

    Comments give the meaning of the output variables. The lines are those of declarations, of constraints, and one of
    the goal. Raises `InputError` if the model needs to be lowered to clauses and cannot be, `Stopped` once ``stop`` is
    set. searched: the model and its key. write: takes the text.
    """
    write(f"% {searched.title}\n")
    for name, index in zip(searched.names, searched.key.variables, strict=True):
        write(f"% x{index} {name}\n")
    flatzinc = load(EXPORTS[".fzn"], "a model in .fzn")
    lines = list(flatzinc(searched.model, searched.key.variables, stop))
    for line in lines:
        write(f"{line}\n")
    constraints = sum(line.startswith("constraint") for line in lines)
    return {"variables": len(lines) - constraints - 1, "constraints": constraints}


WRITERS: Mapping[str, Callable[[Searched, Callable[[str], None], threading.Event], dict[str, int]]] = {
    ".cnf": _write_cnf,
    ".pbtxt": _write_text,
    ".dlx": _write_dlx,
    ".fzn": _write_flatzinc,
}
"""The writers by the ending of the file's name."""

ENDINGS = (*WRITERS, PACKINGS, LINK)
"""The endings of files that are written."""
