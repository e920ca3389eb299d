"""Models in the formats of other programs, read and written. Begin with `export.py`, the writers."""
