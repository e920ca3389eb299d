"""What the command lines share: arguments, signals, one line for each error, progress, runs in processes of their own.

Begin with `command.py`. May import outputs and all below.
"""
