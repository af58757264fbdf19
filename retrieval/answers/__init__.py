"""Passages to an answer with citations."""
