"""Readers of the corpus formats, one file a format: ``formats.READERS`` lists them."""
