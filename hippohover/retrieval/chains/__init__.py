"""Find the chains of passages that answer a claim together."""
