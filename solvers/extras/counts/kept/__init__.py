"""Counts that are kept, and asked again in milliseconds; begin with `file.py`."""
