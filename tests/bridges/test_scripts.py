"""Programs as they are: up to their model, whatever style they are written in."""

import json
import os
import signal
import sys
import textwrap
from pathlib import Path

import pytest

from solvers import InputError, solve
from solvers.extras.bridges.scripts import names
from solvers.files.catalogue import find
from solvers.terminal.calls import foreign_kind
from tests.support.command import (
    HERE,
    RUN,
    assert_ended_in_program,
    refusal,
    report_of,
    run,
    run_apart,
    start,
    wait_for,
)
from tests.support.own_models import write

ORTOOLS = "from ortools.sat.python import cp_model\nmodel = cp_model.CpModel()\n"
CPMPY = "import cpmpy as cp\n"

PROGRAMS = {
    "plain": (
        ORTOOLS
        + """
x = [model.NewIntVar(1, 5, f'x{i}') for i in range(3)]
for a, b in zip(x, x[1:]):
    model.Add(a < b)
cp_model.CpSolver().Solve(model)
""",
        10,
    ),
    "new names": (
        ORTOOLS
        + """
x = [model.new_int_var(1, 5, '') for i in range(3)]
model.add(x[0] < x[1])
model.add(x[1] < x[2])
status = cp_model.CpSolver().solve(model)
print(status)
""",
        10,
    ),
    "main guard": (
        """
from ortools.sat.python.cp_model import CpModel, CpSolver
def main():
    m = CpModel()
    a = m.new_int_var(0, 3, 'a')
    b = m.new_int_var(0, 3, 'a')
    m.add(a != b)
    s = CpSolver()
    s.solve(m)
if __name__ == '__main__':
    main()
""",
        12,
    ),
    "class": (
        ORTOOLS
        + """
class Board:
    def __init__(self, n):
        self.model = cp_model.CpModel()
        self.rows = [self.model.new_int_var(0, n - 1, 'row') for _ in range(n)]
        self.model.add_all_different(self.rows)
    def run(self):
        return cp_model.CpSolver().solve(self.model)
Board(3).run()
""",
        6,
    ),
    "callback": (
        ORTOOLS
        + """
x = model.new_int_var(0, 4, 'x')
class Show(cp_model.CpSolverSolutionCallback):
    def on_solution_callback(self):
        print('found')
solver = cp_model.CpSolver()
solver.parameters.enumerate_all_solutions = True
solver.solve(model, Show())
""",
        5,
    ),
    "all solutions": (
        ORTOOLS
        + """
x = model.NewBoolVar('x')
y = model.NewBoolVar('y')
model.AddBoolOr(x, y)
cp_model.CpSolver().SearchForAllSolutions(model, cp_model.CpSolverSolutionCallback())
""",
        3,
    ),
    "blocking loop": (
        ORTOOLS
        + """
x = model.new_int_var(0, 6, 'x')
solver = cp_model.CpSolver()
while solver.solve(model) == cp_model.OPTIMAL:
    model.add(x != solver.value(x))
""",
        7,
    ),
    "objective": (
        ORTOOLS
        + """
x = model.new_int_var(0, 4, 'x')
y = model.new_int_var(0, 4, 'y')
model.maximize(cp_model.LinearExpr.sum([x, y]))
model.add(x + y <= 6)
cp_model.CpSolver().solve(model)
""",
        3,
    ),
    "dictionary": (
        ORTOOLS
        + """
on = {(r, c): model.new_bool_var(f'{r}{c}') for r in range(2) for c in range(2)}
model.add(sum(on.values()) == 2)
cp_model.CpSolver().solve(model)
""",
        6,
    ),
    "argparse": (
        ORTOOLS
        + """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument('--size', type=int, default=4)
x = model.new_int_var(1, parser.parse_args().size, 'x')
cp_model.CpSolver().solve(model)
""",
        4,
    ),
    "bare except": (
        ORTOOLS
        + """
x = model.new_int_var(1, 3, 'x')
try:
    cp_model.CpSolver().solve(model)
except:
    pass
finally:
    raise ValueError('too late')
""",
        3,
    ),
    "many prints": (
        ORTOOLS
        + """
print('x' * 100_000)
x = model.new_int_var(1, 3, 'x')
cp_model.CpSolver().solve(model)
""",
        3,
    ),
    "input at its end": (
        ORTOOLS
        + """
try:
    n = int(input())
except EOFError:
    n = 2
x = model.new_int_var(1, n, 'x')
cp_model.CpSolver().solve(model)
""",
        2,
    ),
    "imported names": (
        """
from ortools.sat.python import cp_model as cp
import itertools
m = cp.CpModel()
v = [m.new_bool_var(str(i)) for i in range(4)]
for a, b in itertools.combinations(v, 2):
    m.add_at_most_one(a, b)
solver = cp.CpSolver()
solver.parameters.max_time_in_seconds = 1
solver.solve(m)
""",
        5,
    ),
    "no solution": (
        ORTOOLS
        + """
x = model.new_int_var(1, 3, 'x')
model.add(x > 3)
cp_model.CpSolver().solve(model)
""",
        0,
    ),
    "never solved": (
        ORTOOLS
        + """
x = model.new_int_var(1, 3, 'x')
""",
        3,
    ),
    "cpmpy model": (
        CPMPY
        + """
x = cp.intvar(1, 4, shape=3, name='x')
model = cp.Model(cp.AllDifferent(x))
""",
        24,
    ),
    "cpmpy solve": (
        CPMPY
        + """
x = cp.intvar(1, 4, shape=3)
model = cp.Model(cp.AllDifferent(x))
model.solve()
""",
        24,
    ),
    "cpmpy all": (
        CPMPY
        + """
x = cp.boolvar(shape=3)
cp.Model(cp.sum(x) == 1).solveAll(display=x)
""",
        3,
    ),
    "cpmpy in a function": (
        CPMPY
        + """
def queens(n):
    q = cp.intvar(1, n, shape=n)
    m = cp.Model(cp.AllDifferent(q), cp.AllDifferent(q + range(n)), cp.AllDifferent(q - range(n)))
    while m.solve():
        m += cp.any(q != q.value())
queens(4)
""",
        2,
    ),
    "cpmpy solver": (
        CPMPY
        + """
x = cp.intvar(1, 4, shape=2)
model = cp.Model(x[0] < x[1])
s = cp.SolverLookup.get('ortools', model)
s += x[0] != 2
s.solve()
""",
        4,
    ),
    "cpmpy solver class": (
        CPMPY
        + """
from cpmpy.solvers import CPM_ortools
x = cp.intvar(1, 3, shape=2)
s = CPM_ortools(cp.Model(x[0] != x[1]))
s.solveAll()
""",
        6,
    ),
    "cpmpy objective": (
        CPMPY
        + """
x = cp.intvar(0, 4, shape=2)
m = cp.Model(cp.sum(x) <= 6)
m.maximize(cp.sum(x))
m.solve()
""",
        3,
    ),
    "cpmpy main": (
        CPMPY
        + """
def main(n: int = 3):
    x = cp.intvar(1, n, shape=n)
    m = cp.Model([cp.AllDifferent(x)])
    print(m.solve())
if __name__ == '__main__':
    main()
""",
        6,
    ),
    "pysat": (
        """
from pysat.solvers import Solver
with Solver(name='g4', bootstrap_with=[[1, 2], [-1, -2]]) as s:
    s.solve()
""",
        2,
    ),
    "pysat clauses": (
        """
from pysat.solvers import Cadical153
s = Cadical153()
s.add_clause([1, 2, 3])
s.add_clause([-1])
print(s.solve())
""",
        3,
    ),
    "pysat enumeration": (
        """
from pysat.formula import CNF
from pysat.solvers import Glucose3
f = CNF(from_clauses=[[1, 2], [3, 4]])
with Glucose3(bootstrap_with=f.clauses) as g:
    for model in g.enum_models():
        print(model)
""",
        9,
    ),
    "pysat assumptions": (
        """
from pysat.solvers import Solver
s = Solver(bootstrap_with=[[1, 2, 3]])
s.solve(assumptions=[-1])
""",
        3,
    ),
    "pysat pool": (
        """
from pysat.formula import CNF, IDPool
from pysat.solvers import Solver
pool = IDPool()
f = CNF()
for who in 'ab':
    f.append([pool.id((who, seat)) for seat in (1, 2)])
f.append([-pool.id(('a', 1)), -pool.id(('b', 1))])
s = Solver()
s.append_formula(f)
s.solve()
""",
        5,
    ),
    "pysat main": (
        """
import sys
from pysat.solvers import Minisat22
def main():
    with Minisat22([[1], [2, 3]]) as m:
        return m.solve()
if __name__ == '__main__':
    sys.exit(main())
""",
        3,
    ),
    "array of numpy": (
        ORTOOLS
        + """
import numpy as np
x = np.empty((3, 3), dtype=object)
for i in range(3):
    for j in range(3):
        x[i, j] = model.NewIntVar(1, 3, '')
for i in range(3):
    model.AddAllDifferent(x[i, :])
    model.AddAllDifferent(x[:, i])
cp_model.CpSolver().Solve(model)
""",
        12,
    ),
    "series of pandas": (
        ORTOOLS
        + """
import pandas as pd
x = model.new_bool_var_series('x', index=pd.Index([f'item{i}' for i in range(6)]))
model.add(x.sum() == 3)
cp_model.CpSolver().solve(model)
""",
        20,
    ),
    "dataclass": (
        """
from dataclasses import dataclass, field
from ortools.sat.python.cp_model import CpModel, CpSolver, IntVar

@dataclass(slots=True)
class Person:
    name: str
    seat: IntVar

@dataclass
class Table:
    model: CpModel = field(default_factory=CpModel)
    people: list[Person] = field(default_factory=list)

    def add(self, name):
        self.people.append(Person(name, self.model.new_int_var(0, 2, '')))

table = Table()
for name in ('Ann', 'Bob', 'Cy'):
    table.add(name)
table.model.add_all_different([person.seat for person in table.people])
CpSolver().solve(table.model)
""",
        6,
    ),
    "schedule with named tuples": (
        """
import collections
from ortools.sat.python import cp_model

def main():
    jobs = [[(0, 3), (1, 2)], [(1, 2), (0, 1)]]
    model = cp_model.CpModel()
    task_type = collections.namedtuple('task_type', 'start end interval')
    tasks, machines = {}, collections.defaultdict(list)
    for j, job in enumerate(jobs):
        for k, (machine, duration) in enumerate(job):
            start = model.new_int_var(0, 8, f'start_{j}_{k}')
            end = model.new_int_var(0, 8, f'end_{j}_{k}')
            interval = model.new_interval_var(start, duration, end, f'interval_{j}_{k}')
            tasks[j, k] = task_type(start, end, interval)
            machines[machine].append(interval)
    for intervals in machines.values():
        model.add_no_overlap(intervals)
    for j in range(2):
        model.add(tasks[j, 1].start >= tasks[j, 0].end)
    makespan = model.new_int_var(0, 8, 'makespan')
    model.add_max_equality(makespan, [tasks[j, 1].end for j in range(2)])
    model.minimize(makespan)
    cp_model.CpSolver().solve(model)

main()
""",
        4,
    ),
    "thread": (
        ORTOOLS
        + """
import threading
def work():
    x = model.NewIntVar(1, 3, 'x')
    cp_model.CpSolver().Solve(model)
thread = threading.Thread(target=work)
thread.start()
thread.join()
""",
        3,
    ),
    "coroutine": (
        ORTOOLS
        + """
import asyncio
async def main():
    x = model.NewIntVar(1, 3, 'x')
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(None, cp_model.CpSolver().Solve, model)
asyncio.run(main())
""",
        3,
    ),
    "solver of one's own": (
        ORTOOLS
        + """
class Mine(cp_model.CpSolver):
    def solve(self, model, callback=None):
        print('mine')
        return super().solve(model, callback)
x = model.NewIntVar(1, 3, 'x')
Mine().solve(model)
""",
        3,
    ),
    "clone": (
        ORTOOLS
        + """
x = [model.NewIntVar(1, 3, '') for _ in range(3)]
model.AddAllDifferent(x)
cp_model.CpSolver().Solve(model.Clone())
""",
        6,
    ),
    "assumptions": (
        ORTOOLS
        + """
x = model.NewBoolVar('x')
y = model.NewBoolVar('y')
model.AddAssumptions([x])
cp_model.CpSolver().Solve(model)
""",
        2,
    ),
    "mark of the byte order": (
        "\ufeff"
        + ORTOOLS
        + """
x = model.NewIntVar(1, 3, 'x')
cp_model.CpSolver().Solve(model)
""",
        3,
    ),
    "cpmpy limit": (
        CPMPY
        + """
x = cp.intvar(0, 3, shape=2)
m = cp.Model(x[0] < x[1])
print(m.solveAll(solution_limit=2, display=lambda: print(x.value())))
""",
        6,
    ),
    "cpmpy assumptions": (
        CPMPY
        + """
a, b, c = cp.boolvar(3)
s = cp.SolverLookup.get('ortools', cp.Model(a | b | c))
print(s.solve(assumptions=[~a]))
""",
        3,
    ),
    "pysat bound": (
        """
from pysat.solvers import Minicard
with Minicard(bootstrap_with=[[1, 2, 3]]) as m:
    m.add_atmost([1, 2, 3], 1)
    for model in m.enum_models():
        print(model)
""",
        3,
    ),
    "pysat formula with bounds": (
        """
from pysat.formula import CNFPlus
from pysat.solvers import Solver
f = CNFPlus()
f.append([1, 2, 3])
f.append([[-1, -2, -3, -4], 1], is_atmost=True)
with Solver(name='mc', bootstrap_with=f) as s:
    print(s.solve())
""",
        5,
    ),
    "pysat blocking loop": (
        """
from pysat.solvers import Solver
with Solver(name='cadical153') as s:
    s.append_formula([[1, 2, 3]])
    while s.solve():
        s.add_clause([-literal for literal in s.get_model()])
""",
        7,
    ),
}
"""For each style a program, and the number of its solutions."""

STYLES = {
    "top to bottom": ["plain", "new names", "imported names", "cpmpy solve", "pysat clauses"],
    "a main function": ["main guard", "cpmpy main", "pysat main"],
    "a class": ["class", "cpmpy solver class"],
    "functions": ["cpmpy in a function"],
    "all solutions, with a callback or a display": ["callback", "all solutions", "cpmpy all", "pysat enumeration"],
    "a loop that blocks solutions": ["blocking loop", "pysat blocking loop"],
    "bounds beside clauses": ["pysat bound", "pysat formula with bounds"],
    "an objective": ["objective", "cpmpy objective"],
    "variables in dictionaries and pools": ["dictionary", "pysat pool"],
    "variables in tables of packages": ["array of numpy", "series of pandas"],
    "variables in records": ["dataclass", "schedule with named tuples"],
    "threads and coroutines": ["thread", "coroutine"],
    "a class of solvers, a copy of the model": ["solver of one's own", "clone"],
    "assumptions, and a limit of solutions": ["assumptions", "cpmpy assumptions", "cpmpy limit"],
    "a file of another editor": ["mark of the byte order"],
    "words and input": ["argparse", "input at its end"],
    "catches errors": ["bare except"],
    "a solver as a context or an object": ["pysat", "pysat assumptions", "cpmpy solver"],
    "prints, or nothing to find or to solve": ["many prints", "no solution", "never solved", "cpmpy model"],
}
"""The programs of each style."""

QUICK = ("plain", "pysat", "pysat pool", "dataclass", "pysat blocking loop")
"""Programs that start nothing that takes long."""

by_program = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.thorough) for name in PROGRAMS]
)


@by_program
def test_a_program_is_counted_as_it_is(name: str, tmp_path: Path) -> None:
    text, total = PROGRAMS[name]
    result = solve(write(tmp_path / "program.py", text), jobs=1)
    assert (result.complete, result.total) == (True, total)


@pytest.mark.thorough
def test_the_counts_are_those_of_the_libraries_themselves(tmp_path: Path) -> None:
    """Each library enumerates the solutions of its own model, in the program as it is."""
    assert sorted(name for names in STYLES.values() for name in names) == sorted(PROGRAMS)
    assert len(PROGRAMS) >= 40
    assert len(STYLES) >= 18
    paths = [write(tmp_path / f"program{n}.py", text) for n, (text, _) in enumerate(PROGRAMS.values())]
    done = run_apart("tests.bridges.own_enumeration", *map(str, paths))
    assert dict(zip(PROGRAMS, json.loads(done.stdout), strict=True)) == {n: total for n, (_, total) in PROGRAMS.items()}


@pytest.mark.thorough
def test_labels_are_the_names_in_the_program(tmp_path: Path) -> None:
    text = ORTOOLS + textwrap.dedent("""
        class Hall:
            def __init__(self):
                self.door = model.new_bool_var("")
        seat = {who: model.new_int_var(1, 2, "") for who in "ab"}
        grid = [[model.new_bool_var("") for _ in range(2)] for _ in range(1)]
        pair = {(1, 2): model.new_bool_var("own")}
        alone = model.new_bool_var("")
        hall = Hall()
        model.new_bool_var("hidden")
        for last in seat.values():
            pass
        cp_model.CpSolver().solve(model)
    """)
    path = write(tmp_path / "program.py", text)
    assert sorted(map(str, find(str(path)).declare().key)) == sorted(
        ["seat['a']", "seat['b']", "grid[0][0]", "grid[0][1]", "pair[1, 2]", "alone", "hall.door", "hidden"]
    )


def labels_of(text: str, tmp_path: Path) -> list[str]:
    """Return the labels of a program's variables."""
    path = write(tmp_path / "program.py", text)
    return [str(label) for label in find(str(path)).declare().key]


@pytest.mark.thorough
def test_names_that_cannot_be_looked_at_do_no_harm(tmp_path: Path) -> None:
    text = ORTOOLS + textwrap.dedent("""
        import enum
        class Wild:
            def __getattr__(self, name):
                raise RuntimeError(name)
        class Colour(enum.Enum):
            RED = 1
        wild = [Wild()]
        tint = {(Colour.RED, 2): model.new_bool_var("")}
        cp_model.CpSolver().solve(model)
    """)
    assert labels_of(text, tmp_path) == ["tint[Colour.RED, 2]"]


def test_names_of_a_model_that_is_not_solved(tmp_path: Path) -> None:
    text = ORTOOLS + "seat = {who: model.new_int_var(1, 2, '') for who in 'ab'}\n"
    assert labels_of(text, tmp_path) == ["seat['a']", "seat['b']"]


def test_names_of_a_program_beside_our_own_code(tmp_path: Path) -> None:
    frame = next(names.frames_of(str(HERE), sys._getframe()))
    assert frame.f_code.co_filename == __file__
    assert not names._is_in(str(HERE), names.__file__)


@pytest.mark.thorough
def test_a_model_in_a_module_beside_the_program(tmp_path: Path) -> None:
    write(
        tmp_path / "beside.py",
        ORTOOLS
        + textwrap.dedent("""
            class Builder:
                def __init__(self):
                    self.cells = {(i, j): model.new_bool_var("b") for i in range(2) for j in range(2)}
                    for i in range(2):
                        model.add_exactly_one(self.cells[i, j] for j in range(2))
                def run(self):
                    return cp_model.CpSolver().solve(model)
        """),
    )
    text = "from beside import Builder\nif __name__ == '__main__':\n    Builder().run()\n"
    assert labels_of(text, tmp_path) == ["cells[0, 0]", "cells[0, 1]", "cells[1, 0]", "cells[1, 1]"]


@pytest.mark.thorough
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_program_that_solves_in_a_pool_of_processes(tmp_path: Path) -> None:
    text = ORTOOLS + textwrap.dedent("""
        import multiprocessing
        def work(n):
            x = model.new_int_var(1, 3, "x")
            return cp_model.CpSolver().solve(model)
        if __name__ == "__main__":
            with multiprocessing.get_context("fork").Pool(2) as pool:
                print(pool.map(work, [1, 2, 3]))
    """)
    assert solve(write(tmp_path / "program.py", text), jobs=1, time_limit=20).total == 3


@pytest.mark.thorough
def test_words_behind_two_dashes_are_for_the_program(tmp_path: Path) -> None:
    path = str(write(tmp_path / "program.py", PROGRAMS["argparse"][0]))
    for words in (["--", "--size", "9"], ["--argument=--size", "--argument=9"]):
        done = run(RUN, path, "--json", *words)
        assert json.loads(done.stdout)["total"] == 9, done.stderr


@pytest.mark.thorough
def test_a_later_model(tmp_path: Path) -> None:
    path = str(write(tmp_path / "program.py", PROGRAMS["blocking loop"][0]))
    assert report_of(path, "--model", "3")["total"] == 5
    assert refusal(path, "--model", "10") == f"{path}: it calls a solver 8 times; there is no call 10"


@pytest.mark.thorough
def test_a_notebook(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["Text"]},
        {"cell_type": "code", "source": ["%matplotlib inline\n", *ORTOOLS.splitlines(keepends=True)]},
        {"cell_type": "code", "source": "x = model.new_int_var(1, 4, 'x')\ncp_model.CpSolver().solve(model)"},
    ]
    path = write(tmp_path / "lesson.ipynb", json.dumps({"cells": cells}))
    assert report_of(str(path))["total"] == 4
    cells.insert(2, {"cell_type": "code", "source": "1 / 0"})
    path = write(tmp_path / "wrong.ipynb", json.dumps({"cells": cells}))
    assert refusal(str(path)) == f"{path}, cell 2 line 1: ZeroDivisionError: division by zero"


@pytest.mark.thorough
def test_a_notebook_with_commands_of_ipython(tmp_path: Path) -> None:
    cells = [
        "!pip install something\n%load_ext autoreload",
        "%%bash\nexit 1",
        "%%time\n" + ORTOOLS,
        "text = '''\n% a line\n'''\nassert text.count('%') == 1\nif text:\n    !ls\nmodel?",
        "import asyncio\nawait asyncio.sleep(0)\ndisplay(text)\nget_ipython().run_line_magic('matplotlib', 'inline')",
        "x = model.new_int_var(1, 4, '')\n%time cp_model.CpSolver().solve(model)",
    ]
    path = tmp_path / "lesson.ipynb"
    write(path, json.dumps({"cells": [{"cell_type": "code", "source": source} for source in cells]}))
    assert [dict(one) for one in solve(path, jobs=1)] == [{"x": value} for value in range(1, 5)]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", ", line 1 is not JSON"),
        (b'{"cells": [\n', ", line 2 is not JSON"),
        (b"\xff\xfe", ": byte 0 is not text"),
        (b"[1]", ": it has no list of cells"),
        (b'{"cells": [{"cell_type": "code"}]}', ", cell 1 of all cells has no text as its source"),
        (b'{"cells": [{"cell_type": "code", "source": "x = 1\\nx = = 2"}]}', ", cell 1 line 2: SyntaxError: invalid"),
    ],
)
def test_a_damaged_notebook(content: bytes, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "lesson.ipynb"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        solve(path, jobs=1)
    assert str(caught.value).startswith(f"{path}{sentence}")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        pytest.param("print('nothing')\n", ": it declares no puzzle", marks=pytest.mark.thorough),
        ("import sys\nsys.exit(3)\n", ": it ends with exit code 3 before it solves a model"),
        ("import os\nos._exit(5)\n", ": it ends with exit code 5 before it solves a model"),
        ("x = 1\nx.y\n", ", line 2: AttributeError: 'int' object has no attribute 'y'"),
        ("import no_such_package\n", ", line 1: ModuleNotFoundError: No module named 'no_such_package'"),
        ("import sys\nsys.exit('give a file')\n", ": it exits before it solves a model, and says: give a file"),
        (
            "import argparse\np = argparse.ArgumentParser()\np.add_argument('file')\np.parse_args()\n",
            ": it ends with exit code 2 before it solves a model; words for the program come after --",
        ),
        pytest.param(
            "from ortools.sat.python.cp_model import CpModel\na = CpModel()\nb = CpModel()\n",
            ": it leaves several models (a, b); call one of them model",
            marks=pytest.mark.thorough,
        ),
        (
            "from pysat.examples.rc2 import RC2\nfrom pysat.formula import WCNF\nw = WCNF()\nw.append([1, 2])\n"
            "w.append([-1], weight=1)\nRC2(w).compute()\n",
            ", line 6: pysat.examples.rc2 asks a solver of PySAT something else",
        ),
    ],
)
def test_programs_without_a_model(text: str, sentence: str, tmp_path: Path) -> None:
    path = write(tmp_path / "program.py", text)
    with pytest.raises(InputError) as caught:
        solve(path, jobs=1)
    assert str(caught.value).startswith(f"{path}{sentence}")


@pytest.mark.thorough
def test_a_program_that_does_not_end_is_ended(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    text = f"import pathlib, time\npathlib.Path({str(begun)!r}).touch()\nwhile True:\n    time.sleep(1)\n"
    path = write(tmp_path / "program.py", text)
    done = run(RUN, str(path), "--time-limit", "1")
    assert (done.returncode, done.stderr.count("\n")) == (3, 1), done.stderr
    assert "ended by the time limit (the program is in line 4)" in done.stderr
    begun.unlink()
    process = start(RUN, str(path))
    wait_for(begun.exists)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=10)
    assert (process.returncode, said.count("\n")) == (143, 1), said


@pytest.mark.thorough
@pytest.mark.parametrize("words", [["export", "{}", "{}.cnf"], ["why", "{}"]], ids=" ".join)
def test_the_time_limit_of_every_command_covers_the_program(words: list[str], tmp_path: Path) -> None:
    assert_ended_in_program(words, tmp_path / "program.py")


@pytest.mark.thorough
def test_models_of_libraries_are_taken_as_they_are() -> None:
    cp_model = pytest.importorskip("ortools.sat.python.cp_model")
    model = cp_model.CpModel()
    x = model.new_int_var(1, 3, "x")
    y = model.new_int_var(1, 3, "y")
    model.add(x < y)
    assert foreign_kind(model) == "ortools"
    assert [dict(one) for one in solve(model)] == [{"x": 1, "y": 2}, {"x": 1, "y": 3}, {"x": 2, "y": 3}]
    formula = pytest.importorskip("pysat.formula").CNF(from_clauses=[[1, 2], [-1, -3]])
    assert (foreign_kind(formula), solve(formula).total) == ("pysat", 4)
