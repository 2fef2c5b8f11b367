"""Reads what a sentence says: its words, quantities, clauses and parse, and its kind."""
