"""Changes of an index: what differs in a corpus, and the next version."""
