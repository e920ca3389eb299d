"""The sentences that a teacher could send: what is right or wrong with a submission, and which rule is to blame."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from models.puzzle import Label, Puzzle
from solvers.base.deadline import Deadline
from solvers.base.errors import InputError, Stopped
from solvers.extras.audits.diff.blame import (
    Blame,
    Outside,
    RuleBook,
    are_allowed,
    blame,
    is_optimising,
    rules_of_model,
    wrong_symmetry,
)
from solvers.extras.audits.diff.enumerations import originals, recode_key
from solvers.extras.audits.diff.parameters import NO_SIZE
from solvers.extras.audits.diff.verdicts import (
    DIFFERENT,
    NOT_SETTLED,
    OTHER_VARIABLES,
    SAME,
    SAME_UP_TO_SYMMETRY,
    Difference,
    Side,
    Values,
    some_of,
)
from solvers.extras.audits.reading.grids import as_grid, as_integers
from solvers.extras.audits.reading.orbits import Lister
from solvers.extras.audits.reading.source import BREAKING
from solvers.extras.bridges.minizinc.enumerations import Enumerations
from solvers.running.stated import model_and_variables
from solvers.show.plain import number_with_unit

REFUSED, CRASHED, ENDLESS = "refused", "crashed", "endless"
"""The verdicts on files that are no model, on those whose process broke down, and on those that do not end themselves.

A submission is endless if it has not declared its model when the time is over.
"""

WRONG_SYMMETRY = re.compile(r"(?P<symmetry>.*) of .* is wrong: it (?P<does>.*)", re.DOTALL)
"""What the process of a submission says that declares a wrong symmetry."""

MOST_IN_EXAMPLE = 20
"""The most variables of an example that a sentence names."""

MOST_RULES_SHOWN = 20
"""The most rules that a sentence names."""

MOST_CLASSED = 2000
"""The most solutions of the reference with which a rule is tried that may only break symmetry."""

RULES_SECONDS = 10.0
"""Seconds for the search for all rules to blame, where there is no time limit."""

CURE_SECONDS = 5.0
"""Seconds for the solutions of a model without the rules that are blamed."""


class ComparedModel(NamedTuple):
    """One of the two models, and its rules."""

    puzzle: Puzzle
    book: Callable[[], RuleBook]
    """Returns the rules; they are read only if some are to blame."""
    names: Enumerations = Enumerations()
    """The names of its values and of its indices."""
    authored: Callable[[], Sequence[str]] = tuple
    """Returns the names that the author gave to the model's variables, in their order, if these are other ones."""

    def by_author_names(self) -> ComparedModel | None:
        """Return the model with the author's names of variables as labels; None if these change no label.

        The names are in the order of the model's variables. A variable without a name, or with one that others have
        too, keeps its label. The result is None, too, if two labels would be the same. Raises `InputError` if the names
        cannot be read.
        """
        if not (names := self.authored()):
            return None
        uses, key = Counter(names), self.puzzle.key
        _, variables = model_and_variables(self.puzzle)  # the index of each label's variable
        name_of_label = {label: names[index] for label, index in variables.items() if uses[names[index]] == 1}
        labels = [name_of_label.get(label) or label for label in key]
        if labels == [*key] or len({*labels}) < len(labels):
            return None
        puzzle = self.puzzle
        renamed = Puzzle(puzzle.name, puzzle.parameters, puzzle.model, dict(zip(labels, key.values(), strict=True)))
        return self._replace(puzzle=renamed, book=partial(rules_of_model, renamed, {}))


class Feedback(NamedTuple):
    """The words on a submission."""

    say: str
    """What to say to its author."""
    mistake: str
    """A text that is the same for submissions with the same mistake; empty if there is no mistake."""


def explain(
    result: Difference, reference: ComparedModel, submission: ComparedModel, lister: Lister, stop: Deadline
) -> Feedback:
    """Return the words on a submission: what to say to its author, and a text that identifies the mistake.

    result: the comparison with the reference. reference, submission: both models with their rules. lister: starts
    listings. stop: ends the search for the rules to blame when set; the words then name no rule.
    """
    return _Explainer(result, reference, submission, lister, stop).explain()


class _Explainer:
    """Finds the rules to blame, and the words."""

    def __init__(
        self, result: Difference, reference: ComparedModel, submission: ComparedModel, lister: Lister, stop: Deadline
    ) -> None:
        """Take the comparison and both models; see `explain`."""
        self._result, self._models = result, (reference, submission)
        self._lister, self._stop = lister, stop
        self._blamed_texts: list[str] = []  # of what is to blame, for `_mistake`

    def explain(self) -> Feedback:
        """Return the words; see `explain`."""
        feedback, wrong = self._explain_solutions(), self._sentence_on_symmetries()
        if wrong:
            return Feedback(f"{wrong} {feedback.say}", f"{wrong} {feedback.mistake}")
        return feedback

    def _explain_solutions(self) -> Feedback:
        """Return the words on the solutions of the submission, without its symmetries.

        The two sides of the result, submission and reference, have the numbers of their solutions (None if not
        counted), and samples of those that the other side lacks.
        """
        result = self._result
        submission, reference = result.submission, result.reference
        if result.verdict == SAME:
            number = (
                ""
                if submission.solutions is None
                else f": {number_with_unit(submission.solutions, 'solutions')}, as it should be"
            )
            return Feedback(f"Your model is right{number}.", "")
        if result.verdict == NOT_SETTLED:
            return Feedback(not_settled(seconds=None), "")
        if result.verdict == OTHER_VARIABLES:
            return Feedback(_other_variables(result), f"{reference.left_out} {submission.left_out}")
        if result.verdict == SAME_UP_TO_SYMMETRY:
            return Feedback(self._up_to_symmetry(), self._mistake())
        assert result.verdict == DIFFERENT
        parts = ["Your model has no solution."] if submission.solutions == 0 else []
        parts += self._too_many() if submission.samples else []
        parts += self._too_few() if reference.samples else []
        return Feedback(" ".join(parts), self._mistake())

    def _up_to_symmetry(self) -> str:
        """Return the words on a submission that keeps a solution of each orbit.

        They name the rules of the submission that forbid the other solutions, as far as these are found.
        """
        submission, reference = self._result.submission, self._result.reference
        blame_here, blamed_texts = self._blame_rules(place=1, side=reference)
        parts = [
            f"Your model is right up to symmetry: it has {submission.solutions} of the "
            f"{number_with_unit(reference.solutions or 0, 'solutions')}, "
            "and each of the others is an image of one of these."
        ]
        if blamed_texts:
            more = self._more_rules_text(blame_here, reference)
            parts.append(f"Symmetry is broken by {_rules_text(blamed_texts)}{more}.")
        elif blame_here and blame_here.breaks_none:
            parts.append(self._sentence_on_objective())
        return " ".join(parts)

    def _sentence_on_symmetries(self) -> str:
        """Return the sentence on a wrong symmetry that the submission declares; empty if none is known to be wrong.

        They are tried on the list of its solutions, which has to be complete: all were listed, all labels were
        compared, and not only those of a best value count. These solutions have the reference's numbers of values, so
        the submission's own are put back.
        """
        result = self._result
        puzzle = self._models[1].puzzle
        labels = [*result.pairs.values()]
        if result.listed is None or len(labels) != len(puzzle.key) or is_optimising(puzzle):
            return ""
        with suppress(InputError):
            solutions_of_submission = [
                originals(dict(zip(labels, values, strict=True)), result.recoded) for values in result.listed[1]
            ]
            if wrong := wrong_symmetry(puzzle, solutions_of_submission):  # words such as "symmetry 1 carries ..."
                return f"A symmetry that your model declares is wrong: {wrong}."
        return ""

    def _too_many(self) -> list[str]:
        """Return the sentences on solutions that the reference lacks.

        They name the rules of the reference that forbid these, a value outside a domain of the reference, or its
        objective; then an example.
        """
        submission = self._result.submission
        number = "a solution" if submission.only is None else number_with_unit(submission.only, "solutions")
        blame_here, blamed_texts = self._blame_rules(place=0, side=submission)
        parts = [f"Your model has {number} too many."]
        if blamed_texts:
            start = "A rule is" if len(blamed_texts) == 1 else "Rules are"
            parts.append(f"{start} missing: {_rules_text(blamed_texts)}.")
        if blame_here and blame_here.outside:  # its label is one of the reference
            label = self._result.pairs[blame_here.outside.label]
            parts.append(f"{label} can be {blame_here.outside.value}, but has to be {_domain(blame_here.outside)}.")
        if blame_here and blame_here.breaks_none:
            parts.append(self._sentence_on_objective())
        return [
            *parts,
            f"For example, it allows {self._example(submission)}.",
            *self._repair_sentence(place=0, blame_here=blame_here),
        ]

    def _too_few(self) -> list[str]:
        """Return the sentences on solutions that the submission lacks.

        They name the rules of the submission that forbid these, apart from rules that alone only break symmetry, a
        domain that is too small, or the objective; then an example.
        """
        reference = self._result.reference
        number = "a solution" if reference.only is None else number_with_unit(reference.only, "solutions")
        blame_here, blamed_texts = self._blame_rules(place=1, side=reference)
        parts = [f"Your model lacks {number}."]
        more = self._more_rules_text(blame_here, reference)
        strong, breaking = self._split(blame_here, blamed_texts)
        if strong:
            start = "This rule is" if len(strong) == 1 else "These rules are"
            parts.append(f"{start} too strong: {_rules_text(strong)}{more}.")
        if strong and breaking:
            parts.append(f"Symmetry is broken by {_rules_text(breaking)}; that alone is right.")
        elif breaking:
            parts.append(
                f"Alone, each of these rules only breaks symmetry, but together they are too strong: "
                f"{_rules_text(breaking)}{more}."
            )
        elif blame_here and (outside := blame_here.outside):
            parts.append(f"{outside.label} is only {_domain(outside)}, so that {outside.value} is missing.")
        if blame_here and blame_here.breaks_none:
            parts.append(self._sentence_on_objective())
        return [
            *parts,
            f"For example, it forbids {self._example(reference)}.",
            *self._repair_sentence(place=1, blame_here=blame_here),
        ]

    def _more_rules_text(self, blame_here: Blame | None, side: Side) -> str:
        """Return the words, behind the rules to blame, that there may be other ones; empty if all are known.

        All rules are known if the search for them is finished (``is_all``), and has seen each solution that the rules
        forbid. blame_here: the rules to blame, None if there was no time for the search. side: the model that has the
        forbidden solutions; the search has seen its samples, and ``only`` is the number of them all.
        """
        has_seen_all_solutions = side.only is not None and len(side.samples) == side.only
        if blame_here is not None and blame_here.is_all and has_seen_all_solutions:
            return ""
        return ", and perhaps by others" if self._result.verdict == SAME_UP_TO_SYMMETRY else ", and perhaps others are"

    def _split(self, blame_here: Blame | None, texts: list[str]) -> tuple[list[str], list[str]]:
        """Return the texts of (what is too strong in the submission, the rules that alone only break symmetry).

        A rule only breaks symmetry if it and all rules that are not blamed allow a solution of each orbit of the
        reference's solutions. If the submission also has solutions that the reference lacks, this is asked only of
        rules that are marked as breaking symmetry. No rule is said to break symmetry if there was no time to know, or
        if the solutions were not listed or are too many.

        blame_here: the rules that are blamed. texts: the texts of what is to blame; those of these rules come last.
        """
        result = self._result
        orbits: Mapping[Values, object] | None = None
        if (
            blame_here
            and blame_here.rules
            and result.orbits
            and result.listed
            and len(result.listed[0]) <= MOST_CLASSED
        ):
            with suppress(InputError):
                orbits = result.orbits()
        if not blame_here or not orbits or not blame_here.is_all:
            return texts, []
        book = self._models[1].book()
        labels = [*result.pairs]
        texts_of_rules = texts[len(texts) - len(blame_here.rules) :]
        breaking = list[str]()
        # The solutions of the reference, by the submission's labels and numbers; `orbits` maps each to its orbit.
        solutions = [self._name_solution(dict(zip(labels, values, strict=True)), 1)[0] for values in orbits]
        with suppress(InputError, Stopped):
            for place, text in zip(blame_here.rules, texts_of_rules, strict=True):
                if result.submission.only and not book.rules[place].text.startswith(BREAKING):
                    continue
                places_tried = [
                    other for other in range(len(book.rules)) if other == place or other not in blame_here.rules
                ]
                is_kept = are_allowed(book, places_tried, solutions, self._stop)
                kept_orbits = {orbit for orbit, is_allowed in zip(orbits.values(), is_kept, strict=True) if is_allowed}
                if len(kept_orbits) == len({*orbits.values()}):
                    breaking.append(text)
        return [text for text in texts if text not in breaking], breaking

    def _sentence_on_objective(self) -> str:
        """Return the words on solutions that no rule forbids, but an objective."""
        reference_optimises, submission_optimises = (is_optimising(model.puzzle) for model in self._models)
        if not submission_optimises:
            return "The task asks for the best value only, and your model for none."
        if not reference_optimises:
            return "It asks for a best value, but the task is to find all solutions."
        return "No rule is to blame, but what it minimises or maximises."

    def _blame_rules(self, place: int, side: Side) -> tuple[Blame | None, list[str]]:
        """Return (the blame on the rules of one model, the texts of what is to blame); note these texts for `_mistake`.

        The rules are those that forbid solutions which only the other model has. The blame is None if there was no time
        for it. Where a model represents an integer by Booleans, and a solution of the other model makes none or several
        of them true, the first text says that exactly one has to be. The texts of rules come behind that one.

        place: 0 for the rules of the reference, 1 for those of the submission. side: the model that has the solutions.
        """
        # Each sample by this model's labels and values, and the Booleans of an integer of which not just one is true.
        solutions_and_flaws = [self._name_solution(sample, place) for sample in side.samples]
        flaws = [flaw for _, flaw in solutions_and_flaws if flaw]
        texts = [f"exactly one of {some_of([*map(str, flaws[0])])}"] if flaws else []
        solutions = [solution for solution, flaw in solutions_and_flaws if not flaw]
        self._blamed_texts += texts
        with suppress(InputError, Stopped):
            book = self._models[place].book()
            blame_here = blame(book, solutions, Deadline(self._stop, seconds=RULES_SECONDS), is_every=place == 1)
            rules = [book.rules[number] for number in blame_here.rules]
            self._blamed_texts += [rule.text for rule in rules]
            # Only the submission's own rules are named with their lines.
            return blame_here, texts + [str(rule) if place else rule.text for rule in rules]
        return None, texts

    def _name_solution(self, solution: Mapping[Label, int], place: int) -> tuple[dict[Label, int], Collection[Label]]:
        """Return (a solution by the labels and values of one model, Booleans that represent no integer).

        Solutions were compared with Booleans for the values of some integers, the grids, and with the reference's
        numbers of values; here the model's own integers and numbers are put back. The Booleans, by the submission's
        labels, are those of an integer none or several of which are true; see `as_integers`. solution: the values by
        the reference's labels. place: 0 for the labels of the reference, 1 for those of the submission.
        """
        pairs = self._result.pairs
        if not place:
            own_solution, flaw = as_integers(solution, self._result.grids[0])
            return own_solution, [pairs[label] for label in flaw]
        renamed = {pairs[label]: value for label, value in solution.items()}
        own_solution, flaw = as_integers(renamed, self._result.grids[1])
        return originals(own_solution, self._result.recoded), flaw

    def _example(self, side: Side) -> str:
        """Return the first solution that only one model has, by the labels of the submission, as text.

        Of many Booleans only the true ones are named, and values that have names by these. side: the model that has it.
        """
        pairs, names = self._result.pairs, self._result.names
        solution = side.samples[0]  # by the reference's labels
        value_names = {  # by the submission's label, the name of its value in this solution
            pairs[label]: names_of_values[solution[label]]
            for label, names_of_values in names.items()
            if solution[label] in names_of_values
        }
        literals = [*self._name_solution(solution, 1)[0].items()]
        written = literals
        if len(literals) > MOST_IN_EXAMPLE and all(value in (0, 1) for _, value in literals):
            written = [(label, value) for label, value in literals if value]
        texts = [f"{label}={value_names.get(label, value)}" for label, value in written[:MOST_IN_EXAMPLE]]
        text = ", ".join(texts)
        if len(written) > MOST_IN_EXAMPLE:
            return f"{text}, ..."
        if written and len(written) < len(literals):
            return f"{text}, and all others 0"
        return text or "all 0"

    def _repair_sentence(self, place: int, blame_here: Blame | None) -> list[str]:
        """Return a list of the sentence that a change of the blamed rules makes the submission right; empty if not.

        This is known if one model has all solutions of the other, and has the same ones once the blamed rules are taken
        out of the other. place: 0 for rules of the reference, which the submission lacks; 1 for those of the
        submission. blame_here: the rules that are blamed there; None if none were looked for.
        """
        result = self._result
        if (
            blame_here is None
            or not blame_here.rules
            or result.listed is None
            or (result.reference.only and result.submission.only)
        ):
            return []
        if any(is_optimising(model.puzzle) for model in self._models):
            return []
        with suppress(InputError, Stopped):
            book = self._models[place].book()
            kept_rules = [number for number in range(len(book.rules)) if number not in blame_here.rules]
            # The model without the blamed rules, by the labels and numbers with which solutions were compared.
            model = as_grid(book.only(kept_rules), result.grids[place])
            model = recode_key(model, result.recoded) if place else model
            if self._has_solutions(model, place, result.listed[1 - place]):
                rules = "this rule" if len(blame_here.rules) == 1 else "these rules"
                return [f"With {rules}, it is right." if place == 0 else f"Without {rules}, it is right."]
        return []

    def _has_solutions(self, puzzle: Puzzle, place: int, expected: Sequence[Values] | Any) -> bool:
        """Tell whether a puzzle has exactly the expected solutions; False if there is no time to tell.

        puzzle: the reference if place is 0, the submission if it is 1, without some rules. expected: the values of the
        common labels in each solution.
        """
        labels = [*self._result.pairs.values()] if place else [*self._result.pairs]
        if not puzzle.key.keys() >= {*labels}:
            return False
        seen = set()
        listing = self._lister.list_all(puzzle, Deadline(self._stop, seconds=CURE_SECONDS))
        for solution in listing:
            seen.add(tuple(solution[label] for label in labels))
            if len(seen) > len(expected):
                listing.run.dismiss()  # ends the search
                return False
        return listing.is_complete and seen == {*expected}

    def _mistake(self) -> str:
        """Return a text that is the same for submissions with the same mistake.

        It is a hash of the solutions that only one model has, or, if these were not listed, the rules to blame.
        """
        if self._result.listed is None:
            return "; ".join(self._blamed_texts)
        right, submitted = ({*solutions} for solutions in self._result.listed)
        lacking = sorted(right - submitted)
        too_many = sorted(submitted - right)
        return hashlib.sha256(repr((lacking, too_many)).encode()).hexdigest()


def on_failure(verdict: str, complaint: str, seconds: float) -> str:
    """Return the words on a submission that was not compared.

    verdict: `CRASHED`, `ENDLESS`, `NOT_SETTLED` or `REFUSED`. complaint: what its process said; may be empty if it was
    not settled. seconds: its time limit.
    """
    if verdict == NOT_SETTLED:
        return f"Not known: {complaint}." if complaint else not_settled(seconds)
    if verdict == ENDLESS:
        return f"Your program does not end: it has declared no model within {seconds:g} s."
    if verdict == CRASHED:
        return f"Your program crashes: {complaint}."
    if wrong := WRONG_SYMMETRY.fullmatch(complaint):
        return f"A symmetry that your model declares is wrong: {wrong['symmetry']} {wrong['does']}."
    if NO_SIZE in complaint:
        return f"Your model {complaint}."
    return f"Your file cannot be read as a model: {complaint}."


def not_settled(seconds: float | None) -> str:
    """Return the words on a submission that was not settled, within so many seconds if they are known."""
    within = "in time" if seconds is None else f"within {seconds:g} s"
    return f"It was not settled {within} whether your model is right; no difference was found."


def _other_variables(result: Difference) -> str:
    """Return the words on a submission that has other variables: which, and the ``--map`` that may match them.

    A proposal is a text OURS=THEIRS, a name of the reference and one of the submission. Several for one of the
    reference are alternatives.
    """
    missing, extra = result.reference.left_out, result.submission.left_out
    parts = ["Your model has other variables."]
    if missing:
        parts.append(f"{some_of(missing)} {'is' if len(missing) == 1 else 'are'} missing.")
    if extra:
        parts.append(f"{some_of(extra)} {'is' if len(extra) == 1 else 'are'} not asked for.")
    alternatives: dict[str, list[str]] = {}  # by a name of the reference, those of the submission
    for text in result.proposals:
        ours, _, theirs = text.partition("=")
        alternatives.setdefault(ours, []).append(theirs)
    if alternatives:
        alike = " and ".join(f"your {' or '.join(theirs)} is {ours}" for ours, theirs in alternatives.items())
        maps = [f"--map '{text}'" for text in result.proposals]
        is_choice = len(maps) > len(alternatives)
        how = f"choose from {', '.join(maps)} to compare" if is_choice else f"{' '.join(maps)} compares"
        parts.append(f"Perhaps {alike}; then {how} them.")
    return " ".join(parts)


def _rules_text(rules: Sequence[str]) -> str:
    """Return some rules as a text, at most `MOST_RULES_SHOWN` of them."""
    more = len(rules) - MOST_RULES_SHOWN
    return "; ".join(rules[:MOST_RULES_SHOWN]) + (f"; and {more} more" if more > 0 else "")


def _domain(outside: Outside) -> str:
    """Return the values that a variable can have as a text."""
    pieces = [str(low) if low == high else f"from {low} to {high}" for low, high in outside.domain]
    return " or ".join(pieces)
