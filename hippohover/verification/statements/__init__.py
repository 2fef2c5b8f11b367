"""Passages -> statements: what each sentence, line, row and reply says of its subject."""
