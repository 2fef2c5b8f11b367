"""Verifies texts without training: which claims are supported, by what, and why."""
