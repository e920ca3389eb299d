"""The file of solutions: streamed as FILE.part while they are found, put in order as FILE at the end."""

import json
from collections.abc import Iterable
from typing import Any

from models.puzzle import Label
from solvers.show.plain import plain_label
from solvers.show.printable import printable
from solvers.symmetry.key import Decoded


def as_json(solution: Decoded) -> str:
    """Return a solution as JSON text [[label, value], ...] in key order.

    Boolean variables that are 0 are left out. Tuples in labels become arrays.

    >>> from ortools.sat.python.cp_model import CpModel
    >>> from solvers.symmetry.key import Key
    >>> model = CpModel()
    >>> key = Key(model, {("a", 1): model.new_bool_var(""), "b": model.new_int_var(3, 5, "")})
    >>> as_json(key.decode((0, 3)))
    '[[["a", 1], 1], ["b", 4]]'
    """
    return json.dumps(list(solution.items()), default=plain_label)


def as_heading(label: Label) -> str:
    """Return a label as the heading of a column: a text as it is, others as JSON.

    >>> as_heading("a"), as_heading(("a", 1))
    ('a', '["a", 1]')
    """
    return printable(label) if isinstance(label, str) else json.dumps(label, default=plain_label)


def literals_from_json(line: str, labels: Iterable[Label]) -> list[tuple[Label, Any]]:
    """Read one line of a file of solutions as (label, value) pairs; values are not checked.

    labels: the labels of the key. Raises ValueError, TypeError or KeyError if the line is not of this form.

    >>> literals_from_json('[[["a", 1], 1], ["b", 2.5]]', [("a", 1), "b"])
    [(('a', 1), 1), ('b', 2.5)]
    """
    named = {json.dumps(label, default=plain_label): label for label in labels}
    return [(named[json.dumps(label)], value) for label, value in json.loads(line)]
