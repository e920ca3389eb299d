"""Exact covers counted by a program that is extracted from a proof in Coq.

See README.md of this folder.
"""
