"""Disassembly: whether the pieces of a packing come apart, and in how many moves.

Begin with `disassembly.py`: what a move and a level are, and how the search goes.
"""
