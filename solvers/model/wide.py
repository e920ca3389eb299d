"""Models whose numbers go so far that CP-SAT 9.15 loses solutions.

No rewriting helps. From 2^33 on, CP-SAT 9.15 loses solutions of random models (tests/
wide_models.py): of products, divisions and remainders, as they are declared and rewritten in any way that was tried;
of tables, elements and plain sums, too. Presolve is to blame for some of it; other solutions are lost without presolve
only (a table of one variable with the values 16750534338 and 16750534339, for instance). Bounds as tight as can be do
not help. Nothing of the kind was seen where no expression of the declared model can be beyond 2^30: `is_wide` tells,
and `cp-sat` refuses models that go further.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

from solvers.model.reading import kind_of

MAX_NARROW_SUM = 2**50
"""The greatest sum of narrow variables with large weights that is held to one interval.

Of 20,000 random models with narrow variables and large weights CP-SAT got three wrong, all with a sum that is held to
two intervals; one with sums of about 2^41, two with 2^55.
"""

MAX_ABSOLUTE_VALUE = 2**30
"""The greatest absolute value of anything else: of a variable, a product, a load or an argument."""


def is_wide(proto: Any) -> bool:
    """Tell whether the numbers in a model are too large for CP-SAT 9.15.

    CP-SAT was seen to lose solutions of models with such numbers. Sums that are held to one interval may come to
    `MAX_NARROW_SUM`, all else (variables, products, arguments) to `MAX_ABSOLUTE_VALUE`. proto: the proto of the model.
    """
    domains = (variable.domain for variable in proto.variables)
    largest: list[int] = [max(-domain[0], domain[len(domain) - 1]) for domain in domains]

    def total(terms: Any) -> int:
        """Return the greatest absolute value that terms may have, without their offset."""
        return sum(abs(int(c)) * largest[v] for v, c in zip(terms.vars, terms.coeffs, strict=True))

    def size(expression: Any) -> int:
        """Return the greatest absolute value that an expression may have."""
        return total(expression) + abs(int(expression.offset))

    # The greatest absolute values of the sums that are held to one interval, and those of everything else.
    sums = [total(proto.objective)] if proto.has_objective() else []
    if proto.has_floating_point_objective():
        sums.append(total(proto.floating_point_objective))
    others = list(largest)
    for ct in proto.constraints:
        kind = kind_of(ct)
        arguments: Any = getattr(ct, kind) if kind else None
        if kind == "linear":
            (sums if len(arguments.domain) == 2 else others).append(total(arguments))
        elif kind == "int_prod":
            others.append(prod(map(size, arguments.exprs)))
        elif kind == "cumulative":  # CP-SAT reckons with areas, too
            durations = [size(proto.constraints[number].interval.size) for number in arguments.intervals]
            others.append(sum((d + 1) * size(e) for d, e in zip(durations, arguments.demands, strict=True)))
        elif kind == "no_overlap_2d":
            boxes = zip(arguments.x_intervals, arguments.y_intervals, strict=True)
            others += [prod(size(proto.constraints[side].interval.size) for side in box) for box in boxes]
        elif kind == "reservoir":
            others.append(sum(map(size, arguments.level_changes)))
        if kind in ARGUMENTS:
            others += map(size, ARGUMENTS[kind](arguments))
    return max(sums, default=0) > MAX_NARROW_SUM or max(others, default=0) > MAX_ABSOLUTE_VALUE


ARGUMENTS: Mapping[str, Callable[[Any], Sequence[Any]]] = {
    **dict.fromkeys(("int_div", "int_mod", "lin_max"), lambda of: [of.target, *of.exprs]),
    **dict.fromkeys(("all_diff", "table", "automaton"), lambda of: of.exprs),
    "int_prod": lambda of: [of.target],
    "element": lambda of: [*of.exprs, *((of.linear_index, of.linear_target) if of.has_linear_index() else ())],
    "interval": lambda of: [of.start, of.end, of.size],
    "cumulative": lambda of: [of.capacity],
    "reservoir": lambda of: of.time_exprs,
}
"""The expressions that a constraint is about, by kind, but for factors, demands and changes."""
