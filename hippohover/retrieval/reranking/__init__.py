"""Features of candidates, and the trees that score them."""
