"""More of the classics, which only benchmarks search."""

import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations, pairwise, product

from ortools.sat.python.cp_model import CpModel, IntVar

from models.classics import arrangements
from tests.support.classics import CLASSICS as SHARED
from tests.support.classics import PETERSEN, Classic, classic, colouring
from tests.support.declared import BOOLEAN, puzzle
from tests.support.sudoku import sudoku as declared_sudoku


def sudoku(given: str) -> Classic:
    """A sudoku of 9 rows: digits, and dots where nothing is known."""
    model, cells = classic(declared_sudoku())
    for cell, digit in zip(cells, given, strict=True):
        if digit != ".":
            model.add(cell == int(digit))
    return Classic(model, cells)


def nonogram(rows: Sequence[Sequence[int]], columns: Sequence[Sequence[int]]) -> Classic:
    """Pictures whose lines have black runs of these lengths, each at least one."""
    model = CpModel()
    cells = [[model.new_bool_var(f"n{r},{c}") for c in range(len(columns))] for r in range(len(rows))]

    def say(line: Sequence[IntVar], runs: Sequence[int]) -> None:
        word = [0]
        for run in runs:
            word += [*[1] * run, 0]
        stays = [(state, 0, state) for state, letter in enumerate(word) if letter == 0]
        goes_on = [(state, letter, state + 1) for state, letter in enumerate(word[1:])]
        model.add_automaton(line, 0, [len(word) - 2, len(word) - 1], [*stays, *goes_on])

    for line, runs in zip(cells, rows, strict=True):
        say(line, runs)
    for column, runs in zip(zip(*cells, strict=True), columns, strict=True):
        say(column, runs)
    return Classic(model, [cell for line in cells for cell in line])


def alphametic(words: Sequence[str], total: str) -> Classic:
    model = CpModel()
    letters = {letter: model.new_int_var(0, 9, letter) for letter in sorted(set("".join([*words, total])))}
    model.add_all_different(list(letters.values()))

    def value(word: str) -> object:
        return sum(10**place * letters[letter] for place, letter in enumerate(reversed(word)))

    model.add(sum(map(value, words)) == value(total))  # type: ignore[arg-type]
    for word in (*words, total):
        model.add(letters[word[0]] != 0)
    return Classic(model, list(letters.values()))


def formula(variables: int, clauses: int, seed: int) -> Classic:
    """Random clauses of three literals."""
    rng = random.Random(seed)
    model = CpModel()
    x = [model.new_bool_var(f"x{n}") for n in range(variables)]
    for _ in range(clauses):
        some = rng.sample(x, 3)
        model.add_bool_or([v if rng.random() < 0.5 else ~v for v in some])
    return Classic(model, x)


def independent_sets(size: int) -> Classic:
    """Cells of a board of which no two are neighbours."""
    cells = range(size * size)
    pairs = [(n, n + 1) for n in cells if (n + 1) % size] + [(n, n + size) for n in cells[:-size]]

    def keep_apart(m: CpModel, *x: IntVar) -> None:
        for a, b in pairs:
            m.add_bool_or(~x[a], ~x[b])

    return classic(puzzle(dict.fromkeys(cells, BOOLEAN), keep_apart))


def sums(numbers: Sequence[int], total: int, most: int) -> Classic:
    """Ways to pay a sum by coins of these values, of each so many at most."""
    return classic(
        puzzle(
            {number: (0, min(most, total // number)) for number in numbers},
            lambda m, *times: m.add(sum(n * often for n, often in zip(numbers, times, strict=True)) == total),
        )
    )


def pythagoras(most: int) -> Classic:
    """Right triangles with whole sides."""

    def rules(m: CpModel, *x: IntVar) -> None:
        for n in range(3):
            m.add_multiplication_equality(x[n + 3], [x[n], x[n]])
        m.add(x[3] + x[4] == x[5])
        m.add(x[0] < x[1])

    domains = {**dict.fromkeys("abc", (1, most)), **dict.fromkeys("xyz", (1, most * most))}
    return classic(puzzle(domains, rules, key="abc"))


def magic_sequence(size: int) -> Classic:
    """Entry n says how often n is met; entries are told apart by Booleans."""
    model = CpModel()
    entries = [model.new_int_var(0, size - 1, f"e{n}") for n in range(size)]
    for value, entry in enumerate(entries):
        is_value = [model.new_bool_var("") for _ in entries]
        for other, literal in zip(entries, is_value, strict=True):
            model.add(other == value).only_enforce_if(literal)
            model.add(other != value).only_enforce_if(~literal)
        model.add(sum(is_value) == entry)
    return Classic(model, entries)


def dominating_queens(size: int, most: int) -> Classic:
    """Fewest queens that attack or hold every cell."""
    model = CpModel()
    cell = {place: model.new_bool_var(f"d{place}") for place in product(range(size), repeat=2)}
    for r, c in cell:
        model.add_bool_or([v for (a, b), v in cell.items() if a == r or b == c or abs(a - r) == abs(b - c)])
    model.add(sum(cell.values()) <= most)
    model.minimize(sum(cell.values()))
    return Classic(model, list(cell.values()))


def schedule(durations: Sequence[int], horizon: int) -> Classic:
    """Tasks on one machine: of each two, one ends before the other begins."""
    model = CpModel()
    starts = [model.new_int_var(0, horizon - d, f"s{n}") for n, d in enumerate(durations)]
    for (a, of_a), (b, of_b) in combinations(zip(starts, durations, strict=True), 2):
        is_first = model.new_bool_var("")
        model.add(a + of_a <= b).only_enforce_if(is_first)
        model.add(b + of_b <= a).only_enforce_if(~is_first)
    return Classic(model, starts)


def matchings(people: int, seed: int) -> Classic:
    """Stable marriages: nobody would rather elope, by tables of who is liked better."""
    rng = random.Random(seed)
    model = CpModel()
    his, hers = ([rng.sample(range(people), people) for _ in range(people)] for _ in "mw")
    wife = [model.new_int_var(0, people - 1, f"w{m}") for m in range(people)]
    husband = [model.new_int_var(0, people - 1, f"h{w}") for w in range(people)]
    model.add_inverse(wife, husband)
    for m, w in product(range(people), repeat=2):
        pairs = product(range(people), repeat=2)
        stable = [
            (x, y) for x, y in pairs if his[m].index(x) <= his[m].index(w) or hers[w].index(y) <= hers[w].index(m)
        ]
        model.add_allowed_assignments([wife[m], husband[w]], stable)
    return Classic(model, wife)


def factors(most: int) -> Classic:
    """Numbers of which each divides the next."""

    def rules(m: CpModel, *numbers: IntVar) -> None:
        for a, b in pairwise(numbers):
            m.add(a < b)
            m.add_modulo_equality(0, b, a)

    return classic(puzzle({f"f{n}": (2, most) for n in range(4)}, rules))


GIVEN = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....4.9......8..79."
"""Wikipedia's sudoku, with fewer digits."""

CLASSICS: Mapping[str, Callable[[], Classic]] = {
    **SHARED,
    "sudoku": partial(sudoku, GIVEN),
    "nonogram": partial(nonogram, [(1, 1)] * 6, [(1, 1)] * 6),
    "colouring": partial(colouring, 10, PETERSEN, 4),
    "all-interval 10": lambda: classic(arrangements.all_interval(10)),
    "alphametic": partial(alphametic, ["DONALD", "GERALD"], "ROBERT"),
    "formula": partial(formula, 100, 425, 1),
    "independent sets 5": partial(independent_sets, 5),
    "knapsack": partial(sums, [3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59], 400, 1),
    "pythagoras": partial(pythagoras, 200),
    "magic sequence 30": partial(magic_sequence, 30),
    "change": partial(sums, [1, 2, 5, 10, 20, 50], 100, 100),
    "dominating queens 7": partial(dominating_queens, 7, 6),
    "schedule": partial(schedule, [1, 2, 3, 2, 4, 1, 2], 16),
    "stable marriages 12": partial(matchings, 12, 3),
    "factors": partial(factors, 96),
}
"""By name; each takes a second or two at most on some backend."""
