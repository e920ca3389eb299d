"""Orbits counted without listing: Burnside's lemma on counts of the solutions that symmetries leave as they are.

The number of orbits is the mean, over the elements of the group, of how many solutions each leaves as it is; elements
that are conjugate leave the same number.

References
----------
W. Burnside, "Theory of Groups of Finite Order", 1897, section 118
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from solvers.base.errors import CheckError
from solvers.extras.counts.counting.reduced_cover import Instance, instance
from solvers.model.exact_cover import ExactCover
from solvers.symmetry.groups import Group, Permutation
from solvers.symmetry.key import Key


def option_images(cover: ExactCover, key: Key, element: Permutation) -> list[int] | None:
    """Return the image of each option under a permutation of the key's literals.

    The result is None if the permutation is not an automorphism of the cover. An automorphism maps items to items,
    optional items to optional items, exclusions to exclusions, and fixed options to options that are fixed in the same
    way. So it maps solutions to solutions. The slack of a variable is the option that is chosen if the variable is 0:
    it has to move with its variable. element: the permutation, as the number of each literal's image.
    """
    # Literal 2k is that variable k is 1, and 2k + 1 that it is 0: the element has to permute variables only.
    image_of_ones = element[::2]
    if not key.is_plain or (image_of_ones % 2).any() or (element[1::2] != image_of_ones + 1).any():
        return None
    image = list(range(cover.options))
    for position, variable in enumerate(key.variables):
        image[variable] = key.variables[element[2 * position] // 2]
    slack_of = {variable: slack for slack, variable in cover.slack.items()}
    for slack, variable in cover.slack.items():
        if image[variable] not in slack_of:
            return None
        image[slack] = slack_of[image[variable]]
    for sets in (cover.items, cover.optional, cover.exclusions):  # each set as the options in it
        as_sets = {frozenset(members) for members in sets}
        if {frozenset(image[option] for option in members) for members in as_sets} != as_sets:
            return None
    counted_items = {(frozenset(count.options), count.low, count.high) for count in cover.counts}
    images_of_counted = {
        (frozenset(image[option] for option in options), low, high) for options, low, high in counted_items
    }
    if images_of_counted != counted_items:
        return None
    if {image[option]: chosen for option, chosen in cover.fixed.items()} != cover.fixed:
        return None
    return image


def count_orbits(
    cover: ExactCover,
    group: Group,
    among: Iterable[tuple[Permutation, int]],
    count: Callable[[Instance], Mapping[int, int]],
) -> tuple[dict[int, int], int]:
    """Return (number of orbits by kind, number of all solutions), by Burnside's lemma.

    The number of orbits is the mean, over all elements, of the number of solutions that an element leaves unchanged.

    A kind is a number that the caller gives to solutions, such as which pieces they use. cover: the exact cover. group:
    its elements are automorphisms of the cover, and symmetric solutions are of one kind. among: for each conjugacy
    class, (an element, the number of elements); that of the identity comes first, so that the first count is of all
    solutions. count: returns the number of solutions of each kind of a reduced cover; it is called for the cover of the
    solutions that an element leaves unchanged.

    Raises `CheckError` if an element is not an automorphism of the cover, or if the sum is not a whole number of
    orbits.
    """
    total = -1  # not counted yet
    unchanged = Counter[int]()  # by kind, the sum over all elements
    for element, size in among:
        image = option_images(cover, group.key, element) if group.order > 1 else None
        if group.order > 1 and image is None:
            raise CheckError("an element of a class of symmetries is not a symmetry of the cover")
        fixed = count(instance(cover, image))
        total = sum(fixed.values()) if total < 0 else total
        for kind, solutions in fixed.items():
            unchanged[kind] += solutions * size
    if any(solutions % group.order for solutions in unchanged.values()):
        raise CheckError(f"the solutions that the {group.order} symmetries leave unchanged make no whole orbits")
    return {kind: solutions // group.order for kind, solutions in unchanged.items()}, total
