"""Candidate facts of a claim, and the choice among them."""
