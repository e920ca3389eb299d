"""Candidates: how many solutions each literal, or what is on a cell, leaves."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tabulate import tabulate

from solvers.backends.cover import Cover
from solvers.backends.protocol import Backend, Task
from solvers.backends.registry import extension_backend
from solvers.base.deadline import Deadline
from solvers.base.endings import DONE, NO
from solvers.base.errors import InputError, Stopped
from solvers.base.values import Values
from solvers.extras.questions.invent.ask import Answer, Asked
from solvers.extras.questions.invent.rivals import fact_of
from solvers.extras.questions.recognise.cells import Facts, words_of
from solvers.extras.shared.tuning import EXTRAS_TUNING
from solvers.show.plain import IMAGES_COUNT_EACH, number_with_unit
from solvers.show.printable import printable
from solvers.symmetry.key import Encoded

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

MAX_PER_CANDIDATE = 1000
"""More solutions than this are not counted for a candidate, where not all can be listed soon."""

LIST_SECONDS, EACH_SECONDS = 10.0, 0.5
"""The time limits for listing all solutions, and for each candidate after that."""


class Candidates(Answer, Mapping[str, int]):
    """The number of solutions that have each fact, for the facts that some solution has; see `is_exact`."""

    def __init__(self, asked: Asked, facts: Facts) -> None:
        """Begin without counts.

        asked: the prepared puzzle. facts: all its facts, which are counted by their numbers.
        """
        self._asked, self._facts = asked, facts
        self.counts: dict[int, int] = {}
        """The counts by the number of the fact."""
        self.more: set[int] = set()
        """The facts, by number, whose count is only a lower bound."""
        self.total: int | None = None
        """The number of all solutions; None if they were not all counted."""
        self.is_complete = False

    @property
    def code(self) -> int:  # type: ignore[override]
        """The exit code: 4 if there is no solution, otherwise 0."""
        return NO if self.total == 0 else DONE

    def __getitem__(self, text: str) -> int:
        """Return the number of solutions that have a fact, given as text.

        Raises KeyError if no solution is known to have it.
        """
        return {self._facts.listed[fact].text: count for fact, count in self.counts.items()}[text]

    def is_exact(self, text: str) -> bool:
        """Tell whether the count of this fact, given as text, is exact and not a lower bound."""
        return text not in self._facts.texts(self.more)

    def __iter__(self) -> Any:
        """Iterate over the texts of the facts that were counted."""
        return iter(self._facts.texts(self.counts))

    def __len__(self) -> int:
        """Return the number of facts that some solution is known to have."""
        return len(self.counts)

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object of the counts.

        It has the total, [fact, count, is exact] for each fact, and the facts that only one solution has.
        """
        facts = self._facts.listed
        counts = [[facts[number].text, count, number not in self.more] for number, count in self.counts.items()]
        decided_texts = [facts[number].text for number in self.counts if self._decides(number)]
        return {"of": self._facts.kind, "total": self.total, "counts": counts, "decided": decided_texts}

    def _decides(self, fact: int) -> bool:
        """Tell whether exactly one solution has the fact of this number."""
        return self.counts[fact] == 1 and fact not in self.more

    def _count_text(self, fact: int) -> str:
        """Return the count of a fact as text: a number, "more than" the limit, or "at least" a number."""
        count = self.counts[fact]
        if fact not in self.more:
            return str(count)
        return f"more than {MAX_PER_CANDIDATE}" if count > MAX_PER_CANDIDATE else f"at least {count}"

    def __str__(self) -> str:
        """Return a table of facts and counts, and the number of all solutions, as text.

        The last column says "decides" where a fact leaves one solution.
        """
        if self.total == 0:
            return "There is no solution."
        say = words_of(self._asked.puzzle, self._asked.key)  # puts a fact into words
        rows = []
        for fact in self.counts:
            words = printable(say(self._facts.listed[fact]))
            rows.append((words, self._count_text(fact), "decides" * self._decides(fact)))
        table = tabulate(
            rows, ["candidate", "solutions", ""], disable_numparse=True, colalign=("left", "right", "left")
        )
        total = (
            "not all solutions were counted"
            if self.total is None
            else f"{number_with_unit(self.total, 'solutions')} in all"
        )
        each = f"\n{IMAGES_COUNT_EACH}" if self._asked.puzzle.symmetries else ""
        return f"{table}\n\n{total}{each}"


def candidates(asked: Asked, of_cells: bool) -> Candidates:
    """Count, for each fact that some solution with the givens has, the solutions that have it.

    Facts that are givens are left out.

    of_cells: count contents of cells, not literals. Counts are exact if all solutions can be listed soon; otherwise
    each fact is counted up to `MAX_PER_CANDIDATE`, or for `EACH_SECONDS`.

    Raises `Stopped` once the event is set. asked: the puzzle with its givens. Raises `InputError` if no backend takes
    the model.
    """
    facts = Facts(asked.puzzle, asked.key, of_cells)
    answer = Candidates(asked, facts)
    given_literals = {fact.literals[0] for fact in asked.given if len(fact.literals) == 1}
    given_facts = {
        number for number, fact in enumerate(facts.listed) if not of_cells and given_literals.issuperset(fact.literals)
    }
    solutions_met: set[Encoded] = set()
    counts: Counter[int] = Counter()  # the number of solutions, by the number of the fact
    copy_of_model = asked.model.clone()
    # For each fact, a literal of this model that is true iff the fact holds.
    literals = [fact_of(copy_of_model, asked.key, fact).index for fact in facts.listed]

    def count_facts(values: Values) -> None:
        """Count the facts of a solution, unless an earlier search found it."""
        solution = asked.key.encode(values)
        if solution not in solutions_met:
            solutions_met.add(solution)
            counts.update(facts.facts_in(solution))

    deadline = Deadline(asked.stop)
    backend, fact_backend = _backends(asked, copy_of_model, of_cells, deadline)
    deadline.begin(LIST_SECONDS)
    if _list_cube(backend, count_facts, EXTRAS_TUNING.max_listed_for_candidates, asked.stop):
        answer.total = len(solutions_met)
    else:
        # Solutions that were listed before count too: `counts` is a lower bound for each fact.
        for number, literal in enumerate(literals):
            if number not in given_facts and counts[number] <= MAX_PER_CANDIDATE:
                deadline.begin(EACH_SECONDS)
                if _list_cube(fact_backend, count_facts, MAX_PER_CANDIDATE, asked.stop, [literal]):
                    continue  # all solutions with the fact were listed: its count is exact
            answer.more.add(number)
    answer.counts = {n: counts[n] for n in range(len(facts.listed)) if counts[n] and n not in given_facts}
    answer.is_complete = True
    return answer


def _backends(asked: Asked, model: CpModel, of_cells: bool, stop: threading.Event) -> tuple[Backend, Backend]:
    """Return (a backend to list all solutions, a backend to list those with one fact).

    The exact cover search lists all solutions if the puzzle's model is an exact cover. It also lists those with one
    literal; it does not take the Booleans of facts about cells, for which another backend is used. If one backend can
    do both, it is returned twice. model: the puzzle's model with a Boolean for each fact. of_cells: whether facts are
    contents of cells, not literals. stop: ends the searches of both when set. asked: the prepared puzzle, with its
    givens. Raises `InputError` if no backend takes the model.
    """
    try:
        cover = Cover(Task(asked.model, asked.key.variables, stop))
    except InputError:
        backend = extension_backend(model, asked.key.variables, stop)
        return backend, backend
    return cover, extension_backend(model, asked.key.variables, stop) if of_cells else cover


class _Enough(Exception):
    """Raised once the wanted number of solutions was found."""


def _list_cube(
    backend: Backend, note: Callable[[Values], None], most: int, stop: threading.Event, cube: Sequence[int] = ()
) -> bool:
    """List the solutions in a cube; return whether all are listed.

    They are not if there are more than ``most``, or if the time given to the backend is over.

    note: called with the values of all variables of the model in each solution. stop: if this event is set, `Stopped`
    is raised. cube: literals of the backend's model; the empty cube is the whole space.
    """
    number = 0

    def count_solution(values: Values) -> None:
        """Note a solution; end the search if there are too many."""
        nonlocal number
        number += 1
        note(values)
        if number > most:
            raise _Enough

    try:
        backend.enumerate(count_solution, cube)
    except _Enough:
        return False
    except Stopped:
        if stop.is_set():
            raise
        return False
    return True
