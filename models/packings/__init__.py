"""Packings: pieces, the sets that have names, BurrTools' files, and their pictures. Begin with `pieces.py`."""
