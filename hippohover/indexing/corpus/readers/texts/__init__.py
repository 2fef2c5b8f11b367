"""Texts, a module a kind of file: ``read`` makes documents of one file."""
