"""Tests of `solvers/files`."""
