"""A checker of refutations in LRAT; it needs nothing else of this project.

Each step adds a clause and names clauses that refute its negation: under the negation each of them in turn has one
literal left that is not false, which is then true, and the last has none. So whatever satisfies the clauses before
satisfies the new one too, and if that is the empty clause, nothing does. Steps that extend the formula (RAT) are
refused: they are not needed here.

References
----------
L. Cruz-Filipe, M. Heule, W. Hunt, M. Kaufmann, P. Schneider-Kamp, "Efficient certified RAT verification", CADE 2017,
doi:10.1007/978-3-319-63046-5_14
"""

from collections.abc import Iterable, Mapping, Sequence

Clause = tuple[int, ...]
"""The literals of a clause: variables, negative if negated."""


class Wrong(Exception):
    """Raised for a claim that does not hold; the message is one sentence."""


def read_cnf(lines: Iterable[str]) -> tuple[int, list[Clause]]:
    """Read a formula in DIMACS, one clause on each line, as (number of variables, clauses).

    lines: the lines; those that begin with c are comments. Raises `Wrong` if the text is not of this form, or has other
    numbers of variables and clauses than its header.

    >>> read_cnf(["p cnf 2 2", "1 -2 0", "2 0"])
    (2, [(1, -2), (2,)])
    """
    header, *clause_lines = [line for line in lines if not line.startswith("c")] or [""]
    match header.split():
        case ["p", "cnf", variables, count]:
            variable_count, clause_count = natural(variables), natural(count)
        case _:
            raise Wrong("the formula does not begin with its sizes, p cnf VARIABLES CLAUSES")
    clauses = [tuple(numbers(line)) for line in clause_lines]
    if len(clauses) != clause_count:
        raise Wrong(f"the formula has {len(clauses)} clauses, but says {clause_count}")
    if any(abs(literal) > variable_count for clause in clauses for literal in clause):
        raise Wrong(f"the formula has a variable that is greater than {variable_count}")
    return variable_count, clauses


def numbers(line: str) -> list[int]:
    """Return the numbers of a line, without the 0 at its end; raise `Wrong` for any other line."""
    try:
        *result, end = map(int, line.split() if is_plain(line.encode()) else ())
    except ValueError:
        raise Wrong(f"{line[:40].strip()!r} is not a list of numbers that ends with 0") from None
    if end or not all(result):
        raise Wrong(f"{line[:40].strip()!r} is not a list of numbers that ends with 0")
    return result


def is_plain(line: bytes) -> bool:
    """Tell whether a text has only the characters of plain numbers; Python accepts 1_0 as a number, too.

    >>> is_plain(b"4 d 1 -2 0"), is_plain(b"1_0 0")
    (True, False)
    """
    return not line.translate(None, b"-0123456789 d\n")


def natural(text: str) -> int:
    """Read a number that consists of digits only; raise `Wrong` for any other text."""
    if not (text.isascii() and text.isdigit()):
        raise Wrong(f"{text[:40]!r} is not a number")
    return int(text)


def check_refutation(clauses: Sequence[Iterable[int]], steps: Iterable[bytes], share: int = 0, shares: int = 1) -> int:
    """Check a derivation of the empty clause and return the number of its steps.

    A line adds a clause ("4 1 0 1 2 0": clause 4 is (1), by clauses 1 and 2) or deletes clauses ("4 d 1 2 0"). clauses:
    the clauses of the formula, numbered from 1. steps: the lines of the LRAT text. share, shares: this process checks
    each step whose number modulo ``shares`` is ``share`` and takes all others for granted, so the proof is right only
    if no process raises.

    A deleted clause is forgotten at once, so that memory holds only the clauses in use. Raises `Wrong` at the first
    step that does not follow.

    >>> check_refutation([(1, 2), (1, -2), (-1,)], [b"4 1 0 1 2 0", b"4 d 1 2 0", b"5 0 4 3 0"])
    2
    """
    shared: dict[int, int] = {}  # one object for equal literals, to save memory
    clause_by_number = dict(
        enumerate((tuple(shared.setdefault(literal, literal) for literal in set(clause)) for clause in clauses), 1)
    )
    last_number = len(clause_by_number)
    steps_before = 0
    for line in steps:
        first, _, hints_text = line.partition(b" 0 ")
        try:
            if not is_plain(line):
                raise ValueError
            if b"d" in first:
                _, deletion_mark, *names, end = line.split()
                deleted = list(map(int, names))
                if (deletion_mark, end) != (b"d", b"0"):
                    raise ValueError
            else:
                number, *literals = map(int, first.split())
                *hints, zero = map(int, hints_text.split()) if steps_before % shares == share else [0]
                if zero:
                    raise ValueError
        except ValueError:
            raise Wrong(f"the proof is cut short after step {steps_before}, or holds what is not a number") from None
        if b"d" in first:
            for name in deleted:
                if clause_by_number.pop(name, None) is None:
                    raise Wrong(f"the proof deletes clause {name}, which it does not have")
            continue
        if number <= last_number or 0 in literals:
            raise Wrong(f"step {steps_before + 1} of the proof, {number}, is out of order")
        last_number = number
        if steps_before % shares == share:
            check_step(number, literals, hints, clause_by_number)
        steps_before += 1
        if not literals:
            return steps_before
        clause_by_number[number] = tuple(shared.setdefault(literal, literal) for literal in set(literals))
    raise Wrong("the proof ends before the empty clause")


def check_step(
    number: int, literals: Iterable[int], hints: Iterable[int], clause_by_number: Mapping[int, Clause]
) -> None:
    """Raise `Wrong` unless a clause follows from other clauses by unit propagation.

    The hints name these clauses in the order in which they propagate. number: the number of the step, for messages.
    literals: the new clause. hints: numbers of clauses. clause_by_number: the clauses.
    """
    false_literals = set(literals)
    for hint in hints:
        try:
            clause = clause_by_number[hint]
        except KeyError:
            raise Wrong(f"step {number} of the proof rests on {hint}, which is not a clause at that place") from None
        unit = 0  # the only literal of the clause that is not false; 0 while there is none
        for literal in clause:
            if literal not in false_literals:
                if unit:
                    raise Wrong(f"step {number} of the proof does not follow: clause {hint} leaves several literals")
                unit = literal
        # All literals of the clause are false: the negation of the new clause is refuted.
        if not unit:
            return
        false_literals.add(-unit)
    raise Wrong(f"step {number} of the proof does not follow: the clauses it names do not refute its negation")
