"""Counts without listing: of exact covers layer by layer, of formulas by D4.

Begin with `count.py`. May import cubes and all below.
"""
