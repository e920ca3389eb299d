"""How many solutions has an exact cover? Counted layer by layer without listing them.

Begin with `count.py`. May import cubes and all below.
"""
