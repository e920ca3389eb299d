"""Pencil puzzles with lines, loops, shaded cells and marks, one in each file; those of numbers are in `models.digits`.

A puzzle that is described by clues takes them as one line of text, its parameter ``puzzle``. Its check reads them by
itself (`second_reading.py`).
"""
