"""The checker of certificates: a folder that runs without the rest of kazoeru, wherever it is copied.

    python3 FOLDER DIR

It needs Python alone; a packed proof also numpy and numba. It shares nothing with what makes certificates: no encoder,
no solver, no symmetry.
"""
