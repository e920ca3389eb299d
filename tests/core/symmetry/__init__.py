"""Tests of `solvers/symmetry`."""
