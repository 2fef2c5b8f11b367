"""Compares what two sentences, or two parts of one, say of two things or events."""
