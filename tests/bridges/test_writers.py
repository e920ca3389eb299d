"""Each export, read again by a few lines that share nothing with its writer, has the solutions of brute force."""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from ortools.sat.python.cp_model import CpModel

from models.puzzle import Puzzle
from solvers import export
from solvers.base.errors import InputError
from solvers.cnf.lower import lower
from solvers.extras.bridges.formats import export as writers
from solvers.extras.bridges.minizinc import export as flatzinc
from solvers.model.exact_cover import exact_cover
from tests.attack.models import random_model
from tests.support.random_models import brute_force

Holds = Callable[[Sequence[int]], bool]


def assignments(domains: Sequence[Sequence[int]], rules: Sequence[tuple[list[int], Holds]]) -> Iterator[list[int]]:
    """Every assignment that keeps the rules, which are pairs of places and a function of the values there.

    A variable that a rule leaves one value has it at once.
    """
    of = [[rule for rule in rules if place in rule[0]] for place in range(len(domains))]
    values: list[int | None] = [None] * len(domains)

    def extend(queue: list[tuple[list[int], Holds]]) -> Iterator[list[int]]:
        trail: list[int] = []
        try:
            while queue:
                places, holds = queue.pop()
                free = {place for place in places if values[place] is None}
                if len(free) > 1:
                    continue
                fits = []
                for value in domains[min(free)] if free else [0]:
                    here = [value if values[place] is None else values[place] for place in places]
                    fits += [value] if holds(here) else []  # type: ignore[arg-type]
                if not fits:
                    return
                if free and len(fits) == 1:
                    trail.append(min(free))
                    values[min(free)] = fits[0]
                    queue += of[min(free)]
            if None not in values:
                yield [value for value in values if value is not None]
                return
            place = values.index(None)
            for value in domains[place]:
                values[place] = value
                yield from extend([*of[place]])
            values[place] = None
        finally:
            for place in trail:
                values[place] = None

    return extend([*rules])


def solutions_of_cnf(text: str) -> int:
    """By the lines of DIMACS alone."""
    lines = [line.split() for line in text.splitlines()]
    (shown,) = ([abs(int(word)) for word in words[3:-1]] for words in lines if words[:3] == ["c", "p", "show"])
    (size,) = (int(words[2]) for words in lines if words[0] == "p")
    order = [*shown, *(number for number in range(1, size + 1) if number not in shown)]
    place = {number: n for n, number in enumerate(order)}
    clauses = [[int(word) for word in words[:-1]] for words in lines if words[0] not in ("c", "p")]
    (count,) = (int(words[3]) for words in lines if words[0] == "p")
    assert count == len(clauses)
    if [] in clauses:
        return 0
    rules = []
    for clause in clauses:
        signs = [int(literal > 0) for literal in clause]
        rules.append(([place[abs(literal)] for literal in clause], lambda v, s=signs: any(map(int.__eq__, v, s))))
    values = assignments([(0, 1)] * size, rules)
    return len({tuple(one[: len(shown)]) for one in values})


def solutions_of_dlx(text: str) -> int:
    """By trying all sets of options."""
    items, *options = [line.split() for line in text.splitlines() if not line.startswith("|")]
    bar, bounds = items.index("|"), dict[str, range]()
    for item in items[:bar]:
        several, _, name = item.rpartition("|")
        low, _, high = (several or "1:1").partition(":")
        bounds[name] = range(int(low), int(high) + 1)
    bounds |= {name: range(2) for name in items[bar + 1 :]}
    count = 0
    for chosen in product((0, 1), repeat=len(options)):
        covered = Counter(item for option, is_in in zip(options, chosen, strict=True) if is_in for item in option)
        count += all(covered[name] in allowed for name, allowed in bounds.items())
    return count


def dot(coefficients: Sequence[int], values: Sequence[int]) -> int:
    return sum(map(int.__mul__, coefficients, values))


def quotient(a: int, b: int) -> int:
    """Rounded towards 0."""
    return abs(a) // abs(b) * (1 if a * b >= 0 else -1)


BUILTINS: dict[str, Callable[..., bool]] = {
    "bool2int": lambda a, b: a == b,
    "bool_not": lambda a, b: a != b,
    "bool_eq": lambda a, b: a == b,
    "bool_clause": lambda some, others: any(some) or not all(others),
    "array_bool_and": lambda some, all_of: all(some) == bool(all_of),
    "array_bool_xor": lambda some: sum(some) % 2 == 1,
    "int_lin_eq": lambda c, v, b: dot(c, v) == b,
    "int_lin_le": lambda c, v, b: dot(c, v) <= b,
    "int_lin_ne": lambda c, v, b: dot(c, v) != b,
    "int_lin_eq_reif": lambda c, v, b, r: (dot(c, v) == b) == bool(r),
    "int_lin_le_reif": lambda c, v, b, r: (dot(c, v) <= b) == bool(r),
    "set_in": lambda v, some: v in some,
    "array_var_int_element": lambda n, some, value: 1 <= n <= len(some) and some[n - 1] == value,
    "array_int_maximum": lambda most, some: bool(some) and max(some) == most,
    "int_times": lambda a, b, c: a * b == c,
    "int_div": lambda a, b, c: b != 0 and quotient(a, b) == c,
    "int_mod": lambda a, b, c: b != 0 and a - b * quotient(a, b) == c,
}
"""The meanings of FlatZinc's own constraints."""


def solutions_of_fzn(text: str) -> int:
    """By the lines of FlatZinc alone; the best if there is a goal."""
    domains, shown = dict[str, Sequence[int]](), list[str]()
    for kind, name, mark in re.findall(r"^var (\S+): (\w+)(.*);$", text, re.M):
        low, _, high = kind.partition("..")
        domains[name] = (0, 1) if kind == "bool" else range(int(low), int(high) + 1)
        shown += [name] if "output_var" in mark else []
    (way, goal) = re.findall(r"^solve (\w+) ?(\w*);$", text, re.M)[0]
    names = [*dict.fromkeys([*shown, *([goal] if goal else [])]), *domains]
    names = [*dict.fromkeys(names)]
    rules = []
    for name, arguments in re.findall(r"^constraint (\w+)\((.*)\);$", text, re.M):
        used = [*dict.fromkeys(word for word in re.findall(r"[a-z]\w*", arguments) if word in domains)]
        code = eval(f"lambda {', '.join([*used, 'true=1', 'false=0'])}: ({arguments},)")

        def holds(values: Sequence[int], rule: Callable[..., bool] = BUILTINS[name], of: Any = code) -> bool:
            return rule(*of(*values))

        rules.append(([names.index(word) for word in used], holds))
    size = len({*shown, goal} - {""})
    every = {tuple(one[:size]) for one in assignments([domains[name] for name in names], rules)}
    if not goal:
        return len(every)
    place = names.index(goal)
    best = (min if way == "minimize" else max)((one[place] for one in every), default=0)
    return len({one[: len(shown)] for one in every if one[place] == best})


READERS = {".cnf": solutions_of_cnf, ".dlx": solutions_of_dlx, ".fzn": solutions_of_fzn}


def a_model(seed: int) -> tuple[Puzzle, int]:
    """A random model with some of its variables as the key, and how many keys have a solution.

    Every second one is an exact cover, in all its variables.
    """
    rng = random.Random(seed)
    model = random_cover(rng) if seed % 2 else random_model(rng)
    size = len(model.proto.variables)
    key = range(size) if seed % 2 else rng.sample(range(size), rng.randint(1, size))
    variables = {f"v{number}": model.get_int_var_from_proto_index(number) for number in key}
    return Puzzle("random", {}, model, variables), len({tuple(one[n] for n in key) for one in brute_force(model)})


def random_cover(rng: random.Random) -> CpModel:
    """Up to seven Booleans, and rules about how many of them are true."""
    model = CpModel()
    variables = [model.new_bool_var(f"b{n}") for n in range(rng.randint(1, 7))]
    for _ in range(rng.randint(0, 4)):
        some = rng.sample(variables, rng.randint(1, len(variables)))
        kind = rng.randrange(5)
        if kind == 0:
            model.add_exactly_one(some)
        elif kind == 1:
            model.add_at_most_one(some)
        elif kind == 2:
            model.add_bool_or(~some[0], ~some[-1])
        elif kind == 3:
            low = rng.randint(0, len(some))
            model.add_linear_constraint(sum(some), low, rng.randint(low, len(some)))
        else:
            model.add(some[0] == rng.randint(0, 1))
    return model


def is_right(seed: int, ending: str, folder: Path) -> bool | None:
    """Whether the file has as many solutions as the model; None if the format does not take it."""
    puzzle, expected = a_model(seed)
    path = folder / f"model{ending}"
    try:
        export(puzzle, path, symmetry="none")
    except InputError:
        return None
    return READERS[ending](path.read_text(encoding="utf-8")) == expected


@pytest.mark.thorough
@pytest.mark.parametrize("ending", READERS)
@pytest.mark.parametrize("first", [0, 50, 100])
def test_what_is_written_has_the_solutions_of_the_model(first: int, ending: str, tmp_path: Path) -> None:
    answers = {seed: is_right(seed, ending, tmp_path) for seed in range(first, first + 50)}
    assert [seed for seed, answer in answers.items() if answer is False] == []
    assert sum(answer is True for answer in answers.values()) >= 15


RELATIONS = flatzinc._relations


def without_last_item(model: Any) -> Any:
    cover = exact_cover(model)
    del cover.items[-1:]
    return cover


def stricter(coefficients: Any, interval: Any) -> Iterator[Any]:
    for operator, numbers, bound in RELATIONS(coefficients, interval):
        yield operator, numbers, bound - 1


def without_last_clause(model: Any, stop: Any) -> Any:
    lowering = lower(model, stop)
    del lowering.formula.clauses[-1:]
    return lowering


FAULTS: dict[str, tuple[str, object, str, Any]] = {
    "an item is left out": (".dlx", writers, "exact_cover", without_last_item),
    "a clause is left out": (".cnf", writers, "lower", without_last_clause),
    "a bound is off by one": (".fzn", flatzinc, "_relations", stricter),
    "a negation is left out": (".fzn", flatzinc.FlatZincWriter, "negation", lambda self, name: name),
    "values between intervals": (".fzn", flatzinc, "_integers_in", lambda domain: range(domain[0], domain[-1] + 1)),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_a_writer_is_noticed(fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ending, where, name, wrong = FAULTS[fault]
    monkeypatch.setattr(where, name, wrong)
    assert any(is_right(seed, ending, tmp_path) is False for seed in range(150))


@pytest.mark.parametrize("ending", READERS)
def test_a_line_that_is_lost_is_noticed(ending: str, tmp_path: Path) -> None:
    """Unless what it says follows from the others."""
    noticed = 0
    for seed in range(1, 60, 2):
        puzzle, expected = a_model(seed)
        path = tmp_path / f"model{ending}"
        export(puzzle, path, symmetry="none")
        lines = path.read_text(encoding="utf-8").splitlines()
        rules = [n for n, line in enumerate(lines) if re.match(r"constraint|-?\d|[ps]\d+( [ps]\d+)*$", line)]
        if rules:
            del lines[random.Random(seed).choice(rules)]
            text = re.sub(r"(?m)^(p cnf \d+) (\d+)$", lambda head: f"{head[1]} {int(head[2]) - 1}", "\n".join(lines))
            noticed += READERS[ending](text) != expected
    assert noticed > 5
