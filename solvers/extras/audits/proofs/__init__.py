"""Verdicts beyond a list of the solutions, for the auditor: proofs without one, other data, other variables.

Begin with `leaders.py`.
"""
