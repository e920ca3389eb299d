"""An attack on the counts: random models searched in all ways, against an oracle that knows nothing of the solvers.

Begin with `modes.py`, the ways a run is made and what each has to say. `models.py` draws what is searched, `oracle.py`
tells the truth by plain products over all values, `program.py` writes a failure as a program of its own. `rows.py` adds
what the wings that there are let be drawn or done: `attack.py` in the folder of a wing's tests. All is run by
``python -m tests.attack --models N --seed S``.
"""
