"""Invent: what makes a design have exactly one solution, and why it has.

Begin with `facts.py`: what one may be told about a solution. Imports `running` and what stands behind it, but not the
runner: who asks for hints of listed solutions has run the search before.
"""
