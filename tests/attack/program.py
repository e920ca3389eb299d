"""Writes a model as the lines of Python that build it, so that a failure can be seen without the attack."""

from ortools.sat.python.cp_model import CpModel


def lines_of(model: CpModel) -> list[str]:
    """Lines that make ``model``, and each of its variables under its name, equal to this one; a rule is a line."""
    proto = model.clone().proto
    lines = ["model = CpModel()"]
    for index, variable in enumerate(proto.variables):
        lines.append(f"{name_of(model, index)} = model.new_int_var_from_domain({_domain(variable)}, {variable.name!r})")
    lines += [f"model.proto.constraints.add().parse_text_format({_text(ct)!r})" for ct in proto.constraints]
    lines += [f"model.proto.assumptions.append({literal})" for literal in proto.assumptions]
    for field in ("objective", "floating_point_objective"):
        if getattr(proto, f"has_{field}")():
            lines.append(f"model.proto.{field}.parse_text_format({_text(getattr(proto, field))!r})")
    return lines


def name_of(model: CpModel, index: int) -> str:
    """The name of a variable in these lines."""
    names = [variable.name for variable in model.proto.variables]
    is_plain = all(name.isidentifier() for name in names) and len(set(names)) == len(names)
    return names[index] if is_plain else f"v{index}"


def _domain(variable: object) -> str:
    return f"Domain.from_flat_intervals({list(variable.domain)})"  # type: ignore[attr-defined]


def _text(part: object) -> str:
    return " ".join(str(part).split())
