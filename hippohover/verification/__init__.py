"""Verification: which claim of a text is supported, by what, and why; without training."""
