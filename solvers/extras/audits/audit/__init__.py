"""Marked constraints judged: symmetry breakings and redundant constraints.

Begin with `judge.py`; `verdict.py` has what it says.
"""
