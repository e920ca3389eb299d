"""Links that hold a whole puzzle, and game IDs: `read.py` tells them apart, and one file reads and writes each family.

Nothing is fetched: all that is known of the puzzle is in the text.
"""
