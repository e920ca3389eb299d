"""What people give in files: puzzles, models, and drawings of solutions, read back.

Begin with `catalogue.py`. May import show and all below.
"""
