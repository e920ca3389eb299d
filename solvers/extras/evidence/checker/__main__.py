"""python3 FOLDER DIR: check the certificate in the folder DIR."""

import sys
from pathlib import Path

if not __package__:  # the folder itself was given to Python
    sys.path[0] = str(Path(__file__).resolve().parent.parent)
    __package__ = Path(__file__).resolve().parent.name

from .check import main

sys.exit(main(sys.argv[1:]))
