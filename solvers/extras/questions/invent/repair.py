"""Repair: the fewest givens, forbidden places or holes that leave exactly one solution of several."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, product
from typing import Any, NamedTuple

from models.puzzle import Puzzle
from solvers.backends.cover import Cover
from solvers.backends.protocol import Task
from solvers.backends.registry import extension_backend
from solvers.base.endings import DONE, NO
from solvers.base.errors import InputError, Stopped
from solvers.extras.questions.invent.ask import Answer, Asked, card, cards, facts_of, facts_text, in_place, in_words
from solvers.extras.questions.invent.hitting import Listed, hitting_sets
from solvers.extras.questions.recognise.cells import CellReader, Facts, words_of
from solvers.files.given import Fact, fact_of_literal
from solvers.running.stated import model_and_variables
from solvers.show.plain import number_with_unit
from solvers.show.printable import printable
from solvers.symmetry.key import Encoded, Key

MAX_REPAIRED = 20_000
"""A design with more solutions than this is not repaired."""

REPAIRS_SHOWN = 6
"""The number of repairs that are shown."""


Declare = Callable[..., Puzzle]
"""A function that declares the puzzle, with some of its parameters changed."""

Prepare = Callable[[Puzzle], Asked]
"""A function that prepares a declared puzzle for questions."""


class Repaired(NamedTuple):
    """One way to leave exactly one solution."""

    changes: Sequence[str]
    """The changes, as texts."""
    words: str
    """The changes in words, in one line."""
    solution: Encoded | None
    """The one solution that is left; None for holes, which make another board: then it is only drawn."""
    text: str
    """A drawing as text: of the added givens, or else of the solution."""
    picture: str
    """A drawing of the solution as HTML; added givens are strong."""


class Repair(Answer):
    """The fewest changes that leave exactly one solution, with examples.

    For the kind "holes" there are all ways up to symmetry; for the other kinds, one way for each solution, up to
    symmetry, that needs the fewest changes.
    """

    def __init__(self, asked: Asked, kind: str, total: int | None) -> None:
        """Begin without any change.

        kind: "givens", "forbidden" or "holes". total: the number of solutions before any change; None if it was not
        counted. asked: the prepared puzzle, with its givens.
        """
        self._asked = asked
        self.kind = kind
        self.total = total
        self.is_unique = total == 1
        """Whether there is exactly one solution up to symmetry before any change."""
        self.size: int | None = None
        """The number of changes; None if no changes suffice."""
        self.at_least = 0
        """A lower bound of the number of changes."""
        self.ways: list[Repaired] = []
        self.is_complete = False

    @property
    def code(self) -> int:  # type: ignore[override]
        """The exit code: 4 if no changes of this kind leave exactly one solution, even up to symmetry; otherwise 0."""
        return NO if self.is_complete and self.size is None and not self.is_unique else DONE

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object of the repair.

        It has the kind, the numbers of solutions and of changes, and each way with its solution.
        """
        decode = self._asked.key.decode
        repairs = []
        for way in self.ways:
            solution = None if way.solution is None else list(decode(way.solution).items())
            repairs.append({"changes": list(way.changes), "solution": solution})
        return {
            "kind": self.kind,
            "solutions": self.total,
            "unique": self.is_unique,
            "size": self.size,
            "at_least": self.at_least,
            "ways": repairs,
        }

    @property
    def _puzzle_holes(self) -> int:
        """The number of cells that each solution leaves empty, if the changes are further holes; else 0."""
        holes = self._asked.puzzle.parameters.get("holes")
        return holes if self.kind == "holes" and isinstance(holes, int) else 0

    def _title(self) -> list[str]:
        """Return one or two lines: how many changes are needed and, if some are, what the list below shows."""
        units = {"givens": "further givens", "forbidden": "forbidden places", "holes": "holes"}[self.kind]
        if self._puzzle_holes:
            units = "further holes"
        total_sentence = ""
        if self.total is not None:
            total_sentence = f"The design has {number_with_unit(self.total, 'solutions')} in all. "
        if not self.is_complete:
            are_needed = "is needed" if self.at_least == 1 else "are needed"
            return [f"{total_sentence}At least {number_with_unit(self.at_least, units)} {are_needed}."]
        if self.size is None:
            return [f"{total_sentence}No {units} leave exactly one."]
        if not self.size:
            return [f"{total_sentence}It needs no {units}."]
        leave = "leaves" if self.size == 1 else "leave"
        list_title = (
            "Each way, up to symmetry"
            if self.kind == "holes"
            else "One way for each solution that needs no more, up to symmetry"
        )
        size_sentence = f"{number_with_unit(self.size, units)} {leave} exactly one, and no fewer do."
        return [f"{total_sentence}{size_sentence}", f"{list_title}:"]

    def __str__(self) -> str:
        """Return the number of changes and the first ways, with drawings, as text."""
        texts = [f"{number}. {words}\n{way.text}" for number, words, way in self._first_repairs()]
        return "\n".join([*self._title(), *texts, *self._lines_on_omissions()])

    def _repr_html_(self) -> str:
        """Return the number of changes and the first ways, with pictures, as HTML."""
        repair_cards = (card(f"{number}.", words, way.picture) for number, words, way in self._first_repairs())
        return cards(" ".join(self._title()), repair_cards, ". ".join(self._lines_on_omissions()))

    def _first_repairs(self) -> list[tuple[int, str, Repaired]]:
        """Return (number from 1, changes in words, way) for the ways that are shown."""
        return [(number, way.words, way) for number, way in enumerate(self.ways[:REPAIRS_SHOWN], 1)]

    def _lines_on_omissions(self) -> list[str]:
        """Return up to three lines that follow the ways.

        They say how many ways are not shown, whether all solutions are images of one and, if solutions leave cells
        empty anyway, how to choose these.
        """
        ways_omitted = len(self.ways) - REPAIRS_SHOWN
        holes = self._puzzle_holes
        lines = [f"and {ways_omitted} more"] if ways_omitted > 0 else []
        if self.is_unique and self.total != 1:
            lines.append(
                "Before any change, there is exactly one up to symmetry; changes only choose one of its images."
            )
        if holes:
            lines.append(
                f"Further holes come besides the {number_with_unit(holes, 'cells')} that each solution leaves empty. "
                "To see which cells, left empty, leave exactly one solution, count by them: "
                f"run {self._asked.puzzle.name} --holes {holes} --by holes."
            )
        return lines


def repair(
    asked: Asked, kind: str, of_cells: bool, declare: Declare, prepare: Prepare, is_unique: Callable[[], bool]
) -> Repair:
    """Find the fewest changes of a kind that leave exactly one solution, images counted.

    If there is exactly one up to symmetry before any change, the answer says so.

    kind: "givens", further facts, for each solution; "forbidden", literals or contents of cells that no solution may
    have; "holes", cells that are taken out of the board. of_cells: facts are contents of cells, not literals. asked:
    the puzzle with its givens.

    For holes, the puzzle is declared anew for each board. declare: declares it with changed parameters. prepare:
    prepares such a puzzle for questions. If names of like parts can be exchanged, as in a dissection, solutions that
    differ only in these names then count as one. is_unique: tells whether there is one solution up to symmetry.

    Raises `InputError` if there is no solution or there are too many, and for holes if no parameter is a board.
    """
    if kind == "holes":
        return _holes(asked, declare, prepare, is_unique)
    solutions = _solutions(asked)
    if not solutions:
        raise InputError(f"{asked.puzzle.name}: there is no solution, so there is nothing to repair")
    answer = Repair(asked, kind, len(solutions))
    # `orbits` yields (canonical form, orbit) for each solution.
    answer.is_unique = len({form for form, _ in asked.group.orbits(solutions)}) == 1
    asked.note(answer)  # it is shown if the search is ended early
    facts = Facts(asked.puzzle, asked.key, of_cells)
    if len(solutions) == 1:
        answer.size = 0
    elif kind == "givens":
        _givens(answer, asked, facts, solutions)
    else:
        _forbidden(answer, asked, facts, solutions)
    answer.is_complete = True
    return answer


def _solutions(asked: Asked) -> list[Encoded]:
    """Return all solutions, sorted; raise `InputError` if there are more than `MAX_REPAIRED`.

    The exact cover search lists them if the model is an exact cover, otherwise another backend. asked: the puzzle with
    its givens. Raises `Stopped` once its event is set.
    """
    solutions: list[Encoded] = []

    def add_solution(values: Any) -> None:
        """Add a solution; values: those of all variables of the model."""
        solutions.append(asked.key.encode(values))
        if len(solutions) > MAX_REPAIRED:
            raise InputError(f"{asked.puzzle.name} has more than {MAX_REPAIRED} solutions, too many to be repaired")

    try:
        backend: Any = Cover(Task(asked.model, asked.key.variables, asked.stop))
    except InputError:
        backend = extension_backend(asked.model, asked.key.variables, asked.stop)
    backend.enumerate(add_solution)
    return sorted(solutions)


def _orbit_representatives(asked: Asked, facts: Facts, solutions: Sequence[Encoded]) -> list[Encoded]:
    """Return one solution of each orbit if every symmetry maps facts to facts; otherwise all solutions.

    A symmetry that exchanges the values of a Boolean does not, because the value 0 is not a fact: then images may need
    different changes. A generator is an array: entry k is the image of the key's literal with the number k. asked: the
    prepared puzzle, with its givens. facts: all facts of the puzzle.
    """
    fact_literals = {frozenset(fact.literals) for fact in facts.listed}
    for generator in asked.group.generators:
        images = {frozenset(int(generator[literal]) for literal in literals) for literals in fact_literals}
        if not images <= fact_literals:
            return list(solutions)
    return [solution for solution in solutions if asked.group.orbit(solution).images[0] == solution]


def _givens(answer: Repair, asked: Asked, facts: Facts, solutions: Sequence[Encoded]) -> None:
    """Find the solutions that need the fewest hints; add a way for each to the answer, and set its size.

    Of solutions that symmetries map to each other, one is taken. asked: the puzzle with its givens. facts: all facts of
    the puzzle. solutions: all, sorted.
    """
    # `Listed` finds the smallest sets of a solution's facts that no other solution of its table has.
    listed = Listed(*facts.table(solutions), len(facts.listed))
    hints_of_solution: dict[Encoded, list[int]] = {}  # one smallest set for each solution that needs the fewest
    for solution in _orbit_representatives(asked, facts, solutions):
        size, sets = listed.smallest(facts.facts_in(solution), finds_all=False, stop=asked.stop)
        if size is None or (answer.size is not None and size > answer.size):
            continue
        if answer.size is None or size < answer.size:
            answer.size, hints_of_solution = size, {}
        hints_of_solution[solution] = sets[0]
    for solution, numbers in hints_of_solution.items():
        hints = [facts.listed[number] for number in numbers]
        text = facts_text(asked.puzzle, asked.key, hints)
        picture = in_place(asked.puzzle, asked.key, hints, other_facts=facts_of(asked.key, solution))
        words = in_words(asked.puzzle, asked.key, hints)
        answer.ways.append(Repaired([fact.text for fact in hints], words, solution, text, picture))


def _forbidden(answer: Repair, asked: Asked, facts: Facts, solutions: Sequence[Encoded]) -> None:
    """Find the fewest facts that one solution lacks, so that each other solution has one of them.

    Add a way for each such solution to the answer, and set its size: the fewest for any solution. The sets of facts are
    minimum hitting sets, computed by PySAT. asked: the puzzle with its givens. facts: all facts of the puzzle.
    solutions: all, sorted. Raises `Stopped` if the search is ended early.
    """
    facts_of_each = {solution: set(facts.facts_in(solution)) for solution in solutions}
    for solution in _orbit_representatives(asked, facts, solutions):
        if asked.stop.is_set():
            raise Stopped
        allowed = facts_of_each[solution]
        to_hit = [sorted(numbers - allowed) for other, numbers in facts_of_each.items() if other != solution]
        if not all(to_hit):  # another solution has only facts of this one
            continue
        with hitting_sets(asked.stop, bootstrap_with=to_hit) as hitman:
            forbidden = sorted(hitman.get())
        if answer.size is None or len(forbidden) < answer.size:
            answer.size, answer.ways = len(forbidden), []
        if len(forbidden) == answer.size:
            texts = [f"not {text}" for text in facts.texts(forbidden)]
            words = "; ".join(printable(_denial_text(asked, facts.listed[fact])) for fact in forbidden)
            answer.ways.append(Repaired(texts, words, solution, asked.solution_text(solution), asked.picture(solution)))


def _denial_text(asked: Asked, fact: Fact) -> str:
    """Return in words that a fact does not hold: of a single Boolean, that it is 0; else the fact after "not"."""
    say = words_of(asked.puzzle, asked.key)  # puts a fact into words
    if len(fact.literals) == 1 and not fact.cell:
        position, _ = asked.key.literal(fact.literals[0])
        if asked.key.is_boolean[position]:
            return say(fact_of_literal(asked.key, asked.key.number(position, 0)))
    return f"not {say(fact)}"


def _holes(asked: Asked, declare: Declare, prepare: Prepare, is_unique: Callable[[], bool]) -> Repair:
    """Try boards without holes, with one hole, with two and so on, until one has exactly one solution.

    All boards with this number of holes are then tried, too. Of boards that a symmetry maps to each other, only the one
    with the least holes in lexicographic order is tried.

    Raises `InputError` if there are givens, or if no parameter is a board. asked: the puzzle with its givens. declare:
    declares it with changed parameters. prepare: prepares such a puzzle for questions. is_unique: tells whether there
    is one solution up to symmetry before any change. Raises `Stopped` if the search is ended early.
    """
    if asked.given:
        raise InputError("filling holes changes the board, so the givens may not fit any more; leave out `--given`")
    cells, parameter = _board(asked, declare)
    answer = Repair(asked, "holes", total=None)
    answer.is_unique = is_unique()
    asked.note(answer)  # it is shown if the search is ended early
    turns = _turns(asked, cells)
    cell_in_words = CellReader(asked.puzzle, asked.key).cell_in_words
    can_have_cells = asked.puzzle.board.fits or bool  # any number of cells but 0, unless the puzzle says which
    for size in range(len(cells)):
        if not can_have_cells(len(cells) - size):
            continue
        answer.at_least = size
        for holes in combinations(cells, size):
            if any(sorted(turn[hole] for hole in holes) < [*holes] for turn in turns):  # an image is tried instead
                continue
            if asked.stop.is_set():
                raise Stopped
            drawing = _drawing(set(cells) - set(holes), cells)
            text_and_picture = _declare_puzzle(declare, {parameter: drawing}, prepare)
            if text_and_picture is not None:
                answer.size = size
                names = [f"hole at {cell_in_words(hole)}" for hole in holes]
                answer.ways.append(Repaired(names, printable("; ".join(names)), None, *text_and_picture))
        if answer.ways:
            break
    answer.is_complete = True
    return answer


Cell = tuple[int, ...]
"""The coordinates of a cell: (row, column), after the layer if there are three."""


def _board(asked: Asked, declare: Declare) -> tuple[list[Cell], str]:
    """Return the cells of the board, and the name of the parameter that takes a drawing of it.

    Each parameter that is a text is tried: the puzzle is declared again with a drawing of all cells (`_drawing`) as its
    value. It is the board if that gives the same cells.

    Raises `InputError` if no parameter is a board. asked: the puzzle with its givens. declare: declares it with changed
    parameters.
    """
    if asked.puzzle.fills is None:
        raise InputError(f"{asked.puzzle.name} does not say what lies on its cells; repair givens or forbidden")
    facts = Facts(asked.puzzle, asked.key, of_cells=True)
    cells = sorted({fact.cell for fact in facts.listed})
    drawing = _drawing(set(cells), cells)
    for name, value in asked.puzzle.parameters.items():
        if isinstance(value, str):
            try:
                # Where the value is this drawing already, an empty line makes it another text for the same board.
                redeclared = declare(**{name: f"{drawing}\n" if value == drawing else drawing})
            except Exception:  # it takes something else
                continue
            # A puzzle that is declared already ignores other parameters: then no drawing would change its board.
            is_taken = redeclared.parameters.get(name) != value
            if is_taken and redeclared.fills:
                cells_of_drawing = {fact.cell for fact in content_facts(redeclared).listed}
                if cells_of_drawing == set(cells):
                    return cells, name
    raise InputError(
        f"{asked.puzzle.name} has no parameter that takes a drawing of its board; repair givens or forbidden"
    )


def content_facts(puzzle: Puzzle) -> Facts:
    """Return the facts about the contents of all cells of a puzzle.

    Raises `InputError` if the puzzle does not say what lies where.
    """
    model, variables = model_and_variables(puzzle)
    return Facts(puzzle, Key(model, variables), of_cells=True)


def _drawing(board: set[Cell], cells: Sequence[Cell]) -> str:
    """Return a drawing with # for the cells of the board and . elsewhere, from 0 to the greatest coordinates of cells.

    Layers are separated by empty lines. cells: all of them, holes included.
    """
    *layers, rows, columns = (range(max(axis) + 1) for axis in zip(*cells, strict=True))
    pictures = []
    for layer in product(*layers):  # the empty tuple alone if cells have two coordinates
        lines = ["".join("#" if (*layer, row, column) in board else "." for column in columns) for row in rows]
        pictures.append("\n".join(lines))
    return "\n\n".join(pictures) + "\n"


def _turns(asked: Asked, cells: Sequence[Cell]) -> list[Mapping[Cell, Cell]]:
    """Return the permutations of the cells, other than the identity, that the puzzle's symmetries induce.

    A symmetry permutes literals: ``element[k]`` is the number of the image of literal k. A cell's image is the only
    cell that the images of all literals which fill it fill; a symmetry that does not determine all images is left out.
    asked: the prepared puzzle, with its givens. cells: those of the board.
    """
    facts = Facts(asked.puzzle, asked.key, of_cells=True)
    cells_of_literal: dict[int, set[Cell]] = {}
    for fact in facts.listed:
        for number in fact.literals:
            cells_of_literal.setdefault(number, set()).add(fact.cell)
    turns: list[Mapping[Cell, Cell]] = []
    for element in asked.group.list_elements().elements[1:].tolist():  # without the identity
        possible_images: dict[Cell, set[Cell]] = {cell: set(cells) for cell in cells}
        for number, covered in cells_of_literal.items():
            for cell in covered:
                possible_images[cell] &= cells_of_literal.get(element[number], set())
        if all(len(images) == 1 for images in possible_images.values()):
            turn = {cell: next(iter(images)) for cell, images in possible_images.items()}
            if turn not in turns and any(cell != image for cell, image in turn.items()):
                turns.append(turn)
    return turns


def _declare_puzzle(declare: Declare, parameters: Mapping[str, str], prepare: Prepare) -> tuple[str, str] | None:
    """Declare the puzzle with these parameters, and return its only solution as (text, picture).

    The result is None if the puzzle has no solution or several, or does not take the parameters. Solutions count as one
    if a symmetry maps one to the other and keeps the cells of each literal, such as an exchange of like pieces.

    declare: declares the puzzle with changed parameters. prepare: prepares it for questions. Raises `InputError` if no
    backend takes the model, `Stopped` if the search is ended early.
    """
    try:
        puzzle = declare(**parameters)
    except InputError:
        return None
    asked = prepare(puzzle)
    cells_of_literal: dict[int, set[Cell]] = {}
    for fact in Facts(puzzle, asked.key, of_cells=True).listed:
        for number in fact.literals:
            cells_of_literal.setdefault(number, set()).add(fact.cell)
    solutions: set[Encoded] = set()
    first_and_images: set[Encoded] = set()  # the first solution, and those that count as the same

    def add_solution(values: Any) -> None:
        """Add a solution; raise `_OtherSolutionError` if it neither is the first one nor counts as the same."""
        solution = asked.key.encode(values)
        if not solutions:
            # Its images under the symmetries that keep the cells of each literal; element[k] is the image of literal k.
            first_and_images.add(solution)
            for element in asked.group.list_elements().elements[1:].tolist():  # without the identity
                if all(cells_of_literal.get(element[number]) == cells for number, cells in cells_of_literal.items()):
                    first_and_images.add(tuple(sorted(element[number] for number in solution)))
        if solution not in first_and_images:
            raise _OtherSolutionError
        solutions.add(solution)

    try:
        extension_backend(asked.model, asked.key.variables, asked.stop).enumerate(add_solution)
    except _OtherSolutionError:
        return None
    if solutions:
        return asked.solution_text(min(solutions)), asked.picture(min(solutions))
    return None


class _OtherSolutionError(Exception):
    """A second solution was found."""
