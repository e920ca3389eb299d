"""python -m solvers.run PUZZLE (or FILE): count every solution of a puzzle."""

import argparse
import gc
import os
import shlex
import shutil
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from models import PUZZLES
from solvers.backends.registry import backend_kind
from solvers.errors import InputError, Stopped
from solvers.files.catalogue import Declaration, find
from solvers.terminal.command import (
    DONE,
    ENDED_BY,
    INCOMPLETE,
    NO,
    SYMMETRIES,
    Parser,
    add_given,
    add_parameters,
    command,
    complain,
    count,
    gigabytes,
    heed_signals,
    seconds,
    seed,
)

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from models.puzzle import Puzzle
    from solvers.options import Options
    from solvers.outputs.marginals import MarginalsFile
    from solvers.outputs.pictures import GalleryFile, SvgFolder
    from solvers.outputs.solutions import SolutionsFile
    from solvers.running.runner import Run


HASTE = 1.0
"""Seconds for the pictures of a run that was told to stop."""

EPILOG = """PUZZLE is a name (see --list) or a file of your own: .py, .cnf, .pbtxt, .pb or
.dlx. A Python file is run when it is loaded, the other formats run nothing.

examples:
  python -m solvers.run pentomino --help            a puzzle's own parameters
  python -m solvers.run pentomino --backend cover
  python -m solvers.run magic --kind ring --draw 6
  python -m solvers.run mine.cnf --solutions all.txt"""


def main(words: list[str]) -> int:
    """The command; returns its exit code."""
    first = Parser(add_help=False)
    _add_options(first)
    first.add_argument("puzzle", nargs="?")
    first.add_argument("-h", "--help", action="store_true")
    chosen, _ = first.parse_known_args(words)
    if chosen.list:
        print("\n".join(f"{name:12} {find(name).summary}" for name in PUZZLES))
        return DONE
    if chosen.list_backends:
        return _list_backends()
    if chosen.runs is not None:
        return _tell_runs(chosen.runs)
    if chosen.puzzle is None:
        parser(None).parse_args(words)
        raise InputError("name a puzzle, such as pentomino; --list shows all of them, --help the options")
    declaration = find(chosen.puzzle)
    whole = parser(declaration)
    if chosen.help:
        _own_help(declaration).print_help()
        return DONE
    code = _run(declaration, whole.parse_args(words))
    if declaration.name in PUZZLES:  # a file of one's own may leave something open, which garbage collection closes
        gc.freeze()
    return code


def parser(declaration: Declaration | None) -> Parser:
    """The command line of a puzzle: its own parameters and the runner's options."""
    result = Parser(
        prog=f"python -m solvers.run {declaration.name if declaration else 'PUZZLE'}",
        usage="%(prog)s [OPTION ...]",
        description="Count every solution of a puzzle.",
        epilog=EPILOG,
    )
    result.add_argument("puzzle", nargs="?", help=argparse.SUPPRESS)
    _add_options(result)
    if declaration:
        add_parameters(result, declaration)
    return result


def _own_help(declaration: Declaration) -> Parser:
    """Shows the parameters of one puzzle, and says where the options of all are."""
    values = [(own.option, str(own.default)) for own in declaration.parameters if own.kind is str and own.default]
    words = [declaration.name, *(values[0] if values else ())]
    result = Parser(
        prog=f"python -m solvers.run {declaration.name}",
        usage="%(prog)s [OPTION ...]",
        description=textwrap.fill(declaration.summary, 78),
        epilog=f"All other options: python -m solvers.run --help\nExample: python -m solvers.run {shlex.join(words)}",
    )
    add_parameters(result.add_argument_group(f"parameters of {declaration.name}"), declaration)
    return result


def _add_options(parser: argparse.ArgumentParser) -> None:
    run = parser.add_argument_group("the run")
    run.add_argument(
        "--backend", default="auto", metavar="NAME", help="auto, cp-sat, cp, sat, sat:NAME or cover (default: auto)"
    )
    run.add_argument("--all", action="store_true", help="break no symmetry; visit every solution")
    run.add_argument(
        "--symmetry",
        choices=SYMMETRIES,
        default="declared",
        metavar="KIND",
        help="declared, found or none (default: declared)",
    )
    add_given(run)
    run.add_argument(
        "--unique",
        action="store_true",
        help="ask whether there is just one (exit code 0 or 4)",
    )
    run.add_argument("--count-only", action="store_true", help="keep no solutions; on cover, do not list them")
    run.add_argument(
        "--memory", type=gigabytes, metavar="GB", help="memory for that count (default: most that is free)"
    )
    run.add_argument("--limit", type=count, metavar="N", help="end at N solutions")
    run.add_argument("--time-limit", type=seconds, metavar="S", help="end after S seconds")
    run.add_argument("--jobs", type=count, metavar="N", help="processors (default: all; 1 starts no process)")
    run.add_argument("--cubes", type=count, metavar="N", help="split into at most N parts (default: the backend's)")
    run.add_argument("--seed", type=seed, default=0, metavar="N", help="of the solver and of --sample (default: 0)")
    run.add_argument("--estimate", action="store_true", help="predict nodes and time of an exact cover, and end")
    run.add_argument("--store", metavar="FILE", help="remember what was searched, and go on from there")
    run.add_argument("--cluster", metavar="ADDRESS", help="search on the Dask cluster of this scheduler")
    run.add_argument(
        "--solver-parameter",
        type=_setting,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="hand this to the solver as it is; may be repeated",
    )
    output = parser.add_argument_group("output")
    output.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    output.add_argument("--solutions", metavar="FILE", help="write each solution: JSON lines, or drawings (.txt)")
    output.add_argument(
        "--which",
        metavar="FILE",
        help="say whether what FILE shows is one, and which",
    )
    output.add_argument("--draw", type=count, metavar="K", help="show the first K solutions (default: 1)")
    output.add_argument("--gallery", metavar="FILE", help="write a page (HTML) with pictures of all solutions")
    output.add_argument("--svg", metavar="FOLDER", help="write a picture (SVG) of each solution")
    output.add_argument(
        "--marginals",
        metavar="FILE",
        help="how often each literal holds (.json, .csv, .svg, .txt)",
    )
    output.add_argument("--sample", type=count, metavar="N", help="draw N solutions, each with the same chance")
    output.add_argument("--export", metavar="FILE", help="write the model (.cnf, .pbtxt or .dlx), and end")
    output.add_argument("--certify", metavar="DIR", help="leave a proof of the count, for solvers.check")
    output.add_argument("--quiet", action="store_true", help="no line of progress on the terminal")
    output.add_argument("--runs", metavar="FILE", help="tell what a store holds")
    output.add_argument("--list", action="store_true", help="list the puzzles")
    output.add_argument("--list-backends", action="store_true", help="list the backends that work here")


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} sets no parameter; write NAME=VALUE")
    return name, value


def _run(declaration: Declaration, chosen: argparse.Namespace) -> int:
    from solvers.options import Options
    from solvers.outputs.marginals import MarginalsFile
    from solvers.outputs.solutions import SolutionsFile
    from solvers.running.runner import Run

    backend_kind(chosen.backend)
    unlisted = {
        "--count-only": chosen.count_only,
        "--limit": chosen.limit,
        "--unique": chosen.unique,
        "--export": chosen.export is not None,
    }
    for option, is_chosen in unlisted.items():
        if chosen.certify is not None and is_chosen:
            raise InputError(f"a certificate lists all solutions, which {option} does not; leave one of them out")
    _check_output(chosen)
    arguments = {parameter.name: getattr(chosen, parameter.name) for parameter in declaration.parameters}
    parameters = dict(chosen.solver_parameter)
    options = Options(
        chosen.backend,
        chosen.all,
        chosen.limit,
        chosen.time_limit,
        chosen.seed,
        parameters,
        cubes=chosen.cubes,
        count_only=chosen.count_only,
        memory=chosen.memory,
        symmetry=chosen.symmetry,
        unique=chosen.unique,
        marginals=chosen.marginals is not None,
        sample=chosen.sample,
        given=chosen.given,
        store=chosen.store,
        which=chosen.which,
    )
    if chosen.export is not None:
        return _export(partial(declaration.declare, **arguments), chosen)
    if chosen.estimate:
        return _estimate(declaration.declare(**arguments), options)
    if chosen.cluster is not None:
        from solvers.cubes.cluster import Cluster

        cluster = Cluster(chosen.cluster)
        options = replace(options, executor=cluster, jobs=cluster.jobs)
    if chosen.jobs:
        options = replace(options, jobs=chosen.jobs)
    marginals = MarginalsFile(chosen.marginals) if chosen.marginals is not None else None
    declare = partial(_suitable, declaration, marginals, is_certified=chosen.certify is not None)
    run = Run(declaration.name, arguments, declare, options)
    with _certificate(chosen.certify) as directory:
        file = SolutionsFile(chosen.solutions) if chosen.solutions is not None else None
        outputs = [*_picture_files(chosen), *([marginals] if marginals else [])]
        heed_signals(run.stop)
        _search(run, file, chosen)
        missing = _finish(run, file, outputs)
        if directory and run.report.complete and not run.report.stopped_by:
            _certify(run, directory)
    report = run.report
    if report.which and not chosen.json:
        print(report.which["sentence"])
    elif chosen.json:
        print(report.as_json())
    else:
        most = chosen.draw or (0 if chosen.sample else 2 if report.unique is False else 1)
        marginals_told = str(run.marginals) if run.marginals else ""
        parts = (report.as_table(), report.answer(), marginals_told, _drawings(run, most), _samples(run))
        print("\n\n".join(filter(None, parts)))
    code = ENDED_BY.get(report.stopped_by, INCOMPLETE)
    if code != DONE:
        reservations = [
            *([] if report.complete else ["the counts are lower bounds"]),
            *(["whether there is just one is not known"] if chosen.unique and report.unique is None else []),
            *(["there is no certificate"] if directory else []),
            *filter(None, missing),
        ]
        bound = "".join(f"; {sentence}" for sentence in reservations)
        complain(f"{report.puzzle}: ended by {report.stopped_by} after {report.seconds['all']:.1f} s{bound}", code)
    is_no = report.unique is False or (report.which or {}).get("solution") is False
    return NO if code == DONE and is_no else code


def _estimate(puzzle: "Puzzle", options: "Options") -> int:
    from solvers.backends.cover import asked_cover
    from solvers.cover.estimate import estimate
    from solvers.cover.search import Tables
    from solvers.running.prepare import stated
    from solvers.symmetry.breaking import break_symmetry

    stop = threading.Event()
    model, key, group, _ = stated(puzzle, options.symmetry, options.given, stop)
    cover = asked_cover(model, key.variables, {})
    if not options.all:
        with suppress(InputError):  # then the search visits every solution too
            cover = asked_cover(break_symmetry(model, group), key.variables, {})
    print(estimate(Tables(cover, options.seed), options.seed, stop).as_table())
    return DONE


def _tell_runs(path: str) -> int:
    """A store's run, and the sessions that worked on it."""
    from tabulate import tabulate

    from solvers.cubes.store import read

    content = read(path)
    rows = [(name, value) for name, value in content.identity.items() if name not in ("model", "order of items")]
    headers = ["backend", "jobs", "seconds", "cubes", "ended by"]
    sessions: list[Sequence[object]] = [*content.sessions]
    if "order of items" in content.identity:
        done = content.progress
        rows.append(("counted", f"{done.layer} of {done.layers} layers, {done.states} states" if done else "no layer"))
        headers.remove("cubes")
        sessions = [(*session[:3], session.ending) for session in content.sessions]
    else:
        rows += [
            ("searched", f"{content.searched:.2%}, {content.cubes} cubes"),
            ("solutions met", str(content.solutions)),
        ]
    print(tabulate(rows, tablefmt="plain", disable_numparse=True))
    print()
    print(tabulate(sessions, headers=headers, floatfmt=".1f"))
    return DONE


def _export(declare: "Callable[[], Puzzle]", chosen: argparse.Namespace) -> int:
    """Write the model in a thread of its own, so that signals and the time limit are heeded whatever that does."""
    from solvers.outputs.export import export
    from solvers.running.runner import GRACE

    written: Future[dict[str, int]] = Future()
    stop = threading.Event()
    reasons: list[str] = []

    def write() -> None:
        try:
            how = {"every": chosen.all, "symmetry": chosen.symmetry, "given": chosen.given}
            written.set_result(export(declare(), chosen.export, **how, stop=stop))
        except BaseException as error:  # of whatever kind: the thread that waits has to hear of it
            written.set_exception(error)

    heed_signals(reasons.append)
    threading.Thread(target=write, daemon=True).start()
    began = time.perf_counter()
    while not (reasons or written.done()):
        wait([written], timeout=0.1)
        if chosen.time_limit is not None and time.perf_counter() - began > chosen.time_limit:
            reasons.append("the time limit")
    if reasons:
        stop.set()
        wait([written], timeout=GRACE)
    if reasons and not (written.done() and written.exception() is None):
        return complain(f"{chosen.export} was not written: ended by {reasons[0]}", ENDED_BY.get(reasons[0], INCOMPLETE))
    try:
        size = written.result()
    except OSError as error:
        return complain(f"{chosen.export} was not written: {error.strerror}", INCOMPLETE)
    print(f"{chosen.export}: {', '.join(f'{count} {unit}' for unit, count in size.items())}")
    return DONE


def _suitable(declaration: Declaration, marginals: "MarginalsFile | None", is_certified: bool, **arguments: Any) -> Any:
    """The puzzle, if what is asked for can be had of it; it would be a pity to learn that after a long search."""
    puzzle = declaration.declare(**arguments)
    if marginals:
        marginals.check(puzzle)
    if is_certified:
        from solvers.outputs.certificate import lowered

        lowered(puzzle)
    return puzzle


def _certificate(path: str | None) -> "AbstractContextManager[Path | None]":
    """The directory for a certificate, if one is asked for."""
    if path is None:
        return nullcontext()
    from solvers.outputs.certificate import new_directory

    return new_directory(path)


def _certify(run: "Run", directory: Path) -> None:
    from solvers.outputs.certificate import certify

    try:
        certify(run, directory)
    except Stopped:
        pass
    except OSError as error:
        run.stop(f"an error in writing the certificate: {error.strerror}")


def _check_output(chosen: argparse.Namespace) -> None:
    """Raises `InputError` where what is asked for does not go together."""
    files = {"--solutions": chosen.solutions, "--gallery": chosen.gallery, "--svg": chosen.svg}
    for option, value in {**files, "--draw": chosen.draw}.items():
        if chosen.count_only and value is not None:
            task = "write" if option in files else "show"
            raise InputError(
                f"--count-only keeps no solutions, so {option} has nothing to {task}; leave one of them out"
            )
    if chosen.json and chosen.draw:
        raise InputError("--json prints nothing else; leave out --draw")
    paths = [os.path.realpath(path) for path in (*files.values(), chosen.marginals) if path]
    if len(set(paths)) < len(paths):
        raise InputError("two outputs would go to the same file; give each a name of its own")


def _picture_files(chosen: argparse.Namespace) -> "list[GalleryFile | SvgFolder]":
    if chosen.gallery is None and chosen.svg is None:
        return []
    from solvers.outputs.pictures import GalleryFile, SvgFolder

    gallery = [GalleryFile(chosen.gallery)] if chosen.gallery is not None else []
    return [*gallery, *([SvgFolder(chosen.svg)] if chosen.svg is not None else [])]


def _search(run: "Run", file: "SolutionsFile | None", chosen: argparse.Namespace) -> None:
    """Run to the end, with a line of progress; what is found goes to the file."""
    from solvers.terminal.progress import Progress

    progress = Progress(chosen.quiet)
    try:
        for solution in run:
            progress.show(run.report)
            if solution is None:
                continue
            if file:
                file.add(solution)
    except OSError as error:
        run.stop(_in_writing(error, file.part if file else ""))
    finally:
        progress.clear()


def _finish(
    run: "Run", file: "SolutionsFile | None", outputs: "Sequence[GalleryFile | SvgFolder | MarginalsFile]"
) -> list[str]:
    """Write what can only be written at the end; sentences on what there was no time for."""
    began = time.perf_counter()
    is_in_haste = ENDED_BY.get(run.report.stopped_by, INCOMPLETE) != DONE
    missing = []
    path: object = file.part if file else ""
    try:
        if file and run.collector:
            question = run.collector.question
            file.finish(question.puzzle, map(question.key.decode, run.collector.in_order()))
        for output in outputs:
            path = output.path
            missing.append(output.finish(run, HASTE / len(outputs) if is_in_haste else float("inf")))
    except OSError as error:
        run.stop(_in_writing(error, path))
    run.report.seconds["output"] = time.perf_counter() - began
    return missing


def _in_writing(error: OSError, path: object) -> str:
    return f"an error in writing {error.filename or path}: {error.strerror}"


def _drawings(run: "Run", most: int) -> str:
    """The first solutions in the run's order, as text; what it means that there is none."""
    from solvers.show import draw

    if run.collector is None:
        return ""
    puzzle, in_order = run.collector.question.puzzle, run.collector.in_order()
    if not in_order:
        return puzzle.unsolved if run.report.complete and not run.report.total else ""
    found = map(run.collector.question.key.decode, in_order[:most])
    texts = [draw.solution(puzzle, solution, draw.in_colour(sys.stdout)).split("\n") for solution in found]
    if most > 1:
        texts = [[str(number), *lines] for number, lines in enumerate(texts, 1)]
    return draw.side_by_side(texts, shutil.get_terminal_size().columns)


def _samples(run: "Run") -> str:
    """What was drawn from all solutions, as text."""
    from solvers.show import draw

    if not run.samples or run.collector is None:
        return ""
    puzzle = run.collector.question.puzzle
    texts = [draw.solution(puzzle, sample, draw.in_colour(sys.stdout)).split("\n") for sample in run.samples]
    titled = [[f"sample {number}", *lines] for number, lines in enumerate(texts, 1)]
    return draw.side_by_side(titled, shutil.get_terminal_size().columns)


def _list_backends() -> int:
    from solvers.backends.sat import capabilities

    flaws = capabilities()
    print("auto      sat where all variables are Boolean and nothing is optimised, else cp-sat")
    print("cp-sat    OR-Tools CP-SAT")
    print("cp        OR-Tools' original constraint solver, which propagates and searches, and learns nothing")
    print("cover     our search for exact covers")
    print("sat       the default of PySAT's solvers, which are:")
    print("\n".join(f"  sat:{name}" for name, flaw in flaws.items() if not flaw))
    print("\n".join(f"  ({name} {flaw})" for name, flaw in flaws.items() if flaw))
    return DONE


if __name__ == "__main__":
    sys.exit(command(main))
