"""Pictures of pixels: PNG files without interlacing, and PBM files."""

import re
import struct
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from models.boards.clues import MAX_SIDE
from models.errors import ParameterError

PNG = b"\x89PNG\r\n\x1a\n"
"""The first bytes of a PNG file."""

CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""The number of samples of a pixel, by the type of colour: grey, RGB, palette, grey with alpha, RGB with alpha."""

MOST_BYTES = 1 << 24
"""The most bytes of a file that are read."""

PALETTE = 3
"""The type of colour whose samples are numbers of a palette."""


def dark_pixels(path: str) -> list[list[bool]] | None:
    """Return for each pixel of a file whether it is dark, row by row; None if it is no PNG or PBM file.

    A pixel is dark if less than half of the light of white comes of it in front of white.

    Raises ValueError, with a sentence that says what to change, if the file is damaged or too large.
    """
    try:
        with Path(path).open("rb") as file:
            raw = file.read(MOST_BYTES)
    except OSError as error:
        raise ParameterError(f"the picture {path!r} cannot be read: {error.strerror}") from None
    is_png = raw.startswith(PNG)
    if not is_png and not re.match(rb"P[14]\s", raw):
        return None
    try:
        if is_png:
            return list(_rows_of_png(raw))
        return _rows_of_pbm(raw)
    except ParameterError:
        raise
    except (zlib.error, struct.error, LookupError, ValueError):
        raise ParameterError(f"the picture {path!r} is damaged; save it again") from None


def _check_size(width: int, height: int) -> None:
    """Raise ValueError if a picture is too large."""
    if not (1 <= width <= MAX_SIDE and 1 <= height <= MAX_SIDE):
        raise ParameterError(f"the picture is {height}x{width} pixels; make it {MAX_SIDE}x{MAX_SIDE} or smaller")


def _rows_of_pbm(raw: bytes) -> list[list[bool]]:
    """Return whether each pixel of a PBM file is dark, row by row.

    P1 has a digit for each pixel, P4 a bit. Raises ValueError for other files, and if pixels are missing.
    """
    header = re.match(rb"P([14])(?:\s|#[^\n]*\n)+(\d+)(?:\s|#[^\n]*\n)+(\d+)\s", raw)
    if not header:
        raise ValueError
    width = int(header[2])
    height = int(header[3])
    _check_size(width, height)
    content = raw[header.end() :]
    if header[1] == b"1":
        content_without_comments = re.sub(rb"#[^\n]*", b"", content)
        digits = re.findall(rb"[01]", content_without_comments)
        bits = [digit == b"1" for digit in digits]
        row_bits = width  # the number of bits that a row has in the file
    else:
        bits = [bool(byte >> shift & 1) for byte in content for shift in range(7, -1, -1)]
        row_bits = -(-width // 8) * 8  # each row fills whole bytes
    if len(bits) < row_bits * height:
        raise ValueError
    rows = []
    for row in range(height):
        start = row_bits * row
        rows.append(bits[start : start + width])
    return rows


def _rows_of_png(raw: bytes) -> Iterator[list[bool]]:
    """Yield whether each pixel of a PNG file is dark, row by row.

    A chunk is its length, its kind, its content and a checksum; IHDR has the size, PLTE the palette, tRNS its alphas,
    and IDAT the compressed rows. The unpacked rows each begin with the number of their filter. A sample has ``depth``
    bits. Raises ValueError if pixels are missing.
    """
    chunks: dict[bytes, bytes] = {}
    offset = len(PNG)
    while offset < len(raw):
        content_start = offset + 8
        chunk_length = int.from_bytes(raw[offset : offset + 4], "big")
        kind = raw[offset + 4 : content_start]
        content = raw[content_start : content_start + chunk_length]
        chunks[kind] = chunks.get(kind, b"") + content
        offset += 12 + chunk_length
    width, height, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    _check_size(width, height)
    if interlace or depth > 8 or colour not in CHANNELS:
        raise ParameterError("the PNG picture is interlaced or has 16 bits per sample; save it with 8 bits or fewer")
    channels = CHANNELS[colour]
    # The bytes of a row, rounded up, without the number of its filter; and those of a pixel, at least one.
    row_bytes = -(-width * channels * depth // 8)
    pixel_bytes = max(1, channels * depth // 8)
    file_bytes = (row_bytes + 1) * height
    unpacked = zlib.decompressobj().decompress(chunks[b"IDAT"], file_bytes)
    if len(unpacked) < file_bytes:
        raise ValueError
    colours = chunks.get(b"PLTE", b"")
    alphas = chunks.get(b"tRNS", b"")
    # The colours have three bytes each, and alphas one byte each, or 255 where there is none.
    palette = []
    for number, start in enumerate(range(0, len(colours), 3)):
        alpha = alphas[number : number + 1] or b"\xff"
        palette.append((*colours[start : start + 3], *alpha))
    largest_sample = (1 << depth) - 1
    row = bytes(row_bytes)  # before the first row, filters see zeros
    for row_start in range(0, len(unpacked), row_bytes + 1):
        content_start = row_start + 1
        filtered = unpacked[content_start : content_start + row_bytes]
        row = _row_without_filter(unpacked[row_start], filtered, row, pixel_bytes)
        samples = []
        for byte in row:
            for shift in range(8 - depth, -1, -depth):
                samples.append(byte >> shift & largest_sample)
        starts = range(0, width * channels, channels)
        pixels = [samples[start : start + channels] for start in starts]
        if colour == PALETTE:
            colours_of_row = [palette[number] for (number,) in pixels]
            yield list(map(_is_dark, colours_of_row))
        else:
            yield [_is_dark([sample * 255 // largest_sample for sample in pixel]) for pixel in pixels]


def _row_without_filter(kind: int, row: bytes, above: bytes, step: int) -> bytes:
    """Return the bytes of a row of a PNG file, to which its filter's prediction from bytes before is added.

    The five filters predict 0, the byte of the pixel to the left, that of the pixel above, their mean, or whichever of
    left, above and upper left is nearest to left + above - upper left (Paeth).

    kind: the number of its filter. row: its bytes after the filter. above: the bytes of the row before. step: the bytes
    of a pixel.
    """
    pixels = bytearray(row)
    for place in range(len(pixels)):
        left = 0
        corner = 0
        if place >= step:
            left = pixels[place - step]
            corner = above[place - step]
        up = above[place]
        paeth = min((left, up, corner), key=lambda byte: abs(left + up - corner - byte))
        predictions = (0, left, up, (left + up) // 2, paeth)
        pixels[place] = pixels[place] + predictions[kind] & 255
    return bytes(pixels)


def _is_dark(pixel: Sequence[int]) -> bool:
    """Tell whether a pixel of samples to 255 is dark: grey or RGB, and perhaps alpha."""
    alpha = 255
    if len(pixel) in (2, 4):  # of 1 to 4 samples, 2 and 4 end with alpha
        alpha = pixel[-1]
    red = green = blue = pixel[0]
    if len(pixel) > 2:
        red, green, blue = pixel[:3]
    light = (299 * red + 587 * green + 114 * blue) / 1000
    return 255 - (255 - light) * alpha / 255 < 128
