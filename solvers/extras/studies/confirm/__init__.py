"""The command `confirm`: a plain model, counted by the programs of others. Begin with `witness.py`.

It imports the core and the wings before this one.
"""
