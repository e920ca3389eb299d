"""Checkers of refutations that are formally verified and not ours: cake_lpr, and the LRAT checker of ACL2.

cake_lpr: Y. K. Tan, M. Heule, M. Myreen, "Verified propagation redundancy and compositional UNSAT checking in CakeML",
STTT 2023; verified down to its machine code. ACL2: M. Heule, W. Hunt, M. Kaufmann, N. Wetzler, "Efficient, verified
checking of propositional proofs", ITP 2017; verified, but for Lisp and the host on which it runs.
"""

from __future__ import annotations

import shlex
from typing import NamedTuple

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

    def shell_command(self, cnf: str, lrat: str) -> str:
        """Return the command that checks a refutation, as a person types it in a shell.

        cnf, lrat: the paths of the formula and of the refutation.
        """
        command = shlex.join(word.format(cnf=cnf, lrat=lrat) for word in self.words)
        text = self.text.format(cnf=cnf, lrat=lrat)
        return f"echo {shlex.quote(text)} | {command}" if text else command


VERIFIED_CHECKERS = (
    VerifiedChecker(("cake_lpr", "{cnf}", "{lrat}")),
    VerifiedChecker(("acl2",), f'(include-book "{ACL2_BOOK}" :dir :system) (lrat::lrat-check "{{cnf}}" "{{lrat}}")'),
)
"""The known checkers; the one with the smallest trusted base comes first."""
