"""The error of puzzles whose parameters are not possible."""


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
