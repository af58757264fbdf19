"""What `pagemill ingest` does with many files."""
