"""Passages -> (subject, predicate, object) triples."""
