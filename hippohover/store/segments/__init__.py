"""Updates of an index beside what a build made: small, and applied when it is opened."""
