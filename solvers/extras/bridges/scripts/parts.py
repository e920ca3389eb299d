"""The parts of a program that are run one after another: a Python file is one, a notebook has one for each cell."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from models.boards.compressed import ending
from solvers.files.load import read, read_decompressed

RUN_MAGIC = re.compile(r"%%?(time|timeit|capture|prun|python3?)\b[^\n]*")
"""The magic commands of IPython before code that is run in this process."""

LINE_MAGIC = re.compile(r"%(time|timeit|prun)\s+(-[a-z]+\s*\d*\s+)*")
"""The same at the beginning of a line with code."""


def program_parts(program: Path) -> Iterator[tuple[str, Any]]:
    """Yield (name, code) for each part of a program: of a notebook, one for each cell of code.

    Lines for IPython, such as %matplotlib inline or !pip, are left out; %time and %%time, which run code, are not.

    Raises ValueError if it is no notebook, SyntaxError for code that is no Python, `InputError` if the file cannot be
    read.
    """
    path = str(program.resolve())
    if ending(program) != ".ipynb":
        yield path, compile(read(program), path, "exec")
        return
    for number, source in enumerate(_cells(read_decompressed(program)), 1):
        name = f"{path}, cell {number}"
        yield name, compile(_without_magic(source), name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


def _cells(content: bytes) -> Iterator[str]:
    """Yield the source of each cell of code of a notebook; raise ValueError if it is none.

    content: the file, JSON with a list of cells. A source is a text or a list of lines.
    """
    try:
        notebook = json.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start} is not text; this is not a notebook") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"line {error.lineno} is not JSON ({error.msg}); this is not a notebook") from None
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise ValueError("it has no list of cells; this is not a notebook of version 4")
    for number, cell in enumerate(notebook["cells"], 1):
        source = cell.get("source") if isinstance(cell, dict) else None
        if isinstance(source, list) and all(isinstance(line, str) for line in source):
            source = "".join(source)
        if not isinstance(source, str):
            raise ValueError(f"cell {number} of all cells has no text as its source; this is not a notebook")
        if cell.get("cell_type") == "code":
            yield source


def _without_magic(source: str) -> str:
    """Return the source of a cell without what only IPython understands, and with as many lines.

    The line of each syntax error is replaced, until there is none, or one that is no line of IPython. A cell that
    begins with %% and runs something else than Python becomes empty.

    >>> _without_magic("%matplotlib inline\\nx = 5 \\\\\\n% 3\\nif x:\\n  !ls\\n")
    'pass\\nx = 5 \\\\\\n% 3\\nif x:\\n  pass\\n'
    >>> _without_magic("%%time\\nx = 1"), _without_magic("%%bash\\nls"), _without_magic("%time x = 1")
    ('\\nx = 1', '', 'x = 1')
    """
    if source.lstrip().startswith("%%"):
        if not RUN_MAGIC.match(source.lstrip()):
            return ""
        source = RUN_MAGIC.sub("", source, count=1)
    lines = source.split("\n")
    for _ in lines:  # each line is replaced once at most
        try:
            ast.parse("\n".join(lines))
        except SyntaxError as error:
            line_place = (error.lineno or 1) - 1
            if line_place >= len(lines) or not (python_line := _python_line(lines[line_place])):
                break
            lines[line_place] = python_line
        else:
            break
    return "\n".join(lines)


def _python_line(line: str) -> str:
    """Return a line that only IPython understands as one of Python; "" for any other line.

    >>> [_python_line(line) for line in ("  !pip install x", "%timeit -n 1 f()", "files = !ls", "x = = 3")]
    ['  pass', 'f()', 'files = []', '']
    """
    text = line.lstrip()
    indent = line[: len(line) - len(text)]
    if matched := LINE_MAGIC.match(text):
        return indent + text[matched.end() :]
    if text.startswith(("%", "!", "?")) or text.rstrip().endswith("?"):
        return f"{indent}pass"
    if matched := re.match(r"\s*([\w, ]+)=\s*[!%]", line):
        return f"{indent}{matched[1].strip()} = []"
    return ""
