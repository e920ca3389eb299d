"""Groups that are too large to list: their orbits, how their symmetry is broken, and their conjugacy classes.

Begin with `group.py`.
"""
