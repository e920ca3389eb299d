"""Symmetries: literals by number, groups, orbits, breaking, and symmetries found in the model.

Begin with `key.py`. May import checks, model and all below.
"""
