"""Offline, in the order the data moves: corpus, triples, scan, graph, vectors, publish."""
