"""Exact covers by options and items, for puzzles that are stated so."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, TypeVar

from ortools.sat.python.cp_model import CpModel, IntVar

from models.puzzle import Literal, Symmetry

Option = TypeVar("Option", bound=Hashable)


def cover(
    options: Mapping[Option, Iterable[Hashable]], may_stay_open: Callable[[Any], bool] = lambda _: False
) -> tuple[CpModel, dict[Option, IntVar]]:
    """The model in which each item is covered by exactly one chosen option, and a variable for each option.

    options: the items that each covers. may_stay_open: tells of an item that at most one option covers it.
    """
    model = CpModel()
    chosen = {option: model.new_bool_var(str(option)) for option in options}
    covering: dict[Hashable, list[IntVar]] = {}
    for option, items in options.items():
        for item in items:
            covering.setdefault(item, []).append(chosen[option])
    for item, some in covering.items():
        if may_stay_open(item):
            model.add_at_most_one(some)
        else:
            model.add_exactly_one(some)
    return model, chosen


def moved(image: Callable[[Any], Any]) -> Symmetry:
    """The symmetry that carries each option to its image."""

    def symmetry(label: Any, value: int) -> Literal:
        return image(label), value

    return symmetry
