"""Exact covers: recognised in a model, searched by compiled code on bitsets, and estimated.

Begin with `search.py`. May import symmetry and all below.
"""
