"""Writes a model as the lines of Python that build it, so that a failure can be seen without the attack."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ortools.sat.python.cp_model import CpModel, Domain

OPTIMISES = {1: "minimize", -1: "maximize"}


def lines_of(model: CpModel) -> list[str]:
    """Lines that make ``model``, and each of its variables under its name, equal to this one.

    A model whose constraints cannot be said by calls of CpModel alone is read from its proto's text.
    """
    proto = model.clone().proto
    try:
        lines = _calls(proto)
        if str(_built(lines).proto) == str(proto):
            return lines
    except _Unsaid:
        pass
    names = _names(proto)
    text = " ".join(line.strip() for line in str(proto).splitlines())
    lines = ["model = CpModel()", f'assert model.proto.parse_text_format("""{text}""")']
    return [*lines, *(f"{name} = model.get_int_var_from_proto_index({n})" for n, name in enumerate(names))]


def name_of(model: CpModel, index: int) -> str:
    """The name of a variable in these lines."""
    return _names(model.proto)[index]


class _Unsaid(Exception):
    """There is no call for that."""


def _built(lines: Sequence[str]) -> CpModel:
    names: dict[str, Any] = {"CpModel": CpModel, "Domain": Domain}
    exec("\n".join(lines), names)
    model: CpModel = names["model"]
    return model


def _names(proto: Any) -> list[str]:
    names = [variable.name for variable in proto.variables]
    is_plain = all(name.isidentifier() for name in names) and len(set(names)) == len(names)
    return names if is_plain else [f"v{number}" for number in range(len(names))]


def _calls(proto: Any) -> list[str]:
    names = _names(proto)
    lines = ["model = CpModel()"]
    for variable, name in zip(proto.variables, names, strict=True):
        domain = list(variable.domain)
        if domain == [0, 1]:
            made = f"model.new_bool_var({variable.name!r})"
        elif len(domain) == 2:
            made = f"model.new_int_var({domain[0]}, {domain[1]}, {variable.name!r})"
        else:
            made = f"model.new_int_var_from_domain({_domain(domain)}, {variable.name!r})"
        lines.append(f"{name} = {made}")
    for ct in proto.constraints:
        kind = next((kind for kind in CALLS if getattr(ct, f"has_{kind}")()), "")
        if not kind:
            raise _Unsaid
        call = f"model.{CALLS[kind](getattr(ct, kind), names)}"
        enforced = ", ".join(_literal(literal, names) for literal in ct.enforcement_literal)
        lines.append(f"{call}.only_enforce_if({enforced})" if enforced else call)
    lines += [f"model.add_assumption({_literal(literal, names)})" for literal in proto.assumptions]
    if proto.has_objective():
        objective = proto.objective
        sign = 1 if objective.scaling_factor in (0, 1) else -1
        total = _sum(objective.vars, [sign * c for c in objective.coeffs], sign * int(objective.offset), names)
        lines.append(f"model.{OPTIMISES[sign]}({total})")
    elif proto.has_floating_point_objective():
        raise _Unsaid
    return lines


def _domain(bounds: Iterable[int]) -> str:
    return f"Domain.from_flat_intervals({list(bounds)})"


def _literal(literal: int, names: Sequence[str]) -> str:
    return names[literal] if literal >= 0 else f"~{names[-literal - 1]}"


def _literals(literals: Iterable[int], names: Sequence[str]) -> str:
    return f"[{', '.join(_literal(literal, names) for literal in literals)}]"


def _sum(variables: Iterable[int], coefficients: Iterable[int], offset: int, names: Sequence[str]) -> str:
    text = ""
    for v, c in zip(variables, coefficients, strict=True):
        text += f" {'-' if c < 0 else '+'} {'' if abs(c) == 1 else f'{abs(c)} * '}{names[v]}"
    if offset or not text:
        text += f" {'-' if offset < 0 else '+'} {abs(offset)}"
    return text.removeprefix(" + ").replace(" - ", "-", 1) if text.startswith(" -") else text.removeprefix(" + ")


def _affine(expression: Any, names: Sequence[str]) -> str:
    return _sum(expression.vars, expression.coeffs, expression.offset, names)


def _affines(expressions: Iterable[Any], names: Sequence[str]) -> str:
    return f"[{', '.join(_affine(expression, names) for expression in expressions)}]"


def _of_literals(method: str) -> Callable[[Any, Sequence[str]], str]:
    return lambda arguments, names: f"{method}({_literals(arguments.literals, names)})"


def _linear(arguments: Any, names: Sequence[str]) -> str:
    total, domain = _sum(arguments.vars, arguments.coeffs, 0, names), list(arguments.domain)
    if not len(arguments.vars):
        raise _Unsaid
    if len(domain) == 2 and domain[0] == domain[1]:
        return f"add({total} == {domain[0]})"
    return f"add_linear_expression_in_domain({total}, {_domain(domain)})"


def _element(arguments: Any, names: Sequence[str]) -> str:
    if not (arguments.has_linear_index() and arguments.has_linear_target()):
        raise _Unsaid
    index, target = _affine(arguments.linear_index, names), _affine(arguments.linear_target, names)
    return f"add_element({index}, {_affines(arguments.exprs, names)}, {target})"


def _table(arguments: Any, names: Sequence[str]) -> str:
    flat, width = list(arguments.values), len(arguments.exprs)
    if not width:
        raise _Unsaid
    rows = [tuple(flat[at : at + width]) for at in range(0, len(flat), width)]
    method = "add_forbidden_assignments" if arguments.negated else "add_allowed_assignments"
    return f"{method}({_affines(arguments.exprs, names)}, {rows})"


def _inverse(arguments: Any, names: Sequence[str]) -> str:
    direct, inverse = ([names[v] for v in some] for some in (arguments.f_direct, arguments.f_inverse))
    return f"add_inverse([{', '.join(direct)}], [{', '.join(inverse)}])"


def _arcs(method: str) -> Callable[[Any, Sequence[str]], str]:
    def written(arguments: Any, names: Sequence[str]) -> str:
        arcs = zip(arguments.tails, arguments.heads, arguments.literals, strict=True)
        return f"{method}([{', '.join(f'({t}, {h}, {_literal(literal, names)})' for t, h, literal in arcs)}])"

    return written


def _automaton(arguments: Any, names: Sequence[str]) -> str:
    steps = list(zip(arguments.transition_tail, arguments.transition_label, arguments.transition_head, strict=True))
    start, final = arguments.starting_state, list(arguments.final_states)
    return f"add_automaton({_affines(arguments.exprs, names)}, {start}, {final}, {steps})"


def _target(method: str) -> Callable[[Any, Sequence[str]], str]:
    def written(arguments: Any, names: Sequence[str]) -> str:
        target = _affine(arguments.target, names)
        if method in ("add_division_equality", "add_modulo_equality"):
            dividend, divisor = (_affine(expression, names) for expression in arguments.exprs)
            return f"{method}({target}, {dividend}, {divisor})"
        return f"{method}({target}, {_affines(arguments.exprs, names)})"

    return written


CALLS: Mapping[str, Callable[[Any, Sequence[str]], str]] = {
    "bool_or": _of_literals("add_bool_or"),
    "bool_and": _of_literals("add_bool_and"),
    "bool_xor": _of_literals("add_bool_xor"),
    "at_most_one": _of_literals("add_at_most_one"),
    "exactly_one": _of_literals("add_exactly_one"),
    "linear": _linear,
    "all_diff": lambda a, names: f"add_all_different({_affines(a.exprs, names)})",
    "element": _element,
    "table": _table,
    "inverse": _inverse,
    "circuit": _arcs("add_circuit"),
    "routes": _arcs("add_multiple_circuit"),
    "automaton": _automaton,
    "lin_max": _target("add_max_equality"),
    "int_prod": _target("add_multiplication_equality"),
    "int_div": _target("add_division_equality"),
    "int_mod": _target("add_modulo_equality"),
}
"""The call of CpModel that makes a constraint of this kind, given its arguments and the variables' names."""
