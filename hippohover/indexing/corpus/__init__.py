"""Files of a corpus -> records -> documents -> passages."""
