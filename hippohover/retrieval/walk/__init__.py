"""The names in a claim -> seeds -> Personalized PageRank -> candidates."""
