"""Reasons: why a fact follows, why there is no solution, and how hard the way to a solution is.

Begin with `rules.py`: the rules of a model in words. `reasoner.py` finds the smallest sets of them.
"""
