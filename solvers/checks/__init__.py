"""Does an assignment solve a model? Answered by code that no backend shares.

Begin with `evaluate.py`. May import errors, options and values.
"""
