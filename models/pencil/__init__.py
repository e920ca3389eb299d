"""Pencil puzzles: what is printed in newspapers and magazines, one puzzle in each file.

A puzzle that is described by clues takes them as one line of text, its parameter ``puzzle``. Its check reads them by
itself (`second_reading.py`).
"""
