"""Tests of `solvers/cubes`."""
