"""Exact covers by options and items, for puzzles that are stated so."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from ortools.sat.python.cp_model import CpModel, IntVar

from models.puzzle import Literal, Symmetry

Option = TypeVar("Option", bound=Hashable)


def cover(
    options: Mapping[Option, Iterable[Hashable]], may_stay_open: Callable[[Any], bool] = lambda _: False
) -> tuple[CpModel, dict[Option, IntVar]]:
    """Return the model of an exact cover, and the variable of each option.

    Each item is covered by exactly one chosen option. options: the items that each option covers. may_stay_open: tells
    whether an item may also stay uncovered. The variable is true iff the option is chosen.
    """
    model = CpModel()
    chosen = {option: model.new_bool_var(str(option)) for option in options}
    covering: dict[Hashable, list[IntVar]] = {}
    for option, items in options.items():
        for item in items:
            covering.setdefault(item, []).append(chosen[option])
    for item, options_here in covering.items():
        if may_stay_open(item):
            model.add_at_most_one(options_here)
        else:
            model.add_exactly_one(options_here)
    return model, chosen


def option_symmetry(image: Callable[[Any], Any]) -> Symmetry:
    """Return the symmetry that maps each option to its image."""

    def symmetry(label: Any, value: int) -> Literal:
        return image(label), value

    return symmetry


def generators(size: int) -> list[list[int]]:
    """Return permutations that generate all permutations of ``size`` things, each as a list of images."""
    if size < 2:
        return []
    return [[*range(1, size), 0], [1, 0, *range(2, size)]]


def permutation_symmetries(
    size: int, symmetry_of_image: Callable[[Sequence[int]], Callable[[Any], Any]]
) -> list[Symmetry]:
    """Return symmetries that generate all permutations of ``size`` things.

    symmetry_of_image: takes a permutation and returns the function that maps each label to its image.
    """
    maps_of_labels = map(symmetry_of_image, generators(size))
    return [option_symmetry(image) for image in maps_of_labels]


def number_permutation(place: int, image: Sequence[int]) -> Callable[[Any], Any]:
    """Return the map of labels that permutes the numbers at one place of a label.

    The numbers at other places stay. image: the image of each number.
    """

    def image_of_label(label: Any) -> Any:
        number = image[label[place]]
        return (*label[:place], number, *label[place + 1 :])

    return image_of_label
