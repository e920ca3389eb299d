"""The version of this project."""

VERSION = "0.1.0"
"""The version, which pyproject.toml reads from here."""
