"""Tests of `solvers/checks`."""
