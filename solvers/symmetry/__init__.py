"""Which solutions are images of each other: literals by number, groups, orbits, breaking, symmetries found.

Begin with `key.py`. May import checks and all below.
"""
