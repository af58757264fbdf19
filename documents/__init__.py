"""Bytes to pages to regions to text to a Document: values and functions. No Ray, no HTTP."""
