"""Pencil puzzles whose cells take numbers, one in each file; `models.pencil` has what all pencil puzzles share."""
