"""Tests of `solvers/base`."""
