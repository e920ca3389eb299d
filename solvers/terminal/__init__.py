"""The front end: arguments, signals, errors in one line, progress, and calls of the library.

Begin with `command.py`. May import outputs and all below.
"""
