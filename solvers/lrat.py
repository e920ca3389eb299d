"""A checker of refutations in LRAT; it needs nothing else of this project.

Each step adds a clause and names clauses that refute its negation: under the negation each of them in turn has one
literal left that is not false, which is then true, and the last has none. So whatever satisfies the clauses before
satisfies the new one too, and if that is the empty clause, nothing does. Steps that extend the formula (RAT) are
refused: they are not needed here.
"""

from collections.abc import Iterable, Sequence


class Wrong(Exception):
    """What does not hold, in one sentence."""


def read_cnf(lines: Iterable[str]) -> tuple[int, list[tuple[int, ...]]]:
    """How many variables a formula in DIMACS has, and its clauses, one to a line.

    >>> read_cnf(["p cnf 2 2", "1 -2 0", "2 0"])
    (2, [(1, -2), (2,)])
    """
    header, *rest = [line for line in lines if not line.startswith("c")] or [""]
    match header.split():
        case ["p", "cnf", variables, count]:
            most, expected = natural(variables), natural(count)
        case _:
            raise Wrong("the formula does not begin with its sizes, p cnf VARIABLES CLAUSES")
    clauses = [tuple(numbers(line)) for line in rest]
    if len(clauses) != expected:
        raise Wrong(f"the formula has {len(clauses)} clauses, but says {expected}")
    if any(abs(literal) > most for clause in clauses for literal in clause):
        raise Wrong(f"the formula has a variable that is greater than {most}")
    return most, clauses


def numbers(line: str) -> list[int]:
    """The numbers of a line, which ends with 0 and has no other 0."""
    try:
        *result, end = map(int, line.split())
    except ValueError:
        raise Wrong(f"{line[:40].strip()!r} is no list of numbers that ends with 0") from None
    if end or not all(result):
        raise Wrong(f"{line[:40].strip()!r} is no list of numbers that ends with 0")
    return result


def natural(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise Wrong(f"{text[:40]!r} is no number")
    return int(text)


def check_refutation(clauses: Sequence[Iterable[int]], steps: Iterable[bytes]) -> int:
    """How many steps it takes to derive the empty clause; raises `Wrong` at the first that does not follow.

    A deleted clause is forgotten at once, so that memory holds the clauses that are in use and no more.

    >>> check_refutation([(1, 2), (1, -2), (-1,)], [b"4 1 0 1 2 0", b"4 d 1 2 0", b"5 0 4 3 0"])
    2
    """
    clause_of = dict(enumerate(map(frozenset, clauses), 1))
    last = len(clause_of)
    count = 0
    for line in steps:
        fields = line.split()
        if fields[1:2] == [b"d"]:
            for name in fields[2:-1]:
                if clause_of.pop(_number(name), None) is None:
                    raise Wrong(f"the proof deletes clause {_number(name)}, which it does not have")
            if fields[-1] != b"0":
                raise Wrong(f"a deletion in the proof is cut short after step {count}")
            continue
        try:
            step = list(map(int, fields))
            middle = step.index(0)
            number, literals, hints = step[0], step[1:middle], step[middle + 1 : -1]
        except (ValueError, IndexError):
            raise Wrong(f"step {count + 1} of the proof is no list of numbers") from None
        if number <= last or step[-1] or len(step) < middle + 2:
            raise Wrong(f"step {count + 1} of the proof, {number}, is out of order or cut short")
        last = number
        count += 1
        false = set(literals)
        for hint in hints:
            try:
                left = clause_of[hint] - false
            except KeyError:
                raise Wrong(f"step {number} of the proof rests on {hint}, which is no clause at that place") from None
            if not left:
                break
            if len(left) > 1:
                raise Wrong(f"step {number} of the proof does not follow: clause {hint} leaves {len(left)} literals")
            (literal,) = left
            false.add(-literal)
        else:
            raise Wrong(f"step {number} of the proof does not follow: the clauses it names do not refute its negation")
        if not literals:
            return count
        clause_of[number] = frozenset(literals)
    raise Wrong("the proof ends before the empty clause")


def _number(text: bytes) -> int:
    return natural(text.decode("ascii", "replace"))
