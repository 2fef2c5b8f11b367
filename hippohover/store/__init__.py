"""An index on disk: layout, manifest, checksums, locks, versions, reader, writer."""
