"""Enumerations of two models in MiniZinc, matched by the names of their values and of the indices of their arrays.

Red may be 1 in one model and 2 in another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from models.puzzle import Label, Puzzle
from solvers.base.errors import InputError
from solvers.extras.audits.reading.labels import NUMBER, MisfitError, Name, name_of
from solvers.extras.bridges.minizinc.enumerations import Enumerations, Members, enumerations_of
from solvers.files.load import read_text
from solvers.model.reading import domain_of
from solvers.running.stated import model_and_variables, model_copy


class Recoding(NamedTuple):
    """The values of a submission in place of those of the reference, and what has no counterpart."""

    values: dict[Label, dict[int, int]]
    """For labels of the submission whose values have other numbers: the reference's number of each value."""
    missing: list[str]
    """The names of values, with their array, that only the reference has."""
    extra: list[str]
    """The names of values, with their array, that only the submission has."""
    proposals: list[str]
    """Texts for ``--map`` that would match them."""


def rename_indices(
    reference: Puzzle,
    submission: Puzzle,
    names: tuple[Enumerations, Enumerations],
    labels: Mapping[object, object],
    of_values: Mapping[str, str],
) -> tuple[dict[Label, Name], list[str]]:
    """Return (names for labels of the submission whose indices have other numbers in the reference, texts for --map).

    The names are those with the reference's numbers: x[2] becomes x[1] if the reference numbers the value red, which is
    the submission's second one, as its first. The texts for ``--map`` would match indices which have other names. Here
    "our" names are those of the reference, "their" names those of the submission.
    names: the enumerations of both models, which have the names of the indices of each array. labels, of_values: what
    the reference calls arrays and values of the submission that are mapped.
    """
    ours, theirs = names
    array_of_reference = {str(old): str(new) for old, new in labels.items()}
    # A value that is mapped to a number has no name in the reference, and indices are matched by names.
    renamed = {old: new for old, new in of_values.items() if not NUMBER.fullmatch(new)}
    # Names that the reference writes as indices, as in x[red].
    written = {index for label in reference.key for index in name_of(label).indices if isinstance(index, str)}
    name_by_label = dict[Label, Name]()
    proposals = list[str]()
    for label in submission.key:
        array, indices = name_of(label)
        # For each index, its names in both models; () where it has none. More () than indices are cut off below.
        no_members = [()] * len(indices)
        members_of_indices = [*theirs.indices.get(array, ()), *no_members]
        their_members = [[renamed.get(member, member) for member in members] for members in members_of_indices]
        our_members = [*ours.indices.get(array_of_reference.get(array, array), ()), *no_members]
        indices_and_members = [*zip(indices, their_members, our_members, strict=False)]
        new_indices = tuple(_index(index, their, our, written) for index, their, our in indices_and_members)
        if new_indices != indices:
            name_by_label[label] = Name(array, new_indices)
        for _, their, our in indices_and_members:
            proposals += [text for text in _map_proposals(our, their) if text not in proposals]
    return name_by_label, proposals


def _index(index: int | str, theirs: Sequence[str], ours: Members, written: set[str]) -> int | str:
    """Return the index of the reference that an index of the submission represents, by its name if it has one.

    It is the number of the same name in the reference. It is the name itself if the reference has names and not this
    one, so that nothing matches, or if the reference has no names and writes this one as an index.

    theirs, ours: the names of this index in the submission and in the reference, by number from 1; empty if it has
    none. written: the names that the reference writes as indices.
    """
    name = theirs[index - 1] if isinstance(index, int) and 0 < index <= len(theirs) else str(index)
    if name in ours:
        return ours.index(name) + 1
    has_no_match = bool(ours and theirs)  # both have names, and the reference has not this one
    return name if has_no_match or (name in written and not ours) else index


def _map_proposals(ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """Return texts for ``--map`` that match the names which only one of two enumerations has, in their order.

    For red, green and blue, and red, vert and bleu, they are green=vert and blue=bleu. There are none if these names
    are not equally many, or if one model has no names. ours, theirs: the reference's names, and the submission's.
    """
    missing = [name for name in ours if name not in theirs]
    extra = [name for name in theirs if name not in ours]
    if not ours or not theirs or len(missing) != len(extra):
        return []
    return [f"{name}={other}" for name, other in zip(missing, extra, strict=True)]


def split_maps(
    labels: Mapping[object, object], names: tuple[Enumerations, Enumerations]
) -> tuple[dict[object, object], dict[str, str]]:
    """Return (the mappings of labels, the mappings of values), as texts.

    A mapping is one of values if one of its sides is the name of a value; the other side has to be a name or number of
    a value then. labels: for each name of the submission, what the reference calls it. names: the enumerations of both
    models. Raises `InputError` if a value is mapped to something else, `MisfitError` if it is the submission that has
    no such value.
    """
    ours, theirs = names[0].members, names[1].members  # the names of all values of each model
    of_labels = dict[object, object]()
    of_values = dict[str, str]()
    for old, new in labels.items():
        if str(new) in ours or str(old) in theirs:
            for text, members, model_name in ((str(new), ours, "reference"), (str(old), theirs, "submission")):
                if text not in members and not NUMBER.fullmatch(text):
                    sentence = f"{new}={old} maps a value, and {text} is no value of the {model_name}"
                    raise MisfitError(old, sentence) if members is theirs else InputError(sentence)
            of_values[str(old)] = str(new)
        else:
            of_labels[old] = new
    return of_labels, of_values


def recode(
    pairs: Mapping[Label, Label],
    puzzles: tuple[Puzzle, Puzzle],
    names: tuple[Enumerations, Enumerations],
    of_values: Mapping[str, str],
) -> Recoding:
    """Match the values of two models by their names, array by array.

    If only one of the models has names for an array, its values are matched with the numbers from 1, unless the other
    model's numbers are others. Arrays without names in both models are passed over. pairs: the submission's label for
    each label of the reference. puzzles, names: both models, and their enumerations. of_values: for a value of the
    submission, what the reference calls it.
    """
    result = Recoding(values={}, missing=[], extra=[], proposals=[])
    models = [model_and_variables(puzzle) for puzzle in puzzles]
    pairs_of_arrays: dict[tuple[str, str], list[tuple[Label, Label]]] = {}  # the pairs of labels, by the arrays' names
    for label, their_label in pairs.items():
        arrays = name_of(label).array, name_of(their_label).array
        pairs_of_arrays.setdefault(arrays, []).append((label, their_label))
    for (array, their_array), label_pairs in pairs_of_arrays.items():
        # The names of the values, in the order of their numbers from 1; () if there are none.
        our_members = names[0].values.get(array, ())
        their_members = names[1].values.get(their_array, ())
        if not our_members and not their_members:
            continue
        domains_of_models = []
        for place, (model, variables) in enumerate(models):
            indices = (variables[pair[place]] for pair in label_pairs)
            domains_of_models.append([domain_of(model.proto.variables[index]) for index in indices])
        numbers = [_numbers(domains, len(our_members or their_members)) for domains in domains_of_models]
        ours = _number_by_name(our_members, their_members, numbers[0])
        theirs = _number_by_name(their_members, our_members, numbers[1])
        _match_values(ours, theirs, [array, their_array], [label for _, label in label_pairs], of_values, result)
    return result


def _numbers(domains: Iterable[Iterable[tuple[int, int]]], most: int) -> list[int]:
    """Return the values in some domains; of a long interval, only the first ones and those from 1 to ``most``.

    That is enough to tell whether all values are between 1 and ``most``, the number of names. domains: each is a list
    of intervals (least, greatest).
    """
    values: set[int] = set()
    for low, high in (interval for domain in domains for interval in domain):
        values.update(range(low, min(high, low + most) + 1))
        values.update(range(max(low, 1), min(high, most) + 1))
    return sorted(values)


def _number_by_name(members: Members, other: Members, numbers: Sequence[int]) -> dict[str, int]:
    """Return the number of each value of an array, by its name or, if it has none, by its number as text.

    If all numbers are among those of the names in the other model, from 1 on, the result has all of these. members,
    other: the names of the array's values, and those in the other model. numbers: the values that its variables can
    have.
    """
    if members:
        return {name: number for number, name in enumerate(members, 1)}
    are_numbers_of_names = all(0 < number <= len(other) for number in numbers)
    matched_numbers = range(1, len(other) + 1) if are_numbers_of_names else numbers
    return {str(number): number for number in matched_numbers}


def _match_values(
    ours: Mapping[str, int],
    theirs: Mapping[str, int],
    arrays: Sequence[str],
    labels: Sequence[Label],
    of_values: Mapping[str, str],
    result: Recoding,
) -> None:
    """Match the values of one array, and store in ``result`` what that means for labels of the submission.

    The result gets the reference's number of each value if numbers differ, and names that only one model has. Values
    keep their numbers if one model has none but numbers, no name matches, and the numbers of one model include
    those of the other. Otherwise names decide.

    ours, theirs: the number of each value by name, in the reference and in the submission. arrays: what the two call
    the array. labels: the submission's labels. of_values: the mappings that were given.
    """
    meanings = {name: of_values.get(name, name) for name in theirs}  # what the reference calls each value
    has_numbers_alone = any(all(map(NUMBER.fullmatch, names)) for names in (ours, theirs))
    our_numbers = {*ours.values()}
    their_numbers = {*theirs.values()}
    is_by_number = our_numbers <= their_numbers or their_numbers <= our_numbers
    if has_numbers_alone and is_by_number and {*ours}.isdisjoint(meanings.values()):
        return
    missing = [name for name in ours if name not in meanings.values()]
    extra = [name for name, meaning in meanings.items() if meaning not in ours]
    if missing or extra:
        result.missing.extend(f"{name} (a value of {arrays[0]})" for name in missing)
        result.extra.extend(f"{name} (a value of {arrays[1]})" for name in extra)
        texts = _map_proposals(missing, extra)
        result.proposals.extend(text for text in texts if text not in result.proposals)
        return
    image = {theirs[name]: ours[meaning] for name, meaning in meanings.items()}
    if len({*image.values()}) < len(image):
        raise InputError(f"two values of {arrays[1]} are mapped to the same one")
    if any(value != other for value, other in image.items()):
        result.values.update(dict.fromkeys(labels, image))


def recode_key(puzzle: Puzzle, values: Mapping[Label, Mapping[int, int]]) -> Puzzle:
    """Return a puzzle with the same solutions whose key has other numbers for some values.

    The puzzle is returned as it is if there are none. Its symmetries, its check and its drawing are dropped. values:
    the new number of each value, by label.
    """
    if not values:
        return puzzle
    model, key = model_copy(puzzle)
    for label, numbers in values.items():
        variable = key[label]
        key[label] = model.new_int_var(min(numbers.values()), max(numbers.values()), "")
        model.add_allowed_assignments([variable, key[label]], numbers.items())  # the pairs of old and new numbers
    return Puzzle(puzzle.name, puzzle.parameters, model, key)


def originals(solution: Mapping[Label, int], values: Mapping[Label, Mapping[int, int]]) -> dict[Label, int]:
    """Return a solution of a recoded puzzle with the numbers that its values had before; see `recode_key`."""
    back = {label: {new: old for old, new in numbers.items()} for label, numbers in values.items()}
    return {label: back[label][value] if label in back else value for label, value in solution.items()}


def value_names(pairs: Mapping[Label, Label], names: tuple[Enumerations, Enumerations]) -> dict[Label, dict[int, str]]:
    """Return, for each label of the reference whose values have names, the name of each value.

    pairs: the submission's label for each label of the reference. names: the enumerations of both models; ``values`` of
    the first has the names of the values of an array, whose numbers begin with 1.
    """
    members_of_array = names[0].values
    array_of_label = {label: name_of(label).array for label in pairs}
    return {
        label: dict(enumerate(members_of_array[array], 1))
        for label, array in array_of_label.items()
        if array in members_of_array
    }


def no_names() -> tuple[Enumerations, Enumerations]:
    """Return the enumerations of two models that have none."""
    return Enumerations(), Enumerations()


def enumerations_of_file(name: Any, data: Sequence[str] = ()) -> Enumerations:
    """Return the enumerations of a file in MiniZinc; none for anything else.

    name: the file, or something else that names a model. data: the paths of its files of data.
    """
    path = str(name)
    return enumerations_of(read_text(Path(path)), data) if path.endswith(".mzn") else Enumerations()
