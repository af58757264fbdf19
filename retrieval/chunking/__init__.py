"""A document to chunks."""
