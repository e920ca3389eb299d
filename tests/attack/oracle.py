"""The truth about small models, by plain products over all values. Shares no code with `solvers`.

Each constraint becomes a Python expression over ``v``, the values of all variables by index. The meaning of every kind
is that of cp_model.proto (OR-Tools 9.15) where it says it, else what the solver does.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import chain, combinations, compress, permutations, product
from math import factorial, prod
from typing import Any, NamedTuple

from ortools.sat.python.cp_model import CpModel
from pysat.formula import CNF

WIDE = 40
"""A variable of more values than this is not listed: it has to be a function of others."""

MOST_NODES = 300_000
"""Partial assignments that are tried before the oracle gives up."""

MOST_RENAMINGS = 5000
"""Ways to exchange variables, and assignments of those of a rule, that are tried before the oracle gives up."""

Solution = frozenset[tuple[Any, int]]
"""The value of every variable of a key, by label."""


class TooMany(Exception):
    """The model is not small enough to be listed."""


class Listed(NamedTuple):
    """An assignment of all variables that keeps every rule."""

    values: tuple[int, ...]
    cost: Any
    """What the model minimises, in the user's units; 0 where there is no objective."""


class Step(NamedTuple):
    """One variable gets its values."""

    variable: int
    values: Callable[[Sequence[int]], Iterable[int]]
    holds: Callable[[Sequence[int]], bool]
    """Whether all rules hold whose variables have values by then."""


def listed(model: CpModel) -> list[Listed]:
    """Every assignment of all variables that keeps all rules, the best and all others.

    Raises `TooMany` if there are too many to be tried.
    """
    proto, pairs, rules, cost = _read(model)
    steps = _steps(pairs, rules, _definitions(proto))
    values, found, nodes = [0] * len(pairs), list[Listed](), 0
    cost_of = _compiled(cost)

    def extend(depth: int) -> None:
        nonlocal nodes
        if depth == len(steps):
            found.append(Listed(tuple(values), cost_of(values)))
            return
        variable, candidates, holds = steps[depth]
        for value in candidates(values):
            nodes += 1
            if nodes > MOST_NODES:
                raise TooMany
            values[variable] = value
            if holds(values):
                extend(depth + 1)

    if all(_compiled(rule)(values) for rule in rules if not _variables(rule)):
        extend(0)
    return found


def _read(model: CpModel) -> tuple[Any, list[list[tuple[int, int]]], list[str], str]:
    """The proto of a model, the domains of its variables, and its rules and its cost as texts."""
    proto = model.clone().proto  # merely to look at a field may set it
    pairs = [_pairs(variable.domain) for variable in proto.variables]
    rules = [text for ct in proto.constraints if (text := _rule(ct, proto))]
    rules += [_literal(literal) for literal in proto.assumptions]
    cost = "0"
    if proto.has_objective():
        objective = proto.objective
        total = _sum(objective.vars, objective.coeffs)
        if len(objective.domain):
            rules.append(_inside(total, objective.domain))
        cost = f"Fraction({objective.scaling_factor or 1}) * ({total} + Fraction({objective.offset}))"
        if (objective.scaling_factor or 1) < 0:
            cost = f"-({cost})"
    elif proto.has_floating_point_objective():
        floating = proto.floating_point_objective
        total = _sum(floating.vars, map(Fraction, floating.coeffs), floating.offset)
        cost = f"{'-' if floating.maximize else ''}({total})"
    return proto, pairs, rules, cost


def of_model(model: CpModel, key: Mapping[Any, int]) -> dict[Solution, Any]:
    """Every assignment of the key (indices by label) that keeps the rules, and the least cost that it can have."""
    costs: dict[Solution, Any] = {}
    for values, cost in listed(model):
        solution = frozenset((label, values[index]) for label, index in key.items())
        costs[solution] = min(cost, costs.get(solution, cost))
    return costs


def of_formula(formula: CNF, key: Mapping[Any, int]) -> dict[Solution, Any]:
    """The same of a formula, by products of 0 and 1; variables by their numbers."""
    return {
        frozenset((label, values[number - 1]) for label, number in key.items()): 0
        for values in product((0, 1), repeat=formula.nv)
        if all(any(values[abs(literal) - 1] == (literal > 0) for literal in clause) for clause in formula.clauses)
    }


def read_dlx(text: str) -> tuple[list[str], list[str], dict[int, list[str]]]:
    """Primary items, secondary ones, and by their lines, counted from 1, the options that have a primary one."""
    lines = {n: line.split() for n, line in enumerate(text.splitlines(), 1) if line and not line.startswith("|")}
    items = lines.pop(min(lines))
    bar = items.index("|") if "|" in items else len(items)
    return items[:bar], items[bar + 1 :], {n: words for n, words in lines.items() if set(words) & set(items[:bar])}


def of_dlx(text: str) -> set[frozenset[int]]:
    """The sets of options (by line) that cover each primary item once, secondary ones once or in one colour.

    So Knuth defines it: TAOCP 7.2.2.1, exact covering with colours.
    """
    primary, secondary, options = read_dlx(text)
    found = set()
    for taken in product((False, True), repeat=len(options)):
        chosen = list(compress(options, taken))
        words = [word.partition(":") for n in chosen for word in options[n]]
        names = [item for item, _, _ in words]
        if any(names.count(item) != 1 for item in primary):
            continue
        colours = {item: [colour for name, _, colour in words if name == item] for item in secondary}
        if all(len(some) < 2 or (some[0] and set(some) == {some[0]}) for some in colours.values()):
            found.add(frozenset(chosen))
    return found


def function(kind: str, arguments: Iterable[int]) -> int:
    """What a target has to be whose kind makes it a function of others."""
    value: int = _compiled(FUNCTIONS[kind](list(map(str, arguments))))(())
    return value


def best(costs: Mapping[Solution, Any]) -> frozenset[Solution]:
    """Those of the least cost."""
    least = min(costs.values(), default=None)
    return frozenset(solution for solution, cost in costs.items() if cost == least)


def orbits(solutions: Iterable[Solution], symmetries: Sequence[Callable[[Any, int], tuple[Any, int]]]) -> int | None:
    """How many orbits the solutions make, by walking from each to its images; None if they are not closed."""
    everything = frozenset(solutions)
    left, count = set(everything), 0
    while left:
        count += 1
        reached = [left.pop()]
        while reached:
            solution = reached.pop()
            for symmetry in symmetries:
                image = frozenset(symmetry(*literal) for literal in solution)
                if image not in everything:
                    return None
                if image in left:
                    left.remove(image)
                    reached.append(image)
    return count


def fewest(model: CpModel, key: Mapping[Any, int], solutions: Iterable[Solution]) -> int:
    """How many orbits the solutions make under all exchanges of variables that keep the key and the set of rules.

    A rule is the set of what it allows its variables, and the cost is one more. Raises `TooMany`.
    """
    _, pairs, rules, cost = _read(model)
    values = [[value for low, high in domain for value in range(low, high + 1)] for domain in pairs]
    relations = set()
    for text in {*rules, cost}:
        scope, compiled, kept = sorted(_variables(text)), _compiled(text), set()
        if prod(len(values[variable]) for variable in scope) > MOST_RENAMINGS:
            raise TooMany
        assignment = [0] * len(values)
        for case in product(*(values[variable] for variable in scope)):
            for variable, value in zip(scope, case, strict=True):
                assignment[variable] = value
            if outcome := compiled(assignment):
                kept.add((frozenset(zip(scope, case, strict=True)), outcome))
        relations.add(frozenset(kept))
    classes: dict[Any, list[int]] = defaultdict(list)
    for variable, domain in enumerate(pairs):
        classes[variable in key.values(), *domain].append(variable)
    if prod(factorial(len(alike)) for alike in classes.values()) > MOST_RENAMINGS:
        raise TooMany

    def is_kept(image: Mapping[int, int]) -> bool:
        return all(
            frozenset((frozenset((image[v], value) for v, value in one), outcome) for one, outcome in kept) in relations
            for kept in relations
        )

    renamings = (
        dict(zip(chain(*classes.values()), chain(*images), strict=True))
        for images in product(*(permutations(alike) for alike in classes.values()))
    )
    label = {index: label for label, index in key.items()}
    group = [{label[v]: label[w] for v, w in image.items() if v in label} for image in renamings if is_kept(image)]
    left, count = set(solutions), 0
    while left:
        solution = next(iter(left))
        left -= {frozenset((image[label], value) for label, value in solution) for image in group}
        count += 1
    return count


def _steps(
    pairs: Sequence[Sequence[tuple[int, int]]], rules: Sequence[str], definitions: Mapping[int, Sequence[Definition]]
) -> list[Step]:
    """First the variables of few values, then those that are functions of others; rules as early as can be."""
    sizes = [sum(high - low + 1 for low, high in domain) for domain in pairs]
    steps, known = list[Step](), set[int]()
    waiting = [rule for rule in rules if _variables(rule)]

    def add(variable: int, values: Callable[[Sequence[int]], Iterable[int]], also: Sequence[str] = ()) -> None:
        known.add(variable)
        now = [rule for rule in waiting if _variables(rule) <= known]
        waiting[:] = [rule for rule in waiting if rule not in now]
        steps.append(Step(variable, values, _compiled(" and ".join(f"({rule})" for rule in (*also, *now)) or "True")))

    for variable in [variable for variable, size in enumerate(sizes) if size <= WIDE]:
        values = [value for low, high in pairs[variable] for value in range(low, high + 1)]
        add(variable, lambda _, values=values: values)  # type: ignore[misc]
    left = [variable for variable in range(len(sizes)) if variable not in known]
    while left:
        for variable in left:
            if text := _candidates(definitions.get(variable, ()), known):
                add(variable, _compiled(text), [_within(f"v[{variable}]", pairs[variable])])
                left.remove(variable)
                break
        else:
            raise TooMany
    return steps


Definition = tuple[tuple[int, ...], str]
"""What a variable has to be where these literals hold."""


def _definitions(proto: Any) -> dict[int, list[Definition]]:
    """What a variable has to be where a constraint makes it a function of others; a rule still decides whether it is.

    Whole division: where that leaves a rest, the rule fails.
    """
    definitions: dict[int, list[Definition]] = defaultdict(list)
    for ct in proto.constraints:
        enforced = tuple(ct.enforcement_literal)
        if ct.has_linear() and len(ct.linear.domain) == 2 and ct.linear.domain[0] == ct.linear.domain[1]:
            terms = list(zip(ct.linear.vars, ct.linear.coeffs, strict=True))
            for place, (variable, coefficient) in enumerate(terms):
                others = [term for n, term in enumerate(terms) if n != place]
                rest = _sum([v for v, _ in others], [c for _, c in others])
                if coefficient:
                    text = f"({ct.linear.domain[0]} - ({rest})) // {coefficient}"
                    definitions[variable].append((enforced, text))
        for kind in FUNCTIONS:
            if getattr(ct, f"has_{kind}")():
                arguments = getattr(ct, kind)
                target, expressions = arguments.target, list(map(_affine, arguments.exprs))
                _define(definitions, enforced, target, FUNCTIONS[kind](expressions))
        if ct.has_element() and len(ct.element.exprs):
            entries = _tuple(map(_affine, ct.element.exprs))
            text = f"{entries}[({_affine(ct.element.linear_index)}) % {len(ct.element.exprs)}]"
            _define(definitions, enforced, ct.element.linear_target, text)
    return definitions


def _define(definitions: dict[int, list[Definition]], enforced: tuple[int, ...], target: Any, text: str) -> None:
    if len(target.vars) == 1 and target.coeffs[0]:
        text = f"({text} - ({target.offset})) // {target.coeffs[0]}"
        definitions[target.vars[0]].append((enforced, text))


def _candidates(definitions: Iterable[Definition], known: set[int]) -> str:
    """The values that a variable may have, by definitions whose variables are known; empty if these are not all."""
    texts = {enforced: text for enforced, text in definitions if _variables(text) <= known}
    if () in texts:
        return f"({texts[()]},)"
    opposite = ((texts[enforced], texts.get((-enforced[0] - 1,))) for enforced in texts if len(enforced) == 1)
    return next((f"{{{one}, {other}}}" for one, other in opposite if other), "")


def _variables(text: str) -> set[int]:
    return {int(index) for index in re.findall(r"v\[(\d+)\]", text)}


def _compiled(text: str) -> Callable[[Sequence[int]], Any]:
    function: Callable[[Sequence[int]], Any] = eval(f"lambda v: {text}", GLOBALS)
    return function


def _pairs(bounds: Iterable[int]) -> list[tuple[int, int]]:
    flat = list(bounds)
    return list(zip(flat[::2], flat[1::2], strict=True))


def _within(text: str, pairs: Sequence[tuple[int, int]]) -> str:
    if len(pairs) == 1:
        return f"{pairs[0][0]} <= {text} <= {pairs[0][1]}"
    return f"any(low <= {text} <= high for low, high in {pairs})"


def _inside(text: str, bounds: Iterable[int]) -> str:
    return _within(f"({text})", _pairs(bounds))


def _sum(variables: Iterable[int], coefficients: Iterable[Any], offset: Any = 0) -> str:
    terms = [f"{c!r} * v[{v}]" for v, c in zip(variables, coefficients, strict=True)]
    return " + ".join([*terms, repr(Fraction(offset) if isinstance(offset, float) else offset)])


def _affine(expression: Any) -> str:
    return _sum(expression.vars, expression.coeffs, expression.offset)


def _literal(literal: int) -> str:
    return f"v[{literal}]" if literal >= 0 else f"(1 - v[{-literal - 1}])"


def _count(literals: Iterable[int]) -> str:
    return f"({' + '.join(['0', *map(_literal, literals)])})"


def _tuple(texts: Iterable[str]) -> str:
    return f"({''.join(f'{text}, ' for text in texts)})"


def _rule(ct: Any, proto: Any) -> str:
    """A constraint as text; empty if it says nothing."""
    for kind, written in RULES.items():
        if getattr(ct, f"has_{kind}")():
            text = written(getattr(ct, kind), proto)
            if len(ct.enforcement_literal):
                enforced = " and ".join(map(_literal, ct.enforcement_literal))
                return f"not ({enforced}) or ({text})"
            return text
    return ""


def _element(arguments: Any, _: Any) -> str:
    if arguments.has_linear_index():
        index, target = _affine(arguments.linear_index), _affine(arguments.linear_target)
        entries = list(map(_affine, arguments.exprs))
    else:
        index, target = f"v[{arguments.index}]", f"v[{arguments.target}]"
        entries = [f"v[{entry}]" for entry in arguments.vars]
    return f"0 <= {index} < {len(entries)} and {_tuple(entries)}[{index}] == {target}"


def _expressions(arguments: Any) -> list[str]:
    return [*(f"v[{v}]" for v in arguments.vars), *map(_affine, arguments.exprs)]


def _table(arguments: Any, _: Any) -> str:
    columns = _expressions(arguments)
    if not columns:
        return "True"
    flat = list(arguments.values)
    rows = {tuple(flat[at : at + len(columns)]) for at in range(0, len(flat), len(columns))}
    text = f"{_tuple(columns)} in {sorted(rows)}"
    return f"not ({text})" if arguments.negated else text


def _inverse(arguments: Any, _: Any) -> str:
    size = len(arguments.f_direct)
    direct = _tuple(f"v[{v}]" for v in arguments.f_direct)
    inverse = _tuple(f"v[{v}]" for v in arguments.f_inverse)
    return f"all(0 <= j < {size} and {inverse}[j] == i for i, j in enumerate({direct}))"


def _arcs(arguments: Any) -> str:
    arcs = zip(arguments.tails, arguments.heads, arguments.literals, strict=True)
    return _tuple(f"({tail}, {head}, {_literal(literal)})" for tail, head, literal in arcs)


def _is_circuit(arcs: Sequence[tuple[int, int, int]]) -> bool:
    """Each node is entered and left once, and all that are not entered from themselves lie on one tour."""
    nodes = {node for tail, head, _ in arcs for node in (tail, head)}
    chosen = [(tail, head) for tail, head, literal in arcs if literal]
    if sorted(tail for tail, _ in chosen) != sorted(nodes) or sorted(head for _, head in chosen) != sorted(nodes):
        return False
    after = {tail: head for tail, head in chosen if tail != head}
    if not after:
        return True
    tour = [next(iter(after))]
    while after[tour[-1]] != tour[0]:
        tour.append(after[tour[-1]])
    return len(tour) == len(after)


def _is_routes(arcs: Sequence[tuple[int, int, int]]) -> bool:
    """As a circuit, but that node 0 is left, and entered, once or several times; each tour passes it."""
    nodes = {node for tail, head, _ in arcs for node in (tail, head) if node}
    chosen = [(tail, head) for tail, head, literal in arcs if literal]
    if sorted(t for t, _ in chosen if t) != sorted(nodes) or sorted(h for _, h in chosen if h) != sorted(nodes):
        return False
    after = {tail: head for tail, head in chosen if tail}
    seen = {tail for tail, head in chosen if tail == head and tail}
    starts = [head for tail, head in chosen if not tail]
    for node in starts:
        while node:
            if node in seen:
                return False
            seen.add(node)
            node = after[node]
    return seen == nodes and bool(starts)


def _automaton(arguments: Any, _: Any) -> str:
    steps = {
        (tail, label): head
        for tail, label, head in zip(
            arguments.transition_tail, arguments.transition_label, arguments.transition_head, strict=True
        )
    }
    word = _tuple(_expressions(arguments))
    return f"_reads({steps}, {arguments.starting_state}, {word}) in {set(arguments.final_states) or '()'}"


def _reads(steps: Mapping[tuple[Any, int], int], state: int | None, word: Sequence[int]) -> int | None:
    for letter in word:
        state = steps.get((state, letter))
    return state


def _quotient(a: int, b: int) -> int:
    """Towards 0."""
    return a // b if (a >= 0) == (b > 0) else -(-a // b)


def _interval(ct: Any) -> str:
    """(whether it is there, start, end)."""
    there = " and ".join(map(_literal, ct.enforcement_literal)) or "1"
    return f"({there}, {_affine(ct.interval.start)}, {_affine(ct.interval.end)})"


def _intervals(numbers: Iterable[int], proto: Any) -> str:
    return _tuple(_interval(proto.constraints[number]) for number in numbers)


def _meet(a: Sequence[int], b: Sequence[int]) -> bool:
    """Whether they overlap, taking an interval of no length for a point that must not lie inside another."""
    return bool(a[0] and b[0]) and not (a[2] <= b[1] or b[2] <= a[1])


def _is_apart(intervals: Sequence[Sequence[int]]) -> bool:
    return not any(_meet(a, b) for a, b in combinations(intervals, 2))


def _is_apart_2d(xs: Sequence[Sequence[int]], ys: Sequence[Sequence[int]]) -> bool:
    boxes = list(zip(xs, ys, strict=True))
    return not any(_meet(a[0], b[0]) and _meet(a[1], b[1]) for a, b in combinations(boxes, 2))


def _cumulative(arguments: Any, proto: Any) -> str:
    tasks, demands = _intervals(arguments.intervals, proto), _tuple(map(_affine, arguments.demands))
    return f"_fits({tasks}, {demands}, {_affine(arguments.capacity)})"


def _fits(tasks: Sequence[Sequence[int]], demands: Sequence[int], capacity: int) -> bool:
    def load(moment: int) -> int:
        return sum(
            demand
            for (there, start, end), demand in zip(tasks, demands, strict=True)
            if there and start <= moment < end
        )

    present = [(start, demand) for (there, start, _), demand in zip(tasks, demands, strict=True) if there]
    return capacity >= 0 and all(demand >= 0 and load(start) <= capacity for start, demand in present)


def _reservoir(arguments: Any, _: Any) -> str:
    times, changes = _tuple(map(_affine, arguments.time_exprs)), _tuple(map(_affine, arguments.level_changes))
    active = _tuple(map(_literal, arguments.active_literals)) if len(arguments.active_literals) else "None"
    return f"_stays({times}, {changes}, {active}, {arguments.min_level}, {arguments.max_level})"


def _stays(times: Sequence[int], changes: Sequence[int], active: Sequence[int] | None, low: int, high: int) -> bool:
    events = [
        (time, change)
        for time, change, is_active in zip(times, changes, active or [1] * len(times), strict=True)
        if is_active
    ]
    return all(low <= sum(change for at, change in events if at <= time) <= high for time, _ in events)


def _difference(texts: Iterable[str]) -> str:
    listed_texts = list(texts)
    return f"len({{{', '.join(listed_texts)}}}) == {len(listed_texts)}" if listed_texts else "True"


def _target(kind: str) -> Callable[[Any, Any], str]:
    def written(arguments: Any, _: Any) -> str:
        return f"{_affine(arguments.target)} == {FUNCTIONS[kind](list(map(_affine, arguments.exprs)))}"

    return written


FUNCTIONS: Mapping[str, Callable[[Sequence[str]], str]] = {
    "int_prod": lambda factors: f"prod({_tuple(factors)})",
    "int_div": lambda pair: f"_quotient({pair[0]}, {pair[1]})",
    "int_mod": lambda pair: f"({pair[0]} - ({pair[1]}) * _quotient({pair[0]}, {pair[1]}))",
    "lin_max": lambda some: f"max({_tuple(some)}, default=None)",
}
"""The kinds in which a target is a function of other expressions."""

RULES: Mapping[str, Callable[[Any, Any], str]] = {
    "bool_or": lambda a, _: f"{_count(a.literals)} >= 1",
    "bool_and": lambda a, _: f"{_count(a.literals)} == {len(a.literals)}",
    "bool_xor": lambda a, _: f"{_count(a.literals)} % 2 == 1",
    "at_most_one": lambda a, _: f"{_count(a.literals)} <= 1",
    "exactly_one": lambda a, _: f"{_count(a.literals)} == 1",
    "linear": lambda a, _: _inside(_sum(a.vars, a.coeffs), a.domain),
    "all_diff": lambda a, _: _difference(map(_affine, a.exprs)),
    "element": _element,
    "table": _table,
    "inverse": _inverse,
    "circuit": lambda a, _: f"_is_circuit({_arcs(a)})",
    "routes": lambda a, _: f"_is_routes({_arcs(a)})",
    "automaton": _automaton,
    **{kind: _target(kind) for kind in FUNCTIONS},
    "interval": lambda a, _: f"{_affine(a.start)} + {_affine(a.size)} == {_affine(a.end)} and {_affine(a.size)} >= 0",
    "no_overlap": lambda a, proto: f"_is_apart({_intervals(a.intervals, proto)})",
    "no_overlap_2d": lambda a, proto: (
        f"_is_apart_2d({_intervals(a.x_intervals, proto)}, {_intervals(a.y_intervals, proto)})"
    ),
    "cumulative": _cumulative,
    "reservoir": _reservoir,
}
"""From a constraint's arguments and the whole proto to its text."""

GLOBALS = {
    "Fraction": Fraction,
    "prod": prod,
    "_quotient": _quotient,
    "_is_circuit": _is_circuit,
    "_is_routes": _is_routes,
    "_reads": _reads,
    "_is_apart": _is_apart,
    "_is_apart_2d": _is_apart_2d,
    "_fits": _fits,
    "_stays": _stays,
}
