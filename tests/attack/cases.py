"""What is attacked: a puzzle as lines of Python that declare it, and the truth about it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import chain, combinations
from pathlib import Path
from random import Random
from tempfile import mkdtemp
from threading import Event
from typing import Any

from ortools.sat.python.cp_model import CpModel, Domain
from pysat.formula import CNF

from models.puzzle import Puzzle, Symmetry
from solvers import iter_solutions, solve
from solvers.backends.protocol import Task
from solvers.backends.registry import make_backend
from solvers.files.catalogue import find
from tests.attack import models, oracle, wide
from tests.attack.oracle import Solution, TooMany
from tests.attack.program import lines_of, name_of

IMPORTS: Mapping[str, Any] = {
    one.__name__: one
    for one in (
        CpModel,
        Domain,
        CNF,
        Puzzle,
        solve,
        iter_solutions,
        find,
        Task,
        make_backend,
        ThreadPoolExecutor,
        Event,
        Path,
        mkdtemp,
    )
}
"""The names that lines may use."""

MOST_SOLUTIONS = 600
"""A case of more is passed over: many small ones say more in the same time."""


MOST_LITERALS = 10_000
"""Of the key, where symmetries are declared or looked for: each literal has an image."""


Facts = frozenset[tuple[Any, int]]
"""What a person is told of a solution."""


@dataclass
class Case:
    """A puzzle and the truth about it."""

    kind: str
    lines: Sequence[str]
    """They define ``puzzle``."""

    names: dict[str, Any]
    """What they define."""

    costs: Mapping[Solution, Any]
    """Every assignment of the key that keeps the rules, and what it costs at least."""

    labels: Sequence[Any]
    symmetries: Sequence[Symmetry] = ()
    orbits: int | None = 0
    """Of the best solutions under the declared symmetries; None if one of these is false."""

    sign: int | None = None
    """1 where the puzzle minimises, -1 where it maximises, None where it does neither."""

    literals: int = 0
    """Values of all variables of the key together."""

    booleans: frozenset[Any] | None = None
    """The labels of variables that are 0 or 1; None where that is not known."""

    knows_all: bool = True
    """Whether the costs hold also what is not best."""

    fewest: int | None = None
    """Orbits of the best solutions under symmetries of the model that have to be found; None where none is known."""

    lists: dict[str, list[Solution]] = field(default_factory=dict)
    """What complete runs have listed, by the symmetries that counted."""

    @property
    def puzzle(self) -> Any:
        """A declared one, or the path of a file."""
        return self.names["puzzle"]

    @property
    def has_cells(self) -> bool:
        """Whether it says what lies where, and that is not too much."""
        return "cells" in self.names and self.literals <= MOST_LITERALS

    def facts(self, solution: Solution) -> Facts:
        """Its literals without those that say that a Boolean is 0."""
        assert self.booleans is not None
        return frozenset((label, value) for label, value in solution if value or label not in self.booleans)

    def simpler(self) -> Iterator[Case]:
        """The case with a rule, an enforcement, a symmetry or a key variable less; only where it was declared here."""
        if not isinstance(self.puzzle, Puzzle) or self.kind == "variant":
            return
        for number, line in enumerate(self.lines):
            without = [*self.lines[:number], *self.lines[number + 1 :]]
            shorter = [without] if line.startswith("model.") else []
            if "enforcement_literal" in line:
                replaced = re.sub(r"enforcement_literal: \S+ ", "", line)
                shorter.append([*self.lines[:number], replaced, *self.lines[number + 1 :]])
            if line.startswith("key = ") and len(self.labels) > 1:
                for entry in re.findall(r"'\w+': \w+(?:, )?", line):
                    shorter.append([*self.lines[:number], line.replace(entry, ""), *self.lines[number + 1 :]])
            if line.startswith("symmetries = ["):
                shorter.append([*self.lines[:number], "symmetries = []", *self.lines[number + 1 :]])
            for lines in shorter:
                if lines != self.lines:
                    try:
                        yield declared(self.kind, lines)
                    except Exception:  # of whatever kind: what is left may be no puzzle
                        continue


def declared(kind: str, lines: Sequence[str]) -> Case:
    """The case that the lines declare; raises `TooMany` if the truth is too much to be listed."""
    names = dict(IMPORTS)
    exec("\n".join(lines), names)
    puzzle: Puzzle = names["puzzle"]
    sign, literals, booleans = None, 2 * len(puzzle.key), list(puzzle.key)
    if isinstance(puzzle.model, CpModel):
        if puzzle.model.validate():
            raise TooMany
        key = {label: variable.index for label, variable in puzzle.key.items()}  # type: ignore[union-attr]
        domains = [list(variable.proto.domain) for variable in puzzle.key.values()]  # type: ignore[union-attr]
        booleans = [
            label for label, domain in zip(puzzle.key, domains, strict=True) if domain in ([0, 1], [0, 0, 1, 1])
        ]
        literals = sum(sum(bounds[1::2]) - sum(bounds[::2]) + len(bounds) // 2 for bounds in domains)
        costs = oracle.of_model(puzzle.model, key)
        proto = puzzle.model.clone().proto
        if proto.has_objective():
            sign = -1 if proto.objective.scaling_factor < 0 else 1
    else:
        costs = oracle.of_formula(puzzle.model, puzzle.key)  # type: ignore[arg-type]
    if len(costs) > MOST_SOLUTIONS:
        raise TooMany
    case = Case(kind, lines, names, costs, list(puzzle.key), puzzle.symmetries, sign=sign, literals=literals)
    case.booleans = frozenset(booleans)
    case.orbits = oracle.orbits(oracle.best(costs), case.symmetries)
    if kind == "symmetric":
        case.fewest = oracle.fewest(puzzle.model, key, oracle.best(costs))
    return case


def _model(chance: Random) -> Case:
    kinds = (*models.KINDS, *models.EVEN, *models.EVEN)
    model = models.random_model(chance, kinds, scale=chance.choice([1] * 9 + [10**4, 2**40]))
    return _with_key(chance, "model", model)


def _wide(chance: Random) -> Case:
    model = wide.wide_model(chance)
    if chance.random() < 0.4:
        objective = model.get_int_var_from_proto_index(chance.randrange(len(model.proto.variables)))
        chance.choice([model.minimize, model.maximize])(chance.choice(models.NONZERO) * objective)
    return _with_key(chance, "wide", model)


def _scheduled(chance: Random) -> Case:
    model = models.random_model(chance, (*models.SCHEDULING, chance.choice(models.KINDS)))
    return _with_key(chance, "scheduled", model)


def _symmetric(chance: Random) -> Case:
    return _with_key(chance, "symmetric", models.random_symmetric(chance), whole=True)


def _circuit(chance: Random) -> Case:
    model, image = models.random_circuit(chance)
    case = _with_key(chance, "circuit", model, whole=True)
    case.fewest = oracle.orbits(oracle.best(case.costs), [lambda label, value: (image.get(label, label), value)])
    return case


def _cover(chance: Random) -> Case:
    model = models.random_cover(chance, odd=chance.random() < 0.15)
    return _with_key(chance, "cover", model, whole=chance.random() < 0.8)


def _formula(chance: Random) -> Case:
    formula = models.random_formula(chance)
    shown = chance.sample(range(1, formula.nv + 1), chance.choice([formula.nv, chance.randint(1, formula.nv)]))
    lines = [
        f"model = CNF(from_clauses={formula.clauses})",
        f"model.nv = {formula.nv}",
        f"key = {{{', '.join(f'{variable}: {variable}' for variable in sorted(shown))}}}",
    ]
    return _with_symmetries(chance, "formula", lines, dict.fromkeys(sorted(shown), (0, 1)))


def _file_of_formula(chance: Random) -> Case:
    formula = models.random_formula(chance)
    shown = sorted(chance.sample(range(1, formula.nv + 1), chance.randint(0, formula.nv)))
    clauses = "".join(" ".join(map(str, [*clause, 0])) + "\n" for clause in formula.clauses)
    text = f"p cnf {formula.nv} {len(formula.clauses)}\n{clauses}"
    if chance.random() < 0.5 and shown:
        text += f"c p show {' '.join(map(str, shown))} 0\n"
    else:
        shown = list(range(1, formula.nv + 1))
    costs = oracle.of_formula(formula, {variable: variable for variable in shown})
    return in_file("model.cnf", text, costs, shown)


def in_file(name: str, text: str, costs: Mapping[Solution, Any], labels: Sequence[Any], kind: str = "file") -> Case:
    lines = [f'puzzle = str(Path(mkdtemp(prefix="attack-")) / {name!r})', f"_ = Path(puzzle).write_text({text!r})"]
    names = dict(IMPORTS)
    exec("\n".join(lines), names)
    return Case(kind, lines, names, costs, labels, orbits=len(costs))


DRAWN: Mapping[Callable[[Random], Case], int] = {
    _model: 35,
    _wide: 18,
    _symmetric: 10,
    _circuit: 2,
    _scheduled: 5,
    _cover: 14,
    _formula: 7,
    _file_of_formula: 3,
}
"""How often each kind of case is drawn, in about a hundred."""


def _with_key(chance: Random, kind: str, model: CpModel, whole: bool = False) -> Case:
    if model.validate():
        raise TooMany
    size = len(model.proto.variables)
    chosen = list(range(size))
    if not whole and chance.random() < 0.5:
        chosen = chance.sample(chosen, chance.randint(1, size))
    names = {name_of(model, index): tuple(model.proto.variables[index].domain) for index in chosen}
    lines = [*lines_of(model), f"key = {{{', '.join(f'{name!r}: {name}' for name in names)}}}"]
    return _with_symmetries(chance, kind, lines, names)


def _with_symmetries(chance: Random, kind: str, lines: Sequence[str], domains: Mapping[Any, tuple[int, ...]]) -> Case:
    """Perhaps some symmetries that are true, or one that is false."""

    def case(symmetries: Sequence[str]) -> Case:
        declares = f"symmetries = [{', '.join(symmetries)}]"
        cells = "cells = {label: (0, place // 2) for place, label in enumerate(key)}"
        fills = 'lambda label, value: (f"n{value}", [cells[label]])'
        return declared(
            kind, [*lines, declares, cells, f'puzzle = Puzzle("random", {{}}, model, key, symmetries, fills={fills})']
        )

    plain = case([])
    draw = chance.random()
    if draw < 0.4 or plain.literals > MOST_LITERALS:
        return plain
    true, false = list[str](), list[str]()
    for text in _permutations(chance, domains):
        (true if _keeps_costs(plain.costs, eval(text)) else false).append(text)
    if draw < 0.9 and true:
        return case(chance.sample(true, chance.randint(1, min(2, len(true)))))
    if draw >= 0.9 and false:
        wrong = case([*chance.sample(true, min(len(true), chance.randint(0, 1))), chance.choice(false)])
        if wrong.orbits is None:  # it does not just carry good solutions to less good ones
            return wrong
    return plain


def _keeps_costs(costs: Mapping[Solution, Any], symmetry: Symmetry) -> bool:
    return all(
        costs.get(frozenset(symmetry(*literal) for literal in solution)) == cost for solution, cost in costs.items()
    )


def _permutations(chance: Random, domains: Mapping[Any, tuple[int, ...]]) -> list[str]:
    """Some permutations of literals: labels change places, and values of a label."""
    found = []
    alike = [(a, b) for a, b in combinations(domains, 2) if domains[a] == domains[b]]
    for a, b in chance.sample(alike, min(6, len(alike))):
        found.append(f"lambda label, value: ({{{a!r}: {b!r}, {b!r}: {a!r}}}.get(label, label), value)")
        if domains[a] == (0, 1):
            found.append(
                f"lambda label, value: ({{{a!r}: {b!r}, {b!r}: {a!r}}}.get(label, label), "
                f"1 - value if label in ({a!r}, {b!r}) else value)"
            )
    threes = [c for c in combinations(domains, 3) if len({domains[label] for label in c}) == 1]
    for a, b, c in chance.sample(threes, min(2, len(threes))):
        cycle = {a: b, b: c, c: a}
        found.append(f"lambda label, value: ({cycle}.get(label, label), value)")
    for a in chance.sample(list(domains), min(3, len(domains))):
        pairs = list(zip(domains[a][::2], domains[a][1::2], strict=True))
        if sum(high - low + 1 for low, high in pairs) <= oracle.WIDE:
            values = list(chain(*(range(low, high + 1) for low, high in pairs)))
            turned = dict(zip(values, reversed(values), strict=True))
            found.append(f"lambda label, value: (label, {turned}[value] if label == {a!r} else value)")
    return found
