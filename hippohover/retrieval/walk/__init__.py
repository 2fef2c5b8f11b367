"""What a claim names -> seeds -> Personalized PageRank -> candidates."""
