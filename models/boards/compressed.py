"""Files that are compressed by gzip, xz, lzma, bzip2 or zstd: their content."""

import bz2
import lzma
import zlib
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

ENDINGS = (".gz", ".xz", ".bz2", ".lzma", ".zst")
"""The endings that compressed files have behind the ending of their format."""

ZSTD = b"\x28\xb5\x2f\xfd"
"""The first bytes of a file that zstd compressed."""


def _zstd_decompressor() -> Any:
    """Return an object that decompresses what zstd compressed; raise ValueError if this Python has none."""
    try:
        zstd = import_module("compression.zstd")  # of Python 3.14
    except ImportError:
        raise ValueError(
            "it is compressed by zstd, which Python reads from 3.14 on; decompress it with zstd -d"
        ) from None
    return zstd.ZstdDecompressor()


COMPRESSIONS: dict[bytes, Callable[[], Any]] = {
    b"\x1f\x8b": partial(zlib.decompressobj, wbits=31),
    b"\xfd7zXZ\0": partial(lzma.LZMADecompressor, lzma.FORMAT_XZ, memlimit=1 << 28),
    b"]\0\0": partial(lzma.LZMADecompressor, lzma.FORMAT_ALONE, memlimit=1 << 28),
    ZSTD: _zstd_decompressor,
    **{b"BZh%d1AY&SY" % level: bz2.BZ2Decompressor for level in range(1, 10)},
}
"""Makes the object that decompresses data, by the first bytes of the data."""


def decompress(data: bytes, most: int) -> bytes:
    """Return the content of a file that is compressed; data that is not compressed is returned as it is.

    most: the most bytes that the content may have. Raises ValueError if it has more, or if the data is damaged or its
    end is missing.

    >>> decompress(zlib.compress(b"1 2 0", wbits=31), 5), decompress(b"1 2 0", 5)
    (b'1 2 0', b'1 2 0')
    """
    content = b""
    is_first = True
    while data or is_first:
        first_bytes = next((start for start in COMPRESSIONS if data.startswith(start)), None)
        if first_bytes is None and is_first:
            return data
        if first_bytes is None:
            raise ValueError("it is damaged: something follows the compressed content")
        stream = COMPRESSIONS[first_bytes]()
        try:
            # One byte more than allowed shows that there are too many.
            room = most + 1 - len(content)
            content += stream.decompress(data, room)
        except (zlib.error, lzma.LZMAError, OSError, EOFError, ValueError):
            raise ValueError("it is damaged: it cannot be decompressed") from None
        if len(content) > most:
            raise ValueError(f"it holds more than {most} bytes when it is decompressed")
        if not stream.eof:
            raise ValueError("it is damaged: the end of the compressed file is missing")
        # Several compressed files may be behind each other, and zeros may fill up the last block.
        data = stream.unused_data.lstrip(b"\0")
        is_first = False
    return content


def ending(path: Path) -> str:
    """Return the ending of a file's name that tells its format, without that of a compression.

    >>> ending(Path("a.b.cnf")), ending(Path("a.cnf.gz")), ending(Path("a.gz"))
    ('.cnf', '.cnf', '.gz')
    """
    uncompressed = path
    if path.suffix in ENDINGS:
        uncompressed = Path(path.stem)
    return uncompressed.suffix or path.suffix
