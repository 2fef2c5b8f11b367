"""Bytes of a corpus, read with bounds: unpacked streams, and members of archives."""
