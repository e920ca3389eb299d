"""The lowering of a CpModel to clauses with the same number of solutions, and back.

Begin with `lower.py`. May import symmetry and all below.
"""
