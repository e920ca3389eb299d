"""Tests of the puzzles of the collection, each against code of its own."""
