"""Names of functions are verbs in the imperative, nouns of the field or questions, never participles or vague words."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent.parent

PARTICIPLES = set(
    "told shown drawn written found met kept held given known seen said made built sent begun done gone taken chosen "
    "broken hidden spoken sought thought caught laid won bound worn grown thrown fed led shed meant felt understood "
    "stood stated carried tried applied".split()
)

NO_PARTICIPLES = {"seed", "need", "feed", "speed", "embed", "exceed", "proceed", "bed", "red"}
"""Words in -ed that are none."""

VAGUE = set(
    "of own some one by at both either among apart another new only other others rest half whole room place places "
    "part parts say says tell hold holds holding keeping lacking where words work do is for since under over beside "
    "behind together within without plain next note noting again alike all any and or same few more further less none "
    "every several there right true way ways goes put take look why what which after before aside inner outside inside "
    "near nearest soon heed heeding use uses least meet kind".split()
)
"""Words that say nothing alone."""

TYPED_BY_USERS = {"where", "whole", "only", "sorted", "which", "why", "coloured_packing"}
"""Names of the public API: of commands, of a puzzle, and of methods that one calls on results."""


def functions(path: Path) -> Iterator[ast.FunctionDef]:
    """The functions of a module that are no properties and do not override those of Python's own classes."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef) and not any("property" in ast.unparse(d) for d in node.decorator_list):
            yield node


def is_vague(name: str) -> bool:
    """Whether a name begins with a participle, or is a single vague word."""
    bare = name.strip("_")
    first = bare.split("_")[0]
    is_participle = bool(re.fullmatch(r"[a-z]{3,}ed", first)) and first not in NO_PARTICIPLES
    return is_participle or first in PARTICIPLES or bare in VAGUE


@pytest.mark.thorough
def test_functions_say_what_they_do_or_return() -> None:
    names = {
        f"{path.relative_to(HERE)}: {function.name}"
        for top in ("models", "solvers")
        for path in (HERE / top).rglob("*.py")
        for function in functions(path)
        if not function.name.startswith("__") and function.name not in TYPED_BY_USERS and is_vague(function.name)
    }
    assert names == {"solvers/running/searching.py: _put"}, "queue.Queue calls that one"
    assert [name for name in ("told_by", "_of", "write_page", "seed") if is_vague(name)] == ["told_by", "_of"]
