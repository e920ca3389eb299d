"""python -m solvers diff REFERENCE SUBMISSION: have two models the same solutions? Or many, one by one."""

import argparse
import faulthandler
import json
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from models.puzzle import Puzzle
from solvers.base.deadline import Deadline
from solvers.base.endings import INCOMPLETE
from solvers.base.errors import InputError, errors_with_name
from solvers.base.options import Options, gigabytes
from solvers.extras.audits.diff.blame import rules_of_model, rules_of_source, text_and_parameters
from solvers.extras.audits.diff.difference import difference
from solvers.extras.audits.diff.enumerations import enumerations_of_file
from solvers.extras.audits.diff.folder import compare_many
from solvers.extras.audits.diff.parameters import common_parameters, resize, sizes_of
from solvers.extras.audits.diff.sentences import ENDLESS, ComparedModel, Feedback, explain
from solvers.extras.audits.diff.verdicts import NOT_SETTLED, OTHER_VARIABLES, Difference
from solvers.extras.audits.reading.labels import MisfitError
from solvers.extras.audits.reading.orbits import Lister
from solvers.extras.counts.counting.frontier import GIGABYTE
from solvers.files.catalogue import Declaration, blame_declaration, find
from solvers.files.lines import note_lines
from solvers.running.runner import Run
from solvers.show.plain import plain_label
from solvers.show.printable import printable
from solvers.terminal.arguments import PuzzleParser, argparse_reader, arguments_of
from solvers.terminal.command import EndedEarly, command, complain, run_in_thread

LATE_SECONDS = 2.0
"""Seconds after its time limit at which a comparison that does not end is given up."""

SHORTEST = 0.1
"""Seconds that a comparison has at least, even if the models took all the time to declare."""

EPILOG = """Models are named as for solvers.run. The parameters of the reference go to the
submission, too, where it has them. Both have to have the same labels; --map says
which are the same under other names, --on which of the reference are compared.
Exit code 4: different, or other variables; 3: not settled in time.

examples:
  python -m solvers diff queens.py other.mzn --n 6
  python -m solvers diff queens.py other.mzn --sizes n=4..8
  python -m solvers diff queens.py homework --csv marks.csv --page marks.html"""


def main(words: list[str]) -> int:
    """Run the command ``diff`` with the words of its command line and print the comparison.

    One submission is compared in this process; a folder of submissions, or several sizes, in processes that run this
    command with the hidden option ``--declared``. Returns the exit code. Raises `InputError` for options or models that
    are wrong.
    """
    options = parser()
    declaration, chosen = options.parse_puzzle(words, "name a model to compare with, such as queens.py")
    options_given = {word.partition("=")[0] for word in words}
    chosen.of_command = {parameter.name for parameter in declaration.parameters if parameter.option in options_given}
    if (chosen.submission is None) == (chosen.submissions is None):
        raise InputError("name a model to be compared with the reference, or a folder of models")
    if chosen.submission is not None and Path(chosen.submission).is_dir():
        chosen.submissions = chosen.submission
        words = [word for word in words if word != chosen.submission]
    if chosen.sizes:
        # Only for its error: a reference without this size is refused once, not for each submission.
        resize(declaration, arguments_of(declaration, chosen), sizes_of(chosen.sizes)[0])
    if chosen.submissions is not None:
        return compare_many(chosen, words)
    if chosen.sizes and not chosen.declared:
        return compare_many(chosen, [word for word in words if word != chosen.submission])
    for option in ("csv", "page"):
        if getattr(chosen, option) is not None:
            raise InputError(f"--{option} needs a folder of models, or --sizes; for one submission, use --json")
    return _run_one(declaration, chosen, options.run_options(chosen, symmetry=chosen.symmetry, jobs=1))


def parser() -> PuzzleParser:
    """Return the parser of the command line.

    It has the options of the comparison, and those with which a model is read.
    """
    parser = PuzzleParser("python -m solvers diff", "Compare the solutions of two models.", EPILOG)
    parser.add_argument("submission", nargs="?", help=argparse.SUPPRESS)
    parser.add_argument("--declared", help=argparse.SUPPRESS)  # a file that is made once both models are declared
    group = parser.add_argument_group("the comparison")
    group.add_argument(
        "--submissions",
        metavar="FOLDER",
        help="compare every model in a folder, each in a process of its own; the folder may also be named in place of "
        "the submission",
    )
    group.add_argument(
        "--map",
        action="append",
        default=[],
        metavar="OURS=THEIRS",
        help="a label, array or named value of the reference, and its name in the submission, such as x=y or "
        "'x[0..]=y[1..]'; may be repeated",
    )
    group.add_argument(
        "--on",
        action="append",
        default=[],
        metavar="OURS",
        help="compare by this label or array of the reference only; may be repeated (default: by all labels of both)",
    )
    group.add_argument(
        "--symmetry",
        choices=("found", "declared"),
        default="found",
        metavar="KIND",
        help="also match solutions up to these symmetries of the reference: found or declared (default: found)",
    )
    group.add_argument(
        "--sizes",
        metavar="NAME=FIRST..LAST",
        help="compare with each of these values of a parameter that both models have, in one table, such as n=4..8",
    )
    parser.offer("backend time_limit jobs", group)
    group.add_argument(
        "--memory",
        type=argparse_reader(gigabytes),
        metavar="GB",
        help="memory limit of each process, not on Windows (default for many submissions: most of the free memory)",
    )
    output = parser.add_argument_group("output")
    output.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    output.add_argument("--csv", metavar="FILE", help="write a row for each of many submissions")
    output.add_argument("--page", metavar="FILE", help="write the table of many submissions as a page (.html)")
    output.add_argument("--quiet", action="store_true", help="show no progress")
    return parser


def _labels(texts: list[str]) -> dict[str, str]:
    """Parse the texts "OURS=THEIRS" of ``--map``; return the reference's name for each submission's name.

    A name is that of a label, of an array, or of a value. Raises `InputError` for a text of another form, and if a name
    is mapped twice.
    """
    labels = {}
    for text in texts:
        ours, equals, theirs = text.partition("=")
        if not (ours and equals and theirs):
            raise InputError(f"{text!r} maps no label; write OURS=THEIRS")
        if theirs.strip() in labels:
            raise InputError(f"--map gives two names to {theirs.strip()}")
        labels[theirs.strip()] = ours.strip()
    return labels


def _run_one(declaration: Declaration, chosen: argparse.Namespace, options: Options) -> int:
    """Compare the reference with one submission in this process and print the difference.

    The time limit counts from here, so that it holds for declaring the models, too. Returns the exit code. Raises
    `InputError` if the submission cannot be read, or for a name that no label has. declaration: the reference. chosen:
    the parsed options. options: those of the searches.
    """
    timed = _TimedDifference(declaration, chosen, options)
    if chosen.declared:  # a folder is compared: a crash shows the line of the submission
        faulthandler.enable()
    if chosen.memory is not None:
        _limit_memory(int(chosen.memory * GIGABYTE))
    try:
        run_in_thread(timed.run, tick=timed.check_time)
    except EndedEarly as early:
        return complain(f"{chosen.submission}: ended by {early}; nothing is known yet", early.code)
    except _Late:
        if timed.result is None:
            return _too_late(timed, declaration, chosen, options)
    result, feedback = timed.result, timed.feedback  # the latter is empty if only its words are late
    assert result
    if chosen.json:
        words = {"what_to_say": feedback.say, "mistake": feedback.mistake}
        print(json.dumps({**result.as_json(), **words}, default=plain_label))
    else:
        print(f"{result}\n\n{printable(feedback.say)}")
    if ending := getattr(timed.stop, "ending", None):
        return complain(f"{chosen.submission}: ended by {ending.words}", int(ending.code))
    if result.verdict == NOT_SETTLED:
        return complain(f"{chosen.submission}: {NOT_SETTLED}; no difference was found", result.code)
    return result.code


def _too_late(timed: "_TimedDifference", declaration: Declaration, chosen: argparse.Namespace, options: Options) -> int:
    """Say that the time was over before the models were compared; return the exit code.

    Raises `InputError` if it is the reference that has declared no model. timed: how far the comparison is: its
    ``declaring`` is the name of the model that is being declared, or empty. For the others, see `_run_one`.
    """
    within = f"has declared no model within {options.time_limit:g} s"
    if timed.declaring == declaration.name:
        raise InputError(f"{declaration.name} {within}")
    verdict = ENDLESS if timed.declaring else NOT_SETTLED
    if chosen.json:
        print(json.dumps({"verdict": verdict}))
    more = f"; it {within}" if timed.declaring else ""
    return complain(f"{chosen.submission}: {verdict}{more}", int(INCOMPLETE))


class _TimedDifference:
    """The comparison of the reference with one submission, and how far it is.

    The time limit counts from its making, so that it holds for declaring the models, too.
    """

    declaring: str
    """The model that is being declared; empty once both are."""

    result: Difference | None = None
    """The comparison, once it is made."""

    feedback: Feedback = Feedback("", "")
    """The words on the submission, once they are found."""

    stop: threading.Event | None = None
    """The event that ends the work; its ``ending`` tells why it ended."""

    def __init__(self, declaration: Declaration, chosen: argparse.Namespace, options: Options) -> None:
        """Take what was chosen; raise `InputError` for a text of ``--map`` of another form.

        declaration: the reference. chosen: the parsed options; ``of_command`` has the names of the parameters that the
        user gave. options: those of the searches. A size such as "n=4" replaces a parameter of the reference.
        """
        self._began = time.perf_counter()
        self._reference = declaration
        self._chosen = chosen
        self._options = options
        self._labels = _labels(chosen.map)
        self._arguments = arguments_of(declaration, chosen)
        self._given = chosen.of_command
        if chosen.sizes:
            self._arguments = resize(declaration, self._arguments, chosen.sizes)
        self.declaring = declaration.name

    def run(self, stop: threading.Event) -> None:
        """Declare both models, compare them until the event is set, and find the words on the submission.

        The submission gets the reference's parameters that it has, too. ``declaring`` is the name of the model that is
        being declared, by which a late model is named. The error of a symmetry that a model declares wrongly becomes
        `InputError` (`blame_declaration`).
        """
        self.stop = stop
        chosen = self._chosen
        with blame_declaration(self._reference.name, is_own=True):
            reference = _model_and_rules(self._reference, self._arguments)
            self.declaring = chosen.submission
            other = find(chosen.submission)
            theirs = common_parameters(self._arguments, self._given, other)
            submission = _model_and_rules(other, resize(other, theirs, chosen.sizes) if chosen.sizes else theirs)
            self.declaring = ""
            if chosen.declared:  # the process that compares a folder learns that both models are declared
                Path(chosen.declared).touch()
            result, submission = self._difference_by_any_names(reference, submission, stop)
        self.result = result
        options = self._with_time_left()
        deadline = Deadline(stop, seconds=options.time_limit)
        self.feedback = explain(
            result, reference, submission, Lister(_run_of, replace(options, time_limit=None)), deadline
        )

    def _difference_by_any_names(
        self, reference: ComparedModel, submission: ComparedModel, stop: threading.Event
    ) -> tuple[Difference, ComparedModel]:
        """Compare both models; return the difference, and the submission with the labels by which it was compared.

        If the labels of a program do not fit, the names that its author gave to variables are tried as labels. Raises
        `MisfitError` if a mapping of the user fits neither.
        """
        refusal: MisfitError | None = None
        try:
            result = self._difference(reference, submission, stop)
        except MisfitError as misfit:
            refusal = misfit
        if (refusal or result.verdict == OTHER_VARIABLES) and (renamed := submission.by_author_names()):
            with suppress(MisfitError):
                other = self._difference(reference, renamed, stop)
                if other.verdict != OTHER_VARIABLES:
                    other.author_names = True
                    return other, renamed
        if refusal:
            raise refusal
        return result, submission

    def _difference(self, reference: ComparedModel, submission: ComparedModel, stop: threading.Event) -> Difference:
        """Compare both models; of many submissions, each is compared without mappings that do not fit it.

        Such mappings are taken out one by one, and noted in the result. For a single submission, `MisfitError` is
        raised instead.
        """
        options = self._with_time_left()
        names = (reference.names, submission.names)
        labels = dict(self._labels)
        unfit = list[str]()
        while True:
            try:
                result = difference(reference.puzzle, submission.puzzle, labels, self._chosen.on, options, stop, names)
            except MisfitError as misfit:  # its ``theirs`` is the submission's name in the mapping
                if not self._chosen.declared:
                    raise
                unfit.append(f"{labels.pop(str(misfit.theirs))}={misfit.theirs}")
                continue
            result.unfit = unfit
            return result

    def check_time(self) -> None:
        """Raise `_Late` if the work should have ended.

        Declaring a model heeds no time limit, so it is late as soon as the time is over. A comparison ends by itself at
        the limit, so it is late only `LATE_SECONDS` after it. ``declaring`` is the name of a model, or empty.
        """
        if self._options.time_limit is None:
            return
        grace = 0.0 if self.declaring else LATE_SECONDS
        if self._seconds_so_far() > self._options.time_limit + grace:
            raise _Late

    def _with_time_left(self) -> Options:
        """Return the options with the time that is left of the limit."""
        if self._options.time_limit is None:
            return self._options
        left = self._options.time_limit - self._seconds_so_far()
        return replace(self._options, time_limit=max(SHORTEST, left))

    def _seconds_so_far(self) -> float:
        """Return the seconds since the comparison was made."""
        return time.perf_counter() - self._began


class _Late(Exception):
    """Raised if a model is not declared when the time is over, or if the comparison does not end then."""


def _run_of(puzzle: Puzzle, options: Options) -> Run:
    """Return a run of a puzzle that is declared already."""
    return Run(puzzle.name, {}, lambda: puzzle, options)


def _model_and_rules(declaration: Declaration, arguments: Mapping[str, Any]) -> ComparedModel:
    """Declare a model and return it, with a function that reads its rules.

    The rules of a model in MiniZinc are those of its text, and its enumerations name its values. For a program, the
    result also has a function that returns the names that its author gave to variables. arguments: the model's
    parameters by name. Raises `InputError` if it cannot be declared.
    """
    # A file of another format is declared by a `partial` of the function that reads it, whose name is the format.
    reader = getattr(getattr(declaration.load(), "func", None), "__name__", "")
    if reader == "minizinc":
        given = declaration.arguments(arguments)
        names = enumerations_of_file(declaration.name, given["data"])
        puzzle = _compile(declaration.name, given) if given["define"] else declaration.declare(**arguments)
        return ComparedModel(puzzle, partial(rules_of_source, declaration.name, given), names)
    with note_lines(declaration.name) as lines:  # notes which line of the file adds each constraint
        puzzle = declaration.declare(**arguments)
        model = ComparedModel(puzzle, partial(rules_of_model, puzzle, lines(puzzle.model)))
    if reader != "script":
        return model
    from solvers.extras.bridges.scripts.load import author_names

    given = declaration.arguments(arguments)
    return model._replace(authored=partial(author_names, declaration.name, given["model"], given["argument"]))


def _compile(path: str, given: Mapping[str, Any]) -> Puzzle:
    """Compile a model in MiniZinc in which ``--define`` replaces values; raise `InputError` if it does not compile.

    given: its parameters by name.
    """
    from solvers.extras.bridges.minizinc.load import compile_minizinc

    with errors_with_name(path):
        # The text without the values that are replaced, and the parameters with which it is compiled.
        source, parameters = text_and_parameters(path, given)
        return compile_minizinc(path, source.text, **parameters)


def _limit_memory(size: int) -> None:
    """Limit the data memory of this process, and of each process that it starts, to ``size`` bytes.

    Raises `InputError` on Windows, which has no such limit.
    """
    try:
        import resource
    except ImportError:
        raise InputError("--memory has no effect on Windows; leave it out") from None
    _, hard_limit = resource.getrlimit(resource.RLIMIT_DATA)
    limit = size if hard_limit == resource.RLIM_INFINITY else min(size, hard_limit)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


if __name__ == "__main__":
    sys.exit(command(main))
