"""From a CpModel to clauses with the same number of solutions, and back.

Begin with `lower.py`. May import cover and all below.
"""
