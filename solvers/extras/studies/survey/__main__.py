"""python -m solvers survey PUZZLE: one puzzle in many variants, a row for each."""

import argparse
import shlex
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from solvers.base.endings import BAD_INPUT, DONE, INCOMPLETE, SHOULD_NEVER_HAPPEN, Ending
from solvers.base.errors import StoreError
from solvers.base.options import Options
from solvers.extras.studies.survey import runs
from solvers.extras.studies.survey.known_terms import (
    COUNTS,
    READINGS,
    UNFINISHED,
    Verdict,
    compare_to_terms,
    lines_of,
    places_by_index,
    read_terms,
    terms_by_index,
)
from solvers.extras.studies.survey.rows import (
    DIFFICULTY,
    FACTS,
    KINDS,
    OF_APART,
    PARTS,
    PLOTS,
    Survey,
    check_sorting,
)
from solvers.extras.studies.survey.tables import TableOutputs
from solvers.extras.studies.survey.variant import Variant
from solvers.extras.studies.survey.variants import (
    READERS,
    WHOLE_FILE,
    Row,
    advice_to_hand_over,
    columns,
    fill_in,
    is_list,
    placeholder_values,
    placeholders,
    split_values,
    values_of,
    variants,
    vary,
)
from solvers.files.catalogue import Declaration, Parameter
from solvers.outputs.paths import inputs
from solvers.show.plain import number_with_unit
from solvers.show.printable import paint
from solvers.terminal.arguments import PuzzleParser
from solvers.terminal.command import StopEvent, command, complain
from solvers.terminal.progress import ProgressLine

SORTING = (
    f"a parameter or {', '.join(FACTS)}; with --apart also {', '.join(OF_APART)}; "
    f"with --grade also {', '.join((DIFFICULTY, *PARTS))}"
)
"""The names by which rows are sorted, for the help."""

EPILOG = """A parameter of the puzzle takes several values: a list, a range of whole numbers
such as 3..8, or a file with a value on each line or with drawings divided by
empty lines. file:PATH hands the file itself to the puzzle, as for --pieces and
--board. Several parameters make all combinations. --time-limit is for each.
{n} in a value stands for the numbers of an option --n, which you name as you
like; a range may end at another one, such as --k 1..n.
--backend, --symmetry, --breaking, --jobs and --seed vary in the same way: give
values separated by commas, or a range. If --jobs varies, one variant runs at a time.
--grade sorts by difficulty: by false starts, longest, choices, hardest.

examples:
  python -m solvers survey pentomino --board 3x20 4x15 5x12 6x10 --backend cover
  python -m solvers survey packing --board 4x5 --pieces 'dominoes x*' --holes 0..3
  python -m solvers survey packing --pieces file:a.pieces file:b.pieces --grade
  python -m solvers survey model.mzn --define n=3..8 --b-file counts.txt
  python -m solvers survey queens --n 4..8 --backend cp,sat --seed 1..3
  python -m solvers survey queens --n 1..5 --expect 1,0,0,2,10
  python -m solvers survey packing --board '{n}x{k}' --n 1..4 --k 1..4 --pieces 'dominoes x*' --read antidiagonals"""


def main(words: list[str]) -> int:
    """Run the command ``survey``, which solves many variants of a puzzle; return the exit code.

    words: its command line, without the command's own name. An option --n whose name stands in braces in some word is a
    placeholder, unless the puzzle has a parameter n. Raises `InputError` for options that are wrong. The parser puts
    the texts for an option --n of the puzzle under "of n".
    """
    unnamed = "name a puzzle, such as pentomino; python -m solvers.run --list shows all of them"
    options = parser()
    # The names of options that stand in braces in some word.
    names = placeholders(words, [word[2:].partition("=")[0] for word in words if word.startswith("--")])
    placeholder_parameters = [
        Parameter(name, str, (), default=None, meaning=f"the values of {{{name}}}") for name in names
    ]
    declaration, chosen = options.parse_puzzle(words, unnamed, add=_add_values, further=placeholder_parameters)
    command_line = shlex.join(["python", "-m", "solvers", "survey", *words])
    single, several = split_values(options.run_values(chosen))
    texts = {name: vars(chosen)[f"of {name}"] for name in names if f"of {name}" in vars(chosen)}
    parameter_names = {parameter.name for parameter in declaration.parameters}
    placeholder_texts = {name: texts[name] for name in texts if name not in parameter_names}
    return _run(declaration, chosen, Options(**single), several, placeholder_texts, command_line)


def _add_values(group: Any, parameter: Parameter) -> None:
    """Add the option for a parameter of the puzzle, with several values, to an argument group."""
    meaning = f"{parameter.meaning} (default: {parameter.default})".replace("%", "%%")
    action = "extend" if parameter.repeated else "store"
    group.add_argument(
        parameter.option, action=action, dest=f"of {parameter.name}", nargs="+", metavar="VALUE", help=meaning
    )


def parser() -> PuzzleParser:
    """Return the parser of the command line, with the options that all puzzles share.

    `PuzzleParser.offer` adds options that several commands share, by name.
    """
    parser = PuzzleParser("python -m solvers survey", "Run a puzzle in many variants; a row for each.", EPILOG)
    run = parser.add_argument_group("each run")
    parser.offer("backend symmetry breaking given unique count_only limit apart unique_apart", run, READERS)
    parser.offer("time_limit jobs seed store solver_parameters", run, READERS)
    output = parser.add_argument_group("output")
    output.add_argument("--grade", action="store_true", help="grade how hard each variant is, and sort by that")
    output.add_argument("--only", choices=[*KINDS], metavar="KIND", help=f"show only these rows: {', '.join(KINDS)}")
    output.add_argument("--sort", metavar="NAME", help=f"sort the rows by {SORTING}")
    output.add_argument("--reverse", action="store_true", help="sort the largest first")
    output.add_argument("--b-file", metavar="FILE", help="write the counts as a b-file of the OEIS (- prints it)")
    terms = parser.add_argument_group("the counts as a sequence")
    terms.add_argument(
        "--expect",
        metavar="TERMS",
        help="hold the counts against these terms, such as 1,0,0,2,10, or a b-file; the exit code is 4 if one differs",
    )
    terms.add_argument(
        "--terms",
        choices=[*COUNTS],
        default="total",
        help="the counts for --expect and --b-file: in all (total, the default) or up to symmetry (solutions)",
    )
    terms.add_argument(
        "--read",
        choices=READINGS,
        metavar="ORDER",
        help=f"how a table of two parameters is read as a sequence: {', '.join(READINGS)}",
    )
    TableOutputs.add_options(output, "the rows", "solutions over variants", PLOTS)
    return parser


def _run(
    declaration: Declaration,
    chosen: argparse.Namespace,
    options: Options,
    several: Mapping[str, Sequence[Any]],
    filled: Mapping[str, Sequence[str]],
    command_line: str,
) -> int:
    """Run all variants, print and write the rows, and return the exit code.

    declaration: the puzzle. chosen: the values of all options; the texts for a parameter are under "of NAME". options:
    those of each run. several: the options that vary. filled: the values of placeholders, as texts. command_line: that
    of the survey, for the reports. Raises `InputError` if a value or an option is wrong. `complain` writes a sentence
    to stderr and returns the exit code that it is given.
    """
    # The texts that were given for parameters, their values, and the files that are read and written.
    texts = {parameter.name: getattr(chosen, f"of {parameter.name}") for parameter in declaration.parameters}
    texts_given = {name: parameter_texts for name, parameter_texts in texts.items() if parameter_texts is not None}
    values = {
        parameter.name: values_of(parameter, texts_given[parameter.name])
        for parameter in declaration.parameters
        if parameter.name in texts_given
    }
    paths = {
        name: [text.removeprefix(WHOLE_FILE) for text in parameter_texts]
        for name, parameter_texts in texts_given.items()
    }
    reads = {**inputs(declaration.name, paths, chosen.given, drawing=None), "what is expected": [chosen.expect or ""]}
    tables = TableOutputs(chosen, reads, chosen.store, chosen.b_file)
    expected = None if chosen.expect is None else read_terms(chosen.expect)
    # The variants, and the columns by which they are told apart.
    every_variant = [
        fill_in(variant, numbers, declaration.parameters)
        for numbers in placeholder_values(filled)
        for variant in variants(declaration, values)
    ]
    every_variant = vary(declaration.name, every_variant, several)
    varied = [name for name in texts_given if len(values[name]) > 1]
    if not varied and not filled:  # a single variant is told by the parameters that were given, or by all
        varied = list(texts_given) or [parameter.name for parameter in declaration.parameters]
    # The names of the columns, and their values for each variant.
    varied, variant_columns = columns(varied, every_variant, several, filled)
    sorting = chosen.sort or (DIFFICULTY if chosen.grade else None)
    if sorting is not None:
        check_sorting(sorting, varied, chosen.grade, options.apart or options.unique_apart)
    is_sequence = chosen.b_file is not None or chosen.read is not None
    if is_sequence or isinstance(expected, Mapping):
        # This raises if the rows are no sequence, before anything is run.
        places_by_index(varied, variant_columns, "a b-file", chosen.read, is_gapless=is_sequence)
    # The runs.
    stop = StopEvent()
    # The report of each variant that has finished, by its place.
    row_by_place, store_failure = _row_by_place(declaration.name, every_variant, options, chosen, stop)
    for row in row_by_place.values():
        row["command"] = command_line
    all_rows = [
        Variant({**every_variant[place], **variant_columns[place]}, row_by_place.get(place, UNFINISHED))
        for place in range(len(every_variant))
    ]
    finished_rows = [row for place, row in enumerate(all_rows) if place in row_by_place]
    survey = Survey(declaration.name, varied, finished_rows)
    shown_rows = survey.only(chosen.only) if chosen.only else survey
    if sorting and (shown_rows.is_graded or not chosen.grade):
        shown_rows = shown_rows.sorted(sorting, chosen.reverse)
    # The output: the terms of a sequence end at the first row that is not complete.
    has_terms = (is_sequence or expected is not None) and any(row.complete for row in finished_rows)
    terms, why_terms_end = terms_by_index(varied, all_rows, chosen.terms, chosen.read) if is_sequence else ({}, "")
    b_file = lines_of(terms)
    data = ", ".join(map(str, terms.values()))
    text = "\n\n".join(filter(None, (str(shown_rows), shown_rows.note, survey.summary(), data)))
    paint(sys.stdout, tables.text(shown_rows.as_json, shown_rows.as_csv, lambda: text, b_file))
    # The exit code: the greatest of those that anything calls for.
    code = DONE
    if stop.ending or store_failure:
        missing_variants = number_with_unit(len(every_variant) - len(finished_rows), "variants")
        words, code = (stop.ending.words, stop.ending.code) if stop.ending else (store_failure, INCOMPLETE)
        complain(f"{declaration.name}: ended by {words}; {missing_variants} left", code)
    elif finished_rows and all(row.refused for row in finished_rows) and not has_terms:
        lists = [
            text
            for parameter in declaration.parameters
            for text in texts_given.get(parameter.name, ())
            if is_list(parameter, text)
        ]
        advice = f"; {lists[0]} was read as a list of values, {advice_to_hand_over(lists[0])}" if lists else ""
        code = complain(f"every variant was refused: {finished_rows[0].refused}{advice}", BAD_INPUT)
    else:
        code = _code_of_unfinished(survey, chosen.grade)
    if failed := [row for row in finished_rows if runs.FAILED in row.report]:
        complain(
            f"{declaration.name}: {number_with_unit(len(failed), 'variants')} failed: {failed[0]!r}",
            SHOULD_NEVER_HAPPEN,
        )
        code = code or SHOULD_NEVER_HAPPEN
    if why_terms_end:
        code = max(code, complain(why_terms_end, INCOMPLETE))
    if expected is not None and code != BAD_INPUT:
        code = max(
            code,
            _print_verdict(compare_to_terms(varied, all_rows, expected, chosen.terms, chosen.read), tables.prints_data),
        )
    return max(code, tables.write(shown_rows.as_csv, partial(shown_rows.plot, chosen.plot_kind), b_file))


def _row_by_place(
    name: str, every_variant: Sequence[Mapping[str, Any]], options: Options, chosen: argparse.Namespace, stop: StopEvent
) -> tuple[Mapping[int, Row], str]:
    """Run the variants; return the rows of those that finished, by their places, and why the store failed.

    The second is empty if the store did not fail. name: the puzzle's name. options: those of each run. chosen: the
    options of the survey. stop: the event that ends the runs. A line on stderr shows how many variants have a row. A
    row is the report of a run; see `runs.collect`.
    """
    line, store_failure = ProgressLine(chosen.quiet), ""
    row_by_place: dict[int, Row] = {}

    def show_rows() -> None:
        """Show how many variants have a row."""
        line.show_progress(
            lambda: f"{name}: {len(row_by_place):,} of {number_with_unit(len(every_variant), 'variants')}"
        )

    try:
        runs.collect(
            row_by_place,
            name,
            declare=None,
            every=every_variant,
            options=options,
            stop=stop,
            tell=show_rows,
            grade=chosen.grade,
        )
    except StoreError as error:
        store_failure = f"{Ending.STORE.words}: {error}"
    line.clear()
    return row_by_place, store_failure


def _code_of_unfinished(survey: Survey, is_graded: bool) -> int:
    """Return the exit code of a survey whose variants all have a row; say on stderr which of them did not finish.

    is_graded: whether grades were asked for. `complain` writes a sentence to stderr and returns the exit code that it
    is given.
    """
    if unfinished := [row for row in survey.only("incomplete") if row.report["stopped_by"] not in ENOUGH]:
        sentence = f"{number_with_unit(len(unfinished), 'variants')} did not finish, such as one ended by"
        return complain(f"{survey.puzzle}: {sentence} {unfinished[0].report['stopped_by']}", INCOMPLETE)
    if is_graded and (ungraded := [row for row in survey if row.ungraded == Ending.TIME_LIMIT.words]):
        return complain(
            f"{survey.puzzle}: {number_with_unit(len(ungraded), 'variants')} not graded in time", INCOMPLETE
        )
    return DONE


def _print_verdict(verdict: Verdict, prints_data: bool) -> int:
    """Print how the counts compare to the terms that were expected; return the exit code.

    prints_data: whether stdout is for data only. `complain` writes a sentence to stderr and returns the exit code that
    it is given. verdict: whether all terms agree, and sentences.
    """
    for sentence in verdict.sentences:
        if verdict.agrees and not prints_data:
            print(sentence)
        else:
            complain(sentence, verdict.code)
    return verdict.code


ENOUGH = (Ending.LIMIT.words, Ending.SECOND_SOLUTION.words, Ending.SECOND_APART.words)
"""The endings of a run that the user asked for, so that they are no failure."""


if __name__ == "__main__":
    sys.exit(command(main))
