"""Two models compared by their solutions, and submissions with a reference: what to say of each.

Begin with `difference.py`; `sentences.py` has what is said of a folder.
"""
