"""The key of a puzzle.

Its literals are numbered, and a solution is the sorted tuple of the numbers of its literals.

On its way from a solver to a file a solution has these forms, each made of the one before:

values     of all variables, by their index in the model's proto: what a backend finds (`solvers.values.Values`)
compact    the same in as few bytes as hold them (`cubes.conquer.compact`): between threads and processes, in stores
encoded    the numbers of its key's literals (`Key.encode_rows`): orbits are made of these
packed     the same as bytes (`Key.pack`): what was met is remembered so
decoded    values by label (`Key.decode`), for `is_solution`, drawings and files; `show.shown.Solution` is one that
           shows itself as a picture
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b, sha256
from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from models.puzzle import Label, Literal
from solvers.model.reading import domain_of, size_of
from solvers.model.writing import value_literal
from solvers.values import Values

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

MAX_REMEMBERED_LABELS = 100_000
"""The number of literals whose labels and values are kept after they were looked up."""

Encoded = tuple[int, ...]
"""A solution: the numbers of its literals, ascending, but for those that say that a Boolean variable is 0."""


class Decoded(dict[Label, int]):
    """A dictionary from labels to values; a Boolean that is 0 is not listed, but looking it up gives 0."""

    def __init__(self, items: Any, key: "Key") -> None:
        """Store (label, value) pairs; the key tells which labels are those of Booleans."""
        super().__init__(items)
        self._key = key

    def __missing__(self, label: Label) -> int:
        """Return 0 for the label of a Boolean; raise KeyError for any other label."""
        if self._key.is_boolean[self._key.position[label]]:
            return 0
        raise KeyError(label)


class Key:
    """The key variables of a model in their order, and the numbers of their literals.

    Literals are numbered variable by variable, the values of a variable ascending; but a Boolean's 1 comes before its
    0. So the least of several solutions, as tuples, is the one whose first integer is least, or whose first Boolean is
    true.

    >>> from ortools.sat.python.cp_model import CpModel
    >>> model = CpModel()
    >>> key = Key(model, {"a": model.new_bool_var("a"), "b": model.new_int_var(3, 5, "b")})
    >>> key.encode([0, 4]), key.encode([1, 5])
    ((3,), (0, 4))
    >>> dict(key.decode((0, 4)))
    {'a': 1, 'b': 5}

    A variable may have several labels. The first is the one by which it counts; all are shown.
    """

    def __init__(self, model: "CpModel", variables: Mapping[Any, Any]) -> None:
        """Number the literals of the key variables.

        variables: for each label, the model's variable or its proto index; the order of the labels is that of the key.
        """
        first: dict[int, Label] = {}
        self._equal: dict[Label, Label] = {}
        """For each further label of a variable, the first."""
        for label, variable in variables.items():
            index = variable if isinstance(variable, int) else variable.index
            if first.setdefault(index, label) != label:
                self._equal[label] = first[index]
        self.labels: list[Label] = [*first.values()]
        self.variables: list[int] = [*first]
        """The index of each key variable in the model's proto."""

        proto = model.proto.variables
        self.domains = [domain_of(proto[variable]) for variable in self.variables]
        self.is_boolean: list[bool] = [d in (((0, 1),), ((0, 0), (1, 1))) for d in self.domains]
        self.first: list[int] = [0, *accumulate(map(size_of, self.domains))]
        """The number of each variable's first literal, and behind them the number of literals."""

        self._width = max(1, (self.size.bit_length() + 7) // 8)
        self.position: dict[Label, int] = {label: position for position, label in enumerate(self.labels)}
        self.position |= {label: self.position[same] for label, same in self._equal.items()}
        booleans = [position for position, b in enumerate(self.is_boolean) if b]
        self._booleans = np.array([self.first[position] for position in booleans], dtype=int)
        self._integer_positions = [position for position, b in enumerate(self.is_boolean) if not b]
        self._boolean_variables = np.array([self.variables[p] for p in booleans], dtype=int)
        self._labelled = lru_cache(MAX_REMEMBERED_LABELS)(self.label_and_value)
        self._literal = lru_cache(MAX_REMEMBERED_LABELS)(self.literal)

    @property
    def is_plain(self) -> bool:
        """Tell whether all key variables are Boolean.

        If so, the variable at position p has the literals 2 p (true) and 2 p + 1 (false).
        """
        return all(self.is_boolean)

    @property
    def size(self) -> int:
        """The number of literals in the key."""
        return self.first[-1]

    def number(self, position: int, value: int) -> int:
        """Return the number of the literal "the variable at this position has this value".

        Raises ValueError if the variable cannot have the value.
        """
        if self.is_boolean[position]:
            if value in (0, 1):
                return self.first[position] + 1 - value
            raise ValueError(value)
        rank = self.first[position]
        for low, high in self.domains[position]:
            if low <= value <= high:
                return rank + value - low
            rank += high - low + 1
        raise ValueError(value)

    def literal(self, number: int) -> tuple[int, int]:
        """Return (position of the variable in the key, value) for the literal of this number.

        Raises ValueError if there is no such literal.
        """
        position = bisect_right(self.first, number) - 1
        rank = number - self.first[position]
        if self.is_boolean[position]:
            return position, 1 - rank
        for low, high in self.domains[position]:
            if rank <= high - low:
                return position, low + rank
            rank -= high - low + 1
        raise ValueError(number)

    def label_and_value(self, number: int) -> Literal:
        """Return (label of the variable, value) for the literal of this number."""
        position, value = self.literal(number)
        return self.labels[position], value

    def encode(self, values: Values) -> Encoded:
        """Return a solution as the sorted numbers of its literals.

        values: the values of all variables of the model, in the order of its proto. Raises ValueError if an integer
        variable of the key has a value that is not in its domain.
        """
        return self.encode_rows(np.asarray(values)[np.newaxis])[0]

    def encode_rows(self, rows: NDArray[np.integer[Any]]) -> list[Encoded]:
        """Return several solutions, each as the sorted numbers of its literals.

        rows: the values of all variables of the model, in the order of its proto; a row for each solution. Raises
        ValueError if an integer variable of the key has a value that is not in its domain.
        """
        holds = rows.take(self._boolean_variables, axis=1) != 0
        row, place = np.divmod(np.flatnonzero(holds), max(1, holds.shape[1]))  # 7 times as fast as np.nonzero
        true = self._booleans[place].tolist()
        ends = np.cumsum(np.bincount(row, minlength=len(rows))).tolist()
        booleans = [tuple(true[start:end]) for start, end in pairwise([0, *ends])]
        if self.is_plain:
            return booleans
        integers = (
            [self.number(position, int(values[self.variables[position]])) for position in self._integer_positions]
            for values in rows
        )
        return [tuple(sorted([*some, *others])) for some, others in zip(booleans, integers, strict=True)]

    def decode(self, solution: Encoded) -> Decoded:
        """Return a solution as a dictionary from labels to values; see `Decoded`."""
        decoded = Decoded(map(self._labelled, solution), self)
        decoded |= {label: decoded[same] for label, same in self._equal.items() if same in decoded}
        return decoded

    def pack(self, solution: Encoded) -> bytes:
        """Return a solution as bytes that take little memory; packed solutions sort like the solutions."""
        return b"".join([number.to_bytes(self._width, "big") for number in solution])

    def digest(self, solution: Encoded) -> bytes:
        """Return a hash of a solution: 16 bytes, which different solutions practically never share."""
        return blake2b(self.pack(solution), digest_size=16).digest()

    def unpack(self, packed: bytes) -> Encoded:
        """Return the solution from which `pack` made these bytes."""
        width = self._width
        return tuple(int.from_bytes(packed[at : at + width], "big") for at in range(0, len(packed), width))

    def spread(self, solutions: Sequence[Encoded], variables: int) -> NDArray[np.int8] | NDArray[np.int64]:
        """Return the values of all variables of a model in several solutions, a row for each solution.

        variables: the number of variables in the model, all of which have to be in the key.
        """
        matrix = np.zeros((len(solutions), variables), dtype=np.int8 if self.is_plain else np.int64)
        of_key = np.array(self.variables, dtype=np.int64)
        if self.is_plain:
            rows = np.repeat(np.arange(len(solutions)), [len(solution) for solution in solutions])
            matrix[rows, of_key[np.fromiter(chain.from_iterable(solutions), dtype=np.int64) // 2]] = 1
        else:
            for row, solution in zip(matrix, solutions, strict=True):
                row[of_key] = self.values(solution)
        return matrix

    def values(self, solution: Encoded) -> list[int]:
        """Return the values of the key variables in a solution, in the order of `labels`.

        A variable of which the solution has no literal is 0.
        """
        values = [0] * len(self.labels)
        for position, value in map(self._literal, solution):
            values[position] = value
        return values


def checksum(model: "CpModel", key: Key, besides: str = "") -> str:
    """Return the SHA-256, in hexadecimal, of a model.

    The checksum covers the model's text, the labels of its key, and the text ``besides``.
    """
    variables = sorted((repr(label), variable) for label, variable in zip(key.labels, key.variables, strict=True))
    return sha256(f"{model.proto}\n{variables}{besides}".encode()).hexdigest()


def key_literal(model: "CpModel", key: Key, number: int) -> Any:
    """Return OR-Tools' Boolean of the model that is true iff the literal of this number holds.

    For an integer variable, a new Boolean is added to the model.
    """
    position, value = key.literal(number)
    return value_literal(model, key.variables[position], value)
