"""The learned judge: features of a claim and its evidence, and the trees that weigh them."""
