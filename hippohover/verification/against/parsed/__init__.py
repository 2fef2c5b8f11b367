"""Checks that need a parse: where spaCy is installed."""
