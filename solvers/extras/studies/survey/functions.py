"""The survey as a function."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from inspect import signature
from typing import Any

from solvers.base.errors import InputError
from solvers.extras.studies.survey import runs
from solvers.extras.studies.survey.rows import DIFFICULTY, Survey
from solvers.extras.studies.survey.variant import Variant
from solvers.extras.studies.survey.variants import (
    Row,
    columns,
    fill_in,
    placeholder_values,
    placeholders,
    product_of,
    split_values,
    split_variant,
    values_of,
    vary,
)
from solvers.files.catalogue import find, in_collection
from solvers.outputs.paths import check_paths, inputs
from solvers.show.plain import number_with_unit
from solvers.terminal.calls import Named, options_of, path_of, question
from solvers.terminal.progress import below_cell


def survey_variants(
    puzzle: Named, values: Mapping[str, Any] | None = None, /, *, grade: bool = False, **arguments: Any
) -> Survey:
    """Solve many variants of a puzzle.

    Parameters
    ----------
    puzzle
        As for `solve`. Puzzles of the collection and of files are solved in ``jobs`` processes, others in this one.
    values
        For each parameter of the puzzle one value, or several as a list, a tuple or a range. All combinations are
        solved. A parameter that takes several texts has them as on the command line, such as ``define=["n=3..8"]``.
        Any other name is a placeholder: its numbers replace ``{name}`` in the texts, as in ``{"board": "{n}x{k}", "n":
        range(1, 5), "k": "1..n"}``. The path of a file is handed to the puzzle as it is.
    grade
        Whether rows have the parts of their grade as well, as `grade` finds them, in the rest of the time limit; they
        are then sorted by difficulty.
    **arguments
        Options as for `solve`; ``backend``, ``symmetry``, ``breaking``, ``jobs`` and ``seed`` may be lists, and vary
        like parameters.

    Returns
    -------
    Survey
        A row for each variant. The row of a variant that was refused has the reason.

    Raises
    ------
    InputError
        If all variants are refused, or as for `solve`.

    Examples
    --------
    >>> from models.magic import magic
    >>> from solvers.extras.studies.survey.functions import survey_variants
    >>> survey = survey_variants(magic, {"kind": ["blocks", "ring"], "corners": [True, False]}, jobs=1)
    >>> [row.solutions for row in survey], [row.arguments["kind"] for row in survey.only("unique")]
    ([1, 47, 6, 6], ['blocks'])
    """
    single, several_options = split_values(arguments)
    options = options_of(single)
    chosen = dict(values or {})
    # The name or path by which other processes find the puzzle; None if there is none.
    file = path_of(puzzle) or (in_collection(puzzle) if callable(puzzle) else None)
    named = puzzle if file is None else file
    numbers = {name: chosen.pop(name) for name in _names_of_placeholders(puzzle, file, chosen)}
    # The parameters of each variant, and the numbers of its placeholders; then those with defaults; then these with
    # each combination of options. `split_variant` returns the parameters without placeholders, and the options.
    variants, varying = _combinations(puzzle, file, chosen, numbers)
    # (name, parameters with defaults, function that declares the puzzle) for each variant.
    questions = [question(named, split_variant(variant, options)[0]) for variant in variants]
    with_defaults = [{**variant, **parameters} for variant, (_, parameters, _) in zip(variants, questions, strict=True)]
    every_variant = vary("survey", with_defaults, several_options)
    name, _, declare = questions[0]
    check_paths(inputs(file or "", {}, options.given, drawing=None), {"store": options.store})
    if options.store is not None and file is None:
        raise InputError(f"{name}: a store needs a puzzle that is given by its name or path")
    declaring_function = declare if file is None else None
    row_by_place: dict[int, Row] = {}
    with below_cell() as bar:

        def show_rows() -> None:
            """Show how many variants have a row."""
            bar.show_progress(
                lambda: f"{name}: {len(row_by_place)} of {number_with_unit(len(every_variant), 'variants')}",
                lambda: len(row_by_place) / len(every_variant),
            )

        runs.collect(
            row_by_place, file or name, declaring_function, every_variant, options, threading.Event(), show_rows, grade
        )
    # If no parameter has several values, and there is no placeholder, all chosen parameters get columns.
    parameter_columns = varying or ([] if numbers else list(chosen))
    varied, variant_columns = columns(parameter_columns, every_variant, several_options, numbers)
    rows = [
        Variant({**every_variant[place], **variant_columns[place]}, row_by_place[place])
        for place in range(len(every_variant))
    ]
    # A variant that is refused because it cannot have a solution counts as complete, with 0 solutions.
    if all(row.refused and not row.complete for row in rows):
        raise InputError(rows[0].refused)
    survey = Survey(name, varied, rows)
    return survey.sorted(DIFFICULTY) if grade else survey


def _combinations(
    puzzle: Named, file: str | None, chosen: Mapping[str, Any], numbers: Mapping[str, Any]
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return (the chosen parameters of each variant, the names of those parameters that may vary).

    file: the name or path of the puzzle, or None if it has none. chosen: for each parameter one value or several.
    numbers: for each placeholder, such as n in the text {n}x{n}, one value or several. Raises `InputError` for values
    that are not allowed, and if there are no combinations, or too many. The names in braces are filled in: a filling is
    the number of each placeholder.
    """
    fillings = placeholder_values({name: [value] if _is_one(value) else value for name, value in numbers.items()})
    values = {**chosen, **_values_to_combine(file, chosen)}
    values_of_varied = {
        name: [*value] for name, value in values.items() if isinstance(value, Iterable) and not _is_one(value)
    }
    name = file or str(getattr(puzzle, "__name__", "puzzle"))
    variants = [
        fill_in({**values, **combination}, filling)
        for filling in fillings
        for combination in product_of(name, values_of_varied)
    ]
    return variants, list(values_of_varied)


def _names_of_placeholders(puzzle: Named, file: str | None, chosen: Mapping[str, Any]) -> list[str]:
    """Return the names among the values that stand in braces in others, and are no parameters of the puzzle.

    Such a name is a placeholder: {"board": "{n}x{n}", "n": [3, 4]} has n. file: the name or path of the puzzle, or None
    if it has none. chosen: the values by name.
    """
    lists = (value if isinstance(value, (list, tuple)) else [value] for value in chosen.values())
    # The names of values that stand in braces in some text.
    names = placeholders([text for texts in lists for text in texts if isinstance(text, str)], chosen)
    if not names:
        return []
    parameters = [parameter.name for parameter in find(file).parameters] if file else signature(puzzle).parameters  # type: ignore[arg-type]
    return [name for name in names if name not in parameters]


def _values_to_combine(file: str | None, chosen: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return all combinations of values for the chosen parameters that take several texts and are given texts, by name.

    Such a parameter takes ["n=3..4", "m=7"], which is one value each for n=3 and n=4. file: the name or path of the
    puzzle, or None if it has none. Raises `InputError` for values that are not allowed.
    """
    if file is None:
        return {}
    return {
        parameter.name: values_of(parameter, chosen[parameter.name])
        for parameter in find(file).parameters
        if parameter.repeated
        and isinstance(parameter_value := chosen.get(parameter.name), (list, tuple))
        and all(isinstance(text, str) for text in parameter_value)
    }


def _is_one(value: object) -> bool:
    """Tell whether a value is one value of a parameter, not several."""
    return isinstance(value, (str, bytes, Mapping))
