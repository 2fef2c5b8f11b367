"""Files on disk: columns, texts, encodings, caches, errors that name the file."""
