"""A ranked passage -> the paths that brought it there, and their drawings."""
