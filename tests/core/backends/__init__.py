"""Tests of `solvers/backends`."""
