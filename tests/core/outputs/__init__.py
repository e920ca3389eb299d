"""Tests of `solvers/outputs`."""
