"""Pictures of packings: begin with `sheets.py`, what is printed; `isometric.py` opens up a box.

They import only `models.grid`, `models.lattice` and `models.puzzle`.
"""
