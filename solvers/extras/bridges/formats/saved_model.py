"""Reads CP-SAT models from files: as text (.pbtxt) or binary (.pb), saved by OR-Tools or another program."""

from __future__ import annotations

import difflib
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import count, takewhile
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, TypeVar

from models.boards.compressed import ending
from models.puzzle import FileReading, Label, Literal, Puzzle, Remarks, Symmetry
from solvers.files.load import MAX_MODEL_VARIABLES, read_decompressed, read_text
from solvers.model.reading import is_boolean
from solvers.show.printable import quotation

T = TypeVar("T")

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

KEY_COMMENT = "# key: the variables that have names"
"""A comment before a model as text: its author has a key, which has these variables only."""

MAX_TOLD_APART = 3
"""The most labels that a warning about a name names."""

Cycles = dict[int, int]
"""A permutation of variables, by index: the image of each variable that is moved."""


def cp_sat_model(path: str, key: Sequence[str] = ()) -> Puzzle:
    """A CP-SAT model, as OR-Tools saves it.

    key: the variables that make solutions different: names, or patterns with * and ?; all variables if left out

    In patterns brackets are plain characters. A variable without a name is called bool or int with its number; where no
    variable has a name, the number alone. If several are called x, the first is x#1. A file may say, in a comment,
    that its key has the variables with names only; those that we export do. The symmetries in the model's own field are
    used, except those that map a key variable to another variable.

    Raises ValueError if the file is not a CP-SAT model, or if a pattern fits no variable.
    """
    text = _as_text(read_decompressed(Path(path))) if ending(Path(path)) == ".pb" else read_text(Path(path))
    return puzzle_of_text(text, path, key, {"key": tuple(key)} if key else {})


def puzzle_of_text(text: str, name: str, key: Sequence[str], parameters: Mapping[str, Any]) -> Puzzle:
    """Return a CP-SAT model as text as a puzzle.

    Its symmetries are the generators in the model's own field that map key variables to key variables. name,
    parameters: those of the puzzle. key: as for `cp_sat_model`. Raises ValueError if the text is not a CP-SAT model, or
    if a pattern fits no variable.
    """
    model = _parse(text)
    proto = model.proto
    names = _names(proto)
    labels, warnings = _labels(names, proto.variables)
    label_by_index = _key_labels(names, labels, key)
    if not key and KEY_COMMENT in takewhile(lambda line: line.startswith("#"), text.splitlines()):
        label_by_index = {index: label for index, label in label_by_index.items() if names[index]}
    symmetries = [
        _symmetry(image_by_variable, label_by_index)
        for number, image_by_variable in enumerate(_symmetry_generators(proto), 1)
        if _acts_on_key(proto, image_by_variable, label_by_index, number)
    ]
    proto.clear_symmetry()  # what the runner breaks is not for CP-SAT to break once more
    variables = {label: model.get_int_var_from_proto_index(index) for index, label in label_by_index.items()}
    named = [label for index, label in label_by_index.items() if names[index]]
    return Puzzle(
        name,
        parameters,
        model,
        variables,
        symmetries,
        remarks=Remarks(warnings=warnings),
        file=FileReading([], named=named if len(named) < len(label_by_index) else ()),
    )


def _parse(text: str) -> CpModel:
    """Parse a text as a CP-SAT model; raise ValueError if it is none, or too large.

    The parser writes its complaint to the process's standard error, file descriptor 2, which is a temporary file
    meanwhile.
    """
    from ortools.sat.python.cp_model import CpModel

    model = CpModel()
    with TemporaryFile() as complaints:
        standard_error = os.dup(2)
        try:
            os.dup2(complaints.fileno(), 2)
            is_parsed = model.proto.parse_text_format(text)
        finally:
            os.dup2(standard_error, 2)
            os.close(standard_error)
        complaints.seek(0)
        complaint = re.search(r"CpModelProto: (\d+):\d+: (.*)", complaints.read().decode(errors="replace"))
    if not is_parsed:
        prefix = f"line {complaint[1]}: {quotation(complaint[2])}; " if complaint else ""
        raise ValueError(f"{prefix}this is not a CP-SAT model as text")
    if not len(model.proto.variables):
        raise ValueError("it holds no variable; is this a CP-SAT model?")
    if len(model.proto.variables) > MAX_MODEL_VARIABLES:
        raise ValueError(f"it has {len(model.proto.variables)} variables; at most {MAX_MODEL_VARIABLES} are accepted")
    return model


def _as_text(data: bytes) -> str:
    """Return a binary CP-SAT model as text.

    Raises ValueError if it is damaged or has fields that this OR-Tools does not know.
    """
    from google.protobuf.message import DecodeError
    from google.protobuf.text_format import MessageToString
    from ortools.sat.cp_model_pb2 import CpModelProto

    try:
        message = CpModelProto.FromString(data)
    except DecodeError:
        raise ValueError("this is not a CP-SAT model in binary; is it complete?") from None
    size = message.ByteSize()
    message.DiscardUnknownFields()
    if message.ByteSize() < size:
        raise ValueError("it contains fields that OR-Tools 9.15 does not know; is this a CP-SAT model?")
    return str(MessageToString(message))


def _names(proto: Any) -> list[str]:
    """Return the names of all variables of a proto; raise ValueError if a name is not UTF-8."""
    try:
        for constraint in proto.constraints:
            constraint.name  # noqa: B018 - reading it says whether it can be read
        return [variable.name for variable in proto.variables]
    except UnicodeDecodeError:
        raise ValueError("a name in it is not UTF-8 text") from None


def _labels(names: Sequence[str], variables: Any) -> tuple[list[Label], list[str]]:
    """Return (labels, warnings): a label of its own for each variable, and a sentence for each name that several have.

    A name that one variable has is its label. A variable without a name is called bool or int with its index, and one
    whose name others share gets a number behind it, unless another variable is called so. Without any name, labels are
    the indices.

    names: the names of all variables, empty for those without one. variables: those of the proto.

    >>> from ortools.sat.python.cp_model import CpModel
    >>> model = CpModel()
    >>> variables = [model.new_bool_var("x"), model.new_bool_var("x"), model.new_int_var(1, 3, "")]
    >>> _labels(["x", "x", ""], model.proto.variables)
    (['x#1', 'x#2', 'int2'], ['2 variables are called x; they are told apart as x#1, x#2'])
    """
    if not any(names):
        return [*range(len(names))], []
    count_by_name = Counter(filter(None, names))
    labels_in_use = {name for name, count in count_by_name.items() if count == 1}
    labels: list[Label] = []
    labels_of_name: dict[str, list[str]] = defaultdict(list)
    for index, name in enumerate(names):
        if count_by_name[name] == 1:
            labels.append(name)
            continue
        base_name = name or ("bool" if is_boolean(variables[index]) else "int")
        numbers = count(len(labels_of_name[name]) + 1) if name else count(index)
        candidates = (f"{base_name}#{number}" if name else f"{base_name}{number}" for number in numbers)
        label = next(candidate for candidate in candidates if candidate not in labels_in_use)
        labels_in_use.add(label)
        labels.append(label)
        labels_of_name[name].append(label)
    warnings = []
    for name, numbered in labels_of_name.items():
        if name:
            dots = ", ..." if len(numbered) > MAX_TOLD_APART else ""
            texts = ", ".join(numbered[:MAX_TOLD_APART])
            warnings.append(f"{len(numbered)} variables are called {name}; they are told apart as {texts}{dots}")
    return labels, warnings


def _key_labels(names: Sequence[str], labels: Sequence[Label], patterns: Sequence[str]) -> dict[int, Label]:
    """Return the labels of the key variables by index, in the model's order.

    names, labels: those of all variables. patterns: names or labels, with * and ?, of the variables to choose; if
    empty, all are chosen. Raises ValueError if a pattern fits no variable.
    """
    if not patterns:
        return dict(enumerate(labels))
    matched: set[str] = set()
    for pattern in patterns:
        names_and_labels = dict.fromkeys(filter(None, [*names, *map(str, labels)]))
        matched.update(matching(pattern, names_and_labels))
    return {
        index: label
        for index, (name, label) in enumerate(zip(names, labels, strict=True))
        if name in matched or str(label) in matched
    }


def _symmetry_generators(proto: Any) -> Iterator[Cycles]:
    """Yield the generators in the symmetry field of a model's proto, each as {index: index of its image}.

    A permutation is stored as its cycles: the variables of all of them, and their lengths. An orbitope is a matrix of
    variables whose columns may be permuted; its generators exchange neighbouring columns. Only variables that are moved
    are in the result. Raises ValueError for what is not a permutation.
    """
    if not proto.has_symmetry():
        return
    for permutation in proto.symmetry.permutations:
        support = list(permutation.support)
        sizes = list(permutation.cycle_sizes)
        if sum(sizes) != len(support) or min(sizes, default=1) < 1:
            raise ValueError("a permutation in its symmetry field has cycles that do not fit")
        image_by_variable: Cycles = {}
        for size in sizes:
            cycle = support[:size]
            support = support[size:]
            image_by_variable.update(zip(cycle, [*cycle[1:], cycle[0]], strict=True))
        if len(image_by_variable) != sum(sizes):
            raise ValueError("a permutation in its symmetry field moves a variable twice")
        yield image_by_variable
    for orbitope in proto.symmetry.orbitopes:
        rows = orbitope.num_rows
        columns = orbitope.num_cols
        entries = list(orbitope.entries)
        if min(rows, columns) < 1 or len(entries) != rows * columns or len(set(entries)) != len(entries):
            raise ValueError("an orbitope in its symmetry field is not a matrix of different variables")
        matrix_rows = [entries[row * columns : (row + 1) * columns] for row in range(rows)]
        for left, right in zip(range(columns), range(1, columns), strict=False):
            pairs = [(matrix_row[left], matrix_row[right]) for matrix_row in matrix_rows]
            yield {**dict(pairs), **{b: a for a, b in pairs}}


def _acts_on_key(proto: Any, moved: Cycles, chosen: dict[int, Label], number: int) -> bool:
    """Tell whether a permutation of variables moves key variables, and maps them to key variables only.

    proto: the proto of the model. moved: the image of each variable that it moves, by index. chosen: the labels of the
    key variables, by index. number: the number of the generator, for messages. Raises ValueError if it exchanges
    variables with different domains.
    """
    for index, image in moved.items():
        if not (0 <= index < len(proto.variables) and 0 <= image < len(proto.variables)):
            raise ValueError(f"generator {number} of its symmetry field names a variable that it does not have")
        if list(proto.variables[index].domain) != list(proto.variables[image].domain):
            raise ValueError(f"generator {number} of its symmetry field exchanges variables with different values")
    keeps_key = all((index in chosen) == (image in chosen) for index, image in moved.items())
    return keeps_key and not chosen.keys().isdisjoint(moved)


def _symmetry(moved: Cycles, chosen: dict[int, Label]) -> Symmetry:
    """Return a permutation of variables as a symmetry of the puzzle: a function from literals to literals.

    The value of a literal stays. moved: the image of each variable that it moves, by index. chosen: the labels of the
    key variables, by index.
    """
    image = {chosen[a]: chosen[b] for a, b in moved.items() if a in chosen}

    def literal_image(label: Label, value: int) -> Literal:
        return image.get(label, label), value

    return literal_image


def matching(pattern: str, names: Iterable[str]) -> list[str]:
    """Return the names that match a pattern with * and ?; brackets are plain characters.

    Raises ValueError, with the name that is most like the pattern, if none matches.

    >>> matching("q[*", ["q[1]", "p", "q[2]"])
    ['q[1]', 'q[2]']
    """
    names = list(names)
    escaped = pattern.replace("[", "[[]")
    matched = [name for name in names if fnmatchcase(name, escaped)]
    if not matched:
        near = difflib.get_close_matches(pattern, names, n=1, cutoff=0)
        hint = f"; there is {quotation(near[0])}" if near else "; none of its variables has a name"
        raise ValueError(f"no variable is called {pattern}{hint}")
    return matched


def key_variables(labelled: Mapping[str, T], patterns: Sequence[str]) -> Mapping[str, T]:
    """Return the variables that the patterns choose, by label; all if there is no pattern.

    labelled: all variables, by label such as x or x[1,2]. A pattern, with * and ?, matches a label, or the name of an
    array, such as x for all x[...]. Raises ValueError if one matches nothing.
    """
    if not patterns:
        return labelled
    arrays = {label.partition("[")[0] for label in labelled}
    chosen: dict[str, T] = {}
    for pattern in patterns:
        matched = {*matching(pattern, [*labelled, *(name for name in arrays if name not in labelled)])}
        chosen |= {label: item for label, item in labelled.items() if {label, label.partition("[")[0]} & matched}
    return chosen
