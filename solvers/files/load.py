"""Reads puzzles from files: Python (which runs) and CNF here, `dlx.py` and `saved_model.py` for the other formats.

A fault of a file is a ValueError here; the caller puts the name of the file before the sentence.
"""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple

from models.boards.compressed import decompress
from models.puzzle import FileReading, Puzzle, Remarks
from solvers.base.errors import InputError
from solvers.base.tuning import TUNING
from solvers.show.printable import quotation

MAX_FILE_BYTES = 50_000_000
"""The largest file that is read; a model made of it takes some ten times as much memory."""

MAX_MODEL_VARIABLES = 250_000
"""The most variables, options or items of a model.

So many take some 300 MB and some seconds, whatever the constraints are.
"""


KEY_LINES = ("c p show", "c ind", "vp")
"""The beginnings of lines that name the variables of a formula's key.

The model counting competitions write the first since 2021, ApproxMC and others wrote the second before. The competition
of 2020 wrote the third, below a header such as "p pcnf 3 2 1", which also counts these variables.
"""

HEADERS = {"cnf": 2, "cnf+": 2, "knf": 2, "pcnf": 3}
"""How many numbers follow each kind of formula in its header.

In a cnf+ (MiniCARD, PySAT), a line such as "1 -2 3 <= 2" bounds how many literals are true. In a knf
(Cardinality-CDCL), "k 2 1 -2 3 0" says that at least 2 are.
"""


def check_file(path: Path) -> None:
    """Raise `InputError` unless this is a regular file of a size that can be read."""
    try:
        if not path.exists():
            raise InputError(f"there is no file {path}")
        if not path.is_file():
            raise InputError(f"{path} is not a regular file")
        if path.stat().st_size > MAX_FILE_BYTES:
            raise InputError(f"{path} is larger than {MAX_FILE_BYTES // 1_000_000} MB, too large for a model")
    except OSError as error:
        raise InputError(f"cannot read {quotation(str(path))}: {error.strerror}") from None


def read(path: Path) -> bytes:
    """Return the content of a file; raise `InputError` if it cannot be read."""
    check_file(path)
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {quotation(str(path))}: {error.strerror}") from None


def read_decompressed(path: Path) -> bytes:
    """Return the content of a file, which may be compressed.

    Raises ValueError if it is too large or damaged, `InputError` if it cannot be read.
    """
    return decompress(read(path), MAX_FILE_BYTES)


def read_text(path: Path) -> str:
    """Return the content of a file, which may be compressed, as text.

    Raises ValueError if it is not text or too large, or if the compressed file is damaged. Raises `InputError` if it
    cannot be read.
    """
    try:
        return read_decompressed(path).decode("utf-8-sig")  # editors of Windows write a mark of the byte order
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start} is not text; give a UTF-8 file") from None


def python_declaration(path: Path, name: str) -> Callable[..., Any]:
    """Run a Python file and return its function of this name, which declares a puzzle.

    The returned function takes arguments by name only, and raises `InputError` if the file's function returns anything
    but a `Puzzle`. Raises AttributeError if the file has no such function.

    Errors in the file, at import, in a later call or in a function of the puzzle (such as its check), become
    `InputError` with the line. Only a ValueError that a raise statement of the function itself raises stays as it is,
    because it is about the function's arguments.
    """
    module_name = f"{__name__}.{path.stem}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    sys.path.append(str(path.parent.resolve()))  # for what is beside it
    _wrap_function(spec.loader.exec_module, path)(module)
    function = _wrap_function(getattr(module, name), path, refuses=True)

    @wraps(function)
    def declare(**arguments: Any) -> Puzzle:
        """Return the declared puzzle, whose functions are wrapped so that their errors name the line."""
        declared = function(**arguments)
        if not isinstance(declared, Puzzle):
            raise InputError(f"{path}: {name} returns a {type(declared).__name__}, not a models.puzzle.Puzzle")
        symmetries = declared.symmetries
        if isinstance(symmetries, Sequence):
            symmetries = [_wrap_function(symmetry, path) if callable(symmetry) else symmetry for symmetry in symmetries]
        return replace(
            declared,
            symmetries=symmetries,
            is_solution=declared.is_solution and _wrap_function(declared.is_solution, path),
            are_solutions=declared.are_solutions and _wrap_function(declared.are_solutions, path),
            draw=declared.draw and _wrap_function(declared.draw, path),
            feature=declared.feature and _wrap_function(declared.feature, path),
        )

    return declare


def do_imports(path: Path, source: ast.Module) -> None:
    """Run only the import statements at the top level of a Python file; raise `InputError` if one fails.

    So a package that is missing is named before anything else is said about the file. source: the syntax tree of the
    file.
    """
    # So that modules beside the file are found.
    sys.path.append(str(path.parent.resolve()))
    for statement in source.body:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            code = compile(ast.Module([statement], []), str(path.absolute()), "exec")
            _wrap_function(exec, path)(code, {"__name__": path.stem})


def _wrap_function(function: Callable[..., Any], path: Path, refuses: bool = False) -> Callable[..., Any]:
    """Return a function of a file, wrapped so that its errors become `InputError` with the line.

    The line is the last one of the file in the traceback. path: the file. refuses: whether the function may refuse its
    arguments: then a ValueError from a raise statement stays as it is.
    """
    file = str(path.absolute())

    @wraps(function)
    def call_function(*arguments: Any, **named: Any) -> Any:
        try:
            return function(*arguments, **named)
        except InputError:
            raise
        except (Exception, SystemExit) as error:
            frames = traceback.extract_tb(error.__traceback__)
            if refuses and isinstance(error, ValueError) and (frames[-1].line or "").startswith("raise"):
                raise
            lines = [frame.lineno for frame in frames if frame.filename == file]
            place = f"{path}, line {lines[-1]}" if lines else f"{path}"
            sentence = " ".join(str(error).split())
            raise InputError(f"{place}: {type(error).__name__}{sentence and ': '}{sentence}") from error

    return call_function


class LiteralBound(NamedTuple):
    """A bound on how many literals are true; a literal that stands there twice counts twice."""

    literals: list[int]
    most: int


class Header(NamedTuple):
    """The counts in the header of a formula."""

    variables: int
    clauses: int
    """The number of clauses and bounds that should follow."""


class DimacsContent(NamedTuple):
    """The content of a DIMACS file."""

    header: Header
    clauses: list[list[int]]
    bounds: list[LiteralBound]
    keys: dict[str, set[int]]
    """The variables that lines with each of `KEY_LINES` name; without those of which there is no line."""


def cnf(path: str) -> Puzzle:
    """Return the formula in a DIMACS CNF file as a puzzle; labels are the numbers of variables.

    Lines "c p show", "c ind" or "vp" name the variables of the key. Without such a line all variables are in the key,
    whether they are in a clause or not. Below a header "p cnf+" or "p knf", lines may bound how many literals are true.
    A header with another number of clauses leads to a warning. `ClauseCheck` reads the text a second time, to check
    solutions. Raises ValueError, which names the line, if the file is not in this format or gives weights. Raises
    `InputError` if the file cannot be read.
    """
    from pysat.formula import CNF, CNFPlus

    from solvers.files.clause_check import ClauseCheck

    text = read_text(Path(path))
    header, clauses, bounds, keys = _read_formula(text)
    warnings = []
    count = len(clauses) + len(bounds)
    if count != header.clauses:
        warnings.append(f"{path}: the header has {header.clauses} clauses, but {count} follow; these are read")
    formula = CNFPlus() if bounds else CNF()
    formula.extend(clauses)
    for bound in bounds:
        formula.append([[*bound.literals], bound.most], is_atmost=True)
    formula.nv = header.variables
    key = sorted(next(iter(keys.values()))) if keys else range(1, header.variables + 1)
    file = FileReading(["our reader of DIMACS"], ClauseCheck(text).first_violated_clause)
    return Puzzle(
        path, {}, formula, {variable: variable for variable in key}, remarks=Remarks(warnings=warnings), file=file
    )


def _read_formula(text: str) -> DimacsContent:
    """Read the text of a DIMACS file; raise ValueError, which names the line, if it is not in this format.

    A line is empty, a comment (c), a header (p), names variables of the key, bounds how many literals are true, or has
    literals of clauses; a clause ends with 0, and may go over several lines.
    """
    header: Header | None = None
    kind = ""
    bounds: list[LiteralBound] = []
    keys: dict[str, set[int]] = {}
    clauses: list[list[int]] = []
    clause: list[int] = []  # the literals since the last 0
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words:
            continue
        if words[0] == "%":  # so end the files of SATLIB
            break
        if _gives_weight(words):
            weights = f"line {number} gives weights, and solutions are counted without weights"
            raise ValueError(f"{weights}; leave such lines out to count each solution as one")
        if key_line := next((line for line in KEY_LINES if words[: len(line.split())] == line.split()), ""):
            *variables, end = _integers(words[len(key_line.split()) :], number) or [-1]
            if end or min(variables, default=1) < 1:
                raise ValueError(f"line {number} has to list variables and end with 0")
            keys.setdefault(key_line, set()).update(variables)
        elif words[0] == "p":
            header = _read_header(words, number, header)
            kind = words[1]
        elif words[0] != "c":
            if header is None:
                raise ValueError(f"line {number} comes before a header such as p cnf 3 2; is this DIMACS CNF?")
            bound = _read_bound(words, number, kind)
            if bound and clause:
                raise ValueError(f"line {number} comes before the 0 of a clause")
            literals = bound.literals if bound else _integers(words, number)
            if unknown_variable := next((abs(literal) for literal in literals if abs(literal) > header.variables), 0):
                raise ValueError(f"line {number} names variable {unknown_variable}; the header has {header.variables}")
            if bound:
                bounds.append(bound)
                continue
            for literal in literals:
                if literal:
                    clause.append(literal)
                else:
                    clauses.append(clause)
                    clause = []
    if header is None:
        raise ValueError("it has no header such as p cnf 3 2; is this DIMACS CNF?")
    clause_count = len(clauses) + len(bounds)
    if clause:
        follow = f"{clause_count} and one without its 0 follow"
        raise ValueError(f"the header has {header.clauses} clauses, but {follow}; is it complete?")
    if clause_count > TUNING.max_clauses:
        raise ValueError(f"it has {clause_count} clauses; at most {TUNING.max_clauses} are accepted")
    for key_line, variables_of_key in keys.items():
        if max(variables_of_key, default=0) > header.variables:
            raise ValueError(f"{key_line} names variable {max(variables_of_key)}; the header has {header.variables}")
    if len(set(map(frozenset, keys.values()))) > 1:
        raise ValueError(f"{' and '.join(keys)} name different variables; leave one of them out")
    return DimacsContent(header, clauses, bounds, keys)


def _read_bound(words: list[str], number: int, kind: str) -> LiteralBound | None:
    """Return what a line says about how many literals are true, None for a line with clauses.

    "At least n of these literals" becomes "at most all but n of their negations". words: the line. number: the number
    of the line. kind: that of the header; in a knf a bound is "k 2 1 -2 3 0", in a cnf+ it is "1 -2 3 <= 2". Raises
    ValueError if the line is wrong.
    """
    if kind == "knf" and words[0] == "k":
        missing_words = [-1] * (3 - len(words))  # so that a short line, too, has a number and an end, but a wrong one
        least, *literals, end = [*_integers(words[1:], number), *missing_words]
        if end or 0 in literals or len({*literals}) < len(literals):
            raise ValueError(f"line {number} has to give a number, different literals, and 0 at its end")
        return LiteralBound([-literal for literal in literals], len(literals) - least)
    if kind == "cnf+" and len(words) > 1 and words[-2] in ("<=", ">="):
        *literals, amount = _integers([*words[:-2], words[-1]], number)
        if 0 in literals:
            raise ValueError(f"line {number} has a 0 among its literals")
        if words[-2] == "<=":
            return LiteralBound(literals, amount)
        return LiteralBound([-literal for literal in literals], len(literals) - amount)
    return None


def _gives_weight(words: list[str]) -> bool:
    """Tell whether a line, given by its words, gives weights to literals in one of the ways in use.

    The model counting competitions write "c p weight" (and "w" until 2020), miniC2D wrote "c weights" before numbers.
    """
    if words[:2] == ["c", "weights"]:
        return len(words) > 2 and bool(re.fullmatch(r"[-+0-9.eE]+", words[2]))
    return words[0] == "w" or words[:3] == ["c", "p", "weight"]


def _read_header(words: list[str], number: int, before: Header | None) -> Header:
    """Return the numbers of variables and clauses in a header line "p cnf 3 2".

    words: the line. number: the number of the line, for messages. before: an earlier header, or None. Raises ValueError
    if the header is wrong or the second one, or if its numbers are too large.
    """
    if before:
        raise ValueError(f"line {number} is a second header")
    if len(words) < 2 or len(words) - 2 != HEADERS.get(words[1]):
        raise ValueError(f"line {number} is not a header such as p cnf 3 2: {quotation(' '.join(words))}")
    variables, clauses = _integers(words[2:], number)[:2]
    if min(variables, clauses) < 0:
        raise ValueError(f"line {number} contains a negative count")
    if variables > MAX_MODEL_VARIABLES or clauses > TUNING.max_clauses:
        most = f"at most {MAX_MODEL_VARIABLES} and {TUNING.max_clauses} are accepted"
        raise ValueError(f"the header has {variables} variables and {clauses} clauses; {most}")
    return Header(variables, clauses)


def _integers(words: list[str], number: int) -> list[int]:
    """Return words of line ``number`` as integers; raise ValueError if one is not an integer."""
    for word in words:
        if not re.fullmatch(r"-?[0-9]{1,18}", word):
            raise ValueError(f"line {number} holds {quotation(word)}, which is not a number of a variable")
    return [int(word) for word in words]
