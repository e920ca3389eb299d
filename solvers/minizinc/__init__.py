"""MiniZinc models read, and their solutions handed back: begin with `load.py`.

May import every folder; no other one knows MiniZinc.
"""
