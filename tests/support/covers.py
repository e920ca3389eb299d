"""Exact covers for tests: drawn at random, in two formats, and dominoes, whose counts are known."""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from ortools.sat.python.cp_model import CpModel

from models import grid
from models.puzzle import Puzzle


@st.composite
def covers(draw: Callable[..., Any]) -> CpModel:
    """Items, optional items, exclusions, variables that are fixed, and variables that nothing mentions."""
    model = CpModel()
    options = [model.new_bool_var(f"o{n}") for n in range(draw(st.integers(1, 10)))]
    some = st.lists(st.sampled_from(options), unique_by=lambda option: option.index, max_size=6)
    for _ in range(draw(st.integers(0, 4))):
        model.add_exactly_one(draw(some))
    for _ in range(draw(st.integers(0, 3))):
        model.add_at_most_one(draw(some))
    for _ in range(draw(st.integers(0, 4))):
        one, other = draw(st.sampled_from(options)), draw(st.sampled_from(options))
        if draw(st.booleans()):
            model.add_implication(one, ~other)
        else:
            model.add_bool_or(~one, ~other)
    for _ in range(draw(st.integers(0, 2))):
        option = draw(st.sampled_from(options))
        model.add_bool_or(option if draw(st.booleans()) else ~option)
    return model


def holds(model: CpModel, values: tuple[int, ...]) -> bool:
    """By hand, not by the project's evaluator: what the five kinds above mean."""

    def true(literal: int) -> bool:
        return bool(values[literal]) if literal >= 0 else not values[-literal - 1]

    for constraint in model.proto.constraints:
        if not all(true(literal) for literal in constraint.enforcement_literal):
            continue
        if constraint.has_exactly_one() and sum(map(true, constraint.exactly_one.literals)) != 1:
            return False
        if constraint.has_at_most_one() and sum(map(true, constraint.at_most_one.literals)) > 1:
            return False
        if constraint.has_bool_or() and not any(map(true, constraint.bool_or.literals)):
            return False
        if constraint.has_bool_and() and not all(map(true, constraint.bool_and.literals)):
            return False
    return True


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


def domino(*sides: int) -> Puzzle:
    """Two-celled pieces, as many as are needed."""
    cells = grid.box(*sides)
    model = CpModel()
    places = {
        tuple(sorted(p)): model.new_bool_var(str(p)) for p in grid.placements(grid.drawn("##"), cells, mirror=True)
    }
    for cell in sorted(cells):
        model.add_exactly_one(lies for place, lies in places.items() if cell in place)

    def turned(turn: grid.Turn) -> Any:
        return lambda place, value: (tuple(sorted(map(turn, place))), value)

    return Puzzle("domino", {}, model, places, [turned(turn) for turn in grid.symmetries(cells)[1:]])


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


@st.composite
def knuth_covers(draw: Callable[..., Any]) -> tuple[list[str], list[str], list[dict[str, str]]]:
    """Primary and secondary items, and options with the colours that they give."""
    primary = [f"p{n}" for n in range(draw(st.integers(1, 3)))]
    secondary = [f"s{n}" for n in range(draw(st.integers(0, 3)))]
    item = st.sampled_from([*primary, *secondary])
    options = []
    for items in draw(st.lists(st.lists(item, min_size=1, max_size=4, unique=True), max_size=9)):
        options.append({i: draw(st.sampled_from(["", "A", "B"])) if i in secondary else "" for i in items})
    return primary, secondary, options


def dlx_text(primary: list[str], secondary: list[str], options: list[dict[str, str]]) -> str:
    """The cover in Knuth's format."""
    lines = [" ".join([*primary, *(["|", *secondary] if secondary else [])])]
    lines += [" ".join(f"{item}:{colour}" if colour else item for item, colour in o.items()) for o in options]
    return "| random\n" + "\n\n".join(lines) + "\n"
