"""Tests of `solvers/terminal`."""
