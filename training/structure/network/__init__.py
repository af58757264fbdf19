"""Trains the network that reads the structure of a page from its lines."""
