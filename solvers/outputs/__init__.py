"""Outputs of a run: the protocol, the paths, and the file of solutions.

Begin with `output.py`. May import running and all below.
"""
