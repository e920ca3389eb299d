"""The rules of a puzzle in words: a constraint's name in the model, or what it says of the labels of its variables."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from models.boards.grid import cell_ranges
from models.puzzle import DEFINITION, Label, Puzzle
from solvers.checks.constraints import intervals
from solvers.extras.questions.reasons.reason import Rule
from solvers.extras.questions.recognise.cells import AXES, CellReader, has_pieces
from solvers.files.lines import Lines
from solvers.model.reading import SCHEDULING, choice_of, count_of, kind_of, negation, variables_in
from solvers.model.scheduling import without_scheduling
from solvers.show.plain import first_words, number_with_unit
from solvers.symmetry.key import Key

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

KIND_TEXTS = {"no_overlap": "no overlap of", "cumulative": "capacity for"}
"""The beginning of the words for constraints on intervals."""

HIDDEN = re.compile(r"$|X_INTRODUCED_")
"""The beginning of the names of variables that their author has not named; MiniZinc's own are like that."""

VARIABLES_NAMED = 12
"""The most variables of a constraint that its text names."""


def rules(puzzle: Puzzle, key: Key, model: CpModel, lines: Lines = MappingProxyType({})) -> list[Rule]:
    """Return the rules of a model in words.

    Constraints of the same name, or with the same text, are one rule. Those that only define variables are none. lines:
    for a constraint's index in the model, the (number, text) of the line of a file that states it; the number follows
    the words of a constraint without a name, or the text replaces them if they would contain variables without names.

    >>> from models.pentomino import pentomino
    >>> puzzle = pentomino("3x20")
    >>> found = rules(puzzle, Key(puzzle.model, puzzle.key), puzzle.model)
    >>> found[0].text, found[-1].text
    ('F lies somewhere', 'row 3 column 20 is covered')
    """
    words = _Words(puzzle, key)
    proto = model.proto
    rule_of_text: dict[str, Rule] = {}
    for place, constraint in enumerate(proto.constraints):
        if constraint.name == DEFINITION:
            continue
        rule = words.rule_of(constraint, proto, place)
        if constraint.name:
            rule = Rule(constraint.name)
        elif rule.text and place in lines and not (rule.cell or rule.piece):
            line, line_text = lines[place]
            is_hidden = line_text and words.has_hidden(constraint, proto)
            rule = rule._replace(text=f"line {line}: {line_text}" if is_hidden else f"{rule.text} (line {line})")
        if rule.text:
            rule = rule_of_text.get(rule.text, rule)
            rule_of_text[rule.text] = rule._replace(constraints=(*rule.constraints, place))
    return [
        rule._replace(width=words.width([proto.constraints[place] for place in rule.constraints], proto))
        for rule in rule_of_text.values()
    ]


def decomposition(model: CpModel, lines: Lines = MappingProxyType({})) -> CpModel:
    """Return a copy of a model in which sums, products and clauses take the place of scheduling constraints.

    Each has the name of the constraint that it is made of, so that `rules` takes those of one constraint for one rule.
    A constraint without a name gets one that says its kind, its intervals and its line, such as "no overlap of a, b
    (line 7)". lines: the (number, text) of a line of a file, for a constraint's index in the model.
    """
    copy_of_model = model.clone()
    proto = copy_of_model.proto
    for place, constraint in enumerate(proto.constraints):
        kind = kind_of(constraint)
        if kind not in SCHEDULING or constraint.name:
            continue
        constraint.name = f"constraint {place + 1} ({kind.replace('_', ' ')})"
        if kind in ("no_overlap", "cumulative"):
            numbers = getattr(constraint, kind).intervals  # each is a constraint of the model, given by its index
            names = [model.proto.constraints[number].name or f"interval {number + 1}" for number in numbers]
            constraint.name = f"{KIND_TEXTS[kind]} {', '.join(names)}"
        constraint.name += f" (line {lines[place][0]})" if place in lines else ""
    return without_scheduling(copy_of_model)


def without_overlaps(puzzle: Puzzle, key: Key, model: CpModel) -> CpModel:
    """Return a copy of a model in which pieces do not overlap, even if some of its constraints are dropped.

    Each "exactly one" without a name becomes "at least one" at the same place, and a further constraint at the end says
    "at most one". This is for puzzles with pieces; other models are only copied. key: numbers the literals.
    """
    copy_of_model = model.clone()
    if not has_pieces(puzzle, key):
        return copy_of_model
    proto = copy_of_model.proto
    for constraint in [*proto.constraints]:
        choice = choice_of(constraint, proto)  # the literals of which it allows at most, or exactly, one
        if choice and choice.is_exact and not constraint.name and not len(constraint.enforcement_literal):
            clear = constraint.clear_exactly_one if constraint.has_exactly_one() else constraint.clear_linear
            clear()
            constraint.bool_or.literals.extend(choice.literals)
            proto.constraints.add().at_most_one.literals.extend(choice.literals)
    return copy_of_model


class _Words:
    """Puts constraints of a model into words, with the labels of a key, or with the cells of a puzzle that has some."""

    def __init__(self, puzzle: Puzzle, key: Key) -> None:
        """Prepare the names of variables and cells.

        puzzle, key: the puzzle and its key, whose labels are used.
        """
        self._puzzle, self._key = puzzle, key
        self._label_of_variable: dict[int, Label] = dict(zip(key.variables, key.labels, strict=True))
        """The label of each key variable, by its index in the model."""
        self._reader = CellReader(puzzle, key) if puzzle.fills else None
        """Says which literals fill which cells; None if the puzzle does not say it."""
        self._cell_of_variable: dict[int, tuple[int, ...]] = {}
        """For each integer variable that says what is in a single cell, the coordinates of this cell, from 1."""
        if self._reader:
            cells_of_label: dict[Label, set[tuple[int, ...]]] = defaultdict(set)
            for cell, literals in self._reader.covering.items():
                for label, _ in literals:
                    cells_of_label[label].add(self._reader.coordinates_from_one(cell))
            for variable, label, is_boolean in zip(key.variables, key.labels, key.is_boolean, strict=True):
                if len(cells_of_label[label]) == 1 and not is_boolean:
                    (self._cell_of_variable[variable],) = cells_of_label[label]

    def rule_of(self, constraint: Any, proto: Any, place: int) -> Rule:
        """Return a constraint as a rule; its text is empty if the constraint restricts nothing.

        Of a puzzle with pieces, a constraint on how many literals are true is put into words of pieces and cells, if
        there are such words. proto: the proto of the model. place: the index of the constraint in the model.
        """
        if self._reader and self._reader.has_pieces and not len(constraint.enforcement_literal):
            # The constraint says that from low to high of these literals are true.
            if choice := choice_of(constraint, proto):
                literals = choice.literals
                low = int(choice.is_exact)
                high = 1
            elif count := count_of(constraint, proto):
                literals, low, high = count
            else:
                literals, low, high = [], 0, 0
            key_literals = [(self._label_of_variable.get(literal), 1) for literal in literals]
            if rule := self._rule_of_pieces(key_literals, low, high):
                return rule
        return Rule(self._text(constraint, proto, place))

    def _rule_of_pieces(self, literals: Sequence[Any], low: int, high: int) -> Rule | None:
        """Return the rule that ``low`` to ``high`` of these literals are true, in words; None if there are no words.

        The words say that a cell is covered if the literals are all that can fill this cell, and how often a piece lies
        on the board if they are different places of this piece. literals: (label, 1) of each; the label is None for a
        variable outside the key.
        """
        reader, distinct = self._reader, {*literals}
        if not reader or not literals:
            return None
        for cell in reader.cells_of(literals[0]):
            if distinct == reader.covering[cell].keys() and high == 1:  # all literals that fill the cell
                text = f"{reader.cell_in_words(cell)} is covered"
                return Rule(text, cell=reader.coordinates_from_one(cell)) if low else Rule(f"{text} once at most")
        names = {reader.name(literal) if reader.cells_of(literal) else "" for literal in distinct}
        if len(names) != 1 or names == {""} or len(distinct) < len(literals):
            return None
        (name,) = names
        if low == high == 1:
            return Rule(f"{name} lies somewhere", piece=name)
        places = number_with_unit(high, "places") if low == high else f"{low} to {number_with_unit(high, 'places')}"
        return Rule(f"{name} lies in {places}")

    def width(self, constraints: Iterable[Any], proto: Any) -> int:
        """Return the number of different cells that the constraints of a rule speak of; of variables without cells.

        The width is not greater than the number of variables: a literal of a piece that covers several cells counts as
        one. Variables outside the key count where none of the key occurs. The width is at least 1. constraints: those
        of the rule. proto: the proto of the model.
        """
        variables = {variable for constraint in constraints for variable in variables_in(constraint, proto)}
        variables = (variables & self._label_of_variable.keys()) or variables
        # The index takes the place of the label of a variable outside the key.
        literals = [(self._label_of_variable.get(variable, variable), 1) for variable in variables]
        cells = {cell for literal in literals if self._reader for cell in self._reader.cells_of(literal)}
        return min(len(variables), len(cells) or len(variables)) or 1

    def _text(self, constraint: Any, proto: Any, place: int) -> str:
        """Return a constraint in words, such as "x + y = 3 if a"; "" if it restricts nothing.

        A kind of constraint that has no words here is named with its number. proto: the proto of the model. place: the
        index of the constraint in the model.
        """
        kind = kind_of(constraint)  # the name of its field in the proto, such as "linear"
        if not kind:
            return ""
        condition = ""
        if len(constraint.enforcement_literal):
            condition = f" if {' and '.join(self._literal(n, proto) for n in constraint.enforcement_literal)}"
        if choice := choice_of(constraint, proto):
            return self._choice(choice.literals, choice.is_exact, proto) + condition
        arguments = getattr(constraint, kind)
        if kind == "linear":
            return self._sum(arguments, proto) + condition
        if kind == "all_diff":
            # Each expression is a plain variable if it has the coefficient 1 and no offset.
            if all(list(expression.coeffs) == [1] and not expression.offset for expression in arguments.exprs):
                variables = [expression.vars[0] for expression in arguments.exprs]
                if self._cell_of_variable.keys() >= {*variables}:  # each is the content of a cell
                    return f"all different: {cell_ranges(self._cell_of_variable[v] for v in variables)}{condition}"
            names = [self._affine(expression, proto) for expression in arguments.exprs]
            return f"all different: {first_words(names, VARIABLES_NAMED)}{condition}"
        if kind in ("bool_or", "bool_and", "bool_xor"):
            conjunction = {"bool_or": " or ", "bool_and": " and ", "bool_xor": " xor "}[kind]
            names = [self._literal(literal, proto) for literal in arguments.literals]
            if not names:
                return f"constraint {place + 1} ({kind} of nothing){condition}"
            words = conjunction.join(names) if len(names) <= VARIABLES_NAMED else first_words(names, VARIABLES_NAMED)
            return words + condition
        return f"constraint {place + 1} ({kind}{condition})"

    def has_hidden(self, constraint: Any, proto: Any) -> bool:
        """Tell whether a constraint has a variable outside the key to which its author gave no name.

        proto: the proto of the model.
        """
        return any(
            variable not in self._label_of_variable and HIDDEN.match(proto.variables[variable].name)
            for variable in variables_in(constraint, proto)
        )

    def _choice(self, literals: Sequence[int], is_exact: bool, proto: Any) -> str:
        """Return in words that exactly one of these literals is true, or (if not ``is_exact``) at most one.

        literals: i, or -i - 1 for the negation of variable i. proto: the proto of the model. If each literal fills one
        cell, and all fill the same one or put the same thing there, the words say this instead of the labels.
        """
        if is_exact and len(literals) == 1 and not self._reader:  # the literal is true
            return self._literal(literals[0], proto)
        number = "exactly one" if is_exact else "at most one"
        if self._reader and all(literal in self._label_of_variable for literal in literals):
            key_literals = [(self._label_of_variable[literal], 1) for literal in literals]
            cells_of_literals = [self._reader.cells_of(literal) for literal in key_literals]
            if all(len(cells) == 1 for cells in cells_of_literals):
                cells = [cell for (cell,) in cells_of_literals]
                if len({*cells}) == 1:
                    return f"{number} thing lies on {self._reader.cell_in_words(cells[0])}"
                if len(names := {*map(self._reader.name, key_literals)}) == 1:
                    return f"{number} {min(names)}: {cell_ranges({*map(self._reader.coordinates_from_one, cells)})}"
        return f"{number} of {first_words([self._literal(literal, proto) for literal in literals], VARIABLES_NAMED)}"

    def _sum(self, linear: Any, proto: Any) -> str:
        """Return a linear constraint in words, with negative terms on the right side.

        The domain of the sum decides between =, <=, <, >=, >, != and "is from ... to", "is one of". If all terms are
        negative, the whole constraint is negated first. A single variable may have names for its values, which the
        puzzle's file gives. linear: the linear part of a constraint's proto. proto: the proto of the model.
        """
        terms = [*zip(linear.vars, linear.coeffs, strict=True)]
        domain = intervals(linear.domain)
        if all(weight < 0 for _, weight in terms):
            terms = [(variable, -weight) for variable, weight in terms]
            domain = [(-b, -a) for a, b in domain[::-1]]
        left_side = self._terms([term for term in terms if term[1] > 0], proto)
        subtracted = [(variable, -weight) for variable, weight in terms if weight < 0]

        is_single = len(terms) == 1 and terms[0][1] == 1
        single_label = self._label_of_variable.get(terms[0][0]) if is_single else None
        value_names = self._puzzle.file.values.get(single_label, {}) if self._puzzle.file else {}

        def right_side(number: int) -> str:
            """Return the subtracted terms plus a number, in words."""
            if not subtracted:
                return value_names.get(number, str(number))
            offset = f" {'-' if number < 0 else '+'} {abs(number)}" if number else ""
            return self._terms(subtracted, proto) + offset

        if not domain:
            return f"{left_side} has no value"
        low = domain[0][0]
        high = domain[-1][1]
        is_bounded_below, is_bounded_above = low > -(2**62), high < 2**62  # no bound is a bound near 2**63
        if len(domain) == 1 and low == high:
            return f"{left_side} = {right_side(low)}"
        if len(domain) == 1 and not is_bounded_below:
            is_strict = subtracted and high == -1  # x - y <= -1 is x < y
            return f"{left_side} < {right_side(0)}" if is_strict else f"{left_side} <= {right_side(high)}"
        if len(domain) == 1 and not is_bounded_above:
            is_strict = subtracted and low == 1
            return f"{left_side} > {right_side(0)}" if is_strict else f"{left_side} >= {right_side(low)}"
        gap = domain[0][1] + 1
        # Two unbounded intervals with one number between them.
        if len(domain) == 2 and not is_bounded_below and not is_bounded_above and domain[1][0] == gap + 1:
            return f"{left_side} != {right_side(gap)}"
        all_terms = self._terms(terms, proto)
        if len(domain) == 1:
            return f"{all_terms} is from {low} to {high}"
        parts = [str(a) if a == b else f"{a} to {b}" for a, b in domain]
        return f"{all_terms} is one of {first_words(parts, VARIABLES_NAMED)}"

    def _terms(self, terms: Iterable[tuple[int, int]], proto: Any) -> str:
        """Return a sum of (variable, coefficient) terms in words, such as "x + 2·y - z"; "0" if there are none.

        Only the first `VARIABLES_NAMED` terms are listed. proto: the proto of the model.
        """
        texts = []
        for variable, weight in terms:
            factor = f"{abs(weight)}·" if abs(weight) != 1 else ""
            texts.append(f"{'-' if weight < 0 else '+'} {factor}{self._name(variable, proto)}")
        return first_words(texts, VARIABLES_NAMED, " ").removeprefix("+ ") or "0"

    def _affine(self, expression: Any, proto: Any) -> str:
        """Return an affine expression, a LinearExpressionProto, in words; proto: the proto of the model."""
        terms = self._terms(zip(expression.vars, expression.coeffs, strict=True), proto)
        offset = f" {'-' if expression.offset < 0 else '+'} {abs(expression.offset)}" if expression.offset else ""
        return terms + offset

    def _literal(self, literal: int, proto: Any) -> str:
        """Return a literal in words: the name of its variable, after "not" if it is negated.

        literal: i, or -i - 1 for the negation of variable i. proto: the proto of the model.
        """
        if literal >= 0:
            return self._name(literal, proto)
        return f"not {self._name(negation(literal), proto)}"

    def _name(self, variable: int, proto: Any) -> str:
        """Return the name of a variable: its cell, such as r1c2, else its label or its name in the model.

        variable: the index. proto: the proto of the model.
        """
        if cell := self._cell_of_variable.get(variable):
            axes = AXES[-len(cell) :]
            return "".join(f"{axis[0]}{n}" for axis, n in zip(axes, cell, strict=True))
        if variable in self._label_of_variable:
            label = self._label_of_variable[variable]
            # A name says more than a label that is only a number.
            variable_name = proto.variables[variable].name if isinstance(label, int) else ""
            return variable_name or str(label)
        return proto.variables[variable].name or f"variable {variable + 1}"
