"""Small updates beside a built index, applied when it is opened."""
