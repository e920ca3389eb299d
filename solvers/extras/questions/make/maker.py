"""Makes puzzles: a random solution, all clues that it gives, and then fewer while the solution stays the only one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from models import PENCIL
from models.boards.clues import cell_letters, text_in
from models.errors import ParameterError
from models.pencil.making import Draft, MadeClue, Making
from models.puzzle import Puzzle, Solution
from solvers.base.errors import CheckError, InputError, Stopped
from solvers.extras.questions.make.formula import ClueFormula
from solvers.extras.questions.make.reasoning import LEVELS, Reasoning, is_forced, reasoning
from solvers.files.catalogue import find
from solvers.running.stated import problem_statement
from solvers.show.plain import number_with_unit

MOST_DRAFTS = 2_000
"""The number of drafts after which a wish is given up."""

MOST_FORMULAS = 3
"""The number of formulas that are kept, as the next puzzle may have the same."""

MOST_RIVALS = 5
"""The most other solutions that are sought before a draft is changed."""

MOST_NEAR = 400
"""The number of drafts near one that is given after which its changes need not be the fewest."""

MOST_CHANGES = 60
"""The number of changes after which a draft is left for another one."""

PATTERNS: Mapping[str, Callable[[tuple[int, ...], tuple[int, ...]], tuple[int, ...]]] = {
    "rotational": lambda cell, last: (last[0] - cell[0], last[1] - cell[1]),  # a half-turn
    "mirror": lambda cell, last: (cell[0], last[1] - cell[1]),
}
"""The symmetries of the places of clues: for each, the image of a cell (row, column), given the board's last cell."""


@dataclass(frozen=True)
class Wish:
    """The wish that the puzzles that are made have to meet."""

    level: str = ""
    """easy, normal, hard, or a number from 1 to 4; empty for any."""
    clues: int = 0
    """The number of clues at which no more are left out; 0 for none."""
    minimal: bool = False
    """Whether no clue may be left out, whatever the level."""
    pattern: str = ""
    """A key of `PATTERNS`, or the path of a drawing of where clues may be; empty for none."""

    def check(self) -> None:
        """Raise `InputError` if no puzzle can be as wished: an unknown value, or wishes that exclude each other."""
        if self.level not in ("", *LEVELS, "1", "2", "3", "4"):
            raise InputError(f"there is no level {self.level!r}; choose {', '.join(LEVELS)}, or a number from 1 to 4")
        if self.pattern not in ("", *PATTERNS) and not self.places:
            raise InputError(f"the pattern {self.pattern!r} has no place for clues; mark such places with #")
        if self.clues < 0 or (self.clues and self.minimal):
            raise InputError("give a number of clues from 1, or ask for minimal puzzles")
        if self.minimal and self.pattern in PATTERNS:
            raise InputError("in a pattern, clues are left out together; leave out `--minimal` or `--pattern`")

    @property
    def is_limited(self) -> bool:
        """True if a level is wished for that some puzzles exceed."""
        return self.level not in ("", "hard", "4")

    @cached_property
    def places(self) -> Collection[tuple[int, ...]] | None:
        """The cells in which clues may be, if `pattern` is the path of a drawing; None if clues may be in all cells.

        Raises `InputError` if there is no such file, or if it cannot be read.
        """
        if self.pattern in ("", *PATTERNS):
            return None
        if not Path(self.pattern).is_file():
            raise InputError(
                f"there is no pattern {self.pattern!r}; choose {' or '.join(PATTERNS)}, or a drawing's path"
            )
        try:
            # The character in each cell; "#.#/.#." is only the example in messages.
            marks = cell_letters(text_in(self.pattern, "#.#/.#."), "the pattern")
        except ParameterError as error:
            raise InputError(f"--pattern {self.pattern}: {error}") from error
        return frozenset(cell for cell, mark in marks.items() if mark != ".")


@dataclass(frozen=True)
class MadePuzzle(Puzzle):
    """A puzzle with one solution, which was made; `solve`, `explain` and `draw` take it as any other."""

    line: str = field(default="", kw_only=True)
    """The puzzle in one line, as the command ``unique`` reads it."""
    answer: Solution = field(default_factory=dict, kw_only=True)
    """Its solution."""
    shown: Solution = field(default_factory=dict, kw_only=True)
    """The part of its solution that its clues give."""
    reasoning: Reasoning = field(default=Reasoning(1), kw_only=True)
    """What leads to the solution."""
    clues: int = field(default=0, kw_only=True)
    """The number of its clues."""
    caption: str = field(default="", kw_only=True)
    """The words above its picture."""
    remark: str = field(default="", kw_only=True)
    """The words on what was changed of what the user gave; empty if nothing was."""
    file_text: str = field(default="", kw_only=True)
    """The text of a file of its own; empty if it has none."""


def making_of(genre: str) -> Making:
    """Return how puzzles of a genre are made: the constant MAKING of its module; raise `InputError` if it has none.

    genre: the name of a pencil puzzle, such as "sudoku".
    """
    making = None
    if genre in PENCIL:
        module_name, *_ = PENCIL[genre]  # (the module of the genre, the name of its function)
        making = getattr(import_module(module_name), "MAKING", None)
    if making is None:
        raise InputError(f"no puzzles of {genre!r:.40} are made; choose one of {', '.join(genres())}")
    return making  # type: ignore[no-any-return]


def genres() -> list[str]:
    """Return the names of the genres of which puzzles can be made."""
    return [name for name, (module, _) in PENCIL.items() if hasattr(import_module(module), "MAKING")]


class PuzzleParts(NamedTuple):
    """A puzzle in the parts that another process can be sent."""

    fixed: Mapping[str, Any]
    """What was fixed before there were clues."""
    clues: Sequence[MadeClue]
    """Its clues."""
    solution: Solution
    """Its solution."""
    steps: Reasoning
    """How it is solved."""
    remark: str = ""
    """What was changed of what the user gave."""


class Maker:
    """Makes puzzles of one genre."""

    def __init__(self, genre: str, sizes: Mapping[str, Any], wish: Wish, seed: int, stop: threading.Event) -> None:
        """Take what is asked for.

        genre: the name of a pencil puzzle, such as "sudoku". sizes: the sizes that the genre's draft takes. seed: the
        same puzzles come of the same seed. stop: ends the work when set. Raises `InputError` if nothing can be as
        wished.
        """
        wish.check()
        self._making = making_of(genre)
        self._declare = find(genre).declare
        self._sizes = sizes
        self._genre = genre
        self._wish = wish
        self._seed = seed
        self._stop = stop
        self._formulas: dict[tuple[str, bool], ClueFormula] = {}
        """The formulas asked for last, by the text of the puzzle's arguments and whether constraints are left out."""

    def puzzles(self, count: int) -> Iterator[MadePuzzle]:
        """Yield so many puzzles; raise `InputError` if none is as wished, `Stopped` once the event is set."""
        for number in range(count):
            yield self.puzzle(number)

    def puzzle(self, number: int) -> MadePuzzle:
        """Return the puzzle of a number, which with the seed determines it."""
        return self.puzzle_of_parts(self.parts_of_number(number))

    def parts_of_number(self, number: int) -> PuzzleParts:
        """Return the parts of the puzzle of a number, which with the seed determines it.

        A draft has the fixed arguments of a puzzle and, as a rule, its solution; the clues follow from these. A draft
        that fails is changed, to exclude other solutions (``rivals``) that its clues leave, or made easier; the
        functions ``change`` and ``ease`` of the genre do so. If it has none, or after `MOST_CHANGES`, the next random
        draft is tried.

        Raises `InputError` if no draft becomes a puzzle as wished.
        """
        random = Random(f"{self._genre} {self._seed} {number}")
        for formula in self._formulas.values():
            formula.forget()  # so that the puzzle does not depend on those made before
        for _ in range(MOST_DRAFTS):
            try:
                draft: Draft | None = self._making.draft(random, **self._sizes)
            except ParameterError as error:
                raise InputError(f"{self._genre}: {error}") from error
            # A solution that the user gives is changed as little as possible.
            given_solution = draft.solution if draft is not None and draft.is_given else None
            if draft is not None and given_solution is not None and (parts := self._with_fewest_changes(random, draft)):
                return parts
            # Try the draft, then what a change makes of it, and so on.
            rivals: list[Solution] = []
            for _ in range(MOST_CHANGES):
                rivals_before = len(rivals)
                if draft is not None and draft.solution is None:  # any solution of the puzzle without clues is taken
                    draft = Draft(draft.arguments, self._formula_of_clues(draft.arguments, []).random_solution(random))
                if draft is None or draft.solution is None or self._stop.is_set():
                    break
                parts, is_harder = self._parts_of_draft(random, draft, rivals)
                if parts is not None:
                    return parts._replace(remark=_remark(given_solution, parts.solution)) if given_solution else parts
                # The next draft: one that excludes the new rivals, an easier one, or none.
                arguments = draft.arguments
                solution = draft.solution
                draft = None
                if self._making.change is not None and len(rivals) > rivals_before:
                    draft = self._making.change(random, arguments, solution, rivals)
                    is_harder = self._wish.is_limited  # if no change excludes the rivals, an easier draft is tried
                if draft is None and self._making.ease is not None and is_harder:
                    draft = self._making.ease(random, arguments, solution)
                    rivals = []
        raise InputError(f"none of {MOST_DRAFTS:,} drafts became such a {self._genre}; ask for less, or another size")

    def _with_fewest_changes(self, random: Random, draft: Draft) -> PuzzleParts | None:
        """Return the puzzle with the fewest changes of a draft whose solution the user gave; None if none is found.

        The search is breadth-first and ends after `MOST_NEAR` drafts. Each layer has the drafts with one more changed
        label, one for each set of changed labels. ``near`` of the genre returns the drafts with one more change that
        may exclude another solution; one that takes a change back is skipped.
        """
        given_solution = draft.solution
        assert given_solution is not None
        layer, tried = [draft], 0
        while layer and self._making.near is not None:
            next_layer: dict[frozenset[Any], Draft] = {}  # by the labels that are changed
            for trial in layer:
                assert trial.solution is not None
                tried += 1
                rivals: list[Solution] = []
                parts, _ = self._parts_of_draft(random, trial, rivals)
                if parts is not None:
                    # With fewer changes, there may be puzzles of another level.
                    note = "" if self._wish.level else "the fewest"
                    return parts._replace(remark=_remark(given_solution, parts.solution, note))
                if tried == MOST_NEAR:
                    return None
                changes_so_far = _differences(given_solution, trial.solution)
                for neighbour in self._making.near(trial.arguments, trial.solution, rivals[0]) if rivals else ():
                    assert neighbour.solution is not None
                    if len(changes := _differences(given_solution, neighbour.solution)) > len(changes_so_far):
                        next_layer.setdefault(changes, neighbour)
            layer = [*next_layer.values()]
        return None

    def _parts_of_draft(self, random: Random, draft: Draft, rivals: list[Solution]) -> tuple[PuzzleParts | None, bool]:
        """Return (puzzle with the solution of a draft or None, whether there is one but it is harder than wished).

        There is no puzzle if all clues leave another solution, if the number of clues that is wished for cannot be met,
        or if the puzzle has another level. rivals: in the first case, and only if the genre can change drafts, other
        solutions are added to this list. random: decides which clues are left out.
        """
        if self._stop.is_set():
            raise Stopped
        fixed, solution = draft.arguments, draft.solution
        assert solution is not None
        clues = self._making.clues(fixed, solution)
        places = self._wish.places
        # A clue without a rule and a literal is always written; one outside the places of the wish never.
        optional = [clue for clue in clues if (clue.rule or clue.literal) and (places is None or clue.place in places)]
        lazy_formula = self._formula_of_clues(fixed, clues, is_lazy=True)
        make_whole = partial(self._formula_of_clues, fixed, clues)
        selection = _ClueSelection(lazy_formula, make_whole, solution, optional, self._wish)
        if selection.core(optional) is None:  # all clues leave another solution
            if self._making.change is not None:
                rivals += selection.other_solutions(MOST_RIVALS)
            return None, False
        selected = selection.fewest(random)
        if selected is None:
            return None, False
        steps = selection.steps(selected)
        if not steps.fits(self._wish.level):
            return None, steps.exceeds(self._wish.level)
        clues_written = [clue for clue in clues if clue in selected or not (clue.rule or clue.literal)]
        return PuzzleParts(fixed, clues_written, solution, steps), False

    def _formula_of_clues(
        self, fixed: Mapping[str, Any], clues: Sequence[MadeClue], is_lazy: bool = False
    ) -> ClueFormula:
        """Return the formula of a puzzle with these clues; the formulas asked for last are kept for the next calls.

        Clues that are rules are written into the puzzle, and each can be switched off in the formula; those that are
        literals are assumed when it is asked. fixed: the parameters that are not made of clues. is_lazy: whether
        constraints that are long as clauses are left out of it, and added where they are contradicted.
        """
        rules = [clue for clue in clues if clue.literal is None]
        making = self._making
        arguments = making.write(fixed, rules)
        key = repr(arguments), is_lazy and making.cuts is not None
        formula = self._formulas.pop(key, None)  # it is put back as the last, and the first is deleted
        if formula is None:
            cuts = partial(making.cuts, fixed) if making.cuts is not None and is_lazy else None
            # The puzzle's model and its key, without symmetries and givens.
            model, key_of_model, _, _ = problem_statement(self._declare(**arguments), "none", (), self._stop)
            formula = ClueFormula(model, key_of_model, self._stop, rules, making.lazy if cuts else (), cuts)
        self._formulas[key] = formula
        if len(self._formulas) > MOST_FORMULAS:
            del self._formulas[next(iter(self._formulas))]
        return formula

    def puzzle_of_parts(self, parts: PuzzleParts) -> MadePuzzle:
        """Return the puzzle with these parts.

        A genre that does not write its clues into the parameter ``puzzle`` gets them as constraints. Raises
        `CheckError` if the puzzle's own check says that the solution is none.
        """
        fixed, clues, solution, steps, remark = parts
        arguments = self._making.write(fixed, clues)  # the parameters of the puzzle with these clues
        puzzle: Puzzle = self._declare(**arguments)
        line = self._making.line(arguments, clues) if self._making.line else str(arguments["puzzle"])
        fields = {name: getattr(puzzle, name) for name in Puzzle.__dataclass_fields__}
        value_by_label = dict(clue.literal for clue in clues if clue.literal)
        if puzzle.is_solution is not None and not puzzle.is_solution(solution):
            raise CheckError(f"a {self._genre} was made from what is no solution of {line}")
        made = MadePuzzle(
            **fields, line=line, answer=solution, shown=value_by_label, reasoning=steps, clues=len(clues), remark=remark
        )
        if "puzzle" in arguments or self._making.line is None:
            return made
        return _with_givens(made, clues)


def _differences(first: Solution, other: Solution) -> frozenset[Any]:
    """Return the labels of which two solutions say different things."""
    return frozenset(label for label in first if first[label] != other[label])


def _remark(first: Solution, solution: Solution, note: str = "") -> str:
    """Return in words how many cells were changed; empty if none was. note: said of that number."""
    number = len(_differences(first, solution))
    changed = f"{number_with_unit(number, 'cells')} changed{note and f', {note} that leave one solution'}"
    return changed if number else ""


def _with_givens(puzzle: MadePuzzle, clues: Sequence[MadeClue]) -> MadePuzzle:
    """Return a made puzzle whose model requires the values of the clues, too.

    This is for genres without a parameter for clues. The declared symmetries are dropped, as the clues break them.
    """
    model: Any = puzzle.model.clone()
    for label, value in (clue.literal for clue in clues if clue.literal):
        model.add(puzzle.key[label] == value)
    return replace(puzzle, model=model, symmetries=())


class _ClueSelection:
    """Selects clues of a solution that leave it as the only one."""

    def __init__(
        self,
        lazy_formula: ClueFormula,
        make_whole: Callable[[], ClueFormula],
        solution: Solution,
        clues: Sequence[MadeClue],
        wish: Wish,
    ) -> None:
        """Take the formula in which the clues can be left out.

        A clue holds if its literal is assumed, and is left out if not. lazy_formula: searches for other solutions; it
        may lack constraints, which it adds where a solution breaks them. make_whole: returns the formula of all
        constraints, whose unit propagation gives the level. solution: the one that is to be the only one. clues: those
        that may be left out. wish: limits the number of clues, their places and the level.
        """
        self._lazy_formula = lazy_formula
        self._make_whole = make_whole
        self._solution = solution
        self._wish = wish
        self._clue_of_literal = {lazy_formula.assumption(clue): clue for clue in clues}
        self._literal = {clue: literal for literal, clue in self._clue_of_literal.items()}
        """The literal of the formula that makes each clue hold."""
        self.differs = lazy_formula.add_difference(solution)
        """A literal that is true only in other solutions."""

    @cached_property
    def _whole(self) -> ClueFormula:
        """The formula of all constraints."""
        return self._make_whole()

    @cached_property
    def _groups(self) -> list[list[MadeClue]]:
        """The groups of clues that are left out together.

        In a symmetric pattern, these are the clues in a cell and in the cell's image; otherwise each clue is alone.
        """
        if self._wish.pattern not in PATTERNS:
            return [[clue] for clue in self._literal]
        image = PATTERNS[self._wish.pattern]
        last_row, last_column = (max(clue.place[axis] for clue in self._literal) for axis in (0, 1))
        clues_by_cells: dict[frozenset[tuple[int, ...]], list[MadeClue]] = {}
        for clue in self._literal:
            cells = frozenset({clue.place, image(clue.place, (last_row, last_column))})
            clues_by_cells.setdefault(cells, []).append(clue)
        return list(clues_by_cells.values())

    def core(self, clues: Iterable[MadeClue]) -> set[MadeClue] | None:
        """Return some of these clues that leave no other solution; None if even all of them leave one.

        They are a core: the solver needs their literals to refute that another solution exists.
        """
        core = self._lazy_formula.core([*(self._literal[clue] for clue in clues), self.differs])
        if core is None:
            return None
        return {self._clue_of_literal[literal] for literal in core - {self.differs}}

    def other_solutions(self, most: int) -> list[Solution]:
        """Return other solutions that all clues leave, so many at most."""
        solutions: list[Solution] = []
        assumed = [*self._literal.values(), self.differs]
        while len(solutions) < most and (other := self._lazy_formula.solution(assumed)) is not None:
            solutions.append(other)
            assumed.append(self._lazy_formula.add_difference(other))
        return solutions

    def fewest(self, random: Random) -> list[MadeClue] | None:
        """Return few clues that leave one solution; None if they are more than wished.

        random: the order in which clues are tried to be left out. If the level is limited, first as many are left out
        as unit propagation allows: as long as it derives the solution from the others, which keeps the puzzle easy. At
        harder levels, then all that can be are left out, and if this makes the puzzle too hard, the fewest that change
        this are put back.
        """
        easy_clues = [*self._literal]
        groups = random.sample(self._groups, len(self._groups))
        groups.sort(key=lambda group: group[0].literal is None)  # what is given in cells is left out first
        is_limited = self._wish.is_limited and not (self._wish.minimal or self._wish.clues)
        if is_limited and self._is_forced(easy_clues):
            easy_clues = self._fewer_clues(easy_clues, groups, self._is_forced)
        if is_limited and self._wish.level in ("easy", "1"):
            return easy_clues
        clues = self._fewer_clues(easy_clues, groups)
        if is_limited and self.steps(clues).exceeds(self._wish.level):
            clues = self._more_clues(clues, easy_clues, groups)
        if not self._wish.clues or len(clues) <= self._wish.clues:
            return clues
        return None

    def steps(self, clues: Iterable[MadeClue]) -> Reasoning:
        """Return how the puzzle with these clues is solved; if it is harder than wished, only that it is harder."""
        literals = [self._whole.assumption(clue) for clue in clues]
        return reasoning(self._whole, literals, self._solution, most=self._wish.level)

    def _fewer_clues(
        self,
        clues: list[MadeClue],
        groups: Sequence[Sequence[MadeClue]],
        suffices: Callable[[Iterable[MadeClue]], bool] | None = None,
    ) -> list[MadeClue]:
        """Return clues without the groups that can be left out one after the other.

        clues: those to begin with. groups: the groups, in the order in which they are tried. suffices: tells whether
        clues suffice; None if they suffice where they leave one solution: then all rules outside of a core are left out
        at once, unless clues are counted or left out together. If a number of clues is wished for, no fewer are left.
        """
        drops_one_group_at_a_time = self._wish.clues or self._wish.pattern in PATTERNS
        for group in groups:
            fewer = [clue for clue in clues if clue not in group]
            if len(fewer) == len(clues) or len(fewer) < self._wish.clues:
                continue
            if suffices is not None:
                clues = fewer if suffices(fewer) else clues
            elif (core := self.core(fewer)) is not None:
                clues = [clue for clue in fewer if drops_one_group_at_a_time or clue.literal or clue in core]
        return clues

    def _more_clues(
        self, clues: list[MadeClue], sufficient: Iterable[MadeClue], groups: Sequence[Sequence[MadeClue]]
    ) -> list[MadeClue]:
        """Return clues with as few added as make the puzzle no harder than wished.

        Clues are added in the order of the groups; bisection finds how many, as more clues make no puzzle harder. Each
        clue that is added brings its whole group along. clues: those to begin with. sufficient: the clues that may be
        added. groups: groups of clues that are added together, in their order.
        """
        absent = {*sufficient}.difference(clues)
        candidates = [clue for group in groups for clue in group if clue in absent]
        low, high = 0, len(candidates)  # bounds of the number that is needed
        while low < high:
            middle = (low + high) // 2
            if self.steps([*clues, *candidates[:middle]]).exceeds(self._wish.level):
                low = middle + 1
            else:
                high = middle
        added = {*candidates[:low]}
        clues_of_groups = [clue for group in groups if added.intersection(group) for clue in group]
        return [*dict.fromkeys([*clues, *clues_of_groups])]

    def _is_forced(self, clues: Iterable[MadeClue]) -> bool:
        """Tell whether the solution follows from these clues by unit propagation."""
        return is_forced(self._whole, [self._whole.assumption(clue) for clue in clues], self._solution)
