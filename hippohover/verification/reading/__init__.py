"""What a sentence says: its polarity, quantities and roles, and what another says against it."""
