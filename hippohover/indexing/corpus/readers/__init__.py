"""Readers of the corpus formats, one file per format; ``formats.READERS`` lists them."""
