"""The command ``make``: puzzles with one solution, one a line, and as sheets, pages, links and tables."""

from __future__ import annotations

import argparse
import threading
from typing import Any

from solvers.base.endings import BAD_INPUT, DONE, INCOMPLETE, Ending
from solvers.base.errors import InputError, Stopped
from solvers.extras.questions.make.maker import PATTERNS, MadePuzzle, Maker, Wish, genres, making_of
from solvers.extras.questions.make.reasoning import LEVELS
from solvers.extras.questions.make.written import WRITERS
from solvers.files.catalogue import declaration_of_function
from solvers.outputs.output import FileOutput
from solvers.outputs.paths import check_paths
from solvers.show import draw
from solvers.show.plain import number_with_unit
from solvers.show.printable import printable
from solvers.terminal.arguments import Parser, add_parameter
from solvers.terminal.command import EndedEarly, complain, run_in_thread
from solvers.terminal.progress import ProgressLine

MOST_PUZZLES = 100_000
"""The most puzzles that one command makes."""


def main(words: list[str]) -> int:
    """Run the command ``make``; return the exit code.

    words: its command line, without the command's own name. Raises `InputError` for options that are wrong.
    """
    parser = _parser()
    first = parser.parse_known_intermixed_args(words)[0]
    if first.genre is None and first.help:
        parser.print_help()
        return DONE
    if first.genre is None:
        raise InputError(f"name a puzzle to make: {', '.join(genres())}")
    sizes = declaration_of_function(making_of(first.genre).draft).parameters
    group = parser.add_argument_group(f"sizes of {first.genre}")
    for parameter in sizes:
        add_parameter(group, parameter)
    if first.help:
        parser.print_help()
        return DONE
    chosen = parser.parse_args(words)
    if not 1 <= chosen.count <= MOST_PUZZLES:
        raise InputError(f"--count {chosen.count} is not possible; give a number from 1 to {MOST_PUZZLES}")
    wish = Wish(chosen.level, chosen.clues, chosen.minimal, chosen.pattern)
    values = {parameter.name: getattr(chosen, f"of {parameter.name}") for parameter in sizes}
    check_paths({}, {name: getattr(chosen, name) for name in WRITERS})
    files = [
        (writer, FileOutput(path, f"--{name}"))
        for name, writer in WRITERS.items()
        if (path := getattr(chosen, name)) is not None
    ]
    return _make(chosen, values, wish, files)


def _parser() -> Parser:
    """Return the parser of the command line, without the sizes of a genre."""
    parser = Parser(
        prog="python -m solvers make GENRE",
        usage="%(prog)s [OPTION ...]",
        description="Make puzzles with one solution, one a line, as the command unique reads them.",
        epilog="Levels: 1 or easy, forced by single rules; 2, by looking one step ahead,\n"
        "seldom (normal) or often (hard); 3, by two; 4, by search (hard).\n\n"
        "example: python -m solvers make sudoku --count 10 --level hard --sheet sudokus.pdf",
        add_help=False,
    )
    parser.add_argument("genre", nargs="?", help=argparse.SUPPRESS)
    parser.add_argument("-h", "--help", action="store_true", help="show this help message and exit")
    wish = parser.add_argument_group("the puzzles")
    wish.add_argument("--count", type=int, default=1, metavar="N", help="how many to make (default: 1)")
    wish.add_argument(
        "--seed", type=int, default=0, metavar="S", help="the same seed makes the same puzzles (default: 0)"
    )
    wish.add_argument("--level", default="", metavar="LEVEL", help=f"{', '.join(LEVELS)}, or 1 to 4 (default: any)")
    wish.add_argument("--clues", type=int, default=0, metavar="N", help="the number of clues (default: few)")
    wish.add_argument("--minimal", action="store_true", help="let no clue be left out, whatever the level")
    wish.add_argument("--pattern", default="", metavar="NAME", help=f"where clues may be: {' or '.join(PATTERNS)}")
    wish.add_argument("--time-limit", type=float, metavar="SECONDS", help="end after so many seconds")
    output = parser.add_argument_group("output")
    output.add_argument("--solutions", action="store_true", help="print level and solution of each, as comments")
    output.add_argument("--sheet", metavar="FILE", help="write sheets to print (.pdf), with the answers at the end")
    output.add_argument("--gallery", metavar="FILE", help="write a page (HTML)")
    output.add_argument("--url", metavar="FILE", help="write a link in each line")
    output.add_argument("--csv", metavar="FILE", help="write a table with levels and solutions")
    output.add_argument("--quiet", action="store_true", help="show no progress")
    return parser


def _make(chosen: argparse.Namespace, sizes: dict[str, Any], wish: Wish, files: list[tuple[Any, FileOutput]]) -> int:
    """Make the puzzles, print and write them; return the exit code.

    chosen: the parsed options. sizes: those of the genre. files: writers and their files. Raises `InputError` for what
    cannot be done.
    """
    made: list[MadePuzzle] = []
    line = ProgressLine(chosen.quiet)

    def make_all(stop: threading.Event) -> None:
        for puzzle in Maker(chosen.genre, sizes, wish, chosen.seed, stop).puzzles(chosen.count):
            line.clear()
            _print(puzzle, chosen.solutions)
            made.append(puzzle)

    code = DONE
    try:
        run_in_thread(
            make_all,
            chosen.time_limit,
            lambda: line.show_progress(lambda: f"{len(made)} of {chosen.count} puzzles made"),
        )
    except EndedEarly as early:
        line.clear()
        missing = number_with_unit(chosen.count - len(made), "puzzles")
        code = complain(f"{chosen.genre}: ended by {early}; {missing} left", early.code)
    except Stopped:
        code = complain(f"{chosen.genre}: ended by {Ending.TIME_LIMIT.words}", INCOMPLETE)
    except InputError as error:
        if not made:
            raise
        code = complain(str(error), BAD_INPUT)
    finally:
        line.clear()
    for writer, output in files if made else ():
        try:
            writer(output, chosen.genre, made)
        except OSError as error:
            code = complain(f"{output.path} was not written: {error.strerror}", INCOMPLETE)
    return code


def _print(puzzle: MadePuzzle, with_solution: bool) -> None:
    """Print a puzzle; with_solution: whether comments say its level and its solution."""
    print(printable(puzzle.line), flush=True)
    if with_solution:
        print(f"% {puzzle.reasoning.name}: {puzzle.reasoning.words}; {puzzle.clues} clues")
        for text in draw.solution(puzzle, puzzle.answer).splitlines():
            print(f"% {text}".rstrip(), flush=True)
