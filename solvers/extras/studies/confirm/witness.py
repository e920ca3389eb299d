"""The notion of a witness: a way to count, with what it reads and by whose code.

Foreign means that the search and the count are not ours. What two witnesses share follows from what they read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from solvers.base.backend_rows import AS_COVER, CLAUSES, FLATZINC, READING
from solvers.show.evidence import DECLARED

FILE = "the author's file"
"""The name of the form that a witness reads as its author wrote it, and the part that all counts of a file share."""

FORMS: Mapping[str, tuple[str, Sequence[str]]] = {
    ".pbtxt": ("the declaration", ()),
    ".dlx": ("items and options", (AS_COVER,)),
    ".cnf": ("clauses", (READING, CLAUSES)),
    ".fzn": ("FlatZinc", (READING, FLATZINC)),
    ".items": ("items and options", ()),
    "file.cnf": (FILE, ()),
    "file.dlx": (FILE, ()),
    "file.fzn": (FILE, ()),
}
"""For each form of a model, by the ending of its file: its name, and the parts of our code that write it.

The form .items is that of the verified counter, which reads the declaration by code that nothing else uses. FlatZinc
that is made of clauses rests on `CLAUSES`, too. Forms that begin with "file" are the author's own file, as it is.
"""


CP_SAT = "OR-Tools' CP-SAT"
"""The name of the witness that reads the declaration as it is."""


@dataclass(frozen=True, kw_only=True)
class Witness:
    """A way to count a plain model by a process of its own."""

    name: str
    form: str
    """The form that it reads, of `FORMS`."""
    words: Callable[[str], Sequence[str]]
    """Returns its command for the path of a file."""
    is_missing: Callable[[], bool]
    """Tells whether it is not installed."""
    install: str
    """The command, or the page, by which it is installed."""
    version: Callable[[], str]
    licence: str = ""
    """The licence of a foreign program; empty for a way of ours."""
    also: Sequence[str] = ()
    """Parts of our code that it rests on besides those that write its form."""
    breaks_symmetry: bool = False
    asks_puzzle: bool = False
    """True if it declares the puzzle itself, by its name, and is given what any run is given."""
    probable: bool = False
    """True if its count is right with high probability only."""
    reads_input: bool = False
    """True if it reads the file as its standard input."""

    @property
    def is_cp_sat(self) -> bool:
        """Tell whether it is CP-SAT itself, which loses solutions of some models."""
        return self.name == CP_SAT

    @property
    def is_foreign(self) -> bool:
        """Tell whether the search and the count are by the code of others."""
        return bool(self.licence)

    @property
    def reads_file(self) -> bool:
        """Tell whether it reads the author's file as it is, so that it shares no reader of ours."""
        return self.form.startswith("file")

    @property
    def reads(self) -> str:
        """The name of what it reads."""
        return FORMS[self.form][0]

    @property
    def rests_on(self) -> list[str]:
        """The parts, besides the search itself, in which a mistake would make the count wrong."""
        if self.reads_file:
            return [FILE, *self.also]
        return [DECLARED, *FORMS[self.form][1], *self.also]
