"""Experiments: arms, sets of claims, measures, paired tests, tables, a plot."""
