"""Every exception of the project."""


class InputError(ValueError):
    """Raised if the input is invalid, or what was asked for is not possible.

    The message is one sentence for the user.
    """


class CheckError(Exception):
    """Raised for an internal contradiction that should never happen.

    Examples are a solution that fails a check, one that symmetry breaking should have excluded, and a wrong count.
    """


class Stopped(Exception):
    """Raised if a search was told to stop before it had searched the whole space."""


class WrongSymmetryError(CheckError):
    """Raised if a declared symmetry is wrong; `catalogue.blamed_on` decides whose mistake that is."""

    def __init__(self, names: str, does: str) -> None:
        """Take the names of the symmetries, one of which is wrong, and a verb phrase that says what is wrong."""
        super().__init__(names, does)
        self.names, self.does = names, does

    def __str__(self) -> str:
        """Return the names and what is wrong with one of them, as a sentence."""
        return f"{self.names} {self.does}"


class WrongCheckError(CheckError):
    """Raised if a puzzle's own check refuses a solution of its model; the message shows the solution."""


class StoreError(Exception):
    """Raised if a store could not be written; the message says which and why."""


class WorkerDiedError(Exception):
    """Raised if one worker after another died on the same cube.

    The message is one sentence that names the cube.
    """


class ExecutorError(Exception):
    """Raised if an executor of the user failed, or a task that it ran; the message is one sentence."""


class BudgetError(Exception):
    """Raised if a count would exceed its memory budget.

    The message says how far it came and what it would need.
    """


class NoCoverError(InputError):
    """Raised if a model is not an exact cover; the message says why."""


class TooManyClausesError(InputError):
    """Raised if a formula would have too many clauses."""
