"""The command ``make``: puzzles with one solution, one a line, and as sheets, pages, links and tables."""

from __future__ import annotations

import argparse
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from solvers.base.endings import BAD_INPUT, DONE, INCOMPLETE, Ending
from solvers.base.errors import InputError, Stopped
from solvers.extras.questions.make.dissections import DissectionMaker, is_of_moves
from solvers.extras.questions.make.maker import PATTERNS, MadePuzzle, Maker, Wish, genres, making_of
from solvers.extras.questions.make.packing import PACKING, PackingMaker, count_range
from solvers.extras.questions.make.parallel import ParallelMaker
from solvers.extras.questions.make.reasoning import LEVELS
from solvers.extras.questions.make.written import WRITERS
from solvers.files.catalogue import declaration_of_function, find
from solvers.outputs.output import FileOutput
from solvers.outputs.paths import check_paths
from solvers.show import draw
from solvers.show.plain import number_with_unit
from solvers.show.printable import printable
from solvers.terminal.arguments import Parser, add_parameter
from solvers.terminal.command import EndedEarly, complain, run_in_thread
from solvers.terminal.progress import ProgressLine

AnyMaker = DissectionMaker | PackingMaker | ParallelMaker | Maker

MOST_PUZZLES = 100_000
"""The most puzzles that one command makes."""


def main(words: list[str]) -> int:
    """Run the command ``make``; return the exit code.

    words: its command line, without the command's own name. Raises `InputError` for options that are wrong.
    """
    parser = _parser()
    # The first parse finds the genre, whose sizes are further options.
    genre_and_help = parser.parse_known_intermixed_args(words)[0]
    genre = genre_and_help.genre
    if genre is None and genre_and_help.help:
        parser.print_help()
        return DONE
    if genre is None:
        raise InputError(f"name a puzzle to make: {', '.join([*genres(), PACKING])}")
    is_packing = genre == PACKING
    declaration = find(PACKING) if is_packing else declaration_of_function(making_of(genre).draft)
    sizes = declaration.parameters
    group = parser.add_argument_group(f"{'parameters' if is_packing else 'sizes'} of {genre}")
    for parameter in sizes:
        add_parameter(group, parameter)
    if is_packing:
        parser.add_packing_options()
    if genre_and_help.help:
        parser.print_help()
        return DONE
    chosen = parser.parse_args(words)
    if not 1 <= chosen.count <= MOST_PUZZLES:
        raise InputError(f"--count {chosen.count} is not possible; give a number from 1 to {MOST_PUZZLES}")
    if chosen.jobs < 1:
        raise InputError(f"--jobs {chosen.jobs} is not possible; give a number from 1")
    wish = Wish(chosen.level, chosen.clues, chosen.minimal, chosen.pattern)
    values = {parameter.name: getattr(chosen, f"of {parameter.name}") for parameter in sizes}
    paths_of_cards = card_paths(chosen.cards, chosen.count) if is_packing and chosen.cards else []
    check_paths({}, {name: getattr(chosen, name) for name in WRITERS})  # raises if two options name the same file
    # For each option that names a file, the function that writes it; and a card for each puzzle, if asked for.
    files = [
        (writer, FileOutput(path)) for name, writer in WRITERS.items() if (path := getattr(chosen, name)) is not None
    ]
    cards = [FileOutput(path) for path in paths_of_cards]

    def new_maker(stop: threading.Event) -> AnyMaker:
        """Return the maker of such puzzles, which makes them until ``stop`` is set."""
        if is_packing and is_of_moves(chosen.level):
            return DissectionMaker(values, chosen.parts, chosen.level, chosen.seed, stop)
        if is_packing:
            return PackingMaker(values, count_range(chosen.given), wish, chosen.seed, stop)
        maker = partial(Maker, chosen.genre, values, wish, chosen.seed)
        return ParallelMaker(maker, chosen.jobs, stop) if chosen.jobs > 1 else maker(stop)

    return _make(chosen, new_maker, files, cards)


class _MakeParser(Parser):
    """The command line, to which the options of packings are added where they are asked for."""

    def add_packing_options(self) -> None:
        """Add the options of packings."""
        group = self.add_argument_group("packings")
        group.add_argument("--given", default="2..4", metavar="A..B", help="pieces on the board (default: 2..4)")
        group.add_argument("--cards", metavar="FILE", help="write the board (or, with moves, the pieces) of each")
        group.add_argument(
            "--parts",
            type=int,
            default=4,
            metavar="N",
            help="with a level of moves such as 5., the pieces to make (default: 4)",
        )


def _parser() -> _MakeParser:
    """Return the parser of the command line, without the sizes of a genre."""
    parser = _MakeParser(
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
    wish.add_argument(
        "--pattern", default="", metavar="NAME", help=f"where clues may be: {', '.join(PATTERNS)}, or a drawing's file"
    )
    wish.add_argument("--jobs", type=int, default=1, metavar="N", help="processes, which change no puzzle (default: 1)")
    wish.add_argument("--time-limit", type=float, metavar="SECONDS", help="end after so many seconds")
    output = parser.add_argument_group("output")
    output.add_argument("--solutions", action="store_true", help="print level and solution of each, as comments")
    output.add_argument("--sheet", metavar="FILE", help="write sheets to print (.pdf), with the answers at the end")
    output.add_argument("--gallery", metavar="FILE", help="write a page (HTML)")
    output.add_argument("--url", metavar="FILE", help="write a link in each line")
    output.add_argument("--csv", metavar="FILE", help="write a table with levels and solutions")
    output.add_argument("--quiet", action="store_true", help="show no progress")
    return parser


def _make(
    chosen: argparse.Namespace,
    maker: Callable[[threading.Event], AnyMaker],
    files: Sequence[tuple[Any, FileOutput]],
    cards: Sequence[FileOutput],
) -> int:
    """Make the puzzles, print and write them; return the exit code.

    If the work ends early or fails, the puzzles made until then are written, too. chosen: the parsed options. maker:
    returns the maker of the puzzles; it is called with an event that stops the work. files: (function that writes the
    puzzles into a file, this file) for each. cards: a file for each puzzle, or none. Raises `InputError` if no puzzle
    can be made.
    """
    puzzles: list[MadePuzzle] = []
    line = ProgressLine(chosen.quiet)

    def make_all(stop: threading.Event) -> None:
        """Make and print the puzzles one after the other until ``stop`` is set."""
        for puzzle in maker(stop).puzzles(chosen.count):
            line.clear()
            _print(puzzle, chosen.solutions)
            puzzles.append(puzzle)

    code = DONE
    try:
        # Raises `EndedEarly` if a signal or the time limit ends the work.
        run_in_thread(
            make_all,
            chosen.time_limit,
            lambda: line.show_progress(lambda: f"{len(puzzles)} of {chosen.count} puzzles made"),
        )
    except EndedEarly as early:
        line.clear()
        missing = number_with_unit(chosen.count - len(puzzles), "puzzles")
        code = complain(f"{chosen.genre}: ended by {early}; {missing} left", early.code)
    except Stopped:  # the maker itself noticed that the time is up
        code = complain(f"{chosen.genre}: ended by {Ending.TIME_LIMIT.words}", INCOMPLETE)
    except InputError as error:
        if not puzzles:
            raise
        code = complain(str(error), BAD_INPUT)  # `complain` prints the text and returns the code
    finally:
        line.clear()
    writers: list[tuple[Any, FileOutput]] = [*files] if puzzles else []
    writers += [(partial(_write_card, puzzle), card) for puzzle, card in zip(puzzles, cards, strict=False)]
    for writer, output in writers:
        try:
            writer(output, chosen.genre, puzzles)
        except OSError as error:
            code = complain(f"{output.path} was not written: {error.strerror}", INCOMPLETE)
    return code


def card_paths(path: str, count: int) -> list[str]:
    """Return the paths of so many cards: the path itself for one, otherwise with a number before the ending.

    >>> card_paths("cards.txt", 10)[0]
    'cards-01.txt'
    """
    first = Path(path)
    digits = len(str(count))
    if count > 1:
        return [str(first.with_stem(f"{first.stem}-{n:0{digits}}")) for n in range(1, count + 1)]
    return [path]


def _write_card(puzzle: MadePuzzle, output: FileOutput, genre: str, puzzles: Sequence[MadePuzzle]) -> None:
    """Write the file of one puzzle; genre, puzzles: not used."""
    output.write(puzzle.file_text)


def _print(puzzle: MadePuzzle, with_solution: bool) -> None:
    """Print a puzzle; with_solution: whether comments say its level and its solution."""
    print(printable(puzzle.line), flush=True)
    if puzzle.remark:
        print(f"% {puzzle.remark}", flush=True)
    if with_solution:
        print(f"% {puzzle.caption or f'{puzzle.reasoning.name}: {puzzle.reasoning.words}'}; {puzzle.clues} clues")
        for text in draw.solution(puzzle, puzzle.answer).splitlines():
            print(f"% {text}".rstrip(), flush=True)
