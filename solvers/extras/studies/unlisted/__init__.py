"""Verdicts on symmetry breakings without a list of the solutions, for the auditor. Begin with `leaders.py`."""
