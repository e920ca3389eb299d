"""Drawings of solutions and of parts of them, read: given facts, and which solution a drawing shows.

Begin with `cells.py` or `recognise.py`.
"""
