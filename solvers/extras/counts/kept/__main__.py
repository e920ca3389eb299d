"""python -m solvers kept FILE: asks a count that was kept, without counting again."""

import argparse
import json
import sys
import time
from collections import Counter
from typing import Any

from tabulate import tabulate

from models.puzzle import EMPTY
from solvers.base.endings import DONE
from solvers.base.errors import InputError
from solvers.base.options import count, valid_seed
from solvers.extras.counts.kept.file import KeptCount
from solvers.files.solutions import as_json
from solvers.show import draw
from solvers.show.plain import plain_label
from solvers.show.printable import printable
from solvers.show.versions import source_checksum, versions
from solvers.terminal.arguments import Parser, typed
from solvers.terminal.command import EndedEarly, aside, command, complain


def main(words: list[str]) -> int:
    """Run the command ``kept`` with the words of its command line and print the answers.

    Returns the exit code. Raises `InputError` if the file or an option is wrong.
    """
    parser = Parser(
        prog="python -m solvers kept",
        description="Query a count that `run --keep FILE` has saved, for all solutions or those with some givens.",
        epilog="example: python -m solvers kept pentominoes.kept --given 'row 1 column 1 = X' --sample 2",
    )
    parser.add_argument("file", help="what --keep has written")
    parser.add_argument(
        "--given",
        action="append",
        default=[],
        metavar="GIVEN",
        help="LABEL=VALUE, or another form that `run --given` accepts",
    )
    parser.add_argument("--marginals", action="store_true", help="in how many solutions each literal holds")
    parser.add_argument("--sample", type=typed(count), metavar="N", help="draw N, each with the same chance")
    parser.add_argument("--seed", type=typed(valid_seed), default=0, metavar="N", help="of --sample (default: 0)")
    parser.add_argument("--pieces", metavar="NAME", help="count solutions by how many pieces of this name they use")
    parser.add_argument("--cell", metavar="CELL", help="count solutions by what lies on a cell, such as '3 4'")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    chosen = parser.parse_args(words)
    try:
        print(aside(lambda stop: _answer_text(chosen)), flush=True)
    except EndedEarly as early:
        return complain(f"{chosen.file}: ended by {early}", early.code)
    return DONE


def _answer_text(chosen: argparse.Namespace) -> str:
    """Return the text that the command prints, or one JSON object, for its parsed options.

    Raises `InputError` if the file or an option is wrong. chosen: the parsed options.
    """
    kept = KeptCount(chosen.file)
    if (chosen.pieces is not None or chosen.cell is not None) and not kept.puzzle.fills:
        raise InputError(f"{kept.puzzle.name} does not say which pieces lie where")
    began = time.perf_counter()
    total, given = kept.count(chosen.given), chosen.given
    answer: dict[str, Any] = {"puzzle": kept.puzzle.name, "given": given, "of": kept.total, "total": total}
    marginals = kept.marginals(given) if chosen.marginals or chosen.cell is not None else None
    samples = kept.sample(chosen.sample, given, chosen.seed) if chosen.sample else []
    if chosen.marginals and marginals is not None:
        answer["marginals"] = [[label, value, number] for (label, value), number in marginals.items()]
    if chosen.sample:
        answer["samples"] = [json.loads(as_json(sample)) for sample in samples]
    if chosen.pieces is not None:
        answer["pieces"] = _by_pieces(kept, chosen.pieces, given)
    if chosen.cell is not None and marginals is not None:
        answer["cell"] = _on_cell(kept, marginals, chosen.cell)
    answer["seconds"] = time.perf_counter() - began
    answer |= {"versions": versions(), "checksums": {"model": kept.checksum, "kazoeru": source_checksum()}}
    if chosen.json:
        return json.dumps(answer, default=plain_label)
    tables = [answer[name] for name in ("pieces", "cell") if name in answer]
    parts = [f"{total} of {kept.total} solutions in all, {1000 * answer['seconds']:.0f} ms"]
    for table in tables:
        rows = [(printable(str(name)), number) for name, number in table.items()]
        parts.append(tabulate(rows, tablefmt="plain", disable_numparse=True))
    parts += [str(marginals)] if chosen.marginals else []
    return "\n\n".join([*parts, *(draw.solution(kept.puzzle, sample) for sample in samples)])


def _by_pieces(kept: KeptCount, name: str, given: list[str]) -> dict[int, int]:
    """Return the number of solutions with each number of pieces of this name.

    given: facts that the solutions have. Raises `InputError` if no piece has the name.
    """
    fills = kept.puzzle.fills
    assert fills
    named = {label: fills(label, 1)[0] for label in kept.key.labels}
    if name not in named.values():
        raise InputError(f"no piece is called {name!r}; choose {', '.join(sorted({*named.values()} - {EMPTY}))}")
    return kept.by(lambda label: int(named[label] == name), given)


def _on_cell(kept: KeptCount, marginals: Any, text: str) -> dict[str, int]:
    """Return the number of solutions with each piece on a cell, by the piece's name.

    The most frequent piece comes first. marginals: the number of solutions for each literal. text: the cell, such as "3
    4" for row 3 and column 4, from 1. Raises `InputError` if the text names no cell.
    """
    fills, found = kept.puzzle.fills, Counter[str]()
    assert fills
    try:
        cell = tuple(int(part) - 1 for part in text.split())
    except ValueError:
        raise InputError(f"{text!r} is not a cell; write '3 4' for row 3, column 4") from None
    for (label, value), number in marginals.items():
        name, cells = fills(label, value)
        if value and cell in map(tuple, cells):
            found[name] += number
    if not found:
        raise InputError(f"nothing can lie on {text!r}; name another cell, '3 4' for row 3, column 4")
    return dict(found.most_common())


if __name__ == "__main__":
    sys.exit(command(main))
