"""Reads the bytes of a corpus within limits: compressed streams, and archives' members."""
