"""The command ``unique``: how many solutions has each of many puzzles, none, one or more?"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import closing, nullcontext
from typing import Any

from models import COLLECTION, SIZED
from solvers.base.endings import BAD_INPUT, DONE, INCOMPLETE, NO, Ending
from solvers.base.errors import InputError, StoreError
from solvers.base.options import Options
from solvers.extras.bridges.links.names import is_link
from solvers.extras.studies.unique.functions import parameter_of, verdicts
from solvers.extras.studies.unique.judge import NOT_SETTLED, LinesAsked, PuzzleVerdict
from solvers.extras.studies.unique.lines import COMMENT, COMMENTS, STDIN, PuzzleLine, read_lines, read_squares
from solvers.extras.studies.unique.linked import BY_LINKS
from solvers.extras.studies.unique.record import Record
from solvers.files.catalogue import Declaration, blame_declaration
from solvers.outputs.output import FileOutput
from solvers.outputs.paths import check_paths, inputs
from solvers.show.plain import csv_text, number_with_unit
from solvers.show.printable import printable
from solvers.show.versions import source_checksum
from solvers.terminal.arguments import PuzzleParser, arguments_of
from solvers.terminal.command import StopEvent, command, complain
from solvers.terminal.progress import Pace, ProgressLine

COLUMNS = ("line", "file", "solutions", "seconds", "error", "first", "second")
"""The columns of the CSV."""

OF_GRADES = ("level", "name", "looks", "tightest")
"""The columns of the CSV that grades add."""

WORDS = {"1": "with one solution", "2+": "with more", "0": "with none"}
"""How the summary calls the puzzles with each answer, a `PuzzleVerdict.solutions` that is known; in its order."""


def main(words: list[str]) -> int:
    """Run the command ``unique``; return the exit code.

    words: its command line, without the command's own name: a puzzle and a file of lines, or a file of links alone,
    which name their puzzle. Raises `InputError` for options that are wrong.
    """
    options = parser()
    first_reading = options.parse_known_intermixed_args(words)[0]
    # A single word that names lines, not a puzzle.
    if (
        first_reading.puzzle is not None
        and first_reading.subject is None
        and not first_reading.help
        and _names_lines(first_reading.puzzle)
    ):
        chosen = options.parse_args(words)
        if chosen.of is not None:
            raise InputError("links name their puzzle; leave out --of, or name the puzzle before the file")
        chosen.subject = chosen.puzzle
        return _run(declaration=None, chosen=chosen, options=options.run_options(chosen))
    unnamed = "name a puzzle, such as sudoku; python -m solvers run --list shows all of them"
    declaration, chosen = options.parse_puzzle(words, unnamed)
    if chosen.subject is None:
        file = first_reading.puzzle if first_reading.puzzle and os.path.isfile(first_reading.puzzle) else "FILE"
        options.error(f"name the puzzle and then the file, which has one in each line: unique sudoku {file}")
    return _run(declaration, chosen, options.run_options(chosen))


def _names_lines(path: str) -> bool:
    """Tell whether a word is a link, or names standard input, a folder or a file of links, and no puzzle."""
    if path == STDIN or os.path.isdir(path) or is_link(path):
        return True
    return os.path.isfile(path) and not path.endswith(".py") and is_link(read_lines(path)[0].text)


def parser() -> PuzzleParser:
    """Return the parser of the command line, with the options that all puzzles share.

    `PuzzleParser.offer` adds options that several commands share, by name.
    """
    subject = {
        "dest": "subject",
        "metavar": "FILE",
        "help": "a file with a puzzle in each line, a folder with one in each file, - for standard input, or a puzzle",
    }
    parser = PuzzleParser(
        "python -m solvers unique",
        "Tell of each of many puzzles whether it has no solution, one (1), or more (2+).",
        "A puzzle is the content of the cells, such as 81 characters of a sudoku, a\n"
        "value of a parameter, or a link. Links name their puzzle: unique FILE.\n"
        "Lines that begin with % are comments; so are those that begin with # if each\n"
        "line is a link or the content of cells.\n"
        "Images count as other solutions. Exit code 2: a line could not be read; 4: a\n"
        "puzzle has not exactly one solution.\n\n"
        "example: python -m solvers unique sudoku puzzles.txt",
        subject,
    )
    run = parser.add_argument_group("each puzzle")
    run.add_argument("--of", metavar="NAME", help="the parameter whose value each line is (default: puzzle)")
    parser.offer("time_limit jobs store", run)
    output = parser.add_argument_group("output")
    output.add_argument("--solutions", action="store_true", help="show the first two solutions of each")
    output.add_argument("--grade", action="store_true", help="show the level of each with one solution")
    output.add_argument("--json", action="store_true", help="print one JSON object a line and nothing else")
    output.add_argument("--csv", metavar="FILE", help="write the answers (- prints them)")
    output.add_argument("--quiet", action="store_true", help="show no progress")
    return parser


def _is_value(declaration: Declaration, arguments: dict[str, Any], parameter: str, text: str) -> bool:
    """Tell whether a text is no file, but a puzzle by itself: a value of the parameter that the puzzle takes.

    declaration, arguments: the puzzle, and its other parameters.
    """
    if text == STDIN or os.path.exists(text):
        return False
    try:
        declaration.declare(**{**arguments, parameter: text})
    except (InputError, ValueError):
        return False
    return True


def _run(declaration: Declaration | None, chosen: argparse.Namespace, options: Options) -> int:
    """Judge all lines, print and write the answers, and return the exit code.

    declaration: the puzzle; None if the lines are links. chosen: the values of all options. options: those of a run.

    Raises `InputError` if an option or the input is wrong. `verdicts` yields (line, verdict), and None now and then, at
    which the progress is shown. `complain` writes a sentence to stderr and returns the exit code that it is given.
    """
    prints_csv = chosen.csv == "-"
    if chosen.json and prints_csv:
        raise InputError("--json prints nothing else; name a file for --csv")
    name = BY_LINKS
    arguments = dict[str, Any]()
    parameter = ""
    if declaration is not None:
        name, arguments = declaration.name, arguments_of(declaration, chosen)
        parameter = parameter_of(declaration) if chosen.of is None else chosen.of
    if parameter and parameter not in arguments:
        raise InputError(f"{name} has no parameter {parameter!r}; it has {', '.join(arguments) or 'none'}")
    csv_path = None if prints_csv else chosen.csv
    reads = {**inputs(name, arguments, [], drawing=None), "the puzzles": [chosen.subject]}
    check_paths(reads, {"csv": csv_path, "store": options.store})
    csv_output = FileOutput(csv_path) if csv_path is not None else None
    if declaration is not None and parameter and _is_value(declaration, arguments, parameter, chosen.subject):
        lines = [PuzzleLine(1, chosen.subject)]
    elif name in SIZED and not parameter:
        lines = read_squares(chosen.subject)
    else:
        lines = read_lines(chosen.subject, (COMMENT,) if parameter else COMMENTS)
    other_arguments = {name: value for name, value in arguments.items() if name != parameter}
    question_of_lines = LinesAsked(other_arguments, parameter, options.time_limit, chosen.grade)
    of_grades = OF_GRADES if chosen.grade else ()
    # All on which verdicts depend: a store with another identity is refused.
    identity = json.dumps([name, other_arguments, parameter, *of_grades, source_checksum()], default=str)
    stop = StopEvent()
    pace = Pace()
    progress = ProgressLine(chosen.quiet)
    answers: list[tuple[PuzzleLine, PuzzleVerdict]] = []
    store_failure = ""
    print_answer = _printer(chosen, prints_csv)
    try:
        record = nullcontext() if options.store is None else closing(Record(options.store, identity))
        with blame_declaration(name, name not in (*COLLECTION, BY_LINKS)), record as known_verdicts:
            for line_and_verdict in verdicts(name, None, question_of_lines, lines, options.jobs, stop, known_verdicts):
                if line_and_verdict is not None:
                    answers.append(line_and_verdict)
                    progress.clear()
                    print_answer(*line_and_verdict)
                progress.show_progress(lambda: _progress(name or "links", len(answers), len(lines), pace))
    except StoreError as error:
        store_failure = f"{Ending.STORE.words}: {error}"
    finally:
        progress.clear()
    code = _code(answers)
    if not (chosen.json or prints_csv):
        print(_summary(answers))
    if csv_output:
        try:
            csv_output.write(csv_text([[*COLUMNS, *of_grades], *(_row(*answer, chosen.grade) for answer in answers)]))
        except OSError as error:
            code = complain(f"{csv_output.path} was not written: {error.strerror}", INCOMPLETE)
    if stop.ending or store_failure:
        words, code = (stop.ending.words, stop.ending.code) if stop.ending else (store_failure, INCOMPLETE)
        open_puzzles = number_with_unit(len(lines) - len(answers), "puzzles")
        complain(f"{name or 'links'}: ended by {words}; {open_puzzles} left", code)
    return code


def _printer(chosen: argparse.Namespace, prints_csv: bool) -> Callable[[PuzzleLine, PuzzleVerdict], None]:
    """Return the function that prints an answer as soon as it is known.

    As CSV, the headings are printed at once. chosen: the parsed options. prints_csv: whether CSV goes to stdout.
    """
    if prints_csv:
        print(csv_text([[*COLUMNS, *(OF_GRADES if chosen.grade else ())]]), end="", flush=True)

    def print_verdict(line: PuzzleLine, verdict: PuzzleVerdict) -> None:
        """Print the verdict on a line: as CSV, as JSON, or in words with the solutions if they are asked for."""
        if prints_csv:
            print(csv_text([_row(line, verdict, chosen.grade)]), end="", flush=True)
        elif chosen.json:
            print(json.dumps(_as_json(line, verdict, chosen.solutions)), flush=True)
        else:
            level = f", {verdict.grade.name} ({verdict.grade.words})" if verdict.grade else ""
            print(printable(f"{line.place}: {verdict.solutions or verdict.error}{level}"), flush=True)
            for solution in verdict.found if chosen.solutions else ():
                print(printable(f"  {solution}"), flush=True)

    return print_verdict


def _as_json(line: PuzzleLine, verdict: PuzzleVerdict, shows_solutions: bool) -> dict[str, Any]:
    """Return an answer as an object for JSON; shows_solutions: whether the first two solutions belong to it.

    line: the puzzle and its place. verdict: the answer.
    """
    fields: dict[str, Any] = {"line": line.number, "solutions": verdict.solutions, "seconds": round(verdict.seconds, 6)}
    if line.file:
        fields["file"] = line.file
    if verdict.error:
        fields["error"] = verdict.error
    if verdict.grade:
        fields["grade"] = dict(zip(OF_GRADES, _figures(verdict), strict=True))
    if shows_solutions:
        fields["found"] = list(verdict.found)
    return fields


def _row(line: PuzzleLine, verdict: PuzzleVerdict, has_grades: bool) -> list[object]:
    """Return an answer as a row of the CSV; has_grades: whether it has the columns of grades."""
    shown_solutions = [*verdict.found, "", ""][:2]
    row = [line.number, line.file, verdict.solutions, f"{verdict.seconds:.6f}", verdict.error, *shown_solutions]
    return [*row, *(_figures(verdict) if has_grades else ())]


def _figures(verdict: PuzzleVerdict) -> list[object]:
    """Return the figures of `OF_GRADES`."""
    return [getattr(verdict.grade, name, "") for name in OF_GRADES]


def _progress(name: str, done: int, count_of_puzzles: int, pace: Pace) -> str:
    """Return the state of the work in words, with the time left."""
    time_left = f" ({pace.elapsed * (count_of_puzzles - done) / done:.0f} s left)" if done and pace.elapsed > 1 else ""
    return f"{name}: {done:,} of {number_with_unit(count_of_puzzles, 'puzzles')}, {pace.elapsed:.0f} s{time_left}"


def _summary(answers: list[tuple[PuzzleLine, PuzzleVerdict]]) -> str:
    """Return how many puzzles have how many solutions, in one sentence."""
    puzzles_by_answer = Counter[str](verdict.solutions for _, verdict in answers)
    counts_in_words = [f"{puzzles_by_answer[answer]:,} {words}" for answer, words in WORDS.items()]
    unread = sum(verdict.is_unread for _, verdict in answers)
    unsettled = puzzles_by_answer[""] - unread  # both have the empty answer
    counts_in_words += [f"{unsettled:,} {NOT_SETTLED}"] if unsettled else []
    counts_in_words += [f"{unread:,} that could not be read"] if unread else []
    return f"{number_with_unit(len(answers), 'puzzles')}: {', '.join(counts_in_words)}"


def _code(answers: list[tuple[PuzzleLine, PuzzleVerdict]]) -> int:
    """Return the exit code for these answers."""
    if any(verdict.is_unread for _, verdict in answers):
        return BAD_INPUT
    if any(not verdict.solutions for _, verdict in answers):
        return INCOMPLETE
    return DONE if all(verdict.solutions == "1" for _, verdict in answers) else NO


if __name__ == "__main__":
    sys.exit(command(main))
