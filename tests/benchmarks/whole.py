"""Whole commands beside the quickest program that a user could take instead: python -m tests.benchmarks.whole

Needs miniexact and pyganak (pip install '.[confirm]') and Debian's minizinc and flatzinc; a row whose program is
missing is left out. Each pair of commands runs in turn, --repeat times. Counted are the seconds of all processors, with
those of started processes; the least of each command. A count that is not the known one makes it fail.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from statistics import geometric_mean
from tempfile import TemporaryDirectory, TemporaryFile
from typing import NamedTuple

from tabulate import tabulate

from tests.benchmarks import parser

HEAD = 'include "alldifferent.mzn"; include "circuit.mzn";\n'
TAIL = "\nsolve :: int_search(key, first_fail, indomain_min) satisfy;\noutput [show(key)];\n"

MAGIC = """array[1..16] of var 1..16: key; constraint alldifferent(key);
constraint forall (r in 0..3) (sum (c in 1..4) (key[4*r+c]) = 34 /\\ sum (c in 0..3) (key[r+1+4*c]) = 34);
constraint key[1] + key[6] + key[11] + key[16] = 34 /\\ key[4] + key[7] + key[10] + key[13] = 34;
constraint key[1] < key[4] /\\ key[1] < key[13] /\\ key[1] < key[16] /\\ key[4] < key[13];"""

COSTAS = """array[1..9] of var 1..9: key; constraint alldifferent(key);
constraint forall (d in 1..7) (alldifferent([key[i+d] - key[i] | i in 1..9-d]));"""

GANAK = """import pyganak, sys
counter, shown = pyganak.Counter(), []
for line in open(sys.argv[1]):
    words = line.split()
    if words[:3] == ["c", "p", "show"]:
        shown = [int(word) for word in words[3:-1]]
    elif words[0] not in "cp":
        counter.add_clause([int(word) for word in words[:-1]])
counter.set_sampling_set(shown)
print(counter.count())
"""


class Workload(NamedTuple):
    """The same work for a command of ours and for another program, each with the number that it has to find."""

    name: str
    ours: Sequence[str]
    total: int
    program: str
    theirs: Sequence[str]
    number: int


def knights() -> str:
    """Closed knight's tours of 6x6 in MiniZinc: the successor of each square, the first step fixed."""
    leaps = [(a, b) for a in (-2, -1, 1, 2) for b in (-2, -1, 1, 2) if abs(a) != abs(b)]
    lines = ["array[1..36] of var 1..36: key; constraint circuit(key); constraint key[1] = 9;"]
    for row in range(6):
        for column in range(6):
            squares = [(row + a, column + b) for a, b in leaps]
            near = [6 * r + c + 1 for r, c in squares if 0 <= r < 6 and 0 <= c < 6]
            lines.append(f"constraint key[{6 * row + column + 1}] in {{{', '.join(map(str, near))}}};")
    return "\n".join(lines)


def projected() -> str:
    """A random formula of 60 variables, of which 30 are shown."""
    draw = Random(5)
    clauses = [[draw.choice((-1, 1)) * variable for variable in draw.sample(range(1, 61), 3)] for _ in range(150)]
    shown = f"c p show {' '.join(map(str, range(1, 31)))} 0\n"
    return f"p cnf 60 150\n{shown}" + "".join(f"{' '.join(map(str, clause))} 0\n" for clause in clauses)


def workloads(folder: Path) -> list[Workload]:
    """The workloads; their files are written into the folder."""
    run = [sys.executable, "-m", "solvers.run"]

    def cover(name: str, words: Sequence[str], total: int, number: int, *further: str) -> Workload:
        file = str(folder / f"{words[0]}{len(words)}.dlx")
        subprocess.run([sys.executable, "-m", "solvers", "export", words[0], file, *words[1:], *further], check=True)
        return Workload(name, [*run, *words], total, "miniexact", ["miniexact", "-c", "-e", "-D", file], number)

    def numbers(name: str, words: Sequence[str], total: int, model: str, number: int) -> Workload:
        file = folder / f"{words[-1]}.mzn"
        file.write_text(f"{HEAD}{model}{TAIL}")
        return Workload(
            name, [*run, *words], total, "Gecode", ["minizinc", "--solver", "Gecode", "-a", str(file)], number
        )

    formula, counter = folder / "projected.cnf", folder / "ganak.py"
    formula.write_text(projected())
    counter.write_text(GANAK)
    return [
        cover("pentominoes 6x10", ["pentomino"], 9356, 2339),
        cover("8x8 with a hole", ["pentomino", "--board", "8x8-centre"], 520, 65),
        cover("queens 12", ["queens", "--n", "12"], 14200, 14200, "--symmetry", "none"),
        cover("Langford 12", ["langford", "--n", "12"], 216288, 108144),
        numbers("magic squares 4", ["magic", "--kind", "square", "--order", "4"], 7040, MAGIC, 880),
        numbers("Costas 9", ["costas", "--n", "9"], 760, COSTAS, 760),
        numbers("knight's cycles 6x6", ["cycles", "--traveller", "knight"], 9862, knights(), 9862),
        Workload(
            "projected formula",
            [*run, str(formula), "--count-only"],
            2940749,
            "Ganak",
            [sys.executable, str(counter), str(formula)],
            2940749,
        ),
    ]


def seconds_of(command: Sequence[str], number: int) -> float:
    """The processor seconds of a command, which has to find this number."""
    with TemporaryFile("w+") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        _, _, used = os.wait4(process.pid, 0)
        output.seek(0)
        text = output.read()
    told = (
        re.search(r"solutions in all +(\d+)", text)
        or re.search(r"Found (\d+)", text)
        or re.fullmatch(r"\s*(\d+)\s*", text)
    )
    found = text.count("----------") or int(told[1] if told else -1)
    if found != number:
        raise SystemExit(f"{' '.join(command)} finds {found}, not {number}: {text[-200:]}")
    return used.ru_utime + used.ru_stime


def main() -> None:
    chosen = parser(__doc__, repeat=3, time_limit=600).parse_args()
    rows, ratios = [], []
    with TemporaryDirectory() as folder:
        for workload in workloads(Path(folder)):
            if shutil.which(workload.theirs[0]) is None:
                continue
            pairs = [
                (seconds_of(workload.ours, workload.total), seconds_of(workload.theirs, workload.number))
                for _ in range(chosen.repeat)
            ]
            ours, theirs = (min(column) for column in zip(*pairs, strict=True))
            ratios.append(ours / theirs)
            rows.append([workload.name, f"{ours:.2f}", workload.program, f"{theirs:.2f}", f"{ours / theirs:.1f}"])
    print(tabulate(rows, headers=["workload", "kazoeru", "program", "its seconds", "ratio"], disable_numparse=True))
    print(f"geometric mean of the ratios: {geometric_mean(ratios):.1f}")


if __name__ == "__main__":
    main()
