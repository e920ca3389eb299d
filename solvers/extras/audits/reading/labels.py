"""Matches the labels of two models: by their names, or as the user maps one to the other."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from models.puzzle import Label, Puzzle
from solvers.base.errors import InputError
from solvers.extras.bridges.minizinc.syntax import INTRODUCED
from solvers.model.reading import domain_of, size_of
from solvers.running.stated import model_and_variables

INDEXED = re.compile(r"([^\[\]()]*)((?:\[[^\[\]]*\])+|\([^()]*\))")
"""A label with indices: x[1,2], x[1][2], and the text of a tuple, which has no name."""

NUMBER = re.compile(r"-?\d+")

RANGE = ".."
"""What follows the first index in a text that maps an array whose indices begin elsewhere, such as x[0..]=y[1..]."""


class Name(NamedTuple):
    """The name of a label: that of its array, or of the variable, and its indices."""

    array: str
    indices: tuple[int | str, ...] = ()


def name_of(label: object) -> Name:
    """Return the name of a label, from its text; different spellings of the same indices have the same name.

    >>> name_of("x[1, 2]"), name_of("x[1][2]") == name_of("x[1,2]"), name_of((0, 1)), name_of(7), name_of("top")
    (Name(array='x', indices=(1, 2)), True, Name(array='', indices=(0, 1)), Name(array='', indices=(7,)), \
Name(array='top', indices=()))
    """
    text = str(label).strip()
    if NUMBER.fullmatch(text):
        return Name("", (int(text),))
    if (match := INDEXED.fullmatch(text)) is None:
        return Name(text)
    parts = re.split(r"\]\s*\[|,", match[2][1:-1])
    indices = tuple(_index(part.strip()) for part in parts if part.strip())
    return Name(match[1].strip(), indices)


def _index(text: str) -> int | str:
    """Return an index as an integer, or as its text if it is something else."""
    return int(text) if NUMBER.fullmatch(text) else text


class MisfitError(InputError):
    """A mapping that does not fit the labels of a submission."""

    def __init__(self, theirs: object, sentence: str) -> None:
        """Store what the submission should call the label or the array, and the sentence that says what is wrong."""
        super().__init__(sentence)
        self.theirs = theirs

    def __reduce__(self) -> tuple[type[MisfitError], tuple[object, str]]:
        """Return what makes the same error in another process."""
        return type(self), (self.theirs, str(self))


class Matching(NamedTuple):
    """The labels of two models, matched."""

    pairs: dict[Label, Label]
    """The submission's label for each label of the reference that both have."""
    missing: list[Label]
    """The labels of the reference that the submission lacks."""
    extra: list[Label]
    """The labels of the submission that the reference lacks, and that keep the models from being compared."""
    ignored: list[Label]
    """The other labels of the submission that are not compared, such as those of auxiliary variables."""
    proposals: list[str]
    """Texts for ``--map`` that would match more labels; of several texts for one array, each is an alternative."""
    certain: list[str]
    """Those of these texts that leave no other choice."""


Grid = dict[Label, dict[int, Label]]
"""For each label of an integer, the label of the Boolean that represents each of its values."""


def match(
    reference: Puzzle,
    submission: Puzzle,
    labels: Mapping[object, object],
    on: Iterable[object],
    by_names: Mapping[Label, Name] | None = None,
) -> Matching:
    """Match the labels of two models.

    labels: for names of the submission's labels or arrays, what the reference calls them; "y[1..]" for "x[0..]" moves
    the indices, too. What is named here comes before labels that are the same by themselves. on: labels or arrays of
    the reference to which the comparison is limited; all others of both models are then ignored. Without these, other
    labels of the submission are ignored if it has all those of the reference, unless they belong to an array of which
    other labels are compared: its size is another one. Booleans that MiniZinc introduces for sets have names by chance,
    and match nothing. A label without indices that has only one value, such as a parameter n of MiniZinc, may be
    missing in the other model. by_names: the names of labels of the submission whose indices have other numbers in the
    reference; a mapping of a single label means the submission's own numbers. A mapped array takes the place of one
    that has the same name by itself, and each label is used once.

    Raises `InputError` for a name that does not occur, and if two labels are mapped to the same one. Raises
    `MisfitError` for a mapping of labels that the submission does not have, and for one without which less is missing.
    """
    wanted = [*on]
    matching = _match_all(reference, submission, labels, wanted, by_names or {})
    for old, new in labels.items() if matching.missing else ():
        other_labels = {theirs: ours for theirs, ours in labels.items() if theirs != old}
        missing_without = _match_all(reference, submission, other_labels, wanted, by_names or {}).missing
        if {*missing_without} < {*matching.missing}:
            left = next(label for label in matching.missing if label not in missing_without)
            raise MisfitError(old, f"{submission.name} has no label for {left} with --map '{new}={old}', only without")
    return matching


def _match_all(
    reference: Puzzle,
    submission: Puzzle,
    labels: Mapping[object, object],
    wanted: Collection[object],
    by_names: Mapping[Label, Name],
) -> Matching:
    """Match the labels of two models whether or not each mapping is needed; see `match`.

    wanted: the labels or arrays to which the comparison is limited, ``on`` there; empty for all.
    """
    # The name, that is, the array and the indices, of each label of the reference, and of the submission.
    ours, own_names = _names(reference), _names(submission)
    theirs = {**own_names, **by_names}  # a label by itself is named as in the reference, where numbers differ
    renamed: dict[Label, Name] = {}  # the reference's name of each label that is mapped
    taken_names = set[Name]()  # the reference's names to which something is mapped
    for old, new in labels.items():
        source = name_of(old)
        targets = _targets(ours, name_of(new))  # the reference's names to which this mapping maps
        if not targets:
            raise InputError(f"{reference.name} has no label and no array called {new}, to which {old} is mapped")
        is_single = bool(source.indices) and not is_range(source)
        known = own_names if is_single else theirs  # a mapping of a single label means the submission's own numbers
        mapped = _reference_names(submission, known, str(old), str(new))
        if targets.isdisjoint(mapped.values()):
            raise MisfitError(old, f"{submission.name} has no label of {new} with --map '{new}={old}'")
        renamed |= mapped
        taken_names |= targets
    if twice := [name for name, number in Counter(renamed.values()).items() if number > 1]:
        both = [str(label) for label, name in renamed.items() if name == twice[0]]
        raise InputError(f"{both[0]} and {both[1]} of {submission.name} are mapped to the same label")
    # The submission's labels by the names that the reference gives them: its own names where nothing is mapped.
    label_by_name = {name: label for label, name in theirs.items() if name not in taken_names and label not in renamed}
    label_by_name |= {name: label for label, name in renamed.items()}
    # Booleans that MiniZinc introduces have names by chance.
    label_by_name = {name: label for name, label in label_by_name.items() if not _is_introduced(label)}
    chosen = _labels_to_compare(reference, ours, wanted)
    pairs = {
        label: label_by_name[name]
        for label, name in chosen.items()
        if name in label_by_name and not _is_introduced(label)
    }
    # Labels that only one model has; parameters, which have no indices and a single value, do not count.
    missing = _without_parameters(reference, {label: name for label, name in chosen.items() if label not in pairs})
    matched = {*pairs.values()}
    labels_left = _without_parameters(
        submission, {label: name for label, name in theirs.items() if label not in matched}
    )
    partly_matched = {_array(theirs[label]) for label in matched if theirs[label].indices}
    extra = [label for label in labels_left if not wanted and _array(theirs[label]) in partly_matched]
    if missing or not pairs:  # what is left may then be what is missing, under another name
        extra = labels_left
    ignored = [label for label in labels_left if label not in extra]
    free = {label: name for label, name in theirs.items() if label not in renamed}
    proposals, certain = _proposals(_Labelled(reference, chosen), _Labelled(submission, free), missing, extra)
    return Matching(pairs, missing, extra, ignored, proposals, certain)


def _targets(ours: Mapping[Label, Name], target: Name) -> set[Name]:
    """Return the names of the reference's labels to which a mapping maps; none if it has no such label or array.

    ours: the names of all its labels. target: the name of a label, of an array, or of an array with its first indices,
    such as y[1..] (the index is the text "1.." then); the labels with smaller indices are left out.
    """
    if target in ours.values():
        return {target}
    names_of_array = {name for name in ours.values() if name.array == target.array}
    if not target.indices:
        return names_of_array
    if not is_range(target):
        return set()
    starts = [str(index).removesuffix(RANGE) for index in target.indices]
    if not all(map(NUMBER.fullmatch, starts)):  # a complaint about the form comes later
        return names_of_array

    def is_in_range(name: Name) -> bool:
        """Tell whether each index of a name is a number from the start of its range on."""
        if len(name.indices) != len(starts):
            return False
        indices_and_starts = zip(name.indices, starts, strict=True)
        return all(isinstance(index, int) and index >= int(start) for index, start in indices_and_starts)

    return {name for name in names_of_array if is_in_range(name)}


def _without_parameters(puzzle: Puzzle, names: Mapping[Label, Name]) -> list[Label]:
    """Return those of a puzzle's labels that have indices, or more than one value; a parameter has neither.

    names: the labels, with their names. Raises `InputError` if the puzzle is invalid.
    """
    model, variables = model_and_variables(puzzle)
    domains = {label: domain_of(model.proto.variables[variables[label]]) for label in names}
    return [label for label, name in names.items() if name.indices or size_of(domains[label]) > 1]


def _is_introduced(label: Label) -> bool:
    """Tell whether a label is that of a Boolean that MiniZinc introduces for a set."""
    return str(label).startswith(INTRODUCED)


def _names(puzzle: Puzzle) -> dict[Label, Name]:
    """Return the name of each label of a puzzle; labels that would have the same name keep their text."""
    names = {label: name_of(label) for label in puzzle.key}
    numbers = Counter(names.values())
    return {label: name if numbers[name] == 1 else Name(str(label)) for label, name in names.items()}


def _labels_to_compare(reference: Puzzle, ours: Mapping[Label, Name], on: Collection[object]) -> dict[Label, Name]:
    """Return the labels of the reference that are compared, with their names.

    ours: all labels of the reference, with their names. on: labels or arrays to which the comparison is limited; if
    there are none, all labels are compared. Raises `InputError` for one that the reference does not have.
    """
    if not on:
        return {**ours}
    wanted = {name_of(label) for label in on}
    known = {*ours.values()} | {Name(name.array) for name in ours.values()}  # of labels, and of arrays
    if unknown := [label for label in on if name_of(label) not in known]:
        raise InputError(f"{reference.name} has no label and no array called {unknown[0]}")
    return {label: name for label, name in ours.items() if name in wanted or Name(name.array) in wanted}


def _reference_names(submission: Puzzle, theirs: Mapping[Label, Name], old: str, new: str) -> dict[Label, Name]:
    """Return the reference's name for each label of the submission that one mapping renames.

    theirs: the names of the submission's labels. old, new: the submission's label or array, and the reference's: both
    with ranges such as x[0..], both labels, or both arrays. Raises `InputError` if the submission has no such label, or
    if the texts do not go together.
    """
    source, target = name_of(old), name_of(new)
    if is_range(source) or is_range(target):
        return _names_after_shift(submission, theirs, source, target, f"{new}={old}")
    if labels := [label for label, name in theirs.items() if name == source]:
        return {labels[0]: target}
    names_of_array = {label: name for label, name in theirs.items() if name.array == source.array}
    if source.indices or not names_of_array:
        raise MisfitError(old, f"{submission.name} has no label and no array called {old}")
    if target.indices:
        raise InputError(f"{new}={old} maps a whole array to a label; write {target.array}={old}")
    return {label: Name(target.array, name.indices) for label, name in names_of_array.items()}


def is_range(name: Name) -> bool:
    """Tell whether an index of a name is the first of many, such as "1.."."""
    return any(isinstance(index, str) and index.endswith(RANGE) for index in name.indices)


def _names_after_shift(
    submission: Puzzle, theirs: Mapping[Label, Name], source: Name, target: Name, text: str
) -> dict[Label, Name]:
    """Return the reference's name for each label of an array whose indices begin elsewhere.

    With x[0..]=y[1..], the submission's y[3] is the reference's x[2]. Labels with smaller indices than the first are
    left out. theirs: the names of the submission's labels. source, target: what the submission and the reference call
    the array, with the first of each index. text: the mapping as it was given. Raises `InputError` if the text has
    another form, or if the submission has no such array, or lacks the first index.
    """
    starts = [_starts(source), _starts(target)]
    if not len(starts[0]) == len(starts[1]) == len(source.indices) == len(target.indices):
        raise InputError(f"{text!r} maps no array; write each index as in x[0..,0..]=y[1..,1..]")
    if any(not isinstance(start, int) for indices in starts for start in indices):
        raise InputError(f"{text!r} maps no array; only indices that are numbers can begin elsewhere")
    renamed_labels = {}
    for label, (array, indices) in theirs.items():
        if array == source.array and len(indices) == len(starts[0]):
            indices_and_starts = [*zip(indices, *starts, strict=True)]
            if all(isinstance(index, int) and index >= start for index, start, _ in indices_and_starts):
                new_indices = tuple(index - old + new for index, old, new in indices_and_starts)
                renamed_labels[label] = Name(target.array, new_indices)
    if not renamed_labels:
        raise MisfitError(text.partition("=")[2], f"{submission.name} has no array with such indices as in {text!r}")
    first = [min(name.indices[axis] for name in renamed_labels.values()) for axis in range(len(starts[1]))]
    if first != starts[1]:
        names = (source, target)
        labels = [f"{name.array}[{','.join(map(str, start))}]" for name, start in zip(names, starts, strict=True)]
        raise MisfitError(text.partition("=")[2], f"{submission.name} has no label {' for '.join(labels)} of {text!r}")
    return renamed_labels


def _starts(name: Name) -> list[int | str]:
    """Return the first of each index of an array, such as [0, 1] for x[0..,1..]."""
    return [_index(str(index).removesuffix(RANGE)) for index in name.indices if str(index).endswith(RANGE)]


class Array(NamedTuple):
    """An array of variables, or a single variable, which has no indices."""

    name: str
    dimensions: int
    """The number of its indices."""


MOST_ALTERNATIVES = 4
"""The most arrays, or single variables, of the submission that are proposed for one of the reference."""


class _Labelled:
    """Labels of a model as arrays."""

    def __init__(self, puzzle: Puzzle, names: Mapping[Label, Name]) -> None:
        """Take some labels of a model, with their names."""
        self._puzzle = puzzle
        self.names = names
        self.indices = _arrays(names)

    def values(self, array: Array) -> tuple[int, int]:
        """Return the least and the greatest value of an array's variables; raise `InputError` for an invalid puzzle."""
        model, variables = model_and_variables(self._puzzle)
        indices_of_variables = [variables[label] for label, name in self.names.items() if _array(name) == array]
        # Each domain is a list of ascending intervals (least, greatest).
        domains = [domain_of(model.proto.variables[index]) for index in indices_of_variables]
        least = min(domain[0][0] for domain in domains)
        greatest = max(domain[-1][1] for domain in domains)
        return least, greatest


def _proposals(
    ours: _Labelled, theirs: _Labelled, missing: Collection[Label], extra: Collection[Label]
) -> tuple[list[str], list[str]]:
    """Return (texts for ``--map`` that match arrays which only one model has, those that leave no other choice).

    An array of the reference is matched with arrays of the submission of the same shape: with those of the same name,
    except for upper and lower case, or else with all that no name has matched; among these, with those of the same
    range of values, if there are any. A text leaves no choice if its two arrays match no others, and have the same name
    or the same range of values.

    ours, theirs: the labels of the reference and of the submission. missing, extra: those that only the reference, and
    only the submission has. A single variable counts as an array without indices.
    """
    missing_arrays = dict.fromkeys(_array(ours.names[label]) for label in missing if not _is_introduced(label))
    extra_names = [theirs.names[label] for label in extra if label in theirs.names and not _is_introduced(label)]
    extra_arrays = dict.fromkeys(map(_array, extra_names))
    # For each array of the reference, those of the submission of the same shape, and of these, of the same name.
    fitting = {
        array: [other for other in extra_arrays if _can_be_mapped(ours, array, theirs, other)]
        for array in missing_arrays
    }
    named = {
        array: [other for other in others if other.name.casefold() == array.name.casefold()]
        for array, others in fitting.items()
    }
    uses = Counter(other for others in named.values() for other in others)
    single = {array: others[0] for array, others in named.items() if len(others) == 1}
    chosen = {array: other for array, other in single.items() if uses[other] == 1}
    options = dict[Array, list[Array]]()
    for array in missing_arrays:
        free = named[array] or [other for other in fitting[array] if other not in chosen.values()]
        options[array] = [other for other in free if theirs.values(other) == ours.values(array)] or free
    uses = Counter(other for others in options.values() for other in others)
    for array, others in options.items():
        is_alone = len(others) == 1 and uses[others[0]] == 1
        if array.dimensions and is_alone and theirs.values(others[0]) == ours.values(array):
            chosen[array] = others[0]
    few_options = {array: others for array, others in options.items() if len(others) <= MOST_ALTERNATIVES}
    texts = {
        (array, other): _mapping(array, ours.indices[array], other, theirs.indices[other])
        for array, others in few_options.items()
        for other in others
    }
    return [*texts.values()], [texts[pair] for pair in chosen.items() if pair in texts]


def _can_be_mapped(ours: _Labelled, array: Array, theirs: _Labelled, other: Array) -> bool:
    """Tell whether a text for ``--map`` can map an array of the submission to one of the reference.

    Their indices have to be the same, perhaps after a shift, a number that is added to each index. An array without a
    name, as of labels that are tuples, can be written only with its first indices, as in [0..], and these have to be
    numbers.

    ours, array: the labels of the reference, and one of its arrays. theirs, other: those of the submission.
    """
    our_indices = ours.indices[array]
    their_indices = theirs.indices[other]
    if array.dimensions != other.dimensions or _shift(our_indices, their_indices) is None:
        return False
    if array.name and other.name:
        return True
    is_numbered = all(isinstance(index, int) for indices in (*our_indices, *their_indices) for index in indices)
    return is_numbered and array.dimensions > 0


def _array(name: Name) -> Array:
    """Return the array of a label's name."""
    return Array(name.array, len(name.indices))


def _arrays(names: Mapping[Label, Name]) -> dict[Array, set[tuple[int | str, ...]]]:
    """Return the indices of all labels of each array."""
    arrays = defaultdict(set)
    for label, name in names.items():
        if not _is_introduced(label):
            arrays[_array(name)].add(name.indices)
    return {**arrays}


def _shift(source: set[tuple[int | str, ...]], target: set[tuple[int | str, ...]]) -> list[int] | None:
    """Return what has to be added to the indices of one array to make those of another; None if nothing does it.

    source, target: the indices of all labels of the two arrays, a tuple for each label. The result has a number for
    each place in these tuples. It has to carry the least of each index to the least, so that there is one candidate. An
    example is [1], which makes the indices 1, 2, 3 of 0, 1, 2.
    """
    if source == target:
        return [0] * len(next(iter(source)))
    are_integers = all(isinstance(index, int) for indices in (*source, *target) for index in indices)
    if len(source) != len(target) or not are_integers:
        return None
    shift = [after - before for before, after in zip(_least_indices(source), _least_indices(target), strict=True)]
    image = {
        tuple(index + step for index, step in zip(indices, shift, strict=True))  # type: ignore[operator]
        for indices in source
    }
    return shift if image == target else None


def _least_indices(indices: Collection[tuple[int | str, ...]]) -> list[int]:
    """Return, for each place in the tuples, the least index there."""
    return [min(int(index) for index in column) for column in zip(*indices, strict=True)]


def _mapping(array: Array, ours: set[tuple[int | str, ...]], other: Array, theirs: set[tuple[int | str, ...]]) -> str:
    """Return the text for ``--map`` that maps an array of the submission to one of the reference.

    The text is "x=y", or "x[0..]=y[1..]" if the indices differ or an array has no name. array, ours: that of the
    reference, and the indices of its labels. other, theirs: that of the submission, and the indices of its labels.
    """
    if array.name and other.name and ours == theirs:
        return f"{array.name}={other.name}"
    texts = []
    for name, indices in ((array.name, ours), (other.name, theirs)):
        ranges = ",".join(f"{start}{RANGE}" for start in _least_indices(indices))
        texts.append(f"{name}[{ranges}]")
    return "=".join(texts)
