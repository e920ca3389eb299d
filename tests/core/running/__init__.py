"""Tests of `solvers/running`."""
