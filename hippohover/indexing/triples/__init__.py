"""Reads (subject, predicate, object) triples from passages."""
