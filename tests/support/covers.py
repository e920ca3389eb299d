"""Exact covers for tests: drawn at random, dominoes, whose counts are known, and a formula that is nearly free."""

from collections.abc import Callable
from random import Random
from typing import Any

from hypothesis import strategies as st
from ortools.sat.python.cp_model import CpModel, Domain

from models.boards import grid
from models.puzzle import Puzzle
from tests.attack.models import random_cover
from tests.support.declared import BOOLEAN, declared, puzzle
from tests.support.random_models import RANDOM

covers: st.SearchStrategy[CpModel] = RANDOM.map(random_cover)
"""Items, optional items, exclusions, variables that are fixed, and variables that nothing mentions."""


def of_model(model: CpModel) -> Puzzle:
    """The puzzle whose key has all variables, by their numbers."""
    key = {n: model.get_bool_var_from_proto_index(n) for n in range(len(model.proto.variables))}
    return Puzzle("cover", {}, model, key)


@st.composite
def closed_covers(draw: Callable[..., Any]) -> Puzzle:
    """An exact cover that random permutations of its options keep: with each item it has all images of it."""
    model = CpModel()
    options = {n: model.new_bool_var(f"o{n}") for n in range(draw(st.integers(2, 7)))}
    images = [draw(st.permutations(list(options))) for _ in range(draw(st.integers(1, 2)))]
    said: set[tuple[str, frozenset[int]]] = set()

    def say(kind: str, held: frozenset[int]) -> None:
        if (kind, held) not in said:
            said.add((kind, held))
            getattr(model, kind)([options[n] for n in held])
            for image in images:
                say(kind, frozenset(image[n] for n in held))

    some = st.frozensets(st.sampled_from(list(options)), min_size=1, max_size=6)
    for _ in range(draw(st.integers(1, 2))):
        say("add_exactly_one", draw(some))
    for _ in range(draw(st.integers(0, 2))):
        say("add_at_most_one", draw(some))

    def moved(image: list[int]) -> Any:
        return lambda n, value: (image[n], value)

    return Puzzle("closed", {}, model, options, [moved(image) for image in images])


def random_bounds(chance: Random) -> CpModel:
    """Up to six Booleans under bounds of 0, negations, fixed values, empty and impossible rules."""
    model = CpModel()
    domains = [chance.choice([(0, 1)] * 12 + [(0, 0), (1, 1)]) for _ in range(chance.randint(1, 6))]
    options = [model.new_int_var(*domain, f"x{n}") for n, domain in enumerate(domains)]

    def linear(some: list[Any]) -> None:
        factor, low = chance.choice([1, 1, 2, 3, -1, -2]), chance.randint(-3, 6)
        values = chance.choice([range(low, low + chance.randint(1, 6)), chance.sample(range(-1, 5), 2)])
        model.add_linear_expression_in_domain(sum(factor * one for one in some), Domain.from_values(sorted(values)))

    def unless(some: list[Any]) -> None:
        model.add_bool_and(~one for one in some).only_enforce_if(chance.choice(options))

    def not_all(some: list[Any]) -> None:
        model.add_bool_or(~one for one in some)

    rules: list[Any] = [
        model.add_exactly_one,
        model.add_at_most_one,
        model.add_bool_or,
        unless,
        not_all,
        linear,
        linear,
        linear,
    ]
    for _ in range(chance.randint(0, 4)):
        size = chance.choice([0, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 4, 4, 4])
        some = chance.sample(options, min(size, len(options)))
        chance.choice(rules if some else rules[:-3])(some)
    return model


def domino(*sides: int) -> Puzzle:
    """Two-celled pieces, as many as are needed."""
    cells = grid.box(*sides)
    model = CpModel()
    places = {
        tuple(sorted(p)): model.new_bool_var(str(p))
        for p in grid.placements(grid.cells_of_drawing("##"), cells, mirror=True)
    }
    for cell in sorted(cells):
        model.add_exactly_one(lies for place, lies in places.items() if cell in place)

    def turned(turn: grid.Turn) -> Any:
        return lambda place, value: (tuple(sorted(map(turn, place))), value)

    return Puzzle("domino", {}, model, places, [turned(turn) for turn in grid.symmetries(cells)[1:]])


def free(size: int) -> Puzzle:
    """Choices of which one rule concerns two."""
    return puzzle(dict.fromkeys(range(size), BOOLEAN), lambda m, *chosen: m.add_bool_or(chosen[:2]), name="free")


SQUARES = {
    2: 2,
    4: 36,
    6: 6728,
    8: 12988816,
    10: 258584046368,
    12: 53060477521960000,
    14: 112202208776036178000000,
    16: 2444888770250892795802079170816,
}
"""Domino tilings of n x n: OEIS A004003."""


def sums() -> CpModel:
    """Of five options two of the first three are chosen, or all; of the last three at least one; not both 0 and 4."""
    return declared(
        {f"x{n}": BOOLEAN for n in range(5)},
        lambda m, *x: m.add(sum(x[:3]) >= 2),
        lambda m, *x: m.add(sum(x[2:]) >= 1),
        lambda m, *x: m.add_implication(x[0], ~x[4]),
    )


SUMS = 9
"""Its solutions: 4 with options 0 and 2, 1 with 0 and 1 alone, 4 with 1 and 2 but not 0."""
