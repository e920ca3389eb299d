"""Tests of the core: a folder for each folder of `solvers`."""
