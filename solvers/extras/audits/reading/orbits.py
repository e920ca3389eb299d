"""Orbits of a model's solutions, and what of each a marked constraint keeps."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, NamedTuple, Protocol

import numpy as np

from models.puzzle import Label, Puzzle
from solvers.backends.protocol import Backend
from solvers.backends.registry import extension_backend
from solvers.base.deadline import ENDLESS, Deadline
from solvers.base.endings import Ending
from solvers.base.errors import CheckError, InputError, Stopped
from solvers.base.options import Options
from solvers.extras.shared.large_groups.group import least_of_orbits
from solvers.model.reading import has_objective
from solvers.model.writing import model_at_value
from solvers.running.question import Question
from solvers.running.stated import model_and_variables
from solvers.show import draw
from solvers.show.plain import first_words
from solvers.show.report import Report
from solvers.symmetry.automorphisms import Bliss
from solvers.symmetry.groups import Group, Permutation
from solvers.symmetry.key import Decoded, Encoded, Key, checksum

MOST_WHOLE = 500_000
"""The most literals of all solutions together for a search for the whole group."""

FORMS_AT_ONCE = 500
"""The number of solutions whose orbits are found between two looks at the time."""

AT_ONCE = 64
"""Images that a backend is asked for at once."""

SHORTEST_RUN = 0.1
"""The least seconds that a run gets."""

MOST_CYCLES = 6
"""The most cycles of a symmetry that are described."""


class Running(Protocol):
    """A run that lists solutions, with what an audit needs of it; `running.runner.Run` is one."""

    @property
    def report(self) -> Report:
        """The report of the run so far."""

    @property
    def question(self) -> Question | None:
        """The question of the run; None before that is known."""

    def __iter__(self) -> Iterator[Decoded | None]:
        """Yield each new solution, and None a few times a second while there is none."""

    def stop(self, ending: Ending) -> None:
        """End the run early; ending: the cause."""

    def in_order(self) -> list[Encoded]:
        """Return the solutions up to symmetry that were found, sorted."""

    def dismiss(self) -> None:
        """End the processes of the run."""


class Enumeration:
    """The solutions of a run, one by one; `is_complete` tells afterwards whether these are all."""

    def __init__(self, run: Running, stop: threading.Event) -> None:
        """Begin a listing.

        run: lists the solutions. stop: ends the run when it is set.
        """
        self.run = run
        self._stop = stop

    def __iter__(self) -> Iterator[Decoded]:
        """Yield each new solution of the run; raises `MemoryError` if the run was ended by its memory limit."""
        for solution in self.run:
            if self._stop.is_set():
                self.run.stop(Ending.TIME_LIMIT)
            if solution is not None:  # None is a chance to look at the event while there is no new solution
                yield solution
        if self.run.report.stopped_by == Ending.NO_MEMORY.words:
            raise MemoryError

    @property
    def is_complete(self) -> bool:
        """Tell whether the whole space was searched."""
        return self.run.report.complete


@dataclass(frozen=True)
class Lister:
    """Starts runs that list the solutions of a puzzle."""

    begin: Callable[[Puzzle, Options], Running]
    """Starts a run of a puzzle with these options."""
    options: Options

    def up_to_symmetry(self, puzzle: Puzzle, stop: threading.Event) -> Enumeration:
        """Return the listing of one solution of each orbit, which begins now; ``stop`` ends it when set."""
        return Enumeration(self.begin(puzzle, self._options_with_time_left(stop)), stop)

    def list_all(self, puzzle: Puzzle, stop: threading.Event, **changes: Any) -> Enumeration:
        """Return the listing of all solutions, without symmetry breaking, which begins now.

        stop: ends it when set. changes: options that replace those of the lister.
        """
        chosen = replace(self._options_with_time_left(stop), symmetry="none", **changes)
        return Enumeration(self.begin(puzzle, chosen), stop)

    def _options_with_time_left(self, stop: threading.Event) -> Options:
        """Return the options with the time that is left as the time limit, if ``stop`` is a deadline.

        The event alone does not suffice: a run heeds its time limit also while it computes orbits. The limit is at
        least `SHORTEST_RUN`; without a deadline, the options stay as they are.
        """
        seconds = stop.left if isinstance(stop, Deadline) else ENDLESS
        if seconds >= threading.TIMEOUT_MAX:
            return self.options
        return replace(self.options, time_limit=max(SHORTEST_RUN, seconds))


def are_extendable(
    backend: Backend, variables: Mapping[Label, int], solutions: Sequence[Mapping[Label, int]]
) -> list[bool]:
    """Return for each solution whether a model has a solution with these values; labels that it lacks are ignored.

    Two labels of the model may be one variable, as where MiniZinc compiles x = y. Then different values for these make
    no solution. backend: solves the model. variables: the proto index of each label's variable. solutions: each has the
    values of labels. Raises `Stopped` once the time is over.
    """
    values_by_variable = [of_variables(variables, solution) for solution in solutions]
    # `extend` returns, for each assignment, a solution that agrees with it, or None.
    extensions = iter(backend.extend([values for values in values_by_variable if values is not None]))
    return [values is not None and next(extensions) is not None for values in values_by_variable]


def of_variables(variables: Mapping[Label, int], solution: Mapping[Label, int]) -> dict[int, int] | None:
    """Return the values of a model's variables in a solution; None if two labels of one variable have unequal values.

    The values are by proto index. variables: the proto index of each label's variable; other labels of the solution are
    ignored, and variables without a value in the solution are left out.
    """
    value_by_label = dict[Label, int]()
    for label in variables:
        with suppress(KeyError):
            value_by_label[label] = solution[label]  # a Boolean that is 0 is not listed, but can be looked up
    values = {variables[label]: value for label, value in value_by_label.items()}
    if all(values[variables[label]] == value for label, value in value_by_label.items()):
        return values
    return None


def checksum_of(puzzle: Puzzle) -> str:
    """Return the checksum of a puzzle's model and key; raise `InputError` if the puzzle is invalid."""
    model, variables = model_and_variables(puzzle)
    return checksum(model, Key(model, variables))


@dataclass
class Orbits:
    """The orbits of the solutions of a model without its marked constraints, under a group."""

    puzzle: Puzzle
    key: Key
    sizes: dict[bytes, int] = field(default_factory=dict)
    """The number of solutions in each orbit, by the bytes that identify the orbit."""
    shown: dict[bytes, Encoded] = field(default_factory=dict)
    """One solution of each orbit, by the same bytes."""
    group: Group | None = None
    """The group; None if there is no solution."""
    is_complete: bool = False
    best: Any = None
    """The best value, if the model asks for one; the solutions are those that have it."""
    is_best_known: bool = True

    @property
    def total(self) -> int:
        """The number of solutions."""
        return sum(self.sizes.values())

    def orbit_ids(self, solutions: Sequence[Encoded]) -> list[bytes]:
        """Return, for each solution, the bytes that identify its orbit."""
        assert self.group
        return [form for form, _ in self.group.orbits(solutions, self.sizes)]

    def puzzle_at_optimum(self, puzzle: Puzzle) -> Puzzle:
        """Return the puzzle with the constraint that the objective has the best value.

        The best value is that of the model without its marked constraints. The puzzle is returned unchanged if it has
        no objective, or if that value is not known. Raises `InputError` if the puzzle is invalid.
        """
        model, _ = model_and_variables(puzzle)
        if self.best is None or not has_objective(model):
            return puzzle
        return replace(puzzle, model=model_at_value(model, self.best))

    def encode_solution(self, solution: Decoded) -> Encoded:
        """Return a solution of a model with more constraints as literal numbers of this model's key.

        Raises `CheckError` if a value is not in the variable's domain in this model: that model should allow less.
        """
        try:
            return literal_numbers(self.key, solution)
        except ValueError:
            raise CheckError(f"{self.puzzle.name}: a constraint that was put back allows more than before") from None


def literal_numbers(key: Key, solution: Mapping[Label, int]) -> Encoded:
    """Return a solution as the sorted numbers of its literals; literals that a Boolean is 0 are left out.

    Raises ValueError if a value is not in its variable's domain. key: numbers the literals, each a pair (position of
    the variable in the key, value). solution: a value for each label.
    """
    literals = [(position, solution[label]) for position, label in enumerate(key.labels)]
    listed = [(position, value) for position, value in literals if value or not key.is_boolean[position]]
    return tuple(sorted(key.number(position, value) for position, value in listed))


def orbits_of(puzzle: Puzzle, lister: Lister, stop: threading.Event) -> Orbits:
    """List a model's solutions, for as long as ``stop`` is not set, and return their orbits.

    With an objective, only a listing to the end knows the best value; otherwise no orbit is stored. puzzle: the model.
    lister: its options say whether the symmetries are found or declared. stop: ends the search when it is set. Raises
    `InputError` if the model or the options are invalid.
    """
    listing = lister.up_to_symmetry(puzzle, stop)
    model, variables = model_and_variables(puzzle)
    orbits = Orbits(puzzle, Key(model, variables))
    for _ in listing:
        pass
    report, question = listing.run.report, listing.run.question  # the question has the key and the group
    orbits.is_complete = report.complete
    orbits.is_best_known = report.complete or not has_objective(model)
    orbits.best = report.objective if orbits.is_best_known else None
    if question:
        orbits.key, orbits.group = question.key, question.group
        if orbits.is_best_known:
            # The form is the bytes that identify an orbit; the orbit is None only for forms that are passed as known.
            for form, orbit in question.group.orbits(listing.run.in_order()):
                assert orbit
                orbits.sizes[form], orbits.shown[form] = orbit.size, orbit.images[0]
    return orbits


@dataclass
class Kept:
    """The solutions that are left if some marked constraints are put back, by orbits.

    The orbits are those of the model without marked constraints.
    """

    of_orbit: Counter[bytes]
    is_complete: bool
    """True if all kept solutions were listed; otherwise `of_orbit` has orbits of which at least one is kept."""
    gone: list[bytes]
    """The orbits that are known to keep no solution."""
    unclear: int = 0
    """The number of orbits that could not be decided in time."""
    solutions: list[Encoded] = field(default_factory=list)


def list_kept(puzzle: Puzzle, orbits: Orbits, lister: Lister, stop: Deadline) -> Kept:
    """List the solutions of ``puzzle``, which has more constraints than the model of ``orbits``; count them by orbit.

    With an objective, only solutions of the best value that is known without these constraints count. If the listing
    does not end in time, each orbit without a solution is decided by trying its images, while time lasts. Raises
    `CheckError` if there is a solution that the model with fewer constraints lacks. Raises `InputError` if the puzzle
    is invalid, or no backend takes it. lister: starts the listings. stop: ends the work when set.
    """
    puzzle_at_best = orbits.puzzle_at_optimum(puzzle)
    listing = lister.list_all(puzzle_at_best, stop)
    solutions = [orbits.encode_solution(solution) for solution in listing]
    forms: list[bytes] = []  # the bytes that identify each solution's orbit
    for start in range(0, len(solutions) if orbits.group else 0, FORMS_AT_ONCE):
        if stop.is_set():
            break
        forms += orbits.orbit_ids(solutions[start : start + FORMS_AT_ONCE])
    is_complete = listing.is_complete and (not orbits.group or len(forms) == len(solutions))
    counts = Counter(form for form in forms if form in orbits.sizes)
    # A solution whose orbit is not among all orbits of the model with fewer constraints?
    if orbits.is_complete and is_complete and len(solutions) > counts.total() and orbits.best is None:
        raise CheckError(f"{puzzle.name}: a constraint that was put back allows more than before")
    result = Kept(counts, is_complete, [], solutions=solutions)
    missing = [form for form in orbits.sizes if form not in counts]
    if is_complete:
        result.gone = missing
    elif missing:
        _decide(result, missing, puzzle_at_best, orbits, stop)
    return result


def _decide(kept_solutions: Kept, missing: Sequence[bytes], puzzle: Puzzle, orbits: Orbits, stop: Deadline) -> None:
    """Decide for each orbit in ``missing`` whether the puzzle has one of its solutions, and store it.

    ``kept_solutions`` gets the answers, and the number of orbits that are not decided before the time is over
    (`Kept.unclear`). An orbit is kept if the puzzle has one of its solutions; these are tried in batches. missing: the
    bytes that identify the orbits. puzzle: the model with more constraints. stop: ends the work when set.
    """
    kept_solutions.unclear = len(missing)
    model, variables = model_and_variables(puzzle)
    assert orbits.group
    with suppress(Stopped):
        backend = extension_backend(model, [*variables.values()], stop)
        for form in missing:
            images = map(orbits.key.decode, orbits.group.each_image(orbits.shown[form]))
            while batch := list(islice(images, AT_ONCE)):
                if any(are_extendable(backend, variables, batch)):
                    kept_solutions.of_orbit[form] = 1
                    break
            else:  # no image is a solution
                kept_solutions.gone.append(form)
            kept_solutions.unclear -= 1


@dataclass(frozen=True)
class Whole:
    """The whole group of some solutions.

    It has all permutations of literals that carry the set of solutions to itself. D. Cohen, P. Jeavons, C. Jefferson,
    K. Petrie, B. Smith, "Symmetry definitions for constraint satisfaction problems", Constraints 11 (2006), call them
    solution symmetries. No other symmetry of literals is larger.
    """

    order: int
    """The number of elements; those that permute the solutions in the same way count once."""
    orbit: Mapping[Encoded, int]
    """The number of its orbit, by solution."""
    generators: Sequence[Permutation]


class _Graph:
    """A coloured graph whose automorphisms are the whole group of some solutions.

    It has a vertex for each solution and one for each set of literals that occur in the same solutions. An edge joins a
    solution and its literals. The colour of a vertex says that it is a solution, or how many literals its set has.
    """

    def __init__(self, key: Key, solutions: Sequence[Encoded]) -> None:
        """Build the graph of some solutions.

        ``literals`` has the numbers of the literals of each set, ``edges`` the pairs of vertices, ``colours`` a number
        for each vertex. key: numbers the literals. solutions: they become the first vertices, in their order; the sets
        of literals are numbered behind them.
        """
        solutions_with: dict[int, list[int]] = {}  # for each literal that occurs, the vertices of its solutions
        for vertex, solution in enumerate(solutions):
            for position, value in enumerate(key.values(solution)):
                solutions_with.setdefault(key.number(position, value), []).append(vertex)
        literals_in: dict[tuple[int, ...], list[int]] = {}  # the literals of each set of solutions
        for literal, vertices in solutions_with.items():
            literals_in.setdefault(tuple(vertices), []).append(literal)
        self.literals = list(literals_in.values())
        first_set = len(solutions)  # the vertex of the first set of literals
        self.edges = [(number, vertex) for number, vertices in enumerate(literals_in, first_set) for vertex in vertices]
        self.colours = [0] * first_set + [len(literals) for literals in self.literals]


def whole_group(key: Key, total: int, each: Iterable[Encoded], stop: threading.Event) -> Whole:
    """Compute the whole group of all solutions of a model.

    It comes from the automorphisms of a graph of the solutions and their literals, which bliss finds in a process of
    its own. key: numbers the literals. total: the number of solutions. each: the solutions. stop: ends the search when
    it is set.

    Raises `InputError` if there are too many solutions, `Stopped` once the event is set.

    >>> from ortools.sat.python.cp_model import CpModel
    >>> model = CpModel()
    >>> key = Key(model, {name: model.new_int_var(0, 2, name) for name in "xy"})
    >>> whole = whole_group(key, 3, [(0, 4), (0, 5), (1, 3)], threading.Event())
    >>> whole.order, len(set(whole.orbit.values()))
    (2, 2)
    """
    if total * len(key.labels) > MOST_WHOLE:
        raise InputError(f"{total} solutions are too many for a search for their whole group")
    solutions = list(each)
    graph = _Graph(key, solutions)
    bliss = Bliss(graph)
    try:
        generators = bliss.ask(stop, "generators", graph.colours)
        order = bliss.ask(stop, "order", graph.colours)
    finally:
        bliss.end()
    # A generator has the image of each vertex: first of the solutions, then of the sets of literals.
    first_set = len(solutions)
    least = least_of_orbits([np.array(generator[:first_set], dtype=np.int32) for generator in generators], first_set)
    permutations = []  # of the literals
    for generator in generators:
        image = np.arange(key.size, dtype=np.int32)
        for literals, vertex in zip(graph.literals, generator[first_set:], strict=True):
            image[literals] = graph.literals[vertex - first_set]
        permutations.append(image)
    return Whole(order, dict(zip(solutions, least, strict=True)), permutations)


class Spoken(NamedTuple):
    """A model without its marked constraints, and with an extended key.

    The key also has the variables that some of these constraints use.
    """

    puzzle: Puzzle | None
    """The puzzle with that key; None if such variables cannot be in a key."""
    labels: Collection[Label]
    """The variables that a marked constraint speaks of."""


def image_of(key: Key, element: Permutation, solution: Encoded) -> Encoded:
    """Return the image of a solution under a permutation of the literals.

    Solutions are encoded without the literals that a Boolean is 0; a permutation may map these to others, and others to
    these. element: the permutation, as the number of each literal's image. key: numbers the literals.
    """
    numbers = [int(element[key.number(position, value)]) for position, value in enumerate(key.values(solution))]
    literals = zip(numbers, map(key.literal, numbers), strict=True)  # each number with its (position, value)
    return tuple(sorted(number for number, (position, value) in literals if value or not key.is_boolean[position]))


def solution_text(puzzle: Puzzle, solution: Mapping[Any, int]) -> str:
    """Return a solution as text: the puzzle's own drawing, or its literals in one line.

    solution: the value of each label. Raises `InputError` if the drawing is not one that can be shown.
    """
    if puzzle.draw:
        return draw.solution(puzzle, solution)
    return ", ".join(f"{label}={value}" for label, value in solution.items())


def in_words(key: Key, element: Permutation) -> str:
    """Return a symmetry in words: its cycles of variables and of values.

    If it does not permute variables, or maps one to a variable with another domain, the words are its cycles of
    literals. element: the image of each literal of the key, by number. key: numbers the literals.

    >>> from ortools.sat.python.cp_model import CpModel
    >>> model = CpModel()
    >>> key = Key(model, {name: model.new_int_var(0, 2, name) for name in "xy"})
    >>> in_words(key, np.array([3, 4, 5, 0, 1, 2])), in_words(key, np.array([2, 1, 0, 5, 4, 3]))
    ('x ↔ y', 'values 0 ↔ 2')
    >>> in_words(key, np.array([5, 4, 3, 2, 1, 0])), in_words(key, np.array([1, 0, 2, 3, 4, 5]))
    ('x ↔ y; values 0 ↔ 2', 'values 0 ↔ 1 of x')
    """
    variable_image: dict[int, int] = {}  # by position in the key
    value_image: dict[int, dict[int, int]] = {}  # the image of each value, by the position of its variable
    for number in range(key.size):
        position, value = key.literal(number)
        position_after, value_after = key.literal(int(element[number]))
        value_image.setdefault(position, {})[value] = value_after
        if variable_image.setdefault(position, position_after) != position_after:
            return _literals_in_words(key, element)
    if any(set(image) != {*image.values()} for image in value_image.values()):  # variables with different domains
        return _literals_in_words(key, element)
    moves_variables = any(position != image for position, image in variable_image.items())
    parts = [_cycles(variable_image, key.labels)] if moves_variables else []
    labels_of_cycles: dict[str, list[str]] = {}  # the variables whose values are permuted in the same way, by its words
    for position, image in value_image.items():
        if any(value != value_after for value, value_after in image.items()):
            words = _cycles(image, {value: value for value in image})
            labels_of_cycles.setdefault(words, []).append(str(key.labels[position]))
    for words, labels in labels_of_cycles.items():
        labels_text = f" of {first_words(labels, MOST_CYCLES)}" if len(labels) < len(value_image) else ""
        parts.append(f"values {words}{labels_text}")
    return "; ".join(parts) or "no change"


def _literals_in_words(key: Key, element: Permutation) -> str:
    """Return a symmetry in words: its cycles of literals; element and key as for `in_words`."""
    literals = map(key.literal, range(key.size))
    named = [f"{key.labels[position]}={value}" for position, value in literals]
    return _cycles({n: int(element[n]) for n in range(key.size)}, named)


def _cycles(image: Mapping[int, int], names: Any) -> str:
    """Return the cycles of a permutation in words, such as "a ↔ b" or "a → b → c → a", at most `MOST_CYCLES`.

    image: the integer to which each one is mapped. names: the text for each of these integers. An image that is no
    permutation, as of values of variables with different domains, has chains in place of cycles.
    """
    cycles, seen = [], set[int]()
    for first in image:
        # The last two conditions end such chains.
        cycle = [first]
        while image.get(cycle[-1], first) != first and image[cycle[-1]] not in seen and len(cycle) < len(image):
            cycle.append(image[cycle[-1]])
        if first not in seen and len(cycle) > 1:
            texts = [str(names[number]) for number in cycle]
            arrows = " ↔ ".join(texts) if len(cycle) == 2 else " → ".join([*texts, texts[0]])
            cycles.append(arrows)
        seen |= set(cycle)
    more = [f"and {len(cycles) - MOST_CYCLES} more"] if len(cycles) > MOST_CYCLES else []
    return ", ".join([*cycles[:MOST_CYCLES], *more])
