"""The checker of certificates: a folder that runs without the rest of kazoeru, wherever it is copied.

    python3 FOLDER DIR

It needs Python alone. It shares nothing with what makes certificates: no encoder, no solver, no symmetry.
"""
