"""Claims with gold titles, metrics, intervals, reports."""
