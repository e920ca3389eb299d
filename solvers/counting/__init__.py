"""How many solutions are there? Covers are counted layer by layer, formulas by Ganak; none is listed.

Begin with `count.py`. May import cubes and all below.
"""
