"""Files of ours on a disk: columns, texts, caches, and errors that name the file."""
