"""The solvers behind one protocol: each lists the solutions of a model, or of a cube of it.

Begin with `protocol.py`. May import cnf and all below.
"""
