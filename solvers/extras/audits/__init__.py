"""Audits: whether symmetry breakings and redundant constraints are right, and whether two models are the same.

Folders, from the top: diff, audit, proofs, reading. Each imports only from those behind it, but diff not from audit.
"""
