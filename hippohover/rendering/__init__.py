"""HTML and figures: what other parts show of themselves."""
