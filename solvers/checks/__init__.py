"""Does an assignment solve a model, is a cover read rightly? Answered by code that no backend shares.

Begin with `evaluate.py`. May import errors, options and values.
"""
