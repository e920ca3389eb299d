"""A check of solutions against the text of a DIMACS file; it shares nothing with the reader in `load.py`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class FormulaRules(NamedTuple):
    """The clauses of a file, and its bounds on how many literals are true."""

    variables: NDArray[np.int64]
    """The variable of each literal, from 0."""
    wanted: NDArray[np.bool_]
    """The value that makes each literal true."""
    starts: NDArray[np.int64]
    """Where each rule begins among the literals, and the end."""
    least: NDArray[np.int64]
    """The fewest literals of each rule that are true."""
    most: NDArray[np.int64]
    """The most of them."""


class ClauseCheck:
    """A second reading of a DIMACS file, word by word, against which solutions are checked.

    >>> check = ClauseCheck("p cnf+ 3 2\\n1 2 3 >= 2\\n-1 -2 0\\n")
    >>> check.first_violated_clause([1, 0, 1]), check.first_violated_clause([1, 1, 0])
    ('', 'clause 2')
    """

    def __init__(self, text: str) -> None:
        """Take the text of the file, which is read at the first solution."""
        self._text = text

    def first_violated_clause(self, values: Sequence[int]) -> str:
        """Return which clause or bound an assignment violates, such as "clause 2"; "" for none.

        values: 0 or 1 for each variable, from variable 1 on.
        """
        rules = self._rules
        satisfies = np.array(values, dtype=bool)[rules.variables] == rules.wanted
        # The sum up to a rule's end, less that up to its beginning; both are the same for an empty clause.
        counts = np.diff(np.concatenate([[0], np.cumsum(satisfies)])[rules.starts])
        violated = np.flatnonzero((counts < rules.least) | (counts > rules.most))
        return f"clause {violated[0] + 1}" if len(violated) else ""

    @cached_property
    def _rules(self) -> FormulaRules:
        """The rules of the file, as arrays; read at the first use."""
        read = [*_read_rules(self._text)]
        # All literals of all rules, one rule behind the other.
        words = [word for literals, _, _ in read for word in literals]
        return FormulaRules(
            np.array([int(word.lstrip("-")) - 1 for word in words], dtype=np.int64),
            np.array([word[0] != "-" for word in words], dtype=bool),
            np.cumsum([0, *(len(literals) for literals, _, _ in read)]),
            np.array([least for _, least, _ in read], dtype=np.int64),
            np.array([len(literals) if most is None else most for literals, _, most in read], dtype=np.int64),
        )


def _read_rules(text: str) -> Iterator[tuple[list[str], int, int | None]]:
    """Yield (literals as words, the fewest that are true, the most) for each rule; most: None for no bound.

    A rule is a clause, which ends with 0 and may go over several lines, or a bound: "k 2 1 -2 3 0" or "1 -2 3 >= 2".
    What follows a line that begins with % is not read.
    """
    clause: list[str] = []
    for words in map(str.split, text.partition("\n%")[0].splitlines()):
        if not words or words[0] in ("c", "p", "vp"):
            continue
        if words[0] == "k":
            yield words[2:-1], int(words[1]), None
        elif len(words) > 1 and words[-2] == ">=":
            yield words[:-2], int(words[-1]), None
        elif len(words) > 1 and words[-2] == "<=":
            yield words[:-2], 0, int(words[-1])
        else:
            for word in words:
                if word != "0":
                    clause.append(word)
                else:
                    yield clause, 1, None
                    clause = []
