"""Results for the eye: reports, and drawings as text.

Begin with `draw.py`. May import backends and all below.
"""
