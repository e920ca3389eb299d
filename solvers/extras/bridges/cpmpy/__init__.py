"""A solver for CPMpy. Begin with `solver.py`.

May import every folder but `minizinc/`; no other one knows CPMpy's solvers. `model.py` reads its models.
"""
