"""Pictures in PNG and PBM files: each type of colour and filter, against pixels that are known."""

import struct
import zlib
from itertools import product
from pathlib import Path
from random import Random

import pytest

from models.errors import ParameterError
from models.pencil.pixels import PNG, dark_pixels

WIDTH, HEIGHT = 11, 6


def chunk(kind: bytes, data: bytes) -> bytes:
    """A chunk of a PNG file."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(
    rows: list[bytes], depth: int, colour: int, *more: bytes, step: int = 1, kinds: tuple[int, ...] = (0,)
) -> bytes:
    """A PNG file of rows of bytes, filtered in turn by these kinds of filters."""
    filtered = b""
    above = bytes(len(rows[0]))
    for number, row in enumerate(rows):
        kind = kinds[number % len(kinds)]
        filtered += bytes([kind])
        for place, value in enumerate(row):
            left, corner = (line[place - step] if place >= step else 0 for line in (row, above))
            up = above[place]
            guess = left + up - corner
            paeth = sorted([(abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner)])
            filtered += bytes([(value - (0, left, up, (left + up) // 2, paeth[0][2])[kind]) % 256])
        above = row
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, depth, colour, 0, 0, 0)
    data = zlib.compress(filtered)
    halves = chunk(b"IDAT", data[:9]) + chunk(b"IDAT", data[9:])
    return PNG + chunk(b"IHDR", header) + b"".join(more) + halves + chunk(b"IEND", b"")


def packed(values: list[int], depth: int) -> bytes:
    """Samples of so many bits as bytes, the first one in the highest bits."""
    bits = "".join(f"{value:0{depth}b}" for value in values)
    return bytes(int(bits[n : n + 8].ljust(8, "0"), 2) for n in range(0, len(bits), 8))


RANDOM = Random(5)
DARK = [[RANDOM.random() < 0.5 for _ in range(WIDTH)] for _ in range(HEIGHT)]


def test_png(tmp_path: Path) -> None:
    path = tmp_path / "picture.png"
    noise = Random(1)
    for kinds in [(kind,) for kind in range(5)] + [(0, 1, 2, 3, 4)]:
        for colour, channels, alpha in ((0, 1, False), (2, 3, False), (4, 2, True), (6, 4, True)):
            rows = []
            for row in DARK:
                pixels = [bytes([noise.randrange(60) + 190 * (not is_dark)] * (channels - alpha)) for is_dark in row]
                rows.append(b"".join(pixel + b"\xff" * alpha for pixel in pixels))
            path.write_bytes(png(rows, 8, colour, step=channels, kinds=kinds))
            assert dark_pixels(str(path)) == DARK


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_few_bits(depth: int, tmp_path: Path) -> None:
    path = tmp_path / "picture.png"
    most = 2**depth - 1
    path.write_bytes(png([packed([most * (not is_dark) for is_dark in row], depth) for row in DARK], depth, 0))
    assert dark_pixels(str(path)) == DARK
    palette = chunk(b"PLTE", bytes([200, 255, 255, 90, 0, 60])), chunk(b"tRNS", b"\xff")
    path.write_bytes(png([packed([*map(int, row)], depth) for row in DARK], depth, 3, *palette))
    assert dark_pixels(str(path)) == DARK


def test_what_is_transparent_is_light(tmp_path: Path) -> None:
    path = tmp_path / "picture.png"
    path.write_bytes(png([b"".join(bytes([0, 255 * is_dark]) for is_dark in row) for row in DARK], 8, 4, step=2))
    assert dark_pixels(str(path)) == DARK


def test_pbm(tmp_path: Path) -> None:
    path = tmp_path / "picture.pbm"
    digits = "\n".join("".join(str(int(is_dark)) for is_dark in row) for row in DARK)
    path.write_text(f"P1\n# made by hand\n{WIDTH} {HEIGHT}\n{digits}\n")
    assert dark_pixels(str(path)) == DARK
    path.write_bytes(f"P4 {WIDTH} {HEIGHT}\n".encode() + b"".join(packed([*map(int, row)], 1) for row in DARK))
    assert dark_pixels(str(path)) == DARK


def test_what_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "picture.png"
    path.write_text("#.#\n")
    assert dark_pixels(str(path)) is None
    whole = png([packed([*map(int, row)], 1) for row in DARK], 1, 0)
    for place in range(len(PNG), whole.rindex(b"IDAT")):
        path.write_bytes(whole[:place])
        with pytest.raises(ParameterError, match="damaged"):
            dark_pixels(str(path))
    wide = struct.pack(">IIBBBBB", 500, HEIGHT, 8, 0, 0, 0, 0)
    path.write_bytes(PNG + chunk(b"IHDR", wide))
    with pytest.raises(ParameterError, match="6x500 pixels"):
        dark_pixels(str(path))


def test_all_small_pictures(tmp_path: Path) -> None:
    path = tmp_path / "picture.pbm"
    for bits in product((0, 1), repeat=4):
        path.write_text("P1 2 2 " + " ".join(map(str, bits)))
        assert dark_pixels(str(path)) == [[bool(bits[0]), bool(bits[1])], [bool(bits[2]), bool(bits[3])]]
