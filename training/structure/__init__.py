"""Trains the network that reads the structure of pages, on pages that are drawn with their truth."""
