"""Invent: what makes a design have exactly one solution, and why it has.

Begin with `facts.py`: what one may be told about a solution. Imports running and what is below it. `hints` asks for the
fewest facts that leave one solution; `hitting` is its compiled search, `oracle` asks a solver.
"""
