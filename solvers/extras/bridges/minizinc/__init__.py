"""MiniZinc models read, and their solutions handed back. Begin with `load.py`.

May import every folder; no other one knows MiniZinc.
"""
