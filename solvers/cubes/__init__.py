"""The space is split into disjoint cubes, and workers on this machine or others search them.

Begin with `search.py`. May import files and all below.
"""
