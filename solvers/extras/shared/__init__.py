"""The ground of several wings: groups that are too large to list, other programs, constants, what is compiled ahead.

Begin with `programs.py`.
"""
