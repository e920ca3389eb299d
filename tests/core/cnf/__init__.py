"""Tests of `solvers/cnf`."""
