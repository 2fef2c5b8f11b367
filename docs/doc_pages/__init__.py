"""What the pages generate of the program itself, so that they cannot say what it no longer does."""
