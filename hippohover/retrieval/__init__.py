"""Queries, in the order of the data: claim -> facts -> seeds -> walk -> ranking."""
