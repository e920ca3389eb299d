"""The file of solutions: streamed as FILE.part while they are found, put in order as FILE at the end."""

import json
from collections.abc import Iterable
from typing import Any

from models.puzzle import Label
from solvers.show.plain import plain_label
from solvers.show.printable import printable
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


def as_heading(label: Label) -> str:
    """A label as the heading of a column: a text as it is, others as in JSON.

    >>> as_heading("a"), as_heading(("a", 1))
    ('a', '["a", 1]')
    """
    return printable(label) if isinstance(label, str) else json.dumps(label, default=plain_label)


def literals_from_json(line: str, labels: Iterable[Label]) -> list[tuple[Label, Any]]:
    """The literals in a line of the file, their values as they stand there; ValueError, TypeError or KeyError if none.

    >>> literals_from_json('[[["a", 1], 1], ["b", 2.5]]', [("a", 1), "b"])
    [(('a', 1), 1), ('b', 2.5)]
    """
    named = {json.dumps(label, default=plain_label): label for label in labels}
    return [(named[json.dumps(label)], value) for label, value in json.loads(line)]
