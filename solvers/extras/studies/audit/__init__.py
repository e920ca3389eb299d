"""Marked constraints judged: symmetry breakings, redundant constraints, and whole models.

Begin with `judge.py`. May import every folder; no other one knows what a model's constraints were marked as.
"""
