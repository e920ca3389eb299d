"""Grades: the difficulty of the way to the solution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tabulate import tabulate

from solvers.base.errors import InputError, NoCoverError
from solvers.extras.questions.invent.ask import Answer, Asked
from solvers.extras.questions.reasons.reason import Explained
from solvers.extras.questions.reasons.walk import KNOWN_WALKS, Walk, walk_like_a_person
from solvers.show.plain import IMAGES_COUNT_EACH, number_with_unit


class Grade(Answer):
    """The answer of the command ``grade``: figures on how difficult it is to find the solution step by step."""

    def __init__(self, asked: Asked, steps: Explained, nodes: Sequence[int], unit: str, walk: Walk) -> None:
        """Take the figures of a grade.

        steps: the steps to the solution. nodes: the size of each plain search, in this unit. walk: a person's walk.
        asked: the prepared puzzle, with its givens.
        """
        self._asked, self.steps, self.nodes, self.unit, self.walk = asked, steps, nodes, unit, walk
        self.code = steps.code

    @property
    def largest(self) -> int:
        """The number of rules and facts of the largest reason."""
        return max((step.size for step in self.steps.steps), default=0)

    @property
    def of_several_rules(self) -> int:
        """The number of steps that need more than one rule."""
        return sum(len(step.rules) > 1 for step in self.steps.steps)

    def as_json(self) -> dict[str, Any]:
        """Return the JSON value of the answer; the command prints it under the name of its option.

        solvers/REFERENCE.md lists its keys under `grade`.
        """
        return {
            "steps": len(self.steps.steps),
            "unique": self.steps.is_unique,
            "open": self.steps.open_facts,
            "largest_reason": self.largest,
            "of_several_rules": self.of_several_rules,
            "smallest": all(step.is_smallest for step in self.steps.steps),
            "nodes": list(self.nodes),
            "unit": self.unit,
            "walk": self.walk._asdict(),
            "known": {name: walk._asdict() for name, walk in KNOWN_WALKS.items()},
        }

    def __str__(self) -> str:
        """Return the figures as text, with the walks of known puzzles to compare."""
        ordered = sorted(self.nodes)
        rows = [
            ("steps", self.steps.summary.removesuffix(" steps").removesuffix(" step")),
            ("largest reason", f"{self.largest} rules and facts"),
            ("steps that need more than one rule", str(self.of_several_rules)),
            (
                f"{self.unit} of a plain search",
                f"{ordered[0]} to {ordered[-1]}, median {ordered[len(ordered) // 2]}, over {len(ordered)} orders",
            ),
        ]
        width = max(len(name) for name, _ in rows)
        lines = [f"{name:{width}}  {fact}" for name, fact in rows]
        walks = {"here": self.walk, **KNOWN_WALKS}
        of_walks: list[tuple[str, list[object]]] = [
            ("to place", [number_with_unit(walk.things, walk.unit) for walk in walks.values()]),
            ("forced before any choice", [walk.forced for walk in walks.values()]),
            ("choices on the way", [walk.choices for walk in walks.values()]),
            ("options at the hardest", [walk.hardest for walk in walks.values()]),
            ("false starts that last", [walk.false_starts for walk in walks.values()]),
            ("placed in the longest", [walk.longest for walk in walks.values()]),
        ]
        table = tabulate(
            [[name, *values] for name, values in of_walks],
            ["a person's walk", *walks],
            disable_numparse=True,
            colalign=("left", *["right"] * len(walks)),
        )
        return "\n".join([*lines, "", table, *self._images])

    @property
    def _images(self) -> list[str]:
        """A list with the sentence that images under symmetries count each; empty if there are no symmetries."""
        return [IMAGES_COUNT_EACH] if self._asked.puzzle.symmetries else []


GRADED_ORDERS = 10
"""The number of plain searches, each in another order."""


def grade(asked: Asked, steps: Explained, seed: int) -> Grade:
    """Return the grade of a puzzle, from its steps, from plain searches, and from a person's walk.

    asked: the puzzle with its givens. The searches are in `GRADED_ORDERS` orders, which depend on the seed. Raises
    `InputError` if the model cannot be searched in this way, `Stopped` if the search is ended early.
    """
    nodes, unit = [], "nodes"
    for order in range(GRADED_ORDERS):
        nodes.append(_nodes(asked, GRADED_ORDERS * seed + order + 1))
    return Grade(asked, steps, nodes, unit, walk_like_a_person(asked))


def _nodes(asked: Asked, seed: int) -> int:
    """Return the number of nodes of a search for all solutions, in the order that the seed gives.

    The search is our own if the model is an exact cover, otherwise OR-Tools' `cp`. Raises `InputError` if neither can
    search the model. asked: the prepared puzzle, with its givens.
    """
    from solvers.backends.cover import Cover
    from solvers.backends.cp import Cp
    from solvers.backends.protocol import Task

    task = Task(asked.model, asked.key.variables, asked.stop, seed=seed)
    try:
        cover = Cover(task)
    except (NoCoverError, InputError):
        try:
            plain = Cp(task)
        except InputError as reason:
            why_not = str(reason).partition(";")[0]
            raise InputError(f"{asked.puzzle.name}: a grade takes searches by cp; {why_not}; ask explain") from None
        plain.enumerate(lambda _: None)
        return int(plain.statistics["branches"])
    cover.enumerate(lambda _: None)
    return int(cover.statistics["nodes"])
