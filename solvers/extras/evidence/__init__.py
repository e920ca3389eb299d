"""Certificates, and refutations that a checker can follow: from CaDiCaL, or from the search of an exact cover itself.

Begin with `cover_refutation.py`. The checker and `lrat`, which it uses, import nothing of the core.
"""
