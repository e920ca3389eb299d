"""Marked constraints judged: symmetry breakings, redundant constraints, and whole models.

Begin with `judge.py`; `verdict.py` has what it says. May import every folder; no other one knows what a model's
constraints were marked as.
"""
