"""A job's pages as a document in each result format."""
