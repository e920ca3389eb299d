"""python -m solvers.run PUZZLE (or FILE): count every solution of a puzzle."""

import argparse
import gc
import shlex
import shutil
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from models import PUZZLES
from solvers.backends.registry import backend_kind
from solvers.endings import DONE, INCOMPLETE, NO, Ending
from solvers.errors import InputError, NoCoverError, Stopped
from solvers.files.catalogue import Declaration, blamed_on, find
from solvers.options import from_zero, refuse_conflicts
from solvers.outputs.paths import check_paths, inputs
from solvers.show.plain import counted
from solvers.show.printable import paint, printable
from solvers.terminal.arguments import Parser, add_options, add_parameters, chosen_options, typed
from solvers.terminal.command import Ended, aside, command, complain, heed_signals

if TYPE_CHECKING:
    from models.puzzle import Puzzle, Solution
    from solvers.invent.ask import Answer
    from solvers.options import Conflict, Inventing, Options
    from solvers.outputs.output import Output
    from solvers.running.question import Question
    from solvers.running.runner import Run

RUN_OPTIONS = (
    *(
        "backend",
        "all",
        "symmetry",
        "given",
        "unique",
        "count_only",
        "method",
        "memory",
        "limit",
        "time_limit",
        "jobs",
        "cubes",
    ),
    *("seed", "store", "solver_parameters"),
)
OUTPUT_OPTIONS = ("which", "sample")
"""Those of `Options` that are shown under these headings."""
INVENT_OPTIONS = (
    *("hints", "hint_cells", "hint_sets", "minimal", "minimal_sets", "repair", "why", "explain", "grade", "candidates"),
)
"""Those of `Inventing`."""

CONFLICTS: "Sequence[Conflict]" = (
    (
        ("certify",),
        ("count-only", "limit", "unique", "export"),
        "a certificate lists all solutions, which --{1} does not; leave one of them out",
    ),
    (
        ("count-only",),
        ("solutions", "gallery", "svg", "sheet"),
        "--count-only keeps no solutions, so --{1} has nothing to write; leave one of them out",
    ),
    (
        ("count-only",),
        ("draw",),
        "--count-only keeps no solutions, so --{1} has nothing to show; leave one of them out",
    ),
    (("json",), ("draw",), "--json prints nothing else; leave out --{1}"),
    (
        ("hints",),
        ("limit", "unique", "count-only"),
        "--hints tells a solution from all others, and --{1} does not list them; leave one of them out",
    ),
)
"""Beside those of `Options`."""

BESIDES = (
    *(
        "limit",
        "unique",
        "count-only",
        "which",
        "sample",
        "solutions",
        "svg",
        "sheet",
        "marginals",
        "certify",
        "export",
    ),
    *("estimate", "store", "draw", "cluster", "all"),
)
"""What does not go together with questions that do not list all solutions."""

WRITTEN = ("store", "solutions", "gallery", "svg", "sheet", "marginals", "export", "certify")
"""The options that name what is written."""

NEEDED = {
    "hint_cells": ("hints", "minimal", "repair", "candidates"),
    "hint_sets": ("hints",),
    "minimal_sets": ("minimal",),
}
"""The options that say more about a question, and the questions that there has to be one of."""

HASTE = 0.4
"""Seconds for the files of a run that was told to stop, and for what it prints."""

EPILOG = """PUZZLE is a name (see --list) or a file of your own: .py, .cnf, .fzn, .mzn, .pbtxt,
.pb or .dlx. A Python file is run when it is loaded, the other formats run nothing.

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
    with blamed_on(declaration.name, declaration.name not in PUZZLES):
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
    add_options(run, RUN_OPTIONS)
    run.add_argument("--estimate", action="store_true", help="predict nodes and time of an exact cover, and end")
    run.add_argument("--cluster", metavar="ADDRESS", help="search on the Dask cluster of this scheduler")
    add_options(parser.add_argument_group("inventing"), INVENT_OPTIONS)
    output = parser.add_argument_group("output")
    output.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    output.add_argument("--solutions", metavar="FILE", help="write each solution: JSON lines, or drawings (.txt)")
    add_options(output, OUTPUT_OPTIONS)
    output.add_argument("--draw", type=typed(from_zero), metavar="K", help="show the first K solutions (default: 1)")
    output.add_argument("--gallery", metavar="FILE", help="write a page (HTML) with pictures of all solutions")
    output.add_argument("--svg", metavar="FOLDER", help="write a picture (SVG) of each solution")
    output.add_argument("--sheet", metavar="FILE", help="print board and pieces (.svg), and solutions beside it")
    output.add_argument("--marginals", metavar="FILE", help="how often each literal holds (.json, .csv, .svg, .txt)")
    output.add_argument("--export", metavar="FILE", help="write the model (.cnf, .fzn, .pbtxt or .dlx), and end")
    output.add_argument("--certify", metavar="DIR", help="leave a proof of the count, for solvers.check")
    output.add_argument("--quiet", action="store_true", help="no line of progress on the terminal")
    output.add_argument("--runs", metavar="FILE", help="tell what a store holds")
    output.add_argument("--list", action="store_true", help="list the puzzles")
    output.add_argument("--list-backends", action="store_true", help="list the backends that work here")


def _run(declaration: Declaration, chosen: argparse.Namespace) -> int:
    from solvers.options import Options
    from solvers.running.runner import Run

    inventing = _inventing(chosen)
    backend_kind(chosen.backend or "auto")
    refuse_conflicts({name.replace("_", "-"): value for name, value in vars(chosen).items()}, CONFLICTS)
    arguments = {parameter.name: getattr(chosen, parameter.name) for parameter in declaration.parameters}
    check_paths(
        inputs(declaration.name, arguments, [*chosen.given, chosen.hints, chosen.minimal], chosen.which),
        {o: getattr(chosen, o) for o in WRITTEN},
    )
    asked = chosen_options(chosen, [*RUN_OPTIONS, *OUTPUT_OPTIONS])
    options = Options(**asked, marginals=chosen.marginals is not None)
    if chosen.export is not None:
        return _export(partial(declaration.declare, **arguments), chosen.export, options)
    if chosen.estimate:
        return _estimate(partial(declaration.declare, **arguments), options)
    if inventing.is_apart:
        return _answer(declaration, arguments, inventing, options, chosen)
    if chosen.cluster is not None:
        from solvers.cubes.cluster import Cluster

        cluster = Cluster(chosen.cluster)
        options = replace(options, executor=cluster, jobs=chosen.jobs or cluster.jobs)
    outputs = _outputs(chosen)

    def begin(question: "Question") -> None:
        for output in outputs:
            output.begin(question)

    run = Run(declaration.name, arguments, declaration.declare, options, begin)
    heed_signals(run.stop)
    _search(run, outputs, chosen.quiet)
    flaw: InputError | None = None
    missing: list[str] = []
    try:
        missing = _finish(run, outputs)
    except InputError as error:  # what the puzzle draws cannot be shown; the numbers can
        flaw = error
    report = run.report
    hints = _hints(run, inventing)
    if report.which and not chosen.json:
        print(printable(str(report.which["sentence"])))
    elif chosen.json:
        print(report.as_json())
    else:
        most = chosen.draw
        if most is None:
            most = 0 if chosen.sample else 2 if report.unique is False else 1
        marginals_told = str(run.marginals) if run.marginals else ""
        print("\n\n".join(filter(None, (report.as_table(), report.answer(), marginals_told, hints))))
        for pictures in filter(None, (_drawings(run, most), _samples(run))):
            paint(sys.stdout, f"\n{pictures}\n")
    if flaw:
        raise flaw
    code = run.ending.code if run.ending else DONE
    if code != DONE:
        reservations = [
            *([] if report.complete else ["the counts are lower bounds"]),
            *(["whether there is just one is not known"] if chosen.unique and report.unique is None else []),
            *(["no hints were found"] if chosen.hints and not hints else []),
            *(["no samples were drawn"] if chosen.sample and report.complete and not run.samples else []),
            *filter(None, missing),
        ]
        bound = "".join(f"; {sentence}" for sentence in reservations)
        complain(f"{report.puzzle}: ended by {report.stopped_by} after {report.seconds['all']:.1f} s{bound}", code)
    is_no = (
        report.unique is False
        or "none" in (report.hints or {}).get("sizes", ())
        or (report.which or {}).get("solution") is False
    )
    return NO if code == DONE and is_no else code


def _inventing(chosen: argparse.Namespace) -> "Inventing":
    """What is asked besides the number of solutions; `InputError` where that does not go together."""
    from solvers.options import QUESTIONS, Inventing

    inventing = Inventing(**chosen_options(chosen, INVENT_OPTIONS))
    for more, questions in NEEDED.items():
        if getattr(inventing, more) and all(getattr(inventing, name) in (None, False) for name in questions):
            option, wanted = more.replace("_", "-"), " or ".join(f"--{name}" for name in questions)
            raise InputError(f"--{option} says more about {wanted}; add that, or leave out --{option}")
    picked = {name.replace("_", "-"): value for name, value in vars(chosen).items()}
    for place, question in enumerate(QUESTIONS):
        others = [*QUESTIONS[place + 1 :], *(BESIDES if inventing.is_apart else ())]
        others += ["gallery"] if inventing.is_apart and question != "explain" else []
        refuse_conflicts(picked, [((question,), others, "--{0} is a question of its own; leave out --{1}")])
    return inventing


def _hints(run: "Run", inventing: "Inventing") -> str:
    """Find the hints that were asked for of listed solutions, and tell them; empty where there is none."""
    if inventing.hints is None or not run.report.complete or run.question is None:
        return ""
    from solvers.invent.hints import hints_of_listed

    found = []

    def work(stop: threading.Event) -> None:
        assert run.question
        cells, every = inventing.hint_cells, inventing.hint_sets
        found.append(
            hints_of_listed(
                run.question,
                run.in_order(),
                str(inventing.hints),
                of_cells=cells,
                every=every,
                jobs=run.options.jobs,
                stop=stop,
            )
        )

    try:
        run.work_on(work)
    except Stopped:
        return ""
    run.report.hints = found[0].as_json()
    return str(found[0])


def _answer(
    declaration: Declaration,
    arguments: "Mapping[str, Any]",
    inventing: "Inventing",
    options: "Options",
    chosen: argparse.Namespace,
) -> int:
    """Answer a question that does not list all solutions."""
    from solvers.invent.answers import answer, told_as_json
    from solvers.outputs.output import FileOutput

    began = time.perf_counter()
    page = FileOutput(chosen.gallery, "--gallery") if chosen.gallery is not None else None
    known: list[Answer] = []
    ended: Ended | None = None

    def work(stop: threading.Event) -> "Answer":
        return answer(partial(declaration.declare, **arguments), inventing, options, stop, known.append)

    try:
        known.append(aside(work, options.time_limit))
    except Ended as early:
        ended = early
    except Stopped:  # by its own look at the time limit
        ended = Ended(Ending.TIME_LIMIT)
    if known and chosen.json:
        print(told_as_json(declaration.name, arguments, inventing, options, known[-1], not ended, began))
    elif known:
        paint(sys.stdout, f"{known[-1]}\n")
    code = complain(f"{declaration.name}: ended by {ended}", ended.code) if ended else known[-1].code
    if page and known:
        try:
            with page.stream() as stream:
                stream.write(known[-1].page(declaration.name))
        except OSError as error:
            return complain(f"{page.path} was not written: {error.strerror}", INCOMPLETE)
    return code


def _estimate(declare: "Callable[[], Puzzle]", options: "Options") -> int:
    from solvers.backends.cover import cover_of_key
    from solvers.cover.estimate import estimate
    from solvers.cover.search import Tables
    from solvers.cubes.fixing import Cases
    from solvers.running.stated import stated
    from solvers.symmetry.breaking import by_cases, unbroken
    from solvers.symmetry.large_group import LargeGroup

    def table(stop: threading.Event) -> str:
        model, key, group, _ = stated(declare(), options.symmetry, options.given, stop)
        try:
            cover_of_key(model, key.variables)
        except NoCoverError as error:
            raise InputError(f"{error}, and --estimate predicts the search of exact covers only") from None
        if not options.all and isinstance(group, LargeGroup):
            held, selectors = Cases(model, group, stop).added_to(model)
            with suppress(NoCoverError):  # else the search is said to visit every solution
                tables = Tables(cover_of_key(held, [*key.variables, *selectors]), options.seed)
                return estimate(tables, options.seed, stop).as_table()
        broken = unbroken(model) if options.all or not group.is_listed else by_cases(model, group)
        tables = Tables(cover_of_key(broken.model, key.variables), options.seed)
        return estimate(tables, options.seed, stop, [literals for literals, _ in broken.cases]).as_table()

    try:
        print(aside(table, options.time_limit))
    except Ended as ended:
        return complain(f"there is no estimate: ended by {ended}", ended.code)
    return DONE


def _tell_runs(path: str) -> int:
    """A store's run, and the sessions that worked on it."""
    from tabulate import tabulate

    from solvers.cubes.store import read

    content = read(path)
    rows = [
        (name, printable(value)) for name, value in content.identity.items() if name not in ("model", "order of items")
    ]
    headers = ["backend", "jobs", "seconds", "cubes", "ended by"]
    sessions: list[Sequence[object]] = [*content.sessions]
    if "order of items" in content.identity:
        done = content.progress
        rows.append(("counted", f"{done.layer} of {done.layers} layers, {done.states} states" if done else "no layer"))
        headers.remove("cubes")
        sessions = [(*session[:3], session.ending) for session in content.sessions]
    else:
        cubes = content.cubes + content.open
        rows += [
            ("searched", f"{content.cubes:,} of {cubes:,} cubes, {content.searched:.2%} of the space"),
            ("solutions met", str(content.solutions)),
        ]
    print(tabulate(rows, tablefmt="plain", disable_numparse=True))
    print()
    print(tabulate(sessions, headers=headers, floatfmt=".1f"))
    return DONE


def _export(declare: "Callable[[], Puzzle]", path: str, options: "Options") -> int:
    """Write the model, and say how large it is."""
    from solvers.outputs.export import export

    def write(stop: threading.Event) -> dict[str, int]:
        return export(declare(), path, every=options.all, symmetry=options.symmetry, given=options.given, stop=stop)

    try:
        size = aside(write, options.time_limit)
    except Ended as ended:
        return complain(f"{path} was not written: ended by {ended}", ended.code)
    except OSError as error:
        return complain(f"{path} was not written: {error.strerror}", INCOMPLETE)
    print(f"{path}: {', '.join(counted(count, unit) for unit, count in size.items())}")
    return DONE


def _outputs(chosen: argparse.Namespace) -> "list[Output]":
    """What is to be written; the certificate, which takes longest, comes last."""
    outputs: list[Output] = []
    if chosen.solutions is not None:
        from solvers.outputs.solutions import SolutionsFile

        outputs.append(SolutionsFile(chosen.solutions))
    if chosen.gallery is not None:
        from solvers.outputs.gallery import GalleryFile

        outputs.append(GalleryFile(chosen.gallery))
    if chosen.svg is not None:
        from solvers.outputs.pictures import SvgFolder

        outputs.append(SvgFolder(chosen.svg))
    if chosen.sheet is not None:
        from solvers.outputs.sheet import Sheets

        outputs.append(Sheets(chosen.sheet))
    if chosen.marginals is not None:
        from solvers.outputs.marginals import MarginalsFile

        outputs.append(MarginalsFile(chosen.marginals))
    if chosen.certify is not None:
        from solvers.outputs.certificate import CertificateFolder

        outputs.append(CertificateFolder(chosen.certify))
    return outputs


def _search(run: "Run", outputs: "Sequence[Output]", quiet: bool) -> None:
    """Run to the end, with a line of progress; what is found goes to the outputs."""
    from solvers.terminal.progress import ProgressLine

    progress = ProgressLine(quiet)
    path: object = ""
    try:
        for solution in run:
            progress.show(run.report)
            if solution is None:
                continue
            for output in outputs:
                path = output.path
                output.add(solution)
    except OSError as error:
        run.stop(Ending.WRITING, _in_writing(error, path))
    finally:
        progress.clear()


def _finish(run: "Run", outputs: "Sequence[Output]") -> list[str]:
    """Write what can only be written at the end; sentences on what there was no time for."""
    began = time.perf_counter()
    missing = []
    for output in outputs:
        try:
            missing.append(output.finish(run, run.haste(HASTE / len(outputs))))
        except OSError as error:
            run.stop(Ending.WRITING, _in_writing(error, output.path))
            missing.append(output.absence)
    run.report.seconds["output"] = time.perf_counter() - began - (run.report.seconds["certify"] or 0)
    return missing


def _in_writing(error: OSError, path: object) -> str:
    return f"{Ending.WRITING.words} {error.filename or path}: {error.strerror or error}"


def _drawings(run: "Run", most: int) -> str:
    """The first solutions in the run's order, as text; what it means that there is none."""

    if run.collector is None:
        return ""
    puzzle, in_order = run.collector.question.puzzle, run.collector.in_order()
    if not in_order:
        return printable(puzzle.unsolved) if run.report.complete and not run.report.total else ""
    found = map(run.collector.question.key.decode, in_order[:most])
    return _side_by_side(run, found, "{}" if most > 1 else "")


def _samples(run: "Run") -> str:
    """What was drawn from all solutions, as text."""

    if not run.samples or run.collector is None:
        return ""
    return _side_by_side(run, run.samples, "sample {}")


def _side_by_side(run: "Run", solutions: "Iterable[Solution]", title: str) -> str:
    """Solutions as text, each with its number in the title, if there is one; not all where there is no time."""
    from solvers.show import draw

    assert run.collector
    puzzle, is_over = run.collector.question.puzzle, run.haste(HASTE / 2)
    pictures = [
        [
            *([title.format(number)] if title else []),
            *draw.solution(puzzle, found, draw.in_colour(sys.stdout)).split("\n"),
        ]
        for number, found in takewhile(lambda _: not is_over(), enumerate(solutions, 1))
    ]
    return draw.side_by_side(pictures, shutil.get_terminal_size().columns)


def _list_backends() -> int:
    from solvers.backends.sat import capabilities

    flaws = capabilities()
    print("auto      sat where all rules are about Booleans, else the best of cp, cp-sat and sat after a short trial")
    print("cp-sat    OR-Tools CP-SAT")
    print("cp        OR-Tools' original constraint solver, which propagates and searches, and learns nothing")
    print("cover     our search for exact covers")
    print("sat       the default of PySAT's solvers, which are:")
    print("\n".join(f"  sat:{name}" for name, flaw in flaws.items() if not flaw))
    print("\n".join(f"  ({name} {flaw})" for name, flaw in flaws.items() if flaw))
    return DONE


if __name__ == "__main__":
    sys.exit(command(main))
