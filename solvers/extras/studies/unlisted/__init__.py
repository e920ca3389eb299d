"""Verdicts on symmetry breakings where not all solutions can be listed, for the auditor. Begin with `leaders.py`."""
