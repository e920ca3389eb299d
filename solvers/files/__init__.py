"""Input files: puzzles, models, and what is given of solutions.

Begin with `catalogue.py`. May import show and all below.
"""
