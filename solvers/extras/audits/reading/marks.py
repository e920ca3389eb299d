"""Models whose constraints are marked as symmetry breaking or redundant, and the same models without some of these."""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from models.puzzle import Label, Puzzle
from solvers.base.errors import InputError, Stopped, errors_with_name
from solvers.extras.audits.reading.cuts import Definitions, cut
from solvers.extras.audits.reading.negation import one_violated
from solvers.extras.audits.reading.orbits import Spoken
from solvers.extras.audits.reading.source import BREAKING, REDUNDANT, Source, Span, integers_of, with_data
from solvers.extras.bridges.formats.saved_model import matching
from solvers.files.catalogue import find
from solvers.files.load import read_text
from solvers.model.reading import domain_of, kind_of, size_of, variables_in
from solvers.running.stated import model_and_variables
from solvers.terminal.calls import Named, foreign_kind, question

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

IMPORTS_CPMPY = re.compile(r"^\s*(import|from)\s+cpmpy\b", re.MULTILINE)
"""A line of a Python file that imports CPMpy, whose constraints have names by which they can be marked."""

STEPS = (1, -1, 2, -2, 3, -3)
"""The differences of other data from the given ones."""

MARKERS = (
    "MiniZinc models mark them with symmetry_breaking_constraint and redundant_constraint, "
    'XCSP3 files with class="symmetry-breaking" and class="redundant-constraints"'
)


class Mark(NamedTuple):
    """A constraint that is said to break symmetry or to be redundant."""

    name: str
    is_breaking: bool
    """Whether it is said to break symmetry; otherwise, to be redundant."""


@dataclass
class Marked(ABC):
    """A model with marked constraints.

    In all methods, a marked constraint is given by its place in the list `marks`.
    """

    name: str
    parameters: Mapping[str, object]
    marks: list[Mark] = field(default_factory=list)
    others: Callable[[], Iterable[tuple[str, Marked]]] = tuple
    """Yields the model with other data, each with a text that says which."""
    smaller: Callable[[Collection[str]], Iterable[tuple[str, Marked]]] = lambda _: ()
    """Yields the model with smaller values of some of its sizes, the least first, each with a text that says which.

    Each size is at most 1 in the first, at most 2 in the second, and so on.
    """
    cut: Sequence[str] = ()
    """The names of arrays and sets of data that were cut to smaller sizes."""

    @property
    def integers(self) -> dict[str, int]:
        """The parameters of the model that are integers."""
        return {name: value for name, value in self.parameters.items() if type(value) is int}

    @property
    def sizes(self) -> list[tuple[str, int]]:
        """The integer parameters that may be smaller, with their values."""
        return [*self.integers.items()]

    @property
    def counts(self) -> list[str]:
        """The names of sizes that are numbers of things; other sizes may be bounds of values, such as a capacity."""
        return [name for name, _ in self.sizes]

    def parameters_with(self, values: Mapping[str, int]) -> dict[str, Any]:
        """Return the parameters of the model with other values of some of its sizes."""
        return {**self.parameters, **values}

    @abstractmethod
    def puzzle(self, kept_marks: Collection[int]) -> Puzzle:
        """Return the model with only these marked constraints; the unmarked ones are always kept.

        kept_marks: the places of the constraints in the list of marks.
        """

    @abstractmethod
    def violating(self, kept_marks: Collection[int], mark: int) -> Puzzle | None:
        """Return the model with some marked constraints, in which another marked constraint is violated.

        The result is None if the violated one cannot be negated. kept_marks: the places, in the list of marks, of the
        constraints that stay. mark: the place of the violated one. The violation may depend on variables outside the
        key; with other values of these the same solution may satisfy the constraint. So the constraint need not remove
        all solutions of the result.
        """

    @abstractmethod
    def with_used_variables(self, places: Collection[int]) -> Spoken | None:
        """Return the model without marked constraints, whose key also has all variables that some of these use.

        The result has this puzzle and the labels of the variables used. It is None if they are in the key already.
        places: the places, in the list of marks, of the constraints whose variables count.
        """

    def with_tied_variables(self, places: Collection[int]) -> Spoken | None:
        """Return the model with a key that also has variables to which constraints tie the hidden ones.

        A hidden variable is one that the marked constraints at ``places`` use, and that is not in the key. It may be a
        function of others, as a Boolean that says how two of them are ordered. The result is None if there are no
        further variables, or if this kind of model does not say which they are, as here.
        """
        return None

    def mark_places(self, breaking: bool) -> list[int]:
        """Return the places, in the list of marks, of the symmetry breakings.

        If ``breaking`` is False, return those of the redundant constraints.
        """
        return [place for place, mark in enumerate(self.marks) if mark.is_breaking == breaking]


class OfSource(Marked):
    """A model in MiniZinc. Marked constraints are taken out of its text."""

    def __init__(
        self,
        path: str,
        arguments: Mapping[str, Any],
        breaking: Sequence[str],
        redundant: Sequence[str],
        sizes: tuple[Mapping[str, int], Mapping[str, int]] | None = None,
    ) -> None:
        """Read the model and find the constraints that it marks and those that are named.

        path: the path of the MiniZinc file. arguments: the options of the command by name, such as "define" and "data".
        breaking, redundant: names of constraints: "line 7", the text of an annotation, with * and ?, or a predicate.
        sizes: (the sizes that the data have, the smaller ones to which arrays and sets are cut), each a value by name.
        Raises `InputError` for a name that no constraint has.
        """
        super().__init__(path, {name: value for name, value in arguments.items() if value})
        self._given, self._is_resized = arguments, bool(sizes)
        # The text gets the files of data whose values are replaced: all of them if there are other sizes.
        text, self._arguments = with_data(read_text(Path(path)), arguments, bool(sizes))
        if sizes:
            text, self.cut = cut(text, *sizes)
        try:
            self._source = Source(text, arguments.get("define", ()), Path(path).parent)
        except ValueError as error:
            raise InputError(f"{path}: {error}") from None
        # Each marked part of the text, and whether it is marked as symmetry breaking; the latter wins if it is both.
        is_breaking = dict.fromkeys(self._spans_of_marks(redundant, *REDUNDANT), False)
        is_breaking |= dict.fromkeys(self._spans_of_marks(breaking, BREAKING), True)
        # A mark within another one is no mark of its own.
        self._spans = [
            span
            for span in sorted(is_breaking, key=attrgetter("start", "end"))
            if not any(_is_within(span, other_span) for other_span in is_breaking)
        ]
        self.marks = [Mark(self._source.name(span), is_breaking[span]) for span in self._spans]

    @property
    def integers(self) -> dict[str, int]:
        """The integers that the text of the model, its data, or `--define` gives to parameters."""
        texts = [read_text(Path(path)) for path in self._arguments.get("data", ()) if str(path).endswith(".dzn")]
        integers = self._source.integers()
        for text in texts:
            integers |= Source(text).integers()
        return integers | integers_of(self._arguments.get("define", ()))

    @property
    def sizes(self) -> list[tuple[str, int]]:
        """The sizes that may be smaller: the integers that `--define` gives or, if it gives none, all there are.

        The sizes of arrays of variables come first. A size that the model text itself defines is left out if one of its
        constraints has the same number, because that may be the same size.
        """
        if defined := integers_of(self._arguments.get("define", ())):
            return [*defined.items()]
        definitions = self._definitions()
        definitions_of_model = Definitions(self._source)  # without the data
        names_of_variables = definitions.sizes_of_arrays(of_variables=True)  # on which arrays of variables depend
        constants = definitions_of_model.constants()
        sizes = {**definitions.set_lengths(), **self.integers}
        free_sizes = [
            (name, size)
            for name, size in sizes.items()
            if name not in definitions_of_model.values or size not in constants
        ]
        return sorted(free_sizes, key=lambda named: named[0] not in names_of_variables)

    @property
    def counts(self) -> list[str]:
        """The integers among the sizes on which the lengths of arrays depend; see `Marked.counts`."""
        indexing = self._definitions().sizes_of_arrays(of_variables=False)
        return [name for name, _ in self.sizes if name in indexing and name in self.integers]

    def _definitions(self) -> Definitions:
        """Return what the text and its data define."""
        text, _ = with_data(self._source.text, self._arguments, is_whole=True)
        return Definitions(Source(text))

    def parameters_with(self, values: Mapping[str, int]) -> dict[str, Any]:
        """Return the arguments with other values of some integers; see `Marked.parameters_with`.

        A new value becomes an assignment "name=value" under "define", in place of an earlier one of the name. Sets,
        whose sizes are their lengths, are left out here: they are cut in the text.
        """
        numbers = {name: value for name, value in values.items() if name in self.integers}
        defined = [
            definition
            for definition in self._given.get("define", ())
            if definition.partition("=")[0].strip() not in numbers
        ]
        redefined = [f"{name}={value}" for name, value in numbers.items()]
        return {**self._given, "define": [*defined, *redefined]}

    def _spans_of_marks(self, names: Sequence[str], *predicates: str) -> list[Span]:
        """Return the parts of the text that are calls of these predicates, or constraints of these names.

        names: what the user names, see `Source.constraints_by_name`. Raises `InputError` for a name that no constraint
        has.
        """
        for name in names:
            if not isinstance(name, str):
                raise InputError(f"{self.name}: {name!r} is not a name of a constraint of a model in MiniZinc")
        try:
            return [
                *self._source.calls(*predicates),
                *(span for name in names for span in self._source.constraints_by_name(name)),
            ]
        except InputError as error:
            raise InputError(f"{self.name}: {error}") from None

    def puzzle(self, kept_marks: Collection[int]) -> Puzzle:
        """Compile the model with only the marked constraints ``kept_marks``; see `Marked.puzzle`.

        kept_marks: places in the list of marks. Raises `InputError` if it does not compile.
        """
        return self._compile(self._source.text_without(self._spans_to_drop(kept_marks)))

    def violating(self, kept_marks: Collection[int], mark: int) -> Puzzle | None:
        """Compile the model with the constraint ``mark`` violated; see `Marked.violating`.

        kept_marks, mark: places in the list of marks. The result is None if the constraint cannot be negated. Raises
        `InputError` if it does not compile.
        """
        # The text without the other marks, with an item that says that the constraint is false.
        text = self._source.violating(self._spans[mark], self._spans_to_drop(kept_marks))
        return None if text is None else self._compile(text)

    def with_used_variables(self, places: Collection[int]) -> Spoken | None:
        """Compile the model with a key extended by variables that constraints use; see `Marked.with_used_variables`.

        The result is None if they use exactly the arrays of the key, and has no puzzle if they use what no key can
        have. If they use some arrays of the key only, the key stays, and the labels are those of these arrays.

        places: those of the constraints in the list of marks. Raises `InputError` if it does not compile.
        """
        puzzle = self.puzzle(())
        arrays = dict.fromkeys(_array(label) for label in puzzle.key)
        names_used = self._source.variables(self._spans[place] for place in places)
        if arrays.keys() == {*names_used}:
            return None
        if not {*names_used} <= arrays.keys():
            text = self._source.showing([*arrays, *names_used], self._spans)  # MiniZinc outputs these variables
            try:
                puzzle = self._compile(text, key=[*(self._arguments.get("key") or arrays), *names_used])
            except InputError:  # such as variables that no key can have
                return Spoken(puzzle=None, labels=names_used)
        return Spoken(puzzle, [label for label in puzzle.key if _array(label) in names_used])

    def _spans_to_drop(self, kept_marks: Collection[int]) -> list[Span]:
        """Return the parts of the text that are marked constraints whose places are not in ``kept_marks``."""
        return [span for place, span in enumerate(self._spans) if place not in kept_marks]

    def _compile(self, text: str, **changes: Any) -> Puzzle:
        """Compile a text of the model with MiniZinc; return the puzzle.

        changes: arguments of the compilation that replace those of the model, such as "key". Raises `InputError` if it
        does not compile, or if the key has Booleans of sets: their names begin with `INTRODUCED`, and differ from model
        to model.
        """
        from solvers.extras.bridges.minizinc.load import compile_minizinc
        from solvers.extras.bridges.minizinc.syntax import INTRODUCED

        with errors_with_name(self.name):
            puzzle = compile_minizinc(self.name, text, **{**self._arguments, **changes}, only_defined=self._is_resized)
        if any(str(label).startswith(INTRODUCED) for label in puzzle.key):
            raise InputError(
                f"{self.name}: the key holds sets, whose Booleans have other names in each model that MiniZinc "
                "compiles; name other variables with --key"
            )
        return puzzle


def _array(label: object) -> str:
    """Return the text of a label up to the first bracket: the name of its array, or of the variable."""
    return str(label).partition("[")[0]


def _is_within(span: Span, other: Span) -> bool:
    """Tell whether a part of the text lies inside another one."""
    return span != other and other.start <= span.start and span.end <= other.end


class OfModel(Marked):
    """A declared puzzle. Marked constraints are cleared in its CP-SAT model."""

    def __init__(self, puzzle: Puzzle, breaking: Sequence[Any], redundant: Sequence[Any]) -> None:
        """Find the marked constraints in the model of a puzzle.

        breaking, redundant: names, constraints, or lists of constraints, one mark each. A mark has a name, and the
        positions of its constraints in the model (``_places``). Raises `InputError` for a constraint that is not in the
        model, or that is an interval.
        """
        super().__init__(puzzle.name, puzzle.parameters)
        self._puzzle = puzzle
        self._model = model_and_variables(puzzle)[0]
        self._places: list[list[int]] = []
        for is_breaking, constraints in ((True, breaking), (False, redundant)):
            for name, places in self._positions_of_marks(constraints):
                if any(self._model.proto.constraints[place].has_interval() for place in places):
                    raise InputError(
                        f"{self.name}: {name} is an interval, without which the constraints that use it say nothing; "
                        "name these constraints"
                    )
                self.marks.append(Mark(name, is_breaking))
                self._places.append(places)

    def _positions_of_marks(self, chosen: Sequence[Any]) -> Iterable[tuple[str, list[int]]]:
        """Yield, for each mark, its name and the positions of its constraints in the model.

        chosen: names (with * and ?), constraints, or lists of constraints. Each name that a pattern matches is a mark;
        a list is one mark, named by the names of its constraints. Raises `InputError` if one is not in the model.
        """
        places_of_name: dict[str, list[int]] = {}
        for place, constraint in enumerate(self._model.proto.constraints):
            places_of_name.setdefault(constraint.name, []).append(place)
        for mark in chosen:
            if isinstance(mark, str):
                try:
                    names = matching(mark, filter(None, places_of_name))
                except ValueError:  # no name matches
                    all_names = ", ".join(filter(None, places_of_name))
                    raise InputError(
                        f"{self.name}: no constraint is called {mark!r}; "
                        + (f"there is {all_names}" if all_names else "name it with model.add(...).with_name(...)")
                    ) from None
                yield from ((name, places_of_name[name]) for name in names)
            else:
                places = [_index(self._model, constraint) for constraint in _as_list(mark)]
                different_names = dict.fromkeys(self._model.proto.constraints[place].name for place in places)
                joined_names = ", ".join(filter(None, different_names))
                yield joined_names or f"constraints {', '.join(map(str, places))}", places

    def puzzle(self, kept_marks: Collection[int]) -> Puzzle:
        """Return the puzzle with only the marked constraints ``kept_marks``, and without its check.

        kept_marks: places in the list of marks; see `Marked.puzzle`.
        """
        return self._puzzle_without_checks(self._drop_constraints(kept_marks))

    def violating(self, kept_marks: Collection[int], mark: int) -> Puzzle | None:
        """Return the puzzle with the constraint ``mark`` violated, and without its check.

        kept_marks, mark: places in the list of marks. The result is None if the constraint cannot be negated; see
        `Marked.violating`.
        """
        # A copy of the model that is left, in which at least one constraint of the mark is violated.
        violating_model = one_violated(self._model, self._places[mark], self._drop_constraints(kept_marks))
        return None if violating_model is None else self._puzzle_without_checks(violating_model)

    def _puzzle_without_checks(self, model: CpModel) -> Puzzle:
        """Return the puzzle with another model, and without the checks that are for its own."""
        file = self._puzzle.file and self._puzzle.file._replace(violation=None)
        return replace(self._puzzle, model=model, is_solution=None, are_solutions=None, file=file)

    def with_used_variables(self, places: Collection[int]) -> Spoken | None:
        """Return the model with a key extended by variables that constraints use; see `Marked.with_used_variables`.

        places: those of the constraints in the list of marks. Raises `InputError` if the puzzle is invalid.
        """
        used, labels = self._used_variables(places), self._label_by_index()
        return None if used <= labels.keys() else self._with_key_variables(used, labels)

    def with_tied_variables(self, places: Collection[int]) -> Spoken | None:
        """Return the model with a key extended by further variables; see `Marked.with_tied_variables`.

        A variable is tied to a hidden one if an unmarked constraint uses both. places: those of the constraints in the
        list of marks. Raises `InputError` if the puzzle is invalid.
        """
        used, labels = self._used_variables(places), self._label_by_index()
        hidden = used - labels.keys()
        marked_numbers = {number for numbers in self._places for number in numbers}
        proto = self._model.proto
        tied = set[int]()
        for number, constraint in enumerate(proto.constraints):
            variables = set() if number in marked_numbers else variables_in(constraint, proto)
            if not variables.isdisjoint(hidden):
                tied |= variables
        if tied <= used | labels.keys():
            return None
        return self._with_key_variables(used | tied, labels)

    def _used_variables(self, places: Collection[int]) -> set[int]:
        """Return the variables, by proto index, that some marks use, and that have more than one value.

        places: those of the marks in the list of marks; a mark may have several constraints of the model.
        """
        proto = self._model.proto
        numbers = [number for place in places for number in self._places[place]]
        used = {variable for number in numbers for variable in variables_in(proto.constraints[number], proto)}
        return {variable for variable in used if size_of(domain_of(proto.variables[variable])) > 1}

    def _label_by_index(self) -> dict[int, Label]:
        """Return the label of each variable of the key, by proto index."""
        _, variables = model_and_variables(self._puzzle)
        return {variable: label for label, variable in variables.items()}

    def _with_key_variables(self, variables: Collection[int], labels: Mapping[int, Label]) -> Spoken:
        """Return the model without marked constraints whose key has these variables, by proto index, too.

        Variables outside the key get a label made of their name. labels: the label of each variable of the key, by
        proto index.
        """
        model = self._drop_constraints(())
        label_of_used = {index: labels.get(index, self._label_of_auxiliary(index)) for index in sorted(variables)}
        added = {label: model.get_int_var_from_proto_index(index) for index, label in label_of_used.items()}
        return Spoken(Puzzle(self.name, {}, model, {**self._puzzle.key, **added}), [*label_of_used.values()])

    def _label_of_auxiliary(self, variable: int) -> str:
        """Return a label for a variable that is not in the key.

        It is the variable's name in the model if no other variable and no label has it, otherwise "variable" and its
        index.
        """
        proto = self._model.proto
        name = proto.variables[variable].name
        name_counts = Counter(other.name for other in proto.variables)
        is_unique = name and name_counts[name] == 1 and name not in self._puzzle.key
        return name if is_unique else f"variable {variable}"

    def _drop_constraints(self, kept_marks: Collection[int]) -> CpModel:
        """Return a copy of the model without some of its marked constraints, which become empty.

        kept_marks: the places, in the list of marks, of the marked constraints that stay.
        """
        model = self._model.clone()
        for place, constraints in enumerate(self._places):
            for number in constraints if place not in kept_marks else ():
                constraint = model.proto.constraints[number]
                if kind := kind_of(constraint):  # such as "linear"; empty for a constraint that is empty already
                    getattr(constraint, f"clear_{kind}")()
                constraint.enforcement_literal.clear()
        return model


def _as_list(value: Any) -> list[Any]:
    """Return the elements of something iterable as a list.

    Anything else becomes the only element of a list.
    """
    return [*value] if isinstance(value, Iterable) else [value]


def _index(model: CpModel, constraint: Any) -> int:
    """Return the position of a constraint in the model.

    Raises `InputError` if it is not a constraint of the model. constraint: what ``CpModel.add`` and the like return,
    with the position as its ``index``; or anything else that a caller may give by mistake.
    """
    index = getattr(constraint, "index", None)
    if not isinstance(index, int) or index >= len(model.proto.constraints):
        raise InputError(f"{constraint!r} is not a constraint of the model; give what model.add returns, or its name")
    return index


class OfCpmpy(Marked):
    """A Model of CPMpy, made anew of the constraints that are kept."""

    def __init__(
        self,
        model: Any,
        breaking: Sequence[Any],
        redundant: Sequence[Any],
        values: Mapping[str, Any],
        name: str = "model",
        arguments: Mapping[str, Any] | None = None,
    ) -> None:
        """Find the marked constraints in a model of CPMpy, and its key.

        breaking, redundant: names, constraints, or lists of constraints, one mark each. values: the constraints or
        lists of constraints that can be named, by name. name: that of the model. arguments: the arguments of
        `puzzle_of`, which translates the model into a puzzle, such as "key". The key is that of the whole model, so
        that the model has the same key without marked constraints. Raises `InputError` for what is not in the model,
        and for models that cannot be translated.
        """
        from cpmpy.expressions.utils import flatlist
        from cpmpy.transformations.get_variables import get_variables_model

        from solvers.extras.bridges.cpmpy.model import puzzle_of

        super().__init__(name, {key: value for key, value in (arguments or {}).items() if value})
        self._values = values
        self._model = model
        self._constraints = flatlist(model.constraints)
        self._groups: list[list[int]] = []
        """For each mark, the positions of its constraints in the model."""
        for is_breaking, marks in ((True, breaking), (False, redundant)):
            for mark in marks:
                self.marks.append(Mark(mark if isinstance(mark, str) else _constraint_text(mark), is_breaking))
                self._groups.append(self._places_of(mark))
        try:
            declared = puzzle_of(model, **{"key": (), **(arguments or {})})
        except ValueError as error:
            raise InputError(f"{name}: {error}") from None
        variable_of_name = {variable.name: variable for variable in get_variables_model(model)}
        key = [variable_of_name[label] for label in declared.key]
        self._puzzle_of = partial(puzzle_of, key=key, name=name, parameters=self.parameters)

    def _places_of(self, mark: Any) -> list[int]:
        """Return the positions in the model of the constraints that a mark represents.

        mark: a name, a constraint, or a list of constraints. A name is one of ``_values``, or else a name that
        constraints were given. Raises `InputError` if the name or a constraint is unknown. Constraints are compared by
        identity, because == makes a new constraint.
        """
        from cpmpy.expressions.utils import flatlist

        if isinstance(mark, str):
            described = [constraint for constraint in self._constraints if mark in _names_given(constraint)]
            if mark not in self._values and not described:
                raise InputError(f"{self.name}: nothing is called {mark!r}; name a constraint, or a list of some")
            mark = self._values.get(mark, described)
        marked_constraints = [*mark] if isinstance(mark, (list, tuple)) else [mark]
        ids = {id(constraint) for constraint in flatlist(marked_constraints)}
        places = [place for place, constraint in enumerate(self._constraints) if id(constraint) in ids]
        if len(places) < len(ids):
            raise InputError(f"{self.name}: {_constraint_text(mark)} is not among the constraints of the model")
        return places

    def puzzle(self, kept_marks: Collection[int]) -> Puzzle:
        """Make a puzzle of the model with only the marked constraints ``kept_marks``; see `Marked.puzzle`.

        kept_marks: places in the list of marks.
        """
        return self._puzzle_with(kept_marks)

    def violating(self, kept_marks: Collection[int], mark: int) -> Puzzle | None:
        """Make a puzzle of the model with the constraint ``mark`` violated; see `Marked.violating`.

        The negation of the mark's constraints together is a further constraint. kept_marks, mark: places in the list of
        marks.
        """
        import cpmpy

        constraints = [self._constraints[place] for place in self._groups[mark]]
        return self._puzzle_with(kept_marks, ~cpmpy.all(constraints))

    def with_used_variables(self, places: Collection[int]) -> Spoken | None:
        """Make a puzzle with a key extended by variables that constraints use; see `Marked.with_used_variables`.

        The key here is a list of variables of CPMpy, and labels are their names. places: those of the constraints in
        the list of marks.
        """
        from cpmpy.transformations.get_variables import get_variables

        used = get_variables([self._constraints[number] for place in places for number in self._groups[place]])
        key = self._puzzle_of.keywords["key"]
        key_names = {variable.name for variable in key}
        hidden = [variable for variable in used if variable.name not in key_names]
        if not hidden:
            return None
        return Spoken(self._puzzle_with((), key=[*key, *hidden]), [variable.name for variable in used])

    def _puzzle_with(self, kept_marks: Collection[int], *additions: Any, **changes: Any) -> Puzzle:
        """Return a puzzle of the model with only these marked constraints, and with further constraints.

        kept_marks: the places of the marked constraints in the list of marks. additions: the further constraints.
        changes: arguments of `puzzle_of` other than those of the model, such as "key".
        """
        import cpmpy

        dropped_groups = [group for place, group in enumerate(self._groups) if place not in kept_marks]
        dropped = {number for group in dropped_groups for number in group}
        constraints = [constraint for number, constraint in enumerate(self._constraints) if number not in dropped]
        model = cpmpy.Model([*constraints, *additions])
        model.objective_ = self._model.objective_
        model.objective_is_min = self._model.objective_is_min
        return self._puzzle_of(model, **changes)


def _names_given(constraint: Any) -> list[str]:
    """Return the names that a constraint of CPMpy was given by set_description or, in versions with it, by set_name."""
    description = getattr(constraint, "_description", None)
    names = [getattr(description, "text", description)]  # some versions store an object with a text, others a string
    if hasattr(constraint, "set_name"):
        names.append(getattr(constraint, "name", None))
    return [name for name in names if isinstance(name, str)]


def _constraint_text(constraint: Any) -> str:
    """Return the text of a constraint, cut to 60 characters."""
    text = str(constraint)
    return text if len(text) <= 60 else f"{text[:60]}..."


def read_marks(
    model: Named, parameters: Mapping[str, Any], breaking: Sequence[Any] = (), redundant: Sequence[Any] = ()
) -> Marked:
    """Return a model with the list of its marked constraints.

    model: a file, a puzzle, a model of CPMpy, or a function that declares a puzzle. parameters: the parameters of the
    model, by name. breaking, redundant: constraints that are marked besides those that the model marks itself: names,
    and in Python constraints and lists of constraints that are judged as one.

    The result also has functions that yield the same model with other data (`Marked.others`) and with smaller data
    (`Marked.smaller`). Raises `InputError` if a name or a constraint is not one of the model's.
    """
    result = _read_marks(model, parameters, breaking, redundant)
    result.others = partial(_with_other_data, result, model, breaking, redundant)
    result.smaller = partial(_with_smaller_data, result, model, breaking, redundant)
    return result


def _with_other_data(
    marked: Marked, model: Named, breaking: Sequence[Any], redundant: Sequence[Any]
) -> Iterator[tuple[str, Marked]]:
    """Yield (text that says the size, the model) with one of its integer parameters greater or less by 1, 2 or 3.

    The smallest differences come first; greater ones are for models that are refused, or have no solution, at every
    second size. Data that the model refuses are left out. It ends once the thread is told to stop. A puzzle that is
    declared already has no other data.

    marked: the model as it is. model, breaking, redundant: as for `read_marks`.
    """
    if isinstance(model, Puzzle):
        return
    with suppress(Stopped):
        for step, (name, value) in product(STEPS, marked.integers.items()):
            with suppress(InputError):
                size = value + step
                yield f"{name}={size}", _resize(marked, model, breaking, redundant, {name: size})


def _with_smaller_data(
    marked: Marked, model: Named, breaking: Sequence[Any], redundant: Sequence[Any], names: Collection[str]
) -> Iterator[tuple[str, Marked]]:
    """Yield (text that says the sizes, the model) with these sizes at most 1, at most 2, and so on.

    Values that the model refuses are left out. It ends once the thread is told to stop. A puzzle that is declared
    already has no other data. marked: the model as it is. model, breaking, redundant: see `read_marks`. names: those of
    the sizes that become smaller; at least one.
    """
    if isinstance(model, Puzzle):
        return
    sizes_by_name = {name: value for name, value in marked.sizes if name in names}
    with suppress(Stopped):
        for most in range(1, max(sizes_by_name.values())):
            values = {name: most for name, value in sizes_by_name.items() if most < value}
            with suppress(InputError):
                sizes_text = ", ".join(f"{name}={value}" for name, value in values.items())
                yield sizes_text, _resize(marked, model, breaking, redundant, values)


def _resize(
    marked: Marked, model: Named, breaking: Sequence[Any], redundant: Sequence[Any], values: Mapping[str, int]
) -> Marked:
    """Return a model with other values of its sizes, to which arrays of data are cut; see `read_marks`.

    marked: the model as it is. values: the new value of each size that changes, by name.
    """
    sizes_before = {**marked.integers, **dict(marked.sizes)}
    return _read_marks(model, marked.parameters_with(values), breaking, redundant, (sizes_before, values))


def _read_marks(
    model: Named,
    parameters: Mapping[str, Any],
    breaking: Sequence[Any],
    redundant: Sequence[Any],
    sizes: tuple[Mapping[str, int], Mapping[str, int]] | None = None,
) -> Marked:
    """Return a model with the list of its marked constraints; see `read_marks`.

    The model is a file in MiniZinc or XCSP3, a program whose model CPMpy makes, a model of CPMpy, or else a puzzle that
    is declared in Python. Its kind decides how marks are found. parameters: those of the model. breaking, redundant:
    what the user marks besides. sizes: (the sizes that the data have, the new ones to which arrays are cut), by name;
    for MiniZinc only.
    """
    if isinstance(model, (str, os.PathLike)):
        declaration = find(os.fspath(model))
        # A file of another format is declared by a `partial` of the function that reads it, whose name is the format.
        reader = getattr(declaration.load(), "func", None)
        arguments = declaration.arguments(parameters)
        if getattr(reader, "__name__", "") == "minizinc":
            return OfSource(declaration.name, arguments, breaking, redundant, sizes)
        if getattr(reader, "__name__", "") == "xcsp3":
            return _xcsp3_with_marks(declaration.name, arguments, breaking, redundant)
        if getattr(reader, "__name__", "") == "script" and IMPORTS_CPMPY.search(read_text(Path(declaration.name))):
            from solvers.extras.bridges.scripts.load import cpmpy_model

            with errors_with_name(declaration.name):
                model_of_script = cpmpy_model(declaration.name, arguments["model"], arguments["argument"])
            if model_of_script:  # None if the program solves a model of another library
                cpmpy_puzzle, named_constraints = model_of_script
                arguments_of_model = {"key": arguments["key"]}
                return OfCpmpy(
                    cpmpy_puzzle, breaking, redundant, named_constraints, declaration.name, arguments_of_model
                )
    if foreign_kind(model) == "cpmpy":
        return OfCpmpy(model, breaking, redundant, {}, arguments=parameters)
    _, values, declare = question(model, parameters)  # its name, its parameters, the function that declares it
    return OfModel(declare(**values), breaking, redundant)


def _xcsp3_with_marks(
    path: str, arguments: Mapping[str, Any], breaking: Sequence[str], redundant: Sequence[str]
) -> Marked:
    """Return a file in XCSP3 with the constraints whose classes mark them, and with those that are named.

    arguments: its parameters by name. breaking, redundant: names of constraints, such as "line 7 sum"; "line 7" stands
    for all that begin there. Raises `InputError` for a name that no constraint has, or if the file is not understood.
    """
    from solvers.extras.bridges.xcsp3.load import puzzle_and_marks

    with errors_with_name(path):
        puzzle, marks = puzzle_and_marks(path, **arguments)
    # The name of a constraint is its line and its kind, such as "line 7 sum".
    all_names = dict.fromkeys(constraint.name for constraint in model_and_variables(puzzle)[0].proto.constraints)

    def names_of_mark(names: Sequence[str], class_name: str) -> list[str]:
        """Return the names of constraints with this class, and of those that are named or begin on a named line.

        A marked constraint may have become part of a domain, so that none in the model has its name; a name of the
        user's that no constraint has is kept, as `OfModel` refuses it.
        """
        marked_names = [name for name in marks.get(class_name, ()) if name in all_names]
        for name in names:
            on_line = [full_name for full_name in all_names if full_name.startswith(f"{name} ")]
            marked_names += on_line or [name]
        return [*dict.fromkeys(marked_names)]

    return OfModel(
        puzzle, names_of_mark(breaking, "symmetry-breaking"), names_of_mark(redundant, "redundant-constraints")
    )
