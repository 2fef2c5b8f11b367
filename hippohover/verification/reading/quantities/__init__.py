"""Numbers, units and dates in running text, and whether one says the same as another."""
