"""Numbers, pearls and walls as puzz.link (pzpr) writes them: each reader is beside its writer.

A reader takes the text and the number of places, and returns the content of each place, and the text that follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import groupby, product

from models.boards import grid
from solvers.base.errors import InputError

UNKNOWN = -2
"""The number that a question mark represents."""

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"

LONG_NUMBERS = {"-": (2, 0), "+": (3, 0), "=": (3, 4096), "%": (3, 8192), "@": (3, 8192), "*": (4, 12240)}
"""What introduces a number of several hexadecimal digits: how many these are, and what is added to it."""

BEFORE_GAPS = 15
"""The place in `DIGITS` of the letter before those that stand for empty places."""

GAPS = DIGITS[BEFORE_GAPS + 1 :]
"""The letters that stand for 1, 2 and so on empty places."""

Numbers = dict[int, int]
"""The number in each place that has one."""

Read = tuple[Numbers, str]

Pair = tuple[grid.Cell, grid.Cell]
"""Two cells that are neighbours."""


def read_numbers(text: str, places: int) -> Read:
    """Return (the number in each place that has one, the text that follows), of numbers of any size.

    A digit from 0 to f is a number, a sign of `LONG_NUMBERS` introduces one of several digits, "." is `UNKNOWN`, and
    letters from g to z are 1 to 20 empty places. text: begins with the numbers. places: how many places it describes.
    Raises `InputError` if the text ends too early, or if a character does not belong there.

    >>> read_numbers("3g-1ah.rest", 6)
    ({0: 3, 2: 26, 5: -2}, 'rest')
    """
    return _read_places(text, places, _long_number)


def _long_number(text: str, at: int) -> tuple[int, int, int]:
    """Return (a number of any size, its characters, 0 for the empty places that it says behind it); see `Reader`."""
    if text[at] in LONG_NUMBERS:
        length, offset = LONG_NUMBERS[text[at]]
        return _hexadecimal(text[at + 1 : at + 1 + length], length, at + 1) + offset, 1 + length, 0
    return _hexadecimal(text[at], 1, at), 1, 0


Reader = Callable[[str, int], tuple[int, int, int]]
"""Reads a number of a text at a place: returns it, the number of its characters, and of empty places behind it."""


def _read_places(text: str, places: int, read: Reader, overhang: int = 0) -> Read:
    """Return (the number in each place that has one, the text that follows).

    "." is `UNKNOWN`, and letters from g to z are 1 to 20 empty places. text: begins with the numbers. places: how many
    places it describes. read: reads any other number. overhang: how many empty places behind the end may be told of.
    Raises `InputError` if the text ends too early, or goes on behind the places.
    """
    number_by_place: Numbers = {}
    place = position = 0
    while place < places:
        sign = _character(text, position, place, places)
        length = 1
        if "g" <= sign <= "z":
            place += DIGITS.index(sign) - BEFORE_GAPS
        else:
            number_by_place[place], length, empty_behind = (UNKNOWN, 1, 0) if sign == "." else read(text, position)
            place += 1 + empty_behind
        position += length
    if place > places + overhang:
        raise InputError(
            f"the clues are for {place} places, and there are {places + overhang}; check the size in the link"
        )
    return number_by_place, text[position:]


def write_numbers(numbers: Mapping[int, int], places: int) -> str:
    """Return numbers as a text; the inverse of `read_numbers`.

    >>> write_numbers({0: 3, 2: 26, 5: -2}, 6)
    '3g-1ah.'
    """
    return with_gaps({place: _number(number) for place, number in numbers.items()}, places, GAPS)


def _number(number: int) -> str:
    """Return one number as a text: hexadecimal digits, behind a sign of `LONG_NUMBERS` if they are several."""
    if number == UNKNOWN:
        return "."
    if number < 16:
        return f"{number:x}"
    if number < 256:
        return f"-{number:02x}"
    return f"+{number:03x}" if number < 4096 else f"={number - 4096:03x}"


def read_small(text: str, places: int) -> Read:
    """Return (the number in each place that has one, the text that follows), of numbers from 0 to 4.

    A digit or letter up to e is a number n with 0 to 2 empty places behind it, e of them: n + 5 e. "." is `UNKNOWN`,
    and letters from g to z are 1 to 20 empty places. text: begins with the numbers. places: how many it describes.
    Raises `InputError` as `read_numbers` does.

    >>> read_small("1c.g", 6)
    ({0: 1, 1: 2, 4: -2}, '')
    """
    return _read_places(text, places, _small_number, overhang=2)  # the last number may tell of places behind the end


def _small_number(text: str, at: int) -> tuple[int, int, int]:
    """Return (a number from 0 to 4, 1 for its one character, the empty places behind it); see `Reader`."""
    value = DIGITS.find(text[at])
    if not 0 <= value < BEFORE_GAPS:
        raise _position_error(text[at], at)
    return value % 5, 1, value // 5


def write_small(numbers: Mapping[int, int], places: int) -> str:
    """Return numbers from 0 to 4 as a text; the inverse of `read_small`.

    The sign of a number n is the digit n + 5 e, where e = 0, 1 or 2 of the next two places are empty; a letter from g
    to z says that 1 to 20 places are empty in any other run of them.

    >>> write_small({0: 1, 1: 2, 4: -2}, 6)
    '1c.g'
    """
    text, place = "", 0
    while place < places:
        number = numbers.get(place)
        if number is None:
            most = len(GAPS)
            gap = next((n for n in range(1, most) if place + n in numbers or place + n >= places), most)
            text += GAPS[gap - 1]
            place += gap
        elif number == UNKNOWN:
            text += "."
            place += 1
        else:
            # Behind the last number, the places after the board count as empty.
            empty_behind = next((n for n in (0, 1) if place + n + 1 in numbers), 2)
            text += DIGITS[number + 5 * empty_behind]
            place += 1 + empty_behind
    return text


def read_pearls(text: str, places: int) -> Read:
    """Return (the number in each place that is not 0, the text that follows), of numbers 0, 1 or 2.

    One digit has three numbers a, b, c, as 9 a + 3 b + c. places: how many numbers the text describes. Raises
    `InputError` as `read_numbers` does.

    >>> read_pearls("5", 3)
    ({1: 1, 2: 2}, '')
    """
    number_by_place: Numbers = {}
    digit_count = -(-places // 3)
    for position in range(digit_count):
        sign = _character(text, position, 3 * position, places)
        value = DIGITS.find(sign)
        if not 0 <= value < 27:
            raise _position_error(sign, position)
        digits = (value // 9, value // 3 % 3, value % 3)
        for place, digit in enumerate(digits, 3 * position):
            if digit and place < places:
                number_by_place[place] = digit
    return number_by_place, text[digit_count:]


def write_pearls(pearls: Mapping[int, int], places: int) -> str:
    """Return a number 0, 1 or 2 for each place as a text; the inverse of `read_pearls`."""
    digits = [pearls.get(place, 0) for place in range(-(-places // 3) * 3)]
    triples = zip(digits[::3], digits[1::3], digits[2::3], strict=True)
    return "".join(DIGITS[9 * a + 3 * b + c] for a, b, c in triples)


def _pairs_of_neighbours(rows: int, columns: int) -> tuple[list[Pair], list[Pair]]:
    """Return the pairs of neighbours beside each other, and those above each other, in the order of the walls."""
    horizontal_pairs: list[Pair] = [((r, c), (r, c + 1)) for r, c in product(range(rows), range(columns - 1))]
    vertical_pairs: list[Pair] = [((r, c), (r + 1, c)) for r, c in product(range(rows - 1), range(columns))]
    return horizontal_pairs, vertical_pairs


def read_rooms(text: str, rows: int, columns: int) -> tuple[list[list[grid.Cell]], str]:
    """Return (the rooms that walls between cells make, the text that follows the walls).

    A digit holds five pairs of neighbours, as bits, the highest first: 1 for a wall between the two. The pairs beside
    each other come first, row by row, then those above each other; each of the two begins with a new digit. rows,
    columns: the size of the board. Rooms are in the order of their first cells. Raises `InputError` as `read_numbers`
    does.

    >>> read_rooms("g", 1, 2)
    ([[(0, 0)], [(0, 1)]], '')
    """
    open_pairs: list[Pair] = []
    for pairs in _pairs_of_neighbours(rows, columns):
        length = -(-len(pairs) // 5)  # rounded up
        bits = ""
        for position in range(length):
            sign = _character(text, position, 5 * position, len(pairs))
            if sign not in DIGITS[:32]:
                raise _position_error(sign, position)
            bits += f"{DIGITS.index(sign):05b}"
        text = text[length:]
        # The last digit has bits behind the last pair, which are left out.
        open_pairs += [pair for pair, bit in zip(pairs, bits, strict=False) if bit == "0"]
    return components(product(range(rows), range(columns)), open_pairs), text


def components(cells: Iterable[grid.Cell], open_pairs: Iterable[Pair]) -> list[list[grid.Cell]]:
    """Return the parts into which walls divide cells, in the order of their first cells, each in reading order.

    open_pairs: the pairs of cells with no wall between them; `grid.neighbours_along` maps a cell to its neighbours in
    them.
    """
    neighbours = grid.neighbours_along(open_pairs)
    rooms, assigned = [], set[grid.Cell]()
    for cell in sorted(cells):
        if cell in assigned:
            continue
        room = [cell]
        for member in room:  # which grows in the loop
            room += [neighbour for neighbour in neighbours[member] if neighbour not in room]
        assigned.update(room)
        rooms.append(sorted(room))
    return rooms


def write_rooms(room_of: Mapping[grid.Cell, object], rows: int, columns: int) -> str:
    """Return the walls between the rooms of cells as a text; the inverse of `read_rooms`.

    Five pairs of neighbours are the bits of a digit, 1 for a wall; those beside each other come before those above each
    other, each of the two with 0 bits behind them to fill the last digit. room_of: the name of each cell's room.
    """
    text = ""
    for pairs in _pairs_of_neighbours(rows, columns):
        bits = "".join("01"[room_of[a] != room_of[b]] for a, b in pairs)  # 1 for a wall
        bits += "0" * (-len(bits) % 5)
        text += "".join(DIGITS[int(bits[n : n + 5], 2)] for n in range(0, len(bits), 5))
    return text


def with_gaps(texts: Mapping[int, str], places: int, letters: str, between: str = "") -> str:
    """Return a text of places in which letters stand for the empty ones.

    The letter at place n of ``letters``, from 1, stands for n empty places, the last one for the most; in a longer run
    of them it is repeated. texts: those of the places that are not empty. between: what divides two of these.

    >>> with_gaps({3: "7", 4: "2"}, 7, "abc", "_"), with_gaps({}, 4, "abc")
    ('c7_2b', 'ca')
    """
    parts = []
    for is_filled, run in groupby(range(places), texts.__contains__):
        places_of_run = list(run)
        full_gaps, gap_left = divmod(len(places_of_run), len(letters))
        gap = letters[-1] * full_gaps + letters[gap_left - 1 : gap_left]
        parts.append(between.join(texts[place] for place in places_of_run) if is_filled else gap)
    return "".join(parts)


def _hexadecimal(word: str, length: int, at: int) -> int:
    """Return a number of so many hexadecimal digits; at: where it stands, for the message of the `InputError`."""
    if len(word) < length or any(digit not in DIGITS[:16] for digit in word):
        raise _position_error(word, at)
    return int(word, 16)


def _character(text: str, at: int, place: int, places: int) -> str:
    """Return a character of a text; raise `InputError` if the text ends before it."""
    if at >= len(text):
        raise InputError(f"the clues end after {place} of {places} places; copy the whole link")
    return text[at]


def _position_error(sign: str, at: int) -> InputError:
    """Return the error that a character of the clues does not belong there; at: its place, from 0."""
    return InputError(f"character {at + 1} of the clues is {sign!r}, which does not belong there")
