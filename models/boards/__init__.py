"""Boards, clues and drawings: what puzzles share. Begin with `grid.py`."""
