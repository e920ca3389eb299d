"""Submissions compared with a reference: what to say of each, and a table for a folder of them.

Begin with `sentences.py`.
"""
