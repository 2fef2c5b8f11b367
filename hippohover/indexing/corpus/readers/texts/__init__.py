"""Texts, a module per kind of file: ``read`` makes documents of one file."""
