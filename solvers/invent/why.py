"""Why: a fact that every solution holds, with the smallest reason; and the whole way to the solution, step by step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from models.puzzle import Drawing
from solvers.endings import DONE, NO
from solvers.errors import InputError, NoCoverError, Stopped
from solvers.invent.ask import Answer, Asked, drawn
from solvers.invent.facts import Fact, fact_named, fact_of_literal
from solvers.invent.reasons import Reason, Reasoner
from solvers.show import draw, svg
from solvers.show.plain import counted
from solvers.show.printable import printable
from solvers.symmetry.key import Encoded


class Why(Answer):
    """Whether a fact is forced, and by what; or a solution in which it does not hold."""

    def __init__(self, asked: Asked, fact: Fact, reason: Reason | None, other: Encoded | None) -> None:
        self._asked, self.fact, self.reason, self.other = asked, fact, reason, other
        self.code = NO if reason is None else DONE

    def as_json(self) -> dict[str, Any]:
        if self.reason:
            return {"forced": True, **self.reason.as_json(), "without": None}
        assert self.other is not None
        without = list(self._asked.key.decode(self.other).items())
        return {"forced": False, "fact": self.fact.text, "rules": [], "facts": [], "smallest": None, "without": without}

    def __str__(self) -> str:
        fact = printable(self.fact.text)
        if self.reason is None:
            assert self.other is not None
            return f"Not every solution has {fact}. Here is one without it:\n{self._asked.shown(self.other)}"
        kind = "smallest reason" if self.reason.is_smallest else "minimal reason, of which nothing can be left out"
        return f"Every solution has {fact}. The {kind}:\n{told(self.reason)}"


def told(reason: Reason, indent: str = "  ") -> str:
    """A reason as text, a line for each rule and one for the facts."""
    lines = [*(rule.text for rule in reason.rules)]
    if reason.facts:
        lines.append(f"given or found: {'; '.join(fact.text for fact in reason.facts)}")
    return "\n".join(indent + printable(line) for line in lines) or f"{indent}no other value is possible"


def of_size(size: int) -> str:
    return "1 rule or fact" if size == 1 else f"{size} rules and facts"


def reasoner(asked: Asked) -> tuple[Reasoner, list[Fact]]:
    """What gives reasons, and what is given; `InputError` if nothing satisfies that."""
    result = Reasoner(asked.puzzle, asked.key, asked.rules, asked.stop)
    numbers = (asked.key.number(asked.key.position[label], value) for label, value in asked.given.items())
    given = [fact_of_literal(asked.key, number) for number in numbers]
    if result.solution(given) is None:
        raise InputError(f"{asked.puzzle.name}: no solution has what is given, so everything follows from it")
    return result, given


def why(asked: Asked, text: str) -> Why:
    """Why every solution with what is given has this literal, or cell; or one that does not.

    Raises `InputError` for a fact that the puzzle lacks, or where nothing satisfies what is given.
    """
    fact = fact_named(text, asked.puzzle, asked.key)
    reasons, given = reasoner(asked)
    other = reasons.solution(given, fact)
    if other is not None:
        return Why(asked, fact, None, other)
    return Why(asked, fact, reasons.smallest([fact], given, seconds=WHY_SECONDS), None)


WHY_SECONDS = 30.0
"""For the smallest reason of one fact."""


class Steps(Answer, Sequence[Reason]):
    """From what is given to the solution, each step a fact with the smallest reason of those that can be next."""

    def __init__(self, asked: Asked, given: Sequence[Fact], open_facts: int = 0) -> None:
        self._asked, self.given, self.steps, self.open_facts = asked, given, list[Reason](), open_facts
        self.is_complete = False

    @property
    def code(self) -> int:  # type: ignore[override]
        """The exit code: 4 where there is more than one solution."""
        return NO if self.open_facts else DONE

    def __len__(self) -> int:
        return len(self.steps)

    def __getitem__(self, place: Any) -> Any:
        return self.steps[place]

    def as_json(self) -> dict[str, Any]:
        return {"open": self.open_facts, "steps": [step.as_json() for step in self.steps]}

    @property
    def summary(self) -> str:
        """How many steps there are, and whether they lead to the only solution."""
        steps, facts = counted(len(self.steps), "steps"), counted(self.open_facts, "facts")
        if not self.open_facts:
            return steps
        lacks = f"{facts} of one {'does' if self.open_facts == 1 else 'do'} not hold in all"
        return f"{steps}; there are several solutions, and {lacks}; add a --given, or ask --repair givens"

    def drawings(self) -> Iterator[tuple[Reason, Drawing | None]]:
        """Each step, and what is known then."""
        known = [*self.given]
        for step in self.steps:
            known.append(step.fact)
            yield step, drawn(self._asked.puzzle, self._asked.key, known)

    def __str__(self) -> str:
        lines = []
        for number, (step, drawing) in enumerate(self.drawings(), 1):
            kind = "" if step.is_smallest else " (minimal)"
            lines.append(f"{number}. {printable(step.fact.text)}, by {of_size(step.size)}{kind}:")
            lines.append(told(step, "   "))
            if drawing is not None:
                lines.append("\n".join(map(str.rstrip, draw.lines(drawing))))
        return "\n".join([*lines, self.summary])

    def _repr_html_(self) -> str:
        parts = []
        for number, (step, drawing) in enumerate(self.drawings(), 1):
            picture = f'<div style="max-width:16em">{svg.picture(drawing)}</div>' if drawing else ""
            why = escape(told(step, "")).replace("\n", "<br>")
            parts.append(f"<p><b>{number}. {escape(printable(step.fact.text))}</b><br>{why}</p>{picture}")
        return "".join([*parts, f"<p>{escape(self.summary)}</p>"])


def explain(asked: Asked) -> Steps:
    """All steps from what is given; `InputError` where nothing satisfies that, `Stopped` once the time is over."""
    reasons, given = reasoner(asked)
    solution = reasons.solution(given)
    assert solution is not None
    left = reasons.forced(solution, given)
    held = {number for fact in given for number in fact.literals}
    steps = Steps(asked, given, len(set(solution) - held) - len(left))
    asked.note(steps)
    known = [*given]
    while left:
        if asked.stop.is_set():
            raise Stopped
        step = reasons.smallest(left, known)
        steps.steps.append(step)
        known.append(step.fact)
        left = [fact for fact in left if fact is not step.fact]
    steps.is_complete = True
    return steps


class Grade(Answer):
    """How hard the way to the solution is."""

    def __init__(self, steps: Steps, nodes: Sequence[int], unit: str) -> None:
        self.steps, self.nodes, self.unit = steps, nodes, unit
        self.code = steps.code

    @property
    def largest(self) -> int:
        """How many rules and facts the largest of the reasons takes."""
        return max((step.size for step in self.steps), default=0)

    @property
    def of_several_rules(self) -> int:
        """How many steps need more than one rule."""
        return sum(len(step.rules) > 1 for step in self.steps)

    def as_json(self) -> dict[str, Any]:
        return {
            "steps": len(self.steps),
            "open": self.steps.open_facts,
            "largest_reason": self.largest,
            "of_several_rules": self.of_several_rules,
            "smallest": all(step.is_smallest for step in self.steps),
            "nodes": list(self.nodes),
            "unit": self.unit,
        }

    def __str__(self) -> str:
        ordered = sorted(self.nodes)
        rows = [
            ("steps", self.steps.summary.removesuffix(" steps").removesuffix(" step")),
            ("largest reason", of_size(self.largest)),
            ("steps that need more than one rule", str(self.of_several_rules)),
            (
                f"{self.unit} of a plain search",
                f"{ordered[0]} to {ordered[-1]}, median {ordered[len(ordered) // 2]}, over {len(ordered)} orders",
            ),
        ]
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:{width}}  {fact}" for name, fact in rows)


ORDERS = 10
"""So many orders a plain search is done in."""


def grade(asked: Asked, seed: int) -> Grade:
    """The steps, and how many nodes a plain search has over ten orders, drawn by the seed."""
    steps = explain(asked)
    nodes, unit = [], "nodes"
    for order in range(ORDERS):
        nodes.append(_nodes(asked, ORDERS * seed + order + 1))
    return Grade(steps, nodes, unit)


def _nodes(asked: Asked, seed: int) -> int:
    """Of the search that sees all solutions: in an exact cover of its own search, elsewhere of OR-Tools' `cp`."""
    from solvers.backends.cover import Cover
    from solvers.backends.cp import Cp

    try:
        cover = Cover(asked.model, asked.key.variables, asked.stop, seed=seed)
    except (NoCoverError, InputError):
        plain = Cp(asked.model, asked.key.variables, asked.stop, seed=seed)
        plain.enumerate(lambda _: None)
        return int(plain.statistics["branches"])
    cover.enumerate(lambda _: None)
    return int(cover.statistics["nodes"])
