"""The thin runner: dispatches a declared puzzle to OR-Tools or PySAT and counts every solution."""

__version__ = "0.1.0"
