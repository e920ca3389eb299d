"""Texts packed as LZ-String does, in base64, as f-puzzles and SudokuPad put them into links.

Codes are numbers of words that occurred before, the least significant bit first. Code 0 and code 1 are followed by a
new character of 8 or 16 bits; code 2 is the end.
"""

from __future__ import annotations

from solvers.base.errors import InputError

DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
"""The digits of base64; each is 6 bits, the most significant first."""

BITS = {digit: f"{value:06b}" for value, digit in enumerate(DIGITS)}
"""The bits of each digit."""

OTHER_DIGITS = str.maketrans("-_\\ ", "+//+")
"""Digits that programs write instead, and the + that becomes a blank in some links."""

SHORT, LONG, END = range(3)
"""The codes that are no words."""

MOST_UNPACKED = 1_000_000
"""The most characters of a text; a longer one is no puzzle."""


class _Width:
    """The number of bits of the next code: it grows by one when the codes of so many bits are used up.

    Whoever packs and whoever unpacks a text count its words in the same way.
    """

    def __init__(self) -> None:
        self.bits, self._left = 2, 2

    def grow(self) -> None:
        """Take note of a new word."""
        self._left -= 1
        if not self._left:
            self._left = 2**self.bits
            self.bits += 1


def decompress(text: str) -> str:
    """Return the text that a packed text represents; raise `InputError` if it is none, or if its end is missing.

    Each code is the number of a word, and the next word is what that code stands for; codes `SHORT` and `LONG` are
    followed by a new character of 8 or 16 bits, which is a word itself. After each code but the first, the word before
    it and the first character of this one make a new word (J. Ziv, A. Lempel, 1978). The number of bits of a code
    grows.

    >>> decompress(compress("Kazoeru, kazoeru!"))
    'Kazoeru, kazoeru!'
    """
    bits = _bits(text.translate(OTHER_DIGITS).rstrip("="))
    position = 0

    def read_bits(count: int) -> int:
        """Return the next bits as a number, the least significant first; raise IndexError if they are too few."""
        nonlocal position
        position += count
        if position > len(bits):
            raise IndexError
        return int(bits[position - count : position][::-1], 2)

    words = ["", "", ""]  # by code; the first three codes are no words
    unpacked_words: list[str] = []
    width, length = _Width(), 0
    try:
        while (code := read_bits(width.bits)) != END:
            if code in (SHORT, LONG):
                words.append(chr(read_bits(16 if code == LONG else 8)))
                code = len(words) - 1
                width.grow()
            previous = unpacked_words[-1] if unpacked_words else ""
            # A code may stand for the word that is just being made: the word before and its own first character.
            word = previous + previous[:1] if code == len(words) else words[code]
            if previous:
                words.append(previous + word[0])
            width.grow()
            unpacked_words.append(word)
            length += len(word)
            if length > MOST_UNPACKED:
                raise InputError("the packed text is too long to be a puzzle")
    except IndexError:
        raise InputError("the packed text is damaged, or its end is missing; copy the whole link") from None
    # The units are those of UTF-16, as in JavaScript.
    return "".join(unpacked_words).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def compress(text: str) -> str:
    """Return a text packed; `decompress` is the inverse.

    The text is divided into words, each the longest that has a code, and the codes are written one after another. A
    word and the character behind it make a new word, which gets the next code (J. Ziv, A. Lempel, 1978).
    """
    units = text.encode("utf-16-le", "surrogatepass")
    characters = [chr(units[n] | units[n + 1] << 8) for n in range(0, len(units), 2)]
    bits: list[int] = []
    width = _Width()
    codes = dict[str, int]()
    unwritten_characters = set[str]()  # those that have a code already

    def write_bits(number: int, count: int) -> None:
        bits.extend(number >> place & 1 for place in range(count))

    def emit(word: str) -> None:
        """Write the code of a word; a character that occurs first is written itself, behind `SHORT` or `LONG`."""
        if word in unwritten_characters:
            unwritten_characters.remove(word)
            is_long = ord(word) > 255
            write_bits(LONG if is_long else SHORT, width.bits)
            write_bits(ord(word), 16 if is_long else 8)
            width.grow()
        else:
            write_bits(codes[word], width.bits)
        width.grow()

    word = ""
    for character in characters:
        if character not in codes:
            codes[character] = len(codes) + END + 1
            unwritten_characters.add(character)
        if word + character in codes:
            word += character
            continue
        emit(word)
        codes[word + character] = len(codes) + END + 1
        word = character
    if word:
        emit(word)
    write_bits(END, width.bits)
    bits += [0] * (6 - len(bits) % 6)
    bit_text = "".join(map(str, bits))
    digits = [DIGITS[int(bit_text[begin : begin + 6], 2)] for begin in range(0, len(bits), 6)]
    return "".join(digits) + "=" * (-len(digits) % 4)


def _bits(text: str) -> str:
    """Return the bits of a text in base64, as digits 0 and 1; raise `InputError` for another character."""
    for place, digit in enumerate(text, 1):
        if digit not in BITS:
            raise InputError(f"character {place} of the packed text is {digit!r}, which does not belong there")
    return "".join(map(BITS.__getitem__, text))
