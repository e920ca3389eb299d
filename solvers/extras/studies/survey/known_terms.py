"""The counts of a survey as the terms of a sequence: as a b-file, and held against terms that are known."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from solvers.base.endings import DONE, INCOMPLETE, NO
from solvers.base.errors import InputError
from solvers.extras.studies.survey.variant import Variant
from solvers.extras.studies.survey.variants import Row
from solvers.files.load import read_text
from solvers.show.plain import json_value, number_with_unit

COUNTS: Mapping[str, Callable[[Variant], int]] = {
    "total": lambda row: row.total,
    "solutions": lambda row: row.solutions,
}
"""The counts that may be the terms of a sequence: all solutions, or those up to symmetry."""

UNFINISHED: Row = {"refused": "its run did not end", "complete": False}
"""The row of a variant whose run did not end."""

Expected = Sequence[int] | Mapping[int, int]
"""Terms that are known: in the order of the rows, or by n."""

WHOLE_NUMBER = r"-?[0-9]{1,4000}"
"""The pattern of a term; Python reads no longer number."""


@dataclass(frozen=True)
class Verdict:
    """The comparison of the counts of a survey with the terms that were expected."""

    agrees: bool | None
    """False if a term differs; None if none differs and not all are known; otherwise True."""
    sentences: Sequence[str]
    """What differs, what is not known, and which terms or rows have no counterpart."""

    @property
    def code(self) -> int:
        """The exit code of a command that asks whether they agree."""
        return {True: DONE, False: NO, None: INCOMPLETE}[self.agrees]

    def __str__(self) -> str:
        """Return the sentences, one on each line."""
        return "\n".join(self.sentences)


def read_terms(text: str) -> Expected:
    """Return the terms that a text lists, such as 1,0,0,2,10, or those in a b-file that the text names.

    Raises `InputError`, which names the line of the file, if they are not understood.
    """
    if os.path.isfile(text):
        return _of_file(text)
    words = [word for word in re.split(r"[\s,]+", text.strip()) if word]
    for word in words or [text]:
        if not re.fullmatch(WHOLE_NUMBER, word):
            raise InputError(f"{word!r} is neither a term nor a b-file; list whole numbers such as 1,0,0,2,10")
    return [int(word) for word in words]


def _of_file(path: str) -> dict[int, int]:
    """Return the terms in a b-file, by n; raise `InputError`, which names the line, if it is none."""
    terms: dict[int, int] = {}
    try:
        lines = read_text(Path(path)).splitlines()
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if len(words) != 2 or not all(re.fullmatch(WHOLE_NUMBER, word) for word in words):
            raise InputError(f"{path}, line {number}: write n and a term, such as 4 2, as in a b-file of the OEIS")
        if int(words[0]) in terms:
            raise InputError(f"{path}, line {number} gives n = {words[0]} a second term")
        terms[int(words[0])] = int(words[1])
    if not terms:
        raise InputError(f"{path} holds no term; write n and a term on each line, as in a b-file of the OEIS")
    return terms


def check_index(
    varied: Sequence[str], values: Sequence[Mapping[str, Any]], asked: str, is_gapless: bool = False
) -> None:
    """Raise `InputError` unless the rows have an n: one parameter varies, and its values are whole numbers.

    varied: the names of what varies. values: those of each row, by name. asked: what needs the n, for the message.
    is_gapless: whether the numbers have to follow one another.
    """
    if len(varied) != 1 or not all(_is_whole(row[varied[0]]) for row in values):
        differ = ", ".join(varied) or "nothing"
        raise InputError(
            f"{asked} needs one parameter that takes whole numbers, such as `--n 3..8`; here vary: {differ}"
        )
    numbers = sorted(row[varied[0]] for row in values)
    for n, following in pairwise(numbers):
        if is_gapless and following > n + 1:
            raise InputError(f"{asked} has no gaps, but {varied[0]} = {n + 1} is missing; give a range such as 3..8")


def _is_whole(value: object) -> bool:
    """Tell whether a parameter's value is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def lines_of(varied: Sequence[str], rows: Sequence[Variant], count: str = "total") -> tuple[str, str]:
    """Return (the counts as a b-file of the OEIS, a sentence on what is missing or "").

    A line has n and its term. The lines end before the first n whose term is not known. varied: the names of what
    varies. count: one of `COUNTS`. Raises `InputError` for another word, and as `check_index` does.
    """
    of = _count(count)
    check_index(varied, [row.arguments for row in rows], "a b-file", is_gapless=True)
    (name,) = varied
    rows = sorted(rows, key=lambda row: row.arguments[name])
    known = rows[: next((place for place, row in enumerate(rows) if not row.complete), len(rows))]
    lines = "".join(f"{row.arguments[name]} {of(row)}\n" for row in known)
    if len(known) == len(rows):
        return lines, ""
    return lines, f"the b-file ends before {_unknown(varied, rows[len(known)])}"


def compare_to_terms(
    varied: Sequence[str], rows: Sequence[Variant], expected: Expected, count: str = "total"
) -> Verdict:
    """Compare the counts of a survey to terms that are known.

    varied: the names of what varies. expected: the terms in the order of the rows, or by n. count: one
    of `COUNTS`. Raises `InputError` for another word, or if terms by n meet rows without one.
    """
    of = _count(count)
    if isinstance(expected, Mapping):
        check_index(varied, [row.arguments for row in rows], "a b-file")
        places = {row.arguments[varied[0]]: row for row in rows}
        pairs = [(row, expected[n]) for n, row in places.items() if n in expected]
        unmatched = [row for n, row in places.items() if n not in expected]
        more = 0
    else:
        pairs = [*zip(rows, expected, strict=False)]
        unmatched = [*rows[len(expected) :]]
        more = len(expected) - len(pairs)
    differing, unknown = [], []
    for row, term in pairs:
        if row.refused or (not row.complete and of(row) <= term):
            unknown.append(f"{_unknown(varied, row)}; {term} is expected")
        elif of(row) != term:
            at_least = "" if row.complete else "at least "
            differing.append(f"{_row_name(varied, row)}: {term} is expected, {at_least}{of(row)} found")
    sentences = [*_first(differing, "differ"), *_first(unknown, "are not known")]
    if not sentences:
        sentences.append(
            f"{number_with_unit(len(pairs), 'terms')} expected and found" if pairs else "no term is compared"
        )
    if unmatched:
        further = f" and {len(unmatched) - 1} more" if len(unmatched) > 1 else ""
        sentences.append(f"no term is given for {_row_name(varied, unmatched[0])}{further}")
    if more:
        sentences.append(f"no row is there for the last {number_with_unit(more, 'terms')} given")
    agrees = None if unknown or not pairs else True
    return Verdict(False if differing else agrees, sentences)


def _first(sentences: Sequence[str], what: str) -> list[str]:
    """Return the first sentence, with the number of those that follow; what: what they say of terms."""
    if len(sentences) < 2:
        return [*sentences]
    return [f"{sentences[0]}; in all, {len(sentences)} terms {what}"]


def _count(name: str) -> Callable[[Variant], int]:
    """Return the function of a row that is called ``name`` in `COUNTS`; raise `InputError` if there is none."""
    if name not in COUNTS:
        raise InputError(f"terms are {' or '.join(COUNTS)}, not {name!r}")
    return COUNTS[name]


def _row_name(varied: Sequence[str], row: Variant) -> str:
    """Return the values by which a row differs from the others, such as "n = 3"."""
    return ", ".join(f"{name} = {json_value(row.arguments[name])}" for name in varied) or "the only row"


def _unknown(varied: Sequence[str], row: Variant) -> str:
    """Return a clause that says why the term of a row is not known."""
    return f"{_row_name(varied, row)}, which is not known ({row.refused or 'ended by ' + row.report['stopped_by']})"
