"""The file of solutions: streamed as FILE.part while they are found, put in order as FILE at the end."""

import errno
import json
import os
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

from models.puzzle import Label, Puzzle, Solution
from solvers import draw
from solvers.backend import Refused
from solvers.key import Decoded


def as_json(solution: Decoded) -> str:
    """A solution as [[label, value], ...] in key order, tuples as arrays; of Booleans only those that are 1.

    >>> from ortools.sat.python.cp_model import CpModel
    >>> from solvers.key import Key
    >>> model = CpModel()
    >>> key = Key(model, {("a", 1): model.new_bool_var(""), "b": model.new_int_var(3, 5, "")})
    >>> as_json(key.decode((0, 3)))
    '[[["a", 1], 1], ["b", 4]]'
    """
    return json.dumps(list(solution.items()), default=plain_label)


def from_json(line: str, labels: Iterable[Label]) -> Solution:
    """A solution of a puzzle with these labels, from a line of its file; labels that are not listed are 0.

    >>> dict(from_json('[[["a", 1], 1], ["b", 4]]', [("a", 1), ("a", 2), "b"]))
    {('a', 1): 1, 'b': 4}
    """
    named = {json.dumps(label, default=plain_label): label for label in labels}
    return defaultdict(int, ((named[json.dumps(label)], value) for label, value in json.loads(line)))


def plain_label(label: Label) -> Any:
    """What stands for a label, or a part of one, that JSON has no form for."""
    return list(label) if isinstance(label, (set, frozenset)) else str(label)


def opened(path: str, option: str) -> tuple[Path, IO[str]]:
    """The file that a person named in this option, and a stream to FILE.part beside it; `Refused` if it cannot be."""
    try:
        target = Path(path).resolve()
        if not path or (target.exists() and not target.is_file()):
            raise OSError(errno.EINVAL, "it is no plain file")
        if target.exists() and not os.access(target, os.W_OK):
            raise OSError(errno.EACCES, "it is write-protected")
        return target, Path(f"{target}.part").open("w", encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Refused(f"cannot write {path or repr(path)}: {reason}; choose another file for {option}") from None


class SolutionsFile:
    """Where the solutions go: JSON lines, or numbered drawings if the file's name ends in .txt.

    Raises `Refused` at once if the file cannot be written; OSError later, where the disk is full.
    """

    def __init__(self, path: str) -> None:
        self.path, self._stream = opened(path, "--solutions")
        self.part = Path(self._stream.name)

    def add(self, solution: Decoded) -> None:
        """Write a solution that was just found."""
        self._stream.write(as_json(solution) + "\n")
        self._stream.flush()

    def finish(self, puzzle: Puzzle, solutions: Iterable[Decoded]) -> None:
        """Write all solutions in their order and drop what was streamed."""
        self._stream.close()
        sorted_part = Path(f"{self.part}.sorted")
        with sorted_part.open("w", encoding="utf-8") as stream:
            for number, solution in enumerate(solutions, 1):
                if self.path.suffix == ".txt":
                    stream.write(f"{number}\n{draw.solution(puzzle, solution)}\n\n")
                else:
                    stream.write(as_json(solution) + "\n")
        sorted_part.replace(self.path)
        self.part.unlink()
