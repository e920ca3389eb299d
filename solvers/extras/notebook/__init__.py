"""Widgets of notebooks: galleries, and puzzles to explore.

Begin with `explorer.py`. May import all other folders.
"""
