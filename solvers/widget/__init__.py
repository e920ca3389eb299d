"""What a notebook shows that can be operated: galleries, and puzzles to explore.

Begin with `explorer.py`. May import all other folders.
"""
