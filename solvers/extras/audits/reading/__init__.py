"""Models of others as text and as constraints: which are marked, what their labels are, which symmetries they have.

Begin with `source.py`.
"""
