"""Requests to URLs that callers name."""
