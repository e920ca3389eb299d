"""What commands answer that come to their end."""

import json
from pathlib import Path
from typing import Any

from tests.support.command import HERE, RUN, run


def printed(*words: str, module: str = RUN, code: int = 0, folder: Path = HERE) -> str:
    """What the command prints; its exit code has to be this one."""
    done = run(module, *words, folder=folder)
    assert done.returncode == code, done.stderr
    return done.stdout


def told(*words: str, module: str = RUN, code: int = 0) -> Any:
    """The same as JSON."""
    return json.loads(printed(*words, "--json", module=module, code=code))
