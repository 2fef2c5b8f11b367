"""Your labelled claims -> a ranking for your corpus."""
