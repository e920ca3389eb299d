"""What is compiled ahead, so that no later run has to wait for it."""

import pytest

from tests.support.command import python, refusal, run

PREPARE = "solvers.extras.shared.prepare"


@pytest.mark.thorough
def test_nothing_is_left_to_compile() -> None:
    done = run(PREPARE)
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split(" ...")[0] for line in done.stdout.splitlines()] == [
        f"preparing {part}"
        for part in (
            "the search of exact covers",
            "the check of exclusions",
            "unit propagation",
            "certificates",
            "disassembly",
            "counts by layers",
        )
    ]
    code = "from solvers.model import compiled; compiled._compile_apart = None; "
    code += f"from {PREPARE} import main; assert main([]) == 0"
    again = python(code)
    assert again.returncode == 0, again.stderr


def test_what_it_does_not_take() -> None:
    assert "unrecognized arguments: magic" in refusal("magic", module=PREPARE)
