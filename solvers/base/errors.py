"""Every exception of the project but that of puzzles, `models.errors.ParameterError`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

_commands: list[None] = []
"""An entry for each command that runs in this process."""


def word_for_command() -> None:
    """Let the messages of this process name options as a command line does, from now on."""
    _commands.append(None)


@contextmanager
def command_wording() -> Iterator[None]:
    """Let the messages in the block name options as a command line does, rather than as Python does."""
    word_for_command()
    try:
        yield
    finally:
        _commands.pop()


def is_worded_for_command() -> bool:
    """Tell whether messages name options as a command line does."""
    return bool(_commands)


class _Sentence(Exception):
    """The base of errors whose message says everything; IPython shows it without a traceback."""

    def _render_traceback_(self) -> list[str]:
        """Return the lines that IPython shows in place of a traceback."""
        return [f"{type(self).__name__}: {self}", *getattr(self, "__notes__", ())]


class InputError(_Sentence, ValueError):
    """Raised if the input is invalid, or what was asked for is not possible.

    The message is one sentence for the user. Options that the library has too are quoted: "leave out `--given`" and
    "choose `--symmetry none`". A command prints them without the quotes; elsewhere they are keyword arguments:
    ``given=...`` and ``symmetry='none'``.
    """

    in_python: Callable[[str], str] = staticmethod(str)
    in_command: Callable[[str], str] = staticmethod(str)
    """They return a message in Python's or a command's words; `solvers.base.options`, which knows the options, puts its
    functions here."""

    def __str__(self) -> str:
        """Return the sentence, in the words of a command or of Python."""
        sentence = super().__str__()
        return self.in_command(sentence) if _commands else self.in_python(sentence)


@contextmanager
def errors_with_name(name: object) -> Iterator[None]:
    """Make a ValueError of the block an `InputError` that begins with a name; an `InputError` stays as it is."""
    try:
        yield
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"{name}: {error}") from None


class InUseError(InputError):
    """Raised if a file is in use by another run."""


class CheckError(Exception):
    """Raised for an internal contradiction that should never happen.

    Examples are a solution that fails a check, one that symmetry breaking should have excluded, and a wrong count.
    """


class Stopped(Exception):
    """Raised if a search was told to stop before it had searched the whole space."""


class WrongSymmetryError(CheckError):
    """Raised if a declared symmetry is wrong; `catalogue.blame_declaration` decides whose mistake that is."""

    def __init__(self, names: str, does: str) -> None:
        """Take the names of the symmetries, one of which is wrong, and a verb phrase that says what is wrong."""
        super().__init__(names, does)
        self.names, self.does = names, does

    def __str__(self) -> str:
        """Return the names and what is wrong with one of them, as a sentence."""
        return f"{self.names} {self.does}"


class WrongCheckError(CheckError):
    """Raised if a puzzle's own check refuses a solution of its model; the message shows the solution."""


class StoreError(_Sentence):
    """Raised if a store could not be written; the message says which and why."""


class WorkerDiedError(_Sentence):
    """Raised if one worker after another died on the same cube.

    The message is one sentence that names the cube.
    """


class ExecutorError(_Sentence):
    """Raised if an executor of the user failed, or a task that it ran; the message is one sentence."""


class BudgetError(_Sentence):
    """Raised if a count would exceed its memory budget.

    The message says how far it came and what it would need.
    """


class NoCoverError(InputError):
    """Raised if a model is not an exact cover; the message says why."""


class TooManyClausesError(InputError):
    """Raised if a formula would have too many clauses."""
