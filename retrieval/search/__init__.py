"""A query to passages."""
