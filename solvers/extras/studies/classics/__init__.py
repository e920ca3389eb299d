"""Known counts of classics, counted and confirmed by one command.

Begin with `counted.py`; `models.classics.known` lists them.
"""
