"""Classics of combinatorics, each declared once; begin with `arrangements.py`."""
