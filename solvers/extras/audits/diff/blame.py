"""The rules of two models that differ: which of them do the solutions break that only the other model has?"""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from models.puzzle import Label, Puzzle
from solvers.backends.registry import extension_backend
from solvers.base.errors import InputError, Stopped, WrongSymmetryError
from solvers.checks.evaluate import Evaluator
from solvers.extras.audits.reading.orbits import are_extendable, image_of, literal_numbers, of_variables
from solvers.extras.audits.reading.source import BREAKING, Source, Span, with_data
from solvers.extras.questions.reasons.rules import rules
from solvers.files.lines import Lines
from solvers.files.load import read_text
from solvers.model.reading import Domain, domain_of, has_objective, kind_of, variables_in
from solvers.model.writing import drop_objective
from solvers.running.stated import model_and_variables, model_copy
from solvers.symmetry.groups import permutations
from solvers.symmetry.key import Key

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

MOST_SOLVED = 3
"""The most solutions for which each rule is taken out of a model that has variables outside its key."""

MOST_RULES = 400
"""The most rules that are taken out of such a model, one at a time."""

FIRST_TRIED = 20
"""Solutions that a rule may forbid before all others are tried."""

MOST_MOVED = 10_000
"""The most solutions that the declared symmetries are tried on."""

Solution = dict[Label, int]


class StatedRule(NamedTuple):
    """A rule of a model."""

    text: str
    """The author's name for it, or what it says of the author's variables."""
    line: int | None = None
    """The line of the file that states it, if that is known."""

    def __str__(self) -> str:
        """Return the line, if it is known, and the text."""
        return self.text if self.line is None else f"line {self.line}: {self.text}"


class Outside(NamedTuple):
    """A value that a variable of a model cannot have."""

    label: Label
    value: int
    domain: Domain


@dataclass
class RuleBook:
    """The rules of a model, one by one."""

    rules: list[StatedRule]
    only: Callable[[Collection[int]], Puzzle]
    """Returns the model, without its objective, with only the rules at these places."""
    visible: Mapping[int, Sequence[int]] | None = None
    """For the place of each rule about key variables alone, its constraints in the model; None if they have no places.
    """
    definitions: Collection[int] = ()
    """The places of rules that define hidden variables; others are blamed first."""


UNNAMED = re.compile(r"\bvariable \d|^constraint \d+ \(")
"""The words for a rule about variables that have no name, or of a kind that has no words."""

DEFINING = {"lin_max", "int_prod", "int_div", "int_mod", "element"}
"""Constraints of these kinds give hidden variables their values, as linear equations and enforced ones do."""


EQUATION = re.compile(r"(?<![<>!=])==?(?!=)")
"""An equals sign of MiniZinc, by which a rule may define hidden variables."""


def rules_of_model(puzzle: Puzzle, lines: Lines) -> RuleBook:
    """Return the rules of a puzzle in words; raise `InputError` if the puzzle is invalid.

    Constraints of the same name or with the same text are one rule, whose ``constraints`` are their numbers. Intervals
    are no rules: other constraints use them. lines: maps the number of a constraint to (its line, the text there).
    """
    model_of_puzzle, variables = model_and_variables(puzzle)
    model = model_of_puzzle.clone()
    drop_objective(model.proto)
    key_variables = {*variables.values()}
    proto = model.proto
    every_rule = rules(puzzle, Key(model, variables), model)
    stated_rules = [rule for rule in every_rule if kind_of(proto.constraints[rule.constraints[0]]) != "interval"]

    def are_about_key(constraints: Collection[int]) -> bool:
        """Tell whether constraints, by their numbers, are about key variables alone."""
        return all(variables_in(proto.constraints[number], proto) <= key_variables for number in constraints)

    visible = {place: rule.constraints for place, rule in enumerate(stated_rules) if are_about_key(rule.constraints)}

    def puzzle_with_rules(kept_rules: Collection[int]) -> Puzzle:
        """Return the model in which the constraints of all other rules are empty.

        kept_rules: the places of the rules that stay, in ``stated_rules``.
        """
        copy_of_model = model.clone()
        for place, rule in enumerate(stated_rules):
            for number in rule.constraints if place not in kept_rules else ():
                constraint = copy_of_model.proto.constraints[number]
                getattr(constraint, f"clear_{kind_of(constraint)}")()  # such as clear_linear
                constraint.enforcement_literal.clear()
        key = {label: copy_of_model.get_int_var_from_proto_index(variable) for label, variable in variables.items()}
        return Puzzle(puzzle.name, {}, copy_of_model, key)

    rules_in_words = []
    for rule in stated_rules:
        line, text = lines.get(rule.constraints[0], (None, ""))
        # The text of the line replaces words about variables without names.
        rules_in_words.append(StatedRule(text if text and UNNAMED.search(rule.text) else rule.text, line))
    defining = {number for number, constraint in enumerate(proto.constraints) if _is_defining(constraint)}
    hidden = [place for place in range(len(stated_rules)) if place not in visible]
    definitions = [place for place in hidden if defining & {*stated_rules[place].constraints}]
    return RuleBook(rules_in_words, puzzle_with_rules, visible, definitions)


def _is_defining(constraint: Any) -> bool:
    """Tell whether a constraint is of a form that gives a variable its value: an equation, enforced, or `DEFINING`."""
    if len(constraint.enforcement_literal):
        return True
    if kind_of(constraint) == "linear":
        (low, high), *other_intervals = domain_of(constraint.linear) or ((0, 1),)  # an empty domain is no equation
        return low == high and not other_intervals
    return kind_of(constraint) in DEFINING


def text_and_parameters(path: str, arguments: Mapping[str, Any]) -> tuple[Source, Mapping[str, Any]]:
    """Return (the text of a model in MiniZinc, the parameters with which it is compiled, by name).

    Values that ``--define`` replaces are taken out of the text, which has the files of data that give such values; the
    parameters lack these files. path: the file. arguments: its parameters. Raises `InputError` if a file cannot be
    read.
    """
    text, parameters = with_data(read_text(Path(path)), arguments)
    return Source(text, arguments.get("define", ()), Path(path).parent), parameters


def rules_of_source(path: str, arguments: Mapping[str, Any]) -> RuleBook:
    """Return the rules of a model in MiniZinc: its constraints, split at their conjunctions.

    A rule is a part of the text; without it, ``true`` stands in its place. A rule with an equals sign may define hidden
    variables. path: the file. arguments: its parameters by name. Raises `InputError` if the file cannot be read.
    """
    source, parameters = text_and_parameters(path, arguments)
    spans: list[Span] = [*source.conjuncts()]  # the parts of the text, by offsets

    def puzzle_with_rules(kept_rules: Collection[int]) -> Puzzle:
        """Return the model that MiniZinc makes of the text without all other rules, and without an objective.

        kept_rules: the places of the rules that stay, in ``spans``.
        """
        from solvers.extras.bridges.minizinc.load import compile_minizinc

        text = source.text_without([span for place, span in enumerate(spans) if place not in kept_rules])
        try:
            puzzle = compile_minizinc(path, text, **parameters)
        except ValueError as error:
            raise InputError(f"{path}: {error}") from None
        copy_of_model, key = model_copy(puzzle)
        drop_objective(copy_of_model.proto)
        return Puzzle(path, {}, copy_of_model, key)

    names = [source.name(span).partition(": ")[2] for span in spans]  # without "line 7: " before it
    stated = [StatedRule(name, source.line(span.start)) for name, span in zip(names, spans, strict=True)]
    texts = [source.text[span.start : span.end] for span in spans]
    defining = [place for place, text in enumerate(texts) if EQUATION.search(text) and not text.startswith(BREAKING)]
    return RuleBook(stated, puzzle_with_rules, definitions=defining)


class Blame(NamedTuple):
    """The rules of a model that some solutions break."""

    rules: list[int]
    """The places of rules such that each solution breaks one of them; empty if none is known."""
    outside: Outside | None = None
    """A value of a solution that the model's variable cannot have; the other solutions break the rules."""
    breaks_none: bool = False
    """Whether a solution breaks no rule, so that the objective forbids it."""
    is_all: bool = True
    """Whether these are all rules that alone forbid one of the solutions."""


def blame(book: RuleBook, solutions: Sequence[Solution], stop: threading.Event, is_every: bool = False) -> Blame:
    """Find the rules of a model that solutions of another one break.

    A rule is blamed if it alone forbids a solution; if none does, those without which the solution is allowed. Of these
    rules, the result has a few rules, and each solution breaks one of them. Rules about key variables alone are
    evaluated; about others, a search has to tell, so that only few solutions and rules are tried. book: the rules.
    solutions: the value of each label of the model, or of some. stop: raises `Stopped` in a search once it is set.
    is_every: blame all rules that alone forbid a solution. Raises `InputError` if a model is invalid.
    """
    model, variables = model_and_variables(book.only(()))
    values_outside = [_value_outside_domain(model, variables, solution) for solution in solutions]
    first_outside = next(filter(None, values_outside), None)
    solutions = [solution for solution, value in zip(solutions, values_outside, strict=True) if value is None]
    # A solution that gives two labels of one variable different values breaks no rule; it is left out.
    solutions = [solution for solution in solutions if of_variables(variables, solution) is not None]
    # For each solution the places of the rules that it breaks; empty where that is not known yet.
    broken = (
        _key_rules_violated(book, model, variables, solutions)
        if book.visible is not None
        else [set[int]() for _ in solutions]
    )
    unexplained = [number for number, places in enumerate(broken) if not places][:MOST_SOLVED]
    if unexplained and len(book.rules) <= MOST_RULES:
        violated = _rules_violated(book, [solutions[number] for number in unexplained], stop)
        for number, places in zip(unexplained, violated, strict=True):
            broken[number] = places or set()
        if None in violated:  # all rules allow a solution
            return Blame([], first_outside, breaks_none=True)
    few_rules = _hitting_rules([places for places in broken if places], book.definitions)
    if not is_every:  # the few rules are enough
        return Blame(few_rules, first_outside)
    # The rules about key variables alone were evaluated completely where each solution has a value for each label.
    has_all_labels = all(solution.keys() >= variables.keys() for solution in solutions)
    evaluated = {*(book.visible or ())} if has_all_labels else set()
    alone = {place for places in broken for place in places if place in evaluated}
    blamed = alone | {*few_rules}
    # Both calls add to the blamed rules, and return whether all were found.
    is_all = _add_alone(blamed, evaluated, book, solutions, stop) and _add_hidden(blamed, book, solutions, stop)
    return Blame(sorted(blamed), first_outside, is_all=is_all)


def _add_alone(
    broken_rules: set[int], seen: Collection[int], book: RuleBook, solutions: Sequence[Solution], stop: threading.Event
) -> bool:
    """Add the rules each of which alone forbids a solution; return whether all rules were looked at.

    The result is False if there are too many rules, or if the time is over. broken_rules: takes their places. seen: the
    places of rules that were looked at before. book: the rules. solutions: the first `FIRST_TRIED` are tried before the
    others, as they are often enough. stop: ends the search when set.
    """
    unseen = [place for place in range(len(book.rules)) if place not in seen]
    if len(unseen) > MOST_RULES:
        return False
    with suppress(Stopped):
        for place in unseen:
            puzzle = book.only({place})  # the model with this rule alone
            parts = (solutions[:FIRST_TRIED], solutions[FIRST_TRIED:])
            if not all(all(_are_allowed(puzzle, part, stop)) for part in parts):
                broken_rules.add(place)
        return True
    return False


def _add_hidden(broken_rules: set[int], book: RuleBook, solutions: Sequence[Solution], stop: threading.Event) -> bool:
    """Add rules until each solution is allowed without them; return whether it is.

    A rule about hidden variables forbids nothing without those that define these, so it is found only by leaving it out
    of the model: it is broken if that allows a solution which is forbidden. Each pass adds a rule, so that the loop
    ends. The result is False if no single rule is enough, or if the time is over. broken_rules: takes the places of the
    rules. book: all rules. stop: ends the search when set.
    """
    with suppress(Stopped):
        while True:
            other_rules = {*range(len(book.rules))} - broken_rules
            is_allowed = _are_allowed(book.only(other_rules), solutions, stop)
            forbidden = [solution for solution, allowed in zip(solutions, is_allowed, strict=True) if not allowed]
            forbidden = forbidden[:MOST_SOLVED]
            broken: list[set[int]] = [set() for _ in forbidden]  # for each solution, the rules that it breaks
            for place in other_rules if forbidden else ():
                is_freed = _are_allowed(book.only(other_rules - {place}), forbidden, stop)
                for places, freed in zip(broken, is_freed, strict=True):
                    places |= {place} if freed else set()
            if not any(broken):
                return not forbidden
            # Few of these rules such that each solution breaks one of them.
            broken_rules |= {*_hitting_rules([places for places in broken if places], book.definitions)}
    return False


def are_allowed(
    book: RuleBook, places: Collection[int], solutions: Sequence[Solution], stop: threading.Event
) -> list[bool]:
    """Tell of each solution whether some rules of a model allow it; raise `Stopped` once ``stop`` is set.

    book: all rules. places: those of the rules that count.
    """
    return _are_allowed(book.only(places), solutions, stop)


def _value_outside_domain(model: CpModel, variables: Mapping[Label, int], solution: Solution) -> Outside | None:
    """Return a value of a solution that a model's variable cannot have; None if there is none.

    Labels that the model does not have are passed over. variables: the variable of each label, by proto index.
    """
    for label, value in solution.items():
        # A domain is a tuple of intervals (least, greatest).
        domain = domain_of(model.proto.variables[variables[label]]) if label in variables else ((value, value),)
        if not any(low <= value <= high for low, high in domain):
            return Outside(label, value, domain)
    return None


def _key_rules_violated(
    book: RuleBook, model: CpModel, variables: Mapping[Label, int], solutions: Sequence[Solution]
) -> list[set[int]]:
    """Return, for each solution, the rules about key variables alone that it breaks; none unless it has all labels.

    They are evaluated; hidden variables get any value, as these rules do not contain them. book: the rules, of which
    ``visible`` has those about key variables alone. model: the model without rules. variables: the variable of each
    label, by proto index. The result has the places of the rules in the book.
    """
    whole_model, _ = model_and_variables(book.only(range(len(book.rules))))
    evaluator = Evaluator(whole_model)  # returns the numbers of the constraints that values violate
    rule_of = {number: place for place, numbers in (book.visible or {}).items() for number in numbers}
    broken = []
    for solution in solutions:
        values = [domain_of(variable)[0][0] for variable in model.proto.variables]
        for label, variable in variables.items():
            values[variable] = solution.get(label, values[variable])
        places = evaluator.violation_places(values) if solution.keys() >= variables.keys() else []
        broken.append({rule_of[number] for number in places if number in rule_of})
    return broken


def _rules_violated(book: RuleBook, solutions: Sequence[Solution], stop: threading.Event) -> list[set[int] | None]:
    """Return the rules that each solution breaks; None for one that all rules allow.

    They are the rules that forbid it alone or, if there are none, those of which each is such that the solution is
    allowed without it. The set is empty if no single rule decides. book: the rules, which the result has by place.
    Raises `Stopped` once the event is set.
    """
    every_place = range(len(book.rules))
    is_allowed_by_all = _are_allowed(book.only(every_place), solutions, stop)
    # For each solution: the rules that forbid it alone, and the rules without which it is allowed.
    alone: list[set[int]] = [set() for _ in solutions]
    decisive: list[set[int]] = [set() for _ in solutions]
    for place in every_place:
        for places, is_allowed in zip(alone, _are_allowed(book.only({place}), solutions, stop), strict=True):
            places |= set() if is_allowed else {place}
    for place in every_place if not all(alone) else ():
        is_freed = _are_allowed(book.only({*every_place} - {place}), solutions, stop)
        for places, freed in zip(decisive, is_freed, strict=True):
            places |= {place} if freed else set()
    broken = [places_alone or places for places_alone, places in zip(alone, decisive, strict=True)]
    return [None if is_allowed else places for is_allowed, places in zip(is_allowed_by_all, broken, strict=True)]


def _are_allowed(puzzle: Puzzle, solutions: Sequence[Solution], stop: threading.Event) -> list[bool]:
    """Tell of each solution whether a puzzle has a solution with these values; raise `Stopped` once ``stop`` is set."""
    if stop.is_set():
        raise Stopped
    model, variables = model_and_variables(puzzle)
    backend = extension_backend(model, [*variables.values()], stop)
    return are_extendable(backend, variables, solutions)


def _hitting_rules(broken: Sequence[Collection[int]], last: Collection[int]) -> list[int]:
    """Return few rules such that each solution breaks one of them: always the one that most other solutions break.

    broken: for each solution the places of the rules that it breaks, at least one. last: rules that are chosen only
    where there is no other.
    """
    still_broken, chosen = [*broken], list[int]()  # the former without solutions that break a chosen rule
    while still_broken:
        times = Counter(rule for rules in still_broken for rule in rules)
        best = min(times, key=lambda rule: (rule in last, -times[rule], rule))
        chosen.append(best)
        still_broken = [rules for rules in still_broken if best not in rules]
    return sorted(chosen)


def is_optimising(puzzle: Puzzle) -> bool:
    """Tell whether a puzzle asks for a best value."""
    return has_objective(model_and_variables(puzzle)[0])


def wrong_symmetry(puzzle: Puzzle, solutions: Collection[Solution]) -> str:
    """Return what is wrong with a symmetry that a puzzle declares, such as "symmetry 1 (turned) carries ...".

    The result is empty if all map solutions to solutions, and if there are more than `MOST_MOVED` solutions. solutions:
    all solutions of the puzzle. Raises `InputError` if the puzzle is invalid.
    """
    if len(solutions) > MOST_MOVED:
        return ""
    model, variables = model_and_variables(puzzle)
    key = Key(model, variables)
    try:
        declared = permutations(key, puzzle.symmetries)  # by name: the number of each literal's image
        known = {literal_numbers(key, solution) for solution in solutions}
        for name, element in declared.items():
            for solution in sorted(known):
                if image_of(key, element, solution) not in known:
                    values_in_words = ", ".join(f"{label}={value}" for label, value in key.decode(solution).items())
                    raise WrongSymmetryError(name, f"carries the solution {values_in_words} to none")
    except WrongSymmetryError as wrong:
        return str(wrong)
    return ""
