"""Check a certificate again, from its files alone.

A set of listed solutions is a whole number here: its bit s says whether solution s is in it. So one operation asks a
question of all solutions at once.
"""

import argparse
import hashlib
import json
import lzma
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import reduce
from multiprocessing import get_context
from multiprocessing.connection import Connection
from operator import or_
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, NoReturn

from .lrat import Clause, Wrong, check_refutation, numbers, read_cnf

SOUND, UNSOUND, BAD_INPUT, INCOMPLETE, INTERRUPTED, TERMINATED = 0, 1, 2, 3, 130, 143

LARGE_PROOF_BYTES = 3_000_000
"""The size, as stored, above which several processes check a proof, as that takes several seconds."""

PROOF_ENDING = ".lrat.xz"
"""The ending of the file of a refutation: text LRAT, compressed as ``xz`` does it."""

LONGEST_NAME, LONGEST = 40, 300
"""The most characters of a puzzle's name, and of a sentence, that are shown: a longer name could look like a
verdict.
"""

OUT_OF_MEMORY = ("space exhausted", "Heap exhausted", "Memory allocation failed")
"""What cake_lpr (whose heap CML_HEAP_SIZE sets, in megabytes) and the host of ACL2 print if their memory is full."""


class Line(NamedTuple):
    """A line of the map, for one literal and one value of a key variable.

    Where the literal is true, the variable has this value or, if ``is_added``, gets it added. label: the label of the
    key variable, as JSON text.
    """

    literal: int
    label: str
    value: int
    is_added: bool


def check(directory: Path) -> str:
    """Check the certificate in a directory.

    Its files are read first; then the solutions are checked against the formula, the objective and the map, their
    orbits are counted, and the refutation of the formula with the exclusions is checked. Returns a text: the claim of
    the certificate in the first line, its assumptions in the others. Raises `Wrong` if the certificate is wrong,
    OSError if a file is missing.
    """
    certificate = read_certificate(directory / "certificate.json")
    stem = check_files(directory, certificate["files"])
    with open_lines(directory / f"{stem}.cnf") as lines:
        variables, clauses = read_cnf(line.decode("ascii") for line in lines)
    with open_lines(directory / f"{stem}.solutions") as lines:
        solutions = ListedSolutions((numbers(line.decode("ascii")) for line in lines), variables)
    with open_lines(directory / f"{stem}.map") as lines:
        key = read_map(lines, variables)
    # The last clauses exclude solutions, those before them bound the objective.
    excluded_count, bound_count = (integer_entry(certificate["clauses"][part], part) for part in ("excluded", "bound"))
    total = integer_entry(certificate["total"], "total")
    if not solutions.count == excluded_count == total:
        raise Wrong(
            f"there are {solutions.count} solutions and {excluded_count} clauses that exclude one, "
            f"but {total} solutions are claimed"
        )
    if not 0 <= bound_count <= len(clauses) - excluded_count:
        raise Wrong("the formula has fewer clauses than the certificate says")
    model, exclusions = clauses[: len(clauses) - excluded_count], clauses[len(clauses) - excluded_count :]
    check_satisfied(model, solutions)
    objective = read_objective(certificate["objective"], variables)
    check_objective(objective, model[len(model) - bound_count :], solutions)
    decided = {abs(literal) for literal in (*(line.literal for line in key), *(objective.bits if objective else ()))}
    check_exclusions(model, exclusions, solutions, decided)
    check_values(key, solutions)
    orbits = count_orbits(key, certificate["generators"], solutions)
    if orbits != integer_entry(certificate["solutions"], "solutions"):
        raise Wrong(f"there are {orbits} solutions up to symmetry, but {certificate['solutions']} are claimed")
    proof = directory / f"{stem}{PROOF_ENDING}"
    # The solutions are excluded by clauses, so a refutation of all clauses shows that there are no others.
    steps = check_proof(clauses, proof)
    verified = words_on_cake_lpr(directory / f"{stem}.cnf", proof)
    best = f" with the {objective.kind} value, {objective.best}," if objective else ""
    counts_in_words = (
        f"{orbits} {'solution' if orbits == 1 else 'solutions'} up to symmetry{best} and {excluded_count} in all"
    )
    return (
        f"{counts_in_words}, and there are no others: the refutation is right in each of its {steps} steps{verified}\n"
        f"{beliefs(certificate['puzzle'], objective)}"
    )


def beliefs(puzzle: object, objective: "Objective | None") -> str:
    """Return, as lines of text, the assumptions that no check of the files can confirm.

    puzzle: the puzzle's name as the certificate gives it, of any type, as it is not checked; a long one is cut.
    objective: the objective of the certificate; None if it has none.
    """
    name = json.dumps(puzzle if len(str(puzzle)) <= LONGEST_NAME else f"{str(puzzle)[:LONGEST_NAME]}...")
    asked = f"asks for the {objective.kind} value of {objective}" if objective else "does not ask for a best value"
    return (
        "what is taken on trust:\n"
        f"- the clauses and the map say what the puzzle says: {name}, with what certificate.json names beside it\n"
        f"- it {asked}\n"
        "- the generators are its symmetries: none was left out or added\n"
        "- this checker and the machine do what they should"
    )


def read_certificate(path: Path) -> dict[str, Any]:
    """Read certificate.json as a dictionary; raise `Wrong` if it does not have its own fingerprint.

    The last line but one is the fingerprint, the SHA-256 of all other lines. Raises OSError if the file cannot be read.
    """
    if path.exists() and not path.is_file():
        raise OSError("certificate.json is not a regular file")
    content = path.read_bytes()
    lines = content.splitlines(keepends=True)
    # The rest of ``lines`` is what the fingerprint is of.
    match = re.fullmatch(rb'"fingerprint": "([0-9a-f]{64})"\n', lines.pop(-2)) if len(lines) > 2 else None
    if not match or hashlib.sha256(b"".join(lines)).hexdigest().encode() != match[1]:
        raise Wrong("certificate.json does not match its own fingerprint")
    certificate: dict[str, Any] = JSON.decode(content.decode())
    return certificate


def distinct(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return the entries of a JSON object as a dictionary; raise `Wrong` if a name occurs twice.

    pairs: the (name, value) pairs of the object, as `json` passes them to a hook.
    """
    if len(entries := dict(pairs)) < len(pairs):
        raise Wrong("an object of JSON has two entries of one name")
    return entries


JSON = json.JSONDecoder(object_pairs_hook=distinct)


def integer_entry(number: object, name: str) -> int:
    """Return the number if it is an integer, else raise `Wrong`.

    Elsewhere Python takes true and 1.0 for 1. name: the entry of the certificate, for the message.
    """
    if type(number) is not int:
        raise Wrong(f"the certificate's {name!r} is not a whole number")
    return number


def a_literal(number: object, variables: int) -> int:
    """Return the number if it is a literal of a formula with ``variables`` variables, else raise `Wrong`."""
    if type(number) is not int or not 1 <= abs(number) <= variables:
        raise Wrong(f"{json.dumps(number)} is not a literal of the formula, whose variables are 1 to {variables}")
    return number


def check_files(directory: Path, fingerprints: Mapping[str, str]) -> str:
    """Compare the files with their fingerprints; return the name that they share, without an ending.

    fingerprints: the SHA-256 of each file in hexadecimal digits, by the file's name. Raises `Wrong` if a file is
    missing, does not match its fingerprint, or is not part of a certificate.
    """
    (stem,) = (name.removesuffix(".cnf") for name in fingerprints if name.endswith(".cnf"))
    if not re.fullmatch(r"[\w-]+", stem):
        raise Wrong("a file's name has other characters than letters, digits, _ and -")
    if set(fingerprints) != {f"{stem}{ending}" for ending in (".cnf", ".map", ".solutions", PROOF_ENDING)}:
        raise Wrong("certificate.json has to name a formula, its map, its solutions and its proof, and no other files")
    stem = os.fsdecode(stem.encode())  # in a locale whose file names are ASCII, others can be read too
    for name, fingerprint in fingerprints.items():
        # The ending of the name (from its first dot) is put behind the name as this locale writes it.
        path = directory / f"{stem}{name.removeprefix(name.partition('.')[0])}"
        if not path.exists():
            raise Wrong(f"{name} is missing")
        if not path.is_file():
            raise Wrong(f"{name} is not a regular file")
        with path.open("rb") as stream:
            if hashlib.file_digest(stream, "sha256").hexdigest() != fingerprint:
                raise Wrong(f"{name} does not match its fingerprint")
    return stem


@contextmanager
def open_lines(path: Path) -> Iterator[Iterable[bytes]]:
    """Open a file, which is compressed if its name ends with .xz, and give its lines.

    Raises `Wrong` if it cannot be decompressed.
    """
    with lzma.open(path) if path.suffix == ".xz" else path.open("rb") as stream:
        try:
            yield stream
        except (EOFError, lzma.LZMAError):
            raise Wrong(f"{path.name} cannot be decompressed") from None


class ListedSolutions:
    """The listed solutions: for each variable, the set of solutions in which it is true.

    Sets are integers with a bit for each solution: bit 0 for the first.

    The file lists the first solution by its true variables, and others by the variables in which they differ from it.
    """

    def __init__(self, lines: Iterable[Sequence[int]], variables: int) -> None:
        """Read the solutions from lines of numbers; raise `Wrong` if a variable is not one of the formula's.

        variables: the number of variables of the formula.
        """
        self.count = 0
        first: Sequence[int] = ()
        different_in: dict[int, list[int]] = {}  # for each variable, the solutions in which it is not as in the first
        for solution, line in enumerate(lines):
            if any(not 1 <= variable <= variables for variable in line):
                raise Wrong(f"a solution has a variable that is none of the formula's, which are 1 to {variables}")
            if solution == 0:
                first = line
            else:
                for variable in line:
                    different_in.setdefault(variable, []).append(solution)
            self.count += 1
        self.all = (1 << self.count) - 1
        self._where_true = {variable: self.set_of(members) for variable, members in different_in.items()}
        # A variable that is true in the first solution is true in all but those that differ from it.
        for variable in set(first):
            self._where_true[variable] = self._where_true.get(variable, 0) ^ self.all

    def set_of(self, members: Iterable[int]) -> int:
        """Return the set, as an integer, of the solutions with these numbers, counted from 0."""
        octets = bytearray(self.count // 8 + 1)
        for number in members:
            octets[number // 8] |= 1 << number % 8
        return int.from_bytes(octets, "little")

    def solutions_with(self, literal: int) -> int:
        """Return the set, as an integer, of the solutions in which the literal is true."""
        members = self._where_true.get(abs(literal), 0)
        return members if literal > 0 else self.all ^ members

    def one_of(self, members: int) -> int:
        """Return the number, counted from 1, of one solution of a set that is not empty.

        members: the set, as an integer.
        """
        return members.bit_length()

    def rows(self, literals: Mapping[int, int]) -> list[frozenset[int]]:
        """Return, for each solution, the names of the literals that are true in it.

        literals: maps the name of a literal, any integer, to the literal.
        """
        rows: list[list[int]] = [[] for _ in range(self.count)]
        for name, literal in literals.items():
            bits = bin(self.solutions_with(literal))[:1:-1]  # digits without "0b", that of the first solution first
            number = bits.find("1")
            while number >= 0:
                rows[number].append(name)
                number = bits.find("1", number + 1)
        return list(map(frozenset, rows))


def check_satisfied(clauses: Sequence[Clause], solutions: ListedSolutions) -> None:
    """Raise `Wrong` unless every solution satisfies every clause.

    The solutions in which a clause is true are the union of those in which one of its literals is.
    """
    for number, clause in enumerate(clauses, 1):
        if others := solutions.all ^ reduce(or_, map(solutions.solutions_with, clause), 0):
            raise Wrong(f"solution {solutions.one_of(others)} does not satisfy clause {number}")


class Objective(NamedTuple):
    """The objective of the model: scale times the cost, plus offset.

    bits: the literals that make the cost in binary, the least bit first. cost, best: the best cost and the best value.
    """

    bits: Sequence[int]
    cost: int
    scale: Fraction
    offset: Fraction
    best: int | float

    @property
    def kind(self) -> str:
        """The direction of the objective: least or greatest."""
        return "least" if self.scale > 0 else "greatest"

    def __str__(self) -> str:
        """Return the formula of the objective in words."""
        return f"{self.scale} * (the number whose bits certificate.json names) + {self.offset}"


def read_objective(objective: Any, variables: int) -> Objective | None:
    """Return the objective of a certificate; None if it has none.

    Raises `Wrong` if the best value is not the one that belongs to the best cost. objective: the certificate's entry,
    an object with the names bits, cost, scale, offset and best; scale and offset are [numerator, denominator].
    variables: the number of variables of the formula.
    """
    if objective is None:
        return None
    bits = [a_literal(bit, variables) for bit in objective["bits"]]
    scale, offset = (
        Fraction(*(integer_entry(part, name) for part in objective[name]))  # [numerator, denominator]
        for name in ("scale", "offset")
    )
    best = objective["best"]
    value = scale * integer_entry(objective["cost"], "cost") + offset
    # A best value that is no integer is stored as the nearest float.
    if not scale or type(best) not in (int, float) or best != (value if value.denominator == 1 else float(value)):
        raise Wrong("the best value does not match its cost")
    return Objective(bits, objective["cost"], scale, offset, best)


def check_objective(objective: Objective | None, bound: Sequence[Clause], solutions: ListedSolutions) -> None:
    """Raise `Wrong` unless every solution has the best cost, and ``bound`` says that no cost is greater.

    bound: the clauses that say so, one for each bit that the best cost lacks, from the lowest on. A cost is at most the
    best cost iff, for each bit that it has and the best cost lacks, it lacks some higher bit that the best cost has.
    For the best cost 0b100 the clauses are (not bit 0, or not bit 2) and (not bit 1, or not bit 2).
    """
    if objective is None:
        if bound:
            raise Wrong("there are clauses that bound an objective, but there is none")
        return
    bits, cost = objective.bits, objective.cost
    if not solutions.count:
        raise Wrong("there is a best value, but no solution that has it")
    if not 0 <= cost < 1 << len(bits):
        raise Wrong("the best value does not match its cost")
    for place, bit in enumerate(bits):
        # The bit has to be true in all solutions or in none, as in the best cost.
        if others := solutions.solutions_with(bit) ^ (solutions.all if cost >> place & 1 else 0):
            raise Wrong(f"solution {solutions.one_of(others)} does not have the best value")
    lacks = [place for place in range(len(bits)) if not cost >> place & 1]
    if len(bound) != len(lacks) or any(
        set(clause) != {-bits[place], *(-bits[above] for above in range(place + 1, len(bits)) if cost >> above & 1)}
        for place, clause in zip(lacks, bound, strict=True)
    ):
        raise Wrong("the clauses that bound the objective do not say that nothing is better than the best value")


def check_exclusions(
    model: Sequence[Clause], exclusions: Sequence[Clause], solutions: ListedSolutions, decided: Collection[int]
) -> None:
    """Raise `Wrong` unless each exclusion excludes its own solution and no other.

    exclusions: a clause for each solution, in the same order. Where an exclusion is false, the clauses of the model
    must fix, by unit propagation, all ``decided`` variables to their values in that solution. These are the variables
    of the key and of the objective, because solutions with the same key can have different values of the objective.

    Propagation runs for all solutions at once. A variable is settled for a solution if it has the value that it has in
    the solution wherever the exclusion of that solution is false.
    """
    holders: dict[int, list[int]] = {}  # for each literal, the exclusions that contain it
    for number, clause in enumerate(exclusions):
        for literal in clause:
            holders.setdefault(literal, []).append(number)
    settled: dict[int, int] = {}  # for each variable, the set of the solutions for which it is settled
    for literal, numbers_of_clauses in holders.items():
        members = solutions.set_of(numbers_of_clauses)
        if both := members & solutions.solutions_with(literal):
            raise Wrong(f"the clause that is to exclude solution {solutions.one_of(both)} does not")
        # The exclusion is false where its literals are: as in its solution.
        settled[abs(literal)] = settled.get(abs(literal), 0) | members
    clauses_with: dict[int, set[int]] = {}
    for number, clause in enumerate(model):
        for literal in clause:
            clauses_with.setdefault(abs(literal), set()).add(number)
    pending: Iterable[int] = range(len(model))
    while pending:
        changed_variables = set()
        for number in pending:
            # Where all other literals are false, the last one is true, as it is in the solution, too.
            refuted = [settled.get(abs(literal), 0) & solutions.solutions_with(-literal) for literal in model[number]]
            for literal, forced in zip(model[number], where_all_others(refuted, solutions.all), strict=True):
                before = settled.get(abs(literal), 0)
                if forced & ~before:
                    settled[abs(literal)] = before | forced
                    changed_variables.add(abs(literal))
        # Only clauses with a variable that is settled for more solutions can force something new.
        pending = sorted({number for variable in changed_variables for number in clauses_with[variable]})
    for variable in decided:
        if others := solutions.all ^ settled.get(variable, 0):
            raise Wrong(f"the clause that excludes solution {solutions.one_of(others)} might exclude others")


def where_all_others(sets: Sequence[int], everything: int) -> Iterator[int]:
    """Yield, for each set, the intersection of all other sets.

    Sets are integers with a bit for each member, ``everything`` is the full set. The result is the intersection of all
    sets before it and all sets behind it. Those behind are computed first, from the last one on. So the work grows with
    the number of sets, not with its square.
    """
    behind = [everything]
    for members in reversed(sets[1:]):
        behind.append(behind[-1] & members)
    before = everything
    for members in sets:
        yield before & behind.pop()
        before &= members


def read_map(lines: Iterable[bytes], variables: int) -> list[Line]:
    """Read the lines of the map; raise `Wrong` if one has another form, or repeats another line.

    A line is a list in JSON: a literal, the label of a key variable, and its value or, as {"adds": value}, what is
    added to its value where the literal is true. For example, ``[5, [0, 2], 1]`` says that literal 5 gives the variable
    (0, 2) the value 1. All lines of a variable are of the same kind. variables: the number of variables of the formula.
    """
    key = []
    added: dict[str, bool] = {}  # for each label, whether values are added
    entries_before = set()
    for text in lines:
        number, name, value = JSON.decode(text.decode())
        literal, label = a_literal(number, variables), json.dumps(name)
        if is_added := isinstance(value, dict):
            value = value["adds"] if value.keys() == {"adds"} else None
        if type(value) is not int:
            raise Wrong(f"the map has a value of the variable {label} that is not a whole number")
        if added.setdefault(label, is_added) != is_added:
            raise Wrong(f"the map says of the variable {label} both what value it has and what is added to its value")
        if (entry := (label, abs(literal) if is_added else value)) in entries_before:
            raise Wrong(f"the map says the same of the variable {label} twice")
        entries_before.add(entry)
        key.append(Line(literal, label, value, is_added))
    return key


def check_values(key: Sequence[Line], solutions: ListedSolutions) -> None:
    """Raise `Wrong` unless each solution gives each key variable exactly one value.

    Any two solutions also have to differ in the key. key: the lines of the map. Variables to which values are added
    have a sum, whatever is true, so that only the other variables are looked at.
    """
    solutions_by_label: dict[str, int] = {}  # for each label, the set of the solutions that give it a value
    for literal, label, _, is_added in key:
        if not is_added:
            if both := solutions_by_label.get(label, 0) & solutions.solutions_with(literal):
                raise Wrong(f"in solution {solutions.one_of(both)} the variable {label} has two values")
            solutions_by_label[label] = solutions_by_label.get(label, 0) | solutions.solutions_with(literal)
    for label, members in solutions_by_label.items():
        if others := solutions.all ^ members:
            raise Wrong(f"in solution {solutions.one_of(others)} the variable {label} has no value")
    if len(set(decode_solutions(key, solutions))) < solutions.count:
        raise Wrong("a solution is listed twice")


def decode_solutions(
    key: Sequence[Line], solutions: ListedSolutions
) -> Iterator[tuple[frozenset[int], tuple[int, ...]]]:
    """Yield, for each solution, (numbers of the lines of the map that are true, sums); equal ones for equal solutions.

    key: the lines of the map; their numbers count from 0. To save memory, for each variable with a line for each value,
    the line that is true in most solutions is left out, as it follows from the others. The sums are those of each
    variable's added values; all solutions have them in the same order.
    """
    usual: dict[str, tuple[int, int]] = {}  # for each label, the most solutions of a line, and that line
    for number, (literal, label, _, is_added) in enumerate(key):
        if not is_added:
            usual[label] = max(usual.get(label, (-1, 0)), (solutions.solutions_with(literal).bit_count(), number))
    left_out = {number for _, number in usual.values()}
    addends = frozenset(number for number, line in enumerate(key) if line.is_added)
    zero = dict.fromkeys((key[number].label for number in addends), 0)
    # `rows` takes the literal of each line number, and returns the true line numbers for each solution.
    for row in solutions.rows({number: line.literal for number, line in enumerate(key) if number not in left_out}):
        sums = zero.copy()
        for number in row & addends:
            sums[key[number].label] += key[number].value
        yield row - addends, tuple(sums.values())


def count_orbits(key: Sequence[Line], generators: Sequence[Sequence[int]], solutions: ListedSolutions) -> int:
    """Return the number of orbits of the solutions under the group that the generators generate.

    A union-find structure (R. Tarjan, Journal of the ACM 22, 1975) joins each solution with its images; each tree is an
    orbit in the end, and each root is its own parent. key: the lines of the map. generators: permutations of these
    lines, each a list whose place n has the image of line n. Raises `Wrong` if the image of a solution is not listed,
    if a generator is not a permutation of the lines, or if values are added up.
    """
    if generators and any(line.is_added for line in key):
        raise Wrong("there are generators, which permute values, but a variable's value is added up")
    for number, generator in enumerate(generators, 1):
        if sorted(integer_entry(line, "generators") for line in generator) != list(range(len(key))):
            raise Wrong(f"generator {number} does not permute the literals of the map")
    # A solution is the set of the lines that are true in it, of those lines that determine the others.
    rows = solutions.rows({line: key[line].literal for line in sufficient_lines(key, generators)})
    solution_by_row = {row: number for number, row in enumerate(rows)}
    parent = list(range(len(rows)))

    def root(number: int) -> int:
        """Return the root of a solution's tree; halve the path to it."""
        while parent[number] != number:
            parent[number] = number = parent[parent[number]]
        return number

    for number, generator in enumerate(generators, 1):
        for solution, row in enumerate(rows):
            image = solution_by_row.get(frozenset(generator[line] for line in row))
            if image is None:
                raise Wrong(f"generator {number} carries solution {solution + 1} to none that is listed")
            parent[root(image)] = root(solution)
    return sum(number == above for number, above in enumerate(parent))


def sufficient_lines(key: Sequence[Line], generators: Sequence[Sequence[int]]) -> set[int]:
    """Return numbers of lines of the map from which the others follow, in a solution and in its images.

    If each variable with the values 0 and 1 is mapped to such a variable, 1 to 1 and 0 to 0, the lines for 1 suffice
    for these variables. Otherwise all lines are returned. key: the lines of the map. generators: permutations of these
    lines, each a list whose place n has the image of line n.
    """
    lines: dict[str, dict[int, int]] = {}  # for each label, the line of each value
    for number, line in enumerate(key):
        lines.setdefault(line.label, {})[line.value] = number
    zero_by_one = {
        values[1]: values[0] for values in lines.values() if set(values) == {0, 1}
    }  # the line for 0, by that for 1
    if all(
        zero_by_one.get(generator[one]) == generator[zero]
        for generator in generators
        for one, zero in zero_by_one.items()
    ):
        return set(range(len(key))) - set(zero_by_one.values())
    return set(range(len(key)))


def decompress(proof: Path, target: Path) -> None:
    """Write a refutation as text LRAT, which other checkers read; raise `Wrong` if it is damaged."""
    with open_lines(proof) as lines, target.open("wb") as text:
        text.writelines(lines)


def check_proof(clauses: Sequence[Clause], proof: Path, large: int = LARGE_PROOF_BYTES) -> int:
    """Check the refutation of the clauses and return the number of its steps.

    `check_refutation` reads the lines of the proof and checks the steps, all of them or a share. Each of several
    processes checks a share; all count the steps, so the number of the last one is returned. Raises `Wrong` if a step
    does not follow, `MemoryError` if a process runs out of memory. large: the bytes of the file above which several
    processes check a proof.
    """
    shares = available_processors() if proof.stat().st_size > large else 1
    if shares == 1:
        with open_lines(proof) as lines:
            return check_refutation(clauses, lines)
    receivers = []
    context = get_context("fork")  # the modules have no name by which another Python could import them
    for share in range(shares):
        receiver, sender = context.Pipe(duplex=False)
        context.Process(target=report_share, args=(sender, clauses, proof, share, shares), daemon=True).start()
        sender.close()
        receivers.append(receiver)
    for receiver in receivers:
        try:
            outcome = receiver.recv()
        # The process ended without an answer: the system has ended it.
        except EOFError:
            raise MemoryError from None
        if isinstance(outcome, Exception):
            raise outcome
        steps: int = outcome
    return steps


def words_on_cake_lpr(cnf: Path, proof: Path) -> str:
    """Let cake_lpr check the refutation, too; return the words of the verdict that say so.

    The words are empty if cake_lpr is not installed. Raises `Wrong` if cake_lpr does not accept the refutation. cnf,
    proof: the files of the formula and of the refutation.
    """
    if shutil.which("cake_lpr") is None:
        return ""
    with TemporaryDirectory() as folder:
        text = Path(folder) / "text.lrat"
        decompress(proof, text)
        done = subprocess.run(
            ["cake_lpr", cnf.resolve(), text], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
    if any(words in done.stdout for words in OUT_OF_MEMORY):
        return ", but cake_lpr ran out of memory (its CML_HEAP_SIZE, in megabytes, was too small)"
    if "s VERIFIED" not in done.stdout:
        raise Wrong(f"cake_lpr does not accept the refutation in {cnf.parent.name}")
    return ", and cake_lpr has verified it"


def report_share(sender: Connection, clauses: Sequence[Clause], proof: Path, share: int, shares: int) -> None:
    """Check a share of the steps in a process of its own; send the number of all steps, or the exception.

    sender: the end of a pipe to the process that waits. clauses, proof: as for `check_proof`. share, shares: this
    process checks each step whose number modulo ``shares`` is ``share``.
    """
    # Ctrl-C is left to the process that waits, which ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with open_lines(proof) as lines:
            sender.send(check_refutation(clauses, lines, share, shares))
    except Exception as error:
        sender.send(error)


def available_processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class CheckerParser(argparse.ArgumentParser):
    """A parser of the command line that reports an error in one line."""

    def error(self, message: str) -> NoReturn:
        """End the process with the message in one line on stderr."""
        sys.exit(print_line(escape_text(message), BAD_INPUT))


def main(words: Sequence[str]) -> int:
    """Run the command on the words of its command line: print the verdict; return the exit code.

    The code is SOUND for a right certificate, UNSOUND for a wrong one, BAD_INPUT if there is none or it cannot be read,
    and others if the check was ended before it was complete.
    """
    parser = CheckerParser(
        prog="python -m solvers check",
        description="Check a certificate again, from its files alone.",
        epilog=f"The checker is the folder {Path(__file__).parent.name}, which runs without the rest of kazoeru and "
        "without any library: python3 FOLDER DIR.",
    )
    parser.add_argument("directory", metavar="DIR", type=Path, help="the folder that solvers.run --certify has written")
    directory: Path = parser.parse_args(words).directory
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))  # so that its processes end with it
    try:
        verdict = check(directory)
    except Wrong as error:
        return complain(directory, error, UNSOUND)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        return complain(directory, f"its files do not have the form of a certificate ({error!r})", UNSOUND)
    except (FileNotFoundError, NotADirectoryError):
        return print_line(f"there is no certificate in {escape_text(directory)}; --certify DIR makes one", BAD_INPUT)
    except OSError as error:
        return complain(directory, f"it cannot be read as a certificate: {error.strerror or error}", BAD_INPUT)
    except MemoryError:
        return complain(directory, "ended by a lack of memory before the check was complete", INCOMPLETE)
    except KeyboardInterrupt:
        return complain(directory, "interrupted before the check was complete", INTERRUPTED)
    try:
        print(verdict, flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python would try once more at its end
        if not isinstance(error, BrokenPipeError):
            return complain(directory, f"it is right, but that cannot be written: {error}", INCOMPLETE)
    return SOUND


def complain(directory: Path, sentence: object, code: int) -> int:
    """Print a sentence on stderr in one line, after the directory, and return the exit code."""
    return print_line(f"{escape_text(directory)}: {escape_text(sentence)}", code)


def print_line(line: str, code: int) -> int:
    """Print a line on stderr, after the program's name, and return the exit code."""
    print(f"kazoeru: {line}", file=sys.stderr)
    return code


def escape_text(text: object) -> str:
    """Return the beginning of a text, with escapes in place of control characters."""
    characters = str(text) if len(str(text)) <= LONGEST else f"{str(text)[:LONGEST]}..."
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in characters)
