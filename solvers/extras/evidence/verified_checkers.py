"""Checkers of refutations that are formally verified and not ours: cake_lpr, and the LRAT checker of ACL2.

cake_lpr: Y. K. Tan, M. Heule, M. Myreen, "Verified propagation redundancy and compositional UNSAT checking in CakeML",
STTT 2023; verified down to its machine code. ACL2: M. Heule, W. Hunt, M. Kaufmann, N. Wetzler, "Efficient, verified
checking of propositional proofs", ITP 2017; verified, but for Lisp and the host on which it runs.
"""

from __future__ import annotations

import shlex
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from solvers.base.errors import CheckError, InputError
from solvers.extras.evidence.checker.check import OUT_OF_MEMORY, PROOF_ENDING, decompress
from solvers.extras.shared.programs import run_program

ACL2_BOOK = "projects/sat/lrat/stobj-based/run"
"""The book of ACL2 that has the checker."""


class VerifiedChecker(NamedTuple):
    """A formally verified checker, which reads a formula and a refutation in text LRAT and prints "s VERIFIED"."""

    words: tuple[str, ...]
    """The command; {cnf} and {lrat} represent the paths of the two files, here and in the text."""

    text: str = ""
    """What the program reads on standard input."""

    @property
    def program(self) -> str:
        """The name of the program."""
        return self.words[0]

    def run(self, cnf: Path, lrat: Path) -> str:
        """Check a refutation and return what the program prints.

        No shell is started. Raises `Stopped` once this thread has to stop.
        """
        words = [word.format(cnf=cnf, lrat=lrat) for word in self.words]
        return run_program(words, self.text.format(cnf=cnf, lrat=lrat), merge=True).stdout

    def shell_command(self, cnf: str, lrat: str) -> str:
        """Return the same as a command that a person can type in a shell."""
        command = shlex.join(word.format(cnf=cnf, lrat=lrat) for word in self.words)
        text = self.text.format(cnf=cnf, lrat=lrat)
        return f"echo {shlex.quote(text)} | {command}" if text else command


VERIFIED_CHECKERS = (
    VerifiedChecker(("cake_lpr", "{cnf}", "{lrat}")),
    VerifiedChecker(("acl2",), f'(include-book "{ACL2_BOOK}" :dir :system) (lrat::lrat-check "{{cnf}}" "{{lrat}}")'),
)
"""The known checkers; the one with the smallest trusted base comes first."""


def check_by_verified(directory: Path, checkers: Sequence[VerifiedChecker] = VERIFIED_CHECKERS) -> str:
    """Let the first installed of some verified checkers read the refutation of a certificate.

    Return the checker's name. checkers: the checkers to try. Raises `InputError` if none is installed, `CheckError` if
    the checker does not accept the refutation, `MemoryError` if its memory is too small, `Stopped` once this thread is
    told to stop.
    """
    checker_found = next((checker for checker in checkers if shutil.which(checker.program)), None)
    if checker_found is None:
        raise InputError("no verified checker is installed: install cake_lpr, or Debian's acl2-books, acl2-books-certs")
    (cnf,), (proof,) = directory.glob("*.cnf"), directory.glob(f"*{PROOF_ENDING}")
    with tempfile.TemporaryDirectory() as scratch:
        lrat = Path(scratch) / "text.lrat"
        decompress(proof, lrat)
        answer = checker_found.run(cnf.resolve(), lrat)
    if any(phrase in answer for phrase in OUT_OF_MEMORY):
        raise MemoryError
    if "s VERIFIED" not in answer:
        raise CheckError(f"{checker_found.program} does not accept the refutation in {directory.name}")
    return checker_found.program
