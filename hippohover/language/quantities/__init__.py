"""Numbers, units and dates in running text, and their comparison."""
