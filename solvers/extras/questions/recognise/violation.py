"""Names a rule that a wrong solution breaks, in the words of the puzzle: its labels, its pieces and its cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from models.puzzle import Label, Puzzle
from solvers.checks.constraints import Affine, intervals
from solvers.symmetry.key import Key

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

MAX_WRITTEN_TERMS = 12
"""The most terms of a sum that is written out."""


def violation(puzzle: Puzzle, key: Key, model: CpModel, solution: Mapping[Label, int]) -> str:
    """Return a clause that says which constraint a solution violates; "" if none can be put into words.

    Only exactly-one, at-most-one, all-different and sums can be, also two sums that must equal the same variable
    outside the key; constraints under a condition are left out. solution: the value of every label of the key. puzzle:
    its `fills` says what lies on which cells.

    >>> from models.magic import magic
    >>> puzzle = magic()
    >>> rows = [1, 6, 7], [8, 5, 2], [3, 9, 4]
    >>> values = {(r, c): value for r, row in enumerate(rows) for c, value in enumerate(row)}
    >>> violation(puzzle, Key(puzzle.model, puzzle.key), puzzle.model, values)
    '(0, 0) + (0, 1) + (1, 0) + (1, 1) is 20, but (1, 0) + (1, 1) + (2, 0) + (2, 1) is 25'
    """
    labels = dict(zip(key.variables, key.labels, strict=True))
    value_of = {variable: solution[label] for variable, label in labels.items()}
    proto = model.clone().proto  # a copy, because looking at a field may set it; a name for it keeps it alive
    constraints = [ct for ct in proto.constraints if not len(ct.enforcement_literal)]
    for ct in constraints:
        clause = ""
        if ct.has_exactly_one():
            clause = _choice_violation(puzzle, labels, value_of, ct.exactly_one.literals, 1)
        elif ct.has_at_most_one():
            clause = _choice_violation(puzzle, labels, value_of, ct.at_most_one.literals, 0)
        elif ct.has_all_diff():
            clause = _all_different_violation(labels, value_of, ct.all_diff.exprs)
        if clause:
            return clause
    return _sum_violation(labels, value_of, [ct.linear for ct in constraints if ct.has_linear()])


def _choice_violation(
    puzzle: Puzzle, labels: Mapping[int, Label], value_of: Mapping[int, int], literals: Iterable[int], least: int
) -> str:
    """Return in words that fewer than ``least`` or more than one of some Booleans are true; "" if not so.

    The words say that a piece lies in several places or is missing if all Booleans place pieces of one name; that a
    cell is covered twice or not at all if it is the only cell which all of them fill. puzzle: its `fills(label, 1)` is
    (name, cells) of the piece that the label places. labels, value_of: the label and the value of each key variable, by
    proto index. literals: the Booleans, as proto indices. The result is "" as well if some are negated or outside the
    key.
    """
    options = list(literals)
    if not value_of.keys() >= set(options):
        return ""
    chosen = [labels[option] for option in options if value_of[option]]
    if least <= len(chosen) <= 1:
        return ""
    if puzzle.fills and options:
        names_and_cells = [puzzle.fills(labels[option], 1) for option in options]
        names = {name for name, _ in names_and_cells}
        common_cells = set.intersection(*(set(cells) for _, cells in names_and_cells))
        true_labels = [label for variable, label in labels.items() if value_of[variable]]
        # Only if these Booleans are all places of the piece that are taken, their number is that of its places.
        places = {label for label in true_labels if puzzle.fills(label, 1)[0] in names}
        if len(names) == 1 and places == set(chosen):
            if chosen:
                return f"{names.pop()} lies in {len(chosen)} places"
            return f"{names.pop()} is missing"
        if len(common_cells) == 1:
            pieces = " and ".join(puzzle.fills(label, 1)[0] for label in chosen)
            return f"{_cell_text(common_cells.pop())} is covered by {pieces or 'nothing'}"
    if chosen:
        return f"{' and '.join(map(str, chosen))} exclude each other"
    if len(options) <= MAX_WRITTEN_TERMS:
        return f"one of {', '.join(str(labels[o]) for o in options)} is needed"
    return ""


def _cell_text(cell: Sequence[int]) -> str:
    """Return a cell in words, counted from 1."""
    names = ("layer", "row", "column")[-len(cell) :]
    return ", ".join(f"{name} {number + 1}" for name, number in zip(names, cell, strict=True))


def _all_different_violation(
    labels: Mapping[int, Label], value_of: Mapping[int, int], expressions: Iterable[Any]
) -> str:
    """Return in words that two variables of an all-different constraint are equal; "" if all differ.

    Only the expressions that are a key variable count. labels, value_of: the label and the value of each key variable,
    by proto index. expressions: the linear expressions of the constraint, as protos.
    """
    label_of_value: dict[int, Label] = {}
    for expression in expressions:
        if list(expression.coeffs) == [1] and not expression.offset and expression.vars[0] in labels:
            label = labels[expression.vars[0]]
            value = value_of[expression.vars[0]]
            if value in label_of_value:
                return f"{label_of_value[value]} and {label} are both {value}"
            label_of_value[value] = label
    return ""


def _sum_violation(labels: Mapping[int, Label], value_of: Mapping[int, int], sums: Iterable[Any]) -> str:
    """Return in words that a sum of key variables has a wrong value; "" if no such sum is found.

    A sum is wrong if the values of all its variables are known and it is outside its domain. If one variable outside
    the key is unknown, and the sum is fixed, then another sum with the same unknown term has to have the same total of
    key variables; otherwise one of both is wrong. (Of a + b - s = 0 and c + d - s = 0, a + b and c + d are equal.)

    labels, value_of: the label and the value of each key variable, by proto index. sums: linear constraints of the
    model, as protos.
    """
    rules = [(Affine(list(rule.vars), list(rule.coeffs)), intervals(rule.domain)) for rule in sums]
    known = dict(value_of)
    for terms, domain in rules:  # a rule on one variable may fix it
        if len(terms.variables) == 1 and _is_one(domain) and terms.coefficients[0]:
            known.setdefault(terms.variables[0], domain[0][0] // terms.coefficients[0])
    # (text, total) of the first sum for each unknown term and fixed value of this term plus the key variables.
    first_sum: dict[object, tuple[str, int]] = {}
    for terms, domain in rules:
        pairs = list(zip(terms.variables, terms.coefficients, strict=True))
        text = _sum_text([(labels[v], c) for v, c in pairs if v in labels])
        if not text:
            continue
        total = sum(c * known[v] for v, c in pairs if v in labels)  # of the key variables
        constant = sum(c * known[v] for v, c in pairs if v in known and v not in labels)  # of the fixed others
        unknown = tuple((v, c) for v, c in pairs if v not in known)
        is_allowed = any(low <= total + constant <= high for low, high in domain)
        if not unknown and not is_allowed:
            reason = f"not {domain[0][0] - constant}" if _is_one(domain) else "which is not allowed"
            return f"{text} is {total}, {reason}"
        if len(unknown) == 1 and _is_one(domain):
            first_text, first_total = first_sum.setdefault((unknown, domain[0][0] - constant), (text, total))
            if first_total != total:
                return f"{first_text} is {first_total}, but {text} is {total}"
    return ""


def _is_one(domain: Sequence[tuple[int, int]]) -> bool:
    """Tell whether a domain, a list of intervals (low, high), has exactly one value."""
    return len(domain) == 1 and domain[0][0] == domain[0][1]


def _sum_text(terms: Sequence[tuple[Label, int]]) -> str:
    """Return a sum of (label, coefficient) terms as text, such as "a + 2·b - c"; "" if it is empty or too long."""
    if len(terms) > MAX_WRITTEN_TERMS:
        return ""
    signed_terms = []
    for label, coefficient in terms:
        factor = f"{abs(coefficient)}·" if abs(coefficient) != 1 else ""
        signed_terms.append(f"{'-' if coefficient < 0 else '+'} {factor}{label}")
    return " ".join(signed_terms).removeprefix("+ ")
