"""Readers of text files, one file a kind: ``file_formats`` lists them."""
