"""python3 FOLDER DIR: check the certificate in the folder DIR."""

import sys
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path
from types import ModuleType

if not __package__:  # the folder itself was given to Python, under whatever name
    sys.dont_write_bytecode = True
    with suppress(OSError):  # Python has cached this file before that
        Path(cache_from_source(__file__)).unlink()
        Path(cache_from_source(__file__)).parent.rmdir()
    package = ModuleType("certificate_checker")
    package.__path__ = [str(Path(__file__).resolve().parent)]
    sys.modules[package.__name__] = package
    __package__ = package.__name__

from .check import main

sys.exit(main(sys.argv[1:]))
