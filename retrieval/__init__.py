"""Document to chunks to an index to passages. No Ray, no HTTP."""
