"""Candidates without counts: which facts some solution has, and which all have, as quick as one types."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import ceil, sqrt
from typing import Any

from solvers.backends.protocol import Task
from solvers.backends.sat import Sat
from solvers.base.endings import DONE, NO
from solvers.base.errors import InputError, Stopped
from solvers.extras.questions.invent.ask import Answer, Asked
from solvers.extras.questions.recognise.cells import Facts, words_of
from solvers.files.given import Fact
from solvers.show.printable import printable

LOOKS = {
    "forced": "font-weight:bold;color:#111111;background:#B4F0A4",
    "both": "color:#0B3D91;background:#FFFFFF",
    "impossible": "color:#8A8A8A;background:#FFFFFF;text-decoration:line-through",
}
"""The style of a candidate that all solutions have, that some have, and that none has."""


class Possible(Answer):
    """The state of each fact: impossible if no solution has it, forced if each has it, both if only some have it."""

    def __init__(self, asked: Asked, facts: Facts, possible_facts: set[int], forced_facts: set[int]) -> None:
        """Take the facts, by their numbers, that some solution has, and those that each has; both empty without any.

        asked: the prepared puzzle. facts: all its facts.
        """
        self._asked = asked
        self._facts = facts
        self._possible = possible_facts
        self._forced = forced_facts
        self.code = DONE if possible_facts or forced_facts else NO

    def state(self, text: str) -> str:
        """Return the state of a fact, given as text: "impossible", "forced" or "both".

        Raises KeyError if the puzzle has no such fact.
        """
        return self._state({fact.text: number for number, fact in enumerate(self._facts.listed)}[text])

    def _state(self, number: int) -> str:
        """Return the state of the fact with this number."""
        if number in self._forced:
            return "forced"
        return "both" if number in self._possible else "impossible"

    def _facts_in_state(self, state: str) -> list[Fact]:
        """Return the facts in a state."""
        return [fact for number, fact in enumerate(self._facts.listed) if self._state(number) == state]

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object: the kind of facts, and the texts of those in each state."""
        return {
            "of": self._facts.kind,
            **{state: [fact.text for fact in self._facts_in_state(state)] for state in LOOKS},
        }

    def __str__(self) -> str:
        """Return the facts that are forced, and those that some solutions have, as text."""
        if self.code == NO:
            return "There is no solution."
        say = words_of(self._asked.puzzle, self._asked.key)  # puts a fact into words
        heads = {"forced": "Every solution has these:", "both": "Some solutions have these, and others have not:"}
        lines = []
        for state, head in heads.items():
            if facts := self._facts_in_state(state):
                lines += [head, *(f"  {printable(say(fact))}" for fact in facts)]
        return "\n".join([*lines, f"{len(self._facts_in_state('impossible'))} are impossible."])

    def _repr_html_(self) -> str:
        """Return a table with the candidates of each cell, coloured by their state, as HTML.

        The text takes its place if cells are not (row, column), if facts are literals, or if there is no solution.
        """
        cells = {fact.cell for fact in self._facts.listed}
        if self.code == NO or not all(len(cell) == 2 for cell in cells):
            return super()._repr_html_()
        names_in: dict[tuple[int, ...], list[str]] = {cell: [] for cell in cells}
        for number, fact in enumerate(self._facts.listed):
            look = LOOKS[self._state(number)]
            names_in[fact.cell].append(f'<span style="padding:0 .15em;{look}">{escape(printable(fact.name))}</span>')
        rows, columns = (range(min(axis), max(axis) + 1) for axis in zip(*cells, strict=True))
        style = "border:1px solid #111111;background:#FFFFFF;padding:.2em;text-align:center;line-height:1.3"
        table_rows = []
        for row in rows:
            table_cells = [_cell(names_in.get((row, column)), style) for column in columns]
            table_rows.append(f"<tr>{''.join(table_cells)}</tr>")
        legend = " ".join(f'<span style="padding:0 .3em;{look}">{state}</span>' for state, look in LOOKS.items())
        return f'<table style="border-collapse:collapse">{"".join(table_rows)}</table><p>{legend}</p>'


def _cell(names: Sequence[str] | None, style: str) -> str:
    """Return the HTML of a cell with names in it, in a square; None: no cell is there. style: of a cell."""
    if not names:
        return "<td></td>"
    side = ceil(sqrt(len(names)))
    lines = (" ".join(names[first : first + side]) for first in range(0, len(names), side))
    return f'<td style="{style}">{"<br>".join(lines)}</td>'


def possible(asked: Asked, of_cells: bool) -> Possible:
    """Return of each fact whether no solution, each or only some have it.

    A solution has a fact if it has any of the fact's literals. Each search is for a solution that has a fact which no
    solution before had, or lacks one which all before had. One solution settles many facts, so that there are far fewer
    searches than facts.

    of_cells: facts are contents of cells, not literals. Raises `InputError` if the model has no clauses, `Stopped` once
    the event is set. asked: the puzzle with its givens.
    """
    facts = Facts(asked.puzzle, asked.key, of_cells)
    key = asked.key
    try:
        sat = Sat(Task(asked.model, key.variables, asked.stop))
    except InputError as error:
        raise InputError(
            f"{asked.puzzle.name}: this is found by a SAT solver, and {error}; ask for candidates with their counts"
        ) from None
    # The literal of the formula for each literal of the key, by its number.
    key_literals = map(key.literal, range(key.size))
    sat_literals = [sat.literal(key.variables[position], value) for position, value in key_literals]
    fact_literals = sorted({number for fact in facts.listed for number in fact.literals})  # numbers in the key
    possible_facts = set[int]()
    forced_facts = set(range(len(facts.listed)))
    refuted = set[int]()  # the numbers of literals that no solution has

    def has_solution(assumed: Sequence[int]) -> bool:
        """Tell whether there is a solution with these literals, and update both sets of facts by it."""
        if asked.stop.is_set():
            raise Stopped
        values = sat.solve(assumed)  # the value of the formula's variable v at place v - 1
        if values is None:
            return False
        true_numbers = tuple(n for n in fact_literals if values[abs(sat_literals[n]) - 1] == (sat_literals[n] > 0))
        facts_of_solution = facts.facts_in(true_numbers)
        possible_facts.update(facts_of_solution)
        forced_facts.intersection_update(facts_of_solution)
        return True

    if not has_solution([]):
        return Possible(asked, facts, possible_facts=set(), forced_facts=set())
    for fact_number, fact in enumerate(facts.listed):
        for number in fact.literals:
            if fact_number in possible_facts or number in refuted:  # several facts may share a literal
                continue
            if not has_solution([sat_literals[number]]):
                refuted.add(number)
    for fact_number in sorted(forced_facts):
        if fact_number in forced_facts:  # every solution so far has it: is there one with none of its literals?
            has_solution([-sat_literals[number] for number in facts.listed[fact_number].literals])
    return Possible(asked, facts, possible_facts, forced_facts)
