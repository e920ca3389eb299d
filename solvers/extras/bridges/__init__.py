"""Other programs' models, formats and machines: MiniZinc, CPMpy, files of models, Dask.

Begin with `formats/export.py`.
"""
