"""A check of solutions against the text of a DIMACS file; it shares nothing with the reader in `load.py`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray


class ClauseCheck:
    """A second reading of a DIMACS file, word by word, against which solutions are held."""

    def __init__(self, text: str) -> None:
        """Take the text of the file, which is read at the first solution."""
        self._text = text

    def first_violated_clause(self, values: Sequence[int]) -> str:
        """Return which clause an assignment violates, "" for none; values: 0 or 1 for each variable."""
        variables, wanted, starts = self._clauses
        satisfies = np.array(values, dtype=bool)[variables] == wanted
        # An empty clause, which begins where the next one does, is violated.
        counts = np.diff(np.concatenate([[0], np.cumsum(satisfies)])[starts])
        violated = np.flatnonzero(counts == 0)
        return f"clause {violated[0] + 1}" if len(violated) else ""

    @cached_property
    def _clauses(self) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.int64]]:
        """The variable, from 0, and the value that makes it true, of each literal; where clauses begin, and the end."""
        lines = self._text.partition("\n%")[0].splitlines()
        words = " ".join(line for line in lines if line.strip() and line.split()[0] not in ("c", "p")).split()
        literals = [word for word in words if word != "0"]
        variables = np.array([int(word.lstrip("-")) - 1 for word in literals], dtype=np.int64)
        wanted = np.array([word[0] != "-" for word in literals], dtype=bool)
        ends = np.array([place for place, word in enumerate(words) if word == "0"], dtype=np.int64)
        return variables, wanted, np.concatenate([[0], ends - np.arange(len(ends))])
