"""A Document in the formats of others and in our own; the same Document gives the same bytes."""
