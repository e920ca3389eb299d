"""Questions of invention: designs with exactly one solution, and why they have it.

Begin with `ask.py`: what a question knows, and what every answer does.
"""
