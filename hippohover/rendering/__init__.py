"""HTML and figures of results."""
