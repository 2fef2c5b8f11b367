"""Compares the parts of one sentence: its numbers, its halves, on and off."""
