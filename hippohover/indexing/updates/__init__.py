"""What changes an index: the difference that a corpus makes, and the next version of it."""
