"""Thousands of puzzles of one kind: how many solutions does each have, none, one or more?

Begin with `judge.py`; `__main__.py` is the command, `functions.py` the function.
"""
