"""Experiments: arms, sets of claims, measures at cut-offs, paired tests, tables, a plot."""
