"""Puzzles with one solution, made: of any genre that says how a random solution comes about and what clues it gives.

Begin with `maker.py`; `formula.py` asks the solver, `reasoning.py` gives the level.
`packing.py` makes starting positions of packings, `dissections.py` pieces that come apart in many moves.
"""
