"""Finds whom a description means: "the director of Low Tide"."""
