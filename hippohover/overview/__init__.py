"""An index as a whole: its themes, and its graph in files that other programs read."""
