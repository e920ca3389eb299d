"""Counts without lists, counts that are confirmed, and predictions of them.

Begin with `counting/count.py`.
"""
