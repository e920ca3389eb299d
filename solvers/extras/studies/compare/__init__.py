"""Puzzles by several methods: backends, symmetries, jobs and seeds (`__main__.py`, the command compare)."""
