"""Encoders, the static table, unit vectors, and what is near among them."""
