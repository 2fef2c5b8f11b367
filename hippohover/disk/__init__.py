"""Files on disk: columns, texts and their encodings, caches, and errors that name the file."""
