"""Boards, pieces and their pictures: what puzzles share. Begin with `grid.py`."""
