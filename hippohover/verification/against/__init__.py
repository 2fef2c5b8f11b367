"""Finds what sentences say against a claim."""
