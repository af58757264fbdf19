"""A document and a JSON schema to values with the places where they stand."""
