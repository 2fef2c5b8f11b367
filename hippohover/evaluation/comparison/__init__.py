"""Experiments: arms and sets of claims, measures at cut-offs, paired tests, tables, a picture."""
