"""Tests of `solvers/model`."""
