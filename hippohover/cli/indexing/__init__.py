"""The commands that build or change an index."""
