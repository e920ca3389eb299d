"""The file of solutions: streamed as FILE.part while they are found, put in order as FILE at the end."""

import json
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from models.puzzle import Label, Solution
from solvers.show.plain import plain_label
from solvers.symmetry.key import Decoded


def as_json(solution: Decoded) -> str:
    """A solution as [[label, value], ...] in key order, tuples as arrays; of Booleans only those that are 1.

    >>> from ortools.sat.python.cp_model import CpModel
    >>> from solvers.symmetry.key import Key
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
    return defaultdict(int, literals_from_json(line, labels))


def literals_from_json(line: str, labels: Iterable[Label]) -> list[tuple[Label, Any]]:
    """The literals in a line of the file, their values as they stand there; ValueError, TypeError or KeyError if none.

    >>> literals_from_json('[[["a", 1], 1], ["b", 2.5]]', [("a", 1), "b"])
    [(('a', 1), 1), ('b', 2.5)]
    """
    named = {json.dumps(label, default=plain_label): label for label in labels}
    return [(named[json.dumps(label)], value) for label, value in json.loads(line)]
