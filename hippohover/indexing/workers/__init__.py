"""Runs the stages of a build: processes of this machine, or Ray."""
