"""Parsing of marked texts, shared by the modules above, one module per method."""
