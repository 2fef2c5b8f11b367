"""Commands that compare."""
