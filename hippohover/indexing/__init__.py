"""Builds, in the order of the data: corpus, triples, scan, graph, vectors, publish."""
