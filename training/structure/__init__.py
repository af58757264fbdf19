"""Trains what reads the structure of pages: a network, a judge of cells, one of headings, and weights of furniture."""
