"""The modules that a module imports, read from its source."""

import ast
from collections.abc import Iterable


def imported(nodes: Iterable[ast.AST]) -> set[str]:
    """By their names; for "from a import b" both a and a.b, as b may be a module."""
    found = set[str]()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found
