"""Rewrites a model around what CP-SAT 9.15 gets wrong; its solutions stay the same.

Every new variable is determined by those that were there. The wrong answers are pinned in
tests/core/backends/test_cp_sat.py, each by the smallest model that was found, so that one sees when a rewriting is no
longer needed.

No rewriting helps where numbers are large; see `model.wide`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from solvers.model.decomposed import (
    at_most,
    intervals,
    residual,
    truth,
)
from solvers.model.reading import (
    NONNEGATIVE,
    NONZERO,
    ZERO,
    LinearSum,
    arcs_of,
    count,
    element_of,
    negation,
    of_variable,
    target_and_expressions,
)
from solvers.model.scheduling import Rewriting, cumulative, no_overlap_2d, reservoir, rewrite, routes
from solvers.model.writing import ModelWriter

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel


def rewrite_flawed(model: CpModel) -> list[tuple[int, str]]:
    """Rewrite, in place, the constraints of a model that CP-SAT handles wrongly, or may handle wrongly.

    They become other constraints with the same solutions. Their kinds are element, circuit, lin_max, int_prod, int_div,
    int_mod, cumulative, no_overlap_2d, reservoir and routes. Returns (number, kind) of each rewritten constraint; its
    number is its place in the proto.

    A rewriting is called with (writer, the constraint's own message, the negated enforcement literals). It returns
    False if the constraint stays as it is.
    """
    rewritings: Mapping[str, Rewriting] = {
        "element": partial(_element, {}),
        "circuit": _circuit,
        "lin_max": _lin_max,
        **{kind: partial(_rewrite_computation, kind) for kind in ("int_prod", "int_div", "int_mod")},
        "cumulative": _cumulative_of_optional,
        "no_overlap_2d": no_overlap_2d,  # CP-SAT loses solutions
        "reservoir": reservoir,  # CP-SAT breaks off on some models
        "routes": routes,  # CP-SAT contradicts itself on whether all nodes may be left out
    }
    return rewrite(model, rewritings)


def _element(places: dict[object, int], writer: ModelWriter, arguments: Any, unless: Sequence[int]) -> bool:
    """Rewrite an element constraint: for each place that the index may be, the target is the entry there.

    places: literals that say "index - place is 0", by (coefficients, offset) of that difference. New ones are added to
    it, because element constraints often share their index. writer: writes into the model. arguments: the constraint's
    own message in the proto. unless: literals; the constraint is not enforced where one of them is true. Returns False,
    and adds nothing, if all entries are constants.

    Presolve goes wrong where an entry and the target are the same variable, also if only other constraints make them
    so.
    """
    if arguments.has_linear_index() and not any(len(entry.vars) for entry in arguments.exprs):
        return False
    index, target, entries = element_of(arguments)
    writer.require(index, ((0, len(entries) - 1),), unless)
    for place, entry in enumerate(entries):
        difference = index - LinearSum({}, place)
        difference_key = tuple(sorted(difference.coefficients.items())), difference.offset
        if difference_key not in places:
            places[difference_key] = truth(writer, difference, ZERO, NONZERO)
        writer.require(target - entry, ZERO, [*unless, negation(places[difference_key])])
    return True


def _circuit(writer: ModelWriter, arguments: Any, unless: Sequence[int]) -> None:
    """Rewrite a circuit so that each node has one arc in and one out.

    writer: writes into the model. arguments: the constraint's own message in the proto. unless: literals; the
    constraint is not enforced where one of them is true. The new circuit is always enforced: its arcs get copies of
    their literals, and where ``unless`` has a true literal, the copies make every node a loop.

    Presolve goes wrong where arcs share literals, also if only other constraints make these equal: it then loses that a
    node has one arc in and one out, which is therefore said by constraints of its own. OR-Tools refuses two loops at
    one node.
    """
    arcs = arcs_of(arguments)
    nodes = {node for tail, head, _ in arcs for node in (tail, head)}
    if unless:
        off = writer.new_literal()  # true iff a literal of ``unless`` is
        writer.clause([negation(off), *unless])
        for literal in unless:
            writer.clause([negation(literal), off])
        copies = []
        for tail, head, literal in arcs:
            copy = writer.new_literal()
            writer.require(of_variable(copy) - count([literal]), ZERO, [off])  # equal to the literal, unless ``off``
            writer.clause([negation(off), copy if tail == head else negation(copy)])
            copies.append((tail, head, copy))
        # Where ``off`` is true, the copies of loops are true, and the other copies are false; a node without a loop
        # gets one, whose literal is ``off``. CP-SAT takes loops at all nodes for a circuit.
        arcs = copies + [(node, node, off) for node in nodes - {tail for tail, head, _ in arcs if tail == head}]
    proto = writer.model.proto
    for node in nodes:
        for end in (0, 1):  # the tail of an arc, and its head
            proto.constraints.add().exactly_one.literals.extend([arc[2] for arc in arcs if arc[end] == node])
    circuit = proto.constraints.add().circuit
    circuit.tails.extend([tail for tail, _, _ in arcs])
    circuit.heads.extend([head for _, head, _ in arcs])
    circuit.literals.extend([literal for _, _, literal in arcs])


def _lin_max(writer: ModelWriter, arguments: Any, unless: Sequence[int]) -> None:
    """Rewrite a lin_max, "the target is the greatest argument": none is above the target, and some is not below it.

    writer: writes into the model. arguments: the constraint's own message in the proto. unless: literals; the
    constraint is not enforced where one of them is true.

    Presolve goes wrong where the target and an argument are the same variable, also if only other constraints make them
    so. If there is no argument, CP-SAT takes the constraint for false even where it is not enforced.
    """
    target, sums = target_and_expressions(arguments)
    for operand in sums:
        writer.require(target - operand, NONNEGATIVE, unless)
    writer.clause([*unless, *(at_most(writer, target, operand) for operand in sums)])


def _rewrite_computation(kind: str, writer: ModelWriter, arguments: Any, unless: Sequence[int]) -> bool:
    """Rewrite a computation: its value is always computed; that the target equals it holds unless ``unless`` is true.

    kind: int_prod, int_div or int_mod. writer: writes into the model. arguments: the constraint's own message in the
    proto. unless: literals; the constraint is not enforced where one of them is true. Returns False, and adds nothing,
    for a product without ``unless``.

    An enforced product of three factors repeats each solution in which it is not enforced for every value of a hidden
    variable. Enforced divisions and remainders lose solutions; in others presolve goes wrong where arguments share a
    variable.
    """
    if kind == "int_prod" and not unless:
        return False
    writer.require(residual(writer, kind, arguments), ZERO, unless)  # the target minus the computed value
    return True


def _cumulative_of_optional(writer: ModelWriter, arguments: Any, unless: Sequence[int]) -> bool:
    """Rewrite a cumulative constraint some of whose tasks may be absent: as sums of the demands at the same time.

    writer: writes into the model. arguments: the constraint's own message in the proto. unless: literals; the
    constraint is not enforced where one of them is true. Returns False, and adds nothing, if all tasks are present.

    Presolve loses solutions in which a task of no length is absent and its demand is above the capacity. With tasks
    that are always there 28,000 random models were right, and sums take several times as long.
    """
    # ``present`` has the literals that have to be true for a task to be there; a task without any is always there.
    if not any(task.present for task in intervals(writer.model.proto, arguments.intervals)):
        return False
    cumulative(writer, arguments, unless)
    return True
