"""Exact covers counted by a program that is extracted from a proof in Coq; see README.md of this folder."""
