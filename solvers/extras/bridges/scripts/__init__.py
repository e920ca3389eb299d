"""Programs that solve a model with OR-Tools, CPMpy, PySAT or PyCSP3: run as they are, up to the model.

Begin with `load.py`. `reach.py` is the process in which a program runs.
"""
