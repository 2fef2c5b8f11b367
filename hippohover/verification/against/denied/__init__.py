"""What sentences deny of a claim, or hedge."""
