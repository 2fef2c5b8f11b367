"""Encoders, the static table, unit vectors, and nearest neighbours."""
