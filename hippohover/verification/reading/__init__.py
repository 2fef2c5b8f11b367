"""Reads what a sentence says: polarity, quantities and roles, and what contradicts them."""
