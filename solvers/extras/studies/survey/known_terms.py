"""The counts of a survey as the terms of a sequence: as a b-file, and held against terms that are known."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from solvers.base.endings import DONE, INCOMPLETE, NO
from solvers.base.errors import InputError, errors_with_name
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
        return _terms_in_file(text)
    words = [word for word in re.split(r"[\s,]+", text.strip()) if word]
    for word in words or [text]:
        if not re.fullmatch(WHOLE_NUMBER, word):
            raise InputError(f"{word!r} is neither a term nor a b-file; list whole numbers such as 1,0,0,2,10")
    return [int(word) for word in words]


def _terms_in_file(path: str) -> dict[int, int]:
    """Return the terms in a b-file, by n; raise `InputError`, which names the line, if it is none.

    path: the file, which has n and the term on each line, and comments behind #.
    """
    terms: dict[int, int] = {}
    with errors_with_name(path):
        lines = read_text(Path(path)).splitlines()
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


READINGS = ("rows", "antidiagonals", "ascending-antidiagonals")
"""The ways to read a table or a triangle as a sequence, as the OEIS names them; antidiagonals descend."""


def places_by_index(
    varied: Sequence[str],
    values: Sequence[Mapping[str, Any]],
    asked: str,
    read: str | None = None,
    is_gapless: bool = False,
) -> dict[int, int]:
    """Return the place of the row of each term, by its index, in ascending order.

    If one parameter varies, it is the index. If two do, the rows are a table or a triangle, and its first index is the
    least value of the first parameter. varied: the names of what varies. values: those of each row, by name. asked:
    what needs the index, for the message. read: one of `READINGS`, for two parameters. is_gapless: whether the numbers
    have to follow one another; with ``read`` they have to.

    Raises `InputError` if other parameters vary, their values are not whole numbers, or some are missing. A place is
    the number of a row, from 0.
    """
    if read not in (None, *READINGS):
        raise InputError(f"a table is read by {', '.join(READINGS)}, not by {read!r}")
    # Two parameters with ``read``, and one without.
    if len(varied) != (2 if read else 1) or not all(_is_whole(row[name]) for row in values for name in varied):
        differ = ", ".join(varied) or "nothing"
        wanted = "two parameters that take whole numbers, such as `--n 1..4 --k 1..n`"
        if read is None:
            wanted = "one parameter that takes whole numbers, such as `--n 3..8`, or two with `--read rows`"
        raise InputError(f"{asked} needs {wanted}; here vary: {differ}")
    if read:
        return _places_in_table(varied, values, read)
    places = {row[varied[0]]: place for place, row in enumerate(values)}
    for n, following in pairwise(sorted(places)):
        if is_gapless and following > n + 1:
            raise InputError(f"{asked} has no gaps, but {varied[0]} = {n + 1} is missing; give a range such as 3..8")
    return dict(sorted(places.items()))


def _places_in_table(varied: Sequence[str], values: Sequence[Mapping[str, Any]], read: str) -> dict[int, int]:
    """Return the place of each row of a table or a triangle by its index; see `places_by_index`.

    A row of the survey is an entry (n, k) of the table, by the values of the two parameters that vary. The indices are
    consecutive along the entries as they are read: row by row, or along one antidiagonal after the other. The first
    antidiagonal that is not complete ends them.

    varied: the names of the two parameters. values: those of each row of the survey, by name. read: one of `READINGS`.
    Raises `InputError` if the table has gaps.
    """
    place_of_entry = {(row[varied[0]], row[varied[1]]): place for place, row in enumerate(values)}
    least_n = min(n for n, _ in place_of_entry)
    least_k = min(k for _, k in place_of_entry)
    # The number of entries in each row n of the table; each row begins at the least k.
    row_lengths = Counter(n for n, _ in place_of_entry)
    every_n = range(least_n, least_n + len(row_lengths))
    entries_as_read = [(n, k) for n in every_n for k in range(least_k, least_k + row_lengths[n])]
    for n, k in entries_as_read:
        if (n, k) not in place_of_entry:
            raise InputError(f"a table has no gaps, but {varied[0]} = {n}, {varied[1]} = {k} is missing; give ranges")
    if read != READINGS[0]:
        entries_as_read = []
        for diagonal_number in range(len(row_lengths)):
            diagonal = [(least_n + row, least_k + diagonal_number - row) for row in range(diagonal_number + 1)]
            if not place_of_entry.keys() >= {*diagonal}:
                break
            entries_as_read += diagonal if read == READINGS[1] else reversed(diagonal)
        if len(entries_as_read) == 1 < len(place_of_entry):
            raise InputError("this table has one antidiagonal only; choose `--read rows`")
    return {least_n + number: place_of_entry[cell] for number, cell in enumerate(entries_as_read)}


def _is_whole(value: object) -> bool:
    """Tell whether a parameter's value is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def terms_by_index(
    varied: Sequence[str], rows: Sequence[Variant], count: str = "total", read: str | None = None
) -> tuple[dict[int, int], str]:
    """Return (the terms by their index, a sentence on what is missing or "").

    They end before the first that is not known. varied: the names of what varies. count: one of `COUNTS`. read: as for
    `places_by_index`. Raises `InputError` for another word, and as `places_by_index` does. rows: those of the survey;
    an index belongs to the row at the place that `places_by_index` says.
    """
    count_of = _count(count)
    terms = dict[int, int]()
    values = [row.arguments for row in rows]
    for index, place in places_by_index(varied, values, "a b-file", read, is_gapless=True).items():
        if not rows[place].complete:
            return terms, f"the b-file ends before {_unknown(varied, rows[place])}"
        terms[index] = count_of(rows[place])
    return terms, ""


def lines_of(terms: Mapping[int, int]) -> str:
    """Return terms as a b-file of the OEIS: a line has the index and its term."""
    return "".join(f"{index} {term}\n" for index, term in terms.items())


def compare_to_terms(
    varied: Sequence[str],
    rows: Sequence[Variant],
    expected: Expected,
    count: str = "total",
    read: str | None = None,
) -> Verdict:
    """Compare the counts of a survey to terms that are known.

    varied: the names of what varies. expected: the terms in the order of the rows, or of ``read``, or by index. count:
    one of `COUNTS`. Raises `InputError` for another word, or if terms by index meet rows without one. rows: those of
    the survey. read: how a table of two parameters is read as a sequence, one of `READINGS`. An index without a term,
    and a term without a row, are mentioned.
    """
    count_of = _count(count)
    if read or isinstance(expected, Mapping):
        places = places_by_index(varied, [row.arguments for row in rows], "a b-file", read)
    else:
        places = dict(enumerate(range(len(rows))))
    term_by_index = expected if isinstance(expected, Mapping) else dict(zip(places, expected, strict=False))
    pairs = [(rows[place], term_by_index[index]) for index, place in places.items() if index in term_by_index]
    unmatched = [rows[place] for index, place in places.items() if index not in term_by_index]
    terms_left = 0 if isinstance(expected, Mapping) else len(expected) - len(pairs)
    differing, unknown = [], []
    for row, term in pairs:
        # The count of an incomplete run is a lower bound: it differs only if it is greater than the term.
        if not row.complete and (row.refused or count_of(row) <= term):
            unknown.append(f"{_unknown(varied, row)}; {term} is expected")
        elif count_of(row) != term:
            at_least = "" if row.complete else "at least "
            differing.append(f"{_row_name(varied, row)}: {term} is expected, {at_least}{count_of(row)} found")
    sentences = [*_first_sentence(differing, "differ"), *_first_sentence(unknown, "are not known")]
    if not sentences:
        sentences.append(
            f"{number_with_unit(len(pairs), 'terms')} expected and found" if pairs else "no term is compared"
        )
    if unmatched:
        further = f" and {len(unmatched) - 1} more" if len(unmatched) > 1 else ""
        sentences.append(f"no term is given for {_row_name(varied, unmatched[0])}{further}")
    if terms_left:
        sentences.append(f"no row is there for the last {number_with_unit(terms_left, 'terms')} given")
    agrees = None if unknown or not pairs else True
    return Verdict(False if differing else agrees, sentences)


def _first_sentence(sentences: Sequence[str], what: str) -> list[str]:
    """Return a list of the first sentence only, or an empty list if there are no sentences.

    If there are several, their number is added to it. what: what all of them say of terms, such as "differ".
    """
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
