"""python -m solvers minizinc --install: a solver for MiniZinc, which then runs this command on FlatZinc files."""

import gc
import json
import os
import shlex
import shutil
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from solvers.base.backend_rows import backend_words
from solvers.base.endings import DONE
from solvers.base.errors import InputError, Stopped, errors_with_name
from solvers.base.options import Options, count, from_zero, valid_seed
from solvers.extras.bridges.minizinc.load import Loaded, configuration
from solvers.extras.bridges.minizinc.solve import improving, solution_limit, solution_text, statistics
from solvers.extras.bridges.minizinc.syntax import COMPLETE, UNKNOWN, UNSATISFIABLE
from solvers.terminal.arguments import Parser, argparse_reader
from solvers.terminal.command import EndedEarly, command, heed_signals, run_in_thread

if TYPE_CHECKING:
    from argparse import Namespace

    from solvers.outputs.output import Output
    from solvers.running.question import Question
    from solvers.running.runner import Run

FLAGS = ("-a", "-n", "-s", "-t", "-p", "-r", "-v", "-i", "-a-o", "-n-o")
"""The flags that MiniZinc passes on to a solver that knows them."""

EXTRA_FLAGS = (
    ("--backend", backend_words(), "string", "auto"),
    ("-b", "the same", "string", "auto"),
    ("--orbits", "find the symmetries, and show one solution of each orbit", "bool", "false"),
    ("--count-only", "show no solutions, only how many there are, among the statistics", "bool", "false"),
    ("--certify", "write a proof of the count to this new folder", "string", ""),
    ("--store", "save what has been searched in this file, and resume from there", "string", ""),
)
"""The flags of our own: MiniZinc shows them, and its IDE offers them."""

EPILOG = """after --install:
  minizinc --solver kazoeru -a model.mzn
  minizinc --solver kazoeru -a --orbits -s model.mzn"""


def main(words: list[str]) -> int:
    """Run the command ``minizinc`` with the words of its command line and return the exit code.

    It installs kazoeru as a solver of MiniZinc, or solves a file in FlatZinc: it searches for a best solution, or lists
    or counts solutions, as the flags say. The code is 0 even if a limit or a signal ended the run, because MiniZinc
    takes other codes for errors. Raises `InputError` for flags or a model that are wrong.
    """
    chosen = parser().parse_args(words)
    if chosen.install is not None:
        return _install(chosen.install)
    if chosen.file is None:
        raise InputError("name a file that ends in .fzn, or --install the solver; --help shows the options")
    with errors_with_name(chosen.file):
        loaded = Loaded(chosen.file)
    is_optimising = loaded.flat.goal != "satisfy"
    wants_best = chosen.all_optimal or chosen.optimal is not None or chosen.orbits or chosen.count_only
    is_improving = is_optimising and not (wants_best or chosen.certify or chosen.store)
    code = _improve(loaded, chosen) if is_improving else _enumerate(loaded, chosen, is_optimising)
    gc.freeze()  # no garbage is looked for when the process ends, which may take as long as to read the file
    return code


def parser() -> Parser:
    """Return the parser of the command line, with the flags that MiniZinc passes to solvers, and our own."""
    result = Parser(prog="python -m solvers minizinc", usage="%(prog)s [OPTION ...] FILE.fzn", epilog=EPILOG)
    result.add_argument("file", nargs="?", metavar="FILE.fzn", help="a model in FlatZinc")
    result.add_argument(
        "--install",
        nargs="?",
        const="",
        metavar="FOLDER",
        help="write kazoeru.msc into FOLDER (default: where MiniZinc looks)",
    )
    result.add_argument(
        "-a", dest="all", action="store_true", help="list all solutions; with an objective, improving ones"
    )
    result.add_argument(
        "-n", dest="number", type=argparse_reader(from_zero), metavar="N", help="list at most N solutions; 0 for all"
    )
    result.add_argument("-i", dest="intermediate", action="store_true", help="list improving solutions")
    result.add_argument("-a-o", dest="all_optimal", action="store_true", help="list all best solutions")
    result.add_argument(
        "-n-o", dest="optimal", type=argparse_reader(from_zero), metavar="N", help="list at most N best solutions"
    )
    result.add_argument("-s", dest="statistics", action="store_true", help="print statistics")
    result.add_argument(
        "-t", dest="milliseconds", type=argparse_reader(count), metavar="MS", help="stop after MS milliseconds"
    )
    result.add_argument(
        "-p", dest="jobs", type=argparse_reader(count), default=1, metavar="N", help="number of processors (default: 1)"
    )
    result.add_argument(
        "-r", dest="seed", type=argparse_reader(valid_seed), default=0, metavar="N", help="seed of the solver"
    )
    result.add_argument("-v", dest="verbose", action="store_true", help="accepted and ignored")
    for flag, meaning, type_name, default in EXTRA_FLAGS:
        if type_name == "bool":
            result.add_argument(flag, action="store_true", help=meaning)
        elif flag == "-b":
            result.add_argument(flag, dest="backend", default="auto", metavar="NAME", help=meaning)
        else:
            result.add_argument(flag, default=default or None, metavar=flag.strip("-").upper(), help=meaning)
    return result


def _install(folder: str) -> int:
    """Write the solver's configuration, ``kazoeru.msc``, and a start script into a folder; return the exit code.

    folder: where to write; if empty, the folder where MiniZinc looks for the user's solvers. Raises `InputError` if a
    file cannot be written.
    """
    target_folder = Path(folder or _folder_of_user()).absolute()
    program = target_folder / "fzn-kazoeru"
    package = str(Path(__file__).parents[4])  # the folder that has our packages
    # numpy's library of linear algebra, which is not used, would start a thread for each processor.
    settings_of_process = f"OPENBLAS_NUM_THREADS=1 PYTHONPATH={shlex.quote(package)}"
    python_command = f"{settings_of_process} exec {shlex.quote(sys.executable)} -P"
    script = f'#!/bin/sh\n{python_command} -m solvers minizinc "$@"\n'
    settings = configuration(str(program)) | {"stdFlags": FLAGS, "extraFlags": EXTRA_FLAGS}
    try:
        target_folder.mkdir(parents=True, exist_ok=True)
        program.write_text(script, encoding="utf-8")
        program.chmod(0o755)
        (target_folder / "kazoeru.msc").write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write to {target_folder}: {error.strerror}") from None
    print(f"{target_folder / 'kazoeru.msc'} is written; now: minizinc --solver kazoeru -a model.mzn")
    if folder:
        print(f"MiniZinc finds it there if it is told to: export MZN_SOLVER_PATH={shlex.quote(str(target_folder))}")
    return DONE


def _folder_of_user() -> str:
    """Return the path of the folder in which MiniZinc looks for a user's solvers."""
    if program := shutil.which("minizinc"):
        with suppress(ValueError, OSError, KeyError):
            answer = subprocess.run([program, "--config-dirs"], capture_output=True, text=True, check=False).stdout
            return str(json.loads(answer)["userSolverConfigDir"])
    return os.path.expanduser("~/.minizinc/solvers")


def _improve(loaded: Loaded, chosen: "Namespace") -> int:
    """Search for a best solution and print it, or every better one if the flags ask for that.

    At the end a line says whether the search was complete. Return the exit code, always 0. loaded: the model. chosen:
    the parsed options; its limit is in milliseconds.
    """
    best_text: list[str] = []  # the text of the best solution so far; empty if there is none
    shows_all = chosen.all or chosen.intermediate

    def print_improvement(solution: Any) -> None:
        """Keep the text of a better solution, and print it if every one is asked for."""
        best_text[:] = [solution_text(loaded, solution)]
        if shows_all:
            print(best_text[0], flush=True)

    def improve_until_stop(stop: threading.Event) -> bool:
        """Search until the event is set; return whether there is a solution."""
        return improving(loaded, chosen.backend, chosen.seed, stop, print_improvement)

    limit = chosen.milliseconds / 1000 if chosen.milliseconds else None
    is_complete, has_solution = True, False
    try:
        has_solution = run_in_thread(improve_until_stop, limit)
    except (EndedEarly, Stopped):
        is_complete = False
    if best_text and not shows_all:
        print(best_text[0])
    if is_complete:
        print(COMPLETE if has_solution else UNSATISFIABLE)
    elif not best_text:
        print(UNKNOWN)
    return DONE


def _enumerate(loaded: Loaded, chosen: "Namespace", is_optimising: bool) -> int:
    """List or count solutions in MiniZinc's form, as the flags say; return the exit code, always 0.

    The run yields solutions, and at times None, so that signals are heeded. With --certify, the solutions also go into
    a certificate. loaded: the model. chosen: the parsed flags. is_optimising: the model has an objective, so that only
    best solutions count. Raises `InputError` for flags that exclude each other.
    """
    from solvers.running.runner import Run

    limit = None if chosen.count_only else solution_limit(is_optimising, vars(chosen))
    if chosen.certify and (limit is not None or chosen.count_only):
        raise InputError("a certificate lists all solutions: ask for all of them (-a, or -a-o), without --count-only")
    options = Options(
        backend=chosen.backend,
        symmetry="found" if chosen.orbits else "none",
        count_only=chosen.count_only,
        limit=limit,
        time_limit=chosen.milliseconds / 1000 if chosen.milliseconds else None,
        jobs=chosen.jobs,
        seed=chosen.seed,
        store=chosen.store,
    )
    outputs: list[Output] = []
    if chosen.certify:
        from solvers.extras.evidence.certificate import CertificateFolder

        outputs.append(CertificateFolder(chosen.certify))

    def begin(question: "Question") -> None:
        """Begin the outputs, once the question of the run is known."""
        for output in outputs:
            output.begin(question)

    run = Run("model", {}, lambda: loaded.puzzle(os.path.basename(chosen.file), {}), options, begin)
    heed_signals(run.stop)
    for solution in run:
        if solution is None:  # all that has come so far is printed
            sys.stdout.flush()
            continue
        if not chosen.count_only:
            sys.stdout.write(solution_text(loaded, solution) + "\n")
        for output in outputs:
            output.add(solution)
    for output in outputs:
        output.finish(run, is_over=lambda: False)
    _conclude(run, chosen)
    return DONE


def _conclude(run: "Run", chosen: "Namespace") -> None:
    """Print MiniZinc's line for the end of a run, and the statistics if the flags ask for them.

    The line says that the solutions are all, that there is none, or, if the run ended early, that none is known. run:
    has the report. chosen: the parsed options.
    """
    report = run.report
    if report.complete:
        print(COMPLETE if report.total else UNSATISFIABLE)
    elif not report.total:
        print(UNKNOWN)
    if chosen.statistics or chosen.count_only:
        build_seconds = report.seconds["build"] or 0
        solve_seconds = (report.seconds["all"] or 0) - build_seconds
        facts: dict[str, object] = {
            "solutions": report.solutions,
            "total": report.total,
            "complete": "true" if report.complete else "false",
            "symmetries": report.symmetries,
            "method": report.method,
            "backend": report.backend,
            "initTime": round(build_seconds, 3),
            "solveTime": round(solve_seconds, 3),
            **report.statistics,
        }
        print("\n".join(statistics(facts)))


if __name__ == "__main__":
    sys.exit(command(main))
