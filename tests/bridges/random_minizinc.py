"""Random small models in MiniZinc: a few variables, and constraints of every kind, some of them negated or implied."""

import random
from collections.abc import Callable

INCLUDES = (
    "all_different alldifferent_except_0 all_equal among at_least at_most circuit count cumulative diffn "
    "disjunctive disjunctive_strict exactly global_cardinality global_cardinality_low_up increasing inverse "
    "lex_less lex_lesseq maximum member minimum nvalue regular regular_nfa sort subcircuit table value_precede"
).split()

JOINED = ("/\\", "\\/", "->", "xor")


def random_model(seed: int) -> str:
    """A model whose output is all of its variables but one."""
    rng = random.Random(seed)
    low = rng.choice([0, 0, 1, 1, -2])
    size = rng.randint(2, 4)
    first = rng.choice([0, 1, 1, 2])
    count = rng.randint(2, 4)
    wide = set(rng.sample(range(low, low + size + 2), size))
    domain = rng.choice([f"{low}..{low + size - 1}", "{" + ",".join(map(str, sorted(wide))) + "}"])
    constraints = [_constraint(rng, low, size, first, count) for _ in range(rng.randint(1, 3))]
    lines = [f'include "{name}.mzn";' for name in INCLUDES]
    lines += [
        f"array[{first}..{first + count - 1}] of var {domain}: x;",
        f"array[1..2] of var bool: b; var {low}..{low + size}: y; var -3..3: hidden;",
        *(f"constraint {one};" for one in constraints),
        *([f"constraint hidden > {_integer(rng, low, size, first, count)};"] if rng.random() < 0.3 else []),
        "solve satisfy;",
        "output [show(x), show(b), show(y)];",
    ]
    return "\n".join(lines)


def _constraint(rng: random.Random, *shape: int) -> str:
    roll = rng.random()
    if roll < 0.15:
        return f"b[{rng.randint(1, 2)}] <-> ({_plain(rng, *shape)})"
    if roll < 0.3:
        return f"({_plain(rng, *shape)}) {rng.choice(JOINED)} ({_plain(rng, *shape)})"
    return _plain(rng, *shape) if roll < 0.45 else _global(rng, *shape)


def _element(rng: random.Random, first: int, count: int) -> str:
    return f"x[{rng.randint(first, first + count - 1)}]"


def _integer(rng: random.Random, low: int, size: int, first: int, count: int) -> str:
    """A term over integers."""

    def one() -> str:
        return _element(rng, first, count)

    forms: list[Callable[[], str]] = [
        one,
        lambda: "y",
        lambda: str(rng.randint(low, low + size)),
        lambda: f"{rng.randint(-2, 3)} * {one()} + y",
        lambda: f"{one()} * {one()}",
        lambda: f"abs({one()} - y)",
        lambda: f"max({one()}, y)",
        lambda: f"min([{one()}, y, {one()}])",
        lambda: f"({one()} div {rng.choice(['y', '2', '-2', one()])})",
        lambda: f"({one()} mod {rng.choice(['y', '3', '-2', one()])})",
        lambda: f"x[{rng.choice(['y', one()])}]",
        lambda: f"[{','.join(str(rng.randint(-1, 3)) for _ in range(3))}][{rng.choice(['y', one()])}]",
        lambda: f"bool2int(b[1]) + {one()}",
        lambda: "sum(x) - 2 * bool2int(b[2])",
        lambda: f"count(x, {rng.choice(['y', '1'])})",
        lambda: f"pow({one()}, {rng.choice(['2', '3', 'y'])})",
        lambda: f"if b[1] then {one()} else y endif",
    ]
    return rng.choice(forms)()


def _plain(rng: random.Random, low: int, size: int, first: int, count: int) -> str:
    """A relation without a global constraint."""

    def term() -> str:
        return _integer(rng, low, size, first, count)

    forms: list[Callable[[], str]] = [
        lambda: f"{term()} {rng.choice(['=', '!=', '<', '<=', '>', '>='])} {term()}",
        lambda: f"{term()} in {{{','.join(str(rng.randint(low, low + size)) for _ in range(3))}}}",
        lambda: f"b[1] {rng.choice([*JOINED, '<->', '<', '=', '!='])} b[2]",
        lambda: f"not (b[1] /\\ {term()} = {term()})",
        lambda: f"xorall([b[1], b[2], {term()} > 1])",
        lambda: f"exists (i in index_set(x)) (x[i] = {term()})",
    ]
    return rng.choice(forms)()


def _global(rng: random.Random, low: int, size: int, first: int, count: int) -> str:
    def some(most: int) -> list[int]:
        return [rng.randint(0, most) for _ in range(count)]

    def given() -> str:
        return f"array1d(index_set(x), {some(2)})"

    def value() -> int:
        return rng.randint(low, low + size)

    numbers = sorted({value() for _ in range(3)})
    states = rng.randint(1, 3)
    letters = max(low + size, 1)
    n_counts = f"[{','.join(rng.choice(['y', '1', '2', '0']) for _ in numbers)}]"
    table = [[value() for _ in range(count)] for _ in range(rng.randint(1, 6))]
    rows = f"array2d(1..{len(table)}, index_set(x), {[number for row in table for number in row]})"
    steps = f"array2d(1..{states}, 1..{letters}, {[rng.randint(0, states) for _ in range(states * letters)]})"
    sets = [f"{{{','.join(map(str, some(states)))}}} intersect 1..{states}" for _ in range(states * letters)]
    forms: list[Callable[[], str]] = [
        lambda: "all_different(x)",
        lambda: "alldifferent_except_0(x)",
        lambda: f"all_equal([y, {_element(rng, first, count)}])",
        lambda: f"among(y, x, {{{','.join(map(str, numbers))}}})",
        lambda: f"at_least({rng.randint(0, 2)}, x, {value()})",
        lambda: f"at_most({rng.randint(0, 2)}, x, {value()})",
        lambda: f"exactly({rng.randint(0, 2)}, x, {value()})",
        lambda: "circuit(x)",
        lambda: "subcircuit(x)",
        lambda: f"count(x, {rng.choice(['y', str(value())])}, {rng.choice(['y', '1', '2'])})",
        lambda: f"cumulative(x, {given()}, {given()}, {rng.choice(['2', 'max(y, 0)'])})",
        lambda: f"diffn(x, array1d(index_set(x), [y | i in x]), {given()}, {given()})",
        lambda: f"disjunctive(x, {given()})",
        lambda: f"disjunctive_strict(x, {given()})",
        lambda: f"global_cardinality(x, {numbers}, {n_counts})",
        lambda: f"global_cardinality_low_up(x, {numbers}, {[0, 1, 0][: len(numbers)]}, {[2, 1, 3][: len(numbers)]})",
        lambda: "increasing(x)",
        lambda: f"inverse(x, array1d({first}..{first + count - 1}, [x[i] | i in index_set(x)]))",
        lambda: f"inverse(x, array1d({low}..{low + count - 1}, {[first + i for i in range(count)]}))",
        lambda: f"lex_{rng.choice(['less', 'lesseq'])}(x, {[value() for _ in range(rng.randint(1, 4))]})",
        lambda: f"lex_{rng.choice(['less', 'lesseq'])}([y, x[{first}]], [x[{first + 1}], y])",
        lambda: "lex_less(b, [b[2], true])",
        lambda: "member(x, y)",
        lambda: "nvalue(y, x)",
        lambda: "maximum(y, x)",
        lambda: f"regular([max(1, i) | i in x], {states}, {letters}, {steps}, 1, 1..{states - 1} union {{{states}}})",
        lambda: (
            f"regular_nfa([max(1, i) | i in x], {states}, {letters}, "
            f"array2d(1..{states}, 1..{letters}, [{','.join(sets)}]), 1, {{{states}}})"
        ),
        lambda: f"sort([x[{first}], y, x[{first + 1}]], [y, x[{first}], x[{first + 1}]])",
        lambda: f"table(x, {rows})",
        lambda: f"value_precede({value()}, {value()}, x)",
    ]
    return rng.choice(forms)()
