"""Tests of `solvers/show`."""
