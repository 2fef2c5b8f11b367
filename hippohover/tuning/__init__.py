"""One's own labelled claims -> a ranking for one's own corpus."""
