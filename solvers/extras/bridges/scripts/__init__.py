"""Programs that solve a model with OR-Tools, CPMpy or PySAT: run as they are, up to the model.

Begin with `load.py`. `reach.py` is the process in which a program runs.
"""
