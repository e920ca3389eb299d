"""Refutations that a checker can follow: from CaDiCaL, or from the search of an exact cover itself.

Begin with `cover_refutation.py`. May import files and all below, but `lrat`, which the checker uses, nothing.
"""
