"""The learned judge: features of a claim and its evidence, and trees that score them."""
