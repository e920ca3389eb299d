"""The error of puzzles whose parameters are not possible, and the numbers in its sentences."""


class ParameterError(ValueError):
    """Raised if a parameter of a puzzle is not possible, or a file that it names.

    The message is one sentence, with parameters in Python's words such as ``flip=False``. It says everything, so
    that IPython shows it without a traceback. A command says it in its own words.
    """

    def _render_traceback_(self) -> list[str]:
        """Return the lines that IPython shows in place of a traceback."""
        return [f"{type(self).__name__}: {self}"]


class NoSolutionError(ParameterError):
    """Raised if the parameters leave no solution, for a reason that the sentence gives, such as the areas of pieces."""


def number_with_unit(number: int, units: str) -> str:
    """Return a number with its unit, in the singular for 1; ``units`` is the plural.

    >>> [number_with_unit(1, units) for units in ("symmetries", "variables", "shown")], number_with_unit(2, "clauses")
    (['1 symmetry', '1 variable', '1 shown'], '2 clauses')
    """
    if number != 1:
        return f"{number} {units}"
    return f"1 {units[:-3]}y" if units.endswith("ies") else f"1 {units.removesuffix('s')}"
