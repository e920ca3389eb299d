"""A CP-SAT model as FlatZinc, of the constraints that every solver for FlatZinc has to know.

Where a model holds others, tables and circuits for instance, the whole of it is written as clauses. What is added to it
is determined by its variables.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from solvers.checks.constraints import Affine, affine, affines, count_of, intervals
from solvers.cnf.arithmetic import Binary
from solvers.cnf.gates import TRUE
from solvers.cnf.lower import lower
from solvers.model.reading import all_negated, has_objective, kind_of, variable_of
from solvers.model.scheduling import without_scheduling
from solvers.model.writing import hold_assumptions, take_objective

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

UNBOUNDED_ABOVE = 2**62
"""A bound beyond is none."""


class FlatZincWriter:
    """Collects lines of FlatZinc: declarations of variables and constraints.

    Variables are handled by their names.
    """

    def __init__(self) -> None:
        """Begin without variables and constraints."""
        self.variables: list[str] = []  # lines
        self.constraints: list[str] = []  # lines
        self._integers: dict[int, str] = {}  # the name for each index of a variable of the model
        self._booleans: dict[int, str] = {}  # the same for its Boolean, if it has one
        self._negated: dict[str, str] = {}  # the name of the negation of a Boolean
        self._new = 0  # how many names were made up

    def add_constraint(self, name: str, *arguments: Any) -> None:
        """Add a constraint by FlatZinc's name for it; arguments: names, numbers, or lists of these."""
        self.constraints.append(f"constraint {name}({', '.join(map(_argument_text, arguments))});")

    def new_integer(self, low: int, high: int, name: str = "") -> str:
        """Declare an integer variable from ``low`` to ``high``; return its name, a new one if none is given."""
        name = name or self._fresh()
        self.variables.append(f"var {low}..{high}: {name};")
        return name

    def new_boolean(self, name: str = "") -> str:
        """Declare a Boolean variable and return its name, a new one if none is given."""
        name = name or self._fresh()
        self.variables.append(f"var bool: {name};")
        return name

    def _fresh(self) -> str:
        """Return a name that was not used before."""
        self._new += 1
        return f"new{self._new}"

    def declare_variable(self, index: int, domain: Sequence[int]) -> None:
        """Declare a variable of the model as an integer called x and its index.

        domain: the ends of its intervals, flat, as in CP-SAT.
        """
        name = f"x{index}"
        self._integers[index] = name
        self.variables.append(f"var {domain[0]}..{domain[-1]}: {name};")
        if len(domain) > 2:
            self.add_constraint("set_in", name, _SetText(f"{{{', '.join(map(str, _integers_in(domain)))}}}"))

    def __getitem__(self, index: int) -> str:
        """Return the name of the integer for the model's variable of this index."""
        return self._integers[index]

    def literal(self, reference: int) -> str:
        """Return the name of the Boolean for a literal of CP-SAT.

        It is declared at the first call, and tied to the integer of its variable. reference: i, or -i - 1 for the
        negation of variable i.
        """
        index = variable_of(reference)
        if index not in self._booleans:
            self._booleans[index] = self.new_boolean(f"b{index}")
            self.add_constraint("bool2int", self._booleans[index], self._integers[index])
        name = self._booleans[index]
        return name if reference >= 0 else self.negation(name)

    def negation(self, name: str) -> str:
        """Return the name of the negation of a Boolean, which is declared at the first call."""
        if name not in self._negated:
            self._negated[name] = self.new_boolean()
            self.add_constraint("bool_not", name, self._negated[name])
        return self._negated[name]

    def add_clause(self, positive: Iterable[str], negative: Iterable[str] = ()) -> None:
        """Require that one of ``positive`` is true or one of ``negative`` false; both are names of Booleans."""
        self.add_constraint("bool_clause", list(positive), list(negative))

    def add_linear(self, expression: Affine, domain: Sequence[tuple[int, int]], unless: Sequence[str]) -> None:
        """Require that a sum is in a union of intervals, unless one of the Booleans ``unless`` is true.

        One interval is a relation or two; a gap of one number is an inequality; otherwise a clause says that the sum is
        in one of the intervals, each of which has a new Boolean that is true if and only if the sum is in it.

        expression: has the coefficients and the indices of variables, and an offset. domain: the intervals, as (first,
        last).
        """
        domain = [(low - expression.offset, high - expression.offset) for low, high in domain]
        names = [self._integers[index] for index in expression.variables]
        coefficients = expression.coefficients
        if not unless and len(domain) == 1:
            for operator, signed_coefficients, bound in _relations(coefficients, domain[0]):
                self.add_constraint(f"int_lin_{operator}", signed_coefficients, names, bound)
            return
        gap = domain[0][1] + 1 if domain else 0
        if not unless and len(domain) == 2 and domain[1][0] == gap + 1 and _is_whole(domain):
            self.add_constraint("int_lin_ne", coefficients, names, gap)
            return
        interval_booleans = []
        for interval in domain:
            bound_booleans = []
            for operator, signed_coefficients, bound in _relations(coefficients, interval):
                bound_booleans.append(self.new_boolean())
                self.add_constraint(f"int_lin_{operator}_reif", signed_coefficients, names, bound, bound_booleans[-1])
            if len(bound_booleans) == 1:
                interval_booleans += bound_booleans
            else:
                interval_booleans.append(self.new_boolean())
                self.add_constraint("array_bool_and", bound_booleans, interval_booleans[-1])
        self.add_clause([*interval_booleans, *unless])

    def number(self, expression: Affine, bounds: Callable[[int], tuple[int, int]]) -> str:
        """Return the name of a variable that equals an expression: that of a single variable, otherwise a new one.

        expression: has the coefficients and the indices of variables, and an offset. bounds: returns the least and the
        greatest value of a variable, by its index.
        """
        if (expression.coefficients, expression.offset) == ([1], 0):
            return self._integers[expression.variables[0]]
        low = high = expression.offset
        for index, coefficient in zip(expression.variables, expression.coefficients, strict=True):
            ends = sorted(coefficient * end for end in bounds(index))
            low, high = low + ends[0], high + ends[1]
        name = self.new_integer(low, high)
        names = [self._integers[index] for index in expression.variables]
        self.add_constraint("int_lin_eq", [*expression.coefficients, -1], [*names, name], -expression.offset)
        return name


class _SetText(str):
    """The text of a constant set, to be written without brackets."""


def _argument_text(argument: Any) -> str:
    """Return an argument as FlatZinc writes it: a list in brackets, anything else as its text."""
    if isinstance(argument, (list, tuple)):
        return f"[{', '.join(map(str, argument))}]"
    return str(argument)


def _integers_in(domain: Sequence[int]) -> Iterator[int]:
    """Yield the integers of a domain that is given as the flat ends of its intervals."""
    for low, high in intervals(domain):
        yield from range(low, high + 1)


def _is_whole(domain: Sequence[tuple[int, int]]) -> bool:
    """Tell whether a domain, as ascending intervals (first, last), has no lower and no upper bound."""
    return domain[0][0] <= -UNBOUNDED_ABOVE and domain[-1][1] >= UNBOUNDED_ABOVE


def _relations(coefficients: Sequence[int], interval: tuple[int, int]) -> Iterator[tuple[str, list[int], int]]:
    """Yield (operator, coefficients, bound) for the relations that keep a sum within an interval.

    An operator is "eq" or "le"; a lower bound is said by negated coefficients. An end beyond `UNBOUNDED_ABOVE` is none.
    """
    low, high = interval
    if low == high:
        yield "eq", list(coefficients), low
        return
    if high < UNBOUNDED_ABOVE:
        yield "le", list(coefficients), high
    if low > -UNBOUNDED_ABOVE:
        yield "le", [-c for c in coefficients], -low


DIRECT = {
    "linear",
    "bool_or",
    "bool_and",
    "bool_xor",
    "at_most_one",
    "exactly_one",
    "all_diff",
    "element",
    "lin_max",
    "int_prod",
    "int_div",
    "int_mod",
}
"""The kinds of constraints that are said directly."""

ENFORCEABLE = {"linear", "bool_or", "bool_and", "at_most_one", "exactly_one"}
"""Those of which a condition may be said, too."""


class FlatZincText(NamedTuple):
    """A CP-SAT model in FlatZinc; its variables are called x and their index."""

    variables: list[str]
    """The lines that declare variables."""
    constraints: list[str]
    """The lines of constraints."""
    goal: str
    """What is asked for: "satisfy", or an objective such as "minimize x3"."""
    is_clauses: bool
    """True if the constraints are clauses, so that only some of the model's variables are declared."""


def flatzinc(model: CpModel, key: Sequence[int], stop: threading.Event) -> Iterator[str]:
    """Yield the lines of a CP-SAT model in FlatZinc.

    The variable with the index i is called xi; those of the key are annotated as outputs. key: the indices of these
    variables. Raises `InputError` if the model needs to be lowered to clauses and cannot be, `Stopped` once ``stop`` is
    set.
    """
    text = flatzinc_text(model, key, stop)
    output_lines = {f"x{index};" for index in key}
    for line in text.variables:
        yield f"{line[:-1]} :: output_var;" if line.rpartition(" ")[2] in output_lines else line
    yield from text.constraints
    yield f"solve {text.goal};"


def flatzinc_text(model: CpModel, key: Collection[int], stop: threading.Event) -> FlatZincText:
    """Return a CP-SAT model in FlatZinc; key: the indices of variables that it has to declare.

    If FlatZinc has all constraints of the model, they are written one by one, and all variables are declared. Otherwise
    the model is lowered to clauses, and only variables of the key and the objective are. The best value of the
    objective is asked for as that of one variable.

    Raises `InputError` if the model needs to be lowered to clauses and cannot be, `Stopped` once ``stop`` is set.
    """
    copy_of_model = without_scheduling(model).clone()
    sign, offset, objective = 1, 0, None
    if has_objective(copy_of_model):  # to look at an objective that is not there makes one
        sign, offset = _objective_scale(copy_of_model.proto)
        objective = take_objective(copy_of_model.proto)  # removes it: the sum that is minimised
    writer = FlatZincWriter()
    proto = copy_of_model.proto
    # Assumptions, literals that CP-SAT takes as true, become constraints.
    hold_assumptions(proto)
    domains = [list(variable.domain) for variable in proto.variables]
    direct = all(_is_direct(constraint) for constraint in proto.constraints)
    declared = set(key) | (set(objective.coefficients) if objective else set())
    for index, domain in enumerate(domains):
        if direct or index in declared:
            writer.declare_variable(index, domain)
    if direct:
        for constraint in proto.constraints:
            _write_constraint(writer, constraint, domains)
    else:
        _say_clauses(writer, copy_of_model, sorted(declared), stop)
    goal = "satisfy"
    if objective:
        coefficients = [sign * coefficient for coefficient in objective.coefficients.values()]
        total = Affine(list(objective.coefficients), coefficients, offset)
        number = writer.number(total, lambda v: (domains[v][0], domains[v][-1]))
        goal = f"{'minimize' if sign > 0 else 'maximize'} {number}"
    return FlatZincText(writer.variables, writer.constraints, goal, not direct)


def _objective_scale(proto: Any) -> tuple[int, int]:
    """Return (factor, offset), which turn the minimised sum of a proto into the stated objective.

    The objective is factor times the sum, plus offset. The factor is 1, or -1 if the model maximises. An offset that is
    not whole becomes 0, which does not change what is best.
    """
    if proto.has_floating_point_objective():
        sign = -1 if proto.floating_point_objective.maximize else 1
        offset = proto.floating_point_objective.offset
    else:
        scale = proto.objective.scaling_factor or 1.0
        sign = -1 if scale < 0 else 1
        offset = sign * proto.objective.offset if abs(scale) == 1 else 0.0
    return sign, int(offset) if offset.is_integer() else 0


def _is_direct(constraint: Any) -> bool:
    """Tell whether FlatZinc has a constraint that says the same, so that no clauses are needed.

    constraint: the proto of CP-SAT. One that holds only if literals are true is direct for some kinds only, an element
    only if its index is a linear expression, and a product only of two factors.
    """
    kind = kind_of(constraint)
    # A constraint without a kind says nothing.
    if not kind:
        return True
    if kind == "element" and not constraint.element.has_linear_index():
        return False
    if kind == "int_prod" and len(constraint.int_prod.exprs) != 2:
        return False
    return kind in DIRECT and (kind in ENFORCEABLE or not len(constraint.enforcement_literal))


def _write_constraint(writer: FlatZincWriter, constraint: Any, domains: Sequence[Sequence[int]]) -> None:
    """Write a constraint of CP-SAT for which FlatZinc has one that says the same; see `_is_direct`.

    writer: takes the lines. domains: the domains of all variables, as the flat ends of their intervals. `affine` and
    ``affines`` return expressions with the indices of variables, their coefficients and an offset.
    """
    kind = kind_of(constraint)
    if not kind:
        return
    arguments = getattr(constraint, kind)
    unless = list(map(writer.literal, all_negated(constraint.enforcement_literal)))

    def number(expression: Affine) -> str:
        """Return the name of a variable that equals an expression."""
        return writer.number(expression, lambda v: (domains[v][0], domains[v][-1]))

    if kind == "linear":
        expression = Affine(list(arguments.vars), list(arguments.coeffs))
        writer.add_linear(expression, intervals(arguments.domain), unless)
    elif kind == "bool_or":
        writer.add_clause([*map(writer.literal, arguments.literals), *unless])
    elif kind == "bool_and":
        for literal in arguments.literals:
            writer.add_clause([writer.literal(literal), *unless])
    elif kind in ("at_most_one", "exactly_one"):
        bounds = [(1 if kind == "exactly_one" else -UNBOUNDED_ABOVE, 1)]
        writer.add_linear(count_of(arguments.literals), bounds, unless)
    elif kind == "bool_xor":
        writer.add_constraint("array_bool_xor", list(map(writer.literal, arguments.literals)))
    elif kind == "all_diff":
        for expression_a, expression_b in combinations(map(affine, arguments.exprs), 2):
            variables = [*expression_a.variables, *expression_b.variables]
            negated_coefficients = [-coefficient for coefficient in expression_b.coefficients]
            coefficients = [*expression_a.coefficients, *negated_coefficients]
            difference = Affine(variables, coefficients, expression_a.offset - expression_b.offset)
            writer.add_linear(difference, [(-2 * UNBOUNDED_ABOVE, -1), (1, 2 * UNBOUNDED_ABOVE)], [])
    elif kind == "element":
        index = affine(arguments.linear_index)
        place = number(Affine(index.variables, index.coefficients, index.offset + 1))  # FlatZinc counts from 1
        array = [number(entry) for entry in affines([], arguments.exprs)]
        writer.add_constraint("array_var_int_element", place, array, number(affine(arguments.linear_target)))
    elif kind == "lin_max" and not len(arguments.exprs):  # nothing is the greatest of no numbers
        writer.add_constraint("bool_eq", "true", "false")
    elif kind == "lin_max":
        target = number(affine(arguments.target))
        writer.add_constraint("array_int_maximum", target, list(map(number, affines([], arguments.exprs))))
    else:
        name = {"int_prod": "int_times", "int_div": "int_div", "int_mod": "int_mod"}[kind]
        writer.add_constraint(name, *map(number, affines([], arguments.exprs)), number(affine(arguments.target)))


def _say_clauses(writer: FlatZincWriter, model: CpModel, variables: Sequence[int], stop: threading.Event) -> None:
    """Write the clauses of the lowered model, and sums that tie integer variables to them.

    The clauses are over Booleans c1, c2 and so on. An integer variable is its least value plus the weights of the
    literals that are true; a Boolean counts as 0 or 1, and a negative literal with weight w as w minus w times its
    variable.

    writer: takes the lines. variables: the indices of the integer variables to tie. Raises `InputError` if the model
    cannot be lowered, `Stopped` once the event is set.
    """
    lowering = lower(model, stop)
    formula = lowering.formula
    numbers_of_variables = range(TRUE, formula.variables + 1)
    names: Mapping[int, str] = {number: writer.new_boolean(f"c{number}") for number in numbers_of_variables}
    for clause in formula.clauses:
        positive = [names[literal] for literal in clause if literal > 0]
        writer.add_clause(positive, [names[-literal] for literal in clause if literal < 0])
    bits: dict[int, str] = {}

    def bit(literal: int) -> str:
        """Return the integer variable that is 0 or 1 as a Boolean is; it is declared at the first call."""
        if abs(literal) not in bits:
            bits[abs(literal)] = writer.new_integer(0, 1)
            writer.add_constraint("bool2int", names[abs(literal)], bits[abs(literal)])
        return bits[abs(literal)]

    for index in variables:
        number = lowering.numbers[index]
        low = number.offset if isinstance(number, Binary) else number.low
        steps = number.steps()  # (literal, the weight by which the value grows if it is true)
        weights = [weight if literal > 0 else -weight for literal, weight in steps]
        low += sum(weight for literal, weight in steps if literal < 0)
        bits_of_steps = [bit(literal) for literal, _ in steps]
        writer.add_constraint("int_lin_eq", [*weights, -1], [*bits_of_steps, writer[index]], -low)
