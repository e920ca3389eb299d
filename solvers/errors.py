"""Every exception of the project."""


class InputError(ValueError):
    """The input is invalid, or what was asked for is not possible; the message is one sentence for the user."""


class CheckError(Exception):
    """A failure that should never happen: a solution that is none, one that should have been broken away, a wrong
    count."""


class Stopped(Exception):
    """The search was told to stop before it had seen the whole space."""


class WrongSymmetryError(CheckError):
    """A declared symmetry is none. See `catalogue.blamed_on` for whose mistake that is."""

    def __init__(self, names: str, does: str) -> None:
        """names: of the symmetries of which one is wrong; does: what it does that it should not."""
        super().__init__(names, does)
        self.names, self.does = names, does

    def __str__(self) -> str:
        return f"{self.names} {self.does}"


class WrongCheckError(CheckError):
    """A puzzle's own check refuses what its model allows; the message shows it."""


class StoreError(Exception):
    """The file could not be written; the message says which and why."""


class WorkerDiedError(Exception):
    """A cube cost one worker after another; the message is one sentence that names it."""


class ExecutorError(Exception):
    """An executor that is not ours could not do its work, or what it ran failed; the message is one sentence."""


class BudgetError(Exception):
    """A count would take more memory than it may; the message says where it stood, and what the whole would take."""


class NoCoverError(InputError):
    """A model is not an exact cover; the message says what is in the way."""


class TooManyClausesError(InputError):
    """A formula would have too many clauses."""
