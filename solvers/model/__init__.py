"""The one view of a CpModel: its proto read and written, what it says decomposed, and exact covers with their search.

Begin with `reading.py`. May import errors, options and values; shares nothing with checks.
"""
