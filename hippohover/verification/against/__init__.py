"""What sentences say against a claim."""
