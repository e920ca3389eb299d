"""python -m solvers hints, minimal, repair, why, explain, grade, candidates and which: a command for each question."""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
from collections.abc import Mapping
from functools import partial
from typing import Any

from models import COLLECTION
from solvers.backends.registry import check_backend
from solvers.base.endings import INCOMPLETE, Ending
from solvers.base.errors import InputError, Stopped
from solvers.extras.questions.answers import REPAIRS, Inquiry, answer
from solvers.extras.questions.invent.ask import Answer
from solvers.extras.questions.invent.hints import Hints, hints_of_listed
from solvers.extras.questions.reasons.reason import Wanted
from solvers.files.catalogue import Declaration, blame_declaration
from solvers.outputs.output import FileOutput
from solvers.outputs.paths import check_paths, inputs
from solvers.running.runner import Run
from solvers.show.plain import json_value, plain_label
from solvers.show.printable import paint, printable
from solvers.show.versions import source_checksum, versions
from solvers.terminal.arguments import PuzzleParser, arguments_of
from solvers.terminal.calls import on_cluster
from solvers.terminal.command import EndedEarly, complain, run_in_thread
from solvers.terminal.command_run import CommandRun
from solvers.terminal.progress import ProgressLine

UNNAMED = "name a puzzle, such as magic; python -m solvers run --list shows all of them"

OPTIONS_WITHOUT_LIST = "given symmetry time_limit"
"""The options of a run that matter to a question which lists no solutions."""

OPTIONS_WITH_LIST = "backend given symmetry time_limit jobs cubes store solver_parameters cluster"
"""The options of a run that matter to a question which lists all solutions."""


def hints(words: list[str]) -> int:
    """Run the command ``hints``: the fewest facts of a solution that no other solution has; return the exit code.

    words: its command line, without the command's own name. Raises `InputError` for options that are wrong.
    """
    parser = _parser(
        "hints",
        "Find the fewest hints that determine a solution.",
        "magic each --by-cell",
        {"metavar": "WHICH", "help": "each, the number of a listed solution, or a file with a drawing of one"},
        by_cell=True,
        every="show all smallest sets of hints",
        lists=True,
    )
    declaration, chosen = parser.parse_puzzle(words, UNNAMED)
    subject = chosen.subject or "each"
    if subject == "each" or subject.isdigit():
        return _hints_of_listed(parser, declaration, chosen, subject)
    # Of a solution that a file shows, the hints are found without a list of the others.
    question = Inquiry("hints", subject, cells=chosen.by_cell, every=chosen.every)
    return _ask(parser, declaration, chosen, question)


def minimal(words: list[str]) -> int:
    """Run the command ``minimal``: which of some hints can be left out; return the exit code.

    words: its command line, without the command's own name. Raises `InputError` for options that are wrong.
    """
    parser = _parser(
        "minimal",
        "Say which of some hints can be left out.",
        "magic hints.txt",
        {"metavar": "FILE", "help": "a file with the hints"},
        by_cell=True,
        every="show all minimal sets of these hints",
    )
    declaration, chosen = parser.parse_puzzle(words, UNNAMED)
    path = _second_argument(parser, chosen.subject)
    question = Inquiry("minimal", path, cells=chosen.by_cell, every=chosen.every)
    return _ask(parser, declaration, chosen, question)


def repair(words: list[str]) -> int:
    """Run the command ``repair``: the fewest changes that leave one solution; return the exit code.

    words: its command line, without the command's own name. Raises `InputError` for options that are wrong.
    """
    parser = _parser(
        "repair",
        "Find the fewest givens, forbidden places or holes that leave one solution.",
        "magic givens --by-cell",
        {"metavar": "KIND", "choices": REPAIRS, "help": f"the kind of change: {', '.join(REPAIRS)}"},
        by_cell=True,
    )
    declaration, chosen = parser.parse_puzzle(words, UNNAMED)
    kind = _second_argument(parser, chosen.subject)
    return _ask(parser, declaration, chosen, Inquiry("repair", kind, cells=chosen.by_cell))


def why(words: list[str]) -> int:
    """Run the command ``why``: why a fact follows, or why there is no solution; return the exit code.

    words: its command line, without the command's own name. Raises `InputError` for options that are wrong.
    """
    parser = _parser(
        "why",
        "Explain why every solution has a fact, or why there is no solution (exit code 4 if not so).",
        "magic --given '0 0=1' '1 1=5'",
        {"metavar": "FACT", "help": "LABEL=VALUE, or the content of a cell; without it: why there is no solution"},
    )
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--smallest", action="store_true", help="find a reason with the fewest rules and givens")
    choice.add_argument("--every", action="store_true", help="show all minimal sets (MUSes) that leave no solution")
    declaration, chosen = parser.parse_puzzle(words, UNNAMED)
    if chosen.every and chosen.subject:  # `subject` is the fact, if one is given
        parser.error("--every is for puzzles without a solution; leave it out, or the fact")
    wanted = Wanted.EVERY if chosen.every else Wanted.SMALLEST if chosen.smallest else Wanted.ANY
    # The name of a user's own puzzle is the path of its file, whose lines are named in the answer.
    return _ask(parser, declaration, chosen, Inquiry("why", chosen.subject or "", wanted=wanted, path=declaration.name))


def explain(words: list[str]) -> int:
    """Run the command ``explain``: the way to the solution, step by step; return the exit code.

    words: its command line, without the command's own name. Raises `InputError` for options that are wrong.
    """
    parser = _parser(
        "explain",
        "Lead to the solution step by step, each step with the fewest rules.",
        "magic --given '0 0=1'",
    )
    declaration, chosen = parser.parse_puzzle(words, UNNAMED)
    return _ask(parser, declaration, chosen, Inquiry("explain"))


def grade(words: list[str]) -> int:
    """Run the command ``grade``: how hard it is to find the solution; return the exit code.

    words: its command line, without the command's own name. Raises `InputError` for options that are wrong.
    """
    parser = _parser(
        "grade",
        "Grade how hard it is to find the solution.",
        "sudoku 1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..",
        {"metavar": "PUZZLE", "help": "a puzzle in one line, the value of the parameter puzzle"},
    )
    parser.add_argument("--steps", action="store_true", help="show the steps of explain and a person's walk, too")
    declaration, chosen = parser.parse_puzzle(words, UNNAMED)
    if chosen.subject is not None:
        if all(parameter.name != "puzzle" for parameter in declaration.parameters):
            raise InputError(f"{declaration.name} has no parameter puzzle; leave out {chosen.subject!r:.40}")
        setattr(chosen, "of puzzle", chosen.subject)  # where the parser puts the value of the parameter puzzle
    return _ask(parser, declaration, chosen, Inquiry("grade", every=chosen.steps))  # `every`: the steps, too


def candidates(words: list[str]) -> int:
    """Run the command ``candidates``: how many solutions each literal leaves; return the exit code.

    words: its command line, without the command's own name. Raises `InputError` for options that are wrong.
    """
    parser = _parser("candidates", "Say how many solutions each literal leaves.", "magic --given '0 0=1'", by_cell=True)
    parser.add_argument("--possible", action="store_true", help="only say what is possible or forced; this is quick")
    declaration, chosen = parser.parse_puzzle(words, UNNAMED)
    return _ask(parser, declaration, chosen, Inquiry("candidates", cells=chosen.by_cell, possible=chosen.possible))


def which(words: list[str]) -> int:
    """Run the command ``which``: which solution a drawing shows, if any; return the exit code.

    words: its command line, without the command's own name. Raises `InputError` for options that are wrong.
    """
    parser = _parser(
        "which",
        "Say whether a file shows a solution, and which one (exit code 4 if none).",
        "pentomino mine.txt",
        {"metavar": "FILE", "help": "a drawing, or a line of a file of solutions"},
        lists=True,
        pages=False,
    )
    declaration, chosen = parser.parse_puzzle(words, UNNAMED)
    path_of_drawing = _second_argument(parser, chosen.subject)
    # Errors in the declaration of a user's own puzzle become `InputError`.
    with blame_declaration(declaration.name, declaration.name not in COLLECTION):
        listing = _list_all(parser, declaration, chosen, which=path_of_drawing)
    report = listing.run.report  # `report.which` has the answer: "solution", "number" and "sentence"
    if chosen.json:
        print(report.as_json())
    elif report.which:
        print(printable(str(report.which["sentence"])))
    is_no = (report.which or {}).get("solution") is False
    return listing.close(is_no)  # the exit code


def _parser(
    name: str,
    meaning: str,
    example: str,
    subject: Mapping[str, Any] | None = None,
    *,
    by_cell: bool = False,
    every: str = "",
    lists: bool = False,
    pages: bool = True,
) -> PuzzleParser:
    """Return a command's parser, with the options that several questions share.

    name: the command. meaning, example: for its help. subject: the settings of its second argument, if it has one.
    by_cell: whether it may speak of cells rather than of literals. every: the text in the help of the option for all
    smallest sets, if there is one. lists: whether the question lists all solutions. pages: whether a page can be
    written.
    """
    command = f"python -m solvers {name}"
    settings = {"dest": "subject", **subject} if subject else None
    parser = PuzzleParser(command, meaning, f"example: {command} {example}", settings)
    group = parser.add_argument_group("the run" if lists else "the question")
    parser.offer(OPTIONS_WITH_LIST if lists else OPTIONS_WITHOUT_LIST, group)
    if by_cell:
        parser.add_argument("--by-cell", action="store_true", help="speak of the contents of cells, not of literals")
    if every:
        parser.add_argument("--every", action="store_true", help=every)
    output = parser.add_argument_group("output")
    output.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    if pages:
        output.add_argument("--gallery", metavar="FILE", help="write a page (HTML) with the answer")
        output.add_argument("--title", metavar="TEXT", help="title of the page")
        output.add_argument("--author", metavar="TEXT", help="author of the page")
    output.add_argument("--quiet", action="store_true", help="show no progress")
    return parser


def _second_argument(parser: PuzzleParser, subject: str | None) -> str:
    """Return the second argument; end with a complaint if it is not given."""
    if subject is None:
        parser.error("name what is asked for behind the puzzle: " + parser.prog.removeprefix("python -m solvers "))
    return subject


def _ask(parser: PuzzleParser, declaration: Declaration, chosen: argparse.Namespace, question: Inquiry) -> int:
    """Answer a question that lists no solutions, print the answer, write the page; return the exit code.

    If the time is over, or a signal ends the work, the last unfinished answer takes the place of the answer, if there
    is one. parser: complains of wrong options. declaration: the puzzle. chosen: the parsed options. Raises `InputError`
    for what cannot be done.
    """
    began = time.perf_counter()
    arguments = arguments_of(declaration, chosen)
    input_files = inputs(declaration.name, arguments, [*chosen.given, question.subject], drawing=None)
    check_paths(input_files, {"gallery": chosen.gallery})  # raises if the page would overwrite an input
    page = _page(parser, chosen)
    options = parser.run_options(chosen)
    answers: list[Answer] = []  # partial ones while the search goes on; the last one counts
    ended: EndedEarly | None = None

    def answer_question(stop: threading.Event) -> Answer:
        """Return the answer; ``stop`` ends the search when set."""
        return answer(partial(declaration.declare, **arguments), question, options, stop, answers.append)

    line, printed = ProgressLine(chosen.quiet), 0

    def print_new_parts() -> None:
        """Print the parts of the answer so far that were not printed yet."""
        nonlocal printed
        parts = answers[-1].parts if answers and not chosen.json else ()
        if len(parts) > printed:
            line.clear()
            paint(sys.stdout, "".join(f"{part}\n" for part in parts[printed:]))
            sys.stdout.flush()
            printed = len(parts)

    def show() -> None:
        """Print what is new, and show the progress."""
        print_new_parts()
        line.show_answer(declaration.name, lambda: answers[-1].head if answers else "")

    # Errors in the declaration of a user's own puzzle become `InputError`.
    with blame_declaration(declaration.name, declaration.name not in COLLECTION):
        try:
            answers.append(run_in_thread(answer_question, options.time_limit, show))
        except EndedEarly as early:
            ended = early
        except Stopped:  # the search itself noticed that the time is up
            ended = EndedEarly(Ending.TIME_LIMIT)
        finally:
            line.clear()
    if answers and chosen.json:
        content = {
            "puzzle": declaration.name,
            "parameters": {name: json_value(value) for name, value in arguments.items()},
            "given": list(options.given),
            question.name: answers[-1].as_json(),
            "complete": not ended,
            "seconds": time.perf_counter() - began,
            "versions": versions(),
            "checksums": {"model": answers[-1].checksum, "kazoeru": source_checksum()},
        }
        print(json.dumps(content, default=plain_label))
    elif answers:
        print_new_parts()
        paint(sys.stdout, f"{answers[-1].rest}\n")
    # `complain` prints the text and returns the code.
    code = complain(f"{declaration.name}: ended by {ended}", ended.code) if ended else answers[-1].code
    if answers and not _write_answer_page(page, answers[-1], declaration.name, chosen):
        return INCOMPLETE
    return code


def _hints_of_listed(
    parser: PuzzleParser, declaration: Declaration, chosen: argparse.Namespace, number_or_each: str
) -> int:
    """List all solutions, print the hints for one or for each, write the page; return the exit code.

    If the run does not list all solutions, there are no hints, and the report alone says so. parser: complains of wrong
    options. declaration: the puzzle. chosen: the parsed options. number_or_each: the number of the solution, or "each".
    Raises `InputError` for what cannot be done.
    """
    page = _page(parser, chosen)
    answers: list[Hints] = []  # one; empty if the run or the search for hints ended early
    # Errors in the declaration of a user's own puzzle become `InputError`.
    with blame_declaration(declaration.name, declaration.name not in COLLECTION):
        listing = _list_all(parser, declaration, chosen)
        run = listing.run
        question = run.question

        def find_hints(stop: threading.Event) -> None:
            """Add the hints to the answers; ``stop`` ends the search when set."""
            if question is not None:
                solutions = run.in_order()
                of_cells = chosen.by_cell
                every = chosen.every
                answers.append(
                    hints_of_listed(question, solutions, number_or_each, of_cells=of_cells, every=every, stop=stop)
                )

        if run.report.complete:
            try:
                run.work_on(find_hints)  # in a thread of its own, within the time limit of the run
            except Stopped:
                answers.clear()
    if answers:
        run.add_facts(hints=answers[0].as_json())  # for the report
    if chosen.json:
        print(run.report.as_json())
    elif answers:
        paint(sys.stdout, f"{answers[0]}\n")
    if answers and not _write_answer_page(page, answers[0], declaration.name, chosen):
        return INCOMPLETE
    is_no = "none" in (run.report.hints or {}).get("sizes", ())  # no hints suffice for some solution
    return listing.close(is_no, [] if answers else ["no hints were found"])


def _list_all(parser: PuzzleParser, declaration: Declaration, chosen: argparse.Namespace, **more: Any) -> CommandRun:
    """List all solutions, and return the run of the command when it has ended.

    declaration: the puzzle. chosen: the parsed options. more: further options of the run, such as ``which``, the path
    of a drawing. Raises `InputError` for options that are wrong, or if an output would overwrite an input.
    """
    check_backend(chosen.backend or "auto")
    arguments = arguments_of(declaration, chosen)
    input_files = inputs(declaration.name, arguments, chosen.given, more.get("which"))
    check_paths(input_files, {"store": chosen.store, "gallery": getattr(chosen, "gallery", None)})
    options = on_cluster(parser.run_options(chosen, **more), chosen.jobs)
    listing = CommandRun(Run(declaration.name, arguments, declaration.declare, options), [], chosen.quiet)
    listing.search()
    return listing


def _page(parser: PuzzleParser, chosen: argparse.Namespace) -> FileOutput | None:
    """Return the page that is asked for, None if none is; end with a complaint if a title is given for no page.

    Raises `InputError` if the page cannot be written.
    """
    if chosen.gallery is not None:
        return FileOutput(chosen.gallery)
    for setting in ("title", "author"):
        if getattr(chosen, setting) is not None:
            parser.error(f"--{setting} needs --gallery; add it, or leave out --{setting}")
    return None


def _write_answer_page(page: FileOutput | None, content: Answer, name: str, chosen: argparse.Namespace) -> bool:
    """Write the page with an answer, if one is asked for; return False if it could not be written.

    name: that of the puzzle. chosen: the parsed options.
    """
    if page is None:
        return True
    try:
        page.write(content.page(chosen.title or name, chosen.author or ""))
    except OSError as error:
        complain(f"{page.path} was not written: {error.strerror}", INCOMPLETE)
        return False
    return True
