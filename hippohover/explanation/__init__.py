"""Find the paths that brought a passage into an answer, and draw them."""
