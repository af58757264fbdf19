"""A page as segments, pieces of printed lines: what the network of page structure reads, and what it says."""
