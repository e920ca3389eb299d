"""Bliss in the process of the test: starting another takes longer than most searches."""

from threading import Event
from typing import Any

from solvers.symmetry.automorphisms import Graph
from solvers.symmetry.bliss import Questions


class InThisProcess:
    """Takes the place of `automorphisms.Bliss`."""

    def __init__(self, graph: Graph) -> None:
        self._questions = Questions(len(graph.colours), graph.edges)
        self._answers: list[Any] = []

    def ask(self, stop: Event, question: str, *arguments: Any) -> Any:
        self.begin(question, *arguments)
        return self.answer(stop)

    def begin(self, question: str, *arguments: Any) -> None:
        self._answers.append(getattr(self._questions, question)(*arguments))

    def answer(self, _: Event) -> Any:
        return self._answers.pop(0)

    def end(self) -> None:
        """There is nothing to end."""
