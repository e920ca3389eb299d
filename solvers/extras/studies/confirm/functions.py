"""A puzzle's count, confirmed by whoever else is installed: the function `confirm`, and its matrix."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from solvers.base.errors import InputError
from solvers.extras.counts.counting.count import FREE_MEMORY_SHARE, free_memory
from solvers.extras.studies.compare.trials import words_for
from solvers.extras.studies.confirm.counted import (
    AGREES,
    ALONE,
    DIFFERS,
    ENDED,
    LATE,
    MISSING,
    NOT_ASKED,
    Limits,
    WitnessCount,
    count,
)
from solvers.extras.studies.confirm.forms import Form, PlainModel, write_forms
from solvers.extras.studies.confirm.witness import FILE, Witness
from solvers.extras.studies.confirm.witnesses import ON_FILE, WITNESSES
from solvers.files.catalogue import blame_declaration, find
from solvers.show.evidence import Completed, agreement
from solvers.show.plain import in_json
from solvers.show.shown import Table
from solvers.terminal.calls import Given, Named, givens_tuple, is_own, path_of, question
from solvers.terminal.progress import below_cell

SECONDS = 60.0
"""Seconds for each program by default."""

HEADERS = ("program", "version", "by", "reads", "what was written", "number", "seconds", "verdict")


class Confirmation(Table):
    """The counts of several witnesses of one plain model, side by side; Jupyter shows them as a table."""

    def __init__(self, puzzle: str, parameters: Mapping[str, Any], rows: Iterable[WitnessCount]) -> None:
        """Take the puzzle's name, its parameters, and what each witness said; find which witnesses differ.

        They are compared to our own number or, if we have none, to the number that most of them found. A `WitnessCount`
        has a number, or none and the reason. `agreement` makes a sentence of the runs and what each rests on.
        """
        all_rows = [*rows]
        rows_with_number = [row for row in all_rows if row.number is not None]
        own_numbers = [row.number for row in rows_with_number if not row.witness.is_foreign]
        most_frequent = [number for number, _ in Counter(row.number for row in rows_with_number).most_common(1)]
        # Our own number, else the most frequent one, else None.
        self.total = next(iter([*own_numbers, *most_frequent]), None)
        """The number of all solutions that the others are compared to; None if no program finished."""
        self.counts = [
            row if row.number is None else replace(row, verdict=self._verdict(row, rows_with_number))
            for row in all_rows
        ]
        """What each witness said."""
        self.puzzle, self.parameters = puzzle, parameters
        # A witness that runs the puzzle as usual does not search the plain model.
        agreeing_runs = [
            Completed(row.witness.name, row.rests_on)
            for row in self.counts
            if row.number == self.total and not row.witness.asks_puzzle
        ]
        readers_of_file = [run.backend for run in agreeing_runs if run.backend.endswith(ON_FILE)]
        # Each solver counts once, by the file if it has read it.
        distinct_searches = [run for run in agreeing_runs if f"{run.backend}{ON_FILE}" not in readers_of_file]
        self.agreement = (
            agreement(distinct_searches, "found the same number of solutions")
            if rows_with_number
            else "no search is complete"
        )
        """How many independent searches of the plain model found the same number, in a sentence."""
        if any(FILE in run.rests_on for run in agreeing_runs):
            readers = ", ".join(readers_of_file) or "no program"
            self.agreement += f" Of these, {readers} read the file without our reader."
        cells = [[*_texts_of_row(row)] for row in self.counts]
        super().__init__(cells, HEADERS, disable_numparse=True, colalign=_ALIGNED)

    def _verdict(self, row: WitnessCount, done: Sequence[WitnessCount]) -> str:
        """Return the verdict of a witness that has a number; done: the witnesses that have one."""
        if row.number != self.total:
            return DIFFERS
        return AGREES if len(done) > 1 else ALONE

    @property
    def differing(self) -> list[str]:
        """The names of the witnesses whose number is another."""
        return [row.witness.name for row in self.counts if row.verdict == DIFFERS]

    @property
    def foreign(self) -> list[str]:
        """The names of the foreign programs that finished and agree with another witness."""
        return [row.witness.name for row in self.counts if row.witness.is_foreign and row.verdict == AGREES]

    @property
    def notes(self) -> list[str]:
        """A sentence for each reason behind a verdict, which names all witnesses that it concerns."""
        named: dict[tuple[str, str], list[str]] = {}
        for row in self.counts:
            if row.detail:
                named.setdefault((row.verdict, row.detail), []).append(row.witness.name)
        return [f"{', '.join(names)}: {verdict}: {why}" for (verdict, why), names in named.items()]

    def __str__(self) -> str:
        """Return the matrix, the reasons and the sentence on agreement as text."""
        notes = "\n".join(self.notes)
        return "\n\n".join(part for part in (super().__str__(), notes, self.agreement) if part)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return the matrix, the reasons and the sentence on agreement as HTML, which Jupyter shows."""
        sentences = "".join(f"<p>{escape(sentence)}</p>" for sentence in [*self.notes, self.agreement])
        return f"{super()._repr_html_()}{sentences}"

    def as_json(self) -> str:
        """Return the matrix as a JSON object; REFERENCE.md explains its keys."""
        rows = [
            {
                "program": row.witness.name,
                "version": row.version,
                "foreign": row.witness.is_foreign,
                "licence": row.witness.licence,
                "reads": row.witness.reads,
                "written": row.written,
                "breaks_symmetry": row.witness.breaks_symmetry,
                "implied_facts": row.witness.asks_puzzle,
                "probable": row.witness.probable,
                "rests_on": [*row.rests_on],
                "number": row.number,
                "seconds": None if row.seconds is None else round(row.seconds, 3),
                "verdict": row.verdict,
                "detail": row.detail,
            }
            for row in self.counts
        ]
        facts = {"puzzle": self.puzzle, "parameters": in_json(self.parameters), "total": self.total}
        return json.dumps({**facts, "agreement": self.agreement, "witnesses": rows})

    def page(self) -> str:
        """Return the matrix as a page of HTML."""
        title = escape(" ".join([self.puzzle, *(f"{name}={value}" for name, value in self.parameters.items())]))
        style = "body { font-family: sans-serif } td, th { padding: 0.2em 0.8em; text-align: left }"
        head = f"<!DOCTYPE html><html lang=en><meta charset=utf-8><title>{title}</title><style>{style}</style>"
        return f"{head}<h1>{title}</h1>{self._repr_html_()}</html>\n"


_ALIGNED = ("left", "left", "left", "left", "left", "right", "right", "left")


def _texts_of_row(row: WitnessCount) -> Iterator[str]:
    """Yield the texts of a row of the matrix, under `HEADERS`."""
    witness = row.witness
    yield witness.name
    yield row.version
    yield "others" if witness.is_foreign else "us"
    yield "the puzzle, as any run" if witness.asks_puzzle else witness.reads
    yield row.written
    yield "" if row.number is None else f"{row.number}{' (probable)' if witness.probable else ''}"
    yield "" if row.seconds is None else f"{row.seconds:.1f}"
    yield row.verdict


def confirm(
    puzzle: Named,
    /,
    *,
    given: Given = (),
    time_limit: float = SECONDS,
    memory: float | None = None,
    programs: Sequence[str] = (),
) -> Confirmation:
    """Count all solutions of a puzzle by each program that is installed, each in a process of its own.

    The programs read the plain model: no symmetry is broken, and nothing is added that follows from the rules.

    Parameters
    ----------
    puzzle, given
        As for `solve`.
    time_limit
        Seconds for each program, and for writing each form of the model.
    memory
        Gigabytes for each program. By default most of the free memory.
    programs
        Texts; only programs are asked whose names contain one of them, in large or small letters. By default all.

    Returns
    -------
    Confirmation
        What each witness said; ``total`` is the number, ``foreign`` names the programs of others that confirm it, and
        ``differing`` those that say another number.

    Raises
    ------
    InputError
        As for `solve`, if the key is empty, or if no program has such a name.

    Examples
    --------
    >>> found = confirm("magic", programs=["cp-sat", "run as usual"])
    >>> found.total, found.foreign, found.differing
    (8, ["OR-Tools' CP-SAT"], [])
    """
    asked = witnesses_by_name(programs)
    # The name of the puzzle, its parameters, and the function that declares it.
    name, known, declare = question(puzzle, {})
    with blame_declaration(name, is_own(puzzle)):
        declared = declare(**known)
        texts, named = givens_tuple(given), path_of(puzzle)
        # A run as usual is asked for by a command line, in which the puzzle and all givens must be texts.
        is_nameable = bool(named) and all(isinstance(text, str) for text in texts)
        run = words_of_run(named, known, texts) if is_nameable else ()
        stop = threading.Event()
        with TemporaryDirectory() as folder:
            plain = write_forms(declared, texts, forms_of(asked), Path(folder), time_limit, stop)
            limits = Limits(time_limit, bytes_of(memory))
            with below_cell() as bar:

                def show_witness(witness: Witness) -> None:
                    bar.show_progress(lambda: f"{name}: {witness.name} counts")

                return Confirmation(name, known, ask_witnesses(asked, plain, run, limits, stop, show_witness))


def witnesses_by_name(names: Sequence[str]) -> list[Witness]:
    """Return the witnesses whose names contain one of these texts, in large or small letters; all if there is no text.

    Raises `InputError` if a text is in no name.
    """
    for text in names:
        if not any(text.lower() in witness.name.lower() for witness in WITNESSES):
            known = ", ".join(witness.name for witness in WITNESSES)
            raise InputError(f"no program is called {text!r}; there are {known}")
    return [
        witness for witness in WITNESSES if not names or any(text.lower() in witness.name.lower() for text in names)
    ]


def forms_of(witnesses: Iterable[Witness]) -> list[str]:
    """Return the endings of the forms that some witnesses read, each once, for `write_forms`."""
    return list(dict.fromkeys(witness.form for witness in witnesses if not witness.reads_file))


def bytes_of(gigabytes: float | None) -> int:
    """Return the bytes of memory that each program may take; None represents most of the free memory."""
    return int(gigabytes * 1e9) if gigabytes else int(FREE_MEMORY_SHARE * free_memory())


def words_of_run(name: str, arguments: Mapping[str, Any], given: Sequence[str]) -> list[str]:
    """Return the words of a run that name a puzzle with these arguments and givens."""
    parameters = find(name).parameters
    return [name, *words_for(parameters, arguments, {"given": given} if given else {})]


def ask_witnesses(
    witnesses: Sequence[Witness],
    plain: PlainModel,
    run: Sequence[str],
    limits: Limits,
    stop: threading.Event,
    tell: Callable[[Witness], object] = lambda _: None,
) -> Iterator[WitnessCount]:
    """Yield what each of these witnesses says of a plain model, one after another.

    plain: the model in the forms in which witnesses read it. A witness that asks for the puzzle by name, where it has
    none, and one whose form was not written are left out. limits: the seconds and the memory of each. run: the words by
    which a run names the puzzle; empty if it has no name. stop: ends the count when set; then the witnesses that are
    left are not asked. tell: called again and again with the witness that counts. A row has its verdict without a
    number if the witness is not installed, is not asked, or the count has been stopped.
    """
    for witness in witnesses:
        if (witness.asks_puzzle and not run) or (witness.reads_file and witness.form not in plain.forms):
            continue
        form = plain.forms[witness.form]
        row = WitnessCount(witness, ENDED, rests_on=[*witness.rests_on, *form.also])
        if witness.is_missing():
            yield replace(row, verdict=MISSING, detail=witness.install)
            continue
        row = replace(row, version=witness.version())
        if stop.is_set():
            yield row
            continue
        refused = _refusal(witness, form, plain)
        if refused:
            yield replace(row, verdict=LATE if form.is_late else NOT_ASKED, detail=refused)
            continue
        words = [*witness.words(form.path)]
        if witness.asks_puzzle:
            place = words.index(form.path)  # the words of the puzzle take the place of the path
            words[place : place + 1] = run
        verdict, detail, number, seconds = count(witness, words, form.path, limits, stop, partial(tell, witness))
        size = "" if witness.asks_puzzle else form.size
        yield replace(row, verdict=verdict, detail=detail, written=size, number=number, seconds=seconds)


def _refusal(witness: Witness, form: Form, plain: PlainModel) -> str:
    """Return the reason why a witness cannot be asked about a form of a plain model; empty if it can."""
    return form.reason or (plain.cp_sat_flaw if witness.is_cp_sat else "")
