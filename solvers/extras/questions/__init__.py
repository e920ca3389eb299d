"""Questions about single solutions and facts: hints, repairs, reasons, steps, candidates, drawings that are read.

Begin with `commands.py`.
"""
