"""One run: a puzzle is made ready, searched, and what is found is checked and counted.

Begin with `runner.py`. May import cubes and all below.
"""
