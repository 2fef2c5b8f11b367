"""Finds names, in builds and in queries alike: normal forms, tokens, mentions, titles."""
