"""The network that reads the structure of pages."""
