"""python -m solvers.check DIR: check a certificate again, from its files alone.

Shares nothing with what made it: no encoder, no solver, no symmetry. A set of listed solutions is a whole number here:
its bit s says whether solution s is in it. So one operation asks a question of all solutions at once.
"""

import argparse
import gzip
import hashlib
import json
import os
import re
import signal
import sys
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection
from operator import or_
from pathlib import Path
from typing import Any

from solvers.proofs.lrat import Clause, Wrong, check_refutation, numbers, read_cnf

SOUND, UNSOUND, BAD_INPUT, INTERRUPTED, TERMINATED = 0, 1, 2, 130, 143

LARGE = 10_000_000
"""A proof of more bytes than this, as it is stored, takes several seconds."""

Line = tuple[int, object, object]
"""Of the map: a literal of the formula, the name of a key variable, and the value it has where that literal is true."""


def check(directory: Path) -> str:
    """What the certificate proves, in a sentence; raises `Wrong` if it proves nothing, OSError if it is not there."""
    certificate = read_certificate((directory / "certificate.json").read_bytes())
    stem, proof = check_files(directory, certificate["files"])
    with opened(directory / f"{stem}.cnf") as lines:
        variables, clauses = read_cnf(line.decode("ascii") for line in lines)
    with opened(directory / f"{stem}.solutions") as lines:
        solutions = Solutions((numbers(line.decode("ascii")) for line in lines), variables)
    with opened(directory / f"{stem}.map") as lines:
        key: list[Line] = [(literal, json.dumps(label), value) for literal, label, value in map(json.loads, lines)]
    excluded, bound = (certificate["clauses"][part] for part in ("excluded", "bound"))
    if not solutions.count == excluded == certificate["total"]:
        raise Wrong(
            f"there are {solutions.count} solutions and {excluded} clauses that exclude one, "
            f"but {certificate['total']} solutions are claimed"
        )
    if not 0 <= bound <= len(clauses) - excluded:
        raise Wrong("the formula has fewer clauses than the certificate says")
    exclusions = clauses[len(clauses) - excluded :]
    model = clauses[: len(clauses) - excluded - bound]
    check_satisfied(clauses[: len(clauses) - excluded], solutions)
    check_objective(certificate["objective"], clauses[len(model) : len(model) + bound], solutions)
    check_exclusions(model, exclusions, solutions, {abs(literal) for literal, _, _ in key})
    check_values(key, solutions)
    orbits = count_orbits(key, certificate["generators"], solutions)
    if orbits != certificate["solutions"]:
        raise Wrong(f"there are {orbits} solutions up to symmetry, but {certificate['solutions']} are claimed")
    steps = check_proof(clauses, proof)
    best = f" with the best value, {certificate['objective']['best']}," if certificate["objective"] else ""
    return (
        f"{certificate['puzzle']}: {orbits} solutions up to symmetry{best} and {excluded} in all, and there are no "
        f"others: the refutation is right in each of its {steps} steps"
    )


def read_certificate(content: bytes) -> dict[str, Any]:
    """The certificate; its last line but one is the fingerprint of all the others."""
    lines = content.splitlines(keepends=True)
    match = re.fullmatch(rb'"fingerprint": "([0-9a-f]{64})"\n', lines.pop(-2)) if len(lines) > 2 else None
    if not match or hashlib.sha256(b"".join(lines)).hexdigest().encode() != match[1]:
        raise Wrong("certificate.json is not what its own fingerprint says")
    certificate: dict[str, Any] = json.loads(content)
    return certificate


def check_files(directory: Path, fingerprints: Mapping[str, str]) -> tuple[str, Path]:
    """Hold the files against their fingerprints; the name that they share, and where the proof is."""
    for name, fingerprint in fingerprints.items():
        if Path(name).name != name:
            raise Wrong(f"{name} is no file of the certificate's own directory")
        try:
            with (directory / name).open("rb") as stream:
                if hashlib.file_digest(stream, "sha256").hexdigest() != fingerprint:
                    raise Wrong(f"{name} is not what its fingerprint says")
        except FileNotFoundError:
            raise Wrong(f"{name} is missing") from None
    (stem,) = (name.removesuffix(".cnf") for name in fingerprints if name.endswith(".cnf"))
    (proof,) = (name for name in fingerprints if name in (f"{stem}.lrat", f"{stem}.lrat.gz"))
    if not {f"{stem}.map", f"{stem}.solutions"} <= set(fingerprints):
        raise Wrong("certificate.json has no fingerprint of the map or of the solutions")
    return stem, directory / proof


@contextmanager
def opened(path: Path) -> Iterator[Iterable[bytes]]:
    """The lines of a file, be it compressed or not."""
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
        try:
            yield stream
        except (EOFError, gzip.BadGzipFile, zlib.error):
            raise Wrong(f"{path.name} cannot be decompressed") from None


class Solutions:
    """The solutions that are listed: the first by its true variables, others by those that differ from the first."""

    def __init__(self, lines: Iterable[Sequence[int]], variables: int) -> None:
        self.count = 0
        first: Sequence[int] = ()
        differs: list[list[int]] = [[] for _ in range(variables + 1)]
        for number, line in enumerate(lines):
            if any(not 1 <= variable <= variables for variable in line):
                raise Wrong(f"a solution has a variable that is none of the formula's, which are 1 to {variables}")
            if number == 0:
                first = line
            else:
                for variable in line:
                    differs[variable].append(number)
            self.count += 1
        self.all = (1 << self.count) - 1
        self._where = list(map(self.set_of, differs))
        for variable in set(first):
            self._where[variable] ^= self.all

    def set_of(self, members: Iterable[int]) -> int:
        octets = bytearray(self.count // 8 + 1)
        for number in members:
            octets[number >> 3] |= 1 << (number & 7)
        return int.from_bytes(octets, "little")

    def where(self, literal: int) -> int:
        """The solutions in which the literal is true."""
        return self._where[literal] if literal > 0 else self.all ^ self._where[-literal]

    def one_of(self, members: int) -> int:
        """The number of one of a set of solutions, counted from 1."""
        return members.bit_length()

    def rows(self, literals: Mapping[int, int]) -> list[frozenset[int]]:
        """Of each solution, the names of the literals that are true; literals are given by their names."""
        rows: list[list[int]] = [[] for _ in range(self.count)]
        for name, literal in literals.items():
            bits = bin(self.where(literal))[:1:-1]
            number = bits.find("1")
            while number >= 0:
                rows[number].append(name)
                number = bits.find("1", number + 1)
        return list(map(frozenset, rows))


def check_satisfied(clauses: Sequence[Clause], solutions: Solutions) -> None:
    """Every solution satisfies every clause."""
    for number, clause in enumerate(clauses, 1):
        if others := solutions.all ^ reduce(or_, map(solutions.where, clause), 0):
            raise Wrong(f"solution {solutions.one_of(others)} does not satisfy clause {number}")


def check_objective(objective: Mapping[str, Any] | None, bound: Sequence[Clause], solutions: Solutions) -> None:
    """Every solution has the best cost, and the bound says: no more than that.

    A cost is no more than the best one iff, wherever it has a bit that the best one lacks, it lacks a higher bit that
    the best one has.
    """
    if objective is None:
        if bound:
            raise Wrong("there are clauses that bound an objective, but there is none")
        return
    bits, cost = objective["bits"], objective["cost"]
    if cost >> len(bits) or abs(objective["scale"] * cost + objective["offset"] - objective["best"]) > 1e-9:
        raise Wrong("the best value is not what its cost comes to")
    for place, bit in enumerate(bits):
        if others := solutions.where(bit) ^ (solutions.all if cost >> place & 1 else 0):
            raise Wrong(f"solution {solutions.one_of(others)} does not have the best value")
    has = [place for place in range(len(bits)) if cost >> place & 1]
    lacks = [place for place in range(len(bits)) if not cost >> place & 1]
    expected = [{-bits[place], *(-bits[higher] for higher in has if higher > place)} for place in lacks]
    if list(map(set, bound)) != expected:
        raise Wrong("the clauses that bound the objective do not say that nothing is better than the best value")


def check_exclusions(
    model: Sequence[Clause], exclusions: Sequence[Clause], solutions: Solutions, key: Collection[int]
) -> None:
    """Each exclusion is that of its own solution and of no other.

    Where it is false, the clauses of the model make every variable of the key, by unit propagation, what it is in that
    solution.
    """
    holders: dict[int, list[int]] = {}
    for number, clause in enumerate(exclusions):
        for literal in clause:
            holders.setdefault(literal, []).append(number)
    settled: dict[int, int] = {}
    for literal, numbers_of_clauses in holders.items():
        members = solutions.set_of(numbers_of_clauses)
        if both := members & solutions.where(literal):
            raise Wrong(f"the clause that is to exclude solution {solutions.one_of(both)} does not")
        settled[abs(literal)] = settled.get(abs(literal), 0) | members
    clauses_with: dict[int, set[int]] = {}
    for number, clause in enumerate(model):
        for literal in clause:
            clauses_with.setdefault(abs(literal), set()).add(number)
    todo: Iterable[int] = range(len(model))
    while todo:
        changed = set()
        for number in todo:
            refuted = [settled.get(abs(literal), 0) & solutions.where(-literal) for literal in model[number]]
            for literal, forced in zip(model[number], where_all_others(refuted, solutions.all), strict=True):
                before = settled.get(abs(literal), 0)
                if forced & ~before:
                    settled[abs(literal)] = before | forced
                    changed.add(abs(literal))
        todo = sorted({number for variable in changed for number in clauses_with[variable]})
    for variable in key:
        if others := solutions.all ^ settled.get(variable, 0):
            raise Wrong(f"the clause that excludes solution {solutions.one_of(others)} might exclude others")


def where_all_others(sets: Sequence[int], everything: int) -> Iterator[int]:
    """For each of some sets, what all the others have in common."""
    behind = [everything]
    for members in reversed(sets[1:]):
        behind.append(behind[-1] & members)
    before = everything
    for members in sets:
        yield before & behind.pop()
        before &= members


def check_values(key: Sequence[Line], solutions: Solutions) -> None:
    """In every solution each key variable has one value; two solutions differ in that of some variable."""
    some: dict[object, int] = {}
    for literal, label, value in key:
        if isinstance(value, int):
            if both := some.get(label, 0) & solutions.where(literal):
                raise Wrong(f"in solution {solutions.one_of(both)} the variable {label} has two values")
            some[label] = some.get(label, 0) | solutions.where(literal)
    for label, members in some.items():
        if others := solutions.all ^ members:
            raise Wrong(f"in solution {solutions.one_of(others)} the variable {label} has no value")
    variables = {abs(literal) for literal, _, _ in key}
    if len(set(solutions.rows({variable: variable for variable in variables}))) < solutions.count:
        raise Wrong("a solution is listed twice")


def count_orbits(key: Sequence[Line], generators: Sequence[Sequence[int]], solutions: Solutions) -> int:
    """How many orbits the solutions make under the group of these permutations of the map's lines.

    Raises `Wrong` where the image of a solution is none.
    """
    for number, generator in enumerate(generators, 1):
        if sorted(generator) != list(range(len(key))):
            raise Wrong(f"generator {number} does not permute the literals of the map")
    rows = solutions.rows({line: key[line][0] for line in telling_lines(key, generators)})
    number_of = {row: number for number, row in enumerate(rows)}
    parent = list(range(len(rows)))

    def root(number: int) -> int:
        while parent[number] != number:
            parent[number] = number = parent[parent[number]]
        return number

    for number, generator in enumerate(generators, 1):
        for solution, row in enumerate(rows):
            image = number_of.get(frozenset(generator[line] for line in row))
            if image is None:
                raise Wrong(f"generator {number} carries solution {solution + 1} to none that is listed")
            parent[root(image)] = root(solution)
    return sum(number == above for number, above in enumerate(parent))


def telling_lines(key: Sequence[Line], generators: Sequence[Sequence[int]]) -> set[int]:
    """Lines of the map from which the others follow, in a solution and in its images.

    Where a variable is 0 or 1, and the images of its two literals are those of another such, one of the two will do.
    """
    lines: dict[object, dict[object, int]] = {}
    for number, (_, label, value) in enumerate(key):
        if isinstance(value, int):
            lines.setdefault(label, {})[value] = number
    pairs = {line[1]: line[0] for line in lines.values() if set(line) == {0, 1}}
    if all(pairs.get(generator[one]) == generator[zero] for generator in generators for one, zero in pairs.items()):
        return set(range(len(key))) - set(pairs.values())
    return set(range(len(key)))


def check_proof(clauses: Sequence[Clause], proof: Path) -> int:
    """How many steps the refutation has; of a large one each processor checks a share."""
    shares = available_processors() if proof.stat().st_size > LARGE else 1
    if shares == 1:
        with opened(proof) as lines:
            return check_refutation(clauses, lines)
    receivers = []
    for share in range(shares):
        receiver, sender = Pipe(duplex=False)
        Process(target=report_share, args=(sender, clauses, proof, share, shares), daemon=True).start()
        sender.close()
        receivers.append(receiver)
    for receiver in receivers:
        try:
            outcome = receiver.recv()
        except EOFError:
            raise OSError("a process of the check died; is there enough memory?") from None
        if isinstance(outcome, Exception):
            raise outcome
        steps: int = outcome
    return steps


def report_share(sender: Connection, clauses: Sequence[Clause], proof: Path, share: int, shares: int) -> None:
    """In a process of its own: check a share of the steps, send how many there are in all, or what is wrong."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with opened(proof) as lines:
            sender.send(check_refutation(clauses, lines, share, shares))
    except Exception as error:
        sender.send(error)


def available_processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def main(words: Sequence[str]) -> int:
    """The command; returns its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m solvers.check",
        description="Check a certificate again, from its files alone.",
        epilog="example: python -m solvers.check ring, after python -m solvers.run magic --certify ring",
    )
    parser.add_argument("directory", metavar="DIR", type=Path, help="what --certify DIR of solvers.run has made")
    directory = parser.parse_args(words).directory
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))  # so that its processes end with it
    try:
        print(check(directory))
        return SOUND
    except Wrong as error:
        return complain(f"{directory}: {error}", UNSOUND)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        return complain(f"{directory}: its files are not of the form of a certificate ({error!r})", UNSOUND)
    except OSError as error:
        return complain(f"{directory} cannot be read as a certificate: {error}", BAD_INPUT)
    except KeyboardInterrupt:
        return complain(f"{directory}: interrupted before the check was complete", INTERRUPTED)


def complain(sentence: str, code: int) -> int:
    print(f"kazoeru: {sentence}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
