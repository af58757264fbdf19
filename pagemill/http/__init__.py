"""The HTTP of the Python client."""
