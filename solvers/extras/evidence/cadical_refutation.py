"""Refutations in LRAT: CaDiCaL's own proof, without the steps that the last one does not rest on.

A step of LRAT is a clause with the clauses that refute its negation by unit propagation, in their order:
L. Cruz-Filipe, M. Heule, W. Hunt, M. Kaufmann, P. Schneider-Kamp, "Efficient certified RAT verification", CADE 2017.
"""

import errno
import mmap
import os
import tempfile
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from threading import Event
from typing import IO

from solvers.backends.sat import DEFAULT, Oracle
from solvers.base.errors import CheckError, Stopped

LINES_PER_BATCH = 10_000
"""The number of lines in each part of a refutation that is yielded."""


def refute(clauses: Sequence[Sequence[int]], directory: Path, stop: Event) -> Iterator[bytes]:
    """Yield the text of an LRAT refutation of the clauses, part by part.

    No clause may have a literal twice. CaDiCaL's own proof goes to a temporary file in the directory. Raises
    `CheckError` if the clauses have a solution, OSError if the disk is full, `Stopped` once ``stop`` is set.
    """
    with tempfile.TemporaryFile(dir=directory) as traced:
        # CaDiCaL, which writes its proof as text LRAT into the file.
        oracle = Oracle(DEFAULT, stop, {"lrat": 1, "binary": 0})
        oracle.trace(traced)
        oracle.add(clauses)
        if oracle.solve([]) is not None:
            raise CheckError("the formula that excludes all solutions found so far still has a solution")
        lines = _trim_proof(traced, len(clauses), stop)
        while part := "".join(islice(lines, LINES_PER_BATCH)):
            yield part.encode()


def _trim_proof(traced: IO[bytes], clauses: int, stop: Event) -> Iterator[str]:
    """Yield the lines of a proof, without the steps that the last step does not need.

    A step has the number of a clause, its literals, and those of the clauses that it rests on. A pass from the last
    step back finds the needed ones, and the last step that uses each clause; one from the first on writes them,
    numbered anew without gaps, and deletes each clause after its last use. traced: CaDiCaL's proof. clauses: the number
    of clauses of the formula. Raises `Stopped` once ``stop`` is set. Raises OSError if the proof is not complete.
    """
    starts, ids = _steps(traced)
    new_number = dict(zip(_clause_ids(ids, clauses), range(1, clauses + 1), strict=False))  # by CaDiCaL's numbers
    given = set(new_number)
    with mmap.mmap(traced.fileno(), 0, access=mmap.ACCESS_READ) as text:

        def read_step(step_index: int) -> tuple[list[str], list[int]]:
            """Return (literals, numbers of the clauses on which it rests) of a step of the proof.

            turn: the number of the step, from 0. Raises `Stopped` once the event is set.
            """
            if step_index % 1024 == 0 and stop.is_set():
                raise Stopped
            # A line is the number of a clause, its literals, 0, the hints, 0.
            number_and_literals, hints, _ = (
                text[starts[step_index] : text.find(b"\n", starts[step_index])].decode().split(" 0")
            )
            return number_and_literals.split()[1:], [int(hint) for hint in hints.split()]

        needed = {ids[-1]}
        last_used: dict[int, list[int]] = {}  # for each needed step, the steps that no later one uses
        for step_index in reversed(range(len(ids))):
            if ids[step_index] in needed:
                new = set(read_step(step_index)[1]) - needed
                needed |= new
                last_used[step_index] = sorted(new - given)
        for number, step_index in enumerate(sorted(last_used), clauses + 1):
            literals, hints = read_step(step_index)
            new_number[ids[step_index]] = number
            yield " ".join(map(str, [number, *literals, 0, *map(new_number.__getitem__, hints), 0])) + "\n"
            if last_used[step_index]:
                yield " ".join(map(str, [number, "d", *map(new_number.pop, last_used[step_index]), 0])) + "\n"


def _steps(traced: IO[bytes]) -> tuple[list[int], list[int]]:
    """Return (offsets in the file, numbers of clauses) of the steps that add a clause.

    traced: CaDiCaL's proof. The two lists have an entry for each of these steps, up to that of the empty clause. Raises
    OSError if the proof ends before that step, which means that the disk is full.
    """
    starts, ids, offset = [], [], 0
    traced.seek(0)
    for line in traced:
        number, second_word, *_ = line.split(maxsplit=2)
        if second_word != b"d":
            starts.append(offset)
            ids.append(int(number))
            if second_word == b"0":  # no literals: the empty clause
                return starts, ids
        offset += len(line)
    # CaDiCaL takes no notice of a write that fails.
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _clause_ids(ids: Sequence[int], clauses: int) -> Iterator[int]:
    """Yield the numbers that CaDiCaL gave to the clauses of the formula, in their order.

    CaDiCaL numbers clauses and steps in one sequence, so they are the numbers that none of its steps has. ids: the
    numbers of its steps. clauses: the number of clauses of the formula.
    """
    ids_of_proof = set(ids)
    return (number for number in range(1, ids[-1] + clauses) if number not in ids_of_proof)
